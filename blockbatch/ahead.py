"""Looking ahead: rows that a branch may come to hold, computed in the same forward as the row that it holds.

After a forward a branch knows a best candidate, a draft, for each masked position of its window.  With `lookahead` the
next forward computes the leader's row and, beside it, the row with the draft that would be forced next written, with
the next two written, and so on, each in a cache row of its own.  Should the leader then commit just these tokens, what
the model makes of that row is known already, and the leader takes its next step without a forward.  No token is written
that the leader would not have written: a draft that turns out wrong costs its part of a forward, no more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from blockbatch import rules
from blockbatch.denoiser import Prediction
from blockbatch.state import Bools, Branches
from blockbatch.trace import Ints


@dataclass(eq=False)
class AheadRow:
    """`row` [G] of the branch of block size `branch`, its window [start, end) and its cache row; what the forward gave
    at the window once there was one.  The forward computes it from `begin` on, where that of the branch itself
    begins: drafts may have filled that one, and then its keys and values are to be those of the drafts."""

    branch: int
    row: Ints
    begin: int
    start: int
    end: int
    cache_row: int
    prediction: Prediction | None = None

    def branch_in(self, b: Branches) -> int | None:
        """The index of the branch that holds just this row now, with just this window."""
        window = (self.start, self.end)
        for n in np.flatnonzero(b.sizes == self.branch).tolist():
            if (b.start[n], b.end[n]) == window and np.array_equal(b.rows[n], self.row):
                return int(n)
        return None


def drafts(b: Branches, branch: int, count: int, reach: int, waiting: Bools) -> list[int]:
    """The positions whose drafts the branch at index `branch` would be forced to write next, at most `count`.

    As far as its table tells, and leaving a position to fill: one after the other, each the most confident of the first
    `reach` open ones (0: of all); a draft at `waiting` [G], an end of text, is only taken where nothing masked is left
    before it.
    """
    masked, inside = b.masked[branch].copy(), b.in_window[branch]
    found: list[int] = []
    while len(found) < count and masked.sum() > 1:
        free = masked & inside & ~(waiting & rules.behind_a_gap(masked[None])[0])
        if not free.any():
            break
        _, forced = rules.commits(free[None], b.confidence[branch][None], np.inf, reach)
        found.append(int(forced[0].argmax()))
        masked[found[-1]] = False
    return found


def rows_ahead(
    b: Branches, branch: int, begin: int, positions: Sequence[int], cache_rows: Sequence[int]
) -> list[AheadRow]:
    """The row of the branch at index `branch` with the first of the drafts at `positions` written, with two, ...

    `begin` is where the forward of the branch itself begins.
    """
    rows = rules.with_drafts(b.rows[branch], positions, b.choice[branch, positions].tolist())
    start, end, _ = rules.windows(rows < 0, np.repeat(b.sizes[branch], len(rows)))
    size = int(b.sizes[branch])
    return [
        AheadRow(size, row, begin, int(first), int(last), cache_row)
        for row, first, last, cache_row in zip(rows, start, end, cache_rows, strict=True)
    ]
