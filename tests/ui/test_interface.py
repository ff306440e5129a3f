"""The page as a whole, and the functions behind its components."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import gradio as gr
import pytest
from gradio.route_utils import delete_files_created_by_app
from scripted import ScriptedModel

from blockbatch.config import OPTIONS, PRESETS, DecodeConfig
from blockbatch.errors import ConfigError
from blockbatch.reading import parse_trace
from blockbatch.run import Run
from ui import branches, recorded, running
from ui.engine import Engine, engine_of, load_engine
from ui.interface import create_ui
from ui.knobs import OptionsCard, next_run_card, options_card, preset_values, threshold_card
from ui.library import bundled_runs
from ui.live import LiveRuns
from ui.running import SETTINGS
from ui.session import LocalControlStore, Turnstile, Wishes
from ui.settings import Settings
from ui.theme import head, theme
from ui.viewer import Viewer, trace_text


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    run = Run(ScriptedModel(), "any prompt", DecodeConfig(gen_length=32))
    path = tmp_path / "run.ndjson"
    path.write_text("\n".join(run) + "\n")
    return path


def test_a_model_that_cannot_be_loaded_is_a_sentence_and_the_page_still_opens(tmp_path: Path) -> None:
    engine = load_engine(Settings(model=str(tmp_path / "nothing")))
    assert engine.start is None
    assert engine.problem.endswith(".")
    page = create_ui(engine, Settings())
    blocks = page.blocks.values()
    run = next(block for block in blocks if isinstance(block, gr.Button) and block.value == "Run")
    assert not run.interactive
    viewer = next(block for block in blocks if isinstance(block, Viewer))
    assert viewer.props["problem"] == engine.problem
    assert any(engine.problem in str(getattr(block, "props", {}).get("text", "")) for block in blocks)


def test_what_a_models_answers_may_suffer_from_stands_by_the_prompt() -> None:
    page = create_ui(Engine(caution="A base model."), Settings())
    assert any("A base model." in str(getattr(block, "props", {}).get("text", "")) for block in page.blocks.values())


@pytest.mark.parametrize(
    ("keep", "live", "says"), [("finished", True, "Every"), ("linked", True, "A run"), ("finished", False, "A run")]
)
def test_the_page_says_which_runs_it_keeps(keep: str, live: bool, says: str) -> None:
    engine = Engine(lambda p, c: Run(ScriptedModel(), p, c)) if live else Engine(problem="No model.")
    page = create_ui(engine, Settings(keep=keep))
    viewer = next(block for block in page.blocks.values() if isinstance(block, Viewer))
    assert viewer.props["keeping"].startswith(f"{says} ")


def test_the_page_opens_on_a_recorded_run() -> None:
    page = create_ui(Engine(problem="No model."), Settings())
    viewer = next(block for block in page.blocks.values() if type(block).__name__ == "Viewer")
    assert isinstance(viewer, gr.HTML)
    assert str(viewer.value).startswith('{"type":"session","status":"recorded"')


def test_every_bundled_run_is_a_valid_recording_without_local_paths() -> None:
    runs = bundled_runs(Settings().traces)
    assert runs
    for run in runs:
        value = recorded.opened_value(run.path, run.title)
        header = json.loads(value.splitlines()[1])
        assert not Path(header["model"]).is_absolute()


def test_a_page_without_recorded_runs_opens_too(tmp_path: Path) -> None:
    create_ui(Engine(problem="No model."), Settings(traces=tmp_path))


def test_every_knob_says_what_it_does() -> None:
    page = create_ui(Engine(problem="No model."), Settings())
    knobs = [block for block in page.blocks.values() if isinstance(block, gr.Slider | gr.Radio)]
    assert len(knobs) >= 9
    for knob in knobs:
        assert str(knob.info).endswith("."), knob.label


def test_the_theme_loads_nothing_from_elsewhere() -> None:
    assert not theme()._stylesheets
    assert "http" not in head()


@pytest.mark.parametrize("text", ["", "many", "0", "1025", "-4", "2.5", "8"])
def test_a_bad_block_size_is_one_sentence(text: str) -> None:
    with pytest.raises(ConfigError, match=r"^The block size is .*\.$"):
        branches.new_block_size([4, 8], text)


def test_chips_are_sizes_in_order() -> None:
    assert branches.picked(["128", "4", "16"]) == [4, 16, 128]
    assert branches.new_block_size([4, 8], " 48 ") == 48


def test_adding_and_resizing_reach_the_run_and_the_chips() -> None:
    store = LocalControlStore()
    key = store.open(Wishes())
    known, chips, _, emptied = branches.add(store, key, [4, 32], ["32"], "8")
    assert (known, chips.value, emptied) == ([4, 8, 32], ["8", "32"], "")
    known, chips, _ = branches.resize(store, key, known, ["8", "32"], "32", "48")
    assert (known, chips.value) == ([4, 8, 48], ["8", "48"])
    assert store.read(key) == Wishes({"block_sizes": [8, 48]}, ((32, 48),))


def test_a_size_that_is_there_already_changes_nothing(warnings_shown: list[str]) -> None:
    store = LocalControlStore()
    assert branches.add(store, None, [4, 8], ["4"], "8") == (gr.skip(),) * 4
    assert branches.resize(store, None, [4, 8], ["4"], "4", "8") == (gr.skip(),) * 3
    assert len(warnings_shown) == 2


def test_where_no_branch_is_on_none_can_be_resized(warnings_shown: list[str]) -> None:
    store = LocalControlStore()
    off = branches.choose(store, None, [])
    assert off.value is None
    assert branches.resize(store, None, [4, 8], [], None, "48") == (gr.skip(),) * 3
    assert warnings_shown == ["Only a branch that is on can be resized; switch its chip on first."]


def test_an_opened_trace_replaces_the_run_of_everybody_who_opens_it(recording: Path, warnings_shown: list[str]) -> None:
    """Gradio lays the same file of several visitors under one path."""
    for _ in range(2):
        value, *_ = recorded.opened_or_warned(recording)
        assert '"name":"run.ndjson"' in value.splitlines()[0]
    assert not warnings_shown


def test_the_file_of_an_opened_trace_is_not_kept(recording: Path) -> None:
    page = create_ui(Engine(problem="No model."), Settings())
    assert page.delete_cache == (600, 600), "seconds between two looks, and that a file may be old"
    page.upload_file_set.add(str(recording))
    recorded.opened_or_warned(recording)
    delete_files_created_by_app(page, 600)
    assert recording.exists()
    delete_files_created_by_app(page, -1)
    assert not recording.exists()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: "not a trace",
        lambda text: "",
        lambda text: text[: len(text) // 2],
        lambda text: text.replace('"version":1', '"version":99', 1),
        lambda text: text.rsplit("\n", 2)[0],
        lambda text: text.replace('"type":"commit"', '"type":"promise"', 1),
    ],
    ids=["text", "empty", "truncated", "future", "no-end", "unknown-event"],
)
def test_a_bad_trace_is_one_sentence_and_changes_nothing(
    recording: Path, warnings_shown: list[str], spoil: Any
) -> None:
    recording.write_text(spoil(recording.read_text()))
    updates = recorded.opened_or_warned(recording)
    assert updates[0] == gr.skip()
    assert [button.interactive for button in updates[1:]] == [True, False, False, False]
    assert len(warnings_shown) == 1
    assert warnings_shown[0].endswith(".")


def run_updates(prompt: str, **settings: Any) -> list[tuple[Any, ...]]:
    runs = LiveRuns(lambda p, c: Run(ScriptedModel(), p, c), LocalControlStore(), Turnstile(1))
    return list(running.run_updates(runs, prompt, 0.0, {"gen_length": 32, **settings}))


def test_run_streams_key_and_text_and_frees_the_buttons_to_stop(warnings_shown: list[str]) -> None:
    updates = run_updates("any prompt")
    assert updates[-1][1].splitlines()[-1].startswith('{"type":"end"')
    assert not updates[0][2].interactive
    assert not warnings_shown


@pytest.mark.parametrize(
    ("prompt", "settings"),
    [("  ", {}), ("any", {"block_sizes": []}), ("any", {"gen_length": 10**6}), ("any", {"seed": None})],
)
def test_a_run_that_cannot_start_is_one_sentence(
    prompt: str, settings: dict[str, Any], warnings_shown: list[str]
) -> None:
    assert run_updates(prompt, **settings) == [(gr.skip(),) * 6]
    assert len(warnings_shown) == 1
    assert warnings_shown[0].endswith(".")


def test_a_run_begun_while_another_goes_on_ends_that_one_and_one_that_cannot_begin_does_not(
    warnings_shown: list[str],
) -> None:
    """As when the prompt is sent by a key while a fork goes on: one viewer shows one run."""
    runs = LiveRuns(lambda p, c: Run(ScriptedModel(), p, c), LocalControlStore(), Turnstile(2))
    key, _ = next(fork := runs.stream("a fork", DecodeConfig(gen_length=32), 5.0, print))
    assert list(running.run_updates(runs, " ", 0.0, {}, key)) == [(gr.skip(),) * 6]
    assert not runs.store.read(key).stopped
    with ThreadPoolExecutor(1) as thread:
        rest = thread.submit(lambda: list(fork))
        updates = list(running.run_updates(runs, "another", 0.0, {"gen_length": 32}, key))
    assert runs.gave_way(key)
    assert not runs.gave_way(key)
    ended, begun = (parse_trace(trace_text(text)) for text in (rest.result()[-1][1], updates[-1][1]))
    assert ended.end
    assert begun.end
    assert (ended.end.stop, begun.header.prompt, begun.end.stop) == ("stopped", "another", "complete")
    assert len(warnings_shown) == 1


def test_the_last_update_of_a_run_that_gave_way_leaves_the_buttons_to_the_one_that_took_its_place() -> None:
    runs = LiveRuns(lambda p, c: Run(ScriptedModel(), p, c), LocalControlStore(), Turnstile(2))
    first = running.run_updates(runs, "first", 5.0, {"gen_length": 32})
    key = next(first)[0]
    with ThreadPoolExecutor(1) as thread:
        rest = thread.submit(lambda: list(first))
        second = list(running.run_updates(runs, "second", 0.0, {"gen_length": 32}, key))
    assert parse_trace(trace_text(rest.result()[-1][1])).end is not None
    assert rest.result()[-1][2:] == (gr.skip(),) * 4
    assert second[-1][2:] != (gr.skip(),) * 4


def test_whatever_begins_a_run_on_the_page_is_told_which_one_goes_on() -> None:
    page = create_ui(engine_of(ScriptedModel()), Settings(store="memory://interface"))
    viewer = next(block for block in page.blocks.values() if isinstance(block, Viewer))
    begins = [fn for fn in page.fns.values() if fn.concurrency_id == "runs" and viewer in fn.outputs]
    assert len(begins) == 2
    for fn in begins:
        key = fn.outputs[0]
        assert isinstance(key, gr.State)
        assert key in fn.inputs


def test_settings_come_from_the_environment() -> None:
    settings = Settings.from_environment({"BLOCKBATCH_MODEL": "some/model", "BLOCKBATCH_RUNS": "3"})
    assert (settings.model, settings.device, settings.runs) == ("some/model", "cpu", 3)
    assert not Path(Settings.from_environment({}).model).is_absolute()


def test_which_runs_are_kept_comes_from_the_environment() -> None:
    assert Settings.from_environment({}).keep == "finished"
    assert Settings.from_environment({"BLOCKBATCH_KEEP": "linked"}).keep == "linked"
    with pytest.raises(ConfigError, match="BLOCKBATCH_KEEP is 'all'"):
        Settings.from_environment({"BLOCKBATCH_KEEP": "all"})


@pytest.mark.parametrize("runs", ["many", "0", "-1", "1.5", "65"])
def test_a_bad_environment_is_one_sentence(runs: str) -> None:
    with pytest.raises(ConfigError, match=r"BLOCKBATCH_RUNS is .* from 1 to 64"):
        Settings.from_environment({"BLOCKBATCH_RUNS": runs})


def test_a_number_of_thousands_of_digits_is_one_sentence_too() -> None:
    digits = "9" * 5000
    with pytest.raises(ConfigError, match=r"BLOCKBATCH_RUNS is .* from 1 to 64\.$"):
        Settings.from_environment({"BLOCKBATCH_RUNS": digits})
    with pytest.raises(ConfigError, match=r"The block size is .* from 1 to 1024\.$"):
        branches.new_block_size([4], digits)


@pytest.mark.parametrize(("runs", "streams", "threads"), [("1", 23, 39), ("2", 24, 40), ("64", 86, 102)])
def test_as_many_runs_as_are_asked_for_find_a_thread_and_leave_some(runs: str, streams: int, threads: int) -> None:
    settings = Settings.from_environment({"BLOCKBATCH_RUNS": runs})
    assert (settings.streams, settings.threads) == (streams, threads)
    page = create_ui(engine_of(ScriptedModel()), settings)
    limits = [fn.concurrency_limit for fn in page.fns.values() if fn.concurrency_id == "runs"]
    assert set(limits) == {streams}
    assert page._queue.max_size == 2 * streams


def test_a_preset_sets_what_belongs_to_it_and_a_run_takes_up_every_knob() -> None:
    with gr.Blocks():
        cards = [threshold_card(), options_card(), next_run_card()]
    assert tuple(name for card in cards for name in card._fields) == SETTINGS
    assert OptionsCard._fields == OPTIONS
    for name in PRESETS:
        refresh, *options = preset_values(name)
        known, chips, resized = branches.of_preset(name, [4, 7])
        sizes = branches.picked(chips.value)
        made = DecodeConfig(name, tuple(sizes), refresh=refresh, **dict(zip(OPTIONS, options, strict=True)))
        assert made == DecodeConfig.preset(name)
        assert known == branches.picked([choice for choice, _ in chips.choices]) == sorted({7, *sizes})
        assert resized.value == str(sizes[-1])
