"""Take the README's pictures again, of the page's own recorded runs: `python tests/browser/screenshots.py`."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(Path(__file__).parent)]

from explorer import Stage, open_page  # noqa: E402
from playwright.sync_api import Browser, sync_playwright  # noqa: E402

from ui.bench.browser import ARGUMENTS, find  # noqa: E402

FOLDER = ROOT / "assets" / "screenshots"
PICTURES = [
    ("explorer", "dark", 1440, 1000),
    ("explorer-light", "light", 1440, 1000),
    ("explorer-phone", "light", 390, 844),
]
SHOWN = 0.4  # of the run: far enough that branches have met, with much still to come


def take(browser: Browser, url: str, name: str, scheme: str, width: int, height: int) -> None:
    """One picture, replay paused in the middle of the first recorded run."""
    size = {"width": width, "height": height}
    with browser.new_context(viewport=size, color_scheme=scheme, reduced_motion="reduce") as context:
        page = context.new_page()
        open_page(page, url)
        page.evaluate(
            """share => {
              const scrub = document.querySelector("[data-part=scrub]");
              scrub.value = Math.round(share * scrub.max);
              scrub.dispatchEvent(new Event("input", { bubbles: true }));
            }""",
            SHOWN,
        )
        page.wait_for_timeout(1500)
        page.screenshot(path=FOLDER / f"{name}.png")


def main() -> None:
    stage = Stage()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find(), args=ARGUMENTS)
        for picture in PICTURES:
            take(browser, stage.url, *picture)
        browser.close()
    stage.page.close()


if __name__ == "__main__":
    main()
