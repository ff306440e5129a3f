"""The branches of one run as arrays: N branches in ascending block size, G generated positions, K candidates.

A position counts from the end of the prompt.  A masked slot holds `MASKED`, never the mask token's id, so text that
happens to contain that token is not taken for a slot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockbatch import rules
from blockbatch.trace import MASKED, Floats, Ints

Bools = NDArray[np.bool_]
K = 10  # at most nine tokens can exceed the floor of 0.1 that a merge asks for, so ten lose nothing


@dataclass
class Branches:
    """All arrays have the branches as their first axis, so `take` reorders, copies and drops them together."""

    sizes: Ints  # [N] block size
    cache_rows: Ints  # [N] the branch's row in the KV cache
    rows: Ints  # [N, G] tokens
    start: Ints  # [N] window [start, end)
    end: Ints
    begin: Ints  # [N] where the window was at the branch's last forward; see `settle_windows`
    decoded: Ints  # [N] tokens decoded, what the leader has most of
    done: Bools  # [N]
    blocks_since_refresh: Ints  # [N]
    asks_refresh: Bools  # [N]
    eos_position: Ints  # [N] where an end of text was found in a full window, -1 before
    eos_probability: Floats  # [N] its probability then
    tokens: Ints  # [N, G, K] the table: candidates of the most recent forward at each position, best first
    probabilities: Floats  # [N, G, K]
    eos_table: Floats  # [N, G] probability of the end-of-text token
    entropy: Floats  # [N, G] nats
    choice: Ints  # [N, G] the candidate that a commit would write: the best, or the sampled one
    confidence: Floats  # [N, G] its untempered probability

    @classmethod
    def fresh(cls, sizes: Sequence[int], gen_length: int) -> Branches:
        """All positions masked, every window at its first block, tables empty."""
        n, g = len(sizes), gen_length
        branches = cls(
            sizes=np.array(sizes, np.int64),
            cache_rows=np.arange(n),
            rows=np.full((n, g), MASKED, np.int64),
            start=np.zeros(n, np.int64),
            end=np.zeros(n, np.int64),
            begin=np.zeros(n, np.int64),
            decoded=np.zeros(n, np.int64),
            done=np.zeros(n, np.bool_),
            blocks_since_refresh=np.zeros(n, np.int64),
            asks_refresh=np.zeros(n, np.bool_),
            eos_position=np.full(n, -1, np.int64),
            eos_probability=np.zeros(n),
            tokens=np.full((n, g, K), MASKED, np.int64),
            probabilities=np.zeros((n, g, K)),
            eos_table=np.zeros((n, g)),
            entropy=np.zeros((n, g)),
            choice=np.full((n, g), MASKED, np.int64),
            confidence=np.zeros((n, g)),
        )
        branches.move(np.ones(n, np.bool_))
        return branches

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def gen_length(self) -> int:
        """G."""
        return int(self.rows.shape[1])

    @property
    def masked(self) -> Bools:
        """[N, G] positions without a token."""
        return np.equal(self.rows, MASKED)

    @property
    def in_window(self) -> Bools:
        """[N, G] positions inside the branch's window."""
        at = np.arange(self.gen_length)
        return (at >= self.start[:, None]) & (at < self.end[:, None])

    @property
    def full(self) -> Bools:
        """[N] the window holds no masked position (an empty window counts as full)."""
        return np.logical_not((self.masked & self.in_window).any(axis=1))

    @property
    def leader(self) -> int:
        """Index of the branch with the most decoded tokens, the first on a tie."""
        return int(self.decoded.argmax())

    def move(self, which: Bools) -> None:
        """Put the windows of `which` [N] where the window rule says."""
        start, end, done = rules.windows(self.masked[which], self.sizes[which])
        self.start[which], self.end[which], self.done[which] = start, end, done

    def take(self, order: Sequence[int] | Ints) -> Branches:
        """New arrays with the branches at indices `order`; an index may come twice or not at all."""
        index = np.asarray(order, np.int64)
        return Branches(**{f.name: getattr(self, f.name)[index] for f in fields(self)})

    def copy(self, leader: int, branch: int) -> None:
        """Leader reset of the branch at index `branch`: row, counter, end-of-text finding; its table stays."""
        arrays: tuple[NDArray[Any], ...] = (
            self.rows, self.decoded, self.begin, self.eos_position, self.eos_probability,
        )  # fmt: skip
        for array in arrays:
            array[branch] = array[leader]
        self.move(np.arange(len(self)) == branch)
