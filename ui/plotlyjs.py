"""plotly.js, as the installed plotly brings it: served to the page by its own server, so that it loads nothing else."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import gradio as gr
import plotly

FILE = Path(plotly.__file__).resolve().parent / "package_data" / "plotly.min.js"


@cache
def address() -> str:
    """Where the page finds it, below its own root.  From the first call on, Gradio serves this one file."""
    gr.set_static_paths([FILE])
    return f"gradio_api/file={FILE.as_posix()}"
