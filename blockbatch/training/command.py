"""The `train` command: its arguments and what it does with them."""

import argparse
import os
from dataclasses import replace
from pathlib import Path

from blockbatch.config import integer, number
from blockbatch.training.recipe import Recipe


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to a parser."""
    recipe = Recipe()
    parser.add_argument("--minutes", type=float, default=recipe.minutes,
                        help="length of the whole run, resumed parts included (default: %(default)s)")  # fmt: skip
    parser.add_argument("--output", type=Path, default=Path("assets/tiny"),
                        help="folder that gets the model (default: %(default)s)")  # fmt: skip
    parser.add_argument("--checkpoints", type=Path, default=Path("runs/tiny"),
                        help="folder of the run's state; a run found there goes on (default: %(default)s)")  # fmt: skip
    parser.add_argument("--seed", type=int, default=recipe.seed, help="of data and weights (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1,
                        help="CPU threads (default: %(default)s)")  # fmt: skip
    parser.add_argument("--compile", action="store_true",
                        help="compile the layers first, for which a C++ compiler is needed: quicker steps")  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Train as the arguments say; 0 when the model is exported.  ConfigError for an argument out of its range."""
    number("minutes", arguments.minutes, 0.01, 10_000)
    integer("threads", arguments.threads, 1, 256)
    import torch  # here, so that the command's help does without

    from blockbatch.training.loop import train

    torch.set_num_threads(1)  # the run has threads of its own, each with rows of its own
    recipe = replace(Recipe(), minutes=arguments.minutes, seed=arguments.seed)
    train(recipe, arguments.output, arguments.checkpoints, arguments.threads, arguments.compile)
    return 0
