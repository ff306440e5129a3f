"""Functions from one sentence and two example asserts, in the manner of MBPP, checked against hidden cases too."""

from collections.abc import Callable, Sequence

from blockbatch.tasks.code import check_against, folded, function_name, function_text, increase, shape_of
from blockbatch.tasks.example import Kind, Problem
from blockbatch.tasks.grammar import Draw

_WORDS = (
    "tree", "river", "stone", "apple", "moon", "sea", "table", "sun", "bird", "house", "cat", "green", "tiger",
    "bee", "letter", "rain", "street", "lion", "sand", "eagle", "dog", "planet", "ice", "forest",
)  # fmt: skip
_LETTERS = "aeiorstnl"
_TEXTS = ("text", "word", "s", "line")
_COUNTERS = ("count", "total", "found", "hits")


def _problem(
    draw: Draw, name: str, parameters: str, sentence: str, body: Sequence[str], comments: Sequence[str],
    reference: Callable[..., object], arguments: Sequence[tuple[object, ...]],
) -> Problem:  # fmt: skip
    """The problem of writing `def name(parameters)`; the first two arguments become the asserts of the prompt."""
    header = f"def {name}({parameters}):"
    asserts = [f"assert {name}({', '.join(map(repr, args))}) == {reference(*args)!r}" for args in arguments[:2]]
    prompt = "\n".join([f"Write a function {name}({parameters}) that {sentence}.", *asserts])
    answer = function_text(draw, header, f"{sentence[0].upper()}{sentence[1:]}.", body, comments)
    return Problem(prompt, answer, check_against(name, header, reference, arguments))


def _texts(draw: Draw, count: int) -> list[str]:
    return draw.several(_WORDS, count)


def count_letter(draw: Draw) -> Problem:
    name, text, counter, letter = (
        function_name(draw), draw.one_of(_TEXTS), draw.one_of(_COUNTERS), draw.one_of(_LETTERS))  # fmt: skip
    equal: Callable[[str], str] = draw.one_of((lambda c: f"{c} == '{letter}'", lambda c: f"'{letter}' == {c}"))
    body = shape_of(
        draw,
        lambda: folded(draw, text, counter, "0",
                       lambda c: [f"if {equal(c)}:", "    " + increase(draw, counter, "1")]),
        lambda: folded(draw, text, counter, "0",
                       lambda c: [f"if {equal(c)}:", "    " + increase(draw, counter, "1")]),
        lambda: [f"{counter} = {text}.count('{letter}')", f"return {counter}"],
    )  # fmt: skip
    sentence = draw.one_of((f"counts the letter '{letter}' in a text", f"tells how often '{letter}' is in a text"))
    arguments = [(word,) for word in ["", letter, letter * 3, *_texts(draw, 6)][::-1]]
    comments = (f"count each '{letter}'", "look at each letter", "start from zero")
    return _problem(draw, name, text, sentence, body, comments, lambda s: s.count(letter), arguments)


def swap_letter(draw: Draw) -> Problem:
    name, text, output = function_name(draw), draw.one_of(_TEXTS), draw.one_of(("result", "out", "new"))
    old, new = draw.several(_LETTERS, 2)
    body = shape_of(
        draw,
        lambda: folded(draw, text, output, "''",
                       lambda c: [f"if {c} == '{old}':", f"    {c} = '{new}'", increase(draw, output, c)]),
        lambda: folded(draw, text, output, "''",
                       lambda c: [f"y = '{new}' if {c} == '{old}' else {c}", increase(draw, output, "y")]),
        lambda: [f"{output} = {text}.replace('{old}', '{new}')", f"return {output}"],
    )  # fmt: skip
    sentence = draw.one_of((f"writes '{new}' for every '{old}' in a text", f"turns every '{old}' into '{new}'"))
    arguments = [(word,) for word in ["", old, new + old * 2, *_texts(draw, 6)][::-1]]
    comments = (f"'{old}' becomes '{new}'", "go through the letters", "build a new text")
    return _problem(draw, name, text, sentence, body, comments, lambda s: s.replace(old, new), arguments)


