"""The table of forward times, and what it is measured with."""

from __future__ import annotations

import pytest

from blockbatch import forward_bench
from blockbatch.__main__ import main
from blockbatch.errors import ModelError
from blockbatch.forward_bench import ForwardRow, rows, table, windows
from blockbatch.models import shapes


@pytest.mark.parametrize(
    ("packed", "expected"),
    [(32, (32,)), (64, (64,)), (128, (128,)), (252, (4, 8, 16, 32, 64, 128)), (512, (128,) * 4), (200, (128, 72))],
)
def test_windows_hold_the_packed_tokens(packed: int, expected: tuple[int, ...]) -> None:
    assert windows(packed) == expected
    assert sum(windows(packed)) == packed


def test_the_table_shows_milliseconds_and_how_far_from_the_floor() -> None:
    lines = table([ForwardRow(252, (4, 248), 0.006, 0.004)], "A title.").splitlines()
    assert lines[0] == "A title."
    assert lines[2].count("|") == lines[3].count("|") == lines[4].count("|")
    assert lines[4] == "| 252 | 4, 248 | 6.00 | 4.00 | 1.50 |"


def test_every_shape_that_can_be_asked_for_can_be_built() -> None:
    assert set(forward_bench.SHAPES) == set(shapes.SHAPES)
    assert shapes.SHAPES["llada-8b"]["vocab_size"] == 126464


def test_the_bytes_that_a_forward_reads_leave_out_the_table_of_embeddings() -> None:
    denoiser = shapes.random_denoiser("tiny")
    layer = 4 * 128 * 128 + 3 * 128 * 384 + 2 * 128
    assert shapes.bytes_read(denoiser) == 4 * (3 * layer + 128 + 800 * 128)
    half = shapes.random_denoiser("tiny", dtype="bfloat16")
    assert shapes.bytes_read(half) == shapes.bytes_read(denoiser) // 2


def test_forwards_of_random_weights_are_timed() -> None:
    denoiser = shapes.random_denoiser("tiny")
    assert shapes.copy_bandwidth(denoiser) > 1e8
    found = list(rows(denoiser, 0.5, (32, 252)))
    assert [(row.packed, row.floor) for row in found] == [(32, 0.5), (252, 0.5)]
    assert all(0 < row.seconds < 10 for row in found)


def test_the_command_prints_the_table(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forward_bench, "TIMES", 2)
    assert main(["bench", "--shape", "tiny"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("tiny with random weights in float32 on cpu; cache length 512; the floor is 0.00 GB")
    assert [line.split("|")[1].strip() for line in printed[4:]] == ["32", "64", "128", "252", "512"]


def test_a_device_that_is_not_there_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--shape", "tiny", "--device", "abacus"]) == 2
    assert "device abacus cannot be used here" in capsys.readouterr().err


def test_a_shape_that_does_not_fit_is_refused_before_it_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shapes, "free_bytes", lambda device: 10**9)
    with pytest.raises(
        ModelError, match=r"^llada-8b needs 32\.1 GB of memory for its weights, but cpu has 1\.0 GB free"
    ):
        shapes.random_denoiser("llada-8b")
