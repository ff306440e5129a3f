"""The lab: figures of the run on screen, and sweeps, whose points open their runs and set the knobs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import gradio as gr

from blockbatch.bench.jobs import Task, Typed
from blockbatch.bench.sweep import Cell, label, spoken
from blockbatch.bench.sweep import Point as Measured
from blockbatch.bench.sweep_file import to_json
from blockbatch.config import MAX_COUNT, DecodeConfig, integer
from blockbatch.errors import BlockBatchError, ConfigError
from ui import labplot
from ui.branches import BranchCard, picked, show
from ui.labplot import Act, LabPlot, Shown
from ui.live import LiveRuns
from ui.parts import AT_ONCE, IN_TURN, KNOB, turns, warn
from ui.prompt import PromptCard, drive
from ui.running import SETTINGS
from ui.session import ControlStore
from ui.studycard import study_card
from ui.sweepcard import SweepCard, sweep_card
from ui.sweepfigures import Measure, figure_of
from ui.sweeping import Kept, Range, Sweep, decode, planned, settings_in
from ui.viewer import recorded_value

SECONDS_BETWEEN_FIGURES = 0.5
MOST_RUNS_OFFERED = 8
LONGEST_BEGINNING = 40  # characters of a prompt
HOURS_KEPT = 2  # a sweep of a visitor who left
SWEPT = (
    "commit_threshold", "merge_threshold", "sync_threshold", "refresh_interval", "forced_reach", "joint_threshold",
    "lookahead",
)  # fmt: skip


class Lab(NamedTuple):
    """The components of the lab; `place` stands in the viewer's place while the lab is open."""

    place: gr.Column
    studies: LabPlot
    sweeps: SweepCard


def create_lab(problem: str) -> Lab:
    """Build the lab, which is not sent to a page before it is asked for; `problem`: why nothing can be decoded."""
    with gr.Column(elem_id="bb-lab", visible=False, min_width=0) as place:
        return Lab(place, study_card(offers_model=not problem), sweep_card(problem))


class Rail(NamedTuple):
    """The cards that a sweep starts from and gives its values to; `key` is that of the visitor's run."""

    prompt: PromptCard
    branches: BranchCard
    knobs: Sequence[Any]  # those of `SETTINGS`
    key: gr.State


def wire_sweeps(
    card: SweepCard, rail: Rail, runs: LiveRuns, streams: int, viewer: gr.HTML, running: list[Any]
) -> None:  # fmt: skip
    """Run sweeps; `running` are the events of the runs on screen, which end when a sweep's run is opened."""
    done = gr.State(None, time_to_live=3600 * HOURS_KEPT)
    count = len(card.fields)

    def stream(was: Sweep | None, minutes: float, measure: Measure | None, *values: Any) -> Iterator[tuple[Any, ...]]:
        fields, (prompt, chips, *knobs) = values[:count], values[count:]
        settings = {"block_sizes": picked(chips), **dict(zip(SETTINGS, knobs, strict=True))}
        yield from sweep_updates(runs, lambda: asked(fields, prompt, settings, was, measure), minutes)

    def use(was: Sweep | None, key: str | None, known: list[int], event: gr.EventData) -> Any:
        return used(runs.store, was, key, known, event)  # Gradio gives the event to what names its type, by position

    outputs = [done, card.plot, card.run, card.stop]
    sweeping = card.run.click(
        stream,
        [done, card.minutes, card.measure, *card.fields, rail.prompt.prompt, rail.branches.sizes, *rail.knobs],
        outputs, **turns(streams), **IN_TURN,
    )  # fmt: skip
    sweeping.failure(stopped, done, outputs[1:], **AT_ONCE)
    card.stop.click(stopped, done, outputs[1:], cancels=sweeping, **IN_TURN)
    card.measure.input(measured, [done, card.measure], card.plot, **KNOB)
    card.plot.submit(opened, done, [viewer, *rail.prompt.driving], cancels=running, **IN_TURN)
    card.plot.apply(
        use, [done, rail.key, rail.branches.known],
        [*(rail.knobs[SETTINGS.index(name)] for name in SWEPT), rail.branches.known, rail.branches.sizes,
         rail.branches.resized], **AT_ONCE,
    )  # fmt: skip


