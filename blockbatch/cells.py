"""What every branch held and thought at each of its positions after each step: the events folded, with confidences.

`trace.Rows` folds the tokens alone; this adds with which probability each one was written, and what a masked position's
most recent forward would have put there.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Self

import numpy as np

from blockbatch.config import Config
from blockbatch.events import STRUCTURE, Add, Commit, Drop, Event, Merge, Resize, Sync
from blockbatch.trace import MASKED, Candidates, Floats, Ints, Step, Trace


@dataclass
class Cells:
    """The cells of one branch, by position: each array is [gen_length].

    tokens: the token written, `MASKED` where there is none; confidence: its probability when it was written (a token
    copied by a leader reset keeps the leader's); drafts: the best candidate of the most recent forward that looked
    there, `MASKED` where none did; chances: that candidate's probability.
    """

    tokens: Ints
    confidence: Floats
    drafts: Ints
    chances: Floats

    @classmethod
    def start(cls, length: int) -> Self:
        """All masked, and nothing looked at yet."""
        return cls(
            np.full(length, MASKED, np.int64), np.zeros(length), np.full(length, MASKED, np.int64), np.zeros(length)
        )

    def look(self, candidates: Candidates) -> None:
        """A forward gave these candidates."""
        if not len(candidates.positions):
            return
        first = np.cumsum(candidates.counts) - candidates.counts
        self.drafts[candidates.positions] = candidates.tokens[first]
        self.chances[candidates.positions] = candidates.probabilities[first]

    def copy_at(self, positions: list[int], other: Cells) -> None:
        """Take over what `other` holds at `positions`."""
        self.tokens[positions] = other.tokens[positions]
        self.confidence[positions] = other.confidence[positions]


def cells_after_each(trace: Trace) -> Iterator[dict[int, Cells]]:
    """Each branch's cells after every step in turn, by block size.  What was given before never changes."""
    fold = _Fold(trace.header.config)
    for step in trace.steps:
        fold.apply(step)
        yield deepcopy(fold.branches)


class _Fold:
    def __init__(self, config: Config) -> None:
        self.branches = {size: Cells.start(config.gen_length) for size in config.block_sizes}

    def apply(self, step: Step) -> None:
        """Changes of branches come first, then the forward, then what the rules made of it."""
        for event in step.events:
            if isinstance(event, STRUCTURE):
                self._happen(event)
        self._forward(step)
        for event in step.events:
            if not isinstance(event, STRUCTURE):
                self._happen(event)

    def _forward(self, step: Step) -> None:
        for candidates in step.candidates:
            # The first forward is of one branch for all, whose rows are still equal.
            looking = self.branches.values() if step.kind == "init" else [self.branches[candidates.branch]]
            for cells in looking:
                cells.look(candidates)

    def _happen(self, event: Event) -> None:
        match event:
            case Commit(branch, position, token, probability) | Merge(branch, _, position, token, probability):
                self.branches[branch].tokens[position] = token
                self.branches[branch].confidence[position] = probability
            case Sync(branch, leader, _, positions):
                self.branches[branch].copy_at(list(positions), self.branches[leader])
            case Add(branch, source):
                self.branches[branch] = deepcopy(self.branches[source])
            case Drop(branch):
                del self.branches[branch]
            case Resize(branch, size):
                self.branches[size] = self.branches.pop(branch)
            case _:
                pass
