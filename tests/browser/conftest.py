"""A server for the browser tests, and a real Chromium to look at it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from explorer import ROOT, Stage, open_page
from playwright.sync_api import Browser, Page, sync_playwright

from ui.bench.browser import ARGUMENTS, find
from ui.bench.server import PAGE, serve


@pytest.fixture(scope="session")
def stage() -> Iterator[Stage]:
    made = Stage()
    yield made
    made.page.close()


@pytest.fixture(scope="session")
def app_url() -> Iterator[str]:
    """The page as people start it, with the embedded model."""
    if not (ROOT / "assets" / "tiny" / "model.safetensors").is_file():
        pytest.skip("assets/tiny is not there")
    with serve(PAGE) as server:
        yield server.url


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    path = find()
    if path is None:
        pytest.skip("no Chromium; set CHROMIUM to its path")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Browser, stage: Stage) -> Iterator[Page]:
    """The page, open and ready; errors of its scripts fail the test."""
    with chromium.new_context(viewport={"width": 1280, "height": 900}) as context:
        made = context.new_page()
        errors: list[str] = []
        made.on("pageerror", lambda error: errors.append(error.stack or str(error)))
        open_page(made, stage.url)
        yield made
        assert not errors
