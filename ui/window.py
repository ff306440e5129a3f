"""The part of a live run's growing text that its page is sent again and again.

Gradio sends a page only what was appended to a text, but there it looks through the whole text at every update, which
takes long when a run is long.  So the page's value holds only the latest part; the viewer (`records.mjs`) keeps the
whole.  Parts overlap widely: an update may be missed, for Gradio shows only the last of those that come at once.
"""

from __future__ import annotations

import json

LONGEST = 200_000  # characters: beyond, the part begins anew
OVERLAP = 100_000
SEAM = 40  # characters before the part, by which the viewer knows that it has what came before


class Window:
    """Follows one text that only grows."""

    def __init__(self) -> None:
        self._start = 0

    def over(self, text: str) -> str:
        """`text`, the whole so far, or its latest part behind a line {"type": "window", "from", "after"}."""
        if len(text) - self._start > LONGEST:
            self._start = len(text) - OVERLAP
        if not self._start:
            return text
        mark = {"type": "window", "from": self._start, "after": text[self._start - SEAM : self._start]}
        return json.dumps(mark, separators=(",", ":")) + "\n" + text[self._start :]
