"""Two recorded runs of one prompt, beside each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from blockbatch.errors import TraceError
from blockbatch.metrics import first_divergence, tokens_per_forward
from blockbatch.trace import Ints, Trace


@dataclass(frozen=True)
class Comparison:
    """first: the first position at which both answers hold a token and the tokens differ, None where there is none;
    differing: how many such positions there are; shared: at how many both hold a token; one_sided: at how many one
    alone does.  Positions after an answer's end of text are not looked at.
    """

    left: Trace
    right: Trace
    first: int | None
    differing: int
    shared: int
    one_sided: int


def compare(left: Trace, right: Trace) -> Comparison:
    """Compare the answers of two finished runs; TraceError if they are of different prompts or models' tokens."""
    if left.header.prompt_tokens != right.header.prompt_tokens:
        raise TraceError("The two runs are of different prompts, so their cells cannot be compared.")
    a, b = _padded(answer(left), answer(right))
    held = (a >= 0) & (b >= 0)
    return Comparison(
        left,
        right,
        first_divergence(a, b),
        int((held & (a != b)).sum()),
        int(held.sum()),
        int(((a >= 0) != (b >= 0)).sum()),
    )


def answer(trace: Trace) -> Ints:
    """The winner's row in the end, up to its end-of-text token (that included), negative where masked."""
    assert trace.end is not None, "a trace that was read is finished"
    row = trace.rows(len(trace.steps) - 1)[trace.end.winner]
    ends = np.flatnonzero(row == trace.header.eos_id)
    return row[: ends[0] + 1] if len(ends) else row


def words(trace: Trace) -> int:
    """How many tokens the answer has, its end-of-text token not counted."""
    row = answer(trace)
    return int(((row >= 0) & (row != trace.header.eos_id)).sum())


def described(comparison: Comparison) -> str:
    """The comparison as lines of text."""
    c = comparison
    lines = [f"{'':<22} {'A':>16} {'B':>16}"]
    for (name, a), (_, b) in zip(figures(c.left), figures(c.right), strict=True):
        lines.append(f"{name:<22} {a:>16} {b:>16}")
    return "\n".join([*lines, "", _parting(c), f"{c.differing} of {c.shared} cells that both fill differ; "
                      f"{c.one_sided} are filled in one alone."])  # fmt: skip


def figures(trace: Trace) -> list[tuple[str, str]]:
    """The run's metrics, by name."""
    totals, end = trace.totals, trace.end
    assert end is not None, "a trace that was read is finished"
    return [
        ("decoder", trace.header.decoder),
        ("block sizes", ",".join(map(str, trace.header.config.block_sizes))),
        ("forwards (NFE)", str(totals.forwards)),
        ("  init", str(totals.init)),
        ("  denoise", str(totals.denoise)),
        ("  refresh", str(totals.refresh)),
        ("steps computed ahead", str(totals.ahead)),
        ("answer tokens", str(words(trace))),
        ("tokens per forward", f"{tokens_per_forward(words(trace), totals.forwards):.2f}"),
        ("answer of branch", str(end.winner)),
        ("merged tokens", str(sum(totals.merged.values()))),
        ("tokens gained by resets", str(sum(totals.copied.values()))),
        ("stopped", end.stop),
        ("ms, forwards and rules", f"{totals.milliseconds['forward'] + totals.milliseconds['consensus']:.0f}"),
    ]


def _parting(c: Comparison) -> str:
    if c.first is None:
        return "Wherever both hold a token, the two answers are the same."
    left, right = (repr(trace.pieces[int(answer(trace)[c.first])]) for trace in (c.left, c.right))
    return f"The answers first part at position {c.first}: {left} in A, {right} in B."


def _padded(a: Ints, b: Ints) -> tuple[Ints, Ints]:
    """Both rows at the length of the longer, masked beyond their own."""
    length = max(len(a), len(b))
    left, right = (np.concatenate([row, np.full(length - len(row), -1)]) for row in (a, b))
    return left, right
