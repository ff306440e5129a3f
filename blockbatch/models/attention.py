"""Attention over packed segments, given to stock transformers models through `AttentionInterface`.

All segments of a forward are packed into one sequence [1, total] without padding.  In every layer each segment first
writes its keys and values (rotated already) into its cache row, then attends to that whole row, without a mask.  Three
kernels do the same: one call a segment (CPU), one variable-length call (CUDA), one call over padded segments (CUDA
where the former does not serve).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import torch
from torch.nn import functional
from torch.nn.utils.rnn import pad_sequence
from transformers import AttentionInterface

from blockbatch.models.packing import Group, Packing

try:
    from torch.nn.attention import varlen

    varlen_attn: Any = varlen.varlen_attn
except ImportError:  # before torch 2.10
    varlen_attn = None

NAME = "blockbatch_packed"
ASKED = {"scale", "enable_gqa"}  # of the variable-length kernel; older versions of torch lack them
HAS_VARIABLE_LENGTH = varlen_attn is not None and set(inspect.signature(varlen_attn).parameters) >= ASKED
# query [total, heads, head_dim], a layer's keys and values [rows, length, kv_heads, head_dim], the group, the scaling
Kernel = Callable[[torch.Tensor, torch.Tensor, torch.Tensor, Group, float], torch.Tensor]


def packed_attention(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    *,
    packing: Packing,
    scaling: float,
    **_: Any,
) -> tuple[torch.Tensor, None]:
    """query [1, heads, total, head_dim], key and value [1, kv_heads, total, head_dim] -> [1, total, heads, head_dim].

    `packing` comes from the keyword of the same name given to the model's forward; the keywords that transformers adds
    for its own attention functions are not needed here.  Two rounds, so that no segment sees a row half written.
    """
    layer = int(module.layer_idx)  # type: ignore[arg-type]
    queries, keys, values = (states[0].transpose(0, 1) for states in (query, key, value))
    groups = packing.groups(query.device)
    for group in groups:
        group.cache.write(layer, group.slots, keys[group.part], values[group.part])
    attend = kernel_for(query)
    parts = [attend(queries[group.part], *group.cache.layer(layer), group, scaling) for group in groups]
    return torch.cat(parts)[None], None


def kernel_for(query: torch.Tensor) -> Kernel:
    """The fastest kernel that serves tensors like `query`."""
    if not query.is_cuda:
        return segment_by_segment
    return variable_length if _variable_length_serves(query) else padded


def segment_by_segment(
    query: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, group: Group, scaling: float
) -> torch.Tensor:
    """One call a segment, each on a view of its row."""
    parts = [
        _attend(part[None], keys[row, None], values[row, None], scaling)[0]
        for part, row in zip(query.split(group.lengths), group.rows, strict=True)
    ]
    return torch.cat(parts)


def padded(query: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, group: Group, scaling: float) -> torch.Tensor:
    """One call over segments padded to the longest; what comes of the padding is thrown away, so no mask is needed."""
    parts = pad_sequence(list(query.split(group.lengths)), batch_first=True)
    output = _attend(parts, _rows(keys, group), _rows(values, group), scaling)
    return torch.cat([part[:length] for part, length in zip(output, group.lengths, strict=True)])


def variable_length(
    query: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, group: Group, scaling: float
) -> torch.Tensor:
    """One call over segments as they are."""
    ends = group.query_ends, group.key_ends, max(group.lengths), keys.shape[1]
    rows = _rows(keys, group).flatten(0, 1), _rows(values, group).flatten(0, 1)
    output: torch.Tensor = varlen_attn(query, *rows, *ends, scale=scaling, enable_gqa=_grouped(query, keys))
    return output


def _attend(query: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, scaling: float) -> torch.Tensor:
    """[n, length, heads, head_dim] each, in and out."""
    q, k, v = (states.transpose(1, 2) for states in (query, keys, values))
    grouped = _grouped(query, keys)
    return functional.scaled_dot_product_attention(q, k, v, scale=scaling, enable_gqa=grouped).transpose(1, 2)


def _rows(stored: torch.Tensor, group: Group) -> torch.Tensor:
    """The group's rows of `stored`; a view where they are neighbours, as they are unless branches came and went."""
    first, count = group.rows[0], len(group.rows)
    if group.rows == tuple(range(first, first + count)):
        return stored[first : first + count]
    return stored[group.row_index]


def _grouped(query: torch.Tensor, keys: torch.Tensor) -> bool:
    return query.shape[-2] != keys.shape[-2]


def _variable_length_serves(query: torch.Tensor) -> bool:
    """Flash attention computes in half precision, from the Ampere generation on."""
    half = query.dtype in (torch.bfloat16, torch.float16)
    return HAS_VARIABLE_LENGTH and half and torch.cuda.get_device_capability(query.device) >= (8, 0)


AttentionInterface.register(NAME, packed_attention)
