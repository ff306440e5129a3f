"""What each forward of a recorded run computed: the rows that it saw, and how many tokens it packed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from blockbatch.baselines import UNCACHED
from blockbatch.events import STRUCTURE, Ahead, ConfigChange
from blockbatch.rules import windows, with_drafts
from blockbatch.trace import Ints, Rows, Step, Trace


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
    denoise packs the windows of the branches that took part, each longer to the left by the model's lookback, and those
    of the rows that it computed ahead.  A step that was computed ahead has no forward and packs nothing.
    """
    temperature, lengths = trace.header.config.temperature, list[int]()
    for step, rows in rows_seen(trace):
        for event in step.events:
            if isinstance(event, ConfigChange) and event.field == "temperature":
                temperature = event.new
        lengths.append(_packed(trace, step, rows, temperature))
    return lengths


def _packed(trace: Trace, step: Step, rows: Mapping[int, Ints], temperature: float) -> int:
    if step.kind == "ahead":
        return 0
    if step.kind == "denoise" and trace.header.decoder not in UNCACHED:
        return _windows(trace, step, rows)
    return _whole(trace, step, rows, temperature)


def _whole(trace: Trace, step: Step, rows: Mapping[int, Ints], temperature: float) -> int:
    taking_part = [state.branch for state in step.branches if state.forward]
    sampled = step.kind == "refresh" and temperature
    computed = len(taking_part) if sampled else len({rows[branch].tobytes() for branch in taking_part})
    return computed * (len(trace.header.prompt_tokens) + trace.header.config.gen_length)


def _windows(trace: Trace, step: Step, rows: Mapping[int, Ints]) -> int:
    to_the_end = trace.header.decoder == "prefix-cache"  # which computes all that follows, too
    windows = [state.window for state in step.branches if state.forward]
    spans = [(start, trace.header.config.gen_length if to_the_end else end) for start, end in windows]
    spans += [span for event in step.events if isinstance(event, Ahead) for span in _ahead(step, event, rows)]
    leftmost, lookback = -len(trace.header.prompt_tokens), trace.header.lookback
    return sum(end - max(start - lookback, leftmost) for start, end in spans)


def _ahead(step: Step, event: Ahead, rows: Mapping[int, Ints]) -> list[tuple[int, int]]:
    """What was computed of each row ahead: from the start of its branch's window to the end of its own."""
    drafted = with_drafts(rows[event.branch], event.positions, event.tokens)
    begin = next(state.window[0] for state in step.branches if state.branch == event.branch)
    _, ends, _ = windows(drafted < 0, np.repeat(event.branch, len(drafted)))
    return [(begin, end) for end in ends.tolist()]
