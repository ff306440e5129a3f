"""Runs that are kept so that a link can show them again, here or in another server process.

A run is kept under a hash of its NDJSON bytes, gzip compressed, in a store that an fsspec URL names: a folder, a
bucket, a dataset on a hub.  Nothing that comes back is believed: neither an id, nor that what lies under it is what was
kept.
"""

from __future__ import annotations

import gzip
import hashlib
import logging
import re
import secrets
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

import fsspec
from fsspec.implementations.local import LocalFileSystem

from blockbatch.errors import BlockBatchError
from blockbatch.reading import MAX_BYTES, parse_trace

logger = logging.getLogger(__name__)

ID = re.compile(r"[0-9a-f]{32}")
ENDING = ".ndjson.gz"
FILE = re.compile(ID.pattern + re.escape(ENDING) + r"(\.[0-9a-f]+\.partial)?")
WHEN_WRITTEN = ("mtime", "LastModified", "created")  # what listings call it: a folder's, a bucket's, memory's
SECONDS_A_DAY = 86_400
SECONDS_NEW = 3_600  # as long a run that is kept again is not written again, for it would hardly be newer
SECONDS_TO_WAIT = 20  # for others who keep; each who waits holds one of the threads that serve the page
DAMAGED = "What is kept under this link is damaged; ask whoever made it for the run as a trace file."
GONE = "This link's run is no longer kept here; ask whoever made the link for the run as a trace file."


class StoreError(BlockBatchError):
    """A run that cannot be kept or found again."""


class Kept(NamedTuple):
    """A file of the store; `written` in seconds since 1970, None where the store's listing does not tell."""

    path: str
    size: int
    written: float | None


