"""Live runs as streams of text, on a clock that only moves when somebody sleeps."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from scripted import ScriptedModel

from blockbatch.config import Config, DecodeConfig
from blockbatch.errors import BlockBatchError, PromptError
from blockbatch.events import STRUCTURE, ConfigChange, Resize
from blockbatch.reading import parse_trace
from blockbatch.run import Run
from ui.branches import resize
from ui.engine import engine_of
from ui.live import LiveRuns, Order, settings_of
from ui.session import FULL_SPEED, LocalControlStore, Turnstile, Wishes
from ui.steering import Beginning, Obedience, Obeyed, Parked, Part, Refusal, Steering
from ui.viewer import trace_text

CONFIG = DecodeConfig(gen_length=64)


class Clock:
    """Time that passes by sleeping, and a little with every look."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1e-4
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class Stage:
    """Live runs of the scripted model, whose prompts say nothing."""

    def __init__(self, places: int = 2, start: Callable[[str, Config], Any] | None = None) -> None:
        self.clock, self.store, self.warnings = Clock(), LocalControlStore(), list[str]()
        self.started: list[Any] = []
        self.kept: list[str] = []
        self.runs = LiveRuns(
            start or self.begin, self.store, Turnstile(places), keep=self.kept.append, clock=self.clock,
            sleep=self.clock.sleep,
        )  # fmt: skip

    def begin(self, prompt: str, config: Config) -> Run:
        self.started.append(Run(ScriptedModel(), prompt, config))
        return self.started[-1]

    def stream(
        self, pace: float = FULL_SPEED, config: DecodeConfig = CONFIG, prompt: str = "any prompt"
    ) -> Iterator[tuple[str, str]]:
        return self.runs.stream(prompt, config, pace, self.warnings.append)


def steps_in(text: str) -> int:
    return text.count('{"type":"step"')


def test_the_text_only_grows_and_ends_as_a_whole_trace() -> None:
    stage = Stage()
    texts = [text for _, text in stage.stream()]
    assert all(after.startswith(before) for before, after in pairwise(texts))
    assert json.loads(texts[0].splitlines()[0]) == {"type": "session", "status": "live"}
    assert parse_trace(trace_text(texts[-1])).end == stage.started[0].trace.end
    assert len(stage.store) == 0


def test_a_run_is_kept_as_it_ends_and_as_its_page_would_share_it() -> None:
    stage = Stage()
    texts = [text for _, text in stage.stream()]
    assert stage.kept == [trace_text(texts[-1])]
    assert parse_trace(stage.kept[0]).end == stage.started[0].trace.end


def test_a_stopped_run_is_kept_as_far_as_it_came() -> None:
    stage = Stage()
    for key, text in stage.stream(pace=5):
        if steps_in(text) == 3:
            stage.store.change(key, stopped=True)
    (kept,) = stage.kept
    assert parse_trace(kept).end.stop == "stopped"  # type: ignore[union-attr]


def test_a_run_whose_page_was_closed_is_kept_only_if_it_had_ended() -> None:
    stage = Stage()
    for ended in (False, True):
        stream = stage.stream()
        while ('"type":"end"' in next(stream)[1]) != ended:
            pass
        assert not stage.kept
        stream.close()  # type: ignore[attr-defined]
        assert len(stage.kept) == ended


def test_updates_are_at_most_twenty_a_second_and_steps_keep_the_pace() -> None:
    stage = Stage()
    times = [stage.clock.now for _ in stage.stream(pace=10)]
    gaps = [after - before for before, after in pairwise(times[1:-1])]
    assert min(gaps) >= 0.05
    steps = len(stage.started[0].trace.steps)
    assert steps / 10 * 0.9 < times[-1] < steps / 10 * 1.5


def test_steps_that_come_twenty_times_a_second_do_not_wait_for_each_other() -> None:
    class Paced(Run):
        def __iter__(self) -> Iterator[str]:
            for number, line in enumerate(super().__iter__()):
                stage.clock.now = max(stage.clock.now, 0.051 * number)
                yield line

    stage = Stage(start=lambda prompt, config: Paced(ScriptedModel(), prompt, config))  # type: ignore[arg-type]
    counts = []
    for _, text in stage.stream():
        counts.append(steps_in(text))
        stage.clock.sleep(0.01)  # what it takes to send an update
    begun = counts[2:]  # the first step follows the header too soon for an update of its own
    assert max(after - before for before, after in pairwise(begun)) == 1


