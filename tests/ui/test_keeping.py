"""Finished runs go to the store, and whatever befalls it is a line in the log that no run notices."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

import pytest

from ui.keeping import MOST_WAITING, Keeper
from ui.store import StoreError, TraceStore


def until(holds: Callable[[], bool]) -> None:
    ends = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < ends
        time.sleep(0.01)


def test_runs_are_kept_in_the_order_in_which_they_ended() -> None:
    kept: list[str] = []
    keeper = Keeper(kept.append)
    for text in "abc":
        keeper(text)
    until(lambda: kept == ["a", "b", "c"])


@pytest.mark.parametrize("error", [StoreError("The store is full."), RuntimeError("anything")])
def test_what_cannot_be_kept_is_one_line_in_the_log(error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    kept: list[str] = []

    def keep(text: str) -> None:
        if text == "bad":
            raise error
        kept.append(text)

    keeper = Keeper(keep)
    with caplog.at_level(logging.WARNING):
        keeper("bad")
        keeper("good")
        until(lambda: kept == ["good"])
    assert [record.getMessage() for record in caplog.records] == [f"A finished run was not kept: {error}"]


def test_what_is_no_run_is_not_kept(tmp_path: object, caplog: pytest.LogCaptureFixture) -> None:
    keeper = Keeper(TraceStore(f"{tmp_path}/runs", 2**20, 1).keep)
    keeper("no trace")
    until(lambda: "was not kept" in caplog.text)


def test_a_store_that_does_not_answer_delays_nobody_and_fills_no_memory(caplog: pytest.LogCaptureFixture) -> None:
    answers, kept = threading.Event(), list[str]()

    def keep(text: str) -> None:
        answers.wait(20)
        kept.append(text)

    keeper = Keeper(keep)
    for number in range(MOST_WAITING + 3):
        keeper(str(number))
    assert not kept
    assert caplog.text.count("wait for the store already") == 3
    answers.set()
    until(lambda: len(kept) == MOST_WAITING)
    keeper("later")
    until(lambda: kept[-1] == "later")
