"""What a decoder asks of a model: a forward over packed segments, and a cache of keys and values by row.

Everything that crosses this boundary is numpy.  The torch implementation is in `blockbatch.models`; tests use a
deterministic stand-in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Cache(Protocol):
    """Keys and values of one or more rows of equal length, written by forwards."""

    def allocate(self) -> int:
        """A row of its own for a new branch."""

    def release(self, row: int) -> None:
        """Give a row back."""

    def copy(self, source: int, destinations: Sequence[int]) -> None:
        """Make the rows `destinations` equal to the row `source`."""

    def similarity(self, rows: Sequence[int]) -> Floats:
        """[n, n] cosine similarity of the flattened cache rows, mean over layers and over keys and values."""


class Segment(NamedTuple):
    """A stretch of one row to compute: its `tokens` stand at positions start, start + 1, ... of the row.

    Their keys and values replace those in the cache; every token attends to the whole cache row.  Candidates are
    wanted from index `wanted` of the segment on.  A window of a model with `lookback` starts that much earlier, so that
    what predicts its first position is computed.  With temperature > 0 a candidate is also sampled, with noise that
    depends on `seed` and the position in the segment alone, so packing changes nothing.  Segments of one forward may
    belong to different caches.
    """

    cache: Cache
    row: int
    start: int
    tokens: Ints
    wanted: int = 0
    temperature: float = 0.0
    seed: int = 0


class Prediction(NamedTuple):
    """Candidates at the n wanted positions, segment after segment.

    Probabilities are of the softmax over the whole vocabulary at temperature 1.  The mask token and ids past the
    tokenizer's vocabulary are never among the tokens.
    """

    tokens: Ints  # [n, K] most probable first
    probabilities: Floats  # [n, K]
    eos: Floats  # [n] probability of the end-of-text token
    entropy: Floats  # [n] nats
    choice: Ints  # [n] the sampled token, or the most probable one
    confidence: Floats  # [n] its probability

    def part(self, first: int, last: int) -> Prediction:
        """What it says of the wanted positions first to last (not included)."""
        at = slice(first, last)
        tokens, probabilities, eos, entropy, choice, confidence = self
        return Prediction(tokens[at], probabilities[at], eos[at], entropy[at], choice[at], confidence[at])


class Denoiser(Protocol):
    """A masked diffusion model with full attention."""

    @property
    def mask_id(self) -> int:
        """The token that stands in masked slots."""

    @property
    def eos_id(self) -> int:
        """The end-of-text token."""

    @property
    def lookback(self) -> int:
        """1 where the prediction for a position is computed at the position before it, else 0."""

    def new_cache(self, length: int) -> Cache:
        """An empty cache for rows of `length` positions."""

    def forward(self, segments: Sequence[Segment]) -> Prediction:
        """One batched model call: write the segments' keys and values, then predict."""
