"""Every mode of the page at three widths in both themes, to be looked at: `python tests/browser/album.py FOLDER`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(Path(__file__).parent)]

from explorer import Stage, ask, open_page, seek  # noqa: E402
from playwright.sync_api import Page, expect, sync_playwright  # noqa: E402

from ui.bench.browser import ARGUMENTS, find  # noqa: E402
from ui.studies import STUDIES  # noqa: E402

WIDTHS = {360: 800, 1280: 900, 2560: 1300}  # and their heights, in pixels
STEP = 6
DRAWN = ".bb-lab-drawing .main-svg"


def replay(page: Page) -> None:
    seek(page, STEP)


def cell(page: Page) -> None:
    seek(page, STEP)
    page.locator("[data-part=canvas]").click(position={"x": 60, "y": 40})


def what_if(page: Page) -> None:
    cell(page)
    ask(page, "whatCommit", 0.5)


def contrast(page: Page) -> None:
    page.check("#bb-pace input[value='0']")
    page.click("[data-part=againstFast]")
    expect(page.locator("[data-part=status]")).to_have_text("finished", timeout=30_000)
    seek(page, STEP)


def live(page: Page) -> None:
    page.click("#bb-run")
    page.wait_for_timeout(1500)
    page.click("#bb-pause")


def lesson(page: Page) -> None:
    page.click("[data-part=teach]")
    page.click("[data-part=lessonNext]")
    page.click("[data-part=lessonNext]")


def share(page: Page) -> None:
    seek(page, STEP)
    page.click("[data-part=share] summary")


def glossary(page: Page) -> None:
    page.click("[data-part=help]")
    page.click("[data-part=toGlossary]")


def lab(page: Page) -> None:
    page.click("[data-part=lab]")
    page.get_by_role("button", name=STUDIES["agreement"].title, exact=True).click()
    expect(page.locator(DRAWN).first).to_be_visible(timeout=30_000)


def sweep(page: Page) -> None:
    page.click("[data-part=lab]")
    page.click("#bb-sweep-over input")
    page.get_by_role("option", name="the prompt", exact=True).click()
    page.click("#bb-sweep-run")
    expect(page.locator("#bb-sweep [data-part=says]")).to_contain_text("All ", timeout=90_000)
    expect(page.locator(f"#bb-sweep {DRAWN}").first).to_be_visible(timeout=30_000)


MODES: tuple[Callable[[Page], None], ...] = (
    replay, cell, what_if, contrast, live, lesson, share, glossary, lab, sweep,
)  # fmt: skip


def draw_all(page: Page) -> None:
    """Look at every figure of the page once: one is drawn when it first comes into view."""
    for figure in page.locator(".bb-drawing:visible").all():
        figure.scroll_into_view_if_needed()
        expect(figure.locator(".main-svg").first).to_be_visible(timeout=30_000)
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(1500)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find(), args=ARGUMENTS)
        for mode in MODES:
            stage = Stage()
            for width, height in WIDTHS.items():
                for scheme in ("light", "dark"):
                    size = {"width": width, "height": height}
                    with browser.new_context(viewport=size, color_scheme=scheme, reduced_motion="reduce") as context:
                        page = context.new_page()
                        open_page(page, stage.url)
                        mode(page)
                        draw_all(page)
                        page.screenshot(path=folder / f"{mode.__name__}-{width}-{scheme}.png", full_page=True)
            stage.page.close()
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
