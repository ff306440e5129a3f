"""Changes to a run between two of its steps: thresholds, the refresh, and branches added, dropped or resized."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from blockbatch.config import LIVE_SETTINGS, MAX_BLOCK_SIZE, MAX_BRANCHES, DecodeConfig, block_sizes, integer
from blockbatch.errors import ConfigError
from blockbatch.events import Add, ConfigChange, Drop, Resize
from blockbatch.state import Branches
from blockbatch.stepper import Stepper


def whole_sizes(resize: Mapping[int, int] | None) -> dict[int, int]:
    """`resize` {old: new} as plain ints, as they are recorded; ConfigError where it is no such mapping."""
    if not isinstance(resize, Mapping | None):
        raise ConfigError("resize", resize, "a mapping from block sizes of this run to new ones")
    return {_block_size(old): _block_size(new) for old, new in (resize or {}).items()}


def _block_size(value: object) -> int:
    return integer("resize", value, 1, MAX_BLOCK_SIZE)


def changed_config(
    config: DecodeConfig, branches: Branches, resize: Mapping[int, int], changes: Mapping[str, Any]
) -> DecodeConfig:
    """The config after `changes` and `resize` {old: new} to a run with `branches`.

    ConfigError where a value is out of range, a setting cannot change during a run, a resize starts from an absent
    block size or ends at a present one, or no branch that still decodes would go on.
    """
    present = branches.sizes.tolist()
    for name, value in changes.items():
        if name not in (allowed := (*LIVE_SETTINGS, "block_sizes")):
            raise ConfigError(name, value, f"left as it is during a run: only {', '.join(allowed)} can change")
    for old, new in resize.items():
        if old not in present or new in present:
            raise ConfigError("resize", {old: new}, f"from a block size of this run ({present}) to one not in it")
    resized = block_sizes("resize", [resize.get(size, size) for size in present])
    after = config.replace(**{"block_sizes": resized, **changes})
    decoding = [resize.get(size, size) for size in branches.sizes[~branches.done].tolist()]
    if not set(decoding) & set(after.block_sizes):
        wanted = f"such that a branch that still decodes goes on: {' or '.join(map(str, decoding))}"
        raise ConfigError("block_sizes", after.block_sizes, wanted)
    return after


def apply_changes(stepper: Stepper, before: DecodeConfig, after: DecodeConfig, resize: Mapping[int, int]) -> None:
    """Bring the branches of `stepper` from `before` to `after`; every change is recorded as an event.

    New branches come before old ones go, since they copy the leader.  Where that would make more than one branch too
    many, which no record may hold, old ones go in between, and the leader last.
    """
    for name in LIVE_SETTINGS:
        old, new = getattr(before, name), getattr(after, name)
        if old != new:
            stepper.record(ConfigChange(name, old, new))
    for old_size, new_size in resize.items():
        _resize(stepper, old_size, new_size)
    present, leader = stepper.branches.sizes.tolist(), int(stepper.branches.sizes[stepper.branches.leader])
    leaving = sorted(set(present) - set(after.block_sizes), key=lambda size: (size == leader, size))
    for size in after.block_sizes:
        if size not in present:
            if len(stepper.branches) > MAX_BRANCHES:
                _drop(stepper, leaving.pop(0))
            _add(stepper, size)
    for size in leaving:
        _drop(stepper, size)
    stepper.config = after


def _resize(stepper: Stepper, old: int, new: int) -> None:
    b = stepper.branches
    which = b.sizes == old
    b.sizes[which] = new
    b.move(which)
    stepper.branches = b.take(np.argsort(b.sizes))
    stepper.record(Resize(old, new))


def _add(stepper: Stepper, size: int) -> None:
    """A new branch: the leader's row, tables and cache row, with a window and a refresh count of its own."""
    b, leader = stepper.branches, stepper.branches.leader
    stepper.record(Add(size, int(b.sizes[leader])))
    b = b.take([*range(len(b)), leader])
    b.sizes[-1], b.cache_rows[-1] = size, stepper.cache.allocate()
    b.blocks_since_refresh[-1], b.asks_refresh[-1] = 0, False
    stepper.cache.copy(int(b.cache_rows[leader]), [int(b.cache_rows[-1])])
    b.move(np.arange(len(b)) == len(b) - 1)
    stepper.branches = b.take(np.argsort(b.sizes))


def _drop(stepper: Stepper, size: int) -> None:
    b = stepper.branches
    stepper.cache.release(int(b.cache_rows[b.sizes == size][0]))
    stepper.branches = b.take(np.flatnonzero(b.sizes != size))
    stepper.record(Drop(size))
