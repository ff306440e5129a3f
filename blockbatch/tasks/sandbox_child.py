"""The child of the sandbox: reads a request on standard input, writes a JSON list of result literals.

Run as a script by `python -I -S`, so it imports the standard library only. Leaves with a status other than 0 if
the program is refused or fails.
"""

import ast
import builtins
import json
import resource
import sys

_CPU_SECONDS = 1
_MEMORY_BYTES = 256 * 2**20
_LONGEST_RESULT = 2_000

_NODES = (
    ast.Module, ast.FunctionDef, ast.arguments, ast.arg, ast.Return, ast.Assign, ast.AugAssign, ast.AnnAssign,
    ast.For, ast.While, ast.If, ast.Assert, ast.Break, ast.Continue, ast.Pass, ast.Expr, ast.Name, ast.Constant,
    ast.Load, ast.Store, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Call, ast.keyword,
    ast.Subscript, ast.Slice, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.ListComp, ast.SetComp, ast.DictComp,
    ast.GeneratorExp, ast.comprehension, ast.Lambda, ast.Starred, ast.JoinedStr, ast.FormattedValue, ast.Attribute,
    ast.operator, ast.unaryop, ast.boolop, ast.cmpop,
)  # fmt: skip
_BUILTINS = (
    "abs", "all", "any", "bool", "chr", "dict", "divmod", "enumerate", "filter", "float", "int", "len", "list", "map",
    "max", "min", "ord", "pow", "range", "reversed", "round", "set", "sorted", "str", "sum", "tuple", "zip",
)  # fmt: skip
# Methods of text, lists, dicts and sets. `format` is not here: a format string can read any attribute.
_ATTRIBUTES = frozenset((
    "append", "extend", "insert", "pop", "remove", "clear", "index", "count", "sort", "reverse", "copy", "add",
    "discard", "update", "union", "intersection", "difference", "keys", "values", "items", "get", "setdefault",
    "join", "split", "strip", "lstrip", "rstrip", "replace", "lower", "upper", "title", "capitalize", "startswith",
    "endswith", "find", "isdigit", "isalpha", "isupper", "islower", "isspace", "isalnum", "swapcase", "splitlines",
))  # fmt: skip


class RefusedError(Exception):
    """The program holds something that is not allowed."""


def check(tree: ast.AST) -> None:
    """Raise RefusedError at the first construct, name or attribute that is not allowed."""
    for node in ast.walk(tree):
        if not isinstance(node, _NODES):
            raise RefusedError(type(node).__name__)
        if isinstance(node, ast.Attribute) and node.attr not in _ATTRIBUTES:
            raise RefusedError(node.attr)
        if isinstance(node, ast.Name) and "__" in node.id:
            raise RefusedError(node.id)
        if isinstance(node, ast.FunctionDef) and (node.decorator_list or "__" in node.name):
            raise RefusedError(node.name)


def limit() -> None:
    """Bound this process: seconds of CPU, bytes of memory, no bytes of files, no new processes or open files."""
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_SECONDS, _CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def results(code: str, name: str, arguments: list[str]) -> list[str]:
    """The results of the function as literals; raises whatever the program raises."""
    tree = ast.parse(code)
    check(tree)
    names: dict[str, object] = {"__builtins__": {word: getattr(builtins, word) for word in _BUILTINS}}
    exec(compile(tree, "<answer>", "exec"), names)
    function = names[name]
    if not callable(function):
        raise RefusedError(name)
    literals = [repr(function(*ast.literal_eval(args))) for args in arguments]
    if any(len(literal) > _LONGEST_RESULT for literal in literals):
        raise RefusedError("a result that is too long")
    return literals


def main() -> int:
    request = json.loads(sys.stdin.buffer.read())
    limit()
    try:
        answer = json.dumps(results(**request))
    except Exception:  # whatever is wrong with the program, the answer is wrong
        return 1
    sys.stdout.write(answer)
    return 0


if __name__ == "__main__":
    sys.exit(main())
