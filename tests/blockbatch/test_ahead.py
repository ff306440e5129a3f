"""Looking ahead: the same tokens in fewer forwards, and what was computed ahead is what a forward would give."""

from __future__ import annotations

import dataclasses
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted import ScriptedModel
from standin import StandIn
from strategies import decode_configs, stand_ins

from blockbatch.ahead import drafts, rows_ahead
from blockbatch.config import DecodeConfig
from blockbatch.decoder import Decoder
from blockbatch.errors import ConfigError, TraceError
from blockbatch.events import Ahead, Commit, ConfigChange
from blockbatch.fork import fork
from blockbatch.reading import parse_trace
from blockbatch.run import Run
from blockbatch.state import Branches
from blockbatch.trace import Trace

MORE = settings(max_examples=60, deadline=None)
AHEAD = DecodeConfig.preset("plus", block_sizes=(8, 32), gen_length=96, lookahead=4)


def recorded(config: DecodeConfig) -> Trace:
    run = Run(ScriptedModel(), "any prompt", config)
    list(run)
    return run.trace


def decisions(steps: Any) -> list[Any]:
    """What each step saw and decided."""
    return [
        (step.branches, [event for event in step.events if not isinstance(event, Ahead)],
         [(c.positions.tolist(), c.tokens.tolist(), c.probabilities.tolist()) for c in step.candidates])
        for step in steps
    ]  # fmt: skip


@MORE
@given(stand_ins, decode_configs, st.integers(1, 6))
def test_one_window_over_all_decides_the_same_step_by_step(model: StandIn, config: DecodeConfig, rows: int) -> None:
    """Nothing is left behind in a cache there, so what was computed ahead is exactly what a forward gives."""
    config = dataclasses.replace(config, block_sizes=(64,), refresh="never", temperature=0.0)
    plain, ahead = (
        list(Decoder(model, model.prompt(), config.replace(lookahead=count)))  # type: ignore[arg-type]
        for count in (0, rows)
    )
    assert decisions(plain) == decisions(ahead)
    assert {step.kind for step in plain} <= {"init", "denoise"}


def test_steps_ahead_save_forwards() -> None:
    plain, ahead = recorded(AHEAD.replace(lookahead=0)).totals, recorded(AHEAD).totals
    assert ahead.ahead
    assert not plain.ahead
    assert ahead.forwards < plain.forwards


@MORE
@given(stand_ins, decode_configs, st.integers(1, 6))
def test_a_step_ahead_follows_from_rows_that_a_forward_tried(model: StandIn, config: DecodeConfig, rows: int) -> None:
    """Its branch, and no other, takes part; its row is one of those that the forward before it computed ahead."""
    decoder, tried, before = Decoder(model, model.prompt(), config.replace(lookahead=rows)), list[Any](), None
    for step in decoder:
        if step.kind == "ahead":
            [branch] = [state.branch for state in step.branches if state.forward]
            assert before is not None
            assert (branch, before[branch]) in tried
            assert {event.branch for event in step.events if isinstance(event, Commit)} == {branch}
        elif step.kind == "refresh":
            tried = []
        else:
            tried = [row for event in step.events if isinstance(event, Ahead) for row in rows_of(event, before)]
        before = dict(zip(decoder.branches.sizes.tolist(), decoder.branches.rows.tolist(), strict=True))


def rows_of(event: Ahead, before: Any) -> list[tuple[int, list[int]]]:
    """The rows that the event says were computed."""
    row, found = list(before[event.branch]), []
    for position, token in zip(event.positions, event.tokens, strict=True):
        assert row[position] < 0
        row[position] = token
        found.append((event.branch, list(row)))
    return found


@pytest.mark.parametrize("seed", range(1, 9))
def test_after_a_refresh_nothing_is_used_that_was_computed_before_it(seed: int) -> None:
    model = StandIn(seed, 5, 40)
    config = DecodeConfig(block_sizes=(4, 16), gen_length=48, refresh_interval=8, forced_reach=1, lookahead=6)
    kinds = [step.kind for step in Decoder(model, model.prompt(), config)]
    assert {"refresh", "ahead"} <= set(kinds)
    assert ("refresh", "ahead") not in pairwise(kinds)


def test_what_was_drawn_at_another_temperature_is_not_used() -> None:
    model, after = StandIn(3, 5, 60), False
    decoder = Decoder(model, model.prompt(), AHEAD.replace(temperature=0.5, refresh="never"))
    for step in decoder:
        assert not (after and step.kind == "ahead")
        after = any(isinstance(event, Ahead) for event in step.events)
        if after:
            decoder.reconfigure(temperature=1.0 if decoder.config.temperature == 0.5 else 0.5)


@MORE
@given(stand_ins, decode_configs, st.integers(1, 6))
def test_a_step_ahead_brings_the_keys_and_values_of_its_row(model: StandIn, config: DecodeConfig, rows: int) -> None:
    """From where the window stood when they were computed: one that the drafts filled is there with all of them."""
    before: dict[int, Any] = {}
    begin: dict[int, int] = {}
    known: list[Any] = []

    def look(stage: str, b: Branches) -> None:
        if stage == "ahead":
            [n] = [n for n, size in enumerate(b.sizes.tolist()) if (b.rows[n] >= 0).sum() > (before[size] >= 0).sum()]
            known.append((int(b.sizes[n]), decoder.cache.seen[b.cache_rows[n]].copy()))  # type: ignore[attr-defined]

    decoder = Decoder(model, model.prompt(), config.replace(lookahead=rows), look)
    for step in decoder:
        windows = {state.branch: state.window for state in step.branches}
        if step.kind == "ahead":
            branch, seen = known.pop()
            first, end = begin[branch], windows[branch][1]
            row = np.where(before[branch] < 0, model.mask_id, before[branch])
            assert seen[len(model.prompt()) :][first:end].tolist() == row[first:end].tolist()
        else:
            begin = {branch: start for branch, (start, _) in windows.items()}
        before = dict(zip(decoder.branches.sizes.tolist(), decoder.branches.rows.copy(), strict=True))


