"""The rules one by one, on cases small enough to work out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockbatch import rules


def row(text: str) -> np.ndarray:
    """A row of tokens: a digit is a token, a dot a masked slot."""
    return np.array([-1 if character == "." else int(character) for character in text])


def rows(*texts: str) -> np.ndarray:
    return np.stack([row(text) for text in texts])


def test_the_window_is_the_grid_cell_of_the_first_masked_position() -> None:
    masked = rows("12345..8..", "1234567890", "..........") < 0
    start, end, done = rules.windows(masked, np.array([4, 3, 64]))
    assert (start.tolist(), end.tolist(), done.tolist()) == ([4, 10, 0], [8, 10, 10], [False, True, False])
    start, end, _ = rules.windows(rows("12345678..") < 0, np.array([4]))
    assert (start.tolist(), end.tolist()) == ([8], [10])  # the last cell is ragged


def test_nothing_generated_means_done() -> None:
    start, end, done = rules.windows(np.zeros((2, 0), bool), np.array([4, 8]))
    assert (start.tolist(), end.tolist(), done.tolist()) == ([0, 0], [0, 0], [True, True])


def test_commits_take_the_sure_ones_and_always_the_best() -> None:
    confidence = np.array([[0.95, 0.9, 0.99, 0.2], [0.3, 0.6, 0.6, 0.99], [0.9, 0.9, 0.9, 0.9]])
    slots = np.array([[True, True, False, True], [True, True, True, False], [False] * 4])
    commit, forced = rules.commits(slots, confidence, 0.9)
    assert commit.tolist() == [[True, True, False, False], [False, True, False, False], [False] * 4]
    assert forced.tolist() == [[False] * 4, [False, True, False, False], [False] * 4]


def test_a_token_is_forced_within_reach_only() -> None:
    confidence = np.array([[0.1, 0.2, 0.3, 0.4], [0.1, 0.2, 0.95, 0.4]])
    slots = np.array([[True, False, True, True], [True, True, True, True]])
    found = {reach: rules.commits(slots, confidence, 0.9, reach) for reach in (0, 1, 2)}
    assert [found[reach][0].astype(int).tolist() for reach in found] == [
        [[0, 0, 0, 1], [0, 0, 1, 0]],
        [[1, 0, 0, 0], [1, 0, 1, 0]],  # what is sure is committed as ever
        [[0, 0, 1, 0], [0, 1, 1, 0]],
    ]
    assert found[2][1].astype(int).tolist() == [[0, 0, 1, 0], [0, 1, 0, 0]]


def test_an_end_of_text_waits_for_the_text() -> None:
    confidence = np.array([[0.95, 0.95, 0.95, 0.95], [0.95, 0.5, 0.95, 0.95], [0.6, 0.5, 0.95, 0.95]])
    masked = np.array([[False, True, True, True], [True, True, True, True], [True, False, True, True]])
    ends = np.array([[False, False, True, True], [False, False, True, True], [True, False, True, False]])
    commit, forced = rules.careful_commits(masked, confidence, confidence, rules.Caution(0.9, 0, 1.0), masked, ends)
    assert commit.astype(int).tolist() == [
        [0, 1, 1, 1],  # the text is completed in the same step
        [1, 0, 0, 0],  # a gap at 1
        [0, 0, 0, 1],  # nothing stands before the first position, but 3 is surer
    ]
    assert not forced.any()


def test_the_first_masked_tokens_are_committed_while_their_product_is_above_the_joint_threshold() -> None:
    confidence = np.array([[0.0, 0.8, 0.8, 0.8, 0.5], [0.7, 0.9, 0.8, 0.95, 0.1], [0.8, 0.8, 0.9, 0.9, 0.99]])
    masked = np.array([[False, True, True, True, True], [True, False, True, True, True], [True] * 5])
    slots = masked & np.array([[True], [True], [False]])
    slots[2, 2:] = True  # the first two of the last row are masked outside its window
    none = np.zeros_like(masked)
    commit, forced = rules.careful_commits(slots, confidence, confidence, rules.Caution(0.95, 1, 0.5), masked, none)
    assert commit.astype(int).tolist() == [
        [0, 1, 1, 1, 0],  # 0.8, 0.64, 0.51
        [1, 0, 1, 1, 0],  # 0.7, 0.56, 0.53: what is written already costs nothing
        [0, 0, 1, 0, 1],  # behind a gap none is committed jointly: one is forced, one is sure by itself
    ]
    assert forced.astype(int).tolist() == [[0] * 5, [0] * 5, [0, 0, 1, 0, 0]]
    commit, forced = rules.careful_commits(slots, confidence, confidence, rules.Caution(0.95, 1, 0.8), masked, none)
    assert forced.astype(int).tolist() == [[0, 1, 0, 0, 0], [1, 0, 0, 0, 0], [0, 0, 1, 0, 0]]
    assert commit.astype(int).tolist() == [[0, 1, 0, 0, 0], [1, 0, 0, 1, 0], [0, 0, 1, 0, 1]]


def test_a_text_ends_where_nothing_before_is_masked() -> None:
    assert rules.text_end(rows("1299", "1.99", "1234", "9999", "...."), 9).tolist() == [2, -1, -1, 0, -1]


def test_a_quota_takes_the_most_confident_the_first_on_a_tie() -> None:
    confidence = np.array([[0.5, 0.7, 0.7, 0.9]])
    assert rules.quota(np.array([[True, True, True, False]]), confidence, 2).tolist() == [[False, True, True, False]]
    assert rules.quota(np.array([[True, False, False, False]]), confidence, 3).tolist() == [[True, False, False, False]]


@pytest.mark.parametrize(
    ("confidence", "factor", "count"),
    [
        ([0.1], 1.0, 1),  # j is both the first and the last: one more than 0
        ([0.9, 0.1], 1.0, 2),  # 0.1 < 1 - 1/3 at j = 2, the last
        ([0.9, 0.1, 0.1], 1.0, 1),  # 0.1 < 1 - 1/3 at j = 2
        ([0.1, 0.99, 0.8, 0.5], 1.0, 2),  # sorted .99 .8 .5 .1: .8 >= 2/3, .5 < 3/4 at j = 3
        ([0.99, 0.99, 0.99], 1.0, 3),
        ([0.5, 0.5, 0.5], 9.0, 3),
    ],
)
def test_the_factor_rule(confidence: list[float], factor: float, count: int) -> None:
    assert rules.factor_count(np.array(confidence), factor) == count


@pytest.mark.parametrize(
    ("confidence", "slots", "commit", "forced"),
    [
        # An anchor at 2: 0.75 is enough within 4 of it, on both sides, and no further.
        ([0.75, 0.7, 0.9, 0.8, 0.1, 0.2, 0.75, 0.89], "xxxxxxxx", "x.xx..x.", "........"),
        # Without an anchor nothing is relaxed: only the best, the first on a tie, is forced.
        ([0.8, 0.89, 0.89, 0.8], "xxxx", ".x..", ".x.."),
        # A token that stands already is no anchor, however sure it is now.
        ([0.99, 0.8, 0.7], ".xx", ".x.", ".x."),
        # A follower is no anchor of its own: 5 is within 4 of 1, but 8 is only near 5.
        ([0.1, 0.95, 0.1, 0.1, 0.1, 0.85, 0.1, 0.1, 0.85], "xxxxxxxxx", ".x...x...", "........."),
        ([0.95, 0.1, 0.1, 0.1, 0.1, 0.1, 0.8, 0.1, 0.9], "xxxxxxxxx", "x.....x.x", "........."),
        ([0.99, 0.99], "..", "..", ".."),
    ],
)
def test_leaps_relax_the_threshold_near_an_anchor(
    confidence: list[float], slots: str, commit: str, forced: str
) -> None:
    taken = rules.leaps(np.array([[c == "x" for c in slots]]), np.array([confidence]), 0.9)
    assert ["".join(".x"[int(on)] for on in marks[0]) for marks in taken] == [commit, forced]


@given(
    st.lists(st.tuples(st.booleans(), st.sampled_from([0.1, 0.74, 0.75, 0.89, 0.9, 1.0])), min_size=1, max_size=30),
    st.sampled_from([0.5, 0.9, 1.1]),
)
def test_leaps_commit_what_the_commit_rule_does_and_more_near_it(
    positions: list[tuple[bool, float]], threshold: float
) -> None:
    slots, confidence = (np.array([column]) for column in zip(*positions, strict=True))
    sure, forced = rules.commits(slots, confidence, threshold)
    commit, also_forced = rules.leaps(slots, confidence, threshold)
    assert (forced == also_forced).all()
    assert not (sure & ~commit).any()
    assert not (commit & ~slots).any()
    anchors = np.flatnonzero(slots[0] & (confidence[0] >= threshold))
    for position in np.flatnonzero(commit[0] & ~sure[0]):
        assert confidence[0, position] >= 0.75
        assert min(abs(position - anchors)) <= 4


def test_end_of_text_counts_only_in_a_full_window() -> None:
    found = rules.first_eos(rows("2391", "2911", ".911", "2222"), np.zeros(4, int), np.array([4, 4, 4, 4]), 9)
    assert found.tolist() == [2, 1, -1, -1]
    assert rules.first_eos(rows("9229"), np.array([1]), np.array([3]), 9).tolist() == [-1]


def test_compatible_branches_agree_wherever_both_hold_a_token() -> None:
    assert rules.compatible(rows("12..", "1.3.", "13..")).tolist() == [
        [True, True, False],
        [True, True, True],
        [False, True, True],
    ]


def merge(texts: list[str], ends: list[int], table: dict[tuple[int, int, int], float], **options: bool) -> list[object]:
    """Merges with windows [0, end) and a table {(branch, position, token): probability}."""
    held = rows(*texts)
    tokens = np.full((*held.shape, 10), -1)
    probabilities = np.zeros(tokens.shape)
    for n, ((branch, position, token), probability) in enumerate(table.items()):
        tokens[branch, position, n], probabilities[branch, position, n] = token, probability
    start, done = np.zeros(len(texts), int), np.zeros(len(texts), bool)
    known = rules.Table(tokens, probabilities)
    taken = rules.merges(held, start, np.array(ends), done, known, 0.5, options.get("prefix", False))
    return [tuple(one) for one in taken]


def test_a_branch_takes_what_a_nearer_one_holds_when_it_is_sure_enough_itself() -> None:
    table = {(1, 0, 5): 0.6, (1, 1, 6): 0.5}
    assert merge(["56..", "...."], [2, 4], table) == [(1, 0, 0, 5, 0.6)]


def test_the_destination_weighs_the_tokens_of_several_sources_itself() -> None:
    table = {(2, 1, 7): 0.3, (2, 1, 6): 0.62}
    assert merge([".7..", ".6..", "...."], [2, 2, 4], table) == [(2, 1, 1, 6, 0.62)]


def test_no_merge_from_a_branch_that_disagrees_or_reaches_further() -> None:
    table = {(1, 1, 6): 0.9, (0, 3, 4): 0.9}
    assert merge(["56..", "7..."], [2, 4], table) == []
    assert merge(["....", "...4"], [2, 4], table) == []


def test_merges_look_at_windows_or_at_the_whole_prefix() -> None:
    held = rows("56..", "....")
    tokens = np.full((2, 4, 10), -1)
    probabilities = np.zeros((2, 4, 10))
    tokens[1, 0, 0], probabilities[1, 0, 0] = 5, 0.9
    windows = np.array([2, 0]), np.array([4, 4])  # the source's window has moved past position 0
    for prefix, expected in ((False, 0), (True, 1)):
        table = rules.Table(tokens, probabilities)
        order = windows[0], np.array([3, 4])
        assert len(rules.merges(held, *order, np.zeros(2, bool), table, 0.5, prefix)) == expected


def test_whoever_is_further_behind_than_the_threshold_is_reset() -> None:
    decoded, done = np.array([20, 12, 11, 2]), np.array([False, False, False, True])
    assert rules.behind(decoded, done, 8).tolist() == [2]


def test_refresh_is_due_after_an_interval_of_blocks() -> None:
    assert rules.refresh_due(np.array([7, 8, 1]), np.array([4, 4, 64]), 32).tolist() == [False, True, True]


def test_divergence_compares_the_least_similar_pair_with_two_positions() -> None:
    similarity = np.array([[1, 0.985], [0.985, 1]])
    assert rules.diverged(similarity, 160)
    assert not rules.diverged(similarity, 100)


def test_winners() -> None:
    finished, probability = np.array([False, True, True]), np.array([0.9, 0.7, 0.7])
    assert rules.winner_at_eos(finished, probability) == 1
    assert rules.winner_by_progress(np.array([8, 16, 16]), np.zeros(3, bool), 32) == 1
    assert rules.winner_by_progress(np.array([8, 32, 16]), np.array([False, True, False]), 32) == 1


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.floats(0, 5))
def test_the_factor_rule_commits_at_least_one_and_at_most_all(confidence: list[float], factor: float) -> None:
    assert 1 <= rules.factor_count(np.array(confidence), factor) <= len(confidence)


def test_the_rules_change_nothing_they_are_given() -> None:
    held, confidence = rows("12..", "1..."), np.full((2, 4), 0.7)
    for array in (held, confidence):
        array.setflags(write=False)
    rules.windows(held < 0, np.array([2, 4]))
    rules.commits(held < 0, confidence, 0.9)
    rules.quota(held < 0, confidence, 1)
    rules.compatible(held)
    rules.first_eos(held, np.array([0, 0]), np.array([2, 4]), 2)
