"""Worked steps as prose: the shared grammar of the two families that end in a number.

Three answers in four open with a fact of the problem.  The manner drawn for the first step decides the connectives
after it, so later wording depends on earlier wording.
"""

from collections.abc import Sequence

from blockbatch.tasks.example import NumberCheck, Problem
from blockbatch.tasks.grammar import Draw

_MANNERS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("First, ", ("Then ", "Next, ", "After that, ")),
    ("To start, ", ("Now ", "From there, ")),
    ("We begin: ", ("Then ", "We go on: ")),
    ("Let's work it out. ", ("Next, ", "Now ", "")),
    ("", ("Then ", "So now ", "")),
)
_NUMBERED = "Step "
_LETTERS = tuple(f"{letter} " for letter in "bcdefghjklmnopqrstuvwxyz")  # all that are no words: names of unknowns
_LAST_WORDS = ("So ", "Therefore, ", "In the end, ", "This means ")


def _sentence(lead: str, clause: str) -> str:
    """Lead and clause as a sentence; a word that starts the sentence gets a capital, a letter of algebra does not."""
    starts = (not lead or lead.endswith((". ", ": "))) and not clause.startswith(_LETTERS)
    return lead + (clause[0].upper() + clause[1:] if starts else clause) + "."


def _leads(draw: Draw, count: int) -> list[str]:
    """The words in front of each of `count` steps, all in one manner."""
    if draw.number(0, 5) == 0:
        return [f"{_NUMBERED}{index + 1}: " for index in range(count)]
    opening, later = draw.one_of(_MANNERS)
    return [opening, *(draw.one_of(later) for _ in range(count - 1))]


def work_through(
    draw: Draw, prompt: str, facts: Sequence[str], steps: Sequence[Sequence[str]], conclusions: Sequence[str],
    value: int,
) -> Problem:  # fmt: skip
    """A problem whose answer takes the steps in order, each in one of its wordings, and ends in `value`.

    One of the facts may open it, and one of the conclusions stand before its last sentence.  All are clauses without a
    final full stop that start in lower case unless they start with a name.
    """
    sentences = [_sentence("", draw.one_of(facts))] if draw.number(0, 3) else []
    leads = _leads(draw, len(steps))
    sentences += [_sentence(lead, draw.one_of(wordings)) for lead, wordings in zip(leads, steps, strict=True)]
    if draw.number(0, 2):
        sentences.append(_sentence(draw.one_of(_LAST_WORDS), draw.one_of(conclusions)))
    return Problem(prompt, " ".join([*sentences, f"The answer is {value}."]), NumberCheck(value))
