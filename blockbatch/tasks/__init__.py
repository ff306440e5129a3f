"""Four families of small tasks that mirror GSM8K, MATH, HumanEval and MBPP, each with a generator and a checker.

`examples(family, split, seed)` is an endless stream, the same for the same arguments; no prompt is in both splits.
`is_correct(example, text)` accepts any right answer, whatever its wording.
"""

from collections.abc import Iterator
from typing import get_args

from blockbatch.tasks import algebra, functions, programs, word_problems
from blockbatch.tasks.checking import is_correct
from blockbatch.tasks.example import Check, Example, FunctionCheck, Kind, NumberCheck, Split, split_of
from blockbatch.tasks.grammar import Draw

__all__ = [
    "FAMILIES", "Check", "Example", "FunctionCheck", "NumberCheck", "Split", "examples", "is_correct", "kinds_of",
    "split_of",
]  # fmt: skip

_KINDS: dict[str, tuple[Kind, ...]] = {
    "word-problems": word_problems.KINDS,
    "algebra": algebra.KINDS,
    "functions": functions.KINDS,
    "programs": programs.KINDS,
}
FAMILIES: tuple[str, ...] = tuple(_KINDS)


def _name(kind: Kind) -> str:
    return str(getattr(kind, "__name__", kind)).replace("_", "-")


def kinds_of(family: str) -> tuple[str, ...]:
    """The names of a family's kinds of problem."""
    return tuple(map(_name, _KINDS[family]))


def examples(family: str, split: Split, seed: int = 0) -> Iterator[Example]:
    """An endless stream of a family's examples; ValueError names an unknown family or split."""
    if family not in _KINDS:
        raise ValueError(f"family must be one of {', '.join(FAMILIES)}, not {family!r}")
    if split not in get_args(Split):
        raise ValueError(f"split must be one of {', '.join(get_args(Split))}, not {split!r}")
    return _stream(family, split, seed)


def _stream(family: str, split: Split, seed: int) -> Iterator[Example]:
    draw = Draw(f"{family} {split} {seed}")
    while True:
        kind = draw.one_of(_KINDS[family])
        problem = kind(draw)
        if split_of(problem.prompt) == split:
            yield Example(family, _name(kind), problem.prompt, problem.answer, problem.check)
