"""The words on screen, as the viewer's glossary has them: one file is the source of both."""

from __future__ import annotations

import json
from functools import cache

from ui.viewer import asset

_BEFORE, _AFTER = "export const WORDS = ", "\n};\n"


def meaning(word: str) -> str:
    """What `word` means, in one sentence; KeyError for a word that the glossary does not have."""
    return _words()[word]["meaning"]


@cache
def _words() -> dict[str, dict[str, str]]:
    """word -> {name, paper, code, meaning}; of these paper and code may be left out."""
    _, _, text = asset("words.mjs").partition(_BEFORE)
    found: dict[str, dict[str, str]] = json.loads(text[: text.index(_AFTER)] + "}")
    return found
