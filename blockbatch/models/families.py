"""The model families: how a checkpoint's config.json and tensor names map onto a stock transformers class.

A family joins by one entry in `FAMILIES`.  Every field that decides the mathematics is read from the checkpoint: a
missing one, an unknown one, or a value that the stock class does not compute, is a ModelError that names it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from transformers import (
    AutoTokenizer,
    LlamaForCausalLM,
    PreTrainedModel,
    PreTrainedTokenizerFast,
    Qwen2ForCausalLM,
    Qwen2Tokenizer,
    Qwen3ForCausalLM,
)

from blockbatch.errors import ModelError


@dataclass(frozen=True)
class Family:
    """One kind of checkpoint.

    network: the stock class; tokenizer: the class that reads its tokenizer files.  shift: 1 where the logits at a
    position are for the token after it.  renamed: setting of the stock config -> field of the checkpoint's; needed:
    fields taken over under their own name; fixed: fields and the values that the stock class computes; ignored: fields
    that do not change the output (None: whatever else the stock config knows is taken over).  mask: the text of the
    mask token, for tokenizers that do not say which of their tokens it is.  tensors: regular expression of a tensor's
    name -> the stock name, as `from_pretrained(key_mapping=...)` takes it.
    """

    network: type[PreTrainedModel]
    tokenizer: Any
    shift: int = 0
    renamed: Mapping[str, str] = field(default_factory=dict)
    needed: tuple[str, ...] = ()
    fixed: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    ignored: frozenset[str] | None = None
    mask: str = "<|mask|>"
    tensors: Mapping[str, str] | None = None

    def settings(self, model: str, config: Mapping[str, Any]) -> dict[str, Any]:
        """The stock config's settings for the checkpoint's raw `config`."""
        _refuse_guesses(model, config, [*self.renamed.values(), *self.needed, *self.fixed])
        for name, allowed in self.fixed.items():
            if config[name] not in allowed:
                raise ModelError(f"{model} has {name} = {config[name]!r}, but only {allowed[0]!r} is supported.")
        unknown = sorted(set(config) - self._known)
        if unknown:
            raise ModelError(
                f"The config.json of {model} has fields of unknown meaning: {', '.join(unknown)}; if they change "
                f"nothing, take them out."
            )
        if self.ignored is None:
            return {name: value for name, value in config.items() if name not in NOT_SETTINGS}
        return {ours: config[theirs] for ours, theirs in self.renamed.items()} | {n: config[n] for n in self.needed}

    @property
    def _known(self) -> set[str]:
        if self.ignored is None:
            stock = {field.name for field in fields(self.network.config_class)}  # type: ignore[arg-type]
            return stock | {*NOT_SETTINGS, *TOKEN_IDS, *ALSO_READ, *HARMLESS}
        return {*self.renamed.values(), *self.needed, *self.fixed, *self.ignored, *NOT_SETTINGS, *TOKEN_IDS}


def _refuse_guesses(model: str, config: Mapping[str, Any], needed: Sequence[str]) -> None:
    said = {*config, *(config.get("rope_parameters") or ())}  # where transformers 5 writes rope_theta
    missing = [name for name in needed if name not in said]
    if missing:
        raise ModelError(f"The config.json of {model} lacks {', '.join(missing)}; a default would be a guess.")


TOKEN_IDS = ("mask_token_id", "eos_token_id", "pad_token_id", "bos_token_id")
NOT_SETTINGS = (
    "_name_or_path",
    "architectures",
    "auto_map",
    "dtype",
    "model_type",
    "torch_dtype",
    "transformers_version",
)
ALSO_READ = ("rope_theta", "rope_scaling", "head_dim")  # by the stock classes, though their configs declare them not
HARMLESS = ("pretraining_tp", "use_cache", "max_window_layers", "sliding_window", "use_sliding_window")
DECODER_FIELDS = (
    "vocab_size",
    "hidden_size",
    "intermediate_size",
    "num_hidden_layers",
    "num_attention_heads",
    "num_key_value_heads",
    "max_position_embeddings",
    "hidden_act",
    "rms_norm_eps",
    "tie_word_embeddings",
    "rope_theta",
)

LLAMA = Family(LlamaForCausalLM, AutoTokenizer, needed=(*DECODER_FIELDS, "attention_bias"))
QWEN2 = Family(Qwen2ForCausalLM, AutoTokenizer, needed=DECODER_FIELDS)
QWEN3 = Family(Qwen3ForCausalLM, AutoTokenizer, needed=(*DECODER_FIELDS, "attention_bias", "head_dim"))

LLADA_BLOCK = (
    ("attn_norm", "input_layernorm"),
    ("q_proj", "self_attn.q_proj"),
    ("k_proj", "self_attn.k_proj"),
    ("v_proj", "self_attn.v_proj"),
    ("attn_out", "self_attn.o_proj"),
    ("ff_norm", "post_attention_layernorm"),
    ("ff_proj", "mlp.gate_proj"),
    ("up_proj", "mlp.up_proj"),
    ("ff_out", "mlp.down_proj"),
)
LLADA = Family(
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
    renamed={
        "vocab_size": "embedding_size",
        "hidden_size": "d_model",
        "intermediate_size": "mlp_hidden_size",
        "num_hidden_layers": "n_layers",
        "num_attention_heads": "n_heads",
        "num_key_value_heads": "n_kv_heads",
        "max_position_embeddings": "max_sequence_length",
        "hidden_act": "activation_type",
        "rms_norm_eps": "rms_norm_eps",
        "rope_theta": "rope_theta",
        "tie_word_embeddings": "weight_tying",
        "attention_bias": "include_qkv_bias",
    },
    fixed={
        "activation_type": ("silu",),
        "block_type": ("llama",),
        "layer_norm_type": ("rms",),
        "layer_norm_with_affine": (True,),
        "rope": (True,),
        "alibi": (False,),
        "attention_layer_norm": (False,),
        "bias_for_layer_norm": (False,),
        "include_bias": (False,),
        "include_qkv_bias": (False,),
        "input_emb_norm": (False,),
        "scale_logits": (False,),
        "weight_tying": (False,),
    },
    # Heads are given by n_kv_heads, dropout and initialisation only matter in training, the rest is about execution.
    ignored=frozenset(
        [
            "alibi_bias_max",
            "attention_dropout",
            "attention_layer_norm_with_affine",
            "block_group_size",
            "embedding_dropout",
            "flash_attention",
            "init_cutoff_factor",
            "init_device",
            "init_fn",
            "init_std",
            "mlp_ratio",
            "multi_query_attention",
            "precision",
            "residual_dropout",
            "rope_full_precision",
            "use_cache",
            "vocab_size",
        ]
    ),
    tensors={
        r"^model\.transformer\.wte\.": "model.embed_tokens.",
        r"^model\.transformer\.ln_f\.": "model.norm.",
        r"^model\.transformer\.ff_out\.": "lm_head.",
        **{
            rf"^model\.transformer\.blocks\.(\d+)\.{theirs}\.": rf"model.layers.\1.{ours}."
            for theirs, ours in LLADA_BLOCK
        },
    },
)

DREAM = Family(
    Qwen2ForCausalLM,
    Qwen2Tokenizer,
    shift=1,
    needed=DECODER_FIELDS,
    ignored=frozenset(
        [
            "attention_dropout",
            "initializer_range",
            "max_window_layers",
            "rope_scaling",
            "sliding_window",
            "use_cache",
            "use_sliding_window",
        ]
    ),
)

FAMILIES: dict[str, Family] = {
    "llama": LLAMA,
    "qwen2": QWEN2,
    "qwen3": QWEN3,
    "llada": LLADA,
    "Dream": DREAM,
    "a2d-qwen2": replace(QWEN2, tokenizer=Qwen2Tokenizer),
    "a2d-qwen3": replace(QWEN3, tokenizer=Qwen2Tokenizer),
    "open-dcoder": replace(QWEN2, tokenizer=Qwen2Tokenizer, shift=1, mask="<M>"),
}
STOCK = ("llama", "qwen2", "qwen3")
BLOCK_CAUSAL = ("sdar", "llada2", "fast_dllm", "fast-dllm", "bd3lm")


def family_of(model: str, config: Mapping[str, Any]) -> Family:
    """The family of a raw config.json, by its model_type."""
    kind = _kind(model, config)
    if any(name in text.lower() for name in BLOCK_CAUSAL for text in _names(model, config)):
        raise ModelError(f"{model} is a block-causal model, which sees no later block; choose one with full attention.")
    if kind not in FAMILIES:
        raise ModelError(f"{model} has the model_type {kind!r}, but only {', '.join(FAMILIES)} are supported.")
    if kind in STOCK and not isinstance(config.get("mask_token_id"), int):
        raise ModelError(
            f"The config.json of {model} lacks mask_token_id, by which a {kind} checkpoint says that it is a diffusion "
            f"model; add it, or, for open-dcoder, keep that name in the folder's."
        )
    if config.get("quantization_config"):
        raise ModelError(f"{model} has quantised weights; choose its float32 or bfloat16 weights.")
    if config.get("use_sliding_window") or any(kind != "full_attention" for kind in _listed(config, "layer_types")):
        raise ModelError(f"{model} has sliding-window layers, but only full attention is supported.")
    if config.get("rope_scaling") and FAMILIES[kind].ignored is not None:
        raise ModelError(f"{model} has rope_scaling, which is not supported for its family.")
    return FAMILIES[kind]


def _kind(model: str, config: Mapping[str, Any]) -> str:
    """The model_type; open-dcoder calls itself a plain qwen2, so it goes by its name."""
    kind = str(config.get("model_type"))
    named = any("open-dcoder" in name.lower() for name in _names(model, config))
    return "open-dcoder" if kind == "qwen2" and named else kind


def _names(model: str, config: Mapping[str, Any]) -> list[str]:
    """All that a checkpoint is called by: its id or its folder's last name, and what its config says."""
    called = Path(model).resolve().name if Path(model).is_dir() else model
    said = [config.get(field) for field in ("model_type", "_name_or_path")]
    return [called, *map(str, said), *map(str, _listed(config, "architectures"))]


def _listed(config: Mapping[str, Any], name: str) -> list[Any]:
    """The field's list; a single value in its place, which nothing has checked yet, counts as one."""
    value = config.get(name) or []
    return value if isinstance(value, list) else [value]
