"""The named endpoints, called as programs call them."""

from __future__ import annotations

import json
import time
import urllib.request
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError
from scripted import ANSWER, ScriptedModel

from blockbatch.config import BaselineConfig, Config, DecodeConfig
from blockbatch.events import Add, ConfigChange, Drop
from blockbatch.reading import parse_trace
from blockbatch.run import Run
from blockbatch.trace import Trace
from ui.engine import Engine, engine_of
from ui.interface import create_ui
from ui.settings import Settings
from ui.store import StoreError, TraceStore, trace_id

STORE = "memory://api"


class App:
    """A page with a scripted model; `started` are the runs that clients began."""

    def __init__(self) -> None:
        self.started: list[Run] = []
        engine = engine_of(ScriptedModel())
        settings = Settings(runs=2, store=STORE)
        self.page = create_ui(Engine(self.start, engine.fork, model=engine.model), settings)
        _, self.url, _ = self.page.launch(prevent_thread_lock=True, quiet=True)

    def start(self, prompt: str, config: Config) -> Run:
        self.started.append(Run(ScriptedModel(), prompt, config))
        return self.started[-1]


@pytest.fixture(scope="module")
def app() -> Iterator[App]:
    made = App()
    yield made
    made.page.close()


@pytest.fixture(scope="module")
def client(app: App) -> Client:
    return Client(app.url, verbose=False)


def recorded(config: Config | None = None) -> Trace:
    run = Run(ScriptedModel(), "any prompt", config or BaselineConfig(gen_length=32))
    list(run)
    return run.trace


def test_every_endpoint_names_and_types_its_parameters(client: Client) -> None:
    endpoints = client.view_api(return_format="dict", print_info=False)["named_endpoints"]  # type: ignore[index]
    assert set(endpoints) == {"/generate", "/fork", "/steer", "/models"}
    names = {name: [given["parameter_name"] for given in info["parameters"]] for name, info in endpoints.items()}
    assert names["/generate"] == [
        "prompt", "gen_length", "block_sizes", "preset", "commit_threshold", "merge_threshold", "sync_threshold",
        "refresh_interval", "temperature", "seed", "pace", "with_trace", "stop_at_text_end", "eos_in_order",
        "forced_reach", "joint_threshold", "lookahead", "settle_windows",
    ]  # fmt: skip
    assert names["/fork"] == ["trace", "step", "changes", "with_trace"]
    assert names["/steer"] == ["key", "changes"]
    for info in endpoints.values():
        assert info["description"]
        assert all(value["type"] for value in [*info["parameters"], *info["returns"]])
        assert all(given["label"].endswith(".") for given in info["parameters"])
    progress = endpoints["/generate"]["returns"][0]["type"]
    assert {"status", "key", "steps", "text", "trace"} <= set(progress["properties"])
    defaults = {given["parameter_name"]: given["parameter_default"] for given in endpoints["/generate"]["parameters"]}
    assert (defaults["gen_length"], defaults["block_sizes"]) == (128, None)


def test_generate_streams_its_steps_and_ends_with_the_answer(client: Client) -> None:
    updates = list(client.submit("any prompt", gen_length=64, block_sizes=[4, 32], pace=20, api_name="/generate"))
    steps = [update["steps"] for update in updates]
    assert steps == sorted(steps)
    assert len(set(steps)) > 5
    assert all(after["trace"].startswith(before["trace"]) for before, after in pairwise(updates))
    last = updates[-1]
    trace = parse_trace(last["trace"])
    assert trace.end is not None
    assert (last["status"], last["text"], last["steps"], last["run"]) == (
        "finished", trace.end.text, len(trace.steps), trace.header.run,
    )  # fmt: skip
    assert ANSWER.startswith(last["text"])
    assert trace.header.config.block_sizes == (4, 32)
    assert not last["notes"]


def test_a_finished_run_is_kept_under_the_name_that_a_link_gives_it(client: Client) -> None:
    generated = client.predict("to be kept", gen_length=32, api_name="/generate")["trace"]
    forked = client.predict(generated, 1, {"commit_threshold": 0.6}, api_name="/fork")["trace"]
    assert [soon_kept(text) for text in (generated, forked)] == [generated, forked]


