"""A model that one device cannot hold: layers over devices, and layers split over processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from blockbatch.errors import ModelError
from blockbatch.models import Model, load_model, placing
from blockbatch.reading import load_trace

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


def test_two_processes_decode_as_one(checkpoint: Path, tmp_path: Path) -> None:
    """Tensor parallelism over gloo on a CPU, from the command line, as on two GPUs; the first process speaks."""
    options = ["generate", "hello", "--gen-length", "12", "--branches", "4,8", "--model", str(checkpoint)]
    runs = {"alone": [sys.executable, "-m", "blockbatch", *options]}
    start = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "--master-port", "0"]
    runs["split"] = [*start, "-m", "blockbatch", *options, "--device", "tensor-parallel"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    said = {}
    for name, command in runs.items():
        trace = ["--trace", str(tmp_path / name)]
        done = subprocess.run([*command, *trace], cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
        said[name] = done.stdout
    assert said["alone"] == said["split"]
    alone, split = (load_trace(tmp_path / name) for name in runs)
    assert [step.kind for step in alone.steps] == [step.kind for step in split.steps]
    assert (alone.rows(len(alone.steps) - 1) == split.rows(len(split.steps) - 1)).all()
