"""Two recorded runs beside each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted import ScriptedModel
from strategies import baseline_configs, decode_configs

from blockbatch.comparing import answer, compare, described
from blockbatch.config import BaselineConfig, DecodeConfig
from blockbatch.errors import TraceError
from blockbatch.run import Run
from blockbatch.trace import Trace


def recorded(config: Any, prompt: str = "any prompt") -> Trace:
    model: Any = ScriptedModel()
    run = Run(model, prompt, config)
    for _ in run:
        pass
    return run.trace


def test_a_run_differs_nowhere_from_itself() -> None:
    trace = recorded(DecodeConfig(gen_length=64))
    same = compare(trace, trace)
    assert (same.first, same.differing, same.one_sided) == (None, 0, 0)
    assert same.shared == len(answer(trace))
    assert "the two answers are the same" in described(same)


def test_a_hasty_run_parts_from_a_careful_one() -> None:
    careful = recorded(BaselineConfig("vanilla", 4, 64))
    hasty = recorded(BaselineConfig("threshold", 64, 64, commit_threshold=0.3))
    found = compare(careful, hasty)
    a, b = answer(careful), answer(hasty)
    n = min(len(a), len(b))
    differs = np.flatnonzero(a[:n] != b[:n]).tolist()
    assert differs
    assert (found.first, found.differing, found.shared) == (differs[0], len(differs), n)
    assert found.one_sided == max(len(a), len(b)) - n
    text = described(found)
    pieces = [repr(trace.pieces[int(row[differs[0]])]) for trace, row in ((careful, a), (hasty, b))]
    assert f"first part at position {differs[0]}: {pieces[0]} in A, {pieces[1]} in B." in text
    assert f"{len(careful.steps):>16} {len(hasty.steps):>16}" in text


def test_an_answer_ends_with_its_end_of_text() -> None:
    trace = recorded(BaselineConfig("vanilla", 64, 64, stop_at_eos=False))
    row = answer(trace)
    assert row[-1] == trace.header.eos_id
    assert trace.header.eos_id not in row[:-1]
    assert len(row) < 64


def test_runs_of_different_prompts_are_refused() -> None:
    config = DecodeConfig(gen_length=32)
    with pytest.raises(TraceError, match="different prompts"):
        compare(recorded(config), recorded(config, "something else entirely"))


any_config = st.one_of(decode_configs, baseline_configs)


@settings(max_examples=40, deadline=None)
@given(any_config, any_config)
def test_comparing_is_the_same_from_either_side(one: Any, other: Any) -> None:
    a, b = recorded(one), recorded(other)
    forth, back = compare(a, b), compare(b, a)
    assert (forth.first, forth.differing, forth.shared, forth.one_sided) == (
        back.first,
        back.differing,
        back.shared,
        back.one_sided,
    )
    assert (forth.first is None) == (forth.differing == 0)
    described(forth)
