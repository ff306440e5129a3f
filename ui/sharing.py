"""What the viewer asks of the server to share a run: keep it, find it again, write it in another format.

A visitor's browser calls these functions with plain JSON, so nothing in it is believed.  Each answers with a mapping;
where something cannot be done it holds the one sentence that says why, under `problem`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from blockbatch.checks import is_writable
from blockbatch.chrome import chrome_json
from blockbatch.errors import BlockBatchError, TraceError
from blockbatch.reading import parse_trace
from ui.export import shell
from ui.library import Bundled
from ui.store import TraceStore, trace_id

Answer = dict[str, Any]
MOST_RUNS = 2  # that the page shows at a time


@dataclass(frozen=True)
class Sharing:
    """`library` are the runs that come with the page: a link to one of them needs no store.

    finished: whether every finished run is kept, so that the page must say so; else those whose link is copied.
    """

    store: TraceStore
    library: Sequence[Bundled] = ()
    finished: bool = False

    @cached_property
    def bundled(self) -> Mapping[str, Bundled]:
        """The runs that come with the page, by what a link calls them."""
        return {trace_id(run.path.read_text(encoding="utf-8")): run for run in self.library}

    def keep(self, texts: Sequence[str]) -> Answer:
        """Keep the runs with these NDJSON lines; {runs: what a link calls each, says: for how long}."""
        ids = [self._keep(text) for text in texts]
        return {"runs": ids, "says": "" if set(ids) <= set(self.bundled) else f"The run is kept here {self._lasts}."}

    @property
    def keeping(self) -> str:
        """Which runs are kept, and for how long, in a sentence for the page."""
        if self.finished:
            return f"Every finished run is kept here, its prompt included, {self._lasts}."
        return f"A run is kept here, its prompt included, only when its link is copied: {self._lasts}."

    @property
    def _lasts(self) -> str:
        return f"for {self.store.max_days:g} days, or until newer ones need the room"

    def _keep(self, text: str) -> str:
        run = trace_id(text)
        return run if run in self.bundled else self.store.keep(text)

    def fetch(self, runs: Sequence[str]) -> Answer:
        """{runs: [{text, name}]} of what a link calls `runs`."""
        return {"runs": [self._fetch(run) for run in runs]}

    def _fetch(self, run: str) -> Answer:
        if isinstance(run, str) and (found := self.bundled.get(run)):
            return {"text": found.path.read_text(encoding="utf-8"), "name": found.title}
        text = self.store.fetch(run)
        return {"text": text, "name": "" if names_itself(text) else "shared run"}

    def chrome(self, texts: Sequence[str]) -> Answer:
        """{text: the runs with these NDJSON lines as one Chrome trace}."""
        return {"text": chrome_json([parse_trace(text) for text in texts])}


def server_functions(sharing: Sharing) -> list[Callable[[Any], Answer]]:
    """What the viewer can call, by name.  Gradio wants plain functions, each with a name of its own."""

    def keep_runs(texts: Any) -> Answer:
        return answer(sharing.keep, texts)

    def fetch_runs(runs: Any) -> Answer:
        return answer(sharing.fetch, runs)

    def chrome_trace(texts: Any) -> Answer:
        return answer(sharing.chrome, texts)

    def empty_page(_: Any) -> Answer:
        return {"text": shell()}

    return [keep_runs, fetch_runs, chrome_trace, empty_page]


def names_itself(text: str) -> bool:
    """Whether the page names this run by what it is: a fork, or a run with one block size."""
    header = json.loads(text.partition("\n")[0])
    return header["origin"] is not None or len(header["config"].get("block_sizes", ())) < 2


def answer(act: Callable[[Sequence[str]], Answer], asked: Any) -> Answer:
    """`act` on one or two texts, or {problem: why not}."""
    try:
        if not isinstance(asked, list) or not 1 <= len(asked) <= MOST_RUNS or not all(map(is_text, asked)):
            raise TraceError("One or two runs can be shared at a time; reload the page and try again.")
        return act(asked)
    except BlockBatchError as error:
        return {"problem": str(error)}


def is_text(value: object) -> bool:
    """Whether `value` is a text that can be kept."""
    return isinstance(value, str) and is_writable(value)
