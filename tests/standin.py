"""The deterministic stand-in model of golden/README.md: a `Denoiser` whose probabilities depend on nothing but
(seed, position, what the cache row shows around that position)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from blockbatch.denoiser import Prediction, Segment

Words = NDArray[np.uint32]


def mix(*values: object) -> Words:
    """Unsigned 32-bit hash of integers or integer arrays, broadcast."""
    with np.errstate(over="ignore"):
        h: Words = np.array(2166136261, np.uint32)
        for value in values:
            h = (h ^ np.asarray(value).astype(np.uint32)) * np.uint32(16777619)
            h = h ^ (h >> np.uint32(15))
        h = h * np.uint32(2246822519)
        h = h ^ (h >> np.uint32(13))
        h = h * np.uint32(3266489917)
        return np.asarray(h ^ (h >> np.uint32(16)))


def unit(*values: object) -> NDArray[np.float64]:
    """`mix` in [0, 1)."""
    return mix(*values) / 2.0**32


class StandInCache:
    """One layer: the keys of a row are the token ids last written there, the values the ids plus one."""

    def __init__(self, length: int) -> None:
        self.seen = np.zeros((0, length), np.int64)
        self.free: list[int] = []

    def allocate(self) -> int:
        if self.free:
            return self.free.pop()
        self.seen = np.concatenate([self.seen, np.zeros((1, self.seen.shape[1]), np.int64)])
        return len(self.seen) - 1

    def release(self, row: int) -> None:
        self.free.append(row)

    def copy(self, source: int, destinations: Sequence[int]) -> None:
        self.seen[list(destinations)] = self.seen[source]

    def similarity(self, rows: Sequence[int]) -> NDArray[np.float64]:
        layers = [self.seen[list(rows)].astype(float), self.seen[list(rows)] + 1.0]
        unit_rows = [layer / np.maximum(np.linalg.norm(layer, axis=1, keepdims=True), 1e-12) for layer in layers]
        return np.asarray(sum(rows_ @ rows_.T for rows_ in unit_rows) / 2)


class StandIn:
    """vocab 24, mask 0, EOS 1."""

    vocab, mask_id, eos_id, lookback = 24, 0, 1, 0

    def __init__(self, seed: int, prompt_len: int, answer_len: int) -> None:
        self.seed, self.prompt_len, self.answer_len = seed, prompt_len, answer_len
        self.forwards = 0

    def prompt(self) -> list[int]:
        return [int(2 + mix(self.seed, 55, i) % np.uint32(22)) for i in range(self.prompt_len)]

    def new_cache(self, length: int) -> StandInCache:
        return StandInCache(length)

    def forward(self, segments: Sequence[Segment]) -> Prediction:
        self.forwards += 1
        for segment in segments:
            segment.cache.seen[segment.row, segment.start : segment.start + len(segment.tokens)] = segment.tokens
        return concatenated([self._predict(segment) for segment in segments])

    def _predict(self, segment: Segment) -> Prediction:
        at = np.arange(segment.start + segment.wanted, segment.start + len(segment.tokens))
        probabilities = self.probabilities(segment.cache.seen[segment.row], at)
        return prediction(probabilities, segment, self.eos_id)

    def probabilities(self, seen: NDArray[np.int64], at: NDArray[np.int64]) -> NDArray[np.float64]:
        """[n, vocab] at positions `at` of the row `seen`."""
        padded = np.concatenate([np.zeros(4, np.int64), seen, np.zeros(2, np.int64)])  # 0: the mask, or outside
        l1, l2 = padded[at + 3], padded[at + 2]
        c = sum((padded[at + 4 + offset] != self.mask_id).astype(np.int64) for offset in (-4, -3, -2, -1, 1, 2))
        text = np.where(
            at >= self.prompt_len + self.answer_len, self.eos_id, 2 + mix(self.seed, 101, at) % np.uint32(22)
        ).astype(np.int64)
        alt = (2 + mix(self.seed, 29, at, l1) % np.uint32(22)).astype(np.int64)
        is_text = unit(self.seed, 13, at, l2, l1, c) + 0.12 * c > 0.35
        top, second = np.where(is_text, text, alt), np.where(is_text, alt, text)
        second = np.where(second == top, 2 + (top - 1) % 22, second)
        p_top = np.minimum(0.985, 0.20 + 0.16 * c + 0.55 * unit(self.seed, 7, at, l2, l1))
        p_top = p_top + 0.01 * unit(self.seed, 3, at, c)
        table = np.repeat((0.3 * (1 - p_top) / 21)[:, None], self.vocab, axis=1)
        every = np.arange(len(at))
        table[:, self.mask_id] = 0
        table[every, top], table[every, second] = p_top, 0.7 * (1 - p_top)
        return table


def prediction(probabilities: NDArray[np.float64], segment: Segment, eos_id: int) -> Prediction:
    """What a denoiser answers for one segment whose distributions are `probabilities` [n, vocab]."""
    best = np.argsort(-probabilities, axis=1, kind="stable")[:, :10]
    every = np.arange(len(probabilities))
    choice = best[:, 0]
    if segment.temperature:
        noise = np.random.default_rng(segment.seed).gumbel(size=(len(segment.tokens), probabilities.shape[1]))
        with np.errstate(divide="ignore"):
            choice = (np.log(probabilities) / segment.temperature + noise[segment.wanted :]).argmax(axis=1)
    safe = np.where(probabilities > 0, probabilities, 1)
    entropy = -(safe * np.log(safe)).sum(axis=1)
    top = np.take_along_axis(probabilities, best, axis=1)
    return Prediction(best, top, probabilities[:, eos_id], entropy, choice, probabilities[every, choice])


def concatenated(parts: Sequence[Prediction]) -> Prediction:
    """Predictions one after the other."""
    return Prediction(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
