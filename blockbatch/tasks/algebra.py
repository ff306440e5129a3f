"""Arithmetic and linear algebra with steps, in the manner of MATH. To add a kind, write a function and list it."""

from blockbatch.tasks.example import Kind, Problem
from blockbatch.tasks.grammar import Draw
from blockbatch.tasks.prose import work_through

_UNKNOWNS = ("x", "y", "z", "n", "t", "k", "m", "w")


def _signed(draw: Draw, low: int, high: int) -> tuple[str, int]:
    """An added or subtracted constant, as its text and its value."""
    size = draw.number(low, high)
    return draw.one_of(((f"+ {size}", size), (f"- {size}", -size)))


def _moved(constant: str) -> tuple[str, str, str]:
    """How a constant goes to the other side: imperative, participle and operation."""
    size = constant[2:]
    if constant.startswith("+"):
        return f"subtract {size} from both sides", f"subtracting {size}", f"- {size}"
    return f"add {size} to both sides", f"adding {size}", f"+ {size}"


def linear_equation(draw: Draw) -> Problem:
    unknown, factor, root = draw.one_of(_UNKNOWNS), draw.number(2, 9), draw.number(2, 9)
    constant, offset = _signed(draw, 1, 20)
    term, scaled = f"{factor}{unknown}", factor * root
    right = scaled + offset
    imperative, participle, operation = _moved(constant)
    prompt = draw.one_of((f"Solve for {unknown}: {term} {constant} = {right}",
                          f"If {term} {constant} = {right}, what is {unknown}?"))  # fmt: skip
    facts = (f"the equation is {term} {constant} = {right}", f"we want {unknown} alone",
             f"we {imperative} first", f"we look for {unknown}")  # fmt: skip
    steps = (
        (f"{imperative}: {term} = {right} {operation} = {scaled}", f"{participle} gives {term} = {scaled}",
         f"we {imperative} and get {term} = {scaled}", f"{term} = {right} {operation}, which is {scaled}"),
        (f"divide by {factor}: {unknown} = {scaled} / {factor} = {root}", f"{unknown} = {scaled} / {factor} = {root}",
         f"dividing both sides by {factor} gives {unknown} = {root}", f"we divide {scaled} by {factor} and get {root}"),
    )  # fmt: skip
    conclusions = (f"{unknown} = {root}", f"{unknown} is {root}", f"{factor} * {root} {constant} = {right} is true")
    return work_through(draw, prompt, facts, steps, conclusions, root)


def both_sides(draw: Draw) -> Problem:
    unknown, less, difference, root = (
        draw.one_of(_UNKNOWNS), draw.number(2, 6), draw.number(2, 6), draw.number(2, 9))  # fmt: skip
    more, scaled = less + difference, difference * root
    offset = draw.number(1, 20)
    left, right = f"{more}{unknown} + {offset}", f"{less}{unknown} + {scaled + offset}"
    prompt = draw.one_of((f"Solve for {unknown}: {left} = {right}", f"Find {unknown} if {left} = {right}."))
    term, total = f"{difference}{unknown}", scaled + offset
    facts = (f"{unknown} is on both sides", f"we want {unknown} on one side", f"we take {less}{unknown} away first")
    steps = (
        (f"take {less}{unknown} from both sides: {term} + {offset} = {total}", f"{term} + {offset} = {total}",
         f"subtracting {less}{unknown} gives {term} + {offset} = {total}"),
        (f"subtract {offset}: {term} = {total} - {offset} = {scaled}", f"{term} = {total} - {offset} = {scaled}",
         f"subtracting {offset} gives {term} = {scaled}"),
        (f"divide by {difference}: {unknown} = {root}", f"{unknown} = {scaled} / {difference} = {root}",
         f"dividing by {difference} gives {unknown} = {root}"),
    )  # fmt: skip
    conclusions = (f"{unknown} = {root}", f"{unknown} is {root}", f"the solution is {root}")
    return work_through(draw, prompt, facts, steps, conclusions, root)


