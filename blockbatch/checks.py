"""Reading JSON values that nobody vouches for: every field must be there, of its type and in its range."""

from __future__ import annotations

import json
import math
import sys
from typing import Any

from blockbatch.errors import TraceError

LARGEST = 10**9


class Fields:
    """One JSON object of a trace.  Each method gives a field as the type it names, or raises a TraceError."""

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
        if name not in self.values:
            raise TraceError(f"it lacks {name}")
        return self.values[name]

    def text(self, name: str) -> str:
        """A string."""
        value = self.any(name)
        if not isinstance(value, str):
            raise _wrong(name, value, "text")
        return value

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
        if not _is_count(value, high):
            raise _wrong(name, value, f"a whole number from 0 to {high}")
        return int(value)

    def probability(self, name: str) -> float:
        """A number in [0, 1]."""
        return self._measure(name, self.any(name), 1.0)

    def measure(self, name: str) -> float:
        """A finite number that is not negative."""
        return self._measure(name, self.any(name), math.inf)

    def counts(self, name: str, high: int = LARGEST) -> list[int]:
        """A list of whole numbers in [0, high]."""
        values = self.list(name)
        for value in values:
            if not _is_count(value, high):
                raise _wrong(name, value, f"whole numbers from 0 to {high}", "hold")
        return values

    def probabilities(self, name: str) -> list[float]:
        """A list of numbers in [0, 1]."""
        return [self._measure(name, value, 1.0) for value in self.list(name)]

    def measures(self, name: str) -> list[float]:
        """A list of finite numbers that are not negative."""
        return [self._measure(name, value, math.inf) for value in self.list(name)]

    def list(self, name: str) -> list[Any]:
        """A list."""
        value = self.any(name)
        if not isinstance(value, list):
            raise _wrong(name, value, "a list")
        return value

    def nested(self, name: str) -> Fields:
        """An object."""
        return Fields(self.any(name), name)

    @staticmethod
    def _measure(name: str, value: object, high: float) -> float:
        if (
            isinstance(value, int | float)
            and not isinstance(value, bool)
            and 0 <= value <= min(high, sys.float_info.max)  # a whole number may be larger than any float
        ):
            return float(value)
        raise _wrong(name, value, "a probability" if high == 1 else "a finite number from 0 on")


def shown(value: object) -> str:
    """`value` as a message may show it: cut short."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _wrong(name: str, value: object, wanted: str, verb: str = "is") -> TraceError:
    return TraceError(f"its {name} {verb} {shown(value)}, but must be {wanted}")


def _is_count(value: object, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= high


def _refuse(name: str) -> float:
    raise ValueError(name)
