"""The bifurcated tokens of a run: where its branches part, and what each of them gave the tokens in question.

A lane for each position, all on one pair of axes, so that the figure can be as narrow as a phone and as wide as a desk:
in a lane a group of bars for each branch, a bar for each token, the one that the branch holds solid and marked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import plotly.graph_objects as go

from blockbatch.bifurcations import Bifurcation, Choice, bifurcations, most_telling
from blockbatch.trace import MASKED, Trace
from ui.figurestyle import GRID
from ui.pieces import escaped, token_words, visible
from ui.studies.look import SIX, Colour, axis, figure_of, said

MOST = 12  # lanes
LANE, AROUND = 92, 75  # pixels
FOOT, TALL, LABEL, HEAD = 0.17, 0.56, 0.08, 0.92  # of a lane: where bars begin, how high a sure one is, and the words
GROUP, WIDEST = 0.84, 0.26  # of the room of a branch: all its bars, and one of them
FAINT = 0.4
LONGEST = 9  # letters of a token in the head of its lane
COLOURS = SIX[:5]
MARGIN = 62  # pixels, to the left of the lanes, which their heads may use
ONE_BRANCH = "This run has one branch, and one branch cannot part."
NEVER = (
    "In this run branches never part: no two of them hold different tokens at a position, and where the first of them "
    "commits, all that look there have the same best candidate."
)


class Place(NamedTuple):
    """A bar of `token`, the one numbered `rank` in its lane, for a choice in it: at x from `foot` on."""

    bifurcation: Bifurcation
    choice: Choice
    token: int
    rank: int
    x: float
    width: float
    foot: float

    @property
    def probability(self) -> float:
        return self.choice.probability(self.token)

    @property
    def chosen(self) -> bool:
        return self.choice.token == self.token

    @property
    def top(self) -> float:
        return self.foot + TALL * self.probability

    @property
    def cell(self) -> list[Any]:
        """What a click on it names."""
        return [self.bifurcation.step + 1, self.choice.branch, self.bifurcation.position]


def parting(trace: Trace) -> go.Figure:
    """At most the 12 most telling bifurcated tokens, by step (see `blockbatch.bifurcations`).

    Telling are those where branches hold different tokens before those where only their best candidates differ, and
    among them those where the less sure side is surest.  A lane shows at most five tokens, those that branches hold
    first.
    """
    found = most_telling(bifurcations(trace), MOST)
    if not found:
        return said(ONE_BRANCH if _single(trace) else NEVER, trace.header.run)
    sizes = sorted({choice.branch for each in found for choice in each.choices})
    tokens = [_tokens(each) for each in found]
    places = list(_places(found, tokens, sizes))
    ranks = range(max(map(len, tokens)))
    bars = [_bars(trace, [place for place in places if place.rank == rank], COLOURS[rank]) for rank in ranks]
    return figure_of(
        [*bars, _marks(places), _branch_names(found, sizes)],
        trace.header.run,
        AROUND + LANE * len(found),
        annotations=[_head(trace, own, foot) for own, foot in zip(tokens, _feet(found), strict=True)],
        xaxis=axis("block size", range=[-0.5, len(sizes) - 0.5], showticklabels=False),
        yaxis=_lanes(found),
    )


def _single(trace: Trace) -> bool:
    return all(len(step.branches) == 1 for step in trace.steps) and len(trace.header.config.block_sizes) == 1


def _feet(found: Sequence[Bifurcation]) -> list[int]:
    """Where each lane begins: the first one on top."""
    return list(reversed(range(len(found))))


def _lanes(found: Sequence[Bifurcation]) -> dict[str, Any]:
    lines = {"minor": {"tickvals": list(range(len(found) + 1)), "showgrid": True, "gridcolor": GRID}}
    return axis(
        "",
        range=[0, len(found)],
        fixedrange=True,
        tickvals=[foot + FOOT + TALL / 2 for foot in _feet(found)],
        ticktext=[f"position {each.position}<br>step {each.step + 1}" for each in found],
        **lines,
    )


def _tokens(each: Bifurcation) -> list[int]:
    """The tokens of a lane, at most as many as there are colours: held ones first, then by their probabilities."""
    given: dict[int, float] = {}
    for choice in each.choices:
        for token, probability in choice.candidates:
            given[token] = given.get(token, 0.0) + probability
    held = {choice.token for choice in each.choices} - {MASKED}
    ranked = sorted(held | given.keys(), key=lambda token: (token not in held, -given.get(token, 0.0), token))
    return ranked[: len(COLOURS)]


def _places(found: Sequence[Bifurcation], tokens: Sequence[list[int]], sizes: Sequence[int]) -> Iterator[Place]:
    """A place for every token of a lane that a branch has among its candidates or holds."""
    for each, own, foot in zip(found, tokens, _feet(found), strict=True):
        width = min(GROUP / len(own), WIDEST)
        for choice in each.choices:
            for rank, token in enumerate(own):
                place = sizes.index(choice.branch) + (rank - (len(own) - 1) / 2) * width
                if choice.token == token or choice.probability(token):
                    yield Place(each, choice, token, rank, place, 0.9 * width, foot + FOOT)


def _bars(trace: Trace, places: Sequence[Place], colour: Colour) -> go.Bar:
    return go.Bar(
        name="candidate",
        x=[place.x for place in places],
        base=[place.foot for place in places],
        y=[place.top - place.foot for place in places],
        width=[place.width for place in places],
        customdata=[[*place.cell, place.probability] for place in places],
        hovertext=[_words(trace, place) for place in places],
        hovertemplate="step %{customdata[0]}, block %{customdata[1]}, position %{customdata[2]}<br>"
        "%{hovertext}<extra></extra>",
        marker={"color": colour.shade, "line_width": 0, "opacity": [1 if place.chosen else FAINT for place in places]},
        showlegend=False,
        meta=colour.meta,
    )


def _words(trace: Trace, place: Place) -> str:
    token = token_words(trace, place.token)
    given = f"{place.probability:.2f}" if place.probability else "not among its recorded candidates"
    return f"{token}: {given}" + (", held" if place.chosen else "")


def _marks(places: Sequence[Place]) -> go.Scatter:
    chosen = [place for place in places if place.chosen]
    return go.Scatter(
        name="held by the branch",
        mode="markers",
        x=[place.x for place in chosen],
        y=[place.top + 0.05 for place in chosen],
        customdata=[place.cell for place in chosen],
        marker={"symbol": "triangle-down", "size": 7, "color": "#7F7F7F"},
        hoverinfo="skip",
        meta={"colour": "dim"},
    )


def _branch_names(found: Sequence[Bifurcation], sizes: Sequence[int]) -> go.Scatter:
    """Beneath each group of bars the block size whose it is."""
    names = [(choice.branch, foot) for each, foot in zip(found, _feet(found), strict=True) for choice in each.choices]
    return go.Scatter(
        name="block size",
        mode="text",
        x=[sizes.index(size) for size, _ in names],
        y=[foot + LABEL for _, foot in names],
        text=[str(size) for size, _ in names],
        textfont_size=10,
        hoverinfo="skip",
        showlegend=False,
        meta={"colour": "dim"},
    )


def _head(trace: Trace, tokens: Sequence[int], foot: int) -> dict[str, Any]:
    """The tokens of a lane in their colours, above its bars."""
    shown = zip(tokens, COLOURS, strict=False)
    parts = [f'<span style="color:{c.shade}">■</span>\u00a0{_short(trace, token)}' for token, c in shown]
    place = {"x": 0, "xref": "paper", "xanchor": "left", "y": foot + HEAD, "yanchor": "middle", "showarrow": False}
    place["xshift"] = -MARGIN
    return {"text": "  ".join(parts), "align": "left", "font_size": 10, **place}


def _short(trace: Trace, token: int) -> str:
    """A token in few letters, so that the heads of lanes stay in one line."""
    if token == trace.header.eos_id:
        return "end of text"
    piece = trace.pieces.get(token, f"#{token}")
    cut = piece if len(piece) <= LONGEST else piece[: LONGEST - 1] + "…"
    return f"“{escaped(visible(cut))}”"
