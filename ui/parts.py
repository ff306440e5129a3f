"""Small parts that the cards of the rail are made of."""

from __future__ import annotations

import html
from typing import Any

import gradio as gr

# How the page's own events are sent: hidden from the API, in which only runs are of use; without a spinner; through the
# queue (which warnings need to reach the page) or past it; of many moves made while one is sent, only the last.
IN_TURN: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
AT_ONCE: dict[str, Any] = {**IN_TURN, "queue": False}
KNOB: dict[str, Any] = {**AT_ONCE, "trigger_mode": "always_last"}


def turns(streams: int) -> dict[str, Any]:
    """For the events that stream runs, on the page or for programs: `streams` of them at a time, all kinds together.

    Each holds one of Gradio's threads, even while it waits in line, and those of other events have to be left (see
    `ui.settings`).
    """
    return {"concurrency_limit": streams, "concurrency_id": "runs"}


def warn(error: object, title: str = "Warning") -> None:
    """Show the visitor one sentence; it may quote a file, and Gradio reads it as markup, so it is escaped."""
    gr.Warning(html.escape(str(error), quote=False), title=title)


def card(title: str, about: str = "") -> gr.Column:
    """A column for one subject; use it in a `with`."""
    column = gr.Column(elem_classes="bb-card bb-rail-card")
    with column:
        gr.HTML(html_template=f"<h2>{title}</h2>", apply_default_css=False)
        if about:
            note(about)
    return column


def note(text: str, kind: str = "bb-note") -> gr.HTML:
    """A quiet sentence; `text` goes in as a value of the template, which Gradio escapes."""
    return gr.HTML(html_template="<p>{{text}}</p>", text=text, apply_default_css=False, elem_classes=kind)


def slider(name: str, low: float, high: float, step: float, value: float, info: str) -> gr.Slider:
    """A knob that says what it does."""
    slug = name.replace(" ", "-")
    return gr.Slider(low, high, value=value, step=step, label=name, info=info, elem_id=f"bb-{slug}", buttons=[])


def switch(name: str, value: bool, info: str) -> gr.Checkbox:
    """A knob that is on or off, and says what it does."""
    return gr.Checkbox(value, label=name, info=info, elem_id=f"bb-{name.replace(' ', '-')}", buttons=[])


def segments(name: str, choices: list[Any], value: Any, info: str, visible: bool = True) -> gr.Radio:
    """A choice among a few, side by side."""
    return gr.Radio(
        choices, value=value, label=name, info=info, elem_id=f"bb-{name}", elem_classes="bb-segments", buttons=[],
        visible=visible,
    )  # fmt: skip
