"""The card of figures of the run on screen: each opens with one click, from the trace that the page sends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from typing import Any

import gradio as gr

from blockbatch.config import choice, integer
from blockbatch.errors import BlockBatchError, TraceError
from blockbatch.reading import parse_trace
from blockbatch.trajectory import Tracer
from ui.asking import text
from ui.labplot import Ask, LabPlot, Shown
from ui.parts import IN_TURN, card, turns
from ui.session import Turnstile
from ui.studies import STUDIES

ABOUT = "Each is drawn from the run and the step that the replay shows. A click in one moves the replay there."


def study_card(offers_model: bool) -> LabPlot:
    """Build the card; `offers_model`: whether there is one to decode a run again with."""
    offered = {name: study for name, study in STUDIES.items() if offers_model or not study.needs_model}
    with card("Figures of the run on screen", ABOUT):
        return LabPlot(
            asks=[Ask(name, study.title, study.sentence) for name, study in offered.items()],
            label="The figure that was asked for; its buttons say what it shows", elem_id="bb-studies",
            elem_classes="bb-plot-block",
        )  # fmt: skip


def wire_studies(plot: LabPlot, tracer: Tracer | None, turnstile: Turnstile, streams: int) -> None:
    """Answer what the card is asked for by its value; a run is decoded again in its turn among all runs."""

    def answer(event: gr.EventData) -> Iterator[Any]:
        yield from study_updates(event._data, tracer, turnstile)

    # What is asked for while another figure is being made comes after it, for its button is pressed by then.
    plot.submit(answer, None, plot, trigger_mode="always_last", **turns(streams), **IN_TURN)


def study_updates(asked: Any, tracer: Tracer | None, turnstile: Turnstile) -> Iterator[Any]:
    """Updates of the card; what cannot be drawn is one sentence in its place.

    A visitor's browser sends `asked` as plain JSON, {name, trace, step}, so nothing in it is believed.
    """
    try:
        known_form = asked if isinstance(asked, Mapping) else {}
        study = STUDIES[choice("name", known_form.get("name"), tuple(STUDIES))]
        trace = parse_trace(text("trace", known_form), whole=False)  # a run that still goes on can be drawn, too
        if not trace.steps:
            raise TraceError("This run has no steps, so there is nothing to draw.")
        step = integer("step", known_form.get("step"), 0, len(trace.steps) - 1)
        if study.needs_model:
            yield Shown(says="The model decodes the run again, step by step.").to_json()
        with turnstile.turn() if study.needs_model else nullcontext():
            figure = study.figure(trace, step, tracer)
        yield Shown(figure=figure).to_json()
    except BlockBatchError as error:
        yield Shown(says=str(error)).to_json()
