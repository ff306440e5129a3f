"""One step of training: the masked diffusion objective, on several threads, and the state it leaves."""

import copy
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional
from transformers import PreTrainedTokenizerFast, Qwen3ForCausalLM

from blockbatch.training.data import Batch, found_in_prompt, mask_responses
from blockbatch.training.model import build_model, masked_logits
from blockbatch.training.optimizer import Optimizers
from blockbatch.training.recipe import Recipe
from blockbatch.training.tokenizer import copied_tokens, worded_tokens


class Losses(NamedTuple):
    """Mean cross-entropies in nats over the masked tokens: weighted for training, and on names and digits alone."""

    training: float
    copied: float


class Shard(NamedTuple):
    """A part of a masked batch: its tokens and which of them the loss counts [rows, length], and their weights in it.

    `targets`, `weights` and `copied` [counted tokens] are the true tokens, their weights, which add up to 1 over
    the whole batch, and which of them are names or digits.
    """

    ids: Tensor
    counted: Tensor
    targets: Tensor
    weights: Tensor
    copied: Tensor


class ShardResult(NamedTuple):
    """A shard's part of the training loss, its losses on names and digits, and its part of every gradient."""

    training: Tensor
    copied: Tensor
    gradients: tuple[Tensor, ...]


class Trainer:
    """A run's state: model, averaged model, optimizers, steps made and seconds spent."""

    def __init__(self, recipe: Recipe, tokenizer: PreTrainedTokenizerFast, threads: int = 1) -> None:
        self.recipe, self.tokenizer, self._threads = recipe, tokenizer, threads
        self.crew = ThreadPoolExecutor(threads, initializer=_prepare_thread)
        self.model = build_model(recipe, tokenizer).train()
        self.averaged: Qwen3ForCausalLM = copy.deepcopy(self.model).eval().requires_grad_(False)
        self.optimizers = Optimizers(self.model, recipe, self.crew)
        self.step, self.seconds = 0, 0.0
        self._copied: NDArray[np.bool_] = copied_tokens(tokenizer)
        self._worded: NDArray[np.bool_] = worded_tokens(tokenizer)

    def learn(self, batch: Batch) -> Losses:
        """One step: mask the batch, update the weights and their average.

        Each thread works on rows of its own, and they meet once a step; threads that meet in every operation
        lose half their time on a machine that others use too.
        """
        results = list(self.crew.map(self._learn_shard, self._shards(batch)))
        for weight, *parts in zip(self.model.parameters(), *(result.gradients for result in results), strict=True):
            weight.grad = torch.stack(parts).sum(0)
        self.optimizers.step(self.recipe.rate(self.step, self._share))
        decay = min(self.recipe.average_decay, (1 + self.step) / (10 + self.step))
        torch._foreach_lerp_(list(self.averaged.parameters()), list(self.model.parameters()), 1 - decay)
        self.step += 1
        training = sum(float(result.training) for result in results)
        return Losses(training, float(torch.cat([result.copied for result in results]).mean()))

    def compile(self) -> None:
        """Let torch compile the layers when they are first used; weights and states stay as they are."""
        self.model.model.compile(dynamic=True)  # lengths differ from batch to batch

    @property
    def _share(self) -> float:
        """How much of the run is behind, 0..1."""
        return self.seconds / self.recipe.seconds

    def _shards(self, batch: Batch) -> list[Shard]:
        random = np.random.default_rng((self.recipe.seed, self.step))
        mask_token = int(self.model.config.mask_token_id)
        hard = self._copied[batch.ids] | (self._worded[batch.ids] & found_in_prompt(batch))
        ids, _, counted = mask_responses(batch, mask_token, random, self.recipe.masks(self._share), hard)
        weights = np.where(batch.ids == self.tokenizer.eos_token_id, self.recipe.eos_weight, 1.0) * counted
        weights /= np.sqrt(counted.sum(axis=1, keepdims=True))  # a row with one token to find still counts
        weights = (weights / weights.sum()).astype(np.float32)
        parts = [
            (ids[rows], counted[rows], batch.ids[rows][counted[rows]], weights[rows][counted[rows]])
            for rows in np.array_split(np.arange(len(ids)), self._threads)
        ]
        return [Shard(*map(torch.from_numpy, (*part, self._copied[part[2]]))) for part in parts]

    def _learn_shard(self, shard: Shard) -> ShardResult:
        logits = masked_logits(self.model, shard.ids, shard.counted)
        losses = functional.cross_entropy(logits, shard.targets, reduction="none")
        training = (losses * shard.weights).sum()
        gradients = torch.autograd.grad(training, list(self.model.parameters()))
        return ShardResult(training.detach(), losses.detach()[shard.copied], gradients)

    def state(self) -> dict[str, Any]:
        """All that a later run needs to go on as if never interrupted."""
        return {
            "model": self.model.state_dict(), "averaged": self.averaged.state_dict(),
            "optimizers": self.optimizers.state(), "step": self.step, "seconds": self.seconds,
        }  # fmt: skip

    def load_state(self, state: dict[str, Any]) -> None:
        self.model.load_state_dict(state["model"])
        self.averaged.load_state_dict(state["averaged"])
        self.optimizers.load_state(state["optimizers"])
        self.step, self.seconds = state["step"], state["seconds"]


def _prepare_thread() -> None:
    """Settings that torch keeps by thread: no threads below this one, and tiny numbers are zero, which is faster."""
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
