"""What a benchmark runs: which decoders, in which block sizes, on which prompts."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from blockbatch.bench.jobs import Trial
from blockbatch.config import DEFAULT_BLOCK_SIZES, VARIANTS, BaselineConfig, Config, DecodeConfig
from blockbatch.errors import BlockBatchError
from blockbatch.tasks import Example, Split, examples

DECODERS = ("vanilla", "dual-cache", "local-leap", *VARIANTS)
FAST, FAST_SIZE = "dual-cache", 32  # what BlockBatch is measured against
DRAWS_A_PROMPT = 50  # a family that repeats itself more than that has too few prompts


def configs(
    decoders: Sequence[str], block_sizes: Sequence[int] | None, branches: Sequence[int] | None, gen_length: int
) -> list[Config]:
    """One config a decoder and, for the fixed-block ones, a block size; all stop at the end of the text.

    Without `block_sizes`, dual-cache is taken at every usual size, the others at 32; without `branches`, BlockBatch
    with those of each preset.
    """
    found: list[Config] = []
    given = {"block_sizes": tuple(branches)} if branches else {}
    for decoder in dict.fromkeys(decoders):
        if decoder in VARIANTS:
            found.append(DecodeConfig.preset(decoder, gen_length=gen_length, **given))
        else:
            sizes = block_sizes or (DEFAULT_BLOCK_SIZES if decoder == FAST else (FAST_SIZE,))
            found += [fixed(decoder, size, gen_length) for size in dict.fromkeys(sizes)]
    return found


def fixed(decoder: str, block_size: int, gen_length: int) -> BaselineConfig:
    """A fixed-block decoder as it is compared here: it stops at the end of the text, as BlockBatch does."""
    return BaselineConfig.make(decoder, block_size=block_size, gen_length=gen_length, stop_at_eos=True)


def prompts(family: str, count: int, split: Split = "held-out") -> list[Example]:
    """The first `count` distinct examples of the family's split."""
    drawn = itertools.islice(examples(family, split), DRAWS_A_PROMPT * count)
    distinct: dict[str, Example] = {}
    for example in drawn:
        distinct.setdefault(example.prompt, example)
        if len(distinct) == count:
            return list(distinct.values())
    raise BlockBatchError(f"{family} has {len(distinct)} {split} prompts to offer, not {count}; ask for fewer.")


def trials(families: Sequence[str], configs: Sequence[Config], count: int, split: Split = "held-out") -> list[Trial]:
    """Every config on the first `count` prompts of every family's split, prompt by prompt.

    A prompt's decoders follow one another, so a machine that gets slower meanwhile is slower for all.
    """
    drawn = drawn_from(families, count, split)
    return [Trial(example, index, config) for index, example in drawn for config in configs]


def drawn_from(families: Sequence[str], count: int, split: Split = "held-out") -> list[tuple[int, Example]]:
    """The first `count` prompts of every family's split, each with its index in its family."""
    return [pair for family in dict.fromkeys(families) for pair in enumerate(prompts(family, count, split))]
