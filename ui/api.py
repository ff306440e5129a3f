"""Named endpoints for programs: the same runs as on the page, for gradio_client, plain HTTP and MCP clients.

Gradio reads the schema of an endpoint off its function: names and types of the parameters, and the docstring.  It does
so without resolving postponed annotations, which therefore are not used in this module.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal, TypedDict

import gradio as gr
from gradio.block_function import BlockFunction
from gradio.components import Component
from gradio.events import api
from gradio.utils import get_function_description

from blockbatch.config import OPTIONS, DecodeConfig, boolean, number
from blockbatch.errors import BlockBatchError, ConfigError
from ui.asking import Orders, mapping, text
from ui.engine import Engine, ModelInfo
from ui.live import LiveRuns
from ui.parts import turns
from ui.session import FULL_SPEED

DEFAULTS = DecodeConfig()
SLOWEST_PACE, FASTEST_PACE = 0.1, 100.0  # a run that stands between its steps keeps its place from others
STEERED = (
    "block_sizes", "commit_threshold", "merge_threshold", "sync_threshold", "refresh_interval", "temperature", *OPTIONS,
)  # fmt: skip
DRIVEN = ("pace", "paused", "stopped")

Status = Literal["queued", "live", "paused", "finished", "stopped", "failed"]
STOPPED: Mapping[str, Status] = {"eos": "finished", "complete": "finished", "stopped": "stopped", "failed": "failed"}


class Progress(TypedDict):
    """How far a run has come.

    key: what `steer` takes, for as long as the run goes on; place: in the line while it is queued, else 0; run: its id
    in its trace; steps: how many are done; text: the answer, empty before the end; trace: the NDJSON so far, if it is
    wanted; notes: sentences about what could not be done.
    """

    status: Status
    key: str
    place: int
    run: str
    steps: int
    text: str
    trace: str
    notes: list[str]


class Reader:
    """Sums up the growing text of a live run (see `LiveRuns.follow`)."""

    def __init__(self, with_trace: bool) -> None:
        self.notes: list[str] = []
        self._with_trace = with_trace
        self._read = 0
        self._progress = Progress(status="queued", key="", place=0, run="", steps=0, text="", trace="", notes=[])

    def read(self, key: str, text: str) -> Progress:
        """Take in the text so far."""
        for line in text[self._read :].splitlines(keepends=True):
            self._take(line)
        self._read = len(text)
        return {**self._progress, "key": key, "notes": list(self.notes)}

    def _take(self, line: str) -> None:
        progress = self._progress
        if line.startswith('{"type":"session"'):
            session = json.loads(line)
            progress["status"], progress["place"] = session["status"], session.get("place", 0)
            return
        if self._with_trace:
            progress["trace"] += line
        if line.startswith('{"type":"step"'):
            progress["steps"] += 1
        elif line.startswith('{"type":"header"'):
            progress["run"] = json.loads(line)["run"]
        else:
            end = json.loads(line)
            progress["text"], progress["status"] = end["text"], STOPPED[end["stop"]]


@contextmanager
def sentences() -> Iterator[None]:
    """What is refused reaches the client as its one sentence."""
    try:
        yield
    except BlockBatchError as error:
        raise gr.Error(str(error), print_exception=False) from None


def progress(
    begin: Callable[[Callable[[str], object]], Iterator[tuple[str, str]]], with_trace: bool
) -> Iterator[Progress]:
    """How far the run has come that `begin` starts, given a function for its refusals."""
    with sentences():
        reader = Reader(boolean("with_trace", with_trace))
        for key, so_far in begin(reader.notes.append):
            yield reader.read(key, so_far)


def wishes_of(changes: Any) -> dict[str, Any]:
    """`changes` as fields of `Wishes`; ConfigError for one that there is not.  Settings are checked by the run."""
    asked = dict(mapping("changes", {"changes": changes}))
    for name, value in asked.items():
        if name not in STEERED + DRIVEN:
            raise ConfigError(name, value, "left out: during a run only " + ", ".join(STEERED + DRIVEN) + " can change")
    wishes: dict[str, Any] = {name: boolean(name, asked.pop(name)) for name in ("paused", "stopped") if name in asked}
    if "pace" in asked:
        wishes["pace"] = pace_of(asked.pop("pace"))
    return {**wishes, "settings": asked}


def pace_of(value: Any) -> float:
    """Steps a second; ConfigError for a value that is none."""
    pace = number("pace", value, 0, FASTEST_PACE)
    if FULL_SPEED < pace < SLOWEST_PACE:
        raise ConfigError("pace", value, f"0 for full speed or at least {SLOWEST_PACE} steps a second")
    return pace


def create_api(page: gr.Blocks, engine: Engine, runs: LiveRuns, streams: int) -> None:
    """Add the endpoints to the page, which is being built; `streams`: see `turns`."""
    orders = Orders(engine)

    # Both streams are annotated with one of their answers, off which Gradio reads the schema.
    def generate(  # type: ignore[misc]
        prompt: str,
        gen_length: int = DEFAULTS.gen_length,
        block_sizes: list[int] | None = None,
        preset: Literal["paper", "latest", "plus"] = "paper",
        commit_threshold: float = DEFAULTS.commit_threshold,
        merge_threshold: float = DEFAULTS.merge_threshold,
        sync_threshold: int = DEFAULTS.sync_threshold,
        refresh_interval: int = DEFAULTS.refresh_interval,
        temperature: float = DEFAULTS.temperature,
        seed: int = DEFAULTS.seed,
        pace: float = FULL_SPEED,
        with_trace: bool = True,
        stop_at_text_end: bool | None = None,
        eos_in_order: bool | None = None,
        forced_reach: int | None = None,
        joint_threshold: float | None = None,
        lookahead: int | None = None,
        settle_windows: bool | None = None,
    ) -> Progress:
        """Decode a prompt with BlockBatch, several block sizes at once, and stream how far it has come.

        Args:
            prompt: What to answer.
            gen_length: Number of positions to fill in, 0 to 4096.
            block_sizes: One branch for each, 1 to 16 distinct whole numbers from 1 to 1024; else as the preset.
            preset: The paper's rules, those of its newest code, or the paper's with options that save forwards.
            commit_threshold: A branch commits every candidate in its window at or above this probability, 0 to 2.
            merge_threshold: A branch takes over another's token if it gives it more than this probability, 0 to 2.
            sync_threshold: A branch more than this many tokens behind is reset to the leader.
            refresh_interval: Tokens a branch moves on before it asks for a full recompute.
            temperature: 0 takes the most probable token; more samples more freely, up to 10.
            seed: Fixes what is sampled where the temperature is above 0.
            pace: Steps a second, 0.1 to 100, or 0 for full speed.
            with_trace: Whether every step is in the answer, as NDJSON; without them the answer is short.
            stop_at_text_end: End as soon as a branch's text is whole; without a value as the preset has it.
            eos_in_order: Commit an end of text only once all before it is there; else as the preset has it.
            forced_reach: A token is forced in the first so many masked positions, 0 for all; else as the preset.
            joint_threshold: First tokens are committed while their joint probability is above this; else as the preset.
            lookahead: Rows of the leader that a forward computes ahead, 0 to 16; else as the preset.
            settle_windows: Compute again, with all its tokens, what a branch has left; else as the preset.

        Returns:
            How far the run has come; the last one holds the answer.
        """
        settings: dict[str, Any] = {
            "gen_length": gen_length, "commit_threshold": commit_threshold, "merge_threshold": merge_threshold,
            "sync_threshold": sync_threshold, "refresh_interval": refresh_interval, "temperature": temperature,
            "seed": seed,
        }  # fmt: skip
        of_preset = {
            "block_sizes": block_sizes, "stop_at_text_end": stop_at_text_end, "eos_in_order": eos_in_order,
            "forced_reach": forced_reach, "joint_threshold": joint_threshold, "lookahead": lookahead,
            "settle_windows": settle_windows,
        }  # fmt: skip
        settings |= {name: value for name, value in of_preset.items() if value is not None}

        def begin(warn: Callable[[str], object]) -> Iterator[tuple[str, str]]:
            config = DecodeConfig.preset(preset, **settings)
            return runs.stream(text("prompt", {"prompt": prompt}), config, pace_of(pace), warn)

        yield from progress(begin, with_trace)

    def fork(trace: str, step: int, changes: dict[str, float], with_trace: bool = True) -> Progress:  # type: ignore[misc]
        """Repeat a recorded run up to a step and go on under other thresholds, streamed as `generate` does.

        Args:
            trace: The recorded run, NDJSON, whole or as far as it has come.
            step: The last step to repeat, counted from 0 as in the trace.
            changes: The new commit_threshold or merge_threshold or both, each 0 to 2.
            with_trace: Whether every step is in the answer, as NDJSON; without them the answer is short.

        Returns:
            How far the new run has come; the last one holds its answer.
        """

        def begin(warn: Callable[[str], object]) -> Iterator[tuple[str, str]]:
            order = orders.make({"kind": "fork", "trace": trace, "step": step, "changes": changes})
            return runs.follow(order, FULL_SPEED, warn)

        yield from progress(begin, with_trace)

    def steer(key: str, changes: dict[str, Any]) -> bool:
        """Change a run while it goes on, from its next step.

        Args:
            key: The key of the run, as `generate` streams it.
            changes: By name, block_sizes, any threshold, refresh_interval, temperature, pace, paused or stopped.

        Returns:
            Whether the run still went on.
        """
        with sentences():
            known_key, wishes = text("key", {"key": key}), wishes_of(changes)
            going_on = runs.store.holds(known_key)
            runs.store.change(known_key, **wishes)
            return going_on

    def models() -> list[ModelInfo]:
        """List the models that runs can be started with: the one that is loaded, or none.

        Returns:
            For each its id, the most tokens of prompt and answer together, the device and the number format.
        """
        return [engine.model] if engine.model else []

    for stream in (generate, fork):
        api(stream, **turns(streams))
    for at_once in (steer, models):
        api(at_once, queue=False)
    for endpoint in page.fns.values():
        if endpoint.fn in (generate, fork, steer, models):
            label(endpoint)


def label(endpoint: BlockFunction) -> None:
    """Let the schema say of each parameter what the docstring says of it, rather than its number."""
    assert endpoint.fn is not None
    _, about, _ = get_function_description(endpoint.fn)
    for component, sentence in zip(endpoint.inputs, about.values(), strict=True):
        assert isinstance(component, Component)
        component.label = sentence
