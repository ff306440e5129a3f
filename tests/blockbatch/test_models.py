"""The packed forward on stock classes with random weights."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from checkpoints import random_network, save_random_checkpoint

from blockbatch.baselines import BaselineDecoder
from blockbatch.config import BaselineConfig, DecodeConfig
from blockbatch.decoder import Decoder
from blockbatch.denoiser import Prediction, Segment
from blockbatch.errors import ModelError, PromptError
from blockbatch.events import Commit
from blockbatch.models import Model, load_model
from blockbatch.models.denoiser import TorchDenoiser

KINDS = ("llama", "qwen2", "qwen3")
VOCABULARY, MASK, EOS = 90, 1, 2


@pytest.fixture(params=KINDS)
def denoiser(request: pytest.FixtureRequest) -> TorchDenoiser:
    return TorchDenoiser(random_network(request.param, VOCABULARY), MASK, EOS, VOCABULARY - 6)


def full_attention_probabilities(denoiser: TorchDenoiser, tokens: Any) -> np.ndarray:
    """[T, vocabulary] by the stock class itself with an explicit mask that hides nothing."""
    network = denoiser.model
    network.set_attn_implementation("eager")
    with torch.inference_mode():
        mask = torch.zeros(1, 1, len(tokens), len(tokens))
        logits = network(torch.tensor(tokens)[None], attention_mask=mask, use_cache=False).logits[0]
    network.set_attn_implementation("blockbatch_packed")
    return logits.float().softmax(-1).numpy()


def random_tokens(n: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(3, VOCABULARY - 6, n)


def close(left: Prediction, right: Prediction) -> None:
    np.testing.assert_array_equal(left.choice, right.choice)
    for a, b in zip(left, right, strict=True):
        np.testing.assert_allclose(a, b, atol=2e-5)


def test_a_full_forward_is_the_stock_classes_own_with_full_attention(denoiser: TorchDenoiser) -> None:
    tokens = random_tokens(40)
    tokens[10:30] = MASK
    cache = denoiser.new_cache(40)
    got = denoiser.forward([Segment(cache, cache.allocate(), 0, tokens)])
    expected = full_attention_probabilities(denoiser, tokens)
    np.testing.assert_allclose(got.eos, expected[:, EOS], atol=1e-5)
    np.testing.assert_allclose(got.entropy, -(expected * np.log(expected)).sum(1), atol=1e-4)
    expected[:, [MASK, *range(VOCABULARY - 6, VOCABULARY)]] = 0
    np.testing.assert_array_equal(got.choice, expected.argmax(1))
    np.testing.assert_allclose(got.probabilities, -np.sort(-expected, axis=1)[:, :10], atol=1e-5)


def test_a_block_forward_on_a_fresh_cache_equals_the_full_forward(denoiser: TorchDenoiser) -> None:
    tokens, cache = random_tokens(40), denoiser.new_cache(40)
    row = cache.allocate()
    full = denoiser.forward([Segment(cache, row, 0, tokens)])
    block = denoiser.forward([Segment(cache, row, 12, tokens[12:25])])
    close(block, Prediction(*(array[12:25] for array in full)))


def test_packed_rows_equal_rows_alone(denoiser: TorchDenoiser) -> None:
    """Rows of different lengths, from different caches, prompts included."""
    rows = [(random_tokens(30, 1), 30), (random_tokens(30, 2), 30), (random_tokens(50, 3), 50)]
    shared, other = denoiser.new_cache(30), denoiser.new_cache(50)
    caches = [shared, shared, other]
    together = [Segment(c, c.allocate(), 0, tokens, 5) for c, (tokens, _) in zip(caches, rows, strict=True)]
    blocks = [s._replace(start=8 + n, tokens=s.tokens[8 + n : 20], wanted=0) for n, s in enumerate(together)]
    packed = [denoiser.forward(together), denoiser.forward(blocks)]
    solo_cache = [denoiser.new_cache(length) for _, length in rows]
    for index, segments in enumerate((together, blocks)):
        alone = [
            denoiser.forward([s._replace(cache=c, row=c.allocate() if not index else 0)])
            for s, c in zip(segments, solo_cache, strict=True)
        ]
        close(packed[index], Prediction(*(np.concatenate(arrays) for arrays in zip(*alone, strict=True))))


def test_sampling_does_not_depend_on_the_packing(denoiser: TorchDenoiser) -> None:
    cache = denoiser.new_cache(20)
    segments = [Segment(cache, cache.allocate(), 0, random_tokens(20, n), n, temperature=0.8, seed=n) for n in range(3)]
    packed = denoiser.forward(segments)
    alone = [denoiser.forward([segment]) for segment in segments]
    np.testing.assert_array_equal(packed.choice, np.concatenate([p.choice for p in alone]))


def test_sampling_follows_the_tempered_distribution_and_keeps_the_untempered_confidence() -> None:
    denoiser = TorchDenoiser(random_network("qwen3", VOCABULARY, initializer_range=0.05), MASK, EOS, VOCABULARY - 6)
    cache = denoiser.new_cache(8)
    row, tokens = cache.allocate(), random_tokens(8)
    probabilities = full_attention_probabilities(denoiser, tokens)[0]
    drawn = denoiser.forward([Segment(cache, row, 0, tokens, 0, 0.5, seed) for seed in range(1500)])
    choice, confidence = drawn.choice[::8], drawn.confidence[::8]
    allowed = np.delete(np.arange(VOCABULARY - 6), MASK)
    expected = np.zeros(VOCABULARY)
    expected[allowed] = probabilities[allowed] ** 2 / (probabilities[allowed] ** 2).sum()
    counts = np.bincount(choice, minlength=VOCABULARY)
    assert counts[expected == 0].sum() == 0
    assert np.abs(counts / 1500 - expected).max() < 0.05
    np.testing.assert_allclose(confidence, probabilities[choice], atol=1e-5)


class RefreshBeforeEveryDenoise:
    """A denoiser that recomputes the one branch's whole row, as it stands, before each forward."""

    decoder: Decoder

    def __init__(self, inner: TorchDenoiser) -> None:
        self.inner, self.mask_id, self.eos_id = inner, inner.mask_id, inner.eos_id
        self.lookback = inner.lookback

    def new_cache(self, length: int) -> Any:
        return self.inner.new_cache(length)

    def forward(self, segments: Any) -> Prediction:
        row = self.decoder.branches.rows[0]
        tokens = np.concatenate([self.decoder._stepper.prompt, np.where(row < 0, self.mask_id, row)])
        self.inner.forward([s._replace(start=0, tokens=tokens, wanted=0) for s in segments])
        return self.inner.forward(segments)


