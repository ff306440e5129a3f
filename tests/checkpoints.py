"""Random checkpoints in the standard Hugging Face layout, small enough to make in a test."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import (
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
    Qwen2Config,
    Qwen2ForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
)

from blockbatch.models.families import DECODER_FIELDS, LLADA, LLADA_BLOCK

CLASSES = {
    "llama": (LlamaConfig, LlamaForCausalLM),
    "qwen2": (Qwen2Config, Qwen2ForCausalLM),
    "qwen3": (Qwen3Config, Qwen3ForCausalLM),
}
SPECIAL = ("<|mask|>", "<|eos|>", "<|user|>", "<|assistant|>")
TEMPLATE = "{% for m in messages %}<|user|>{{ m['content'] }}{% endfor %}<|assistant|>"


def byte_tokenizer() -> PreTrainedTokenizerFast:
    """One token a byte, and four special ones."""
    pieces = sorted(pre_tokenizers.ByteLevel.alphabet())
    backend = Tokenizer(models.BPE(vocab={piece: n for n, piece in enumerate(pieces)}, merges=[]))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    backend.add_special_tokens(list(SPECIAL))
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=backend, mask_token="<|mask|>", eos_token="<|eos|>", pad_token="<|eos|>"
    )
    tokenizer.chat_template = TEMPLATE
    return tokenizer


def random_network(kind: str, vocabulary: int, seed: int = 0, **settings: object) -> torch.nn.Module:
    """A network of the stock class `kind` whose random weights give distributions far from uniform."""
    config_class, network_class = CLASSES[kind]
    torch.manual_seed(seed)
    sizes = {
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 8,
        "max_position_embeddings": 512,
        "initializer_range": 0.3,
    }
    return network_class(config_class(vocab_size=vocabulary, **{**sizes, **settings})).eval()


def save_random_checkpoint(folder: Path, kind: str, seed: int = 0) -> None:
    """Weights, config, tokenizer; the embedding matrix has 4 rows more than the tokenizer has tokens."""
    tokenizer = byte_tokenizer()
    network = random_network(kind, len(tokenizer) + 4, seed)
    network.config.mask_token_id = tokenizer.mask_token_id
    network.config.eos_token_id = tokenizer.eos_token_id
    network.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def save_vocabulary(folder: Path, mask: str = "<|mask|>", declared: bool = True) -> dict[str, int]:
    """The byte tokenizer as vocab.json, merges.txt and added_tokens.json; returns the added tokens.

    The mask token is `mask`; unless `declared`, nothing but its name in added_tokens.json tells which token it is.
    """
    found = byte_tokenizer().get_vocab()
    vocabulary = {piece: n for piece, n in found.items() if not piece.startswith("<|")}
    added = {mask if piece == "<|mask|>" else piece: n for piece, n in found.items() if piece.startswith("<|")}
    special = {"eos_token": "<|eos|>", "pad_token": "<|eos|>", "unk_token": None}
    special |= {"mask_token": mask} if declared else {}
    for name, value in {
        "vocab.json": vocabulary,
        "added_tokens.json": added,
        "special_tokens_map.json": special,
        "tokenizer_config.json": {**special, "tokenizer_class": "Qwen2Tokenizer", "chat_template": TEMPLATE},
    }.items():
        (folder / name).write_text(json.dumps(value))
    (folder / "merges.txt").write_text("#version: 0.2\n")
    return added


def save_llada(parent: Path) -> Path:
    """A checkpoint as LLaDA publishes them: names and settings of its own, a fast tokenizer."""
    folder = parent / "LLaDA-8B-Instruct"
    folder.mkdir()
    tokenizer = byte_tokenizer()
    network = random_network("llama", len(tokenizer) + 4, num_key_value_heads=4, rope_theta=500000.0)
    stock = {
        "model.embed_tokens": "model.transformer.wte",
        "model.norm": "model.transformer.ln_f",
        "lm_head": "model.transformer.ff_out",
    }
    for layer in range(network.config.num_hidden_layers):
        ours, theirs = f"model.layers.{layer}.", f"model.transformer.blocks.{layer}."
        stock |= {ours + stock_name: theirs + official for official, stock_name in LLADA_BLOCK}
    weights = {f"{stock[name.removesuffix('.weight')]}.weight": tensor for name, tensor in network.state_dict().items()}
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    settings = {name: allowed[0] for name, allowed in LLADA.fixed.items()}
    renamed = {ours: official for ours, official in LLADA.renamed.items() if ours != "rope_theta"}
    settings |= {official: getattr(network.config, ours) for ours, official in renamed.items()}
    settings |= {"rope_theta": 500000.0, "model_type": "llada", "auto_map": {"AutoModel": "modeling_llada.LLaDA"}}
    settings |= {"mask_token_id": tokenizer.mask_token_id, "eos_token_id": tokenizer.eos_token_id}
    (folder / "config.json").write_text(json.dumps(settings | {"pad_token_id": tokenizer.eos_token_id}))
    tokenizer.save_pretrained(folder)
    return folder


def save_dream(parent: Path) -> Path:
    """A checkpoint as Dream publishes them: Qwen2's names, the mask token in the config."""
    added = _save_qwen(parent / "Dream-v0-Instruct-7B", "qwen2", "Dream", {"rope_scaling": None})
    _edit_config(parent / "Dream-v0-Instruct-7B", mask_token_id=added["<|mask|>"])
    return parent / "Dream-v0-Instruct-7B"


