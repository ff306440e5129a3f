"""The token grids of a long run: zoom, the minimap, and that all of it stays one picture."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from explorer import picture, seek
from playwright.sync_api import Page, expect
from scripted import ScriptedModel
from test_comparing import choose, upload

from blockbatch.config import DecodeConfig
from blockbatch.run import Run
from blockbatch.trace import Trace
from ui.bench.synthetic import synthetic_trace
from ui.library import bundled_runs
from ui.settings import Settings

pytestmark = pytest.mark.browser
MINIMAP = "[data-part=minimapCanvas]"


@pytest.fixture(scope="module")
def long_run() -> Trace:
    return synthetic_trace(1024, 40, boldness=0.5)


def short_run(length: int) -> Trace:
    run = Run(ScriptedModel(), "any prompt", DecodeConfig(gen_length=length))  # type: ignore[arg-type]
    list(run)
    return run.trace


def view(page: Page) -> tuple[int, int]:
    """The first and the last position in view, as the minimap tells them."""
    page.wait_for_timeout(300)
    first, last = re.findall(r"positions (\d+) to (\d+) of", page.get_attribute(MINIMAP, "aria-valuetext") or "")[0]
    return int(first), int(last)


def position_at(page: Page, x: float) -> int:
    """The position of the cell at `x` pixels of run A's grid."""
    page.locator("[data-part=canvas]").click(position={"x": x, "y": 40})
    page.wait_for_timeout(200)
    return int(page.inner_text("[data-part=cellTitle]").split("Position ")[1].split(",")[0])


def open_long(page: Page, folder: Path, trace: Trace) -> None:
    upload(page, folder / "long.ndjson", trace)
    seek(page, 20)


def test_keys_and_buttons_zoom_from_text_to_pixels_and_back(page: Page, tmp_path: Path, long_run: Trace) -> None:
    open_long(page, tmp_path, long_run)
    first, last = view(page)
    widths = [last - first]
    for _ in range(12):
        page.keyboard.press("-")
        first, last = view(page)
        widths.append(last - first)
    assert widths == sorted(widths)
    assert widths[0] < 40
    assert widths[-1] > 400, "cells of a pixel or two"
    for _ in range(12):
        page.click("[data-part=zoomIn]")
    first, last = view(page)
    assert last - first < 40


def test_the_wheel_zooms_around_the_pointer(page: Page, tmp_path: Path, long_run: Trace) -> None:
    open_long(page, tmp_path, long_run)
    page.locator(MINIMAP).click(position={"x": 200, "y": 20})
    bounds = page.locator("[data-part=scroll]").bounding_box()
    assert bounds is not None
    x = bounds["width"] / 2
    there = position_at(page, x)
    before = view(page)
    page.mouse.move(bounds["x"] + x, bounds["y"] + 40)
    page.keyboard.down("Control")
    page.mouse.wheel(0, 400)
    page.keyboard.up("Control")
    first, last = view(page)
    assert last - first > 1.5 * (before[1] - before[0])
    assert abs(position_at(page, x) - there) <= 1


def test_the_minimap_pans_by_mouse_and_by_keys(page: Page, tmp_path: Path, long_run: Trace) -> None:
    open_long(page, tmp_path, long_run)
    bounds = page.locator(MINIMAP).bounding_box()
    assert bounds is not None
    page.mouse.move(bounds["x"] + bounds["width"] * 0.75, bounds["y"] + 20)
    page.mouse.down()
    first, last = view(page)
    assert first <= 768 <= last, "a press brings the view there"
    expect(page.locator("[data-part=follow]")).to_have_attribute("aria-pressed", "false")
    page.mouse.move(bounds["x"] + bounds["width"] * 0.5, bounds["y"] + 60)
    page.mouse.up()
    first, last = view(page)
    assert first <= 512 <= last, "the frame is dragged"
    page.focus(MINIMAP)
    page.keyboard.press("Home")
    assert view(page)[0] == 0
    page.keyboard.press("PageDown")
    after_page = view(page)[0]
    assert 0 < after_page <= last - first + 1
    page.keyboard.press("ArrowRight")
    assert view(page)[0] > after_page
    page.keyboard.press("End")
    assert view(page)[1] == 1023
    assert page.get_attribute(MINIMAP, "aria-valuenow") == page.get_attribute(MINIMAP, "aria-valuemax")
    expect(page.locator("[data-part=count]")).to_contain_text("step 21 of")  # the keys did not move the step
    page.locator(MINIMAP).evaluate("node => node.blur()")
    page.keyboard.press("{")
    assert view(page)[1] < 1023


def test_follow_brings_the_work_back_into_view_at_any_zoom(page: Page, tmp_path: Path, long_run: Trace) -> None:
    open_long(page, tmp_path, long_run)
    page.keyboard.press("-")
    page.focus(MINIMAP)
    page.keyboard.press("End")
    far = view(page)
    page.click("[data-part=follow]")
    page.wait_for_timeout(900)
    assert view(page)[1] < far[0]


def test_the_minimap_has_the_colours_of_the_fill(page: Page, tmp_path: Path, long_run: Trace) -> None:
    open_long(page, tmp_path, long_run)
    pictures = set()
    for fill in ("confidence", "step", "agreement", "entropy"):
        page.select_option("[data-part=fill]", fill)
        page.wait_for_timeout(200)
        pictures.add(picture(page, "minimapCanvas"))
    assert len(pictures) == 4


def test_it_is_there_only_where_the_run_does_not_fit(page: Page, tmp_path: Path) -> None:
    expect(page.locator("[data-part=minimap]")).to_be_visible()
    upload(page, tmp_path / "short.ndjson", short_run(8))
    expect(page.locator("[data-part=minimap]")).to_be_hidden()
    page.click("[data-part=zoomOut]")
    expect(page.locator("[data-part=minimap]")).to_be_visible()
    page.click("[data-part=zoomIn]")
    page.click("[data-part=zoomIn]")
    expect(page.locator("[data-part=minimap]")).to_be_hidden()


def test_two_runs_keep_their_columns_in_step(page: Page, tmp_path: Path, long_run: Trace) -> None:
    open_long(page, tmp_path, long_run)
    page.click("[data-part=pin]")
    choose(page, bundled_runs(Settings().traces)[0])
    expect(page.locator("[data-part=beneath]")).to_be_visible()
    for _ in range(4):
        page.click("[data-part=zoomOut]")
    page.focus(MINIMAP)
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(400)
    lefts = [page.locator(f"[data-part={part}]").evaluate("node => node.scrollLeft") for part in ("scroll", "scrollB")]
    assert lefts[0] > 0
    assert abs(lefts[0] - lefts[1]) <= 1
    page.locator("[data-part=canvasB]").click(position={"x": 30, "y": 40})
    expect(page.locator("[data-part=cellTitle]")).to_have_text(re.compile("^B "))
    here = page.inner_text("[data-part=cellTitle]").split("Position ")[1].split(",")[0]
    assert int(here) == position_at(page, 30)


def test_a_run_without_positions_says_so_and_the_next_one_is_shown(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "nothing.ndjson"
    short_run(0).save(path)
    page.set_input_files("input[type=file][accept='.ndjson']", path)
    expect(page.locator("[data-part=nothing]")).to_contain_text("no positions", timeout=30_000)
    expect(page.locator("[data-part=canvas]")).to_be_hidden()
    page.keyboard.press("ArrowRight")
    page.keyboard.press(".")
    upload(page, tmp_path / "short.ndjson", short_run(8))
    expect(page.locator("[data-part=canvas]")).to_be_visible()
    expect(page.locator("[data-part=nothing]")).to_be_hidden()
