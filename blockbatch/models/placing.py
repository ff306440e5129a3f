"""Where a model goes, and in which numbers: one device, several devices of a machine, or the processes of torchrun."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Mapping
from typing import Any

import torch
from transformers.distributed.configuration_utils import DistributedConfig

from blockbatch.errors import ModelError

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}


def device_of(name: str) -> torch.device:
    """The device of that name, the first one for a model that is spread; ModelError where torch has none."""
    if name in SPREAD:
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        found = torch.empty(0, device=name)
        found.cpu()  # nothing comes back from meta
        return found.device
    except (RuntimeError, AssertionError) as error:  # an unknown name, or a torch built without that device
        raise ModelError(
            f"The device {name} cannot be used here; choose cpu, or install a torch and a driver that serve it."
        ) from error


def default_dtype(device: torch.device) -> str:
    """Half the memory traffic where that is what counts, exact sums elsewhere."""
    return "bfloat16" if device.type == "cuda" else "float32"


def dtype_of(name: str) -> torch.dtype:
    """The dtype of that name; ModelError where models are not computed in it."""
    if name not in DTYPES:
        raise ModelError(f"The dtype is {name}, but must be one of {', '.join(DTYPES)}.")
    return DTYPES[name]


def _auto(_: int) -> dict[str, Any]:
    if importlib.util.find_spec("accelerate") is None:
        raise ModelError("The device auto needs the package accelerate; install it, or name one device.")
    return {"device_map": "auto"}


def _tensor_parallel(heads: int) -> dict[str, Any]:
    processes = int(os.environ.get("WORLD_SIZE", "1"))
    if processes < 2:
        raise ModelError(
            "The device tensor-parallel needs several processes; start with torchrun --nproc-per-node N, or use auto."
        )
    if heads % processes:
        raise ModelError(
            f"{heads} heads of keys and values cannot be split over {processes} processes; start a number of processes "
            f"that divides them."
        )
    return {"distributed_config": DistributedConfig(tp_size=processes)}


# auto: whole layers, one device of this machine after the other.  tensor-parallel: every layer split over the processes
# that torchrun started, which all decode the same.  Each gives, for a number of heads of keys and values, what
# `from_pretrained` is told.
SPREAD: Mapping[str, Callable[[int], dict[str, Any]]] = {"auto": _auto, "tensor-parallel": _tensor_parallel}
