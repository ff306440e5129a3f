"""Runs as a Chrome trace: JSON in the Trace Event Format, which Perfetto and chrome://tracing open.

One process a run; in it a thread for the steps and what concerns all branches, and one for each branch.  A step begins
where the one before it ended, since a run records how long each part took and not when it began.  Times are whole
microseconds, so that what is nested stays nested.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from blockbatch.events import Add, Ahead, Commit, ConfigChange, Drop, Eos, Event, Merge, Refresh, Resize, Sync
from blockbatch.trace import MASKED, MILLISECONDS, Rows, Step, Trace

Record = dict[str, Any]

THREADS_A_RUN = 10_000  # thread ids are the machine's in this format, not the process's; block sizes stay below


def chrome_json(traces: Sequence[Trace]) -> str:
    """The runs as one JSON text.  Beyond ASCII it is written as it is: older Perfettos know no \\u escapes."""
    return json.dumps(chrome_trace(traces), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def chrome_trace(traces: Sequence[Trace]) -> Record:
    """The runs as one JSON object of the Trace Event Format, its records in order of time."""
    records = [record for pid, trace in enumerate(traces, start=1) for record in _RunRecords(trace, pid)]
    # Of two that begin together the longer one encloses the other.
    records.sort(key=lambda record: (record.get("ts", -1), -record.get("dur", 0)))
    return {"displayTimeUnit": "ms", "traceEvents": records}


@dataclass
class _RunRecords:
    """The records of one run."""

    trace: Trace
    pid: int
    rows: Rows = field(init=False)

    def __post_init__(self) -> None:
        self.rows = Rows.start(self.trace.header.config)

    def __iter__(self) -> Iterator[Record]:
        yield from self._names()
        now = 0
        for step in self.trace.steps:
            yield from self._step(step, now)
            now += sum(_microseconds(step))

    def _names(self) -> Iterator[Record]:
        header = self.trace.header
        yield self._name("process", 0, f"{header.decoder}: {readable(header.prompt[:60])}")
        sizes = {state.branch for step in self.trace.steps for state in step.branches}
        for size in sorted({*sizes, *header.config.block_sizes}):
            yield self._name("thread", size, f"block {size}")
        yield self._name("thread", 0, "steps")

    def _name(self, kind: str, branch: int, name: str) -> Record:
        return {"ph": "M", **self._at(branch), "name": f"{kind}_name", "args": {"name": name}}

    def _at(self, branch: int) -> Record:
        """The thread of `branch`, 0 for that of the steps."""
        return {"pid": self.pid, "tid": self.pid * THREADS_A_RUN + branch}

    def _span(self, branch: int, start: int, length: int, name: str, category: str, **details: Any) -> Record:
        times = {"ph": "X", "ts": start, "dur": length}
        return {**times, **self._at(branch), "name": name, "cat": category, "args": details}

    def _step(self, step: Step, start: int) -> Iterator[Record]:
        lengths = _microseconds(step)
        details = {"candidates": sum(len(candidates.positions) for candidates in step.candidates)}
        yield self._span(0, start, sum(lengths), f"step {step.index + 1}: {step.kind}", "step", **details)
        begin = start
        for name, length in zip(MILLISECONDS, lengths, strict=True):
            yield self._span(0, begin, length, name, "part")
            begin += length
        yield from self._forwards(step, start, lengths[0])
        yield from self._happenings(step, start + lengths[0], lengths[1])
        yield self._held(start + lengths[0] + lengths[1])

    def _forwards(self, step: Step, start: int, length: int) -> Iterator[Record]:
        for state in step.branches:
            if state.forward:
                committed = sum(isinstance(event, Commit) and event.branch == state.branch for event in step.events)
                details = {"first": state.window[0], "end": state.window[1], "commits": committed}
                yield self._span(state.branch, start, length, step.kind, "forward", **details)

    def _happenings(self, step: Step, start: int, length: int) -> Iterator[Record]:
        """Instants, spread evenly over the time of the rules: the run records their order alone."""
        for number, event in enumerate(step.events, start=1):
            self.rows.apply(event)
            if told := self._told(event):
                branch, name, category, details = told
                at = {"ph": "i", "ts": start + number * length // (len(step.events) + 1)}
                scope = "t" if branch else "p"
                yield {**at, **self._at(branch), "s": scope, "name": name, "cat": category, "args": details}

    def _told(self, event: Event) -> tuple[int, str, str, Record] | None:
        """(branch, name, category, details) of an instant; None for commits, which their forward counts."""
        details: Record
        match event:
            case Merge(branch, source, position, token, probability):
                details = {"source": source, "position": position, "probability": probability}
                return branch, f"consensus commit {self._text(token)}", "consensus commit", details
            case Sync(branch, leader, gained, positions):
                details = {"leader": leader, "gained": gained, "changed": len(positions)}
                return branch, f"leader reset from block {leader}", "leader reset", details
            case Refresh(branches, reason):
                details = {"reason": reason, "branches": ", ".join(map(str, branches))}
                return 0, f"full recompute: {reason}", "full recompute", details
            case Eos(branch, position, probability):
                return branch, "end of text", "end of text", {"position": position, "probability": probability}
            case ConfigChange(name, old, new):
                return 0, f"{name}: {new}", "knob", {"old": str(old), "new": str(new)}
            case Add(branch, source):
                return 0, f"block {branch} added", "knob", {"source": source}
            case Drop(branch):
                return 0, f"block {branch} dropped", "knob", {}
            case Resize(branch, size):
                return 0, f"block {branch} becomes {size}", "knob", {}
            case Ahead(branch, positions):
                return branch, "looks ahead", "lookahead", {"rows": len(positions)}
            case _:
                return None

    def _text(self, token: int) -> str:
        return readable(self.trace.pieces.get(token, f"#{token}"))

    def _held(self, now: int) -> Record:
        """How many tokens each branch holds."""
        held = {f"block {size}": int((row != MASKED).sum()) for size, row in sorted(self.rows.rows.items())}
        return {"ph": "C", "ts": now, **self._at(0), "name": "committed tokens", "args": held}


def _microseconds(step: Step) -> list[int]:
    return [round(1000 * getattr(step.milliseconds, name)) for name in MILLISECONDS]


def readable(text: str) -> str:
    """`text` in quotation marks, with what cannot be printed spelled out."""
    return repr(text)
