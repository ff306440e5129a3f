"""Where branches part: the bifurcated tokens of a run, and what each branch thought of them.

A position is bifurcated from the step on at which two branches hold different tokens there, be it only until the
step's resets.  Where that never happens it still is, if the best candidates of two branches differ at the step at which
the first of all branches commits there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from blockbatch.consensus import apart
from blockbatch.events import Add, Commit, Drop, Merge, Resize
from blockbatch.forwards import rows_seen
from blockbatch.trace import MASKED, Candidates, Ints, Step, Trace

Scored = tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class Choice:
    """`branch` holds `token` (`MASKED`: none yet); `candidates` are (token, probability), best first, as its most
    recent forward that was recorded there gave them, none if there was no such forward."""

    branch: int
    token: int
    candidates: Scored

    @property
    def wanted(self) -> int:
        """The token that it holds, else its best candidate; `MASKED` without one."""
        return self.token if self.token != MASKED or not self.candidates else self.candidates[0][0]

    def probability(self, token: int) -> float:
        """What it gives `token`; 0 if that is not among its candidates."""
        return dict(self.candidates).get(token, 0.0)


@dataclass(frozen=True)
class Bifurcation:
    """`choices` of the branches, by block size, at `position` and `step`; `held`: two hold different tokens."""

    position: int
    step: int
    held: bool
    choices: tuple[Choice, ...]

    @property
    def weight(self) -> float:
        """How sure the less sure side is: the second highest, by token, of the probabilities of what is wanted."""
        surest: dict[int, float] = {}
        for choice in self.choices:
            surest[choice.wanted] = max(surest.get(choice.wanted, 0.0), choice.probability(choice.wanted))
        surest.pop(MASKED, None)
        return sorted(surest.values())[-2] if len(surest) > 1 else 0.0


def bifurcations(trace: Trace) -> list[Bifurcation]:
    """The bifurcated positions of a run, finished or not, by step and position; each once, at its first step."""
    found: dict[int, Bifurcation] = {}
    looks = _Looks(trace.header.config.block_sizes)
    for step, rows in rows_seen(trace):
        looks.follow(step)
        held = _held(step, rows)
        table = np.stack(list(held.values()))
        parting = apart(table)
        committed = (table != MASKED).any(axis=0) & (np.stack(list(rows.values())) == MASKED).all(axis=0)
        for position in np.flatnonzero(parting | committed).tolist():
            parts = bool(parting[position])
            known = found.get(position)
            if (parts and not known.held) if known else (parts or _differ(step, position)):
                found[position] = looks.bifurcation(position, step, parts, held)
    return sorted(found.values(), key=lambda each: (each.step, each.position))


def most_telling(found: Iterable[Bifurcation], count: int) -> list[Bifurcation]:
    """At most `count` of them: those that branches hold first, the weightiest first; by step and position again."""
    ranked = sorted(found, key=lambda each: (not each.held, -each.weight, each.step, each.position))
    return sorted(ranked[:count], key=lambda each: (each.step, each.position))


class _Looks:
    """The recorded candidates of each branch's most recent forward at each position."""

    def __init__(self, sizes: Iterable[int]) -> None:
        self._by_branch: dict[int, dict[int, Candidates]] = {size: {} for size in sizes}

    def follow(self, step: Step) -> None:
        """Take in the changes of branches and the forward of `step`."""
        for event in step.events:
            match event:
                case Add(branch, source):
                    self._by_branch[branch] = dict(self._by_branch[source])
                case Drop(branch):
                    del self._by_branch[branch]
                case Resize(branch, size):
                    self._by_branch[size] = self._by_branch.pop(branch)
        for candidates in step.candidates:
            # The first forward is of one branch for all, whose rows are still equal; of its windows one holds them all.
            looking = self._by_branch.values() if step.kind == "init" else [self._by_branch[candidates.branch]]
            for own in looking:
                own.update(dict.fromkeys(candidates.positions.tolist(), candidates))

    def bifurcation(self, position: int, step: Step, held: bool, rows: Mapping[int, Ints]) -> Bifurcation:
        """The choices at `position` of the branches whose `rows` these are."""
        choices = [Choice(size, int(rows[size][position]), self._at(size, position)) for size in sorted(rows)]
        return Bifurcation(position, step.index, held, tuple(choices))

    def _at(self, branch: int, position: int) -> Scored:
        look = self._by_branch[branch].get(position)
        return tuple(look.at(position)) if look else ()


def _held(step: Step, rows: Mapping[int, Ints]) -> dict[int, Ints]:
    """`rows` with all that was written at `step` over them, but without its resets, which hide that branches part."""
    held = {size: row.copy() for size, row in rows.items()}
    for event in step.events:
        if isinstance(event, Commit | Merge):
            held[event.branch][event.position] = event.token
    return held


def _differ(step: Step, position: int) -> bool:
    """Whether the branches that looked at `position` at `step` have different best candidates there."""
    looks = (candidates.at(position) for candidates in step.candidates)
    return len({look[0][0] for look in looks if look}) > 1
