"""The NDJSON file of a benchmark: a header that names model and settings, then a line a finished job.

Lines are appended as jobs finish, so that a benchmark that was interrupted goes on from there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_origin, get_type_hints

from blockbatch.bench.calibration import Sample
from blockbatch.bench.jobs import Outcome
from blockbatch.errors import BlockBatchError

FORMAT, VERSION = "blockbatch-bench", 1
KINDS: dict[str, type[Any]] = {"outcome": Outcome, "sample": Sample}
NAMES = {cls: name for name, cls in KINDS.items()}
TUPLES = {cls: [name for name, hint in get_type_hints(cls).items() if get_origin(hint) is tuple] for cls in NAMES}


class Results:
    """The records by their job's key; with `path`, also on file.

    settings: what all records have in common, as plain JSON values.  BlockBatchError, one sentence, where the file is
    of other settings, is no such file, or is damaged.
    """

    def __init__(self, settings: Mapping[str, Any], path: Path | None = None) -> None:
        self.settings = dict(settings)
        self.path = path
        self.records: dict[str, Any] = {}
        if path is not None:
            self._open(path)

    def add(self, key: str, record: Any) -> None:
        """Keep a record, and write its line."""
        self.records[key] = record
        if self.path is not None:
            line = {"type": NAMES[type(record)], "key": key, **asdict(record)}
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")

    def _open(self, path: Path) -> None:
        header = {"type": "header", "format": FORMAT, "version": VERSION, **self.settings}
        try:
            text = path.read_text(encoding="utf-8") if path.exists() else ""
            whole = text[: text.rfind("\n") + 1]  # a line that was cut off in writing is written again
            if whole:
                self._read(header, whole.splitlines())
            if not whole or whole != text:
                path.write_text(whole or json.dumps(header) + "\n", encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise BlockBatchError(f"{path} cannot be used for results: {error}.") from None

    def _read(self, header: Mapping[str, Any], lines: list[str]) -> None:
        for number, line in enumerate(lines, start=1):
            try:
                values = json.loads(line)
                if number == 1:
                    self._check(header, values)
                else:
                    key = values.pop("key")
                    self.records[key] = record_of(values)
            except (ValueError, TypeError, KeyError, AttributeError):
                raise BlockBatchError(
                    f"Line {number} of {self.path} is no benchmark result; give another file."
                ) from None

    def _check(self, ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> None:
        for name in ours:
            if theirs.get(name) != ours[name]:
                raise BlockBatchError(
                    f"{self.path} holds results with {name} {theirs.get(name)}, but here it is {ours[name]}; "
                    "give another file or remove this one."
                )


def record_of(values: dict[str, Any]) -> Any:
    """The record whose line, without its key, is `values`."""
    cls = KINDS[values.pop("type")]
    return cls(**{name: tuple(value) if name in TUPLES[cls] else value for name, value in values.items()})