def test_every_row_of_a_forward_draws_noise_of_its_own() -> None:
    class Watched(StandIn):
        def forward(self, segments: Any) -> Any:
            drawn.append([segment.seed for segment in segments])
            return super().forward(segments)

    drawn: list[list[int]] = []
    model = Watched(3, 5, 60)
    list(Decoder(model, model.prompt(), AHEAD.replace(temperature=0.5)))
    assert max(map(len, drawn)) == 2 + AHEAD.lookahead
    assert all(len(set(seeds)) == len(seeds) for seeds in drawn)


def branches_with(confidence: list[float], size: int = 4) -> Branches:
    b = Branches.fresh([size], len(confidence))
    b.confidence[0], b.choice[0] = confidence, 10 + np.arange(len(confidence))
    return b


def test_drafts_are_what_would_be_forced_next() -> None:
    b, free = branches_with([0.2, 0.6, 0.4, 0.5, 0.9]), np.zeros(5, np.bool_)
    assert drafts(b, 0, 3, 0, free) == [1, 3, 2]
    assert drafts(b, 0, 9, 1, free) == [0, 1, 2, 3]
    assert drafts(b, 0, 3, 2, free) == [1, 2, 3]
    assert drafts(b, 0, 0, 1, free) == []


def test_an_end_of_text_that_waits_is_drafted_only_where_nothing_is_left_before_it() -> None:
    b, ends = branches_with([0.2, 0.6, 0.4, 0.5]), np.array([False, True, False, False])
    assert drafts(b, 0, 4, 0, ends) == [3, 2, 0]  # the last position is left: a full row has no next step


def test_the_row_that_fills_its_window_is_computed_from_there_into_the_next() -> None:
    b = branches_with([0.9] * 6, size=2)
    [one, two] = rows_ahead(b, 0, 0, [0, 1], [7, 8])
    assert (one.row.tolist(), one.begin, one.start, one.end) == ([10, -1, -1, -1, -1, -1], 0, 0, 2)
    assert (two.row.tolist(), two.begin, two.start, two.end) == ([10, 11, -1, -1, -1, -1], 0, 2, 4)
    assert (one.branch, one.cache_row, two.cache_row) == (2, 7, 8)


def test_a_run_that_looks_ahead_is_read_and_forked_as_it_was() -> None:
    trace = recorded(AHEAD)
    again = parse_trace("".join(f"{line}\n" for line in trace.lines()))
    assert list(again.lines()) == list(trace.lines())
    last = next(step.index for step in trace.steps if step.kind == "ahead")
    forked = fork(ScriptedModel(), trace, last, lookahead=0)
    list(forked)
    steps = forked.trace.steps
    assert [step.kind for step in steps[: last + 1]] == [step.kind for step in trace.steps[: last + 1]]
    assert ConfigChange("lookahead", 4, 0) in steps[last + 1].events
    assert not any(isinstance(event, Ahead) for step in steps[last + 1 :] for event in step.events)


@pytest.mark.parametrize(
    ("changed", "to", "says"),
    [
        ('"positions":[0', '"positions":[99999', "looks ahead to position 99999 of 96"),
        ('"type":"ahead","branch":', '"type":"ahead","positions":[],"tokens":[],"was":', "branch"),
        ('"tokens":[', '"tokens":[5,', "each with one token"),
    ],
)
def test_a_damaged_record_of_rows_ahead_is_one_sentence(changed: str, to: str, says: str) -> None:
    lines = list(recorded(AHEAD).lines())
    number, line = next((n, line) for n, line in enumerate(lines) if '"type":"ahead"' in line)
    head, tail = line.split('{"type":"ahead"')
    event, rest = tail.split("}", 1)
    event = '{"type":"ahead"' + event + "}"
    positions = event.split('"positions":[')[1].split(",")[0].split("]")[0]
    event = event.replace(changed.replace("[0", f"[{positions}"), to)
    lines[number] = head + event + rest
    with pytest.raises(TraceError, match=says):
        parse_trace("\n".join(lines) + "\n")


@pytest.mark.parametrize(
    ("change", "says"),
    [({"branch": 5}, "there is no branch of block size 5"), ({"positions": (0,), "tokens": (2,)}, "is not masked")],
)
def test_a_record_that_looks_ahead_from_what_is_not_there_is_refused(change: dict[str, Any], says: str) -> None:
    trace = recorded(AHEAD)
    step = next(step for step in trace.steps[3:] if any(isinstance(event, Ahead) for event in step.events))
    events = tuple(dataclasses.replace(e, **change) if isinstance(e, Ahead) else e for e in step.events)
    trace.steps[step.index] = dataclasses.replace(step, events=events)
    with pytest.raises(TraceError, match=says):
        parse_trace("".join(f"{line}\n" for line in trace.lines()))


def test_what_cannot_be_looked_ahead_to_is_refused() -> None:
    with pytest.raises(ConfigError, match="lookahead"):
        DecodeConfig(lookahead=17)
    assert "lookahead" not in DecodeConfig().to_dict()
    assert DecodeConfig.from_dict(AHEAD.to_dict()) == AHEAD
