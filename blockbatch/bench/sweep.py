"""What a sweep is: one parameter or two, the values they take, a cell for each combination, and what comes out of it.

    axes = [Axis("merge_threshold", (0.3, 0.5, 0.7)), spaced("commit_threshold", 0.6, 0.9, 4)]
    for cell, trial in trials(cells(DecodeConfig(), axes), plan.drawn_from(["algebra"], 20)): ...

Pure: nothing here runs a model.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, Literal

from blockbatch.bench import statistics
from blockbatch.bench.jobs import Outcome, Task, Trial
from blockbatch.bench.plan import FAST, fixed
from blockbatch.bench.statistics import Oracle, Share
from blockbatch.config import (
    DEFAULT_BLOCK_SIZES,
    MAX_BLOCK_SIZE,
    MAX_LOOKAHEAD,
    BaselineConfig,
    Config,
    DecodeConfig,
    choice,
    integer,
)
from blockbatch.errors import BlockBatchError

MOST_CELLS = 400

Value = float | int | tuple[int, ...]
Kind = Literal["probability", "tokens", "rows", "sets"]


@dataclass(frozen=True)
class Parameter:
    """Something that a sweep can vary.

    words: what it does; lowest, highest: the range worth looking at (of a set: of its block sizes), which the page's
    knobs have, too, while the config's own check decides what is allowed; values: those of a sweep that names none,
    empty where they depend on its base.
    """

    name: str
    words: str
    kind: Kind
    lowest: float
    highest: float
    values: tuple[Value, ...]


PARAMETERS = {
    parameter.name: parameter
    for parameter in (
        Parameter("commit_threshold", "the confidence at which a branch commits a token", "probability",
                  0.0, 1.0, (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)),
        Parameter("merge_threshold", "what a branch must itself give a token to take it over", "probability",
                  0.0, 1.0, (0.1, 0.3, 0.5, 0.7, 0.9)),
        Parameter("sync_threshold", "how far a branch may fall behind before it copies the leader", "tokens",
                  0, 64, (2, 4, 8, 16, 32)),
        Parameter("refresh_interval", "how much is written between two full recomputes", "tokens",
                  4, 256, (8, 16, 32, 64, 128)),
        Parameter("forced_reach", "among how many masked positions a token may be forced; 0: all", "tokens",
                  0, 64, (0, 1, 2, 4, 8)),
        Parameter("joint_threshold", "how probable the first masked tokens must be together to be committed",
                  "probability", 0.0, 1.0, (0.4, 0.5, 0.6, 0.7, 0.8)),
        Parameter("lookahead", "how many rows that the leader may come to hold a forward computes ahead", "rows",
                  0, MAX_LOOKAHEAD, (0, 1, 2, 4, 8)),
        Parameter("block_size", "the one block size of Fast-dLLM's dual cache", "tokens",
                  1, 256, DEFAULT_BLOCK_SIZES),
        Parameter("branches", "the block sizes that decode together", "sets", 1, MAX_BLOCK_SIZE, ()),
    )
}  # fmt: skip


@dataclass(frozen=True)
class Axis:
    """A parameter and the values it takes, in the order given; ConfigError where it may not take one of them."""

    parameter: str
    values: tuple[Value, ...]

    def __post_init__(self) -> None:
        choice("parameter", self.parameter, tuple(PARAMETERS))
        values = tuple(_checked(self.parameter, value) for value in self.values)
        object.__setattr__(self, "values", values)
        if not values:
            raise BlockBatchError(f"{self.parameter} has no values to sweep over; give at least one.")
        if len(set(values)) < len(values):
            twice = next(value for value in values if values.count(value) > 1)
            raise BlockBatchError(f"{self.parameter} is to be {label(twice)} more than once; give each value once.")


@dataclass(frozen=True)
class Cell:
    """One place of a sweep: its parameters' `values`, and the config they make of the base."""

    index: int
    values: Mapping[str, Value]
    config: Config


@dataclass(frozen=True)
class Point:
    """A cell and what came out of it, a prompt an outcome; at least one."""

    cell: Cell
    outcomes: tuple[Outcome, ...]

    @property
    def right(self) -> Share | None:
        """The prompts answered right, of those that can be judged; None where none can."""
        share = statistics.right(self.outcomes)
        return share if share.n else None

    @property
    def nfe(self) -> float:
        """Mean forwards a prompt."""
        return statistics.nfe(self.outcomes)

    @property
    def nfe_by_kind(self) -> dict[str, float]:
        """Mean forwards a prompt: init, denoise, refresh."""
        return statistics.nfe_by_kind(self.outcomes)

    @property
    def tokens_per_forward(self) -> float:
        """Tokens of all answers, end-of-text tokens not counted, / all forwards."""
        return statistics.written_per_forward(self.outcomes)

    @property
    def ms(self) -> float:
        """Median wall milliseconds a prompt, of forwards and rules."""
        return statistics.ms(self.outcomes)

    @property
    def prompts(self) -> frozenset[tuple[str, int]]:
        """The prompts, each as its family and its index there."""
        return frozenset((o.family, o.index) for o in self.outcomes)


