"""What the server does for those who share: nothing that a browser sends is believed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scripted import ScriptedModel

from blockbatch.config import BaselineConfig, Config, DecodeConfig
from blockbatch.fork import fork
from blockbatch.run import Run
from ui.library import bundled_runs
from ui.settings import Settings
from ui.sharing import Sharing, server_functions
from ui.store import TraceStore, trace_id

MANY = 2**30


def recorded(config: Config | None = None) -> str:
    return "".join(line + "\n" for line in Run(ScriptedModel(), "any prompt", config or DecodeConfig(gen_length=32)))


def functions(folder: Path) -> dict[str, Callable[[Any], dict[str, Any]]]:
    """Those of a server process with its store in `folder`."""
    sharing = Sharing(TraceStore(str(folder), MANY, 90), bundled_runs(Settings().traces))
    return {function.__name__: function for function in server_functions(sharing)}


def test_a_link_of_one_process_is_followed_by_another(tmp_path: Path) -> None:
    texts = [recorded(), recorded(BaselineConfig(gen_length=32))]
    kept = functions(tmp_path)["keep_runs"](texts)
    assert kept["says"] == "The run is kept here for 90 days, or until newer ones need the room."
    found = functions(tmp_path)["fetch_runs"](kept["runs"])
    assert [run["text"] for run in found["runs"]] == texts
    assert [run["name"] for run in found["runs"]] == ["shared run", ""], "a baseline is named by what it is"


@pytest.mark.parametrize(("finished", "says"), [(True, "Every finished run is kept"), (False, "only when its link is")])
def test_the_page_says_which_runs_are_kept_and_for_how_long(tmp_path: Path, finished: bool, says: str) -> None:
    sentence = Sharing(TraceStore(str(tmp_path), MANY, 30), finished=finished).keeping
    assert says in sentence
    assert "its prompt included" in sentence
    assert sentence.endswith("for 30 days, or until newer ones need the room.")


def test_a_fork_is_named_by_what_it_changed(tmp_path: Path) -> None:
    run = Run(ScriptedModel(), "any prompt", DecodeConfig(gen_length=64))
    list(run)
    forked = "".join(line + "\n" for line in fork(ScriptedModel(), run.trace, 3, commit_threshold=0.7))
    server = functions(tmp_path)
    assert server["fetch_runs"](server["keep_runs"]([forked])["runs"])["runs"][0]["name"] == ""


def test_bundled_runs_need_no_store() -> None:
    server = functions(Path("/proc/nothing"))
    for bundled in bundled_runs(Settings().traces):
        text = bundled.path.read_text(encoding="utf-8")
        kept = server["keep_runs"]([text])
        assert kept == {"runs": [trace_id(text)], "says": ""}
        assert server["fetch_runs"](kept["runs"]) == {"runs": [{"text": text, "name": bundled.title}]}
    assert "cannot be reached" in server["keep_runs"]([recorded()])["problem"]


def spoilt(text: str) -> list[Any]:
    return [
        "",
        "no trace",
        text[: len(text) // 2],
        text.rsplit("\n", 2)[0],
        text.replace('"version":1', '"version":7', 1),
        text.replace('"commit"', '"promise"', 1),
        " " * (65 * 2**20),
    ]


@pytest.mark.parametrize("name", ["keep_runs", "chrome_trace"])
def test_what_is_no_whole_run_is_one_sentence(tmp_path: Path, name: str) -> None:
    server = functions(tmp_path / "runs")
    for text in spoilt(recorded()):
        problem = server[name]([text])["problem"]
        assert problem.endswith(".")
        assert len(problem) < 300
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("name", ["keep_runs", "fetch_runs", "chrome_trace"])
@pytest.mark.parametrize(
    "asked", [None, "text", [], {}, [None], [1], [["x"]], [{"path": "/etc/passwd"}], ["x"] * 3, True, ["\ud83d"]]
)
def test_other_forms_are_one_sentence(tmp_path: Path, name: str, asked: Any) -> None:
    assert functions(tmp_path)[name](asked)["problem"].endswith(".")


def test_an_unknown_run_is_one_sentence(tmp_path: Path) -> None:
    server = functions(tmp_path)
    assert "no longer kept here" in server["fetch_runs"](["0" * 32])["problem"]
    assert "does not name a run" in server["fetch_runs"](["../secret"])["problem"]


def test_a_chrome_trace_is_made_of_what_is_shown(tmp_path: Path) -> None:
    answer = functions(tmp_path)["chrome_trace"]([recorded(), recorded()])
    records = json.loads(answer["text"])["traceEvents"]
    assert {record["pid"] for record in records} == {1, 2}


def test_what_the_viewer_calls_is_there(tmp_path: Path) -> None:
    script = "".join((Settings().traces.parent / "viewer" / name).read_text() for name in ("share.mjs", "opening.mjs"))
    for name in functions(tmp_path):
        assert f'"{name}"' in script
