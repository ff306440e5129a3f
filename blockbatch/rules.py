"""The rules of BlockBatch (arXiv 2605.29233) as pure functions over the branch arrays.

N branches, G generated positions, K candidates.  Nothing here keeps state, draws, prints, times or changes its
arguments.  `masked` [N, G] marks positions without a token, `rows` [N, G] holds tokens (negative where masked).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

LEAP_DISTANCE, LEAP_THRESHOLD = 4, 0.75  # as LocalLeap is described as published
MERGE_FLOOR = 0.1  # a source's token counts only where the destination gives it more than this


def windows(masked: Bools, sizes: Ints) -> tuple[Ints, Ints, Bools]:
    """Window rule: the cell of the branch's own grid that holds its first masked position.

    Returns start [N], end [N] (half open; the last cell may be ragged) and done [N] (nothing masked: an empty window
    at G).
    """
    length = masked.shape[1]
    done: Bools = np.logical_not(masked.any(axis=1))
    first = masked.argmax(axis=1) if length else np.zeros(len(masked), np.int64)
    start: Ints = np.where(done, length, first // sizes * sizes)
    return start, np.minimum(start + np.where(done, 0, sizes), length), done


def commits(open_slots: Bools, confidence: Floats, threshold: float, reach: int = 0) -> tuple[Bools, Bools]:
    """Commit rule (confidence-threshold parallel decoding, Fast-dLLM).

    Of the masked window positions `open_slots` [N, G] commit those with confidence >= threshold, and always the most
    confident one, the first on a tie; that one is looked for among the first `reach` of a row, or among all if it is
    0.  Returns (commit [N, G], forced [N, G]): forced is that one where it is below the threshold.
    """
    sure = open_slots & (confidence >= threshold)
    near = open_slots & (np.cumsum(open_slots, axis=1) <= (reach or open_slots.shape[1]))
    best = np.where(near, confidence, -1.0).argmax(axis=1)
    is_best = np.arange(open_slots.shape[1]) == best[:, None]
    forced = is_best & near & ~sure
    return sure | forced, forced


class Caution(NamedTuple):
    """How sure a branch has to be, the options beyond the paper included (see `DecodeConfig`)."""

    threshold: float
    reach: int  # forced_reach
    joint: float  # joint_threshold


def careful_commits(
    open_slots: Bools, confidence: Floats, recorded: Floats, caution: Caution, masked: Bools, waiting: Bools
) -> tuple[Bools, Bools]:
    """The commit rule with the options beyond the paper; with none of them on it is `commits`.

    The first masked positions of a row are committed together for as long as the product of their confidences stays
    above `caution.joint`, and then none is forced; the product is that of the `recorded` confidences [N, G], so that a
    record alone can be judged.  Candidates at `waiting` [N, G], ends of text, are committed only if no masked position
    is left before them.  Returns (commit [N, G], forced [N, G]) as `commits` does.  A row with an open slot commits,
    for nothing has to be waited for at the first masked position, which is in its window.
    """
    free = open_slots & ~(waiting & behind_a_gap(masked))
    commit, forced = commits(free, confidence, caution.threshold, caution.reach)
    known = np.where(free, recorded, np.where(masked, 0.0, 1.0))
    together = free & (np.cumprod(known, axis=1) > caution.joint)
    spared = forced & together.any(axis=1, keepdims=True)
    commit, forced = (commit & ~spared) | together, forced & ~spared
    sure_ends = open_slots & waiting & (confidence >= caution.threshold)
    return commit | (sure_ends & ~behind_a_gap(masked & ~commit & ~sure_ends)), forced


def behind_a_gap(masked: Bools) -> Bools:
    """[N, G] positions with a masked one somewhere before them."""
    return np.asarray(np.cumsum(masked, axis=1) - masked > 0, np.bool_)


def with_drafts(row: Ints, positions: Sequence[int], tokens: Sequence[int]) -> Ints:
    """[n, G]: `row` [G] with the first of `tokens` written at the first of the n `positions`, with two, ..."""
    rows = np.repeat(row[None], len(positions), axis=0)
    for count, (position, token) in enumerate(zip(positions, tokens, strict=True)):
        rows[count:, position] = token
    return rows


def quota(open_slots: Bools, confidence: Floats, count: int) -> Bools:
    """The `count` most confident of `open_slots` [N, G] in each row, the first on a tie."""
    ranked = np.argsort(np.where(open_slots, -confidence, np.inf), axis=1, kind="stable")
    rank = np.argsort(ranked, axis=1)
    return open_slots & (rank < count)


def leaps(open_slots: Bools, confidence: Floats, threshold: float) -> tuple[Bools, Bools]:
    """LocalLeap (arXiv 2510.07081): the commit rule, relaxed in the neighbourhood of what is certain.

    Of `open_slots` [N, G], those with confidence >= threshold are anchors; a slot within `LEAP_DISTANCE` positions of
    an anchor commits at `LEAP_THRESHOLD` already.  Without an anchor the most confident one is forced.  Returns
    (commit [N, G], forced [N, G]).  From secondary descriptions, not checked against its code.
    """
    at = np.arange(open_slots.shape[1])
    near = np.abs(at[:, None] - at) <= LEAP_DISTANCE
    anchors = open_slots & (confidence >= threshold)
    followers = (anchors @ near) & open_slots & (confidence >= LEAP_THRESHOLD)
    commit, forced = commits(open_slots, confidence, threshold)
    return commit | followers, forced


def factor_count(confidence: Floats, factor: float) -> int:
    """Factor rule (Fast-dLLM): how many of the n most confident candidates to commit.

    confidence [n], any order.  With c_1 >= c_2 >= ... and limits t_1 = -1, t_j = 1 - factor / (j + 1), take the first
    j with c_j < t_j (else n): commit j - 1, and one more if j is the first or the last.
    """
    n = len(confidence)
    limits = 1 - factor / (np.arange(1, n + 1) + 1)
    limits[0] = -1
    below = np.flatnonzero(-np.sort(-confidence) < limits)
    j = int(below[0]) + 1 if len(below) else n
    return j - 1 + (j in (1, n))


def first_eos(rows: Ints, start: Ints, end: Ints, eos_id: int) -> Ints:
    """First end-of-text token in each full window [N]; -1 where the window has none or is not full."""
    at = np.arange(rows.shape[1])
    inside = (at >= start[:, None]) & (at < end[:, None])
    full = ~(inside & (rows < 0)).any(axis=1)
    found = inside & (rows == eos_id)
    return np.where(full & found.any(axis=1), found.argmax(axis=1), -1)


def text_end(rows: Ints, eos_id: int) -> Ints:
    """First end-of-text token of each row [N] if nothing before it is masked; -1 where the text is not whole."""
    ends = (rows == eos_id) & ~behind_a_gap(rows < 0)
    return np.where(ends.any(axis=1), ends.argmax(axis=1), -1)


def compatible(rows: Ints) -> Bools:
    """[N, N]: wherever both branches hold a token, the tokens are equal."""
    left, right = rows[:, None], rows[None]
    clash: Bools = ((left >= 0) & (right >= 0) & (left != right)).any(axis=2)
    return ~clash


class Merged(NamedTuple):
    """One consensus commit, branches by index."""

    destination: int
    source: int
    position: int
    token: int
    probability: float


class Table(NamedTuple):
    """What each branch's most recent forward gave: tokens [N, G, K] and their probabilities [N, G, K]."""

    tokens: Ints
    probabilities: Floats


