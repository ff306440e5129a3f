"""The recorded way of the caches: vectors that change where the caches do, and their principal components."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from runs import PROMPT, rebuilt

from blockbatch.config import BaselineConfig
from blockbatch.errors import ForkError
from blockbatch.events import Commit
from blockbatch.models import Model
from blockbatch.models.cache import KVCache
from blockbatch.models.projection import Projection
from blockbatch.run import AnyDecoder, Run
from blockbatch.trace import Step, Trace
from blockbatch.trajectory import DIMENSION, principal, record_trajectory

Caches = list[dict[int, torch.Tensor]]


@pytest.fixture(scope="module")
def recorded(model: Model) -> tuple[Trace, Caches]:
    """A run that is changed on its way, and the keys and values of each branch's answer after each step."""
    caches: Caches = []
    prompt = len(model.encode(PROMPT))

    def keep(step: Step, decoder: AnyDecoder) -> None:
        cache = decoder.cache
        assert isinstance(cache, KVCache)
        caches.append({
            size: torch.stack([part[row, prompt:].clone() for n in range(cache.layers) for part in cache.layer(n)])
            for size, row in zip(decoder.branches.sizes.tolist(), decoder.branches.cache_rows.tolist(), strict=True)
        })  # fmt: skip

    return rebuilt(model, after_step=keep), caches


def test_a_vector_changes_exactly_where_the_cache_does(model: Model, recorded: tuple[Trace, Caches]) -> None:
    trace, caches = recorded
    found = record_trajectory(model, trace)
    assert found.branches == (2, 5, 8, 12, 16, 20)
    assert found.kinds == tuple(step.kind for step in trace.steps)
    assert found.vectors.shape == (len(trace.steps), 6, DIMENSION)
    for place, size in enumerate(found.branches):
        there = [not np.isnan(vector).any() for vector in found.vectors[:, place]]
        assert there == [size in cache for cache in caches]
        for step, (before, after) in enumerate(pairwise(caches), start=1):
            if size in before and size in after:
                same = np.allclose(found.vectors[step - 1, place], found.vectors[step, place], rtol=1e-6, atol=1e-6)
                assert same == torch.equal(before[size], after[size]), (step, size)


def test_equal_caches_have_equal_vectors_and_distances_keep(model: Model, recorded: tuple[Trace, Caches]) -> None:
    trace, caches = recorded
    found = record_trajectory(model, trace, dimension=1024)
    assert (found.vectors[0] == found.vectors[0, 0]).all(axis=1)[[0, 2, 4]].all(), "the first forward is shared"
    ratios = []
    for step, cache in enumerate(caches):
        for one, other in pairwise(sorted(cache)):
            true = float((cache[one] - cache[other]).norm())
            seen = [found.vectors[step, found.branches.index(size)] for size in (one, other)]
            if true:
                ratios.append(float(np.linalg.norm(seen[0] - seen[1])) / true)
    assert len(ratios) > 5
    assert all(0.7 < ratio < 1.3 for ratio in ratios)


def test_an_unfinished_run_a_baseline_and_one_without_steps(model: Model, recorded: tuple[Trace, Caches]) -> None:
    trace, _ = recorded
    short = record_trajectory(model, replace(trace, steps=trace.steps[:3], end=None))
    assert np.array_equal(short.vectors[:, 0], record_trajectory(model, trace).vectors[:3, 0], equal_nan=True)
    assert record_trajectory(model, replace(trace, steps=[], end=None)).vectors.shape == (0, 3, DIMENSION)
    for decoder in ("dual-cache", "vanilla"):
        baseline = Run(model, "hello", BaselineConfig.make(decoder, block_size=8, gen_length=16))
        list(baseline)
        found = record_trajectory(model, baseline.trace)
        assert found.vectors.shape == (len(baseline.trace.steps), 1, DIMENSION)
        assert not np.isnan(found.vectors).any()


