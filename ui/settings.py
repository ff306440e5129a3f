"""How the page is served, read from the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from blockbatch.config import choice, integer

ROOT = Path(__file__).resolve().parent.parent
MOST_RUNS = 64
CONTROLS = ("local", "shared")


@dataclass(frozen=True)
class Settings:
    """model: a folder or a model id; device: as torch names it; runs: decodes at a time, others wait in line;
    streams: visitors who may run or wait at a time; traces: the folder of recorded runs; control: where visitors'
    wishes lie, in this process (local) or where a decode in another process sees them (shared)."""

    model: str = os.path.relpath(ROOT / "assets" / "tiny")
    device: str = "cpu"
    runs: int = 2
    streams: int = 24
    traces: Path = ROOT / "assets" / "traces"
    control: str = "local"

    @property
    def embedded(self) -> bool:
        """Whether the model is the one that comes with the project."""
        return self.model == Settings().model

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Settings:
        """BLOCKBATCH_MODEL, _DEVICE, _RUNS and _CONTROL, where they are set; ConfigError for a bad one.

        On ZeroGPU (SPACES_ZERO_GPU) runs decode in forked processes, so there wishes lie where those see them.
        """
        defaults = cls()
        control = "shared" if on_zero_gpu(environment) else defaults.control
        runs = environment.get("BLOCKBATCH_RUNS") or str(defaults.runs)
        return cls(
            model=environment.get("BLOCKBATCH_MODEL") or defaults.model,
            device=environment.get("BLOCKBATCH_DEVICE") or defaults.device,
            runs=integer("BLOCKBATCH_RUNS", int(runs) if runs.isdecimal() else runs, 1, MOST_RUNS),
            control=choice("BLOCKBATCH_CONTROL", environment.get("BLOCKBATCH_CONTROL") or control, CONTROLS),
        )


def on_zero_gpu(environment: Mapping[str, str]) -> bool:
    """Whether this is a ZeroGPU Space, told as its own package tells it."""
    return environment.get("SPACES_ZERO_GPU", "").lower() in ("1", "t", "true")
