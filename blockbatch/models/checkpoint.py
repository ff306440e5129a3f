"""A checkpoint's files: where they lie, whether they are whole, and how much memory the weights will take.

All of this is looked at before a weight is read, so that what is wrong is one sentence that says what to do.
"""

from __future__ import annotations

import errno
import json
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import torch
from huggingface_hub import snapshot_download
from huggingface_hub.errors import (
    GatedRepoError,
    HFValidationError,
    LocalEntryNotFoundError,
    RepositoryNotFoundError,
)
from safetensors import SafetensorError, safe_open

from blockbatch.errors import ModelError
from blockbatch.models.memory import free_bytes

WANTED = ("*.json", "*.safetensors", "*.txt", "*.jinja", "tokenizer.model")  # no pickles, no code
STORED = ("F32", "BF16", "F16")
TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json", "vocab.json", "tokenizer.model")


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint that is whole: its `folder`, its config.json as it stands, and how many `parameters` it stores."""

    id: str
    folder: Path
    config: dict[str, Any]
    parameters: int

    @property
    def has_tokenizer(self) -> bool:
        """False for bare weights."""
        return any((self.folder / name).is_file() for name in TOKENIZER_FILES)

    def check_room(self, device: torch.device, dtype: torch.dtype) -> None:
        """ModelError where `device` has less memory free than the weights take in `dtype`."""
        free, needed = free_bytes(device), self.parameters * dtype.itemsize
        if free is not None and needed > free:
            raise out_of_memory(self.id, f"{needed / 1e9:.1f} GB of memory for its weights", device, free)


def open_checkpoint(model: str) -> Checkpoint:
    """The checkpoint `model`, a folder or a hub id; what is missing here is downloaded, with progress on stderr.

    ModelError where it cannot be had, is cut off, or is stored in a way that stock classes do not read.
    """
    folder = _folder(model)
    return Checkpoint(model, folder, _config(model, folder), _parameters(model, _weight_files(model, folder)))


def out_of_memory(model: str, needs: str, device: torch.device, free: int | None = None) -> ModelError:
    """The error for a `device` that cannot hold `model`."""
    has = "has too little" if free is None else f"has {free / 1e9:.1f} GB free"
    return ModelError(
        f"{model} needs {needs}, but {device} {has}; choose a smaller model, dtype bfloat16 or a larger device."
    )


def _folder(model: str) -> Path:
    if Path(model).is_dir():
        return Path(model)
    if model.startswith((".", "/", "~")) or Path(model).is_absolute():
        raise _no_such_folder(model)
    try:
        return Path(snapshot_download(model, allow_patterns=list(WANTED), ignore_patterns=["*/*"]))
    except HFValidationError:
        raise _no_such_folder(model) from None
    except Exception as error:  # the hub client raises its own errors, the HTTP library's, and those of the disk
        raise ModelError(_download_problem(model, error)) from error


def _no_such_folder(model: str) -> ModelError:
    return ModelError(f"There is no folder {model}; check the path, or name a model of the hub as owner/name.")


def _download_problem(model: str, error: Exception) -> str:
    if isinstance(error, GatedRepoError):
        return f"{model} is gated; accept its terms on its hub page, then log in with `hf auth login` or set HF_TOKEN."
    if isinstance(error, RepositoryNotFoundError):
        return f"The hub has no model {model}, or it is private; check the name, or set HF_TOKEN if it is yours."
    if isinstance(error, LocalEntryNotFoundError):
        return (
            f"{model} is not (or not all) on this machine and the hub cannot be reached; connect to the network, unset "
            f"HF_HUB_OFFLINE, or give a local folder."
        )
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return f"The disk is too full for {model}; free some space, or point HF_HOME at a larger disk."
    return f"The download of {model} broke off; start again and it goes on where it stopped. ({in_one_line(error)})"


def _config(model: str, folder: Path) -> dict[str, Any]:
    path = folder / "config.json"
    if not path.is_file():
        raise ModelError(f"{model} has no config.json; point at the folder that holds it, or download the model again.")
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(
            f"The config.json of {model} cannot be read; download it again. ({in_one_line(error)})"
        ) from error
    if not isinstance(config, dict):
        raise ModelError(f"The config.json of {model} holds no settings; download it again.")
    return config


def _weight_files(model: str, folder: Path) -> list[Path]:
    if (folder / "model.safetensors").is_file():
        return [folder / "model.safetensors"]
    index = folder / "model.safetensors.index.json"
    if not index.is_file():
        raise ModelError(f"{model} has no weights in safetensors form; download it again, or convert its weights.")
    try:
        names = sorted(set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"The {index.name} of {model} cannot be read; download it again.") from error
    missing = [name for name in names if not (folder / name).is_file()]
    if missing:
        raise ModelError(
            f"{model} is half downloaded: {len(missing)} of {len(names)} weight files are missing, first {missing[0]}; "
            f"download it again."
        )
    return [folder / name for name in names]


def _parameters(model: str, files: Sequence[Path]) -> int:
    """How many numbers the files store; reads their headers, which also shows whether they are whole."""
    total = 0
    for path in files:
        try:
            with safe_open(path, framework="pt") as stored:
                slices = {name: stored.get_slice(name) for name in stored.keys()}  # noqa: SIM118  # not a dict
                kinds = {name: part.get_dtype() for name, part in slices.items()}
                total += sum(prod(part.get_shape()) for part in slices.values())
        except (SafetensorError, OSError) as error:
            raise ModelError(
                f"{path.name} of {model} is cut off or damaged, as after a broken download; delete it and download it "
                f"again. ({in_one_line(error)})"
            ) from error
        odd = [name for name, kind in kinds.items() if kind not in STORED]
        if odd:
            raise ModelError(
                f"{model} stores {odd[0]} as {kinds[odd[0]]}; choose weights in float32, bfloat16 or float16, since "
                f"quantised ones are not supported."
            )
    return total


def in_one_line(error: Exception) -> str:
    """What `error` says, short."""
    return " ".join(str(error).split())[:300] or type(error).__name__
