"""A server whose runs step twenty times a second and print when: run as a module by `ui.bench.server`."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from blockbatch.config import Config
from blockbatch.run import Run
from ui.bench.synthetic import SyntheticModel
from ui.engine import Engine
from ui.interface import create_ui
from ui.live import SECONDS_BETWEEN_UPDATES
from ui.settings import Settings
from ui.theme import head, theme

PACE = SECONDS_BETWEEN_UPDATES + 0.001  # a step that came any sooner would wait for the one after it


@dataclass
class PacedRun:
    """Yields the lines of `run` at a fixed pace; as a step leaves, prints {"step", "at"}, in seconds of the clock."""

    run: Run

    def __iter__(self) -> Iterator[str]:
        due = time.monotonic()
        for number, line in enumerate(self.run):
            time.sleep(max(due - time.monotonic(), 0))
            due = time.monotonic() + PACE
            if line.startswith('{"type":"step"'):
                print(json.dumps({"step": number, "at": time.time()}), flush=True)
            yield line

    def reconfigure(self, **changes: Any) -> None:
        """See `RunLike`."""
        self.run.reconfigure(**changes)

    def stop(self) -> None:
        """See `RunLike`."""
        self.run.stop()


def start(prompt: str, config: Config) -> PacedRun:
    """A run of the stand-in."""
    return PacedRun(Run(SyntheticModel(0.0), prompt, config))  # type: ignore[arg-type]


if __name__ == "__main__":
    page = create_ui(Engine(start), Settings.from_environment(os.environ))
    page.launch(theme=theme(), head=head(), footer_links=[], run_history=False, quiet=True)
