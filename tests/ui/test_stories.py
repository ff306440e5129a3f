"""What makes a recorded run worth telling, on traces made by hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from blockbatch.config import DecodeConfig
from blockbatch.events import Commit, Event, Merge, Sync
from blockbatch.metrics import totals
from blockbatch.trace import End, Header, Milliseconds, Step, Trace
from ui.stories import (
    BOLD_RESET,
    CLEAN,
    PARTING,
    STORIES,
    Overwrite,
    Take,
    answer,
    best,
    mistakes,
    overwrites,
    partings,
)

EOS = 1
SIZES = (2, 4, 8)


def trace(*steps: Sequence[Event], winner: int = 8) -> Trace:
    """A finished run of three branches and eight positions with the given events, a step each."""
    config = DecodeConfig(block_sizes=SIZES, gen_length=8)
    header = Header("run", "hand", "paper", config, "prompt", (2,), 0, EOS, "cpu", "float32", {})
    made = [
        Step(index, "denoise" if index else "init", (), (), tuple(events), Milliseconds(0, 0, 0))
        for index, events in enumerate(steps)
    ]
    return Trace(header, made, End(winner, "text", "complete", None, totals(made)))


def commit(branch: int, position: int, token: int) -> Commit:
    return Commit(branch, position, token, 0.95, False)


AGREEING = trace([commit(2, 0, 5), commit(4, 0, 5), commit(8, 0, 5), commit(8, 1, 6)], [Merge(4, 8, 1, 6, 0.8)])
APART = trace([commit(2, 0, 5), commit(4, 0, 5), commit(8, 0, 7)])
TOGETHER = trace([commit(2, 0, 5), commit(8, 0, 7)], [commit(2, 1, 6)], [Sync(2, 8, 9, (0, 1))])
AT_ONCE = trace([commit(2, 0, 5), commit(8, 0, 7), Sync(2, 8, 9, (0,))])
BOLD = trace([commit(8, 3, 7), commit(2, 0, 5), commit(2, 3, 6)], [Sync(8, 2, 9, (0, 3))], winner=2)
TIMID = trace([commit(8, 3, 7), commit(2, 3, 6)], [Sync(2, 8, 9, (3,))])
LATER_RIGHT = trace([commit(8, 3, 7), commit(2, 3, 6), commit(4, 3, 7)], [Sync(8, 2, 9, (3,))], winner=4)
LONELY = trace([commit(2, 0, 5)], [Sync(8, 2, 9, (0,))])


def test_branches_part_where_they_hold_different_tokens_and_meet_where_they_hold_the_same() -> None:
    assert partings(AGREEING) == []
    assert partings(APART) == [(0, (2, 8), 0, None), (0, (4, 8), 0, None)]
    assert partings(TOGETHER) == [(0, (2, 8), 0, 2)]


def test_what_stands_after_the_end_of_the_text_is_no_parting() -> None:
    ended = trace([commit(8, 0, EOS), commit(8, 2, 7), commit(2, 2, 5)])
    assert answer(ended).tolist() == []
    assert partings(ended) == []


def test_a_reset_overwrites_what_the_branch_held_and_the_leader_holds_otherwise() -> None:
    assert overwrites(BOLD) == [Overwrite(1, 8, 2, 3, 7, 6)]
    assert overwrites(LONELY) == [], "a masked position is filled in, nothing is overwritten"


def test_a_mistake_is_a_bold_branch_s_token_that_the_answer_contradicts() -> None:
    assert [each.old for each in mistakes(BOLD)] == [7]
    assert mistakes(TIMID) == [], "the smallest branch is not bold"
    assert mistakes(LATER_RIGHT) == [], "the answer holds the overwritten token after all"


@pytest.mark.parametrize(
    ("story", "tells", "tells_not"),
    [
        (CLEAN, [AGREEING], [APART, TOGETHER, LONELY]),
        (PARTING, [TOGETHER, BOLD], [AGREEING, APART, AT_ONCE]),
        (BOLD_RESET, [BOLD], [AGREEING, TOGETHER, TIMID, LATER_RIGHT]),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_each_story_knows_the_runs_that_tell_it(story: object, tells: list[Trace], tells_not: list[Trace]) -> None:
    assert story in STORIES
    for run in tells:
        assert story.told(Take("algebra", run, True))  # type: ignore[attr-defined]
        assert not story.told(Take("algebra", run, False)), "a wrong answer tells no story"  # type: ignore[attr-defined]
    for run in tells_not:
        assert not story.told(Take("algebra", run, True))  # type: ignore[attr-defined]


def test_many_resets_are_not_clean() -> None:
    first = [commit(8, 0, 5), commit(8, 1, 6), Merge(4, 8, 0, 5, 0.8), Sync(2, 8, 9, (0, 1)), Sync(4, 8, 9, (1,))]
    assert CLEAN.told(Take("algebra", trace(first, []), True))
    assert not CLEAN.told(Take("algebra", trace(first, [Sync(2, 8, 9, ())]), True))


def test_the_best_is_told_then_right_then_worth_most_then_first() -> None:
    first, second = Take("a", TOGETHER, True), Take("b", TOGETHER, True)
    wrong, silent = Take("c", TOGETHER, False), Take("d", AGREEING, True)
    assert best(PARTING, [wrong, silent, first, second]) is first
    assert best(PARTING, [wrong, silent]) is silent


def test_a_parting_is_told_best_where_little_else_parts() -> None:
    meet = [Sync(2, 8, 9, (0,))]
    simple = trace([commit(2, 0, 5), commit(8, 0, 7)], meet)
    more = trace(
        [commit(2, 0, 5), commit(8, 0, 7), commit(4, 1, 5), commit(2, 1, 6)], [Sync(2, 8, 9, (0, 1))], winner=4
    )
    for first, second in ((simple, more), (more, simple)):
        assert best(PARTING, [Take("a", first, True), Take("a", second, True)]).trace is simple
