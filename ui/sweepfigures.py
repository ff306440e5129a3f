"""Plotly figures of a sweep: pure functions of its points.

    figure_of(points_from_json(path.read_text())).show()

Each drawn point and each cell of a heatmap carries `customdata`, the index of its `Cell`; what belongs to no cell, as
the lines of the oracle, carries none.  A trace's `meta.colour` names its colour in the page's theme, and its line, fill
and error bars take that of its marker.  Points may have different numbers of prompts, as a sweep that goes on has them:
the figure says how many.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log10
from typing import Any, Literal, NamedTuple

import plotly.graph_objects as go

from blockbatch.bench.statistics import Oracle
from blockbatch.bench.sweep import PARAMETERS, Point, Value, label, oracle, spoken
from blockbatch.bench.tables import share
from ui.figurestyle import GRID
from ui.studies.look import BLUE, GREEN, GREY, ORANGE, Colour, axis, said
from ui.studies.look import figure_of as framed
from ui.studies.packing import LOOKS

Measure = Literal["nfe", "accuracy"]

UNITS = {"probability": "probability", "tokens": "tokens", "rows": "rows", "sets": "block sizes"}
NFE_TITLE, RIGHT_TITLE, RATE_TITLE = "NFE (forwards a prompt)", "prompts right (%)", "tokens a forward"
EMPTY = "No cell of this sweep has a result yet."
UNJUDGED = "Nothing can judge the answers to a typed prompt, so there is no accuracy to draw."
CURVE_HEIGHT, LOW_CURVE_HEIGHT, SCATTER_HEIGHT = 380, 260, 360
ROW, AROUND = 24, 102  # pixels: a row of a heatmap, and all that is not one
LETTER = 6.2  # pixels a letter of a tick is wide
FOOT = 46  # pixels: ticks, and a title of two lines
FEW = 8  # columns of a heatmap whose cells have room for their figure
HOVER = "%{hovertext}<extra></extra>"


class Scale(NamedTuple):
    """What a heatmap shows: its title, a point's value and the words of a value."""

    title: str
    value: Callable[[Point], float]
    words: Callable[[float], str]


def figure_of(points: Sequence[Point], measure: Measure = "nfe") -> go.Figure:
    """The figure that the axes of the sweep ask for; `measure` is what a heatmap shows."""
    if not points:
        return said(EMPTY, "")
    names = _names(points)
    if len(names) == 2:
        return heatmap(points, measure)
    return subsets(points) if names == ["branches"] else curve(points)


def curve(points: Sequence[Point]) -> go.Figure:
    """Forwards by the values of one parameter, and above them, where answers are judged, the accuracy.

    Forwards are stacked by kind.  Error bars: 95 %.  For block sizes the axis is logarithmic, the oracle is drawn in
    and the best fixed size is named, as soon as two sizes have prompts in common.
    """
    (name,) = _names(points)
    ordered = sorted(points, key=lambda point: point.cell.values[name])
    chosen, judged = oracle(ordered), _judged(points)
    xs = [point.cell.values[name] for point in ordered]
    most = 1.1 * max(point.nfe for point in points)
    lines = {"showgrid": True, "gridcolor": GRID}
    layout = {
        "xaxis": {**_along(name, points), **_spread(xs, log=name == "block_size"), "anchor": "y"},
        "yaxis": axis(NFE_TITLE, range=[0, most], domain=[0, 0.56 if judged else 1], **lines),
        "annotations": [_best(ordered, chosen, xs)] if chosen else [],
    }
    if judged:
        layout["yaxis2"] = axis(RIGHT_TITLE, range=[-4, 104], domain=[0.64, 1], anchor="x", **lines)
    data = [*_kinds(ordered, xs), _forwards(ordered, xs), *([_accuracy(ordered, xs)] if judged else [])]
    data += _oracle_lines(chosen, [min(xs), max(xs)]) if chosen else []
    height = CURVE_HEIGHT if judged else LOW_CURVE_HEIGHT
    return framed(data, name, height, margin_b=FOOT, legend_traceorder="normal", **layout)


def heatmap(points: Sequence[Point], measure: Measure = "nfe") -> go.Figure:
    """A cell for each pair of values of two parameters; the first lies along x, unless its values are sets."""
    if measure == "accuracy" and not _judged(points):
        return said(UNJUDGED, "")
    across, up = sorted(_names(points), key=lambda name: PARAMETERS[name].kind == "sets")
    columns, rows = _values(points, across), _values(points, up)
    at = {(point.cell.values[across], point.cell.values[up]): point for point in points}
    table = [[at.get((column, row)) for column in columns] for row in rows]
    left = int(30 + LETTER * max(len(label(row)) for row in rows))
    return framed(
        [_cells(table, SCALES[measure], room=len(columns) <= FEW)],
        f"{across} {up}",
        AROUND + ROW * len(rows),
        margin={"l": left, "t": 56, "b": FOOT},
        xaxis={**_along(across, points), **_listed(columns)},
        yaxis={**axis(_title(up)), **_listed(rows)},
    )


