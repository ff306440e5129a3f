"""Runs an untrusted function in a bare, limited Python process and returns what it returned.

Three fences, each enough for the harmless mistakes of a model: the child parses the program and refuses every
construct, name and attribute that is not on a list; it runs under limits of time, memory and files; and the
parent ends it after a wall-clock limit.
"""

import ast
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

_CHILD = Path(__file__).with_name("sandbox_child.py")
_WALL_SECONDS = 5.0


def call_function(code: str, name: str, arguments: Sequence[tuple[object, ...]]) -> list[object] | None:
    """What `name` of the program returns for each tuple of literal arguments, or None.

    None means: refused, not a program, an exception, a limit exceeded, or a result that is not a literal.
    """
    request = json.dumps({"code": code, "name": name, "arguments": [repr(args) for args in arguments]})
    try:
        child = subprocess.run(
            [sys.executable, "-I", "-S", "-B", str(_CHILD)], input=request.encode(), stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, timeout=_WALL_SECONDS, env={}, cwd="/", check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return None
    return _results(child.stdout) if child.returncode == 0 else None


def _results(output: bytes) -> list[object] | None:
    try:
        return [ast.literal_eval(text) for text in json.loads(output)]
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
