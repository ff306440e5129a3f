"""Loading a checkpoint: a local folder in the standard Hugging Face layout, or a hub id.

Stock transformers classes only, never remote code.  A field that decides the mathematics is read from the checkpoint
or its absence is an error; nothing falls back to a default.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from transformers import (
    AutoTokenizer,
    LlamaForCausalLM,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    Qwen2ForCausalLM,
    Qwen3ForCausalLM,
)

from blockbatch.errors import ModelError, PromptError
from blockbatch.models.denoiser import TorchDenoiser

STOCK_CLASSES: dict[str, type[PreTrainedModel]] = {
    "llama": LlamaForCausalLM,
    "qwen2": Qwen2ForCausalLM,
    "qwen3": Qwen3ForCausalLM,
}
REQUIRED = (
    "vocab_size",
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "num_key_value_heads",
    "intermediate_size",
    "max_position_embeddings",
    "rms_norm_eps",
    "tie_word_embeddings",
)


@dataclass(frozen=True)
class Model:
    """A model ready to decode, with its tokenizer."""

    id: str
    denoiser: TorchDenoiser
    tokenizer: PreTrainedTokenizerBase
    max_length: int  # positions, prompt and generation together

    def encode(self, prompt: str) -> list[int]:
        """`prompt` as one user turn of the checkpoint's chat template, the assistant's turn opened.

        PromptError where it is empty.  Special tokens written out in the prompt stay what the tokenizer makes of them.
        """
        if not prompt.strip():
            raise PromptError("The prompt is empty; write a question or pick an example.")
        turns = [{"role": "user", "content": prompt}]
        text = self.tokenizer.apply_chat_template(turns, add_generation_prompt=True, tokenize=False)
        return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of `tokens`: masked slots (negative) left out, up to the first end of text."""
        kept = [int(token) for token in tokens]
        if self.denoiser.eos_id in kept:
            kept = kept[: kept.index(self.denoiser.eos_id)]
        text = self.tokenizer.decode([token for token in kept if token >= 0], skip_special_tokens=True)
        return str(text)

    def piece(self, token: int) -> str:
        """The text of one token."""
        return str(self.tokenizer.decode([token], skip_special_tokens=False, clean_up_tokenization_spaces=False))

    @property
    def device(self) -> str:
        """Where it runs."""
        return str(self.denoiser.model.device)

    @property
    def dtype(self) -> str:
        """What it computes in, such as float32."""
        return str(self.denoiser.model.dtype).removeprefix("torch.")


def load_model(id_or_path: str, device: str = "cpu", dtype: str = "float32") -> Model:
    """Load a masked diffusion model.  ModelError says in one sentence what is missing or unsupported."""
    try:
        config = PreTrainedConfig.get_config_dict(id_or_path)[0]
        cls = _stock_class(id_or_path, config)
        tokenizer = AutoTokenizer.from_pretrained(id_or_path)
        loaded: Any = cls.from_pretrained(id_or_path, dtype=getattr(torch, dtype), output_loading_info=True)
    except ModelError:
        raise
    except Exception as error:  # transformers raises OSError, ValueError, KeyError, SafetensorError and more
        raise ModelError(f"The model {id_or_path} could not be loaded: {_in_one_line(error)}") from error
    network, report = loaded
    wrong = [name for kind in ("missing_keys", "unexpected_keys", "mismatched_keys") for name in report[kind]]
    if wrong:
        raise ModelError(f"{id_or_path} does not fit its config.json: {len(wrong)} tensors differ, first {wrong[0]}.")
    eos_id = _token_id(id_or_path, "end-of-text", config.get("eos_token_id"), tokenizer.eos_token_id)
    mask_id = _token_id(id_or_path, "mask", config.get("mask_token_id"), tokenizer.mask_token_id)
    denoiser = TorchDenoiser(network.to(device), mask_id, eos_id, len(tokenizer))
    return Model(id_or_path, denoiser, tokenizer, int(config["max_position_embeddings"]))


def _stock_class(model: str, config: Mapping[str, Any]) -> type[PreTrainedModel]:
    """The transformers class for a raw config.json, which must state every field that decides the mathematics."""
    kind = config.get("model_type")
    if kind not in STOCK_CLASSES:
        raise ModelError(f"{model} has the model_type {kind!r}, but only {', '.join(STOCK_CLASSES)} are supported.")
    missing = [name for name in REQUIRED if name not in config]
    if missing:
        raise ModelError(
            f"The config.json of {model} lacks {', '.join(missing)}; add them, a default would be a guess."
        )
    return STOCK_CLASSES[kind]


def _token_id(model: str, name: str, *sources: object) -> int:
    """The first of `sources` that is a token id (a list of ids counts by its first)."""
    for source in sources:
        first = source[0] if isinstance(source, list) and source else source
        if isinstance(first, int):
            return first
    raise ModelError(f"{model} names no {name} token; a masked diffusion model needs one in its tokenizer or config.")


def _in_one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__
