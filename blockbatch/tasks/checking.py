"""Decides whether a text answers an example: by its last number, or by running its function on hidden cases."""

import re
from itertools import takewhile
from textwrap import indent

from blockbatch.tasks.example import Example, FunctionCheck, NumberCheck
from blockbatch.tasks.sandbox import call_function

_NUMBER = r"-?\d[\d,]*(?:\.\d+)?"
_STATED = re.compile(rf"answer(?:\s+is|:)?\s*:?\s*\$?({_NUMBER})", re.IGNORECASE)
_ANY = re.compile(_NUMBER)
_FENCE = re.compile(r"```(?:python|py)?\n(.*?)(?:```|\Z)", re.DOTALL)
_LONGEST_TEXT = 20_000


def is_correct(example: Example, text: str) -> bool:
    """Whether the text is a right answer: the right number, or a function that passes every case.

    Never raises for any text, and never runs code in this process.
    """
    if len(text) > _LONGEST_TEXT:
        return False
    check = example.check_data
    return _is_number(check, text) if isinstance(check, NumberCheck) else _is_function(check, text)


def _is_number(check: NumberCheck, text: str) -> bool:
    """The number after the last "answer is", or else the last number of all, is the value."""
    numbers = _STATED.findall(text) or _ANY.findall(text)
    return bool(numbers) and float(numbers[-1].replace(",", "")) == check.value


def _is_function(check: FunctionCheck, text: str) -> bool:
    results = call_function(_code(check, text), check.name, [arguments for arguments, _ in check.cases])
    return results is not None and results == [expected for _, expected in check.cases]


def _code(check: FunctionCheck, text: str) -> str:
    """The program in the text: what is fenced, or its functions without the prose around; a body gets the header."""
    fenced = _FENCE.search(text)
    code = fenced.group(1) if fenced else text
    start = re.search(r"^def ", code, re.MULTILINE)
    if start:
        return _functions_only(code[start.start() :])
    body = code.strip("\n")
    return f"{check.header}\n{body if body.startswith((' ', chr(9))) else indent(body, '    ')}"


def _functions_only(code: str) -> str:
    """The lines up to the first that is neither indented nor starts a function."""
    return "\n".join(takewhile(lambda line: not line.strip() or line.startswith(("def ", " ", "\t", ")")),
                               code.split("\n")))  # fmt: skip
