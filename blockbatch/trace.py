"""The record of a decode, and the only thing that viewers, metrics, exports and tests read.

In memory a `Trace` is a header, immutable `Step`s and an end; as a file it is NDJSON, one line each in that order.
A step is one forward and all that followed it until the next.  Token rows are not stored: they are the fold of the
events, and `Trace.rows` arrives at the decoder's own rows.  Reading a file is strict and lives in `reading`.

Positions count from the end of the prompt, 0 .. gen_length - 1; a branch is named by its block size.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from blockbatch.config import MAX_BRANCHES, Config
from blockbatch.errors import TraceError
from blockbatch.events import Add, Ahead, Commit, Drop, Event, Merge, Resize, Sync, event_to_dict
from blockbatch.metrics import Totals, totals

FORMAT = "blockbatch-trace"
VERSION = 1
RECORDED_CANDIDATES = 5
MASKED = -1  # in a folded row: no token yet (the mask token's own id may stand in a prompt)
KINDS = ("init", "denoise", "refresh", "ahead")
STOPS = ("eos", "complete", "stopped", "failed")

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Header:
    """What was decoded, by what.

    origin: the run and step that it was forked from, if any.  lookback: of the model, by how many positions it computes
    its windows further to the left (see `denoiser.Denoiser`); a file names it where it is not 0.
    """

    run: str
    model: str
    decoder: str
    config: Config
    prompt: str
    prompt_tokens: tuple[int, ...]
    mask_id: int
    eos_id: int
    device: str
    dtype: str
    versions: Mapping[str, str]
    origin: tuple[str, int] | None = None
    lookback: int = 0


@dataclass(frozen=True, slots=True)
class BranchState:
    """A branch as it went into a step's forward.  `window` is [start, end); `forward` tells whether it took part."""

    branch: int
    window: tuple[int, int]
    decoded: int
    done: bool
    forward: bool


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The best candidates of `branch` at its n masked window positions, as its forward in this step gave them.

    positions [n], counts [n] (1 to 5 candidates each), tokens [sum of counts], probabilities [sum of counts] (rounded
    down to 4 decimals, so that comparing them with a threshold of 4 decimals gives what the decoder saw), best first;
    entropy [n] in nats over the whole vocabulary.
    """

    branch: int
    positions: Ints
    counts: Ints
    tokens: Ints
    probabilities: Floats
    entropy: Floats

    def at(self, position: int) -> list[tuple[int, float]]:
        """(token, probability) pairs at `position`, best first; empty where it was not masked."""
        index = int(np.searchsorted(self.positions, position))
        if index == len(self.positions) or self.positions[index] != position:
            return []
        end = int(self.counts[: index + 1].sum())
        part = slice(end - int(self.counts[index]), end)
        return list(zip(self.tokens[part].tolist(), self.probabilities[part].tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class Milliseconds:
    """Wall time of a step: the model call, the rules, and making this record."""

    forward: float
    consensus: float
    recording: float


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One forward and what followed.  Events stand in the order in which they happened.

    A step of kind ahead has no forward of its own: what its branch needed was computed in the one before.
    """

    index: int
    kind: Literal["init", "denoise", "refresh", "ahead"]
    branches: tuple[BranchState, ...]
    candidates: tuple[Candidates, ...]
    events: tuple[Event, ...]
    milliseconds: Milliseconds


@dataclass(frozen=True)
class End:
    """How a run ended.  `stop`: a branch reached the end of text (eos), everything was filled (complete), a person
    stopped it (stopped) or it broke (failed).  `text` is the winner's, up to its first end-of-text token; `eos` the
    position of the one for which it stopped, which need not be that."""

    winner: int
    text: str
    stop: Literal["eos", "complete", "stopped", "failed"]
    eos: int | None
    totals: Totals


@dataclass
class Rows:
    """The fold: each branch's generated row [gen_length], `MASKED` where no token stands."""

    rows: dict[int, Ints]

    @classmethod
    def start(cls, config: Config) -> Rows:
        """All branches of `config`, all masked."""
        return cls({size: np.full(config.gen_length, MASKED, np.int64) for size in config.block_sizes})

    def apply(self, event: Event) -> None:
        """Let `event` happen.  TraceError where it cannot: an unknown branch, or a token over a token."""
        match event:
            case Commit(branch, position, token) | Merge(branch=branch, position=position, token=token):
                row = self._row(branch)
                if not 0 <= position < len(row) or row[position] != MASKED:
                    raise TraceError(f"position {position} of branch {branch} is not masked, so nothing can be written")
                row[position] = token
            case Sync(branch, leader, _, positions):
                row, source = self._row(branch), self._row(leader)
                changed = np.flatnonzero(row != source)
                if changed.tolist() != list(positions):
                    raise TraceError(f"the reset of branch {branch} does not list the positions that change")
                row[changed] = source[changed]
            case Ahead(branch, positions):
                if (self._row(branch)[list(positions)] != MASKED).any():
                    raise TraceError(f"branch {branch} looks ahead to a position that is not masked")
            case Add(branch, source):
                self.rows[self._free(branch)] = self._row(source).copy()
            case Drop(branch):
                self._row(branch)
                del self.rows[branch]
            case Resize(branch, size):
                self._row(branch)
                self.rows[self._free(size)] = self.rows.pop(branch)
            case _:
                pass

    def _row(self, branch: int) -> Ints:
        if branch not in self.rows:
            raise TraceError(f"there is no branch of block size {branch}")
        return self.rows[branch]

    def _free(self, branch: int) -> int:
        if branch in self.rows:
            raise TraceError(f"there is already a branch of block size {branch}")
        if len(self.rows) > MAX_BRANCHES:
            raise TraceError(f"there are more than {MAX_BRANCHES} branches")
        return branch


