"""A server for the browser tests, and a real Chromium to look at it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator

import pytest
from explorer import ROOT, Stage, free_port, open_page
from playwright.sync_api import Browser, Page, sync_playwright

from ui.bench.browser import ARGUMENTS, find


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
    port = free_port()
    environment = {**os.environ, "GRADIO_SERVER_PORT": str(port)}
    server = subprocess.Popen([sys.executable, "app.py"], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
    try:
        wait_for(f"http://127.0.0.1:{port}/", server)
        yield f"http://127.0.0.1:{port}/"
    finally:
        server.terminate()
        server.wait(20)


def wait_for(url: str, server: subprocess.Popen[bytes]) -> None:
    for _ in range(180):
        assert server.poll() is None, "the app ended before it served a page"
        try:
            urllib.request.urlopen(url, timeout=5).close()
            return
        except OSError:
            time.sleep(0.5)
    raise AssertionError(f"{url} did not come up")


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
