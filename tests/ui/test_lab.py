"""The lab behind its components: sweeps as updates of the page, and figures of a run that a browser sends."""

from __future__ import annotations

import inspect
import json
import re
import threading
import time
from collections.abc import Generator, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import gradio as gr
import pytest
from gradio.helpers import special_args
from runs import Unsure
from scripted import ScriptedModel

from blockbatch.bench.sweep import PARAMETERS
from blockbatch.bench.sweep_file import points_from_json
from blockbatch.config import DecodeConfig
from blockbatch.errors import BlockBatchError
from blockbatch.run import Run
from blockbatch.trace import Trace
from blockbatch.trajectory import Trajectory
from ui import lab, labplot, studycard
from ui.engine import Engine
from ui.interface import create_ui
from ui.knobs import options_card, threshold_card
from ui.live import LiveRuns
from ui.session import LocalControlStore, Turnstile, Wishes
from ui.settings import Settings
from ui.studies import STUDIES
from ui.sweeping import ALL, NOTHING, TYPED, Sweep, decode
from ui.viewer import asset

SETTINGS = DecodeConfig(gen_length=48).to_dict()
FIELDS = ("commit_threshold", 0.5, 0.9, 3, NOTHING, 0, 0, 0, TYPED, 1)
TWO = (*FIELDS[:4], "merge_threshold", 0.3, 0.5, 2, *FIELDS[8:])


@pytest.fixture
def text() -> str:
    """A run whose branches part."""
    model: Any = Unsure()
    return "\n".join(Run(model, "any prompt", DecodeConfig(gen_length=64, commit_threshold=0.8))) + "\n"


def live() -> LiveRuns:
    return LiveRuns(lambda prompt, config: Run(ScriptedModel(), prompt, config), LocalControlStore(), Turnstile(1))


def asked(fields: Any = FIELDS, was: Sweep | None = None, **changes: Any) -> Sweep:
    return lab.asked(fields, "any prompt", {**SETTINGS, **changes}, was, "nfe")


def finished(fields: Any = FIELDS) -> Sweep:
    sweep = asked(fields)
    list(decode(sweep, live(), 30, pytest.fail))
    return sweep


def sent(**data: Any) -> Any:
    return SimpleNamespace(_data=data)


def test_a_sweep_shows_its_progress_and_frees_the_buttons_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lab, "SECONDS_BETWEEN_FIGURES", 0.0)
    updates = list(lab.sweep_updates(live(), asked, 30))
    shares = [json.loads(value)["share"] for _, value, *_ in updates if isinstance(value, str)]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0, 1)
    assert len(set(shares)) == 4, "every finished run is shown"
    first, last = updates[0], updates[-1]
    assert [button.interactive for button in first[2:]] == [False, True]
    assert [button.interactive for button in last[2:]] == [True, False]
    shown = json.loads(last[1])
    assert [point.cell.index for point in points_from_json(shown["file"]["text"])] == [0, 1, 2]
    assert set(shown["points"]) == {"0", "1", "2"}


def test_a_sweep_goes_on_from_what_the_one_before_has_done_of_it() -> None:
    was = finished()
    assert asked(was=was).kept == was.kept
    assert asked(was=was) is not was, "one that was stopped may still end its last run"
    assert asked(TWO, was).kept == {(2 * value + 1, 0): run for (value, _), run in was.kept.items()}
    assert asked(("commit_threshold", 0.7, 0.9, 2, *FIELDS[4:]), was).kept == {
        (0, 0): was.kept[1, 0],
        (1, 0): was.kept[2, 0],
    }
    assert not asked(was=was, temperature=0.5).kept
    assert not asked((*FIELDS[:8], "functions", 1), was).kept


def test_a_sweep_that_waits_says_its_place_as_a_run_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lab, "SECONDS_BETWEEN_FIGURES", 0.0)
    runs = live()
    runs.turnstile.enter("other")
    going = lab.sweep_updates(runs, asked, 30)
    next(going)
    assert json.loads(next(going)[1])["says"] == "0 of 3 runs done; queued, place 1."
    assert "queued, place ${session.place}" in asset("status.mjs")
    runs.turnstile.leave("other")
    said = [json.loads(value)["says"] for _, value, *_ in going if isinstance(value, str)]
    assert said[0] == "0 of 3 runs done."
    assert said[-1].startswith("All 3 runs done.")


