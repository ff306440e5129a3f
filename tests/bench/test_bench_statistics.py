"""Figures from outcomes: known values, and what holds for any outcomes."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockbatch.bench.calibration import Sample
from blockbatch.bench.jobs import Outcome
from blockbatch.bench.statistics import ALL, Share, best_size, bins, oracle, oracles, row, rows, versus
from blockbatch.bench.tables import COLUMNS, Report, as_csv, as_json, glance, markdown, share


def outcome(index: int = 0, correct: bool = True, denoise: int = 9, size: int = 32, **changes: Any) -> Outcome:
    """An outcome of Fast-dLLM, one init and `denoise` denoise forwards, 20 tokens in 100 ms."""
    return replace(Outcome("algebra", index, "dual-cache", (size,), correct, 1, denoise, 0, 20, 100.0, 4.0), **changes)


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [(15, 20, 0.531, 0.888), (0, 10, 0, 0.278), (10, 10, 0.722, 1), (180, 200, 0.851, 0.934), (0, 0, 0, 1)],
)
def test_the_interval_of_a_share(hits: int, n: int, low: float, high: float) -> None:
    assert Share(hits, n).interval == pytest.approx((low, high), abs=5e-4)


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_an_interval_holds_its_share_and_narrows_with_more_of_the_same(counted: tuple[int, int]) -> None:
    hits, n = counted
    low, high = Share(hits, n).interval
    assert 0 <= low <= Share(hits, n).value + 1e-12
    assert Share(hits, n).value - 1e-12 <= high <= 1
    assert Share(n - hits, n).interval == pytest.approx((1 - high, 1 - low))
    narrower = Share(4 * hits, 4 * n).interval
    assert narrower[1] - narrower[0] < high - low


def test_the_figures_of_a_row() -> None:
    group = [outcome(0, denoise=9), outcome(1, correct=False, denoise=29, tokens=60, ms=300.0, recording_ms=12.0)]
    found = row("algebra", group, None, None)
    assert (found.right, found.nfe, found.nfe_init, found.nfe_denoise, found.nfe_refresh) == (Share(1, 2), 20, 1, 19, 0)
    assert found.tokens_per_forward == 80 / 40
    assert (found.ms, found.recording) == (200, 16 / 400)
    assert (found.against_32, found.against_best) == (None, None)


def test_a_decoder_is_measured_against_block_32_and_the_best_size() -> None:
    prompts = range(4)
    found = rows(
        [
            *(outcome(n, correct=n < 2, denoise=19, ms=200.0) for n in prompts),
            *(outcome(n, correct=n < 3, denoise=39, size=8, ms=400.0) for n in prompts),
            *(outcome(n, decoder="paper", block_sizes=(8, 32), denoise=9, ms=800.0) for n in prompts),
        ]
    )
    fast, small, paper = found
    assert (fast.against_32.speedup, fast.against_32.fewer_forwards) == (1, 0)  # type: ignore[union-attr]
    assert (paper.against_32.speedup, paper.against_32.fewer_forwards) == (0.25, 0.5)  # type: ignore[union-attr]
    assert (paper.against_best.speedup, paper.against_best.fewer_forwards) == (0.5, 0.75)  # type: ignore[union-attr]
    assert small.against_best.fewer_forwards == 0  # type: ignore[union-attr]


def test_other_prompts_are_not_compared() -> None:
    assert versus([outcome(0)], [outcome(1)]) is None
    assert versus([outcome(0)], None) is None


def test_several_families_have_a_row_together() -> None:
    found = rows([outcome(0), outcome(0, family="functions", correct=False, denoise=29)])
    assert [(one.family, one.right.n, one.nfe) for one in found] == [
        ("algebra", 1, 10),
        ("functions", 1, 30),
        (ALL, 2, 20),
    ]


def test_the_best_size_is_right_most_often_then_quickest_then_smallest() -> None:
    assert best_size({4: [outcome(denoise=30)], 8: [outcome(correct=False)]}) == 4
    assert best_size({4: [outcome(denoise=30)], 8: [outcome(denoise=3)]}) == 8
    assert best_size({8: [outcome()], 4: [outcome()]}) == 4


def test_the_oracle_takes_the_quickest_right_size_of_each_prompt() -> None:
    right = {4: "xx.", 8: "x..", 16: "..."}
    groups = {
        size: [outcome(n, mark == "x", denoise=64 // size, size=size) for n, mark in enumerate(marks)]
        for size, marks in right.items()
    }
    found = oracle("algebra", groups)
    assert (found.best_size, found.best, found.right) == (4, Share(2, 3), Share(2, 3))
    assert (found.nfe, found.best_nfe) == ((9 + 17) / 2, 17)


tables_of_outcomes = st.tuples(st.integers(1, 8), st.integers(2, 4)).flatmap(
    lambda shape: st.lists(
        st.lists(st.tuples(st.booleans(), st.integers(0, 60)), min_size=shape[0], max_size=shape[0]),
        min_size=shape[1],
        max_size=shape[1],
    )
)


@given(tables_of_outcomes)
def test_the_oracle_is_right_at_least_as_often_and_no_slower(table: list[list[tuple[bool, int]]]) -> None:
    groups = {
        4 * 2**n: [outcome(index, correct, denoise, 4 * 2**n) for index, (correct, denoise) in enumerate(column)]
        for n, column in enumerate(table)
    }
    found = oracle("algebra", groups)
    assert found.right.hits >= found.best.hits == max(sum(o.correct for o in group) for group in groups.values())
    assert found.right.hits <= len(table[0])
    if found.right.hits == found.best.hits:  # else the best size may be quick where it is wrong
        assert found.nfe <= found.best_nfe


@given(tables_of_outcomes, st.randoms())
def test_figures_do_not_depend_on_the_order_of_the_outcomes(table: list[list[tuple[bool, int]]], random: Any) -> None:
    outcomes = [
        outcome(index, correct, denoise, 4 * 2**n)
        for n, column in enumerate(table)
        for index, (correct, denoise) in enumerate(column)
    ]
    shuffled = random.sample(outcomes, len(outcomes))
    assert oracles(shuffled) == oracles(outcomes)
    by_size = {one.block_sizes: one for one in rows(outcomes)}
    assert {one.block_sizes: one for one in rows(shuffled)} == by_size


def test_no_oracle_over_one_size_or_over_different_prompts() -> None:
    assert oracles([outcome(0), outcome(1)]) == []
    assert oracles([outcome(0), outcome(1, size=8)]) == []
    assert [one.decoder for one in oracles([outcome(0), outcome(0, size=8)])] == ["dual-cache"]


def test_candidates_fall_into_the_bin_that_holds_their_confidence() -> None:
    confidences = (0.49, 0.5, 0.9, 0.9499, 0.95, 0.99, 1.0)
    sample = Sample("algebra", 0, 3, confidences, (False, True, True, False, True, True, False), (False,) * 6 + (True,))
    found = {(one.low, one.high): (one.all, one.words) for one in bins([sample])}
    assert found[0, 0.5] == (Share(0, 1), Share(0, 1))
    assert found[0.5, 0.6][0] == Share(1, 1)
    assert found[0.9, 0.95][0] == Share(1, 2)
    assert found[0.95, 0.99][0] == Share(1, 1)
    assert found[0.99, 1] == (Share(1, 2), Share(1, 1))


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans(), st.booleans()), max_size=30))
def test_every_candidate_is_in_one_bin(candidates: list[tuple[float, bool, bool]]) -> None:
    columns: Any = tuple(zip(*candidates, strict=True)) or ((), (), ())
    found = bins([Sample("algebra", 0, 0, *columns)])
    assert sum(one.all.n for one in found) == len(candidates)
    assert sum(one.all.hits for one in found) == sum(sure for _, sure, _ in candidates)
    assert sum(one.words.n for one in found) == sum(not end for _, _, end in candidates)


def report() -> Report:
    outcomes = [outcome(n, correct=n < 3, size=size, denoise=64 // size) for n in range(4) for size in (4, 32)]
    outcomes += [outcome(n, family="functions", decoder="paper", block_sizes=(4, 32)) for n in range(4)]
    sample = Sample("algebra", 0, 3, (0.97, 0.98), (True, False), (False, False))
    return Report({"model": "m"}, rows(outcomes), oracles(outcomes), bins([sample]), 1)


def test_the_markdown_has_aligned_tables_that_say_what_they_count() -> None:
    text = markdown(report())
    assert "75.0 % (30-95)" in text
    assert "3.0 · 75 %" in text  # the block-size curve: block 32 takes one init and two denoise forwards
    assert "| 0.95-0.99  | 2          | 50.0 % (9-91) |" in text
    assert "1 states" in text
    assert "not checked against its code" in text
    for block in text.split("\n\n"):
        if block.startswith("|"):
            assert len({len(line) for line in block.splitlines()}) == 1
    first = next(block for block in text.split("\n\n") if block.startswith("|"))
    assert [cell.strip() for cell in first.splitlines()[0].strip("|").split("|")] == list(COLUMNS)


def test_a_glance_has_every_decoder_once_and_every_family_in_a_column() -> None:
    paper = [outcome(n, correct=n < 1, family="functions", decoder="paper") for n in range(2)]
    found = rows([*paper, outcome(0, decoder="vanilla")])
    head, _, *lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in glance(found).splitlines()]
    assert head == ["decoder", "block sizes", "functions", "algebra", "all"]
    cells = {line[0]: line[2:] for line in lines}
    assert cells == {
        "paper": ["50.0 % · 10.0", "", "50.0 % · 10.0"],
        "vanilla": ["", "100.0 % · 10.0", "100.0 % · 10.0"],
    }
    assert len(lines) == 2
    assert "At a glance" in markdown(Report({}, found, [], [], 0))


def test_what_was_not_run_is_left_out_of_the_markdown() -> None:
    text = markdown(Report({}, rows([outcome(0)]), [], [], 0))
    assert "Oracle" not in text
    assert "Calibration" not in text


def test_csv_and_json_hold_the_unrounded_figures() -> None:
    made = report()
    lines = list(csv.DictReader(io.StringIO(as_csv(made.rows))))
    values = json.loads(as_json(made))
    assert len(lines) == len(values["rows"]) == len(made.rows)
    for line, value, one in zip(lines, values["rows"], made.rows, strict=True):
        assert float(line["right.low"]) == value["right"]["low"] == one.right.interval[0]
        assert float(line["nfe"]) == value["nfe"] == one.nfe
        assert line["block_sizes"] == ",".join(map(str, one.block_sizes))
    paper = next(line for line in lines if line["decoder"] == "paper" and line["family"] == "functions")
    assert paper["against_32.speedup"] == ""
    assert values["settings"] == {"model": "m"}
    assert values["bins"][6]["all"]["n"] == 2


def test_a_share_is_shown_in_percent_with_its_interval() -> None:
    assert share(Share(15, 20)) == "75.0 % (53-89)"
    assert share(Share(0, 0)) == "0.0 % (0-100)"
