"""Whose turn it is while visitors pause and go on: a paused run lets others in, and nobody decodes out of turn."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted import ScriptedModel
from test_live import Stage, steps_in

from blockbatch.config import Config, DecodeConfig
from blockbatch.reading import parse_trace
from blockbatch.run import Run
from blockbatch.trace import Step
from ui.session import FULL_SPEED, Turnstile
from ui.viewer import trace_text

SHORT = DecodeConfig(gen_length=16, block_sizes=(4, 8))
VISITORS = "abcd"
Stream = Iterator[tuple[str, str]]


def status(text: str) -> dict[str, object]:
    """What the page was told last."""
    lines = [line for line in text.splitlines() if line.startswith('{"type":"session"')]
    return {name: value for name, value in json.loads(lines[-1]).items() if name != "type"}


def until(stream: Stream, **wanted: object) -> str:
    """Follow a run until it says so."""
    for _, text in stream:
        if status(text) == wanted:
            return text
    raise AssertionError(f"it never was {wanted}")


class Paused:
    """One place; the first run has begun and is paused, the second one goes on."""

    def __init__(self) -> None:
        self.stage = Stage(places=1)
        self.first, self.second = self.stage.stream(), self.stage.stream(pace=5)
        self.key, _ = next(self.first)
        self.stage.store.change(self.key, paused=True)
        self.steps = steps_in(until(self.first, status="paused"))
        self.second_key, text = next(self.second)
        assert status(text) == {"status": "live"}, "the place was free"


def test_a_paused_run_gives_its_place_away_and_waits_for_one_when_it_goes_on() -> None:
    paused = Paused()
    paused.stage.store.change(paused.key, paused=False)
    assert steps_in(until(paused.first, status="queued", place=1)) == paused.steps
    assert '"type":"end"' in list(paused.second)[-1][1]
    until(paused.first, status="live")
    assert '"type":"end"' in list(paused.first)[-1][1]


def test_a_single_step_waits_for_a_place_and_gives_it_away_again() -> None:
    paused = Paused()
    paused.stage.store.step(paused.key)
    until(paused.first, status="queued", place=1)
    paused.stage.store.change(paused.second_key, paused=True)
    until(paused.second, status="paused")
    text = until(paused.first, status="paused")
    assert steps_in(text) == paused.steps + 1
    paused.stage.store.change(paused.second_key, paused=False)
    assert '"type":"end"' in list(paused.second)[-1][1]


def test_one_who_pauses_again_while_waiting_leaves_the_line() -> None:
    paused = Paused()
    third = paused.stage.stream()
    paused.stage.store.change(paused.key, paused=False)
    until(paused.first, status="queued", place=1)
    until(third, status="queued", place=2)
    paused.stage.store.change(paused.key, paused=True)
    until(paused.first, status="paused")
    until(third, status="queued", place=1)


def test_a_paused_run_can_be_stopped_or_left_without_a_place() -> None:
    for leave in ("stop", "close"):
        paused = Paused()
        if leave == "stop":
            paused.stage.store.change(paused.key, stopped=True)
            text = list(paused.first)[-1][1]
            assert '"stop":"stopped"' in text
            assert steps_in(text) == paused.steps, "it has no turn to decode in"
        else:
            paused.first.close()  # type: ignore[attr-defined]
        assert '"type":"end"' in list(paused.second)[-1][1]
        assert '"queued"' not in next(paused.stage.stream())[1]


def test_a_run_that_is_left_in_a_pause_ends_after_an_hour_and_one_that_waits_in_line_does_not() -> None:
    paused, waited = Paused(), Paused()
    waited.stage.store.change(waited.second_key, pace=1 / 5400)
    waited.stage.store.step(waited.key)
    text = list(paused.first)[-1][1]
    assert 3600 <= paused.stage.clock.now < 3700
    assert '"stop":"stopped"' in text
    assert steps_in(text) == paused.steps
    assert paused.stage.warnings == ["The run was stopped, for it was paused for 60 minutes; fork it to go on."]
    while waited.stage.clock.now < 3700:
        next(waited.first)
    assert status(next(waited.first)[1]) == {"status": "queued", "place": 1}
    waited.second.close()  # type: ignore[attr-defined]
    assert steps_in(until(waited.first, status="paused")) == waited.steps + 1
    assert not waited.stage.warnings


def test_a_run_that_is_stopped_in_line_decodes_nothing_and_asks_for_no_device() -> None:
    stage = Stage(places=1)
    first = stage.stream(pace=5)
    next(first)
    elsewhere = replace(stage.runs, elsewhere=lambda order, key: pytest.fail("a device was asked for"))
    for runs in (stage.runs, elsewhere):
        key, text = next(waiting := runs.stream("any prompt", SHORT, FULL_SPEED, stage.warnings.append))
        assert status(text) == {"status": "queued", "place": 1}
        stage.store.change(key, stopped=True)
        trace = parse_trace(trace_text(list(waiting)[-1][1]))
        assert trace.end
        assert (trace.end.stop, trace.end.text, trace.steps) == ("stopped", "", [])
    assert '"type":"end"' in list(first)[-1][1]
    assert not stage.warnings


class Crowd:
    """Runs of `VISITORS` in two places; `out_of_turn` are those that decoded a step when it was not their turn."""

    def __init__(self) -> None:
        self.stage = Stage(places=2, start=self.begin)
        self.keys: dict[str, str] = {}
        self.texts = dict.fromkeys(VISITORS, "")
        self.out_of_turn: list[str] = []
        self.streams = {name: self.stage.stream(config=SHORT, prompt=name) for name in VISITORS}

    def begin(self, prompt: str, config: Config) -> Run:
        def noted(step: Step, decoder: object) -> None:
            if self.stage.runs.turnstile.place(self.keys[prompt]):
                self.out_of_turn.append(prompt)

        return Run(ScriptedModel(), prompt, config, after_step=noted)

    def act(self, name: str, act: str) -> None:
        key = self.keys.get(name)
        if act == "follow":
            self.keys[name], self.texts[name] = next(self.streams[name], (key or "", self.texts[name]))
        elif act == "step":
            self.stage.store.step(key)
        else:
            self.stage.store.change(key, paused=act == "pause")


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(VISITORS), st.sampled_from(["follow", "pause", "go on", "step"])), max_size=50)
)
def test_nobody_decodes_out_of_turn_and_everybody_ends(acts: list[tuple[str, str]]) -> None:
    crowd = Crowd()
    for name, act in acts:
        crowd.act(name, act)
    for _ in range(400):
        for name in VISITORS:
            crowd.act(name, "go on")
            crowd.act(name, "follow")
    assert all('"type":"end"' in text for text in crowd.texts.values())
    assert not crowd.out_of_turn
    assert not crowd.stage.warnings


@settings(deadline=None)
@given(st.integers(1, 3), st.lists(st.tuples(st.booleans(), st.sampled_from("abcdef"))))
def test_places_follow_from_who_waits_longest(places: int, moves: list[tuple[bool, str]]) -> None:
    turnstile, line = Turnstile(places), list[str]()
    for enters, key in moves:
        (turnstile.enter if enters else turnstile.leave)(key)
        line = [other for other in line if other != key or enters]
        line += [key] if enters and key not in line else []
        assert [turnstile.place(each) for each in line] == [max(n - places + 1, 0) for n in range(len(line))]


def test_one_who_is_not_in_line_has_no_place() -> None:
    turnstile = Turnstile(1)
    turnstile.leave("anybody")
    with pytest.raises(ValueError, match="not in list"):
        turnstile.place("anybody")
