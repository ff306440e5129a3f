"""Keys and values by row, kept after RoPE so that nothing is rotated twice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional


class KVCache:
    """Rows of `length` positions; keys and values of a layer are [rows, length, heads, head_dim].

    places: the device of each layer; layers of one device lie in one stack.  The number of rows grows as they are
    allocated, and rows given back are used again.
    """

    def __init__(
        self, places: Sequence[torch.device], heads: int, length: int, head_dim: int, dtype: torch.dtype
    ) -> None:
        self.length = length
        devices = list(dict.fromkeys(places))
        self._where = [(devices.index(place), places[:layer].count(place)) for layer, place in enumerate(places)]
        self._stacks = [
            torch.zeros(2, places.count(device), 0, length, heads, head_dim, device=device, dtype=dtype)
            for device in devices
        ]
        self._rows, self._free = 0, list[int]()

    @property
    def layers(self) -> int:
        """The number of layers."""
        return len(self._where)

    def allocate(self) -> int:
        """The index of a row of its own."""
        if not self._free:
            self._free = [self._rows]
            self._rows += 1
            self._stacks = [_with_one_more_row(stack) for stack in self._stacks]
        return self._free.pop()

    def release(self, row: int) -> None:
        """Give `row` back."""
        self._free.append(row)

    def copy(self, source: int, destinations: Sequence[int]) -> None:
        """Make the rows `destinations` equal to the row `source`."""
        for stack in self._stacks:
            for destination in destinations:
                stack[:, :, destination] = stack[:, :, source]

    def layer(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Keys and values of a layer, [rows, length, heads, head_dim] each; views, not copies."""
        stack, at = self._where[index]
        keys, values = self._stacks[stack][:, at]
        return keys, values

    def write(self, layer: int, slots: torch.Tensor, keys: torch.Tensor, values: torch.Tensor) -> None:
        """Put `keys` and `values` [n, heads, head_dim] at `slots` [n], each `row * length + position`."""
        for stored, new in zip(self.layer(layer), (keys, values), strict=True):
            stored.flatten(0, 1).index_copy_(0, slots, new)

    def similarity(self, rows: Sequence[int]) -> NDArray[np.float64]:
        """[n, n] cosine similarity of the flattened rows, mean over layers and over keys and values."""
        total = torch.zeros(len(rows), len(rows), dtype=torch.float64)
        for stack in self._stacks:
            index = torch.tensor(rows, device=stack.device)
            on_device = torch.zeros(len(rows), len(rows), device=stack.device)
            for layer in stack.flatten(0, 1):
                flat = functional.normalize(layer[index].flatten(1).float(), dim=1)
                on_device += flat @ flat.T
            total += on_device.cpu()
        return (total / (2 * len(self._where))).numpy()

    def first_layer_with_nan(self, row: int) -> int | None:
        """The first layer whose keys or values of `row` are not numbers."""
        for index in range(len(self._where)):
            if any(torch.isnan(stored[row]).any() for stored in self.layer(index)):
                return index
        return None


def _with_one_more_row(stack: torch.Tensor) -> torch.Tensor:
    kinds, layers, _, *rest = stack.shape
    return torch.cat([stack, stack.new_zeros(kinds, layers, 1, *rest)], dim=2)
