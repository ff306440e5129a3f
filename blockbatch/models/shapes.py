"""Models of a known shape with random weights, and what a device can do: to time a forward where no checkpoint is."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import torch
from transformers import AutoModelForCausalLM, LlamaConfig

from blockbatch.errors import ModelError
from blockbatch.models.checkpoint import out_of_memory
from blockbatch.models.denoiser import TorchDenoiser
from blockbatch.models.memory import free_bytes
from blockbatch.models.placing import default_dtype, device_of, dtype_of

SHAPES: Mapping[str, Mapping[str, Any]] = {
    "llada-8b": {
        "vocab_size": 126464,
        "hidden_size": 4096,
        "intermediate_size": 12288,
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
        "num_key_value_heads": 32,
        "rope_theta": 500000.0,
    },
    "tiny": {
        "vocab_size": 800,
        "hidden_size": 128,
        "intermediate_size": 384,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "num_key_value_heads": 4,
        "rope_theta": 10000.0,
    },
}
COPIED_BYTES = {"cuda": 2**30, "cpu": 2**26}
COPIES = 5


def random_denoiser(shape: str, device: str = "cpu", dtype: str | None = None) -> TorchDenoiser:
    """A denoiser of one of `SHAPES`, its weights drawn on the device itself; ModelError where it does not fit."""
    config = LlamaConfig(**SHAPES[shape], max_position_embeddings=4096, tie_word_embeddings=False)
    where = device_of(device)
    number = dtype_of(dtype or default_dtype(where))
    _check_room(shape, config, where, number)
    try:
        with torch.device(where):
            network = AutoModelForCausalLM.from_config(config, dtype=number)
    except torch.OutOfMemoryError as error:
        raise ModelError(f"{device} cannot hold {shape}; choose a smaller shape or a larger device.") from error
    return TorchDenoiser(network, mask_id=0, eos_id=1, vocabulary=config.vocab_size)


def _check_room(shape: str, config: LlamaConfig, device: torch.device, dtype: torch.dtype) -> None:
    """ModelError before memory runs out: on a CPU nothing can catch that."""
    with torch.device("meta"):
        needed = sum(weight.nbytes for weight in AutoModelForCausalLM.from_config(config, dtype=dtype).parameters())
    free = free_bytes(device)
    if free is not None and needed > free:
        raise out_of_memory(shape, f"{needed / 1e9:.1f} GB of memory for its weights", device, free)


def bytes_read(denoiser: TorchDenoiser) -> int:
    """The bytes of weights that every forward reads: all but the table of input embeddings, of which it reads rows."""
    model = denoiser.model
    total: int = sum(weight.nbytes for weight in model.parameters())
    table = model.get_input_embeddings().weight
    return total if table is model.get_output_embeddings().weight else total - int(table.nbytes)


def copy_bandwidth(denoiser: TorchDenoiser) -> float:
    """Bytes a second that the denoiser's device reads and writes in a copy inside its memory, the best of a few."""
    device = denoiser.model.device
    source = torch.ones(COPIED_BYTES.get(device.type, 2**26), dtype=torch.uint8, device=device)
    target = torch.empty_like(source)
    best = min(_copy_seconds(source, target) for _ in range(COPIES))
    return 2 * source.nbytes / best


def _copy_seconds(source: torch.Tensor, target: torch.Tensor) -> float:
    """A byte is read back before and after, which waits for the device."""
    target[:1].cpu()
    began = time.perf_counter()
    target.copy_(source)
    target[:1].cpu()
    return time.perf_counter() - began


def device_name(denoiser: TorchDenoiser) -> str:
    """What the device is called."""
    device = denoiser.model.device
    return torch.cuda.get_device_name(device) if device.type == "cuda" else str(device)
