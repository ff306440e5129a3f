"""`python -m blockbatch`, from the outside."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from blockbatch.__main__ import main
from blockbatch.config import BaselineConfig, DecodeConfig
from blockbatch.reading import load_trace


def run(*arguments: str) -> int:
    return main(arguments)


def test_generate_prints_the_answer_and_saves_the_run(
    checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "out.ndjson"
    options = ["--gen-length", "12", "--branches", "4,8", "--merge-threshold", "0.4", "--seed", "3"]
    assert run("generate", "hello", "--trace", str(target), "--model", str(checkpoint), *options) == 0
    trace = load_trace(target)
    assert trace.header.config == DecodeConfig(block_sizes=(4, 8), gen_length=12, merge_threshold=0.4, seed=3)
    printed = capsys.readouterr()
    assert trace.end is not None
    assert printed.out == trace.end.text + "\n"
    assert f"{len(trace.steps)} forwards (1 init, " in printed.err


def test_generate_reads_standard_input_and_runs_baselines(checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("hello"))
    options = ["--decoder", "dual-cache", "--block-size", "8", "--gen-length", "12"]
    assert run("generate", "-", "--model", str(checkpoint), *options) == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["hello", "--commit-threshold", "7"], "commit_threshold is 7.0, but must be a number from 0 to 2."),
        (["hello", "--branches", "4,4"], "block_sizes is (4, 4), but must be 1 to 16 distinct"),
        (["hello", "--decoder", "vanilla", "--sync-threshold", "3"], "sync_threshold is 3, but must be left out"),
        (["hello", "--gen-length", "5000"], "gen_length is 5000"),
        (["hello", "--gen-length", "600"], "the prompt has".capitalize()),
        (["   "], "The prompt is empty"),
        (["hello", "--trace", "/nowhere/at/all.ndjson"], "/nowhere/at/all.ndjson cannot be written"),
    ],
)
def test_generate_answers_bad_input_with_one_sentence(
    checkpoint: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    assert run("generate", *arguments, "--model", str(checkpoint)) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert sentence in printed.err.splitlines()[-1]
    assert printed.err.splitlines()[-1].startswith("blockbatch: ")


def test_a_model_that_is_not_there_is_one_sentence(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run("generate", "hello", "--model", str(tmp_path / "none")) == 2
    assert "There is no folder" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["bench", "--limit", "0"], ["bench", "--branches", "a"], ["fly"], []])
def test_misused_options_exit_with_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        run(*arguments)
    assert "usage:" in capsys.readouterr().err


def run_of(checkpoint: Path, path: Path, *options: str) -> Path:
    assert (
        run("generate", "hello", "--gen-length", "12", "--trace", str(path), "--model", str(checkpoint), *options) == 0
    )
    return path


def test_compare_shows_where_two_runs_part(
    checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a = run_of(checkpoint, tmp_path / "a.ndjson", "--decoder", "vanilla")
    b = run_of(checkpoint, tmp_path / "b.ndjson", "--decoder", "local-leap", "--block-size", "4", "--no-stop-at-eos")
    capsys.readouterr()
    assert run("compare", str(a), str(b)) == 0
    printed = capsys.readouterr().out
    assert re.search(r"decoder +vanilla +local-leap\n", printed)
    assert re.search(r"block sizes +32 +4\n", printed)
    assert run("compare", str(a), str(a)) == 0
    assert "the two answers are the same." in capsys.readouterr().out


def test_compare_answers_a_bad_file_with_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("compare", str(tmp_path / "none.ndjson"), str(tmp_path / "none.ndjson")) == 2
    missing = tmp_path / "none.ndjson"
    assert capsys.readouterr().err == f"blockbatch: {missing}: The file cannot be read: No such file or directory.\n"


def test_stopping_at_the_end_of_text_is_an_option_of_the_fixed_size_decoders(
    checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = run_of(checkpoint, tmp_path / "a.ndjson", "--decoder", "dual-cache", "--no-stop-at-eos")
    assert load_trace(path).header.config == BaselineConfig("dual-cache", 32, 12, stop_at_eos=False)
    assert run("generate", "hello", "--no-stop-at-eos", "--model", str(checkpoint)) == 2
    assert "stop_at_eos is False, but must be left out" in capsys.readouterr().err
