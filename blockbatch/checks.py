"""Reading JSON values that nobody vouches for: every field must be there, of its type and in its range."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from blockbatch.errors import TraceError

LARGEST = 10**9
FINITE = sys.float_info.max / 10**6  # so that the sum over a run is finite, too; JSON's 1e999 is not
WHOLE = frozenset({int})  # exact types: true is no 1
REAL = frozenset({int, float})


def is_writable(text: str) -> bool:
    """Whether `text` can be written as UTF-8; half of a surrogate pair, which a browser may send, cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


class Fields:
    """One JSON object of a trace.  Each method gives a field as the type it names, or raises a TraceError."""

    __slots__ = ("values",)

    def __init__(self, value: object, name: str) -> None:
        if not isinstance(value, dict):
            raise TraceError(f"a {name} is {shown(value)}, but must be an object")
        self.values: dict[str, Any] = value

    @classmethod
    def parse(cls, line: str) -> Fields:
        """The object that `line` holds as JSON; NaN and infinities are not JSON."""
        try:
            value = json.loads(line, parse_constant=_refuse)
        except (ValueError, RecursionError):
            raise TraceError("it is not valid JSON") from None
        return cls(value, "line")

    def any(self, name: str) -> Any:
        """The field, whatever it is."""
        try:
            return self.values[name]
        except KeyError:
            raise TraceError(f"it lacks {name}") from None

    def text(self, name: str) -> str:
        """A string."""
        value = self.any(name)
        if not isinstance(value, str):
            raise _wrong(name, value, "text")
        return value

    def texts(self) -> dict[str, str]:
        """All fields, each of them a string."""
        if not set(map(type, self.values.values())) <= {str}:
            for name in self.values:
                self.text(name)
        return self.values

    def one_of(self, name: str, allowed: tuple[str, ...]) -> str:
        """One of the strings `allowed`."""
        value = self.any(name)
        if value not in allowed:
            raise _wrong(name, value, "one of " + ", ".join(allowed))
        return str(value)

    def flag(self, name: str) -> bool:
        """True or false."""
        value = self.any(name)
        if not isinstance(value, bool):
            raise _wrong(name, value, "true or false")
        return value

    def count(self, name: str, high: int = LARGEST) -> int:
        """A whole number in [0, high]."""
        value = self.any(name)
        if not _is_number(value, WHOLE, high):
            raise _wrong(name, value, f"a whole number from 0 to {high}")
        return int(value)

    def probability(self, name: str) -> float:
        """A number in [0, 1]."""
        return self._number(name, 1.0, "a probability")

    def measure(self, name: str) -> float:
        """A finite number that is not negative."""
        return self._number(name, FINITE, "a finite number from 0 on")

    def counts(self, name: str, high: int = LARGEST) -> Sequence[int]:
        """A list of whole numbers in [0, high]."""
        return self._numbers(name, WHOLE, high, f"whole numbers from 0 to {high}")

    def probabilities(self, name: str) -> Sequence[float]:
        """A list of numbers in [0, 1]."""
        return self._numbers(name, REAL, 1.0, "probabilities")

    def measures(self, name: str) -> Sequence[float]:
        """A list of finite numbers that are not negative."""
        return self._numbers(name, REAL, FINITE, "finite numbers from 0 on")

    def list(self, name: str) -> list[Any]:
        """A list."""
        value = self.any(name)
        if not isinstance(value, list):
            raise _wrong(name, value, "a list")
        return value

    def nested(self, name: str) -> Fields:
        """An object."""
        return Fields(self.any(name), name)

    def _number(self, name: str, high: float, wanted: str) -> float:
        value = self.any(name)
        if not _is_number(value, REAL, high):
            raise _wrong(name, value, wanted)
        return float(value)

    def _numbers(self, name: str, kinds: frozenset[type], high: float, wanted: str) -> Sequence[Any]:
        """The list, checked as a whole: files hold millions of numbers."""
        values = self.list(name)
        if values and not (set(map(type, values)) <= kinds and 0 <= min(values) <= max(values) <= high):
            wrong = next(value for value in values if not _is_number(value, kinds, high))
            raise _wrong(name, wrong, wanted, "hold")
        return values


def shown(value: object) -> str:
    """`value` as a message may show it: cut short."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _wrong(name: str, value: object, wanted: str, verb: str = "is") -> TraceError:
    return TraceError(f"its {name} {verb} {shown(value)}, but must be {wanted}")


def _is_number(value: Any, kinds: frozenset[type], high: float) -> bool:
    return type(value) in kinds and 0 <= value <= high


def _refuse(name: str) -> float:
    raise ValueError(name)
