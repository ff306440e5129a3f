"""Jobs spread over processes of this machine, or over a Ray cluster.

A job's record depends on the model and the job alone: every worker computes with one thread, so sums are taken in the
same order whatever the number of workers.  Records come back in the order of the jobs.
"""

from __future__ import annotations

import functools
import importlib
import multiprocessing
import signal
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING, Any, NamedTuple

from blockbatch.bench.jobs import Job
from blockbatch.errors import BlockBatchError

if TYPE_CHECKING:
    from blockbatch.models import Model


class ModelSource(NamedTuple):
    """Where each worker gets the model from, as `load_model` takes it."""

    model: str
    device: str
    dtype: str | None


def on_processes(source: ModelSource, jobs: Sequence[Job], workers: int) -> Iterator[Any]:
    """The records of `jobs`, from `workers` processes of their own; BlockBatchError if one of them dies."""
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _leave_interrupts_to_the_parent)
    try:
        yield from pool.map(functools.partial(run_job, source), jobs)
    except BrokenProcessPool:
        raise BlockBatchError(
            "A worker process ended unexpectedly, perhaps for want of memory; try again with fewer --workers."
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


def on_ray(address: str, source: ModelSource, jobs: Sequence[Job]) -> Iterator[Any]:
    """The records of `jobs`, from the CPUs of the Ray cluster at `address` ("local" starts one on this machine).

    Its machines need this package, and the model under the same name.  BlockBatchError without Ray or a cluster.
    """
    try:
        ray: Any = importlib.import_module("ray")  # optional, so that nothing else may depend on its types
    except ImportError:
        raise BlockBatchError("--ray needs the package ray; install it with: pip install 'ray>=2.9'.") from None
    try:
        ray.init(address, ignore_reinit_error=True, log_to_driver=False, logging_level="error")
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise BlockBatchError(f"No Ray cluster answers at {address}: {' '.join(str(error).split())[:200]}") from error
    try:
        yield from _in_turn(ray, [ray.remote(run_job).remote(source, job) for job in jobs])
    finally:
        ray.shutdown()


def _in_turn(ray: Any, pending: Iterable[Any]) -> Iterator[Any]:
    for reference in pending:
        yield ray.get(reference)


def run_job(source: ModelSource, job: Job) -> Any:
    """The job's record; the model is loaded with the first job of a process."""
    return job.run(_loaded(source))


@functools.cache
def _loaded(source: ModelSource) -> Model:
    from blockbatch.models import load_model, work_quietly_with_one_thread

    work_quietly_with_one_thread()
    return load_model(*source)


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
