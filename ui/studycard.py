"""The card of figures of the run on screen: each opens with one click, from the trace that the page sends."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import gradio as gr
import plotly.graph_objects as go

from blockbatch.config import choice, integer
from blockbatch.errors import BlockBatchError
from blockbatch.reading import MAX_STEPS, parse_trace
from blockbatch.trace import Trace
from ui.asking import mapping_of, text
from ui.labplot import Ask, LabPlot, Shown
from ui.parts import IN_TURN, card, turns, warn
from ui.studies import STUDIES, Study

ABOUT = "Each is drawn from the run and the step that the replay shows. A click in one moves the replay there."
Again = Callable[[Trace], Iterator[Any]]


def study_card(problem: str) -> LabPlot:
    """Build the card; `problem`: why no run can be decoded again, or nothing."""
    asks = [Ask(name, study.title, study.about) for name, study in STUDIES.items() if not (study.needs_model and problem)]
    with card("Figures of the run on screen", ABOUT):
        return LabPlot(asks=asks, label="The figure that was asked for", elem_id="bb-studies",
                       elem_classes="bb-plot-block")  # fmt: skip
