"""What several tests share: a random checkpoint in the standard layout, loaded once."""

from __future__ import annotations

from pathlib import Path

import pytest
from checkpoints import save_random_checkpoint

from blockbatch.models import Model, load_model


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a Qwen3 checkpoint with random weights."""
    folder = tmp_path_factory.mktemp("qwen3")
    save_random_checkpoint(folder, "qwen3")
    return folder


@pytest.fixture(scope="session")
def model(checkpoint: Path) -> Model:
    """That checkpoint, loaded."""
    return load_model(str(checkpoint))
