"""The studies of one run: what they draw is what the trace holds, for a run of any sort, and its texts stay text."""

from __future__ import annotations

import json
import pickle
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gradio as gr
import numpy as np
import plotly.graph_objects as go
import pytest
from runs import of_every_sort

from blockbatch.bifurcations import bifurcations, most_telling
from blockbatch.errors import BlockBatchError, ForkError
from blockbatch.forwards import packed_lengths
from blockbatch.trace import MASKED, Trace
from blockbatch.trajectory import Trajectory
from ui.engine import Engine
from ui.gpu import MOST_SECONDS, trajectory_on_gpu
from ui.lanes import branches_of
from ui.settings import Settings
from ui.studies import STUDIES
from ui.studies.agreement import agreement
from ui.studies.command import main
from ui.studies.packing import LOOKS, packing
from ui.studies.parting import MOST, parting
from ui.studies.trajectory import trajectory

TRACES = of_every_sort()
BEGUN = {name: trace for name, trace in TRACES.items() if trace.steps}


@pytest.fixture(params=BEGUN, ids=str)
def trace(request: pytest.FixtureRequest) -> Trace:
    return BEGUN[request.param]


def named(figure: go.Figure, name: str, kind: str) -> Any:
    return next(drawn for drawn in figure.data if (drawn.name, drawn.type) == (name, kind))


def middle(trace: Trace) -> int:
    return len(trace.steps) // 2


def test_every_cell_is_in_one_class_and_says_where_it_is(trace: Trace) -> None:
    step = middle(trace)
    sizes, figure = sorted(trace.rows(step)), agreement(trace, step)
    agrees, parts, absent = (named(figure, name, "heatmap") for name in ("agrees", "parts", "absent"))
    for row, size in enumerate(sizes):
        for place in range(trace.header.config.gen_length):
            drawn = [each for each in (agrees, parts, absent) if each.z[row][place] is not None]
            assert [each.customdata[row][place] for each in drawn] == [[step + 1, size, place]]
            assert (drawn[0] is absent) == (trace.rows(step)[size][place] == MASKED)


def test_the_fraction_is_that_of_the_cells_that_agree(trace: Trace) -> None:
    step = middle(trace)
    figure, rows = agreement(trace, step), np.stack(list(trace.rows(step).values()))
    for place, share in enumerate(named(figure, "consensus fraction", "bar").y):
        most = max((int((rows[:, place] == token).sum()) for token in rows[:, place] if token != MASKED), default=0)
        assert share == pytest.approx(most / len(rows))
        held = [row[place] for row in named(figure, "agrees", "heatmap").z]
        assert sum(cell is not None for cell in held) == most


def test_a_step_that_is_not_there_is_said() -> None:
    for step in (-1, len(TRACES["steered"].steps)):
        with pytest.raises(IndexError, match="outside this run"):
            agreement(TRACES["steered"], step)


def test_every_forward_is_a_bar_and_a_point_of_its_kind(trace: Trace) -> None:
    figure, lengths = packing(trace), packed_lengths(trace)
    for kind, look in LOOKS.items():
        steps = [step for step in trace.steps if step.kind == kind]
        assert len([drawn for drawn in figure.data if drawn.name == look.name]) == 2 * bool(steps)
        if not steps:
            continue
        bars, points = named(figure, look.name, "bar"), named(figure, look.name, "scatter")
        assert list(bars.x) == [step.index + 1 for step in steps]
        assert list(bars.y) == list(points.x) == [lengths[step.index] for step in steps]
        assert list(points.y) == [step.milliseconds.forward for step in steps]
        assert [data[0] for data in points.customdata] == list(bars.x)
        assert f"({len(steps)}): {np.median(points.x):g} tokens, {np.median(points.y):.1f} ms" in bars.hovertemplate


def test_a_bar_for_each_candidate_and_a_mark_on_each_token_held(trace: Trace) -> None:
    found = most_telling(bifurcations(trace), MOST)
    figure = parting(trace)
    if not found:
        assert not figure.data
        assert len(figure.layout.annotations) == 1
        return
    bars = [data for drawn in figure.data if drawn.type == "bar" for data in drawn.customdata]
    known = {(each.step + 1, choice.branch, each.position): choice for each in found for choice in each.choices}
    assert {tuple(cell) for *cell, _ in bars} <= known.keys()
    for *cell, probability in bars:
        assert probability in {0.0, *(given for _, given in known[tuple(cell)].candidates)}
    held = [cell for cell, choice in known.items() if choice.token != MASKED]
    assert sorted(tuple(cell) for cell in named(figure, "held by the branch", "scatter").customdata) == sorted(held)
    assert len(figure.layout.annotations) == len(figure.layout.yaxis.ticktext) == len(found) <= MOST


