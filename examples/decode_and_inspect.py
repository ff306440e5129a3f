"""Decode a prompt in Python, change the run while it goes on, and look inside: `python examples/decode_and_inspect.py`.

Needs this project with its requirements; no page, no GPU and no network.
"""

# %% A model.  Any folder or hub id that the README lists will do; this one lies in the repository.
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # so that the script also runs where the project is not installed

from blockbatch.config import DecodeConfig  # noqa: E402
from blockbatch.decoder import Decoder  # noqa: E402
from blockbatch.events import Merge, Sync  # noqa: E402
from blockbatch.models import load_model  # noqa: E402
from blockbatch.run import Run  # noqa: E402

PROMPT = "Solve for x: 3x + 4 = 19"

model = load_model(str(ROOT / "assets" / "tiny"))

# %% The decoder by itself: iterate it, and between two steps change thresholds and branches.
decoder = Decoder(model.denoiser, model.encode(PROMPT), DecodeConfig(block_sizes=(4, 16, 64), gen_length=64))
for step in decoder:
    if step.index == 2:
        decoder.reconfigure(commit_threshold=0.7, resize={64: 48})  # acts from the next step on
print("answer:", repr(model.decode(decoder.tokens.tolist())), "of the branch with block size", decoder.winner)

# %% A run is a decode with its recording.  Each line is one NDJSON record, as soon as its step is done.
run = Run(model, PROMPT, DecodeConfig(gen_length=64))
for _line in run:
    pass
trace = run.trace
totals = trace.totals
print(f"{totals.forwards} forwards: {totals.init} init, {totals.denoise} denoise, {totals.refresh} refresh")

# %% Who took over what from whom?
for step in trace.steps:
    for event in step.events:
        if isinstance(event, Merge):
            print(f"step {step.index}: block {event.branch} took {trace.pieces[event.token]!r} from {event.source}")
        elif isinstance(event, Sync):
            print(f"step {step.index}: block {event.branch} was reset to the leader, block {event.leader}")

# %% What did a branch think of its positions at a step?
first = trace.steps[0].candidates[-1]
for position in first.positions[:3].tolist():
    best = ", ".join(f"{trace.pieces[token]!r} {probability:.2f}" for token, probability in first.at(position))
    print(f"block {first.branch}, position {position}: {best}")
