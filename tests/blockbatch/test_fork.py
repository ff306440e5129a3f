"""Going on from a recorded step: the past is repeated exactly, the future may differ."""

from __future__ import annotations

from dataclasses import replace

import pytest
from runs import rebuilt

from blockbatch.config import BaselineConfig
from blockbatch.errors import ConfigError, ForkError
from blockbatch.events import Commit, ConfigChange
from blockbatch.fork import fork
from blockbatch.models import Model
from blockbatch.reading import parse_trace
from blockbatch.run import Run
from blockbatch.trace import Step, Trace


@pytest.fixture(scope="module")
def trace(model: Model) -> Trace:
    """A run that was changed on its way, and whose tokens are sampled."""
    found = rebuilt(model, temperature=0.4)
    assert len(found.steps) > 8
    return found


def happened(steps: list[Step]) -> list[object]:
    return [(step.kind, step.branches, step.events) for step in steps]


@pytest.mark.parametrize("step", [0, 3, 7])
def test_a_fork_without_changes_is_the_same_run(model: Model, trace: Trace, step: int) -> None:
    """Up to the fork; later changes of the recorded run are not repeated."""
    forked = fork(model, trace, step)
    reread = parse_trace("\n".join(forked))
    same = len(trace.steps) if step >= 4 else step + 1
    assert happened(reread.steps)[:same] == happened(trace.steps)[:same]
    assert reread.header.origin == (trace.header.run, step)
    assert reread.header.run != trace.header.run


def test_a_fork_goes_on_under_the_new_settings(model: Model, trace: Trace) -> None:
    forked = fork(model, trace, 3, commit_threshold=0.0)
    list(forked)
    assert happened(forked.trace.steps)[:4] == happened(trace.steps)[:4]
    first = forked.trace.steps[4].events
    assert first[0] == ConfigChange("commit_threshold", 0.4, 0.0)
    assert not any(isinstance(event, Commit) and event.forced for event in first)


def test_a_record_that_does_not_repeat_is_said_with_its_step(model: Model, trace: Trace) -> None:
    steps = list(trace.steps)
    first = steps[2].events[-1]
    assert isinstance(first, Commit)
    steps[2] = replace(steps[2], events=(*steps[2].events[:-1], replace(first, token=first.token + 1)))
    forked = fork(model, replace(trace, steps=steps), 4)
    with pytest.raises(ForkError, match="Step 3 comes out differently"):
        list(forked)
    assert forked.trace.end is not None
    assert forked.trace.end.stop == "failed"


def test_what_cannot_be_forked_is_refused(model: Model, trace: Trace) -> None:
    baseline = Run(model, "hello", BaselineConfig("dual-cache", 8, 16))
    list(baseline)
    with pytest.raises(ForkError, match="dual-cache has one fixed block size"):
        fork(model, baseline.trace, 0)
    with pytest.raises(ForkError, match="no step 100"):
        fork(model, trace, 99)
    with pytest.raises(ForkError, match="recorded with other"):
        fork(model, replace(trace, header=replace(trace.header, model="other")), 0)
    with pytest.raises(ConfigError, match="gen_length"):
        list(fork(model, trace, 2, gen_length=12))
