"""Functions from one sentence and two example asserts, in the manner of MBPP, checked against hidden cases too."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from blockbatch.tasks.code import (
    Part,
    at_once,
    check_against,
    emptiness,
    folded,
    function_name,
    function_text,
    guarded,
    increase,
    indented,
    item_name,
    loop_or_short,
    returned,
    through,
    when,
)
from blockbatch.tasks.example import Kind, Problem
from blockbatch.tasks.grammar import Draw

_WORDS = (
    "tree", "river", "stone", "apple", "moon", "sea", "table", "sun", "bird", "house", "cat", "green", "tiger",
    "bee", "letter", "rain", "street", "lion", "sand", "eagle", "dog", "planet", "ice", "forest",
)  # fmt: skip
_LETTERS = "aeiorstnl"
_TEXTS = ("text", "word", "s", "line")
_COUNTERS = ("count", "total", "found", "hits")
_OUTPUTS = ("result", "out", "new", "kept")


def _problem(
    draw: Draw, name: str, parameters: str, sentence: str, parts: Sequence[Part], summaries: Sequence[str],
    reference: Callable[..., object], arguments: Sequence[tuple[object, ...]],
) -> Problem:  # fmt: skip
    """The problem of writing `def name(parameters)`; the first two arguments become the asserts of the prompt."""
    header = f"def {name}({parameters}):"
    asserts = [f"assert {name}({', '.join(map(repr, args))}) == {reference(*args)!r}" for args in arguments[:2]]
    prompt = "\n".join([f"Write a function {name}({parameters}) that {sentence}.", *asserts])
    answer = function_text(draw, header, parts, summaries)
    return Problem(prompt, answer, check_against(name, header, reference, arguments))


def _texts(draw: Draw, count: int) -> list[str]:
    return draw.several(_WORDS, count)


def _text_cases(draw: Draw, *special: str) -> list[tuple[str]]:
    """Arguments for a function of one text: drawn words, then the special texts and the empty one."""
    return [(text,) for text in [*_texts(draw, 6), *special, ""]]


def count_letter(draw: Draw) -> Problem:
    name, text, counter, letter = (
        function_name(draw), draw.one_of(_TEXTS), draw.one_of(_COUNTERS), draw.one_of(_LETTERS))  # fmt: skip
    equal: Callable[[str], str] = draw.one_of((lambda c: f"{c} == '{letter}'", lambda c: f"'{letter}' == {c}"))
    parts = loop_or_short(
        draw,
        lambda: folded(draw, text, counter, "0", lambda c: when(draw, equal(c), increase(draw, counter, "1"))),
        lambda: at_once(counter, f"{text}.count('{letter}')", counter),
    )
    sentence = draw.one_of((f"counts the letter '{letter}' in a text", f"tells how often '{letter}' is in a text"))
    summaries = (f"count each '{letter}'", f"how often '{letter}' is there", f"one for every '{letter}'")
    return _problem(draw, name, text, sentence, guarded(draw, emptiness(text), "0", parts), summaries,
                    lambda s: s.count(letter), _text_cases(draw, letter * 3, letter))  # fmt: skip


def swap_letter(draw: Draw) -> Problem:
    name, text, output = function_name(draw), draw.one_of(_TEXTS), draw.one_of(_OUTPUTS)
    old, new = draw.several(_LETTERS, 2)
    parts = loop_or_short(
        draw,
        lambda: folded(draw, text, output, "''", lambda c: draw.one_of((
            [f"if {c} == '{old}':", f"    {c} = '{new}'", increase(draw, output, c)],
            [f"y = '{new}' if {c} == '{old}' else {c}", increase(draw, output, "y")],
        ))),
        lambda: at_once(output, f"{text}.replace('{old}', '{new}')", output),
    )  # fmt: skip
    sentence = draw.one_of((f"writes '{new}' for every '{old}' in a text", f"turns every '{old}' into '{new}'"))
    summaries = (f"'{old}' becomes '{new}'", f"write '{new}' for '{old}'", f"put '{new}' in place of '{old}'")
    return _problem(draw, name, text, sentence, guarded(draw, emptiness(text), "''", parts), summaries,
                    lambda s: s.replace(old, new), _text_cases(draw, new + old * 2, new, old))  # fmt: skip


def drop_letter(draw: Draw) -> Problem:
    name, text, output, letter, y = (
        function_name(draw), draw.one_of(_TEXTS), draw.one_of(_OUTPUTS), draw.one_of(_LETTERS),
        item_name(draw))  # fmt: skip
    differs: Callable[[str], str] = draw.one_of((lambda c: f"{c} != '{letter}'", lambda c: f"not {c} == '{letter}'"))
    parts = loop_or_short(
        draw,
        lambda: folded(draw, text, output, "''", lambda c: when(draw, differs(c), increase(draw, output, c))),
        lambda: at_once(output, f"[{y} for {y} in {text} if {differs(y)}]", f"''.join({output})"),
    )
    sentence = draw.one_of((f"drops every '{letter}' from a text", f"returns a text without the letter '{letter}'"))
    summaries = (f"leave out each '{letter}'", f"all but '{letter}'", f"drop every '{letter}'")
    return _problem(draw, name, text, sentence, guarded(draw, emptiness(text), "''", parts), summaries,
                    lambda s: s.replace(letter, ""), _text_cases(draw, letter * 3, letter))  # fmt: skip


def sum_multiples(draw: Draw) -> Problem:
    name, total, divisor = function_name(draw), draw.one_of(("total", "result", "acc")), draw.number(2, 12)
    item = draw.one_of(("i", "k", "m", "x"))
    walk = _walk_multiples(draw, item, divisor, increase(draw, total, item))
    start = Part(("start from zero", f"set {total} to zero", f"let {total} be zero"), (f"{total} = 0",))
    parts = guarded(draw, (f"n < {divisor}", f"{divisor} > n"), "0", [start, walk, returned(total)])
    sentence = draw.one_of((f"adds the numbers from 1 to n that are divisible by {divisor}",
                            f"sums the multiples of {divisor} up to n"))  # fmt: skip
    sizes = [draw.number(divisor, 3 * divisor), draw.number(4, 30), 0, 1, divisor - 1, divisor, divisor + 1, 50, 60]
    summaries = (f"add the multiples of {divisor}", f"sum those divisible by {divisor}", f"every {divisor} up to n")
    return _problem(draw, name, "n", sentence, parts, summaries,
                    lambda n: sum(range(divisor, n + 1, divisor)), [(n,) for n in sizes])  # fmt: skip


def _walk_multiples(draw: Draw, item: str, divisor: int, action: str) -> Part:
    """A loop that does the action for each multiple of the divisor from 1 to n."""
    phrases = (f"go up to n by {divisor}", f"take every {divisor}", "go from small to large")
    lines = draw.one_of((
        (f"for {item} in range(1, n + 1):", *indented(when(draw, f"{item} % {divisor} == 0", action))),
        (f"for {item} in range({divisor}, n + 1, {divisor}):", *indented([action])),
        (f"{item} = {divisor}", f"while {item} <= n:", *indented([action, f"{item} += {divisor}"])),
    ))  # fmt: skip
    return Part(phrases, lines)


def multiples_between(draw: Draw) -> Problem:
    name, output, divisor = function_name(draw), draw.one_of(_OUTPUTS), draw.number(2, 12)
    low, high = draw.one_of((("a", "b"), ("m", "n"), ("low", "high"), ("p", "q")))
    item = draw.one_of(("i", "k", "x"))
    test = draw.one_of((f"{item} % {divisor} == 0", f"0 == {item} % {divisor}"))
    parts = loop_or_short(
        draw,
        lambda: _listed(draw, output, item, (low, high), when(draw, test, f"{output}.append({item})")),
        lambda: at_once(output, f"[{item} for {item} in range({low}, {high} + 1) if {test}]", output),
    )
    sentence = draw.one_of((f"lists the numbers from {low} to {high} that are divisible by {divisor}",
                            f"lists the multiples of {divisor} from {low} to {high}"))  # fmt: skip
    start = draw.number(1, 20)
    ends = [(start, start + divisor + 3), (draw.number(1, 9), 2 * divisor), (divisor, divisor), (divisor, 3 * divisor),
            (divisor + 1, 2 * divisor - 1), (9, 8), (-divisor, 0), (1, 60)]  # fmt: skip
    summaries = (f"list the multiples of {divisor}", f"keep those divisible by {divisor}", f"every {divisor} goes in")
    return _problem(draw, name, f"{low}, {high}", sentence,
                    guarded(draw, (f"{low} > {high}", f"{high} < {low}"), "[]", parts), summaries,
                    lambda a, b: [n for n in range(a, b + 1) if n % divisor == 0], ends)  # fmt: skip


def _listed(draw: Draw, output: str, item: str, ends: tuple[str, str], body: Sequence[str]) -> list[Part]:
    """Parts that run the body for each number from one end to the other and return the output list."""
    low, high = ends
    walk = draw.one_of((
        (f"for {item} in range({low}, {high} + 1):", *indented(body)),
        (f"{item} = {low}", f"while {item} <= {high}:", *indented([*body, f"{item} += 1"])),
    ))  # fmt: skip
    return [
        Part(("start from an empty list", f"set {output} to an empty list"), (f"{output} = []",)),
        Part((f"go from {low} to {high}", f"look at each {item}", f"take each {item}"), walk),
        returned(output),
    ]


class _Terms(NamedTuple):
    """Two parameters, their factors, the products' texts and the parts that give the products names."""

    parameters: tuple[str, str]
    factors: tuple[int, int]
    names: tuple[str, str]
    parts: list[Part]