@dataclass
class Trace:
    """A run, finished or going on.  `pieces` holds the text of every token id in it, as the vocabulary writes it."""

    header: Header
    steps: list[Step] = field(default_factory=list)
    end: End | None = None
    pieces: dict[int, str] = field(default_factory=dict)

    def rows(self, step: int) -> dict[int, Ints]:
        """Each branch's generated row [gen_length] after `step` (-1: before the first), `MASKED` where masked."""
        if not -1 <= step < len(self.steps):
            raise IndexError(f"step {step} is outside this run of {len(self.steps)} steps")
        rows = Rows.start(self.header.config)
        for record in self.steps[: step + 1]:
            for event in record.events:
                rows.apply(event)
        return rows.rows

    @property
    def totals(self) -> Totals:
        """Counts over the steps so far."""
        return totals(self.steps)

    def lines(self) -> Iterator[str]:
        """The NDJSON lines of this run; one that is still going on has no closing line."""
        recorder = Recorder(self.header, self.pieces.__getitem__)
        yield recorder.start()
        yield from map(recorder.add, self.steps)
        if self.end is not None:
            yield recorder.close(self.end)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the NDJSON file, whole or not at all."""
        target = Path(path)
        partial = target.with_name(target.name + ".partial")
        try:
            partial.write_text("\n".join(self.lines()) + "\n", encoding="utf-8")
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)


class Recorder:
    """Collects a run while it goes on and gives each part's NDJSON line as it comes.

    `piece` gives the text of a token id; each id is looked up once, and written where it first appears.
    """

    def __init__(self, header: Header, piece: Callable[[int], str]) -> None:
        self.trace = Trace(header)
        self._piece = piece

    def start(self) -> str:
        """The header line."""
        header = self.trace.header
        values = {name: getattr(header, name) for name in header.__dataclass_fields__}
        values["config"] = header.config.to_dict()
        values["versions"] = dict(header.versions)
        values["origin"] = header.origin and {"run": header.origin[0], "step": header.origin[1]}
        if not header.lookback:
            del values["lookback"]  # files from before it was named have none, and read the same
        values["pieces"] = self._new_pieces(header.prompt_tokens)
        return _line({"type": "header", "format": FORMAT, "version": VERSION, **values})

    def add(self, step: Step) -> str:
        """Take in `step`; its line."""
        self.trace.steps.append(step)
        return _line({"type": "step", **step_to_dict(step), "pieces": self._new_pieces(tokens_in(step))})

    def close(self, end: End) -> str:
        """Take in the end; its line."""
        self.trace.end = end
        values = {name: getattr(end, name) for name in ("winner", "text", "stop", "eos")}
        return _line({"type": "end", **values, "totals": end.totals.to_dict()})

    def _new_pieces(self, tokens: Sequence[int]) -> dict[str, str]:
        new = {token: self._piece(token) for token in dict.fromkeys(tokens) if token not in self.trace.pieces}
        self.trace.pieces.update(new)
        return {str(token): piece for token, piece in new.items()}


def tokens_in(step: Step) -> list[int]:
    """Every token id that `step` mentions; an id may come more than once."""
    written = [event.token for event in step.events if isinstance(event, WRITING)]
    written += [token for event in step.events if isinstance(event, Ahead) for token in event.tokens]
    return [*written, *chain.from_iterable(candidates.tokens.tolist() for candidates in step.candidates)]


def step_to_dict(step: Step) -> dict[str, Any]:
    """The step as plain JSON values, without `type` and `pieces`."""
    return {
        "index": step.index,
        "kind": step.kind,
        "branches": [
            {"branch": b.branch, "window": b.window, "decoded": b.decoded, "done": b.done, "forward": b.forward}
            for b in step.branches
        ],
        "candidates": [
            {"branch": c.branch, **{name: getattr(c, name).tolist() for name in CANDIDATE_ARRAYS}}
            for c in step.candidates
        ],
        "events": [event_to_dict(event) for event in step.events],
        "milliseconds": {name: getattr(step.milliseconds, name) for name in MILLISECONDS},
    }


WRITING = (Commit, Merge)
CANDIDATE_ARRAYS = ("positions", "counts", "tokens", "probabilities", "entropy")
MILLISECONDS = ("forward", "consensus", "recording")


def _line(values: dict[str, Any]) -> str:
    # A lone surrogate cannot be written as UTF-8, so anything beyond ASCII goes out escaped.
    return json.dumps(values, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
