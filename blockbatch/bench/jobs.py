"""One prompt under one decoder: what is run, and what comes out of it."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from blockbatch.config import Config
from blockbatch.run import Run
from blockbatch.tasks import Example, is_correct

if TYPE_CHECKING:
    from blockbatch.models import Model


@dataclass(frozen=True)
class Outcome:
    """One prompt, the `index`-th of its family, under one decoder.

    block_sizes: the branches, or the one fixed size.  init, denoise, refresh: forwards, batched model calls by kind.
    tokens: of the answer, its end-of-text token and what follows not counted.  ms: wall milliseconds of forwards and
    rules; recording_ms: of recording the run as a trace, its text lines included, on top of that.
    """

    family: str
    index: int
    decoder: str
    block_sizes: tuple[int, ...]
    correct: bool
    init: int
    denoise: int
    refresh: int
    tokens: int
    ms: float
    recording_ms: float

    @property
    def forwards(self) -> int:
        """The NFE."""
        return self.init + self.denoise + self.refresh


class Job(Protocol):
    """Something to run on a model, in this process or another.

    `key` names everything but the model that its record depends on; `label` says what it is.
    """

    @property
    def key(self) -> str: ...

    @property
    def label(self) -> str: ...

    def run(self, model: Model) -> Any:
        """The record: a frozen dataclass of plain JSON values."""


@dataclass(frozen=True)
class Trial:
    """The job of decoding `example` under `config` and judging the answer."""

    example: Example
    index: int
    config: Config

    @property
    def key(self) -> str:
        return key_of("outcome", self.example, self.index, self.config)

    @property
    def label(self) -> str:
        return f"{self.example.family} · {self.config.decoder} {','.join(map(str, self.config.block_sizes))}"

    def run(self, model: Model) -> Outcome:
        run = Run(model, self.example.prompt, self.config)
        began = time.perf_counter()
        for _ in run:
            pass
        wall = 1000 * (time.perf_counter() - began)
        end, totals = run.trace.end, run.trace.totals
        assert end is not None, "a run that was iterated to its end has one"
        row = run.trace.rows(len(run.trace.steps) - 1)[end.winner]
        answer = row if end.eos is None else row[: end.eos]
        decoding = totals.milliseconds["forward"] + totals.milliseconds["consensus"]
        return Outcome(
            family=self.example.family,
            index=self.index,
            decoder=self.config.decoder,
            block_sizes=self.config.block_sizes,
            correct=is_correct(self.example, end.text),
            init=totals.init,
            denoise=totals.denoise,
            refresh=totals.refresh,
            tokens=int((answer >= 0).sum()),
            ms=round(decoding, 3),
            recording_ms=round(wall - decoding, 3),
        )


def key_of(kind: str, example: Example, index: int, config: Config) -> str:
    """A digest of what a record depends on, the model apart; the checker's facts are part of it."""
    parts = [kind, example.family, index, example.prompt, repr(example.check_data), config.decoder, config.to_dict()]
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=12).hexdigest()
