"""Servers to measure, each a process of its own on a free port."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ui.bench.browser import BenchError
from ui.settings import ROOT

SECONDS_TO_START = 120
PAGE = ("app.py",)  # as people start it, with the embedded model
PACED = ("-m", "ui.bench.paced")  # with a stand-in that steps at a fixed pace and tells when


@dataclass(frozen=True)
class Server:
    """A server that answers at `url`."""

    url: str
    process: subprocess.Popen[str]

    @property
    def memory(self) -> int:
        """Resident bytes now."""
        return resident(self.process.pid)


@contextmanager
def serve(command: Sequence[str]) -> Iterator[Server]:
    """Run `command` with this Python until the block ends.  BenchError if it does not come up.

    Its finished runs are kept as ever, but in a folder that goes with it.
    """
    port = free_port()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as store:
        told = {"GRADIO_SERVER_PORT": str(port), "GRADIO_SERVER_NAME": "127.0.0.1", "BLOCKBATCH_STORE": store}
        process = subprocess.Popen(
            [sys.executable, *command], cwd=ROOT, env={**os.environ, **told}, stdout=subprocess.PIPE, text=True
        )  # fmt: skip
        server = Server(f"http://127.0.0.1:{port}/", process)
        try:
            wait_for(server)
            yield server
        finally:
            process.terminate()
            process.wait(20)


def wait_for(server: Server) -> None:
    """Until the server answers."""
    ends = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < ends:
        if server.process.poll() is not None:
            raise BenchError("The server ended before it served a page.")
        try:
            urllib.request.urlopen(server.url, timeout=5).close()
            return
        except OSError:
            time.sleep(0.3)
    raise BenchError(f"The server did not come up within {SECONDS_TO_START} s.")


def free_port() -> int:
    """A port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def resident(pid: int) -> int:
    """The resident bytes of a process, as Linux counts them.  BenchError elsewhere."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        raise BenchError("A server's memory can be measured on Linux alone; leave memory_growth_pct out.") from None
    return pages * os.sysconf("SC_PAGE_SIZE")
