"""Recording, saving and strictly reading runs."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blockbatch import reading
from blockbatch.config import BaselineConfig, DecodeConfig
from blockbatch.errors import BlockBatchError, PromptError, TraceError
from blockbatch.events import Commit
from blockbatch.models import Model
from blockbatch.reading import load_trace, parse_trace
from blockbatch.run import Run
from blockbatch.trace import MASKED, Trace

CONFIG = DecodeConfig(block_sizes=(2, 8, 16), gen_length=24, commit_threshold=0.2, merge_threshold=0.15)

BUNDLED = Path(__file__).parents[2] / "assets" / "traces"


@pytest.fixture(scope="module")
def lines(model: Model) -> list[str]:
    """A recorded run with a change in the middle."""
    run = Run(model, "what is 2 + 2?", CONFIG)
    recorded = []
    for line in run:
        recorded.append(line)
        if len(recorded) == 3:
            run.reconfigure(commit_threshold=0.3, block_sizes=(2, 5, 16), resize={8: 12})
    assert len(recorded) > 5
    return recorded


def parsed(lines: list[str]) -> Trace:
    return parse_trace("\n".join(lines) + "\n")


def test_a_saved_run_reads_back_equal(lines: list[str], tmp_path: Path) -> None:
    trace = parsed(lines)
    assert list(trace.lines()) == lines
    trace.save(tmp_path / "run.ndjson")
    assert list(load_trace(tmp_path / "run.ndjson").lines()) == lines
    assert [path.name for path in tmp_path.iterdir()] == ["run.ndjson"]


def test_a_trace_holds_what_was_decoded_and_by_what(model: Model, lines: list[str]) -> None:
    header = json.loads(lines[0])
    assert header["config"] == CONFIG.to_dict()
    assert header["prompt_tokens"] == model.encode("what is 2 + 2?")
    assert header["pieces"][str(model.tokenizer.mask_token_id + 2)] == "<|user|>"
    assert {"torch", "transformers", "numpy", "python"} <= set(header["versions"])
    assert (header["device"], header["dtype"]) == ("cpu", "float32")


def test_rows_at_a_step_are_those_of_the_decoder(model: Model) -> None:
    run = Run(model, "hello", CONFIG)
    seen = [{}]
    for line in run:
        if json.loads(line)["type"] == "step":
            b = run._decoder.branches
            seen.append(dict(zip(b.sizes.tolist(), b.rows.tolist(), strict=True)))
    for step, expected in enumerate(seen[1:]):
        assert {branch: row.tolist() for branch, row in run.trace.rows(step).items()} == expected
    assert all((row == MASKED).all() for row in run.trace.rows(-1).values())
    with pytest.raises(IndexError):
        run.trace.rows(len(seen))


def test_recorded_candidates_explain_the_commits(lines: list[str]) -> None:
    """The best recorded candidate of a committed position is the token written, with the probability stated."""
    compared = 0
    for step in parsed(lines).steps:
        tables = {candidates.branch: candidates for candidates in step.candidates}
        for event in step.events:
            if isinstance(event, Commit) and event.branch in tables and step.kind == "denoise":
                assert tables[event.branch].at(event.position)[0] == (event.token, event.probability)
                compared += 1
    assert compared


def test_candidates_at_an_unmasked_position_are_none(lines: list[str]) -> None:
    candidates = parsed(lines).steps[0].candidates[0]
    assert candidates.at(23) == []
    assert [len(candidates.at(p)) for p in candidates.positions.tolist()] == candidates.counts.tolist()


def test_a_header_names_the_lookback_of_a_model_that_has_one(lines: list[str]) -> None:
    assert "lookback" not in json.loads(lines[0])
    assert parsed(lines).header.lookback == 0
    shifted = [edited(lines[0], setting("lookback", value=1)), *lines[1:]]
    trace = parsed(shifted)
    assert trace.header.lookback == 1
    assert parsed(list(trace.lines())).header == trace.header
    named = edited(lines[0], setting("lookback", value=0))
    assert list(parsed([named, *lines[1:]]).lines()) == lines


@pytest.mark.parametrize("path", sorted(BUNDLED.glob("*.ndjson")), ids=lambda path: path.stem)
def test_the_bundled_runs_are_written_as_they_were_read(path: Path) -> None:
    assert "".join(f"{line}\n" for line in load_trace(path).lines()) == path.read_text(encoding="utf-8")


def test_a_stopped_run_keeps_its_partial_trace(model: Model) -> None:
    run = Run(model, "hello", CONFIG)
    recorded = []
    for line in run:
        recorded.append(line)
        if len(recorded) == 3:
            run.stop()
    trace = parsed(recorded)
    assert trace.end is not None
    assert (trace.end.stop, len(trace.steps)) == ("stopped", 2)


def test_a_run_that_breaks_keeps_its_partial_trace_and_says_so(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(model, "hello", CONFIG)
    recorded: list[str] = []

    def consume() -> None:
        for line in run:
            recorded.append(line)
            if len(recorded) == 3:
                monkeypatch.setattr(run._decoder._stepper, "denoiser", None)

    with pytest.raises(AttributeError):
        consume()
    trace = parsed(recorded)
    assert trace.end is not None
    assert trace.end.stop == "failed"


def test_a_baseline_is_recorded_alike(model: Model) -> None:
    run = Run(model, "hello", BaselineConfig("dual-cache", 8, 24))
    trace = parsed(list(run))
    assert trace.header.config == BaselineConfig("dual-cache", 8, 24)
    with pytest.raises(BlockBatchError, match="paper or latest"):
        run.reconfigure(commit_threshold=0.1)


def test_prompts_that_cannot_be_decoded_are_refused(model: Model) -> None:
    with pytest.raises(PromptError, match="empty"):
        Run(model, " ", CONFIG)
    with pytest.raises(PromptError, match=r"502 tokens.*at most 488"):
        Run(model, "x" * 500, CONFIG)


def test_no_generation_gives_an_empty_run(model: Model) -> None:
    trace = parsed(list(Run(model, "hello", DecodeConfig(gen_length=0))))
    assert trace.end is not None
    assert (trace.steps, trace.end.text, trace.end.stop) == ([], "", "complete")


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


@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_whatever_is_done_to_a_file_it_reads_or_gives_a_trace_error(lines: list[str], data: st.DataObject) -> None:
    text = "\n".join(lines)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 40)))
    changed = text[:start] + data.draw(st.text(max_size=8)) + text[end:]
    try:
        assert parse_trace(changed).end is not None
    except TraceError as error:
        message = str(error)
    else:
        message = "."
    assert message.endswith(".")
    assert "\n" not in message


def test_pieces_with_markup_and_lone_surrogates_survive(model: Model, tmp_path: Path) -> None:
    run = Run(model, "hello", CONFIG)
    run._recorder._piece = lambda token: f"<img onerror=x>\ud800{token}"
    trace = parsed(list(run))
    trace.save(tmp_path / "odd.ndjson")
    assert load_trace(tmp_path / "odd.ndjson").pieces == trace.pieces


def test_a_trace_opens_without_torch(lines: list[str], tmp_path: Path) -> None:
    (tmp_path / "run.ndjson").write_text("\n".join(lines))
    program = (
        "import sys; sys.modules['torch'] = sys.modules['transformers'] = sys.modules['gradio'] = None\n"
        "from blockbatch.reading import load_trace\n"
        f"print(len(load_trace({str(tmp_path / 'run.ndjson')!r}).rows(1)))"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "3"
