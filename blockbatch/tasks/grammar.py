"""Random choices for the generators: one seeded source, asked for words and numbers by name."""

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Draw:
    """A seeded source of choices; the same seed gives the same text on every machine."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)  # a string seed is hashed with SHA-512, so it is portable

    def one_of(self, options: Sequence[T]) -> T:
        """One of the options, each as likely."""
        return self._random.choice(options)

    def several(self, options: Sequence[T], count: int) -> list[T]:
        """`count` different options in random order."""
        return self._random.sample(options, count)

    def number(self, low: int, high: int) -> int:
        """An integer of low..high, both included."""
        return self._random.randint(low, high)

    def maybe(self, text: str, odds: float = 0.5) -> str:
        """The text, or nothing."""
        return text if self._random.random() < odds else ""
