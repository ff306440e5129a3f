"""What a sweep is made of: its axes, its cells, the order of its work and its figures."""

from __future__ import annotations

import itertools
import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted import ScriptedModel
from strategies import decode_configs
from sweepcases import BASE, result, sized

from blockbatch.bench import plan, statistics
from blockbatch.bench.jobs import TYPED, Outcome, Trial, Typed, outcome
from blockbatch.bench.statistics import Share
from blockbatch.bench.sweep import (
    MOST_CELLS,
    PARAMETERS,
    Axis,
    Cell,
    Point,
    cells,
    default_axis,
    label,
    oracle,
    points,
    spaced,
    trials,
    value_of,
)
from blockbatch.config import BaselineConfig, DecodeConfig
from blockbatch.errors import BlockBatchError, ConfigError
from blockbatch.run import Run

thresholds = st.lists(st.floats(0, 2), min_size=1, max_size=6, unique=True)
tokens = st.lists(st.integers(1, 300), min_size=1, max_size=6, unique=True)
sets = st.lists(
    st.lists(st.integers(1, 64), min_size=1, max_size=4, unique=True).map(lambda sizes: tuple(sorted(sizes))),
    min_size=1,
    max_size=5,
    unique=True,
)
rows = st.lists(st.integers(0, 16), min_size=1, max_size=4, unique=True)
values = {"probability": thresholds, "tokens": tokens, "rows": rows, "sets": sets}
axes = st.sampled_from(sorted(PARAMETERS)).flatmap(
    lambda name: values[PARAMETERS[name].kind].map(lambda found: Axis(name, tuple(found)))
)
pairs = st.tuples(axes, axes).filter(
    lambda two: two[0].parameter != two[1].parameter and "block_size" not in {axis.parameter for axis in two}
)


def run_of(config: Any, prompt: str = "any prompt") -> Run:
    run = Run(ScriptedModel(), prompt, config)  # type: ignore[arg-type]
    list(run)
    return run


@given(axes)
def test_an_axis_holds_its_values_as_the_config_keeps_them(axis: Axis) -> None:
    for value in axis.values:
        assert Axis(axis.parameter, (value,)).values == (value,)
        kinds = {"probability": float, "tokens": int, "rows": int, "sets": tuple}
        assert isinstance(value, kinds[PARAMETERS[axis.parameter].kind])


@pytest.mark.parametrize("name", PARAMETERS)
def test_every_parameter_has_values_of_its_own(name: str) -> None:
    axis = default_axis(name, BASE)
    assert len(axis.values) > 4
    for size in (value if isinstance(value, tuple) else (value,) for value in axis.values):
        assert all(PARAMETERS[name].lowest <= part <= PARAMETERS[name].highest for part in size)


def test_branches_are_all_sets_of_the_base() -> None:
    found = default_axis("branches", BASE).values
    assert found == ((4,), (8,), (32,), (4, 8), (4, 32), (8, 32), (4, 8, 32))


spans = st.tuples(st.floats(0, 2), st.floats(0, 2)).map(sorted)
counted = st.tuples(st.integers(1, 1024), st.integers(1, 1024)).map(sorted)


@given(st.sampled_from(["commit_threshold", "merge_threshold"]), spans, st.integers(2, 50))
def test_spaced_thresholds_ascend_between_their_ends(name: str, span: list[float], count: int) -> None:
    found = spaced(name, *span, count).values
    assert (found[0], found[-1]) == tuple(span)
    assert list(found) == sorted(set(found))
    assert len(found) <= count


@given(st.sampled_from(["sync_threshold", "refresh_interval", "block_size"]), counted, st.integers(2, 50))
def test_spaced_tokens_are_whole_and_distinct(name: str, span: list[int], count: int) -> None:
    found = spaced(name, *span, count).values
    assert (found[0], found[-1]) == tuple(span)
    assert list(found) == sorted(set(found))
    assert all(type(value) is int for value in found)
    assert len(found) <= count


