"""Decoders compared on held-out prompts of the task families: accuracy, forwards by kind, tokens a forward, time."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

from blockbatch.config import VARIANTS, BaselineConfig, Config, DecodeConfig
from blockbatch.metrics import tokens_per_forward
from blockbatch.run import Run
from blockbatch.tasks import Example, examples, is_correct

if TYPE_CHECKING:
    from blockbatch.models import Model

Progress = Callable[[Iterable[Any], str], Iterable[Any]]


@dataclass(frozen=True)
class Row:
    """One decoder on one family: means per prompt over `n` held-out prompts.

    block_sizes: the branches, or the one fixed size.  nfe: batched model calls, in total and by kind.
    tokens_per_forward: tokens of the answer, its end-of-text token not counted, per forward.  ms: wall milliseconds of
    forwards and rules; recording_ms: of recording the run as a trace, its text lines included, on top of that.
    """

    family: str
    decoder: str
    block_sizes: tuple[int, ...]
    n: int
    accuracy: float
    nfe: float
    nfe_init: float
    nfe_denoise: float
    nfe_refresh: float
    tokens_per_forward: float
    ms: float
    recording_ms: float


COLUMNS: dict[str, Callable[[Row], str]] = {
    "family": lambda row: row.family,
    "decoder": lambda row: row.decoder,
    "block sizes": lambda row: ",".join(map(str, row.block_sizes)),
    "prompts": lambda row: str(row.n),
    "accuracy": lambda row: f"{100 * row.accuracy:.1f} %",
    "NFE": lambda row: f"{row.nfe:.1f}",
    "init": lambda row: f"{row.nfe_init:.1f}",
    "denoise": lambda row: f"{row.nfe_denoise:.1f}",
    "refresh": lambda row: f"{row.nfe_refresh:.1f}",
    "tokens/forward": lambda row: f"{row.tokens_per_forward:.2f}",
    "ms": lambda row: f"{row.ms:.0f}",
    "recording": lambda row: f"{100 * row.recording_ms / row.ms:.1f} %" if row.ms else "",
}


def configs(
    decoders: Sequence[str], block_sizes: Sequence[int], branches: Sequence[int], gen_length: int
) -> list[Config]:
    """One config a decoder and, for the fixed-block ones, a block size; all stop at the end of the text."""
    found: list[Config] = []
    for decoder in decoders:
        if decoder in VARIANTS:
            found.append(DecodeConfig.preset(decoder, block_sizes=tuple(branches), gen_length=gen_length))
        else:
            found += [BaselineConfig.make(decoder, block_size=size, gen_length=gen_length) for size in block_sizes]
    return found


def bench(
    model: Model,
    families: Sequence[str],
    configs: Sequence[Config],
    limit: int,
    progress: Progress = lambda items, label: items,
) -> Iterator[Row]:
    """A row for each family and config, over the first `limit` held-out prompts of the family, as soon as it is done.

    `progress` wraps each row's prompts, to show how far it is.
    """
    for family, config in itertools.product(families, configs):
        prompts = list(itertools.islice(examples(family, "held-out"), limit))
        label = f"{family} · {config.decoder} {','.join(map(str, config.block_sizes))}"
        yield _mean_row(family, config, [_measure(model, example, config) for example in progress(prompts, label)])


def _measure(model: Model, example: Example, config: Config) -> dict[str, float]:
    """The figures of one prompt, named as the fields of `Row`."""
    run = Run(model, example.prompt, config)
    began = time.perf_counter()
    for _ in run:
        pass
    wall = 1000 * (time.perf_counter() - began)
    end, counted = run.trace.end, run.trace.totals
    assert end is not None, "a run that was iterated to its end has one"
    decoding = counted.milliseconds["forward"] + counted.milliseconds["consensus"]
    row = run.trace.rows(len(run.trace.steps) - 1)[end.winner]
    answer = row if end.eos is None else row[: end.eos]
    return {
        "accuracy": float(is_correct(example, end.text)),
        "nfe": counted.forwards,
        "nfe_init": counted.init,
        "nfe_denoise": counted.denoise,
        "nfe_refresh": counted.refresh,
        "tokens_per_forward": tokens_per_forward(int((answer >= 0).sum()), counted.forwards),
        "ms": decoding,
        "recording_ms": wall - decoding,
    }


def _mean_row(family: str, config: Config, measured: list[dict[str, float]]) -> Row:
    means = {name: fmean(one[name] for one in measured) for name in measured[0]}
    return Row(family, config.decoder, config.block_sizes, len(measured), **means)


def table(rows: Sequence[Row]) -> str:
    """The rows as a Markdown table whose columns line up."""
    cells = [list(COLUMNS), *([show(row) for show in COLUMNS.values()] for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(COLUMNS))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |" for line in cells
    ]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([lines[0], rule, *lines[1:]])