def subsets(points: Sequence[Point]) -> go.Figure:
    """Sets of branches: accuracy against forwards, or tokens a forward where nothing judges the answers.

    The Pareto front is drawn: the sets that no other beats in one without losing in the other.
    """
    gain: Callable[[Point], float] = _percent if _judged(points) else lambda point: point.tokens_per_forward
    best = sorted(front(points, gain), key=lambda point: (point.nfe, point.cell.index))
    others = [point for point in points if point not in best]
    gains = [gain(point) for point in points]
    return framed(
        [_other_sets(others, gain), _front(best, gain)],
        "branches",
        SCATTER_HEIGHT,
        margin_b=FOOT,
        xaxis=axis(_counted(NFE_TITLE, points), range=_padded([point.nfe for point in points]), gridcolor=GRID,
                   showgrid=True),
        yaxis=axis(RIGHT_TITLE if _judged(points) else RATE_TITLE, range=_padded(gains), gridcolor=GRID, showgrid=True),
    )  # fmt: skip


def front(points: Sequence[Point], gain: Callable[[Point], float]) -> list[Point]:
    """The points that no other beats: none has at most their forwards and at least their gain, and differs."""
    places = {(point.nfe, gain(point)) for point in points}

    def beaten(point: Point) -> bool:
        here = point.nfe, gain(point)
        return any(other != here and other[0] <= here[0] and other[1] >= here[1] for other in places)

    return [point for point in points if not beaten(point)]


def words(point: Point) -> str:
    """All that is to be said of a point, each figure with what it is divided by; lines fit a narrow screen."""
    n = len(point.outcomes)
    kinds = " + ".join(f"{mean:.1f} {LOOKS[kind].name}" for kind, mean in point.nfe_by_kind.items())
    lines = [
        *(f"{spoken(name)}: {label(value)}" for name, value in point.cell.values.items()),
        f"NFE {point.nfe:.1f} forwards a prompt, mean of {_prompts(n)}:",
        kinds,
        *([f"right: {point.right.hits} of {point.right.n}, {share(point.right)}"] if point.right else []),
        f"{point.tokens_per_forward:.2f} tokens a forward, median {point.ms:.0f} ms a prompt",
    ]
    return "<br>".join(lines)


def _kinds(points: Sequence[Point], xs: Sequence[Value]) -> list[go.Scatter]:
    """Forwards of each kind that there are, one on top of the other."""
    kinds = [kind for kind in LOOKS if any(point.nfe_by_kind[kind] for point in points)]
    return [
        _drawn(LOOKS[kind].name, LOOKS[kind].colour, points, x=xs, y=[point.nfe_by_kind[kind] for point in points],
               mode="lines", stackgroup="kinds", line={"width": 0}, hoverinfo="skip", hovertemplate=None)
        for kind in kinds
    ]  # fmt: skip


def _forwards(points: Sequence[Point], xs: Sequence[Value]) -> go.Scatter:
    ys = [point.nfe for point in points]
    return _drawn("NFE", BLUE, points, x=xs, y=ys, mode="lines+markers", marker={"size": 9})


def _accuracy(points: Sequence[Point], xs: Sequence[Value]) -> go.Scatter:
    ys = [_percent(point) for point in points]
    ends = [point.right.interval if point.right else (0.0, 0.0) for point in points]
    bars = {
        "array": [100 * high - y for (_, high), y in zip(ends, ys, strict=True)],
        "arrayminus": [y - 100 * low for (low, _), y in zip(ends, ys, strict=True)],
        "thickness": 1.2,
        "width": 4,
    }
    look = {"mode": "lines+markers", "marker": {"symbol": "square", "size": 8}, "error_y": bars}
    return _drawn("accuracy, 95 % interval", GREEN, points, x=xs, y=ys, yaxis="y2", **look)


def _oracle_lines(found: Oracle, ends: list[Any]) -> list[go.Scatter]:
    """The oracle's forwards and accuracy, each a line from end to end."""
    right = f"oracle over block sizes: right {found.right.hits} of {found.right.n}, {share(found.right)}"
    there = (
        f"NFE {found.nfe:.1f}, mean of {_prompts(found.right.hits)} that some size answers right<br>"
        f"(best fixed size {found.best_size}: {found.best_nfe:.1f} on the same prompts)"
    )
    look = {
        "mode": "lines",
        "line": {"dash": "dash", "width": 1.6},
        "marker": {"color": ORANGE.shade},
        "meta": ORANGE.meta,
    }
    heights = [("y2", 100 * found.right.value), *([("y", found.nfe)] if found.right.hits else [])]
    return [
        go.Scatter(x=ends, y=[height] * 2, yaxis=yaxis, name="oracle", legendgroup="oracle", showlegend=yaxis == "y2",
                   hovertext=f"{right}<br>{there}", hovertemplate=HOVER, **look)
        for yaxis, height in heights
    ]  # fmt: skip


