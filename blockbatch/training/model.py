"""The embedded model: a stock Qwen3 with full attention, whose logits at i predict the token at i."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import AttentionInterface, PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

from blockbatch.training.recipe import Recipe

_EMBEDDING_STD = 0.5
_ATTENTION = "blockbatch-training"


def build_model(recipe: Recipe, tokenizer: PreTrainedTokenizerFast) -> Qwen3ForCausalLM:
    """A new model with the recipe's start: large embeddings, and output projections of zero.

    With zeros there, every layer starts as the identity and the copies of tokens that the embeddings hold reach
    the head unspoilt; without, names and digits were not learnt at all.
    """
    torch.manual_seed(recipe.seed)
    model = Qwen3ForCausalLM(_config(recipe, tokenizer))
    nn.init.normal_(model.model.embed_tokens.weight, std=_EMBEDDING_STD)
    for layer in model.model.layers:
        nn.init.zeros_(layer.self_attn.o_proj.weight)
        nn.init.zeros_(layer.mlp.down_proj.weight)
    return model


def _config(recipe: Recipe, tokenizer: PreTrainedTokenizerFast) -> Qwen3Config:
    undeclared: dict[str, Any] = {"mask_token_id": tokenizer.mask_token_id, "attn_implementation": _ATTENTION}
    return Qwen3Config(
        vocab_size=len(tokenizer), hidden_size=recipe.hidden, intermediate_size=recipe.feed_forward,
        num_hidden_layers=recipe.layers, num_attention_heads=recipe.heads, num_key_value_heads=recipe.heads,
        head_dim=recipe.head_size, max_position_embeddings=1024, tie_word_embeddings=False, use_cache=False,
        rope_parameters={"rope_type": "default", "rope_theta": 10_000.0}, dtype="float32",
        eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id, bos_token_id=None, **undeclared,
    )  # fmt: skip


def hidden_states(model: Qwen3ForCausalLM, ids: Tensor) -> Tensor:
    """The last hidden states [batch, length, hidden] under full attention.

    Products of matrices are in bfloat16, twice as fast on CPUs that have it; the rest is in float32.
    """
    # No cache of converted weights: a forward uses each once, and the cache is shared by threads.
    with torch.autocast("cpu", dtype=torch.bfloat16, cache_enabled=False):
        output = model.model(ids, attention_mask={"full_attention": None}, use_cache=False)
    states: Tensor = output.last_hidden_state.float()
    return states


def masked_logits(model: Qwen3ForCausalLM, ids: Tensor, masked: Tensor) -> Tensor:
    """Logits [masked positions, vocabulary] at the positions where `masked` [batch, length] is true."""
    logits: Tensor = model.lm_head(hidden_states(model, ids)[masked])
    return logits


def _full_attention(
    module: nn.Module, query: Tensor, key: Tensor, value: Tensor, attention_mask: None, **options: object
) -> tuple[Tensor, None]:
    """Attention of all to all on [batch, heads, length, head size], in float32: the bfloat16 kernel is slower."""
    with torch.autocast("cpu", enabled=False):
        mixed = functional.scaled_dot_product_attention(query.float(), key.float(), value.float())
    return mixed.transpose(1, 2).contiguous(), None


AttentionInterface.register(_ATTENTION, _full_attention)
