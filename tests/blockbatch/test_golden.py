"""The official code's recorded results, reproduced.  BLOCKBATCH_GOLDEN names another folder of cases."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from standin import StandIn

from blockbatch.baselines import BaselineDecoder
from blockbatch.config import BaselineConfig, DecodeConfig
from blockbatch.decoder import Decoder
from blockbatch.metrics import totals
from blockbatch.state import Branches

FOLDER = Path(os.environ.get("BLOCKBATCH_GOLDEN") or Path(__file__).parents[1] / "golden")
PRESETS = {"blockbatch_periodic": "paper", "blockbatch_divergence": "latest"}
BASELINES = {
    "vanilla": "vanilla",
    "threshold_nocache": "threshold",
    "fast_prefix": "prefix-cache",
    "fast_dual": "dual-cache",
    "fast_dual_factor": "factor",
}
SETTINGS = {
    "threshold": "commit_threshold",
    **{name: name for name in ("block_sizes", "gen_length", "merge_threshold", "sync_threshold", "refresh_interval")},
    **{name: name for name in ("block_size", "steps", "factor")},
}


def cases(*files: str) -> list[Any]:
    """Every case of `files`, named by file, kind and seed."""
    found = []
    for file in files:
        golden = json.loads((FOLDER / file).read_text())
        for case in golden["cases"]:
            name = f"{case['kind']}-{case['seed']}"
            found.append(pytest.param(golden["alphabet"], case, id=name))
    return found


def settings(case: dict[str, Any]) -> dict[str, Any]:
    return {SETTINGS[name]: value for name, value in case.items() if name in SETTINGS}


def text(alphabet: str, row: Any) -> str:
    return "".join(alphabet[max(int(token), 0)] for token in row)


def stand_in(case: dict[str, Any]) -> StandIn:
    return StandIn(case["seed"], case["prompt_len"], case["answer_len"])


@pytest.mark.parametrize(("alphabet", "case"), cases("blockbatch_paper.json", "blockbatch_latest.json"))
def test_blockbatch_reproduces_the_official_run(alphabet: str, case: dict[str, Any]) -> None:
    model = stand_in(case)
    stages = []

    def note(stage: str, branches: Branches) -> None:
        stages.append(
            {
                "after": stage,
                "rows": [text(alphabet, row) for row in branches.rows],
                "windows": [[int(s), int(e)] for s, e in zip(branches.start, branches.end, strict=True)],
                "decoded": branches.decoded.tolist(),
                "done": branches.done.tolist(),
            }
        )

    prompt = [alphabet.index(character) for character in case["prompt"]]
    decoder = Decoder(model, prompt, DecodeConfig.preset(PRESETS[case["kind"]], **settings(case)), note)
    counted = totals(list(decoder))
    assert {
        "tokens": text(alphabet, decoder.tokens),
        "forwards": model.forwards,
        "denoise_forwards": counted.denoise,
        "refresh_forwards": counted.refresh,
        "winner_block_size": decoder.winner,
        "eos_index": decoder.eos,
        "merged": {str(branch): count for branch, count in counted.merged.items()},
        "copied": {str(branch): count for branch, count in counted.copied.items()},
    } == case["result"]
    assert counted.forwards == model.forwards
    if "stages" in case:
        assert stages == case["stages"]


@pytest.mark.parametrize(("alphabet", "case"), cases("baselines.json"))
def test_baseline_reproduces_the_official_run(alphabet: str, case: dict[str, Any]) -> None:
    model = stand_in(case)
    config = BaselineConfig(decoder=BASELINES[case["kind"]], stop_at_eos=False, **settings(case))
    decoder = BaselineDecoder(model, [alphabet.index(character) for character in case["prompt"]], config)
    steps = list(decoder)
    assert text(alphabet, decoder.tokens) == case["result"]["tokens"]
    assert len(steps) == model.forwards == case["result"]["forwards"]


def test_the_stand_in_makes_the_recorded_prompts() -> None:
    for param in cases("blockbatch_paper.json", "baselines.json"):
        alphabet, case = param.values
        assert text(alphabet, stand_in(case).prompt()) == case["prompt"]
