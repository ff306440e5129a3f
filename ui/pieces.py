"""The text of tokens as figures show it."""

from __future__ import annotations

import re
import unicodedata

from blockbatch.trace import Trace

UNSEEN = ("Cc", "Cf")  # control and format characters; among others, as in emoji, they have their use
ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def token_words(trace: Trace, token: int) -> str:
    """A token in quotes for a figure: spaces and line breaks visible, and markup in it stays text."""
    if token == trace.header.eos_id:
        return "the end-of-text token"
    return f"“{escaped(visible(trace.pieces.get(token, f'#{token}')))}”"


def visible(text: str) -> str:
    """`text` with its leading spaces, line breaks and tabs to be seen, and the code points of what shows nothing."""
    text = re.sub(r"\r?\n", "↵", text).replace("\t", "⇥")
    if text and all(unicodedata.category(character) in UNSEEN for character in text):
        return " ".join(f"U+{ord(character):04X}" for character in text)
    return re.sub("^ +", lambda spaces: "·" * len(spaces[0]), text)


def escaped(text: str) -> str:
    """`text` for a place where plotly reads a few HTML tags."""
    return text.translate(ESCAPES)
