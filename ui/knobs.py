"""The cards of thresholds, which act on a run at its next step, and of what only the next run takes up.

The fields of both cards are named as those of `DecodeConfig`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import gradio as gr

from blockbatch.config import DecodeConfig
from ui.parts import AT_ONCE, KNOB, card, segments, slider
from ui.session import ControlStore
from ui.words import meaning

DEFAULTS = DecodeConfig()
LONGEST = 512


class ThresholdCard(NamedTuple):
    """Settings of a run in progress."""

    commit_threshold: gr.Slider
    merge_threshold: gr.Slider
    sync_threshold: gr.Slider
    refresh: gr.Radio
    refresh_interval: gr.Slider
    temperature: gr.Slider


class NextRunCard(NamedTuple):
    """Settings of the next run."""

    variant: gr.Radio
    gen_length: gr.Slider
    seed: gr.Number


def threshold_card() -> ThresholdCard:
    """Build the card."""
    refreshes = ["interval", "divergence", "never"]
    with card("Thresholds", "During a run they act at the next step and leave a mark on the timeline."):
        return ThresholdCard(
            slider("commit", 0, 1, 0.01, DEFAULTS.commit_threshold,
                   meaning("commit_threshold")),
            slider("merge", 0, 1, 0.01, DEFAULTS.merge_threshold,
                   meaning("merge_threshold")),
            slider("sync", 0, 64, 1, DEFAULTS.sync_threshold,
                   meaning("sync_threshold")),
            segments("refresh", refreshes, DEFAULTS.refresh, meaning("refresh_kind")),
            slider("refresh interval", 4, 256, 4, DEFAULTS.refresh_interval,
                   meaning("refresh_interval")),
            slider("temperature", 0, 2, 0.05, DEFAULTS.temperature,
                   meaning("temperature")),
        )  # fmt: skip


def next_run_card() -> NextRunCard:
    """Build the card."""
    with card("Next run", "A new run takes these up when it starts."):
        return NextRunCard(
            segments("preset", ["paper", "latest"], DEFAULTS.variant,
                     meaning("preset")),
            slider("length", 16, LONGEST, 16, DEFAULTS.gen_length, meaning("length")),
            gr.Number(DEFAULTS.seed, label="seed", precision=0, minimum=0, elem_id="bb-seed",
                      info=meaning("seed")),
        )  # fmt: skip


def wire_knobs(store: ControlStore, thresholds: ThresholdCard, next_run: NextRunCard, key: gr.State) -> None:
    """Thresholds reach the visitor's run; a preset sets the kind of refresh that belongs to it."""
    for name, knob in thresholds._asdict().items():
        knob.input(setter(store, name), [key, knob], None, **KNOB)
    next_run.variant.input(lambda name: DecodeConfig.preset(name).refresh, next_run.variant, thresholds.refresh,
                           **AT_ONCE)  # fmt: skip


def setter(store: ControlStore, name: str) -> Callable[[str | None, Any], None]:
    """A function that asks the run under a key for a new value of the setting `name`."""
    return lambda key, value: store.change(key, settings={name: value})
