"""One forward at a time: runs it, keeps its candidates in the branches' tables, and records it as a `Step`.

Every decoder, BlockBatch and baselines alike, is a loop over a `Stepper`: open a step with a forward, let events
happen, close it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from blockbatch.ahead import AheadRow
from blockbatch.config import Config
from blockbatch.denoiser import Denoiser, Prediction, Segment
from blockbatch.events import Commit, Event
from blockbatch.state import Bools, Branches
from blockbatch.trace import RECORDED_CANDIDATES, BranchState, Candidates, Ints, Milliseconds, Step

Kind = Literal["init", "denoise", "refresh", "ahead"]
RECORDED_FLOOR = 0.005  # candidates below this are not recorded, the best one excepted


class Span(NamedTuple):
    """Generated positions of the branch at an index: [start, end) to predict, and from `begin` on to compute."""

    branch: int
    begin: int
    start: int
    end: int


class Stepper:
    """The branches of one request, their cache, and the step in the making."""

    def __init__(self, denoiser: Denoiser, prompt: Sequence[int], config: Config) -> None:
        self.denoiser = denoiser
        self.config = config
        self.prompt = np.array(prompt, np.int64)
        self.branches = Branches.fresh(config.block_sizes, config.gen_length)
        self.length = len(self.prompt) + config.gen_length
        self.cache = denoiser.new_cache(self.length)
        self.branches.cache_rows[:] = [self.cache.allocate() for _ in config.block_sizes]
        self.index = 0
        self._kind: Kind = "init"
        self._events: list[Event] = []

    def record(self, *events: Event) -> None:
        """Note what happened, in order."""
        self._events.extend(events)

    def open(self, kind: Kind, spans: Sequence[Span], full: bool = False, ahead: Sequence[AheadRow] = ()) -> None:
        """Start a step: forward `spans` (the prompt too when `full`) in one model call and fill the tables.

        The same call computes the windows of the rows `ahead`, which keep what it gives.
        """
        self._forward(kind, spans, full, ahead)
        self._take_part([span.branch for span in spans])

    def open_ahead(self, branch: int, known: AheadRow) -> None:
        """Start a step of the branch at the index `branch` without a forward: what it would give is `known`."""
        assert known.prediction is not None
        self._kind = "ahead"
        self._forward_end, self._forward_seconds, self._recording_seconds = time.perf_counter(), 0.0, 0.0
        self.cache.copy(known.cache_row, [int(self.branches.cache_rows[branch])])
        self._fill([Span(branch, known.begin, known.start, known.end)], known.prediction)
        self._take_part([branch])

    def open_full(self, kind: Kind, branches: Ints) -> None:
        """Start a step: forward the whole rows of the branches at the indices `branches`.

        Branches whose rows are equal get equal results, so one of them is computed for all.
        """
        groups = self._alike(kind, branches.tolist())
        self._forward(kind, [Span(group[0], 0, 0, self.config.gen_length) for group in groups], full=True)
        for source, *others in groups:
            self._share(source, others)
        self._take_part(branches.tolist())

    def _forward(self, kind: Kind, spans: Sequence[Span], full: bool, ahead: Sequence[AheadRow] = ()) -> None:
        b, self._kind = self.branches, kind
        began = time.perf_counter()
        segments = [self._segment(b.rows[n], int(b.cache_rows[n]), part, full, [int(b.sizes[n])]) for n, *part in spans]
        segments += [
            self._segment(a.row, a.cache_row, [a.begin, a.start, a.end], False, [a.branch, number])
            for number, a in enumerate(ahead, start=1)  # to a generator of noise, no number and 0 are the same
        ]
        prediction = self.denoiser.forward(segments)
        self._forward_end = time.perf_counter()
        self._forward_seconds = self._forward_end - began
        first = sum(span.end - span.start for span in spans)
        self._fill(spans, prediction.part(0, first))
        for row in ahead:
            last = first + row.end - row.start
            row.prediction, first = prediction.part(first, last), last
        self._recording_seconds = 0.0

    def _alike(self, kind: Kind, branches: Sequence[int]) -> list[list[int]]:
        """`branches` in groups of equal rows; but noise is drawn by branch, so a sampled refresh shares nothing."""
        if kind == "refresh" and self.config.temperature:
            return [[branch] for branch in branches]
        groups: dict[bytes, list[int]] = {}
        for branch in branches:
            groups.setdefault(self.branches.rows[branch].tobytes(), []).append(branch)
        return list(groups.values())

    def _share(self, source: int, others: list[int]) -> None:
        """Give the branches at the indices `others` the tables and the cache row of the branch `source`."""
        b = self.branches
        for table in (b.tokens, b.probabilities, b.eos_table, b.entropy, b.choice, b.confidence):
            table[others] = table[source]
        self.cache.copy(int(b.cache_rows[source]), b.cache_rows[others].tolist())

    def commit(self, chosen: Bools, forced: Bools) -> None:
        """Write the candidates at `chosen` [N, G] into the rows; `forced` marks those below their threshold."""
        b = self.branches
        b.rows[chosen] = b.choice[chosen]
        b.decoded += chosen.sum(axis=1)
        where, position = np.nonzero(chosen)
        self.record(
            *map(
                Commit,
                b.sizes[where].tolist(),
                position.tolist(),
                b.choice[chosen].tolist(),
                rounded_down(b.confidence[chosen]).tolist(),
                forced[chosen].tolist(),
            )
        )

    def close(self) -> Step:
        """The finished step."""
        began = time.perf_counter()
        seconds = (self._forward_seconds, began - self._forward_end - self._recording_seconds)
        events, self._events = tuple(self._events), []
        recording = self._recording_seconds + time.perf_counter() - began
        times = Milliseconds(*(round(1000 * value, 3) for value in (*seconds, recording)))
        step = Step(self.index, self._kind, self._states, self._candidates, events, times)
        self.index += 1
        return step

    def _segment(self, row: Ints, cache_row: int, part: Sequence[int], full: bool, noise: Sequence[int]) -> Segment:
        """Of `row` [G] the `part` (begin, start, end), of which candidates are wanted from start on; the prompt
        too when `full`.  `noise` tells this segment's from that of others of the forward."""
        answer = np.where(row < 0, self.denoiser.mask_id, row)
        offset, (begin, start, end) = len(self.prompt), part
        first = 0 if full else max(offset + begin - self.denoiser.lookback, 0)
        tokens = np.concatenate([self.prompt, answer])[first : offset + end]
        seed = np.random.SeedSequence([self.config.seed, self.index, *noise]).generate_state(1, np.uint64)
        wanted, temperature = offset + start - first, self.config.temperature
        return Segment(self.cache, cache_row, first, tokens, wanted, temperature, int(seed[0]))

    def _fill(self, spans: Sequence[Span], prediction: Prediction) -> None:
        b = self.branches
        branch = np.concatenate([np.full(span.end - span.start, span.branch) for span in spans])
        position = np.concatenate([np.arange(span.start, span.end) for span in spans])
        k = prediction.tokens.shape[1]
        b.tokens[branch, position, :k], b.probabilities[branch, position, :k] = prediction[:2]
        b.eos_table[branch, position], b.entropy[branch, position] = prediction.eos, prediction.entropy
        b.choice[branch, position], b.confidence[branch, position] = prediction.choice, prediction.confidence

    def _take_part(self, branches: Iterable[int]) -> None:
        """Record the branches as they stand, those at the indices `branches` with their candidates."""
        began = time.perf_counter()
        taking_part = sorted(branches)
        self.branches.begin[taking_part] = self.branches.start[taking_part]
        self._states = self._branch_states(taking_part)
        slots = self.branches.masked & self.branches.in_window
        self._candidates = tuple(self._candidates_of(branch, np.flatnonzero(slots[branch])) for branch in taking_part)
        self._recording_seconds += time.perf_counter() - began

    def _branch_states(self, taking_part: Sequence[int]) -> tuple[BranchState, ...]:
        b = self.branches
        columns = zip(
            b.sizes.tolist(), b.start.tolist(), b.end.tolist(), b.decoded.tolist(), b.done.tolist(), strict=True
        )
        return tuple(
            BranchState(size, (start, end), decoded, done, index in taking_part)
            for index, (size, start, end, decoded, done) in enumerate(columns)
        )

    def _candidates_of(self, branch: int, positions: Ints) -> Candidates:
        b = self.branches
        probabilities = rounded_down(b.probabilities[branch, positions, :RECORDED_CANDIDATES])
        kept = probabilities >= RECORDED_FLOOR
        kept[:, 0] = True
        return Candidates(
            int(b.sizes[branch]),
            *_frozen(
                positions,
                kept.sum(axis=1),
                b.tokens[branch, positions, :RECORDED_CANDIDATES][kept],
                probabilities[kept],
                np.round(b.entropy[branch, positions], 3),
            ),
        )


def rounded_down(probabilities: Any) -> Any:
    """Probabilities as they are recorded: to 4 decimals, downwards, so that a recorded 0.9 was at least 0.9."""
    return np.floor(probabilities * 1e4 + 1e-9) / 1e4


def _frozen(*arrays: np.ndarray) -> Iterable[np.ndarray]:
    for array in arrays:
        array.setflags(write=False)
        yield array