def parentheses(draw: Draw) -> Problem:
    factor, inner, second = draw.number(2, 9), draw.number(3, 9), draw.number(2, 20)
    sign, first = draw.one_of((("+", inner - draw.number(1, inner - 2)), ("-", inner + draw.number(1, 20))))
    other = abs(inner - first)
    bracket, product = f"{first} {sign} {other}", factor * inner
    last, value = draw.one_of((("+", product + second), ("-", product - second)) if product > second else
                              (("+", product + second),))  # fmt: skip
    expression = f"{factor} * ({bracket}) {last} {second}"
    prompt = draw.one_of((f"Evaluate {expression}.", f"What is {expression}?", f"Compute {expression}."))
    facts = ("the bracket comes first", f"we start with {bracket}", f"the product with {factor} comes after")
    steps = (
        (f"the bracket is {bracket} = {inner}", f"inside the bracket, {bracket} = {inner}",
         f"{bracket} = {inner}", f"we do the bracket and get {inner}"),
        (f"multiply: {factor} * {inner} = {product}", f"{factor} times {inner} is {product}",
         f"{factor} * {inner} = {product}", f"multiplying by {factor} gives {product}"),
        (f"the last part gives {product} {last} {second} = {value}", f"{product} {last} {second} = {value}",
         f"we get {product} {last} {second} = {value}"),
    )  # fmt: skip
    conclusions = (f"the value is {value}", f"the result is {value}", f"{expression} = {value}")
    return work_through(draw, prompt, facts, steps, conclusions, value)


def order_of_operations(draw: Draw) -> Problem:
    first, second = draw.number(2, 9), draw.number(2, 9)
    third, fourth = draw.number(2, 9), draw.number(2, 9)
    left, right = first * second, third * fourth
    last, value = ("+", left + right) if left < right or draw.number(0, 1) else ("-", left - right)
    expression = f"{first} * {second} {last} {third} * {fourth}"
    prompt = draw.one_of((f"Evaluate {expression}.", f"What is {expression}?", f"Compute {expression}."))
    facts = ("the products come first", f"we multiply before the {last} sign", "there are two products")
    steps = (
        (f"multiply: {first} * {second} = {left}", f"the left product is {first} * {second} = {left}",
         f"{first} times {second} is {left}", f"{first} * {second} = {left}"),
        (f"the right product is {third} * {fourth} = {right}", f"{third} times {fourth} is {right}",
         f"{third} * {fourth} = {right}", f"we also need {third} * {fourth} = {right}"),
        (f"together, {left} {last} {right} = {value}", f"{left} {last} {right} = {value}",
         f"we get {left} {last} {right} = {value}"),
    )  # fmt: skip
    conclusions = (f"the value is {value}", f"the result is {value}", f"{expression} = {value}")
    return work_through(draw, prompt, facts, steps, conclusions, value)


def substitution(draw: Draw) -> Problem:
    one, two = draw.several(_UNKNOWNS, 2)
    first, second = draw.number(2, 9), draw.number(2, 9)
    value_one, value_two = draw.number(2, 9), draw.number(2, 9)
    left, right = first * value_one, second * value_two
    value = left + right
    expression = f"{first}{one} + {second}{two}"
    prompt = draw.one_of((f"If {one} = {value_one} and {two} = {value_two}, what is {expression}?",
                          f"Find {expression} for {one} = {value_one} and {two} = {value_two}."))  # fmt: skip
    facts = (f"we put in {one} = {value_one} and {two} = {value_two}", "we work out both parts",
             f"{one} is {value_one} and {two} is {value_two}")  # fmt: skip
    step_one = (f"{first}{one} = {first} * {value_one} = {left}", f"with {one} = {value_one}, {first}{one} is {left}",
                f"put {value_one} for {one}: {first} * {value_one} = {left}")  # fmt: skip
    step_two = (f"{second}{two} = {second} * {value_two} = {right}",
                f"with {two} = {value_two}, {second}{two} is {right}",
                f"put {value_two} for {two}: {second} * {value_two} = {right}")  # fmt: skip
    in_order = (step_one, step_two) if draw.number(0, 2) else (step_two, step_one)
    last = (f"the sum is {left} + {right} = {value}", f"{left} + {right} = {value}", f"we add and get {value}")
    conclusions = (f"the value is {value}", f"the result is {value}", f"{expression} = {value}")
    return work_through(draw, prompt, facts, (*in_order, last), conclusions, value)


