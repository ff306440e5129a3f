"""Open a recorded run where neither torch nor gradio is installed: `python examples/open_a_trace.py [FILE]`.

Needs numpy and this repository's `blockbatch` folder.  A trace is what the page downloads, what
`python -m blockbatch generate --trace FILE` writes, and what lies in assets/traces.
"""

# %% Read it; a file that is no valid recording is one TraceError that names the line.
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # so that the script also runs where the project is not installed

import numpy as np  # noqa: E402

from blockbatch.reading import load_trace  # noqa: E402

path = Path(sys.argv[1]) if len(sys.argv) > 1 else sorted((ROOT / "assets" / "traces").glob("*.ndjson"))[0]
trace = load_trace(path)
assert trace.end is not None
print(f"{trace.header.decoder} with {trace.header.model}: {len(trace.steps)} steps, stopped by {trace.end.stop}")

# %% Each branch's tokens after any step; -1 is masked.  No grid is stored: rows are the fold of the events.
half = len(trace.steps) // 2
for size, row in trace.rows(half).items():
    print(f"after step {half}, block {size:3}: {(row >= 0).sum()} of {len(row)} positions filled")

# %% How sure was the branch that won, step by step?
for step in trace.steps:
    for candidates in step.candidates:
        if candidates.branch == trace.end.winner and len(candidates.counts):
            best = candidates.probabilities[np.cumsum(candidates.counts) - candidates.counts]
            print(f"step {step.index:3} {step.kind:8} best candidates: mean {best.mean():.2f}, least {best.min():.2f}")

# %% The answer.
print(trace.end.text)
