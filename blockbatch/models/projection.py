"""Cache rows made short: a fixed random projection, computed where the cache lies."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch.nn import functional

from blockbatch.denoiser import Floats
from blockbatch.models.cache import KVCache


class Projection:
    """Takes the keys and values of a row of `cache`, all layers, from position `first` on, to `dimension` numbers.

    A sparse Johnson-Lindenstrauss projection (count sketch): every entry has a random sign and goes, added to others,
    to a random one of the numbers.  Squared distances keep their mean, and vary by about sqrt(2 / dimension) of
    themselves.  Signs differ from layer to layer, the places are the same in all.  The same `seed` and shape of the
    cache give the same projection on every device.
    """

    def __init__(self, cache: KVCache, first: int, dimension: int, seed: int = 0) -> None:
        self._cache, self._first, self._dimension = cache, first, dimension
        generator = torch.Generator().manual_seed(seed)
        _, length, heads, head_dim = cache.layer(0)[0].shape
        entries = (length - first) * heads * head_dim
        self._lacking = -entries % dimension  # zeros, so that every number gets as many entries
        order = torch.randperm(entries + self._lacking, generator=generator)
        shape = cache.layers, 2, entries + self._lacking
        signs = torch.randint(0, 2, shape, generator=generator, dtype=torch.int8) * 2 - 1
        self._layers = []
        for layer in range(cache.layers):
            device = cache.layer(layer)[0].device
            order = order.to(device)
            self._layers.append((order, signs[layer].to(device)))

    @torch.inference_mode()
    def __call__(self, rows: Sequence[int]) -> Floats:
        """The vectors [n, dimension] of the cache rows `rows`; one small copy a device goes to the host."""
        sums: dict[torch.device, torch.Tensor] = {}
        for layer, (order, signs) in enumerate(self._layers):
            for stored, sign in zip(self._cache.layer(layer), signs, strict=True):
                part = self._bundled(stored[list(rows), self._first :], order, sign)
                sums[part.device] = sums[part.device] + part if part.device in sums else part
        total: Floats = torch.stack([part.cpu().double() for part in sums.values()]).sum(dim=0).numpy()
        return total

    def _bundled(self, stored: torch.Tensor, order: torch.Tensor, sign: torch.Tensor) -> torch.Tensor:
        """[n, dimension] of one layer's keys or values [n, positions, heads, head_dim]."""
        flat = functional.pad(stored.flatten(1).float(), (0, self._lacking))
        bundles: torch.Tensor = (flat[:, order] * sign).unflatten(1, (self._dimension, -1)).sum(dim=2)
        return bundles
