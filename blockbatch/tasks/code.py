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
    """A test of one number: its words, its code around an item, its truth, and the lines its code needs before it."""

    words: str
    code: Callable[[str], str]
    holds: Callable[[int], bool]
    bound: int
    before: tuple[str, ...]


def condition(draw: Draw) -> Condition:
    """A comparison with a bound of 2..60, or divisibility by 2..9; the code may give the bound a name."""
    if draw.number(0, 4) == 0:
        return _divisible(draw, draw.number(2, 9))
    bound, flipped = draw.number(2, 60), draw.number(0, 3) == 0
    before, name = _named(draw, bound, ("limit", "bound"))
    words, sign, mirrored, holds = draw.one_of((
        ("greater than", ">", "<", int.__gt__), ("less than", "<", ">", int.__lt__),
        ("at least", ">=", "<=", int.__ge__), ("at most", "<=", ">=", int.__le__),
    ))  # fmt: skip
    return Condition(f"{words} {bound}", lambda x: f"{name} {mirrored} {x}" if flipped else f"{x} {sign} {name}",
                     lambda n: holds(n, bound), bound, before)  # fmt: skip


def _divisible(draw: Draw, divisor: int) -> Condition:
    before, name = _named(draw, divisor, ("step", "divisor"))
    flipped = draw.number(0, 3) == 0
    return Condition(f"divisible by {divisor}", lambda x: f"0 == {x} % {name}" if flipped else f"{x} % {name} == 0",
                     lambda n: n % divisor == 0, divisor, before)  # fmt: skip


