"""The rail and the viewer say the same about a word, because both read it in one place."""

from __future__ import annotations

import gradio as gr
import pytest

from ui.engine import Engine
from ui.interface import create_ui
from ui.settings import Settings
from ui.words import meaning

KNOBS = {
    "bb-commit": "commit_threshold",
    "bb-merge": "merge_threshold",
    "bb-sync": "sync_threshold",
    "bb-refresh": "refresh_kind",
    "bb-refresh-interval": "refresh_interval",
    "bb-temperature": "temperature",
    "bb-stop-at-text-end": "stop_at_text_end",
    "bb-end-of-text-in-order": "eos_in_order",
    "bb-forced-reach": "forced_reach",
    "bb-joint": "joint_threshold",
    "bb-lookahead": "lookahead",
    "bb-settle-windows": "settle_windows",
    "bb-preset": "preset",
    "bb-length": "length",
    "bb-seed": "seed",
}


def test_knobs_say_what_the_glossary_says() -> None:
    page = create_ui(Engine(problem="No model."), Settings())
    found = {
        block.elem_id: block.info
        for block in page.blocks.values()
        if isinstance(block, gr.Slider | gr.Radio | gr.Number | gr.Checkbox) and block.elem_id in KNOBS
    }
    assert found == {knob: meaning(word) for knob, word in KNOBS.items()}


def test_an_unknown_word_is_an_error() -> None:
    with pytest.raises(KeyError):
        meaning("perplexity")
