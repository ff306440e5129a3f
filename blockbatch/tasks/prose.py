"""Worked steps as prose: the shared grammar of the two families that end in a number.

The manner, the voice and the name of the unknown are drawn once for an answer, so later wording depends on earlier
wording. Every step states its whole equation: what is computed stands beside what it is computed from.
"""

from collections.abc import Sequence
from typing import NamedTuple

from blockbatch.tasks.example import NumberCheck, Problem
from blockbatch.tasks.grammar import Draw

_MANNERS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("First, ", ("Then ", "Next, ", "After that, ")),
    ("To start, ", ("Now ", "From there, ")),
    ("We begin: ", ("Then ", "We go on: ")),
    ("Let's work it out. ", ("Next, ", "Now ", "")),
    ("", ("Then ", "So now ", "")),
)
_LAST_WORDS = ("So ", "Therefore, ", "In the end, ", "This means ")
_SIGNS = {"+": "plus", "-": "minus", "*": "times", "/": "divided by"}
_ALPHABET = "bcdefghijklmnopqrstuvwxyz"  # all letters that are not words
_LETTERS = ("n", "x", "t", "k", "m")


class Step(NamedTuple):
    """One computation: operands, sign and result; clauses with `{}` where it stands; clauses that restate the result.

    Clauses have no final full stop and start in lower case unless they start with a name.
    """

    left: int
    sign: str
    right: int
    result: int
    clauses: tuple[str, ...]
    restated: tuple[str, ...]


def equation(left: int, sign: str, right: int, result: int) -> str:
    """The computation in signs, as in `37 + 45 = 82`."""
    return f"{left} {sign} {right} = {result}"


def spoken(left: int, sign: str, right: int, result: int) -> str:
    """The computation in words, as in `37 plus 45 is 82`."""
    return f"{left} {_SIGNS[sign]} {right} is {result}"


def _sentence(lead: str, clause: str) -> str:
    """Lead and clause as a sentence; a word that starts the sentence gets a capital, a letter of algebra does not."""
    starts = (not lead or lead.endswith((". ", ": "))) and not clause.startswith(tuple(f"{x} " for x in _ALPHABET))
    return lead + (clause[0].upper() + clause[1:] if starts else clause) + "."


def _leads(draw: Draw, count: int) -> list[str]:
    """The words in front of each of `count` steps, all in one manner."""
    if draw.number(0, 5) == 0:
        return [f"Step {index + 1}: " for index in range(count)]
    opening, later = draw.one_of(_MANNERS)
    return [opening, *(draw.one_of(later) for _ in range(count - 1))]


def _told(draw: Draw, lead: str, step: Step, aloud: bool, again: bool) -> list[str]:
    """The sentence of a step, and perhaps one that says its result again."""
    left, sign, right, result, clauses, restated = step
    if sign in "+*" and draw.number(0, 2) == 0:
        left, right = right, left
    clause = spoken(left, sign, right, result) if aloud else draw.one_of(clauses).format(
        equation(left, sign, right, result))  # fmt: skip
    return [_sentence(lead, clause), *([_sentence("", draw.one_of(restated))] if again else [])]


def work_through(
    draw: Draw, prompt: str, facts: Sequence[str], steps: Sequence[Step], conclusions: Sequence[str], unknown: str = ""
) -> Problem:
    """A problem whose answer takes the steps in order, each in one of its wordings; the last result is the answer.

    `facts` are clauses that open the answer, `conclusions` clauses that may close it; `unknown` is what the answer
    looks for, as in "the number of pens", where it may be given a letter instead.
    """
    value = steps[-1].result
    letter = draw.one_of(_LETTERS) if unknown and draw.number(0, 2) == 0 else ""
    aloud = draw.number(0, 3) == 0
    sentences = [_sentence("", f"let {letter} be {unknown}" if letter else draw.one_of(facts))]
    repeated = draw.number(0, len(steps))
    for index, (lead, step) in enumerate(zip(_leads(draw, len(steps)), steps, strict=True)):
        sentences += _told(draw, lead, step, aloud, index == repeated)
    if letter:
        sentences.append(_sentence(draw.one_of(_LAST_WORDS), f"{letter} = {value}"))
    elif draw.number(0, 3):
        sentences.append(_sentence(draw.one_of(_LAST_WORDS), draw.one_of(conclusions)))
    ending = draw.one_of((f"The answer is {value}.", f"The answer is {value}.", f"Answer: {value}."))
    return Problem(prompt, " ".join([*sentences, ending]), NumberCheck(value))
