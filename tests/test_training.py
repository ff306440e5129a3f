"""Training on a micro recipe: data, tokenizer, steps, resuming and the exported model."""

import argparse
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedTokenizerFast

from blockbatch.errors import ConfigError
from blockbatch.training import Recipe, add_arguments, run
from blockbatch.training import loop as training_loop
from blockbatch.training.chat import as_chat
from blockbatch.training.checkpoint import load_checkpoint
from blockbatch.training.data import Batch, BatchStream, make_pool, mask_responses
from blockbatch.training.evaluation import accuracy
from blockbatch.training.loop import train
from blockbatch.training.optimizer import orthogonalized
from blockbatch.training.recipe import Shares
from blockbatch.training.tokenizer import build_tokenizer, copied_tokens
from blockbatch.training.trainer import Trainer

MICRO = Recipe(
    minutes=0.03, batch_size=8, pool_batches=2, response_length=100, hidden=16, layers=2, heads=2, head_size=8,
    feed_forward=24, warmup_steps=2, drill_steps=0, evaluation_prompts=1, final_prompts=1,
)  # fmt: skip

SIGNS = {"plus": "+", "minus": "-", "times": "*", "divided by": "/"}


@pytest.fixture(scope="module")
def tokenizer() -> PreTrainedTokenizerFast:
    return build_tokenizer(MICRO.vocabulary, seed=0)


@pytest.fixture(scope="module")
def pool(tokenizer: PreTrainedTokenizerFast) -> list[Batch]:
    return make_pool(tokenizer.backend_tokenizer.to_str(), MICRO, 0)


def weights_of(trainer: Trainer) -> list[torch.Tensor]:
    return [*trainer.model.parameters(), *trainer.averaged.parameters()]


@pytest.mark.parametrize(
    "text", ["", "Mia has 12 apples.", "def f(x):\n    return x\n", "  two  spaces\t", "5x - 14 = 21", "naïve 東京 🙂"]
)  # fmt: skip
def test_tokenizer_round_trip(tokenizer: PreTrainedTokenizerFast, text: str) -> None:
    assert tokenizer.decode(tokenizer.encode(text)) == text


def test_every_digit_is_a_token(tokenizer: PreTrainedTokenizerFast) -> None:
    assert tokenizer.tokenize("2026") == ["2", "0", "2", "6"]
    pieces = [tokenizer.decode([token]) for token in range(len(tokenizer))]
    assert all(len(piece) == 1 for piece in pieces if any("0" <= letter <= "9" for letter in piece))


def test_special_tokens_and_chat_template(tokenizer: PreTrainedTokenizerFast) -> None:
    assert len(tokenizer) == MICRO.vocabulary
    assert len({tokenizer.mask_token_id, tokenizer.eos_token_id}) == 2
    assert tokenizer.pad_token_id == tokenizer.eos_token_id
    message = {"role": "user", "content": "What is 3 + 4?"}
    written = tokenizer.apply_chat_template([message], add_generation_prompt=True, tokenize=False)
    assert written == as_chat("What is 3 + 4?")
    assert tokenizer.encode(written)[0] == tokenizer.convert_tokens_to_ids("<|user|>")


def test_names_and_digits_are_told_apart(tokenizer: PreTrainedTokenizerFast) -> None:
    copied = copied_tokens(tokenizer)
    for text in (" Mia", "Tom", "7"):
        (token,) = tokenizer.encode(text)
        assert copied[token]
    assert not copied[tokenizer.encode("def")].any()


def test_pools_are_a_function_of_seed_and_index(tokenizer: PreTrainedTokenizerFast, pool: list[Batch]) -> None:
    serialized = tokenizer.backend_tokenizer.to_str()
    again, other = make_pool(serialized, MICRO, 0), make_pool(serialized, MICRO, 1)
    assert all(np.array_equal(one.ids, two.ids) for one, two in zip(pool, again, strict=True))
    assert not all(np.array_equal(one.ids, two.ids) for one, two in zip(pool, other, strict=True))


