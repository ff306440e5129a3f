"""Recorded runs of every sort, for tests that take any trace."""

from __future__ import annotations

from typing import Any

from scripted import ScriptedModel
from standin import StandIn

from blockbatch.config import BaselineConfig, Config, DecodeConfig
from blockbatch.reading import load_trace
from blockbatch.run import Run
from blockbatch.trace import Trace
from ui.library import bundled_runs
from ui.settings import Settings

PROMPT = "any prompt"
SMALL = DecodeConfig(block_sizes=(2, 8, 16), gen_length=24, commit_threshold=0.3, merge_threshold=0.15)


def recorded(
    config: Config, changes: dict[int, dict[str, Any]] | None = None, model: Any = None, **options: Any
) -> Trace:
    """The run of `model` (a scripted one by default) under `config`, with the `changes` that follow each line."""
    run = Run(model or ScriptedModel(), PROMPT, config, **options)
    for number, _ in enumerate(run):
        if change := (changes or {}).get(number):
            run.reconfigure(**change)
    return run.trace


class Unsure(ScriptedModel):
    """A model on the stand-in, whose branches often part."""

    def encode(self, prompt: str) -> list[int]:
        self.denoiser = StandIn(3, prompt_len=4, answer_len=40)
        self.vocabulary = [f"word{token}" for token in range(StandIn.vocab)]
        return self.denoiser.prompt()


STEERED: dict[int, dict[str, Any]] = {
    3: {"temperature": 0.5, "block_sizes": (2, 4, 8, 32, 64, 128)},
    5: {"commit_threshold": 0.8, "block_sizes": (2, 4, 8, 48, 64), "resize": {32: 48}},
}


REBUILT: dict[int, dict[str, Any]] = {  # of a run under `SMALL`
    2: {"commit_threshold": 0.4, "block_sizes": (2, 5, 12), "resize": {8: 12}},
    5: {"refresh": "never", "block_sizes": (5, 12, 20)},
}


def rebuilt(model: Any, temperature: float = 0.0, **options: Any) -> Trace:
    """A run whose values change at steps 2 and 5, where branches are added, dropped and resized."""
    return recorded(SMALL.replace(temperature=temperature), REBUILT, model, **options)


def of_every_sort() -> dict[str, Trace]:
    """Steered, unfinished, empty, with one branch, of baselines; and those that come with the page."""
    steered = recorded(DecodeConfig(gen_length=96), STEERED)
    return {
        "steered": steered,
        "parting": recorded(DecodeConfig(gen_length=64, commit_threshold=0.8), model=Unsure()),
        "unfinished": Trace(steered.header, steered.steps[:4], None, steered.pieces),
        "not begun": Trace(steered.header),
        "empty": recorded(DecodeConfig(gen_length=0)),
        "one branch": recorded(DecodeConfig(block_sizes=(16,), gen_length=48)),
        "vanilla": recorded(BaselineConfig("vanilla", 8, 24)),
        "dual cache": recorded(BaselineConfig("dual-cache", 16, 64)),
        **{run.title: load_trace(run.path) for run in bundled_runs(Settings().traces)},
    }