def soon_kept(text: str) -> str:
    """What is kept under the name of this run, once there is anything."""
    ends = time.monotonic() + 20
    while True:
        try:
            return TraceStore(STORE, 2**30, 90).fetch(trace_id(text))
        except StoreError:
            assert time.monotonic() < ends
            time.sleep(0.05)


def test_options_are_those_of_the_preset_unless_they_are_given(client: Client) -> None:
    traces = [
        client.predict("any prompt", gen_length=32, preset="plus", api_name="/generate", **given)["trace"]
        for given in ({}, {"eos_in_order": False, "forced_reach": 2})
    ]
    plus, changed = (parse_trace(trace).header.config for trace in traces)
    assert plus == DecodeConfig.preset("plus", gen_length=32)
    assert changed == plus.replace(eos_in_order=False, forced_reach=2)


def test_an_answer_without_its_trace_is_short(client: Client) -> None:
    result = client.predict("any prompt", gen_length=64, with_trace=False, preset="latest", api_name="/generate")
    assert result["text"]
    assert result["steps"] > 1
    assert result["trace"] == ""
    assert len(json.dumps(result)) < 1000


def test_a_run_is_steered_while_it_goes_on(client: Client) -> None:
    job = client.submit("any prompt", gen_length=64, block_sizes=[4, 16], pace=10, api_name="/generate")
    asked = False
    for update in job:
        if update["steps"] >= 2 and not asked:
            asked = True
            assert client.predict(
                update["key"], {"block_sizes": [16, 48], "commit_threshold": 0.8, "pace": 0}, api_name="/steer"
            )
    events = [event for step in parse_trace(update["trace"]).steps for event in step.events]
    assert ConfigChange("commit_threshold", 0.9, 0.8) in events
    assert [event.branch for event in events if isinstance(event, Add | Drop)] == [48, 4]
    assert not client.predict(update["key"], {"stopped": True}, api_name="/steer"), "it is over"


def test_what_a_run_refuses_is_among_its_notes(client: Client) -> None:
    job = client.submit("any prompt", gen_length=64, pace=10, api_name="/generate")
    for update in job:
        if update["steps"] == 2:
            client.predict(update["key"], {"block_sizes": [0], "pace": 0}, api_name="/steer")
    assert update["status"] == "finished"
    assert [note.split(" is ")[0] for note in update["notes"]] == ["block_sizes"]


def test_a_fork_repeats_a_run_and_goes_on(client: Client) -> None:
    trace = client.predict("any prompt", gen_length=64, api_name="/generate")["trace"]
    so_far = "".join(trace.splitlines(keepends=True)[:6])
    for given in (trace, so_far):
        forked = client.predict(given, 3, {"commit_threshold": 0.6}, api_name="/fork")
        header, *_ = trace.splitlines()
        result = parse_trace(forked["trace"])
        assert result.header.origin == (json.loads(header)["run"], 3)
        assert result.steps[4].events[0] == ConfigChange("commit_threshold", 0.9, 0.6)


def test_models_are_listed(client: Client) -> None:
    assert client.predict(api_name="/models") == [
        {"id": "scripted", "max_length": 4096, "device": "cpu", "dtype": "float32"}
    ]


BASELINE = "\n".join(recorded().lines())


