"""Is a confidence of 0.9 right nine times in ten?  Candidates against what a careful decode writes in their place.

A recorded run of Fast-dLLM's dual cache is stopped at one of its steps, drawn at random.  Every masked position of its
window has a best candidate with a confidence: what a commit would write.  From the same tokens a careful decode goes
on: no cache, one token a forward, the most confident of a block of 4.  A candidate is confirmed if that writes the
same token in its place.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from blockbatch import rules
from blockbatch.bench.jobs import key_of
from blockbatch.config import BaselineConfig
from blockbatch.run import Run
from blockbatch.stepper import Span, Stepper
from blockbatch.tasks import Example
from blockbatch.trace import Ints

if TYPE_CHECKING:
    from blockbatch.denoiser import Denoiser
    from blockbatch.models import Model

CAREFUL_BLOCK = 4


@dataclass(frozen=True)
class Sample:
    """The masked positions of one window at one step of one run, position by position.

    confidences: of the best candidate, rounded down to 4 decimals; confirmed: whether the careful decode wrote it;
    ends: whether it is the end-of-text token.
    """

    family: str
    index: int
    step: int
    confidences: tuple[float, ...]
    confirmed: tuple[bool, ...]
    ends: tuple[bool, ...]


@dataclass(frozen=True)
class Sampling:
    """The job of taking one sample from the run of `example` under `config`."""

    example: Example
    index: int
    config: BaselineConfig

    @property
    def key(self) -> str:
        return key_of("sample", self.example, self.index, self.config)

    @property
    def label(self) -> str:
        return f"{self.example.family} · calibration"

    def run(self, model: Model) -> Sample:
        run = Run(model, self.example.prompt, self.config)
        for _ in run:
            pass
        trace = run.trace
        step = random.Random(self.key).randrange(len(trace.steps))
        candidates, row = trace.steps[step].candidates[0], trace.rows(step - 1)[self.config.block_size]
        best = [candidates.at(position)[0] for position in candidates.positions.tolist()]
        careful = carefully_filled(model.denoiser, trace.header.prompt_tokens, row, int(candidates.positions[-1]) + 1)
        written = careful[candidates.positions].tolist()
        return Sample(
            family=self.example.family,
            index=self.index,
            step=step,
            confidences=tuple(confidence for _, confidence in best),
            confirmed=tuple(token == other for (token, _), other in zip(best, written, strict=True)),
            ends=tuple(token == model.denoiser.eos_id for token, _ in best),
        )


def carefully_filled(denoiser: Denoiser, prompt: Sequence[int], row: Ints, until: int) -> Ints:
    """`row` [gen_length] gone on with, one token a full forward, until no position before `until` is masked."""
    stepper = Stepper(denoiser, prompt, BaselineConfig("vanilla", CAREFUL_BLOCK, len(row)))
    b = stepper.branches
    b.rows[0] = row
    everything = np.ones(1, np.bool_)
    b.move(everything)
    while not b.done[0] and b.start[0] < until:
        stepper.open("denoise", [Span(0, 0, 0, len(row))], full=True)
        chosen = rules.quota(b.masked & b.in_window, b.confidence, 1)
        stepper.commit(chosen, np.zeros_like(chosen))
        stepper.close()
        b.move(everything)
    return np.array(b.rows[0])
