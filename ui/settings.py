"""How the page is served, read from the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from blockbatch.config import choice, integer
from blockbatch.errors import ConfigError

ROOT = Path(__file__).resolve().parent.parent
MOST_RUNS = 64
CONTROLS = ("local", "shared")


@dataclass(frozen=True)
class Settings:
    """How the page is served.

    model: a folder or a model id; device: as torch names it, or auto; runs: decodes at a time, others wait in line;
    streams: visitors who may run or wait at a time; traces: the folder of recorded runs; control: where visitors'
    wishes lie, in this process (local) or where a decode in another process sees them (shared); zero_gpu: whether runs
    decode on a ZeroGPU Space; mcp: whether the endpoints are MCP tools, too.
    """

    model: str = os.path.relpath(ROOT / "assets" / "tiny")
    device: str = "cpu"
    runs: int = 2
    streams: int = 24
    traces: Path = ROOT / "assets" / "traces"
    control: str = "local"
    zero_gpu: bool = False
    mcp: bool = False

    @property
    def embedded(self) -> bool:
        """Whether the model is the one that comes with the project."""
        return self.model == Settings().model

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Settings:
        """The settings that are set as BLOCKBATCH_ and their name in capitals; ConfigError for a bad one.

        SPACES_ZERO_GPU says that this is a ZeroGPU Space: there runs decode on a GPU, in forked processes.
        """
        zero_gpu = on(environment, "SPACES_ZERO_GPU")
        device = environment.get("BLOCKBATCH_DEVICE") or ("cuda" if zero_gpu else cls.device)
        runs = environment.get("BLOCKBATCH_RUNS") or str(cls.runs)
        control = environment.get("BLOCKBATCH_CONTROL") or ("shared" if zero_gpu else cls.control)
        return cls(
            model=environment.get("BLOCKBATCH_MODEL") or cls.model,
            device=device,
            runs=integer("BLOCKBATCH_RUNS", int(runs) if runs.isdecimal() else runs, 1, MOST_RUNS),
            control=choice("BLOCKBATCH_CONTROL", control, CONTROLS),
            zero_gpu=zero_gpu,
            mcp=mcp(environment),
        )


def on(environment: Mapping[str, str], name: str) -> bool:
    """Whether a switch is on."""
    return environment.get(name, "").lower() in ("1", "t", "true")


def mcp(environment: Mapping[str, str]) -> bool:
    """Whether MCP is switched on; ConfigError where its package is missing."""
    wanted = on(environment, "BLOCKBATCH_MCP")
    if wanted and find_spec("mcp") is None:
        needed = 'off until its package is there: pip install "gradio[mcp]"'
        raise ConfigError("BLOCKBATCH_MCP", environment["BLOCKBATCH_MCP"], needed)
    return wanted
