"""The commands that run many prompts, as their tests call them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from blockbatch.__main__ import main

FILES = {"results": "results.ndjson", "json": "figures.json", "csv": "figures.csv", "markdown": "figures.md"}


def run_into(folder: Path, checkpoint: Path, command: str, *options: str) -> Path:
    """Run the command with all its files in `folder`, which is given back."""
    folder.mkdir(exist_ok=True)
    files = [f"--{kind}={folder / name}" for kind, name in FILES.items()]
    assert main([command, "--model", str(checkpoint), *options, *files]) == 0
    return folder


def kept(folder: Path) -> list[dict[str, Any]]:
    """The lines of the results in `folder`, times left out."""
    lines = [json.loads(line) for line in (folder / "results.ndjson").read_text().splitlines()]
    return [{name: value for name, value in line.items() if name not in ("ms", "recording_ms")} for line in lines]
