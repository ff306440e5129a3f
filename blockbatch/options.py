"""Command-line options that several commands share."""

from __future__ import annotations

import argparse
import os
from dataclasses import fields
from pathlib import Path
from typing import Any

from blockbatch.config import DecodeConfig
from blockbatch.errors import BlockBatchError

EMBEDDED = Path(__file__).parents[1] / "assets" / "tiny"
DEVICE_HELP = "cpu, cuda, auto (layers over all devices) or tensor-parallel (under torchrun); default: %(default)s"
DTYPE_HELP = "default: bfloat16 on cuda, float32 elsewhere"
SETTINGS = {field.name for field in fields(DecodeConfig)} | {"block_size", "stop_at_eos"}


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add --model, --device and --dtype."""
    parser.add_argument("--model", default=str(EMBEDDED), help="folder or hub id (default: the embedded model)")
    parser.add_argument("--device", default="cpu", help=DEVICE_HELP)
    parser.add_argument("--dtype", choices=("float32", "bfloat16", "float16"), help=DTYPE_HELP)


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Add --gen-length, the thresholds and the other settings of a decode; `given` gathers them."""
    parser.add_argument("--gen-length", type=int, default=128, help="positions to fill (default: %(default)s)")
    for name in ("commit-threshold", "merge-threshold", "joint-threshold", "temperature"):
        parser.add_argument(f"--{name}", type=float)
    for name in ("sync-threshold", "refresh-interval", "forced-reach", "lookahead", "seed"):
        parser.add_argument(f"--{name}", type=int)
    parser.add_argument("--refresh", choices=("interval", "divergence", "never"))
    for name in ("stop-at-text-end", "eos-in-order", "settle-windows"):
        parser.add_argument(f"--{name}", action=argparse.BooleanOptionalAction)


def given(arguments: argparse.Namespace) -> dict[str, Any]:
    """The settings of a decode that were given, by name."""
    return {name: value for name, value in vars(arguments).items() if name in SETTINGS and value is not None}


def check_writable(path: Path) -> None:
    """Fail before the work is done, not after it.  Devices and pipes are no files: a file would take their place."""
    if not _is_writable(path):
        raise BlockBatchError(
            f"{path} cannot be written; give a file in a folder that exists and is yours to write to."
        )


def _is_writable(path: Path) -> bool:
    try:
        free = not path.exists() or (path.is_file() and os.access(path, os.W_OK))
    except OSError:  # such as a name that is too long
        return False
    return free and path.parent.is_dir() and os.access(path.parent, os.W_OK)


def sizes(text: str) -> tuple[int, ...]:
    """Block sizes separated by commas."""
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of block sizes such as 4,8,32") from None


def count(text: str) -> int:
    """A whole number from 1 on."""
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return int(text)
