"""Kept runs: what comes back is what was kept, or one sentence says why not."""

from __future__ import annotations

import gzip
import os
import secrets
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from scripted import ScriptedModel

from blockbatch.config import DecodeConfig
from blockbatch.errors import BlockBatchError, ConfigError, TraceError
from blockbatch.reading import MAX_BYTES
from blockbatch.run import Run
from ui.library import bundled_runs
from ui.settings import Settings
from ui.store import ENDING, SECONDS_NEW, StoreError, TraceStore, trace_id

MANY, LONG = 2**30, 90


def recorded(prompt: str = "any prompt") -> str:
    run = Run(ScriptedModel(), prompt, DecodeConfig(gen_length=32))
    return "".join(line + "\n" for line in run)


@pytest.fixture(params=["folder", "memory"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path / "runs") if request.param == "folder" else f"memory://{secrets.token_hex(8)}"


def test_a_run_comes_back_as_it_was_kept_to_another_process_too(url: str) -> None:
    text = recorded()
    run = TraceStore(url, MANY, LONG).keep(text)
    assert run == trace_id(text)
    assert TraceStore(url, MANY, LONG).fetch(run) == text
    assert TraceStore(url, MANY, LONG).keep(text) == run


def test_what_is_kept_already_is_written_again_only_to_be_new_again(tmp_path: Path) -> None:
    written, ahead, text = list[str](), [0.0], recorded()

    class Counted(TraceStore):
        def _write(self, run: str, packed: bytes) -> None:
            written.append(run)
            super()._write(run, packed)

    for _ in range(3):  # by several processes
        Counted(str(tmp_path), MANY, LONG).keep(text)
    assert written == [trace_id(text)]
    ahead[0] = 2 * SECONDS_NEW
    Counted(str(tmp_path), MANY, LONG, clock=lambda: time.time() + ahead[0]).keep(text)
    assert len(written) == 2


def test_bundled_runs_are_kept_byte_for_byte(tmp_path: Path) -> None:
    store = TraceStore(str(tmp_path), MANY, LONG)
    for bundled in bundled_runs(Settings().traces):
        text = bundled.path.read_text(encoding="utf-8")
        assert store.fetch(store.keep(text)) == text


def test_what_no_reader_knows_is_not_kept(tmp_path: Path) -> None:
    store, text = TraceStore(str(tmp_path), MANY, LONG), recorded()
    smuggled = text.replace('{"type":"header",', '{"type":"header","more":"anything",', 1)
    assert store.fetch(store.keep(smuggled)) == text


@pytest.mark.parametrize("spoil", [lambda text: "", lambda text: text[: len(text) // 2], lambda text: "x" * 99])
def test_only_whole_valid_runs_are_kept(tmp_path: Path, spoil: Callable[[str], str]) -> None:
    store = TraceStore(str(tmp_path / "runs"), MANY, LONG)
    with pytest.raises(TraceError):
        store.keep(spoil(recorded()))
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    "run",
    ["", "short", "../../etc/passwd", "A" * 32, "g" * 32, "0" * 31, "0" * 33, "0" * 32 + "\n", f"{'0' * 31}/", None],
)
def test_an_id_of_another_form_reaches_no_file(tmp_path: Path, run: str) -> None:
    with pytest.raises(StoreError, match="does not name a run"):
        TraceStore(str(tmp_path), MANY, LONG).fetch(run)


def test_an_unknown_run_is_one_sentence(url: str) -> None:
    store = TraceStore(url, MANY, LONG)
    for _ in range(2):
        with pytest.raises(StoreError, match="no longer kept here"):
            store.fetch("0" * 32)
        store.keep(recorded())


def packed_file(folder: Path, run: str) -> Path:
    return folder / f"{run}{ENDING}"


@pytest.mark.parametrize(
    "spoil",
    [
        lambda packed: b"",
        lambda packed: b"not gzip",
        lambda packed: packed[:-20],
        lambda packed: packed + packed,
        lambda packed: gzip.compress(b"\xff"),
        lambda packed: gzip.compress(gzip.decompress(packed).replace(b"0.9", b"0.8", 1)),
        lambda packed: gzip.compress(recorded("another prompt").encode()),
        lambda packed: gzip.compress(bytes(MAX_BYTES + 1)),
    ],
    ids=["empty", "text", "truncated", "twice", "not-utf8", "changed", "another-run", "bomb"],
)
def test_tampered_files_are_one_sentence(tmp_path: Path, spoil: Callable[[bytes], bytes]) -> None:
    store = TraceStore(str(tmp_path), MANY, LONG)
    text = recorded()
    run = store.keep(text)
    path = packed_file(tmp_path, run)
    path.write_bytes(spoil(path.read_bytes()))
    with pytest.raises(StoreError, match="damaged"):
        store.fetch(run)
    store.keep(text)
    assert store.fetch(run) == text, "keeping it again repairs it"


def test_a_run_kept_by_a_newer_version_says_so(tmp_path: Path) -> None:
    text = recorded().replace('"version":1', '"version":2', 1)
    packed_file(tmp_path, trace_id(text)).write_bytes(gzip.compress(text.encode()))
    with pytest.raises(TraceError, match="format version is 2"):
        TraceStore(str(tmp_path), MANY, LONG).fetch(trace_id(text))


def test_the_oldest_make_room_and_the_limit_holds(url: str) -> None:
    texts = [recorded(f"prompt number {n}") for n in range(4)]
    size = max(len(gzip.compress(text.encode(), mtime=0)) for text in texts)
    ahead = [0.0]
    store = TraceStore(url, int(3.5 * size), LONG, clock=lambda: time.time() + ahead[0])
    ids = []
    for text in texts[:3]:
        ids.append(store.keep(text))
        time.sleep(0.02)
    ahead[0] = 2 * SECONDS_NEW
    for text in (texts[2], texts[0]):  # shared once more, later on, so the second is the oldest now
        store.keep(text)
        time.sleep(0.02)
    assert all(found(store, run) for run in ids)
    ids.append(store.keep(texts[3]))
    assert [found(store, run) for run in ids] == [True, False, True, True]


def found(store: TraceStore, run: str) -> bool:
    try:
        return bool(store.fetch(run))
    except StoreError:
        return False


def test_old_runs_are_gone_for_visitors_at_once_and_for_the_store_with_the_next(url: str) -> None:
    now = [time.time()]
    store = TraceStore(url, MANY, 30, clock=lambda: now[0])
    run = store.keep(recorded())
    now[0] += 29 * 86_400
    assert found(store, run)
    now[0] += 2 * 86_400
    assert not found(store, run)
    store.keep(recorded("another prompt"))
    now[0] -= 31 * 86_400
    assert not found(store, run)


def test_a_run_larger_than_the_store_is_refused_and_removes_nothing(tmp_path: Path) -> None:
    text = recorded()
    TraceStore(str(tmp_path), MANY, LONG).keep(text)
    with pytest.raises(StoreError, match="more than is kept here"):
        TraceStore(str(tmp_path), 100, LONG).keep(recorded("another prompt"))
    assert found(TraceStore(str(tmp_path), MANY, LONG), trace_id(text))


def test_files_of_others_are_left_alone_and_left_overs_are_not(tmp_path: Path) -> None:
    store = TraceStore(str(tmp_path), MANY, 1)
    old = time.time() - 5 * 86_400
    partial = packed_file(tmp_path, "0" * 32).with_suffix(".gz.00ff.partial")
    for path in (tmp_path / "notes.txt", tmp_path / "run.ndjson.gz", partial):
        path.write_text("text")
        os.utime(path, (old, old))
    run = store.keep(recorded())
    assert {path.name for path in tmp_path.iterdir()} == {"notes.txt", "run.ndjson.gz", f"{run}{ENDING}"}


def test_many_at_a_time(tmp_path: Path) -> None:
    """Each of several stores of one folder, as several processes have them, keeps and fetches at the same time."""
    texts = [recorded(f"prompt number {n}") for n in range(4)] * 6

    def keep_and_fetch(text: str) -> bool:
        store = TraceStore(str(tmp_path), MANY, LONG)
        return store.fetch(store.keep(text)) == text

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(keep_and_fetch, texts))
    assert len(list(tmp_path.iterdir())) == 4


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("nowhere://bucket", "cannot be reached"),
        ("s3://bucket/runs", "cannot be reached"),
        ("/proc/nothing/runs", "cannot be reached: no such file"),
    ],
)
def test_a_store_out_of_reach_is_one_sentence_without_its_address(url: str, says: str) -> None:
    store = TraceStore(url, MANY, LONG)
    with pytest.raises(StoreError, match=says) as caught:
        store.keep(recorded())
    assert url not in str(caught.value)
    assert str(caught.value).endswith(".")