def test_known_spacings() -> None:
    assert spaced("merge_threshold", 0.3, 0.9, 4).values == (0.3, 0.5, 0.7, 0.9)
    assert spaced("sync_threshold", 0, 10, 5).values == (0, 2, 5, 8, 10)
    assert spaced("sync_threshold", 3, 5, 10).values == (3, 4, 5)
    assert spaced("block_size", 4, 128, 6).values == (4, 8, 16, 32, 64, 128)
    assert spaced("refresh_interval", 8, 64, 1).values == (8,)


@given(decode_configs, axes)
def test_a_cell_a_value(base: DecodeConfig, axis: Axis) -> None:
    base = base.replace(refresh="interval")
    found = cells(base, [axis])
    assert [cell.index for cell in found] == list(range(len(axis.values)))
    assert tuple(value_of(axis.parameter, cell.config) for cell in found) == axis.values
    assert all(cell.values == {axis.parameter: value} for cell, value in zip(found, axis.values, strict=True))
    assert all(cell.config.gen_length == base.gen_length for cell in found)


@given(pairs)
def test_a_cell_a_pair_of_values_and_the_rest_is_the_base(two: tuple[Axis, Axis]) -> None:
    found = cells(BASE, two)
    names = [axis.parameter for axis in two]
    assert [tuple(cell.values.values()) for cell in found] == list(itertools.product(*(axis.values for axis in two)))
    for cell in found:
        assert cell.values == {name: value_of(name, cell.config) for name in names}
        kept = {name: value_of(name, BASE) for name in names}
        changed = {"block_sizes" if name == "branches" else name: value for name, value in kept.items()}
        assert isinstance(cell.config, DecodeConfig)
        assert cell.config.replace(**changed) == BASE


def test_block_sizes_are_those_of_the_benchmark() -> None:
    found = cells(BASE, [Axis("block_size", (8, 32))])
    assert [cell.config for cell in found] == [plan.fixed("dual-cache", size, 48) for size in (8, 32)]
    both = cells(BASE.replace(commit_threshold=0.8), [Axis("block_size", (8,)), Axis("commit_threshold", (0.5, 0.7))])
    assert [cell.config for cell in both] == [
        BaselineConfig("dual-cache", 8, 48, commit_threshold=share) for share in (0.5, 0.7)
    ]
    assert cells(BASE.replace(commit_threshold=0.8), [Axis("block_size", (8,))])[0].config.commit_threshold == 0.8


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Axis("speed", (1,)), "parameter is 'speed', but must be one of commit_threshold, "),
        (lambda: Axis("merge_threshold", (0.5, 3)), "merge_threshold is 3, but must be a number from 0 to 2."),
        (lambda: Axis("sync_threshold", (2.5,)), "sync_threshold is 2.5, but must be a whole number from 0 to"),
        (lambda: Axis("block_size", (0,)), "block_size is 0, but must be a whole number from 1 to 1024."),
        (lambda: Axis("branches", ((4, 4),)), "block_sizes is (4, 4), but must be 1 to 16 distinct whole numbers"),
        (lambda: Axis("branches", (4,)), "block_sizes is 4, but must be 1 to 16 distinct whole numbers"),
        (lambda: Axis("merge_threshold", ()), "merge_threshold has no values to sweep over; give at least one."),
        (
            lambda: Axis("sync_threshold", (4, 8, 4.0)),
            "sync_threshold is to be 4 more than once; give each value once.",
        ),
        (lambda: spaced("branches", 4, 8, 2), "branches are sets and have no range; give the sets themselves."),
        (lambda: spaced("merge_threshold", 0.9, 0.3, 4), "merge_threshold cannot go from 0.9 to 0.3; give the lower"),
        (lambda: spaced("merge_threshold", 0.3, float("nan"), 4), "merge_threshold is nan, but must be a number"),
        (lambda: spaced("merge_threshold", 0.3, 0.9, 0), "count is 0, but must be a whole number from 1 to 400."),
        (lambda: default_axis("speed", BASE), "parameter is 'speed', but must be one of commit_threshold, "),
        (
            lambda: default_axis("branches", DecodeConfig(block_sizes=range(1, 10))),  # type: ignore[arg-type]
            "The sweep would have 511 cells, but may have 400; give fewer values.",
        ),
    ],
)
def test_a_bad_axis_is_one_sentence(make: Any, sentence: str) -> None:
    with pytest.raises(BlockBatchError) as caught:
        make()
    assert str(caught.value).startswith(sentence)
    assert str(caught.value).endswith(".")


