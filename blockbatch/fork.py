"""Going on from a step of a recorded run, under other settings or as that run itself.

Decoding is deterministic for a model, a seed, a device and a dtype, so the steps up to the fork are decoded again,
with the changes that were made then, and each is compared with the record.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from blockbatch.config import MAX_BRANCHES, DecodeConfig
from blockbatch.decoder import Decoder
from blockbatch.errors import ForkError
from blockbatch.events import Add, ConfigChange, Drop, Event, Resize
from blockbatch.run import AnyDecoder, Run
from blockbatch.trace import Step, Trace

if TYPE_CHECKING:
    from blockbatch.models import Model


def fork(model: Model, trace: Trace, step: int, **changes: Any) -> Run:
    """A run that repeats `trace` up to and with `step` and goes on under `changes` (see `Decoder.reconfigure`).

    It is a whole run of its own, whose header names its origin.  ForkError at once where the trace is not of a
    BlockBatch run by this model or has no such step; while iterating, where a repeated step differs from the record.
    ConfigError while iterating, at the fork, where `changes` do not fit the branches there.
    """
    config = trace.header.config
    if not isinstance(config, DecodeConfig):
        raise ForkError(f"A run of {trace.header.decoder} has one fixed block size and cannot be forked.")
    require_its_model(model, trace)
    if not 0 <= step < len(trace.steps):
        raise ForkError(f"The run has no step {step + 1} to go on from; it has {len(trace.steps)} steps.")
    follow = Follow(trace, step, changes)
    return Run(model, trace.header.prompt, config, origin=(trace.header.run, step), after_step=follow)


def resume(model: Model, trace: Trace) -> Run:
    """The run of `trace` itself, taken up again: it repeats its steps and goes on after them, under its own id.

    For a run whose cache was given up.  ForkError as for `fork`, but runs of every decoder can be taken up.
    """
    require_its_model(model, trace)
    header, last = trace.header, len(trace.steps) - 1
    follow = Follow(trace, last, {})
    return Run(model, header.prompt, header.config, id=header.run, origin=header.origin, after_step=follow)


def require_its_model(model: Model, trace: Trace) -> None:
    """ForkError where `trace` is of another model: nothing would repeat."""
    if trace.header.model != model.id:
        raise ForkError(f"The run was recorded with {trace.header.model}, but the model here is {model.id}; load that.")


class Follow:
    """Called after each step of a new run: keeps it on the recorded one's track up to and with the step `last`.

    ForkError at a step that differs from the record.  There the `changes` are made, before it those of the record.
    """

    def __init__(self, trace: Trace, last: int, changes: dict[str, Any]) -> None:
        self._steps, self._last, self._changes = trace.steps, last, changes

    def __call__(self, step: Step, decoder: AnyDecoder) -> None:
        if step.index > self._last:
            return
        if _outcome(step) != _outcome(self._steps[step.index]):
            raise ForkError(
                f"Step {step.index + 1} comes out differently here than in the recorded run, so nothing can follow; "
                "use the model, device, dtype and package versions that the trace names."
            )
        if not isinstance(decoder, Decoder):  # a baseline does not change while it runs
            return
        if step.index == self._last:
            decoder.reconfigure(**self._changes)
            return
        _repeat(self._steps[step.index + 1].events, decoder)


def _outcome(step: Step) -> object:
    """What a step decided; probabilities may differ in their last digit between machines and are left out."""
    decisions = [{name: getattr(event, name) for name in _names(event)} for event in step.events]
    return step.kind, [(state.branch, state.window, state.decoded) for state in step.branches], decisions


def _names(event: Event) -> list[str]:
    return [name for name in type(event).__slots__ if name != "probability"]


def _repeat(events: Iterable[Event], decoder: Decoder) -> None:
    """Make the changes that `events` record, one by one; but a branch too many together with the drop that follows."""
    waiting: tuple[int, ...] = ()
    for event in events:
        match event:
            case ConfigChange(field, _, new):
                decoder.reconfigure(**{field: new})
            case Resize(branch, size):
                decoder.reconfigure(resize={branch: size})
            case Add(branch) if len(decoder.config.block_sizes) == MAX_BRANCHES:
                waiting = (branch,)
            case Add(branch):
                decoder.reconfigure(block_sizes=(*decoder.config.block_sizes, branch))
            case Drop(branch):
                sizes, waiting = (*decoder.config.block_sizes, *waiting), ()
                decoder.reconfigure(block_sizes=[size for size in sizes if size != branch])