def asked(
    fields: Sequence[Any], prompt: str, settings: Mapping[str, Any], was: Sweep | None, measure: Measure | None
) -> Sweep:  # fmt: skip
    """The sweep that the fields ask for, with what the one before has done of it."""
    first, second, (over, prompts) = Range(*fields[:4]), Range(*fields[4:8]), fields[8:]
    made = planned(DecodeConfig(**settings), (first, second), over, prompt, prompts)
    if was:
        made.take_over(was)
    made.measure = measure or "nfe"  # a browser can send none
    return made


def sweep_updates(
    runs: LiveRuns, begin: Callable[[], Sweep], minutes: float, clock: Callable[[], float] = time.monotonic
) -> Iterator[tuple[Any, ...]]:
    """Updates of the sweep, its figure and the two buttons; what cannot be swept is one warning and no change."""
    sweep: Sweep | None = None
    try:
        sweep = begin()
        sweep.going, sweep.place = True, 0
        yield sweep, shown(sweep).to_json(), *buttons(going=True)
        drawn, news = clock(), False
        for new in decode(sweep, runs, minutes, warn):
            news = news or new
            due = news and clock() - drawn >= SECONDS_BETWEEN_FIGURES
            yield gr.skip(), shown(sweep).to_json() if due else gr.skip(), gr.skip(), gr.skip()
            if due:  # counted from the figure's end, for a large one takes long
                drawn, news = clock(), False
    except BlockBatchError as error:
        warn(error)
    yield gr.skip(), *stopped(sweep)


def stopped(sweep: Sweep | None) -> tuple[Any, ...]:
    """Updates of the figure and the two buttons when no more is done."""
    if sweep is None:
        return gr.skip(), *buttons(going=False)
    sweep.going = False
    return shown(sweep).to_json(), *buttons(going=False)


def buttons(going: bool) -> tuple[gr.Button, gr.Button]:
    """Run sweep and Stop sweep: what can be pressed while a sweep goes on, or while none does."""
    return gr.Button(interactive=not going), gr.Button(interactive=going)


def measured(sweep: Sweep | None, measure: Measure | None) -> Any:
    """The figure, when its map is to show something else; a sweep that goes on shows that from now on, too."""
    if sweep is None:
        return gr.skip()
    sweep.measure = measure or "nfe"
    return shown(sweep).to_json()


def shown(sweep: Sweep) -> Shown:
    """The figure of what is done, and what can be done with each of its points."""
    points, runs = sweep.points, sweep.by_cell
    return Shown(
        says=progress(sweep),
        share=len(sweep.kept) / sweep.total,
        figure=figure_of(points, sweep.measure) if points else None,
        points={point.cell.index: described(point, runs[point.cell.index], sweep.tasks) for point in points},
        file=None if sweep.going or not points else saved(sweep),
    )


def progress(sweep: Sweep) -> str:
    """How far a sweep is, in a sentence."""
    done = f"{len(sweep.kept)} of {sweep.total} runs done"
    if len(sweep.kept) == sweep.total:
        return f"All {sweep.total} runs done. Pick a point to open its runs or to use its values."
    if not sweep.going:
        return f"{done}. Run the sweep again to go on from here."
    return f"{done}; queued, place {sweep.place}." if sweep.place else f"{done}."