def test_a_knob_acts_at_the_next_step_and_is_marked() -> None:
    stage = Stage()
    text = ""
    for key, text in stage.stream(pace=5):
        if steps_in(text) == 4:
            stage.store.change(key, settings={"commit_threshold": 0.7, "block_sizes": [8, 16, 32, 64, 128]})
    changed = [
        (step.index, type(event).__name__)
        for step in parse_trace(trace_text(text)).steps
        for event in step.events
        if type(event).__name__ in ("ConfigChange", "Drop")
    ]
    assert changed == [(4, "ConfigChange"), (4, "Drop")]


def test_a_branch_is_resized_and_keeps_its_row() -> None:
    stage = Stage()
    text = ""
    for key, text in stage.stream(pace=5):
        if steps_in(text) == 3 and not stage.store.read(key).resizes:
            stage.store.resize(key, 32, 48)
            stage.store.change(key, settings={"block_sizes": [4, 8, 16, 48, 64, 128]})
    names = [type(event).__name__ for step in parse_trace(trace_text(text)).steps for event in step.events]
    assert names.count("Resize") == 1
    assert "Add" not in names
    assert "Drop" not in names
    assert not stage.warnings


@pytest.mark.parametrize("bad", [{"commit_threshold": "high"}, {"block_sizes": []}, {"refresh_interval": 0}])
def test_a_bad_knob_is_one_sentence_and_the_run_goes_on(bad: dict[str, Any]) -> None:
    stage = Stage()
    texts = []
    for key, text in stage.stream(pace=5):
        stage.store.change(key, settings=bad)
        texts.append(text)
    assert len(stage.warnings) == 1
    assert stage.warnings[0].startswith(next(iter(bad)))
    assert parse_trace(trace_text(texts[-1])).end.stop in ("eos", "complete")  # type: ignore[union-attr]


def test_stop_ends_after_the_step_in_hand_and_leaves_a_usable_trace() -> None:
    stage = Stage()
    text = ""
    for key, text in stage.stream(pace=5):
        if steps_in(text) == 3:
            stage.store.change(key, stopped=True)
    trace = parse_trace(trace_text(text))
    assert trace.end is not None
    assert trace.end.stop == "stopped"
    assert len(trace.steps) <= 4


def test_a_paused_run_takes_single_steps_only() -> None:
    stage = Stage()
    seen = []
    for update, (key, text) in enumerate(stage.stream(pace=FULL_SPEED)):
        seen.append(steps_in(text))
        if update == 0:
            stage.store.change(key, paused=True)
        elif update in (5, 9):
            stage.store.step(key)
        elif update == 14:
            stage.store.change(key, paused=False)
    assert seen[4] == seen[5] == 1
    assert seen[8] == 2
    assert seen[13] == 3
    assert seen[-1] > 3


def test_a_closed_tab_ends_the_run_and_frees_its_place() -> None:
    stage = Stage(places=1)
    stream = stage.stream(pace=5)
    while steps_in(next(stream)[1]) < 2:
        pass
    stream.close()
    assert len(stage.store) == 0
    assert len(stage.started[0].trace.steps) == 2
    assert '"queued"' not in next(stage.stream())[1]


def test_what_never_equals_itself_is_refused_once() -> None:
    stage = Stage()
    key, _ = next(stream := stage.stream(pace=5))
    stage.store.change(key, settings={"commit_threshold": float("nan")})
    assert '"type":"end"' in list(stream)[-1][1]
    assert stage.warnings == ["commit_threshold is nan, but must be a number from 0 to 2."]


def test_a_branch_that_is_switched_on_and_resized_in_a_pause_is_added_at_its_last_size() -> None:
    stage = Stage()
    key, _ = next(stream := stage.stream(pace=5))
    stage.store.change(key, settings={"block_sizes": [4, 8, 48]})
    stage.store.resize(key, 48, 50, {"block_sizes": [4, 8, 50]})
    trace = parse_trace(trace_text(list(stream)[-1][1]))
    assert [state.branch for state in trace.steps[-1].branches] == [4, 8, 50]
    assert not stage.warnings


def test_a_resize_is_never_seen_without_the_sizes_that_follow_from_it() -> None:
    """A decode may look at its wishes between any two writes; here it does after each."""

    made: list[dict[str, Any]] = []

    class Watched(LocalControlStore):
        def _write(self, key: str, wishes: Wishes) -> None:
            super()._write(key, wishes)
            assert not list(obedience.obey(wishes))

    run: Any = SimpleNamespace(reconfigure=lambda **changes: made.append(changes))
    obedience = Obedience(run, {"block_sizes": [4, 32]})
    store = Watched()
    key = store.open(Wishes({"block_sizes": [4, 32]}))  # as when a chip was switched off and on before
    resize(store, key, [4, 32], ["4", "32"], "32", "48")
    assert made == [{"block_sizes": [4, 48], "resize": {32: 48}}]


