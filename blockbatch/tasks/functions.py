"""Short functions from a signature and a docstring, in the manner of HumanEval, checked against hidden cases."""

from collections.abc import Callable, Sequence

from blockbatch.tasks.code import (
    Part,
    at_once,
    check_against,
    condition,
    emptiness,
    folded,
    function_name,
    function_text,
    guard,
    guarded,
    increase,
    item_name,
    loop_or_short,
    number_lists,
    returned,
    searched,
    through,
    walked,
    when,
)
from blockbatch.tasks.example import Kind, Problem
from blockbatch.tasks.grammar import Draw

_LISTS = ("numbers", "values", "items", "xs", "data", "scores", "nums", "points")
_COUNTERS = ("count", "total", "found", "hits")
_SUMS = ("total", "result", "acc", "s")
_OUTPUTS = ("result", "out", "kept", "new")


def _problem(
    draw: Draw, names: tuple[str, str], docstring: str, parts: Sequence[Part], summaries: Sequence[str],
    reference: Callable[[list[int]], object], around: int,
) -> Problem:  # fmt: skip
    """The problem of completing `def name(parameter)` with this docstring."""
    name, parameter = names
    header = f"def {name}({parameter}):"
    prompt = f'Complete the function.\n{header}\n    """{docstring}"""'
    answer = function_text(draw, header, parts, summaries)
    return Problem(prompt, answer, check_against(name, header, reference, number_lists(draw, around)))


def _names(draw: Draw) -> tuple[str, str]:
    return function_name(draw), draw.one_of(_LISTS)


def count_where(draw: Draw) -> Problem:
    names, test, counter, y = _names(draw), condition(draw), draw.one_of(_COUNTERS), item_name(draw)
    sequence = names[1]
    parts = loop_or_short(
        draw,
        lambda: folded(draw, sequence, counter, "0",
                       lambda x: when(draw, test.code(x), increase(draw, counter, "1")), test.before),
        lambda: at_once(counter, f"[{y} for {y} in {sequence} if {test.code(y)}]", f"len({counter})", test.before),
    )  # fmt: skip
    docstring = f"Return how many of the {sequence} are {test.words}."
    summaries = (f"count the {sequence} {test.words}", f"how many are {test.words}", f"one for each {test.words}")
    return _problem(draw, names, docstring, guarded(draw, emptiness(sequence), "0", parts), summaries,
                    lambda numbers: sum(map(test.holds, numbers)), test.bound)  # fmt: skip


def keep_where(draw: Draw) -> Problem:
    names, test, output, y = _names(draw), condition(draw), draw.one_of(_OUTPUTS), item_name(draw)
    sequence = names[1]
    parts = loop_or_short(
        draw,
        lambda: folded(draw, sequence, output, "[]",
                       lambda x: when(draw, test.code(x), f"{output}.append({x})"), test.before),
        lambda: at_once(output, f"[{y} for {y} in {sequence} if {test.code(y)}]", output, test.before),
    )  # fmt: skip
    docstring = f"Return a list of the {sequence} that are {test.words}."
    summaries = (f"keep the {sequence} {test.words}", f"only those {test.words}", f"list what is {test.words}")
    return _problem(draw, names, docstring, guarded(draw, emptiness(sequence), "[]", parts), summaries,
                    lambda numbers: [n for n in numbers if test.holds(n)], test.bound)  # fmt: skip


def replace_where(draw: Draw) -> Problem:
    names, test, output, y = _names(draw), condition(draw), draw.one_of(_OUTPUTS), item_name(draw)
    sequence, other = names[1], draw.number(2, 60)
    parts = loop_or_short(
        draw,
        lambda: folded(draw, sequence, output, "[]",
                       lambda x: [f"if {test.code(x)}:", f"    {x} = {other}", f"{output}.append({x})"], test.before),
        lambda: at_once(output, f"[{other} if {test.code(y)} else {y} for {y} in {sequence}]", output, test.before),
    )  # fmt: skip
    docstring = f"Return the {sequence} with {other} in place of those {test.words}."
    summaries = (f"put {other} for those {test.words}", f"change to {other} if {test.words}",
                 f"{test.words} becomes {other}")  # fmt: skip
    return _problem(draw, names, docstring, guarded(draw, emptiness(sequence), "[]", parts), summaries,
                    lambda numbers: [other if test.holds(n) else n for n in numbers], test.bound)  # fmt: skip