@pytest.mark.parametrize(
    ("endpoint", "given"),
    [
        ("/generate", ["  "]),
        ("/generate", [None]),
        ("/generate", [["a", "list"]]),
        ("/generate", ["word " * 5000]),
        ("/generate", ["any", "many"]),
        ("/generate", ["any", 10**9]),
        ("/generate", ["any", 32, "4,8"]),
        ("/generate", ["any", 32, [[4]]]),
        ("/generate", ["any", 32, [4, 4]]),
        ("/generate", ["any", 32, [4], "newest"]),
        ("/generate", ["any", 32, [4], {"$": 1}]),
        ("/generate", ["any", 32, [4], "paper", "nan"]),
        ("/generate", ["any", 32, [4], "paper", 0.9, 0.5, 8, 32, 0, 0, -1]),
        ("/generate", ["any", 32, [4], "paper", 0.9, 0.5, 8, 32, 0, 0, 1e-9]),
        ("/generate", ["any", 32, [4], "paper", 0.9, 0.5, 8, 32, 0, 0, 0, "yes"]),
        ("/fork", ["", 0, {}]),
        ("/fork", [None, 0, {}]),
        ("/fork", ["{}", 0, {}]),
        ("/fork", ["<img src=x onerror=alert(1)>", 0, {}]),
        ("/fork", [BASELINE, 0, {}]),
        ("/fork", [BASELINE, "first", {}]),
        ("/fork", [BASELINE, 0, {"__class__": 1}]),
        ("/steer", [None, {}]),
        ("/steer", ["k", None]),
        ("/steer", ["k", {"seed": 1}]),
        ("/steer", ["k", {"pace": "fast"}]),
        ("/steer", ["k", {"pace": 0.09}]),
        ("/steer", ["k", {"stopped": "yes"}]),
    ],
)
def test_what_cannot_be_done_is_one_sentence(client: Client, endpoint: str, given: list[Any]) -> None:
    with pytest.raises(AppError) as refused:
        client.submit(*given, api_name=endpoint).result(timeout=30)  # a pace let through would take years
    sentence = str(refused.value)
    assert sentence.endswith(".")
    assert len(sentence) < 300
    assert "Traceback" not in sentence
    assert "show_error" not in sentence


def test_the_events_of_the_page_are_no_endpoints(app: App) -> None:
    """What a visitor's buttons do takes the visitor's own key from the page's state, and nobody else can call it."""
    api = {dependency["api_name"]: dependency for dependency in app.page.config["dependencies"]}
    public = {name for name, dependency in api.items() if dependency["api_visibility"] == "public"}
    assert public == {"generate", "fork", "steer", "models"}


def test_two_clients_cannot_steer_each_other(client: Client, app: App) -> None:
    other = Client(app.url, verbose=False)
    mine = client.submit("mine", gen_length=64, pace=5, api_name="/generate")
    theirs = other.submit("theirs", gen_length=64, pace=5, api_name="/generate")
    keys = [next(update["key"] for update in job if update["steps"]) for job in (mine, theirs)]
    assert keys[0] != keys[1]
    assert min(map(len, keys)) == 24
    assert client.predict(keys[0], {"stopped": True}, api_name="/steer")
    assert mine.result()["status"] == "stopped"
    assert client.predict("a" * 24, {"stopped": True}, api_name="/steer") is False
    assert other.predict(keys[1], {"pace": 0}, api_name="/steer"), "the other one still goes on"
    assert theirs.result()["status"] == "finished"


def test_a_third_run_says_its_place_in_the_line(client: Client) -> None:
    first, second = (client.submit("long", pace=1, api_name="/generate") for _ in range(2))
    keys = [next(update["key"] for update in job if update["steps"]) for job in (first, second)]
    third = client.submit("waits", gen_length=32, api_name="/generate")
    assert (update := next(iter(third)))["status"] == "queued"
    assert update["place"] == 1
    for key in keys:
        client.predict(key, {"stopped": True}, api_name="/steer")
    assert third.result()["status"] == "finished"


def test_a_client_that_is_gone_ends_its_run_within_a_forward(app: App) -> None:
    """A real connection, closed in the midst of the stream."""
    call = {"data": ["soon gone", 128, [4, 8], "paper", 0.9, 0.5, 8, 32, 0, 0, 4, True, *[None] * 6]}
    begun = urllib.request.Request(
        f"{app.url}gradio_api/call/generate", json.dumps(call).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(begun, timeout=20) as answer:
        event = json.loads(answer.read())["event_id"]
    with urllib.request.urlopen(f"{app.url}gradio_api/call/generate/{event}", timeout=20) as stream:
        assert any(b'\\"type\\":\\"step\\"' in line for line in stream)
    run = app.started[-1]
    assert run.trace.header.prompt == "soon gone"
    seen = len(run.trace.steps)
    time.sleep(3.0)
    steps = len(run.trace.steps)
    assert steps <= seen + 4, "a quarter of a second a step, and a heartbeat to notice that it is gone"
    time.sleep(1.0)
    assert len(run.trace.steps) == steps
    assert run.trace.end is None
