"""Whatever stands in a file: it is a whole, valid recording, or refused in one sentence."""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from runs import recorded

from blockbatch import reading
from blockbatch.config import BaselineConfig
from blockbatch.errors import TraceError
from blockbatch.reading import load_trace, parse_trace
from blockbatch.trace import MILLISECONDS, Trace


def parsed(lines: list[str]) -> Trace:
    return parse_trace("\n".join(lines) + "\n")


def edited(line: str, edit: Callable[[dict[str, Any]], None]) -> str:
    value = json.loads(line)
    edit(value)
    return json.dumps(value)


def setting(*path: Any, value: Any) -> Callable[[dict[str, Any]], None]:
    def edit(line: Any) -> None:
        for key in path[:-1]:
            line = line[key]
        line[path[-1]] = value

    return edit


@pytest.mark.parametrize(
    ("number", "edit", "sentence"),
    [
        (1, setting("version", value=2), "format version is 2, but this program reads 1"),
        (1, setting("version", value="1"), "version is '1'"),
        (1, setting("format", value="other"), "starts with its header"),
        (1, lambda line: line.pop("prompt_tokens"), "lacks prompt_tokens"),
        (1, lambda line: line["config"].pop("seed"), "seed is None"),
        (1, setting("config", "commit_threshold", value=9), "commit_threshold is 9"),
        (1, setting("decoder", value="latest"), "decoder is 'latest'"),
        (1, setting("lookback", value=2), "lookback is 2"),
        (1, setting("lookback", value=True), "lookback is True"),
        (1, setting("lookback", value=None), "lookback is None"),
        (1, setting("pieces", value={}), "without giving its text"),
        (1, setting("pieces", "x", value="y"), "'x', which is no token id"),
        (2, setting("index", value=1), "index is 1, but step 0 comes next"),
        (2, setting("kind", value="denoise"), "the first step is init"),
        (2, setting("kind", value="nap"), "kind is 'nap'"),
        (2, setting("branches", 0, "window", value=[3, 1]), r"\[start, end\]"),
        (2, setting("branches", 0, "window", value=[0, 99]), "window hold 99"),
        (2, setting("branches", 0, "decoded", value=True), "decoded is True"),
        (2, lambda line: line["branches"].pop(), "took part"),
        (2, setting("candidates", 0, "counts", 0, value=0), "candidates"),
        (2, setting("candidates", 0, "probabilities", 0, value=1.5), "hold 1.5, but must be probabilities"),
        (2, setting("candidates", 0, "probabilities", 0, value="1"), "hold '1', but must be probabilities"),
        (2, setting("candidates", 0, "probabilities", 0, value=True), "hold True, but must be probabilities"),
        (2, setting("candidates", 0, "tokens", 0, value=1.0), "hold 1.0, but must be whole numbers"),
        (2, setting("candidates", 0, "tokens", -1, value=False), "hold False, but must be whole numbers"),
        (2, setting("candidates", 0, "entropy", 0, value=-0.5), "hold -0.5, but must be finite numbers from 0 on"),
        (2, setting("candidates", 0, "entropy", 0, value=10**400), "hold 1000.*, but must be finite numbers"),
        (2, setting("candidates", 0, "entropy", 0, value=[]), r"hold \[\], but must be finite numbers"),
        (2, setting("candidates", 0, "positions", 0, value=1), "ascending positions"),
        (2, setting("events", 0, "type", value="magic"), "type is 'magic'"),
        (2, setting("events", 0, "position", value=24), "position 24 of 24"),
        (2, setting("events", 0, "position", value=-1), "position is -1"),
        (2, setting("events", 0, "branch", value=99), "no branch of block size 99"),
        (2, setting("events", 1, value=None), "event is None"),
        (2, lambda line: line["events"].append({"type": "drop", "branch": 2}), "stands behind what the step did"),
        (2, lambda line: line["events"].insert(1, {"type": "add", "branch": 4, "source": 2}), "stands behind what"),
        (2, setting("milliseconds", "forward", value=-1), "forward is -1"),
        (2, setting("milliseconds", "forward", value=10**400), "forward is 1000"),
        (3, setting("pieces", value=None), "pieces is None"),
        (3, setting("pieces", "7", value=None), "7 is None, but must be text"),
        (-1, setting("winner", value=3), "winner is 3"),
        (-1, setting("stop", value="bored"), "stop is 'bored'"),
        (-1, setting("eos", value=24), "eos is 24"),
        (-1, setting("totals", "forwards", value=1), "totals are not those"),
        (-1, setting("text", value=5), "text is 5"),
    ],
)
def test_a_malformed_line_is_named(lines: list[str], number: int, edit: Any, sentence: str) -> None:
    index = number - 1 if number > 0 else len(lines) - 1
    changed = [*lines[:index], edited(lines[index], edit), *lines[index + 1 :]]
    with pytest.raises(TraceError, match=rf"^Line {index + 1} of the trace is wrong: .*{sentence}.*\.$") as raised:
        parsed(changed)
    assert len(str(raised.value)) < 300


