"""The lab in a browser: figures of the run on screen, and sweeps whose points open runs and set the knobs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from explorer import Stage, open_page, opening_run, seek
from playwright.sync_api import Browser, Page, expect
from test_explorer import start, wait_for_status

from ui.studies import STUDIES

pytestmark = pytest.mark.browser
DRAWN = ".bb-lab-drawing .main-svg"


@pytest.fixture
def lab(page: Page) -> Page:
    """The page with the lab open."""
    page.wait_for_timeout(500)
    seek(page, 4)
    page.click("[data-part=lab]")
    expect(page.locator("#bb-sweep-run")).to_be_visible()
    return page


def vary(page: Page, field: str, parameter: str) -> None:
    page.click(f"#bb-sweep-{field} input")
    page.locator(f"#bb-sweep-{field}").get_by_role("option", name=parameter, exact=True).click()


def over(page: Page, what: str) -> None:
    page.click("#bb-sweep-over input")
    page.get_by_role("option", name=what, exact=True).click()


def sweep(page: Page, first: str = "commit threshold", second: str = "") -> None:
    """Sweep over the typed prompt, to the end."""
    vary(page, "vary", first)
    if second:
        vary(page, "and", second)
    over(page, "the prompt")
    page.click("#bb-sweep-run")
    expect(page.locator("#bb-sweep [data-part=says]")).to_contain_text("All ", timeout=90_000)
    expect(page.locator(f"#bb-sweep {DRAWN}").first).to_be_visible(timeout=30_000)


def pick(page: Page, number: int) -> None:
    """Click a point of the sweep, by the number of its cell."""
    page.locator("#bb-sweep .bb-lab-drawing").evaluate(
        "(drawing, number) => drawing.emit('plotly_click', { points: [{ customdata: [number] }] })", number
    )


@pytest.mark.parametrize("name", [name for name, study in STUDIES.items() if not study.needs_model])
def test_every_figure_of_the_run_opens_with_one_click(lab: Page, name: str) -> None:
    lab.get_by_role("button", name=STUDIES[name].title, exact=True).click()
    expect(lab.locator(f"#bb-studies {DRAWN}").first).to_be_visible(timeout=30_000)
    expect(lab.locator("#bb-studies [data-part=about]")).to_have_text(STUDIES[name].sentence)


def test_a_point_of_a_runs_figure_moves_the_replay(lab: Page) -> None:
    lab.get_by_role("button", name=STUDIES["agreement"].title, exact=True).click()
    expect(lab.locator(f"#bb-studies {DRAWN}").first).to_be_visible(timeout=30_000)
    branch = opening_run().header.config.block_sizes[0]
    lab.locator("#bb-studies .bb-lab-drawing").evaluate(
        "(drawing, branch) => drawing.emit('plotly_click', { points: [{ customdata: [3, branch, 7] }] })", branch
    )
    lab.get_by_role("button", name="Look there").click()
    expect(lab.locator("[data-part=count]")).to_contain_text("step 3 of")
    expect(lab.locator("[data-part=cellTitle]")).to_have_text(f"Position 7, block {branch}")
    expect(lab.locator("#bb-lab")).to_be_hidden()


def test_a_figure_of_another_kind_takes_the_place_of_the_last(lab: Page) -> None:
    drawing = lab.locator("#bb-studies .bb-lab-drawing")
    for name, first in (("packing", "bar"), ("agreement", "heatmap"), ("packing", "bar")):
        lab.get_by_role("button", name=STUDIES[name].title, exact=True).click()
        lab.wait_for_function(
            "kind => document.querySelector('#bb-studies .bb-lab-drawing').data?.[0].type === kind",
            arg=first, timeout=30_000,
        )  # fmt: skip
        expect(drawing).to_have_attribute("aria-label", re.compile(f"^{STUDIES[name].title}: "))
        expect(drawing.locator(".plot-container")).to_have_count(1)
    drawing.evaluate("drawing => drawing.emit('plotly_click', { points: [{ customdata: [2, null, null] }] })")
    expect(lab.locator("#bb-studies [data-part=pickedSays]")).to_have_text("The replay now stands at step 2.")


def test_a_figure_of_a_run_that_was_left_does_not_move_the_next_one(lab: Page) -> None:
    lab.get_by_role("button", name=STUDIES["packing"].title, exact=True).click()
    expect(lab.locator(f"#bb-studies {DRAWN}").first).to_be_visible(timeout=30_000)
    start(lab, "0")
    wait_for_status(lab, "finished")
    lab.click("[data-part=lab]")
    lab.locator("#bb-studies [data-part=places]").select_option(index=2)
    expect(lab.locator("#bb-studies [data-part=pickedSays]")).to_contain_text("Another run is on screen")


def test_a_figure_is_drawn_again_only_for_another_width_or_theme(lab: Page) -> None:
    lab.get_by_role("button", name=STUDIES["agreement"].title, exact=True).click()
    expect(lab.locator(f"#bb-studies {DRAWN}").first).to_be_visible(timeout=30_000)
    lab.evaluate(
        """() => {
          window.draws = [];
          const { react } = window.Plotly;
          window.Plotly.react = (node, ...rest) => {
            window.draws.push(node.clientWidth);
            return react(node, ...rest);
          };
        }"""
    )
    lab.locator("body").evaluate("body => body.classList.add('something-else')")
    lab.wait_for_timeout(300)
    assert lab.evaluate("window.draws.length") == 0
    lab.click(".bb-header [data-part=theme]")
    lab.wait_for_function("window.draws.length === 1")
    lab.set_viewport_size({"width": 700, "height": 900})
    lab.wait_for_function("window.draws.length > 1")
    lab.wait_for_timeout(300)
    assert lab.evaluate("window.draws.length") <= 4


def test_points_are_reached_by_the_keyboard_and_the_focus_is_not_lost(lab: Page) -> None:
    sweep(lab)
    lab.locator("#bb-sweep [data-part=places]").select_option(index=1)
    expect(lab.locator("#bb-sweep [data-part=pickedSays]")).to_contain_text("commit threshold 0.5: ")
    expect(lab.locator("#bb-sweep [data-part=spoken]")).to_contain_text("commit threshold 0.5: ")
    lab.get_by_role("button", name="Use these values").press("Enter")
    expect(lab.locator("#bb-lab")).to_be_hidden()
    expect(lab.locator("[data-part=lab]")).to_be_focused()


def test_help_can_be_read_in_the_lab(lab: Page) -> None:
    lab.click(".bb-header [data-part=help]")
    expect(lab.locator("dialog[data-part=help]")).to_be_visible()
    expect(lab.locator("#bb-sweep-run")).to_be_visible()
    lab.keyboard.press("Escape")
    expect(lab.locator("dialog[data-part=help]")).to_be_hidden()
    expect(lab.locator("#bb-viewer")).to_be_hidden()


def test_a_sweep_draws_and_its_point_opens_the_run(lab: Page, stage: Stage) -> None:
    sweep(lab)
    pick(lab, 0)
    expect(lab.locator("[data-part=pickedSays]").last).to_contain_text("commit threshold 0.5: ")
    lab.get_by_role("button", name="Open the prompt").click()
    expect(lab.locator("[data-part=status]")).to_contain_text("sweep: commit threshold 0.5, the prompt", timeout=15_000)
    expect(lab.locator("#bb-viewer")).to_be_visible()
    thresholds = [run.trace.header.config.commit_threshold for run in stage.started[-6:]]  # type: ignore[union-attr]
    assert thresholds == sorted(set(thresholds))
    assert thresholds[0] == 0.5


def test_a_points_values_go_to_the_knobs(lab: Page) -> None:
    sweep(lab, second="merge threshold")
    pick(lab, 0)
    lab.get_by_role("button", name="Use these values").click()
    expect(lab.locator("#bb-commit input[type=number]")).to_have_value("0.5", timeout=15_000)
    expect(lab.locator("#bb-merge input[type=number]")).to_have_value("0.1")


def test_branches_of_a_point_go_to_the_chips(lab: Page) -> None:
    for size in ("8", "16", "32", "64"):
        lab.uncheck(f"#bb-sizes input[name='{size}']")
    sweep(lab, "branches")
    pick(lab, 1)
    expect(lab.locator("[data-part=pickedSays]").last).to_contain_text("branches 128: ")
    lab.get_by_role("button", name="Use these values").click()
    expect(lab.locator("#bb-sizes input[name='4']")).not_to_be_checked(timeout=15_000)
    expect(lab.locator("#bb-sizes input[name='128']")).to_be_checked()


def test_a_stopped_sweep_keeps_what_is_there_and_goes_on(lab: Page) -> None:
    vary(lab, "and", "merge threshold")
    over(lab, "all four")
    says = lab.locator("#bb-sweep [data-part=says]")
    lab.click("#bb-sweep-run")
    expect(says).to_have_text(re.compile(r"^[1-9]\d* of 576 runs done\."), timeout=30_000)
    lab.click("#bb-sweep-stop")
    expect(says).to_contain_text("Run the sweep again to go on", timeout=15_000)
    expect(lab.locator(f"#bb-sweep {DRAWN}").first).to_be_visible(timeout=30_000)
    lab.wait_for_timeout(1500)  # the run in hand may still end
    done = int(says.inner_text().split()[0])
    lab.wait_for_timeout(1500)
    assert int(says.inner_text().split()[0]) == done
    lab.click("#bb-sweep-run")
    expect(says).not_to_contain_text(f"{done} of", timeout=30_000)
    assert int(says.inner_text().split()[0]) > done
    lab.click("#bb-sweep-stop")


def test_a_sweep_that_cannot_be_is_a_sentence_and_the_last_one_stays(lab: Page) -> None:
    sweep(lab)
    vary(lab, "and", "commit threshold")
    lab.click("#bb-sweep-run")
    expect(lab.get_by_text("name two different ones", exact=False)).to_be_visible(timeout=15_000)
    expect(lab.locator(f"#bb-sweep {DRAWN}").first).to_be_visible()
    expect(lab.locator("#bb-sweep-run")).to_be_enabled()


def test_what_is_saved_is_the_sweep(lab: Page, tmp_path: Path) -> None:
    sweep(lab)
    with lab.expect_download() as waiting:
        lab.get_by_role("button", name="Sweep, JSON").click()
    waiting.value.save_as(tmp_path / "sweep.json")
    assert len(json.loads((tmp_path / "sweep.json").read_text())["points"]) == 6
    with lab.expect_download() as waiting:
        lab.locator("#bb-sweep [data-part=picture]").click()
    waiting.value.save_as(tmp_path / "sweep.png")
    assert (tmp_path / "sweep.png").read_bytes()[:4] == b"\x89PNG"


def test_a_run_or_the_lesson_leaves_the_lab(lab: Page) -> None:
    start(lab, "0")
    wait_for_status(lab, "finished")
    expect(lab.locator("#bb-lab")).to_be_hidden()
    lab.click("[data-part=lab]")
    expect(lab.locator("#bb-viewer")).to_be_hidden()
    lab.click("[data-part=teach]")
    expect(lab.locator("[data-part=lessonTitle]")).to_be_visible(timeout=15_000)
    expect(lab.locator("#bb-lab")).to_be_hidden()


@pytest.mark.parametrize("width", [360, 1280, 2560])
def test_the_lab_fits(chromium: Browser, stage: Stage, width: int) -> None:
    with chromium.new_context(viewport={"width": width, "height": 900}) as context:
        page = context.new_page()
        open_page(page, stage.url + "?lab")
        expect(page.locator("#bb-sweep-run")).to_be_visible(timeout=15_000)
        page.get_by_role("button", name=STUDIES["agreement"].title, exact=True).click()
        expect(page.locator(f"#bb-studies {DRAWN}").first).to_be_visible(timeout=30_000)
        page.wait_for_timeout(500)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        last = page.locator(".bb-header [data-part=help]")
        assert last.evaluate("button => button.getBoundingClientRect().right") <= width
        too_wide = page.evaluate(
            """() => {
              const places = [...document.querySelectorAll("#bb-lab .bb-lab-plot :not(svg *)")];
              const ends = (node) => node.closest(".bb-card").getBoundingClientRect().right;
              return places.filter((node) => node.getBoundingClientRect().right > ends(node))
                .map((node) => node.outerHTML.slice(0, 80));
            }"""
        )
        assert too_wide == []
