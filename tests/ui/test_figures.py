"""Figures: every commit and every event is in them, at its place, and what a file brings stays text."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import plotly.graph_objects as go
import pytest
from hypothesis import given, settings
from scripted import ScriptedModel
from strategies import decode_configs

from blockbatch.cells import cells_after_each
from blockbatch.config import DecodeConfig
from blockbatch.events import ConfigChange, Merge, Sync
from blockbatch.reading import load_trace
from blockbatch.run import Run
from blockbatch.trace import MASKED, Milliseconds, Trace
from ui import figures, plotlyjs
from ui.figurestyle import LOOK
from ui.lanes import KINDS, slots
from ui.library import bundled_runs
from ui.pieces import visible
from ui.settings import Settings


def steered() -> Trace:
    """A run in which a threshold moves and a branch changes its size."""
    run = Run(ScriptedModel(), "any prompt", DecodeConfig(gen_length=96))
    for number, _ in enumerate(run):
        if number == 4:
            run.reconfigure(commit_threshold=0.8)
        if number == 6:
            run.reconfigure(block_sizes=(4, 8, 48, 64, 128), resize={32: 48})
    return run.trace


TRACES = {"steered": steered(), **{run.title: load_trace(run.path) for run in bundled_runs(Settings().traces)}}


@pytest.fixture(params=TRACES, ids=str)
def trace(request: pytest.FixtureRequest) -> Trace:
    return TRACES[request.param]


def named(figure: go.Figure, name: str) -> Any:
    return next(drawn for drawn in figure.data if drawn.name == name)


@pytest.mark.parametrize("axis", ["step", "time"])
def test_bars_add_up_to_the_tokens_committed(trace: Trace, axis: Any) -> None:
    bars = figures.timeline(trace, axis).data[0]
    counts: Counter[int] = Counter()
    for _, branch, _, count in bars.customdata:
        counts[branch] += count
    assert counts == Counter(trace.totals.committed)
    assert len({(step, branch) for step, branch, _, _ in bars.customdata}) == len(bars.x)


def test_a_bar_is_higher_the_more_it_stands_for_and_stays_in_its_lane(trace: Trace) -> None:
    bars = figures.timeline(trace).data[0]
    by_count = sorted(zip((count for *_, count in bars.customdata), bars.y, strict=True))
    assert [height for _, height in by_count] == sorted(bars.y)
    assert all(0 < height < 0.5 for height in bars.y)


def test_marks_stand_at_the_steps_of_their_events(trace: Trace) -> None:
    figure = figures.timeline(trace)
    expected = {
        "consensus commit": {(s.index + 1, e.branch) for s in trace.steps for e in s.events if isinstance(e, Merge)},
        "leader reset": {(s.index + 1, e.branch) for s in trace.steps for e in s.events if isinstance(e, Sync)},
        "full recompute": {(s.index + 1, None) for s in trace.steps if s.kind == "refresh"},
    }
    for name, places in expected.items():
        assert {(step, branch) for step, branch, _ in named(figure, name).customdata} == places
    for drawn in figure.data[1:]:
        assert all(abs(x - step) < 0.5 for x, (step, _, _) in zip(drawn.x, drawn.customdata, strict=True))


def test_marks_and_bars_stand_in_the_lane_of_their_branch(trace: Trace) -> None:
    figure = figures.timeline(trace)
    lanes = dict(zip(figure.layout.yaxis.ticktext, figure.layout.yaxis.tickvals, strict=True))
    for drawn, heights in ((figure.data[0], figure.data[0].base), (named(figure, "leader reset"), None)):
        for height, (_, branch, *_) in zip(heights or drawn.y, drawn.customdata, strict=True):
            assert abs(height - lanes[f"block {branch}"]) <= 0.5


def test_by_time_a_step_takes_its_own_time() -> None:
    trace = TRACES["steered"]
    timed = [
        replace(step, milliseconds=Milliseconds(10.0 * (step.index + 1), 2.0, 0.5)) for step in trace.steps[:3]
    ]  # fmt: skip
    short = Trace(trace.header, timed, None, trace.pieces)
    assert [round(slot.width, 6) for slot in slots(short, "time")] == [0.0125, 0.0225, 0.0325]
    assert figures.timeline(short, "time").layout.xaxis.range == pytest.approx((0, 0.0675))
    assert figures.timeline(short).layout.xaxis.range == (0.5, 3.5)


def test_every_kind_of_mark_has_a_name_a_symbol_and_a_colour_of_its_own() -> None:
    assert tuple(LOOK) == KINDS
    for column in zip(*LOOK.values(), strict=True):
        assert len(set(column)) == len(KINDS)


def test_a_cell_of_a_map_is_written_or_a_candidate_or_empty(trace: Trace) -> None:
    step = len(trace.steps) // 2
    figure = figures.branch_heatmap(trace, step)
    written, candidates = (drawn.z for drawn in figure.data)
    for (size, row), solid, faint in zip(sorted(trace.rows(step).items()), written, candidates, strict=True):
        assert [value is not None for value in solid] == (row != MASKED).tolist(), size
        assert not any(a is not None and b is not None for a, b in zip(solid, faint, strict=True))
    assert all(0 <= value <= 1 for value in written[0] if value is not None)
    assert figure.data[0].y == tuple(f"block {size}" for size in sorted(trace.rows(step)))


def test_the_history_of_a_branch_ends_in_its_row_of_the_last_map(trace: Trace) -> None:
    last = len(trace.steps) - 1
    for row, size in enumerate(sorted(trace.rows(last))):
        history = figures.history_heatmap(trace, size)
        for drawn, same in zip(history.data, figures.branch_heatmap(trace, last).data, strict=True):
            assert drawn.z[-1] == same.z[row]
        assert len(history.data[0].z) == len(trace.steps)


def test_a_branch_is_empty_where_it_does_not_exist() -> None:
    trace = TRACES["steered"]
    resized = next(step.index for step in trace.steps if any(b.branch == 48 for b in step.branches))
    late = figures.history_heatmap(trace, 48).data[0].z
    assert all(value is None for row in late[:resized] for value in row)
    assert any(value is not None for value in late[resized])


def test_what_is_not_there_is_said() -> None:
    trace = TRACES["steered"]
    with pytest.raises(KeyError, match="no branch of block size 5"):
        figures.history_heatmap(trace, 5)
    for step in (-1, len(trace.steps)):
        with pytest.raises(IndexError, match="outside this run"):
            figures.branch_heatmap(trace, step)


def test_a_run_without_steps_has_an_empty_timeline() -> None:
    trace = Trace(TRACES["steered"].header)
    assert all(not drawn.x for drawn in figures.timeline(trace).data)
    assert all(not drawn.x for drawn in figures.timeline(trace, "time").data)


def test_markup_of_a_file_stays_text() -> None:
    trace = TRACES["steered"]
    markup = "<a href='x'>&"
    pieces = dict.fromkeys(trace.pieces, markup)
    change = replace(trace.steps[1], events=(ConfigChange("commit_threshold", markup, 0.5),))
    marked = Trace(trace.header, [trace.steps[0], change], None, pieces)
    texts = [text for row in figures.branch_heatmap(marked, 0).data[1].text for text in row if text]
    knobs = named(figures.timeline(marked), "knob moved").text
    assert not any("<" in text for text in (*texts, *knobs))
    assert any("&lt;a href" in text for text in texts)
    assert knobs == ("commit threshold set from &lt;a href='x'&gt;&amp; to 0.5",)
    assert visible("  a\n\tb") == "··a↵⇥b"
    assert visible("\u200b\x00") == "U+200B U+0000"
    assert visible("👩\u200d💻") == "👩\u200d💻"
    assert visible("") == ""


def test_templates_are_the_figures_of_no_run() -> None:
    templates = figures.templates()
    assert set(templates) == {"step", "time", "branches", "history"}
    for name in ("step", "time"):
        assert [drawn["name"] for drawn in templates[name]["data"]] == [
            drawn.name for drawn in figures.timeline(TRACES["steered"], name).data
        ]
        assert not any("x" in drawn for drawn in templates[name]["data"])


def test_drawing_leaves_no_trace_in_the_templates() -> None:
    before = figures.templates()
    figures.timeline(TRACES["steered"])
    figures.branch_heatmap(TRACES["steered"], 0)
    assert figures.templates() == before


def test_plotly_comes_from_the_installed_wheel() -> None:
    assert plotlyjs.FILE.is_file()
    assert plotlyjs.address().endswith("plotly.min.js")
    assert "://" not in plotlyjs.address()


@settings(max_examples=25, deadline=None)
@given(config=decode_configs)
def test_the_tokens_of_the_cells_are_the_rows_of_the_trace(config: DecodeConfig) -> None:
    run = Run(ScriptedModel(), "any prompt", config)
    list(run)
    for step, cells in enumerate(cells_after_each(run.trace)):
        rows = run.trace.rows(step)
        assert cells.keys() == rows.keys()
        assert all((cells[size].tokens == rows[size]).all() for size in rows)
