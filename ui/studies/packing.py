"""What a run's forwards packed, step by step, and how long they took for it."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any, NamedTuple

import plotly.graph_objects as go

from blockbatch.forwards import packed_lengths
from blockbatch.trace import Trace
from ui.figurestyle import GRID
from ui.studies.look import NO_STEPS, PINK, RED, SKY, Colour, axis, figure_of, said

HEIGHT = 440


class Look(NamedTuple):
    """How forwards of a kind are called and drawn."""

    name: str
    symbol: str
    colour: Colour


LOOKS = {
    "init": Look("first forward", "star", RED),
    "denoise": Look("denoise", "circle", SKY),
    "refresh": Look("full recompute", "square", PINK),
}
STEPS = {**{kind: look.name for kind, look in LOOKS.items()}, "ahead": "step computed ahead"}  # which has no forward


class Forward(NamedTuple):
    """One step's forward: `step` counts from 1, `packed` in tokens."""

    step: int
    packed: int
    milliseconds: float
    branches: int


def packing(trace: Trace) -> go.Figure:
    """Above, the tokens that each step's forward packed, as bars by kind; beneath, the milliseconds that it took
    against the tokens, as points by kind.  What hovers over a forward also tells the medians of its kind.
    """
    if not trace.steps:
        return said(NO_STEPS, trace.header.run)
    by_kind: dict[str, list[Forward]] = {kind: [] for kind in LOOKS}
    for step, packed in zip(trace.steps, packed_lengths(trace), strict=True):
        if step.kind not in LOOKS:
            continue
        taking_part = sum(state.forward for state in step.branches)
        by_kind[step.kind].append(Forward(step.index + 1, packed, step.milliseconds.forward, taking_part))
    data = [drawn for kind, own in by_kind.items() if own for drawn in (_bars(kind, own), _points(kind, own))]
    lines = {"rangemode": "tozero", "showgrid": True, "gridcolor": GRID}
    return figure_of(
        data,
        trace.header.run,
        HEIGHT,
        xaxis=axis("step", range=[0.5, len(trace.steps) + 0.5], anchor="y"),
        yaxis=axis("packed tokens", domain=[0.6, 1], **lines),
        xaxis2=axis("packed tokens", anchor="y2", **lines),
        yaxis2=axis("ms of forward", domain=[0, 0.44], anchor="x2", **lines),
    )


def _bars(kind: str, forwards: Sequence[Forward]) -> go.Bar:
    colour = LOOKS[kind].colour
    bars = {"x": [each.step for each in forwards], "y": [each.packed for each in forwards], "width": 0.8}
    return go.Bar(**bars, marker={"color": colour.shade, "line_width": 0}, **_shared(kind, forwards))


def _points(kind: str, forwards: Sequence[Forward]) -> go.Scatter:
    look = LOOKS[kind]
    points = {"x": [each.packed for each in forwards], "y": [each.milliseconds for each in forwards]}
    marker = {"symbol": look.symbol, "color": look.colour.shade, "size": 8, "opacity": 0.8}
    axes = {"xaxis": "x2", "yaxis": "y2", "showlegend": False}
    return go.Scatter(**points, mode="markers", marker=marker, **axes, **_shared(kind, forwards))


def _shared(kind: str, forwards: Sequence[Forward]) -> dict[str, Any]:
    """What bars and points of a kind have in common: a name, and what is to be said of each forward."""
    look = LOOKS[kind]
    packed, spent = (median(getattr(each, name) for each in forwards) for name in ("packed", "milliseconds"))
    words = (
        f"step %{{customdata[0]}}, {look.name} of %{{customdata[4]}} branches<br>"
        "packed tokens: %{customdata[3]}, milliseconds: %{customdata[5]:.1f}<br>"
        f"medians of this kind ({len(forwards)}): {packed:g} tokens, {spent:.1f} ms<extra></extra>"
    )
    data = [[each.step, None, None, each.packed, each.branches, each.milliseconds] for each in forwards]
    return {
        "name": look.name,
        "legendgroup": kind,
        "customdata": data,
        "hovertemplate": words,
        "meta": look.colour.meta,
    }
