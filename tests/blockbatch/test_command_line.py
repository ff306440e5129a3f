"""`python -m blockbatch`, from the outside."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from blockbatch.__main__ import main
from blockbatch.bench import bench, configs, table
from blockbatch.config import BaselineConfig, DecodeConfig
from blockbatch.models import Model
from blockbatch.reading import load_trace

KEYS = (
    "family decoder block_sizes n accuracy nfe nfe_init nfe_denoise nfe_refresh tokens_per_forward ms".split()  # noqa: SIM905
)


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


def test_bench_writes_a_row_for_each_family_and_decoder(
    checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "rows.json"
    options = ["--limit", "1", "--gen-length", "8", "--json", str(target), "--model", str(checkpoint)]
    assert run("bench", "--family", "algebra", "--family", "functions", *options) == 0
    rows = json.loads(target.read_text())
    decoders = ["vanilla", "threshold", "prefix-cache", "dual-cache", "factor", "paper", "latest"]
    assert [(row["family"], row["decoder"]) for row in rows] == [
        (family, decoder) for family in ("algebra", "functions") for decoder in decoders
    ]
    for row in rows:
        assert set(KEYS) <= set(row)
        assert row["nfe"] == pytest.approx(row["nfe_init"] + row["nfe_denoise"] + row["nfe_refresh"])
        assert row["n"] == 1
    assert rows[0]["nfe"] <= 8
    assert rows[5]["block_sizes"] == [4, 8, 16, 32, 64, 128]
    printed = capsys.readouterr().out
    assert printed.count("\n") == 2 + len(rows)
    assert len({len(line) for line in printed.splitlines()}) == 1


def test_bench_counts_right_answers(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    import itertools

    from blockbatch.tasks import examples

    right = {e.prompt: e.answer for e in itertools.islice(examples("algebra", "held-out"), 4)}
    answers = iter([*list(right.values())[:3], "no idea"])
    monkeypatch.setattr(Model, "decode", lambda self, tokens: next(answers))
    monkeypatch.setattr(Model, "encode", lambda self, prompt: [5, 6])
    rows = list(bench(model, ["algebra"], [BaselineConfig("threshold", 4, 4)], 4))
    assert [row.accuracy for row in rows] == [0.75]
    assert "75.0 %" in table(rows)


def test_configs_cover_sizes_for_fixed_decoders_and_branches_for_blockbatch() -> None:
    found: list[Any] = configs(["dual-cache", "paper"], (16, 32), (4, 8), 64)
    assert [config.block_sizes for config in found] == [(16,), (32,), (4, 8)]
    assert all(config.gen_length == 64 for config in found)
    assert found[0].stop_at_eos
