"""The recorded runs that come with the page, and those that visitors open."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from blockbatch.reading import load_trace
from ui.viewer import recorded_value

INDEX = "index.json"  # [{"file": ..., "title": ...}, ...], the first one opens the page


class Bundled(NamedTuple):
    """A recorded run under the traces folder."""

    title: str
    path: Path

    @property
    def value(self) -> str:
        """What the viewer shows for it."""
        return recorded_value(self.path.read_text(encoding="utf-8"), self.title)


def bundled_runs(folder: Path) -> list[Bundled]:
    """The recorded runs in the order of the folder's index; none where there is no index."""
    index = folder / INDEX
    if not index.is_file():
        return []
    return [Bundled(entry["title"], folder / entry["file"]) for entry in json.loads(index.read_text(encoding="utf-8"))]


def opened_value(path: Path, name: str) -> str:
    """The viewer's value for a trace file of a visitor; TraceError, one sentence, if it is not a valid recording."""
    trace = load_trace(path)
    return recorded_value("\n".join(trace.lines()), name)
