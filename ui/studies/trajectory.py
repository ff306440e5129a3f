"""The trajectories of the branches' KV caches, in the three directions in which they vary most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from blockbatch.trace import Floats
from blockbatch.trajectory import Trajectory, principal
from ui.figurestyle import GRID
from ui.studies.look import GREY, NO_STEPS, PINK, SIX, axis, figure_of, said
from ui.studies.packing import LOOKS, STEPS

HEIGHT = 520
DASHES = ("solid", "dash", "dot")  # of the first six branches, of the next six, and so on
ALIKE = 4  # decimals of the whole extent: points that agree in so many lie on each other


def trajectory(recorded: Trajectory) -> go.Figure:
    """A line for each branch through the points of its cache after each step, full recomputes as squares.

    The points are principal components of `recorded`'s vectors, all branches and steps together; the axes tell how
    much of the variance each explains.
    """
    steps, branches, d = recorded.vectors.shape
    if not steps:
        return said(NO_STEPS, recorded.run)
    found = principal(recorded.vectors.reshape(steps * branches, d))
    points = found.points.reshape(steps, branches, 3)
    lines = [_line(recorded, points[:, place], place) for place in range(branches)]
    titles = [f"PC{number} ({share:.0%})" for number, share in enumerate(found.shares, start=1)]
    return figure_of(
        [*lines, _recomputes(recorded, points), _names(recorded, points)],
        recorded.run,
        HEIGHT,
        scene={
            **{name: _axis(title) for name, title in zip(("xaxis", "yaxis", "zaxis"), titles, strict=True)},
            "dragmode": "turntable",
        },
        annotations=[_cost(recorded)],
        margin_l=6,
    )


def _axis(title: str) -> dict[str, Any]:
    return {**axis(title, showgrid=True, gridcolor=GRID, showbackground=False), "title": {"text": title}}


def _drawn(points: Floats) -> dict[str, list[Any]]:
    """x, y and z of `points` [n, 3]; None breaks a line where a branch is not there."""
    columns = [[None if np.isnan(value) else float(value) for value in column] for column in points.T]
    return dict(zip("xyz", columns, strict=True))


def _line(recorded: Trajectory, points: Floats, place: int) -> go.Scatter3d:
    colour, dash = SIX[place % len(SIX)], DASHES[place // len(SIX) % len(DASHES)]
    size = recorded.branches[place]
    return go.Scatter3d(
        name=f"block {size}",
        mode="lines+markers",
        **_drawn(points),
        customdata=[[step + 1, size, None] for step in recorded.steps],
        hovertext=[STEPS[kind] for kind in recorded.kinds],
        hovertemplate="step %{customdata[0]}, block %{customdata[1]}<br>%{hovertext}<extra></extra>",
        line={"color": colour.shade, "width": 4, "dash": dash},
        marker={"color": colour.shade, "size": 2.5},
        meta=colour.meta,
    )


def _recomputes(recorded: Trajectory, points: Floats) -> go.Scatter3d:
    """A square on every branch that is there after a refresh."""
    which = [(step, place) for step, place in _cells(points) if recorded.kinds[step] == "refresh"]
    chosen = np.array([points[cell] for cell in which]).reshape(-1, 3)
    return go.Scatter3d(
        name=LOOKS["refresh"].name,
        mode="markers",
        **_drawn(chosen),
        customdata=[[step + 1, recorded.branches[place], None] for step, place in which],
        hovertemplate="step %{customdata[0]}, block %{customdata[1]}<br>full recompute<extra></extra>",
        marker={"symbol": LOOKS["refresh"].symbol, "color": PINK.shade, "size": 5},
        meta=PINK.meta,
    )


def _cells(points: Floats) -> Iterator[tuple[int, int]]:
    """The (step, place of branch) at which there is a point, in order."""
    yield from zip(*(index.tolist() for index in np.nonzero(~np.isnan(points[:, :, 0]))), strict=True)


def _names(recorded: Trajectory, points: Floats) -> go.Scatter3d:
    """What starts and ends at both ends of every line, in one name where several lie on each other."""
    sizes: dict[tuple[float, ...], dict[str, list[int]]] = {}
    extent = float(np.nanmax(np.abs(points))) or 1.0
    for place, size in enumerate(recorded.branches):
        there = np.flatnonzero(~np.isnan(points[:, place, 0])).tolist()
        for name, step in (("start", there[0]), ("end", there[-1])):
            at = tuple(np.round(points[step, place] / extent, ALIKE).tolist())
            sizes.setdefault(at, {}).setdefault(name, []).append(size)
    words = [", ".join(_name(name, own, recorded) for name, own in each.items()) for each in sizes.values()]
    return _text(np.array(list(sizes)) * extent, words)


def _name(name: str, sizes: Sequence[int], recorded: Trajectory) -> str:
    """Such as "end of 4, 8"; where all branches are meant, such as "start"."""
    return name if len(sizes) == len(recorded.branches) else f"{name} of {', '.join(map(str, sizes))}"


def _text(points: Floats, words: Sequence[str]) -> go.Scatter3d:
    return go.Scatter3d(
        name="ends",
        mode="text",
        **_drawn(points),
        text=words,
        textposition="top center",
        textfont={"size": 11, "color": GREY.shade},
        hoverinfo="skip",
        showlegend=False,
        meta=GREY.meta,
    )


def _cost(recorded: Trajectory) -> dict[str, Any]:
    """What the recording took, said beneath."""
    text = (
        f"Recorded in {recorded.milliseconds:.0f} ms, beside {recorded.decoding:.0f} ms<br>"
        "that decoding the run again took."
    )
    place = {"x": 0, "y": 0, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "top"}
    return {"text": text, "showarrow": False, "align": "left", "font_size": 10, **place}