def test_a_run_is_ended_and_its_last_update_awaited_before_another_takes_its_place() -> None:
    stage = Stage()
    stream = stage.stream(pace=5)
    key, text = next(stream)
    naps: list[float] = []

    def sleep(seconds: float) -> None:
        nonlocal text
        naps.append(seconds)
        text = list(stream)[-1][1]

    replace(stage.runs, sleep=sleep).end(key)
    assert len(naps) == 1
    assert parse_trace(trace_text(text)).end.stop == "stopped"  # type: ignore[union-attr]
    for over in (key, None, "invented"):
        stage.runs.end(over)


def test_a_run_that_does_not_end_in_time_is_left_to_itself() -> None:
    stage = Stage()
    key, _ = next(stream := stage.stream(pace=5))
    with pytest.raises(BlockBatchError, match="still in a forward"):
        stage.runs.end(key)
    assert stage.store.read(key).stopped
    stream.close()


def test_a_run_may_take_only_so_long() -> None:
    clock, store = Clock(), LocalControlStore()
    key = store.open(Wishes(paused=True))
    run = Run(ScriptedModel(), "any prompt", CONFIG)
    parts = list(
        Steering(run, Beginning(Obeyed(settings_of(CONFIG))), store, key, seconds=3.0, clock=clock, sleep=clock.sleep)
    )
    assert 3.0 < clock.now < 3.2
    (refusal,) = [part for part in parts if isinstance(part, Refusal)]
    assert refusal.sentence == "The run was stopped: 3 seconds are as long as one may take here."
    assert run.trace.end is not None
    assert (run.trace.end.stop, len(run.trace.steps)) == ("stopped", 1)


class Away(Stage):
    """Live runs that are decoded elsewhere, where a pause may last `patience` seconds; `jobs` are how each was made."""

    def __init__(self, patience: float) -> None:
        super().__init__(places=1)
        self.patience, self.jobs, self.engine = patience, list[str](), engine_of(ScriptedModel())
        self.runs.elsewhere = self.decode

    def decode(self, order: Order, key: str) -> Iterator[Part | Parked]:
        self.jobs.append(order.job.how)
        run = order.job.made_by(self.engine)
        steering = Steering(run, order.begin, self.store, key, patience=self.patience, clock=self.clock)
        yield from replace(steering, sleep=self.clock.sleep)

    def paused_at(self, step: int) -> tuple[str, str, Iterator[tuple[str, str]]]:
        """A run that was paused after so many steps, and has stood for longer than it may there."""
        stream = self.stream(pace=5)
        key, text = next(stream)
        while steps_in(text) < step:
            key, text = next(stream)
        self.store.change(key, paused=True)
        until = self.clock.now + self.patience + 5
        while self.clock.now < until:
            key, text = next(stream)
        return key, text, stream


def changed_on_its_way(patience: float) -> tuple[Away, str]:
    """A run whose settings and block sizes are changed, also in a pause of ten seconds."""
    away, text, going_on = Away(patience), "", float("inf")
    for key, text in away.stream(pace=5):
        steps, wishes = steps_in(text), away.store.read(key)
        if steps == 2:
            away.store.change(key, settings={"commit_threshold": 0.7})
        elif steps == 4 and not wishes.resizes:
            away.store.resize(key, 32, 48, {"block_sizes": [4, 8, 16, 48, 64, 128]})
        elif steps == 5 and len(wishes.resizes) == 1:
            away.store.resize(key, 48, 32, {"block_sizes": [4, 8, 16, 32, 64, 128]})
        elif steps == 6 and going_on == float("inf"):
            away.store.change(key, paused=True)
            going_on = away.clock.now + 10
        elif away.clock.now > going_on and wishes.paused:
            away.store.change(key, settings={"merge_threshold": 0.3}, paused=False)
    return away, text


