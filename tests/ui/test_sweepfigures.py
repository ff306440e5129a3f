"""Figures of sweeps: every point is in them once, at its place, and says all its figures with what they count."""

from __future__ import annotations

import json
from typing import Any

import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sweepcases import BASE, sized, swept

from blockbatch.bench.sweep import PARAMETERS, Axis, Point, default_axis, oracle
from blockbatch.bench.sweep_file import points_from_json, to_json
from ui.studies.look import Colour
from ui.sweepfigures import curve, figure_of, front, heatmap, subsets, words

MERGE = Axis("merge_threshold", (0.9, 0.3, 0.5))
SYNC = Axis("sync_threshold", (4, 8))
SETS = Axis("branches", ((4, 8, 32), (4,), (4, 8), (8,), (32,)))

SWEEPS = {
    "thresholds": swept([MERGE]),
    "typed": swept([MERGE], "??"),
    "one point": swept([Axis("sync_threshold", (8,))], "x"),
    "sizes": sized({4: "xx.", 16: "x..", 64: "x.."}),
    "unfinished sizes": sized({4: "xx.", 16: "x..", 64: "xx"}),
    "sets": swept([SETS]),
    "typed sets": swept([SETS], "??"),
    "two": swept([MERGE, SYNC]),
    "unfinished two": swept([MERGE, SYNC], without=(1, 4)),
    "sets and a threshold": swept([SETS, MERGE]),
}


@pytest.fixture(params=SWEEPS, ids=str)
def points(request: pytest.FixtureRequest) -> list[Point]:
    return SWEEPS[request.param]


def named(figure: go.Figure, *names: str) -> list[Any]:
    return [drawn for drawn in figure.data if drawn.name in names]


def indexes(figure: go.Figure) -> list[list[int]]:
    """The cells of every trace that has any, from a figure as JSON, as a click in the page gets them."""
    found = []
    for drawn in json.loads(figure.to_json())["data"]:
        data = drawn.get("customdata") or []
        rows = data if data and isinstance(data[0], list) else [data]
        found.append([index for row in rows for index in row if index is not None])
    return [each for each in found if each]


def texts(figure: go.Figure) -> list[str]:
    return [
        text
        for drawn in figure.data
        for row in (drawn.hovertext or ())
        for text in ([row] if isinstance(row, str) else row)
        if text
    ]


def test_every_point_is_drawn_once_and_opens_its_cell(points: list[Point]) -> None:
    expected = sorted(point.cell.index for point in points)
    figure = figure_of(points)
    if set(points[0].cell.values) == {"branches"}:
        assert sorted(index for each in indexes(figure) for index in each) == expected
    else:
        assert [sorted(each) for each in indexes(figure)] == [expected] * len(indexes(figure))


def test_a_figure_from_a_file_is_the_same(points: list[Point]) -> None:
    assert figure_of(points_from_json(to_json(points, {}))) == figure_of(points)


def test_what_hovers_names_each_point_with_its_denominators(points: list[Point]) -> None:
    said = set(texts(figure_of(points)))
    for point in points:
        assert words(point) in said
        assert f"mean of {len(point.outcomes)} prompt" in words(point)
        assert ("right:" in words(point)) == (point.right is not None)
        assert all(f"{name.replace('_', ' ')}: " in words(point) for name in point.cell.values)


def test_figures_fit_a_narrow_page_and_have_its_look(points: list[Point]) -> None:
    layout = figure_of(points).layout
    assert layout.paper_bgcolor == layout.plot_bgcolor == "rgba(0,0,0,0)"
    assert layout.margin.l + layout.margin.r < 180
    assert all(len(line) <= 64 for point in points for line in words(point).split("<br>"))
    assert layout.xaxis.range is not None
    assert layout.yaxis.range is not None
    assert "(" in layout.xaxis.title.text
    assert " a point" in layout.xaxis.title.text


