"""The model behind the Run button, or the one sentence that says why there is none."""

from __future__ import annotations

from dataclasses import dataclass

from blockbatch.config import Config
from blockbatch.errors import ModelError
from ui.live import RunLike, Starter
from ui.settings import Settings


@dataclass(frozen=True)
class Engine:
    """`start` begins a run; without it `problem` says why only recorded runs can be shown."""

    start: Starter | None = None
    problem: str = ""


def load_engine(settings: Settings) -> Engine:
    """The engine for `settings`; a model that cannot be loaded gives one with a problem, never an error."""
    try:
        from blockbatch.models import load_model
        from blockbatch.run import Run

        model = load_model(settings.model, device=settings.device)
    except ModelError as error:
        return Engine(problem=str(error))
    except ImportError as error:
        return Engine(problem=f"Live runs need the package {error.name}, which is not installed.")

    def start(prompt: str, config: Config) -> RunLike:
        return Run(model, prompt, config)

    return Engine(start)
