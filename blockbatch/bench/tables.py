"""Figures as Markdown tables, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Protocol

from blockbatch.bench.statistics import Bin, Oracle, Row, Share, Versus


class Cost(Protocol):
    """What prompts took: a `Row`, or a point of a sweep."""

    @property
    def nfe(self) -> float: ...

    @property
    def nfe_by_kind(self) -> Mapping[str, float]: ...

    @property
    def tokens_per_forward(self) -> float: ...

    @property
    def ms(self) -> float: ...


COST_COLUMNS: dict[str, Callable[[Cost], str]] = {
    "NFE": lambda cost: f"{cost.nfe:.1f}",
    "init": lambda cost: f"{cost.nfe_by_kind['init']:.1f}",
    "denoise": lambda cost: f"{cost.nfe_by_kind['denoise']:.1f}",
    "refresh": lambda cost: f"{cost.nfe_by_kind['refresh']:.1f}",
    "tokens/forward": lambda cost: f"{cost.tokens_per_forward:.2f}",
    "ms": lambda cost: f"{cost.ms:.0f}",
}
COLUMNS: dict[str, Callable[[Row], str]] = {
    "family": lambda row: row.family,
    "decoder": lambda row: row.decoder,
    "block sizes": lambda row: _sizes(row.block_sizes),
    "prompts": lambda row: str(row.right.n),
    "accuracy (95 % interval)": lambda row: share(row.right),
    **COST_COLUMNS,
    "recording": lambda row: f"{100 * row.recording:.1f} %",
    "speed-up vs 32": lambda row: _speedup(row.against_32),
    "fewer NFE vs 32": lambda row: _fewer(row.against_32),
    "speed-up vs best": lambda row: _speedup(row.against_best),
    "fewer NFE vs best": lambda row: _fewer(row.against_best),
}
COST_EXPLAINED = (
    "NFE: forwards a prompt, mean, and by kind. tokens/forward: tokens of the answers, end-of-text not counted, over "
    "all forwards. ms: median a prompt, forwards and rules."
)
COLUMNS_EXPLAINED = (
    f"{COST_EXPLAINED} recording: time of recording over that time. vs 32, vs "
    "best: Fast-dLLM's dual cache with block 32, and with its most accurate block size; a negative share of fewer NFE "
    "means more. local-leap follows descriptions of LocalLeap and is not checked against its code."
)
GLANCE_EXPLAINED = "Prompts answered right · forwards a prompt, mean."
ORACLE_COLUMNS: dict[str, Callable[[Oracle], str]] = {
    "family": lambda one: one.family,
    "decoder": lambda one: one.decoder,
    "block sizes": lambda one: _sizes(one.block_sizes),
    "best fixed size": lambda one: str(one.best_size),
    "its accuracy": lambda one: share(one.best),
    "oracle accuracy": lambda one: share(one.right),
    "oracle NFE": lambda one: f"{one.nfe:.1f}" if one.right.hits else "",
    "best size's NFE there": lambda one: f"{one.best_nfe:.1f}" if one.right.hits else "",
}
ORACLE_EXPLAINED = (
    "The oracle chooses the block size prompt by prompt, after the fact: right if any size is right, with the fewest "
    "forwards among the right ones. Both NFE columns are means over the prompts that some size answers right."
)
BIN_COLUMNS: dict[str, Callable[[Bin], str]] = {
    "confidence": lambda one: f"{one.low:g}-{one.high:g}",
    "candidates": lambda one: str(one.all.n),
    "confirmed": lambda one: share(one.all) if one.all.n else "",
    "words alone": lambda one: str(one.words.n),
    "words confirmed": lambda one: share(one.words) if one.words.n else "",
}


@dataclass(frozen=True)
class Report:
    """All that a benchmark found.  settings: what it ran on, as plain JSON values; samples: behind the bins."""

    settings: Mapping[str, Any]
    rows: Sequence[Row]
    oracles: Sequence[Oracle]
    bins: Sequence[Bin]
    samples: int


def markdown(report: Report) -> str:
    """The report as Markdown: decoders, block-size curve, oracle, calibration; what was not run is left out."""
    parts = []
    if report.rows:
        parts += ["### Decoders", table(COLUMNS, report.rows), COLUMNS_EXPLAINED]
    if len({row.family for row in report.rows}) > 1:
        parts += ["### At a glance", glance(report.rows), GLANCE_EXPLAINED]
    if report.oracles:
        parts += ["### Forwards a prompt, and accuracy, by block size", curves(report)]
        parts += ["### Oracle over block sizes", table(ORACLE_COLUMNS, report.oracles), ORACLE_EXPLAINED]
    if report.samples:
        parts += ["### Calibration", table(BIN_COLUMNS, report.bins), bins_explained(report.samples)]
    return "\n\n".join(parts)


def glance(rows: Sequence[Row]) -> str:
    """Accuracy and mean forwards, a line a decoder and a column a family."""
    families = list(dict.fromkeys(row.family for row in rows))
    found = {(row.decoder, row.block_sizes, row.family): row for row in rows}

    def cell(decoder: str, sizes: tuple[int, ...], family: str) -> str:
        row = found.get((decoder, sizes, family))
        return f"{100 * row.right.value:.1f} % · {row.nfe:.1f}" if row else ""

    kinds = list(dict.fromkeys((row.decoder, row.block_sizes) for row in rows))
    lines = [[name, _sizes(sizes), *(cell(name, sizes, family) for family in families)] for name, sizes in kinds]
    return aligned([["decoder", "block sizes", *families], *lines])


def bins_explained(samples: int) -> str:
    """What the calibration table counts."""
    return (
        f"Best candidates at the masked window positions of {samples} states, each a step drawn from another run of "
        "Fast-dLLM's dual cache with block 32. Confirmed: a careful decode that goes on from the same state (no cache, "
        "one token a forward, blocks of 4) writes the same token there. Words: candidates other than end-of-text. "
        "Candidates of one state are not independent, so the intervals are rather too narrow."
    )


def curves(report: Report) -> str:
    """Mean forwards and accuracy by block size, a line for each family and decoder that ran in several sizes."""
    sizes = sorted({size for one in report.oracles for size in one.block_sizes})
    found = {(row.family, row.decoder, row.block_sizes): row for row in report.rows}

    def cell(one: Oracle, size: int) -> str:
        row = found.get((one.family, one.decoder, (size,)))
        return f"{row.nfe:.1f} · {100 * row.right.value:.0f} %" if row else ""

    lines = [[one.family, one.decoder, *(cell(one, size) for size in sizes)] for one in report.oracles]
    return aligned([["family", "decoder", *map(str, sizes)], *lines])


def table(columns: Mapping[str, Callable[[Any], str]], items: Sequence[Any]) -> str:
    """A line for each of `items`, as a Markdown table."""
    return aligned([list(columns), *([show(item) for show in columns.values()] for item in items)])


def aligned(cells: Sequence[Sequence[str]]) -> str:
    """Lines of cells, the first of them the head, as a Markdown table whose columns line up."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |" for line in cells
    ]
    return "\n".join([lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]])


