"""Programs that try to leave the sandbox, or never end, are refused or stopped, and harm nothing."""

import time
from pathlib import Path

import pytest

from blockbatch.tasks.sandbox import call_function


def test_returns_what_the_function_returns() -> None:
    code = "def f(x, y):\n    return [x, (y, {'a': None}), x / 2]"
    assert call_function(code, "f", [(1, "s"), (2, True)]) == [
        [1, ("s", {"a": None}), 0.5],
        [2, (True, {"a": None}), 1.0],
    ]


def test_a_call_cannot_change_the_arguments_of_the_caller() -> None:
    numbers = [3, 1]
    assert call_function("def f(xs):\n    xs.sort()\n    return xs", "f", [(numbers,)]) == [[1, 3]]
    assert numbers == [3, 1]


@pytest.mark.parametrize(
    "body",
    [
        "import os",
        "from os import system",
        "return __import__('os').getpid()",
        "return open('/etc/passwd').read()",
        "return open('/tmp/blockbatch-escape', 'w')",
        "return eval('1')",
        "return exec('1')",
        "return getattr([], 'app' + 'end')",
        "return ().__class__.__base__.__subclasses__()",
        "return '{0.__class__}'.format(1)",
        "return (x for x in [1]).gi_frame.f_back",
        "return globals()",
        "return __builtins__",
        "return type(1)",
        "class A: pass",
        "try:\n        pass\n    except: pass",
        "return (yield 1)",
        "global f",
    ],
)
def test_refused(body: str) -> None:
    assert call_function(f"def f(x):\n    {body}", "f", [(1,)]) is None


@pytest.mark.parametrize(
    "body",
    [
        "return [0] * 10 ** 10",
        "return 'x' * 10 ** 9",
        "return 10 ** 10 ** 7",
        "return f(x)",
        "return 'x' * 100000",
        "return range(3)",
        "return f",
        "return 1 / 0",
    ],
)
def test_too_much_or_no_literal(body: str) -> None:
    assert call_function(f"def f(x):\n    {body}", "f", [(1,)]) is None


@pytest.mark.parametrize("body", ["while True: pass", "xs = [1]\n    for x in xs: xs.append(x)"])
def test_endless_loops_are_stopped(body: str) -> None:
    start = time.monotonic()
    assert call_function(f"def f(x):\n    {body}", "f", [(1,)]) is None
    assert time.monotonic() - start < 20  # the limit is on CPU seconds and on the wall clock, both far below


def test_programs_write_no_files() -> None:
    assert not Path("/tmp/blockbatch-escape").exists()


@pytest.mark.parametrize(
    "code", ["", "x = 1", "f = 3", "def g(x):\n    return x", "def f():\n    return 1", "\0", "é" * 99]
)  # fmt: skip
def test_no_such_function(code: str) -> None:
    assert call_function(code, "f", [(1,)]) is None
