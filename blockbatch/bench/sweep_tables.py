"""The points of a sweep as a Markdown table and as CSV."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from blockbatch.bench import tables
from blockbatch.bench.sweep import Point, label, oracle, spoken

COLUMNS: dict[str, Callable[[Point], str]] = {
    "prompts": lambda point: str(len(point.outcomes)),
    "accuracy (95 % interval)": lambda point: tables.share(point.right) if point.right else "",
    **tables.COST_COLUMNS,
}
EXPLAINED = f"{tables.COST_EXPLAINED} Accuracy: prompts answered right; a prompt that somebody typed has none."


def markdown(points: Sequence[Point]) -> str:
    """A row a point, its values first; for block sizes the oracle beneath, where it can be judged."""
    names = list(points[0].cell.values) if points else []
    values = {spoken(name): _shows(name) for name in names}
    parts = [tables.table({**values, **COLUMNS}, points), EXPLAINED]
    found = oracle(points)
    if found:
        parts += ["### Oracle over block sizes", tables.table(tables.ORACLE_COLUMNS, [found]), tables.ORACLE_EXPLAINED]
    return "\n\n".join(parts)


def as_csv(points: Sequence[Point]) -> str:
    """A line a point, unrounded."""
    return tables.as_csv([{**_labels(point), **figures(point)} for point in points])


def figures(point: Point) -> dict[str, Any]:
    """What a point comes to, as plain JSON values."""
    return {
        "prompts": len(point.outcomes),
        "right": tables.plain(point.right),
        "nfe": point.nfe,
        **{f"nfe_{kind}": mean for kind, mean in point.nfe_by_kind.items()},
        "tokens_per_forward": point.tokens_per_forward,
        "ms": point.ms,
    }


def _labels(point: Point) -> dict[str, str]:
    return {name: label(value) for name, value in point.cell.values.items()}


def _shows(name: str) -> Callable[[Point], str]:
    return lambda point: label(point.cell.values[name])
