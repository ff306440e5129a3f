"""`python -m blockbatch bench`, from the outside, and the jobs that it plans."""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from benchruns import FILES, kept, run_into
from runs import recorded
from scripted import ScriptedModel
from standin import StandIn

from blockbatch.__main__ import main
from blockbatch.bench import command, plan
from blockbatch.bench.jobs import Trial, outcome
from blockbatch.bench.workers import ModelSource, on_ray
from blockbatch.config import BaselineConfig, DecodeConfig
from blockbatch.errors import BlockBatchError
from blockbatch.models import Model, fingerprint
from blockbatch.tasks import FAMILIES, examples

OPTIONS = [
    *("--family", "algebra", "--family", "functions", "--prompts", "2", "--gen-length", "8", "--calibration", "1"),
    *("--decoder", "dual-cache", "--decoder", "local-leap", "--decoder", "paper"),
    *("--block-sizes", "4,8", "--branches", "4,8"),
]


def bench(checkpoint: Path, folder: Path, *options: str) -> Path:
    """Run the command into `folder`."""
    return run_into(folder, checkpoint, "bench", *OPTIONS, *options)


@pytest.fixture(scope="module")
def done(checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished benchmark by one worker."""
    return bench(checkpoint, tmp_path_factory.mktemp("bench"), "--workers", "1")


def test_the_results_are_the_same_whatever_the_number_of_workers(done: Path, checkpoint: Path, tmp_path: Path) -> None:
    assert kept(bench(checkpoint, tmp_path, "--workers", "2")) == kept(done)
    assert len(kept(done)) == 1 + 2 * (2 * 5 + 1)


def test_it_writes_the_figures_of_every_family_and_decoder(done: Path) -> None:
    figures = json.loads((done / "figures.json").read_text())
    asked = [("dual-cache", [4]), ("dual-cache", [8]), ("local-leap", [4]), ("local-leap", [8]), ("paper", [4, 8])]
    assert [(row["family"], row["decoder"], row["block_sizes"]) for row in figures["rows"]] == [
        (family, decoder, sizes) for family in ("algebra", "functions", "all") for decoder, sizes in asked
    ]
    for row in figures["rows"]:
        assert row["nfe"] == pytest.approx(row["nfe_init"] + row["nfe_denoise"] + row["nfe_refresh"])
        assert row["right"]["n"] == (4 if row["family"] == "all" else 2)
        assert row["ms"] > 0
        assert row["against_best"]["fewer_forwards"] < 1
        assert row["against_32"] is None  # block 32 was not asked for
    assert [one["decoder"] for one in figures["oracles"]] == ["dual-cache", "local-leap"] * 3
    assert figures["samples"] == 2
    assert figures["settings"]["gen_length"] == 8
    assert (done / "figures.csv").read_text().count("\n") == 1 + len(figures["rows"])
    assert "### Calibration" in (done / "figures.md").read_text()


def test_a_second_call_runs_nothing_again(
    done: Path, checkpoint: Path, here: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    before = {name: (done / name).read_text() for name in FILES.values()}
    bench(checkpoint, done)
    assert {name: (done / name).read_text() for name in FILES.values()} == before
    assert capsys.readouterr().out == before["figures.md"]
    assert here == []


def test_an_interrupted_one_goes_on(done: Path, checkpoint: Path, here: list[Any], tmp_path: Path) -> None:
    lines = (done / "results.ndjson").read_text().splitlines(keepends=True)
    (tmp_path / "results.ndjson").write_text("".join(lines[:10]) + lines[10][:30])
    assert kept(bench(checkpoint, tmp_path)) == kept(done)
    assert [job.key for job in here] == [json.loads(line)["key"] for line in lines[10:]]


def test_results_of_another_length_are_refused(
    done: Path, checkpoint: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = str(done / "results.ndjson")
    assert main(["bench", "--model", str(checkpoint), "--gen-length", "4", "--results", results]) == 2
    assert "holds results with gen_length 8, but here it is 4;" in capsys.readouterr().err


def test_right_answers_are_counted(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    right = [example.answer for example in plan.prompts("algebra", 4)]
    answers = iter([*right[:3], "no idea"])
    monkeypatch.setattr(Model, "decode", lambda self, tokens: next(answers))
    monkeypatch.setattr(Model, "encode", lambda self, prompt: [5, 6])
    trials = plan.trials(["algebra"], [BaselineConfig("threshold", 4, 4)], 4)
    outcomes = [trial.run(model) for trial in trials]
    assert [one.correct for one in outcomes] == [True, True, True, False]
    assert all(one.init == 1 and one.forwards <= 4 and one.tokens <= 4 for one in outcomes)


def test_the_plan_of_a_whole_benchmark() -> None:
    found = plan.configs(plan.DECODERS, None, (4, 8), 64)
    assert [(config.decoder, config.block_sizes) for config in found] == [
        ("vanilla", (32,)),
        *(("dual-cache", (size,)) for size in (4, 8, 16, 32, 64, 128)),
        ("local-leap", (32,)),
        ("paper", (4, 8)),
        ("latest", (4, 8)),
        ("plus", (4, 8)),
    ]
    assert all(config.gen_length == 64 for config in found)
    of_presets = plan.configs(["paper", "plus"], None, None, 128)
    assert of_presets == [DecodeConfig.preset("paper"), DecodeConfig.preset("plus")]
    assert all(config.stop_at_eos for config in found if isinstance(config, BaselineConfig))


def test_the_split_to_choose_by_is_none_of_the_prompts_to_judge_by() -> None:
    found = {split: plan.drawn_from(["algebra", "programs"], 20, split) for split in ("train", "held-out")}
    assert plan.drawn_from(["algebra", "programs"], 20) == found["held-out"]
    train, held_out = ({example.prompt for _, example in pairs} for pairs in found.values())
    assert len(train) == len(held_out) == 40
    assert train.isdisjoint(held_out)
    parsed = argparse.ArgumentParser()
    command.add_arguments(parsed)
    asked = parsed.parse_args(["--split", "train", "--family", "algebra", "--prompts", "2", "--decoder", "plus"])
    assert [trial.example for trial in command._trials(asked)] == [example for _, example in found["train"][:2]]


def test_one_off_questions() -> None:
    found = plan.configs(["paper", "dual-cache"], (32,), (8, 32, 128), 128)
    assert found == [DecodeConfig(block_sizes=(8, 32, 128)), BaselineConfig("dual-cache", 32)]


@pytest.mark.parametrize("family", FAMILIES)
def test_the_prompts_are_distinct_and_the_first_held_out_ones(family: str) -> None:
    texts = [example.prompt for example in plan.prompts(family, 200)]
    assert len(set(texts)) == 200
    drawn = [example.prompt for example in itertools.islice(examples(family, "held-out"), 400)]
    assert texts == list(dict.fromkeys(drawn))[:200]
    assert [example.prompt for example in plan.prompts(family, 10)] == texts[:10]


def test_a_family_with_too_few_prompts_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    one = next(examples("algebra", "held-out"))
    monkeypatch.setattr(plan, "examples", lambda family, split: itertools.repeat(one))
    with pytest.raises(BlockBatchError, match="algebra has 1 held-out prompts to offer, not 3"):
        plan.prompts("algebra", 3)


def test_jobs_are_known_by_prompt_and_config() -> None:
    first, second = plan.prompts("algebra", 2)
    jobs = [
        Trial(first, 0, BaselineConfig("dual-cache", 32)),
        Trial(second, 1, BaselineConfig("dual-cache", 32)),
        Trial(first, 0, BaselineConfig("dual-cache", 16)),
        Trial(first, 0, BaselineConfig("factor", 32)),
        Trial(first, 0, DecodeConfig()),
        Trial(first, 0, DecodeConfig(merge_threshold=0.6)),
    ]
    assert len({job.key for job in jobs}) == len(jobs)
    assert Trial(first, 0, DecodeConfig()).key == jobs[4].key


def test_a_fingerprint_tells_weights_apart(checkpoint: Path, model: Model) -> None:
    from blockbatch.models import load_model

    again = load_model(str(checkpoint))
    assert fingerprint(again) == fingerprint(model)
    next(iter(again.denoiser.model.parameters())).data[0] += 1
    assert fingerprint(again) != fingerprint(model)


def test_ray_that_is_not_there_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(BlockBatchError, match="--ray needs the package ray; install it with"):
        list(on_ray("auto", ModelSource("m", "cpu", "float32"), []))


def test_a_ray_cluster_gives_the_same_results(
    done: Path, checkpoint: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("ray", reason="ray is optional and not installed")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    assert kept(bench(checkpoint, tmp_path, "--ray", "local")) == kept(done)


class Short(ScriptedModel):
    """A model on the stand-in, whose answers have about `words` words."""

    def __init__(self, words: int) -> None:
        super().__init__()
        self.denoiser, self.vocabulary = StandIn(0, 4, words), [f"word{token}" for token in range(StandIn.vocab)]

    def encode(self, prompt: str) -> list[int]:
        tokens: list[int] = self.denoiser.prompt()
        return tokens


def test_tokens_of_an_answer_are_those_of_its_text() -> None:
    """The paper's decoder does not look for an end of text that a full forward or a merge wrote, and may go on."""
    config, early = DecodeConfig(block_sizes=(2, 4, 8), gen_length=16, commit_threshold=0.3), 0
    for length in range(12):
        trace = recorded(config, model=Short(length))
        assert trace.end is not None
        row = trace.rows(len(trace.steps) - 1)[trace.end.winner].tolist()
        text = row[: row.index(StandIn.eos_id)] if StandIn.eos_id in row else row
        assert outcome(trace, None, 0).tokens == sum(token >= 0 for token in text)
        early += trace.end.eos is not None and len(text) < trace.end.eos
    assert early


def test_an_empty_answer_can_be_measured_but_not_calibrated(
    checkpoint: Path, here: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["bench", "--model", str(checkpoint), "--family", "algebra", "--prompts", "1", "--gen-length", "0"]
    assert main(options) == 0
    assert "| algebra | vanilla " in capsys.readouterr().out
    assert main([*options, "--calibration", "1"]) == 2
    assert capsys.readouterr().err.endswith("give a --gen-length from 1 on.\n")


def test_no_file_is_written_over_another(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "kept.ndjson"
    kept.write_text("results of many hours\n")
    (tmp_path / "same.json").symlink_to(kept)
    options = ["--results", str(kept), "--json", str(tmp_path / "same.json")]
    for asked in (["bench"], ["sweep", "--parameter", "block_size"]):
        assert main([*asked, "--prompts", "1", *options]) == 2
        assert "same.json is to hold two things; give " in capsys.readouterr().err
    assert kept.read_text() == "results of many hours\n"