@pytest.mark.parametrize("text", ["", "\n", "[]", "nonsense", "{", "\x00" * 40, "[" * 100_000, '{"type":"header"}'])
def test_what_is_no_trace_is_refused(text: str) -> None:
    with pytest.raises(TraceError):
        parse_trace(text)


@pytest.mark.parametrize("value", ["NaN", "Infinity", "1e999", "9" * 5000])
def test_numbers_that_json_does_not_have_are_refused(lines: list[str], value: str) -> None:
    line = json.dumps({**json.loads(lines[1]), "milliseconds": {"forward": "@", "consensus": 0, "recording": 0}})
    with pytest.raises(TraceError, match="Line 2"):
        parsed([lines[0], line.replace('"@"', value), *lines[2:]])


def test_a_truncated_trace_says_where(lines: list[str]) -> None:
    with pytest.raises(TraceError, match=f"breaks off after line {len(lines) - 1}"):
        parsed(lines[:-1])
    with pytest.raises(TraceError, match=f"Line {len(lines)} .*not valid JSON"):
        parsed([*lines[:-1], lines[-1][:40]])
    with pytest.raises(TraceError, match="after the closing line"):
        parsed([*lines, lines[-1]])


def test_a_huge_or_unreadable_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    huge = tmp_path / "huge.ndjson"
    with huge.open("wb") as file:
        file.truncate(200 * 2**20)
    with pytest.raises(TraceError, match="200 MiB, more than the 64 MiB"):
        load_trace(huge)
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(TraceError, match="not UTF-8"):
        load_trace(tmp_path / "binary")
    with pytest.raises(TraceError, match="cannot be read"):
        load_trace(tmp_path / "absent")
    with pytest.raises(TraceError, match="cannot be read"):
        load_trace(tmp_path)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"field": "block_sizes", "old": [2, 8, 16], "new": [2]}, "changes 'block_sizes', which no run does"),
        ({"field": "magic", "old": 0, "new": 1}, "changes 'magic', which no run does: only commit_threshold, "),
        ({"field": "variant", "old": "paper", "new": "latest"}, "changes 'variant', which no run does"),
        ({"field": "gen_length", "old": 24, "new": 8}, "changes 'gen_length', which no run does"),
        ({"field": ["seed"], "old": 0, "new": 1}, "field is"),
        ({"field": "temperature", "old": 0.5, "new": 1}, "changes temperature from 0.5, but that is another"),
        ({"field": "temperature", "old": 0.0, "new": 11}, "temperature is 11, but must be a number from 0 to 10"),
        ({"field": "temperature", "old": 0.0, "new": [[]]}, r"temperature is \[\[\]\], but must be"),
    ],
)
def test_a_change_that_no_run_makes_is_refused(lines: list[str], change: dict[str, Any], sentence: str) -> None:
    changed = edited(lines[1], lambda line: line["events"].insert(0, {"type": "config", **change}))
    with pytest.raises(TraceError, match=rf"^Line 2 of the trace is wrong: .*{sentence}"):
        parsed([lines[0], changed, *lines[2:]])
    baseline = list(recorded(BaselineConfig("dual-cache", 8, 24)).lines())
    change = {"type": "config", "field": "temperature", "old": 0.0, "new": 1.0}
    with pytest.raises(TraceError, match="a baseline does not change"):
        parsed([baseline[0], edited(baseline[1], lambda line: line["events"].insert(0, change)), *baseline[2:]])


def test_values_nested_as_deep_as_can_just_be_read_are_refused(lines: list[str]) -> None:
    """Showing them takes a little more of the stack than reading them did."""
    change = edited(
        lines[1], lambda line: line["events"].insert(0, {"type": "config", "field": "temperature", "old": 0})
    )
    limit = sys.getrecursionlimit() - len(inspect.stack())
    for depth in range(limit - 60, limit + 10):
        deep = change.replace('"old": 0', f'"old": 0, "new": {"[" * depth}{"]" * depth}', 1)
        with pytest.raises(TraceError, match=r"^Line 2 of the trace is wrong: .*\.$"):
            parsed([lines[0], deep, *lines[2:]])


def test_branches_without_end_are_refused(lines: list[str]) -> None:
    many = [{"type": "add", "branch": 100 + n, "source": 2} for n in range(40)]
    with pytest.raises(TraceError, match="more than 16 branches"):
        parsed([lines[0], edited(lines[1], lambda line: line["events"].extend(many)), *lines[2:]])


