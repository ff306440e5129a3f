"""How the page is served, read from the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import fsspec

from blockbatch.config import choice, typed_integer
from blockbatch.errors import ConfigError

ROOT = Path(__file__).resolve().parent.parent
MOST_RUNS = 64
WAITING = 22  # runs that may wait in line while all places are taken
OTHER_THREADS = 16  # for events that are no runs
CONTROLS = ("local", "shared")
KEPT = ("finished", "linked")
ON, OFF = ("1", "t", "true", "yes", "on"), ("", "0", "f", "false", "no", "off")
MOST_MIB = 2**20
MOST_DAYS = 36_500


def cache_folder(environment: Mapping[str, str]) -> Path:
    """Where this program may keep what it can lose."""
    return Path(environment.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "blockbatch"


@dataclass(frozen=True)
class Settings:
    """How the page is served.

    model: a folder or a model id; device: as torch names it, or auto; runs: decodes at a time, others wait in line;
    traces: the folder of recorded runs; control: where visitors' wishes lie, in this process (local) or where a decode
    in another process sees them (shared); zero_gpu: whether runs decode on a ZeroGPU Space; mcp: whether the endpoints
    are MCP tools, too; store: the fsspec URL under which runs are kept, store_mib and store_days: how much of them, for
    how long; keep: which, every finished one or only those whose link is copied (linked).
    """

    model: str = os.path.relpath(ROOT / "assets" / "tiny")
    device: str = "cpu"
    runs: int = 2
    traces: Path = ROOT / "assets" / "traces"
    control: str = "local"
    zero_gpu: bool = False
    mcp: bool = False
    store: str = field(default_factory=lambda: str(cache_folder(os.environ) / "runs"))
    store_mib: int = 1024
    store_days: int = 90
    keep: str = "finished"

    @property
    def streams(self) -> int:
        """Runs that may decode or wait in line at a time; each holds one of Gradio's threads meanwhile."""
        return self.runs + WAITING

    @property
    def threads(self) -> int:
        """Threads that Gradio needs for them and for all other events."""
        return self.streams + OTHER_THREADS

    @property
    def embedded(self) -> bool:
        """Whether the model is the one that comes with the project."""
        return self.model == Settings().model

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Settings:
        """The settings that are set as BLOCKBATCH_ and their name in capitals; ConfigError for a bad one.

        SPACES_ZERO_GPU says that this is a ZeroGPU Space: there runs decode on a GPU, in forked processes.
        """
        defaults = cls()

        def whole(name: str, default: int, most: int) -> int:
            return typed_integer(name, environment.get(name) or str(default), 1, most)

        zero_gpu = on(environment, "SPACES_ZERO_GPU")
        control = environment.get("BLOCKBATCH_CONTROL") or ("shared" if zero_gpu else defaults.control)
        return cls(
            model=environment.get("BLOCKBATCH_MODEL") or defaults.model,
            device=environment.get("BLOCKBATCH_DEVICE") or ("cuda" if zero_gpu else defaults.device),
            runs=whole("BLOCKBATCH_RUNS", defaults.runs, MOST_RUNS),
            control=choice("BLOCKBATCH_CONTROL", control, CONTROLS),
            zero_gpu=zero_gpu,
            mcp=mcp(environment),
            store=store(environment),
            store_mib=whole("BLOCKBATCH_STORE_MIB", defaults.store_mib, MOST_MIB),
            store_days=whole("BLOCKBATCH_STORE_DAYS", defaults.store_days, MOST_DAYS),
            keep=choice("BLOCKBATCH_KEEP", environment.get("BLOCKBATCH_KEEP") or defaults.keep, KEPT),
        )


def on(environment: Mapping[str, str], name: str) -> bool:
    """Whether a switch is on; ConfigError for a word that says neither."""
    value = environment.get(name, "").strip()
    if value.lower() not in ON + OFF:
        raise ConfigError(name, value, "1 or 0")
    return value.lower() in ON


def store(environment: Mapping[str, str]) -> str:
    """Where runs are kept; ConfigError for a place that nothing here can reach."""
    url = environment.get("BLOCKBATCH_STORE") or str(cache_folder(environment) / "runs")
    try:
        fsspec.get_filesystem_class(fsspec.utils.get_protocol(url))
    except ValueError as error:
        raise ConfigError("BLOCKBATCH_STORE", url, "a folder or a URL of a kind that fsspec knows") from error
    except ImportError as error:
        raise ConfigError("BLOCKBATCH_STORE", url, f"a folder until its package is there ({error})") from error
    return url


def mcp(environment: Mapping[str, str]) -> bool:
    """Whether MCP is switched on; ConfigError where its package is missing."""
    wanted = on(environment, "BLOCKBATCH_MCP")
    if wanted and find_spec("mcp") is None:
        needed = 'off until its package is there: pip install "gradio[mcp]"'
        raise ConfigError("BLOCKBATCH_MCP", environment["BLOCKBATCH_MCP"], needed)
    return wanted
