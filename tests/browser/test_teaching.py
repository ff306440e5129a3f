"""The lesson, as a teacher gives it, and the words of the page."""

from __future__ import annotations

import re
from typing import Any

import pytest
from explorer import Stage, open_page, opening_run, picture, seek
from playwright.sync_api import Browser, Page, expect

from ui.library import bundled_runs
from ui.settings import Settings

pytestmark = pytest.mark.browser
LESSON = "[data-part=lesson]"
STANDING = ("count", "cellTitle", "whatCommitValue", "sentence", "status", "promptText")


def enter(page: Page) -> None:
    """Open the lesson and wait for its first card."""
    page.click("[data-part=teach]")
    expect(page.locator("[data-part=lessonCount]")).to_have_text(re.compile(r"^1 of \d+$"), timeout=30_000)


def cards(page: Page) -> int:
    return int(page.inner_text("[data-part=lessonCount]").split()[-1])


def standing(page: Page) -> dict[str, Any]:
    """All that shall come back when the lesson is left."""
    texts = {part: page.inner_text(f"[data-part={part}]") for part in STANDING}
    scroll = page.locator("[data-part=scroll]").evaluate("node => node.scrollLeft")
    fill = page.input_value("[data-part=fill]")
    return {**texts, "scroll": scroll, "fill": fill, "commit": page.input_value("[data-part=whatCommit]"),
            "knob": page.input_value("#bb-commit input[type=number]"),
            "follow": page.get_attribute("[data-part=follow]", "aria-pressed")}  # fmt: skip


def to_question(page: Page) -> None:
    """Turn to the next card that asks something."""
    for _ in range(cards(page)):
        page.keyboard.press("PageDown")
        if page.locator("[data-part=lessonOptions]").is_visible():
            return
    raise AssertionError("no card asks anything")


def right_option(page: Page) -> int:
    """Which option is right: told by answering, so that this is for a card seen before."""
    kinds = page.locator(".bb-option").evaluate_all("nodes => nodes.map(node => node.dataset.kind)")
    return int(kinds.index("right"))


