"""What a task is: a prompt, one right answer among many, and the facts a checker needs."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from blockbatch.tasks.grammar import Draw

Split = Literal["train", "held-out"]

_HELD_OUT_SHARE = 10  # one prompt in ten


@dataclass(frozen=True)
class NumberCheck:
    """The answer is this number, however it is written."""

    value: int


@dataclass(frozen=True)
class FunctionCheck:
    """The answer is a Python function that maps each case's arguments to its expected value.

    `header` is the line `def name(...):`, put in front of an answer that is only a body.
    """

    name: str
    header: str
    cases: tuple[tuple[tuple[object, ...], object], ...]


Check = NumberCheck | FunctionCheck


class Problem(NamedTuple):
    """What one kind of problem draws."""

    prompt: str
    answer: str
    check: Check


Kind = Callable[[Draw], Problem]


@dataclass(frozen=True)
class Example:
    """A prompt with one worked answer; `check_data` decides about any other answer."""

    family: str
    kind: str
    prompt: str
    answer: str
    check_data: Check


def split_of(prompt: str) -> Split:
    """The split a prompt belongs to, decided by its text alone, so that no prompt is in both."""
    digest = hashlib.blake2b(prompt.encode(), digest_size=8).digest()
    return "held-out" if int.from_bytes(digest, "big") % _HELD_OUT_SHARE == 0 else "train"
