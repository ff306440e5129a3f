"""What a timeline tells of a run: where each step lies on its axis, the tokens committed, and the events as marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Literal, NamedTuple

from blockbatch.events import Add, Commit, ConfigChange, Drop, Eos, Event, Merge, Resize, Sync
from blockbatch.trace import Step, Trace

Axis = Literal["step", "time"]
Kind = Literal["merge", "sync", "refresh", "ahead", "knob", "eos"]
KINDS: tuple[Kind, ...] = ("merge", "sync", "refresh", "ahead", "knob", "eos")
KIND_OF: dict[type[Event], Kind] = {
    Merge: "merge", Sync: "sync", Eos: "eos", ConfigChange: "knob", Add: "knob", Drop: "knob", Resize: "knob",
}  # fmt: skip
IN_LANES = ("merge", "sync")  # the other kinds stand in the lane of events
APART = 0.3  # of a slot: between marks that share a lane and a step


class Slot(NamedTuple):
    """The part of the axis that a step takes."""

    start: float
    width: float

    @property
    def centre(self) -> float:
        """Where its bar stands."""
        return self.start + self.width / 2

    @property
    def end(self) -> float:
        """Where the next step begins."""
        return self.start + self.width


class Bar(NamedTuple):
    """`branch` committed `tokens` tokens at `step`, the first at `position`."""

    step: int
    branch: int
    tokens: int
    position: int


@dataclass(frozen=True, slots=True)
class Mark:
    """Events of one kind at one step in one lane.

    `lane` is a branch or None for the lane of events; `aside` how far from the middle of the step's slot it stands, in
    slots; `branch` and `position` name a cell that it is about, if any; `words` may hold markup of a file.
    """

    step: int
    kind: Kind
    lane: int | None
    aside: float
    branch: int | None
    position: int | None
    words: str


def branches_of(trace: Trace) -> list[int]:
    """Every branch that ever took part, by block size."""
    return sorted({state.branch for step in trace.steps for state in step.branches})


def slots(trace: Trace, axis: Axis) -> list[Slot]:
    """Where each step lies: step n (from 1) around n, or in the seconds that model, rules and record took."""
    if axis == "step":
        return [Slot(step.index + 0.5, 1.0) for step in trace.steps]
    seconds = [_seconds(step) for step in trace.steps]
    return [Slot(end - width, width) for end, width in zip(accumulate(seconds), seconds, strict=True)]


def bars(trace: Trace) -> list[Bar]:
    """One for each step and branch that committed anything, in that order."""
    found: list[Bar] = []
    for step in trace.steps:
        by_branch: dict[int, list[Commit]] = {}
        for event in step.events:
            if isinstance(event, Commit):
                by_branch.setdefault(event.branch, []).append(event)
        found += [Bar(step.index, size, len(own), own[0].position) for size, own in sorted(by_branch.items())]
    return found


def marks(trace: Trace) -> list[Mark]:
    """All marks by step; those that share a step and a lane stand beside each other."""
    return [mark for step in trace.steps for mark in _marks_of(step)]


def _marks_of(step: Step) -> list[Mark]:
    lanes: dict[int | None, dict[Kind, list[Event]]] = {}
    if step.kind in ("refresh", "ahead"):
        lanes[None] = {step.kind: []}
    for event in step.events:
        if kind := KIND_OF.get(type(event)):
            lane = getattr(event, "branch", None) if kind in IN_LANES else None
            lanes.setdefault(lane, {}).setdefault(kind, []).append(event)
    return [mark for lane, by_kind in lanes.items() for mark in _beside(step.index, lane, by_kind)]


def _beside(step: int, lane: int | None, by_kind: dict[Kind, list[Event]]) -> list[Mark]:
    present = [kind for kind in KINDS if kind in by_kind]
    asides = [APART * (place - (len(present) - 1) / 2) for place in range(len(present))]
    return [
        Mark(step, kind, lane, aside, *_cell(by_kind[kind]), words(kind, by_kind[kind]))
        for kind, aside in zip(present, asides, strict=True)
    ]


def _cell(events: Sequence[Event]) -> tuple[int | None, int | None]:
    """The cell that the first of `events` is about."""
    match events[0] if events else None:
        case Merge(branch=branch, position=position) | Eos(branch, position):
            return branch, position
        case Sync(branch, _, _, positions):
            return branch, positions[0] if positions else None
        case _:
            return None, None


def words(kind: Kind, events: Sequence[Any]) -> str:
    """What happened, in the words of the screen."""
    if kind == "merge":
        return f"block {events[0].branch}: {len(events)} consensus commit{'s' * (len(events) != 1)}"
    if kind == "sync":
        return f"block {events[0].branch}: leader reset to block {events[0].leader}, tokens gained: {events[0].gained}"
    if kind == "eos":
        return f"end of text in block {', '.join(str(event.branch) for event in events)}"
    if kind == "ahead":
        return "no forward: computed ahead"
    return "; ".join(map(_change, events)) if kind == "knob" else "full recompute"


def _change(event: Event) -> str:
    match event:
        case ConfigChange(field, old, new):
            return f"{field.replace('_', ' ')} set from {_plain(old)} to {_plain(new)}"
        case Add(branch, source):
            return f"block {branch} added as a copy of block {source}"
        case Drop(branch):
            return f"block {branch} dropped"
        case Resize(branch, size):
            return f"block {branch} resized to {size}"
        case _:
            raise TypeError(f"{event} changes no setting")


def _plain(value: object) -> str:
    """A setting as the page writes it: 1 rather than 1.0."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _seconds(step: Step) -> float:
    spent = step.milliseconds
    return (spent.forward + spent.consensus + spent.recording) / 1000
