"""The recorded runs that come with the page, and those that visitors open."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from blockbatch.reading import load_trace
from ui.viewer import recorded_value

# [{"file", "title", "story", "told"}, ...]; the first one opens the page.  `story` is a name of `ui.stories`, `told`
# whether the run tells it.  A baseline's "contrast_to" is the file of the run whose prompt it decodes another way.
INDEX = "index.json"


class Bundled(NamedTuple):
    """A recorded run under the traces folder; `contrast_to` is the path of the run that it is a contrast to, if any."""

    title: str
    path: Path
    story: str = ""
    told: bool = False
    contrast_to: Path | None = None

    @property
    def value(self) -> str:
        """What the viewer shows for it."""
        return recorded_value(self.path.read_text(encoding="utf-8"), self.title)


def bundled_runs(folder: Path) -> list[Bundled]:
    """The recorded runs in the order of the folder's index; none where there is no index."""
    index = folder / INDEX
    if not index.is_file():
        return []
    return [_bundled(folder, entry) for entry in json.loads(index.read_text(encoding="utf-8"))]


def _bundled(folder: Path, entry: dict[str, str | bool]) -> Bundled:
    contrast = entry.get("contrast_to")
    return Bundled(
        title=str(entry["title"]),
        path=folder / str(entry["file"]),
        story=str(entry.get("story", "")),
        told=bool(entry.get("told", False)),
        contrast_to=folder / str(contrast) if contrast else None,
    )


def opened_value(path: Path, name: str) -> str:
    """The viewer's value for a trace file of a visitor; TraceError, one sentence, if it is not a valid recording."""
    trace = load_trace(path)
    return recorded_value("\n".join(trace.lines()), name)
