"""The studies that are drawn from one run, in the order in which they are offered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import plotly.graph_objects as go

from blockbatch.errors import BlockBatchError
from blockbatch.trace import Trace
from blockbatch.trajectory import Tracer
from ui.studies.agreement import agreement
from ui.studies.packing import packing
from ui.studies.parting import parting
from ui.studies.trajectory import trajectory


@dataclass(frozen=True)
class Study:
    """title and sentence: what it is called and what it shows; function: makes the figure.

    takes_step: the function takes the trace and a step, counted from 0, which may be None.  needs_model: it takes
    what a `Tracer` makes of the trace.  Else it takes the trace alone.
    """

    title: str
    sentence: str
    function: Callable[..., go.Figure]
    takes_step: bool = False
    needs_model: bool = False

    def figure(self, trace: Trace, step: int | None = None, tracer: Tracer | None = None) -> go.Figure:
        """The figure of `trace`, at `step` if it takes one.

        IndexError for a step that the run has not; BlockBatchError where it needs a model and there is no `tracer`, or
        where that cannot decode the run again.
        """
        if self.takes_step:
            return self.function(trace, step)
        if not self.needs_model:
            return self.function(trace)
        if tracer is None:
            raise BlockBatchError(f"{self.title} needs the model, which decodes the run again; there is none here.")
        return self.function(tracer(trace))


STUDIES: dict[str, Study] = {
    "agreement": Study(
        "Agreement map",
        "Where the branches hold the same token after a step, where one holds another or none, and beneath it the "
        "consensus fraction: the share of branches that hold the token which most hold.",
        agreement,
        takes_step=True,
    ),
    "parting": Study(
        "Bifurcated tokens",
        "Where branches part: what each of them thought of the tokens in question, and which one it holds.",
        parting,
    ),
    "packing": Study(
        "Packed tokens per forward",
        "How many tokens each forward computes at once, branches and all, and how long it takes for them.",
        packing,
    ),
    "trajectory": Study(
        "KV-cache trajectories",
        "The path of each branch's cached keys and values over the steps, in the three directions that vary most "
        "(PCA); full recomputes are marked. The model decodes the run again for it.",
        trajectory,
        needs_model=True,
    ),
}
