"""What several tests of the page share."""

from __future__ import annotations

import gradio as gr
import pytest


@pytest.fixture
def warnings_shown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sentences that visitors are warned with, instead of showing them."""
    shown: list[str] = []
    monkeypatch.setattr(gr, "Warning", lambda message, **_: shown.append(message))
    return shown
