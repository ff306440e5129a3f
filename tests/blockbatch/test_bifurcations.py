"""Where branches part: a case by hand, and what must hold for any run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from runs import of_every_sort, recorded

from blockbatch.bifurcations import Bifurcation, Choice, bifurcations, most_telling
from blockbatch.config import DecodeConfig
from blockbatch.events import Commit, Event, Resize, Sync
from blockbatch.trace import MASKED, BranchState, Candidates, Milliseconds, Step, Trace

HEADER = recorded(DecodeConfig(block_sizes=(2, 4), gen_length=4)).header
Table = dict[int, list[tuple[int, float]]]


def step(index: int, looks: dict[int, Table], *events: Event) -> Step:
    """A step at which each branch of `looks` has the candidates {position: [(token, probability)]}."""
    candidates = tuple(
        Candidates(
            branch,
            np.array(list(table)),
            np.array([len(scored) for scored in table.values()]),
            np.array([token for scored in table.values() for token, _ in scored]),
            np.array([probability for scored in table.values() for _, probability in scored]),
            np.zeros(len(table)),
        )
        for branch, table in looks.items()
    )
    states = tuple(BranchState(branch, (0, 4), 0, False, True) for branch in looks)
    return Step(index, "denoise" if index else "init", states, candidates, events, Milliseconds(1.0, 1.0, 1.0))


def commit(branch: int, position: int, token: int) -> Commit:
    return Commit(branch, position, token, 0.5, False)


def test_a_case_by_hand() -> None:
    """Position 0 parts at step 1, although the reset of that step hides it; 1 never; 2 by candidates alone."""
    wide: Table = {0: [(7, 0.6), (8, 0.3)], 1: [(5, 0.9)], 2: [(4, 0.4)]}
    first = step(0, {2: {0: wide[0], 1: wide[1]}, 4: wide}, commit(2, 0, 7))
    later: dict[int, Table] = {2: {1: [(5, 0.8)], 2: [(6, 0.5)]}, 4: {0: [(8, 0.7)], 1: [(5, 0.9)], 2: [(4, 0.9)]}}
    sync = Sync(2, 4, 1, (0, 1, 2))
    second = step(1, later, commit(4, 0, 8), commit(4, 1, 5), commit(4, 2, 4), sync)
    found = bifurcations(Trace(HEADER, [first, second]))
    assert found == [
        Bifurcation(0, 1, True, (Choice(2, 7, ((7, 0.6), (8, 0.3))), Choice(4, 8, ((8, 0.7),)))),
        Bifurcation(2, 1, False, (Choice(2, MASKED, ((6, 0.5),)), Choice(4, 4, ((4, 0.9),)))),
    ]
    assert [each.weight for each in found] == [0.6, 0.5]


def test_the_first_forward_looks_for_all_and_a_resized_branch_keeps_what_it_saw() -> None:
    first = step(0, {2: {0: [(7, 0.6)]}, 4: {0: [(7, 0.6)], 3: [(9, 0.4)]}})
    second = step(1, {3: {0: [(7, 0.6)]}, 4: {3: [(8, 0.8)]}}, Resize(2, 3), commit(3, 3, 9), commit(4, 3, 8))
    (found,) = bifurcations(Trace(HEADER, [first, second]))
    assert found.choices == (Choice(3, 9, ((9, 0.4),)), Choice(4, 8, ((8, 0.8),)))


def test_what_is_held_apart_is_found_at_the_first_such_step() -> None:
    traces = of_every_sort()
    assert len([each for each in bifurcations(traces["parting"]) if each.held]) > 3
    for trace in traces.values():
        found = {each.position: each for each in bifurcations(trace)}
        for number in range(len(trace.steps)):
            for position, column in enumerate(np.stack(list(trace.rows(number).values())).T.tolist()):
                if len(set(column) - {MASKED}) > 1:
                    assert found[position].held
                    assert found[position].step <= number
        for each in found.values():
            branches = [state.branch for state in trace.steps[each.step].branches]
            assert [choice.branch for choice in each.choices] == branches
            assert len({choice.wanted for choice in each.choices} - {MASKED}) > 1


def test_the_most_telling_are_held_and_sure() -> None:
    def made(position: int, held: bool, less: float) -> Bifurcation:
        return Bifurcation(position, 9 - position, held, (Choice(2, 1, ((1, 0.9),)), Choice(4, 2, ((2, less),))))

    found = [made(0, False, 0.8), made(1, True, 0.2), made(2, True, 0.7), made(3, True, 0.1)]
    assert [each.position for each in most_telling(found, 2)] == [2, 1]
    assert [each.position for each in most_telling(found, 9)] == [3, 2, 1, 0]
    same = replace(found[0], choices=(found[0].choices[0], Choice(4, 1, ((1, 0.3),))))
    assert same.weight == 0.0