def test_a_finished_run_is_drawn_in_time_though_the_next_one_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lab, "decode", lambda *_: iter([True, False, False, False]))
    times = iter([0.0, 0.1, 0.2, 0.9, 0.9, 1.9])
    values = [value for _, value, *_ in lab.sweep_updates(live(), asked, 30, lambda: next(times))]
    assert [value != gr.skip() for value in values] == [True, False, False, True, False, True]


def test_what_cannot_be_swept_is_one_warning_and_nothing_changes(warnings_shown: list[str]) -> None:
    def cannot() -> Sweep:
        raise BlockBatchError("No.")

    [(state, value, run, stop)] = lab.sweep_updates(live(), cannot, 30)
    assert (state, value) == (gr.skip(), gr.skip())
    assert (run.interactive, stop.interactive) == (True, False)
    assert warnings_shown == ["No."]


def test_a_point_says_what_came_of_it_and_offers_wrong_answers_first() -> None:
    sweep = finished((*FIELDS[:8], "functions", 6))
    for point in sweep.points:
        assert point.right is not None
        about = lab.described(point, sweep.by_cell[point.cell.index], sweep.tasks)
        assert about.says.endswith(f"over 6 prompts; {point.right.hits} of 6 right.")
        judged = [act.title.partition(", ")[2].partition(":")[0] for act in about.acts[:-1]]
        assert judged == sorted(judged, key=["wrong", "right"].index)
        assert about.acts[-1].does == "apply"


def test_each_run_of_a_point_is_offered_by_its_family_and_the_beginning_of_its_prompt() -> None:
    sweep = finished(("commit_threshold", 0.5, 0.5, 1, *FIELDS[4:8], ALL, 3))
    [point] = sweep.points
    about = lab.described(point, sweep.by_cell[0], sweep.tasks)
    assert about.says.endswith(" 8 of its runs can be opened, wrong answers first.")
    assert len(about.acts) == 9
    for act in about.acts[:-1]:
        index, task = sweep.tasks[act.of]
        named, words = re.fullmatch(r"Open (.*), (?:wrong|right): (.*)", act.title).groups()  # type: ignore[union-attr]
        assert named == f"{task.family} {index + 1}"
        assert " ".join(task.prompt.split()).startswith(words.removesuffix("\u2026"))


@pytest.mark.parametrize(
    ("prompt", "words"), [("a\n  b", "a b"), ("x" * 40, "x" * 40), ("x " * 40, "x " * 19 + "x\u2026"), ("", "")]
)
def test_a_prompt_begins_in_one_line(prompt: str, words: str) -> None:
    assert lab.beginning(prompt) == words


def test_a_file_of_a_sweep_says_what_all_its_runs_have_in_common() -> None:
    written = json.loads(lab.saved(finished(TWO)).text)
    settings, configs = written["settings"], [point["config"] for point in written["points"]]
    assert (settings["model"], settings["device"], settings["gen_length"]) == ("scripted", "cpu", 48)
    assert settings["versions"]
    assert not {"commit_threshold", "merge_threshold"} & set(settings)
    for config in configs:
        assert {name: settings[name] for name in config if name in settings} == {
            name: value for name, value in config.items() if name not in ("commit_threshold", "merge_threshold")
        }
    assert asked().settings == {}
    assert "block_sizes" not in finished(("branches", *FIELDS[1:])).settings


def test_wrong_answers_come_first_and_else_the_order_stays() -> None:
    [(_, run)] = finished().by_cell[0]
    judged = {0: True, 1: False, 2: None, 3: False}
    runs = [(n, run._replace(outcome=replace(run.outcome, correct=correct))) for n, correct in judged.items()]
    assert [place for place, _ in lab.worst_first(runs)] == [1, 3, 0, 2]


def test_a_point_opens_its_run() -> None:
    sweep = finished()
    value, *_ = lab.opened(sweep, sent(point=1, of=0))
    head, run = value.split("\n", 1)
    assert "commit threshold 0.7, the prompt" in head
    assert run == sweep.kept[1, 0].text


@pytest.mark.parametrize(
    "data",
    [{}, {"point": 99, "of": 0}, {"point": "x", "of": 0}, {"point": None, "of": []}, {"point": float("inf"), "of": 0}],
)
def test_a_run_that_is_not_kept_is_one_warning(data: dict[str, Any], warnings_shown: list[str]) -> None:
    for sweep, event in ((finished(), sent(**data)), (None, sent(point=0, of=0))):
        value, run, *others = lab.opened(sweep, event)
        assert value == gr.skip()
        assert run.interactive, "the event has ended the run that went on"
        assert not any(button.interactive for button in others)
    assert len(warnings_shown) == 2


