"""Candidates against a careful decode that goes on from the same state."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted import ScriptedModel
from standin import StandIn
from strategies import stand_ins

from blockbatch.baselines import BaselineDecoder
from blockbatch.bench.calibration import CAREFUL_BLOCK, Sampling, carefully_filled
from blockbatch.bench.plan import fixed
from blockbatch.config import BaselineConfig
from blockbatch.run import Run
from blockbatch.tasks import examples


@given(stand_ins, st.lists(st.booleans(), min_size=1, max_size=40), st.integers(0, 40))
@settings(max_examples=60, deadline=None)
def test_a_careful_decode_keeps_what_stands_and_fills_the_rest(model: StandIn, held: list[bool], until: int) -> None:
    until = min(until, len(held))
    row = np.where(held, 3, -1)
    before = row.copy()
    filled = carefully_filled(model, model.prompt(), row, until)
    assert (row == before).all()
    assert (filled[held] == 3).all()
    assert (filled[:until] >= 0).all()
    assert model.forwards == (filled >= 0).sum() - sum(held)  # one token a forward


@given(stand_ins)
@settings(max_examples=30, deadline=None)
def test_from_nothing_it_is_vanilla_decoding(model: StandIn) -> None:
    vanilla = BaselineDecoder(model, model.prompt(), BaselineConfig("vanilla", CAREFUL_BLOCK, 40, stop_at_eos=False))
    for _ in vanilla:
        pass
    assert carefully_filled(model, model.prompt(), np.full(40, -1), 40).tolist() == vanilla.tokens.tolist()


@pytest.mark.parametrize("index", range(4))
def test_a_sample_is_one_step_of_the_run(index: int) -> None:
    example = next(islice(examples("algebra", "held-out"), index, None))
    model: Any = ScriptedModel()
    job = Sampling(example, index, fixed("dual-cache", 32, 64))
    sample = job.run(model)
    assert sample == job.run(model)
    run = Run(model, example.prompt, job.config)
    for _ in run:
        pass
    candidates = run.trace.steps[sample.step].candidates[0]
    assert len(candidates.positions) == len(sample.confidences) == len(sample.confirmed) == len(sample.ends)
    assert sample.confidences == tuple(candidates.at(p)[0][1] for p in candidates.positions.tolist())
    row = run.trace.rows(sample.step - 1)[32]
    careful = carefully_filled(model.denoiser, run.trace.header.prompt_tokens, row, 64)
    best = [candidates.at(p)[0][0] for p in candidates.positions.tolist()]
    assert sample.confirmed == tuple(bool(careful[p] == t) for p, t in zip(candidates.positions, best, strict=True))
    assert sample.ends == tuple(token == run.trace.header.eos_id for token in best)


def test_samples_are_of_different_steps() -> None:
    model: Any = ScriptedModel()
    config = fixed("dual-cache", 32, 64)
    prompts = islice(examples("algebra", "held-out"), 8)
    assert len({Sampling(example, n, config).run(model).step for n, example in enumerate(prompts)}) > 1
