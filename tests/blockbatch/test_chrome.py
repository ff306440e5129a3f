"""The Chrome trace, held against the rules of the Trace Event Format and those on which Perfetto drops a record."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from scripted import ScriptedModel

from blockbatch.__main__ import main
from blockbatch.chrome import chrome_json, chrome_trace
from blockbatch.config import BaselineConfig, Config, DecodeConfig
from blockbatch.events import ConfigChange, Eos, Merge, Refresh, Sync
from blockbatch.run import Run
from blockbatch.trace import MASKED, Trace

Record = dict[str, Any]

# Keys that a record needs by its phase, with their types; whoever reads the format drops a record without them.
ALWAYS: dict[str, type] = {"ph": str, "name": str, "pid": int, "tid": int}
NEEDED: dict[str, dict[str, type]] = {
    "X": {"ts": int, "dur": int, "cat": str, "args": dict},
    "i": {"ts": int, "s": str, "cat": str, "args": dict},
    "C": {"ts": int, "args": dict},
    "M": {"args": dict},
}


def run_of(config: Config, answer: str | None = None, prompt: str = "any prompt") -> Trace:
    run = Run(ScriptedModel(answer) if answer else ScriptedModel(), prompt, config)
    for number, _ in enumerate(run):
        if number == 4 and isinstance(config, DecodeConfig):
            run.reconfigure(commit_threshold=0.8, block_sizes=(4, 8, 48, 64), resize={32: 48})
    return run.trace


@pytest.fixture(scope="module")
def steered() -> Trace:
    return run_of(DecodeConfig(gen_length=96, block_sizes=(4, 8, 32, 64), sync_threshold=4, refresh_interval=8))


@pytest.fixture(scope="module")
def records(steered: Trace) -> list[Record]:
    return checked(chrome_json([steered]))


def checked(text: str) -> list[Record]:
    """The records of a Chrome trace that keeps all rules."""
    document = json.loads(text)
    assert text.startswith('{"displayTimeUnit":"ms"'), "Perfetto takes the unit in if it stands first"
    assert not re.search(r"(?<!\\)(?:\\\\)*\\u", text), "older Perfettos know no such escapes"
    records: list[Record] = document["traceEvents"]
    for record in records:
        check(record)
    assert all(a["ts"] <= b["ts"] for a, b in pairwise(r for r in records if r["ph"] != "M"))
    check_nesting(records)
    check_names(records)
    return records


def check(record: Record) -> None:
    expected = {**ALWAYS, **NEEDED[record["ph"]]}
    assert set(record) == set(expected), record
    for key, kind in expected.items():
        assert type(record[key]) is kind, (key, record)
    assert record["name"]
    assert record["pid"] > 0, "process and thread 0 are the idle ones"
    assert record["tid"] > 0
    assert record.get("ts", 0) >= 0
    assert record.get("dur", 0) >= 0
    match record["ph"]:
        case "i":
            assert record["s"] in ("t", "p", "g")
        case "C":
            assert record["args"], "a counter without a series is dropped"
            assert all(type(value) in (int, float) for value in record["args"].values())
        case "M":
            assert record["name"] in ("process_name", "thread_name")
            assert set(record["args"]) == {"name"}
            assert record["args"]["name"], "an empty name is dropped"


def check_nesting(records: list[Record]) -> None:
    """Spans of a thread lie inside one another or apart; Perfetto drops one that laps over another's end."""
    threads = defaultdict(list)
    for record in records:
        if record["ph"] == "X":
            threads[record["tid"]].append(record)
    for spans in threads.values():
        open_ends: list[int] = []
        for span in spans:
            while open_ends and open_ends[-1] <= span["ts"]:
                open_ends.pop()
            assert not open_ends or span["ts"] + span["dur"] <= open_ends[-1], span
            open_ends.append(span["ts"] + span["dur"])


def check_names(records: list[Record]) -> None:
    """Every thread that is used has one name, and belongs to one process, which has one too."""
    named = [(record["pid"], record["tid"]) for record in records if record["name"] == "thread_name"]
    assert len(named) == len(set(named)) == len({tid for _, tid in named}), "thread ids are the machine's"
    used = {(record["pid"], record["tid"]) for record in records if record["ph"] != "M"}
    assert used <= set(named)
    processes = [record["pid"] for record in records if record["name"] == "process_name"]
    assert sorted(processes) == sorted({pid for pid, _ in named})


