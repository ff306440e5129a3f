"""`python -m blockbatch sweep`, from the outside, and the file that it writes."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from benchruns import FILES, kept, run_into
from sweepcases import sized, swept

from blockbatch.__main__ import main
from blockbatch.bench import running
from blockbatch.bench.statistics import Share
from blockbatch.bench.sweep import Axis, Point
from blockbatch.bench.sweep_file import points_from_json, to_json
from blockbatch.bench.sweep_tables import as_csv, figures, markdown
from blockbatch.config import DecodeConfig
from blockbatch.errors import BlockBatchError

OPTIONS = [
    *("--parameter", "merge_threshold", "--values", "0.3,0.9", "--parameter", "branches", "--values", "4,4+8"),
    *("--family", "algebra", "--prompts", "2", "--gen-length", "8"),
]


def sweep(checkpoint: Path, folder: Path, *options: str) -> Path:
    """Run the command into `folder`."""
    return run_into(folder, checkpoint, "sweep", *OPTIONS, *options)


@pytest.fixture(scope="module")
def done(checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished sweep by one worker."""
    return sweep(checkpoint, tmp_path_factory.mktemp("sweep"), "--workers", "1")


def test_the_results_are_the_same_whatever_the_number_of_workers(done: Path, checkpoint: Path, tmp_path: Path) -> None:
    assert kept(sweep(checkpoint, tmp_path, "--workers", "2")) == kept(done)
    assert len(kept(done)) == 1 + 2 * 4


def test_it_writes_a_point_a_cell(done: Path) -> None:
    found = points_from_json((done / "figures.json").read_text())
    asked = [(0.3, (4,)), (0.3, (4, 8)), (0.9, (4,)), (0.9, (4, 8))]
    assert [tuple(point.cell.values.values()) for point in found] == asked
    assert [point.cell.index for point in found] == [0, 1, 2, 3]
    assert [point.cell.config for point in found] == [
        DecodeConfig(block_sizes=sizes, merge_threshold=merge, gen_length=8) for merge, sizes in asked
    ]
    assert all(point.prompts == {("algebra", 0), ("algebra", 1)} for point in found)
    lines = list(csv.DictReader((done / "figures.csv").read_text().splitlines()))
    assert [(line["merge_threshold"], line["branches"]) for line in lines] == [
        *(("0.3", "4"), ("0.3", "4+8"), ("0.9", "4"), ("0.9", "4+8")),
    ]
    assert [float(line["nfe"]) for line in lines] == [point.nfe for point in found]
    settings = json.loads((done / "figures.json").read_text())["settings"]
    assert (settings["gen_length"], settings["device"]) == (8, "cpu")
    assert (done / "figures.md").read_text() == markdown(found) + "\n"


