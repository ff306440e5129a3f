"""The page for everybody: axe-core's rules, the keyboard alone, less motion, and a page that does not jump."""

from __future__ import annotations

import re
from collections.abc import Iterator

import axe
import pytest
from explorer import Stage, open_page, seek
from playwright.sync_api import Browser, Page, expect
from test_comparing import choose
from test_explorer import start, wait_for_live_step, wait_for_status

from ui.library import bundled_runs
from ui.settings import Settings

pytestmark = pytest.mark.browser
SERIOUS = ("serious", "critical")
SUM_OF_SHIFTS = """
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries().filter((each) => !each.hadRecentInput))
      window.shifts.push([entry.value, entry.sources.map(({ node }) => node?.className || node?.nodeName)]);
  }).observe({ type: "layout-shift", buffered: false });
"""


@pytest.fixture(params=["light", "dark"])
def themed(request: pytest.FixtureRequest, chromium: Browser, stage: Stage) -> Iterator[Page]:
    """The page in one of its themes, at rest."""
    size = {"width": 1280, "height": 900}
    with chromium.new_context(color_scheme=request.param, reduced_motion="reduce", viewport=size) as context:
        page = context.new_page()
        open_page(page, stage.url)
        seek(page, 4)
        yield page


def findings(page: Page) -> list[str]:
    """What axe-core finds that is serious or critical: the rule, and where."""
    script = axe.find()
    if script is None:
        pytest.skip("axe-core is not installed; `make axe` installs it with npm")
    page.add_script_tag(path=script)
    found = page.evaluate("async () => (await axe.run(document, { resultTypes: ['violations'] })).violations")
    return [
        f"{rule['id']}: {node['target']} {node['any'][0]['message'] if node['any'] else node['html']}"
        for rule in found
        if rule["impact"] in SERIOUS
        for node in rule["nodes"]
    ]


def test_axe_finds_nothing_serious_on_the_opening_page(themed: Page) -> None:
    assert findings(themed) == []


def test_axe_finds_nothing_serious_in_a_comparison(themed: Page) -> None:
    themed.click("[data-part=pin]")
    choose(themed, bundled_runs(Settings().traces)[-1])
    expect(themed.locator("[data-part=beneath]")).to_be_visible()
    themed.click(".label-wrap")
    assert findings(themed) == []


def test_axe_finds_nothing_serious_in_the_lab(themed: Page) -> None:
    themed.click("[data-part=lab]")
    themed.get_by_role("button", name="Packed tokens per forward").click()
    expect(themed.locator("#bb-studies .main-svg").first).to_be_visible(timeout=30_000)
    assert findings(themed) == []


def test_axe_finds_nothing_serious_in_the_help(themed: Page) -> None:
    themed.keyboard.press("?")
    expect(themed.locator("dialog[open]")).to_be_visible()
    assert findings(themed) == []


def test_axe_does_find_a_fault_that_is_put_in(themed: Page) -> None:
    themed.evaluate("document.querySelector('[data-part=play]').removeAttribute('aria-label')")
    themed.evaluate("document.querySelector('[data-part=play]').removeAttribute('title')")
    assert [finding.split(":")[0] for finding in findings(themed)] == ["button-name"]


def test_everything_can_be_reached_and_seen_with_the_keyboard(themed: Page) -> None:
    themed.evaluate("document.activeElement?.blur()")
    reached: dict[str, bool] = {}
    for _ in range(140):
        themed.keyboard.press("Tab")
        name, seen = themed.evaluate(FOCUSED)
        if name in reached or not name:
            continue
        reached[name] = seen
    for part in (
        "play",
        "scrub",
        "fill",
        "zoomOut",
        "zoomIn",
        "follow",
        "minimapCanvas",
        "scroll",
        "whatCommit",
        "pin",
    ):
        assert part in reached, part
    assert [name for name, seen in reached.items() if not seen] == []


FOCUSED = """() => {
  const node = document.activeElement;
  if (!node || node === document.body) return ["", true];
  const name = node.dataset.part || node.id || node.getAttribute("aria-label") || node.name || node.textContent;
  const around = [node, node.closest("label"), node.parentElement].filter(Boolean);
  const ringed = around.some((each) => {
    const style = getComputedStyle(each);
    return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
  });
  return [name.trim().slice(0, 40), ringed];
}"""


def test_the_focused_cell_is_told_in_a_sentence(page: Page) -> None:
    seek(page, 3)
    page.keyboard.press("]")
    spoken = page.locator("[data-part=spoken]")
    expect(spoken).to_have_attribute("aria-live", "polite")
    expect(spoken).to_have_text(re.compile(r"^Block \d+, position \d+: .+\. .+"))
    before = spoken.inner_text()
    page.keyboard.press("1")
    expect(spoken).not_to_have_text(before)


def test_less_motion_means_that_nothing_moves_by_itself(chromium: Browser, stage: Stage) -> None:
    with chromium.new_context(reduced_motion="reduce", viewport={"width": 1280, "height": 900}) as context:
        page = context.new_page()
        open_page(page, stage.url)
        start(page, "5")
        wait_for_live_step(page, 2)
        moving = page.evaluate("document.getAnimations().filter((one) => one.playState === 'running').length")
        assert moving == 0
        page.click("#bb-stop")
        wait_for_status(page, "stopped")
        page.focus("[data-part=minimapCanvas]")
        page.keyboard.press("End")
        page.wait_for_timeout(200)
        page.click("[data-part=follow]")
        page.wait_for_timeout(100)  # two or three frames: there is no glide that would take longer
        left = page.locator("[data-part=scroll]").evaluate("node => node.scrollLeft")
        page.wait_for_timeout(700)
        assert page.locator("[data-part=scroll]").evaluate("node => node.scrollLeft") == left


@pytest.mark.parametrize("width", [360, 1280, 2560])
def test_the_page_does_not_jump_while_a_run_goes_on(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate("window.scrollTo(0, 0)")
    page.wait_for_timeout(500)
    page.fill("#bb-prompt textarea", "any prompt")
    page.check("#bb-pace input[value='10']")
    page.locator("#bb-run").scroll_into_view_if_needed()
    page.wait_for_timeout(600)
    page.evaluate(SUM_OF_SHIFTS)
    page.click("#bb-run")
    wait_for_status(page, "finished")
    page.wait_for_timeout(300)
    shifts = page.evaluate("window.shifts")
    assert sum(value for value, _ in shifts) < 0.02, shifts


def test_the_help_names_every_key(page: Page) -> None:
    page.keyboard.press("?")
    keys = page.inner_text("[data-part=keys]")
    for key in ("Space", "{ }", "+ -", "[ ]", "?"):
        assert key in keys