def of_category(records: list[Record], category: str) -> list[Record]:
    return [record for record in records if record.get("cat") == category]


def test_a_step_is_a_span_of_its_recorded_time_after_the_one_before(steered: Trace, records: list[Record]) -> None:
    spans = of_category(records, "step")
    assert [span["name"] for span in spans] == [f"step {s.index + 1}: {s.kind}" for s in steered.steps]
    for before, after in pairwise(spans):
        assert before["ts"] + before["dur"] == after["ts"]
    assert steered.end is not None
    milliseconds = steered.end.totals.milliseconds
    assert sum(span["dur"] for span in spans) == pytest.approx(1000 * sum(milliseconds.values()), abs=1)
    forwards = [span for span in of_category(records, "part") if span["name"] == "forward"]
    assert sum(span["dur"] for span in forwards) == pytest.approx(1000 * milliseconds["forward"], abs=1)


def test_every_event_that_is_no_commit_is_an_instant_inside_its_step(steered: Trace, records: list[Record]) -> None:
    kinds = {"consensus commit": Merge, "leader reset": Sync, "full recompute": Refresh, "knob": ConfigChange}
    events = [event for step in steered.steps for event in step.events]
    for category, kind in kinds.items():
        expected = sum(isinstance(event, kind) for event in events)
        found = [r for r in of_category(records, category) if category != "knob" or r["name"].startswith("commit_")]
        assert len(found) == expected > 0, category
    assert len(of_category(records, "end of text")) == sum(isinstance(event, Eos) for event in events) > 0
    steps = of_category(records, "step")
    for instant in (record for record in records if record["ph"] == "i"):
        assert any(step["ts"] <= instant["ts"] <= step["ts"] + step["dur"] for step in steps)
    assert any(record["name"] == "block 32 becomes 48" for record in of_category(records, "knob"))


def test_branches_have_the_forwards_in_which_they_took_part(steered: Trace, records: list[Record]) -> None:
    names = {record["tid"]: record["args"]["name"] for record in records if record["name"] == "thread_name"}
    took_part = [(f"block {state.branch}", state.window) for step in steered.steps for state in step.branches
                 if state.forward]  # fmt: skip
    spans = [(names[r["tid"]], (r["args"]["first"], r["args"]["end"])) for r in of_category(records, "forward")]
    assert sorted(spans) == sorted(took_part)


def test_counters_hold_what_the_rows_hold(steered: Trace, records: list[Record]) -> None:
    counters = [record["args"] for record in records if record["ph"] == "C"]
    for step, counter in enumerate(counters):
        rows = steered.rows(step)
        assert counter == {f"block {size}": int((row != MASKED).sum()) for size, row in rows.items()}
    assert len(counters) == len(steered.steps)


def test_several_runs_are_processes_of_their_own(steered: Trace) -> None:
    baseline = run_of(BaselineConfig("dual-cache", 32, gen_length=48))
    records = checked(chrome_json([steered, baseline]))
    names = [record["args"]["name"] for record in records if record["name"] == "process_name"]
    assert names == ["paper: 'any prompt'", "dual-cache: 'any prompt'"]


def test_hostile_text_and_empty_runs_keep_the_rules() -> None:
    answer = 'a "quote" \\ <b>bold</b> \x00 \x1b \udc80 \u2028 end. A second sentence, for a second block of tokens.'
    checked(chrome_json([run_of(DecodeConfig(gen_length=64), answer, "\x07\udc81 <script>\n")]))
    checked(chrome_json([run_of(BaselineConfig(gen_length=0))]))
    checked(chrome_json([Trace(run_of(DecodeConfig(gen_length=8)).header)]))
    assert chrome_trace([])["traceEvents"] == []


def test_the_command_line_converts(tmp_path: Path, steered: Trace, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "run.ndjson", tmp_path / "run.json"
    steered.save(source)
    assert main(["convert", str(source), str(source), "--to", "chrome", "--out", str(target)]) == 0
    assert len(checked(target.read_text(encoding="utf-8").rstrip("\n"))) > 100
    assert main(["convert", str(source), "--to", "chrome"]) == 0
    assert capsys.readouterr().out == chrome_json([steered]) + "\n"
    source.write_text("no trace")
    assert main(["convert", str(source), "--to", "chrome"]) == 2
    assert capsys.readouterr().err.startswith(f"blockbatch: {source}: Line 1 of the trace is wrong")
    assert main(["convert", str(source), "--to", "chrome", "--out", str(tmp_path)]) == 2