def test_what_does_not_repeat_is_refused(model: Model, recorded: tuple[Trace, Caches]) -> None:
    trace, _ = recorded
    with pytest.raises(ForkError, match="recorded with other"):
        record_trajectory(model, replace(trace, header=replace(trace.header, model="other")))
    first = next(event for event in trace.steps[1].events if isinstance(event, Commit))
    events = tuple(replace(e, token=e.token + 1) if e is first else e for e in trace.steps[1].events)
    wrong = [trace.steps[0], replace(trace.steps[1], events=events), *trace.steps[2:]]
    with pytest.raises(ForkError, match="Step 2 comes out differently"):
        record_trajectory(model, replace(trace, steps=wrong))
    with pytest.raises(ForkError, match="Step 2 comes out differently"):
        record_trajectory(model, replace(trace, steps=wrong[:2], end=None))
    with pytest.raises(ForkError, match=f"ends here after {len(trace.steps)} steps"):
        record_trajectory(model, replace(trace, steps=[*trace.steps, trace.steps[-1]]))


def test_what_breaks_at_the_last_step_is_not_passed_over(
    model: Model, recorded: tuple[Trace, Caches], monkeypatch: pytest.MonkeyPatch
) -> None:
    trace, _ = recorded
    project, calls = Projection.__call__, list[int]()

    def breaking(self: Projection, rows: Any) -> Any:
        calls.append(len(rows))
        if len(calls) == len(trace.steps):
            raise MemoryError("no room")
        return project(self, rows)

    monkeypatch.setattr(Projection, "__call__", breaking)
    with pytest.raises(MemoryError, match="no room"):
        record_trajectory(model, trace)


def test_a_projection_is_linear_and_the_same_for_the_same_seed() -> None:
    cache = KVCache([torch.device("cpu")] * 2, heads=2, length=7, head_dim=3, dtype=torch.float32)
    rows = [cache.allocate() for _ in range(3)]
    for layer in range(2):
        for part in cache.layer(layer):
            part[:2] = torch.randn(2, 7, 2, 3)
            part[2] = 2 * part[0] - part[1]
    first, second, mixed = Projection(cache, 2, 16)(rows)
    assert np.allclose(mixed, 2 * first - second, atol=1e-4)
    assert np.array_equal(Projection(cache, 2, 16)([0])[0], first)
    assert not np.allclose(Projection(cache, 2, 16, seed=1)([0])[0], first)
    cache.layer(0)[0][0, :2] += 1.0  # of the prompt, which it leaves out
    assert np.array_equal(Projection(cache, 2, 16)([0])[0], first)


def test_principal_components_of_a_case_by_hand() -> None:
    """Along (3, 4) / 5 with spread 2, across it with spread 1; nothing varies in a third direction."""
    along, across = np.array([0.6, 0.8, 0.0]), np.array([-0.8, 0.6, 0.0])
    vectors = np.stack([7 + 2 * along, 7 - 2 * along, 7 + across, 7 - across, np.full(3, np.nan)])
    points, shares = principal(vectors)
    assert shares == pytest.approx([0.8, 0.2, 0.0])
    assert np.abs(points[:4]) == pytest.approx(np.array([[2, 0, 0], [2, 0, 0], [0, 1, 0], [0, 1, 0]]), abs=1e-9)
    assert points[0, 0] == pytest.approx(-points[1, 0])
    assert np.isnan(points[4]).all()


@pytest.mark.parametrize("vectors", [np.zeros((0, 4)), np.full((2, 4), np.nan), np.ones((1, 4)), np.ones((5, 2))])
def test_nothing_that_varies_has_no_shares(vectors: Any) -> None:
    points, shares = principal(vectors)
    assert points.shape == (len(vectors), 3)
    assert (shares == 0).all()
    assert not np.nan_to_num(points).any()


@given(seed=st.integers(0, 10**6), rows=st.integers(1, 8), columns=st.integers(1, 6))
def test_turned_moved_and_reordered_vectors_have_the_same_components(seed: int, rows: int, columns: int) -> None:
    random = np.random.default_rng(seed)
    vectors, order = random.normal(size=(rows, columns)) * np.arange(1, columns + 1), random.permutation(rows)
    turn, _ = np.linalg.qr(random.normal(size=(columns, columns)))
    points, shares = principal(vectors)
    other, same = principal((vectors @ turn + 3.0)[order])
    assert shares == pytest.approx(same, abs=1e-9)
    assert np.abs(points[order]) == pytest.approx(np.abs(other), abs=1e-6)
    assert shares.sum() <= 1 + 1e-9
    assert (np.diff(shares) <= 1e-12).all()
