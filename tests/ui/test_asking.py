"""Runs that a visitor's viewer asks for: nothing that a browser sends is believed."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import gradio as gr
import pytest
from scripted import ScriptedModel

from blockbatch.config import BaselineConfig, DecodeConfig
from blockbatch.errors import BlockBatchError, ForkError
from blockbatch.events import ConfigChange
from blockbatch.reading import parse_trace
from blockbatch.run import Run
from blockbatch.trace import Trace
from ui.asking import Orders, asked_updates, contrast
from ui.engine import Engine, engine_of
from ui.live import LiveRuns
from ui.session import FULL_SPEED, LocalControlStore, Turnstile

Asked = dict[str, Any]


def recorded(**settings: Any) -> Trace:
    run = Run(ScriptedModel(), "any prompt", DecodeConfig(gen_length=64, **settings))
    list(run)
    return run.trace


def fork_of(trace: Trace, step: int = 4, **changes: Any) -> Asked:
    return {"kind": "fork", "trace": "\n".join(trace.lines()) + "\n", "step": step, "changes": changes}


def contrast_of(kind: str, trace: Trace) -> Asked:
    header = trace.header
    return {"kind": kind, "run": header.run, "prompt": header.prompt, "config": header.config.to_dict()}


def ask(asked: object, model: Any = None) -> list[tuple[Any, ...]]:
    engine = engine_of(model or ScriptedModel())
    assert engine.start is not None
    runs = LiveRuns(engine.start, LocalControlStore(), Turnstile(1))
    return list(asked_updates(Orders(engine), runs, FULL_SPEED, asked))


def answered(asked: Asked) -> tuple[dict[str, Any], Trace]:
    """The session line and the trace of the run that was asked for."""
    session, *lines = ask(asked)[-1][1].splitlines()
    return json.loads(session), parse_trace("\n".join(lines))


def happened(trace: Trace, steps: int) -> list[object]:
    return [(step.kind, step.branches, step.events) for step in trace.steps[:steps]]


def test_a_fork_repeats_the_run_and_goes_on_under_the_changes() -> None:
    trace = recorded()
    session, forked = answered(fork_of(trace, 4, commit_threshold=0.6))
    assert session == {"type": "session", "status": "live", "against": trace.header.run}
    assert happened(forked, 5) == happened(trace, 5)
    assert forked.steps[5].events[0] == ConfigChange("commit_threshold", 0.9, 0.6)
    assert forked.header.origin == (trace.header.run, 4)


def test_the_repeated_steps_keep_no_pace_and_heed_no_wish() -> None:
    """A knob that is moved meanwhile acts after the fork: before, it would make the steps differ from the record."""
    trace = recorded()
    engine = engine_of(ScriptedModel())
    assert engine.start is not None
    store = LocalControlStore()
    time, naps = [0.0], list[float]()

    def sleep(seconds: float) -> None:
        naps.append(seconds)
        time[0] += seconds

    runs = LiveRuns(engine.start, store, Turnstile(1), clock=lambda: time[0], sleep=sleep)
    text = ""
    for key, text in runs.follow(Orders(engine).make(fork_of(trace, 6, commit_threshold=0.7)), 1.0, print):
        store.change(key, settings={"merge_threshold": 0.6})
        if text.count('{"type":"step"') < 7:
            assert not naps
    forked = parse_trace("\n".join(text.splitlines()[1:]))
    assert happened(forked, 7) == happened(trace, 7)
    assert naps
    assert any(isinstance(event, ConfigChange) and event.field == "merge_threshold" for step in forked.steps
               for event in step.events)  # fmt: skip


def test_a_run_that_goes_on_is_forked_from_a_step_that_is_recorded_and_ends() -> None:
    engine = engine_of(ScriptedModel())
    assert engine.start is not None
    runs = LiveRuns(engine.start, LocalControlStore(), Turnstile(1))
    key, text = next(stream := runs.stream("any prompt", DecodeConfig(gen_length=64), FULL_SPEED, print))
    while text.count('{"type":"step"') < 5:
        key, text = next(stream)
    with ThreadPoolExecutor(1) as thread:
        rest = thread.submit(lambda: list(stream))
        so_far = "".join(text.splitlines(keepends=True)[1:])
        asked = {"kind": "fork", "trace": so_far, "step": 3, "changes": {"commit_threshold": 0.7}}
        forked = list(asked_updates(Orders(engine), runs, FULL_SPEED, asked, key))[-1][1]
    ended = parse_trace("".join(rest.result()[-1][1].splitlines(keepends=True)[1:]))
    trace = parse_trace("".join(forked.splitlines(keepends=True)[1:]))
    assert trace.header.origin == (ended.header.run, 3)
    assert happened(trace, 4) == happened(ended, 4)
    assert trace.steps[4].events[0] == ConfigChange("commit_threshold", 0.9, 0.7)


def test_what_cannot_be_run_leaves_the_run_that_goes_on_alone(warnings_shown: list[str]) -> None:
    engine = engine_of(ScriptedModel())
    assert engine.start is not None
    runs = LiveRuns(engine.start, LocalControlStore(), Turnstile(1))
    key, _ = next(stream := runs.stream("any prompt", DecodeConfig(gen_length=64), FULL_SPEED, print))
    assert list(asked_updates(Orders(engine), runs, FULL_SPEED, {"kind": "fork"}, key)) == [(gr.skip(),) * 6]
    assert len(warnings_shown) == 1
    assert not runs.store.read(key).stopped
    stream.close()


def test_a_contrast_decodes_the_same_prompt_another_way() -> None:
    trace = recorded(seed=3)
    for kind, decoder in (("dual-cache", "dual-cache"), ("local-leap", "local-leap"), ("one-size", "paper")):
        session, other = answered(contrast_of(kind, trace))
        assert session["against"] == trace.header.run
        assert (other.header.decoder, other.header.prompt) == (decoder, "any prompt")
        assert other.header.config.block_sizes == (32,)
        assert (other.header.config.gen_length, other.header.config.seed) == (64, 3)


def test_a_contrast_to_a_baseline_and_to_the_newest_rules() -> None:
    assert contrast("one-size", BaselineConfig("dual-cache", gen_length=48).to_dict()) == DecodeConfig(
        block_sizes=(32,), gen_length=48
    )
    newest = DecodeConfig.preset("latest", merge_threshold=0.7)
    assert contrast("one-size", newest.to_dict()) == newest.replace(block_sizes=(32,))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda asked: None,
        lambda asked: [],
        lambda asked: {},
        lambda asked: {**asked, "kind": "delete"},
        lambda asked: {**asked, "trace": 5},
        lambda asked: {**asked, "trace": "not a trace"},
        lambda asked: {**asked, "trace": asked["trace"][:-40]},
        lambda asked: {**asked, "step": "4"},
        lambda asked: {**asked, "step": -1},
        lambda asked: {**asked, "step": 4000},
        lambda asked: {**asked, "changes": None},
        lambda asked: {**asked, "changes": {"gen_length": 4}},
        lambda asked: {**asked, "changes": {"commit_threshold": "high"}},
        lambda asked: {**asked, "changes": {"commit_threshold": 7}},
        lambda asked: {**asked, "trace": asked["trace"].replace('"model":"scripted"', '"model":"other"', 1)},
        lambda asked: {"kind": "dual-cache", "run": "r", "prompt": "  ", "config": {}},
        lambda asked: {"kind": "dual-cache", "run": "r", "prompt": None, "config": {}},
        lambda asked: {"kind": "one-size", "run": "r", "prompt": "any", "config": {"variant": "paper"}},
        lambda asked: {"kind": "one-size", "run": "r", "prompt": "any", "config": {"gen_length": 10**6}},
    ],
)  # fmt: skip
def test_what_cannot_be_run_is_one_sentence(spoil: Any, warnings_shown: list[str]) -> None:
    assert ask(spoil(fork_of(recorded()))) == [(gr.skip(),) * 6]
    assert len(warnings_shown) == 1
    assert warnings_shown[0].endswith(".")


def test_a_baseline_and_a_run_of_another_model_cannot_be_gone_on_from() -> None:
    orders = Orders(engine_of(ScriptedModel()))
    baseline = Run(ScriptedModel(), "any prompt", BaselineConfig(gen_length=64))
    list(baseline)
    with pytest.raises(ForkError, match="one fixed block size"):
        orders.make(fork_of(baseline.trace))
    other = Orders(engine_of(ScriptedModel(id="another")))
    with pytest.raises(ForkError, match="recorded with scripted, but the model here is another"):
        other.make(fork_of(recorded()))


def test_a_step_that_comes_out_differently_keeps_what_was_decoded(warnings_shown: list[str]) -> None:
    updates = ask(fork_of(recorded()), ScriptedModel(answer="Another answer than the one that was recorded."))
    assert '"status":"failed"' in updates[-1][1]
    assert "comes out differently here than in the recorded run" in warnings_shown[0]


def test_without_a_model_nothing_is_run() -> None:
    orders = Orders(Engine(problem="No model."))
    for asked in (fork_of(recorded()), contrast_of("one-size", recorded())):
        with pytest.raises(BlockBatchError, match="No model"):
            orders.make(asked)
