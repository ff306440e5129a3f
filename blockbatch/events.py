"""What happens between two forwards, one frozen record a happening.

A branch is named by its block size, which is unique at any moment; positions count from the end of the prompt.
Probabilities are those of the branch's most recent forward at that position, in [0, 1].
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class Commit:
    """`branch` wrote `token`: at or above its commit threshold, or forced as the most confident of its window."""

    branch: int
    position: int
    token: int
    probability: float
    forced: bool


@dataclass(frozen=True, slots=True)
class Merge:
    """Consensus commit: `branch` took over `token`, which `source` held and which it gives `probability` itself."""

    branch: int
    source: int
    position: int
    token: int
    probability: float


@dataclass(frozen=True, slots=True)
class Sync:
    """Leader reset: `branch` was `gained` tokens behind `leader` and copied it; its row changed at `positions`."""

    branch: int
    leader: int
    gained: int
    positions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Refresh:
    """Full recompute of `branches`, because `reason` (interval or divergence)."""

    branches: tuple[int, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Eos:
    """`branch` holds an end-of-text token in its window, the first at `position`, given `probability`."""

    branch: int
    position: int
    probability: float


@dataclass(frozen=True, slots=True)
class ConfigChange:
    """From this step on the setting `field` is `new`, no longer `old`."""

    field: str
    old: Any
    new: Any


@dataclass(frozen=True, slots=True)
class Add:
    """A new branch of block size `branch` starts as a copy of `source`."""

    branch: int
    source: int


@dataclass(frozen=True, slots=True)
class Drop:
    """`branch` leaves the run."""

    branch: int


@dataclass(frozen=True, slots=True)
class Resize:
    """`branch` goes on with block size `size` and its row unchanged."""

    branch: int
    size: int


@dataclass(frozen=True, slots=True)
class Ahead:
    """The step's forward also computed `branch` with its drafts `tokens` written: the first at the first of
    `positions`, the first two, and so on."""

    branch: int
    positions: tuple[int, ...]
    tokens: tuple[int, ...]


Event = Commit | Merge | Sync | Refresh | Eos | ConfigChange | Add | Drop | Resize | Ahead
STRUCTURE = (ConfigChange, Add, Drop, Resize)  # what changes between two steps: it comes first in a step

EVENT_TYPES: dict[str, type[Any]] = {
    "commit": Commit,
    "merge": Merge,
    "sync": Sync,
    "refresh": Refresh,
    "eos": Eos,
    "config": ConfigChange,
    "add": Add,
    "drop": Drop,
    "resize": Resize,
    "ahead": Ahead,
}
_NAMES = {cls: name for name, cls in EVENT_TYPES.items()}
_FIELDS = {cls: tuple(field.name for field in fields(cls)) for cls in _NAMES}


def event_to_dict(event: Event) -> dict[str, Any]:
    """The event as plain JSON values, `type` first."""
    cls = type(event)
    return {"type": _NAMES[cls], **{name: getattr(event, name) for name in _FIELDS[cls]}}
