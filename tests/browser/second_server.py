"""A server process of its own: `python second_server.py STORE`, at GRADIO_SERVER_PORT, until it is terminated."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(Path(__file__).parent)]

from explorer import Stage  # noqa: E402

if __name__ == "__main__":
    Stage(sys.argv[1], int(os.environ["GRADIO_SERVER_PORT"]))
    threading.Event().wait()
