"""A sweep that a visitor runs: prompts decoded again and again, each under the settings of a cell, and kept.

Its runs wait in line like any visitor's, one by one, so others come in between.  Nothing here knows the page.
"""

from __future__ import annotations

import gzip
import itertools
import json
import time
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from blockbatch.bench import plan, sweep
from blockbatch.bench.jobs import Outcome, Task, Trial, Typed, outcome
from blockbatch.bench.sweep import PARAMETERS, Axis, Cell, Point
from blockbatch.config import DecodeConfig, choice, integer, number
from blockbatch.errors import BlockBatchError
from blockbatch.reading import parse_trace
from blockbatch.tasks import FAMILIES, Example
from ui.live import LiveRuns, Warn
from ui.session import FULL_SPEED
from ui.sweepfigures import Measure
from ui.viewer import place_in_line, session_line, trace_text

TYPED, ALL = "the prompt", "all four"  # what a sweep can be over, besides one family
NOTHING = "none"  # instead of a second parameter
MOST_PROMPTS = 50
MOST_RUNS = 4000  # that are kept for a visitor, and stand in the file of their sweep
MOST_MINUTES = 30.0
RAN_ON = ("model", "device", "dtype", "versions")
BEGUN = session_line("live")  # a run's text holds it as soon as it does not wait in line any more


class Range(NamedTuple):
    """A parameter and the values it takes: `points` of them from `low` to `high`; of sets of branches, all."""

    parameter: str
    low: float
    high: float
    points: float

    def axis(self, base: DecodeConfig) -> Axis:
        """The axis, in the range that the page's knobs have; BlockBatchError, one sentence, where there can be none."""
        known = PARAMETERS[choice("parameter", self.parameter, tuple(PARAMETERS))]
        if known.kind == "sets":
            return sweep.default_axis(known.name, base)
        low, high = (number(known.name, end, known.lowest, known.highest) for end in (self.low, self.high))
        return sweep.spaced(known.name, low, high, integer("points", self.points, 1, sweep.MOST_CELLS))


class Kept(NamedTuple):
    """A run of a sweep: what came of it, and its NDJSON lines, compressed."""

    outcome: Outcome
    packed: bytes

    @property
    def text(self) -> str:
        """Its NDJSON lines."""
        return gzip.decompress(self.packed).decode()


@dataclass
class Sweep:
    """The cells, the work in its order, and what is done of it: `kept` by the cell's index and the prompt's place.

    measure: what its map shows; going: whether somebody is at it; place: of its next run in the line of all runs, 0
    when it does not wait.  One thread adds to it while others look at it.
    """

    cells: Sequence[Cell]
    tasks: Sequence[tuple[int, Task]]
    kept: dict[tuple[int, int], Kept] = field(default_factory=dict)
    measure: Measure = "nfe"
    going: bool = False
    place: int = 0

    @property
    def total(self) -> int:
        """Runs of the whole sweep."""
        return len(self.cells) * len(self.tasks)

    @property
    def points(self) -> list[Point]:
        """The cells of which a run at least is done."""
        outcomes = {cell: [kept.outcome for _, kept in runs] for cell, runs in self.by_cell.items()}
        return sweep.points(self.cells, outcomes)

    @property
    def settings(self) -> dict[str, Any]:
        """What all its runs have in common, as plain JSON values: what they ran on and what is not varied.

        Empty before a run is done.
        """
        for (cell, _), kept in dict(self.kept).items():
            header = json.loads(kept.text.partition("\n")[0])
            varied = settings_in(self.cells[cell])
            fixed = {name: value for name, value in header["config"].items() if name not in varied}
            return {**{name: header[name] for name in RAN_ON}, **fixed}
        return {}

    @property
    def by_cell(self) -> dict[int, list[tuple[int, Kept]]]:
        """What is done by the index of its cell, each run with its prompt's place."""
        found: defaultdict[int, list[tuple[int, Kept]]] = defaultdict(list)
        for (cell, place), kept in sorted(self.kept.items()):
            found[cell].append((place, kept))
        return found

    def take_over(self, was: Sweep) -> None:
        """Keep what `was` has done of this sweep's work, too: the same prompts under the same settings."""
        done = {was.work(place): kept for place, kept in dict(was.kept).items()}
        for place in itertools.product(range(len(self.cells)), range(len(self.tasks))):
            if (work := self.work(place)) in done:
                self.kept[place] = done[work]

    def work(self, place: tuple[int, int]) -> Hashable:
        """What a run is kept under `place` of: its settings and its prompt."""
        (index, task), config = self.tasks[place[1]], self.cells[place[0]].config
        return config, task.family, index, task.prompt

    def missing(self) -> Iterator[tuple[tuple[int, int], Trial]]:
        """What is to be done, prompt by prompt over all cells, each with what it is to be kept under."""
        for place, task in enumerate(self.tasks):
            for cell, trial in sweep.trials(self.cells, [task]):
                if (cell.index, place) not in self.kept:
                    yield (cell.index, place), trial


