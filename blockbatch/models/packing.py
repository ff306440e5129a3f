"""How the segments of one forward lie side by side: index tensors for the device, taken there in one copy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np
import torch
from numpy.typing import NDArray

from blockbatch.denoiser import Segment
from blockbatch.models.cache import KVCache


@dataclass(frozen=True)
class Group:
    """Segments that lie side by side in the packed sequence, from `offset` on, and belong to one cache."""

    cache: KVCache
    offset: int
    rows: tuple[int, ...]  # the cache row of each segment
    lengths: tuple[int, ...]  # the tokens of each segment
    slots: torch.Tensor  # int64 [tokens] where each token's keys go: row * cache.length + position
    row_index: torch.Tensor  # int64 [segments] `rows`, on the device
    query_ends: torch.Tensor  # int32 [segments + 1] where segments begin and end in the group
    key_ends: torch.Tensor  # int32 [segments + 1] where their rows do, laid end to end

    @property
    def part(self) -> slice:
        """The group's tokens in the packed sequence."""
        return slice(self.offset, self.offset + sum(self.lengths))

    def on(self, device: torch.device) -> Group:
        """The same group with its tensors on `device`."""
        tensors = {name: getattr(self, name).to(device) for name in INDICES}
        return replace(self, **tensors)


INDICES = ("slots", "row_index", "query_ends", "key_ends")


class Packing:
    """The packed sequence of `segments` on `device`.

    tokens, positions: int64 [1, total].  predicting: int64 [n], the places of the packed sequence whose hidden states
    predict the wanted positions, for a model with `lookback`.
    """

    def __init__(self, segments: Sequence[Segment], lookback: int, device: torch.device) -> None:
        runs = [list(run) for _, run in groupby(segments, key=lambda segment: id(segment.cache))]
        arrays = [*_sequence(segments, lookback), *(array for run in runs for array in _indices(run))]
        moved = iter(_moved(arrays, device))
        self.tokens, self.positions, self.predicting = next(moved)[None], next(moved)[None], next(moved)
        groups, offset = [], 0
        for run in runs:
            slots, row_index, query_ends, key_ends = (next(moved) for _ in INDICES)
            lengths = tuple(len(segment.tokens) for segment in run)
            rows = tuple(segment.row for segment in run)
            ends = query_ends.int(), key_ends.int()
            groups.append(Group(own(run[0]), offset, rows, lengths, slots, row_index, *ends))
            offset += sum(lengths)
        self._groups = {device: groups}

    def groups(self, device: torch.device) -> Sequence[Group]:
        """The groups, with their tensors on `device`: layers may lie on several."""
        if device not in self._groups:
            first = next(iter(self._groups.values()))
            self._groups[device] = [group.on(device) for group in first]
        return self._groups[device]


def own(segment: Segment) -> KVCache:
    """The segment's cache, which must be one of ours."""
    if not isinstance(segment.cache, KVCache):
        raise TypeError("a segment for a TorchDenoiser carries a cache that a TorchDenoiser made")
    return segment.cache


def _sequence(segments: Sequence[Segment], lookback: int) -> list[NDArray[np.int64]]:
    """Tokens, positions and predicting places of all segments, one after the other."""
    offsets = np.cumsum([0, *(len(segment.tokens) for segment in segments[:-1])])
    predicting = [np.maximum(np.arange(s.wanted, len(s.tokens)) - lookback, 0) for s in segments]
    return [
        np.concatenate([segment.tokens for segment in segments]),
        np.concatenate([np.arange(s.start, s.start + len(s.tokens)) for s in segments]),
        np.concatenate([places + offset for places, offset in zip(predicting, offsets, strict=True)]),
    ]


def _indices(run: Sequence[Segment]) -> list[NDArray[np.int64]]:
    """The arrays of `INDICES` for segments of one cache."""
    length = own(run[0]).length
    slots = [s.row * length + np.arange(s.start, s.start + len(s.tokens)) for s in run]
    return [
        np.concatenate(slots),
        np.array([s.row for s in run]),
        np.cumsum([0, *(len(s.tokens) for s in run)]),
        length * np.arange(len(run) + 1),
    ]


def _moved(arrays: Sequence[NDArray[np.int64]], device: torch.device) -> Sequence[torch.Tensor]:
    """The arrays as int64 tensors on `device`, by a single copy that the host need not wait for."""
    joined = torch.from_numpy(np.concatenate(arrays).astype(np.int64))
    if device.type == "cuda":
        joined = joined.pin_memory()
    parts: Sequence[torch.Tensor] = joined.to(device, non_blocking=True).split([len(array) for array in arrays])
    return parts