MERGE, COMMIT = Axis("merge_threshold", (0.3, 0.5)), Axis("commit_threshold", (0.7, 0.9))
SIZE, INTERVAL = Axis("block_size", (4, 8)), Axis("refresh_interval", (8, 16))


@pytest.mark.parametrize(
    ("base", "found", "sentence"),
    [
        (BASE, [], "A sweep is over one parameter or two, not 0."),
        (BASE, [MERGE, COMMIT, INTERVAL], "A sweep is over one parameter or two, not 3."),
        (BASE, [MERGE, MERGE], "Both parameters of the sweep are merge_threshold; name two different ones."),
        (BASE, [MERGE, SIZE], "block_size is that of Fast-dLLM, which has no merge_threshold; sweep it alone or"),
        (BASE, [SIZE, Axis("branches", ((4,),))], "block_size is that of Fast-dLLM, which has no branches; sweep"),
        (
            DecodeConfig.preset("latest"),
            [INTERVAL],
            "refresh_interval does nothing while refresh is divergence; set refresh to interval to sweep it.",
        ),
        (
            BASE,
            [spaced("merge_threshold", 0, 1, 21), spaced("commit_threshold", 0, 1, 20)],
            "The sweep would have 420 cells, but may have 400; give fewer values.",
        ),
    ],
)
def test_axes_that_do_not_go_together_are_one_sentence(base: DecodeConfig, found: list[Axis], sentence: str) -> None:
    with pytest.raises(BlockBatchError) as caught:
        cells(base, found)
    assert str(caught.value).startswith(sentence)


def test_a_bad_value_is_a_config_error() -> None:
    with pytest.raises(ConfigError):
        Axis("merge_threshold", (-1,))
    assert len(cells(BASE, [spaced("merge_threshold", 0, 1, 20), spaced("commit_threshold", 0, 1, 20)])) == MOST_CELLS


def test_the_work_goes_prompt_by_prompt_over_all_cells() -> None:
    found = cells(BASE, [MERGE])
    work = trials(found, plan.drawn_from(["algebra", "functions"], 2))
    assert [cell.index for cell, _ in work] == [0, 1] * 4
    assert [(trial.example.family, trial.index) for _, trial in work][::2] == [
        (family, index) for family in ("algebra", "functions") for index in (0, 1)
    ]
    assert all(trial.config == cell.config for cell, trial in work)
    assert len({trial.key for _, trial in work}) == len(work)


def test_what_is_found_is_the_mean_of_its_outcomes() -> None:
    cell = cells(BASE, [SIZE])[0]
    found = Point(cell, (result(0), result(1, correct=False, denoise=29, refresh=2, tokens=60, ms=300.0)))
    assert found.right == Share(1, 2)
    assert found.nfe == 21
    assert found.nfe_by_kind == {"init": 1, "denoise": 19, "refresh": 1}
    assert found.tokens_per_forward == 80 / 42
    assert found.ms == 200
    assert found.prompts == {("algebra", 0), ("algebra", 1)}


def test_without_a_checker_there_is_no_accuracy() -> None:
    cell = cells(BASE, [SIZE])[0]
    assert Point(cell, (result(correct=None),)).right is None
    assert Point(cell, (result(0, correct=None), result(1))).right == Share(1, 1)


def test_cells_without_an_outcome_are_left_out() -> None:
    found = cells(BASE, [Axis("block_size", (4, 8, 16))])
    kept = points(found, {0: [result()], 1: [], 2: [result(size=16)]})
    assert [point.cell.index for point in kept] == [0, 2]


