"""The Chromium that is driven, and the ways in which the measurements reach a page."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from blockbatch.errors import BlockBatchError

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, ViewportSize

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
VIEWPORT: ViewportSize = {"width": 1280, "height": 900}
SHOWN = "document.querySelector('[data-part=count]')?.textContent.startsWith('step')"


class BenchError(BlockBatchError):
    """Nothing can be measured; the message says what is missing."""


@contextmanager
def chromium() -> Iterator[Browser]:
    """A running Chromium.  BenchError where playwright or every Chromium is missing."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise BenchError("Measuring needs playwright: pip install -r requirements-dev.txt") from None
    path = find()
    if path is None:
        raise BenchError("No Chromium was found; `make chromium` installs one, or set CHROMIUM to its path.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def page_of(browser: Browser, url: str) -> Iterator[Page]:
    """The page at `url` in a context of its own, its opening run shown."""
    with browser.new_context(viewport=VIEWPORT) as context:
        page = context.new_page()
        page.goto(url)
        page.wait_for_function(SHOWN, timeout=60_000)
        page.wait_for_function("document.querySelector('#bb-prompt textarea')?.value", timeout=60_000)
        yield page


def find() -> str | None:
    """The path of a Chromium: CHROMIUM, one on the PATH, or playwright's own."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None) or _playwrights_own()


def _playwrights_own() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).is_file() else None
