"""Wishes that another process sees: a run that decodes in a forked one is steered from here."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from scripted import ScriptedModel

from blockbatch.config import DecodeConfig
from blockbatch.errors import BlockBatchError
from blockbatch.events import Add, ConfigChange, Drop, Event, Resize
from blockbatch.reading import parse_trace
from blockbatch.run import Run
from blockbatch.trace import Trace
from ui import shared_store
from ui.interface import control_store
from ui.live import settings_of
from ui.session import ControlStore, LocalControlStore, Wishes
from ui.settings import Settings
from ui.shared_store import SharedControlStore
from ui.steering import Beginning, Obeyed, Steering

CONFIG = DecodeConfig(gen_length=64, block_sizes=(4, 8, 32))
PATIENCE = 30.0


class ForkedRun:
    """A run that decodes in a forked process and sends its texts here; `text` is what has come so far."""

    def __init__(self, store: ControlStore, pace: float) -> None:
        self.key = store.open(Wishes(pace=pace))
        self.text = ""
        fork = multiprocessing.get_context("fork")
        self._texts, there = fork.Pipe(duplex=False)
        self.process = fork.Process(target=decode, args=(store, self.key, there))
        self.process.start()
        there.close()

    @property
    def steps(self) -> int:
        return self.text.count('{"type":"step"')

    def read_until(self, enough: Callable[[], bool]) -> None:
        given_up = time.monotonic() + PATIENCE
        while not enough():
            assert time.monotonic() < given_up
            if self._texts.poll(0.1):
                self.text += self._texts.recv()

    def read_to_the_end(self) -> Trace:
        self.read_until(lambda: '{"type":"end"' in self.text)
        self.process.join(PATIENCE)
        return parse_trace("".join(f"{line}\n" for line in self.text.splitlines() if '"session"' not in line[:20]))


def decode(store: ControlStore, key: str, texts: Connection) -> None:
    """What the forked process does: the same as a live run."""
    run = Run(ScriptedModel(), "any prompt", CONFIG)
    for part in Steering(run, Beginning(Obeyed(settings_of(CONFIG))), store, key):
        assert isinstance(part, str), part
        if part:
            texts.send(part)


@pytest.fixture
def forked() -> Iterator[Callable[[ControlStore, float], ForkedRun]]:
    runs: list[ForkedRun] = []

    def start(store: ControlStore, pace: float) -> ForkedRun:
        runs.append(ForkedRun(store, pace))
        return runs[-1]

    yield start
    for run in runs:
        run.process.kill()


def changes(trace: Trace) -> list[tuple[int, Event]]:
    """The changes that a visitor made, each with its step."""
    kinds = Add | Drop | Resize | ConfigChange
    return [(step.index, event) for step in trace.steps for event in step.events if isinstance(event, kinds)]


def test_a_forked_decode_takes_up_block_sizes_that_change_here_and_stops(
    tmp_path: Path, forked: Callable[..., ForkedRun]
) -> None:
    store = SharedControlStore(tmp_path / "wishes")
    run = forked(store, 10.0)
    run.read_until(lambda: run.steps >= 2)
    store.resize(run.key, 32, 48)
    store.change(run.key, settings={"block_sizes": [8, 48, 256], "commit_threshold": 0.95})
    seen = run.steps
    run.read_until(lambda: '"type":"resize"' in run.text)
    assert run.steps - seen <= 2, "the next step takes it up; one more may have been on its way"
    store.change(run.key, stopped=True)
    trace = run.read_to_the_end()
    made = changes(trace)
    assert {type(event).__name__ for _, event in made} == {"Resize", "Add", "Drop", "ConfigChange"}
    assert len({step for step, _ in made}) == 1
    assert {Add(256, next(event.source for _, event in made if isinstance(event, Add))), Drop(4), Resize(32, 48)} <= {
        event for _, event in made if not isinstance(event, ConfigChange)
    }
    assert [state.branch for state in trace.steps[-1].branches] == [8, 48, 256]
    assert trace.end is not None
    assert trace.end.stop == "stopped"


def test_a_forked_decode_pauses_takes_single_steps_and_goes_on(
    tmp_path: Path, forked: Callable[..., ForkedRun]
) -> None:
    store = SharedControlStore(tmp_path / "wishes")
    run = forked(store, 10.0)
    store.change(run.key, paused=True)
    run.read_until(lambda: '"status":"paused"' in run.text)
    before = run.steps
    store.step(run.key)
    run.read_until(lambda: run.steps == before + 1)
    quiet = time.monotonic() + 0.5
    run.read_until(lambda: time.monotonic() > quiet)
    assert run.steps == before + 1
    store.change(run.key, paused=False, pace=0.0)
    trace = run.read_to_the_end()
    assert trace.end is not None
    assert trace.end.stop in ("eos", "complete")
    assert len(trace.steps) > before + 1


def test_a_run_that_is_closed_here_ends_there(tmp_path: Path, forked: Callable[..., ForkedRun]) -> None:
    """As when its visitor closes the tab."""
    store = SharedControlStore(tmp_path / "wishes")
    run = forked(store, 10.0)
    run.read_until(lambda: run.steps >= 1)
    seen = run.steps
    store.close(run.key)
    trace = run.read_to_the_end()
    assert trace.end is not None
    assert trace.end.stop == "stopped"
    assert len(trace.steps) <= seen + 2


def test_the_memory_of_one_process_does_not_reach_another(forked: Callable[..., ForkedRun]) -> None:
    """Why there are two backends."""
    store = LocalControlStore()
    run = forked(store, 0.0)
    store.change(run.key, settings={"block_sizes": [8]}, stopped=True)
    trace = run.read_to_the_end()
    assert trace.end is not None
    assert trace.end.stop != "stopped"
    assert not changes(trace)


def test_a_key_is_never_a_path(tmp_path: Path) -> None:
    store = SharedControlStore(tmp_path / "wishes")
    for key in ("../outside", "/etc/passwd", "", "a" * 25, "lock", "\u00e4" * 24):
        store.change(key, stopped=True)
        store.close(key)
        assert not store.holds(key)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["lock"]


def test_nobody_else_can_look_into_it(tmp_path: Path) -> None:
    store = SharedControlStore(tmp_path / "wishes")
    store.open(Wishes())
    assert (tmp_path / "wishes").stat().st_mode & 0o077 == 0


def test_entries_of_runs_that_died_are_cleared_away_and_those_that_are_read_are_kept(tmp_path: Path) -> None:
    store = SharedControlStore(tmp_path)
    died, alive = store.open(Wishes()), store.open(Wishes(pace=2))
    old = time.time() - shared_store.STALE_SECONDS - 1
    for path in tmp_path.glob("*.json"):
        os.utime(path, (old, old))
    assert store.read(alive).pace == 2
    store.open(Wishes())
    assert (store.holds(died), store.holds(alive)) == (False, True)


def test_a_folder_of_somebody_else_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_store, "SHARED_MEMORY", tmp_path)
    folder = shared_store.own_folder()
    assert folder.parent == tmp_path
    assert shared_store.own_folder() == folder
    folder.chmod(0o777)
    with pytest.raises(BlockBatchError, match="not a folder of this user alone"):
        shared_store.own_folder()
    folder.rmdir()
    folder.symlink_to(tmp_path)
    with pytest.raises(BlockBatchError, match="not a folder of this user alone"):
        shared_store.own_folder()


def test_the_backend_is_chosen_at_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_store, "SHARED_MEMORY", tmp_path)
    for environment, backend in (
        ({}, LocalControlStore),
        ({"BLOCKBATCH_CONTROL": "shared"}, SharedControlStore),
        ({"SPACES_ZERO_GPU": "true"}, SharedControlStore),
        ({"SPACES_ZERO_GPU": "true", "BLOCKBATCH_CONTROL": "local"}, LocalControlStore),
        ({"SPACES_ZERO_GPU": "false"}, LocalControlStore),
    ):
        assert type(control_store(Settings.from_environment(environment))) is backend
    with pytest.raises(BlockBatchError, match=r"BLOCKBATCH_CONTROL is 'dict', but must be one of local, shared\."):
        Settings.from_environment({"BLOCKBATCH_CONTROL": "dict"})
