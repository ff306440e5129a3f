"""What tells one model from another that has the same name."""

from __future__ import annotations

import hashlib

import torch

from blockbatch.models.loading import Model


def fingerprint(model: Model) -> str:
    """A digest of the weights, the vocabulary and the chat template."""
    digest = hashlib.blake2b(digest_size=16)
    for name, tensor in model.denoiser.model.state_dict().items():
        digest.update(f"{name} {tuple(tensor.shape)} {tensor.dtype}".encode())
        if tensor.is_meta:  # its weights wait outside the device, so the name and shape stand for them
            continue
        digest.update(tensor.detach().cpu().contiguous().flatten().view(torch.uint8).numpy())
    if model.tokenizer is not None:
        digest.update(repr((sorted(model.tokenizer.get_vocab().items()), model.tokenizer.chat_template)).encode())
    return digest.hexdigest()