def test_pools_hold_mostly_drills_at_first(tokenizer: PreTrainedTokenizerFast) -> None:
    recipe = replace(MICRO, drill_steps=4, early_drill_share=0.75, drill_share=0.25)  # two pools of two batches
    serialized = tokenizer.backend_tokenizer.to_str()
    empty = tokenizer.encode(as_chat(""))
    counts = []
    for index in range(4):
        rows = np.concatenate([batch.ids[:, : len(empty)] for batch in make_pool(serialized, recipe, index)])
        counts.append(int((rows == empty).all(axis=1).sum()))
    assert counts == [6, 6, 2, 2]


def test_echoes_say_the_prompt_again(tokenizer: PreTrainedTokenizerFast) -> None:
    recipe = replace(MICRO, drill_share=0.5)
    found = 0
    for batch in make_pool(tokenizer.backend_tokenizer.to_str(), recipe, 0):
        for ids, response in zip(batch.ids, batch.response, strict=True):
            said = [tokenizer.decode(part, skip_special_tokens=True) for part in (ids[~response], ids[response])]
            found += said[0] == said[1]
    assert found == 4


def test_drills_ask_for_results_and_nothing_else(tokenizer: PreTrainedTokenizerFast) -> None:
    """What a row of drills may mask are the digits of right results, and the EOS at its end."""
    only_drills = replace(MICRO, drill_share=1.0)
    for batch in make_pool(tokenizer.backend_tokenizer.to_str(), only_drills, 0):
        for ids, response in zip(batch.ids, batch.response, strict=True):
            text = tokenizer.decode(ids[: ids.tolist().index(tokenizer.eos_token_id)])
            shown = tokenizer.decode(np.where(response, tokenizer.convert_tokens_to_ids("?"), ids)).rstrip("?")
            equations = re.findall(r"(\d+) (\S+(?: by)?) (\d+) (?:=|is) (\d+)", text)
            assert 4 <= len(equations) <= 12
            for left, sign, right, result in equations:
                worked = eval(f"{left} {SIGNS.get(sign, sign)} {right}")
                assert worked == int(result)
            hidden = re.sub(r"((?:=|is) )(\d+)", lambda found: found[1] + "?" * len(found[2]), text)
            assert shown == hidden.rstrip("?")


def test_stream_starts_at_any_step(tokenizer: PreTrainedTokenizerFast) -> None:
    serialized = tokenizer.backend_tokenizer.to_str()
    with BatchStream(serialized, MICRO, first_step=0) as stream:
        batches = [stream.draw() for _ in range(5)]
    with BatchStream(serialized, MICRO, first_step=3) as stream:
        late = [stream.draw() for _ in range(2)]
    assert [batch.ids.tolist() for batch in late] == [batch.ids.tolist() for batch in batches[3:]]


def test_masks_touch_responses_only_and_every_row(pool: list[Batch]) -> None:
    for seed in range(20):
        ids, masked, counted = mask_responses(pool[0], 0, np.random.default_rng(seed), Shares(0, 0), pool[0].response)
        assert np.array_equal(masked, counted)
        assert masked.any(axis=1).all()
        assert not masked[~pool[0].response].any()
        assert (ids[masked] == 0).all()
        assert np.array_equal(ids[~masked], pool[0].ids[~masked])


def test_masks_in_blocks_are_what_a_decode_in_blocks_sees(pool: list[Batch]) -> None:
    """Nothing is masked before the block, everything after it, and the loss counts the block alone."""
    for seed in range(20):
        ids, masked, counted = mask_responses(pool[0], 0, np.random.default_rng(seed), Shares(1, 0), pool[0].ids > 700)
        assert counted.any(axis=1).all()
        assert not masked[~pool[0].response].any()
        assert np.array_equal(ids[~masked], pool[0].ids[~masked])
        for row, known, response in zip(masked, counted, pool[0].response, strict=True):
            assert np.flatnonzero(row)[0] == np.flatnonzero(known)[0]
            beyond = np.flatnonzero(row & ~known)
            if len(beyond):
                assert beyond.tolist() == [at for at in range(beyond[0], len(row)) if response[at]]
                assert np.flatnonzero(known)[-1] < beyond[0]


