"""Rows of bare arithmetic for training: many equations as the tasks write them, only whose results are to be found.

An answer of the tasks holds two or three results among its words; a row of equations holds ten, whose operands are
never masked. With such rows the model learns to compute; without, to copy a result from where the answer repeats it.
"""

from typing import NamedTuple

from blockbatch.tasks.grammar import Draw

_SIGNS = {"+": "plus", "-": "minus", "*": "times", "/": "divided by"}
_FACTORS = ((2, 12, 2, 12), (2, 9, 2, 20), (2, 9, 2, 20), (2, 5, 6, 50))  # ranges of both factors, as in the tasks
_BETWEEN = (". ", ", ", ". Then ", ". Next, ", ". Now ", ". So ", "\n")


class Drill(NamedTuple):
    """A text, and the ranges of its characters (start, end) that hold results."""

    text: str
    results: tuple[tuple[int, int], ...]


def equation(left: int, sign: str, right: int, result: int) -> str:
    """The computation in signs, as in `37 + 45 = 82`."""
    return f"{left} {sign} {right} = {result}"


def spoken(left: int, sign: str, right: int, result: int) -> str:
    """The computation in words, as in `37 plus 45 is 82`."""
    return f"{left} {_SIGNS[sign]} {right} is {result}"


def drill(draw: Draw) -> Drill:
    """Four to twelve equations."""
    text, results = "", list[tuple[int, int]]()
    form = draw.one_of((equation, equation, spoken))
    for _ in range(draw.number(4, 12)):
        left, sign, right, result = _computation(draw)
        text += (draw.one_of(_BETWEEN) if text else "") + form(left, sign, right, result)
        results.append((len(text) - len(str(result)), len(text)))
    return Drill(text, tuple(results))


def _computation(draw: Draw) -> tuple[int, str, int, int]:
    sign = draw.one_of("+-*/")
    if sign == "+":
        left, right = draw.number(2, 120), draw.number(2, 99)
        return (left, "+", right, left + right) if draw.number(0, 1) else (right, "+", left, left + right)
    if sign == "-":
        left = draw.number(4, 200)
        right = draw.number(max(1, left - 130), min(left - 1, 130))
        return left, "-", right, left - right
    low, high, least, most = draw.one_of(_FACTORS)
    one, two = draw.number(low, high), draw.number(least, most)
    if sign == "/":
        return one * two, "/", one, two
    return (one, "*", two, one * two) if draw.number(0, 1) else (two, "*", one, one * two)
