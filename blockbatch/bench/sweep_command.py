"""The `sweep` command: its arguments, and what it does with them."""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from blockbatch.bench import plan, running, sweep_file, sweep_tables
from blockbatch.bench.jobs import Outcome, Task, Typed
from blockbatch.bench.sweep import PARAMETERS, Axis, Parameter, Value, cells, default_axis, points, trials
from blockbatch.config import VARIANTS, DecodeConfig
from blockbatch.errors import BlockBatchError
from blockbatch.options import add_settings, count, given, sizes
from blockbatch.tasks import FAMILIES

PROMPTS = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to a parser."""
    add = parser.add_argument
    add("--parameter", choices=PARAMETERS, action=_Parameter, dest="axes", required=True,
        help="what to vary; give it twice to vary two together")  # fmt: skip
    add("--values", action=_Values, dest="axes", metavar="VALUES",
        help="of the parameter before it, such as 0.3,0.5,0.7; sets of branches such as 4,4+8,4+8+32 "
             "(default: some usual ones; of branches, all sets of --branches)")  # fmt: skip
    add("--family", choices=FAMILIES, action="append", help="repeat for several (default: all)")
    add("--prompts", "--limit", type=count, metavar="N",
        help=f"prompts a family (default: {PROMPTS})")  # fmt: skip
    running.add_split(parser)
    add("--prompt", action="append", metavar="TEXT", help="this prompt instead of those; repeat for several")
    add("--decoder", choices=VARIANTS, default="paper", help="what is varied (default: %(default)s)")
    add("--branches", type=sizes, dest="block_sizes", metavar="SIZES",
        help="block sizes of the branches, such as 4,8,32 (default: those of the preset)")  # fmt: skip
    add_settings(parser)
    running.add_running(parser)
    parser.set_defaults(command=run)


def run(arguments: argparse.Namespace) -> int:
    """Run what is missing, then print a row a cell; 0 when that is done."""
    base = DecodeConfig.preset(arguments.decoder, **given(arguments))
    axes = [_axis(name, text, base) for name, text in arguments.axes]
    places = cells(base, axes)
    work = trials(places, _tasks(arguments))
    running.check_files(arguments)
    results = running.run_missing(arguments, [trial for _, trial in work])
    outcomes: dict[int, list[Outcome]] = defaultdict(list)
    for cell, trial in work:
        outcomes[cell.index].append(results.records[trial.key])
    found = points(places, outcomes)
    text = sweep_file.to_json(found, results.settings)
    running.write(arguments, text, sweep_tables.as_csv(found), sweep_tables.markdown(found))
    return 0


def _tasks(arguments: argparse.Namespace) -> Sequence[tuple[int, Task]]:
    if not arguments.prompt:
        return plan.drawn_from(arguments.family or FAMILIES, arguments.prompts or PROMPTS, arguments.split)
    if arguments.family or arguments.prompts or arguments.split == "train":
        raise BlockBatchError("Give --prompt, or else --family and --prompts and --split for the tasks', not both.")
    return list(enumerate(Typed(text) for text in arguments.prompt))


def _axis(name: str, text: str | None, base: DecodeConfig) -> Axis:
    if text is None:
        return default_axis(name, base)
    try:
        values = [_value(PARAMETERS[name], part) for part in text.split(",")]
    except ValueError:
        examples = {"probability": "0.3,0.5,0.7", "tokens": "4,8,16", "rows": "0,2,4", "sets": "4,4+8,4+8+32"}
        example = examples[PARAMETERS[name].kind]
        raise BlockBatchError(f"{text[:80]!r} are no values of {name}; give some such as {example}.") from None
    return Axis(name, tuple(values))


def _value(parameter: Parameter, text: str) -> Value:
    return tuple(int(part) for part in text.split("+")) if parameter.kind == "sets" else float(text)


class _Parameter(argparse.Action):
    """Begins an axis whose values are not known yet: a list [name, None]."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        setattr(namespace, self.dest, [*(getattr(namespace, self.dest) or []), [values, None]])


class _Values(argparse.Action):
    """Fills in the values of the axis begun last."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        axes = getattr(namespace, self.dest)
        if not axes or axes[-1][1] is not None:
            parser.error("--values belongs behind the --parameter that takes them")
        axes[-1][1] = values
