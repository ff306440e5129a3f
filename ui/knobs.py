"""The cards of thresholds and options, which act on a run at its next step, and of what only the next run takes up.

The fields of the cards are named as those of `DecodeConfig`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import gradio as gr

from blockbatch.config import MAX_LOOKAHEAD, PRESETS, DecodeConfig
from ui.parts import AT_ONCE, KNOB, card, segments, slider, switch
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


class OptionsCard(NamedTuple):
    """Settings of a run in progress that the paper does not have, `blockbatch.config.OPTIONS`."""

    stop_at_text_end: gr.Checkbox
    eos_in_order: gr.Checkbox
    forced_reach: gr.Slider
    joint_threshold: gr.Slider
    lookahead: gr.Slider
    settle_windows: gr.Checkbox


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


def options_card() -> OptionsCard:
    """Build the card."""
    with card("Beyond the paper", "Off in its presets; plus has all but joint on. They act at the next step."):
        return OptionsCard(
            switch("stop at text end", DEFAULTS.stop_at_text_end, meaning("stop_at_text_end")),
            switch("end of text in order", DEFAULTS.eos_in_order, meaning("eos_in_order")),
            slider("forced reach", 0, 64, 1, DEFAULTS.forced_reach, meaning("forced_reach")),
            slider("joint", 0, 1, 0.01, DEFAULTS.joint_threshold, meaning("joint_threshold")),
            slider("lookahead", 0, MAX_LOOKAHEAD, 1, DEFAULTS.lookahead, meaning("lookahead")),
            switch("settle windows", DEFAULTS.settle_windows, meaning("settle_windows")),
        )


def next_run_card() -> NextRunCard:
    """Build the card."""
    with card("Next run", "A new run takes these up when it starts."):
        return NextRunCard(
            segments("preset", list(PRESETS), DEFAULTS.variant,
                     meaning("preset")),
            slider("length", 16, LONGEST, 16, DEFAULTS.gen_length, meaning("length")),
            gr.Number(DEFAULTS.seed, label="seed", precision=0, minimum=0, elem_id="bb-seed",
                      info=meaning("seed")),
        )  # fmt: skip


def wire_knobs(
    store: ControlStore, thresholds: ThresholdCard, options: OptionsCard, next_run: NextRunCard, key: gr.State
) -> None:
    """Thresholds and options reach the visitor's run; a preset sets the refresh and the options that belong to it."""
    for name, knob in {**thresholds._asdict(), **options._asdict()}.items():
        knob.input(setter(store, name), [key, knob], None, **KNOB)
    next_run.variant.input(preset_values, next_run.variant, [thresholds.refresh, *options], **AT_ONCE)


def preset_values(name: str) -> tuple[Any, ...]:
    """The kind of refresh and the options of a preset."""
    config = DecodeConfig.preset(name)
    return config.refresh, *(getattr(config, option) for option in OptionsCard._fields)


def setter(store: ControlStore, name: str) -> Callable[[str | None, Any], None]:
    """A function that asks the run under a key for a new value of the setting `name`."""
    return lambda key, value: store.change(key, settings={name: value})