def first_where(draw: Draw) -> Problem:
    names, test = _names(draw), condition(draw)
    sequence = names[1]
    loop = searched(draw, sequence, lambda x, i: when(draw, test.code(x), f"return {i}"), test.before)
    docstring = f"Return the position of the first of the {sequence} {test.words}, or -1."
    summaries = (f"find the first {test.words}", f"where is one {test.words}", f"stop at the first {test.words}")
    return _problem(draw, names, docstring, guarded(draw, emptiness(sequence), "-1", [loop, returned("-1")]),
                    summaries, lambda numbers: next((i for i, n in enumerate(numbers) if test.holds(n)), -1),
                    test.bound)  # fmt: skip


def any_or_all_where(draw: Draw) -> Problem:
    names, test, y = _names(draw), condition(draw), item_name(draw)
    sequence, answer = names[1], draw.one_of(("answer", "found", "result"))
    word, pick, negation, early, late = draw.one_of((
        ("any", any, "", "True", "False"), ("all", all, "not ", "False", "True"),
    ))  # fmt: skip
    parts = loop_or_short(
        draw,
        lambda: [walked(draw, sequence, lambda x: when(draw, negation + test.code(x), f"return {early}"),
                        test.before), returned(late)],
        lambda: at_once(answer, f"{word}({test.code(y)} for {y} in {sequence})", answer, test.before),
    )  # fmt: skip
    docstring = f"Return whether {word} of the {sequence} are {test.words}."
    summaries = (f"are {word} {test.words}", f"see if {word} {sequence} are {test.words}", f"{word} {test.words}")
    return _problem(draw, names, docstring, guarded(draw, emptiness(sequence), late, parts), summaries,
                    lambda numbers: pick(map(test.holds, numbers)), test.bound)  # fmt: skip


def sum_scaled(draw: Draw) -> Problem:
    names, total, factor = _names(draw), draw.one_of(_SUMS), draw.number(2, 60)
    sequence = names[1]
    product: Callable[[str], str] = draw.one_of((lambda x: f"{factor} * {x}", lambda x: f"{x} * {factor}"))
    parts = loop_or_short(
        draw,
        lambda: folded(draw, sequence, total, "0",
                       lambda x: through(draw, "y", product(x), lambda y: increase(draw, total, y))),
        lambda: at_once(total, f"sum({sequence})", product(total)),
    )  # fmt: skip
    docstring = f"Return the sum of {factor} times each of the {sequence}."
    summaries = (f"add {factor} times each one", f"sum the {sequence} times {factor}", f"{factor} times all of them")
    return _problem(draw, names, docstring, guarded(draw, emptiness(sequence), "0", parts), summaries,
                    lambda numbers: sum(factor * n for n in numbers), factor)  # fmt: skip


def add_to_each(draw: Draw) -> Problem:
    names, output, amount, y = _names(draw), draw.one_of(_OUTPUTS), draw.number(2, 60), item_name(draw)
    sequence = names[1]
    words, sign, signed = draw.one_of((("added to", "+", amount), ("taken from", "-", -amount)))
    parts = loop_or_short(
        draw,
        lambda: folded(draw, sequence, output, "[]",
                       lambda x: through(draw, "y", f"{x} {sign} {amount}", lambda y: f"{output}.append({y})")),
        lambda: at_once(output, f"[{y} {sign} {amount} for {y} in {sequence}]", output),
    )  # fmt: skip
    docstring = f"Return a list with {amount} {words} each of the {sequence}."
    summaries = (f"{amount} is {words} each", f"each one {sign} {amount}", f"{amount} {words} all the {sequence}")
    return _problem(draw, names, docstring, guarded(draw, emptiness(sequence), "[]", parts), summaries,
                    lambda numbers: [n + signed for n in numbers], amount)  # fmt: skip


def largest_or(draw: Draw) -> Problem:
    names, best, default = _names(draw), draw.one_of(("best", "top", "m")), draw.number(2, 60)
    sequence = names[1]
    word, sign, pick = draw.one_of((("largest", ">", max), ("smallest", "<", min)))
    empty = guard(draw, emptiness(sequence), str(default))
    parts = loop_or_short(
        draw,
        lambda: folded(draw, sequence, best, f"{sequence}[0]",
                       lambda x: [f"if {x} {sign} {best}:", f"    {best} = {x}"]),
        lambda: at_once(best, f"{pick.__name__}({sequence})", best),
    )  # fmt: skip
    docstring = f"Return the {word} of the {sequence}, or {default} if there are none."
    summaries = (f"find the {word} one", f"the {word} or {default}", f"{default} if there are none")
    return _problem(draw, names, docstring, [empty, *parts], summaries,
                    lambda numbers: pick(numbers, default=default), default)  # fmt: skip


KINDS: tuple[Kind, ...] = (
    count_where, keep_where, replace_where, first_where, any_or_all_where, sum_scaled, add_to_each, largest_or,
)  # fmt: skip
