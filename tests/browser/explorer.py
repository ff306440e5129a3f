"""The page with a scripted model, and the ways in which the browser tests reach a page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect
from scripted import ANSWER, ScriptedModel

from blockbatch.config import Config
from blockbatch.fork import fork
from blockbatch.reading import MAX_BYTES, load_trace
from blockbatch.run import Run
from blockbatch.trace import Trace
from ui.bench.server import free_port
from ui.engine import Engine
from ui.interface import create_ui
from ui.library import bundled_runs
from ui.settings import Settings
from ui.theme import head, theme

ROOT = Path(__file__).parents[2]
MARKUP = "<img src=x onerror=window.broken=1> and <b>bold</b> stay text. " + ANSWER


class Stage:
    """The page with a scripted model; `started` are the runs that visitors began, `store` is where they are kept."""

    def __init__(self, store: str = "memory://stage", port: int | None = None) -> None:
        self.started: list[Run] = []
        page = create_ui(Engine(self.start, self.fork), Settings(runs=2, store=store))
        options = {"theme": theme(), "head": head(), "footer_links": [], "run_history": False}
        _, self.url, _ = page.launch(
            prevent_thread_lock=True, quiet=True, server_port=port or free_port(), max_file_size=MAX_BYTES, **options
        )
        self.page = page

    def start(self, prompt: str, config: Config) -> Run:
        self.started.append(Run(ScriptedModel(MARKUP if "markup" in prompt else ANSWER), prompt, config))
        return self.started[-1]

    def fork(self, trace: Trace, step: int, changes: dict[str, Any]) -> Run:
        self.started.append(fork(ScriptedModel(), trace, step, **changes))
        return self.started[-1]


def opening_run() -> Trace:
    """The recorded run that the page opens with."""
    return load_trace(bundled_runs(Settings().traces)[0].path)


def open_page(page: Page, url: str) -> None:
    page.goto(url)
    page.wait_for_function("document.querySelector('[data-part=count]')?.textContent.startsWith('step')", timeout=30000)
    page.wait_for_function("document.querySelector('#bb-prompt textarea')?.value")


def picture(page: Page, part: str) -> str:
    """What a canvas of the viewer shows, as text that differs where the picture does."""
    return str(page.locator(f"[data-part={part}]").evaluate("canvas => canvas.toDataURL()"))


def seek(page: Page, step: int) -> None:
    """Show the step with this index."""
    page.locator("[data-part=scrub]").evaluate(
        "(scrub, step) => { scrub.value = step; scrub.dispatchEvent(new Event('input', { bubbles: true })); }", step
    )
    expect(page.locator("[data-part=count]")).to_contain_text(f"step {step + 1} of")
    page.wait_for_timeout(600)


def ask(page: Page, knob: str, value: float) -> None:
    """Drag a threshold of the what-if card."""
    page.locator(f"[data-part={knob}]").evaluate(
        "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input', { bubbles: true })); }",
        value,
    )
    page.wait_for_timeout(600)
