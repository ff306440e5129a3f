"""The run on which the lesson is given: sent to the page when a visitor first asks for the lesson."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gradio as gr

from blockbatch.reading import load_trace
from ui.library import Bundled
from ui.parts import AT_ONCE
from ui.stories import answer
from ui.viewer import session_line


def lesson_run(library: Sequence[Bundled]) -> Bundled | None:
    """The run that a baseline is recorded for, to set the two against each other; None where there is none."""
    wanted = {run.contrast_to for run in library}
    return next((run for run in library if run.path in wanted), None)


def lesson_value(library: Sequence[Bundled]) -> str:
    """That run as the viewer reads it, with its story, if it tells one, and the figures of its baseline."""
    run = lesson_run(library)
    if run is None:
        return ""
    baseline = next(other for other in library if other.contrast_to == run.path)
    story = run.story if run.told else ""
    head = session_line("recorded", name=f"lesson: {run.title}", story=story, contrast=figures(baseline))
    return head + run.path.read_text(encoding="utf-8").rstrip("\n") + "\n"


def figures(baseline: Bundled) -> dict[str, Any]:
    """What the lesson quotes of a baseline: its name, block size, forwards, and tokens of the answer."""
    trace = load_trace(baseline.path)
    return {
        "decoder": trace.header.decoder,
        "block_size": trace.header.config.block_sizes[0],
        "forwards": trace.totals.forwards,
        "tokens": int((answer(trace) >= 0).sum()),
    }


def wire_lesson(header: gr.HTML, library: Sequence[Bundled]) -> None:
    """Answer the header's question for the lesson's run by its value."""
    if lesson_run(library):
        header.submit(lambda: lesson_value(library), None, header, **AT_ONCE)
