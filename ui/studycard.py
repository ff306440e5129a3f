"""The card of figures of the run on screen: each opens with one click, from the trace that the page sends."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Mapping
from typing import Any

import gradio as gr

from blockbatch.config import choice, integer
from blockbatch.errors import BlockBatchError, TraceError
from blockbatch.reading import parse_trace
from blockbatch.trace import Trace
from blockbatch.trajectory import StepwiseTracer, Trajectory
from ui.asking import text
from ui.labplot import Ask, LabPlot, Shown
from ui.parts import IN_TURN, card, turns
from ui.session import Turnstile
from ui.studies import STUDIES, Study

ABOUT = "Each is drawn from the run and the step that the replay shows. A click in one moves the replay there."
AGAIN = "The model decodes the run again, step by step."
SECONDS_BETWEEN_LOOKS = 0.2


def study_card(offers_model: bool) -> LabPlot:
    """Build the card; `offers_model`: whether there is one to decode a run again with."""
    offered = {name: study for name, study in STUDIES.items() if offers_model or not study.needs_model}
    with card("Figures of the run on screen", ABOUT):
        return LabPlot(
            asks=[Ask(name, study.title, study.sentence) for name, study in offered.items()],
            label="The figure that was asked for; its buttons say what it shows", elem_id="bb-studies",
            elem_classes="bb-plot-block",
        )  # fmt: skip


def wire_studies(plot: LabPlot, tracer: StepwiseTracer | None, turnstile: Turnstile, streams: int) -> None:
    """Answer what the card is asked for by its value; a run is decoded again in its turn among all runs."""
    asks = gr.State(Asks())

    def answer(own: Asks, event: gr.EventData) -> Iterator[Any]:
        yield from own.newest(study_updates(event._data, tracer, turnstile))

    # "multiple": another figure may be asked for while one is waited for, which that ends
    plot.submit(answer, asks, plot, trigger_mode="multiple", **turns(streams), **IN_TURN)


class Asks:
    """What a visitor has asked for: only the newest is answered."""

    def __init__(self) -> None:
        self._newest: object = None

    def newest(self, updates: Iterator[Any]) -> Iterator[Any]:
        """`updates`, until something else is asked for; the last one then changes nothing, for Gradio repeats it."""
        mine = self._newest = object()
        for update in updates:
            if self._newest is not mine:
                yield gr.skip()
                return
            yield update


def study_updates(asked: Any, tracer: StepwiseTracer | None, turnstile: Turnstile) -> Iterator[Any]:
    """Updates of the card; what cannot be drawn is one sentence in its place."""
    try:
        study, trace, step = wanted(asked)
        if study.needs_model and tracer:
            recorded = yield from decoded_again(trace, tracer, turnstile)
            figure = study.figure(trace, step, lambda _: recorded)
        else:
            figure = study.figure(trace, step)
        yield Shown(figure=figure).to_json()
    except BlockBatchError as error:
        yield Shown(says=str(error)).to_json()


def wanted(asked: Any) -> tuple[Study, Trace, int]:
    """The figure, the run and the step that are asked for; BlockBatchError, one sentence, where there are none.

    A visitor's browser sends `asked` as plain JSON, {name, trace, step}, so nothing in it is believed.
    """
    known_form = asked if isinstance(asked, Mapping) else {}
    study = STUDIES[choice("name", known_form.get("name"), tuple(STUDIES))]
    trace = parse_trace(text("trace", known_form), whole=False)  # a run that still goes on can be drawn, too
    if not trace.steps:
        raise TraceError("This run has no steps, so there is nothing to draw.")
    return study, trace, integer("step", known_form.get("step"), 0, len(trace.steps) - 1)


def decoded_again(trace: Trace, tracer: StepwiseTracer, turnstile: Turnstile) -> Generator[Any, None, Trajectory]:
    """Updates of the card while the run waits in line and is decoded again; gives its trajectory.

    It can be closed while it waits and between two steps, as a closed tab does: Gradio holds up the streams of all
    visitors until that is done.
    """
    with turnstile.standing() as place:
        while ahead := place():
            yield Shown(says=f"Waiting in line: {ahead} before this one.").to_json()
            time.sleep(SECONDS_BETWEEN_LOOKS)
        yield Shown(says=AGAIN).to_json()
        for recorded in tracer(trace):
            if recorded is not None:
                return recorded
            yield gr.skip()
    raise AssertionError("the last is the trajectory")
