"""Batches of tokenized examples, each a pure function of (seed, index), so a resumed run continues the same stream."""

from concurrent.futures import Future, ProcessPoolExecutor
from functools import lru_cache
from itertools import islice
from multiprocessing import get_context
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from blockbatch.tasks import FAMILIES, Example, examples
from blockbatch.tasks.grammar import Draw
from blockbatch.training.chat import EOS, as_chat
from blockbatch.training.drills import Drill, drill
from blockbatch.training.recipe import Recipe, Shares

Ids = NDArray[np.int64]
Mask = NDArray[np.bool_]


class Batch(NamedTuple):
    """Sequences of one length: `ids` [batch, length], and where they are `response` [batch, length]."""

    ids: Ids
    response: Mask


class Row(NamedTuple):
    """One example in tokens, and which of them are its response: what may be masked."""

    ids: list[int]
    response: list[bool]


BLOCK_SIZES = (1, 2, 4, 8, 16, 32, 64)


class Masked(NamedTuple):
    """A masked batch: its tokens, where they are masked, and which of those the loss counts, each [batch, length]."""

    ids: Ids
    masked: Mask
    counted: Mask


def mask_responses(batch: Batch, mask_token: int, random: np.random.Generator, shares: Shares, hard: Mask) -> Masked:
    """The forward process, seen whole or, for a share of the rows each, in blocks or in hard tokens only.

    Each row's share t of masked tokens is uniform in 0..1 (stratified over the batch), and at least one token of
    each row is masked; prompts never are.  Whole: t of the response.  In blocks: nothing before a random cut in the
    answer, t of the block that starts there (its first token always), all after that; the loss counts the block, since
    what follows cannot be known yet.  Half of the cuts fall before one of the `hard` tokens [batch, length], those to
    be copied or computed.  In hard tokens only: all of them in half of these rows, at least half in the others, and
    nothing else; in half of these rows only from the cut on, so that earlier results can be read.  With masks drawn
    whole alone, names and results are learnt by copying them from where the answer says them again, and not from the
    prompt.
    """
    rows, length = batch.ids.shape
    masked_share = ((random.random() + random.permutation(rows) / rows) % 1.0)[:, None]
    cut = _cuts(batch, random, hard)
    at = np.arange(length)
    ahead = batch.response & (at >= cut)
    block = ahead & (at < cut + random.choice(BLOCK_SIZES, (rows, 1)))
    way = random.random((rows, 1))
    in_blocks = np.less(way, shares.blocks)
    to_find = hard & batch.response
    in_hard = ~in_blocks & (way < shares.blocks + shares.hard) & to_find.any(axis=1, keepdims=True)
    from_cut = (random.random((rows, 1)) < 0.5) & (to_find & ahead).any(axis=1, keepdims=True)
    to_find &= ahead | ~from_cut
    eligible = np.where(in_blocks, block, np.where(in_hard, to_find, batch.response))
    noise = np.where(eligible, random.random((rows, length)), np.inf)
    of_hard = np.where(random.random((rows, 1)) < 0.5, 1.0, 0.5 + masked_share / 2)
    counted = noise < np.where(in_hard, of_hard, masked_share)
    counted[np.arange(rows), np.where(in_blocks, cut, noise.argmin(axis=1, keepdims=True))[:, 0]] = True
    masked = counted | (in_blocks & ahead & ~block)
    return Masked(np.where(masked, mask_token, batch.ids), masked, counted)


def found_in_prompt(batch: Batch) -> Mask:
    """Where the token also stands in the row's prompt, [batch, length]."""
    rows = zip(batch.ids, batch.response, strict=True)
    return np.stack([np.isin(ids, ids[~response]) for ids, response in rows])


def _cuts(batch: Batch, random: np.random.Generator, hard: Mask) -> Ids:
    """A position in each row's answer, or right after it, [batch, 1]; every second one, on average, a hard one."""
    padding = batch.ids[:, -1:]  # what follows the answer is all EOS
    answer = batch.response & (batch.ids != padding)
    last = np.where(answer, np.arange(batch.ids.shape[1]), 0).argmax(axis=1)
    answer[np.arange(len(answer)), np.minimum(last + 1, answer.shape[1] - 1)] = True
    only_hard = (random.random((len(answer), 1)) < 0.5) & (hard & answer).any(axis=1, keepdims=True)
    places = np.where(only_hard, hard & answer, answer)
    cuts: Ids = np.where(places, random.random(places.shape), -1.0).argmax(axis=1)[:, None]
    return cuts


@lru_cache(maxsize=1)
def _tokenizer(serialized: str) -> Tokenizer:
    return Tokenizer.from_str(serialized)


def _eos(tokenizer: Tokenizer) -> int:
    return int(tokenizer.encode(EOS).ids[0])


