"""A server process of its own: `python second_server.py STORE PORT`, until it is terminated."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(Path(__file__).parent)]

from explorer import Stage  # noqa: E402

if __name__ == "__main__":
    Stage(sys.argv[1], int(sys.argv[2]))
    threading.Event().wait()
