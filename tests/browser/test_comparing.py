"""Two runs one above the other: taken anew from a step, opened, or started as a contrast."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from explorer import Stage, ask, picture, seek
from playwright.sync_api import Page, expect
from scripted import ScriptedModel

from blockbatch.config import DecodeConfig
from blockbatch.events import Commit
from blockbatch.metrics import first_divergence
from blockbatch.run import Run
from blockbatch.trace import Ints, Step, Trace
from ui.library import Bundled, bundled_runs
from ui.recorded import opened_value
from ui.settings import Settings

pytestmark = pytest.mark.browser


def upload(page: Page, path: Path, trace: Trace) -> None:
    trace.save(path)
    page.set_input_files("input[type=file][accept='.ndjson']", path)
    expect(page.locator("[data-part=status]")).to_have_text(f"recorded \u00b7 {path.name}", timeout=30_000)
    expect(page.locator("[data-part=count]")).to_contain_text(f"of {len(trace.steps)}")


def scripted_trace(**settings: object) -> Trace:
    run = Run(ScriptedModel(), "any prompt", DecodeConfig(gen_length=96, **settings))  # type: ignore[arg-type]
    list(run)
    return run.trace


def choose(page: Page, run: Bundled) -> None:
    """Open a bundled run."""
    page.click("#bb-bundled input")
    page.get_by_role("option", name=run.title, exact=True).click()
    expect(page.locator("[data-part=status]")).to_have_text(f"recorded \u00b7 {run.title}", timeout=30_000)


def answer(run: Bundled) -> Ints:
    from blockbatch.reading import load_trace

    trace = load_trace(run.path)
    assert trace.end is not None
    return trace.rows(len(trace.steps) - 1)[trace.end.winner]


def in_view(page: Page, position: int | None) -> bool:
    """Whether the grid of run A, scrolled, shows the column `position`: told by the cells at its two edges."""
    width = page.locator("[data-part=scroll]").evaluate("node => node.clientWidth")
    page.locator("[data-part=canvas]").click(position={"x": 4, "y": 40})
    page.wait_for_timeout(100)  # the title is drawn with the next frame
    first = int(page.inner_text("[data-part=cellTitle]").split("Position ")[1].split(",")[0])
    page.locator("[data-part=canvas]").click(position={"x": width - 4, "y": 40})
    page.wait_for_timeout(100)
    last = int(page.inner_text("[data-part=cellTitle]").split("Position ")[1].split(",")[0])
    return position is not None and first <= position <= last


def commits(step: Step) -> int:
    return sum(isinstance(event, Commit) for event in step.events)


def test_run_from_here_takes_the_step_anew_beneath_the_run(page: Page, stage: Stage, tmp_path: Path) -> None:
    trace = scripted_trace()
    upload(page, tmp_path / "run.ndjson", trace)
    page.check("#bb-pace input[value='0']")
    seek(page, 5)
    expect(page.locator("[data-part=runFrom]")).to_be_disabled()
    expect(page.locator("[data-part=runFrom]")).to_have_attribute("title", re.compile("Drag a threshold"))
    ask(page, "whatCommit", 0.6)
    more = int(re.findall(r"(\d+) more cell", page.inner_text("[data-part=whatSays]"))[0])
    page.click("[data-part=runFrom]")
    expect(page.locator("[data-part=titleB]")).to_have_text(
        "B \u00b7 taken anew from step 6, commit 0.6", timeout=30_000
    )
    expect(page.locator("[data-part=status]")).to_have_text("finished", timeout=30_000)
    forked = stage.started[-1].trace
    assert forked.header.origin == (trace.header.run, 4)
    assert [step.events for step in forked.steps[:5]] == [step.events for step in trace.steps[:5]]
    assert commits(forked.steps[5]) == commits(trace.steps[5]) + more, "the step does what the card foretold"
    for step in range(5):
        seek(page, step)
        assert page.inner_text("[data-part=sentence]") == page.inner_text("[data-part=sentenceB]")
    seek(page, 5)
    assert page.inner_text("[data-part=sentence]") != page.inner_text("[data-part=sentenceB]")
    expect(page.locator("[data-part=titleA]")).to_have_text("A \u00b7 run.ndjson")
    page.click("[data-part=unpin]")
    expect(page.locator("[data-part=beneath]")).to_be_hidden()
    expect(page.locator("[data-part=count]")).to_contain_text(f"of {len(forked.steps)}")


def test_a_run_of_another_model_is_not_taken_anew_and_stays_on_screen(page: Page) -> None:
    seek(page, 2)
    ask(page, "whatCommit", 0.6)
    page.click("[data-part=runFrom]")
    expect(page.locator(".toast-body")).to_contain_text("the model here is scripted; load that", timeout=30_000)
    expect(page.locator("[data-part=beneath]")).to_be_hidden()
    expect(page.locator("[data-part=count]")).to_contain_text("step 3 of")


def test_a_pinned_run_and_another_are_moved_together_and_their_parting_is_found(page: Page) -> None:
    first, *others = bundled_runs(Settings().traces)
    second = next(run for run in reversed(others) if first_divergence(answer(first), answer(run)) is not None)
    page.click("[data-part=pin]")
    choose(page, second)
    expect(page.locator("[data-part=titleA]")).to_have_text(f"A \u00b7 {first.title}")
    expect(page.locator("[data-part=titleB]")).to_have_text(f"B \u00b7 {second.title}")
    position = first_divergence(answer(first), answer(second))
    expect(page.locator("[data-part=compareSays]")).to_contain_text(f"first part at position {position}")
    seek(page, 0)
    page.wait_for_timeout(1200)  # until the grid has followed the step
    page.locator("[data-part=scroll]").evaluate("node => { node.scrollLeft = node.scrollWidth; }")
    page.wait_for_timeout(300)
    assert not in_view(page, position)
    before = picture(page, "canvasB")
    page.keyboard.press("d")
    expect(page.locator("[data-part=cellTitle]")).to_contain_text(f"Position {position}, ")
    page.wait_for_timeout(1200)
    assert picture(page, "canvasB") != before
    assert in_view(page, position)
    step = page.inner_text("[data-part=count]")
    page.keyboard.press("Home")
    page.click("[data-part=part]")
    expect(page.locator("[data-part=count]")).to_have_text(step)
    lengths = [len(opened_value(run.path, "").splitlines()) - 3 for run in (first, second)]
    page.keyboard.press("End")
    expect(page.locator("[data-part=count]")).to_have_text(f"step {max(lengths)} of {max(lengths)}")
    shorter = "sentence" if lengths[0] < lengths[1] else "sentenceB"
    if lengths[0] != lengths[1]:
        expect(page.locator(f"[data-part={shorter}]")).to_contain_text(f"ended with step {min(lengths)}")
    cells = page.locator("[data-part=figuresB] tbody tr").first.locator("td b")
    assert [cells.nth(run).inner_text() for run in (0, 1)] == [str(length) for length in lengths]


def test_a_cell_of_run_b_can_be_inspected(page: Page) -> None:
    page.click("[data-part=pin]")
    choose(page, bundled_runs(Settings().traces)[1])
    page.locator("[data-part=canvasB]").click(position={"x": 12, "y": 40})
    expect(page.locator("[data-part=cellTitle]")).to_have_text(re.compile(r"B \u00b7 Position \d+, block 4"))
    page.locator("[data-part=canvas]").click(position={"x": 12, "y": 40})
    expect(page.locator("[data-part=cellTitle]")).to_have_text(re.compile(r"A \u00b7 Position \d+, block 4"))


@pytest.mark.parametrize(
    ("button", "title"),
    [
        ("againstFast", "B \u00b7 dual-cache, block 32"),
        ("againstLeap", "B \u00b7 local-leap, block 32"),
        ("againstOne", "B \u00b7 one block size, 32"),
    ],
)
def test_a_contrast_is_one_click(page: Page, stage: Stage, button: str, title: str) -> None:
    page.check("#bb-pace input[value='0']")
    page.click(f"[data-part={button}]")
    expect(page.locator("[data-part=titleB]")).to_have_text(title, timeout=30_000)
    expect(page.locator("[data-part=status]")).to_have_text("finished", timeout=30_000)
    expect(page.locator(f"[data-part={button}]")).to_be_enabled()
    expect(page.locator("#bb-run")).to_be_enabled()
    assert stage.started[-1].trace.header.prompt == page.inner_text("[data-part=promptText]")
    assert stage.started[-1].trace.header.config.block_sizes == (32,)


@pytest.mark.parametrize("width", [360, 2560])
def test_two_runs_fit_every_width(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.click("[data-part=pin]")
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    choose(page, bundled_runs(Settings().traces)[1])
    expect(page.locator("[data-part=beneath]")).to_be_visible()
    page.wait_for_timeout(500)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