def as_csv(rows: Sequence[Any]) -> str:
    """A line for each of `rows`, unrounded; a figure within a figure has a column of its own, named with a dot."""
    lines = [_flat(plain(row)) for row in rows]
    out = io.StringIO()
    writer = csv.DictWriter(out, list(dict.fromkeys(name for line in lines for name in line)), lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return out.getvalue()


def as_json(report: Report) -> str:
    """The report as a JSON object."""
    return json.dumps(plain(report), indent=1) + "\n"


def plain(value: Any) -> Any:
    """Plain JSON values; a share is written with its value and interval."""
    if isinstance(value, Share):
        low, high = value.interval
        return {"hits": value.hits, "n": value.n, "value": value.value, "low": low, "high": high}
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return dict(value) if isinstance(value, Mapping) else value


def share(value: Share) -> str:
    """A share in percent with its interval."""
    low, high = value.interval
    return f"{100 * value.value:.1f} % ({100 * low:.0f}-{100 * high:.0f})"


def _flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{prefix}{name}.")
        else:
            flat[prefix + name] = _sizes(value) if isinstance(value, list) else value
    return {name: value for name, value in flat.items() if value is not None}


def _sizes(sizes: Sequence[int]) -> str:
    return ",".join(map(str, sizes))


def _speedup(versus: Versus | None) -> str:
    return f"{versus.speedup:.2f}x" if versus else ""


def _fewer(versus: Versus | None) -> str:
    return f"{100 * versus.fewer_forwards:.1f} %" if versus else ""