def _named(draw: Draw, number: int, names: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """Lines that name the number and the name, one time in three; else no line and the number itself."""
    name = draw.one_of(names)
    return ((f"{name} = {number}",), name) if draw.number(0, 2) == 0 else ((), str(number))


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


class Part(NamedTuple):
    """Statements that belong together, and phrases for the comment that says what they do."""

    phrases: tuple[str, ...]
    lines: tuple[str, ...]


def item_name(draw: Draw) -> str:
    return draw.one_of(_ITEMS)


def loop_or_short(draw: Draw, loop: Callable[[], list[Part]], short: Callable[[], list[Part]]) -> list[Part]:
    """The loop two times in three, else the short form; only the chosen one draws its own choices."""
    return draw.one_of((loop, loop, short))()


def increase(draw: Draw, name: str, amount: str) -> str:
    """A statement that adds `amount` to `name`."""
    return draw.one_of((f"{name} += {amount}", f"{name} = {name} + {amount}"))


def when(draw: Draw, test: str, action: str) -> list[str]:
    """Statements that do the action where the test holds, which may get a name first."""
    name = draw.one_of(("ok", "fits", "match"))
    return draw.one_of(([f"if {test}:", f"    {action}"], [f"{name} = {test}", f"if {name}:", f"    {action}"]))


def through(draw: Draw, name: str, value: str, use: Callable[[str], str]) -> list[str]:
    """Statements that use the value, directly or by way of the name."""
    return draw.one_of(([use(value)], [f"{name} = {value}", use(name)]))


def returned(value: str) -> Part:
    return Part((f"give {value} back", f"hand back {value}", "return the answer"), (f"return {value}",))


def searched(draw: Draw, sequence: str, body: Callable[[str, str], Sequence[str]], before: Sequence[str] = ()) -> Part:
    """A loop that runs `body(item, index)` for every item of the sequence, with the lines that go before it."""
    item, index = item_name(draw), draw.one_of(_INDICES)
    inner, fetch = body(item, index), f"{item} = {sequence}[{index}]"
    lines = draw.one_of((
        (f"for {index}, {item} in enumerate({sequence}):", *indented(inner)),
        (f"for {index} in range(len({sequence})):", *indented([fetch, *inner])),
        (f"{index} = 0", f"while {index} < len({sequence}):", *indented([fetch, *inner, f"{index} += 1"])),
    ))  # fmt: skip
    return Part(_walk_phrases(sequence, item), (*before, *lines))


def walked(draw: Draw, sequence: str, body: Callable[[str], Sequence[str]], before: Sequence[str] = ()) -> Part:
    """A loop that runs `body(item)` for every item of the sequence, with the lines that go before it."""
    loop = loop_over(draw, sequence)
    inner = [*loop.opening, *body(loop.item), *loop.closing]
    return Part(_walk_phrases(sequence, loop.item), (*before, *loop.before, loop.header, *indented(inner)))


def _walk_phrases(sequence: str, item: str) -> tuple[str, ...]:
    return (f"go through {sequence}", f"look at each {item}", f"take each {item}")


_STARTS = {"0": "zero", "[]": "an empty list", "''": "an empty text"}


def folded(
    draw: Draw, sequence: str, name: str, start: str, body: Callable[[str], Sequence[str]], before: Sequence[str] = ()
) -> list[Part]:
    """Parts that set `name` to `start`, run `body(item)` for every item of the sequence, and return `name`."""
    loop = loop_over(draw, sequence)
    inner = [*loop.opening, *body(loop.item), *loop.closing]
    setup = [f"{name} = {start}", *before, *loop.before]
    if draw.number(0, 1):
        setup.reverse()
    words = _STARTS.get(start, "the first")
    return [
        Part((f"start from {words}", f"set {name} to {words}", f"let {name} be {words}"), tuple(setup)),
        Part(_walk_phrases(sequence, loop.item), (loop.header, *indented(inner))),
        returned(name),
    ]


def at_once(name: str, value: str, result: str, before: Sequence[str] = ()) -> list[Part]:
    """Parts that set `name` to the value of one expression and return the result."""
    phrases = ("do it in one line", f"work out {name} at once", f"get {name} in one go")
    return [Part(phrases, (*before, f"{name} = {value}")), returned(result)]


# Sizes in lines: long bodies go without a guard, or without a summary, so that an answer fits in 128 tokens.
_ROOM = 5
_LONG = 7


def guard(draw: Draw, tests: Sequence[str], value: str) -> Part:
    """An early return of the value where one of the tests, which mean the same, holds."""
    phrases = ("leave early if empty", "stop here if empty", "see if it is empty")
    return Part(phrases, (f"if {draw.one_of(tests)}:", f"    return {value}"))


def guarded(draw: Draw, tests: Sequence[str], value: str, parts: list[Part]) -> list[Part]:
    """The parts, with a guard before short ones, and half of the time before others that leave room for it."""
    size = _size(parts)
    return [guard(draw, tests, value), *parts] if size < _ROOM or (size == _ROOM and draw.number(0, 1)) else parts


def emptiness(sequence: str) -> tuple[str, ...]:
    """Tests that hold where a list or a text is empty."""
    return f"not {sequence}", f"len({sequence}) == 0"


def indented(lines: Sequence[str]) -> list[str]:
    return ["    " + line for line in lines]


def _size(parts: Sequence[Part]) -> int:
    return sum(len(part.lines) for part in parts)


def function_text(draw: Draw, header: str, parts: Sequence[Part], summaries: Sequence[str]) -> str:
    """The whole function: a summary as its first comment, and the parts, commented in one manner to the end."""
    marks = _marks(draw, len(parts))
    lines = [f"# {draw.one_of(summaries)}"] if _size(parts) < _LONG else []
    for part, mark in zip(parts, marks, strict=True):
        lines += [f"# {mark}{draw.one_of(part.phrases)}", *part.lines]
    return "\n".join([header, *indented(lines)])


def _marks(draw: Draw, count: int) -> list[str]:
    """What stands before the phrase of each comment: nothing, a number, or a word for its place."""
    return draw.one_of((
        [""] * count, [f"{number}. " for number in range(1, count + 1)],
        ["first ", *["then "] * (count - 2), "finally "],
    ))  # fmt: skip


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
