"""Decoders that use one block size, left to right: what BlockBatch is compared with.

vanilla, threshold, LocalLeap, and Fast-dLLM's prefix cache, dual cache and factor rule.  One loop serves all: they
differ in how much of the row a forward computes and in which candidates of the block they commit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from blockbatch import rules
from blockbatch.config import BaselineConfig
from blockbatch.denoiser import Cache, Denoiser
from blockbatch.events import Eos
from blockbatch.state import Bools, Branches
from blockbatch.stepper import Span, Stepper, rounded_down
from blockbatch.trace import Ints, Step

UNCACHED = ("vanilla", "threshold", "local-leap")


class BaselineDecoder:
    """Decodes one prompt block by block; iterated, it yields one `Step` a forward, as `Decoder` does.

    prompt: token ids, left as they are.  `winner` is the block size.
    """

    def __init__(self, denoiser: Denoiser, prompt: Sequence[int], config: BaselineConfig) -> None:
        self.config = config
        self.stop = "stopped"
        self.eos: int | None = None
        self.winner = config.block_size
        self._stepper = Stepper(denoiser, prompt, config)
        self._steps = self._decode()

    def __iter__(self) -> Iterator[Step]:
        return self._steps

    @property
    def branches(self) -> Branches:
        """The one branch; to look at, not to change."""
        return self._stepper.branches

    @property
    def cache(self) -> Cache:
        """The keys and values of the branch, in its cache row; to look at, not to change."""
        return self._stepper.cache

    @property
    def tokens(self) -> Ints:
        """The answer (so far): the row [gen_length], negative where masked."""
        return np.array(self.branches.rows[0])

    def _decode(self) -> Iterator[Step]:
        for start in range(0, self.config.gen_length, self.config.block_size):
            self._place_window(start)
            for step in range(self.config.most_steps):
                self._forward(step)
                self._commit(step)
                block_full = bool(self.branches.full.all())
                if block_full and self.config.stop_at_eos:
                    self._look_for_eos()
                yield self._stepper.close()
                if block_full:
                    break
            if self.eos is not None:
                return
        self.stop = "complete"

    def _place_window(self, start: int) -> None:
        # Not by the window rule: a block that its quota of steps left unfinished is not gone back to.
        b = self.branches
        b.start[0], b.end[0] = start, min(start + self.config.block_size, self.config.gen_length)

    def _forward(self, step: int) -> None:
        """Those without a cache compute the whole row; the others make one full forward a block, then partial ones."""
        b, length = self.branches, self.config.gen_length
        start, end = int(b.start[0]), int(b.end[0])
        cached = self.config.decoder not in UNCACHED
        if cached and step:
            until = length if self.config.decoder == "prefix-cache" else end
            self._stepper.open("denoise", [Span(0, start, start, until)])
        elif cached:
            self._stepper.open("refresh" if start else "init", [Span(0, 0, 0, length)], full=True)
        else:
            self._stepper.open("denoise" if step or start else "init", [Span(0, 0, 0, length)], full=True)

    def _commit(self, step: int) -> None:
        b = self.branches
        slots = b.masked & b.in_window
        if self.config.decoder in ("vanilla", "factor"):
            chosen = rules.quota(slots, b.confidence, self._count(step, slots))
            self._stepper.commit(chosen, np.zeros_like(chosen))
        elif self.config.decoder == "local-leap":
            self._stepper.commit(*rules.leaps(slots, b.confidence, self.config.commit_threshold))
        else:
            self._stepper.commit(*rules.commits(slots, b.confidence, self.config.commit_threshold))

    def _count(self, step: int, slots: Bools) -> int:
        """How many of the most confident candidates to commit."""
        if self.config.decoder == "factor":
            return rules.factor_count(self.branches.confidence[slots], self.config.factor)
        steps = self.config.most_steps
        size = int(self.branches.end[0] - self.branches.start[0])
        return size // steps + (step < size % steps)

    def _look_for_eos(self) -> None:
        b = self.branches
        position = int(rules.first_eos(b.rows, b.start, b.end, self._stepper.denoiser.eos_id)[0])
        if position >= 0:
            self.eos, self.stop = position, "eos"
            self._stepper.record(Eos(self.winner, position, float(rounded_down(b.eos_table[0, position]))))