def test_the_oracle_is_judged_on_the_prompts_that_all_sizes_share() -> None:
    found = oracle(sized({4: "xx.x", 8: "x..", 16: "..."}))
    assert found is not None
    assert (found.family, found.best_size, found.best, found.right) == ("algebra", 4, Share(2, 3), Share(2, 3))
    assert (found.nfe, found.best_nfe) == ((9 + 17) / 2, 17)


def test_there_is_no_oracle_without_a_choice_or_a_judge() -> None:
    assert oracle([]) is None
    assert oracle(sized({4: "x"})) is None
    assert oracle(sized({4: "?", 8: "?"})) is None
    both = cells(BASE, [SIZE, COMMIT])
    assert oracle(points(both, {cell.index: [result()] for cell in both})) is None
    first, second = sized({4: "x", 8: "x"})
    elsewhere = Point(second.cell, (result(5, size=8),))
    assert oracle([first, elsewhere]) is None
    functions = replace(result(size=8), family="functions")
    together = [Point(point.cell, (*point.outcomes, replace(functions, index=9))) for point in (first, second)]
    assert oracle(together).family == statistics.ALL  # type: ignore[union-attr]


@settings(max_examples=20, deadline=None)
@given(decode_configs, st.booleans())
def test_an_outcome_counts_what_the_run_did(config: DecodeConfig, typed: bool) -> None:
    example = plan.prompts("algebra", 1)[0]
    trace = run_of(config).trace
    found = outcome(trace, None if typed else example, 3)
    assert (found.family, found.index) == (TYPED if typed else "algebra", 3)
    assert (found.decoder, found.block_sizes) == (config.decoder, config.block_sizes)
    assert found.forwards == trace.totals.forwards == len(trace.steps) - trace.totals.ahead
    assert found.correct is (None if typed else False)
    assert 0 <= found.tokens <= config.gen_length


def test_a_run_that_goes_on_has_no_outcome_yet() -> None:
    run = Run(ScriptedModel(), "any prompt", BASE)  # type: ignore[arg-type]
    lines = iter(run)
    next(lines), next(lines)
    with pytest.raises(ValueError, match="the run has not ended"):
        outcome(run.trace, None, 0)


def test_a_trial_and_the_trace_of_its_run_agree_but_for_time() -> None:
    model: Any = ScriptedModel()
    found = Trial(Typed("any prompt"), 2, BASE).run(model)
    timeless = {"ms": 0.0, "recording_ms": 0.0}
    assert replace(found, **timeless) == replace(outcome(run_of(BASE).trace, None, 2), **timeless)
    assert found.correct is None


def test_typed_prompts_are_known_by_their_text() -> None:
    keys = {Trial(Typed(text), index, BASE).key for text in ("a", "b") for index in (0, 1)}
    assert len(keys) == 4
    assert Trial(Typed("a"), 0, BASE).label == "typed · paper 4,8,32"


def test_a_sweep_on_a_model() -> None:
    found = cells(BASE, [Axis("commit_threshold", (0.5, 0.9))])
    model: Any = ScriptedModel()
    outcomes: dict[int, list[Outcome]] = {}
    for cell, trial in trials(found, [(0, Typed("one prompt")), (1, Typed("another, longer prompt"))]):
        outcomes.setdefault(cell.index, []).append(trial.run(model))
    bold, careful = points(found, outcomes)
    assert bold.nfe < careful.nfe
    assert sum(bold.nfe_by_kind.values()) == pytest.approx(bold.nfe)
    assert bold.tokens_per_forward > careful.tokens_per_forward > 0


@given(st.one_of(st.floats(0, 2), st.integers(0, 10**9)))
def test_labels_tell_numbers_apart(value: float) -> None:
    assert float(label(value)) == value


def test_labels_are_short() -> None:
    assert [label(value) for value in (0.5, 1.0, 32, (4, 8, 32))] == ["0.5", "1", "32", "4+8+32"]


def test_it_imports_no_torch() -> None:
    code = "import sys, blockbatch.bench.sweep; sys.exit('torch' in sys.modules or 'transformers' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_cell_is_frozen() -> None:
    with pytest.raises(AttributeError):
        Cell(0, {}, BASE).index = 1  # type: ignore[misc]
