"""The page as on a ZeroGPU Space, on a machine without a GPU: run as a script, it prints its address.

The package `spaces` is the real one, with its forked workers and its pickling.  What lends the devices there is a small
server here, and torch is kept from it, so that it touches no CUDA.  Runs name as their model the process that decoded.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlparse

ROOT = Path(__file__).resolve().parents[1]


class Lender(BaseHTTPRequestHandler):
    """Lends one device, idle or not, to whoever asks; notes for how long."""

    lent: list[int] = []  # noqa: RUF012  # of the class, which the server makes anew for each request

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        url = urlparse(self.path)
        answer: dict[str, Any] = {}
        if url.path == "/schedule":
            self.lent.append(int(parse_qs(url.query)["durationSeconds"][0]))
            answer = {"idle": len(self.lent) > 1, "nvidiaIndex": 0, "nvidiaUUID": "GPU-0", "allowToken": "token"}
        self.answer(answer)

    def do_GET(self) -> None:
        """For how many seconds the device was lent, call by call."""
        self.answer(self.lent)

    def answer(self, value: Any) -> None:
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        """Nothing."""


def main() -> None:
    lender = ThreadingHTTPServer(("127.0.0.1", 0), Lender)
    threading.Thread(target=lender.serve_forever, daemon=True).start()
    os.environ["SPACES_ZERO_GPU"] = "true"
    os.environ["BLOCKBATCH_STORE"] = "memory://zero-gpu"
    os.environ["SPACES_ZERO_DEVICE_API_URL"] = f"http://127.0.0.1:{lender.server_port}"
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    import gradio  # noqa: F401  # spaces wants it first

    sys.modules["torch"] = None  # type: ignore[assignment]  # spaces leaves alone what it does not find
    import spaces  # noqa: F401

    del sys.modules["torch"]
    from scripted import ScriptedModel

    from blockbatch.fork import resume
    from blockbatch.run import Run
    from blockbatch.trace import Trace
    from ui.engine import Engine, engine_of
    from ui.interface import create_ui
    from ui.settings import Settings

    engine = engine_of(ScriptedModel())

    def start(prompt: str, config: Any) -> Run:
        return Run(ScriptedModel(id=f"decoded-by-{os.getpid()}"), prompt, config)

    settings = Settings.from_environment(os.environ)

    def taken_up(trace: Trace) -> Run:
        return resume(ScriptedModel(id=f"decoded-by-{os.getpid()}"), trace)

    page = create_ui(Engine(start, engine.fork, taken_up, model=engine.model), settings)
    _, url, _ = page.launch(prevent_thread_lock=True, quiet=True)
    lent = f"http://127.0.0.1:{lender.server_port}/lent"
    print(json.dumps({"url": url, "lent": lent, "pid": os.getpid(), "control": settings.control}), flush=True)
    threading.Event().wait()  # and read no stdin: a forked worker closes its own, and would wait for the reader


if __name__ == "__main__":
    main()