def test_a_second_call_runs_nothing_again(
    done: Path, checkpoint: Path, here: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    before = {name: (done / name).read_text() for name in FILES.values()}
    sweep(checkpoint, done)
    assert {name: (done / name).read_text() for name in FILES.values()} == before
    assert capsys.readouterr().out == before["figures.md"]
    assert here == []


def test_an_interrupted_one_goes_on(done: Path, checkpoint: Path, here: list[Any], tmp_path: Path) -> None:
    lines = (done / "results.ndjson").read_text().splitlines(keepends=True)
    (tmp_path / "results.ndjson").write_text("".join(lines[:4]) + lines[4][:30])
    assert kept(sweep(checkpoint, tmp_path)) == kept(done)
    assert [job.key for job in here] == [json.loads(line)["key"] for line in lines[4:]]


def test_what_was_done_before_an_interrupt_is_kept(
    checkpoint: Path, here: list[Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run_jobs = running.on_processes

    def interrupted(*arguments: Any) -> Any:
        for number, record in enumerate(run_jobs(*arguments)):
            if number == 3:
                raise KeyboardInterrupt
            yield record

    monkeypatch.setattr(running, "on_processes", interrupted)
    results = tmp_path / "r.ndjson"
    assert main(["sweep", "--model", str(checkpoint), *OPTIONS, "--results", str(results)]) == 130
    assert len(results.read_text().splitlines()) == 1 + 3


def test_a_typed_prompt_has_no_accuracy(
    checkpoint: Path, here: list[Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "s.json"
    options = ["--parameter", "block_size", "--values", "4,8", "--gen-length", "8", "--prompt", "one two"]
    assert main(["sweep", "--model", str(checkpoint), *options, "--json", str(target)]) == 0
    found = points_from_json(target.read_text())
    assert [point.right for point in found] == [None, None]
    assert [point.cell.config.decoder for point in found] == ["dual-cache"] * 2
    assert "Oracle" not in capsys.readouterr().out
    assert [job.example.prompt for job in here] == ["one two"] * 2


def test_it_varies_what_it_is_told_to_vary(checkpoint: Path, here: list[Any]) -> None:
    options = ["--gen-length", "8", "--branches", "4,8", "--commit-threshold", "0.4", "--decoder", "latest"]
    assert main(["sweep", "--model", str(checkpoint), "--parameter", "branches", *options, "--prompt", "a b"]) == 0
    base = DecodeConfig.preset("latest", gen_length=8, commit_threshold=0.4)
    assert [job.config for job in here] == [base.replace(block_sizes=sizes) for sizes in ((4,), (8,), (4, 8))]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--values", "0.5"], "--values belongs behind the --parameter that takes them"),
        (
            ["--parameter", "merge_threshold", "--values", "0.5", "--values", "0.6"],
            "--values belongs behind the --parameter that takes them",
        ),
        (["--parameter", "speed"], "invalid choice: 'speed'"),
        ([], "--parameter"),
        (["--parameter", "merge_threshold", "--prompts", "0"], "'0' is not a whole number from 1 on"),
    ],
)
def test_a_command_that_makes_no_sense(options: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["sweep", *options])
    assert caught.value.code == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["merge_threshold", "--values", "a,b"], "'a,b' are no values of merge_threshold; give some such as 0.3,0.5"),
        (["sync_threshold", "--values", ""], "'' are no values of sync_threshold; give some such as 4,8,16."),
        (["branches", "--values", "4+x"], "'4+x' are no values of branches; give some such as 4,4+8,4+8+32."),
        (["merge_threshold", "--values", "0.5,7"], "merge_threshold is 7.0, but must be a number from 0 to 2."),
        (["sync_threshold", "--values", "2.5"], "sync_threshold is 2.5, but must be a whole number from 0 to"),
        (["merge_threshold", "--parameter", "merge_threshold"], "Both parameters of the sweep are merge_threshold;"),
        (["block_size", "--parameter", "sync_threshold"], "block_size is that of Fast-dLLM, which has no sync"),
        (["refresh_interval", "--refresh", "never"], "refresh_interval does nothing while refresh is never;"),
        (["merge_threshold", "--family", "algebra", "--prompt", "a"], "Give --prompt, or else --family and --prompts"),
        (["merge_threshold", "--prompts", "2", "--prompt", "a"], "Give --prompt, or else --family and --prompts"),
        (["merge_threshold", "--split", "train", "--prompt", "a"], "Give --prompt, or else --family and --prompts"),
        (["merge_threshold", "--json", "/nowhere/x.json"], "/nowhere/x.json cannot be written;"),
        (["merge_threshold", "--branches", "0"], "block_sizes is (0,), but must be 1 to 16 distinct whole numbers"),
    ],
)
def test_bad_input_is_one_sentence(options: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", "--parameter", *options]) == 2
    assert capsys.readouterr().err.startswith(f"blockbatch: {sentence}")


def test_a_sweep_file_is_read_as_it_was_written() -> None:
    for made in (sized({4: "xx.", 8: "x..", 32: "?"}), two_parameters(), []):
        assert points_from_json(to_json(made, {"model": "m"})) == made


def two_parameters() -> list[Point]:
    return swept([Axis("branches", ((4,), (4, 8))), Axis("sync_threshold", (4, 8))])


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda file: file.update(format="blockbatch-trace"), "its format is 'blockbatch-trace', but must be blockb"),
        (lambda file: file.update(version=2), "its version is 2, but this program reads 1."),
        (lambda file: file.pop("points"), "it lacks points."),
        (lambda file: file.pop("settings"), "it lacks settings."),
        (lambda file: file["points"].append(3), "point 5: a point is 3, but must be an object."),
        (lambda file: file["points"].append(file["points"][0]), "two of its points have the same index."),
        (lambda file: file["points"][1]["config"].pop("seed"), "point 2: seed is None, but must be given:"),
        (lambda file: file["points"][0].update(decoder="magic"), "point 1: its decoder is 'magic', but must be one of"),
        (lambda file: file["points"][0].update(index=-1), "point 1: its index is -1, but must be a whole number"),
        (lambda file: file["points"][0].update(outcomes=[]), "point 1: it has no outcomes."),
        (lambda file: file["points"][0]["values"].update(sync_threshold=5), "point 1: its values are not those of its"),
        (lambda file: file["points"][0]["values"].update(block_size=4), "point 1: its values are not those of its"),
        (lambda file: file["points"][0]["values"].update(speed=4), "point 1: its values are not those of its config."),
        (lambda file: file["points"][0].update(values={}), "point 1: its values are not those of its config."),
        (lambda file: file["points"][0]["values"].pop("branches"), "its points are not over the same parameter, or"),
        (lambda file: file["points"][2]["figures"].update(nfe=1.0), "point 3: its figures do not follow from its outc"),
        (lambda file: outcome_of(file).update(correct="yes"), "point 1: its correct is 'yes', but must be true or fal"),
        (lambda file: outcome_of(file).update(ms=-1), "point 1: its ms is -1, but must be a finite number from 0 on."),
        (lambda file: outcome_of(file).update(ms=10**400), "point 1: its ms is 1000"),
        (lambda file: outcome_of(file).update(denoise=1.5), "point 1: its denoise is 1.5, but must be a whole number"),
        (lambda file: outcome_of(file).update(block_sizes=[64]), "point 1: an outcome is not of its config."),
        (lambda file: outcome_of(file).pop("tokens"), "point 1: it lacks tokens."),
    ],
)
def test_a_damaged_sweep_file_is_one_sentence(damage: Any, sentence: str) -> None:
    file = json.loads(to_json(two_parameters(), {}))
    damage(file)
    with pytest.raises(BlockBatchError) as caught:
        points_from_json(json.dumps(file))
    assert str(caught.value).startswith(f"This is no sweep to draw: {sentence}")
    assert str(caught.value).endswith(".")


