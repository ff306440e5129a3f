"""Grammar of the code answers: loop shapes, accumulators and conditions that mean the same and read differently."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from blockbatch.tasks.example import FunctionCheck
from blockbatch.tasks.grammar import Draw

_ITEMS = ("x", "v", "item", "value", "e")
_INDICES = ("i", "j", "k")
_VERBS = ("get", "find", "make", "compute", "do", "run", "give", "take", "read", "solve")
_NOUNS = ("result", "answer", "data", "list", "parts", "things", "values", "group", "pick", "task", "score", "row")


def function_name(draw: Draw) -> str:
    """A name that says nothing about the task, so that it has to be copied."""
    return f"{draw.one_of(_VERBS)}_{draw.one_of(_NOUNS)}"


class Condition(NamedTuple):
    """A test of one number: its words, its code around an item, and its truth."""

    words: str
    code: Callable[[str], str]
    holds: Callable[[int], bool]
    bound: int


def condition(draw: Draw) -> Condition:
    """A comparison with a bound of 2..60, or divisibility by 2..9."""
    bound, divisor = draw.number(2, 60), draw.number(2, 9)
    flipped = draw.number(0, 3) == 0
    return draw.one_of((
        Condition(f"greater than {bound}", lambda x: f"{bound} < {x}" if flipped else f"{x} > {bound}",
                  lambda n: n > bound, bound),
        Condition(f"less than {bound}", lambda x: f"{bound} > {x}" if flipped else f"{x} < {bound}",
                  lambda n: n < bound, bound),
        Condition(f"at least {bound}", lambda x: f"{bound} <= {x}" if flipped else f"{x} >= {bound}",
                  lambda n: n >= bound, bound),
        Condition(f"at most {bound}", lambda x: f"{bound} >= {x}" if flipped else f"{x} <= {bound}",
                  lambda n: n <= bound, bound),
        Condition(f"divisible by {divisor}", lambda x: f"0 == {x} % {divisor}" if flipped else f"{x} % {divisor} == 0",
                  lambda n: n % divisor == 0, divisor),
    ))  # fmt: skip


class Loop(NamedTuple):
    """A walk over a sequence: lines before it, its header, lines that open and close its body, the item's name."""

    before: tuple[str, ...]
    header: str
    opening: tuple[str, ...]
    item: str
    closing: tuple[str, ...]


def loop_over(draw: Draw, sequence: str) -> Loop:
    """One of four shapes of a loop over a list or a text."""
    item, index = draw.one_of(_ITEMS), draw.one_of(_INDICES)
    fetch = (f"{item} = {sequence}[{index}]",)
    return draw.one_of((
        Loop((), f"for {item} in {sequence}:", (), item, ()),
        Loop((), f"for {item} in {sequence}:", (), item, ()),
        Loop((), f"for {index} in range(len({sequence})):", fetch, item, ()),
        Loop((f"{index} = 0",), f"while {index} < len({sequence}):", fetch, item, (f"{index} += 1",)),
    ))  # fmt: skip


def shape_of(draw: Draw, *shapes: Callable[[], list[str]]) -> list[str]:
    """The statements of one of the shapes; only the chosen one draws its own choices."""
    return draw.one_of(shapes)()


def increase(draw: Draw, name: str, amount: str) -> str:
    """A statement that adds `amount` to `name`."""
    return draw.one_of((f"{name} += {amount}", f"{name} = {name} + {amount}"))


def folded(draw: Draw, sequence: str, name: str, start: str, body: Callable[[str], Sequence[str]]) -> list[str]:
    """Statements that set `name` to `start`, run `body(item)` for every item of the sequence, and return `name`."""
    loop = loop_over(draw, sequence)
    inner = [*loop.opening, *body(loop.item), *loop.closing]
    setup = [f"{name} = {start}", *loop.before]
    if loop.before and draw.number(0, 1):
        setup.reverse()
    return [*setup, loop.header, *indented(inner), f"return {name}"]


def indented(lines: Sequence[str]) -> list[str]:
    return ["    " + line for line in lines]


def function_text(draw: Draw, header: str, docstring: str, body: Sequence[str], comments: Sequence[str]) -> str:
    """The whole function; three times in four with its docstring, half of the time its body starts with a comment."""
    documented = [f'"""{docstring}"""'] if draw.number(0, 3) else []
    comment = [f"# {draw.one_of(comments)}"] if draw.number(0, 1) else []
    return "\n".join([header, *indented([*documented, *comment, *body])])


def check_against(
    name: str, header: str, reference: Callable[..., object], arguments: Sequence[tuple[object, ...]]
) -> FunctionCheck:
    """The check that wants what `reference` returns for each tuple of arguments."""
    return FunctionCheck(name, header, tuple((args, reference(*args)) for args in arguments))


def number_lists(draw: Draw, around: int) -> list[tuple[list[int]]]:
    """Argument tuples for a function of one list: edge cases, and numbers on, beside and far from `around`."""
    near = [around - 1, around, around + 1, 2 * around, 3 * around]
    far = [[draw.number(-20, 99) for _ in range(draw.number(3, 8))] for _ in range(4)]
    return [([],), (near,), (near[::-1],), ([0],), *((numbers,) for numbers in far)]
