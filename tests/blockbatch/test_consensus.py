"""Agreement by position: every cell in one class, and the majority counted as one would by hand."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from runs import of_every_sort

from blockbatch.consensus import consensus, last_apart
from blockbatch.trace import MASKED

tables = st.tuples(st.integers(1, 6), st.integers(0, 9)).flatmap(
    lambda shape: arrays(np.int64, shape, elements=st.integers(MASKED, 3))
)


@given(table=tables)
def test_the_majority_is_that_of_a_count_by_hand(table: np.ndarray) -> None:
    found = consensus(table)
    assert (found.agrees.astype(int) + found.parts + found.absent == 1).all()
    for place, column in enumerate(table.T.tolist()):
        held = Counter(token for token in column if token != MASKED)  # counts from the first branch on
        token, count = held.most_common(1)[0] if held else (MASKED, 0)
        assert (found.tokens[place], found.counts[place]) == (token, count)
        assert found.agrees[:, place].tolist() == [cell == token != MASKED for cell in column]


def test_the_last_step_after_which_branches_are_apart() -> None:
    for trace in of_every_sort().values():
        apart = [
            step
            for step in range(len(trace.steps))
            if any(
                len({t for t in column if t != MASKED}) > 1 for column in zip(*trace.rows(step).values(), strict=True)
            )
        ]
        assert last_apart(trace) == (apart[-1] if apart else len(trace.steps) - 1)
