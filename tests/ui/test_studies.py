"""The studies of one run: what they draw is what the trace holds, for a run of any sort, and its texts stay text."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from runs import of_every_sort

from blockbatch.bifurcations import bifurcations, most_telling
from blockbatch.forwards import packed_lengths
from blockbatch.trace import MASKED, Trace
from ui.studies.agreement import agreement
from ui.studies.packing import LOOKS, packing
from ui.studies.parting import MOST, parting

TRACES = of_every_sort()
BEGUN = {name: trace for name, trace in TRACES.items() if trace.steps}


@pytest.fixture(params=BEGUN, ids=str)
def trace(request: pytest.FixtureRequest) -> Trace:
    return BEGUN[request.param]


def named(figure: go.Figure, name: str, kind: str) -> Any:
    return next(drawn for drawn in figure.data if (drawn.name, drawn.type) == (name, kind))


def middle(trace: Trace) -> int:
    return len(trace.steps) // 2


def test_every_cell_is_in_one_class_and_says_where_it_is(trace: Trace) -> None:
    step = middle(trace)
    sizes, figure = sorted(trace.rows(step)), agreement(trace, step)
    agrees, parts, absent = (named(figure, name, "heatmap") for name in ("agrees", "parts", "absent"))
    for row, size in enumerate(sizes):
        for place in range(trace.header.config.gen_length):
            drawn = [each for each in (agrees, parts, absent) if each.z[row][place] is not None]
            assert [each.customdata[row][place] for each in drawn] == [[step + 1, size, place]]
            assert (drawn[0] is absent) == (trace.rows(step)[size][place] == MASKED)


def test_the_fraction_is_that_of_the_cells_that_agree(trace: Trace) -> None:
    step = middle(trace)
    figure, rows = agreement(trace, step), np.stack(list(trace.rows(step).values()))
    for place, share in enumerate(named(figure, "consensus fraction", "bar").y):
        most = max((int((rows[:, place] == token).sum()) for token in rows[:, place] if token != MASKED), default=0)
        assert share == pytest.approx(most / len(rows))
        held = [row[place] for row in named(figure, "agrees", "heatmap").z]
        assert sum(cell is not None for cell in held) == most


def test_a_step_that_is_not_there_is_said() -> None:
    for step in (-1, len(TRACES["steered"].steps)):
        with pytest.raises(IndexError, match="outside this run"):
            agreement(TRACES["steered"], step)


def test_every_forward_is_a_bar_and_a_point_of_its_kind(trace: Trace) -> None:
    figure, lengths = packing(trace), packed_lengths(trace)
    for kind, look in LOOKS.items():
        steps = [step for step in trace.steps if step.kind == kind]
        assert len([drawn for drawn in figure.data if drawn.name == look.name]) == 2 * bool(steps)
        if not steps:
            continue
        bars, points = named(figure, look.name, "bar"), named(figure, look.name, "scatter")
        assert list(bars.x) == [step.index + 1 for step in steps]
        assert list(bars.y) == list(points.x) == [lengths[step.index] for step in steps]
        assert list(points.y) == [step.milliseconds.forward for step in steps]
        assert [data[0] for data in points.customdata] == list(bars.x)
        assert f"({len(steps)}): {np.median(points.x):g} tokens, {np.median(points.y):.1f} ms" in bars.hovertemplate


def test_a_bar_for_each_candidate_and_a_mark_on_each_token_held(trace: Trace) -> None:
    found = most_telling(bifurcations(trace), MOST)
    figure = parting(trace)
    if not found:
        assert not figure.data
        assert len(figure.layout.annotations) == 1
        return
    bars = [data for drawn in figure.data if drawn.type == "bar" for data in drawn.customdata]
    known = {(each.step + 1, choice.branch, each.position): choice for each in found for choice in each.choices}
    assert {tuple(cell) for *cell, _ in bars} <= known.keys()
    for *cell, probability in bars:
        assert probability in {0.0, *(given for _, given in known[tuple(cell)].candidates)}
    held = [cell for cell, choice in known.items() if choice.token != MASKED]
    assert sorted(tuple(cell) for cell in named(figure, "held by the branch", "scatter").customdata) == sorted(held)
    assert len(figure.layout.annotations) == len(figure.layout.yaxis.ticktext) == len(found) <= MOST


def test_bars_stand_in_the_lane_of_their_position_and_the_place_of_their_branch(trace: Trace) -> None:
    figure = parting(trace)
    lanes = dict(zip(figure.layout.yaxis.ticktext or (), figure.layout.yaxis.tickvals or (), strict=True))
    sizes = sorted({data[1] for drawn in figure.data if drawn.type == "bar" for data in drawn.customdata})
    for drawn in (drawn for drawn in figure.data if drawn.type == "bar"):
        for x, base, y, (step, branch, position, _) in zip(drawn.x, drawn.base, drawn.y, drawn.customdata, strict=True):
            assert int(base) == int(base + y) == int(lanes[f"position {position}<br>step {step}"])
            assert abs(x - sizes.index(branch)) < 0.5


def test_a_run_that_never_parts_says_so_in_a_sentence() -> None:
    for name, words in (
        ("one branch", "one branch cannot"),
        ("dual cache", "one branch cannot"),
        ("empty", "never part"),
    ):
        (sentence,) = parting(TRACES[name]).layout.annotations
        assert words in sentence.text.replace("<br>", " ")
