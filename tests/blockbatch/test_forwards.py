"""The tokens that a forward packed, counted from the trace, are those that the model was given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from runs import STEERED, of_every_sort, recorded
from scripted import ScriptedDenoiser, ScriptedModel
from strategies import baseline_configs, decode_configs

from blockbatch.config import BASELINES, BaselineConfig, Config, DecodeConfig
from blockbatch.denoiser import Prediction, Segment
from blockbatch.forwards import packed_lengths, rows_seen
from blockbatch.trace import STOPS, Trace


class Counting(ScriptedModel):
    """A scripted model that notes how many tokens each forward packs; `lookback` as a shifted model has it."""

    def __init__(self, lookback: int = 0) -> None:
        super().__init__()
        self.lookback, self.packed = lookback, list[int]()

    def encode(self, prompt: str) -> list[int]:
        tokens = super().encode(prompt)
        self.denoiser = CountingDenoiser(self.denoiser, self)
        return tokens


class CountingDenoiser(ScriptedDenoiser):
    def __init__(self, inner: ScriptedDenoiser, model: Counting) -> None:
        super().__init__(inner.answer, inner.words, inner.prompt_length)
        self.model = model

    @property
    def lookback(self) -> int:  # type: ignore[override]
        return self.model.lookback

    def forward(self, segments: Sequence[Segment]) -> Prediction:
        self.model.packed.append(sum(len(segment.tokens) for segment in segments))
        return super().forward(segments)


def counts_alike(config: Config, lookback: int = 0, changes: dict[int, dict[str, Any]] | None = None) -> Trace:
    model = Counting(lookback)
    trace = recorded(config, changes, model)
    assert trace.header.lookback == lookback
    steps = zip(trace.steps, packed_lengths(trace), strict=True)
    by_step = [(step.kind == "ahead", packed) for step, packed in steps]
    assert [packed for ahead, packed in by_step if not ahead] == model.packed
    assert not any(packed for ahead, packed in by_step if ahead)
    return trace


@settings(max_examples=40, deadline=None)
@given(config=decode_configs)
def test_block_batch(config: DecodeConfig) -> None:
    counts_alike(config)


@pytest.mark.parametrize("lookback", [0, 1])
def test_rows_computed_ahead_are_counted(lookback: int) -> None:
    trace = counts_alike(DecodeConfig(block_sizes=(4, 32), gen_length=64, lookahead=5), lookback)
    assert trace.totals.ahead


@settings(max_examples=20, deadline=None)
@given(config=baseline_configs)
def test_baselines(config: BaselineConfig) -> None:
    counts_alike(config, lookback=1)


@pytest.mark.parametrize("decoder", BASELINES)
def test_every_baseline(decoder: str) -> None:
    counts_alike(BaselineConfig.make(decoder, block_size=8, gen_length=24))


@pytest.mark.parametrize("lookback", [0, 1])
@pytest.mark.parametrize("settled", [False, True])
def test_a_steered_run_with_sampled_refreshes(lookback: int, settled: bool) -> None:
    trace = counts_alike(DecodeConfig(gen_length=96, refresh_interval=4, settle_windows=settled), lookback, STEERED)
    assert any(step.kind == "refresh" for step in trace.steps[4:])


def test_windows_settled_from_one_step_to_the_next() -> None:
    changes: dict[int, dict[str, Any]] = {
        2: {"settle_windows": True},
        4: {"resize": {8: 12}},
        6: {"block_sizes": (4, 12, 20)},
        9: {"settle_windows": False},
    }
    config = DecodeConfig(block_sizes=(4, 8), gen_length=96, refresh="never", commit_threshold=2)
    packed = [packed_lengths(counts_alike(config, 1, given)) for given in (changes, {**changes, 2: {}})]
    assert packed[0] != packed[1]


def test_the_rows_that_a_forward_sees_are_those_after_the_step_before_with_the_branches_of_its_own() -> None:
    for trace in of_every_sort().values():
        assert trace.end is None or trace.end.stop in STOPS
        for step, rows in rows_seen(trace):
            assert set(rows) == {state.branch for state in step.branches}
            before = trace.rows(step.index - 1)
            for branch in set(before) & set(rows):
                assert np.array_equal(rows[branch], before[branch])
