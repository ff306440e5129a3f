"""The page in a real Chromium, as a visitor uses it."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from explorer import Stage, open_page
from playwright.sync_api import Browser, Page, expect
from scripted import ANSWER, ScriptedModel

from blockbatch.config import DecodeConfig
from blockbatch.events import Add, ConfigChange, Drop
from blockbatch.reading import load_trace
from blockbatch.run import Run
from blockbatch.trace import Trace

pytestmark = pytest.mark.browser
UPLOAD = "input[type=file][accept='.ndjson']"


def step_of(page: Page) -> int:
    """The step shown, from 1."""
    return int(re.findall(r"\d+", page.inner_text("[data-part=count]"))[0])


def steps_of(page: Page) -> int:
    return int(re.findall(r"\d+", page.inner_text("[data-part=count]"))[1])


def status(page: Page) -> str:
    return page.inner_text("[data-part=status]")


def wait_for_status(page: Page, text: str) -> None:
    expect(page.locator("[data-part=status]")).to_have_text(text, timeout=60_000)


def wait_for_step(page: Page, step: int) -> None:
    page.wait_for_function(
        "least => Number(document.querySelector('[data-part=count]').textContent.match(/\\d+/)[0]) >= least",
        arg=step, timeout=30_000,
    )  # fmt: skip


def wait_for_live_step(page: Page, step: int) -> None:
    """Wait for a step of the run that was started last; until its first one the run before it is still on screen."""
    own = page.input_value("#bb-prompt textarea")
    expect(page.locator("[data-part=promptText]")).to_have_text(own, timeout=30_000)
    wait_for_step(page, step)


def start(page: Page, pace: str, prompt: str = "any prompt") -> None:
    """Run `prompt` at `pace` steps a second and wait until it is queued or begins."""
    page.fill("#bb-prompt textarea", prompt)
    page.check(f"#bb-pace input[value='{pace}']")
    page.click("#bb-run")
    expect(page.locator("[data-part=status]")).not_to_have_text(re.compile("recorded"), timeout=30_000)


def downloaded(page: Page, folder: Path) -> Trace:
    """The trace that the page gives to save, read strictly."""
    page.click("[data-part=share] summary")
    with page.expect_download() as download:
        page.click("[data-part=download]")
    page.keyboard.press("Escape")
    path = folder / "saved.ndjson"
    download.value.save_as(path)
    return load_trace(path)


def test_the_page_replays_a_recorded_run_by_itself(page: Page) -> None:
    assert status(page).startswith("recorded")
    before = step_of(page)
    wait_for_step(page, before + 2)


def test_scrubbing_makes_no_request(page: Page) -> None:
    page.click("[data-part=play]")
    page.wait_for_timeout(500)
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    total = steps_of(page)
    page.evaluate(
        """async () => {
          const scrub = document.querySelector("[data-part=scrub]");
          for (let n = 0; n < 300; n += 1) {
            scrub.value = n % (Number(scrub.max) + 1);
            scrub.dispatchEvent(new Event("input", { bubbles: true }));
            await new Promise(requestAnimationFrame);
          }
        }"""
    )
    page.click("[data-part=last]")
    expect(page.locator("[data-part=count]")).to_have_text(f"step {total} of {total}")
    assert requests == []


def test_the_keyboard_drives_the_replay(page: Page) -> None:
    page.keyboard.press("Home")
    expect(page.locator("[data-part=count]")).to_contain_text("step 1 of")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-part=count]")).to_contain_text("step 3 of")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("[data-part=count]")).to_contain_text("step 2 of")
    page.keyboard.press("2")
    expect(page.locator(".bb-label[aria-pressed=true]")).to_contain_text("block 8")
    page.keyboard.press("Space")
    expect(page.locator("[data-part=play]")).to_have_attribute("aria-label", "Pause")
    page.keyboard.press("?")
    expect(page.locator("dialog[open]")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("dialog[open]")).to_have_count(0)


def test_a_live_run_finishes(page: Page, tmp_path: Path) -> None:
    start(page, "0")
    wait_for_status(page, "finished")
    expect(page.locator("[data-part=text]")).to_have_text(ANSWER)
    expect(page.locator("[data-part=promptText]")).to_have_text("any prompt")
    assert "tokens of block" in page.inner_text("[data-part=figures]")
    trace = downloaded(page, tmp_path)
    assert trace.end is not None
    assert trace.end.text == ANSWER
    assert len(trace.steps) == steps_of(page)
    expect(page.locator("#bb-run")).to_be_enabled()


def test_branches_and_thresholds_change_a_run_in_progress(page: Page, tmp_path: Path) -> None:
    start(page, "5")
    wait_for_live_step(page, 3)
    page.uncheck("#bb-sizes input[name='4']")
    page.fill("#bb-new-size input, #bb-new-size textarea", "48")
    page.click("#bb-add")
    expect(page.locator("[data-branch='48']")).to_be_visible(timeout=15_000)
    expect(page.locator("[data-branch='4']")).to_have_count(0)
    page.locator("#bb-commit input[type=number]").fill("0.75")
    page.locator("#bb-commit input[type=number]").press("Enter")
    page.wait_for_timeout(800)
    page.check("#bb-pace input[value='0']")
    wait_for_status(page, "finished")
    trace = downloaded(page, tmp_path)
    changes = {type(event): (step.index, event) for step in trace.steps for event in step.events}
    assert changes[Drop][1].branch == 4
    assert changes[Add][1].branch == 48
    assert (changes[ConfigChange][1].field, changes[ConfigChange][1].new) == ("commit_threshold", 0.75)
    assert 2 < changes[Drop][0] <= changes[ConfigChange][0] < len(trace.steps)
    assert {state.branch for state in trace.steps[-1].branches} == {8, 16, 32, 48, 64, 128}
    page.keyboard.press("Home")
    seen = [page.inner_text("[data-part=sentence]") for _ in trace.steps if page.keyboard.press("ArrowRight") is None
            and page.wait_for_timeout(40) is None]  # fmt: skip
    assert any("block 4 dropped" in sentence for sentence in seen)


def test_a_preset_brings_its_options_and_its_branches(page: Page, stage: Stage) -> None:
    page.check("#bb-preset input[value='plus']")
    expect(page.locator("#bb-sizes input[name='128']")).not_to_be_checked()
    expect(page.locator("#bb-settle-windows input")).to_be_checked()
    start(page, "0")
    wait_for_status(page, "finished")
    config = stage.started[-1].trace.header.config
    assert config == DecodeConfig.preset("plus", gen_length=config.gen_length)


def test_a_bad_knob_leaves_the_run_as_it_is(page: Page) -> None:
    start(page, "5")
    for size in (4, 8, 16, 32, 64, 128):
        page.uncheck(f"#bb-sizes input[name='{size}']")
    expect(page.locator(".toast-body")).to_contain_text("block_sizes", timeout=15_000)
    page.check("#bb-pace input[value='0']")
    wait_for_status(page, "finished")


def test_stop_leaves_a_usable_partial_trace(page: Page, tmp_path: Path) -> None:
    start(page, "5")
    wait_for_live_step(page, 3)
    page.click("#bb-stop")
    wait_for_status(page, "stopped")
    trace = downloaded(page, tmp_path)
    assert trace.end is not None
    assert trace.end.stop == "stopped"
    assert 3 <= len(trace.steps) == steps_of(page)
    expect(page.locator("#bb-run")).to_be_enabled()
    expect(page.locator("#bb-stop")).to_be_disabled()
    page.click("[data-part=first]")
    expect(page.locator("[data-part=count]")).to_contain_text("step 1 of")


def test_pause_and_single_steps(page: Page) -> None:
    start(page, "5")
    wait_for_live_step(page, 2)
    page.click("#bb-pause")
    wait_for_status(page, "paused")
    steps = steps_of(page)
    page.click("#bb-step")
    expect(page.locator("[data-part=count]")).to_contain_text(f"of {steps + 1}")
    page.wait_for_timeout(700)
    assert steps_of(page) == steps + 1
    page.click("#bb-pause")
    page.check("#bb-pace input[value='0']")
    wait_for_status(page, "finished")


def test_markup_in_prompts_and_tokens_stays_text(page: Page) -> None:
    start(page, "0", "markup <img src=x onerror=window.broken=1>")
    wait_for_status(page, "finished")
    for part in ("text", "promptText"):
        expect(page.locator(f"[data-part={part}]")).to_contain_text("<img src=x onerror=window.broken=1>")
    page.keyboard.press("End")
    page.locator("[data-part=canvas]").click(position={"x": 20, "y": 40})
    expect(page.locator("[data-part=cellTitle]")).to_contain_text(re.compile(r"Position \d+, block 4"))
    page.hover("[data-part=branchMap]")
    assert page.locator("#bb-viewer img, #bb-viewer .bb-text b").count() == 0
    assert page.evaluate("window.broken") is None


def test_an_impossible_prompt_loses_nothing(page: Page) -> None:
    total = steps_of(page)
    page.fill("#bb-prompt textarea", "   ")
    page.click("#bb-run")
    expect(page.locator(".toast-body")).to_contain_text("The prompt is empty", timeout=15_000)
    page.fill("#bb-prompt textarea", "word " * 5000)
    page.click("#bb-run")
    expect(page.locator(".toast-body").filter(has_text="shorten the prompt")).to_be_visible(timeout=15_000)
    assert steps_of(page) == total
    assert status(page).startswith("recorded")


def test_bad_trace_files_are_one_sentence_and_keep_the_page(page: Page, tmp_path: Path) -> None:
    good = "\n".join(Run(ScriptedModel(), "any prompt", DecodeConfig(gen_length=32))) + "\n"
    total = steps_of(page)
    for name, text, says in (
        ("malformed", "this is no trace", "Line 1"),
        ("truncated", cut := good[: len(good) // 2], f"Line {len(cut.splitlines())} "),  # not what line 1 said
        ("markup", good.replace('"commit"', '"<img src=x onerror=window.broken=1>"', 1), "<img src=x"),
        ("future", good.replace('"version":1', '"version":7', 1), "version"),
    ):
        path = tmp_path / f"{name}.ndjson"
        path.write_text(text)
        page.set_input_files(UPLOAD, path)
        expect(page.locator(".toast-body").filter(has_text=says).last).to_be_visible(timeout=15_000)
    assert steps_of(page) == total
    assert page.evaluate("window.broken") is None
    path = tmp_path / "good.ndjson"
    path.write_text(good)
    page.set_input_files(UPLOAD, path)
    wait_for_status(page, "recorded \u00b7 good.ndjson")


def test_a_huge_file_is_one_sentence_and_keeps_the_page(page: Page, tmp_path: Path) -> None:
    total = steps_of(page)
    path = tmp_path / "huge.ndjson"
    with path.open("wb") as file:
        file.truncate(200 * 2**20)
    page.set_input_files(UPLOAD, path)
    expect(page.locator(".toast-body")).to_contain_text("exceed the maximum allowed size of 64", timeout=60_000)
    assert steps_of(page) == total
    page.keyboard.press("Home")
    expect(page.locator("[data-part=count]")).to_contain_text("step 1 of")


def test_visitors_do_not_steer_each_other(page: Page, chromium: Browser, stage: Stage) -> None:
    with chromium.new_context() as context:
        other = context.new_page()
        open_page(other, stage.url)
        start(page, "2", "mine")
        start(other, "2", "theirs")
        wait_for_live_step(other, 2)
        page.click("#bb-stop")
        wait_for_status(page, "stopped")
        assert status(other) == "live"
        before = steps_of(other)
        wait_for_step(other, before + 1)
        expect(other.locator("[data-part=promptText]")).to_have_text("theirs")


def test_one_run_too_many_waits_and_says_its_place(page: Page, chromium: Browser, stage: Stage) -> None:
    with chromium.new_context() as first, chromium.new_context() as second:
        others = [context.new_page() for context in (first, second)]
        for other in others:
            open_page(other, stage.url)
            start(other, "1")
        total = steps_of(page)
        start(page, "0")
        wait_for_status(page, "queued, place 1")
        assert steps_of(page) == total
        others[0].click("#bb-stop")
        wait_for_status(page, "finished")
        others[1].click("#bb-stop")
        wait_for_status(others[1], "stopped")


def test_a_closed_tab_ends_its_run(chromium: Browser, stage: Stage) -> None:
    with chromium.new_context() as context:
        visitor = context.new_page()
        open_page(visitor, stage.url)
        start(visitor, "5", "soon gone")
        wait_for_live_step(visitor, 2)
    run = stage.started[-1]
    time.sleep(2)
    steps = len(run.trace.steps)
    time.sleep(1.5)
    assert len(run.trace.steps) == steps
    assert run.trace.end is None


@pytest.mark.parametrize("width", [360, 1280, 2560])
def test_no_width_scrolls_sideways(chromium: Browser, stage: Stage, width: int) -> None:
    with chromium.new_context(viewport={"width": width, "height": 900}) as context:
        page = context.new_page()
        open_page(page, stage.url)
        page.wait_for_timeout(500)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_less_motion_means_no_autoplay_and_the_theme_can_be_switched(chromium: Browser, stage: Stage) -> None:
    with chromium.new_context(reduced_motion="reduce", color_scheme="dark") as context:
        page = context.new_page()
        open_page(page, stage.url)
        page.wait_for_timeout(2500)
        assert step_of(page) == 1
        assert page.evaluate("document.body.classList.contains('dark')")
        page.click("[data-part=theme]")
        assert not page.evaluate("document.body.classList.contains('dark')")
        page.reload()
        page.wait_for_selector("#bb-run")
        page.wait_for_timeout(500)
        assert not page.evaluate("document.body.classList.contains('dark')")


def test_the_app_decodes_with_the_embedded_model(chromium: Browser, app_url: str) -> None:
    with chromium.new_context() as context:
        page = context.new_page()
        open_page(page, app_url)
        page.fill("#bb-prompt textarea", "Compute 5 * (2 + 1) + 19.")
        page.check("#bb-pace input[value='0']")
        page.click("#bb-run")
        expect(page.locator("[data-part=status]")).to_have_text("finished", timeout=120_000)
        expect(page.locator("[data-part=promptText]")).to_have_text("Compute 5 * (2 + 1) + 19.")
        assert steps_of(page) > 1
