"""The card of recorded runs: those that come with the page, and a visitor's own trace files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import gradio as gr

from blockbatch.errors import TraceError
from ui.library import Bundled, opened_value
from ui.parts import IN_TURN, card, warn
from ui.prompt import drive

PICK = "pick one to replay it"  # what stands in the list, whichever run is shown: that may be any other, too


class RecordedCard(NamedTuple):
    """The components of the card."""

    bundled: gr.Dropdown
    upload: gr.UploadButton


def recorded_card(titles: Sequence[str]) -> RecordedCard:
    """`titles` of the runs that come with the page."""
    with card("Recorded runs"):
        bundled = gr.Dropdown(
            [PICK, *titles], value=PICK, show_label=False, label="Recorded run", container=False,
            elem_id="bb-bundled",
        )  # fmt: skip
        upload = gr.UploadButton("Open a trace file", file_types=[".ndjson"], size="sm", elem_id="bb-upload")
    return RecordedCard(bundled, upload)


def wire_recorded(
    card: RecordedCard, library: Sequence[Bundled], viewer: gr.HTML, driving: list[gr.Button], running: list[Any]
) -> None:
    """Show a recorded run; `running` are the events of live ones, which end when another run is shown."""
    runs = {run.title: run for run in library}

    def choose(title: str) -> tuple[Any, ...]:
        if title not in runs:
            return (gr.skip(),) * 6
        return PICK, runs[title].value, *drive(False)

    def upload(path: str) -> tuple[Any, ...]:
        return opened_or_warned(Path(path))

    outputs = [viewer, *driving]
    card.bundled.input(choose, card.bundled, [card.bundled, *outputs], cancels=running, **IN_TURN)
    card.upload.upload(upload, card.upload, outputs, cancels=running, **IN_TURN)


def opened_or_warned(path: Path) -> tuple[Any, ...]:
    """The viewer's new value and the buttons'; for a file that is no recording a warning, and the run shown stays.

    The buttons are those of no run either way, for choosing a file has ended the one that went on.  The file stays, for
    Gradio has but one for all who open the same, as a class does; the page deletes it soon (see `create_ui`).
    """
    try:
        value = opened_value(path, path.name)
    except TraceError as error:
        warn(error, title="This file cannot be opened")
        return gr.skip(), *drive(False)
    return value, *drive(False)