def _terms(draw: Draw) -> _Terms:
    parameters = draw.one_of((("a", "b"), ("x", "y"), ("m", "n"), ("p", "q")))
    factors = draw.number(2, 30), draw.number(2, 30)
    names = draw.one_of((("left", "right"), ("first", "second"), ("u", "v")))
    parts = []
    for parameter, factor, name in zip(parameters, factors, names, strict=True):
        product = draw.one_of((f"{factor} * {parameter}", f"{parameter} * {factor}"))
        phrases = (f"multiply {parameter} by {factor}", f"take {factor} times {parameter}", f"work out {name}")
        parts.append(Part(phrases, (f"{name} = {product}",)))
    return _Terms(parameters, factors, names, parts if draw.number(0, 1) else parts[::-1])


def weighted_sum(draw: Draw) -> Problem:
    terms = _terms(draw)
    (one, two), (first, second), (left, right) = terms.parameters, terms.factors, terms.names
    word, sign, signed = draw.one_of((("plus", "+", second), ("minus", "-", -second)))
    verb = "add" if sign == "+" else "subtract"
    phrases = (f"{verb} the two parts", f"take {left} {word} {right}", f"{verb} them")
    result = draw.one_of(("result", "total", "answer"))
    parts = [*terms.parts, Part(phrases, (f"{result} = {left} {sign} {right}",)), returned(result)]
    sentence = f"returns {first} times {one} {word} {second} times {two}"
    numbers = [(draw.number(1, 9), draw.number(1, 9)) for _ in range(3)]
    summaries = ("work out both parts", f"{first} {one} {word} {second} {two}", "multiply first")
    return _problem(draw, function_name(draw), f"{one}, {two}", sentence, parts, summaries,
                    lambda a, b: first * a + signed * b, [*numbers, (0, 1), (1, 0), (-3, 8)])  # fmt: skip