def test_a_run_that_was_parked_goes_on_as_if_it_had_stood_still() -> None:
    (parked, text), (stood, other) = changed_on_its_way(patience=3), changed_on_its_way(patience=1e6)
    assert (parked.jobs, stood.jobs) == (["start", "resume"], ["start"])
    assert parked.warnings == stood.warnings == []
    statuses = [json.loads(line)["status"] for line in text.splitlines() if '"session"' in line]
    assert statuses == ["live", "paused", "live"]
    trace, expected = parse_trace(trace_text(text)), parse_trace(trace_text(other))
    happened = [[(step.branches, step.events) for step in each.steps] for each in (trace, expected)]
    assert happened[0] == happened[1]
    ends = [each.end and (each.end.winner, each.end.text, each.end.stop) for each in (trace, expected)]
    assert ends[0] == ends[1] is not None
    assert [(step.index, e) for step in trace.steps for e in step.events if isinstance(e, STRUCTURE)] == [
        (2, ConfigChange("commit_threshold", 0.9, 0.7)), (4, Resize(32, 48)), (5, Resize(48, 32)),
        (6, ConfigChange("merge_threshold", 0.5, 0.3)),
    ]  # fmt: skip


def test_a_parked_run_leaves_its_place_to_others_and_waits_for_its_turn() -> None:
    away = Away(3.0)
    key, text, stream = away.paused_at(3)
    assert '"end"' in list(away.stream())[-1][1]
    other = away.stream(pace=1)
    next(other)
    away.store.change(key, paused=False)
    for _ in range(3):
        key, text = next(stream)
    assert json.loads(text.splitlines()[-1]) == {"type": "session", "status": "queued", "place": 1}
    other.close()
    text = list(stream)[-1][1]
    assert parse_trace(trace_text(text)).end.stop in ("eos", "complete")  # type: ignore[union-attr]
    assert len(away.store) == 0


def test_single_steps_of_a_parked_run_are_taken_one_by_one() -> None:
    away = Away(3.0)
    key, text, stream = away.paused_at(3)
    for wanted in (4, 5):
        away.store.step(key)
        until = away.clock.now + 10
        while away.clock.now < until:
            _, text = next(stream)
        assert steps_in(text) == wanted
    assert away.jobs == ["start", "resume", "resume"]
    stream.close()
    assert len(away.store) == 0


def test_a_parked_run_that_is_stopped_asks_for_no_device() -> None:
    away = Away(3.0)
    key, text, stream = away.paused_at(3)
    assert '"end"' not in text
    away.store.change(key, stopped=True)
    trace = parse_trace(trace_text(list(stream)[-1][1]))
    assert trace.end
    assert (trace.end.stop, len(trace.steps), away.jobs) == ("stopped", 3, ["start"])
    assert away.kept == [trace_text(text) + line + "\n" for line in list(trace.lines())[-1:]]


def test_a_run_that_stays_parked_is_stopped_after_an_hour() -> None:
    away = Away(3.0)
    _, _, stream = away.paused_at(3)
    text = list(stream)[-1][1]
    assert 3600 < away.clock.now < 3700
    assert away.warnings == ["The run was stopped, for it was paused for 60 minutes; fork it to go on."]
    assert parse_trace(trace_text(text)).end.stop == "stopped"  # type: ignore[union-attr]


def test_one_run_too_many_waits_and_says_its_place() -> None:
    stage = Stage(places=1)
    first, second, third = stage.stream(pace=1), stage.stream(), stage.stream()
    next(first)
    next(second)
    assert json.loads(next(third)[1].splitlines()[-1]) == {"type": "session", "status": "queued", "place": 2}
    second.close()
    assert json.loads(next(third)[1].splitlines()[-1])["place"] == 1
    first.close()
    assert '"end"' in list(third)[-1][1]


def test_a_run_that_cannot_start_is_an_error_and_takes_no_place() -> None:
    stage = Stage(places=1)
    with pytest.raises(PromptError):
        next(stage.runs.stream("  ", CONFIG, FULL_SPEED, stage.warnings.append))
    assert len(stage.store) == 0
    assert '"queued"' not in next(stage.stream())[1]


def test_a_run_that_breaks_keeps_what_it_recorded() -> None:
    class Broken:
        def __iter__(self) -> Iterator[str]:
            yield '{"type":"header"}'
            yield '{"type":"step"}'
            raise RuntimeError("out of memory")

        def reconfigure(self, **changes: Any) -> None: ...

        def stop(self) -> None: ...

    stage = Stage(start=lambda prompt, config: Broken())
    text = list(stage.stream())[-1][1]
    assert text.endswith('{"type":"step"}\n{"type":"session","status":"failed"}\n')
    assert len(stage.warnings) == 1
    assert "out of memory" in stage.warnings[0]
    assert not stage.kept, "it has no end"
