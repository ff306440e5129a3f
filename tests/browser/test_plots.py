"""The plotly figures in a real Chromium: clicks move the one cursor, zoom stays, nothing comes from elsewhere."""

from __future__ import annotations

import re
from typing import Any

import pytest
from explorer import Stage, open_page
from playwright.sync_api import Browser, Page, expect

pytestmark = pytest.mark.browser
FIGURES = ("timeline", "branchMap", "historyMap")
SCHEMES = ("light", "dark")


def drawn(page: Page, part: str) -> None:
    """Bring a figure into view and wait until plotly has drawn it."""
    page.locator(f"[data-part={part}]").scroll_into_view_if_needed()
    page.wait_for_selector(f"[data-part={part}] .main-svg", timeout=30_000)


def until(page: Page, part: str, holds: str, value: Any = None) -> None:
    """Wait until `holds`, of the `layout` and `data` of a figure and a value, for figures are drawn at a pace."""
    page.wait_for_function(
        f"""([part, value]) => {{
          const {{ layout, data }} = document.querySelector(`[data-part=${{part}}] .bb-drawing`);
          return {holds};
        }}""",
        arg=[part, value],
        timeout=20_000,
    )


def layout(page: Page, part: str) -> dict[str, Any]:
    """{xaxis, yaxis, margin} that plotly has for a figure, and its data."""
    return page.evaluate(
        """part => {
          const { layout: { xaxis, yaxis, margin, font }, data } =
            document.querySelector(`[data-part=${part}] .bb-drawing`);
          return JSON.parse(JSON.stringify({ xaxis, yaxis, margin, font, data }));
        }""",
        part,
    )


def at(page: Page, part: str, x: float, y: float) -> tuple[float, float]:
    """Where in the window the point (x, y) of a figure's axes is."""
    found, box = layout(page, part), page.locator(f"[data-part={part}]").bounding_box()
    assert box is not None
    margin = found["margin"]
    share = [
        (value - low) / (high - low)
        for value, (low, high) in ((x, found["xaxis"]["range"]), (y, found["yaxis"]["range"]))
    ]
    wide, high = box["width"] - margin["l"] - margin["r"], box["height"] - margin["t"] - margin["b"]
    return box["x"] + margin["l"] + share[0] * wide, box["y"] + margin["t"] + (1 - share[1]) * high


def click(page: Page, part: str, x: float, y: float) -> None:
    page.mouse.click(*at(page, part, x, y))


def at_step(page: Page, step: int) -> None:
    expect(page.locator("[data-part=count]")).to_have_text(re.compile(rf"^step {step} of"))


@pytest.fixture
def still(page: Page) -> Page:
    """The page, paused on its second step, its timeline drawn."""
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    drawn(page, "timeline")
    return page


def test_a_click_in_the_timeline_moves_the_step_and_picks_the_lane(still: Page) -> None:
    lanes = layout(still, "timeline")["yaxis"]
    name, height = lanes["ticktext"][2], lanes["tickvals"][2]
    click(still, "timeline", 5.35, height - 0.45)
    at_step(still, 5)
    expect(still.locator(".bb-label[aria-pressed=true]")).to_contain_text(name)


def test_a_click_on_a_mark_points_at_its_cell(still: Page) -> None:
    marks = next(data for data in layout(still, "timeline")["data"] if data["name"] == "consensus commit")
    step, branch, position = marks["customdata"][0]
    click(still, "timeline", marks["x"][0], marks["y"][0])
    at_step(still, step)
    expect(still.locator("[data-part=cellTitle]")).to_have_text(f"Position {position}, block {branch}")


