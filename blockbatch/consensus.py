"""Which branches agree with most of the others, position by position."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from blockbatch.cells import cells_after_each
from blockbatch.rules import Bools
from blockbatch.trace import MASKED, Ints, Trace


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


def last_apart(trace: Trace) -> int:
    """The last step after which two branches hold different tokens somewhere; the last of all where none ever do."""
    found = len(trace.steps) - 1
    for step, cells in enumerate(cells_after_each(trace)):
        if consensus(np.stack([own.tokens for own in cells.values()])).parts.any():
            found = step
    return found
