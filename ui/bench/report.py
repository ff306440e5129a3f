"""The figures with their targets, as a file and as a table."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Figures = Mapping[str, float]


@dataclass(frozen=True)
class Target:
    """What a figure is, and what it should be: at most `most` of `unit`, or exactly that where `exact`."""

    meaning: str
    unit: str
    most: float
    exact: bool = False

    def met(self, value: float) -> bool:
        """Whether `value` is as it should be."""
        return value == self.most if self.exact else value < self.most

    def __str__(self) -> str:
        return f"{self.most:g} {self.unit}".rstrip() if self.exact else f"under {self.most:g} {self.unit}"


TARGETS = {
    "scrub_requests": Target("requests during 300 scrub steps of a 6 x 128 run", "", 0, exact=True),
    "scrub_ms_128": Target("median work of a frame while scrubbing, 6 x 128", "ms", 8),
    "scrub_ms_1024": Target("median work of a frame while scrubbing, 6 x 1024", "ms", 16),
    "first_paint_ms": Target("navigation to the bundled run on screen, warm server", "ms", 1500),
    "live_lag_ms_p95": Target("decoder to screen at 20 steps a second, 95th percentile", "ms", 100),
    "trace_kb": Target("a recorded run of 6 x 256 and 100 steps, gzip", "kB", 400),
    "memory_growth_pct": Target("the server's memory after 50 runs against that after 10", "%", 5),
}


def rounded(figures: Figures) -> dict[str, float]:
    """Three significant digits are more than any of these repeats to."""
    return {name: float(f"{value:.3g}") for name, value in figures.items()}


def table(figures: Figures) -> str:
    """The figures as a Markdown table."""
    lines = ["| key | what | measured | target |", "|---|---|---|---|"]
    for name, value in figures.items():
        target = TARGETS[name]
        verdict = str(target) if target.met(value) else f"{target}: missed"
        lines.append(f"| `{name}` | {target.meaning} | {f'{value:g} {target.unit}'.rstrip()} | {verdict} |")
    return "\n".join(lines)


def save(path: Path, figures: Figures, conditions: Mapping[str, Any]) -> None:
    """Write both into one JSON file."""
    path.write_text(json.dumps({**figures, "conditions": conditions}, indent=2) + "\n", encoding="utf-8")
