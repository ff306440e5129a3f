"""Which branches agree with most of the others, position by position."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from blockbatch.rules import Bools
from blockbatch.trace import MASKED, Ints, Rows, Trace


class Consensus(NamedTuple):
    """B branches at G positions.  Every cell is in one of `agrees`, `parts` and `absent`."""

    agrees: Bools  # [B, G] holds the token that most of the branches which hold one hold there
    parts: Bools  # [B, G] holds another
    absent: Bools  # [B, G] masked
    tokens: Ints  # [G] that token, MASKED where no branch holds one
    counts: Ints  # [G] the branches that hold it


def consensus(table: Ints) -> Consensus:
    """The agreement of the rows `table` [B, G], `MASKED` where masked; of tied tokens the first in order counts."""
    held = table != MASKED
    votes = ((table[:, None] == table[None]) & held[None]).sum(axis=1) * held
    first = votes.argmax(axis=0)[None]
    tokens, counts = np.take_along_axis(table, first, axis=0)[0], votes.max(axis=0)
    agrees = held & (table == tokens)
    return Consensus(agrees, held & ~agrees, ~held, tokens, counts)


def apart(table: Ints) -> Bools:
    """The positions [G] at which two of the rows `table` [B, G] hold different tokens."""
    lowest = np.where(table == MASKED, np.iinfo(np.int64).max, table).min(axis=0)
    highest = table.max(axis=0)
    found: Bools = (highest != MASKED) & (lowest != highest)
    return found


def last_apart(trace: Trace) -> int:
    """The last step after which two branches hold different tokens somewhere; the last of all where none ever do."""
    fold, found = Rows.start(trace.header.config), len(trace.steps) - 1
    for step in trace.steps:
        for event in step.events:
            fold.apply(event)
        if apart(np.stack(list(fold.rows.values()))).any():
            found = step.index
    return found
