"""Command-line options that several commands share."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from blockbatch.errors import BlockBatchError

EMBEDDED = Path(__file__).parents[1] / "assets" / "tiny"
DEVICE_HELP = "cpu, cuda, auto (layers over all devices) or tensor-parallel (under torchrun); default: %(default)s"
DTYPE_HELP = "default: bfloat16 on cuda, float32 elsewhere"


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add --model, --device and --dtype."""
    parser.add_argument("--model", default=str(EMBEDDED), help="folder or hub id (default: the embedded model)")
    parser.add_argument("--device", default="cpu", help=DEVICE_HELP)
    parser.add_argument("--dtype", choices=("float32", "bfloat16", "float16"), help=DTYPE_HELP)


def check_writable(path: Path) -> None:
    """Fail before the work is done, not after it."""
    if path.is_dir() or not os.access(path.parent, os.W_OK):
        raise BlockBatchError(
            f"{path} cannot be written; give a file in a folder that exists and is yours to write to."
        )


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
