"""Every number of the training recipe, in one frozen record."""

from dataclasses import dataclass
from typing import NamedTuple


class Shares(NamedTuple):
    """Of the rows of a batch: how many are masked as a decode in blocks sees them, and how many in hard tokens only."""

    blocks: float
    hard: float


@dataclass(frozen=True)
class Recipe:
    """The shipped recipe; `minutes` is the only number that a slower or faster machine needs changed.

    The schedule follows the share of `minutes` that has passed, so the rates have decayed to nothing at the end
    however many steps the machine made.
    """

    minutes: float = 265.0
    seed: int = 0
    batch_size: int = 32
    pool_batches: int = 32  # batches made at a time; examples of a pool are sorted by length into batches
    response_length: int = 128  # tokens of answer and EOS padding, at most
    full_length_share: float = 0.15  # share of the examples padded to exactly `response_length`
    vocabulary: int = 800
    hidden: int = 192
    layers: int = 6
    heads: int = 6
    head_size: int = 32
    feed_forward: int = 512
    matrix_rate: float = 0.02  # Muon
    other_rate: float = 3e-3  # AdamW: embeddings, head and norms
    warmup_steps: int = 50
    decay_share: float = 0.45  # the last share of the run, over which the rates fall linearly to zero
    drill_steps: int = 1_000  # at the start, mostly bare arithmetic: it is learnt there ten times as fast
    early_drill_share: float = 0.8  # of the rows in those steps
    drill_share: float = 0.2  # of the rows after them
    block_share: float = 0.3  # of the rows, masked as a decode in blocks sees them
    hard_share: float = 0.5  # of the rows, masked only in what has to be copied or computed
    late: float = 0.32  # from this share of the run on, the two shares are the following: more of what a decode sees
    late_block_share: float = 0.6
    late_hard_share: float = 0.2
    eos_weight: float = 0.1  # of an EOS token in the loss: there are many, and they are easy
    average_decay: float = 0.999
    checkpoint_minutes: float = 4.0
    evaluation_minutes: float = 15.0
    evaluation_prompts: int = 16  # a family, while training
    final_prompts: int = 50  # a family, at the end

    @property
    def seconds(self) -> float:
        return self.minutes * 60

    def masks(self, share: float) -> Shares:
        """How rows are masked with `share` (0..1) of the run behind."""
        if share < self.late:
            return Shares(self.block_share, self.hard_share)
        return Shares(self.late_block_share, self.late_hard_share)

    def rate(self, step: int, share: float) -> float:
        """The factor on both learning rates at a step, with `share` (0..1) of the run behind it."""
        warm = min(1.0, (step + 1) / self.warmup_steps)
        return warm * min(1.0, max(0.0, 1.0 - share) / self.decay_share)
