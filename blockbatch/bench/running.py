"""What the commands that run many prompts share: their options, what their results depend on, and the running."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

from blockbatch.bench.jobs import Job
from blockbatch.bench.results import Results
from blockbatch.bench.workers import ModelSource, on_processes, on_ray
from blockbatch.errors import BlockBatchError
from blockbatch.options import add_model, check_writable, count
from blockbatch.run import versions
from blockbatch.tasks import Split


def add_running(parser: argparse.ArgumentParser) -> None:
    """Add the options of where results go, who computes them and with which model."""
    add = parser.add_argument
    add("--results", type=Path, metavar="FILE",
        help="NDJSON file that keeps every result as it comes; what it holds already is not run again")  # fmt: skip
    for name in ("json", "csv", "markdown"):
        add(f"--{name}", type=Path, metavar="FILE", help=f"write the figures as {name.upper()} too")
    add("--workers", type=count, metavar="N", help="processes (default: one a core on a CPU, else 1)")
    add("--ray", metavar="ADDRESS", help="spread the prompts over this Ray cluster instead; local starts one here")
    add_model(parser)


def add_split(parser: argparse.ArgumentParser) -> None:
    """Add the option that chooses among the prompts of the tasks."""
    parser.add_argument("--split", choices=get_args(Split), default="held-out",
                        help="prompts to choose by, or those to judge a choice (default: %(default)s)")  # fmt: skip


def check_files(arguments: argparse.Namespace) -> None:
    """Fail before the work is done where a file could not be written after it, or would be written over another."""
    named = [arguments.results, arguments.json, arguments.csv, arguments.markdown]
    seen = set[Path]()
    for path in (path for path in named if path is not None):
        check_writable(path)
        if path.resolve() in seen:
            raise BlockBatchError(f"{path} is to hold two things; give --results and each of the figures its own file.")
        seen.add(path.resolve())


def run_missing(arguments: argparse.Namespace, jobs: Sequence[Job]) -> Results:
    """The results of all jobs: those on file, and the rest run now, each kept as it comes."""
    from tqdm import tqdm

    results = Results(_settings(arguments), arguments.results)
    missing = [job for job in jobs if job.key not in results.records]
    with tqdm(total=len(jobs), initial=len(jobs) - len(missing), file=sys.stderr, dynamic_ncols=True) as bar:
        for job, record in zip(missing, _records(arguments, missing), strict=True):
            results.add(job.key, record)
            bar.set_description(job.label, refresh=False)
            bar.update()
    return results


def write(arguments: argparse.Namespace, json: str, csv: str, markdown: str) -> None:
    """Print the figures, and write them to the files that were named."""
    for path, text in ((arguments.json, json), (arguments.csv, csv), (arguments.markdown, markdown + "\n")):
        if path is not None:
            path.write_text(text, encoding="utf-8")
    print(markdown)


def _settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """What every result depends on beside its own prompt and config."""
    from blockbatch.models import fingerprint, load_model

    model = load_model(arguments.model, arguments.device, arguments.dtype)
    return {
        "model": model.id,
        "fingerprint": fingerprint(model),
        "device": model.device,
        "dtype": model.dtype,
        "gen_length": arguments.gen_length,
        "versions": versions(),
    }


def _records(arguments: argparse.Namespace, jobs: Sequence[Job]) -> Iterator[Any]:
    if not jobs:
        return iter(())
    source = ModelSource(arguments.model, arguments.device, arguments.dtype)
    if arguments.ray:
        return on_ray(arguments.ray, source, jobs)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    workers = arguments.workers or (cores if arguments.device == "cpu" else 1)
    return on_processes(source, jobs, min(workers, len(jobs)))
