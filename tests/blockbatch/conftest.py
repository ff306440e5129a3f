"""A recorded run that the tests of writing and of reading share."""

from __future__ import annotations

import pytest
from runs import SMALL

from blockbatch.models import Model
from blockbatch.run import Run


@pytest.fixture(scope="session")
def lines(model: Model) -> list[str]:
    """The lines of a run with a change in the middle."""
    run = Run(model, "what is 2 + 2?", SMALL)
    recorded = []
    for line in run:
        recorded.append(line)
        if len(recorded) == 3:
            run.reconfigure(commit_threshold=0.4, block_sizes=(2, 5, 16), resize={8: 12})
    assert len(recorded) > 5
    return recorded
