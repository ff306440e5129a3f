"""Looking closer at a recorded run: what a cell's colour stands for, and the events inside a step."""

from __future__ import annotations

import re

import pytest
from explorer import ask, opening_run, picture, seek
from playwright.sync_api import Page, expect

from blockbatch.events import Commit
from blockbatch.trace import Step

pytestmark = pytest.mark.browser


LOWER = 0.3


def would_flip(step: Step) -> int:
    """How many candidates a step would commit more at the threshold `LOWER`."""
    committed = sum(isinstance(event, Commit) for event in step.events)
    best = [entry.at(int(position))[0][1] for entry in step.candidates for position in entry.positions]
    return sum(probability >= LOWER for probability in best) - committed


def test_each_fill_has_its_own_picture_and_legend(page: Page) -> None:
    seek(page, len(opening_run().steps) // 2)
    pictures, legends = set(), set()
    for fill in ("confidence", "step", "agreement", "entropy"):
        page.select_option("[data-part=fill]", fill)
        page.wait_for_timeout(200)
        pictures.add(picture(page, "canvas"))
        legends.add(page.inner_text("[data-part=scale]"))
    assert len(pictures) == len(legends) == 4
    page.locator("[data-part=fill]").evaluate("select => select.blur()")
    page.keyboard.press("f")
    expect(page.locator("[data-part=fill]")).to_have_value("confidence")


def test_the_events_inside_the_steps_are_walked_one_by_one(page: Page) -> None:
    before = next(step.index for step in opening_run().steps[2:] if step.kind == "denoise") - 1
    seek(page, before)
    whole = picture(page, "canvas")
    page.keyboard.press(".")
    expect(page.locator("[data-part=count]")).to_contain_text(f"step {before + 2} of")
    expect(page.locator("[data-part=sentence]")).to_have_text(re.compile(r"Event 1 of \d+: the forward"))
    assert picture(page, "canvas") != whole, "the windows and candidates of the new forward are shown"
    page.click("[data-part=nextEvent]")
    expect(page.locator("[data-part=sentence]")).to_have_text(re.compile(r"Event 2 of \d+: block \d+ .*commit"))
    block, position = re.findall(r"block (\d+) .*position (\d+)", page.inner_text("[data-part=sentence]"))[0]
    expect(page.locator("[data-part=cellTitle]")).to_have_text(f"Position {position}, block {block}")
    page.keyboard.press(",")
    page.keyboard.press(",")
    expect(page.locator("[data-part=sentence]")).to_have_text(re.compile(r"Event (\d+) of \1:"))
    expect(page.locator("[data-part=count]")).to_contain_text(f"step {before + 1} of")


def test_a_range_is_repeated(page: Page) -> None:
    seek(page, 1)
    page.click("[data-part=loop]")
    seek(page, 3)
    page.click("[data-part=loop]")
    page.select_option("[data-part=speed]", "8")
    seen = {page.inner_text("[data-part=count]").split()[1] for _ in range(30) if not page.wait_for_timeout(50)}
    assert seen == {"2", "3", "4"}
    page.click("[data-part=loop]")
    expect(page.locator("[data-part=loop]")).to_have_attribute("aria-pressed", "false")


def test_a_dragged_threshold_rings_the_cells_that_flip(page: Page) -> None:
    steps = opening_run().steps[1:-1]
    step = max(steps, key=would_flip)
    assert would_flip(step) > 1
    seek(page, step.index)
    says = page.locator("[data-part=whatSays]")
    expect(says).to_contain_text("own thresholds")
    ask(page, "whatCommit", 0.9)
    plain = picture(page, "canvas")
    expect(says).to_contain_text("own thresholds")
    ask(page, "whatCommit", LOWER)
    verdict = r"(\d+ of them not what|none of them against what) was finally written"
    expect(says).to_have_text(re.compile(rf"^At this step {would_flip(step)} more cells would commit, {verdict}"))
    assert picture(page, "canvas") != plain
    ask(page, "whatCommit", 0.9)
    seek(page, step.index)
    ask(page, "whatMerge", 0.1)
    expect(says).to_contain_text("cannot be judged")
    page.click("[data-part=whatReset]")
    expect(says).to_contain_text("own thresholds")
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-part=count]")).to_contain_text(f"step {step.index + 2} of")
