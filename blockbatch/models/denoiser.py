"""The packed forward: any segments of any rows in one call to a stock transformers model.

The device reduces the logits to K candidates, their probabilities and the entropy; one copy per array crosses to the
host, where the rules run.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from transformers import PreTrainedModel

from blockbatch.denoiser import Prediction, Segment
from blockbatch.errors import ModelError
from blockbatch.models.attention import NAME, Packed
from blockbatch.models.cache import KVCache
from blockbatch.state import K

POSITIONS_AT_ONCE = 512  # positions whose logits over the whole vocabulary are held at a time


class TorchDenoiser:
    """A `Denoiser` on a causal-LM class of transformers, used with full attention.

    lookback: 1 where the model's logits at a position are for the token after it (the first token, which nothing
    precedes, is predicted from itself).  vocabulary: ids from here on are padding of the embedding matrix; they and the
    mask token are never candidates.
    """

    def __init__(self, model: PreTrainedModel, mask_id: int, eos_id: int, vocabulary: int, lookback: int = 0) -> None:
        model.set_attn_implementation(NAME)
        self.model = model.eval().requires_grad_(False)
        self.mask_id, self.eos_id, self.lookback = mask_id, eos_id, lookback
        banned = torch.arange(model.config.vocab_size, device=model.device) >= vocabulary
        banned[mask_id] = True
        self._banned = banned

    def new_cache(self, length: int) -> KVCache:
        """An empty cache for rows of `length` positions."""
        config = self.model.config
        head_dim = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
        return KVCache(
            config.num_hidden_layers,
            config.num_key_value_heads,
            length,
            head_dim,
            self.model.device,
            self.model.dtype,
        )

    @torch.inference_mode()
    def forward(self, segments: Sequence[Segment]) -> Prediction:
        """One model call over all segments; their keys and values replace those in the caches."""
        hidden = self._hidden(segments)
        wanted = [len(segment.tokens) - segment.wanted for segment in segments]
        if any(segment.temperature for segment in segments):  # noise is drawn by segment, so reduce by segment
            reduced = [self._reduce(h, s) for h, s in zip(hidden.split(wanted), segments, strict=True)]
        else:
            reduced = [self._reduce(part) for part in hidden.split(POSITIONS_AT_ONCE)]
        prediction = Prediction(*(torch.cat(arrays).cpu().numpy() for arrays in zip(*reduced, strict=True)))
        if np.isnan(prediction.confidence).any():
            raise ModelError(_nan_message(segments))
        return prediction

    @torch.inference_mode()
    def logits(self, rows: Sequence[Sequence[int]]) -> torch.Tensor:
        """float32 logits [rows, T, vocabulary] for the token at each position of `rows` [rows, T], on the CPU."""
        cache = self.new_cache(len(rows[0]))
        segments = [Segment(cache, cache.allocate(), 0, np.array(row, np.int64)) for row in rows]
        logits = self.model.get_output_embeddings()(self._hidden(segments)).float().cpu()
        return torch.stack(logits.split(len(rows[0])))

    def _hidden(self, segments: Sequence[Segment]) -> torch.Tensor:
        """The hidden states that predict the wanted positions [n, hidden]."""
        lengths = [len(segment.tokens) for segment in segments]
        offsets = np.cumsum([0, *lengths[:-1]]).tolist()
        packed = [_packed(segment, offset) for segment, offset in zip(segments, offsets, strict=True)]
        tokens = np.concatenate([segment.tokens for segment in segments])
        positions = np.concatenate([np.arange(s.start, s.start + n) for s, n in zip(segments, lengths, strict=True)])
        indices = [np.maximum(np.arange(s.wanted, len(s.tokens)) - self.lookback, 0) for s in segments]
        wanted = np.concatenate([index + offset for index, offset in zip(indices, offsets, strict=True)])
        inputs = torch.from_numpy(np.stack([tokens, positions])).to(self.model.device)
        output = self.model.base_model(input_ids=inputs[:1], position_ids=inputs[1:], use_cache=False, packed=packed)
        hidden: torch.Tensor = output.last_hidden_state[0]
        return hidden[torch.from_numpy(wanted).to(self.model.device)]

    def _reduce(self, hidden: torch.Tensor, sampled: Segment | None = None) -> list[torch.Tensor]:
        """The arrays of a `Prediction`, on the device, for hidden states [n, hidden] (of one segment if `sampled`)."""
        logits = self.model.get_output_embeddings()(hidden).float()
        log_probabilities = logits.log_softmax(dim=1)
        probabilities = log_probabilities.exp()
        entropy = -(probabilities * log_probabilities).nansum(dim=1)
        eos = probabilities[:, self.eos_id].clone()
        allowed = probabilities.masked_fill(self._banned, 0.0)
        top, tokens = allowed.topk(min(K, allowed.shape[1]), dim=1)
        choice = tokens[:, 0]
        if sampled is not None and sampled.temperature:
            choice = self._sample(logits.masked_fill(self._banned, -torch.inf), sampled)
        confidence = probabilities.gather(1, choice[:, None])[:, 0]
        return [tokens, top, eos, entropy, choice, confidence]

    def _sample(self, logits: torch.Tensor, segment: Segment) -> torch.Tensor:
        """Gumbel-max over logits / temperature; in float64, since low precision biases it."""
        generator = torch.Generator(logits.device).manual_seed(segment.seed % 2**63)
        size = (len(segment.tokens), logits.shape[1])
        uniform = torch.rand(size, generator=generator, device=logits.device, dtype=torch.float64)[segment.wanted :]
        gumbel = -torch.log(-torch.log(uniform.clamp_min(1e-300)))
        return (logits.double() / segment.temperature + gumbel).argmax(dim=1)


def _packed(segment: Segment, offset: int) -> Packed:
    return Packed(_own(segment), segment.row, segment.start, offset, len(segment.tokens))


def _own(segment: Segment) -> KVCache:
    if not isinstance(segment.cache, KVCache):
        raise TypeError("a segment for a TorchDenoiser carries a cache that a TorchDenoiser made")
    return segment.cache


def _nan_message(segments: Sequence[Segment]) -> str:
    layers = [layer for s in segments if (layer := _own(s).first_layer_with_nan(s.row)) is not None]
    where = f"first in layer {min(layers)}" if layers else "after the last layer"
    return f"The model computed values that are not numbers, {where}; load it with dtype float32 or bfloat16."