def save_qwen3_mdlm(parent: Path) -> Path:
    """Qwen3-0.6B-diffusion-mdlm: tied embeddings, the mask token in the tokenizer."""
    folder = parent / "Qwen3-0.6B-diffusion-mdlm-v0.1"
    _save_qwen(folder, "qwen3", "a2d-qwen3", {"head_dim": 8, "attention_bias": False}, tied=True)
    return folder


def save_qwen2_mdlm(parent: Path) -> Path:
    """Qwen2.5-Coder-0.5B mdlm: tied embeddings, the mask token in the tokenizer."""
    folder = parent / "Qwen2.5-Coder-0.5B-Instruct-diffusion-mdlm-v0.1"
    _save_qwen(folder, "qwen2", "a2d-qwen2", {}, tied=True)
    return folder


def save_open_dcoder(parent: Path) -> Path:
    """open-dcoder-0.5B: a plain qwen2 by its config, the mask token in added_tokens.json alone."""
    folder = parent / "open-dcoder-0.5B"
    _save_qwen(folder, "qwen2", "qwen2", {"sliding_window": None}, mask="<M>", declared=False)
    return folder


LAYOUTS: dict[str, Callable[[Path], Path]] = {
    "LLaDA": save_llada,
    "Dream": save_dream,
    "Qwen3 mdlm": save_qwen3_mdlm,
    "Qwen2.5-Coder mdlm": save_qwen2_mdlm,
    "open-dcoder": save_open_dcoder,
}
QWEN_FIELDS = {*DECODER_FIELDS, "initializer_range", "use_cache", "attention_dropout"} - {"rope_theta"}


def _save_qwen(
    folder: Path, kind: str, model_type: str, settings: dict[str, Any], tied: bool = False, **mask: Any
) -> dict[str, int]:
    """Weights under the stock names, a config in the manner of transformers 4 (rope_theta at the top)."""
    folder.mkdir()
    added = save_vocabulary(folder, **mask)
    network = random_network(kind, len(byte_tokenizer()) + 4, tie_word_embeddings=tied, rope_theta=1e6)
    network.save_pretrained(folder)
    config = {name: getattr(network.config, name) for name in sorted(QWEN_FIELDS)}
    config |= {"model_type": model_type, "rope_theta": 1e6, "use_sliding_window": False, "max_window_layers": 3}
    config |= {"eos_token_id": added["<|eos|>"], "torch_dtype": "float32", "transformers_version": "4.46.2"}
    (folder / "config.json").write_text(json.dumps(config | settings))
    return added


def _edit_config(folder: Path, **changes: Any) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | changes))
