"""Keys and values by row, kept after RoPE so that nothing is rotated twice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional


class KVCache:
    """Rows of `length` positions; keys and values are [layers, rows, heads, length, head_dim].

    The number of rows grows as they are allocated, and rows given back are used again.
    """

    def __init__(
        self, layers: int, heads: int, length: int, head_dim: int, device: torch.device, dtype: torch.dtype
    ) -> None:
        self.length = length
        self.keys = torch.zeros(layers, 0, heads, length, head_dim, device=device, dtype=dtype)
        self.values = torch.zeros_like(self.keys)
        self._free: list[int] = []

    def allocate(self) -> int:
        """The index of a row of its own."""
        if not self._free:
            self._free = [self.keys.shape[1]]
            self.keys, self.values = _with_one_more_row(self.keys), _with_one_more_row(self.values)
        return self._free.pop()

    def release(self, row: int) -> None:
        """Give `row` back."""
        self._free.append(row)

    def copy(self, source: int, destinations: Sequence[int]) -> None:
        """Make the rows `destinations` equal to the row `source`."""
        for destination in destinations:
            self.keys[:, destination] = self.keys[:, source]
            self.values[:, destination] = self.values[:, source]

    def write(self, layer: int, row: int, start: int, keys: torch.Tensor, values: torch.Tensor) -> None:
        """Put `keys` and `values` [heads, n, head_dim] at positions start .. start + n of `row`."""
        end = start + keys.shape[1]
        self.keys[layer, row, :, start:end] = keys
        self.values[layer, row, :, start:end] = values

    def similarity(self, rows: Sequence[int]) -> NDArray[np.float64]:
        """[n, n] cosine similarity of the flattened rows, mean over layers and over keys and values."""
        index = torch.tensor(rows, device=self.keys.device)
        total = torch.zeros(len(rows), len(rows), device=self.keys.device)
        for layer in (*self.keys, *self.values):
            flat = functional.normalize(layer[index].flatten(1).float(), dim=1)
            total += flat @ flat.T
        return (total / (2 * len(self.keys))).double().cpu().numpy()

    def first_layer_with_nan(self, row: int) -> int | None:
        """The first layer whose keys or values of `row` are not numbers."""
        broken = torch.isnan(self.keys[:, row]).flatten(1).any(1) | torch.isnan(self.values[:, row]).flatten(1).any(1)
        layers = broken.nonzero().flatten().tolist()
        return int(layers[0]) if layers else None


def _with_one_more_row(stored: torch.Tensor) -> torch.Tensor:
    layers, _, *rest = stored.shape
    return torch.cat([stored, stored.new_zeros(layers, 1, *rest)], dim=1)