def test_bars_stand_in_the_lane_of_their_position_and_the_place_of_their_branch(trace: Trace) -> None:
    figure = parting(trace)
    lanes = dict(zip(figure.layout.yaxis.ticktext or (), figure.layout.yaxis.tickvals or (), strict=True))
    sizes = sorted({data[1] for drawn in figure.data if drawn.type == "bar" for data in drawn.customdata})
    for drawn in (drawn for drawn in figure.data if drawn.type == "bar"):
        for x, base, y, (step, branch, position, _) in zip(drawn.x, drawn.base, drawn.y, drawn.customdata, strict=True):
            assert int(base) == int(base + y) == int(lanes[f"position {position}<br>step {step}"])
            assert abs(x - sizes.index(branch)) < 0.5


def test_a_run_that_never_parts_says_so_in_a_sentence() -> None:
    for name, words in (
        ("one branch", "one branch cannot"),
        ("dual cache", "one branch cannot"),
        ("empty", "never part"),
    ):
        (sentence,) = parting(TRACES[name]).layout.annotations
        assert words in sentence.text.replace("<br>", " ")


@pytest.mark.parametrize("name", TRACES)
@pytest.mark.parametrize("study", STUDIES)
def test_a_run_of_any_sort_gives_a_figure_whose_points_know_their_step(study: str, name: str) -> None:
    trace = TRACES[name]
    figure = STUDIES[study].figure(trace, tracer=wandering)
    assert isinstance(figure, go.Figure)
    assert figure.layout.uirevision == trace.header.run
    for data in (each for drawn in figure.data for each in points(drawn)):
        assert 1 <= data[0] <= len(trace.steps)
        assert data[1] is None or data[1] in {state.branch for state in trace.steps[data[0] - 1].branches}
        assert data[2] is None or 0 <= data[2] < trace.header.config.gen_length
    if not trace.steps:
        assert figure.layout.annotations[0].text


def points(drawn: Any) -> list[Any]:
    """The data of the points that a trace draws: a map's stand in rows with gaps, a line's may break."""
    if drawn.type == "heatmap":
        return [cell for row in drawn.customdata for cell in row if cell is not None]
    return [data for x, data in zip(drawn.x or (), drawn.customdata or (), strict=False) if x is not None]


def wandering(trace: Trace) -> Trajectory:
    """A made-up trajectory of the trace's steps and branches."""
    sizes = branches_of(trace) or list(trace.header.config.block_sizes)
    vectors = np.random.default_rng(0).normal(size=(len(trace.steps), len(sizes), 16)).cumsum(axis=0)
    for step in trace.steps:
        present = {state.branch for state in step.branches}
        vectors[step.index, [size not in present for size in sizes]] = np.nan
    kinds = tuple(step.kind for step in trace.steps)
    return Trajectory(trace.header.run, tuple(range(len(kinds))), tuple(sizes), kinds, vectors, 12.0, 345.0)


def test_a_trajectory_has_a_line_a_branch_squares_at_recomputes_and_names_at_its_ends(trace: Trace) -> None:
    recorded = wandering(trace)
    figure = trajectory(recorded)
    lines = [drawn for drawn in figure.data if drawn.name.startswith("block")]
    assert [drawn.name for drawn in lines] == [f"block {size}" for size in recorded.branches]
    for drawn, vectors in zip(lines, recorded.vectors.transpose(1, 0, 2), strict=True):
        assert [value is None for value in drawn.x] == np.isnan(vectors).any(axis=1).tolist()
    squares = named(figure, "full recompute", "scatter3d").customdata
    refreshed = [(s.index + 1, b.branch) for s in trace.steps if s.kind == "refresh" for b in s.branches]
    assert sorted((step, size) for step, size, _ in squares) == sorted(refreshed)
    named_ends = " ".join(named(figure, "ends", "scatter3d").text)
    assert "start" in named_ends
    assert "end" in named_ends
    shares = [int(a.title.text.split("(")[1].rstrip("%)")) for a in (figure.layout.scene[f"{n}axis"] for n in "xyz")]
    assert shares == sorted(shares, reverse=True)
    assert "12 ms" in figure.layout.annotations[0].text


def test_markup_of_a_file_stays_text(tmp_path: Path) -> None:
    trace = TRACES["parting"]
    markup = "</script><b onclick='x'>&"
    marked = Trace(replace(trace.header, prompt=markup), trace.steps, trace.end, dict.fromkeys(trace.pieces, markup))
    for name, study in STUDIES.items():
        figure = study.figure(marked, tracer=wandering)
        texts = [text for drawn in figure.data for text in (*hovers(drawn.hovertext), *hovers(drawn.text))]
        texts += [note.text for note in figure.layout.annotations]
        bare = [text.replace("<span style=", "").replace("</span>", "").replace("<br>", "") for text in texts]
        assert not any("<b" in text or "</" in text for text in bare)
        assert "&lt;" in "".join(texts) or name in ("packing", "trajectory")
    marked.save(tmp_path / "marked.ndjson")
    for name in ("agreement", "parting"):
        assert main([name, str(tmp_path / "marked.ndjson"), str(tmp_path / "out.html")]) == 0
        page = (tmp_path / "out.html").read_text()
        assert markup not in page
        assert page.count("</script>") == page.count("<script")


