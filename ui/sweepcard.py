"""The card that sets a sweep up: one parameter or two, their ranges, the prompts, and how long it may take."""

from __future__ import annotations

from typing import Any, NamedTuple

import gradio as gr

from blockbatch.bench.sweep import PARAMETERS, spoken
from blockbatch.tasks import FAMILIES
from ui.labplot import LabPlot
from ui.parts import AT_ONCE, card, segments
from ui.sweeping import ALL, MOST_MINUTES, MOST_PROMPTS, NOTHING, TYPED

FIRST = "commit_threshold"
RANGE = ("from", "to", "points")
POINTS = 6
ABOUT = (
    "Decodes again and again while one parameter or two are varied; all else is as the knobs say. Each finished run "
    "shows at once, and what is there stays when you stop."
)


class RangeFields(NamedTuple):
    """A parameter and its range."""

    parameter: gr.Dropdown
    low: gr.Number
    high: gr.Number
    points: gr.Number


class SweepCard(NamedTuple):
    """The components of the card."""

    first: RangeFields
    second: RangeFields
    over: gr.Dropdown
    prompts: gr.Number
    minutes: gr.Number
    run: gr.Button
    stop: gr.Button
    measure: gr.Radio
    plot: LabPlot

    @property
    def fields(self) -> list[Any]:
        """All that says what a sweep is."""
        return [*self.first, *self.second, self.over, self.prompts]


def sweep_card(problem: str) -> SweepCard:
    """Build the card; `problem`: why nothing can be decoded, or nothing."""
    with card("Sweep", problem or ABOUT):
        first, second = range_fields("vary", FIRST), range_fields("and", NOTHING)
        with gr.Row(elem_classes="bb-lab-row"):
            over = gr.Dropdown(
                [TYPED, *FAMILIES, ALL], value=FAMILIES[0], label="over", elem_id="bb-sweep-over",
                info="The prompt on the left, or held-out prompts that are checked.",
            )  # fmt: skip
            prompts = field("prompts", 4, 1, MOST_PROMPTS, "of each family")
            minutes = field("minutes", 2, 0.1, MOST_MINUTES, "at most", precision=1)
        with gr.Row(elem_classes="bb-lab-go"):
            run = gr.Button("Run sweep", variant="primary", elem_id="bb-sweep-run", interactive=not problem)
            stop = gr.Button("Stop sweep", elem_id="bb-sweep-stop", interactive=False)
        measure = segments(
            "map", [("forwards", "nfe"), ("accuracy", "accuracy")], "nfe", "What it shows.", visible=False
        )
        second.parameter.input(lambda name: gr.Radio(visible=name != NOTHING), second.parameter, measure, **AT_ONCE)
        plot = LabPlot(label="The sweep: forwards and accuracy of each cell.", elem_id="bb-sweep",
                       elem_classes="bb-plot-block")  # fmt: skip
    return SweepCard(first, second, over, prompts, minutes, run, stop, measure, plot)


def range_fields(label: str, parameter: str) -> RangeFields:
    """Fields for a parameter; the range follows from it until it is changed."""
    names: list[tuple[str, str]] = [(spoken(name), name) for name in PARAMETERS]
    choices = names if parameter != NOTHING else [("nothing else", NOTHING), *names]
    with gr.Row(elem_classes="bb-lab-row"):
        chosen = gr.Dropdown(choices, value=parameter, label=label, elem_id=f"bb-sweep-{label}")
        made = RangeFields(
            chosen,
            *(
                gr.Number(**range_field(name, parameter), min_width=0, elem_id=f"bb-sweep-{label}-{name}")
                for name in RANGE
            ),
        )
    chosen.input(ranged, chosen, [*made[1:]], **AT_ONCE)
    return made


def range_field(name: str, parameter: str) -> dict[str, Any]:
    """What a field of a parameter's range is, offered over its usual values; hidden where it has no range."""
    usual = PARAMETERS[parameter].values if parameter in PARAMETERS else ()
    numbers = [value for value in usual if not isinstance(value, tuple)]
    offered = dict(zip(RANGE, (min(numbers), max(numbers), POINTS), strict=True)) if numbers else {}
    return {"label": name, "value": offered.get(name, 0), "visible": bool(numbers)}


def ranged(parameter: str) -> tuple[gr.Number, ...]:
    """Updates of the range for another parameter."""
    return tuple(gr.Number(**range_field(name, parameter)) for name in RANGE)


def field(label: str, value: float, low: float, high: float, info: str, precision: int = 0) -> gr.Number:
    """A number of the sweep."""
    return gr.Number(value, label=label, info=info, minimum=low, maximum=high, precision=precision, min_width=0,
                     elem_id=f"bb-sweep-{label}")  # fmt: skip
