"""A figure of the lab as a Gradio component: what it can be asked for, the figure, and what can be done with a point.

The value is JSON text, for Gradio copies what it holds at every update, and much slower what is made of many parts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, NamedTuple

import gradio as gr
import plotly.graph_objects as go

from ui import plotlyjs
from ui.viewer import asset, script


class Ask(NamedTuple):
    """A figure that can be asked for: its name in the event, its title, and what it shows in one sentence."""

    name: str
    title: str
    about: str


@dataclass(frozen=True)
class Act:
    """What can be done with a point: the event `does` carries the point's number and `of`; then the lab is left."""

    does: Literal["submit", "apply"]
    title: str
    of: int = 0


@dataclass(frozen=True)
class Point:
    """A point that can be clicked: a sentence about it, and what can be done with it."""

    says: str
    acts: Sequence[Act] = ()


@dataclass(frozen=True)
class File:
    """Something to save: what the button says, the file's name and its text."""

    title: str
    name: str
    text: str


@dataclass(frozen=True)
class Shown:
    """What the component shows.

    says: a sentence above the figure; share: how much of the work is done, 0 to 1, None where there is none; points: by
    the number that the figure's `customdata` holds.
    """

    says: str = ""
    share: float | None = None
    figure: go.Figure | None = None
    points: Mapping[int, Point] = field(default_factory=dict)
    file: File | None = None

    def to_json(self) -> str:
        """The component's value."""
        values: dict[str, Any] = {"says": self.says}
        if self.share is not None:
            values["share"] = self.share
        if self.figure is not None:
            values["figure"] = json.loads(self.figure.to_json())
        if self.points:
            values["points"] = {str(number): asdict(point) for number, point in self.points.items()}
        if self.file is not None:
            values["file"] = asdict(self.file)
        return json.dumps(values, separators=(",", ":"))


class LabPlot(gr.HTML):
    """Shows a `Shown`, whose JSON is its value.

    Its event `submit` carries {name, trace, step} where one of `asks` was wanted for the run and the step on the page;
    the event of an `Act` carries {point, of}.
    """

    def __init__(self, value: str | None = None, asks: Sequence[Ask] = (), label: str = "", **options: Any) -> None:
        fixed = {
            "html_template": asset("labplot.html"),
            "js_on_load": script("labplot.mjs", "mountLabPlot(element, props, watch, trigger);"),
            "apply_default_css": False,
        }
        told = {"asks": json.dumps([ask._asdict() for ask in asks]), "plotly": plotlyjs.address(), "label": label}
        super().__init__(value, **{**options, **fixed, **told})

    def postprocess(self, value: str | None) -> str | None:
        """The text as it is: it never becomes markup, so what it contains is of no concern."""
        return value