def _best(points: Sequence[Point], found: Oracle, xs: Sequence[Any]) -> dict[str, Any]:
    """The note that names the best fixed size, at its accuracy; it grows towards the middle."""
    n = xs.index(found.best_size)
    height = _percent(points[n])
    return {
        "text": f"best fixed size {found.best_size}",
        "x": log10(found.best_size),  # plotly wants it so on a logarithmic axis
        "y": height,
        "yref": "y2",
        "xanchor": "left" if 2 * n < len(xs) else "right",
        "ax": 0,
        "ay": 22 if height > 50 else -22,
        "arrowhead": 2,
        "arrowsize": 0.8,
        "bgcolor": "rgba(128,128,128,0.2)",
    }


def _cells(table: Sequence[Sequence[Point | None]], scale: Scale, room: bool) -> go.Heatmap:
    """A row a list of `table`; with `room` each cell has its value written in it."""

    def each(make: Callable[[Point], Any]) -> list[list[Any]]:
        return [[make(point) if point else None for point in row] for row in table]

    return go.Heatmap(
        name=scale.title,
        z=each(scale.value),
        customdata=each(lambda point: point.cell.index),
        hovertext=each(words),
        hovertemplate=HOVER,
        text=each(lambda point: scale.words(scale.value(point))),
        texttemplate="%{text}" if room else None,
        colorscale="Cividis",
        colorbar={"orientation": "h", "y": 1.0, "yanchor": "bottom", "thickness": 8,
                  "title": {"text": scale.title, "side": "top"}},
        xgap=1,
        ygap=1,
        hoverongaps=False,
    )  # fmt: skip


def _other_sets(points: Sequence[Point], gain: Callable[[Point], float]) -> go.Scatter:
    place = {"x": [point.nfe for point in points], "y": list(map(gain, points))}
    return _drawn("other sets", GREY, points, **place, mode="markers", marker={"symbol": "circle-open", "size": 8})


def _front(points: Sequence[Point], gain: Callable[[Point], float]) -> go.Scatter:
    """The front from its fewest forwards on; its two ends are named."""
    last = len(points) - 1
    names = [label(point.cell.values["branches"]) if n in (0, last) else "" for n, point in enumerate(points)]
    sides = ["top left" if n and n == last else "bottom right" for n in range(len(points))]
    place = {"x": [point.nfe for point in points], "y": list(map(gain, points))}
    look = {"mode": "lines+markers+text", "marker": {"symbol": "diamond", "size": 10}, "cliponaxis": False}
    return _drawn("Pareto front", BLUE, points, **place, text=names, textposition=sides, **look)


def _drawn(name: str, colour: Colour, points: Sequence[Point], **look: Any) -> go.Scatter:
    """A trace with a place for each of `points`, in one colour."""
    return go.Scatter(
        name=name,
        customdata=[point.cell.index for point in points],
        hovertext=list(map(words, points)),
        meta=colour.meta,
        **{"hovertemplate": HOVER, **look, "marker": {"color": colour.shade, **look.get("marker", {})}},
    )


def _along(name: str, points: Sequence[Point]) -> dict[str, Any]:
    return axis(_counted(_title(name), points))


def _counted(title: str, points: Sequence[Point]) -> str:
    """`title`, and beneath it how many prompts a point stands for."""
    fewest, most = (end(len(point.outcomes) for point in points) for end in (min, max))
    return f"{title}<br>{_prompts(most) if fewest == most else f'{fewest} to {_prompts(most)}'} a point"


def _spread(xs: Sequence[Any], log: bool) -> dict[str, Any]:
    """The settings of an axis with a tick at each of `xs`, equal factors apart if `log`."""
    places = [log10(x) for x in xs] if log else list(xs)
    ticks = {"tickvals": list(xs), "ticktext": list(map(label, xs))}
    return {"type": "log" if log else "linear", "range": _padded(places), **ticks}


def _listed(values: Sequence[Value]) -> dict[str, Any]:
    """The settings of an axis of cells, one a value."""
    return {
        "range": [-0.5, len(values) - 0.5],
        "tickvals": list(range(len(values))),
        "ticktext": list(map(label, values)),
    }


def _padded(places: Sequence[float]) -> list[float]:
    low, high = min(places), max(places)
    pad = 0.06 * (high - low) or 0.5
    return [low - pad, high + pad]


def _values(points: Sequence[Point], name: str) -> list[Value]:
    """The values that a parameter takes, ascending; sets by how many there are in them."""
    found = {point.cell.values[name] for point in points}
    return sorted(found, key=lambda value: (len(value), value) if isinstance(value, tuple) else (0, (value,)))


def _names(points: Sequence[Point]) -> list[str]:
    return list(points[0].cell.values)


def _judged(points: Sequence[Point]) -> bool:
    return all(point.right for point in points)


def _percent(point: Point) -> float:
    return 100 * point.right.value if point.right else 0.0


def _title(name: str) -> str:
    return f"{spoken(name)} ({UNITS[PARAMETERS[name].kind]})"


def _prompts(n: int) -> str:
    return f"{n} prompt" if n == 1 else f"{n} prompts"


SCALES: dict[Measure, Scale] = {
    "nfe": Scale(NFE_TITLE, lambda point: point.nfe, lambda value: f"{value:.1f}"),
    "accuracy": Scale(RIGHT_TITLE, _percent, lambda value: f"{value:.0f}"),
}