def test_the_store_comes_from_the_environment(tmp_path: Path) -> None:
    assert Settings.from_environment({"XDG_CACHE_HOME": str(tmp_path)}).store == str(tmp_path / "blockbatch" / "runs")
    given = {"BLOCKBATCH_STORE": "memory://runs", "BLOCKBATCH_STORE_MIB": "5", "BLOCKBATCH_STORE_DAYS": "7"}
    settings = Settings.from_environment(given)
    assert (settings.store, settings.store_mib, settings.store_days) == ("memory://runs", 5, 7)
    for name in ("BLOCKBATCH_STORE_MIB", "BLOCKBATCH_STORE_DAYS"):
        with pytest.raises(ConfigError, match=f"{name} is 'much'"):
            Settings.from_environment({name: "much"})


def test_a_store_that_nothing_here_can_reach_is_refused_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match=r"BLOCKBATCH_STORE is 's4://runs', but must be .* fsspec knows"):
        Settings.from_environment({"BLOCKBATCH_STORE": "s4://runs"})
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(ConfigError, match=r"'s3://runs', but must be a folder until its package is there .*s3fs"):
        Settings.from_environment({"BLOCKBATCH_STORE": "s3://runs"})
    for url in ("memory://runs", "relative/folder", "hf://datasets/some/runs"):
        assert Settings.from_environment({"BLOCKBATCH_STORE": url}).store == url


def test_every_refusal_is_an_error_of_the_package() -> None:
    assert issubclass(StoreError, BlockBatchError)


def test_a_store_that_hangs_lets_nobody_wait_for_good(monkeypatch: pytest.MonkeyPatch) -> None:
    reached, freed = threading.Event(), threading.Event()

    class Hanging(TraceStore):
        def _write(self, run: str, packed: bytes) -> None:
            reached.set()
            freed.wait(60)
            super()._write(run, packed)

    monkeypatch.setattr("ui.store.SECONDS_TO_WAIT", 0.05)
    store = Hanging(f"memory://{secrets.token_hex(8)}", MANY, LONG)
    with ThreadPoolExecutor(1) as thread:
        first = thread.submit(store.keep, recorded("first"))
        reached.wait(60)
        with pytest.raises(StoreError, match=r"slow or out of reach; try again in a while\.$"):
            store.keep(recorded("second"))
        freed.set()
        assert store.fetch(first.result(60))
    assert store.fetch(store.keep(recorded("second")))
