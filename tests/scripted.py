"""A model that knows one answer by heart: it makes runs with readable text, deterministic and without torch.

It is more certain of a token the more of its neighbours it sees, now and then mistakes one for another word, and takes
any prompt.  Its vocabulary is the pieces of its answer, so an answer with markup tests that markup stays text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from standin import StandInCache, unit

from blockbatch.denoiser import Prediction, Segment

MASK, EOS, FIRST = 0, 1, 2
CANDIDATES = 10

ANSWER = (
    "First, the tickets cost 5 * 8 = 40 dollars. Next, with a game it is 40 + 9 = 49 dollars. After that, the change "
    "is 50 - 49 = 1 dollars. In the end, she gets 1 dollars. The answer is 1."
)


class ScriptedDenoiser:
    """Predicts the token of the answer at each position, end of text after it."""

    mask_id, eos_id, lookback = MASK, EOS, 0

    def __init__(self, answer: Sequence[int], words: int, prompt_length: int) -> None:
        self.answer, self.words, self.prompt_length = answer, words, prompt_length

    def new_cache(self, length: int) -> StandInCache:
        return StandInCache(length)

    def forward(self, segments: Sequence[Segment]) -> Prediction:
        rows = [self._predict(segment, p) for segment in segments for p in range(segment.wanted, len(segment.tokens))]
        tokens, probabilities = (np.array(part) for part in zip(*rows, strict=True))
        eos = np.where(tokens == EOS, probabilities, 0.0).max(axis=1)
        entropy = -(probabilities * np.log(probabilities)).sum(axis=1)
        return Prediction(tokens, probabilities, eos, entropy, tokens[:, 0], probabilities[:, 0])

    def _predict(self, segment: Segment, index: int) -> tuple[list[int], list[float]]:
        position = segment.start + index - self.prompt_length
        right = self.answer[position] if 0 <= position < len(self.answer) else EOS
        confidence = self._confidence(segment, index, position)
        wrong = [FIRST + (right + position + k) % self.words for k in range(CANDIDATES)]
        others = [token for token in dict.fromkeys([EOS, *wrong]) if token != right][: CANDIDATES - 1]
        best = [others[1], right, others[0], *others[2:]] if confidence < 0.35 else [right, *others]
        rest = (1 - max(confidence, 0.4)) * 0.5 ** np.arange(1, CANDIDATES)
        return best, [max(confidence, 0.4), *np.maximum(rest, 1e-6).tolist()]

    def _confidence(self, segment: Segment, index: int, position: int) -> float:
        near = [k for k in (index - 2, index - 1, index + 1) if 0 <= k < len(segment.tokens)]
        seen = np.mean([segment.tokens[k] != MASK for k in near]) if near else 0.5
        return float(min(0.25 + 0.6 * unit(7, position) + 0.45 * seen, 0.995))


@dataclass
class ScriptedModel:
    """What `Run` needs of a `blockbatch.models.Model`."""

    answer: str = ANSWER
    id: str = "scripted"
    max_length: int = 4096
    device: str = "cpu"
    dtype: str = "float32"
    caution: str = ""

    def __post_init__(self) -> None:
        self.pieces = re.findall(r" ?\w+| ?<[^>]*>| ?[^\w\s]|\s", self.answer)
        self.vocabulary = ["[mask]", "[end]", *dict.fromkeys(self.pieces)]
        self.denoiser: Any = None

    def encode(self, prompt: str) -> list[int]:
        """One token a word; the words themselves do not matter."""
        if not prompt.strip():
            from blockbatch.errors import PromptError

            raise PromptError("The prompt is empty; write a question or pick an example.")
        tokens = [FIRST + len(word) % (len(self.vocabulary) - FIRST) for word in prompt.split()]
        answer = [self.vocabulary.index(piece) for piece in self.pieces]
        self.denoiser = ScriptedDenoiser(answer, len(self.vocabulary) - FIRST, len(tokens))
        return tokens

    def decode(self, tokens: Sequence[int]) -> str:
        """The text up to the first end, masked slots left out."""
        kept = list(tokens)[: list(tokens).index(EOS)] if EOS in list(tokens) else list(tokens)
        return "".join(self.vocabulary[token] for token in kept if token > EOS)

    def piece(self, token: int) -> str:
        """The text of a token."""
        return self.vocabulary[token]
