"""Strict reading of recorded runs.

A file is believed line by line: every field must be there, of its type and in its range, every step must follow from
the one before, and folding the events must work.  The first thing that does not hold raises a TraceError of one
sentence that names the line, and nothing is half loaded.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np

from blockbatch.checks import Fields, shown
from blockbatch.config import (
    LIVE_SETTINGS,
    MAX_BRANCHES,
    MAX_GEN_LENGTH,
    MAX_LOOKAHEAD,
    Config,
    DecodeConfig,
    config_from_dict,
)
from blockbatch.errors import ConfigError, TraceError
from blockbatch.events import EVENT_TYPES, STRUCTURE, Ahead, ConfigChange, Event
from blockbatch.metrics import totals
from blockbatch.trace import (
    FORMAT,
    KINDS,
    MILLISECONDS,
    RECORDED_CANDIDATES,
    STOPS,
    VERSION,
    BranchState,
    Candidates,
    End,
    Header,
    Milliseconds,
    Rows,
    Step,
    Trace,
    tokens_in,
)

MAX_BYTES = 64 * 2**20
MAX_STEPS = 20_000
MAX_LINES = MAX_STEPS + 3  # header, steps 0 to the last, end
MAX_EVENTS = 4 * MAX_BRANCHES * MAX_GEN_LENGTH  # a branch fills each position about once; resets add little to that
MAX_TOKEN = 10**7
MAX_PIECES = 2**20  # several times the largest vocabularies


def load_trace(path: str | os.PathLike[str]) -> Trace:
    """The run recorded in the file `path`; TraceError if it is not a whole, valid recording of at most 64 MiB."""
    try:
        _check_size(Path(path).stat().st_size)
        text = Path(path).read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise TraceError(f"The file is not UTF-8 text (byte {error.start}); choose a trace saved as NDJSON.") from None
    except OSError as error:
        raise TraceError(f"The file cannot be read: {error.strerror or error}.") from None
    return parse_trace(text)


def parse_trace(text: str, *, whole: bool = True) -> Trace:
    """The run recorded in `text`, NDJSON lines; unless it must be `whole`, the part so far of a run that goes on."""
    _check_size(len(text))
    lines = text.removesuffix("\n").split("\n", MAX_LINES) if text else []
    reader = _Reader()
    for number, line in enumerate(lines, start=1):
        try:
            reader.read(Fields.parse(line))
        except (TraceError, ConfigError) as error:
            raise TraceError(f"Line {number} of the trace is wrong: {str(error).rstrip('.')}.") from None
        except RecursionError:  # in showing what is wrong: it was read with a little less on the stack
            raise TraceError(f"Line {number} of the trace is wrong: its values are nested too deeply.") from None
    return reader.finish(len(lines), whole)


def _check_size(size: int) -> None:
    if size > MAX_BYTES:
        raise TraceError(
            f"The trace has {size / 2**20:.0f} MiB, more than the {MAX_BYTES // 2**20} MiB that can be read."
        )


class _Reader:
    """Takes the lines in order and builds the trace, checking each against what came before."""

    def __init__(self) -> None:
        self._trace: Trace | None = None
        self._rows = Rows({})
        self._config: Config | None = None
        self._events = 0

    def read(self, line: Fields) -> None:
        """Take in one line."""
        if self._trace is None:
            self._header(line)
        elif self._trace.end is not None:
            raise TraceError("it stands after the closing line")
        elif line.one_of("type", ("step", "end")) == "step":
            self._step(self._trace, line)
        else:
            self._end(self._trace, line)

    def finish(self, lines: int, whole: bool) -> Trace:
        """The trace, `whole` or as far as it goes."""
        if self._trace is None:
            raise TraceError("The trace is empty; choose a file saved as NDJSON.")
        if whole and self._trace.end is None:
            raise TraceError(f"The trace breaks off after line {lines}, before its closing line; save it again.")
        return self._trace

    def _header(self, line: Fields) -> None:
        if line.values.get("type") != "header" or line.values.get("format") != FORMAT:
            raise TraceError(f"a {FORMAT} file starts with its header")
        version = line.count("version")
        if version != VERSION:
            raise TraceError(
                f"its format version is {version}, but this program reads {VERSION}; use one that is newer"
            )
        names = ("run", "model", "decoder", "prompt", "device", "dtype")
        texts: dict[str, Any] = {name: line.text(name) for name in names}
        header = Header(
            config=config_from_dict(texts["decoder"], line.nested("config").values),
            prompt_tokens=tuple(line.counts("prompt_tokens", MAX_TOKEN)),
            mask_id=line.count("mask_id", MAX_TOKEN),
            eos_id=line.count("eos_id", MAX_TOKEN),
            versions=line.nested("versions").texts(),
            origin=_origin(line),
            lookback=line.count("lookback", 1) if "lookback" in line.values else 0,
            **texts,
        )
        self._trace, self._rows, self._config = Trace(header), Rows.start(header.config), header.config
        self._pieces(self._trace, line, header.prompt_tokens)

    def _step(self, trace: Trace, line: Fields) -> None:
        index, kind = line.count("index", MAX_STEPS), line.one_of("kind", KINDS)
        if index != len(trace.steps):
            raise TraceError(f"its index is {index}, but step {len(trace.steps)} comes next")
        if (kind == "init") != (index == 0):
            raise TraceError(f"step {index} is of kind {kind}, but the first step is init and no other")
        step = self._checked_step(index, kind, trace.header.config.gen_length, line)
        trace.steps.append(step)
        self._pieces(trace, line, tokens_in(step))

    def _checked_step(self, index: int, kind: Any, length: int, line: Fields) -> Step:
        branches = tuple(_branch(Fields(value, "branch"), length) for value in line.list("branches"))
        candidates = tuple(_candidates(Fields(value, "candidate"), length) for value in line.list("candidates"))
        if [c.branch for c in candidates] != [state.branch for state in branches if state.forward]:
            raise TraceError("its candidates are not those of the branches that took part in the forward")
        events = self._happened(line.list("events"), length)
        if [state.branch for state in branches] != sorted(self._rows.rows):
            raise TraceError(f"its branches are not those of the run, {sorted(self._rows.rows)}")
        times = line.nested("milliseconds")
        return Step(index, kind, branches, candidates, events, Milliseconds(*map(times.measure, MILLISECONDS)))

    def _happened(self, values: Sequence[object], length: int) -> tuple[Event, ...]:
        """The events, which now are part of the fold."""
        self._events += len(values)
        if self._events > MAX_EVENTS:
            raise TraceError(f"with it the run has more than {MAX_EVENTS} events, which no run comes to")
        events = tuple(_event(Fields(value, "event"), length) for value in values)
        for event in events:
            self._rows.apply(event)
            if isinstance(event, ConfigChange):
                self._config = _changed(self._config, event)
        changes = [isinstance(event, STRUCTURE) for event in events]
        if changes != sorted(changes, reverse=True):
            raise TraceError("a change of settings or branches stands behind what the step did")
        return events

    def _end(self, trace: Trace, line: Fields) -> None:
        length, winner, stop = trace.header.config.gen_length, line.count("winner"), line.one_of("stop", STOPS)
        if winner not in self._rows.rows:
            raise TraceError(f"its winner is {winner}, which is no branch of the run")
        eos = None if line.any("eos") is None else line.count("eos", max(length - 1, 0))
        counted = totals(trace.steps)
        if _without_times(line.nested("totals").values) != _without_times(counted.to_dict()):
            raise TraceError("its totals are not those of the steps")
        trace.end = End(winner, line.text("text"), stop, eos, counted)  # type: ignore[arg-type]

    def _pieces(self, trace: Trace, line: Fields, tokens: Iterable[int]) -> None:
        pieces = line.nested("pieces").texts()
        for token in pieces:
            if not (token.isascii() and token.isdigit() and len(token) <= len(str(MAX_TOKEN))):
                raise TraceError(f"its pieces name {shown(token)}, which is no token id")
        trace.pieces.update(zip(map(int, pieces), pieces.values(), strict=True))
        if len(trace.pieces) > MAX_PIECES:
            raise TraceError(f"with it the run has the texts of more than {MAX_PIECES} tokens, which no vocabulary has")
        if unknown := set(tokens).difference(trace.pieces):
            raise TraceError(f"it uses the token {min(unknown)} without giving its text")


def _origin(line: Fields) -> tuple[str, int] | None:
    if line.any("origin") is None:
        return None
    origin = line.nested("origin")
    return origin.text("run"), origin.count("step")


def _without_times(totals: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in totals.items() if name != "milliseconds"}


_READ: dict[object, Callable[[Fields, str], Any]] = {
    int: Fields.count,
    float: Fields.probability,
    bool: Fields.flag,
    str: Fields.text,
    tuple[int, ...]: lambda line, name: tuple(line.counts(name)),
    Any: Fields.any,
}
_EVENT_KINDS = tuple(EVENT_TYPES)
_EVENT_FIELDS = {
    kind: {name: _READ[hint] for name, hint in get_type_hints(cls).items()} for kind, cls in EVENT_TYPES.items()
}


def _event(line: Fields, length: int) -> Event:
    kind = line.one_of("type", _EVENT_KINDS)
    arguments = {name: read(line, name) for name, read in _EVENT_FIELDS[kind].items()}
    if arguments.get("position", 0) >= max(length, 1):
        raise TraceError(f"a {kind} stands at position {arguments['position']} of {length}")
    event: Event = EVENT_TYPES[kind](**arguments)
    if isinstance(event, Ahead):
        _check_ahead(event, length)
    return event


def _check_ahead(event: Ahead, length: int) -> None:
    positions, tokens = event.positions, event.tokens
    if not 0 < len(positions) == len(tokens) <= MAX_LOOKAHEAD or len(set(positions)) < len(positions):
        raise TraceError(f"it looks ahead to other than 1 to {MAX_LOOKAHEAD} positions, each with one token")
    if max(positions) >= length:
        raise TraceError(f"it looks ahead to position {max(positions)} of {length}")


def _changed(config: Config | None, event: ConfigChange) -> Config:
    """The settings after a change.  TraceError or ConfigError where they could not be changed so."""
    if not isinstance(config, DecodeConfig):
        raise TraceError(f"it changes {shown(event.field)}, but a baseline does not change while it runs")
    if event.field not in LIVE_SETTINGS:
        raise TraceError(f"it changes {shown(event.field)}, which no run does: only {', '.join(LIVE_SETTINGS)}")
    after = config.replace(**{event.field: event.new})
    if getattr(config, event.field) != event.old:
        raise TraceError(f"it changes {event.field} from {shown(event.old)}, but that is another one by then")
    return after


def _branch(line: Fields, length: int) -> BranchState:
    window = line.counts("window", length)
    if len(window) != 2 or window[0] > window[1]:
        raise TraceError(f"a window is {shown(window)}, but must be [start, end]")
    span = (window[0], window[1])
    return BranchState(line.count("branch"), span, line.count("decoded"), line.flag("done"), line.flag("forward"))


def _candidates(line: Fields, length: int) -> Candidates:
    positions = line.counts("positions", max(length - 1, 0))
    counts, tokens = line.counts("counts", RECORDED_CANDIDATES), line.counts("tokens", MAX_TOKEN)
    probabilities, entropy = line.probabilities("probabilities"), line.measures("entropy")
    if sorted(set(positions)) != positions or not len(positions) == len(counts) == len(entropy):
        raise TraceError("its candidates do not have ascending positions, each with a count and an entropy")
    if not sum(counts) == len(tokens) == len(probabilities) or 0 in counts:
        raise TraceError("its candidates do not have as many tokens and probabilities as their counts say")
    at, kept, ids = (np.array(values, np.int64) for values in (positions, counts, tokens))
    chances, spreads = (np.array(values, np.float64) for values in (probabilities, entropy))
    return Candidates(line.count("branch"), at, kept, ids, chances, spreads)
