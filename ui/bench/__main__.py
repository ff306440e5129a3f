"""Command line: measure the page, print a table, write the figures as JSON."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from ui.bench import measures
from ui.bench.browser import BenchError, chromium
from ui.bench.report import TARGETS, rounded, save, table
from ui.bench.server import PAGE, Server, serve

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def measure(browser: Browser, server: Server, wanted: Sequence[str]) -> Iterator[tuple[str, float]]:
    """The figures in `wanted` by name, each as soon as it is known; names that are measured together come together."""
    if {"scrub_requests", "scrub_ms_128"} & set(wanted):
        short = measures.scrub(browser, server, length=128, steps=100)
        yield "scrub_requests", short.requests
        yield "scrub_ms_128", short.milliseconds
    if "scrub_ms_1024" in wanted:
        yield "scrub_ms_1024", measures.scrub(browser, server, length=1024, steps=300).milliseconds
    if "first_paint_ms" in wanted:
        yield "first_paint_ms", measures.first_paint(browser, server)
    if "live_lag_ms_p95" in wanted:
        yield "live_lag_ms_p95", measures.live_lag(browser)
    if "trace_kb" in wanted:
        yield "trace_kb", measures.trace_size()
    if "memory_growth_pct" in wanted:
        yield "memory_growth_pct", measures.memory_growth(browser, server)


def main() -> None:
    """Exit status 0, or one sentence on stderr and 1 where nothing can be measured."""
    parser = argparse.ArgumentParser(prog="python -m ui.bench", description="Measure the page in a real Chromium.")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures and their conditions there")
    parser.add_argument("--only", nargs="+", choices=list(TARGETS), default=list(TARGETS), metavar="KEY",
                        help="measure only these: " + ", ".join(TARGETS))  # fmt: skip
    arguments = parser.parse_args()
    try:
        with ExitStack() as stack:
            browser, server = stack.enter_context(chromium()), stack.enter_context(serve(PAGE))
            found = dict[str, float]()
            for name, value in measure(browser, server, arguments.only):
                found |= rounded({name: value})
                print(f"{name}: {found[name]:g}", file=sys.stderr, flush=True)
            conditions = measures.conditions(browser)
    except BenchError as error:
        sys.exit(f"ui.bench: {error}")
    print(table(found))
    if arguments.json:
        save(arguments.json, found, conditions)


if __name__ == "__main__":
    main()
