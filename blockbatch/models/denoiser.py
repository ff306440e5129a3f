"""The packed forward: any segments of any rows in one call to a stock transformers model.

The device reduces the logits to K candidates, their probabilities and the entropy.  One copy takes what is to be
computed to the device, one brings the candidates to the host, where the rules run; nothing else makes the host wait.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from transformers import PreTrainedModel

from blockbatch.denoiser import Prediction, Segment
from blockbatch.errors import ModelError
from blockbatch.models.attention import NAME
from blockbatch.models.cache import KVCache
from blockbatch.models.packing import Packing, own
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
        heads = config.num_key_value_heads // (self.model.tp_size or 1)  # each process keeps its own heads
        places = [_device_of(layer) for layer in self.model.base_model.layers]
        return KVCache(places, heads, length, head_dim, self.model.dtype)

    @torch.inference_mode()
    def forward(self, segments: Sequence[Segment]) -> Prediction:
        """One model call over all segments; their keys and values replace those in the caches."""
        hidden = self._hidden(segments)
        wanted = [len(segment.tokens) - segment.wanted for segment in segments]
        if any(segment.temperature for segment in segments):  # noise is drawn by segment, so reduce by segment
            reduced = [self._reduce(h, s) for h, s in zip(hidden.split(wanted), segments, strict=True)]
        else:
            reduced = [self._reduce(part) for part in hidden.split(POSITIONS_AT_ONCE)]
        prediction = _on_the_host(torch.cat(reduced))
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
        packing = Packing(segments, self.lookback, self.model.device)
        output = self.model.base_model(
            input_ids=packing.tokens, position_ids=packing.positions, use_cache=False, packing=packing
        )
        hidden: torch.Tensor = output.last_hidden_state[0]
        return hidden[packing.predicting.to(hidden.device)]

    def _reduce(self, hidden: torch.Tensor, sampled: Segment | None = None) -> torch.Tensor:
        """The `Prediction` for hidden states [n, hidden] (of one segment if `sampled`) as one table on the device.

        int32 [n, 2 candidates + 4]: tokens, probabilities, eos, entropy, choice, confidence; floats by their bits.
        """
        logits = self.model.get_output_embeddings()(hidden).float()
        probabilities, log_probabilities = logits.softmax(dim=1), logits.log_softmax(dim=1)
        entropy = -(probabilities * log_probabilities).nansum(dim=1)
        banned = self._banned.to(logits.device)
        allowed = probabilities.masked_fill(banned, 0.0)
        top, tokens = allowed.topk(min(K, allowed.shape[1]), dim=1)
        choice = tokens[:, 0]
        if sampled is not None and sampled.temperature:
            choice = self._sample(logits.masked_fill(banned, -torch.inf), sampled)
        confidence = probabilities.gather(1, choice[:, None])
        columns = (tokens, top, probabilities[:, self.eos_id, None], entropy[:, None], choice[:, None], confidence)
        return torch.cat([c.view(torch.int32) if c.is_floating_point() else c.int() for c in columns], dim=1)

    def _sample(self, logits: torch.Tensor, segment: Segment) -> torch.Tensor:
        """Gumbel-max over logits / temperature; in float64, since low precision biases it."""
        generator = torch.Generator(logits.device).manual_seed(segment.seed % 2**63)
        size = (len(segment.tokens), logits.shape[1])
        uniform = torch.rand(size, generator=generator, device=logits.device, dtype=torch.float64)[segment.wanted :]
        gumbel = -torch.log(-torch.log(uniform.clamp_min(1e-300)))
        return (logits.double() / segment.temperature + gumbel).argmax(dim=1)


def _device_of(layer: torch.nn.Module) -> torch.device:
    """Where the layer computes; accelerate's hook knows it for one whose weights wait elsewhere."""
    place = getattr(getattr(layer, "_hf_hook", None), "execution_device", None)
    return next(layer.parameters()).device if place is None else torch.device(place)


def _on_the_host(table: torch.Tensor) -> Prediction:
    """The one copy to the host, and its columns."""
    found = table.cpu().numpy()
    k = (found.shape[1] - 4) // 2
    floats = found.view(np.float32).astype(np.float64)
    tokens, choice = found[:, :k].astype(np.int64), found[:, -2].astype(np.int64)
    return Prediction(tokens, floats[:, k : 2 * k], floats[:, -4], floats[:, -3], choice, floats[:, -1])


def _nan_message(segments: Sequence[Segment]) -> str:
    layers = [layer for s in segments if (layer := own(s).first_layer_with_nan(s.row)) is not None]
    where = f"first in layer {min(layers)}" if layers else "after the last layer"
    return f"The model computed values that are not numbers, {where}; load it with dtype float32 or bfloat16."
