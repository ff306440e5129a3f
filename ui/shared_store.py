"""A control store that a decode in another process sees: one small file a run, in shared memory where there is any.

On ZeroGPU a run decodes in a forked worker, which never sees what its parent changes in its own memory later on.  A
file is replaced as a whole, so a reader meets the old wishes or the new ones and needs no lock.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path

from blockbatch.errors import BlockBatchError
from ui.session import ControlStore, Wishes

SHARED_MEMORY = Path("/dev/shm")
KEY = re.compile(r"[\w-]{24}", re.ASCII)  # as `ControlStore.open` makes them; nothing else is ever a file's name
SUFFIX = ".json"
SECONDS_BETWEEN_TOUCHES = 30
STALE_SECONDS = 600  # a decode looks at its wishes at every step and while it waits, so this one is gone


class SharedControlStore(ControlStore):
    """Wishes as files in `folder`, which is this user's alone; several processes may use it at a time."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or own_folder()
        self._folder.mkdir(mode=0o700, exist_ok=True)

    def open(self, wishes: Wishes) -> str:
        """See `ControlStore`; also forgets runs whose decode has not been heard of for ten minutes."""
        self._sweep()
        return super().open(wishes)

    def close(self, key: str) -> None:
        """See `ControlStore`."""
        with self._alone():
            self._path(key).unlink(missing_ok=True)

    def __len__(self) -> int:
        """See `ControlStore`."""
        return len(self._files())

    @contextmanager
    def _alone(self) -> Iterator[None]:
        with (self._folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _read(self, key: str) -> Wishes | None:
        path = self._path(key)
        try:
            values = json.loads(path.read_bytes())
            if time.time() - path.stat().st_mtime > SECONDS_BETWEEN_TOUCHES:
                os.utime(path)
        except FileNotFoundError:
            return None
        return Wishes(**{**values, "resizes": tuple(map(tuple, values["resizes"]))})

    def _write(self, key: str, wishes: Wishes) -> None:
        partial = self._path(key).with_suffix(".partial")
        partial.write_text(json.dumps(asdict(wishes)), encoding="utf-8")
        partial.replace(self._path(key))

    def _path(self, key: str) -> Path:
        return self._folder / ((key if KEY.fullmatch(key) else "unknown") + SUFFIX)

    def _files(self) -> list[Path]:
        return list(self._folder.glob("*" + SUFFIX))

    def _sweep(self) -> None:
        for path in self._files():
            with suppress(FileNotFoundError):
                if time.time() - path.stat().st_mtime > STALE_SECONDS:
                    path.unlink()


def own_folder() -> Path:
    """A folder in shared memory that no other user can look into; BlockBatchError where somebody else made it."""
    user = os.geteuid()
    base = SHARED_MEMORY if os.access(SHARED_MEMORY, os.W_OK) else Path(tempfile.gettempdir())
    folder = base / f"blockbatch-{user}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not folder.is_dir() or folder.is_symlink() or found.st_uid != user or found.st_mode & 0o077:
        raise BlockBatchError(f"{folder} is not a folder of this user alone; remove it, then start again.")
    return folder
