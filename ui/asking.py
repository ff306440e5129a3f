"""Runs that the viewer asks for: a recorded run taken anew from a step, or a contrast to the run that is shown.

A visitor's browser sends what is asked as plain JSON, so nothing in it is believed: a trace is read as strictly as an
uploaded file, and settings are checked as those of any run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import gradio as gr

from blockbatch.config import BaselineConfig, Config, DecodeConfig, integer, number
from blockbatch.errors import ConfigError, ForkError
from blockbatch.events import ConfigChange
from blockbatch.reading import MAX_STEPS, parse_trace
from blockbatch.trace import Trace
from ui.engine import Engine
from ui.live import Job, LiveRuns, Order, settings_of
from ui.parts import AT_ONCE, IN_TURN, turns, warn
from ui.prompt import PromptCard, drive
from ui.running import updates
from ui.steering import Beginning, Obeyed

FORK_SETTINGS = ("commit_threshold", "merge_threshold")
SHARED_SETTINGS = ("gen_length", "commit_threshold", "temperature", "seed")
BLOCK_SIZE = 32
BASELINE_CONTRASTS = ("dual-cache", "local-leap")


@dataclass(frozen=True)
class Orders:
    """Makes runs of what is asked.  Every refusal is a BlockBatchError of one sentence."""

    engine: Engine

    def make(self, asked: Mapping[str, Any]) -> Order:
        """`asked`: {kind: "fork", trace, step, changes}, or {kind: a contrast, run, prompt, config}."""
        kind = asked.get("kind")
        if kind == "fork":
            return self._fork(text("trace", asked), asked.get("step"), mapping("changes", asked))
        return self._contrast(contrast(str(kind), mapping("config", asked)), text("prompt", asked), text("run", asked))

    def _fork(self, recorded: str, step: Any, changes: Mapping[str, Any]) -> Order:
        if self.engine.fork is None:
            raise ForkError(f"No run can be taken anew here. {self.engine.problem}")
        trace = parse_trace(recorded, whole=False)  # a run that still goes on can be forked, too
        last = integer("step", step, 0, MAX_STEPS)
        wanted = {name: number(name, value, 0, 2) for name, value in known(changes, FORK_SETTINGS).items()}
        run, job = self.engine.fork(trace, last, wanted), Job("fork", (trace, last, wanted))
        obeyed = Obeyed({**settings_at(trace, last), **wanted})
        return Order(run, job, Beginning(obeyed, repeated=last), against=trace.header.run)

    def _contrast(self, config: Config, prompt: str, against: str) -> Order:
        if self.engine.start is None:
            raise ForkError(f"No run can be started here. {self.engine.problem}")
        run, job = self.engine.start(prompt, config), Job("start", (prompt, config))
        return Order(run, job, Beginning(Obeyed(settings_of(config))), against=against)


def contrast(kind: str, settings: Mapping[str, Any]) -> Config:
    """What a run is compared with: Fast-dLLM's dual cache, LocalLeap, or BlockBatch with one branch; of block size 32.

    `settings` are those of the run that is shown; a baseline keeps of them what every decoder has.
    """
    if kind == "one-size" and "variant" in settings:
        return DecodeConfig.from_dict({**settings, "block_sizes": [BLOCK_SIZE]})
    kept = {name: settings[name] for name in SHARED_SETTINGS if name in settings}
    if kind in BASELINE_CONTRASTS:
        return BaselineConfig.make(kind, block_size=BLOCK_SIZE, **kept)
    if kind == "one-size":
        return DecodeConfig(block_sizes=(BLOCK_SIZE,), **kept)
    raise ConfigError("kind", kind, "fork, dual-cache, local-leap or one-size")


def settings_at(trace: Trace, step: int) -> dict[str, Any]:
    """The settings in force after `step` of a recorded run."""
    settings = settings_of(trace.header.config)
    for record in trace.steps[: step + 1]:
        settings |= {event.field: event.new for event in record.events if isinstance(event, ConfigChange)}
    return {**settings, "block_sizes": [state.branch for state in trace.steps[step].branches]}


def text(name: str, asked: Mapping[str, Any]) -> str:
    """The text under `name`."""
    value = asked.get(name)
    if not isinstance(value, str):
        raise ConfigError(name, value, "a text")
    return value


def mapping(name: str, asked: Mapping[str, Any]) -> Mapping[str, Any]:
    """The settings under `name`."""
    value = asked.get(name)
    if not isinstance(value, Mapping):
        raise ConfigError(name, value, "settings by name")
    return value


def known(settings: Mapping[str, Any], names: tuple[str, ...]) -> Mapping[str, Any]:
    """`settings`, if all are among `names`."""
    for name, value in settings.items():
        if name not in names:
            raise ConfigError(name, value, "left out: a run is taken anew under " + " and ".join(names))
    return settings


def wire_asked(orders: Orders, runs: LiveRuns, streams: int, prompt: PromptCard, viewer: gr.HTML, key: gr.State) -> Any:
    """Stream what the viewer asks for into it, as Run does; returns the event, so that others can end it."""

    def stream(pace: float, going_on: str | None, event: gr.EventData) -> Iterator[tuple[Any, ...]]:
        yield from asked_updates(orders, runs, pace, event._data, going_on)

    running = viewer.submit(  # "multiple": a fork may be asked for while another one goes on, which it ends
        stream, [prompt.pace, key], [key, viewer, *prompt.driving], trigger_mode="multiple",
        **turns(streams), **IN_TURN,
    )  # fmt: skip
    running.failure(lambda: drive(False), None, prompt.driving, **AT_ONCE)
    return running


def asked_updates(
    orders: Orders, runs: LiveRuns, pace: float, asked: Any, going_on: str | None = None
) -> Iterator[tuple[Any, ...]]:
    """Updates as those of a run, before which the visitor's own run under the key `going_on` is ended; what cannot be
    run is one warning and no change."""
    known_form = asked if isinstance(asked, Mapping) else {}

    def begin() -> Iterator[tuple[str, str]]:
        order = orders.make(known_form)
        runs.end(going_on)
        yield from runs.follow(order, pace, warn)

    yield from updates(begin, runs.gave_way)
