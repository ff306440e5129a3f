"""Loading a checkpoint: a local folder in the standard Hugging Face layout, or a hub id.

Stock transformers classes only, never remote code.  A field that decides the mathematics is read from the checkpoint
or its absence is an error; nothing falls back to a default.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase
from transformers.utils.logging import disable_progress_bar

from blockbatch.checks import is_writable
from blockbatch.errors import ModelError, PromptError
from blockbatch.models.checkpoint import Checkpoint, in_one_line, open_checkpoint, out_of_memory
from blockbatch.models.denoiser import TorchDenoiser
from blockbatch.models.families import Family, family_of
from blockbatch.models.placing import SPREAD, default_dtype, device_of, dtype_of

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Model:
    """A model ready to decode, with its tokenizer."""

    id: str
    denoiser: TorchDenoiser
    tokenizer: PreTrainedTokenizerBase | None
    max_length: int  # positions, prompt and generation together
    config: Mapping[str, Any] = field(repr=False)  # the checkpoint's config.json

    def encode(self, prompt: str) -> list[int]:
        """`prompt` as one user turn of the checkpoint's chat template, the assistant's turn opened; as it is where the
        checkpoint has no template.  PromptError where it is empty, holds half of a character or is far too long,
        ModelError where the template fails.
        """
        if not prompt.strip():
            raise PromptError("The prompt is empty; write a question or pick an example.")
        if not is_writable(prompt):
            raise PromptError("The prompt holds half of a character; delete it and type it again.")
        if len(prompt) > self._most_characters:  # said before minutes and gigabytes go into counting its tokens
            most = f"more than fit into the {self.max_length} tokens that this model takes"
            raise PromptError(f"The prompt has {len(prompt)} characters, {most}; shorten it.")
        words = self._words
        if not words.chat_template:
            return list(words(prompt)["input_ids"])
        turns = [{"role": "user", "content": prompt}]
        try:
            text = words.apply_chat_template(turns, add_generation_prompt=True, enable_thinking=False, tokenize=False)
        except Exception as error:  # a template is a program of the checkpoint's, which may raise what it likes
            raise ModelError(
                f"The chat template of {self.id} fails on a prompt; download it again. ({in_one_line(error)})"
            ) from error
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
    def caution(self) -> str:
        """One sentence on what its answers may suffer from, or nothing."""
        if self.tokenizer is None:
            return ""
        if not self.tokenizer.chat_template:
            return f"{self.id} has no chat template: prompts go in as plain text, which it goes on with, not answers."
        if re.search(r"(^|[-_])base([-_]|$)", Path(self.id).name, re.IGNORECASE):
            return f"{self.id} is a base model, whose answers in a chat template may repeat themselves."
        return ""

    def save_pretrained(self, folder: str | Path) -> None:
        """Write a checkpoint in the layout that it was loaded from, so that it loads again as what it is."""
        folder = Path(folder)
        self.denoiser.model.save_pretrained(folder)
        config = {**self.config, "dtype": self.dtype}
        config.pop("torch_dtype", None)
        (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")
        if self.tokenizer is not None:
            self.tokenizer.save_pretrained(folder)

    @cached_property
    def _most_characters(self) -> int:
        """What a prompt of `max_length` tokens can hold at most; a piece is spelt with a letter a byte or character."""
        return self.max_length * max(map(len, self._words.get_vocab()))

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


def load_model(id_or_path: str, device: str = "cpu", dtype: str | None = None) -> Model:
    """Load a masked diffusion model of a known family.  ModelError says in one sentence what is wrong.

    id_or_path: a folder, or a hub id, whose files are downloaded if need be.  device: as torch names it, or one of
    `placing.SPREAD`.  dtype: float32, bfloat16 or float16, whatever the checkpoint stores; by default bfloat16 on CUDA
    and float32 elsewhere.
    """
    number = dtype_of(dtype or default_dtype(device_of(device)))
    checkpoint = open_checkpoint(id_or_path)
    family = family_of(id_or_path, checkpoint.config)
    network = _placed(checkpoint, family, number, device)
    tokenizer = _tokenizer(checkpoint, family)
    eos_id, mask_id = _special_tokens(checkpoint, family, tokenizer, network.config.vocab_size)
    vocabulary = len(tokenizer) if tokenizer else network.config.vocab_size
    denoiser = TorchDenoiser(network, mask_id, eos_id, vocabulary, family.shift)
    length = int(network.config.max_position_embeddings)
    return Model(_name(id_or_path), denoiser, tokenizer, length, checkpoint.config)


def work_quietly_with_one_thread() -> None:
    """Make this process one worker of several: no progress bars, and sums taken in one order on any machine."""
    torch.set_num_threads(1)
    disable_progress_bar()


def _name(id_or_path: str) -> str:
    """What traces call the model: a folder of this project by its place in it, so that any copy of it is the same."""
    folder = Path(id_or_path).resolve()
    return folder.relative_to(ROOT).as_posix() if folder.is_dir() and folder.is_relative_to(ROOT) else id_or_path


def _placed(checkpoint: Checkpoint, family: Family, dtype: torch.dtype, device: str) -> PreTrainedModel:
    """The network where it is to compute.  ModelError where it does not fit there, or cannot be read."""
    where = device_of(device)
    if device not in SPREAD:
        checkpoint.check_room(where, dtype)
    try:
        network = _network(checkpoint, family, dtype, device)
        return network if device in SPREAD else network.to(where)  # type: ignore[arg-type]  # hidden by its decorator
    except ModelError:
        raise
    except (MemoryError, torch.OutOfMemoryError) as error:
        raise out_of_memory(checkpoint.id, "more memory than there is", where) from error
    except Exception as error:  # transformers raises OSError, ValueError, KeyError, RuntimeError and more
        raise ModelError(
            f"{checkpoint.id} could not be loaded; download it again, or choose a model of a supported family. "
            f"({in_one_line(error)})"
        ) from error


def _network(checkpoint: Checkpoint, family: Family, dtype: torch.dtype, device: str) -> PreTrainedModel:
    """The weights in their stock class, tensor by tensor under their stock names; every tensor must find its place."""
    stock = family.network.config_class(**family.settings(checkpoint.id, checkpoint.config))  # type: ignore[misc]
    cls: Any = family.network  # the annotations of from_pretrained do not survive its decorators
    network, report = cls.from_pretrained(
        checkpoint.folder,
        config=stock,
        dtype=dtype,
        key_mapping=family.tensors,
        use_safetensors=True,
        ignore_mismatched_sizes=True,  # so that they are reported by name
        output_loading_info=True,
        **(SPREAD[device](stock.num_key_value_heads) if device in SPREAD else {}),
    )
    wrong = [name for kind in ("missing_keys", "unexpected_keys", "mismatched_keys") for name in report[kind]]
    if wrong:
        first = wrong[0] if isinstance(wrong[0], str) else wrong[0][0]
        raise ModelError(
            f"{checkpoint.id} does not fit its config.json: {len(wrong)} tensors differ, first {first}; use the "
            f"config.json that belongs to these weights."
        )
    return cast(PreTrainedModel, network)


def _tokenizer(checkpoint: Checkpoint, family: Family) -> PreTrainedTokenizerBase | None:
    """The checkpoint's tokenizer; None for a folder that has none, such as bare weights to look inside."""
    if not checkpoint.has_tokenizer:
        return None
    try:
        return cast(PreTrainedTokenizerBase, family.tokenizer.from_pretrained(checkpoint.folder))
    except Exception as error:  # the readers of its many file formats raise what they like
        raise ModelError(
            f"The tokenizer of {checkpoint.id} cannot be read; download its files again. ({in_one_line(error)})"
        ) from error


