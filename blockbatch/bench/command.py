"""The `bench` command: its arguments, and what it does with them."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from blockbatch import forward_bench
from blockbatch.bench import plan, tables
from blockbatch.bench.calibration import Sampling
from blockbatch.bench.jobs import Job, Trial
from blockbatch.bench.results import Results
from blockbatch.bench.statistics import bins, oracles, rows
from blockbatch.bench.workers import ModelSource, on_processes, on_ray
from blockbatch.config import DECODERS, DEFAULT_BLOCK_SIZES
from blockbatch.options import add_model, check_writable, count, sizes
from blockbatch.run import versions
from blockbatch.tasks import FAMILIES


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to a parser."""
    add = parser.add_argument
    add("--decoder", choices=DECODERS, action="append",
        help=f"repeat for several (default: {', '.join(plan.DECODERS)})")  # fmt: skip
    add("--family", choices=FAMILIES, action="append", help="repeat for several (default: all)")
    add("--prompts", "--limit", type=count, default=20, metavar="N",
        help="held-out prompts a family (default: %(default)s)")  # fmt: skip
    add("--block-sizes", type=sizes, metavar="SIZES",
        help="of the fixed-size decoders (default: dual-cache at 4 to 128, the others at 32)")  # fmt: skip
    add("--branches", type=sizes, default=DEFAULT_BLOCK_SIZES, metavar="SIZES",
        help="block sizes of the BlockBatch branches, such as 4,8,32")  # fmt: skip
    add("--gen-length", type=int, default=128, help="positions to fill (default: %(default)s)")
    add("--calibration", type=count, default=0, metavar="N",
        help="also sample a state from N runs a family and ask what a careful decode confirms")  # fmt: skip
    add("--results", type=Path, metavar="FILE",
        help="NDJSON file that keeps every result as it comes; what it holds already is not run again")  # fmt: skip
    for name in ("json", "csv", "markdown"):
        add(f"--{name}", type=Path, metavar="FILE", help=f"write the figures as {name.upper()} too")
    add("--workers", type=count, metavar="N", help="processes (default: one a core on a CPU, else 1)")
    add("--ray", metavar="ADDRESS", help="spread the prompts over this Ray cluster instead; local starts one here")
    add("--shape", choices=forward_bench.SHAPES, help="instead time forwards of random weights")
    add_model(parser)
    parser.set_defaults(command=run)


def run(arguments: argparse.Namespace) -> int:
    """Run what is missing, then print the figures of all; 0 when that is done."""
    if arguments.shape:
        print(forward_bench.report(arguments.shape, arguments.device, arguments.dtype))
        return 0
    for path in (arguments.results, arguments.json, arguments.csv, arguments.markdown):
        if path is not None:
            check_writable(path)
    trials, samplings = _trials(arguments), _samplings(arguments)
    jobs: list[Job] = [*trials, *samplings]
    results = Results(_settings(arguments), arguments.results)
    _run_missing(arguments, jobs, results)
    outcomes = [results.records[job.key] for job in trials]
    samples = [results.records[job.key] for job in samplings]
    report = tables.Report(results.settings, rows(outcomes), oracles(outcomes), bins(samples), len(samples))
    _write(arguments, report)
    return 0


def _trials(arguments: argparse.Namespace) -> list[Trial]:
    decoders = arguments.decoder or plan.DECODERS
    configs = plan.configs(decoders, arguments.block_sizes, arguments.branches, arguments.gen_length)
    return plan.trials(arguments.family or FAMILIES, configs, arguments.prompts)


def _samplings(arguments: argparse.Namespace) -> list[Sampling]:
    if not arguments.calibration:
        return []
    config = plan.fixed(plan.FAST, plan.FAST_SIZE, arguments.gen_length)
    return [
        Sampling(example, index, config)
        for family in dict.fromkeys(arguments.family or FAMILIES)
        for index, example in enumerate(plan.prompts(family, arguments.calibration))
    ]


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


def _run_missing(arguments: argparse.Namespace, jobs: Sequence[Job], results: Results) -> None:
    """Run the jobs that have no result yet; each is kept as it comes."""
    from tqdm import tqdm

    missing = [job for job in jobs if job.key not in results.records]
    with tqdm(total=len(jobs), initial=len(jobs) - len(missing), file=sys.stderr, dynamic_ncols=True) as bar:
        for job, record in zip(missing, _records(arguments, missing), strict=True):
            results.add(job.key, record)
            bar.set_description(job.label, refresh=False)
            bar.update()


def _records(arguments: argparse.Namespace, jobs: Sequence[Job]) -> Iterator[Any]:
    if not jobs:
        return iter(())
    source = ModelSource(arguments.model, arguments.device, arguments.dtype)
    if arguments.ray:
        return on_ray(arguments.ray, source, jobs)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    workers = arguments.workers or (cores if arguments.device == "cpu" else 1)
    return on_processes(source, jobs, min(workers, len(jobs)))


def _write(arguments: argparse.Namespace, report: tables.Report) -> None:
    text = tables.markdown(report)
    if arguments.json:
        arguments.json.write_text(tables.as_json(report), encoding="utf-8")
    if arguments.csv:
        arguments.csv.write_text(tables.as_csv(report.rows), encoding="utf-8")
    if arguments.markdown:
        arguments.markdown.write_text(text + "\n", encoding="utf-8")
    print(text)
