"""The `bench` command: its arguments, and what it does with them."""

from __future__ import annotations

import argparse

from blockbatch import forward_bench
from blockbatch.bench import plan, running, tables
from blockbatch.bench.calibration import Sampling
from blockbatch.bench.jobs import Job, Trial
from blockbatch.bench.statistics import bins, oracles, rows
from blockbatch.config import DECODERS
from blockbatch.errors import BlockBatchError
from blockbatch.options import count, sizes
from blockbatch.tasks import FAMILIES


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to a parser."""
    add = parser.add_argument
    add("--decoder", choices=DECODERS, action="append",
        help=f"repeat for several (default: {', '.join(plan.DECODERS)})")  # fmt: skip
    add("--family", choices=FAMILIES, action="append", help="repeat for several (default: all)")
    add("--prompts", "--limit", type=count, default=20, metavar="N",
        help="prompts a family (default: %(default)s)")  # fmt: skip
    running.add_split(parser)
    add("--block-sizes", type=sizes, metavar="SIZES",
        help="of the fixed-size decoders (default: dual-cache at 4 to 128, the others at 32)")  # fmt: skip
    add("--branches", type=sizes, metavar="SIZES",
        help="block sizes of the BlockBatch branches, such as 4,8,32 (default: those of each preset)")  # fmt: skip
    add("--gen-length", type=int, default=128, help="positions to fill (default: %(default)s)")
    add("--calibration", type=count, default=0, metavar="N",
        help="also sample a state from N runs a family and ask what a careful decode confirms")  # fmt: skip
    add("--shape", choices=forward_bench.SHAPES, help="instead time forwards of random weights")
    running.add_running(parser)
    parser.set_defaults(command=run)


def run(arguments: argparse.Namespace) -> int:
    """Run what is missing, then print the figures of all; 0 when that is done."""
    if arguments.shape:
        print(forward_bench.report(arguments.shape, arguments.device, arguments.dtype))
        return 0
    running.check_files(arguments)
    trials, samplings = _trials(arguments), _samplings(arguments)
    jobs: list[Job] = [*trials, *samplings]
    results = running.run_missing(arguments, jobs)
    outcomes = [results.records[job.key] for job in trials]
    samples = [results.records[job.key] for job in samplings]
    report = tables.Report(results.settings, rows(outcomes), oracles(outcomes), bins(samples), len(samples))
    running.write(arguments, tables.as_json(report), tables.as_csv(report.rows), tables.markdown(report))
    return 0


def _trials(arguments: argparse.Namespace) -> list[Trial]:
    decoders = arguments.decoder or plan.DECODERS
    configs = plan.configs(decoders, arguments.block_sizes, arguments.branches, arguments.gen_length)
    return plan.trials(arguments.family or FAMILIES, configs, arguments.prompts, arguments.split)


def _samplings(arguments: argparse.Namespace) -> list[Sampling]:
    if not arguments.calibration:
        return []
    if not arguments.gen_length:
        raise BlockBatchError("A calibration looks at positions to fill; give a --gen-length from 1 on.")
    config = plan.fixed(plan.FAST, plan.FAST_SIZE, arguments.gen_length)
    return [
        Sampling(example, index, config)
        for family in dict.fromkeys(arguments.family or FAMILIES)
        for index, example in enumerate(plan.prompts(family, arguments.calibration, arguments.split))
    ]
