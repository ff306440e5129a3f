"""The agreement map of a run after one of its steps: which branches hold what most of them hold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from blockbatch.consensus import Consensus, consensus, last_apart
from blockbatch.trace import MASKED, Ints, Trace
from ui.figurestyle import GRID
from ui.pieces import token_words
from ui.studies.look import NO_STEPS, RED, SKY, Colour, axis, figure_of, said

LANE, AROUND, FRACTION = 22, 89, 84  # pixels: of a branch, of all that is no data, of the fraction beneath
GAP = 8
CLASSES: dict[str, Colour] = {"agrees": SKY, "parts": RED, "absent": Colour("line", GRID)}


def agreement(trace: Trace, step: int | None = None) -> go.Figure:
    """Branch by position after `step`, and beneath it the consensus fraction: the branches that hold the token which
    most hold there, of all branches.

    A cell agrees (holds the token that most of the branches which hold one hold there; on a tie that of the smallest
    block), parts (holds another) or is absent (masked): a trace each.  Without `step` it is the last one after which
    two branches hold different tokens somewhere; the last of all where none ever do.  IndexError for a step that the
    run has not.
    """
    if step is None:
        step = last_apart(trace)
        if step < 0:
            return said(NO_STEPS, trace.header.run)
    if not 0 <= step < len(trace.steps):
        raise IndexError(f"step {step} is outside this run of {len(trace.steps)} steps")
    after = trace.rows(step)
    sizes = sorted(after)
    table = np.stack([after[size] for size in sizes])
    found = consensus(table)
    words = _words(trace, table, found)
    maps = [_map(kind, getattr(found, kind), words, sizes, step) for kind in CLASSES]
    return _laid_out([*maps, _fractions(trace, found, len(sizes), step)], trace, sizes)


def _laid_out(data: Sequence[object], trace: Trace, sizes: Sequence[int]) -> go.Figure:
    height = AROUND + FRACTION + GAP + LANE * len(sizes)
    drawn = height - AROUND
    names = [f"block {size}" for size in sizes]
    along = {"range": [-0.5, trace.header.config.gen_length - 0.5], "anchor": "y2"}
    rows = {"type": "category", "categoryarray": names, "range": [len(names) - 0.5, -0.5], "fixedrange": True}
    shares = {"range": [0, 1.05], "tickformat": ".0%", "tickvals": [0, 0.5, 1], "showgrid": True, "gridcolor": GRID}
    return figure_of(
        list(data),
        trace.header.run,
        height,
        xaxis=axis("position", **along),
        yaxis=axis("", domain=[1 - LANE * len(sizes) / drawn, 1], **rows),
        yaxis2=axis("consensus", domain=[0, FRACTION / drawn], fixedrange=True, **shares),
        bargap=0,
    )


def _map(kind: str, here: np.ndarray, words: Sequence[Sequence[str]], sizes: Sequence[int], step: int) -> go.Heatmap:
    """One trace for the cells of `kind`, which are those that `here` [branches, positions] marks."""
    colour, places = CLASSES[kind], range(here.shape[1])
    cells = [(row, size, marked.tolist()) for row, (size, marked) in enumerate(zip(sizes, here, strict=True))]
    return go.Heatmap(
        name=kind,
        y=[f"block {size}" for size in sizes],
        z=[[1 if marked[place] else None for place in places] for _, _, marked in cells],
        text=[[words[row][place] if marked[place] else None for place in places] for row, _, marked in cells],
        customdata=[
            [[step + 1, size, place] if marked[place] else None for place in places] for _, size, marked in cells
        ],
        hovertemplate=f"step {step + 1}, %{{y}}, position %{{x}}<br>{kind}: %{{text}}<extra></extra>",
        hoverongaps=False,
        colorscale=[[0, colour.shade], [1, colour.shade]],
        showscale=False,
        showlegend=True,
        ygap=2,
        meta=colour.meta,
    )


def _words(trace: Trace, table: Ints, found: Consensus) -> list[list[str]]:
    """What is to be said of each cell of `table` [branches, positions]."""
    known = {token: token_words(trace, token) for token in np.unique(table).tolist() if token != MASKED}
    held = (table != MASKED).sum(axis=0).tolist()
    tokens, counts = found.tokens.tolist(), found.counts.tolist()

    def said_of(token: int, place: int) -> str:
        most = f"{counts[place]} of the {held[place]} that hold one"
        if token == MASKED:
            return "masked" + (f", where {counts[place]} hold {known[tokens[place]]}" if held[place] else "")
        if token == tokens[place]:
            return f"{known[token]}, as {most}"
        return f"{known[token]}, where {most} hold {known[tokens[place]]}"

    return [[said_of(token, place) for place, token in enumerate(row)] for row in table.tolist()]


def _fractions(trace: Trace, found: Consensus, branches: int, step: int) -> go.Bar:
    counts, tokens = found.counts.tolist(), found.tokens.tolist()
    return go.Bar(
        name="consensus fraction",
        yaxis="y2",
        x=list(range(len(counts))),
        y=[count / branches for count in counts],
        customdata=[[step + 1, None, place] for place in range(len(counts))],
        hovertext=[
            f"{count} of {branches} branches hold {token_words(trace, token)}" if count else "no branch holds a token"
            for count, token in zip(counts, tokens, strict=True)
        ],
        hovertemplate=f"step {step + 1}, position %{{x}}<br>%{{hovertext}}<extra></extra>",
        marker={"color": SKY.shade, "line_width": 0},
        showlegend=False,
        meta=SKY.meta,
    )
