"""Plotly figures of a run: its timeline, and its confidence by branch, by step and by position.

Each public function takes a trace to a figure and touches nothing else, so they serve a notebook as well as the page:

    figures.timeline(load_trace("run.ndjson")).show()

The page draws the same figures without asking the server: it gets `templates`, which are these figures of no run at
all, and fills in the arrays from the trace that it holds (assets/viewer/figures.mjs; a test compares the two).  Steps
count from 1 in what people read, from 0 in what functions take.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import islice
from math import log2
from typing import Any, get_args

import plotly.graph_objects as go

from blockbatch.cells import Cells, cells_after_each
from blockbatch.trace import MASKED, Trace
from ui.figurestyle import Map, heatmap_template, timeline_template
from ui.lanes import KINDS, Axis, Slot, bars, branches_of, marks, slots
from ui.pieces import escaped, token_words

LANE, AROUND = 24, 40  # pixels: the height of a lane, and of all that is not a lane
LEAST, MORE = 0.08, 0.34  # of a lane: the height of any bar, and what the greatest count adds to it
MARK = 0.66  # of a lane: marks stand above the bars


def timeline(trace: Trace, axis: Axis = "step") -> go.Figure:
    """A lane of events above a lane for each branch, by step or by the seconds that the steps took.

    Bars are tokens committed, their height a logarithm of the count; marks are one for each step, lane and kind.
    """
    branches, places = branches_of(trace), slots(trace, axis)
    feet = {branch: len(branches) - 1 - row for row, branch in enumerate(branches)}  # the smallest block on top
    data = [_bar_arrays(trace, feet, places), *_mark_arrays(trace, feet, places)]
    ticks = [len(branches), *feet.values()]
    layout = {
        "uirevision": f"{trace.header.run} {axis}",
        "height": AROUND + LANE * len(ticks),
        "xaxis": {"range": [places[0].start, places[-1].end] if places else [0, 1]},
        "yaxis": {
            "range": [0, len(ticks)],
            "minor": {"tickvals": ticks},
            "tickvals": [foot + 0.5 for foot in ticks],
            "ticktext": ["events", *(f"block {branch}" for branch in branches)],
        },
    }
    return _filled(timeline_template(axis), data, layout)


def branch_heatmap(trace: Trace, step: int) -> go.Figure:
    """Confidence by branch and position after `step`: what is written, and the candidates of what is not.

    IndexError if the run has no such step.
    """
    if not 0 <= step < len(trace.steps):
        raise IndexError(f"step {step} is outside this run of {len(trace.steps)} steps")
    after = next(islice(cells_after_each(trace), step, None))
    sizes = sorted(after)
    names = [f"block {size}" for size in sizes]
    axes = {"yaxis": {"categoryarray": names, "range": [len(names) - 0.5, -0.5]}}
    return _heatmap("branches", trace, [after[size] for size in sizes], {"y": names}, axes)


def history_heatmap(trace: Trace, branch: int) -> go.Figure:
    """Confidence by step and position of the branch of block size `branch`, over the whole run.

    A step at which there is no such branch is left empty.  KeyError if there never is one.
    """
    rows = [after.get(branch) for after in cells_after_each(trace)]
    if not any(rows):
        raise KeyError(f"there is no branch of block size {branch} in this run")
    axes = {"yaxis": {"range": [len(rows) + 0.5, 0.5]}}
    return _heatmap("history", trace, rows, {"y": list(range(1, len(rows) + 1))}, axes)


def templates() -> dict[str, Any]:
    """Every figure as JSON values without a run in it: the timelines `step` and `time`, the maps of `Map`."""
    timelines = {axis: timeline_template(axis) for axis in get_args(Axis)}
    maps = {name: heatmap_template(name) for name in get_args(Map)}
    return {name: json.loads(figure.to_json()) for name, figure in {**timelines, **maps}.items()}


def _filled(template: go.Figure, data: Sequence[dict[str, Any]], layout: dict[str, Any]) -> go.Figure:
    for drawn, arrays in zip(template.data, data, strict=True):
        drawn.update(arrays)
    return template.update_layout(layout)


def _bar_arrays(trace: Trace, feet: dict[int, int], places: list[Slot]) -> dict[str, Any]:
    found = bars(trace)
    most = max((bar.tokens for bar in found), default=1)
    return {
        "x": [places[bar.step].centre for bar in found],
        "width": [places[bar.step].width / 2 for bar in found],
        "base": [feet[bar.branch] for bar in found],
        "y": [LEAST + MORE * log2(1 + bar.tokens) / log2(1 + most) for bar in found],
        "customdata": [[bar.step + 1, bar.branch, bar.position, bar.tokens] for bar in found],
    }


def _mark_arrays(trace: Trace, feet: dict[int, int], places: list[Slot]) -> list[dict[str, Any]]:
    found = marks(trace)
    return [
        {
            "x": [places[mark.step].centre + mark.aside * places[mark.step].width for mark in own],
            "y": [MARK + feet[mark.lane] if mark.lane is not None else len(feet) + 0.5 for mark in own],
            "customdata": [[mark.step + 1, mark.branch, mark.position] for mark in own],
            "text": [escaped(mark.words) for mark in own],
        }
        for own in ([mark for mark in found if mark.kind == kind] for kind in KINDS)
    ]


def _heatmap(
    name: Map, trace: Trace, rows: Sequence[Cells | None], ys: dict[str, Any], axes: dict[str, Any]
) -> go.Figure:
    """One row of cells for each of `rows`, empty for None; `ys` names them."""
    length = trace.header.config.gen_length
    tables = [_cell_rows(trace, cells, length) for cells in rows]
    data = [
        {"z": [row["written"] for row in tables], "text": [row["tokens"] for row in tables], **ys},
        {"z": [row["candidate"] for row in tables], "text": [row["drafts"] for row in tables], **ys},
    ]
    layout = {"uirevision": trace.header.run, "xaxis": {"range": [-0.5, length - 0.5]}, **axes}
    return _filled(heatmap_template(name), data, layout)


def _cell_rows(trace: Trace, cells: Cells | None, length: int) -> dict[str, list[Any]]:
    """A value in one of two rows for each cell that holds a token or has a candidate; all None without cells."""
    rows: dict[str, list[Any]] = {name: [None] * length for name in ("written", "tokens", "candidate", "drafts")}
    if cells is None:
        return rows
    for position in range(length):
        token, draft = int(cells.tokens[position]), int(cells.drafts[position])
        if token != MASKED:
            rows["written"][position] = float(cells.confidence[position])
            rows["tokens"][position] = token_words(trace, token)
        elif draft != MASKED:
            rows["candidate"][position] = float(cells.chances[position])
            rows["drafts"][position] = token_words(trace, draft)
    return rows