def larger_scaled(draw: Draw) -> Problem:
    terms = _terms(draw)
    (one, two), (first, second), (left, right) = terms.parameters, terms.factors, terms.names
    word, sign, pick = draw.one_of((("larger", ">", max), ("smaller", "<", min)))
    phrases = (f"compare {left} and {right}", f"pick the {word} one", f"see which is {word}")
    result = draw.one_of(("result", "best", "answer"))
    parts = draw.one_of((
        [Part(phrases, (f"if {left} {sign} {right}:", f"    return {left}")), returned(right)],
        [Part(phrases, (f"{result} = {left} if {left} {sign} {right} else {right}",)), returned(result)],
        [Part(phrases, (f"{result} = {pick.__name__}({left}, {right})",)), returned(result)],
    ))  # fmt: skip
    sentence = f"returns the {word} of {first} times {one} and {second} times {two}"
    numbers = [(draw.number(1, 9), draw.number(1, 9)) for _ in range(3)]
    edges = [(second, first), (second, first + 1), (second + 1, first), (0, 1), (1, 0), (-3, -8), (-8, -3)]
    summaries = (f"the {word} of two parts", f"{first} {one} or {second} {two}", "multiply first")
    return _problem(draw, function_name(draw), f"{one}, {two}", sentence, [*terms.parts, *parts], summaries,
                    lambda a, b: pick(first * a, second * b), [*numbers, *edges])  # fmt: skip


def long_words(draw: Draw) -> Problem:
    name, output, size, y = function_name(draw), draw.one_of(_OUTPUTS), draw.number(2, 6), item_name(draw)
    word, sign, holds = draw.one_of((("more", ">", int.__gt__), ("fewer", "<", int.__lt__)))
    parts = loop_or_short(
        draw,
        lambda: folded(draw, "words", output, "[]", lambda w: [
            *through(draw, "size", f"len({w})", lambda length: f"if {length} {sign} {size}:"),
            f"    {output}.append({w})",
        ]),
        lambda: at_once(output, f"[{y} for {y} in words if len({y}) {sign} {size}]", output),
    )  # fmt: skip
    sentence = draw.one_of((f"keeps the words with {word} than {size} letters",
                            f"returns the words that have {word} than {size} letters"))  # fmt: skip
    around = ["e" * length for length in (size - 1, size, size + 1)]
    arguments = [(_texts(draw, 2),), (_texts(draw, 2),), ([],), (list(_WORDS),), (_texts(draw, 5),), (around,)]
    summaries = (f"{word} than {size} letters", f"keep words of {word} than {size}", f"only {word} than {size}")
    return _problem(draw, name, "words", sentence, guarded(draw, emptiness("words"), "[]", parts), summaries,
                    lambda words: [w for w in words if holds(len(w), size)], arguments)  # fmt: skip


KINDS: tuple[Kind, ...] = (
    count_letter, swap_letter, drop_letter, sum_multiples, multiples_between, weighted_sum, larger_scaled, long_words,
)  # fmt: skip
