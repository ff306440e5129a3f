"""Recording, saving and reading runs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from runs import SMALL

from blockbatch.config import BaselineConfig, DecodeConfig
from blockbatch.errors import BlockBatchError, PromptError
from blockbatch.events import Commit
from blockbatch.models import Model
from blockbatch.reading import load_trace, parse_trace
from blockbatch.run import Run
from blockbatch.trace import MASKED, Trace

BUNDLED = Path(__file__).parents[2] / "assets" / "traces"


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
    assert header["config"] == SMALL.to_dict()
    assert header["prompt_tokens"] == model.encode("what is 2 + 2?")
    assert header["pieces"][str(model.tokenizer.mask_token_id + 2)] == "<|user|>"
    assert {"torch", "transformers", "numpy", "python"} <= set(header["versions"])
    assert (header["device"], header["dtype"]) == ("cpu", "float32")


def test_rows_at_a_step_are_those_of_the_decoder(model: Model) -> None:
    run = Run(model, "hello", SMALL)
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


@pytest.mark.parametrize("path", sorted(BUNDLED.glob("*.ndjson")), ids=lambda path: path.stem)
def test_the_bundled_runs_are_written_as_they_were_read(path: Path) -> None:
    assert "".join(f"{line}\n" for line in load_trace(path).lines()) == path.read_text(encoding="utf-8")


def test_a_stopped_run_keeps_its_partial_trace(model: Model) -> None:
    run = Run(model, "hello", SMALL)
    recorded = []
    for line in run:
        recorded.append(line)
        if len(recorded) == 3:
            run.stop()
    trace = parsed(recorded)
    assert trace.end is not None
    assert (trace.end.stop, len(trace.steps)) == ("stopped", 2)


def test_a_run_that_breaks_keeps_its_partial_trace_and_says_so(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(model, "hello", SMALL)
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
    with pytest.raises(BlockBatchError, match="one of paper, latest, plus to change a run"):
        run.reconfigure(commit_threshold=0.1)


def test_prompts_that_cannot_be_decoded_are_refused(model: Model) -> None:
    with pytest.raises(PromptError, match="empty"):
        Run(model, " ", SMALL)
    with pytest.raises(PromptError, match=r"502 tokens.*at most 488"):
        Run(model, "x" * 500, SMALL)
    with pytest.raises(PromptError, match=r"with a length of 512 there is no room for any.* 512 in all; shorten"):
        Run(model, "hello", SMALL.replace(gen_length=512))
    for value in (None, 7, ["hello"]):
        with pytest.raises(PromptError, match=r"^The prompt is .*, but must be text\.$"):
            Run(model, value, SMALL)  # type: ignore[arg-type]


def test_no_generation_gives_an_empty_run(model: Model) -> None:
    trace = parsed(list(Run(model, "hello", DecodeConfig(gen_length=0))))
    assert trace.end is not None
    assert (trace.steps, trace.end.text, trace.end.stop) == ([], "", "complete")


def test_pieces_with_markup_and_lone_surrogates_survive(model: Model, tmp_path: Path) -> None:
    run = Run(model, "hello", SMALL)
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