def mean_of_three(draw: Draw) -> Problem:
    mean = draw.number(5, 25)
    first, second = draw.number(mean // 2, mean + 5), draw.number(mean // 2, mean + 5)
    both, total = first + second, 3 * mean
    third = total - both
    numbers = f"{first}, {second} and {third}"
    prompt = draw.one_of((f"What is the mean of {numbers}?", f"Find the average of {numbers}."))
    facts = ("there are three numbers", f"we add {numbers}", "the sum is divided by 3")
    steps = (
        (f"the first two give {first} + {second} = {both}", f"{first} + {second} = {both}",
         f"adding {second} to {first} gives {both}"),
        (f"with the third, {both} + {third} = {total}", f"{both} + {third} = {total}",
         f"the sum is {both} + {third} = {total}"),
        (f"divide by 3: {total} / 3 = {mean}", f"the mean is {total} / 3 = {mean}", f"dividing by 3 gives {mean}"),
    )  # fmt: skip
    conclusions = (f"the mean is {mean}", f"the average is {mean}", f"3 * {mean} = {total} is true")
    return work_through(draw, prompt, facts, steps, conclusions, mean)


def nth_term(draw: Draw) -> Problem:
    start, difference, place = draw.number(2, 30), draw.number(2, 9), draw.number(5, 10)
    jumps = place - 1
    grown = jumps * difference
    value = start + grown
    shown = f"{start}, {start + difference}, {start + 2 * difference}"
    prompt = draw.one_of((f"A sequence starts {shown} and goes on like this. What is term number {place}?",
                          f"Find term number {place} of the sequence {shown}, and so on."))  # fmt: skip
    facts = (f"the sequence starts at {start}", f"each term is {difference} more",
             f"from {start} it grows by {difference}")  # fmt: skip
    steps = (
        (f"there are {place} - 1 = {jumps} jumps", f"{place} - 1 = {jumps}",
         f"up to term {place} we jump {jumps} times"),
        (f"the jumps add {jumps} * {difference} = {grown}", f"{jumps} * {difference} = {grown}",
         f"{jumps} jumps of {difference} make {grown}"),
        (f"the term is {start} + {grown} = {value}", f"{start} + {grown} = {value}",
         f"from {start} we reach {start} + {grown} = {value}"),
    )  # fmt: skip
    conclusions = (f"term {place} is {value}", f"the term is {value}", f"term number {place} is {value}")
    return work_through(draw, prompt, facts, steps, conclusions, value)


def sum_and_difference(draw: Draw) -> Problem:
    one, two = draw.several(_UNKNOWNS, 2)
    less = draw.number(2, 20)
    more = less + draw.number(2, 20)
    total, difference, double = more + less, more - less, 2 * more
    first, second = f"{one} + {two} = {total}", f"{one} - {two} = {difference}"
    prompt = draw.one_of((f"If {first} and {second}, what is {two}?", f"Solve for {two}: {first} and {second}"))
    facts = ("we add the two equations", f"we find {one} first", f"two equations give {one} and {two}")
    steps = (
        (f"2{one} = {total} + {difference} = {double}", f"adding them gives 2{one} = {double}",
         f"the sum of both is 2{one} = {total} + {difference} = {double}"),
        (f"{one} = {double} / 2 = {more}", f"divide by 2: {one} = {more}", f"half of {double} is {one} = {more}"),
        (f"{two} = {total} - {more} = {less}", f"the rest is {two} = {total} - {more} = {less}",
         f"{two} is {total} - {more}, so {two} = {less}"),
    )  # fmt: skip
    conclusions = (f"{two} = {less}", f"{two} is {less}", f"{more} - {less} = {difference} is true")
    return work_through(draw, prompt, facts, steps, conclusions, less)


KINDS: tuple[Kind, ...] = (
    linear_equation, both_sides, parentheses, order_of_operations, substitution, mean_of_three, nth_term,
    sum_and_difference,
)  # fmt: skip
