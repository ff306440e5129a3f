"""How the page is served, read from the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Settings:
    """model: a folder or a model id; device: as torch names it; runs: decodes at a time, others wait in line;
    streams: visitors who may run or wait at a time; traces: the folder of recorded runs."""

    model: str = os.path.relpath(ROOT / "assets" / "tiny")
    device: str = "cpu"
    runs: int = 2
    streams: int = 24
    traces: Path = ROOT / "assets" / "traces"

    @property
    def embedded(self) -> bool:
        """Whether the model is the one that comes with the project."""
        return self.model == Settings().model

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Settings:
        """BLOCKBATCH_MODEL, BLOCKBATCH_DEVICE and BLOCKBATCH_RUNS, where they are set."""
        defaults = cls()
        return cls(
            model=environment.get("BLOCKBATCH_MODEL") or defaults.model,
            device=environment.get("BLOCKBATCH_DEVICE") or defaults.device,
            runs=max(int(environment.get("BLOCKBATCH_RUNS") or defaults.runs), 1),
        )
