"""Held-out accuracy while training, by a careful decode: full forwards, small blocks, a high threshold."""

from collections import defaultdict
from concurrent.futures import Executor
from itertools import islice

import torch
from torch import Tensor
from transformers import PreTrainedTokenizerFast, Qwen3ForCausalLM

from blockbatch.tasks import FAMILIES, examples, is_correct
from blockbatch.training.chat import as_chat
from blockbatch.training.model import hidden_states

_BLOCK = 16
_THRESHOLD = 0.9


def accuracy(
    model: Qwen3ForCausalLM, tokenizer: PreTrainedTokenizerFast, prompts: int, length: int, crew: Executor
) -> dict[str, float]:
    """The share of the first `prompts` held-out examples answered right, by family, in `length` tokens."""
    chosen = [example for family in FAMILIES for example in islice(examples(family, "held-out"), prompts)]
    texts = careful_decode(model, tokenizer, [example.prompt for example in chosen], length, crew)
    right = [is_correct(example, text) for example, text in zip(chosen, texts, strict=True)]
    return {family: sum(right[i * prompts : (i + 1) * prompts]) / prompts for i, family in enumerate(FAMILIES)}


def careful_decode(
    model: Qwen3ForCausalLM, tokenizer: PreTrainedTokenizerFast, prompts: list[str], length: int, crew: Executor
) -> list[str]:
    """The answers to the prompts: block by block, what is surer than the threshold, or else the surest token.

    Prompts of one token length share their forwards, so that no row is padded; the crew takes a length each.
    """
    encoded = [tokenizer.encode(as_chat(prompt), add_special_tokens=False) for prompt in prompts]
    by_size: defaultdict[int, list[int]] = defaultdict(list)
    for index, ids in enumerate(encoded):
        by_size[len(ids)].append(index)
    eos = tokenizer.eos_token_id
    tasks = [
        crew.submit(_decode, model, torch.tensor([encoded[index] for index in rows]), eos, length)
        for rows in by_size.values()
    ]
    texts = dict[int, str]()
    for rows, task in zip(by_size.values(), tasks, strict=True):
        texts.update(zip(rows, (_text(tokenizer, answer) for answer in task.result().tolist()), strict=True))
    return [texts[index] for index in range(len(prompts))]


def _text(tokenizer: PreTrainedTokenizerFast, answer: list[int]) -> str:
    end = answer.index(tokenizer.eos_token_id) if tokenizer.eos_token_id in answer else len(answer)
    return str(tokenizer.decode(answer[:end]))


@torch.inference_mode()
def _decode(model: Qwen3ForCausalLM, prompts: Tensor, eos_token: int, length: int) -> Tensor:
    """The responses [rows, length] to prompts [rows, prompt length]; what follows a block with EOS stays masked."""
    rows, width = prompts.shape
    ids = torch.cat([prompts, torch.full((rows, length), int(model.config.mask_token_id))], dim=1)
    for start in range(width, width + length, _BLOCK):
        _fill_block(model, ids, slice(start, min(start + _BLOCK, width + length)))
        if bool(ids[:, width:].eq(eos_token).any(dim=1).all()):
            break
    return ids[:, width:]


def _fill_block(model: Qwen3ForCausalLM, ids: Tensor, block: slice) -> None:
    """Commit tokens in `ids` [rows, length] until no position of the block is masked."""
    mask_token = int(model.config.mask_token_id)
    while mask_token in (window := ids[:, block]):
        empty = window.eq(mask_token)
        logits = model.lm_head(hidden_states(model, ids)[:, block])
        logits[..., mask_token] = -torch.inf
        confidence, tokens = logits.softmax(-1).max(-1)
        confidence = confidence.masked_fill(~empty, -1.0)
        surest = confidence == confidence.amax(1, keepdim=True)
        ids[:, block] = torch.where(empty & (surest | (confidence >= _THRESHOLD)), tokens, window)
