"""Checkpoints in the official layouts, on stock classes: the official networks' outputs, reproduced."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from blockbatch.config import DecodeConfig
from blockbatch.decoder import Decoder
from blockbatch.denoiser import Segment
from blockbatch.errors import ModelError
from blockbatch.models import load_model
from blockbatch.run import Run

FOLDER = Path(__file__).parents[1] / "golden"


def test_llada_full_forward_equals_the_official_network() -> None:
    expected = np.load(FOLDER / "llada_random" / "expected.npz")
    logits = load_model(str(FOLDER / "llada_random")).logits(expected["input_ids"])
    np.testing.assert_allclose(logits.numpy(), expected["full_logits"], atol=1e-5)


def test_llada_block_forward_on_a_cache_equals_the_official_network() -> None:
    expected = np.load(FOLDER / "llada_random" / "expected.npz")
    denoiser = load_model(str(FOLDER / "llada_random")).denoiser
    cache = denoiser.new_cache(40)
    rows = [Segment(cache, cache.allocate(), 0, tokens) for tokens in expected["input_ids"]]
    denoiser.forward(rows)
    start = int(expected["block_start"])
    blocks = [s._replace(start=start, tokens=ids) for s, ids in zip(rows, expected["block_ids"], strict=True)]
    hidden = denoiser._hidden(blocks)
    logits = denoiser.model.get_output_embeddings()(hidden).numpy().reshape(expected["block_logits"].shape)
    np.testing.assert_allclose(logits, expected["block_logits"], atol=1e-5)


def test_dream_logits_are_shifted_to_the_position_they_predict() -> None:
    expected = np.load(FOLDER / "dream_random" / "expected.npz")
    logits = load_model(str(FOLDER / "dream_random")).logits(expected["input_ids"]).numpy()
    np.testing.assert_allclose(logits[:, 1:], expected["unshifted_logits"][:, :-1], atol=1e-5)
    np.testing.assert_allclose(logits[:, 0], expected["unshifted_logits"][:, 0], atol=1e-5)


def test_dream_windows_are_computed_from_the_position_before() -> None:
    """Refreshed equals uncached also at the first position of a window."""
    denoiser = load_model(str(FOLDER / "dream_random")).denoiser
    tokens = np.load(FOLDER / "dream_random" / "expected.npz")["input_ids"][0]
    cache = denoiser.new_cache(len(tokens))
    row = cache.allocate()
    full = denoiser.forward([Segment(cache, row, 0, tokens)])
    window = denoiser.forward([Segment(cache, row, 15, tokens[15:24], wanted=1)])
    np.testing.assert_allclose(window.probabilities, full.probabilities[16:24], atol=1e-6)


@pytest.mark.parametrize("name", ["llada_random", "dream_random"])
@pytest.mark.parametrize("prompt", [[], [5, 6, 7]])
def test_official_layouts_decode(name: str, prompt: list[int]) -> None:
    model = load_model(str(FOLDER / name))
    decoder = Decoder(model.denoiser, prompt, DecodeConfig(block_sizes=(4, 8), gen_length=16))
    assert {step.kind for step in decoder} >= {"init", "denoise"}
    assert decoder.stop in ("eos", "complete")


def test_a_folder_of_the_project_is_named_by_its_place_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So traces hold no path of a machine, and a run recorded by one copy of the project can be forked by another."""
    monkeypatch.chdir(tmp_path)
    assert load_model(str(FOLDER / "llada_random")).id == "tests/golden/llada_random"


def test_weights_without_a_tokenizer_say_so_when_text_is_wanted() -> None:
    with pytest.raises(ModelError, match="comes without a tokenizer"):
        Run(load_model(str(FOLDER / "llada_random")), "hello", DecodeConfig())


def edited(folder: Path, name: str, **changes: Any) -> str:
    """A copy of a golden checkpoint whose config.json has `changes`; None removes a field."""
    shutil.copytree(FOLDER / name, folder, dirs_exist_ok=True)
    config = {**json.loads((folder / "config.json").read_text()), **changes}
    config = {field: value for field, value in config.items() if value is not None}
    (folder / "config.json").write_text(json.dumps(config))
    return str(folder)


@pytest.mark.parametrize(
    ("name", "changes", "sentence"),
    [
        ("llada_random", {"rope_theta": None}, "lacks rope_theta"),
        ("llada_random", {"rms_norm_eps": None, "n_heads": None}, "lacks n_heads, rms_norm_eps"),
        ("llada_random", {"alibi": True}, "alibi = True, but only False"),
        ("llada_random", {"clip_qkv": 8}, "fields of unknown meaning: clip_qkv"),
        ("llada_random", {"mask_token_id": None}, "names no mask token"),
        ("llada_random", {"n_layers": 4}, "tensors differ"),
        ("dream_random", {"rope_theta": None}, "lacks rope_theta"),
        ("dream_random", {"rope_scaling": {"type": "yarn"}}, "rope_scaling"),
        ("dream_random", {"use_sliding_window": True}, "sliding-window"),
        ("dream_random", {"model_type": "sdar"}, "block-causal"),
        ("dream_random", {"model_type": "gpt2"}, "model_type 'gpt2'"),
    ],
)
def test_a_config_that_would_be_guessed_at_is_refused(
    tmp_path: Path, name: str, changes: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ModelError, match=sentence):
        load_model(edited(tmp_path, name, **changes))


def test_a_tensor_of_an_unknown_name_is_refused(tmp_path: Path) -> None:
    path = edited(tmp_path, "llada_random")
    weights = load_file(tmp_path / "model.safetensors")
    weights["model.transformer.blocks.0.extra.weight"] = torch.zeros(4)
    save_file(weights, tmp_path / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match="tensors differ"):
        load_model(path)