def sum_multiples(draw: Draw) -> Problem:
    name, total, divisor = function_name(draw), draw.one_of(("total", "result", "acc")), draw.number(2, 12)
    item = draw.one_of(("i", "k", "m", "x"))
    add = increase(draw, total, item)
    body = draw.one_of((
        [f"{total} = 0", f"for {item} in range(1, n + 1):", f"    if {item} % {divisor} == 0:", f"        {add}",
         f"return {total}"],
        [f"{total} = 0", f"for {item} in range({divisor}, n + 1, {divisor}):", f"    {add}", f"return {total}"],
        [f"{total} = 0", f"{item} = {divisor}", f"while {item} <= n:", f"    {add}", f"    {item} += {divisor}",
         f"return {total}"],
    ))  # fmt: skip
    sentence = draw.one_of((f"adds the numbers from 1 to n that are divisible by {divisor}",
                            f"sums the multiples of {divisor} up to n"))  # fmt: skip
    sizes = [draw.number(divisor, 3 * divisor), draw.number(4, 30), 0, 1, divisor - 1, divisor, 50, 60]
    comments = (f"add the multiples of {divisor}", "go up to n", "start from zero")
    return _problem(draw, name, "n", sentence, body, comments,
                    lambda n: sum(range(divisor, n + 1, divisor)), [(n,) for n in sizes])  # fmt: skip


def weighted_sum(draw: Draw) -> Problem:
    name = function_name(draw)
    one, two = draw.one_of((("a", "b"), ("x", "y"), ("m", "n"), ("p", "q")))
    first, second = draw.number(2, 30), draw.number(2, 30)
    sign, signed = draw.one_of((("+", second), ("-", -second)))
    left, right = draw.one_of((("left", "right"), ("first", "second"), ("u", "v")))
    term_one = draw.one_of((f"{first} * {one}", f"{one} * {first}"))
    term_two = draw.one_of((f"{second} * {two}", f"{two} * {second}"))
    last: Callable[[str], list[str]] = draw.one_of((
        lambda value: [f"return {value}"], lambda value: [f"result = {value}", "return result"],
    ))  # fmt: skip
    body = draw.one_of((
        [f"{left} = {term_one}", f"{right} = {term_two}", *last(f"{left} {sign} {right}")],
        [f"{left} = {term_one}", *last(f"{left} {sign} {term_two}")],
        last(f"{term_one} {sign} {term_two}"),
    ))  # fmt: skip
    word = "plus" if sign == "+" else "minus"
    sentence = f"returns {first} times {one} {word} {second} times {two}"
    numbers = [(draw.number(1, 9), draw.number(1, 9)) for _ in range(3)]
    comments = ("work out both parts", f"{first} {one} {word} {second} {two}", "multiply first")
    return _problem(draw, name, f"{one}, {two}", sentence, body, comments,
                    lambda a, b: first * a + signed * b, [*numbers, (0, 1), (1, 0), (-3, 8)])  # fmt: skip


def long_words(draw: Draw) -> Problem:
    name, output, size = function_name(draw), draw.one_of(("result", "out", "kept")), draw.number(2, 6)
    word, sign, holds = draw.one_of((("more", ">", int.__gt__), ("fewer", "<", int.__lt__)))
    body = shape_of(
        draw,
        lambda: folded(draw, "words", output, "[]",
                       lambda w: [f"if len({w}) {sign} {size}:", f"    {output}.append({w})"]),
        lambda: folded(draw, "words", output, "[]",
                       lambda w: [f"size = len({w})", f"if size {sign} {size}:", f"    {output}.append({w})"]),
        lambda: [f"{output} = [w for w in words if len(w) {sign} {size}]", f"return {output}"],
    )  # fmt: skip
    sentence = draw.one_of((f"keeps the words with {word} than {size} letters",
                            f"returns the words that have {word} than {size} letters"))  # fmt: skip
    arguments = [(_texts(draw, 2),), (_texts(draw, 2),), ([],), (list(_WORDS),), (_texts(draw, 5),)]
    comments = (f"{word} than {size} letters", "look at each word", "build a new list")
    return _problem(draw, name, "words", sentence, body, comments,
                    lambda words: [w for w in words if holds(len(w), size)], arguments)  # fmt: skip


