"""The measurements.  Each takes a Chromium and a server and gives one figure."""

from __future__ import annotations

import gzip
import json
import os
import platform
import re
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any

from blockbatch.trace import Trace
from ui.bench.browser import SHOWN, VIEWPORT, page_of
from ui.bench.server import PACED, Server, serve
from ui.bench.synthetic import synthetic_trace

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SCRUBS = 300
OPENINGS = 7
STEPS_FOLLOWED = 100
SECONDS_TO_REST = 4  # until a page that was opened has drawn all its figures
RUNS, SETTLED = 50, 10
SCRIPTS = Path(__file__).with_name("scripts.js")


@dataclass(frozen=True)
class Scrub:
    """What dragging the scrubber through a run costs: requests in all, and the median work of a frame in ms."""

    requests: int
    milliseconds: float


def scrub(browser: Browser, server: Server, length: int, steps: int) -> Scrub:
    """`SCRUBS` steps through a run of six branches over `length` positions, one a frame.

    The work of a frame is the viewer's own, from the input event to the end of drawing.
    """
    with page_of(browser, server.url) as page, tempfile.TemporaryDirectory() as folder:
        show(page, synthetic_trace(length, steps, boldness=0.5), Path(folder) / "synthetic.ndjson")
        requests: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        work = page.evaluate(f"{script('scrub')}({SCRUBS})")
        return Scrub(len(requests), median(work))


def show(page: Page, trace: Trace, path: Path) -> None:
    """Open a trace file in the page and rest at its first step."""
    trace.save(path)
    page.set_input_files("input[type=file][accept='.ndjson']", path)
    page.wait_for_function(
        "text => document.querySelector('[data-part=count]').textContent.endsWith(text)",
        arg=f"of {len(trace.steps)}", timeout=60_000,
    )  # fmt: skip
    page.click("[data-part=first]")
    page.wait_for_timeout(1000)


def first_paint(browser: Browser, server: Server) -> float:
    """Median milliseconds from navigation to the bundled run on screen, each time in a browser without a cache."""
    with page_of(browser, server.url):
        pass  # warms the server up
    return median(opening(browser, server) for _ in range(OPENINGS))


def opening(browser: Browser, server: Server) -> float:
    """One of them."""
    with browser.new_context(viewport=VIEWPORT) as context:
        page = context.new_page()
        page.add_init_script(f"{script('firstPaint')}()")
        page.goto(server.url, wait_until="commit")
        page.wait_for_function("window.firstPaint", timeout=60_000)
        assert page.evaluate(SHOWN)
        return float(page.evaluate("window.firstPaint"))


def live_lag(browser: Browser) -> float:
    """95th percentile of the milliseconds between a step's leaving the decoder and its being drawn, at 20 a second."""
    with serve(PACED) as server, page_of(browser, server.url) as page:
        left = _told(server)
        page.wait_for_timeout(1000 * SECONDS_TO_REST)
        page.evaluate(f"{script('watchSteps')}()")
        page.check("#bb-pace input[value='0']")
        page.fill("#bb-prompt textarea", "any prompt")
        page.click("#bb-run")
        page.wait_for_function(f"window.drawn.length >= {STEPS_FOLLOWED}", timeout=120_000)
        drawn = dict(page.evaluate("window.drawn"))
        return percentile([drawn[step] - at for step, at in left.items() if step in drawn], 95)


def _told(server: Server) -> dict[int, float]:
    """When each step left, in milliseconds of the clock, filled in as the server tells it."""
    left: dict[int, float] = {}

    def listen() -> None:
        for line in server.process.stdout or ():
            if line.startswith('{"step"'):
                told = json.loads(line)
                left[told["step"]] = 1000 * told["at"]

    threading.Thread(target=listen, daemon=True).start()
    return left


def trace_size() -> float:
    """Kilobytes (1000 bytes) of a recorded run of six branches, 256 positions and 100 steps, compressed with gzip."""
    text = "\n".join(synthetic_trace(256, 100, boldness=0.5).lines()) + "\n"
    return len(gzip.compress(text.encode())) / 1000


def memory_growth(browser: Browser, server: Server, runs: int = RUNS, settled: int = SETTLED) -> float:
    """By how many percent the server's memory has grown after `runs` runs in a row since the run number `settled`."""
    with page_of(browser, server.url) as page:
        page.check("#bb-pace input[value='0']")
        for number in range(1, runs + 1):
            run_once(page)
            if number == settled:
                before = server.memory
    return 100 * (server.memory / before - 1)


def run_once(page: Page) -> None:
    """Press Run and wait for the end."""
    page.evaluate(f"{script('watchRun')}()")  # a run may be over before anybody looks whether it goes on
    page.click("#bb-run")
    page.wait_for_function("window.ran", timeout=60_000)
    page.wait_for_function("!document.querySelector('#bb-run').disabled", timeout=120_000)


def percentile(values: Sequence[float], percent: int) -> float:
    """The value below which `percent` percent of `values` lie."""
    return quantiles(values, n=100, method="inclusive")[percent - 1]


def script(name: str) -> str:
    """A function of scripts.js, as an expression."""
    found = re.search(rf"^(?:async )?function {name}\(.*?^}}", SCRIPTS.read_text(encoding="utf-8"), re.S | re.M)
    assert found, f"scripts.js has no function {name}"
    return f"({found[0]})"


def conditions(browser: Browser) -> dict[str, Any]:
    """What the figures may depend on."""
    return {
        "cpus": os.cpu_count(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "chromium": browser.version,
        **{name: version(name) for name in ("gradio", "torch", "transformers", "numpy")},
    }
