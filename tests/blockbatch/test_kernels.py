"""The attention kernels, the packing that they read, and the cache on one device and several."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from checkpoints import random_network

from blockbatch.config import DecodeConfig
from blockbatch.denoiser import Segment
from blockbatch.models import attention, load_model
from blockbatch.models.cache import KVCache
from blockbatch.models.denoiser import TorchDenoiser
from blockbatch.models.packing import Packing
from blockbatch.run import Run

CPU, SAME_CPU = torch.device("cpu"), torch.device("cpu", 0)  # two names of one device stand for two devices
ROWS, LENGTH, HEADS, HEAD_DIM = 5, 24, 2, 8
needs_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
EMBEDDED = str(Path(__file__).parents[2] / "assets" / "tiny")


def reference_varlen(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, cu_seq_q: torch.Tensor, cu_seq_k: torch.Tensor,
    max_q: int, max_k: int, *, scale: float, enable_gqa: bool,
) -> torch.Tensor:  # fmt: skip
    """What torch documents `varlen_attn` to compute, by the softmax itself."""
    assert cu_seq_q.dtype == cu_seq_k.dtype == torch.int32
    assert (max_q, max_k) == (int(cu_seq_q.diff().max()), int(cu_seq_k.diff().max()))
    groups = query.shape[1] // key.shape[1]
    assert enable_gqa == (groups > 1)
    key, value = key.repeat_interleave(groups, dim=1), value.repeat_interleave(groups, dim=1)
    parts = []
    for (a, b), (c, d) in zip(cu_seq_q.unfold(0, 2, 1).tolist(), cu_seq_k.unfold(0, 2, 1).tolist(), strict=True):
        weights = torch.einsum("qhd,khd->hqk", query[a:b], key[c:d]).mul(scale).softmax(-1)
        parts.append(torch.einsum("hqk,khd->qhd", weights, value[c:d]))
    return torch.cat(parts)


def filled(places: list[torch.device], heads: int = HEADS) -> KVCache:
    cache = KVCache(places, heads, LENGTH, HEAD_DIM, torch.float32)
    for _ in range(ROWS):
        cache.allocate()
    generator = torch.Generator().manual_seed(3)
    for layer in range(len(places)):
        keys, values = (torch.randn(ROWS * LENGTH, heads, HEAD_DIM, generator=generator) for _ in "kv")
        cache.write(layer, torch.arange(ROWS * LENGTH), keys, values)
    return cache


@pytest.mark.parametrize("heads", [4, 2, 1])
@pytest.mark.parametrize("rows", [(0, 1, 2), (4, 2, 3), (3,), (2, 2)])
def test_all_kernels_compute_the_same(rows: tuple[int, ...], heads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that are neighbours and rows that are not; segments of different lengths; grouped heads."""
    monkeypatch.setattr(attention, "varlen_attn", reference_varlen)
    cache = filled([CPU], heads)
    segments = [Segment(cache, row, 3, np.arange(4 + 5 * n)) for n, row in enumerate(rows)]
    (group,) = Packing(segments, 0, CPU).groups(CPU)
    query = torch.randn(group.part.stop, 4, HEAD_DIM, generator=torch.Generator().manual_seed(1))
    expected = attention.segment_by_segment(query, *cache.layer(0), group, 0.3)
    for kernel in (attention.padded, attention.variable_length):
        torch.testing.assert_close(kernel(query, *cache.layer(0), group, 0.3), expected, atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("kernel", ["padded", "variable_length"])
@pytest.mark.parametrize("kind", ["llama", "qwen2"])
def test_a_decode_is_the_same_with_the_kernels_of_the_gpu(
    kernel: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attention, "varlen_attn", reference_varlen)
    denoiser = TorchDenoiser(random_network(kind, 90), 1, 2, 84)
    caches = [denoiser.new_cache(30), denoiser.new_cache(20)]
    tokens = np.random.default_rng(0).integers(3, 84, 30)
    segments = [Segment(c, c.allocate(), 0, tokens[: c.length], 5) for c in (caches[0], caches[0], caches[1])]
    windows = [s._replace(start=4 + n, tokens=s.tokens[4 + n : 14], wanted=0) for n, s in enumerate(segments)]
    expected = [denoiser.forward(segments), denoiser.forward(windows)]
    chosen = getattr(attention, kernel)
    monkeypatch.setattr(attention, "kernel_for", lambda query: chosen)
    for before, now in zip(expected, [denoiser.forward(segments), denoiser.forward(windows)], strict=True):
        np.testing.assert_array_equal(before.tokens[:, :3], now.tokens[:, :3])
        np.testing.assert_allclose(before.probabilities, now.probabilities, atol=1e-5)


def test_packing_says_where_every_token_lies() -> None:
    first, second = filled([CPU]), filled([CPU])
    segments = [
        Segment(first, 2, 5, np.array([7, 8, 9]), wanted=1),
        Segment(first, 0, 0, np.array([4, 5]), wanted=0),
        Segment(second, 1, 10, np.array([6]), wanted=0),
    ]
    packing = Packing(segments, 1, CPU)
    assert packing.tokens.tolist() == [[7, 8, 9, 4, 5, 6]]
    assert packing.positions.tolist() == [[5, 6, 7, 0, 1, 10]]
    assert packing.predicting.tolist() == [0, 1, 3, 3, 5]  # of the place before; the first of a row of itself
    one, other = packing.groups(CPU)
    assert (one.part, other.part) == (slice(0, 5), slice(5, 6))
    assert one.slots.tolist() == [2 * LENGTH + 5, 2 * LENGTH + 6, 2 * LENGTH + 7, 0, 1]
    assert one.query_ends.tolist() == [0, 3, 5]
    assert one.key_ends.tolist() == [0, LENGTH, 2 * LENGTH]
    assert [group.rows for group in packing.groups(SAME_CPU)] == [(2, 0), (1,)]


def test_a_cache_over_several_devices_is_the_cache_on_one() -> None:
    one, several = filled([CPU] * 3), filled([CPU, SAME_CPU, CPU])
    for cache in (one, several):
        cache.copy(1, [3, 4])
    for layer in range(3):
        for left, right in zip(one.layer(layer), several.layer(layer), strict=True):
            torch.testing.assert_close(left, right)
    np.testing.assert_allclose(one.similarity([0, 1, 3]), several.similarity([0, 1, 3]), atol=1e-6)
    assert one.similarity([1, 4])[0, 1] == pytest.approx(1)
    several.layer(2)[1][4, 0, 0, 0] = float("nan")
    assert several.first_layer_with_nan(4) == 2
    assert several.first_layer_with_nan(3) is None


def test_a_cpu_takes_one_call_a_segment() -> None:
    assert attention.kernel_for(torch.zeros(1, dtype=torch.bfloat16)) is attention.segment_by_segment


@needs_cuda
def test_cuda_takes_the_variable_length_kernel_in_half_precision_only() -> None:
    assert attention.kernel_for(torch.zeros(1, device="cuda")) is attention.padded
    half = torch.zeros(1, device="cuda", dtype=torch.bfloat16)
    modern = torch.cuda.get_device_capability() >= (8, 0) and attention.HAS_VARIABLE_LENGTH
    assert attention.kernel_for(half) is (attention.variable_length if modern else attention.padded)


@needs_cuda
@pytest.mark.skipif(not attention.HAS_VARIABLE_LENGTH, reason="needs torch's variable-length attention")
@pytest.mark.parametrize("rows", [(0, 1, 2), (4, 2, 3)])
def test_the_variable_length_kernel_of_torch_agrees_with_the_padded_one(rows: tuple[int, ...]) -> None:
    device = torch.device("cuda")
    cache = KVCache([device], HEADS, LENGTH, 64, torch.bfloat16)
    for _ in range(ROWS):
        cache.allocate()
    cache.layer(0)[0].normal_(), cache.layer(0)[1].normal_()
    (group,) = Packing([Segment(cache, row, 3, np.arange(4 + 5 * row)) for row in rows], 0, device).groups(device)
    query = torch.randn(group.part.stop, 4, 64, device=device, dtype=torch.bfloat16)
    results = [kernel(query, *cache.layer(0), group, 0.1) for kernel in (attention.padded, attention.variable_length)]
    torch.testing.assert_close(*results, atol=2e-2, rtol=2e-2)


@needs_cuda
def test_cpu_and_cuda_give_the_same_tokens_in_float32() -> None:
    runs = [
        Run(load_model(EMBEDDED, device, "float32"), "Solve for x: 3x + 4 = 19", DecodeConfig(gen_length=64))
        for device in ("cpu", "cuda")
    ]
    texts = [[list(run), run.trace.end.text][1] for run in runs]
    assert texts[0] == texts[1]


@needs_cuda
def test_a_forward_on_cuda_waits_for_the_device_once() -> None:
    denoiser = load_model(EMBEDDED, "cuda").denoiser
    assert denoiser.model.dtype == torch.bfloat16
    cache = denoiser.new_cache(40)
    segments: list[Any] = [Segment(cache, cache.allocate(), 4, np.arange(3, 20)) for _ in range(3)]
    denoiser.forward(segments)
    torch.cuda.set_sync_debug_mode("warn")
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            denoiser.forward(segments)
    finally:
        torch.cuda.set_sync_debug_mode("default")
    assert len([w for w in caught if "synchroniz" in str(w.message)]) == 1