def drop_letter(draw: Draw) -> Problem:
    name, text, output, letter = (
        function_name(draw), draw.one_of(_TEXTS), draw.one_of(("result", "out", "kept")),
        draw.one_of(_LETTERS))  # fmt: skip
    differs: Callable[[str], str] = draw.one_of((lambda c: f"{c} != '{letter}'", lambda c: f"'{letter}' != {c}"))
    body = shape_of(
        draw,
        lambda: folded(draw, text, output, "''", lambda c: [f"if {differs(c)}:", "    " + increase(draw, output, c)]),
        lambda: [f"{output} = [c for c in {text} if {differs('c')}]", f"return ''.join({output})"],
        lambda: [f"{output} = {text}.replace('{letter}', '')", f"return {output}"],
    )
    sentence = draw.one_of((f"drops every '{letter}' from a text", f"returns a text without the letter '{letter}'"))
    arguments = [(word,) for word in ["", letter, letter * 3, *_texts(draw, 6)][::-1]]
    comments = (f"leave out each '{letter}'", "go through the letters", "build a new text")
    return _problem(draw, name, text, sentence, body, comments, lambda s: s.replace(letter, ""), arguments)


def multiples_between(draw: Draw) -> Problem:
    name, output, divisor = function_name(draw), draw.one_of(("result", "out", "kept")), draw.number(2, 12)
    low, high = draw.one_of((("a", "b"), ("m", "n"), ("low", "high"), ("p", "q")))
    item = draw.one_of(("i", "k", "x"))
    test, append = f"{item} % {divisor} == 0", f"{output}.append({item})"
    body = draw.one_of((
        [f"{output} = []", f"for {item} in range({low}, {high} + 1):", f"    if {test}:", f"        {append}",
         f"return {output}"],
        [f"{output} = []", f"{item} = {low}", f"while {item} <= {high}:", f"    if {test}:", f"        {append}",
         f"    {item} += 1", f"return {output}"],
        [f"{output} = [{item} for {item} in range({low}, {high} + 1) if {test}]", f"return {output}"],
    ))  # fmt: skip
    sentence = draw.one_of((f"lists the numbers from {low} to {high} that are divisible by {divisor}",
                            f"lists the multiples of {divisor} from {low} to {high}"))  # fmt: skip
    start = draw.number(1, 20)
    ends = [(start, start + divisor + 3), (draw.number(1, 9), 2 * divisor), (divisor, divisor), (divisor, 3 * divisor),
            (divisor + 1, 2 * divisor - 1), (9, 8), (-divisor, 0), (1, 60)]  # fmt: skip
    comments = (f"list the multiples of {divisor}", f"go from {low} to {high}", "build a new list")
    return _problem(draw, name, f"{low}, {high}", sentence, body, comments,
                    lambda a, b: [n for n in range(a, b + 1) if n % divisor == 0], ends)  # fmt: skip


def larger_scaled(draw: Draw) -> Problem:
    name = function_name(draw)
    one, two = draw.one_of((("a", "b"), ("x", "y"), ("m", "n"), ("p", "q")))
    first, second = draw.number(2, 30), draw.number(2, 30)
    left, right = draw.one_of((("left", "right"), ("first", "second"), ("u", "v")))
    term_one = draw.one_of((f"{first} * {one}", f"{one} * {first}"))
    term_two = draw.one_of((f"{second} * {two}", f"{two} * {second}"))
    word, sign, pick = draw.one_of((("larger", ">", max), ("smaller", "<", min)))
    setup = [f"{left} = {term_one}", f"{right} = {term_two}"]
    body = draw.one_of((
        [*setup, f"if {left} {sign} {right}:", f"    return {left}", f"return {right}"],
        [*setup, f"return {left} if {left} {sign} {right} else {right}"],
        [f"return {pick.__name__}({term_one}, {term_two})"],
    ))  # fmt: skip
    sentence = f"returns the {word} of {first} times {one} and {second} times {two}"
    numbers = [(draw.number(1, 9), draw.number(1, 9)) for _ in range(3)]
    edges = [(second, first), (second, first + 1), (second + 1, first), (0, 1), (1, 0), (-3, -8), (-8, -3)]
    comments = ("work out both parts", f"{first} {one} or {second} {two}", "multiply first")
    return _problem(draw, name, f"{one}, {two}", sentence, body, comments,
                    lambda a, b: pick(first * a, second * b), [*numbers, *edges])  # fmt: skip


KINDS: tuple[Kind, ...] = (
    count_letter, swap_letter, sum_multiples, weighted_sum, long_words, drop_letter, multiples_between, larger_scaled,
)  # fmt: skip
