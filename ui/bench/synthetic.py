"""Runs of any size without a model: a stand-in that predicts from hashes, through the project's own decoder and
recorder.  What it writes means nothing, but how a run of it unfolds is like that of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from blockbatch.config import DecodeConfig
from blockbatch.denoiser import Prediction, Segment
from blockbatch.run import Run
from blockbatch.trace import Trace

MASK, END, FIRST = 0, 1, 2
WORDS = 4000
CANDIDATES = 10
DRIFT = 0.06
PROMPT = "a run made for measuring"
SYLLABLES = ("ka", "lo", "mi", "ran", "te", "su", "ver", "do", "pel", "in", "sta", "qu")


class NoCache:
    """Predictions are made from the tokens alone, so nothing needs to be kept."""

    def __init__(self) -> None:
        self._rows = 0

    def allocate(self) -> int:
        """See `Cache`."""
        self._rows += 1
        return self._rows - 1

    def release(self, row: int) -> None:
        """See `Cache`."""

    def copy(self, source: int, destinations: Sequence[int]) -> None:
        """See `Cache`."""

    def similarity(self, rows: Sequence[int]) -> NDArray[np.float64]:
        """See `Cache`; all rows are alike."""
        return np.ones((len(rows), len(rows)))


class SyntheticDenoiser:
    """More certain the more of the text before it sees; `boldness` in [0, 1] sets how often that passes a threshold.

    As with a model, every token that is written anywhere moves all probabilities a little.
    """

    mask_id, eos_id, lookback = MASK, END, 0

    def __init__(self, boldness: float) -> None:
        self._boldness = boldness

    def new_cache(self, length: int) -> NoCache:
        """See `Denoiser`."""
        return NoCache()

    def forward(self, segments: Sequence[Segment]) -> Prediction:
        """See `Denoiser`."""
        parts = [self._predict(segment) for segment in segments]
        return Prediction(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def _predict(self, segment: Segment) -> Prediction:
        at = np.arange(segment.wanted, len(segment.tokens))
        known = np.pad((segment.tokens != MASK).astype(np.float64), (3, 0), constant_values=1.0)
        before = sum(known[at + 3 - offset] for offset in (1, 2, 3)) / 3
        position, written = segment.start + at, int(known.sum())
        best = 0.25 + 0.3 * before + (0.25 + 0.45 * self._boldness) * unit(position, 1)
        best = np.minimum(best + DRIFT * (unit(position, 100 + written) - 0.5), 0.997)
        # The rest of the probability falls off from candidate to candidate, at a rate of the position's own.
        rate = 0.3 + 0.4 * unit(position, 2) + DRIFT * unit(position, 200 + written)
        fall = rate[:, None] ** np.arange(CANDIDATES - 1)
        others = (1 - best)[:, None] * 0.9 * fall / fall.sum(axis=1, keepdims=True)
        probabilities = np.column_stack([best, others])
        order = np.argsort(-probabilities, axis=1, kind="stable")
        probabilities = np.take_along_axis(probabilities, order, axis=1)
        tokens = np.take_along_axis(_words(position), order, axis=1)
        entropy = -(probabilities * np.log(probabilities)).sum(axis=1)
        return Prediction(tokens, probabilities, np.zeros(len(at)), entropy, tokens[:, 0], probabilities[:, 0])


def unit(position: NDArray[np.int64], salt: int) -> NDArray[np.float64]:
    """A number in [0, 1) for each position, always the same."""
    mixed = (position.astype(np.uint64) * np.uint64(2654435761) + np.uint64(salt * 97531)) % np.uint64(2**32)
    mixed = (mixed ^ (mixed >> np.uint64(15))) * np.uint64(2246822519) % np.uint64(2**32)
    return (mixed ^ (mixed >> np.uint64(13))).astype(np.float64) / 2.0**32


def _words(position: NDArray[np.int64]) -> NDArray[np.int64]:
    """[n, CANDIDATES] distinct tokens for each position."""
    first = (unit(position, 3) * WORDS).astype(np.int64)
    return FIRST + (first[:, None] + 37 * np.arange(CANDIDATES)) % WORDS


@dataclass
class SyntheticModel:
    """What `Run` needs of a `blockbatch.models.Model`."""

    boldness: float = 0.5
    id: str = "synthetic"
    max_length: int = 1 << 20
    device: str = "cpu"
    dtype: str = "float64"

    @property
    def denoiser(self) -> SyntheticDenoiser:
        """The stand-in."""
        return SyntheticDenoiser(self.boldness)

    def encode(self, prompt: str) -> list[int]:
        """One token a word."""
        return [FIRST + len(word) for word in prompt.split()]

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of all tokens but masked ones."""
        return "".join(map(self.piece, (token for token in tokens if token > END)))

    def piece(self, token: int) -> str:
        """The text of a token: one to three syllables."""
        number, parts = token * 7919, []
        for _ in range(1 + token % 3):
            number, rest = divmod(number, len(SYLLABLES))
            parts.append(SYLLABLES[rest])
        return " " + "".join(parts)


def synthetic_trace(length: int, steps: int, boldness: float) -> Trace:
    """The first `steps` steps of a run of six branches over `length` positions, with its closing line.

    ValueError if the run ends earlier; it takes more steps with less `boldness`.
    """
    run = Run(SyntheticModel(boldness), PROMPT, DecodeConfig(gen_length=length))  # type: ignore[arg-type]
    lines = iter(run)
    list(islice(lines, steps + 1))
    run.stop()
    list(lines)
    if len(run.trace.steps) < steps:
        raise ValueError(f"the run ended after {len(run.trace.steps)} steps; {steps} are wanted, so lower the boldness")
    return run.trace
