"""Sweeps of visitors: every cell has every prompt, what is done stays, and each kept run is a whole trace."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

import pytest
from scripted import ScriptedModel

from blockbatch.bench.jobs import outcome
from blockbatch.config import Config, DecodeConfig
from blockbatch.errors import BlockBatchError
from blockbatch.reading import parse_trace
from blockbatch.run import Run
from ui.live import LiveRuns
from ui.session import LocalControlStore, Turnstile
from ui.sweeping import ALL, NOTHING, TYPED, Range, Sweep, decode, planned, settings_in, tasks_of

BASE = DecodeConfig(gen_length=48)
COMMIT = Range("commit_threshold", 0.5, 0.9, 3)
NONE = Range(NOTHING, 0, 0, 0)


class Clock:
    """Each look at it takes `seconds`."""

    def __init__(self, seconds: float) -> None:
        self.now, self.seconds = 0.0, seconds

    def __call__(self) -> float:
        self.now += self.seconds
        return self.now


def live() -> LiveRuns:
    return LiveRuns(lambda prompt, config: Run(ScriptedModel(), prompt, config), LocalControlStore(), Turnstile(1))


def done(sweep: Sweep, minutes: float = 30, **options: Any) -> Sweep:
    for _ in decode(sweep, live(), minutes, pytest.fail, **options):
        pass
    return sweep


def typed(*ranges: Range) -> Sweep:
    return planned(BASE, ranges, TYPED, "any prompt", 1)


def test_every_cell_has_every_prompt() -> None:
    sweep = done(planned(BASE, [COMMIT, Range("sync_threshold", 2, 8, 2)], "functions", "", 2))
    assert len(sweep.kept) == sweep.total == 3 * 2 * 2
    for point in sweep.points:
        assert {o.index for o in point.outcomes} == {0, 1}
        assert {o.family for o in point.outcomes} == {"functions"}
        assert point.right is not None
        assert point.right.n == 2


def test_a_kept_run_is_the_trace_of_its_cell() -> None:
    sweep = done(typed(COMMIT, NONE))
    for point in sweep.points:
        [(place, kept)] = sweep.by_cell[point.cell.index]
        trace = parse_trace(kept.text)
        assert (place, trace.header.config) == (0, point.cell.config)
        assert outcome(trace, None, 0) == kept.outcome
        assert kept.outcome.forwards == point.nfe
        assert kept.outcome.correct is None


def test_what_is_done_when_time_is_up_stays_and_the_rest_can_follow() -> None:
    sweep = planned(BASE, [COMMIT, NONE], "algebra", "", 2)
    done(sweep, minutes=1, clock=Clock(25))
    first = dict(sweep.kept)
    assert 0 < len(first) < sweep.total
    assert [prompt for _, prompt in first] == [0] * len(first), "prompt by prompt over all cells"
    done(sweep)
    assert len(sweep.kept) == sweep.total
    assert all(sweep.kept[place] is kept for place, kept in first.items())


def test_a_run_that_waits_in_line_is_given_up_when_time_is_up() -> None:
    sweep, runs = typed(COMMIT, NONE), live()
    runs.turnstile.enter("somebody else, who never leaves")
    assert list(decode(sweep, runs, 1, pytest.fail, Clock(25))) == [True, False]
    assert len(runs.store) == 0


def test_a_sweep_that_waits_for_its_turn_knows_its_place_until_it_begins() -> None:
    sweep, runs = typed(COMMIT, NONE), replace(live(), sleep=lambda _: None)
    for other in ("first", "second"):
        runs.turnstile.enter(other)
    going, places = decode(sweep, runs, 30, pytest.fail), list[int]()
    for other in ("first", "second"):
        assert next(going), "its place is news"
        places.append(sweep.place)
        runs.turnstile.leave(other)
    list(going)
    assert [*places, sweep.place] == [2, 1, 0]
    assert len(sweep.kept) == sweep.total


def test_what_was_done_of_the_same_work_is_taken_over() -> None:
    was = done(planned(BASE, [COMMIT, NONE], "algebra", "", 2))
    more = planned(BASE, [Range("commit_threshold", 0.5, 0.9, 5), NONE], ALL, "", 3)
    more.take_over(was)
    assert len(more.kept) == len(was.kept)
    for (cell, place), kept in more.kept.items():
        index, example = more.tasks[place]
        assert parse_trace(kept.text).header.prompt == example.prompt
        assert parse_trace(kept.text).header.config == more.cells[cell].config
        assert (kept.outcome.family, kept.outcome.index) == ("algebra", index)


def test_closing_it_ends_the_run_in_hand() -> None:
    started: list[Run] = []

    def start(prompt: str, config: Config) -> Run:
        started.append(Run(ScriptedModel(), prompt, config))
        return started[-1]

    store = LocalControlStore()
    going = decode(typed(COMMIT, NONE), LiveRuns(start, store, Turnstile(1)), 30, pytest.fail)
    assert isinstance(going, Iterator)
    list(islice(going, 1))
    going.close()  # type: ignore[attr-defined]
    assert len(started) == 1
    assert len(store) == 0


def test_a_run_that_breaks_is_a_sentence_and_what_was_done_stays() -> None:
    broken = {0.9}

    class Breaks(Run):
        def __iter__(self) -> Iterator[str]:
            lines = super().__iter__()
            yield from islice(lines, 3) if self.trace.header.config.commit_threshold in broken else lines

    runs = LiveRuns(lambda p, c: Breaks(ScriptedModel(), p, c), LocalControlStore(), Turnstile(1))
    sweep = typed(COMMIT, NONE)
    with pytest.raises(BlockBatchError, match=r"what was done before is kept\."):
        list(decode(sweep, runs, 30, pytest.fail))
    assert len(sweep.kept) == 2


def test_all_families_are_decoded_alike() -> None:
    tasks = tasks_of(ALL, "", 3)
    assert len(tasks) == 12
    assert [index for index, _ in tasks] == [0, 1, 2] * 4


@pytest.mark.parametrize(
    "ranges",
    [
        [NONE, NONE],
        [COMMIT, COMMIT],
        [Range("commit_threshold", 0.9, 0.5, 3), NONE],
        [Range("commit_threshold", 0.5, 9, 3), NONE],
        [Range("commit_threshold", None, 0.5, 3), NONE],  # type: ignore[arg-type]
        [Range("commit_threshold", 0.5, 0.9, 0), NONE],
        [Range("commit_threshold", 0.5, 0.9, 1e9), NONE],
        [Range("anything", 0, 1, 2), NONE],
        [Range(["commit_threshold"], 0, 1, 2), NONE],  # type: ignore[arg-type]
        [Range("commit_threshold", 0.5, 1.5, 2), NONE],
        [Range("refresh_interval", 1, 8, 2), NONE],
        [COMMIT, Range("block_size", 4, 32, 401)],
    ],
)
def test_a_sweep_that_cannot_be_is_one_sentence(ranges: list[Range]) -> None:
    with pytest.raises(BlockBatchError, match=r"\.$") as caught:
        typed(*ranges)
    assert "\n" not in str(caught.value)


def test_a_sweep_of_too_many_runs_is_one_sentence() -> None:
    ranges = [Range("commit_threshold", 0, 1, 21), Range("merge_threshold", 0, 1, 16)]
    with pytest.raises(BlockBatchError, match=r"^The sweep would have 4032 runs, but may have 4000; ask for fewer"):
        planned(BASE, ranges, ALL, "", 3)


@pytest.mark.parametrize(("over", "count"), [("functions", 0), ("functions", 1000), ("functions", None), ("poems", 1)])
def test_prompts_that_cannot_be_are_one_sentence(over: str, count: Any) -> None:
    with pytest.raises(BlockBatchError):
        tasks_of(over, "", count)


def test_a_cells_values_are_settings() -> None:
    [cell, *_] = planned(BASE, [Range("branches", 0, 0, 0), NONE], TYPED, "p", 1).cells
    assert settings_in(cell) == {"block_sizes": cell.config.block_sizes}
    [cell, *_] = typed(Range("block_size", 8, 32, 2), COMMIT).cells
    assert settings_in(cell) == {"block_sizes": (8,), "commit_threshold": 0.5}