def _special_tokens(
    checkpoint: Checkpoint, family: Family, tokenizer: PreTrainedTokenizerBase | None, embedded: int
) -> tuple[int, int]:
    """The ids of the end-of-text token and the mask token, of `embedded` ids that there are."""
    config, vocabulary = checkpoint.config, _added_tokens(checkpoint.folder)
    if tokenizer is not None:
        vocabulary |= tokenizer.get_added_vocab()
    known = (tokenizer.eos_token_id, tokenizer.mask_token_id) if tokenizer else (None, None)
    eos = _token_id(checkpoint.id, "end-of-text", config.get("eos_token_id"), known[0])
    mask = _token_id(checkpoint.id, "mask", config.get("mask_token_id"), known[1], vocabulary.get(family.mask))
    if max(eos, mask) >= embedded:
        raise ModelError(
            f"{checkpoint.id} names token {max(eos, mask)}, but has embeddings for {embedded} only; use the "
            f"config.json and the tokenizer that belong to these weights."
        )
    if eos == mask:
        raise ModelError(
            f"{checkpoint.id} names token {eos} as its mask and its end of text; correct the ids in its config.json."
        )
    return eos, mask


def _added_tokens(folder: Path) -> dict[str, int]:
    path = folder / "added_tokens.json"
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}


def _token_id(model: str, name: str, *sources: object) -> int:
    """The first of `sources` that is a token id, from 0 on (a list of ids counts by its first)."""
    for source in sources:
        first = source[0] if isinstance(source, list) and source else source
        if isinstance(first, int) and first >= 0:
            return first
    raise ModelError(f"{model} names no {name} token; add its id to the config.json as {FIELDS[name]}.")


FIELDS = {"mask": "mask_token_id", "end-of-text": "eos_token_id"}
