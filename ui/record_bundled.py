"""Record the runs that come with the page again: `python -m ui.record_bundled`, from the project's folder.

The first held-out examples of each family of tasks are decoded.  Each story of `ui.stories` gets the run that tells it
best, a family that no story took gets its best right answer, and the run on which the lesson is given is decoded by a
baseline too, for contrast.  The same model and number of tries give the same choice.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from blockbatch.config import BaselineConfig, Config, DecodeConfig
from blockbatch.models import Model, load_model
from blockbatch.run import Run
from blockbatch.tasks import FAMILIES, examples, is_correct
from blockbatch.trace import Trace
from ui.library import INDEX
from ui.settings import Settings
from ui.stories import BOLD_RESET, CLEAN, PARTING, PLAIN, STORIES, Story, Take, best

TITLES = {
    "word-problems": "word problem",
    "algebra": "algebra",
    "functions": "complete a function",
    "programs": "write a program",
}
RAREST_FIRST = (BOLD_RESET, PARTING, CLEAN)  # in this order they choose, each another run; the lesson prefers it too
BASELINE = BaselineConfig()
BASELINE_FILE = "baseline.ndjson"
BASELINE_TITLE = f"baseline: {BASELINE.decoder}, one block size, {BASELINE.block_size}"


class Chosen(NamedTuple):
    """A run for the page, and the story it is chosen for."""

    story: Story
    take: Take

    @property
    def told(self) -> bool:
        """Whether the run does tell the story."""
        return self.story.told(self.take)

    @property
    def name(self) -> str:
        """What its file is called, without the ending."""
        return self.take.family if self.story is PLAIN else self.story.name

    @property
    def title(self) -> str:
        """What it is called on the page; it claims no story that is not told."""
        family = TITLES[self.take.family]
        if self.story is PLAIN:
            return family
        return f"{family}: {self.story.title}" if self.told else f"{family}: nearest to \u201c{self.story.title}\u201d"

    @property
    def entry(self) -> dict[str, Any]:
        """Its entry in the index."""
        return {"file": f"{self.name}.ndjson", "title": self.title, "story": self.story.name, "told": self.told}


def record(model: Model, prompt: str, config: Config) -> Trace:
    """The whole run of `prompt`."""
    run = Run(model, prompt, config)
    for _ in run:
        pass
    return run.trace


def takes(model: Model, tries: int) -> Iterator[Take]:
    """The runs of the first `tries` held-out examples of each family."""
    for family in FAMILIES:
        for example in islice(examples(family, "held-out"), tries):
            trace = record(model, example.prompt, DecodeConfig())
            yield Take(family, trace, bool(trace.end and is_correct(example, trace.end.text)))


def choose(found: Sequence[Take]) -> list[Chosen]:
    """A run for each story, then one for each family that has none yet, in the order in which the page lists them."""
    left, wanted, chosen = list(found), list(RAREST_FIRST), list[Chosen]()
    while wanted:
        # A story that no run tells takes the nearest one last, so that it takes none that another story could tell.
        story = next((each for each in wanted if any(map(each.told, left))), wanted[0])
        chosen.append(Chosen(story, best(story, left)))
        wanted.remove(story)
        left = [take for take in left if take is not chosen[-1].take]
    chosen.sort(key=lambda each: STORIES.index(each.story))
    covered = {each.take.family for each in chosen}
    families = [family for family in FAMILIES if family not in covered]
    return chosen + [Chosen(PLAIN, best(PLAIN, [take for take in left if take.family == name])) for name in families]


def for_lesson(chosen: Sequence[Chosen]) -> Chosen:
    """The run on which the lesson is given: that of the rarest story that is told, else the first."""
    told = {each.story: each for each in chosen if each.told}
    return next((told[story] for story in RAREST_FIRST if story in told), chosen[0])


def record_all(model: Model, folder: Path, tries: int, tell: Callable[[str], None] = print) -> None:
    """Write the runs and their index into `folder`; runs that were there before are removed."""
    chosen = choose(list(takes(model, tries)))
    traces = {each.entry["file"]: each.take.trace for each in chosen}
    lesson = for_lesson(chosen)
    traces[BASELINE_FILE] = record(model, lesson.take.trace.header.prompt, BASELINE)
    for stale in set(folder.glob("*.ndjson")) - {folder / name for name in traces}:
        stale.unlink()
    for name, trace in traces.items():
        trace.save(folder / name)
    contrast = {"file": BASELINE_FILE, "title": BASELINE_TITLE, "story": "baseline", "told": True}
    index = [*(each.entry for each in chosen), {**contrast, "contrast_to": lesson.entry["file"]}]
    (folder / INDEX).write_text(json.dumps(index, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    for each in chosen:
        tell(sentence(each, tries))


def sentence(chosen: Chosen, tries: int) -> str:
    """What was found, in one sentence."""
    text = repr(chosen.take.trace.end.text) if chosen.take.trace.end else "no answer"
    if chosen.told:
        return f"{chosen.name}: {chosen.take.family}, {text}."
    wanted = "a right answer" if chosen.story is PLAIN else f"the story \u201c{chosen.story.title}\u201d"
    return f"{chosen.name}: NOT FOUND, no prompt within {tries} tries a family tells {wanted}; the nearest is {text}."


def main() -> None:
    """Command line."""
    settings = Settings()
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--model", default=settings.model, help="a folder or a model id")
    parser.add_argument("--tries", type=int, default=25, help="examples to choose from, per family")
    arguments = parser.parse_args()
    record_all(load_model(arguments.model), settings.traces, arguments.tries)


if __name__ == "__main__":
    main()
