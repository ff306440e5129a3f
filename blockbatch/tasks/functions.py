"""Short functions from a signature and a docstring, in the manner of HumanEval, checked against hidden cases."""

from collections.abc import Callable, Sequence

from blockbatch.tasks.code import (
    check_against,
    condition,
    folded,
    function_name,
    function_text,
    increase,
    indented,
    loop_over,
    number_lists,
    shape_of,
)
from blockbatch.tasks.example import Kind, Problem
from blockbatch.tasks.grammar import Draw

_LISTS = ("numbers", "values", "items", "xs", "data", "scores", "nums", "points")
_COUNTERS = ("count", "total", "found", "hits")
_SUMS = ("total", "result", "acc", "s")
_OUTPUTS = ("result", "out", "kept", "new")


def _problem(
    draw: Draw, names: tuple[str, str], docstring: str, body: Sequence[str], comments: Sequence[str],
    reference: Callable[[list[int]], object], around: int,
) -> Problem:  # fmt: skip
    """The problem of completing `def name(parameter)` with this docstring."""
    name, parameter = names
    header = f"def {name}({parameter}):"
    prompt = f'Complete the function.\n{header}\n    """{docstring}"""'
    answer = function_text(draw, header, docstring, body, comments)
    return Problem(prompt, answer, check_against(name, header, reference, number_lists(draw, around)))


def _names(draw: Draw) -> tuple[str, str]:
    return function_name(draw), draw.one_of(_LISTS)


def count_where(draw: Draw) -> Problem:
    names, test, counter = _names(draw), condition(draw), draw.one_of(_COUNTERS)
    sequence = names[1]
    body = shape_of(
        draw,
        lambda: folded(draw, sequence, counter, "0",
                       lambda x: [f"if {test.code(x)}:", "    " + increase(draw, counter, "1")]),
        lambda: folded(draw, sequence, counter, "0",
                       lambda x: [f"if {test.code(x)}:", "    " + increase(draw, counter, "1")]),
        lambda: [f"{counter} = [x for x in {sequence} if {test.code('x')}]", f"return len({counter})"],
    )  # fmt: skip
    docstring = f"Return how many of the {sequence} are {test.words}."
    comments = (f"count the {sequence} {test.words}", "look at each one", "start from zero")
    return _problem(draw, names, docstring, body, comments,
                    lambda numbers: sum(map(test.holds, numbers)), test.bound)  # fmt: skip


def keep_where(draw: Draw) -> Problem:
    names, test, output = _names(draw), condition(draw), draw.one_of(_OUTPUTS)
    sequence = names[1]
    body = shape_of(
        draw,
        lambda: folded(draw, sequence, output, "[]",
                       lambda x: [f"if {test.code(x)}:", f"    {output}.append({x})"]),
        lambda: folded(draw, sequence, output, "[]",
                       lambda x: [f"if {test.code(x)}:", f"    {output}.append({x})"]),
        lambda: [f"{output} = [x for x in {sequence} if {test.code('x')}]", f"return {output}"],
    )  # fmt: skip
    docstring = f"Return a list of the {sequence} that are {test.words}."
    comments = (f"keep the {sequence} {test.words}", "look at each one", "build a new list")
    return _problem(draw, names, docstring, body, comments,
                    lambda numbers: [n for n in numbers if test.holds(n)], test.bound)  # fmt: skip


def sum_scaled(draw: Draw) -> Problem:
    names, total, factor = _names(draw), draw.one_of(_SUMS), draw.number(2, 60)
    sequence = names[1]
    product: Callable[[str], str] = draw.one_of((lambda x: f"{factor} * {x}", lambda x: f"{x} * {factor}"))
    body = shape_of(
        draw,
        lambda: folded(draw, sequence, total, "0", lambda x: [increase(draw, total, product(x))]),
        lambda: folded(draw, sequence, total, "0", lambda x: [f"y = {product(x)}", increase(draw, total, "y")]),
        lambda: [f"{total} = sum({sequence})", f"return {product(total)}"],
    )  # fmt: skip
    docstring = f"Return the sum of {factor} times each of the {sequence}."
    comments = (f"add {factor} times each one", "go through the list", "start from zero")
    return _problem(draw, names, docstring, body, comments,
                    lambda numbers: sum(factor * n for n in numbers), factor)  # fmt: skip


def add_to_each(draw: Draw) -> Problem:
    names, output, amount = _names(draw), draw.one_of(_OUTPUTS), draw.number(2, 60)
    sequence = names[1]
    words, sign, signed = draw.one_of((("added to", "+", amount), ("taken from", "-", -amount)))
    body = shape_of(
        draw,
        lambda: folded(draw, sequence, output, "[]", lambda x: [f"{output}.append({x} {sign} {amount})"]),
        lambda: folded(draw, sequence, output, "[]",
                       lambda x: [f"y = {x} {sign} {amount}", f"{output}.append(y)"]),
        lambda: [f"{output} = [x {sign} {amount} for x in {sequence}]", f"return {output}"],
    )  # fmt: skip
    docstring = f"Return a list with {amount} {words} each of the {sequence}."
    comments = (f"{amount} is {words} each", "go through the list", "build a new list")
    return _problem(draw, names, docstring, body, comments,
                    lambda numbers: [n + signed for n in numbers], amount)  # fmt: skip


