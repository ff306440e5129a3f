"""The measurements of the page: what they are made of, and that they come out whole."""

from __future__ import annotations

import builtins
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from blockbatch.reading import load_trace
from ui.bench import measures
from ui.bench.browser import BenchError, chromium
from ui.bench.report import TARGETS, rounded, save, table
from ui.bench.server import resident, serve
from ui.bench.synthetic import synthetic_trace

ROOT = Path(__file__).parents[2]


def test_a_synthetic_run_is_like_a_decode(tmp_path: Path) -> None:
    trace = synthetic_trace(256, 100, boldness=0.5)
    trace.save(tmp_path / "run.ndjson")
    assert len(load_trace(tmp_path / "run.ndjson").steps) == 100, "it reads strictly"
    kinds = {type(event).__name__ for step in trace.steps for event in step.events}
    assert {"Commit", "Merge", "Refresh"} <= kinds
    assert len(trace.steps[0].branches) == 6
    seen = [step.candidates[-1].at(int(step.candidates[-1].positions[-1])) for step in trace.steps[1:6]]
    assert len({tuple(pairs) for pairs in seen}) > 1, "probabilities move from step to step, as a model's do"


def test_boldness_makes_a_run_shorter() -> None:
    def steps(boldness: float) -> int:
        with pytest.raises(ValueError, match="ended after") as error:
            synthetic_trace(64, 500, boldness)
        return int(re.findall(r"after (\d+)", str(error.value))[0])

    assert steps(1.0) < steps(0.0)


def test_the_size_of_a_trace_meets_its_target() -> None:
    assert TARGETS["trace_kb"].met(measures.trace_size())


def test_a_percentile_lies_between_the_values() -> None:
    assert measures.percentile([float(n) for n in range(101)], 95) == 95


def test_every_script_is_there_and_no_other() -> None:
    names = re.findall(r"^(?:async )?function (\w+)", measures.SCRIPTS.read_text(encoding="utf-8"), re.M)
    used = re.findall(r"script\('(\w+)'\)", Path(measures.__file__).read_text(encoding="utf-8"))
    assert sorted(names) == sorted(used)
    for name in names:
        assert measures.script(name).endswith("})")


def test_a_missed_target_says_so() -> None:
    shown = table({"scrub_ms_128": 9.0, "scrub_requests": 0, "trace_kb": 120})
    assert "under 8 ms: missed" in shown
    assert "| 0 | 0 |" in shown
    assert shown.count("missed") == 1


def test_the_file_holds_the_figures_and_the_conditions(tmp_path: Path) -> None:
    save(tmp_path / "out.json", rounded({"trace_kb": 123.456}), {"cpus": 2})
    assert json.loads((tmp_path / "out.json").read_text()) == {"trace_kb": 123.0, "conditions": {"cpus": 2}}


def test_without_playwright_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.startswith("playwright"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(BenchError, match=r"requirements-dev\.txt"), chromium():
        pass


def test_a_server_that_ends_is_one_sentence() -> None:
    with pytest.raises(BenchError, match="ended before it served"), serve(["-c", "pass"]):
        pass


@pytest.mark.skipif(not Path("/proc/self/statm").is_file(), reason="memory is read as Linux tells it")
def test_memory_is_in_bytes() -> None:
    assert 10**7 < resident(os.getpid()) < 10**11


@pytest.mark.browser
def test_the_command_measures_a_page(tmp_path: Path) -> None:
    keys = ["scrub_requests", "scrub_ms_128", "first_paint_ms", "live_lag_ms_p95"]
    done = subprocess.run(
        [sys.executable, "-m", "ui.bench", "--json", str(tmp_path / "out.json"), "--only", *keys],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    out = json.loads((tmp_path / "out.json").read_text())
    assert set(out) == {*keys, "conditions"}
    assert out["scrub_requests"] == 0
    assert all(out[key] > 0 for key in keys[1:])
    assert {"cpus", "chromium", "gradio"} <= set(out["conditions"])
    assert all(f"`{key}`" in done.stdout for key in keys)
