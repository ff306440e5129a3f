"""The page: composes the header, the rail, the viewer and the lab."""

from __future__ import annotations

from dataclasses import replace

import gradio as gr

from ui.api import create_api
from ui.asking import Orders, wire_asked
from ui.branches import branch_card, wire_branches
from ui.engine import Engine
from ui.export import shell
from ui.gpu import decode_on_gpu, trajectory_on_gpu
from ui.keeping import Keeper
from ui.knobs import next_run_card, options_card, threshold_card, wire_knobs
from ui.lab import Rail, create_lab, wire_sweeps
from ui.lesson import lesson_run, wire_lesson
from ui.library import bundled_runs
from ui.live import LiveRuns
from ui.parts import AT_ONCE
from ui.prompt import KNOWN, OTHER, example_prompts, prompt_card
from ui.recorded import recorded_card, wire_recorded
from ui.running import wire_run
from ui.session import ControlStore, LocalControlStore, Turnstile
from ui.settings import Settings
from ui.sharing import Sharing, server_functions
from ui.store import TraceStore
from ui.studycard import wire_studies
from ui.viewer import Header, Viewer


def create_ui(engine: Engine, settings: Settings) -> gr.Blocks:
    """The page around `engine`; without a model it shows recorded runs only, and says why."""
    library = bundled_runs(settings.traces)
    store = control_store(settings)
    kept = TraceStore(settings.store, settings.store_mib * 2**20, settings.store_days)
    sharing = Sharing(kept, library, finished=engine.start is not None and settings.keep == "finished")
    page = gr.Blocks(title="blockbatch", fill_width=True, analytics_enabled=False, delete_cache=(600, 600))
    with page:
        key = gr.State(None)
        header = Header(lesson=lesson_run(library) is not None, elem_id="bb-header")
        with gr.Row(elem_id="bb-page"):
            with gr.Column(elem_id="bb-rail", min_width=0):
                about = KNOWN if settings.embedded else OTHER.format(model=settings.model)
                prompt = prompt_card(example_prompts(), f"{about} {engine.caution}".rstrip(), engine.problem)
                recorded = recorded_card([run.title for run in library])
                branches, thresholds, options = branch_card(), threshold_card(), options_card()
                next_run = next_run_card()
            viewer = Viewer(
                library[0].value if library else None, engine.problem, elem_id="bb-viewer", page_bytes=len(shell()),
                keeping=sharing.keeping, server_functions=server_functions(sharing),
            )  # fmt: skip
            lab = create_lab(engine.problem)
        running, turnstile = [], Turnstile(settings.runs)
        if engine.start is not None:
            swept = LiveRuns(engine.start, store, turnstile, decode_on_gpu(engine, store, settings))
            # A sweep has thousands of runs, which would drive all others out of the store.
            runs = replace(swept, keep=Keeper(kept.keep)) if sharing.finished else swept
            knobs = [*thresholds, *options, *next_run]
            running.append(wire_run(runs, settings.streams, prompt, branches, knobs, viewer, key))
            running.append(wire_asked(Orders(engine), runs, settings.streams, prompt, viewer, key))
            wire_sweeps(lab.sweeps, Rail(prompt, branches, knobs, key), swept, settings.streams, viewer, running)
            create_api(page, engine, runs, settings.streams)
        header.expand(lambda: gr.Column(visible=True), None, lab.place, **AT_ONCE)
        wire_studies(lab.studies, trajectory_on_gpu(engine, settings), turnstile, settings.streams)
        wire_knobs(store, thresholds, options, next_run, key)
        wire_branches(store, branches, next_run.variant, key)
        wire_lesson(header, library)
        wire_recorded(recorded, library, viewer, prompt.driving, running)
    # A run holds its event from its place in line to its last step (see `turns`); all others are over in milliseconds.
    # What comes while all places are taken is held back, and refused with a message once that is full, too; on ZeroGPU
    # a queue that is not given a size holds one event.
    page.queue(max_size=2 * settings.streams, default_concurrency_limit=8)
    return page


def control_store(settings: Settings) -> ControlStore:
    """Where visitors' wishes lie; the shared store is loaded where it is wanted, for it needs a POSIX system."""
    if settings.control == "local":
        return LocalControlStore()
    from ui.shared_store import SharedControlStore

    return SharedControlStore()
