"""Wires Run, Pause, Step, Stop and the pace to live runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import gradio as gr

from blockbatch.config import DecodeConfig
from blockbatch.errors import BlockBatchError
from ui.branches import BranchCard, picked
from ui.knobs import NextRunCard, OptionsCard, ThresholdCard
from ui.live import LiveRuns
from ui.parts import AT_ONCE, IN_TURN, KNOB, turns, warn
from ui.prompt import PromptCard, drive
from ui.session import ControlStore
from ui.window import Window

UNCHANGED = (gr.skip(),) * 4
SETTINGS = (*ThresholdCard._fields, *OptionsCard._fields, *NextRunCard._fields)


def wire_run(
    runs: LiveRuns, streams: int, prompt: PromptCard, branches: BranchCard, knobs: Sequence[Any], viewer: gr.HTML,
    key: gr.State,
) -> Any:  # fmt: skip
    """Stream a run into `viewer`, its key into `key`; returns the event, so that others can end it.

    `knobs` are the components of `SETTINGS` in order; `streams` is how many runs may go on or wait at a time.
    """

    def stream(
        text: str, pace: float, going_on: str | None, chips: list[str], *values: Any
    ) -> Iterator[tuple[Any, ...]]:
        settings = {"block_sizes": picked(chips), **dict(zip(SETTINGS, values, strict=True))}
        yield from run_updates(runs, text, pace, settings, going_on)

    running = gr.on(
        [prompt.run.click, prompt.prompt.submit], stream, [prompt.prompt, prompt.pace, key, branches.sizes, *knobs],
        [key, viewer, *prompt.driving], **turns(streams), **IN_TURN,
    )  # fmt: skip
    running.failure(lambda: drive(False), None, prompt.driving, **AT_ONCE)
    wire_driving(runs.store, prompt, key)
    return running


def run_updates(
    runs: LiveRuns, prompt: str, pace: float, settings: dict[str, Any], going_on: str | None = None
) -> Iterator[tuple[Any, ...]]:
    """Updates of the key, the viewer and the four buttons; a run that cannot start is one warning and no change.

    The visitor's own run under the key `going_on` is ended before: a fork may go on when the prompt is sent by a key.
    """

    def begin() -> Iterator[tuple[str, str]]:
        order = runs.order(prompt, DecodeConfig(**settings))
        runs.end(going_on)
        yield from runs.follow(order, pace, warn)

    yield from updates(begin, runs.gave_way)


def updates(
    begin: Callable[[], Iterator[tuple[str, str]]], gave_way: Callable[[str], bool]
) -> Iterator[tuple[Any, ...]]:
    """`run_updates` for the stream that `begin` starts; the last of a run holds its whole text (see `ui.window`).

    One that `gave_way` to another leaves the buttons to that one, whose first update may reach the page before its own
    last does.
    """
    shown: tuple[str, str] | None = None
    window = Window()
    buttons: Sequence[Any] = drive(True)
    try:
        for shown in begin():
            key, text = shown
            yield key, window.over(text), *buttons
            buttons = UNCHANGED
    except BlockBatchError as error:
        warn(error)
    if shown:
        yield *shown, *(UNCHANGED if gave_way(shown[0]) else drive(False))
    else:
        yield gr.skip(), gr.skip(), *UNCHANGED


def wire_driving(store: ControlStore, prompt: PromptCard, key: gr.State) -> None:
    """Pause or resume, take one step, stop, change the pace: each acts on the run of the visitor who pressed."""

    def pause(run: str | None, label: str) -> gr.Button:
        store.change(run, paused=label == "Pause")
        return gr.Button("Resume" if label == "Pause" else "Pause")

    def step(run: str | None) -> gr.Button:
        store.step(run)
        return gr.Button("Resume")

    prompt.pause.click(pause, [key, prompt.pause], prompt.pause, **AT_ONCE)
    prompt.step.click(step, key, prompt.pause, **AT_ONCE)
    prompt.stop.click(lambda run: store.change(run, stopped=True), key, None, **AT_ONCE)
    prompt.pace.input(lambda run, pace: store.change(run, pace=pace), [key, prompt.pace], None, **KNOB)
