"""A run: one prompt, one decoder, and its recording, line by line as it happens."""

from __future__ import annotations

import importlib.metadata
import platform
import uuid
from collections.abc import Callable, Iterator
from functools import cached_property
from threading import Event as Flag
from typing import TYPE_CHECKING, Any

from blockbatch import __version__
from blockbatch.baselines import BaselineDecoder
from blockbatch.checks import shown
from blockbatch.config import VARIANTS, Config, DecodeConfig
from blockbatch.decoder import Decoder
from blockbatch.errors import ConfigError, PromptError
from blockbatch.trace import End, Header, Recorder, Step, Trace

if TYPE_CHECKING:  # torch is loaded by whoever makes a model, not by whoever names the type
    from blockbatch.models import Model


AnyDecoder = Decoder | BaselineDecoder


def make_decoder(model: Model, tokens: list[int], config: Config) -> AnyDecoder:
    """The decoder that `config` describes, on `tokens`."""
    if isinstance(config, DecodeConfig):
        return Decoder(model.denoiser, tokens, config)
    return BaselineDecoder(model.denoiser, tokens, config)


class Run:
    """Decodes `prompt` with `model` under `config`; iterated, it yields the trace's NDJSON lines as they come.

    PromptError at once where the prompt is no text, is empty or, with `gen_length`, longer than the model's context.
    If the decoding or `after_step` breaks, the closing line is still yielded (stop "failed"), after that of the step in
    hand, and then the error is raised, so that what was recorded stays usable.  A run that is stopped before its first
    step decodes nothing.  `after_step` is called with each step and the decoder before the step's line is yielded;
    `origin` names the run and step that this one was forked from; `id` is that of a run that is taken up again.
    """

    def __init__(
        self,
        model: Model,
        prompt: str,
        config: Config,
        *,
        id: str | None = None,
        origin: tuple[str, int] | None = None,
        after_step: Callable[[Step, AnyDecoder], None] = lambda step, decoder: None,
    ) -> None:
        if not isinstance(prompt, str):
            raise PromptError(f"The prompt is {shown(prompt)}, but must be text.")
        tokens = model.encode(prompt)
        longest = model.max_length - config.gen_length
        if len(tokens) > longest:
            takes = f"this model takes at most {longest}; shorten the prompt or the length"
            if longest < 1:
                takes = f"there is no room for any: this model takes {model.max_length} in all; shorten the length"
            raise PromptError(f"The prompt has {len(tokens)} tokens, but with a length of {config.gen_length} {takes}.")
        self.id = id or uuid.uuid4().hex
        self._model, self._tokens, self._config, self._stopped = model, tokens, config, Flag()
        self._recorder = Recorder(self._header(prompt, tokens, config, origin), model.piece)
        self._after_step = after_step

    @cached_property
    def _decoder(self) -> AnyDecoder:
        """Made when the decoding begins: its cache takes up memory on the device, and a run may wait for its turn."""
        return make_decoder(self._model, self._tokens, self._config)

    @property
    def trace(self) -> Trace:
        """The recording so far."""
        return self._recorder.trace

    def __iter__(self) -> Iterator[str]:
        yield self._recorder.start()
        if self._stopped.is_set():  # while it waited for its turn: it has decoded nothing, and needs no cache for that
            yield self._recorder.close(End(self._config.block_sizes[0], "", "stopped", None, self.trace.totals))
            return
        recorded: list[str] = []  # lines that are not yielded yet
        try:
            for step in self._decoder:
                recorded.append(self._recorder.add(step))
                self._after_step(step, self._decoder)
                yield recorded.pop()
                if self._stopped.is_set():
                    break
        except Exception:
            yield from recorded
            yield self._close("failed")
            raise
        yield self._close(self._decoder.stop)

    def stop(self) -> None:
        """End the iteration after the step in hand; from any thread."""
        self._stopped.set()

    def reconfigure(self, **changes: Any) -> None:
        """`Decoder.reconfigure`, from the iterating thread; a baseline cannot be changed while it runs."""
        if not isinstance(self._decoder, Decoder):
            able = ", ".join(VARIANTS)
            raise ConfigError(
                "decoder", self._decoder.config.decoder, f"one of {able} to change a run while it goes on"
            )
        self._decoder.reconfigure(**changes)

    def _header(self, prompt: str, tokens: list[int], config: Config, origin: tuple[str, int] | None) -> Header:
        model = self._model
        return Header(
            run=self.id,
            model=model.id,
            decoder=config.decoder,
            config=config,
            prompt=prompt,
            prompt_tokens=tuple(tokens),
            mask_id=model.denoiser.mask_id,
            eos_id=model.denoiser.eos_id,
            device=model.device,
            dtype=model.dtype,
            versions=versions(),
            origin=origin,
            lookback=model.denoiser.lookback,
        )

    def _close(self, stop: Any) -> str:
        decoder = self._decoder
        text = self._model.decode(decoder.tokens.tolist())
        eos = decoder.eos if stop == "eos" else None
        return self._recorder.close(End(decoder.winner, text, stop, eos, self.trace.totals))


def versions() -> dict[str, str]:
    """What a run's figures may depend on."""
    packages = {name: importlib.metadata.version(name) for name in ("torch", "transformers", "numpy")}
    return {"blockbatch": __version__, "python": platform.python_version(), **packages}