def test_a_trace_has_one_colour_that_the_page_may_change(points: list[Point]) -> None:
    shades = {}
    for drawn in figure_of(points).data:
        if drawn.type == "scatter":
            colour = Colour(drawn.meta["colour"], drawn.marker.color)
            assert shades.setdefault(colour.name, colour) == colour
            assert (drawn.line.color, drawn.fillcolor, drawn.error_y.color) == (None, None, None)


def test_the_figure_follows_from_the_axes() -> None:
    kinds = {name: {drawn.type for drawn in figure_of(found).data} for name, found in SWEEPS.items()}
    assert all((kinds[name] == {"heatmap"}) == (len(SWEEPS[name][0].cell.values) == 2) for name in SWEEPS)
    assert figure_of(SWEEPS["sets"]) == subsets(SWEEPS["sets"])
    assert figure_of(SWEEPS["two"], "accuracy") == heatmap(SWEEPS["two"], "accuracy")
    assert figure_of(SWEEPS["two"]) != heatmap(SWEEPS["two"], "accuracy")
    assert "No cell of this sweep" in figure_of([]).layout.annotations[0].text


def test_a_curve_goes_up_the_values_and_its_kinds_add_up() -> None:
    figure = curve(SWEEPS["thresholds"])
    (nfe,), kinds = named(figure, "NFE"), [drawn for drawn in figure.data if drawn.stackgroup]
    assert nfe.x == (0.3, 0.5, 0.9)
    assert nfe.customdata == (1, 2, 0)
    assert [sum(ys) for ys in zip(*(drawn.y for drawn in kinds), strict=True)] == pytest.approx(nfe.y)
    assert figure.layout.yaxis.range[0] == 0
    assert figure.layout.yaxis.range[1] > max(nfe.y)


def test_a_kind_of_forward_that_there_is_not_is_left_out() -> None:
    assert [drawn.name for drawn in curve(SWEEPS["sizes"]).data if drawn.stackgroup] == ["first forward", "denoise"]


def test_error_bars_are_the_interval() -> None:
    (drawn,) = named(curve(SWEEPS["thresholds"]), "accuracy, 95 % interval")
    for point, y, up, down in zip(
        SWEEPS["thresholds"], drawn.y, drawn.error_y.array, drawn.error_y.arrayminus, strict=True
    ):
        assert point.right is not None
        assert (y - down, y + up) == pytest.approx(tuple(100 * end for end in point.right.interval))
        assert y == pytest.approx(100 * point.right.value)


def test_without_a_judge_there_is_no_accuracy() -> None:
    figure = curve(SWEEPS["typed"])
    assert named(figure, "accuracy, 95 % interval") == []
    assert "yaxis2" not in figure.layout.to_plotly_json()
    assert tuple(figure.layout.yaxis.domain) == (0, 1)
    assert "no accuracy" in heatmap(swept([MERGE, SYNC], "?"), "accuracy").layout.annotations[0].text
    assert subsets(SWEEPS["typed sets"]).layout.yaxis.title.text == "tokens a forward"
    assert subsets(SWEEPS["sets"]).layout.yaxis.title.text == "prompts right (%)"


def test_block_sizes_have_a_logarithmic_axis_the_oracle_and_the_best_size() -> None:
    figure = curve(SWEEPS["sizes"])
    found = oracle(SWEEPS["sizes"])
    assert found is not None
    assert figure.layout.xaxis.type == "log"
    low, high = figure.layout.xaxis.range
    assert 10**low < 4 < 64 < 10**high
    lines = named(figure, "oracle")
    assert [line.y for line in lines] == [(100 * found.right.value,) * 2, (found.nfe,) * 2]
    assert all(line.customdata is None for line in lines)
    assert "2 of 3" in lines[0].hovertext
    assert [note.text for note in figure.layout.annotations] == ["best fixed size 4"]
    assert curve(SWEEPS["thresholds"]).layout.xaxis.type == "linear"
    assert named(curve(SWEEPS["thresholds"]), "oracle") == []


def test_an_oracle_that_is_never_right_has_no_forwards() -> None:
    (line,) = named(curve(sized({4: "..", 8: ".."})), "oracle")
    assert line.yaxis == "y2"