def spaced(parameter: str, low: float, high: float, count: int) -> Axis:
    """`count` values from `low` to `high`: evenly spaced, block sizes by equal factors.

    What is counted in tokens is rounded to whole numbers; of equal values one is kept, so there may be fewer.
    """
    if PARAMETERS[choice("parameter", parameter, tuple(PARAMETERS))].kind == "sets":
        raise BlockBatchError(f"{parameter} are sets and have no range; give the sets themselves.")
    low, high = _checked(parameter, low), _checked(parameter, high)
    if low > high:
        raise BlockBatchError(f"{parameter} cannot go from {label(low)} to {label(high)}; give the lower one first.")
    steps = range(integer("count", count, 1, MOST_CELLS))
    shares = [step / max(len(steps) - 1, 1) for step in steps]
    between = [low * (high / low) ** s if parameter == "block_size" else low + (high - low) * s for s in shares]
    digits = None if PARAMETERS[parameter].kind in ("tokens", "rows") else 4
    inner = [min(max(round(value, digits), low), high) for value in between[1:-1]]
    return Axis(parameter, tuple(dict.fromkeys([low, *inner, high][: len(steps)])))


def default_axis(parameter: str, base: DecodeConfig) -> Axis:
    """The values of a sweep that names none; of `branches`, every set of the base's block sizes."""
    choice("parameter", parameter, tuple(PARAMETERS))
    sizes = base.block_sizes
    if parameter != "branches":
        return Axis(parameter, PARAMETERS[parameter].values)
    _check_count(2 ** len(sizes) - 1)
    sets = itertools.chain(*(itertools.combinations(sizes, n + 1) for n in range(len(sizes))))
    return Axis(parameter, tuple(sets))


def cells(base: DecodeConfig, axes: Sequence[Axis]) -> list[Cell]:
    """A cell for each combination of the values of one or two axes, the last axis fastest; all stop at end of text.

    BlockBatchError, one sentence, where the axes do not go together or make more than `MOST_CELLS`.
    """
    names = [axis.parameter for axis in axes]
    _check_names(names, base)
    _check_count(prod(len(axis.values) for axis in axes))
    combinations = itertools.product(*(axis.values for axis in axes))
    found = [dict(zip(names, values, strict=True)) for values in combinations]
    return [Cell(index, values, _config(base, values)) for index, values in enumerate(found)]


def value_of(parameter: str, config: Config) -> Value | None:
    """The value that a config gives a parameter; None where it has no such thing."""
    if parameter == "branches":
        return config.block_sizes if isinstance(config, DecodeConfig) else None
    return getattr(config, parameter, None)


def trials(cells: Sequence[Cell], tasks: Iterable[tuple[int, Task]]) -> list[tuple[Cell, Trial]]:
    """The work, prompt by prompt over all cells: at any time every cell has the same prompts behind it, but for one.

    tasks: each with its index in its family, as `plan.held_out` gives them.
    """
    return [(cell, Trial(task, index, cell.config)) for index, task in tasks for cell in cells]


def points(cells: Iterable[Cell], outcomes: Mapping[int, Sequence[Outcome]]) -> list[Point]:
    """A point for each cell whose index has an outcome."""
    return [Point(cell, tuple(outcomes[cell.index])) for cell in cells if outcomes.get(cell.index)]


def oracle(points: Sequence[Point]) -> Oracle | None:
    """Whoever could choose the block size prompt by prompt, judged on the prompts that all points have in common.

    None unless `block_size` alone is swept, and two sizes at least have judged prompts in common.
    """
    if len(points) < 2 or any(set(point.cell.values) != {"block_size"} for point in points):
        return None
    shared = frozenset.intersection(*(point.prompts for point in points))
    families = sorted({family for family, _ in shared})
    by_size = {
        point.cell.config.block_sizes[0]: [
            o for o in point.outcomes if (o.family, o.index) in shared and o.correct is not None
        ]
        for point in points
    }
    if not all(by_size.values()):
        return None
    return statistics.oracle(families[0] if len(families) == 1 else statistics.ALL, by_size)


def label(value: Value) -> str:
    """A value as it is read and typed: 0.5, 32, 4+8+32."""
    if isinstance(value, tuple):
        return "+".join(map(str, value))
    short = f"{value:g}"
    return short if float(short) == value else repr(value)


def spoken(parameter: str) -> str:
    """A parameter as it is called where people read."""
    return parameter.replace("_", " ")


def _checked(parameter: str, value: Any) -> Any:
    """`value` as the config keeps it."""
    if parameter == "branches":
        return DecodeConfig(block_sizes=value).block_sizes
    if parameter == "block_size":
        return BaselineConfig(block_size=value).block_size
    return value_of(parameter, DecodeConfig(**{parameter: value}))


def _check_names(names: Sequence[str], base: DecodeConfig) -> None:
    if not 1 <= len(names) <= 2:
        raise BlockBatchError(f"A sweep is over one parameter or two, not {len(names)}.")
    if len(set(names)) < len(names):
        raise BlockBatchError(f"Both parameters of the sweep are {names[0]}; name two different ones.")
    if "block_size" in names and not set(names) <= {"block_size", "commit_threshold"}:
        other = next(name for name in names if name != "block_size")
        raise BlockBatchError(
            f"block_size is that of Fast-dLLM, which has no {other}; sweep it alone or with commit_threshold."
        )
    if "refresh_interval" in names and base.refresh != "interval":
        raise BlockBatchError(
            f"refresh_interval does nothing while refresh is {base.refresh}; set refresh to interval to sweep it."
        )


def _check_count(count: int) -> None:
    if count > MOST_CELLS:
        raise BlockBatchError(f"The sweep would have {count} cells, but may have {MOST_CELLS}; give fewer values.")


def _config(base: DecodeConfig, values: Mapping[str, Any]) -> Config:
    if "block_size" not in values:
        return base.replace(**{"block_sizes" if name == "branches" else name: value for name, value in values.items()})
    return replace(
        fixed(FAST, values["block_size"], base.gen_length),
        commit_threshold=values.get("commit_threshold", base.commit_threshold),
        temperature=base.temperature,
        seed=base.seed,
    )
