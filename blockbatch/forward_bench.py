"""The time of a denoise forward beside the least that reading the weights takes.

A denoise forward of a few hundred tokens is bound by memory: all weights are read once, for however many branches.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from blockbatch.config import DEFAULT_BLOCK_SIZES
from blockbatch.denoiser import Denoiser, Segment

if TYPE_CHECKING:
    from blockbatch.models.denoiser import TorchDenoiser

SIX_BRANCHES = sum(DEFAULT_BLOCK_SIZES)  # 252 for 4, 8, 16, 32, 64, 128
PACKED = (32, 64, 128, SIX_BRANCHES, 512)
CACHE_LENGTH = 512
WARM_UPS, TIMES = 3, 15
SHAPES = ("llada-8b", "tiny")  # of `blockbatch.models.shapes`


@dataclass(frozen=True)
class ForwardRow:
    """A denoise forward of `packed` tokens in `windows` segments: median seconds, and the floor in seconds."""

    packed: int
    windows: tuple[int, ...]
    seconds: float
    floor: float


def windows(packed: int) -> tuple[int, ...]:
    """Block windows with `packed` tokens in all: the default branches where these fit, else blocks of at most 128."""
    if packed == SIX_BRANCHES:
        return tuple(DEFAULT_BLOCK_SIZES)
    rest = (packed % 128,) if packed % 128 else ()
    return (128,) * (packed // 128) + rest


def rows(denoiser: TorchDenoiser, floor: float, packed: Sequence[int] = PACKED) -> Iterator[ForwardRow]:
    """A row for each number of packed tokens."""
    for total in packed:
        yield ForwardRow(total, windows(total), seconds_of_a_forward(denoiser, windows(total)), floor)


def seconds_of_a_forward(denoiser: Denoiser, sizes: Sequence[int], cache_length: int = CACHE_LENGTH) -> float:
    """Median wall seconds of a forward over a window of each size, candidates on the host included."""
    cache = denoiser.new_cache(cache_length)
    masked = [np.full(size, denoiser.mask_id) for size in sizes]
    segments = [Segment(cache, cache.allocate(), cache_length - len(tokens), tokens) for tokens in masked]
    return median([_seconds(denoiser, segments) for _ in range(WARM_UPS + TIMES)][WARM_UPS:])


def _seconds(denoiser: Denoiser, segments: Sequence[Segment]) -> float:
    began = time.perf_counter()
    denoiser.forward(segments)
    return time.perf_counter() - began


def table(found: Sequence[ForwardRow], title: str) -> str:
    """The rows as a Markdown table under a line that says what was measured."""
    head = ["| packed tokens | windows | ms | floor, ms | times the floor |", "|---|---|---|---|---|"]
    lines = [
        f"| {row.packed} | {', '.join(map(str, row.windows))} | {1000 * row.seconds:.2f} | {1000 * row.floor:.2f} "
        f"| {row.seconds / row.floor:.2f} |"
        for row in found
    ]
    return "\n".join([title, "", *head, *lines])


def report(shape: str, device: str, dtype: str | None) -> str:
    """Build `shape` with random weights on `device`, measure, and show."""
    from blockbatch.models.shapes import bytes_read, copy_bandwidth, device_name, random_denoiser

    denoiser = random_denoiser(shape, device, dtype)
    weights, bandwidth = bytes_read(denoiser), copy_bandwidth(denoiser)
    number = str(denoiser.model.dtype).removeprefix("torch.")
    title = (
        f"{shape} with random weights in {number} on {device_name(denoiser)}; cache length {CACHE_LENGTH}; the "
        f"floor is {weights / 1e9:.2f} GB of weights over {bandwidth / 1e9:.0f} GB/s of copying."
    )
    return table(list(rows(denoiser, weights / bandwidth)), title)