def test_a_click_in_a_map_moves_the_cursor(still: Page) -> None:
    drawn(still, "branchMap")
    click(still, "branchMap", 11, 1)
    branch = layout(still, "branchMap")["yaxis"]["categoryarray"][1]
    expect(still.locator("[data-part=cellTitle]")).to_have_text(f"Position 11, {branch}")
    at_step(still, 2)
    drawn(still, "historyMap")
    click(still, "historyMap", 23, 4)
    expect(still.locator("[data-part=cellTitle]")).to_have_text(f"Position 23, {branch}")
    at_step(still, 4)


@pytest.mark.parametrize("part", FIGURES)
def test_a_zoom_survives_a_step_and_can_be_undone(still: Page, part: str) -> None:
    drawn(still, part)
    whole = layout(still, part)["xaxis"]["range"]
    middle = sum(layout(still, part)["yaxis"]["range"]) / 2
    still.mouse.move(*at(still, part, whole[0] + (whole[1] - whole[0]) * 0.2, middle))
    still.mouse.down()
    still.mouse.move(*at(still, part, whole[0] + (whole[1] - whole[0]) * 0.6, middle), steps=5)
    still.mouse.up()
    until(still, part, "String(layout.xaxis.range) !== String(value)", whole)
    zoomed = layout(still, part)["xaxis"]["range"]
    assert whole[0] < zoomed[0] < zoomed[1] < whole[1]
    at_step(still, 2)
    still.keyboard.press("ArrowRight")
    at_step(still, 3)
    still.wait_for_timeout(1000)
    assert layout(still, part)["xaxis"]["range"] == zoomed
    still.locator(f"[data-part={part}] .bb-whole").click()
    until(still, part, "String(layout.xaxis.range) === String(value)", whole)
    expect(still.locator(f"[data-part={part}] .bb-whole")).to_be_hidden()


def test_the_maps_follow_the_step(still: Page) -> None:
    drawn(still, "branchMap")
    before = layout(still, "branchMap")["data"][0]["z"]
    box = still.locator("[data-part=historyMap] i:has(.bb-row)")
    place = box.get_attribute("style")
    still.keyboard.press("ArrowRight")
    until(still, "branchMap", "JSON.stringify(data[0].z) !== JSON.stringify(value)", before)
    assert box.get_attribute("style") != place


def test_the_timeline_goes_by_time_too(still: Page) -> None:
    still.click("[data-part=byTime]")
    until(still, "timeline", "layout.xaxis.title.text.includes('seconds')")
    found = layout(still, "timeline")
    assert found["xaxis"]["range"][0] == 0
    bars = found["data"][0]
    last = bars["customdata"][-1][0]
    click(still, "timeline", bars["x"][-1], bars["base"][-1] + 0.05)
    at_step(still, last)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_figures_take_the_colours_of_the_theme_and_come_from_this_server(
    chromium: Browser, stage: Stage, scheme: Any
) -> None:
    with chromium.new_context(color_scheme=scheme, reduced_motion="reduce") as context:
        page = context.new_page()
        requests: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        open_page(page, stage.url)
        height = page.locator("[data-part=timeline]").evaluate("node => node.clientHeight")
        for part in FIGURES:
            drawn(page, part)
        assert page.locator("[data-part=timeline]").evaluate("node => node.clientHeight") == height
        dim = page.evaluate(
            "getComputedStyle(document.querySelector('#bb-viewer')).getPropertyValue('--bb-dim').trim()"
        )
        assert layout(page, "timeline")["font"]["color"] == dim
        assert len([url for url in requests if "plotly" in url]) == 1
        assert all(url.startswith((stage.url, "data:", "blob:")) for url in requests)


def test_the_page_works_without_plotly(chromium: Browser, stage: Stage) -> None:
    with chromium.new_context() as context:
        page = context.new_page()
        page.route("**/plotly.min.js", lambda route: route.abort())
        open_page(page, stage.url)
        expect(page.locator("[data-part=timeline]")).to_contain_text("could not be loaded", timeout=30_000)
        page.keyboard.press("End")
        expect(page.locator("[data-part=count]")).to_have_text(re.compile(r"^step (\d+) of \1$"))
