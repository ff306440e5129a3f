"""What each forward of a recorded run computed: the rows that it saw, and how many tokens it packed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from blockbatch.baselines import UNCACHED
from blockbatch.config import Config
from blockbatch.events import STRUCTURE, Add, Ahead, ConfigChange, Event, Resize, Sync
from blockbatch.rules import windows, with_drafts
from blockbatch.trace import BranchState, Ints, Rows, Step, Trace


def rows_seen(trace: Trace) -> Iterator[tuple[Step, dict[int, Ints]]]:
    """Each step with the rows [gen_length] by branch as they went into its forward.

    Changes of branches come before the forward, all else that happened at the step after it.  The rows are the fold's
    own: look at them before asking for the next step.
    """
    fold = Rows.start(trace.header.config)
    for step in trace.steps:
        for event in step.events:
            if isinstance(event, STRUCTURE):
                fold.apply(event)
        yield step, fold.rows
        for event in step.events:
            if not isinstance(event, STRUCTURE):
                fold.apply(event)


def packed_lengths(trace: Trace) -> list[int]:
    """The tokens that each step's forward packed into its one sequence, [steps].

    A forward of whole rows (init, refresh, and every one of a decoder without a cache) packs prompt and answer once for
    all branches whose rows are equal; a sampled refresh, whose noise is drawn by branch, once for each of them.  A
    denoise packs the windows of the branches that took part and of the rows that it computed ahead, each longer to the
    left by the model's lookback and, with `settle_windows`, by what the branch has left since its last forward.  A step
    that was computed ahead has no forward and packs nothing.
    """
    lengths, live = list[int](), _Live(trace.header.config)
    for step, rows in rows_seen(trace):
        changes = [event for event in step.events if isinstance(event, STRUCTURE)]
        live.follow(changes)
        lengths.append(_packed(trace, step, rows, live))
        live.begins.update({state.branch: state.window[0] for state in step.branches if state.forward})
        live.follow(step.events[len(changes) :])
    return lengths


class _Live:
    """What a run's events say of its next forward: the settings that matter, and where each branch's last one began."""

    def __init__(self, config: Config) -> None:
        self.settings = {name: getattr(config, name, False) for name in ("temperature", "settle_windows")}
        self.begins = dict.fromkeys(config.block_sizes, 0)

    def follow(self, events: Iterable[Event]) -> None:
        for event in events:
            match event:
                case ConfigChange(field, _, new):
                    self.settings[field] = new
                case Add(branch, source) | Sync(branch, source):
                    self.begins[branch] = self.begins[source]
                case Resize(branch, size):
                    self.begins[size] = self.begins.pop(branch)

    def begin(self, state: BranchState) -> int:
        """Where the forward of the branch in this state begins."""
        start = state.window[0]
        return min(start, self.begins[state.branch]) if self.settings["settle_windows"] else start


def _packed(trace: Trace, step: Step, rows: Mapping[int, Ints], live: _Live) -> int:
    if step.kind == "ahead":
        return 0
    if step.kind == "denoise" and trace.header.decoder not in UNCACHED:
        return _windows(trace, step, rows, live)
    return _whole(trace, step, rows, apart=step.kind == "refresh" and bool(live.settings["temperature"]))


def _whole(trace: Trace, step: Step, rows: Mapping[int, Ints], apart: bool) -> int:
    taking_part = [state.branch for state in step.branches if state.forward]
    computed = len(taking_part) if apart else len({rows[branch].tobytes() for branch in taking_part})
    return computed * (len(trace.header.prompt_tokens) + trace.header.config.gen_length)


def _windows(trace: Trace, step: Step, rows: Mapping[int, Ints], live: _Live) -> int:
    to_the_end = trace.header.decoder == "prefix-cache"  # which computes all that follows, too
    begins = {state.branch: live.begin(state) for state in step.branches if state.forward}
    ends = [trace.header.config.gen_length if to_the_end else s.window[1] for s in step.branches if s.forward]
    spans = list(zip(begins.values(), ends, strict=True))
    for event in step.events:
        if isinstance(event, Ahead):
            spans += [(begins[event.branch], end) for end in _ends_ahead(event, rows)]
    leftmost, lookback = -len(trace.header.prompt_tokens), trace.header.lookback
    return sum(end - max(begin - lookback, leftmost) for begin, end in spans)


def _ends_ahead(event: Ahead, rows: Mapping[int, Ints]) -> list[int]:
    """The ends of the windows of the rows that were computed ahead; they begin where the branch itself does."""
    drafted = with_drafts(rows[event.branch], event.positions, event.tokens)
    _, ends, _ = windows(drafted < 0, np.repeat(event.branch, len(drafted)))
    return list(ends.tolist())
