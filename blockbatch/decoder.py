"""BlockBatch decoding (arXiv 2605.29233): the one loop.

A `Decoder` is iterated and yields one immutable `Step` a forward.  Between two steps, that is while the consumer
holds a step, `reconfigure` may change thresholds, the refresh and the branches; a change takes effect with the next
step and is its first event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from blockbatch import rules
from blockbatch.ahead import AheadRow, drafts, rows_ahead
from blockbatch.changes import apply_changes, changed_config, whole_sizes
from blockbatch.config import DecodeConfig
from blockbatch.denoiser import Cache, Denoiser
from blockbatch.events import Ahead, Eos, Merge, Refresh, Sync
from blockbatch.state import Bools, Branches
from blockbatch.stepper import Span, Stepper, rounded_down
from blockbatch.trace import Ints, Step


class Decoder:
    """Decodes one prompt with several block sizes at once.

    prompt: token ids, left as they are.  When the iteration has ended, `winner`, `stop` and `eos` say how; until then
    they describe the branch that got furthest.  `on_stage` is called with init, denoise, ahead, advance, consensus
    or refresh and the branches as that stage left them; it may look, not touch.
    """

    def __init__(
        self,
        denoiser: Denoiser,
        prompt: Sequence[int],
        config: DecodeConfig,
        on_stage: Callable[[str, Branches], None] = lambda stage, branches: None,
    ) -> None:
        self.config = config
        self.stop = "stopped"
        self._on_stage = on_stage
        self._stepper = Stepper(denoiser, prompt, config)
        self._steps = self._decode()
        self._finished: Bools | None = None
        self._ahead: list[AheadRow] = []
        self._spare_rows: list[int] = []  # of the cache, for rows computed ahead

    def __iter__(self) -> Iterator[Step]:
        return self._steps

    @property
    def branches(self) -> Branches:
        """The present branches; to look at, not to change."""
        return self._stepper.branches

    @property
    def cache(self) -> Cache:
        """The keys and values of the branches, in their `cache_rows`; to look at, not to change."""
        return self._stepper.cache

    @property
    def winner(self) -> int:
        """The block size whose row is the answer (so far)."""
        return int(self.branches.sizes[self._winner])

    @property
    def tokens(self) -> Ints:
        """The answer (so far): the winner's row [gen_length], negative where masked."""
        return np.array(self.branches.rows[self._winner])

    @property
    def eos(self) -> int | None:
        """The position of the winner's end of text for which the run stopped, if it did.

        It need not be its first: the paper's decoder does not look for one that a refresh or a merge wrote.
        """
        return None if self._finished is None else int(self.branches.eos_position[self._winner])

    def reconfigure(self, *, resize: Mapping[int, int] | None = None, **changes: Any) -> None:
        """Change settings (`config.LIVE_SETTINGS`) from the next step on.

        `block_sizes` drops the branches it leaves out and adds the new ones, each as a copy of the leader;
        `resize` {old: new} lets a branch go on with another block size.  A bad change is a ConfigError and changes
        nothing; after the last step there is nothing to change.
        """
        if self._finished is not None or self.branches.done.all():
            return
        resized = whole_sizes(resize)
        config = changed_config(self.config, self.branches, resized, changes)
        apply_changes(self._stepper, self.config, config, resized)
        if config.temperature != self.config.temperature:
            self._ahead = []  # its candidates were drawn at the old one
        self.config = config

    def _decode(self) -> Iterator[Step]:
        if not self.config.gen_length:
            self.stop = "complete"
            return
        self._init()
        while not self._text_is_whole() and not self.branches.done.all():
            yield self._stepper.close()
            refreshed = self._refresh_if_due()
            if not (refreshed or self._step_ahead()):
                self._denoise()
            if refreshed and not self.config.rules.eos_after_every_forward and self._some_window_open():
                continue
            if self._reached_eos():
                break
            self._advance()
            if self._diverged():
                yield self._stepper.close()
                self._recompute("divergence")
                if self.config.rules.eos_after_every_forward and self._reached_eos():
                    break
                self._advance()
            self._consensus()
        if self._finished is None:
            self.stop = "complete"
        yield self._stepper.close()

    def _init(self) -> None:
        """One full forward of one branch, which all share; first commits; first consensus."""
        self._stepper.open_full("init", np.arange(len(self.branches)))
        self._commit()
        if self.config.rules.eos_after_every_forward:
            self._look_for_eos()
        if self.config.rules.sync_after_init:
            self._sync(np.delete(np.arange(len(self.branches)), self.branches.leader))
        self._on_stage("init", self.branches)
        self._advance()
        self._consensus()

    def _denoise(self) -> None:
        """Forward the windows that have something to fill, and commit.

        If a live change left only branches whose windows are full, they all take part.
        """
        b = self.branches
        taking_part = ~b.done & ~b.full
        if self.config.rules.denoise_full_windows or not taking_part.any():
            taking_part = ~b.done
        spans = np.stack([np.arange(len(b)), self._begin, b.start, b.end], axis=1)[taking_part]
        self._look_ahead()
        self._stepper.open("denoise", [Span(*span) for span in spans.tolist()], ahead=self._ahead)
        self._commit()
        self._on_stage("denoise", b)

    @property
    def _begin(self) -> Ints:
        """[N] where the next forward of each branch begins: with its window, or with that which it has left.

        Whatever was written since its last forward stands from there on (a reset copies the leader's keys and values,
        and so the leader's place).
        """
        b = self.branches
        return np.minimum(b.begin, b.start) if self.config.settle_windows else b.start

    def _look_ahead(self) -> None:
        """Choose the rows that the next forward computes ahead: the leader's, with more and more drafts written."""
        self._ahead = []
        if not self.config.lookahead:
            return
        b, leader = self.branches, self.branches.leader
        positions = drafts(b, leader, self.config.lookahead, self.config.forced_reach, self._waiting[leader])
        if not positions:
            return
        while len(self._spare_rows) < len(positions):
            self._spare_rows.append(self._stepper.cache.allocate())
        spare = self._spare_rows[: len(positions)]
        self._ahead = rows_ahead(b, leader, int(self._begin[leader]), positions, spare)
        self._stepper.cache.copy(int(b.cache_rows[leader]), spare)
        tokens = b.choice[leader, positions].tolist()
        self._stepper.record(Ahead(int(b.sizes[leader]), tuple(positions), tuple(tokens)))

    def _step_ahead(self) -> bool:
        """Take the next step of a branch whose row and window are among those computed ahead, if there is one."""
        b = self.branches
        for place, known in enumerate(self._ahead):
            branch = known.branch_in(b)
            if branch is not None:
                self._ahead = self._ahead[place + 1 :]  # those before it hold fewer tokens
                self._stepper.open_ahead(branch, known)
                self._commit(np.arange(len(b)) == branch)
                self._on_stage("ahead", b)
                return True
        return False

    @property
    def _waiting(self) -> Bools:
        """[N, G] candidates that have to wait for what is masked before them: ends of text, with `eos_in_order`."""
        return np.equal(self.branches.choice, self._stepper.denoiser.eos_id) & self.config.eos_in_order

    def _commit(self, taking_part: Bools | None = None) -> None:
        b, config = self.branches, self.config
        slots = b.masked & b.in_window & ~b.done[:, None]
        if taking_part is not None:
            slots &= taking_part[:, None]
        caution = rules.Caution(config.commit_threshold, config.forced_reach, config.joint_threshold)
        recorded = rounded_down(b.confidence)
        self._stepper.commit(*rules.careful_commits(slots, b.confidence, recorded, caution, b.masked, self._waiting))

    def _look_for_eos(self) -> None:
        """Note the first end of text of every full window, with the probability its branch gives it.

        With `stop_at_text_end`, that of every text that is whole.
        """
        b, eos_id = self.branches, self._stepper.denoiser.eos_id
        whole_texts = self.config.stop_at_text_end
        found = rules.text_end(b.rows, eos_id) if whole_texts else rules.first_eos(b.rows, b.start, b.end, eos_id)
        for branch in np.flatnonzero((found >= 0) & (found != b.eos_position)):
            b.eos_position[branch] = found[branch]
            b.eos_probability[branch] = b.eos_table[branch, found[branch]]
            probability = rounded_down(b.eos_probability[branch])
            self._stepper.record(Eos(int(b.sizes[branch]), int(found[branch]), float(probability)))

    def _reached_eos(self) -> bool:
        """Whether a branch with an end of text has a full window: then the run stops."""
        self._look_for_eos()
        b = self.branches
        finished = (b.eos_position >= 0) & (b.full | self.config.stop_at_text_end)
        if finished.any():
            self._finished, self.stop = finished, "eos"
        return self._finished is not None

    def _text_is_whole(self) -> bool:
        """Whether the run stops early: a commit after a full forward, or a merge, has completed some branch's text."""
        return self.config.stop_at_text_end and self._reached_eos()

    def _advance(self) -> None:
        """Every branch with a full window moves on."""
        self._move_on(self._stands_full(), counts=True)
        self._on_stage("advance", self.branches)

    def _move_on(self, which: Bools, counts: bool) -> None:
        """Move the windows of `which`; if it `counts`, the block left behind counts towards the refresh interval."""
        b = self.branches
        b.move(which)
        if counts:
            going_on = which & ~b.done
            b.blocks_since_refresh[going_on] += 1
            due = rules.refresh_due(b.blocks_since_refresh, b.sizes, self.config.refresh_interval)
            b.asks_refresh |= going_on & due

    def _stands_full(self) -> Bools:
        return ~self.branches.done & self.branches.full

    def _consensus(self) -> None:
        """Merges, then syncs.  (Every branch has committed at init, so there is always something to agree on.)"""
        self._merge()
        b = self.branches
        self._sync(rules.behind(b.decoded, b.done, self.config.sync_threshold))
        self._on_stage("consensus", b)

    def _merge(self) -> None:
        b, variant = self.branches, self.config.rules
        table = rules.Table(b.tokens, b.probabilities)
        taken = rules.merges(
            b.rows, b.start, b.end, b.done, table, self.config.merge_threshold, variant.merge_scans_prefix
        )
        for branch, source, position, token, probability in taken:
            b.rows[branch, position] = token
            b.decoded[branch] += variant.merge_counts
            given = float(rounded_down(probability))
            self._stepper.record(Merge(int(b.sizes[branch]), int(b.sizes[source]), position, token, given))
        took = np.isin(np.arange(len(b)), [merge.destination for merge in taken])
        self._move_on(took & self._stands_full(), variant.merge_asks_refresh)

    def _sync(self, branches: Ints) -> None:
        """Reset the branches at the indices `branches` to the leader."""
        b, leader = self.branches, self.branches.leader
        for branch in branches.tolist():
            changed = np.flatnonzero(b.rows[branch] != b.rows[leader]).tolist()
            gained = int(b.decoded[leader] - b.decoded[branch])
            if changed or gained:
                self._stepper.record(Sync(int(b.sizes[branch]), int(b.sizes[leader]), gained, tuple(changed)))
            b.copy(leader, branch)
        if len(branches):
            self._stepper.cache.copy(int(b.cache_rows[leader]), b.cache_rows[branches].tolist())

    def _refresh_if_due(self) -> bool:
        """Interval refresh: when a branch has asked, recompute all that go on."""
        b = self.branches
        if self.config.refresh != "interval" or not (b.asks_refresh & ~b.done).any():
            return False
        self._recompute("interval")
        b.blocks_since_refresh[~b.done], b.asks_refresh[~b.done] = 0, False
        return True

    def _recompute(self, reason: str) -> None:
        """One full forward of every branch that is not done, which rebuilds their cache rows; then commit."""
        b = self.branches
        going_on = np.flatnonzero(~b.done)
        self._stepper.record(Refresh(tuple(b.sizes[going_on].tolist()), reason))
        self._ahead = []  # it was computed from the keys and values that are now replaced
        self._stepper.open_full("refresh", going_on)
        self._commit()
        self._on_stage("refresh", b)

    def _diverged(self) -> bool:
        b = self.branches
        rows = b.cache_rows[~b.done].tolist()
        if self.config.refresh != "divergence" or len(rows) < 2:
            return False
        return rules.diverged(self._stepper.cache.similarity(rows), self._stepper.length)

    def _some_window_open(self) -> bool:
        return not self.branches.full.all()

    @property
    def _winner(self) -> int:
        b = self.branches
        if self._finished is not None:
            return rules.winner_at_eos(self._finished, b.eos_probability)
        return rules.winner_by_progress(b.start, b.done, b.gen_length)
