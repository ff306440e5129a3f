"""Record the runs that come with the page again: `python -m ui.record_bundled`, from the project's folder.

For each family of tasks some held-out examples are decoded, and the right answer with most consensus in it is kept;
the one that the page opens with is also decoded by a baseline, for contrast.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from itertools import islice
from pathlib import Path

from blockbatch.config import BaselineConfig, Config, DecodeConfig
from blockbatch.models import Model, load_model
from blockbatch.run import Run
from blockbatch.tasks import FAMILIES, Example, examples, is_correct
from blockbatch.trace import Trace
from ui.library import INDEX
from ui.prompt import OPENING_FAMILY
from ui.settings import Settings

TITLES = {
    "word-problems": "word problem",
    "algebra": "algebra",
    "functions": "complete a function",
    "programs": "write a program",
}
BASELINE = ("dual-cache.ndjson", "baseline: one block size, 32")


def record(model: Model, prompt: str, config: Config) -> Trace:
    """The whole run of `prompt`."""
    run = Run(model, prompt, config)
    for _ in run:
        pass
    return run.trace


def worth(example: Example, trace: Trace) -> tuple[bool, int]:
    """Right answers first, then those with more consensus commits and leader resets."""
    events = [event for step in trace.steps for event in step.events]
    consensus = sum(type(event).__name__ in ("Merge", "Sync") for event in events)
    return bool(trace.end and is_correct(example, trace.end.text)), consensus


def best_of(model: Model, family: str, tries: int) -> Trace:
    """The best of the family's first `tries` held-out examples."""
    found = [(example, record(model, example.prompt, DecodeConfig())) for example in _first(family, tries)]
    return max(found, key=lambda pair: worth(*pair))[1]


def _first(family: str, tries: int) -> list[Example]:
    return list(islice(examples(family, "held-out"), tries))


def record_all(model: Model, folder: Path, tries: int, tell: Callable[[str], None] = print) -> None:
    """Write the runs and their index into `folder`."""
    index = []
    for family in sorted(FAMILIES, key=lambda family: family != OPENING_FAMILY):
        trace = best_of(model, family, tries)
        index.append({"file": f"{family}.ndjson", "title": TITLES[family]})
        trace.save(folder / index[-1]["file"])
        tell(f"{family}: {trace.end.text if trace.end else ''!r}")
        if family == OPENING_FAMILY:
            record(model, trace.header.prompt, BaselineConfig()).save(folder / BASELINE[0])
    index.append({"file": BASELINE[0], "title": BASELINE[1]})
    (folder / INDEX).write_text(json.dumps(index, indent=2) + "\n", encoding="utf-8")


def main() -> None:
    """Command line."""
    settings = Settings()
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--model", default=settings.model, help="a folder or a model id")
    parser.add_argument("--tries", type=int, default=12, help="examples to choose from, per family")
    arguments = parser.parse_args()
    record_all(load_model(arguments.model), settings.traces, arguments.tries)


if __name__ == "__main__":
    main()