def planned(base: DecodeConfig, ranges: Sequence[Range], over: str, prompt: str, count: float) -> Sweep:
    """The sweep around `base` over a prompt, a family or all; BlockBatchError, one sentence, where it cannot be."""
    axes = [each.axis(base) for each in ranges if each.parameter != NOTHING]
    made = Sweep(sweep.cells(base, axes), tasks_of(over, prompt, count))
    if made.total > MOST_RUNS:
        raise BlockBatchError(
            f"The sweep would have {made.total} runs, but may have {MOST_RUNS}; ask for fewer values or prompts."
        )
    return made


def tasks_of(over: str, prompt: str, count: float) -> list[tuple[int, Task]]:
    """The prompts, each with its index in its family: the one typed, or held-out ones of a family or of all alike."""
    if over == TYPED:
        return [(0, Typed(prompt))]
    families = FAMILIES if over == ALL else (choice("over", over, FAMILIES),)
    return [*plan.drawn_from(families, integer("prompts", count, 1, MOST_PROMPTS))]


def decode(
    wanted: Sweep, runs: LiveRuns, minutes: float, warn: Warn, clock: Callable[[], float] = time.monotonic
) -> Iterator[bool]:
    """Do what is missing, until the minutes are spent; again and again whether there is news since the last time.

    That is a finished run, or another place in the line of all runs.
    A run that has begun by then is finished, one that still waits in line is not.  Closing the iteration ends the run
    in hand.  BlockBatchError where a run cannot start or breaks.
    """
    spent_at = clock() + 60 * number("minutes", minutes, 0, MOST_MINUTES)
    for place, trial in wanted.missing():
        if clock() > spent_at:
            return
        text = ""
        for _, latest in runs.stream(trial.example.prompt, trial.config, FULL_SPEED, warn):
            text, was, wanted.place = latest, wanted.place, place_in_line(latest)
            yield wanted.place != was
            if BEGUN not in text and clock() > spent_at:
                return
        wanted.kept[place], wanted.place = kept(text, trial), 0
        yield True


def kept(text: str, trial: Trial) -> Kept:
    """A finished run, of the text that a visitor's page would have got."""
    whole = trace_text(text)
    trace = parse_trace(whole, whole=False) if whole else None
    if trace is None or trace.end is None or trace.end.stop not in ("eos", "complete"):
        raise BlockBatchError("A run of the sweep ended before its answer was complete; what was done before is kept.")
    example = trial.example if isinstance(trial.example, Example) else None
    return Kept(outcome(trace, example, trial.index), gzip.compress(whole.encode(), mtime=0))


def settings_in(cell: Cell) -> Mapping[str, Any]:
    """The settings of BlockBatch that a cell's values stand for, by the names of `DecodeConfig`."""
    return {
        "block_sizes" if name in ("branches", "block_size") else name: (value,) if name == "block_size" else value
        for name, value in cell.values.items()
    }