def test_a_refresh_before_every_denoise_equals_no_cache(denoiser: TorchDenoiser) -> None:
    prompt = random_tokens(7).tolist()
    refreshed = RefreshBeforeEveryDenoise(denoiser)
    refreshed.decoder = Decoder(refreshed, prompt, DecodeConfig(block_sizes=(8,), gen_length=32, refresh="never"))
    ours = list(refreshed.decoder)
    theirs = list(BaselineDecoder(denoiser, prompt, BaselineConfig("threshold", 8, 32, stop_at_eos=False)))
    compared = 0
    for mine, other in zip(ours, theirs, strict=False):
        left, right = ([e for e in s.events if isinstance(e, Commit)] for s in (mine, other))
        assert [(e.position, e.token, e.forced) for e in left] == [(e.position, e.token, e.forced) for e in right]
        compared += len(left)
    assert compared >= 8


def test_branches_that_share_a_row_share_its_cache(model: Model) -> None:
    """A branch copied from the leader predicts as the leader does."""
    denoiser, cache = model.denoiser, model.denoiser.new_cache(24)
    leader, copy = cache.allocate(), cache.allocate()
    tokens = random_tokens(24)
    denoiser.forward([Segment(cache, leader, 0, tokens), Segment(cache, copy, 0, tokens[::-1].copy())])
    before = cache.similarity([leader, copy])
    cache.copy(leader, [copy])
    close(
        denoiser.forward([Segment(cache, leader, 4, tokens[4:9])]),
        denoiser.forward([Segment(cache, copy, 4, tokens[4:9])]),
    )
    assert before[0, 1] < 0.999
    assert cache.similarity([leader, copy])[0, 1] == pytest.approx(1, abs=1e-5)


def test_values_that_are_not_numbers_name_the_layer(denoiser: TorchDenoiser) -> None:
    with torch.no_grad():
        denoiser.model.model.layers[1].mlp.down_proj.weight.fill_(float("nan"))
    cache = denoiser.new_cache(8)
    with pytest.raises(ModelError, match="layer 2"):
        denoiser.forward([Segment(cache, cache.allocate(), 0, random_tokens(8))])


@pytest.mark.parametrize("kind", KINDS)
def test_a_checkpoint_of_each_class_loads_and_decodes(tmp_path: Path, kind: str) -> None:
    save_random_checkpoint(tmp_path, kind)
    model = load_model(str(tmp_path))
    decoder = Decoder(model.denoiser, model.encode("hello"), DecodeConfig(gen_length=24, block_sizes=(4, 16)))
    assert list(decoder)
    assert isinstance(model.decode(decoder.tokens.tolist()), str)


def test_encoding_uses_the_chat_template_and_decoding_stops_at_the_end_of_text(model: Model) -> None:
    tokens = model.encode("hi <|eos|>")
    pieces = [model.piece(token) for token in tokens]
    assert pieces == ["<|user|>", "h", "i", " ", "<|eos|>", "<|assistant|>"]
    answer = [*model.tokenizer("ab")["input_ids"], -1, model.denoiser.eos_id, *model.tokenizer("c")["input_ids"]]
    assert model.decode(answer) == "ab"
    with pytest.raises(PromptError, match="empty"):
        model.encode("  \n")
    with pytest.raises(PromptError, match="half of a character"):
        model.encode("what is \ud83d")


def test_a_prompt_that_cannot_fit_is_refused_before_its_tokens_are_counted(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    most = model.max_length * max(map(len, model.tokenizer.get_vocab()))
    assert len(model.encode("a" * most)) > model.max_length
    monkeypatch.setattr(type(model.tokenizer), "__call__", lambda *_, **__: pytest.fail("tokens were counted"))
    with pytest.raises(PromptError, match=f"has {most + 1} characters, more than fit into the {model.max_length} tok"):
        model.encode("a" * (most + 1))


def broken(checkpoint: Path, folder: Path, **changes: Any) -> Path:
    """A copy of `checkpoint` whose config.json has `changes`; None removes a field."""
    shutil.copytree(checkpoint, folder, dirs_exist_ok=True)
    config = json.loads((folder / "config.json").read_text())
    config.update(changes)
    config = {name: value for name, value in config.items() if value is not None}
    (folder / "config.json").write_text(json.dumps(config))
    return folder


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"model_type": "gpt2"}, "gpt2"),
        ({"num_key_value_heads": None}, "num_key_value_heads"),
        ({"intermediate_size": 40}, "tensors differ"),
        ({"num_hidden_layers": 4, "layer_types": None}, "tensors differ"),
        ({"num_hidden_layers": 2, "layer_types": None}, "tensors differ"),
    ],
)
def test_a_checkpoint_that_does_not_fit_is_refused(
    checkpoint: Path, tmp_path: Path, changes: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ModelError, match=sentence):
        load_model(str(broken(checkpoint, tmp_path, **changes)))
