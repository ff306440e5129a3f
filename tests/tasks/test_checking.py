"""The checkers accept any right wording and nothing else."""

import pytest

from blockbatch.tasks import Example, FunctionCheck, NumberCheck, is_correct

NUMBER = Example("word-problems", "any", "How many?", "The answer is 1204.", NumberCheck(1204))
FUNCTION = Example(
    "functions",
    "any",
    "Complete the function.",
    "",
    FunctionCheck("double", "def double(xs):", ((([1, 2],), [2, 4]), (([],), []))),
)


@pytest.mark.parametrize(
    "text",
    [
        "The answer is 1204.",
        "the answer is: 1,204",
        "Answer: $1204",
        "We had 7 and got 1197 more, so 1204",
        "The answer is 3. No, wait. The answer is 1204.",
        "The answer is 1204.0",
    ],
)
def test_right_numbers(text: str) -> None:
    assert is_correct(NUMBER, text)


@pytest.mark.parametrize(
    "text",
    ["", "no idea", "The answer is 1203.", "The answer is -1204.", "The answer is 12.", "1204 or 7", "1204" * 9000],
)  # fmt: skip
def test_wrong_numbers(text: str) -> None:
    assert not is_correct(NUMBER, text)


@pytest.mark.parametrize(
    "text",
    [
        "def double(xs):\n    return [2 * x for x in xs]",
        "def double(xs):\n    out = []\n    for x in xs:\n        out.append(x + x)\n    return out\n",
        "    return [x * 2 for x in xs]",
        "return [x * 2 for x in xs]",
        "Here it is:\n```python\ndef double(xs):\n    return [2 * x for x in xs]\n```\nIt doubles.",
        "Sure.\ndef two(x):\n    return x + x\n\ndef double(xs):\n    return list(map(two, xs))\n\nprint(double([1]))",
    ],
)
def test_right_programs(text: str) -> None:
    assert is_correct(FUNCTION, text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "def double(xs):\n    return xs",
        "def twice(xs):\n    return [2 * x for x in xs]",
        "def double(xs)\n    return [2 * x for x in xs]",
        "def double(xs):\n    return [2 * y for x in xs]",
        "def double(xs):\n    return 2 * xs",
        "return",
        "(" * 5000,
    ],
)
def test_wrong_programs(text: str) -> None:
    assert not is_correct(FUNCTION, text)
