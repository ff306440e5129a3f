"""How the figures look before any run is drawn into them: traces with empty arrays, and a layout.

A trace's `meta.colour` names its colour, for the page gives each the shade of its theme.  The colours set here are
those of Okabe and Ito, for figures shown elsewhere; confidence is Cividis everywhere.
"""

from __future__ import annotations

from typing import Any, Literal

import plotly.graph_objects as go

from ui.lanes import KINDS, Axis, Kind

Map = Literal["branches", "history"]

GRID = "rgba(128,128,128,0.22)"
LOOK: dict[Kind, tuple[str, str, str]] = {  # name, symbol, colour
    "merge": ("consensus commit", "diamond", "#0072B2"),
    "sync": ("leader reset", "triangle-up", "#E69F00"),
    "refresh": ("full recompute", "square", "#CC79A7"),
    "ahead": ("step computed ahead", "triangle-right", "#F0E442"),
    "knob": ("knob moved", "circle", "#7F7F7F"),
    "eos": ("end of text", "hourglass", "#009E73"),
}
AXIS_TITLES: dict[Axis, str] = {"step": "step", "time": "seconds of model, rules and record"}
MAP_HEIGHT = 181
CELL = {"branches": "%{y}, position %{x}", "history": "step %{y}, position %{x}"}
STATES = {  # what a cell of a map is: how it says so, and how solid it is
    "written": ("%{text}, confidence %{z:.2f}", 1.0),
    "candidate": ("masked; best candidate %{text} %{z:.2f}", 0.43),
}


def timeline_template(axis: Axis) -> go.Figure:
    """A trace of bars and one of marks for each kind, in the order of `KINDS`."""
    figure = go.Figure([_bars(), *map(_marks, KINDS)], layout=plain_layout())
    figure.update_xaxes(title_text=AXIS_TITLES[axis], showgrid=False)
    figure.update_yaxes(fixedrange=True, showgrid=False, minor={"showgrid": True, "gridcolor": GRID})
    return figure.update_layout(legend={"orientation": "h", "yanchor": "bottom", "y": 1.0})


def heatmap_template(name: Map) -> go.Figure:
    """A trace for each of `STATES`; a cell has its confidence in one of them, or in none if no forward looked there."""
    figure = go.Figure([_cells(state, CELL[name]) for state in STATES], layout=plain_layout())
    figure.update_xaxes(title_text="position", showgrid=False)
    figure.update_yaxes(showgrid=False, fixedrange=name == "branches")
    if name == "branches":
        figure.update_yaxes(type="category", categoryorder="array")
    else:
        figure.update_yaxes(title_text="step")
    return figure.update_layout(height=MAP_HEIGHT)


def plain_layout() -> go.Layout:
    """What all figures share: no ground of their own, small letters, margins that stay."""
    # Margins are fixed, so that the page knows where a step or a position lies without asking plotly.
    return go.Layout(
        template=go.layout.Template(),
        margin={"l": 66, "r": 6, "t": 4, "b": 36, "autoexpand": True},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font_size=11,
        hovermode="closest",
        clickanywhere=True,
        dragmode="zoom",
        barmode="overlay",
        xaxis={"zeroline": False, "title": {"standoff": 6, "font_size": 11}},
        yaxis={"zeroline": False, "title": {"standoff": 4, "font_size": 11}},
    )


def _bars() -> go.Bar:
    words = "step %{customdata[0]}, block %{customdata[1]}<br>tokens committed: %{customdata[3]}<extra></extra>"
    look: dict[str, Any] = {"marker": {"color": "#56B4E9", "line_width": 0}, "meta": {"colour": "accent"}}
    return go.Bar(name="tokens committed (height: log)", hovertemplate=words, **look)


def _marks(kind: Kind) -> go.Scatter:
    name, symbol, colour = LOOK[kind]
    words = "step %{customdata[0]}<br>%{text}<extra></extra>"
    marker = {"symbol": symbol, "color": colour, "size": 9}
    return go.Scatter(name=name, mode="markers", marker=marker, hovertemplate=words, meta={"colour": kind})


def _cells(state: str, where: str) -> go.Heatmap:
    words, opacity = STATES[state]
    shown = state == "written"
    return go.Heatmap(
        name=state,
        hovertemplate=f"{where}<br>{words}<extra></extra>",
        zmin=0,
        zmax=1,
        colorscale="Cividis",
        opacity=opacity,
        showscale=shown,
        colorbar={"title": {"text": "confidence", "side": "right"}, "thickness": 10} if shown else None,
        hoverongaps=False,
    )
