"""How much memory a device has free, asked before a model is loaded: Linux ends a process that takes too much."""

from __future__ import annotations

from pathlib import Path

import torch

MEMINFO = Path("/proc/meminfo")
CONTROL_GROUP = Path("/sys/fs/cgroup")


def free_bytes(device: torch.device) -> int | None:
    """Bytes that `device` has free; None where that cannot be told."""
    if device.type == "cuda":
        return _cuda(device)
    return _host() if device.type == "cpu" else None


def _cuda(device: torch.device) -> int | None:
    try:
        return int(torch.cuda.mem_get_info(device)[0])
    except RuntimeError:  # a ZeroGPU Space has no device yet when it loads its model
        return None


def _host() -> int | None:
    known = [room for room in (_machine(), _container()) if room is not None]
    return min(known, default=None)


def _machine() -> int | None:
    """What the kernel can give without swapping."""
    if not MEMINFO.is_file():
        return None
    fields = dict(line.split(":", 1) for line in MEMINFO.read_text().splitlines())
    return 1024 * int(fields["MemAvailable"].split()[0]) if "MemAvailable" in fields else None


def _container() -> int | None:
    """What is left of a container's limit (cgroup v2); pages of files count as left, since the kernel drops them."""
    try:
        limit = int((CONTROL_GROUP / "memory.max").read_text())
        used = int((CONTROL_GROUP / "memory.current").read_text())
        fields = dict(line.split() for line in (CONTROL_GROUP / "memory.stat").read_text().splitlines())
        return max(limit - used + int(fields["inactive_file"]) + int(fields["active_file"]), 0)
    except (OSError, ValueError, KeyError):  # no such group, or no limit: "max"
        return None
