"""One HTML file that replays runs from a double click: `python -m ui.export TRACE [TRACE] --out page.html`.

The file holds the viewer's own markup, styles and script, and the runs as JSON; it asks nothing of any server, and its
own policy forbids it to.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

from blockbatch.errors import BlockBatchError
from blockbatch.reading import load_trace
from ui import plotlyjs
from ui.bundle import bundle
from ui.theme import style_sheets
from ui.viewer import FOLDER, Viewer, asset

PROBLEM = "This is a saved page: open the trace in the explorer to decode live"
NOTHING = "null"
SLOT = f'id="bb-runs">{NOTHING}<'  # the first one: the viewer's script, which fills it too, holds these words as well


@cache
def shell() -> str:
    """The page without runs: `NOTHING` stands in its slot, and the viewer or `page` puts JSON there."""
    script = unending(bundle(FOLDER, "saved.mjs", "openSaved();"))
    return Template(asset("saved.html")).substitute(
        style=f"<style>{style_sheets()}{asset('saved.css')}</style>",
        header=asset("header.html"),
        viewer=asset("viewer.html"),
        runs=NOTHING,
        props=inert({**Viewer(render=False).props, "problem": PROBLEM, "plotly": None}),  # it is in the page already
        plotly=f"<script>{unending(plotlyjs.FILE.read_text(encoding='utf-8'))}</script>",
        script=script,
    )


def page(runs: Sequence[tuple[str, str]], place: dict[str, Any] | None = None) -> str:
    """The page with `runs`, (NDJSON lines, name) each; `place` as the viewer's link.mjs makes it."""
    data = {"runs": [{"text": text, "name": name} for text, name in runs], "place": place}
    return shell().replace(SLOT, SLOT.replace(NOTHING, inert(data)), 1)


def unending(script: str) -> str:
    """`script`, if it can stand in a page; ValueError if words in it would end or hide what follows them."""
    if found := re.search(r"</script|<!--", script, re.IGNORECASE):
        raise ValueError(f"The viewer's script holds {found[0]}, which would end its element in a saved page.")
    return script


def inert(data: Any) -> str:
    """`data` as JSON that cannot end the script element it stands in."""
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; 2 and one sentence where a trace cannot be read or the file not be written."""
    parser = argparse.ArgumentParser(prog="python -m ui.export", description=(__doc__ or "").split(":")[0] + ".")
    parser.add_argument("trace", type=Path, metavar="TRACE", help="a recorded run, NDJSON")
    parser.add_argument("beneath", type=Path, nargs="?", metavar="TRACE", help="a run to compare it with")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE")
    parsed = parser.parse_args(arguments)
    try:
        paths = [parsed.trace, parsed.beneath] if parsed.beneath else [parsed.trace]
        runs = [("".join(f"{line}\n" for line in load_trace(path).lines()), path.stem) for path in paths]
        parsed.out.write_text(page(runs), encoding="utf-8")
    except (BlockBatchError, OSError) as error:
        print(f"blockbatch: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
