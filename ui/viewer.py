"""The viewer and the header as Gradio components: fixed markup, scripts and styles from files under assets/viewer.

The viewer's value is an append-only text of NDJSON lines.  Gradio sends the browser only what was appended, and the
script parses only that.  Besides the lines of a trace it holds session lines, which say where the run comes from.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Literal

import gradio as gr

from ui import plotlyjs
from ui.bundle import bundle
from ui.figures import templates

FOLDER = Path(__file__).resolve().parent.parent / "assets" / "viewer"

SESSION_LINE = '{"type":"session"'
Status = Literal["recorded", "queued", "live", "paused", "failed"]


class Viewer(gr.HTML):
    """Replays the trace in its value.  `value`: session and trace lines, each ended by a newline.

    Its event `submit` carries what the visitor asks the server to run (see `ui.asking`); `problem` says why nothing can
    be run, if so.  `server_functions` are those of `ui.sharing`, and `keeping` its sentence on which runs are kept.
    """

    def __init__(self, value: str | None = None, problem: str = "", **options: Any) -> None:
        main = script("main.mjs", "mount(element, props, watch, trigger, server);")
        # Gradio builds components again from their recorded arguments, so markup and script may be among them.
        fixed = {"html_template": asset("viewer.html"), "js_on_load": main, "apply_default_css": False}
        # As a text, for Gradio copies what it holds at every update, and much slower what is made of many parts.
        figures = {"templates": json.dumps(templates()), "plotly": plotlyjs.address()}
        super().__init__(value, problem=problem, **{**options, **fixed, **figures})

    def postprocess(self, value: str | None) -> str | None:
        """The text as it is: it never becomes markup, so what it contains is of no concern."""
        return value


class Header(gr.HTML):
    """The name of the page, the status of the run, the lesson's, the theme's and the help's button.

    `lesson`: whether there is a run for the lesson.  Its event `submit` asks for that run, which becomes its value.
    """

    def __init__(self, value: str | None = None, lesson: bool = False, **options: Any) -> None:
        fixed = {
            "html_template": asset("header.html"),
            "js_on_load": script("header.mjs", "mountHeader(element, props, watch, trigger);"),
            "apply_default_css": False,
        }
        super().__init__(value, lesson=lesson, **{**options, **fixed})

    def postprocess(self, value: str | None) -> str | None:
        """The text as it is, as for the viewer."""
        return value


def session_line(status: Status, **details: object) -> str:
    """A line that tells the viewer where its run comes from and what it is doing."""
    return json.dumps({"type": "session", "status": status, **details}, separators=(",", ":")) + "\n"


def place_in_line(value: str) -> int:
    """How many have to leave before the run in a viewer's value goes on, as its last line says; 0 where none has to."""
    last = value.rstrip("\n").rpartition("\n")[2]
    return int(json.loads(last).get("place", 0)) if last.startswith(SESSION_LINE) else 0


def trace_text(value: str) -> str:
    """The lines of the run itself in a viewer's value, each ended, as a file that can be opened again."""
    lines = (line for line in value.split("\n") if line and not line.startswith(SESSION_LINE))
    return "".join(f"{line}\n" for line in lines)


def recorded_value(text: str, name: str) -> str:
    """The viewer's value for a recorded run: `text` is its NDJSON, `name` what it is called on screen."""
    return session_line("recorded", name=name) + text.rstrip("\n") + "\n"


@cache
def asset(name: str) -> str:
    """The text of a file under assets/viewer, read once."""
    return (FOLDER / name).read_text(encoding="utf-8")


@cache
def script(entry: str, call: str) -> str:
    """The script of a component: the module `entry` under assets/viewer with all that it imports, then `call`."""
    return bundle(FOLDER, entry, call)