def largest_or(draw: Draw) -> Problem:
    names, best, default = _names(draw), draw.one_of(("best", "top", "largest", "m")), draw.number(2, 60)
    sequence = names[1]
    word, sign, pick = draw.one_of((("largest", ">", max), ("smallest", "<", min)))
    empty = draw.one_of((f"if not {sequence}:", f"if len({sequence}) == 0:"))
    search = shape_of(
        draw,
        lambda: folded(draw, sequence, best, f"{sequence}[0]",
                       lambda x: [f"if {x} {sign} {best}:", f"    {best} = {x}"]),
        lambda: [f"return {pick.__name__}({sequence})"],
    )  # fmt: skip
    body = [empty, f"    return {default}", *search]
    docstring = f"Return the {word} of the {sequence}, or {default} if there are none."
    comments = ("an empty list comes first", f"look for the {word}", f"{default} if empty")
    return _problem(draw, names, docstring, body, comments,
                    lambda numbers: pick(numbers, default=default), default)  # fmt: skip


def replace_where(draw: Draw) -> Problem:
    names, test, output = _names(draw), condition(draw), draw.one_of(_OUTPUTS)
    sequence, other = names[1], draw.number(2, 60)
    body = shape_of(
        draw,
        lambda: folded(draw, sequence, output, "[]",
                       lambda x: [f"if {test.code(x)}:", f"    {x} = {other}", f"{output}.append({x})"]),
        lambda: folded(draw, sequence, output, "[]",
                       lambda x: [f"y = {other} if {test.code(x)} else {x}", f"{output}.append(y)"]),
        lambda: [f"{output} = [{other} if {test.code('x')} else x for x in {sequence}]", f"return {output}"],
    )  # fmt: skip
    docstring = f"Return the {sequence} with {other} in place of those {test.words}."
    comments = (f"put {other} for those {test.words}", "look at each one", "build a new list")
    return _problem(draw, names, docstring, body, comments,
                    lambda numbers: [other if test.holds(n) else n for n in numbers], test.bound)  # fmt: skip


def any_or_all_where(draw: Draw) -> Problem:
    names, test = _names(draw), condition(draw)
    sequence = names[1]
    word, pick, negation, early, late = draw.one_of((
        ("any", any, "", "True", "False"), ("all", all, "not ", "False", "True"),
    ))  # fmt: skip
    body = shape_of(
        draw,
        lambda: _searched(draw, sequence, lambda x: f"{negation}{test.code(x)}", early, late),
        lambda: _searched(draw, sequence, lambda x: f"{negation}{test.code(x)}", early, late),
        lambda: [f"return {word}({test.code('x')} for x in {sequence})"],
    )
    docstring = f"Return whether {word} of the {sequence} are {test.words}."
    comments = (f"are {word} {test.words}", "look at each one", f"{late} if there are none")
    return _problem(draw, names, docstring, body, comments,
                    lambda numbers: pick(map(test.holds, numbers)), test.bound)  # fmt: skip


def first_where(draw: Draw) -> Problem:
    names, test, default = _names(draw), condition(draw), draw.number(2, 60)
    sequence = names[1]
    body = shape_of(
        draw,
        lambda: _searched(draw, sequence, test.code, None, str(default)),
        lambda: _searched(draw, sequence, test.code, None, str(default)),
        lambda: [f"kept = [x for x in {sequence} if {test.code('x')}]", f"return kept[0] if kept else {default}"],
    )
    docstring = f"Return the first of the {sequence} that is {test.words}, or {default}."
    comments = (f"find one {test.words}", "look at each one", f"{default} if there is none")
    return _problem(draw, names, docstring, body, comments,
                    lambda numbers: next(filter(test.holds, numbers), default), test.bound)  # fmt: skip


def _searched(
    draw: Draw, sequence: str, test: Callable[[str], str], found: str | None, missing: str
) -> list[str]:  # fmt: skip
    """Statements that return `found`, or the item itself, at the first item that passes, and `missing` after all."""
    loop = loop_over(draw, sequence)
    inner = [*loop.opening, f"if {test(loop.item)}:", f"    return {found or loop.item}", *loop.closing]
    return [*loop.before, loop.header, *indented(inner), f"return {missing}"]


KINDS: tuple[Kind, ...] = (
    count_where, keep_where, sum_scaled, add_to_each, largest_or, replace_where, any_or_all_where, first_where,
)  # fmt: skip
