"""Decoding on ZeroGPU: each run is one call of a function that `spaces.GPU` wraps.

There the page's process never holds a GPU.  A call asks for one for some seconds, and is answered by a forked worker
that is kept for later calls.  What goes in and comes out is pickled, so a run is made again there from its `Job`, and
its visitor steers it through a control store that a forked process sees.  A run that is paused gives its GPU back, for
its seconds are taken from the visitor's quota, and is taken up again by another call, which decodes its steps anew.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from math import ceil

import gradio as gr

from blockbatch.errors import BlockBatchError
from blockbatch.trace import Trace
from blockbatch.trajectory import StepwiseTracer, Trajectory
from ui.engine import Engine
from ui.live import Decode, Job, Order
from ui.session import ControlStore
from ui.settings import Settings
from ui.steering import Beginning, Parked, Part, Refusal, Steering
from ui.viewer import session_line

logger = logging.getLogger(__name__)

SECONDS_TO_BEGIN = 10  # for moving the weights to the device, and what comes before the first step
SECONDS_A_FORWARD = 0.1  # of an 8B model over six branches, generously
MOST_SECONDS = 120  # of a visitor's daily quota that one run may take
SECONDS_OF_A_PAUSE = 3.0  # then the GPU is given back: about what taking the run up again costs


def seconds_for(gen_length: int, pace: float) -> int:
    """How long a run may take: a forward a position, which is the most that it needs, at the pace asked for."""
    a_step = max(SECONDS_A_FORWARD, 1 / pace if pace else 0.0)
    return ceil(min(SECONDS_TO_BEGIN + gen_length * a_step, MOST_SECONDS)) if gen_length else SECONDS_TO_BEGIN


def decode_on_gpu(engine: Engine, store: ControlStore, settings: Settings) -> Decode | None:
    """For `LiveRuns.elsewhere`: decodes an order under a key in a worker with a GPU; None where this is no ZeroGPU."""
    if not settings.zero_gpu:
        return None
    import spaces

    @spaces.GPU(duration=lambda *arguments: arguments[-1])
    def decode(job: Job, begin: Beginning, key: str, seconds: int) -> Iterator[Part | Parked]:
        limit = seconds - SECONDS_TO_BEGIN / 2  # ends by itself, before the worker would be ended in the midst of it
        yield from Steering(job.made_by(engine), begin, store, key, limit, SECONDS_OF_A_PAUSE)

    def decoded(order: Order, key: str) -> Iterator[Part | Parked]:
        seconds = seconds_for(order.begin.obeyed.settings["gen_length"], store.read(key).pace)
        try:
            yield from decode(order.job, order.begin, key, seconds)
        except Exception as error:
            yield Refusal(unlent(error))
            yield session_line("failed")

    return decoded


def trajectory_on_gpu(engine: Engine, settings: Settings) -> StepwiseTracer | None:
    """`engine.trajectory`; on ZeroGPU in a worker with a GPU, and with a BlockBatchError where it gets none."""
    trajectory = engine.trajectory
    if not settings.zero_gpu or trajectory is None:
        return trajectory
    import spaces

    @spaces.GPU(duration=lambda trace: seconds_for(2 * len(trace.steps), 0.0))  # a forward a step, and its vectors
    def record(trace: Trace) -> Iterator[Trajectory | Refusal | None]:
        try:
            yield from trajectory(trace)
        except BlockBatchError as error:
            yield Refusal(str(error))

    def recorded(trace: Trace) -> Iterator[Trajectory | None]:
        try:
            for found in record(trace):
                if isinstance(found, Refusal):
                    raise BlockBatchError(found.sentence)
                yield found
        except BlockBatchError:
            raise
        except Exception as error:
            raise BlockBatchError(unlent(error)) from None

    return recorded


def unlent(error: Exception) -> str:
    """Why no GPU was lent, in a sentence: none is free or the visitor's quota is used up, which the lender says itself;
    or it is out of order, which concerns whoever serves the page."""
    if isinstance(error, gr.Error):
        return str(error.message)
    logger.error("no GPU was lent", exc_info=error)
    return "No GPU could be had, for what lends them is out of order; try again in a while."
