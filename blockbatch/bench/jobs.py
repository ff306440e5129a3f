"""One prompt under one decoder: what is run, and what comes out of it."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from blockbatch.comparing import words
from blockbatch.config import Config
from blockbatch.run import Run
from blockbatch.tasks import Example, is_correct
from blockbatch.trace import Trace

if TYPE_CHECKING:
    from blockbatch.models import Model

TYPED = "typed"  # the family of prompts that somebody typed


@dataclass(frozen=True)
class Outcome:
    """One prompt, the `index`-th of its family, under one decoder.

    block_sizes: the branches, or the one fixed size.  correct: None where nothing can judge the answer.  init, denoise,
    refresh: forwards, batched model calls by kind.  tokens: of the answer, its end-of-text token and what follows not
    counted.  ms: wall milliseconds of forwards and rules; recording_ms: of recording the run as a trace, its text
    lines included, on top of that.
    """

    family: str
    index: int
    decoder: str
    block_sizes: tuple[int, ...]
    correct: bool | None
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
class Typed:
    """A prompt that somebody typed: in the place of an example, but nothing can judge its answer."""

    prompt: str
    family: ClassVar[str] = TYPED
    check_data: ClassVar[None] = None


Task = Example | Typed


@dataclass(frozen=True)
class Trial:
    """The job of decoding `example` under `config` and judging the answer."""

    example: Task
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
        found = outcome(run.trace, self.example if isinstance(self.example, Example) else None, self.index)
        return replace(found, recording_ms=round(max(wall - found.ms, 0.0), 3))


def outcome(trace: Trace, example: Example | None, index: int) -> Outcome:
    """What a finished run of the `index`-th example of its family came to; without an example, of a typed prompt.

    recording_ms: as the trace counts it, its text lines not included.  ValueError if the run has not ended.
    """
    end, totals, config = trace.end, trace.totals, trace.header.config
    if end is None:
        raise ValueError("the run has not ended")
    return Outcome(
        family=example.family if example else TYPED,
        index=index,
        decoder=config.decoder,
        block_sizes=config.block_sizes,
        correct=is_correct(example, end.text) if example else None,
        init=totals.init,
        denoise=totals.denoise,
        refresh=totals.refresh,
        tokens=words(trace),
        ms=round(totals.milliseconds["forward"] + totals.milliseconds["consensus"], 3),
        recording_ms=totals.milliseconds["recording"],
    )


def key_of(kind: str, example: Task, index: int, config: Config) -> str:
    """A digest of what a record depends on, the model apart; the checker's facts are part of it."""
    parts = [kind, example.family, index, example.prompt, repr(example.check_data), config.decoder, config.to_dict()]
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=12).hexdigest()
