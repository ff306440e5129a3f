"""The file that a benchmark goes on from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from blockbatch.bench.calibration import Sample
from blockbatch.bench.jobs import Outcome
from blockbatch.bench.results import Results
from blockbatch.errors import BlockBatchError

SETTINGS = {"model": "m", "fingerprint": "f", "versions": {"torch": "2"}, "gen_length": 128}
OUTCOME = Outcome("algebra", 3, "paper", (4, 8), True, 1, 9, 2, 40, 12.5, 0.5)
SAMPLE = Sample("algebra", 3, 7, (0.5, 0.9), (True, False), (False, True))


def written(path: Path) -> Results:
    results = Results(SETTINGS, path)
    results.add("k1", OUTCOME)
    results.add("k2", SAMPLE)
    return results


def test_what_is_kept_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "r.ndjson"
    records = written(path).records
    assert records == {"k1": OUTCOME, "k2": SAMPLE}
    assert Results(SETTINGS, path).records == records
    assert [json.loads(line)["type"] for line in path.read_text().splitlines()] == ["header", "outcome", "sample"]


def test_without_a_path_nothing_is_written() -> None:
    results = Results(SETTINGS)
    results.add("k1", OUTCOME)
    assert results.records == {"k1": OUTCOME}


@pytest.mark.parametrize("cut", [1, 20])
def test_a_line_cut_off_in_writing_is_dropped_and_the_rest_goes_on(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "r.ndjson"
    written(path)
    path.write_text(path.read_text()[:-cut])
    results = Results(SETTINGS, path)
    assert results.records == {"k1": OUTCOME}
    results.add("k2", SAMPLE)
    assert Results(SETTINGS, path).records == {"k1": OUTCOME, "k2": SAMPLE}


def test_a_file_cut_off_in_its_header_starts_anew(tmp_path: Path) -> None:
    path = tmp_path / "r.ndjson"
    path.write_text('{"type": "head')
    written(path)
    assert len(Results(SETTINGS, path).records) == 2


@pytest.mark.parametrize(
    ("name", "value"), [("fingerprint", "other"), ("gen_length", 64), ("versions", {"torch": "3"})]
)
def test_a_file_of_other_settings_is_refused_and_left_alone(tmp_path: Path, name: str, value: object) -> None:
    path = tmp_path / "r.ndjson"
    written(path)
    before = path.read_text()
    with pytest.raises(BlockBatchError, match=rf"r\.ndjson holds results with {name} .*, but here it is "):
        Results({**SETTINGS, name: value}, path)
    assert path.read_text() == before


@pytest.mark.parametrize(
    "line", ["[]", "no json", '{"key": "k", "type": "outcome"}', '{"key": "k", "type": "x"}', "{}"]
)
def test_a_damaged_line_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "r.ndjson"
    written(path)
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(BlockBatchError, match=r"Line 4 of .*r\.ndjson is no benchmark result"):
        Results(SETTINGS, path)


def test_a_recorded_run_is_not_taken_for_results(tmp_path: Path) -> None:
    path = tmp_path / "trace.ndjson"
    path.write_text('{"type":"header","format":"blockbatch-trace","version":1}\n')
    with pytest.raises(BlockBatchError, match="holds results with format blockbatch-trace"):
        Results(SETTINGS, path)
