"""What the tests of the commands that run many prompts share."""

from __future__ import annotations

from typing import Any

import pytest

from blockbatch.bench import running
from blockbatch.bench.workers import ModelSource
from blockbatch.models import Model


@pytest.fixture
def here(model: Model, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Jobs run in this process instead of others; those that did."""
    ran: list[Any] = []

    def in_this_process(source: ModelSource, jobs: Any, workers: int) -> Any:
        for job in jobs:
            ran.append(job)
            yield job.run(model)

    monkeypatch.setattr(running, "on_processes", in_this_process)
    return ran