def test_all_cards_are_reached_by_keyboard_and_leaving_puts_everything_back(page: Page) -> None:
    page.locator("[data-part=whatCommit]").evaluate(
        "slider => { slider.value = 0.55; slider.dispatchEvent(new Event('input', { bubbles: true })); }"
    )
    page.select_option("[data-part=fill]", "agreement")
    seek(page, len(opening_run().steps) // 2)
    page.locator("[data-part=canvas]").click(position={"x": 60, "y": 90})
    page.click("[data-part=follow]")
    page.locator("[data-part=scroll]").evaluate("node => { node.scrollLeft = 90; }")
    page.wait_for_timeout(800)
    before, grids = standing(page), picture(page, "canvas")
    enter(page)
    expect(page.locator("#bb-rail")).to_be_hidden()
    expect(page.locator(".bb-whatif")).to_be_hidden()
    number, titles, asked = cards(page), [], 0
    assert 8 <= number <= 10
    for card in range(1, number + 1):
        expect(page.locator("[data-part=lessonCount]")).to_have_text(f"{card} of {number}")
        titles.append(page.inner_text("[data-part=lessonTitle]"))
        assert len(page.inner_text("[data-part=lessonText]").split()) <= 60
        asked += page.locator("[data-part=lessonOptions]").is_visible()
        page.keyboard.press("n" if card % 2 else "PageDown")
    assert len(set(titles)) == number
    assert asked >= 4
    expect(page.locator(LESSON)).to_be_hidden()
    page.wait_for_timeout(800)
    assert standing(page) == before
    assert picture(page, "canvas") == grids
    expect(page.locator("#bb-rail")).to_be_visible()
    expect(page.locator("[data-part=teach]")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-part=count]")).not_to_have_text(before["count"])


def test_a_guess_is_judged_by_word_and_shape_and_the_run_shows_why(page: Page) -> None:
    enter(page)
    to_question(page)
    expect(page.locator("[data-part=lessonAnswer]")).to_be_hidden()
    place = page.inner_text("[data-part=sentence]")
    page.keyboard.press("a")
    answer = page.locator("[data-part=lessonAnswer]")
    expect(answer).to_be_visible()
    expect(page.locator("[data-part=sentence]")).not_to_have_text(place)
    right = right_option(page)
    assert answer.inner_text().startswith("Right." if right == 0 else "Not this time.")
    assert answer.locator("svg").count() == 1
    page.keyboard.press("b")
    assert right_option(page) == right
    assert page.locator(".bb-option[data-kind=wrong]").count() == (right != 0), "the first guess counts"
    page.keyboard.press("Escape")
    enter(page)
    to_question(page)
    page.locator(".bb-option").nth(right).focus()
    page.keyboard.press("Enter")
    expect(answer).to_have_text(re.compile("^Right"))
    page.keyboard.press("Escape")
    enter(page)
    to_question(page)
    page.locator(".bb-option").nth(1 - min(right, 1)).click()
    expect(answer).to_have_text(re.compile("^Not this time"))
    page.keyboard.press("PageDown")
    page.keyboard.press("PageUp")
    expect(answer).to_have_text(re.compile("^Not this time"))  # an answered card stays answered


def test_the_lesson_is_given_on_its_own_run_and_says_so(page: Page) -> None:
    runs = bundled_runs(Settings().traces)
    wanted = next(run for run in runs if run.path in {other.contrast_to for other in runs})
    enter(page)
    expect(page.locator("[data-part=status]")).to_have_text(f"recorded \u00b7 lesson: {wanted.title}")
    page.click("[data-part=lessonLeave]")
    expect(page.locator("[data-part=status]")).to_have_text(f"recorded \u00b7 {runs[0].title}")


def test_a_live_run_is_not_lost_to_the_lesson(page: Page) -> None:
    page.fill("#bb-prompt textarea", "any prompt")
    page.check("#bb-pace input[value='2']")
    page.click("#bb-run")
    expect(page.locator("[data-part=status]")).to_have_text("live", timeout=30_000)
    page.click("[data-part=teach]")
    expect(page.locator("[data-part=lessonTitle]")).to_have_text("A run is going on")
    expect(page.locator("#bb-rail")).to_be_visible()
    expect(page.locator("[data-part=lessonTurn]")).to_be_hidden()
    page.wait_for_timeout(1200)
    expect(page.locator("[data-part=lessonTitle]")).to_be_visible()  # the run's updates leave it there
    page.click("#bb-stop")
    expect(page.locator("[data-part=status]")).to_have_text("stopped", timeout=30_000)
    enter(page)
    page.keyboard.press("Escape")
    expect(page.locator("[data-part=status]")).to_have_text("stopped")
    expect(page.locator("[data-part=promptText]")).to_have_text("any prompt")


@pytest.mark.parametrize("width", [360, 1280, 2560])
def test_the_address_opens_the_lesson_and_no_card_is_too_wide(chromium: Browser, stage: Stage, width: int) -> None:
    with chromium.new_context(viewport={"width": width, "height": 900}, reduced_motion="reduce") as context:
        page = context.new_page()
        open_page(page, f"{stage.url}?teach=1")
        expect(page.locator("[data-part=lessonCount]")).to_have_text(re.compile(r"^1 of"), timeout=30_000)
        for _ in range(cards(page)):
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            lesson, grid = (page.locator(part).bounding_box() for part in (LESSON, "[data-part=scroll]"))
            assert lesson is not None
            assert grid is not None
            apart = lesson["y"] + lesson["height"] <= grid["y"] or lesson["x"] + lesson["width"] <= grid["x"]
            assert apart, "the card covers the grid"
            page.keyboard.press("PageDown")


def test_the_glossary_opens_by_key_and_from_the_help(page: Page) -> None:
    page.keyboard.press("g")
    dialog = page.locator("[data-part=glossaryDialog]")
    expect(dialog).to_be_visible()
    expect(dialog.locator("tr", has_text="consensus commit").first).to_contain_text("merge")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    page.keyboard.press("?")
    page.click("[data-part=toGlossary]")
    expect(dialog).to_be_visible()
    expect(page.locator("dialog[open]")).to_have_count(1)


SILENT = """() => {
  const seen = node => node.checkVisibility({ visibilityProperty: true }) && !node.closest("dialog");
  const nodes = [...document.querySelectorAll("button, select, input, textarea, .bb-legend-item, .bb-figure")];
  return nodes.filter(seen).filter(node => {
    node.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
    return !node.closest("[title]") && !node.querySelector("[title]") && !node.closest(".bb-rail-card .block")
      ?.querySelector("[title], .info-text");
  }).map(node => node.outerHTML.slice(0, 120));
}"""  # what has no sentence of its own


def test_every_control_explains_itself_on_hover_and_on_focus(page: Page) -> None:
    assert page.evaluate(SILENT) == []
    page.keyboard.press("Tab")
    page.locator("[data-part=play]").focus()
    page.keyboard.press("Tab")
    hint = page.locator(".bb-hint")
    expect(hint).to_have_class(re.compile("shown"))
    expect(hint).to_have_text("Next step (right arrow)")
    page.keyboard.press("Escape")
    expect(hint).not_to_have_class(re.compile("shown"))


def test_every_control_of_the_lab_explains_itself(page: Page) -> None:
    page.click("[data-part=lab]")
    expect(page.locator("#bb-sweep-run")).to_be_visible()
    page.click("#bb-sweep-and input")
    page.get_by_role("option", name="merge threshold", exact=True).click()
    expect(page.locator("#bb-map")).to_be_visible()
    assert page.evaluate(SILENT) == []
