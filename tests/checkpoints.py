"""Random checkpoints in the standard Hugging Face layout, small enough to make in a test."""

from __future__ import annotations

from pathlib import Path

import torch
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
