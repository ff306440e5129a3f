"""A sweep as one JSON file, which holds all that is needed to draw it, and the strict reading of it.

    {"format": "blockbatch-sweep", "version": 1, "settings": {...}, "points": [...]}

A point holds its cell (index, values, decoder, config), its outcomes and, for whoever reads the file, the figures that
follow from them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from blockbatch.bench.jobs import Outcome
from blockbatch.bench.sweep import PARAMETERS, Cell, Point, Value, value_of
from blockbatch.bench.sweep_tables import figures
from blockbatch.bench.tables import plain
from blockbatch.checks import Fields
from blockbatch.config import DECODERS, Config, config_from_dict
from blockbatch.errors import BlockBatchError

FORMAT, VERSION = "blockbatch-sweep", 1


def to_json(points: Sequence[Point], settings: Mapping[str, Any]) -> str:
    """The file's text; settings: what all points have in common (model, device, ...), as plain JSON values."""
    values = {"format": FORMAT, "version": VERSION, "settings": dict(settings), "points": list(map(_written, points))}
    return json.dumps(values, indent=1) + "\n"


def points_from_json(text: str) -> list[Point]:
    """The points of a file's text; BlockBatchError, one sentence, where it is no whole and consistent sweep."""
    try:
        fields = Fields.parse(text)
        _check_format(fields)
        points = [_in_place(number, value) for number, value in enumerate(fields.list("points"), start=1)]
        _check_together(points)
    except BlockBatchError as error:
        raise BlockBatchError(f"This is no sweep to draw: {str(error).rstrip('.')}.") from None
    return points


def _written(point: Point) -> dict[str, Any]:
    return {
        "index": point.cell.index,
        "values": {name: plain(value) for name, value in point.cell.values.items()},
        "decoder": point.cell.config.decoder,
        "config": point.cell.config.to_dict(),
        "figures": figures(point),
        "outcomes": [asdict(outcome) for outcome in point.outcomes],
    }


def _check_format(fields: Fields) -> None:
    if fields.text("format") != FORMAT:
        raise BlockBatchError(f"its format is {fields.text('format')[:60]!r}, but must be {FORMAT}")
    if fields.count("version") != VERSION:
        raise BlockBatchError(f"its version is {fields.count('version')}, but this program reads {VERSION}")
    fields.nested("settings")


def _in_place(number: int, value: object) -> Point:
    try:
        return _point(Fields(value, "point"))
    except BlockBatchError as error:
        raise BlockBatchError(f"point {number}: {error}") from None


def _point(fields: Fields) -> Point:
    config = config_from_dict(fields.one_of("decoder", DECODERS), fields.nested("config").values)
    values = _values(fields.nested("values").values, config)
    outcomes = tuple(_outcome(Fields(each, "outcome"), config) for each in fields.list("outcomes"))
    if not outcomes:
        raise BlockBatchError("it has no outcomes")
    point = Point(Cell(fields.count("index"), values, config), outcomes)
    if fields.any("figures") != figures(point):
        raise BlockBatchError("its figures do not follow from its outcomes")
    return point


def _values(written: Mapping[str, object], config: Config) -> dict[str, Value]:
    values = {name: value_of(name, config) for name in PARAMETERS if name in written}
    ordered = {name: values.get(name) for name in written}  # the first parameter is drawn along x
    same = [plain(value) == written[name] for name, value in ordered.items()]
    if not same or not all(same) or None in ordered.values():
        raise BlockBatchError("its values are not those of its config")
    return {name: value for name, value in ordered.items() if value is not None}


def _outcome(fields: Fields, config: Config) -> Outcome:
    outcome = Outcome(
        family=fields.text("family"),
        index=fields.count("index"),
        decoder=fields.text("decoder"),
        block_sizes=tuple(fields.counts("block_sizes")),
        correct=None if fields.any("correct") is None else fields.flag("correct"),
        init=fields.count("init"),
        denoise=fields.count("denoise"),
        refresh=fields.count("refresh"),
        tokens=fields.count("tokens"),
        ms=fields.measure("ms"),
        recording_ms=fields.measure("recording_ms"),
    )
    if (outcome.decoder, outcome.block_sizes) != (config.decoder, config.block_sizes):
        raise BlockBatchError("an outcome is not of its config")
    return outcome


def _check_together(points: Sequence[Point]) -> None:
    if len({tuple(point.cell.values) for point in points}) > 1 or any(len(p.cell.values) > 2 for p in points):
        raise BlockBatchError("its points are not over the same parameter, or the same two")
    if len({point.cell.index for point in points}) < len(points):
        raise BlockBatchError("two of its points have the same index")
