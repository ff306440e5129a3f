"""Who may import whom.  Left may import right: app -> ui -> the engine -> its records; never the other way."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NUMPY_AT_MOST = (
    *("config", "errors", "events", "metrics", "trace", "cells", "checks", "reading", "comparing", "chrome"),
    *("rules", "state", "denoiser"),
)
RECORDS = {f"blockbatch.{name}" for name in NUMPY_AT_MOST}
ENGINE = sorted(path for path in (ROOT / "blockbatch").rglob("*.py"))


def imported(path: Path) -> set[str]:
    """The modules that the file imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def roots(path: Path) -> set[str]:
    return {name.split(".")[0] for name in imported(path)}


def test_there_are_files_to_look_at() -> None:
    assert len(ENGINE) > 20


@pytest.mark.parametrize("path", ENGINE, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_engine_knows_no_user_interface(path: Path) -> None:
    assert not roots(path) & {"ui", "gradio", "plotly", "app"}


@pytest.mark.parametrize("path", ENGINE, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_models_and_training_know_torch(path: Path) -> None:
    if path.relative_to(ROOT / "blockbatch").parts[0] not in ("models", "training"):
        assert not roots(path) & {"torch", "transformers", "safetensors", "tokenizers"}


@pytest.mark.parametrize("name", NUMPY_AT_MOST)
def test_records_and_rules_import_numpy_at_the_most(name: str) -> None:
    path = ROOT / "blockbatch" / f"{name}.py"
    ours = {module for module in imported(path) if module.startswith("blockbatch.")}
    assert all(any(module == known or module.startswith(known + ".") for known in RECORDS) for module in ours)
    assert not roots(path) & {"torch", "transformers", "gradio", "tqdm", "plotly"}


@pytest.mark.parametrize("path", sorted((ROOT / "ui").rglob("*.py")), ids=lambda path: path.name)
def test_the_user_interface_leaves_torch_to_the_models(path: Path) -> None:
    assert not roots(path) & {"torch", "transformers", "app"}