def test_a_points_values_reach_the_knobs_and_the_run_that_goes_on() -> None:
    store = LocalControlStore()
    key = store.open(Wishes())
    commit, merge, *others = lab.used(store, finished(TWO), key, [4, 8], sent(point=5, of=0))
    assert (commit, merge) == (0.9, 0.5)
    assert others == [gr.skip()] * 8
    assert store.read(key).settings == {"commit_threshold": 0.9, "merge_threshold": 0.5}


def test_a_points_branches_become_chips() -> None:
    sweep = asked(("branches", *FIELDS[1:]), block_sizes=[4, 48])
    *_, known, sizes, resizable = lab.used(LocalControlStore(), sweep, None, [4, 8], sent(point=2, of=0))
    assert known == [4, 8, 48]
    assert sizes.value == ["4", "48"]
    assert resizable.value == "48"


def test_values_of_a_point_that_is_not_there_change_nothing() -> None:
    for data in ({}, {"point": 3, "of": 0}, {"point": -1, "of": 0}, {"point": float("inf"), "of": 0}):
        assert lab.used(LocalControlStore(), finished(), None, [4], sent(**data)) == (gr.skip(),) * 10


def test_all_that_the_lab_sends_reaches_its_function() -> None:
    engine = Engine(start=lambda prompt, config: Run(ScriptedModel(), prompt, config))
    page = create_ui(engine, Settings())
    plots = {block._id for block in page.blocks.values() if isinstance(block, labplot.LabPlot)}
    told = [fn for fn in page.fns.values() for target, _ in fn.targets if target in plots and fn.fn]
    assert len(told) == 3, "a figure of the run, a run of a sweep, and a point's values"
    for fn in told:
        data = gr.EventData(None, {"point": 0})
        given, *_ = special_args(fn.fn, [None] * len(fn.inputs), None, data)
        assert given[-1]._data is data._data
        inspect.signature(fn.fn).bind(*given)


def test_the_measure_of_a_sweep_is_kept_for_what_comes() -> None:
    sweep = finished(TWO)
    before = json.loads(lab.measured(sweep, "nfe"))["figure"]
    assert sweep.measure == "nfe"
    assert json.loads(lab.measured(sweep, "accuracy"))["figure"] != before
    assert sweep.measure == "accuracy"
    assert lab.measured(None, "nfe") == gr.skip()
    assert json.loads(lab.measured(sweep, None))["figure"] == before, "a browser may send anything"


def test_a_sweep_that_goes_on_still_does_when_its_map_shows_something_else() -> None:
    going = lab.sweep_updates(live(), lambda: asked(TWO), 30)
    sweep, *_ = next(going)
    while not sweep.kept:
        next(going)
    shown = json.loads(lab.measured(sweep, "nfe"))
    assert shown["says"].endswith(" runs done.")
    assert "file" not in shown
    shown = json.loads(lab.stopped(sweep)[0])
    assert shown["says"].endswith("Run the sweep again to go on from here.")
    assert "file" in shown


def test_a_sweep_goes_no_further_than_the_knobs_that_take_its_values() -> None:
    with gr.Blocks():
        knobs = {**threshold_card()._asdict(), **options_card()._asdict()}
    for name in lab.SWEPT:
        knob = knobs[name]
        assert (PARAMETERS[name].lowest, PARAMETERS[name].highest) == (knob.minimum, knob.maximum)
        with pytest.raises(BlockBatchError, match=f"^{name} is "):
            asked((name, knob.minimum, knob.maximum + 1, 3, *FIELDS[4:]))


def answers(data: Any, tracer: Any = None) -> list[dict[str, Any]]:
    return [json.loads(value) for value in studycard.study_updates(data, tracer, Turnstile(1))]


@pytest.mark.parametrize("name", [name for name, study in STUDIES.items() if not study.needs_model])
def test_a_figure_of_a_run_is_drawn_from_what_the_page_sends(name: str, text: str) -> None:
    [shown] = answers({"name": name, "trace": text, "step": 1})
    assert shown["figure"]["data"]


