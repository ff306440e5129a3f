"""Loading a checkpoint: a local folder in the standard Hugging Face layout, or a hub id.

Stock transformers classes only, never remote code.  A field that decides the mathematics is read from the checkpoint
or its absence is an error; nothing falls back to a default.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import torch
from transformers import PreTrainedConfig, PreTrainedModel, PreTrainedTokenizerBase

from blockbatch.errors import ModelError, PromptError
from blockbatch.models.denoiser import TorchDenoiser
from blockbatch.models.families import Family, family_of

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Model:
    """A model ready to decode, with its tokenizer."""

    id: str
    denoiser: TorchDenoiser
    tokenizer: PreTrainedTokenizerBase | None
    max_length: int  # positions, prompt and generation together

    def encode(self, prompt: str) -> list[int]:
        """`prompt` as one user turn of the checkpoint's chat template, the assistant's turn opened; as it is where the
        checkpoint has no template.  PromptError where it is empty.
        """
        if not prompt.strip():
            raise PromptError("The prompt is empty; write a question or pick an example.")
        words = self._words
        if not words.chat_template:
            return list(words(prompt)["input_ids"])
        turns = [{"role": "user", "content": prompt}]
        text = words.apply_chat_template(turns, add_generation_prompt=True, tokenize=False)
        return list(words(text, add_special_tokens=False)["input_ids"])  # the template writes them itself

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of `tokens`: masked slots (negative) left out, up to the first end of text."""
        kept = [int(token) for token in tokens]
        if self.denoiser.eos_id in kept:
            kept = kept[: kept.index(self.denoiser.eos_id)]
        return str(self._words.decode([token for token in kept if token >= 0], skip_special_tokens=True))

    def piece(self, token: int) -> str:
        """The text of one token."""
        return str(self._words.decode([token], skip_special_tokens=False, clean_up_tokenization_spaces=False))

    def logits(self, rows: Sequence[Sequence[int]]) -> torch.Tensor:
        """float32 logits [rows, T, vocabulary] for the token at each position of `rows` [rows, T], on the CPU."""
        return self.denoiser.logits(rows)

    @property
    def _words(self) -> PreTrainedTokenizerBase:
        if self.tokenizer is None:
            raise ModelError(f"{self.id} comes without a tokenizer; add its tokenizer files to turn text into tokens.")
        return self.tokenizer

    @property
    def device(self) -> str:
        """Where it runs."""
        return str(self.denoiser.model.device)

    @property
    def dtype(self) -> str:
        """What it computes in, such as float32."""
        return str(self.denoiser.model.dtype).removeprefix("torch.")


def load_model(id_or_path: str, device: str = "cpu", dtype: str = "float32") -> Model:
    """Load a masked diffusion model of a known family.  ModelError says in one sentence what is wrong."""
    try:
        config: Mapping[str, Any] = PreTrainedConfig.get_config_dict(id_or_path)[0]
        family = family_of(id_or_path, config)
        network = _network(id_or_path, family, config, getattr(torch, dtype))
        network.to(torch.device(device))  # type: ignore[arg-type]  # its decorator hides the signature
        tokenizer = _tokenizer(id_or_path, family)
    except ModelError:
        raise
    except Exception as error:  # transformers raises OSError, ValueError, KeyError, SafetensorError and more
        raise ModelError(f"The model {id_or_path} could not be loaded: {_in_one_line(error)}") from error
    eos_id = _token_id(id_or_path, "end-of-text", config.get("eos_token_id"), tokenizer and tokenizer.eos_token_id)
    mask_id = _token_id(id_or_path, "mask", config.get("mask_token_id"), tokenizer and tokenizer.mask_token_id)
    vocabulary = len(tokenizer) if tokenizer else network.config.vocab_size
    denoiser = TorchDenoiser(network, mask_id, eos_id, vocabulary, family.shift)
    return Model(_name(id_or_path), denoiser, tokenizer, int(network.config.max_position_embeddings))


def _name(id_or_path: str) -> str:
    """What traces call the model: a folder of this project by its place in it, so that any copy of it is the same."""
    folder = Path(id_or_path).resolve()
    return folder.relative_to(ROOT).as_posix() if folder.is_dir() and folder.is_relative_to(ROOT) else id_or_path


def _network(model: str, family: Family, config: Mapping[str, Any], dtype: torch.dtype) -> PreTrainedModel:
    """The weights in their stock class, tensor by tensor under their stock names; every tensor must find its place."""
    stock = family.network.config_class(**family.settings(model, config))  # type: ignore[misc]
    cls: Any = family.network  # the annotations of from_pretrained do not survive its decorators
    network, report = cls.from_pretrained(
        model, config=stock, dtype=dtype, key_mapping=family.tensors, output_loading_info=True
    )
    wrong = [name for kind in ("missing_keys", "unexpected_keys", "mismatched_keys") for name in report[kind]]
    if wrong:
        raise ModelError(f"{model} does not fit its config.json: {len(wrong)} tensors differ, first {wrong[0]}.")
    return cast(PreTrainedModel, network)


def _tokenizer(model: str, family: Family) -> PreTrainedTokenizerBase | None:
    """The checkpoint's tokenizer; None for a folder that has none, such as bare weights to look inside."""
    names = ("tokenizer.json", "tokenizer_config.json", "vocab.json", "tokenizer.model")
    if Path(model).is_dir() and not any((Path(model) / name).is_file() for name in names):
        return None
    return cast(PreTrainedTokenizerBase, family.tokenizer.from_pretrained(model))


def _token_id(model: str, name: str, *sources: object) -> int:
    """The first of `sources` that is a token id (a list of ids counts by its first)."""
    for source in sources:
        first = source[0] if isinstance(source, list) and source else source
        if isinstance(first, int):
            return first
    raise ModelError(f"{model} names no {name} token; a masked diffusion model needs one in its tokenizer or config.")


def _in_one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__
