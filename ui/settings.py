"""How the page is served, read from the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from blockbatch.config import integer

ROOT = Path(__file__).resolve().parent.parent
MOST_RUNS = 64
MOST_MIB = 2**20
MOST_DAYS = 36_500


def cache_folder(environment: Mapping[str, str]) -> Path:
    """Where this program may keep what it can lose."""
    return Path(environment.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "blockbatch"


@dataclass(frozen=True)
class Settings:
    """model: a folder or a model id; device: as torch names it; runs: decodes at a time, others wait in line;
    streams: visitors who may run or wait at a time; traces: the folder of recorded runs; store: the fsspec URL under
    which shared runs are kept, store_mib and store_days: how much of them, for how long."""

    model: str = os.path.relpath(ROOT / "assets" / "tiny")
    device: str = "cpu"
    runs: int = 2
    streams: int = 24
    traces: Path = ROOT / "assets" / "traces"
    store: str = field(default_factory=lambda: str(cache_folder(os.environ) / "runs"))
    store_mib: int = 1024
    store_days: int = 90

    @property
    def embedded(self) -> bool:
        """Whether the model is the one that comes with the project."""
        return self.model == Settings().model

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Settings:
        """The variables BLOCKBATCH_MODEL, _DEVICE, _RUNS, _STORE, _STORE_MIB and _STORE_DAYS, where they are set;
        ConfigError for a bad one."""
        defaults = cls()

        def whole(name: str, default: int, most: int) -> int:
            text = environment.get(name) or str(default)
            return integer(name, int(text) if text.isdecimal() else text, 1, most)

        return cls(
            model=environment.get("BLOCKBATCH_MODEL") or defaults.model,
            device=environment.get("BLOCKBATCH_DEVICE") or defaults.device,
            runs=whole("BLOCKBATCH_RUNS", defaults.runs, MOST_RUNS),
            store=environment.get("BLOCKBATCH_STORE") or str(cache_folder(environment) / "runs"),
            store_mib=whole("BLOCKBATCH_STORE_MIB", defaults.store_mib, MOST_MIB),
            store_days=whole("BLOCKBATCH_STORE_DAYS", defaults.store_days, MOST_DAYS),
        )
