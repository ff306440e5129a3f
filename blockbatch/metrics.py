"""Figures of a run, read from its steps.  Every figure says what it is divided by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from blockbatch.events import Commit, Merge, Sync

if TYPE_CHECKING:  # trace.py writes totals into a run's closing line, so only the names are needed here
    from blockbatch.trace import Step


@dataclass(frozen=True)
class Totals:
    """Counts over a run's steps.

    forwards by kind (their sum is the NFE: batched model calls, however many branches took part), and the steps that
    needed none, because what they saw was computed ahead; per branch,
    tokens committed, tokens taken over by consensus, and tokens gained by leader resets (the leader's count of decoded
    tokens less the branch's own, summed over its resets); milliseconds of all forwards, of all rules, of recording.
    """

    init: int
    denoise: int
    refresh: int
    ahead: int
    committed: Mapping[int, int]
    merged: Mapping[int, int]
    copied: Mapping[int, int]
    milliseconds: Mapping[str, float]

    @property
    def forwards(self) -> int:
        """The NFE."""
        return self.init + self.denoise + self.refresh

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values; branches as strings, as JSON wants its keys."""
        counts = {
            name: {str(branch): count for branch, count in sorted(getattr(self, name).items())}
            for name in ("committed", "merged", "copied")
        }
        kinds = {"forwards": self.forwards, "init": self.init, "denoise": self.denoise, "refresh": self.refresh}
        ahead = {"ahead": self.ahead} if self.ahead else {}  # as in records older than it
        return {**kinds, **ahead, **counts, "milliseconds": dict(self.milliseconds)}


def totals(steps: Sequence[Step]) -> Totals:
    """Counts over `steps`; every branch that ever took part is named, with 0 where nothing happened."""
    branches = sorted({state.branch for step in steps for state in step.branches})
    counts = {cls: Counter(dict.fromkeys(branches, 0)) for cls in (Commit, Merge, Sync)}
    for event in (event for step in steps for event in step.events):
        if isinstance(event, Commit | Merge | Sync):
            counts[type(event)][event.branch] += event.gained if isinstance(event, Sync) else 1
    kinds = Counter(step.kind for step in steps)
    times = {
        name: round(sum(getattr(step.milliseconds, name) for step in steps), 3)
        for name in ("forward", "consensus", "recording")
    }
    return Totals(
        kinds["init"], kinds["denoise"], kinds["refresh"], kinds["ahead"],
        counts[Commit], counts[Merge], counts[Sync], times,
    )  # fmt: skip


def tokens_per_forward(tokens: int, forwards: int) -> float:
    """`tokens` written (the winner's, end-of-text excluded) per forward; 0 where there was none."""
    return tokens / forwards if forwards else 0.0


def agreement(rows: Iterable[NDArray[np.int64]]) -> tuple[int, int]:
    """(positions at which all branches hold the same token, positions at which all hold a token).

    rows: [gen_length] each, negative where masked.
    """
    table = np.stack(list(rows))
    held = (table >= 0).all(axis=0)
    same = held & (table == table[0]).all(axis=0)
    return int(same.sum()), int(held.sum())


def first_divergence(left: NDArray[np.int64], right: NDArray[np.int64]) -> int | None:
    """The first position at which both rows hold a token and the tokens differ."""
    differs = np.flatnonzero((left >= 0) & (right >= 0) & (left != right))
    return int(differs[0]) if len(differs) else None
