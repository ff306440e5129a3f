"""The generators: seeded, split without overlap, and right by their own checkers."""

import re
from itertools import islice
from pathlib import Path

import pytest
from transformers import AutoTokenizer

from blockbatch.tasks import FAMILIES, Example, FunctionCheck, examples, is_correct, kinds_of, split_of
from blockbatch.tasks.sandbox_child import results

TINY_MODEL = Path(__file__).parents[2] / "assets" / "tiny"
CODE_FAMILIES = ("functions", "programs")


def take(family: str, count: int, split: str = "train", seed: int = 0) -> list[Example]:
    return list(islice(examples(family, split, seed), count))


def passes_in_this_process(example: Example) -> bool:
    """The check of a trusted answer without a process for each: same program check, same builtins, same cases."""
    check = example.check_data
    assert isinstance(check, FunctionCheck)
    literals = results(example.answer, check.name, [repr(arguments) for arguments, _ in check.cases])
    return literals == [repr(expected) for _, expected in check.cases]


@pytest.mark.parametrize("family", FAMILIES)
def test_splits_share_no_prompt(family: str) -> None:
    train = {example.prompt for example in take(family, 3000)}
    held_out = {example.prompt for example in take(family, 600, "held-out")}
    assert train.isdisjoint(held_out)
    assert {split_of(prompt) for prompt in train} == {"train"}
    assert {split_of(prompt) for prompt in held_out} == {"held-out"}


@pytest.mark.parametrize("family", FAMILIES)
def test_same_seed_same_examples_and_other_seed_others(family: str) -> None:
    assert take(family, 50, seed=7) == take(family, 50, seed=7)
    assert take(family, 50, seed=7) != take(family, 50, seed=8)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_kind_appears_and_prompts_hardly_repeat(family: str) -> None:
    drawn = take(family, 1000)
    assert {example.kind for example in drawn} == set(kinds_of(family))
    assert len(kinds_of(family)) >= 8
    assert len({example.prompt for example in drawn}) > 950


@pytest.mark.parametrize("family", FAMILIES)
def test_one_prompt_has_many_wordings(family: str) -> None:
    """Answers differ in more than their numbers and names: the words alone are hardly ever the same."""
    shapes = {re.sub(r"\d+|[A-Z][a-z]+", "_", example.answer) for example in take(family, 500)}
    assert len(shapes) > 200


@pytest.mark.parametrize(
    ("family", "mean"), [("word-problems", 65), ("algebra", 73), ("functions", 58), ("programs", 56)]
)
def test_answers_are_as_long_as_the_model_card_says_and_leave_room_for_the_end_of_text(family: str, mean: int) -> None:
    tokenizer = AutoTokenizer.from_pretrained(TINY_MODEL)
    texts = [example.answer for example in take(family, 2000)]
    lengths = [len(ids) for ids in tokenizer(texts, add_special_tokens=False)["input_ids"]]
    assert max(lengths) < 128
    assert round(sum(lengths) / len(lengths)) == mean


@pytest.mark.parametrize("family", ["word-problems", "algebra"])
def test_own_prose_answers_are_right(family: str) -> None:
    assert all(is_correct(example, example.answer) for example in take(family, 2000))


@pytest.mark.parametrize("family", ["word-problems", "algebra"])
def test_every_equation_in_an_answer_holds(family: str) -> None:
    """Each `a op b = c` written in an answer is true: the steps are worked, not decoration."""
    pattern = re.compile(r"(?<![\w*/+-] )(?<![\w-])(-?\d+) ([-+*/]) (\d+) = (-?\d+)\b")
    for example in take(family, 1000):
        for left, sign, right, result in pattern.findall(example.answer):
            assert eval(f"{left} {sign} {right}") == int(result), example.answer


@pytest.mark.parametrize("family", CODE_FAMILIES)
def test_own_programs_are_right(family: str) -> None:
    assert all(map(passes_in_this_process, take(family, 400)))


@pytest.mark.parametrize("family", CODE_FAMILIES)
def test_own_programs_are_right_in_the_sandbox(family: str) -> None:
    assert all(is_correct(example, example.answer) for example in take(family, 40))


@pytest.mark.parametrize("family", CODE_FAMILIES)
def test_an_answer_to_another_prompt_is_wrong(family: str) -> None:
    """Renamed to what the prompt asks for, another problem's function still fails the hidden cases."""
    by_kind: dict[str, Example] = {}
    for example in take(family, 60):
        by_kind.setdefault(example.kind, example)
    first, *others = by_kind.values()
    assert isinstance(first.check_data, FunctionCheck)
    for other in others:
        assert isinstance(other.check_data, FunctionCheck)
        renamed = other.answer.replace(other.check_data.name, first.check_data.name)
        assert not is_correct(first, renamed)


def test_unknown_family_and_split_are_named() -> None:
    with pytest.raises(ValueError, match="'poems'"):
        examples("poems", "train")
    with pytest.raises(ValueError, match="'test'"):
        examples("algebra", "test")  # type: ignore[arg-type]