def test_masks_in_hard_tokens_touch_nothing_else(pool: list[Batch]) -> None:
    hard = pool[0].ids > 700
    for seed in range(20):
        _, masked, counted = mask_responses(pool[0], 0, np.random.default_rng(seed), Shares(0, 1), hard)
        some = (hard & pool[0].response).any(axis=1)
        assert some.any()
        assert np.array_equal(masked, counted)
        assert not masked[some][~hard[some]].any()
        assert (masked[some].sum(axis=1) >= 1).all()


def test_most_rows_are_masked_as_a_decode_sees_them_in_the_second_half() -> None:
    early, late = (Recipe().masks(share) for share in (0.0, Recipe().late))
    assert Recipe().masks(Recipe().late - 1e-6) == early
    assert early.blocks < 0.5 < late.blocks
    assert all(0 < sum(shares) < 1 for shares in (early, late)), "some rows are masked whole all the time"


def test_half_of_the_rows_are_masked_in_blocks(pool: list[Batch]) -> None:
    random = np.random.default_rng(0)
    rows = [mask_responses(batch, 0, random, Shares(0.5, 0.2), batch.response) for batch in pool for _ in range(20)]
    in_blocks = np.concatenate([(masked & ~counted).any(axis=1) for _, masked, counted in rows])
    assert 0.35 < in_blocks.mean() < 0.5  # a block that reaches the end of its row leaves nothing beyond it


def test_orthogonalized_has_singular_values_near_one() -> None:
    torch.manual_seed(0)
    for shape in ((3, 16, 16), (2, 24, 16), (2, 16, 24)):
        values = torch.linalg.svdvals(orthogonalized(torch.randn(shape)))
        assert values.min() > 0.3
        assert values.max() < 1.3


def test_rates_warm_up_hold_and_fall_to_zero() -> None:
    recipe = Recipe(warmup_steps=10, decay_share=0.5)
    assert recipe.rate(0, 0.0) == pytest.approx(0.1)
    assert recipe.rate(100, 0.3) == 1.0
    assert recipe.rate(100, 0.75) == pytest.approx(0.5)
    assert recipe.rate(100, 1.2) == 0.0


def test_steps_lower_the_loss(tokenizer: PreTrainedTokenizerFast, pool: list[Batch]) -> None:
    trainer = Trainer(MICRO, tokenizer)
    losses = [trainer.learn(pool[0]).training for _ in range(30)]
    assert np.mean(losses[-3:]) < 0.8 * losses[0]


def test_two_threads_learn_what_one_learns(tokenizer: PreTrainedTokenizerFast, pool: list[Batch]) -> None:
    one, two = Trainer(MICRO, tokenizer, threads=1), Trainer(MICRO, tokenizer, threads=2)
    for batch in pool:
        torch.testing.assert_close(one.learn(batch).training, two.learn(batch).training, rtol=1e-3, atol=1e-3)


@pytest.mark.skipif(not shutil.which("g++"), reason="torch compiles with g++, which is not installed")
def test_compiled_layers_learn_the_same(tokenizer: PreTrainedTokenizerFast, pool: list[Batch]) -> None:
    recipe = replace(MICRO, layers=1)  # compiling takes its time
    plain, compiled = Trainer(recipe, tokenizer), Trainer(recipe, tokenizer)
    compiled.compile()
    assert compiled.learn(pool[0]) == pytest.approx(plain.learn(pool[0]), rel=2e-2)  # bfloat16, in another order
    assert compiled.state()["model"].keys() == plain.state()["model"].keys()