def merges(
    rows: Ints, start: Ints, end: Ints, done: Bools, table: Table, threshold: float, scan_prefix: bool
) -> list[Merged]:
    """Merge rule (confidence-gated consensus commit).

    The branches that are not done stand in order of their window's end, furthest first; each may take tokens from the
    compatible branches after it.  So no branch takes from one that has itself just taken, and all merges can be read
    off the same rows.
    """
    order = sorted(np.flatnonzero(~done).tolist(), key=lambda branch: -int(end[branch]))
    agrees = compatible(rows)
    taken: list[Merged] = []
    for place, destination in enumerate(order):
        sources = [source for source in order[place + 1 :] if agrees[destination, source]]
        if sources:
            scanned = _scanned(rows.shape[1], start[sources], end[sources], scan_prefix)
            positions = np.flatnonzero(scanned & (rows[destination] < 0))
            taken += _takes(destination, sources, positions, rows, table, threshold)
    return taken


def _scanned(length: int, start: Ints, end: Ints, scan_prefix: bool) -> Bools:
    """[G] positions in the union of the sources' windows, or everything up to the furthest of them."""
    at = np.arange(length)
    if scan_prefix:
        return np.asarray(at < end.max(), np.bool_)
    return np.asarray(((at >= start[:, None]) & (at < end[:, None])).any(axis=0), np.bool_)


def _takes(
    destination: int, sources: list[int], positions: Ints, rows: Ints, table: Table, threshold: float
) -> list[Merged]:
    """At each of `positions`, the sources' token to which the destination gives the most, if that is enough."""
    tokens = rows[sources][:, positions]
    known, given = table.tokens[destination, positions], table.probabilities[destination, positions]
    probability = np.where(tokens[:, :, None] == known, given, 0.0).sum(axis=2)
    probability[(tokens < 0) | (probability <= MERGE_FLOOR)] = 0.0
    best = probability.argmax(axis=0)
    chosen = probability.max(axis=0)
    return [
        Merged(destination, sources[best[n]], int(positions[n]), int(tokens[best[n], n]), float(chosen[n]))
        for n in np.flatnonzero((chosen > threshold) & (chosen > 0))
    ]


def behind(decoded: Ints, done: Bools, threshold: int) -> Ints:
    """Sync rule (leader reset): indices of the branches more than `threshold` decoded tokens behind the leader."""
    return np.flatnonzero(~done & (decoded.max() - decoded > threshold))


def refresh_due(blocks_since_refresh: Ints, sizes: Ints, interval: int) -> Bools:
    """Interval refresh (`paper`) [N]: the branch has moved on by `interval` tokens' worth of blocks."""
    return np.asarray(blocks_since_refresh * sizes >= interval, np.bool_)


def diverged(similarity: Floats, length: int) -> bool:
    """Divergence refresh (`latest`): 1 - the smallest pairwise similarity of the caches exceeds 2 / T.

    similarity [n, n]: cosine of two branches' cache rows, mean over layers, keys and values; length: T, prompt
    included.
    """
    return bool(1 - similarity.min() > 2 / length)


def winner_at_eos(finished: Bools, eos_probability: Floats) -> int:
    """Of the `finished` [N] branches the one most certain of its end of text, the first on a tie."""
    return int(np.where(finished, eos_probability, -1.0).argmax())


def winner_by_progress(start: Ints, done: Bools, length: int) -> int:
    """The branch that got furthest, the first on a tie."""
    return int(np.where(done, length, start).argmax())
