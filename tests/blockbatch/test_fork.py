"""Going on from a recorded step: the past is repeated exactly, the future may differ."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from runs import SMALL, rebuilt, recorded
from scripted import ScriptedModel

from blockbatch.config import BaselineConfig, DecodeConfig
from blockbatch.errors import ConfigError, ForkError
from blockbatch.events import Add, Commit, ConfigChange, Resize
from blockbatch.fork import fork, resume
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


@pytest.mark.parametrize("steps", [0, 1, 5, 6, 8])
def test_a_run_that_is_taken_up_again_is_the_same_to_its_end(model: Model, trace: Trace, steps: int) -> None:
    """Changes that were made in its steps are made again; those after them are not known."""
    again = resume(model, replace(trace, steps=trace.steps[:steps], end=None))
    lines = list(again)
    same = len(trace.steps) if steps > 5 else steps
    assert happened(again.trace.steps)[:same] == happened(trace.steps)[:same]
    assert again.trace.header == trace.header
    assert parse_trace("\n".join(lines)).end is not None


def test_a_baseline_is_taken_up_again(model: Model) -> None:
    run = Run(model, "any prompt", BaselineConfig(gen_length=16, block_size=8))
    lines = list(run)
    again = resume(model, parse_trace("\n".join(lines[:3]), whole=False))
    list(again)
    assert happened(again.trace.steps) == happened(run.trace.steps)
    assert again.trace.header == run.trace.header


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


def streamed(run: Run) -> Trace:
    """The lines that a run yields before it breaks, as a trace."""
    lines: list[str] = []
    with pytest.raises(ForkError):
        lines.extend(run)  # extend keeps what came before the error
    return parse_trace("\n".join(lines))


def test_a_fork_that_breaks_has_yielded_every_step_that_its_closing_line_counts(model: Model, trace: Trace) -> None:
    steps = [*trace.steps[:2], replace(trace.steps[2], events=()), *trace.steps[3:]]
    found = streamed(fork(model, replace(trace, steps=steps), 4))
    assert (len(found.steps), found.totals.forwards) == (3, 3)
    assert found.end is not None
    assert found.end.stop == "failed"


@pytest.mark.parametrize("wanted", [(*range(1, 16), 20), (1, *range(17, 32)), (9, 16, *range(30, 44))])
def test_a_full_set_of_branches_can_be_exchanged_read_and_forked(wanted: tuple[int, ...]) -> None:
    """Adding comes before dropping, but a record may hold one branch too many and no more."""
    full = DecodeConfig(block_sizes=tuple(range(1, 17)), gen_length=64, commit_threshold=0.9)
    found = recorded(full, {2: {"block_sizes": wanted}}, ScriptedModel())
    reread = parse_trace("\n".join(found.lines()))
    assert set(reread.rows(3)) == set(wanted)
    assert happened(parse_trace("\n".join(fork(ScriptedModel(), reread, 4))).steps) == happened(found.steps)


def test_new_branches_copy_the_leader_even_where_it_leaves() -> None:
    full = DecodeConfig(block_sizes=tuple(range(1, 17)), gen_length=64, commit_threshold=0.9)
    before = recorded(full, {}, ScriptedModel()).steps[2].branches
    leader = max(before, key=lambda state: state.decoded).branch
    kept = next(size for size in range(1, 17) if size != leader)
    found = recorded(full, {2: {"block_sizes": (kept, *range(17, 32))}}, ScriptedModel())
    added = [event for event in found.steps[2].events if isinstance(event, Add)]
    assert {event.source for event in added} <= {leader, *range(17, 32)}
    assert len({state.decoded for state in found.steps[2].branches if state.branch > 16}) == 1


def test_block_sizes_of_a_resize_are_recorded_as_whole_numbers() -> None:
    for old, new in ((np.int64(8), np.int64(12)), (8.0, 12.0)):
        found = recorded(SMALL, {2: {"resize": {old: new}}})
        assert Resize(8, 12) in parse_trace("\n".join(found.lines())).steps[2].events
    for bad in ({8: 4.5}, {8: "12"}, {"8": 12}, [(8, 12)], 8):
        with pytest.raises(ConfigError, match=r"^resize is .*, but must be "):
            recorded(SMALL, {2: {"resize": bad}})
