"""Recording the bundled runs: a run for each story and family, an index that claims only what was found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from scripted import ScriptedModel
from test_stories import AGREEING, BOLD, LONELY, TOGETHER

from blockbatch.reading import load_trace
from blockbatch.tasks import FAMILIES
from ui import record_bundled
from ui.lesson import lesson_run, lesson_value
from ui.library import Bundled, bundled_runs
from ui.record_bundled import Chosen, choose, for_lesson, record_all, sentence
from ui.stories import BOLD_RESET, CLEAN, PARTING, PLAIN, STORIES, Take

TOLD = [
    Take("functions", AGREEING, True),
    Take("functions", TOGETHER, True),
    Take("programs", BOLD, True),
    Take("algebra", LONELY, False),
    Take("word-problems", LONELY, True),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of a model that knows one answer, which is right for one prompt at the most."""
    made = tmp_path_factory.mktemp("traces")
    (made / "gone.ndjson").write_text("of a recording before this one\n")
    record_all(ScriptedModel(), made, tries=1, tell=lambda sentence: None)  # type: ignore[arg-type]
    return made


def test_each_story_takes_a_run_of_its_own_and_no_family_is_left_out() -> None:
    chosen = choose(TOLD)
    assert [each.story for each in chosen] == [*STORIES, PLAIN, PLAIN]
    assert {each.story: each.take for each in chosen[:3]} == {PARTING: TOLD[1], CLEAN: TOLD[0], BOLD_RESET: TOLD[2]}
    assert {each.take.family for each in chosen} == set(FAMILIES)
    assert choose(TOLD) == chosen, "the same takes give the same choice"
    assert len({each.title for each in chosen}) == len({each.name for each in chosen}) == len(chosen)


def test_the_lesson_is_given_on_the_rarest_story_that_is_told() -> None:
    assert for_lesson(choose(TOLD)).story is BOLD_RESET
    untold = [Take(family, LONELY, False) for family in FAMILIES]
    assert for_lesson(choose(untold)) == choose(untold)[0]
    assert for_lesson(choose([TOLD[0], *untold])).story is CLEAN


def test_what_is_not_found_is_said_and_not_claimed() -> None:
    found, missing = Chosen(CLEAN, TOLD[0]), Chosen(BOLD_RESET, TOLD[0])
    assert found.entry["told"]
    assert not missing.entry["told"]
    assert missing.title.startswith("complete a function: nearest to")
    assert "NOT FOUND" not in sentence(found, 25)
    assert sentence(missing, 25).startswith("bold-reset: NOT FOUND, no prompt within 25 tries")
    assert "a right answer" in sentence(Chosen(PLAIN, TOLD[3]), 25)


def test_the_index_lists_valid_runs_and_nothing_else_lies_there(folder: Path) -> None:
    index = json.loads((folder / "index.json").read_text())
    assert {entry["file"] for entry in index} | {"index.json"} == {path.name for path in folder.iterdir()}
    assert all({"file", "title", "story", "told"} <= set(entry) for entry in index)
    runs = bundled_runs(folder)
    traces = {run.path: load_trace(run.path) for run in runs}
    assert len({run.title for run in runs}) == len(runs)
    baseline = runs[-1]
    assert baseline.contrast_to in traces
    assert traces[baseline.path].header.decoder == "dual-cache"
    assert traces[baseline.path].header.prompt == traces[baseline.contrast_to].header.prompt


def test_recording_again_gives_the_same_choice(folder: Path, tmp_path: Path) -> None:
    record_all(ScriptedModel(), tmp_path, tries=1, tell=lambda sentence: None)  # type: ignore[arg-type]
    assert (tmp_path / "index.json").read_text() == (folder / "index.json").read_text()
    for run in bundled_runs(tmp_path):
        assert load_trace(run.path).end.text == load_trace(folder / run.path.name).end.text  # type: ignore[union-attr]


def test_the_lesson_s_run_comes_with_its_story_and_its_baseline_s_figures(folder: Path) -> None:
    runs = bundled_runs(folder)
    run, baseline = lesson_run(runs), runs[-1]
    assert run is not None
    told = [each._replace(told=each.path == run.path, story="parting") for each in runs[:-1]]
    untold = [each._replace(told=False) for each in runs[:-1]]
    for library, story in (([*told, baseline], "parting"), ([*untold, baseline], "")):
        session: dict[str, Any] = json.loads(lesson_value(library).splitlines()[0])
        assert (session["type"], session["status"], session["story"]) == ("session", "recorded", story)
        trace = load_trace(baseline.path)
        assert trace.end is not None
        assert session["contrast"]["forwards"] == trace.totals.forwards
        assert session["contrast"]["block_size"] == 32
        row = trace.rows(len(trace.steps) - 1)[32].tolist()
        assert session["contrast"]["tokens"] == row.index(trace.header.eos_id)


def test_without_a_baseline_there_is_no_lesson(tmp_path: Path) -> None:
    assert lesson_run([]) is None
    assert lesson_value([Bundled("a run", tmp_path / "a.ndjson")]) == ""


def test_the_command_line_takes_model_and_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr("sys.argv", ["record_bundled", "--model", "there", "--tries", "3"])
    monkeypatch.setattr(record_bundled, "load_model", lambda name: asked.append(name) or name)
    monkeypatch.setattr(record_bundled, "record_all", lambda model, folder, tries: asked.append((model, tries)))
    record_bundled.main()
    assert asked == ["there", ("there", 3)]