def test_resumed_run_equals_an_uninterrupted_one(
    tokenizer: PreTrainedTokenizerFast, pool: list[Batch], tmp_path: Path
) -> None:
    whole, first, second = (Trainer(MICRO, tokenizer) for _ in range(3))
    for batch in pool * 2:
        whole.learn(batch)
    for batch in pool:
        first.learn(batch)
    torch.save(first.state(), tmp_path / "state.pt")
    second.load_state(torch.load(tmp_path / "state.pt", weights_only=True))
    for batch in pool:
        second.learn(batch)
    assert second.step == whole.step
    assert all(map(torch.equal, weights_of(whole), weights_of(second)))


def test_train_exports_resumes_and_reports(
    tmp_path: Path, tokenizer: PreTrainedTokenizerFast, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    # An untrained model answers with noise up to the full length; how right that is, is not what is tested.
    monkeypatch.setattr(training_loop, "accuracy", lambda *_: {"algebra": 0.5})
    monkeypatch.setattr(training_loop, "build_tokenizer", lambda *_: tokenizer)
    output, checkpoints = tmp_path / "model", tmp_path / "run"
    output.mkdir()
    (output / "README.md").write_text("card")
    assert train(MICRO, output, checkpoints) == {"algebra": 0.5}
    saved = load_checkpoint(checkpoints)
    assert saved is not None
    steps, before = saved[0]["step"], load_file(output / "model.safetensors")
    train(replace(MICRO, minutes=0.06), output, checkpoints)
    saved = load_checkpoint(checkpoints)
    assert saved is not None
    assert saved[0]["step"] > steps
    after = load_file(output / "model.safetensors")
    assert any(not torch.equal(before[name], after[name]) for name in before)
    assert (output / "README.md").read_text() == "card"
    assert not (output / ".partial").exists()
    assert "algebra 50%" in capsys.readouterr().out
    check_layout(output)
    with pytest.raises(ValueError, match="another recipe"):
        train(replace(MICRO, seed=1), output, checkpoints)


def check_layout(folder: Path) -> None:
    """The folder is a Hugging Face model that the stock classes load."""
    config = json.loads((folder / "config.json").read_text())
    loaded = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder)
    assert type(model).__name__ == "Qwen3ForCausalLM"
    assert config["vocab_size"] == len(loaded)
    assert config["mask_token_id"] == loaded.mask_token_id
    assert config["eos_token_id"] == loaded.eos_token_id
    assert config["pad_token_id"] == loaded.pad_token_id


def test_shipped_model_has_the_layout_and_fits() -> None:
    folder = Path(__file__).parents[1] / "assets" / "tiny"
    check_layout(folder)
    assert sum(file.stat().st_size for file in folder.iterdir() if file.is_file()) < 16 * 2**20


def test_accuracy_is_a_share_for_every_family(tokenizer: PreTrainedTokenizerFast) -> None:
    trainer = Trainer(MICRO, tokenizer)
    shares = accuracy(trainer.averaged, tokenizer, prompts=1, length=20, crew=trainer.crew)
    assert shares == dict.fromkeys(("word-problems", "algebra", "functions", "programs"), 0.0)


def test_command_refuses_impossible_numbers() -> None:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    for option in ("--minutes", "--threads"):
        with pytest.raises(ConfigError, match=f"{option[2:]} is 0"):
            run(parser.parse_args([option, "0"]))


def test_command_passes_its_arguments_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen = SimpleNamespace()
    monkeypatch.setattr(torch, "set_num_threads", lambda _: None)
    monkeypatch.setattr(training_loop, "train", lambda *given: setattr(seen, "given", given))
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    arguments = ["--minutes", "3", "--seed", "5", "--threads", "2", "--output", str(tmp_path), "--checkpoints", "c",
                 "--compile"]  # fmt: skip
    assert run(parser.parse_args(arguments)) == 0
    assert seen.given == (replace(Recipe(), minutes=3.0, seed=5), tmp_path, Path("c"), 2, True)