def test_more_than_a_run_can_have_is_refused(lines: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    events = sum(len(step.events) for step in parsed(lines).steps)
    monkeypatch.setattr(reading, "MAX_EVENTS", events)
    assert parsed(lines).steps
    monkeypatch.setattr(reading, "MAX_EVENTS", events - 1)
    with pytest.raises(TraceError, match=rf"^Line \d+ of .* has more than {events - 1} events, which no run"):
        parsed(lines)
    monkeypatch.undo()
    many = edited(lines[0], setting("pieces", value=dict.fromkeys(map(str, range(reading.MAX_PIECES + 1)), "")))
    with pytest.raises(TraceError, match=r"^Line 1 .* texts of more than 1048576 tokens, which no vocabulary has\."):
        parsed([many, *lines[1:]])


def test_what_follows_the_last_possible_line_is_not_split(lines: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_LINES", len(lines))
    assert parsed(lines).end
    with pytest.raises(TraceError, match=rf"Line {len(lines) + 1} .*after the closing line"):
        parsed([*lines, "{}"])
    with pytest.raises(TraceError, match=rf"Line {len(lines) + 1} .*not valid JSON"):
        parsed([*lines, "{}", "{}"])


# What may come in the place of a stretch: mostly what is at home in the file, so that the damage often stays JSON.
INSERTED = st.text(st.sampled_from('0123456789-+.eE"\\{}[],:\n tfn') | st.characters(), max_size=8)
LENGTHS = st.sampled_from([0, 1, 40, 10**9])  # of the stretch: an insertion, one character, a gap, all that follows


@settings(max_examples=150, deadline=None)
@given(place=st.floats(0, 1), length=LENGTHS, inserted=INSERTED, whole=st.booleans())
def test_a_damaged_file_is_a_valid_trace_or_a_trace_error(
    lines: list[str], place: float, length: int, inserted: str, whole: bool
) -> None:
    text = "\n".join(lines)
    start = round(place * len(text))
    reads_or_is_refused(text[:start] + inserted + text[start + length :], whole)


@settings(max_examples=150, deadline=None)
@given(line=st.integers(0, 4), place=st.floats(0, 1), character=st.sampled_from("0123456789-.e,"))
def test_a_changed_digit_is_a_valid_trace_or_a_trace_error(
    lines: list[str], line: int, place: float, character: str
) -> None:
    """Numbers are most of a file, and those of a header or an end are easily missed."""
    digits = [match.start() for match in re.finditer(r"\d", lines[line - 2])]
    at = digits[round(place * (len(digits) - 1))]
    changed = lines[line - 2][:at] + character + lines[line - 2][at + 1 :]
    reads_or_is_refused("\n".join(changed if each is lines[line - 2] else each for each in lines))


def reads_or_is_refused(text: str, whole: bool = True) -> None:
    """Whatever `text` is, it is read as a run that can be written and read again, or refused in one sentence."""
    try:
        trace = parse_trace(text, whole=whole)
    except TraceError as error:
        message = str(error)
    else:
        message = "."
        assert trace.end is not None or not whole
        is_the_same_when_written_and_read_again(trace)
    assert message.endswith(".")
    assert "\n" not in message


def is_the_same_when_written_and_read_again(trace: Trace) -> None:
    written = list(trace.lines())
    again = parse_trace("\n".join(written), whole=False)
    assert list(again.lines()) == written
    rows, same = (one.rows(len(trace.steps) - 1) for one in (trace, again))
    assert rows.keys() == same.keys()
    assert all(np.array_equal(rows[branch], same[branch]) for branch in rows)


def test_times_whose_sum_would_be_infinite_are_refused(lines: list[str]) -> None:
    """Each of them is a float, but the totals could not be written."""

    def lasting(milliseconds: float) -> list[str]:
        times = dict.fromkeys(MILLISECONDS, milliseconds)
        return [lines[0], *(edited(line, setting("milliseconds", value=times)) for line in lines[1:-1])]

    with pytest.raises(TraceError, match=r"forward is 1e\+308, but must be a finite number"):
        parsed(lasting(1e308))
    is_the_same_when_written_and_read_again(parse_trace("\n".join(lasting(1e302)), whole=False))


def test_a_header_names_the_lookback_of_a_model_that_has_one(lines: list[str]) -> None:
    assert "lookback" not in json.loads(lines[0])
    assert parsed(lines).header.lookback == 0
    shifted = [edited(lines[0], setting("lookback", value=1)), *lines[1:]]
    trace = parsed(shifted)
    assert trace.header.lookback == 1
    assert parsed(list(trace.lines())).header == trace.header
    named = edited(lines[0], setting("lookback", value=0))
    assert list(parsed([named, *lines[1:]]).lines()) == lines