def outcome_of(file: Any) -> Any:
    return file["points"][0]["outcomes"][0]


@pytest.mark.parametrize("text", ["", "no json", "[]", "NaN", '{"format": "blockbatch-sweep"}', "[" * 9999])
def test_what_is_no_sweep_file_is_one_sentence(text: str) -> None:
    with pytest.raises(BlockBatchError, match=r"^This is no sweep to draw: .*\.$"):
        points_from_json(text)


def test_the_table_has_a_row_a_cell_and_says_what_it_counts() -> None:
    text = markdown(sized({4: "xx.", 8: "x..", 32: "..."}))
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.split("\n\n")[0].splitlines()]
    assert rows[0][:3] == ["block size", "prompts", "accuracy (95 % interval)"]
    assert [row[0] for row in rows[2:]] == ["4", "8", "32"]
    assert rows[2][2:5] == ["66.7 % (21-94)", "17.0", "1.0"]
    assert "### Oracle over block sizes" in text
    assert "NFE: forwards a prompt, mean" in text


def test_unjudged_points_leave_the_accuracy_empty() -> None:
    made = sized({4: "??", 8: "??"})
    assert markdown(made).splitlines()[2].split("|")[3].strip() == ""
    assert figures(made[0])["right"] is None
    assert "right" not in as_csv(made).splitlines()[0]
    assert made[0].right is None
    assert sized({4: "x?"})[0].right == Share(1, 1)
