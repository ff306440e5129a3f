"""What the figures of the studies share: their colours, by the names of the page's theme, and a figure that is a
sentence."""

from __future__ import annotations

from textwrap import wrap
from typing import Any, NamedTuple

import plotly.graph_objects as go

from ui.figurestyle import plain_layout
from ui.pieces import escaped

LETTERS = 44  # in a line that a screen 360 pixels wide can show


class Colour(NamedTuple):
    """`name` in the page's theme; `shade` elsewhere, one of Okabe and Ito's."""

    name: str
    shade: str

    @property
    def meta(self) -> dict[str, str]:
        """The `meta` of a plotly trace that has this colour."""
        return {"colour": self.name}


BLUE = Colour("merge", "#0072B2")
ORANGE = Colour("sync", "#E69F00")
GREEN = Colour("eos", "#009E73")
PINK = Colour("refresh", "#CC79A7")
RED = Colour("red", "#D55E00")
SKY = Colour("accent", "#56B4E9")
GREY = Colour("faint", "#7F7F7F")
# The page has no sky blue beside its blue: there the sixth is the colour of its words.
SIX = (BLUE, ORANGE, GREEN, PINK, RED, SKY._replace(name="ink"))
NO_STEPS = "This run has no steps: there was nothing to fill."


def axis(title: str, **settings: Any) -> dict[str, Any]:
    """An axis without lines of its own but for those that `settings` ask for."""
    plain = {"zeroline": False, "showgrid": False, "title": {"text": title, "standoff": 6, "font_size": 11}}
    return {**plain, **settings}


def figure_of(data: list[Any], run: str, height: int, **layout: Any) -> go.Figure:
    """The traces `data` on the layout that all figures share, with a legend above; `height` in pixels."""
    above = {"orientation": "h", "yanchor": "bottom", "y": 1.0, "xanchor": "left", "x": 0.0}
    figure = go.Figure(data, layout=plain_layout())
    return figure.update_layout(height=height, uirevision=run, legend=above, margin_t=30, **layout)


def said(sentence: str, run: str) -> go.Figure:
    """A figure that shows nothing but `sentence`, for a run that has nothing else to show."""
    words = {"text": "<br>".join(wrap(escaped(sentence), LETTERS)), "showarrow": False, "align": "left"}
    place = {"x": 0.0, "y": 0.5, "xref": "paper", "yref": "paper", "xanchor": "left"}
    figure = figure_of([], run, height=120, annotations=[{**words, **place}], margin_l=12)
    return figure.update_xaxes(visible=False).update_yaxes(visible=False)
