"""A run that goes on: changed in three ways at once, forked, pinned, and seen by nobody else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from explorer import Stage, ask, open_page, seek
from playwright.sync_api import Browser, Page, expect
from test_explorer import downloaded, start, status, steps_of, wait_for_live_step, wait_for_status

from blockbatch.events import Add, Drop, Resize

pytestmark = pytest.mark.browser


def test_a_branch_is_added_one_dropped_and_one_resized_each_marked_with_its_step(page: Page, tmp_path: Path) -> None:
    start(page, "1")
    wait_for_live_step(page, 2)
    page.fill("#bb-new-size input, #bb-new-size textarea", "256")
    page.click("#bb-add")
    page.uncheck("#bb-sizes input[name='4']")
    page.get_by_text("Resize a branch").click()
    page.click("#bb-resized input")
    page.get_by_role("option", name="32", exact=True).click()
    page.fill("#bb-resized-to input, #bb-resized-to textarea", "48")
    page.click("#bb-resize")
    for size in ("48", "256"):
        expect(page.locator(f"[data-branch='{size}']")).to_be_visible(timeout=15_000)
    page.check("#bb-pace input[value='0']")
    wait_for_status(page, "finished")
    trace = downloaded(page, tmp_path)
    made = {type(event): (step.index, event) for step in trace.steps for event in step.events
            if isinstance(event, Add | Drop | Resize)}  # fmt: skip
    assert (made[Add][1].branch, made[Drop][1].branch, made[Resize][1]) == (256, 4, Resize(32, 48))
    for step, wording in ((made[Add][0], "256"), (made[Drop][0], "block 4 dropped"), (made[Resize][0], "48")):
        seek(page, step)
        expect(page.locator("[data-part=sentence]")).to_contain_text(wording)


def test_a_paused_run_is_forked_from_one_of_its_steps_and_ends(page: Page, stage: Stage) -> None:
    start(page, "10", "to be forked")
    wait_for_live_step(page, 4)
    page.click("#bb-pause")
    wait_for_status(page, "paused")
    live = stage.started[-1]
    page.check("#bb-pace input[value='0']")
    seek(page, 2)
    ask(page, "whatCommit", 0.6)
    page.click("[data-part=runFrom]")
    expect(page.locator("[data-part=titleB]")).to_have_text(
        "B \u00b7 taken anew from step 3, commit 0.6", timeout=30_000
    )
    wait_for_status(page, "finished")
    expect(page.locator("#bb-run")).to_be_enabled()
    expect(page.locator("#bb-stop")).to_be_disabled()
    forked = stage.started[-1].trace
    assert live.trace.end is not None
    assert live.trace.end.stop == "stopped"
    assert forked.header.origin == (live.id, 1)
    assert [step.events for step in forked.steps[:2]] == [step.events for step in live.trace.steps[:2]]
    expect(page.locator("[data-part=titleA]")).to_have_text("A \u00b7 live run")


def test_a_fork_that_goes_on_is_forked_again(page: Page, stage: Stage) -> None:
    start(page, "2", "to be forked twice")
    wait_for_live_step(page, 3)
    for threshold in (0.7, 0.5):
        page.wait_for_timeout(2500)  # until the step that is picked is not the newest, which would be followed
        seek(page, 1)
        ask(page, "whatCommit", threshold)
        page.click("[data-part=runFrom]")
        expect(page.locator("[data-part=titleB]")).to_contain_text(f"commit {threshold}", timeout=30_000)
        expect(page.locator("#bb-stop")).to_be_enabled()
        expect(page.locator("#bb-run")).to_be_disabled()
    page.click("#bb-stop")
    wait_for_status(page, "stopped")
    expect(page.locator("#bb-run")).to_be_enabled()
    first, second, third = stage.started[-3:]
    assert [run.trace.header.origin for run in (second, third)] == [(first.id, 0), (first.id, 0)]
    assert [run.trace.end and run.trace.end.stop for run in (first, second, third)] == ["stopped"] * 3


def test_a_run_that_goes_on_is_pinned_as_far_as_it_got(page: Page) -> None:
    start(page, "5")
    wait_for_live_step(page, 3)
    page.click("[data-part=pin]")
    expect(page.locator("[data-part=titleA]")).to_have_text(re.compile(r"A \u00b7 live run, its first \d+ steps"))
    expect(page.locator("[data-part=titleB]")).to_have_text("B \u00b7 live run")
    expect(page.locator("[data-part=download]")).to_be_disabled()
    frozen = int(re.findall(r"first (\d+)", page.inner_text("[data-part=titleA]"))[0])
    page.check("#bb-pace input[value='0']")
    wait_for_status(page, "finished")
    assert steps_of(page) > frozen
    page.keyboard.press("End")
    expect(page.locator("[data-part=sentence]")).to_contain_text(f"ended with step {frozen}")
    page.click("[data-part=unpin]")
    expect(page.locator("[data-part=download]")).to_be_enabled()


def test_nobody_sees_the_run_of_another(page: Page, chromium: Browser, stage: Stage) -> None:
    before = status(page)
    with chromium.new_context() as context:
        other = context.new_page()
        open_page(other, stage.url)
        start(other, "5", "for my eyes only")
        wait_for_live_step(other, 3)
        for knob in ("#bb-pause", "#bb-step", "#bb-stop"):
            expect(page.locator(knob)).to_be_disabled()
        page.uncheck("#bb-sizes input[name='8']")
        page.wait_for_timeout(700)
        assert status(page) == before
        assert "for my eyes only" not in page.content()
        expect(other.locator("[data-branch='8']")).to_be_visible()
        other.click("#bb-stop")
        wait_for_status(other, "stopped")
