"""A model that one device cannot hold: layers over devices, and layers split over processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from blockbatch.config import DecodeConfig
from blockbatch.errors import ModelError
from blockbatch.models import Model, load_model, placing
from blockbatch.reading import load_trace
from blockbatch.run import Run

ROOT = Path(__file__).parents[2]
ROWS = [[5, 6, 7, 8, 9, 10], [40, 41, 42, 43, 44, 45]]


def test_auto_loads_where_there_is_one_device_only(checkpoint: Path, model: Model) -> None:
    spread = load_model(str(checkpoint), "auto")
    assert spread.logits(ROWS).equal(model.logits(ROWS))


def test_layers_whose_weights_lie_elsewhere_compute_the_same(
    checkpoint: Path, model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A layer kept on disk is brought in by accelerate's hooks when its turn comes, as one on another GPU would be."""
    places: dict[str, Any] = {"model.embed_tokens": "cpu", "model.layers.0": "cpu", "model.layers.1": "disk"}
    places |= {"model.layers.2": "cpu", "model.norm": "cpu", "model.rotary_emb": "cpu", "lm_head": "cpu"}
    told = {"device_map": places, "offload_folder": str(tmp_path)}
    monkeypatch.setitem(placing.SPREAD, "auto", lambda heads: told)  # type: ignore[attr-defined]
    spread = load_model(str(checkpoint), "auto")
    assert next(spread.denoiser.model.model.layers[1].parameters()).device.type == "meta"
    assert spread.logits(ROWS).equal(model.logits(ROWS))


def test_without_accelerate_auto_says_so(checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(placing.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ModelError, match="needs the package accelerate; install it, or name one device"):
        load_model(str(checkpoint), "auto")


def test_tensor_parallel_outside_torchrun_says_how_to_start(checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    with pytest.raises(ModelError, match="needs several processes; start with torchrun --nproc-per-node N"):
        load_model(str(checkpoint), "tensor-parallel")
    monkeypatch.setenv("WORLD_SIZE", "3")
    with pytest.raises(ModelError, match="2 heads of keys and values cannot be split over 3 processes"):
        load_model(str(checkpoint), "tensor-parallel")


def test_two_processes_decode_as_one(checkpoint: Path, model: Model, tmp_path: Path) -> None:
    """Tensor parallelism over gloo on a CPU, from the command line, as on two GPUs; the first process speaks."""
    alone = Run(model, "hello", DecodeConfig(block_sizes=(4, 8), gen_length=12))
    assert list(alone)
    start = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m", "blockbatch"]
    options = ["generate", "hello", "--gen-length", "12", "--branches", "4,8", "--model", str(checkpoint)]
    split = ["--device", "tensor-parallel", "--trace", str(tmp_path / "split.ndjson")]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [*start, *options, *split]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert alone.trace.end is not None
    assert done.stdout == alone.trace.end.text + "\n"
    trace = load_trace(tmp_path / "split.ndjson")
    assert [step.kind for step in trace.steps] == [step.kind for step in alone.trace.steps]
    ends = [recorded.rows(len(trace.steps) - 1) for recorded in (trace, alone.trace)]
    assert {size: row.tolist() for size, row in ends[0].items()} == {s: row.tolist() for s, row in ends[1].items()}
