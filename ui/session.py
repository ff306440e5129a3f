"""What a visitor asks of a running decode, kept where both the page's events and the decode can reach it.

A run is controlled by a key that only its visitor holds.  The page's events write wishes, the decode reads them
between steps.  Values are plain JSON values, so that a store may also live outside this process.
"""

from __future__ import annotations

import secrets
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

FULL_SPEED = 0.0
KEY_BYTES = 18


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

    def want_step(self, taken: int) -> bool:
        """Whether the next step is wanted, with so many single ones `taken` already."""
        return not self.paused or taken < self.steps


class ControlStore(ABC):
    """Wishes by key.  An unknown key, such as that of a run that has ended, is not an error: nothing happens.

    A backend says where the wishes lie: `LocalControlStore` in the memory of this process, `ui.shared_store` where a
    decode in another process sees them too.  Both take any number of threads.
    """

    def open(self, wishes: Wishes) -> str:
        """A new key, which cannot be guessed, holding `wishes`."""
        key = secrets.token_urlsafe(KEY_BYTES)
        self._write(key, wishes)
        return key

    def read(self, key: str) -> Wishes:
        """The wishes under `key`; for an unknown key those of a run that shall stop."""
        return self._read(key) or Wishes(stopped=True)

    def holds(self, key: str) -> bool:
        """Whether `key` is that of a run that is open."""
        return self._read(key) is not None

    def change(self, key: str | None, **changes: Any) -> None:
        """Replace fields of the wishes under `key`; `settings` are added to those that are there."""
        added = changes.pop("settings", {})
        self._revise(key, lambda wishes: replace(wishes, settings={**wishes.settings, **added}, **changes))

    def step(self, key: str | None) -> None:
        """Ask for one more single step."""
        self._revise(key, lambda wishes: replace(wishes, paused=True, steps=wishes.steps + 1))

    def resize(self, key: str | None, size: int, new_size: int, settings: Mapping[str, Any] | None = None) -> None:
        """Ask for a branch to go on with another block size, and in the same breath for `settings`, as `change` does:
        a decode that saw the one without the other would drop the branch and add it as a copy of the leader."""

        def revised(wishes: Wishes) -> Wishes:
            resizes = (*wishes.resizes, (size, new_size))
            return replace(wishes, settings={**wishes.settings, **(settings or {})}, resizes=resizes)

        self._revise(key, revised)

    def _revise(self, key: str | None, revised: Callable[[Wishes], Wishes]) -> None:
        with self._alone():
            if key and (wishes := self._read(key)):
                self._write(key, revised(wishes))

    @abstractmethod
    def close(self, key: str) -> None:
        """Forget `key`."""

    @abstractmethod
    def __len__(self) -> int:
        """Number of runs that are open."""

    @abstractmethod
    def _alone(self) -> AbstractContextManager[object]:
        """While it is entered, nobody else revises."""

    @abstractmethod
    def _read(self, key: str) -> Wishes | None:
        """What lies under `key`, without waiting for anybody."""

    @abstractmethod
    def _write(self, key: str, wishes: Wishes) -> None:
        """Put `wishes` under `key`, whole or not at all."""


class LocalControlStore(ControlStore):
    """Wishes in the memory of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wishes: dict[str, Wishes] = {}

    def close(self, key: str) -> None:
        """See `ControlStore`."""
        with self._lock:
            self._wishes.pop(key, None)

    def __len__(self) -> int:
        """See `ControlStore`."""
        return len(self._wishes)

    def _alone(self) -> AbstractContextManager[object]:
        return self._lock

    def _read(self, key: str) -> Wishes | None:
        return self._wishes.get(key)

    def _write(self, key: str, wishes: Wishes) -> None:
        self._wishes[key] = wishes


class Turnstile:
    """Lets a fixed number of runs decode at a time, in the order in which they came.

    A run may leave and come again, as one that is paused does: it then waits behind those who came meanwhile.
    """

    def __init__(self, places: int) -> None:
        self._lock = threading.Lock()
        self._places = places
        self._line: list[str] = []

    def enter(self, key: str) -> None:
        """Stand in line: at its end, unless one stands there already."""
        with self._lock:
            if key not in self._line:
                self._line.append(key)

    @contextmanager
    def standing(self) -> Iterator[Callable[[], int]]:
        """Stand in line, and hold a place when it is one's turn, until the block ends; gives one's `place`."""
        key = secrets.token_urlsafe(KEY_BYTES)
        self.enter(key)
        try:
            yield lambda: self.place(key)
        finally:
            self.leave(key)

    def place(self, key: str) -> int:
        """How many have to leave before `key` may run; 0 when it may."""
        with self._lock:
            return max(self._line.index(key) - self._places + 1, 0)

    def leave(self, key: str) -> None:
        """Make room; one that does not stand in line has made it already."""
        with self._lock:
            if key in self._line:
                self._line.remove(key)
