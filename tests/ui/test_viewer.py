"""The viewer's pure logic, run by node on the same traces that Python folds; and the component around it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import warnings
from pathlib import Path
from typing import Any

import pytest
from figurecases import drawn
from scripted import ScriptedModel

from blockbatch.config import DecodeConfig
from blockbatch.metrics import agreement, first_divergence, totals
from blockbatch.reading import load_trace
from blockbatch.run import Run
from blockbatch.trace import Ints, Trace
from ui.library import bundled_runs
from ui.settings import Settings
from ui.viewer import FOLDER, Viewer, recorded_value, session_line

MODULE_TESTS = Path(__file__).parent / "viewer"


def steered_trace() -> Trace:
    """A run during which a threshold moves and branches come, go and change size."""
    run = Run(ScriptedModel(), "any prompt", DecodeConfig(gen_length=96))
    changes: dict[int, dict[str, Any]] = {
        4: {"commit_threshold": 0.8},
        6: {"block_sizes": (4, 8, 48, 64, 128), "resize": {32: 48}},
        8: {"block_sizes": (8, 48, 64, 96, 128)},
    }
    for number, _ in enumerate(run):
        run.reconfigure(**changes.get(number, {}))
    return run.trace


def expectations(trace: Trace) -> dict[str, Any]:
    """What Python makes of `trace`, in the words of the module tests."""
    steps = range(len(trace.steps))
    rows = [trace.rows(step) for step in steps]
    counted = [totals(trace.steps[: step + 1]) for step in steps]
    changes = [
        event for step in trace.steps for event in step.events if getattr(event, "field", "") == "commit_threshold"
    ]
    return {
        "rows": [{str(size): row.tolist() for size, row in at.items()} for at in rows],
        "agreement": [agreement(at.values()) for at in rows],
        "totals": [
            {
                **{"init": t.init, "denoise": t.denoise, "refresh": t.refresh},
                **{name: sum(getattr(t, name).values()) for name in ("committed", "merged", "copied")},
            }
            for t in counted
        ],
        "figures": drawn(trace),
        "commit_threshold": changes[-1].new if changes else trace.header.config.commit_threshold,
    }


def answer(trace: Trace) -> Ints:
    """The winner's row in the end."""
    assert trace.end is not None
    return trace.rows(len(trace.steps) - 1)[trace.end.winner]


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
def test_viewer_modules_agree_with_python(tmp_path: Path) -> None:
    latest = Run(ScriptedModel(), "any prompt", DecodeConfig.preset("latest", gen_length=96))
    list(latest)
    plus = Run(
        ScriptedModel(), "any prompt", DecodeConfig.preset("plus", gen_length=96, forced_reach=2, joint_threshold=0.6)
    )
    list(plus)
    ahead = Run(ScriptedModel(), "any prompt", DecodeConfig.preset("plus", block_sizes=(8, 32), lookahead=4))
    list(ahead)
    assert ahead.trace.totals.ahead
    traces = {run.title: load_trace(run.path) for run in bundled_runs(Settings().traces)}
    cases: list[dict[str, Any]] = []
    traces = {"steered": steered_trace(), "latest": latest.trace, "plus": plus.trace, "ahead": ahead.trace, **traces}
    for name, trace in traces.items():
        path = tmp_path / f"{len(cases)}.ndjson"
        trace.save(path)
        cases.append({"name": name, "trace": str(path), "expected": expectations(trace)})
        answers = [answer(other)[: len(answer(trace))] for other in traces.values()]
        expected = [first_divergence(answer(trace)[: len(other)], other) for other in answers]
        cases[-1]["expected"]["divergence"] = expected
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    done = subprocess.run(
        ["node", "--test", "--test-reporter=spec", *map(str, sorted(MODULE_TESTS.glob("*.test.mjs")))],
        env={**os.environ, "BLOCKBATCH_VIEWER_CASES": str(tmp_path / "cases.json")},
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


def test_trace_text_never_warns_or_becomes_markup() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        viewer = Viewer(recorded_value('{"piece":"<script>alert(1)</script>"}', "a run"))
    assert "${value}" not in viewer.html_template
    assert "{{value}}" not in viewer.html_template


def test_modules_put_no_text_in_as_markup() -> None:
    for module in FOLDER.glob("*.mjs"):
        for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write"):
            assert way not in module.read_text(encoding="utf-8"), f"{module.name} uses {way}"


def test_nothing_is_loaded_from_elsewhere() -> None:
    for file in FOLDER.iterdir():
        text = file.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "http:" not in text, file.name
        assert "https:" not in text, file.name


def test_values_are_whole_lines() -> None:
    assert json.loads(session_line("queued", place=2)) == {"type": "session", "status": "queued", "place": 2}
    assert recorded_value("a\nb", "x").count("\n") == 3
