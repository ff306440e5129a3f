"""What visitors ask of their runs, and whose turn it is."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ui.session import ControlStore, LocalControlStore, Turnstile, Wishes
from ui.shared_store import SharedControlStore


@pytest.fixture(params=["local", "shared"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> ControlStore:
    made: dict[str, Callable[[], ControlStore]] = {
        "local": LocalControlStore,
        "shared": lambda: SharedControlStore(tmp_path / "wishes"),
    }
    return made[request.param]()


def test_settings_add_up_and_other_wishes_replace(store: ControlStore) -> None:
    key = store.open(Wishes(pace=5))
    store.change(key, settings={"commit_threshold": 0.8})
    store.change(key, settings={"merge_threshold": 0.4}, pace=2)
    store.step(key)
    store.resize(key, 32, 48)
    store.resize(key, 8, 12)
    assert store.read(key) == Wishes(
        {"commit_threshold": 0.8, "merge_threshold": 0.4}, ((32, 48), (8, 12)), pace=2, paused=True, steps=1
    )


def test_visitors_do_not_reach_each_other(store: ControlStore) -> None:
    mine, other = store.open(Wishes()), store.open(Wishes())
    assert mine != other
    store.change(mine, stopped=True)
    assert not store.read(other).stopped


def test_keys_cannot_be_guessed(store: ControlStore) -> None:
    keys = [store.open(Wishes()) for _ in range(100)]
    assert len(set(keys)) == 100
    assert min(map(len, keys)) >= 24


def test_wishes_of_a_run_that_is_over_go_nowhere(store: ControlStore) -> None:
    key = store.open(Wishes())
    store.close(key)
    for gone in (key, None, "invented"):
        store.change(gone, settings={"seed": 1})
        store.step(gone)
        store.resize(gone, 1, 2)
    assert len(store) == 0
    assert not store.holds(key)
    assert store.read(key).stopped


def test_many_threads_lose_no_wish(store: ControlStore) -> None:
    key = store.open(Wishes())
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda _: store.step(key), range(200)))
    assert store.read(key).steps == 200


def test_the_turnstile_lets_in_as_many_as_it_has_places_for_in_order() -> None:
    turnstile = Turnstile(2)
    for key in "abcd":
        turnstile.enter(key)
    assert [turnstile.place(key) for key in "abcd"] == [0, 0, 1, 2]
    turnstile.leave("a")
    assert [turnstile.place(key) for key in "bcd"] == [0, 0, 1]
