"""`python -m blockbatch` with files, pipes and options that do not fit: one sentence, before the work is done."""

from __future__ import annotations

import io
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from runs import SMALL, recorded

from blockbatch.__main__ import main
from blockbatch.errors import BlockBatchError
from blockbatch.options import check_writable
from blockbatch.reading import load_trace
from blockbatch.trace import Trace


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A recorded run on file, whose prompt is not ASCII."""
    found = recorded(SMALL)
    trace = Trace(replace(found.header, prompt="né → 日本"), found.steps, found.end, found.pieces)
    trace.save(tmp_path / "run.ndjson")
    return tmp_path / "run.ndjson"


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one sentence that the command ends with."""
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    return printed.err


@pytest.mark.parametrize("name", ["run.ndjson/in a file.json", "no/such/folder.json", ".", "pipe", "n" * 300])
def test_what_cannot_be_written_is_said_before_the_work(
    saved: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    os.mkfifo(saved.parent / "pipe")
    target = saved.parent / name
    assert "cannot be written; give a file" in refused(
        capsys, "convert", str(saved), "--to", "chrome", f"--out={target}"
    )
    assert (saved.parent / "pipe").is_fifo()


def test_a_file_that_is_another_s_to_write_is_said_before_the_work(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != saved)
    check_writable(saved.with_name("new.ndjson"))
    with pytest.raises(BlockBatchError, match="cannot be written"):
        check_writable(saved)


def test_of_several_files_the_one_at_fault_is_named(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = saved.with_name("bad.ndjson")
    bad.write_text(saved.read_text().replace('"index":1', '"index":7'))
    for command in (["convert", str(saved), str(bad), "--to", "chrome"], ["compare", str(saved), str(bad)]):
        assert refused(capsys, *command).startswith(f"blockbatch: {bad}: Line 3 of the trace is wrong: its index is 7")


def test_what_the_terminal_cannot_show_is_spelled_out(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    printed = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(printed, encoding="ascii"))
    assert main(["compare", str(saved), str(saved)]) == 0
    assert b"the two answers are the same" in printed.getvalue()
    assert main(["convert", str(saved), "--to", "chrome"]) == 0
    names = json.loads(printed.getvalue().decode("utf-8").splitlines()[-1])["traceEvents"]
    assert any("né → 日本" in str(record["args"]) for record in names)


def test_a_reader_that_has_enough_ends_the_command_quietly(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w", encoding="utf-8") as pipe:
        monkeypatch.setattr("sys.stdout", pipe)
        assert main(["compare", str(saved), str(saved)]) == 1
        pipe.write("and nothing more fails")


@pytest.mark.parametrize(
    ("stdin", "sentence"),
    [
        (io.TextIOWrapper(io.BytesIO(b"a\xff"), encoding="utf-8"), "Standard input is not utf-8 text (byte 1)"),
        (None, "The prompt is empty"),
    ],
)
def test_a_prompt_that_cannot_be_read_is_one_sentence(
    checkpoint: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    stdin: io.TextIOWrapper | None,
    sentence: str,
) -> None:
    monkeypatch.setattr("sys.stdin", stdin)
    assert main(["generate", "-", "--model", str(checkpoint)]) == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--decoder", "vanilla", "--branches", "4,8"], "block_sizes is (4, 8), but must be left out"),
        (["--decoder", "plus", "--block-size", "8"], "block_size is 8, but must be left out"),
    ],
)
def test_block_sizes_of_the_other_sort_of_decoder_are_not_ignored(
    capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    assert sentence in refused(capsys, "generate", "hello", *arguments)


def test_without_block_sizes_those_of_the_decoder_are_taken(checkpoint: Path, tmp_path: Path) -> None:
    for decoder, sizes in (("latest", (4, 8, 16, 32, 64, 128)), ("threshold", (32,))):
        asked = ["--decoder", decoder, "--gen-length", "3", "--trace", str(tmp_path / decoder)]
        assert main(["generate", "hello", "--model", str(checkpoint), *asked]) == 0
        assert load_trace(tmp_path / decoder).header.config.block_sizes == sizes
