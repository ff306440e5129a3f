"""Attention over packed segments, given to stock transformers models through `AttentionInterface`.

All segments of a forward are packed into one sequence [1, total] without padding.  In every layer each segment first
writes its keys and values (rotated already) into its cache row, then attends to that whole row, without a mask.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch.nn import functional
from transformers import AttentionInterface

from blockbatch.models.cache import KVCache

NAME = "blockbatch_packed"


class Packed(NamedTuple):
    """Where a segment lies: `offset` .. `offset + length` of the packed sequence, from `start` on in its cache row."""

    cache: KVCache
    row: int
    start: int
    offset: int
    length: int


def packed_attention(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    *,
    packed: Sequence[Packed],
    scaling: float,
    **_: Any,
) -> tuple[torch.Tensor, None]:
    """query [1, heads, total, head_dim], key and value [1, kv_heads, total, head_dim] -> [1, total, heads, head_dim].

    `packed` comes from the keyword of the same name given to the model's forward; the keywords that transformers adds
    for its own attention functions are not needed here.  Two rounds, so that no segment sees a row half written.
    """
    layer = int(module.layer_idx)  # type: ignore[arg-type]
    for cache, row, start, offset, length in packed:
        part = slice(offset, offset + length)
        cache.write(layer, row, start, key[0, :, part], value[0, :, part])
    parts = [_attend(query[:, :, p.offset : p.offset + p.length], p, layer, scaling) for p in packed]
    return torch.cat(parts, dim=2).transpose(1, 2), None


def _attend(query: torch.Tensor, segment: Packed, layer: int, scaling: float) -> torch.Tensor:
    keys = segment.cache.keys[layer, segment.row][None]
    values = segment.cache.values[layer, segment.row][None]
    grouped = query.shape[1] != keys.shape[1]
    return functional.scaled_dot_product_attention(query, keys, values, scale=scaling, enable_gqa=grouped)


AttentionInterface.register(NAME, packed_attention)
