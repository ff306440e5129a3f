"""Sweeps as the tests of their figures need them, made up and without a model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from blockbatch.bench.jobs import Outcome
from blockbatch.bench.sweep import Axis, Point, cells, points
from blockbatch.config import DecodeConfig

BASE = DecodeConfig(block_sizes=(4, 8, 32), gen_length=48)
MARKS = {"x": True, ".": False, "?": None}


def result(index: int = 0, correct: bool | None = True, size: int = 4, **changes: Any) -> Outcome:
    """An outcome of Fast-dLLM: one init and nine denoise forwards, 20 tokens in 100 ms."""
    return replace(Outcome("algebra", index, "dual-cache", (size,), correct, 1, 9, 0, 20, 100.0, 4.0), **changes)


def swept(axes: list[Axis], marks: str = "xx.", without: tuple[int, ...] = ()) -> list[Point]:
    """A point for each cell but those of the indexes `without`; a mark a prompt: x right, . wrong, ? not to be judged.

    The further a cell, the more forwards it takes.
    """
    found = cells(BASE, axes)
    outcomes = {
        cell.index: [
            result(number, MARKS[mark], denoise=9 + cell.index + number, refresh=2, decoder=cell.config.decoder,
                   block_sizes=cell.config.block_sizes)
            for number, mark in enumerate(marks)
        ]
        for cell in found if cell.index not in without
    }  # fmt: skip
    return points(found, outcomes)


def sized(marks: dict[int, str]) -> list[Point]:
    """A point for each block size, with an outcome a mark; 64 // size denoise forwards each."""
    found = cells(BASE, [Axis("block_size", tuple(marks))])
    outcomes = {
        cell.index: [result(number, MARKS[mark], size, denoise=64 // size) for number, mark in enumerate(marks[size])]
        for cell, size in zip(found, marks, strict=True)
    }
    return points(found, outcomes)
