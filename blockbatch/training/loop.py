"""The training run: steps of masked diffusion until the time is up, with checkpoints, evaluations and exports."""

import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import numpy as np
from tqdm import tqdm

from blockbatch.training.checkpoint import export, load_checkpoint, save_checkpoint, save_tokenizer
from blockbatch.training.data import BatchStream
from blockbatch.training.evaluation import accuracy
from blockbatch.training.recipe import Recipe
from blockbatch.training.tokenizer import build_tokenizer
from blockbatch.training.trainer import Losses, Trainer

_LOG_STEPS = 100


def train(
    recipe: Recipe, output: Path, checkpoints: Path, threads: int = 1, compiled: bool = False
) -> dict[str, float]:
    """Train by the recipe and export to `output`; returns the final held-out accuracy by family.

    A run found in `checkpoints` is continued; ValueError if it has another recipe in anything but `minutes`.
    `compiled`: torch compiles the layers in the first minute, after which steps are quicker; wants a C++ compiler.
    """
    trainer = _resumed_or_new(recipe, checkpoints, threads)
    if compiled:
        trainer.compile()
    serialized = trainer.tokenizer.backend_tokenizer.to_str()
    with BatchStream(serialized, recipe, trainer.step) as stream, _bar(trainer) as bar:
        _until_time_is_up(trainer, stream, bar, output, checkpoints)
    export(output, trainer.averaged, trainer.tokenizer)
    shares = _evaluate(trainer, recipe.final_prompts)
    print(_report(trainer, recipe.final_prompts, shares), flush=True)
    return shares


def _resumed_or_new(recipe: Recipe, checkpoints: Path, threads: int) -> Trainer:
    saved = load_checkpoint(checkpoints)
    if saved is None:
        tokenizer = build_tokenizer(recipe.vocabulary, recipe.seed)
        save_tokenizer(checkpoints, tokenizer)
        return Trainer(recipe, tokenizer, threads)
    state, tokenizer = saved
    if replace(Recipe(**state["recipe"]), minutes=recipe.minutes) != recipe:
        raise ValueError(f"the run in {checkpoints} has another recipe; give another folder or remove it")
    trainer = Trainer(recipe, tokenizer, threads)
    trainer.load_state(state)
    return trainer


def _bar(trainer: Trainer) -> "tqdm[NoReturn]":
    """A bar over the run's seconds, so that its remaining time is the real one."""
    total = round(trainer.recipe.seconds)
    form = "{percentage:3.0f}%|{bar:20}| {elapsed}<{remaining}{postfix}"
    return tqdm(total=total, initial=int(trainer.seconds), bar_format=form, mininterval=5.0)


def _until_time_is_up(
    trainer: Trainer, stream: BatchStream, bar: "tqdm[NoReturn]", output: Path, checkpoints: Path
) -> None:
    recipe, recent = trainer.recipe, list[Losses]()
    before, saved, evaluated = time.monotonic(), trainer.seconds, trainer.seconds
    while trainer.seconds < recipe.seconds:
        recent.append(trainer.learn(stream.draw()))
        if len(recent) == _LOG_STEPS:
            bar.set_postfix_str(_means(recent))
            _say(bar, f"step {trainer.step}  {trainer.seconds / 60:.1f} min  {_means(recent)}")
            recent.clear()
        if trainer.seconds - saved >= recipe.checkpoint_minutes * 60:
            save_checkpoint(checkpoints, trainer.state(), recipe)
            export(output, trainer.averaged, trainer.tokenizer)
            saved = trainer.seconds
        if trainer.seconds - evaluated >= recipe.evaluation_minutes * 60:
            shares = _evaluate(trainer, recipe.evaluation_prompts)
            _say(bar, _report(trainer, recipe.evaluation_prompts, shares))
            evaluated = trainer.seconds
        now = time.monotonic()
        trainer.seconds, before = trainer.seconds + now - before, now
        bar.update(min(trainer.seconds, recipe.seconds) - bar.n)
    save_checkpoint(checkpoints, trainer.state(), recipe)


def _say(bar: "tqdm[NoReturn]", line: str) -> None:
    """A line above the bar, where the bar is: standard error, which no pipe or file holds back."""
    bar.write(line, file=sys.stderr)


def _means(recent: list[Losses]) -> str:
    training, copied = np.nanmean(recent, axis=0)
    return f"loss {training:.4f}  names and digits {copied:.4f}"


def _evaluate(trainer: Trainer, prompts: int) -> dict[str, float]:
    length = trainer.recipe.response_length
    return accuracy(trainer.averaged, trainer.tokenizer, prompts, length, trainer.crew)


def _report(trainer: Trainer, prompts: int, shares: dict[str, float]) -> str:
    parts = [f"{family} {share:.0%}" for family, share in shares.items()]
    return f"step {trainer.step}  right of {prompts} held-out prompts a family: {', '.join(parts)}"
