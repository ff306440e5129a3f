"""The way of each branch's cached keys and values through a run, seen from far: one short vector a branch and step.

A cache row is large, so it is not recorded with a run.  On request the run is decoded again, step by step as it was
recorded, and after each step every row is projected at random to a few numbers, on the device, which keeps the
distances between rows about as they are.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from blockbatch.denoiser import Cache
from blockbatch.errors import ForkError
from blockbatch.fork import Follow, require_its_model
from blockbatch.run import AnyDecoder, Run
from blockbatch.trace import Floats, Step, Trace

if TYPE_CHECKING:
    from blockbatch.models import Model

DIMENSION = 128


@dataclass(frozen=True, eq=False)
class Trajectory:
    """n steps, counted from 0, and B branches by block size: all that ever took part, in ascending order.

    run: the id of the recorded run; kinds [n]; vectors [n, B, d], NaN at steps at which there is no such branch (one
    that is resized ends there, and another begins).  Milliseconds of wall time: that taking the vectors took, and that
    decoding again took.
    """

    run: str
    steps: tuple[int, ...]
    branches: tuple[int, ...]
    kinds: tuple[str, ...]
    vectors: Floats
    milliseconds: float
    decoding: float


Tracer = Callable[[Trace], Trajectory]  # decodes a run again for its trajectory
StepwiseTracer = Callable[[Trace], Iterator[Trajectory | None]]  # as `trajectory_by_step` does


class Principal(NamedTuple):
    """points [n, k]: along the k directions that vary most; shares [k]: of all variance, in descending order."""

    points: Floats
    shares: Floats


def record_trajectory(model: Model, trace: Trace, dimension: int = DIMENSION) -> Trajectory:
    """Decode `trace` again as far as it goes, and take the vectors of all branches after each step.

    ForkError where the trace is of another model, or a step comes out differently.  The cost is that of decoding, and
    of the vectors: 510 ms beside 2469 ms in the one measurement so far, of the embedded model and a run of 8 steps and
    six branches, on one thread of a two-core CPU that a training kept busy, so that it is rough:

        python -m ui.studies trajectory assets/traces/clean.ndjson out.json
    """
    for recorded in trajectory_by_step(model, trace, dimension):
        if recorded is not None:
            return recorded
    raise AssertionError("the last is the trajectory")


def trajectory_by_step(model: Model, trace: Trace, dimension: int = DIMENSION) -> Iterator[Trajectory | None]:
    """`record_trajectory`, that can be closed between two steps: None again and again, at last the trajectory."""
    require_its_model(model, trace)
    watch, total = _Watch(trace, dimension), 0.0
    run = Run(model, trace.header.prompt, trace.header.config, after_step=watch)
    lines = iter(run)
    while len(run.trace.steps) < len(trace.steps):
        began = time.perf_counter()
        if next(lines, None) is None:
            raise ForkError(f"The run ends here after {len(run.trace.steps)} steps, but the recorded one goes on.")
        if watch.problem:  # the run would raise it only after it has told its end
            raise watch.problem
        total += 1000 * (time.perf_counter() - began)
        yield None
    yield watch.trajectory(total)


def principal(vectors: Floats, k: int = 3) -> Principal:
    """Principal component analysis of `vectors` [n, d] by SVD; rows with NaN stay NaN and count for nothing.

    A direction's sign is such that the vector farthest along it lies on its positive side.  Where fewer than k
    directions vary, the others have points 0 and share 0.
    """
    there = ~np.isnan(vectors).any(axis=1)
    points, shares = np.full((len(vectors), k), np.nan), np.zeros(k)
    points[there] = 0.0
    if there.any():
        centred = vectors[there] - vectors[there].mean(axis=0)
        left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
        kept = min(k, len(sizes))
        along = left[:, :kept] * sizes[:kept]
        farthest = along[np.abs(along).argmax(axis=0), np.arange(kept)]
        points[there, :kept] = along * np.where(farthest < 0, -1.0, 1.0)
        shares[:kept] = sizes[:kept] ** 2 / max((sizes**2).sum(), np.finfo(float).tiny)
    return Principal(points, shares)


class _Watch:
    """Called after each step of the new run: takes the vectors, then keeps the run on the recorded one's track."""

    def __init__(self, trace: Trace, dimension: int) -> None:
        self._trace, self._dimension = trace, dimension
        self._follow = Follow(trace, len(trace.steps) - 1, {})
        self._projection: Callable[[Sequence[int]], Floats] | None = None
        self._taken: list[dict[int, Floats]] = []
        self._seconds = 0.0
        self.problem: Exception | None = None  # what broke, such as a step that differs from the record

    def __call__(self, step: Step, decoder: AnyDecoder) -> None:
        try:
            self._take(decoder)
            self._follow(step, decoder)
        except Exception as error:
            self.problem = error
            raise

    def _take(self, decoder: AnyDecoder) -> None:
        began = time.perf_counter()
        sizes, rows = decoder.branches.sizes.tolist(), decoder.branches.cache_rows.tolist()
        self._projection = self._projection or self._new_projection(decoder.cache)
        self._taken.append(dict(zip(sizes, self._projection(rows), strict=True)))
        self._seconds += time.perf_counter() - began

    def trajectory(self, milliseconds: float) -> Trajectory:
        """What was taken; `milliseconds` are those of all that was done."""
        header = self._trace.header
        branches = sorted({size for taken in self._taken for size in taken} or header.config.block_sizes)
        vectors = np.full((len(self._taken), len(branches), self._dimension), np.nan)
        for step, taken in enumerate(self._taken):
            for size, vector in taken.items():
                vectors[step, branches.index(size)] = vector
        kinds = tuple(step.kind for step in self._trace.steps)
        spent = 1000 * self._seconds
        return Trajectory(
            header.run, tuple(range(len(kinds))), tuple(branches), kinds, vectors, spent, milliseconds - spent
        )

    def _new_projection(self, cache: Cache) -> Callable[[Sequence[int]], Floats]:
        from blockbatch.models.cache import KVCache  # with torch, which drawing does without
        from blockbatch.models.projection import Projection

        assert isinstance(cache, KVCache), "a Model's denoiser makes such caches"
        return Projection(cache, len(self._trace.header.prompt_tokens), self._dimension)
