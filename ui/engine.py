"""The model behind the Run button, or the one sentence that says why there is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict

from blockbatch.errors import ModelError
from blockbatch.trace import Trace
from blockbatch.trajectory import StepwiseTracer
from ui.live import Starter
from ui.settings import Settings
from ui.steering import RunLike

if TYPE_CHECKING:  # a fork needs torch, a page of recorded runs does not
    from blockbatch.models import Model

Forker = Callable[[Trace, int, dict[str, Any]], RunLike]
Resumer = Callable[[Trace], RunLike]


class ModelInfo(TypedDict):
    """A model that runs can be started with; `max_length` counts the tokens of prompt and answer together."""

    id: str
    max_length: int
    device: str
    dtype: str


@dataclass(frozen=True)
class Engine:
    """`start` begins a run of `model`, `fork` goes on from a step of a recorded one, `resume` takes up one that gave up
    its cache (see `blockbatch.fork`), and `trajectory` decodes one again for the way of its caches (see
    `blockbatch.trajectory.trajectory_by_step`).

    Without them `problem` says why only recorded runs can be shown; `caution` what the model's answers may suffer from.
    """

    start: Starter | None = None
    fork: Forker | None = None
    resume: Resumer | None = None
    trajectory: StepwiseTracer | None = None
    problem: str = ""
    caution: str = ""
    model: ModelInfo | None = None


def load_engine(settings: Settings) -> Engine:
    """The engine for `settings`; a model that cannot be loaded gives one with a problem, never an error."""
    try:
        if settings.zero_gpu:
            import spaces  # noqa: F401  # before torch looks for a GPU, which only its workers have
        from blockbatch.models import load_model

        return engine_of(load_model(settings.model, device=settings.device))
    except ModelError as error:
        return Engine(problem=str(error))
    except ImportError as error:
        return Engine(problem=f"Live runs need the package {error.name}, which is not installed.")


def engine_of(model: Model) -> Engine:
    """The engine around a model."""
    from blockbatch.fork import fork, resume
    from blockbatch.run import Run
    from blockbatch.trajectory import trajectory_by_step

    return Engine(
        start=lambda prompt, config: Run(model, prompt, config),
        fork=lambda trace, step, changes: fork(model, trace, step, **changes),
        resume=lambda trace: resume(model, trace),
        trajectory=lambda trace: trajectory_by_step(model, trace),
        caution=model.caution,
        model=ModelInfo(id=model.id, max_length=model.max_length, device=model.device, dtype=model.dtype),
    )
