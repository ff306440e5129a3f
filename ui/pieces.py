"""The text of tokens as figures show it."""

from __future__ import annotations

import re

from blockbatch.trace import Trace

ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def token_words(trace: Trace, token: int) -> str:
    """A token in quotes for a figure: spaces and line breaks visible, and markup in it stays text."""
    if token == trace.header.eos_id:
        return "the end-of-text token"
    return f"“{escaped(visible(trace.pieces.get(token, f'#{token}')))}”"


def visible(text: str) -> str:
    """`text` with its leading spaces, its line breaks and its tabs to be seen."""
    text = re.sub(r"\r?\n", "↵", text).replace("\t", "⇥")
    return re.sub("^ +", lambda spaces: "·" * len(spaces[0]), text)


def escaped(text: str) -> str:
    """`text` for a place where plotly reads a few HTML tags."""
    return text.translate(ESCAPES)
