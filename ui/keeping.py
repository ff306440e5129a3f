"""Finished live runs, kept in the store as soon as they end, so that a link to one need not be copied in time.

A store may be slow or out of reach: a thread of its own waits for it, so that no run and no visitor does.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Semaphore

logger = logging.getLogger(__name__)

MOST_WAITING = 32  # their texts lie in memory meanwhile


class Keeper:
    """Keeps runs by `keep` (see `ui.store.TraceStore`), one after the other; what cannot be kept is a line in the log.

    For any number of threads.  When the server ends in good order, what waits is kept before.
    """

    def __init__(self, keep: Callable[[str], object]) -> None:
        self._keep = keep
        self._room = Semaphore(MOST_WAITING)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="keeping")

    def __call__(self, text: str) -> None:
        """Keep the run with these NDJSON lines soon; returns at once, and raises nothing."""
        if not self._room.acquire(blocking=False):
            logger.warning("A finished run was not kept: %d others wait for the store already.", MOST_WAITING)
            return
        with suppress(RuntimeError):  # the server is ending
            self._thread.submit(self._try, text)

    def _try(self, text: str) -> None:
        try:
            self._keep(text)
        except Exception as error:  # whatever it is, there is nobody to tell but whoever serves the page
            logger.warning("A finished run was not kept: %s", error)
        finally:
            self._room.release()
