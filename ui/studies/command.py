"""A study as a file: `python -m ui.studies STUDY TRACE OUT`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from html import escape
from pathlib import Path
from string import Template

import plotly.graph_objects as go

from blockbatch.errors import BlockBatchError
from blockbatch.options import add_model, check_writable, count
from blockbatch.reading import load_trace
from blockbatch.trace import Trace
from blockbatch.trajectory import Trajectory, record_trajectory
from ui.studies.catalogue import STUDIES, Study

PAGE = Path(__file__).parents[2] / "assets" / "viewer" / "study.html"
CONFIG = {"displaylogo": False}
ENDINGS = (".html", ".json")


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; 2 with one sentence on standard error where the input was at fault."""
    parsed = parser().parse_args(arguments)
    try:
        check_writable(parsed.out)
        if parsed.out.suffix not in ENDINGS:
            raise BlockBatchError(f"{parsed.out} ends in neither .html nor .json; give the file one of these endings.")
        study, trace = STUDIES[parsed.study], load_trace(parsed.trace)
        figure = drawn(study, trace, parsed)
        write(parsed.out, figure.to_json() if parsed.out.suffix == ".json" else page(figure, study, trace))
    except (BlockBatchError, OSError) as error:
        print(f"blockbatch: {error}", file=sys.stderr)
        return 2
    return 0


def parser() -> argparse.ArgumentParser:
    """The studies and their options."""
    top = argparse.ArgumentParser(
        prog="python -m ui.studies", description="Draws one of the paper's studies from a recorded run."
    )
    commands = top.add_subparsers(dest="study", required=True, metavar="STUDY")
    for name, study in STUDIES.items():
        _add(commands.add_parser(name, help=study.title, description=study.sentence), study)
    return top


def _add(command: argparse.ArgumentParser, study: Study) -> None:
    command.add_argument("trace", type=Path, metavar="TRACE", help="a recorded run, NDJSON")
    command.add_argument("out", type=Path, metavar="OUT", help=".html: a page that needs no network; .json: the figure")
    if study.takes_step:
        command.add_argument(
            "--step", type=count, metavar="N", help="from 1 on; default: the last at which branches part"
        )
    if study.needs_model:
        add_model(command)


def drawn(study: Study, trace: Trace, parsed: argparse.Namespace) -> go.Figure:
    """The figure that was asked for; BlockBatchError for a step that the run has not."""
    number = getattr(parsed, "step", None)
    if number is not None and number > len(trace.steps):
        raise BlockBatchError(f"The run has no step {number}; it has {len(trace.steps)} steps.")
    step = None if number is None else number - 1
    return study.figure(trace, step, partial(traced, parsed))


def traced(parsed: argparse.Namespace, trace: Trace) -> Trajectory:
    """The trajectory of the run, decoded again by the model that was named."""
    from blockbatch.models import load_model

    return record_trajectory(load_model(parsed.model, parsed.device, parsed.dtype), trace)


def page(figure: go.Figure, study: Study, trace: Trace) -> str:
    """One HTML page with the figure, plotly.js and the run's prompt in it."""
    return Template(PAGE.read_text(encoding="utf-8")).substitute(
        title=escape(study.title),
        sentence=escape(study.sentence),
        run=escape(f"{trace.header.model}, {trace.header.decoder}: {trace.header.prompt}"),
        figure=figure.to_html(CONFIG, full_html=False),
    )


def write(path: Path, text: str) -> None:
    """Write the file, whole or not at all."""
    partial_file = path.with_name(path.name + ".partial")
    try:
        partial_file.write_text(text, encoding="utf-8")
        partial_file.replace(path)
    finally:
        partial_file.unlink(missing_ok=True)
