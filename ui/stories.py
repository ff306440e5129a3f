"""What a recorded run tells: stories, each a predicate over a finished trace and a measure of how well it is told.

Whether an answer is right is not in a trace, so it is given beside it (`Take`).  Nothing here knows a model or a page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from blockbatch.events import Commit, Event, Merge, Refresh, Sync
from blockbatch.trace import MASKED, Ints, Rows, Trace

Worth = tuple[int, ...]


class Take(NamedTuple):
    """A run that may tell a story: the family of its prompt, its finished trace, whether its answer is right."""

    family: str
    trace: Trace
    right: bool


class Parting(NamedTuple):
    """From `step` on the two `branches` held different tokens at `position`; after `met` the same (None: never)."""

    position: int
    branches: tuple[int, int]
    step: int
    met: int | None


class Overwrite(NamedTuple):
    """A leader reset at `step` put the leader's token `new` in the place of `old`, which `branch` had held."""

    step: int
    branch: int
    leader: int
    position: int
    old: int
    new: int


@dataclass(frozen=True)
class Story:
    """name: as the index of runs writes it; title: as the page does; tells: what must be so; worth: more is better."""

    name: str
    title: str
    tells: Callable[[Trace], bool]
    worth: Callable[[Trace], Worth]

    def told(self, take: Take) -> bool:
        """Whether the run tells this story; a wrong answer tells none."""
        return take.right and self.tells(take.trace)


def best(story: Story, takes: Sequence[Take]) -> Take:
    """The take that tells `story` best: told before not told, right before wrong, then by worth; the first on a tie."""
    return max(takes, key=lambda take: (story.told(take), take.right, story.worth(take.trace)))


def partings(trace: Trace) -> list[Parting]:
    """Every place in the answer where two branches come to hold different tokens, in the order in which they do."""
    rows, length = Rows.start(trace.header.config), len(answer(trace))
    found: dict[tuple[int, int, int], Parting] = {}
    for step, branch, position in writings(trace, rows):
        for other, row in rows.rows.items():
            tokens = int(rows.rows[branch][position]), int(row[position])
            if MASKED in tokens or position >= length:
                continue
            pair = min(branch, other), max(branch, other)
            known = found.get((*pair, position))
            if known is None and tokens[0] != tokens[1]:
                found[*pair, position] = Parting(position, pair, step, None)
            elif known and known.met is None and tokens[0] == tokens[1]:
                found[*pair, position] = known._replace(met=step)
    return list(found.values())


def writings(trace: Trace, rows: Rows) -> Iterator[tuple[int, int, int]]:
    """(step, branch, position) for every cell that an event changes, while `rows` follow the trace."""
    for step, event in happenings(trace):
        rows.apply(event)
        match event:
            case Commit(branch, position) | Merge(branch=branch, position=position):
                yield step, branch, position
            case Sync(branch=branch, positions=positions):
                yield from ((step, branch, position) for position in positions)


def happenings(trace: Trace) -> Iterator[tuple[int, Event]]:
    """(step, event) in the order in which they happened."""
    return ((step.index, event) for step in trace.steps for event in step.events)


def overwrites(trace: Trace) -> list[Overwrite]:
    """Every token that a leader reset replaced by another one, in order."""
    rows, found = Rows.start(trace.header.config), list[Overwrite]()
    for step, event in happenings(trace):
        if isinstance(event, Sync):
            old, new = rows.rows[event.branch], rows.rows[event.leader]
            found += [
                Overwrite(step, event.branch, event.leader, position, int(old[position]), int(new[position]))
                for position in event.positions
                if MASKED not in (old[position], new[position])
            ]
        rows.apply(event)
    return found


def answer(trace: Trace) -> Ints:
    """The winner's row in the end, up to its first end of text [n]; ValueError for a run that is not finished."""
    if trace.end is None:
        raise ValueError("only a finished run has an answer")
    row = trace.rows(len(trace.steps) - 1)[trace.end.winner]
    ends = np.flatnonzero(row == trace.header.eos_id)
    return row[: ends[0]] if len(ends) else row


def mistakes(trace: Trace) -> list[Overwrite]:
    """Tokens of a bold branch, one of the larger half of the block sizes, which a reset replaced and which the answer
    contradicts: the branch was wrong there."""
    sizes, final = trace.header.config.block_sizes, answer(trace)
    boldest = sizes[len(sizes) // 2 :]
    return [
        each
        for each in overwrites(trace)
        if each.branch in boldest and each.position < len(final) and final[each.position] != each.old
    ]


def meetings(trace: Trace) -> tuple[int, int]:
    """Positions at which branches parted and met again in a later step, and positions at which they did not meet."""
    parted = partings(trace)
    met = {parting.position for parting in parted if parting.met is not None and parting.met > parting.step}
    return len(met), len({parting.position for parting in parted} - met)


def count(trace: Trace, kind: type[Event]) -> int:
    """Number of events of a kind."""
    return sum(isinstance(event, kind) for _, event in happenings(trace))


def is_clean(trace: Trace) -> bool:
    """Whether the branches never part, agree at least once, and are reset at most once a forward."""
    return not partings(trace) and count(trace, Merge) > 0 and count(trace, Sync) <= len(trace.steps)


def shown(trace: Trace) -> int:
    """How many of the things that a lesson tells happen in the run."""
    met, _ = meetings(trace)
    return sum(map(bool, (count(trace, Merge), count(trace, Sync), count(trace, Refresh), met)))


PARTING = Story(
    "parting",
    "branches part and meet",
    lambda trace: meetings(trace)[0] > 0,
    lambda trace: (shown(trace), -meetings(trace)[1], -meetings(trace)[0]),
)
CLEAN = Story(
    "clean",
    "branches agree",
    is_clean,
    lambda trace: (-len(partings(trace)), -count(trace, Sync), count(trace, Merge)),
)
BOLD_RESET = Story(
    "bold-reset",
    "a bold branch is reset",
    lambda trace: bool(mistakes(trace)),
    lambda trace: (shown(trace), sum(each.branch > each.leader for each in mistakes(trace)), len(mistakes(trace))),
)
PLAIN = Story("plain", "a right answer", lambda trace: True, lambda trace: (shown(trace), count(trace, Merge)))
STORIES = (PARTING, CLEAN, BOLD_RESET)