def test_a_run_that_still_goes_on_can_be_drawn(text: str) -> None:
    [shown] = answers({"name": "packing", "trace": "".join(text.splitlines(keepends=True)[:3]), "step": 1})
    assert shown["figure"]["data"]


@pytest.mark.parametrize(
    "spoil",
    [
        {"name": "anything"},
        {"name": None},
        {"trace": "not a trace"},
        {"trace": 5},
        {"step": 10_000},
        {"step": "x"},
        {"step": -1},
    ],
)
def test_what_cannot_be_drawn_is_one_sentence_in_its_place(spoil: dict[str, Any], text: str) -> None:
    [shown] = answers({"name": "agreement", "trace": text, "step": 0, **spoil})
    assert shown["says"].endswith(".")
    assert "figure" not in shown


@pytest.mark.parametrize("data", [None, 5, "agreement", []])
def test_what_has_no_form_is_one_sentence(data: Any) -> None:
    [shown] = answers(data)
    assert shown["says"].endswith(".")


def test_a_figure_that_needs_the_model_says_so_where_there_is_none(text: str) -> None:
    *_, shown = answers({"name": "trajectory", "trace": text, "step": 0})
    assert "needs the model" in shown["says"]


def test_decoding_again_waits_for_its_turn(text: str) -> None:
    turnstile, order = Turnstile(1), list[str]()

    def tracer(trace: Trace) -> Iterator[Trajectory | None]:
        order.append("decoded")
        yield None
        raise BlockBatchError("Enough.")

    def ask() -> None:
        for _ in studycard.study_updates({"name": "trajectory", "trace": text, "step": 0}, tracer, turnstile):
            pass

    turnstile.enter("other")
    asking = threading.Thread(target=ask)
    asking.start()
    time.sleep(0.5)
    order.append("left")
    turnstile.leave("other")
    asking.join(10)
    assert order == ["left", "decoded"]


def test_a_tab_that_is_closed_while_it_waits_leaves_the_line_and_decodes_nothing(text: str) -> None:
    turnstile = Turnstile(1)
    turnstile.enter("other")
    asking = studycard.study_updates(
        {"name": "trajectory", "trace": text, "step": 0}, lambda _: pytest.fail("decoded"), turnstile
    )
    assert json.loads(next(asking))["says"] == "Waiting in line: 1 before this one."
    closed(asking)
    turnstile.enter("next")
    turnstile.leave("other")
    assert turnstile.place("next") == 0


def test_a_tab_that_is_closed_while_its_run_is_decoded_again_ends_that(text: str) -> None:
    turnstile, steps = Turnstile(1), list[str]()

    def tracer(trace: Trace) -> Iterator[Trajectory | None]:
        try:
            while True:
                steps.append("step")
                yield None
        finally:
            steps.append("ended")

    asking = studycard.study_updates({"name": "trajectory", "trace": text, "step": 0}, tracer, turnstile)
    for _ in range(3):
        next(asking)
    closed(asking)
    assert steps == ["step", "step", "ended"]
    turnstile.enter("next")
    assert turnstile.place("next") == 0


def test_another_figure_ends_the_one_that_is_waited_for(text: str) -> None:
    turnstile, asks = Turnstile(1), studycard.Asks()
    turnstile.enter("other")

    def ask(name: str) -> Iterator[Any]:
        asked = {"name": name, "trace": text, "step": 1}
        return asks.newest(studycard.study_updates(asked, lambda _: pytest.fail("decoded"), turnstile))

    waiting = ask("trajectory")
    next(waiting)
    [figure] = ask("packing")
    assert "figure" in json.loads(figure)
    assert list(waiting) == [gr.skip()]
    turnstile.enter("next")
    turnstile.leave("other")
    assert turnstile.place("next") == 0


def closed(asking: Iterator[Any]) -> None:
    """Close it, as Gradio does when the tab is closed."""
    assert isinstance(asking, Generator)
    asking.close()


def test_what_is_shown_is_plain_json() -> None:
    assert json.loads(labplot.Shown().to_json()) == {"says": ""}


def test_without_a_model_nothing_is_offered_that_needs_one() -> None:
    def titles(problem: str) -> Iterator[str]:
        with gr.Blocks():
            yield from (ask["title"] for ask in json.loads(lab.create_lab(problem).studies.props["asks"]))

    needing = {study.title for study in STUDIES.values() if study.needs_model}
    assert needing & set(titles("")) == needing
    assert not needing & set(titles("There is no model."))
