"""What the figure functions make of a trace, as the module tests read it."""

from __future__ import annotations

import json
from typing import Any

import plotly.graph_objects as go

from blockbatch.trace import Trace
from ui import figures


def drawn(trace: Trace) -> dict[str, Any]:
    """Both timelines, and maps at some steps and of every branch, all as JSON values."""
    shown = sorted({0, len(trace.steps) // 2, len(trace.steps) - 1})
    sizes = sorted({state.branch for step in trace.steps for state in step.branches})
    return {
        "templates": figures.templates(),
        "step": _json(figures.timeline(trace)),
        "time": _json(figures.timeline(trace, "time")),
        "branches": {str(step): _json(figures.branch_heatmap(trace, step)) for step in shown},
        "history": {str(size): _json(figures.history_heatmap(trace, size)) for size in sizes},
    }


def _json(figure: go.Figure) -> Any:
    return json.loads(figure.to_json())