def trace_id(text: str) -> str:
    """What the run with these NDJSON lines is kept under: the first 32 digits of their SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]


@dataclass
class TraceStore:
    """The store at `url`, at most `max_bytes` large, of runs at most `max_days` old; the oldest go first.

    Both limits hold where the store's listing tells when a file was written; a hub's does not, and nothing is removed
    there.  For any number of threads and processes.  Every method raises a BlockBatchError of one sentence.
    """

    url: str
    max_bytes: int
    max_days: float
    clock: Callable[[], float] = time.time
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def keep(self, text: str) -> str:
        """Keep a whole, valid run, given as its NDJSON lines; its id.

        What is kept already is written again only where that is more than an hour ago; it then counts as new again.
        """
        lines = "".join(f"{line}\n" for line in parse_trace(text).lines())
        packed = gzip.compress(lines.encode(), mtime=0)
        if len(packed) > self.max_bytes:
            raise StoreError(f"This run takes {len(packed) / 2**20:.1f} MiB, more than is kept here; save it instead.")
        run = trace_id(lines)
        with self._alone(), self._reaching():
            if not self._holds(run, packed):
                self._prune(self.max_bytes - len(packed), besides=self._path(run))
                self._write(run, packed)
        return run

    def fetch(self, run: str) -> str:
        """The NDJSON lines kept under the id `run`, read strictly."""
        if not isinstance(run, str) or not ID.fullmatch(run):
            raise StoreError("This link does not name a run; copy it again, whole.")
        with self._reaching():
            packed = self._read(self._path(run))
        text = unpacked(packed)
        if text is None or trace_id(text) != run:
            raise StoreError(DAMAGED)
        parse_trace(text)  # valid when it was kept, but perhaps by a newer version of this program
        return text

    @cached_property
    def _place(self) -> tuple[Any, str]:
        """The file system and the folder in it."""
        system, folder = fsspec.core.url_to_fs(self.url)
        return system, str(folder)

    def _path(self, run: str) -> str:
        return f"{self._place[1].rstrip('/')}/{run}{ENDING}"

    def _holds(self, run: str, packed: bytes) -> bool:
        """Whether just `packed` is kept under `run`, and new, or for good where the store tells no age."""
        system, _ = self._place
        system.invalidate_cache()
        try:
            info = system.info(self._path(run))
            written = kept(info).written
            new = written is None or self.clock() - written < SECONDS_NEW
            return new and info["size"] == len(packed) and bytes(system.cat_file(self._path(run))) == packed
        except FileNotFoundError:
            return False

    def _write(self, run: str, packed: bytes) -> None:
        """Whole or not at all: an object appears so in a bucket; in a folder a file is written aside and renamed."""
        system, folder = self._place
        system.makedirs(folder, exist_ok=True)
        if not isinstance(system, LocalFileSystem):
            system.pipe_file(self._path(run), packed)
            return
        aside = f"{self._path(run)}.{secrets.token_hex(8)}.partial"
        system.pipe_file(aside, packed)
        system.mv(aside, self._path(run))

    def _read(self, path: str) -> bytes:
        system, _ = self._place
        system.invalidate_cache()  # another process may have kept the run a moment ago
        try:
            info = system.info(path)
            if self._too_old(kept(info)):
                raise StoreError(GONE)
            if info["size"] > MAX_BYTES:
                return b""  # nothing that was kept here is as large
            return bytes(system.cat_file(path))
        except FileNotFoundError:
            raise StoreError(GONE) from None

    def _prune(self, room: int, besides: str) -> None:
        """Remove what is too old, then the oldest until no more than `room` bytes are left, `besides` not counted."""
        files = sorted((file for file in self._files() if file.path != besides), key=lambda file: file.written or 0)
        total = sum(file.size for file in files)
        for file in files:
            if self._too_old(file) or total > room:
                self._remove(file.path)
                total -= file.size

    def _files(self) -> Iterator[Kept]:
        """Those of this class whose age is known: the folder may hold others' files, too."""
        system, folder = self._place
        try:
            listed = system.ls(folder, detail=True, refresh=True)
        except FileNotFoundError:
            return
        for info in listed:
            if FILE.fullmatch(info["name"].rsplit("/", 1)[-1]) and (file := kept(info)).written is not None:
                yield file

    def _remove(self, path: str) -> None:
        with suppress(FileNotFoundError):  # another process was faster
            self._place[0].rm_file(path)

    def _too_old(self, file: Kept) -> bool:
        return file.written is not None and self.clock() - file.written > self.max_days * SECONDS_A_DAY

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """While it is entered, nobody else keeps; those whom a store that hangs would let wait for good are told so."""
        if not self._lock.acquire(timeout=SECONDS_TO_WAIT):
            raise StoreError("The store of shared runs is slow or out of reach; try again in a while.")
        try:
            yield
        finally:
            self._lock.release()

    @contextmanager
    def _reaching(self) -> Iterator[None]:
        """Every store has exceptions of its own; a visitor is told the kind, never a path or an address."""
        try:
            yield
        except StoreError:
            raise
        except Exception as error:
            logger.warning("the store of shared runs cannot be reached", exc_info=True)
            raise StoreError(f"The store of shared runs cannot be reached: {reason(error)}.") from error


def kept(info: dict[str, Any]) -> Kept:
    """An entry of a listing."""
    written = next((info[name] for name in WHEN_WRITTEN if info.get(name) is not None), None)
    if isinstance(written, datetime):
        written = written.timestamp()
    return Kept(info["name"], int(info["size"] or 0), float(written) if isinstance(written, int | float) else None)


def unpacked(packed: bytes) -> str | None:
    """The text in `packed`; None for anything but the gzip of at most `MAX_BYTES` of UTF-8."""
    reader = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    try:
        text = reader.decompress(packed, MAX_BYTES + 1)
        whole = reader.eof and not reader.unused_data and len(text) <= MAX_BYTES
        return text.decode() if whole else None
    except (zlib.error, UnicodeDecodeError):
        return None


def reason(error: Exception) -> str:
    """Why a store cannot be reached, in a few words."""
    if isinstance(error, ImportError):
        return f"the server lacks a package for it ({error.name or 'see its log'})"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return f"{type(error).__name__}, see the server's log"
