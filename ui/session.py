"""What a visitor asks of a running decode, kept where both the page's events and the decode can reach it.

A run is controlled by a key that only its visitor holds.  The page's events write wishes, the decode reads them
between steps.  Values are plain JSON values, so that a store may also live outside this process.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

FULL_SPEED = 0.0


@dataclass(frozen=True)
class Wishes:
    """All that a visitor has asked of a run so far.

    settings: the latest wanted value of each setting; resizes: (size, new size) in the order asked; pace: steps a
    second, 0 for full speed; paused: no step but the `steps` single ones asked for; stopped: end after this step.
    """

    settings: Mapping[str, Any] = field(default_factory=dict)
    resizes: tuple[tuple[int, int], ...] = ()
    pace: float = FULL_SPEED
    paused: bool = False
    steps: int = 0
    stopped: bool = False


class ControlStore(Protocol):
    """Wishes by key.  An unknown key, such as that of a run that has ended, is not an error: nothing happens."""

    def open(self, wishes: Wishes) -> str:
        """A new key, which cannot be guessed, holding `wishes`."""

    def read(self, key: str) -> Wishes:
        """The wishes under `key`; for an unknown key those of a run that shall stop."""

    def change(self, key: str | None, **changes: Any) -> None:
        """Replace fields of the wishes under `key`; `settings` are added to those that are there."""

    def step(self, key: str | None) -> None:
        """Ask for one more single step."""

    def resize(self, key: str | None, size: int, new_size: int) -> None:
        """Ask for a branch to go on with another block size."""

    def close(self, key: str) -> None:
        """Forget `key`."""


class LocalControlStore:
    """A `ControlStore` in the memory of this process, for any number of threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wishes: dict[str, Wishes] = {}

    def open(self, wishes: Wishes) -> str:
        """See `ControlStore`."""
        key = secrets.token_urlsafe(18)
        with self._lock:
            self._wishes[key] = wishes
        return key

    def read(self, key: str) -> Wishes:
        """See `ControlStore`."""
        with self._lock:
            return self._wishes.get(key, Wishes(stopped=True))

    def change(self, key: str | None, **changes: Any) -> None:
        """See `ControlStore`."""
        with self._lock:
            if wishes := self._wishes.get(key or ""):
                settings = {**wishes.settings, **changes.pop("settings", {})}
                self._wishes[key or ""] = replace(wishes, settings=settings, **changes)

    def step(self, key: str | None) -> None:
        """See `ControlStore`."""
        with self._lock:
            if wishes := self._wishes.get(key or ""):
                self._wishes[key or ""] = replace(wishes, paused=True, steps=wishes.steps + 1)

    def resize(self, key: str | None, size: int, new_size: int) -> None:
        """See `ControlStore`."""
        with self._lock:
            if wishes := self._wishes.get(key or ""):
                self._wishes[key or ""] = replace(wishes, resizes=(*wishes.resizes, (size, new_size)))

    def close(self, key: str) -> None:
        """See `ControlStore`."""
        with self._lock:
            self._wishes.pop(key, None)

    def __len__(self) -> int:
        """Number of runs that are open."""
        return len(self._wishes)


class Turnstile:
    """Lets a fixed number of runs decode at a time, in the order in which they came."""

    def __init__(self, places: int) -> None:
        self._lock = threading.Lock()
        self._places = places
        self._line: list[str] = []

    def enter(self, key: str) -> None:
        """Stand in line."""
        with self._lock:
            self._line.append(key)

    def place(self, key: str) -> int:
        """How many have to leave before `key` may run; 0 when it may."""
        with self._lock:
            return max(self._line.index(key) - self._places + 1, 0)

    def leave(self, key: str) -> None:
        """Make room."""
        with self._lock:
            self._line.remove(key)
