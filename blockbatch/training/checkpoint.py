"""What survives an interruption (the whole state of a run) and what is published (the averaged weights)."""

import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from transformers import PreTrainedTokenizerFast, Qwen3ForCausalLM

from blockbatch.training.recipe import Recipe

_FILE = "state.pt"
_TOKENIZER = "tokenizer"


def save_checkpoint(folder: Path, state: dict[str, Any], recipe: Recipe) -> None:
    """Write the state of a run; an interruption while writing leaves the previous one."""
    folder.mkdir(parents=True, exist_ok=True)
    partial = folder / f"{_FILE}.partial"
    torch.save({**state, "recipe": asdict(recipe)}, partial)
    partial.replace(folder / _FILE)


def load_checkpoint(folder: Path) -> tuple[dict[str, Any], PreTrainedTokenizerFast] | None:
    """The state saved in the folder with its tokenizer, or None if there is none."""
    if not (folder / _FILE).exists():
        return None
    tokenizer = PreTrainedTokenizerFast.from_pretrained(folder / _TOKENIZER)
    return torch.load(folder / _FILE, weights_only=True), tokenizer


def save_tokenizer(folder: Path, tokenizer: PreTrainedTokenizerFast) -> None:
    """Keep the tokenizer beside the checkpoints: a resumed run must not depend on training it again."""
    tokenizer.save_pretrained(folder / _TOKENIZER)


def export(folder: Path, model: Qwen3ForCausalLM, tokenizer: PreTrainedTokenizerFast) -> None:
    """Publish model and tokenizer in the Hugging Face layout; each file is replaced whole, so readers see no half.

    Files of the folder that are not part of the layout, such as a model card, stay.
    """
    folder.mkdir(parents=True, exist_ok=True)
    partial = folder / ".partial"
    model.save_pretrained(partial)
    tokenizer.save_pretrained(partial)
    for file in partial.iterdir():
        file.chmod(0o644)  # safetensors are written readable by their owner alone
        file.replace(folder / file.name)
    shutil.rmtree(partial)