def make_pool(serialized: str, recipe: Recipe, index: int) -> list[Batch]:
    """The batches of pool `index`, all families alike, in random order; `serialized` is the tokenizer's JSON."""
    random = np.random.default_rng((recipe.seed, index))
    tokenizer = _tokenizer(serialized)
    rows = sorted(_rows(tokenizer, recipe, index, random), key=lambda row: len(row.ids))
    starts = range(0, len(rows), recipe.batch_size)
    eos = _eos(tokenizer)
    batches = [_stacked(rows[start : start + recipe.batch_size], eos) for start in starts]
    return [batches[order] for order in random.permutation(len(batches))]


def _rows(tokenizer: Tokenizer, recipe: Recipe, index: int, random: np.random.Generator) -> list[Row]:
    """The rows of a pool: a share of drills, half of them echoes, and as many examples of each family."""
    total = recipe.batch_size * recipe.pool_batches
    early = index * recipe.pool_batches < recipe.drill_steps
    each = round(total * (1 - (recipe.early_drill_share if early else recipe.drill_share))) // len(FAMILIES)
    seed = recipe.seed * 1_000_003 + index + 1
    drawn = [example for family in FAMILIES for example in islice(examples(family, "train", seed), each)]
    draw = Draw(f"drills {seed}")
    count = total - len(drawn)
    echoes = [_echo_row(tokenizer, draw.one_of(drawn).prompt) for _ in range(count // 2 if drawn else 0)]
    drills = [_drill_row(tokenizer, drill(draw)) for _ in range(count - len(echoes))]
    return [*_example_rows(tokenizer, recipe, drawn, random), *drills, *echoes]


def _example_rows(
    tokenizer: Tokenizer, recipe: Recipe, drawn: list[Example], random: np.random.Generator
) -> list[Row]:  # fmt: skip
    prompts = tokenizer.encode_batch([as_chat(example.prompt) for example in drawn])
    answers = tokenizer.encode_batch([example.answer for example in drawn])
    eos, rows = _eos(tokenizer), list[Row]()
    for prompt, answer in zip(prompts, answers, strict=True):
        response = _padded(answer.ids, eos, recipe, random)
        rows.append(Row(prompt.ids + response, [False] * len(prompt.ids) + [True] * len(response)))
    return rows


def _drill_row(tokenizer: Tokenizer, drilled: Drill) -> Row:
    """A drill as the answer to nothing; its response is the digits of the results, and the EOS after them."""
    start, text = tokenizer.encode(as_chat("")), tokenizer.encode(drilled.text)
    inside = [any(low <= at < high for low, high in drilled.results) for at, _ in text.offsets]
    return Row([*start.ids, *text.ids, _eos(tokenizer)], [False] * len(start.ids) + [*inside, True])


def _echo_row(tokenizer: Tokenizer, prompt: str) -> Row:
    """A prompt whose response says it again: the plainest copying, from which the tasks' own is learnt sooner."""
    start, again = tokenizer.encode(as_chat(prompt)).ids, tokenizer.encode(prompt).ids
    return Row([*start, *again, _eos(tokenizer)], [False] * len(start) + [True] * (len(again) + 1))


def _padded(answer: list[int], eos: int, recipe: Recipe, random: np.random.Generator) -> list[int]:
    """The answer and EOS up to a random length, at most the recipe's; longer answers are cut there."""
    shortest = min(len(answer) + 1, recipe.response_length)
    full = random.random() < recipe.full_length_share
    share = 1.0 if full else random.random() ** 2  # short ones are likelier: they teach as much and cost less
    length = shortest + round(share * (recipe.response_length - shortest))
    return (answer + [eos] * length)[:length]


def _stacked(rows: list[Row], eos: int) -> Batch:
    """Rows as long as the longest; what shorter ones lack is more EOS, so no row needs an attention mask."""
    length = max(len(row.ids) for row in rows)
    ids = np.full((len(rows), length), eos, dtype=np.int64)
    response = np.ones((len(rows), length), dtype=bool)
    for index, row in enumerate(rows):
        ids[index, : len(row.ids)] = row.ids
        response[index, : len(row.ids)] = row.response
    return Batch(ids, response)


class BatchStream:
    """The batches from a step on, made one pool ahead in a process of their own."""

    def __init__(self, serialized: str, recipe: Recipe, first_step: int) -> None:
        self._serialized, self._recipe = serialized, recipe
        self._index, self._skip = divmod(first_step, recipe.pool_batches)
        self._workers = ProcessPoolExecutor(1, mp_context=get_context("spawn"))

    def __enter__(self) -> "BatchStream":
        self._next = self._submit()
        self._batches = self._take()[self._skip :]
        return self

    def __exit__(self, *error: object) -> None:
        self._workers.shutdown(cancel_futures=True)

    def draw(self) -> Batch:
        """The next batch."""
        if not self._batches:
            self._batches = self._take()
        return self._batches.pop(0)

    def _take(self) -> list[Batch]:
        pool = self._next.result()
        self._next = self._submit()
        return pool

    def _submit(self) -> Future[list[Batch]]:
        self._index += 1
        return self._workers.submit(make_pool, self._serialized, self._recipe, self._index - 1)
