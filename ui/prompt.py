"""The card that starts a run: the prompt, examples for it, and the buttons that drive."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import gradio as gr

from blockbatch.tasks import FAMILIES, examples
from ui.parts import AT_ONCE, card, note, segments
from ui.session import FULL_SPEED

EXAMPLES_PER_FAMILY = 40
OPENING_FAMILY = "functions"  # what the page opens with: the embedded model is mostly right there
PACES = [("1", 1.0), ("2", 2.0), ("5", 5.0), ("10", 10.0), ("full", FULL_SPEED)]
KNOWN = "The embedded model knows four kinds of small tasks. Each button draws an example that it has never seen:"
OTHER = "Decodes with {model}. Each button draws an example:"


class PromptCard(NamedTuple):
    """The components that others need."""

    prompt: gr.Textbox
    run: gr.Button
    pause: gr.Button
    step: gr.Button
    stop: gr.Button
    pace: gr.Radio

    @property
    def driving(self) -> list[gr.Button]:
        """Run, Pause, Step and Stop, as `drive` updates them."""
        return [self.run, self.pause, self.step, self.stop]


def example_prompts() -> dict[str, list[str]]:
    """Prompts that the embedded model has never seen, by family."""
    drawn = {family: islice(examples(family, "held-out"), EXAMPLES_PER_FAMILY) for family in FAMILIES}
    return {family: [example.prompt for example in found] for family, found in drawn.items()}


def prompt_card(prompts: Mapping[str, Sequence[str]], about: str, problem: str) -> PromptCard:
    """`prompts`: examples by family; `about` the model; `problem`: why no run can be started, or nothing."""
    with card("Prompt"):
        box = gr.Textbox(
            prompts[OPENING_FAMILY][0], lines=4, max_lines=9, show_label=False, label="Prompt", container=False,
            elem_id="bb-prompt", placeholder="Ask for something small",
        )  # fmt: skip
        note(about)
        with gr.Row(elem_classes="bb-examples"):
            for family, choices in prompts.items():
                button = gr.Button(family.replace("-", " "), size="sm", min_width=0)
                button.click(draw_from(choices), None, box, **AT_ONCE)
        if problem:
            note(f"Only recorded runs can be shown. {problem}", "bb-problem")
        with gr.Row(elem_classes="bb-drive"):
            run = gr.Button("Run", variant="primary", elem_id="bb-run", min_width=0, interactive=not problem)
            pause, step, stop = (
                gr.Button(name, elem_id=f"bb-{name.lower()}", min_width=0, interactive=False)
                for name in ("Pause", "Step", "Stop")
            )
        pace = segments("pace", PACES, 5.0, "Steps a second, slow enough to steer; acts at once.")
    return PromptCard(box, run, pause, step, stop, pace)


def draw_from(choices: Sequence[str]) -> Callable[[], str]:
    """A function that returns any of `choices`."""
    return lambda: random.choice(choices)


def drive(running: bool) -> tuple[gr.Button, ...]:
    """Updates of Run, Pause, Step and Stop: what can be pressed while a run goes on, or while none does."""
    step, stop = gr.Button(interactive=running), gr.Button(interactive=running)
    return gr.Button(interactive=not running), gr.Button("Pause", interactive=running), step, stop