def test_an_unfinished_sweep_says_how_many_prompts_a_point_has() -> None:
    assert curve(SWEEPS["unfinished sizes"]).layout.xaxis.title.text == "block size (tokens)<br>2 to 3 prompts a point"
    assert curve(SWEEPS["one point"]).layout.xaxis.title.text == "sync threshold (tokens)<br>1 prompt a point"
    assert "right 2 of 2" in named(curve(SWEEPS["unfinished sizes"]), "oracle")[0].hovertext


@pytest.mark.parametrize("measure", ["nfe", "accuracy"])
def test_a_heatmap_has_each_point_at_its_values(measure: Any) -> None:
    points = SWEEPS["unfinished two"]
    figure = heatmap(points, measure)
    (drawn,) = figure.data
    columns, rows = figure.layout.xaxis.ticktext, figure.layout.yaxis.ticktext
    assert (columns, rows) == (("0.3", "0.5", "0.9"), ("4", "8"))
    found = {
        (columns[x], rows[y]): drawn.customdata[y][x] for x in range(3) for y in range(2) if drawn.z[y][x] is not None
    }
    assert found == {
        (f"{point.cell.values['merge_threshold']:g}", str(point.cell.values["sync_threshold"])): point.cell.index
        for point in points
    }
    values = {cell: drawn.z[y][x] for y, row in enumerate(drawn.customdata) for x, cell in enumerate(row)}
    for point in points:
        assert point.right is not None
        assert values[point.cell.index] == (point.nfe if measure == "nfe" else 100 * point.right.value)
    assert values[None] is None


def test_sets_lie_along_the_side_of_a_heatmap_the_smaller_ones_first() -> None:
    figure = heatmap(SWEEPS["sets and a threshold"])
    assert figure.layout.yaxis.ticktext == ("4", "8", "32", "4+8", "4+8+32")
    assert figure.layout.xaxis.ticktext == ("0.3", "0.5", "0.9")
    assert figure.layout.yaxis.title.text == "branches (block sizes)"
    assert figure.layout.height > heatmap(SWEEPS["two"]).layout.height


def test_the_front_of_the_sets_is_named_at_its_ends() -> None:
    figure = subsets(SWEEPS["sets"])
    (best,), (others,) = named(figure, "Pareto front"), named(figure, "other sets")
    assert best.text == ("4+8+32",)  # equally right, and the first cell takes the fewest forwards
    assert len(others.x) == len(SWEEPS["sets"]) - 1
    assert min(best.x) <= min(others.x)


places = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=12)


@given(places)
def test_no_point_of_a_front_beats_another_and_each_other_point_is_beaten(found: list[tuple[int, int]]) -> None:
    axis = Axis("branches", tuple((size,) for size in range(1, len(found) + 1)))
    points = swept([axis], "?")
    gains = {point.cell.index: float(gain) for point, (_, gain) in zip(points, found, strict=True)}
    best = front(points, lambda point: gains[point.cell.index])

    def beats(one: Point, other: Point) -> bool:
        mine, theirs = ((point.nfe, -gains[point.cell.index]) for point in (one, other))
        return mine != theirs and mine[0] <= theirs[0] and mine[1] <= theirs[1]

    kept = {point.cell.index for point in best}
    assert kept
    assert not any(beats(one, other) for one in best for other in best)
    assert all(any(beats(one, point) for one in best) for point in points if point.cell.index not in kept)


@pytest.mark.parametrize("name", sorted(set(PARAMETERS) - {"branches"}))
def test_every_parameter_has_its_name_and_unit_on_its_axis(name: str) -> None:
    title = figure_of(swept([default_axis(name, BASE)])).layout.xaxis.title.text
    unit = {"lookahead": "rows"}.get(
        name, "probability" if name.endswith(("commit_threshold", "merge_threshold", "joint_threshold")) else "tokens"
    )
    assert title.startswith(f"{name.replace('_', ' ')} ({unit})")
