"""Runs on a ZeroGPU Space: pickled, decoded in a forked worker, and steered there."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import gradio as gr
import pytest
from gradio_client import Client
from scripted import ScriptedModel

from blockbatch.config import BaselineConfig, DecodeConfig
from blockbatch.errors import BlockBatchError
from blockbatch.events import Add, Drop
from blockbatch.reading import parse_trace
from blockbatch.run import Run
from blockbatch.trace import Trace
from ui.engine import Engine, engine_of
from ui.gpu import MOST_SECONDS, SECONDS_OF_A_PAUSE, decode_on_gpu, seconds_for, trajectory_on_gpu
from ui.live import Job, LiveRuns
from ui.session import LocalControlStore, Turnstile
from ui.settings import Settings
from ui.steering import Refusal

STAGE = Path(__file__).parents[1] / "zero_gpu_stage.py"


class Space(NamedTuple):
    client: Client
    pid: int
    control: str
    lender: str

    def lent(self) -> list[int]:
        """For how many seconds the device was lent, call by call."""
        with urllib.request.urlopen(self.lender, timeout=20) as answer:
            return list(json.loads(answer.read()))


@pytest.fixture(scope="module")
def space() -> Iterator[Space]:
    pytest.importorskip("spaces")
    process = subprocess.Popen(
        [sys.executable, str(STAGE)], stdout=subprocess.PIPE, text=True, cwd=STAGE.parents[1], start_new_session=True
    )
    assert process.stdout
    try:
        while not (line := process.stdout.readline()).startswith("{"):
            assert line, "the page did not start"
        told = json.loads(line)
        yield Space(Client(told["url"], verbose=False), told["pid"], told["control"], told["lent"])
    finally:
        os.killpg(process.pid, signal.SIGKILL)  # its workers, too
        process.wait(20)


def decoded_by(update: dict[str, Any]) -> int:
    return int(parse_trace(update["trace"]).header.model.removeprefix("decoded-by-"))


def test_a_live_change_of_block_sizes_reaches_the_worker_at_its_next_step(space: Space) -> None:
    assert space.control == "shared"
    job = space.client.submit("any prompt", gen_length=64, block_sizes=[4, 16], pace=5, api_name="/generate")
    asked_at = None
    for update in job:
        if update["steps"] >= 2 and asked_at is None:
            asked_at = update["steps"]
            assert space.client.predict(update["key"], {"block_sizes": [16, 48]}, api_name="/steer")
    assert asked_at is not None
    assert decoded_by(update) != space.pid, "it decoded in another process"
    steps = parse_trace(update["trace"]).steps
    (changed,) = [step for step in steps if any(isinstance(event, Add | Drop) for event in step.events)]
    assert asked_at <= changed.index <= asked_at + 1
    assert [state.branch for state in steps[-1].branches] == [16, 48]
    assert update["status"] == "finished"


def test_a_stopped_run_ends_there_and_the_worker_takes_the_next(space: Space) -> None:
    updates = []
    for update in space.client.submit("first", gen_length=64, pace=5, api_name="/generate"):
        if update["steps"] == 2:
            space.client.predict(update["key"], {"stopped": True}, api_name="/steer")
        updates.append(update)
    assert updates[-1]["status"] == "stopped"
    assert updates[-1]["steps"] <= 4
    again = space.client.predict("second", gen_length=64, api_name="/generate")
    assert again["status"] == "finished"
    assert decoded_by(again) == decoded_by(updates[-1])


def test_a_closed_tab_ends_the_run_and_frees_the_worker(space: Space) -> None:
    job = space.client.submit("soon gone", gen_length=128, pace=5, api_name="/generate")
    while not job.outputs() or job.outputs()[-1]["steps"] < 2:
        pass
    job.cancel()
    again = space.client.predict("the next one", gen_length=64, api_name="/generate")
    assert again["status"] == "finished"


def test_a_paused_run_gives_the_device_back_and_goes_on_later(space: Space) -> None:
    lent = len(space.lent())
    job = space.client.submit("any prompt", gen_length=64, block_sizes=[4, 16], pace=5, api_name="/generate")
    key, update = "", dict[str, Any]()
    for update in job:
        if update["steps"] == 3 and not key:
            key = update["key"]
            space.client.predict(key, {"paused": True}, api_name="/steer")
            other = space.client.submit("another", gen_length=32, api_name="/generate").result(timeout=60)
            time.sleep(SECONDS_OF_A_PAUSE + 1)
            space.client.predict(key, {"block_sizes": [4, 32], "paused": False}, api_name="/steer")
    assert other["status"] == update["status"] == "finished"
    assert len(space.lent()) == lent + 3
    steps = parse_trace(update["trace"]).steps
    (changed,) = [step for step in steps if any(isinstance(event, Add | Drop) for event in step.events)]
    assert changed.index >= 3
    assert [step.index for step in steps] == list(range(len(steps)))


def test_a_fork_is_made_again_in_the_worker(space: Space) -> None:
    run = Run(ScriptedModel(), "any prompt", DecodeConfig(gen_length=64))
    lines = "".join(line + "\n" for line in run)
    forked = space.client.predict(lines, 3, {"commit_threshold": 0.6}, api_name="/fork")
    trace = parse_trace(forked["trace"])
    assert trace.header.origin == (run.id, 3)
    assert [step.events for step in trace.steps[:4]] == [step.events for step in run.trace.steps[:4]]


def test_a_bad_prompt_asks_for_no_device(space: Space) -> None:
    before = space.lent()
    with pytest.raises(Exception, match="The prompt is empty"):
        space.client.predict("  ", api_name="/generate")
    assert space.lent() == before


def test_the_device_is_asked_for_as_long_as_the_run_may_need(space: Space) -> None:
    space.client.predict("any prompt", gen_length=100, api_name="/generate")
    assert space.lent()[-1] == seconds_for(100, 0.0)
    assert seconds_for(100, 0.0) == 20
    assert seconds_for(100, 5.0) == 30
    assert seconds_for(0, 1.0) < seconds_for(64, 0.0) < seconds_for(512, 0.0) <= MOST_SECONDS
    assert seconds_for(512, 1.0) == MOST_SECONDS


def test_a_pace_that_is_next_to_nothing_asks_for_as_long_as_one_may() -> None:
    """A program may ask for any pace; 1 / 5e-324 is infinite."""
    assert seconds_for(64, 5e-324) == MOST_SECONDS
    assert seconds_for(0, 5e-324) == seconds_for(0, 0.0)


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        (gr.Error("No GPU was available"), "No GPU was available"),
        (RuntimeError("ZeroGPU API /schedule error: 502"), "what lends them is out of order; try again in a while."),
    ],
)
def test_a_run_that_is_lent_no_device_has_failed_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch, broken: Exception, sentence: str
) -> None:
    def gpu(duration: object) -> Any:
        def unlent(*arguments: object) -> Iterator[Any]:
            raise broken
            yield

        return lambda function: unlent

    monkeypatch.setitem(sys.modules, "spaces", SimpleNamespace(GPU=gpu))
    engine, store, told = engine_of(ScriptedModel()), LocalControlStore(), list[str]()
    settings = Settings(zero_gpu=True)
    assert engine.start
    runs = LiveRuns(engine.start, store, Turnstile(1), decode_on_gpu(engine, store, settings))
    text = list(runs.stream("any prompt", DecodeConfig(gen_length=32), 0.0, told.append))[-1][1]
    assert json.loads(text.splitlines()[-1])["status"] == "failed"
    trace = run_of_any()
    tracer = trajectory_on_gpu(Engine(trajectory=lambda _: iter(())), settings)
    assert tracer
    with pytest.raises(BlockBatchError) as refused:
        list(tracer(trace))
    assert all(each.endswith(sentence) for each in (*told, str(refused.value)))
    assert len(told) == 1


def run_of_any() -> Trace:
    run = Run(ScriptedModel(), "any prompt", DecodeConfig(gen_length=32))
    list(run)
    return run.trace


def test_what_is_sent_to_a_worker_can_be_pickled_and_made_again() -> None:
    engine = engine_of(ScriptedModel())
    run = Run(ScriptedModel(), "any prompt", DecodeConfig(gen_length=32))
    list(run)
    for job in (
        Job("start", ("any prompt", DecodeConfig(gen_length=32))),
        Job("start", ("any prompt", BaselineConfig(gen_length=32))),
        Job("fork", (run.trace, 2, {"commit_threshold": 0.7})),
        Job("resume", (run.trace,)),
    ):
        made = pickle.loads(pickle.dumps(job)).made_by(engine)
        assert '"type":"end"' in list(made)[-1]
    assert pickle.loads(pickle.dumps(Refusal("No."))) == Refusal("No.")


def test_elsewhere_nothing_is_wrapped() -> None:
    assert decode_on_gpu(Engine(), LocalControlStore(), Settings()) is None