def described(point: Measured, runs: list[tuple[int, Kept]], tasks: Sequence[tuple[int, Task]]) -> labplot.Point:
    """What a point says when it is picked, and what can be done with it and its `runs`, which are of `tasks`."""
    offered = worst_first(runs)[:MOST_RUNS_OFFERED]
    acts = [Act("submit", opening(*tasks[place], run), place) for place, run in offered]
    fewer = f" {len(offered)} of its runs can be opened, wrong answers first." if len(offered) < len(runs) else ""
    return labplot.Point(told(point) + fewer, [*acts, Act("apply", "Use these values")])


def told(point: Measured) -> str:
    """A point in a sentence."""
    prompts = len(point.outcomes)
    mean = f"{point.nfe:.1f} forwards on average over {prompts} prompts" if prompts > 1 else f"{point.nfe:.0f} forwards"
    right = f"; {point.right.hits} of {point.right.n} right" if point.right else ""
    return f"{values_of(point.cell)}: {mean}{right}."


def values_of(cell: Cell) -> str:
    """What its values are, in words."""
    return ", ".join(f"{spoken(name)} {label(value)}" for name, value in cell.values.items())


def worst_first(runs: list[tuple[int, Kept]]) -> list[tuple[int, Kept]]:
    """The runs of a point, wrong answers first: those are what one wants to see."""
    return sorted(runs, key=lambda run: run[1].outcome.correct is not False)


def opening(index: int, task: Task, run: Kept) -> str:
    """What the button says that opens a run of a task."""
    judged = {True: ", right", False: ", wrong", None: ""}[run.outcome.correct]
    return f"Open {named(index, task)}{judged}: {beginning(task.prompt)}"


def named(index: int, task: Task) -> str:
    """A prompt by its place in its family; there is one alone that was typed."""
    return "the prompt" if isinstance(task, Typed) else f"{task.family} {index + 1}"


def beginning(prompt: str) -> str:
    """The first words of a prompt, in one line."""
    line = " ".join(prompt.split())
    return line if len(line) <= LONGEST_BEGINNING else f"{line[:LONGEST_BEGINNING].rstrip()}\u2026"


def opened(sweep: Sweep | None, event: gr.EventData) -> tuple[Any, ...]:
    """The viewer and its buttons with the run that was wanted; where it is not kept any more a warning, and the buttons
    as they are without a run, for the event has ended any."""
    place = place_in(event)
    run = sweep.kept.get(place) if sweep and place else None
    if sweep is None or run is None or place is None:
        warn("This run is no longer kept; run the sweep again.")
        return gr.skip(), *drive(False)
    name = f"sweep: {values_of(sweep.cells[place[0]])}, {named(*sweep.tasks[place[1]])}"
    return recorded_value(run.text, name), *drive(False)


def place_in(event: gr.EventData) -> tuple[int, int] | None:
    """The cell's index and the prompt's place that the page sent; None for anything else."""
    wanted = event._data if isinstance(event._data, Mapping) else {}
    try:
        point, of = (integer(name, wanted.get(name), 0, MAX_COUNT) for name in ("point", "of"))
    except ConfigError:
        return None
    return point, of


def used(store: ControlStore, sweep: Sweep | None, key: str | None, known: list[int], event: gr.EventData) -> Any:
    """Updates of the knobs that a sweep can vary, to a point's values; a run that goes on takes them up, too."""
    place = place_in(event)
    if sweep is None or place is None or place[0] >= len(sweep.cells):
        return (gr.skip(),) * (len(SWEPT) + 3)
    settings = settings_in(sweep.cells[place[0]])
    sizes = list(settings.get("block_sizes", ()))
    store.change(key, settings={**settings, **({"block_sizes": sizes} if sizes else {})})
    chips = show(sorted({*known, *sizes}), sizes) if sizes else (gr.skip(),) * 3
    return *(settings.get(name, gr.skip()) for name in SWEPT), *chips


def saved(sweep: Sweep) -> labplot.File:
    """The sweep's figures as a file."""
    return labplot.File("Sweep, JSON", "blockbatch-sweep.json", to_json(sweep.points, sweep.settings))