def hovers(texts: Any) -> list[str]:
    """The strings in a trace's text, whatever its shape."""
    if isinstance(texts, str):
        return [texts]
    return [text for each in texts for text in hovers(each)] if texts is not None else []


def test_every_colour_of_a_trace_is_one_that_the_page_has() -> None:
    script = (Path(__file__).parents[2] / "assets" / "viewer" / "dom.mjs").read_text()
    for study in STUDIES.values():
        for drawn in study.figure(TRACES["steered"], tracer=wandering).data:
            assert f'"{drawn.meta["colour"]}"' in script


def test_the_page_can_say_what_hovers_over_a_point() -> None:
    known = re.compile(r"%\{\w+(\[\d+\])?(:\.\df)?\}")  # as assets/viewer/labpoints.mjs reads it
    for study in STUDIES.values():
        for drawn in study.figure(TRACES["steered"], tracer=wandering).data:
            assert "%" not in known.sub("", drawn.hovertemplate or "")


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    TRACES["steered"].save(tmp_path / "run.ndjson")
    return tmp_path / "run.ndjson"


def test_a_figure_is_written_as_json_or_as_a_page_of_its_own(saved: Path, tmp_path: Path) -> None:
    assert main(["agreement", str(saved), str(tmp_path / "map.json"), "--step", "2"]) == 0
    expected = json.loads(agreement(TRACES["steered"], 1).to_json())
    assert json.loads((tmp_path / "map.json").read_text()) == expected
    assert main(["packing", str(saved), str(tmp_path / "page.html")]) == 0
    page = (tmp_path / "page.html").read_text()
    assert "Packed tokens per forward" in page
    assert "plotly.js v" in page
    assert not re.search(r"<(script|link|img)[^>]*(src|href)=\"?http", page)
    go.Figure(expected)


def test_what_cannot_be_drawn_is_one_sentence_and_leaves_no_file(
    saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bad.ndjson").write_text("no trace")
    for arguments, words in (
        (["agreement", str(saved), str(tmp_path / "out.html"), "--step", "999"], "no step 999"),
        (["parting", str(saved), str(tmp_path / "out.png")], "neither .html nor .json"),
        (["parting", str(tmp_path / "bad.ndjson"), str(tmp_path / "out.html")], "Line 1 of the trace is wrong"),
        (["parting", str(tmp_path / "none.ndjson"), str(tmp_path / "out.html")], "cannot be read"),
        (["parting", str(saved), str(tmp_path / "no" / "out.html")], "cannot be written"),
        (["trajectory", str(saved), str(tmp_path / "out.html"), "--model", str(tmp_path / "none")], "none"),
    ):
        assert main(arguments) == 2
        told = capsys.readouterr().err
        assert words in told
        assert told.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.ndjson", "run.ndjson"]


def test_an_option_that_a_study_does_not_know_is_refused(saved: Path, tmp_path: Path) -> None:
    for arguments in (["packing", "--step", "1"], ["trajectory", "--step", "1"], ["parting", "--model", "x"]):
        with pytest.raises(SystemExit) as stopped:
            main([arguments[0], str(saved), str(tmp_path / "out.json"), *arguments[1:]])
        assert stopped.value.code == 2


def test_a_study_that_needs_a_model_says_so_without_one() -> None:
    with pytest.raises(BlockBatchError, match="needs the model"):
        STUDIES["trajectory"].figure(TRACES["steered"])


def test_on_a_zero_gpu_space_the_trajectory_is_recorded_by_a_call_that_borrows_a_device(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trace, lent = TRACES["steered"], list[int]()

    def gpu(duration: Any) -> Any:
        def wrapped(function: Any) -> Any:
            def call(*arguments: Any) -> Any:
                lent.append(duration(*arguments))
                if len(lent) > 2:
                    raise gr.Error("no GPU is free")
                for given in function(*pickle.loads(pickle.dumps(arguments))):
                    yield pickle.loads(pickle.dumps(given))

            return call

        return wrapped

    def fails_without_steps(trace: Trace) -> Iterator[Trajectory | None]:
        yield None
        if not trace.steps:
            raise ForkError("Nothing to repeat.")
        yield wandering(trace)

    engine = Engine(trajectory=fails_without_steps)
    assert trajectory_on_gpu(engine, Settings()) is fails_without_steps
    monkeypatch.setitem(sys.modules, "spaces", SimpleNamespace(GPU=gpu))
    tracer = trajectory_on_gpu(engine, replace(Settings(), zero_gpu=True))
    assert tracer
    between, found = tracer(trace)
    assert between is None
    assert found
    assert np.array_equal(found.vectors, wandering(trace).vectors, equal_nan=True)
    with pytest.raises(BlockBatchError, match="Nothing to repeat"):
        list(tracer(TRACES["not begun"]))
    with pytest.raises(BlockBatchError, match="no GPU is free"):
        list(tracer(trace))
    assert all(0 < seconds <= MOST_SECONDS for seconds in lent)
    assert trajectory_on_gpu(Engine(), replace(Settings(), zero_gpu=True)) is None
