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
    steps = (
        (f"{imperative}: {term} = {right} {operation} = {scaled}", f"{participle} gives {term} = {scaled}",
         f"we {imperative} and get {term} = {scaled}", f"{term} = {right} {operation}, which is {scaled}"),
        (f"divide by {factor}: {unknown} = {scaled} / {factor} = {root}", f"{unknown} = {scaled} / {factor} = {root}",
         f"dividing both sides by {factor} gives {unknown} = {root}", f"we divide {scaled} by {factor} and get {root}"),
    )  # fmt: skip
    conclusions = (f"{unknown} = {root}", f"{unknown} is {root}", f"{factor} * {root} {constant} = {right} is true")
    return work_through(draw, prompt, steps, conclusions, root)


def both_sides(draw: Draw) -> Problem:
    unknown, less, difference, root = (
        draw.one_of(_UNKNOWNS), draw.number(2, 6), draw.number(2, 6), draw.number(2, 9))  # fmt: skip
    more, scaled = less + difference, difference * root
    offset = draw.number(1, 20)
    left, right = f"{more}{unknown} + {offset}", f"{less}{unknown} + {scaled + offset}"
    prompt = draw.one_of((f"Solve for {unknown}: {left} = {right}", f"Find {unknown} if {left} = {right}."))
    term, total = f"{difference}{unknown}", scaled + offset
    steps = (
        (f"take {less}{unknown} from both sides: {term} + {offset} = {total}", f"{term} + {offset} = {total}",
         f"subtracting {less}{unknown} gives {term} + {offset} = {total}"),
        (f"subtract {offset}: {term} = {total} - {offset} = {scaled}", f"{term} = {total} - {offset} = {scaled}",
         f"subtracting {offset} gives {term} = {scaled}"),
        (f"divide by {difference}: {unknown} = {root}", f"{unknown} = {scaled} / {difference} = {root}",
         f"dividing by {difference} gives {unknown} = {root}"),
    )  # fmt: skip
    conclusions = (f"{unknown} = {root}", f"{unknown} is {root}", f"the solution is {root}")
    return work_through(draw, prompt, steps, conclusions, root)


def parentheses(draw: Draw) -> Problem:
    factor, inner, second = draw.number(2, 9), draw.number(3, 9), draw.number(2, 20)
    sign, first = draw.one_of((("+", inner - draw.number(1, inner - 2)), ("-", inner + draw.number(1, 20))))
    other = abs(inner - first)
    bracket, product = f"{first} {sign} {other}", factor * inner
    last, value = draw.one_of((("+", product + second), ("-", product - second)) if product > second else
                              (("+", product + second),))  # fmt: skip
    expression = f"{factor} * ({bracket}) {last} {second}"
    prompt = draw.one_of((f"Evaluate {expression}.", f"What is {expression}?", f"Compute {expression}."))
    steps = (
        (f"the bracket is {bracket} = {inner}", f"inside the bracket, {bracket} = {inner}",
         f"{bracket} = {inner}", f"we do the bracket and get {inner}"),
        (f"multiply: {factor} * {inner} = {product}", f"{factor} times {inner} is {product}",
         f"{factor} * {inner} = {product}", f"multiplying by {factor} gives {product}"),
        (f"the last part gives {product} {last} {second} = {value}", f"{product} {last} {second} = {value}",
         f"we get {product} {last} {second} = {value}"),
    )  # fmt: skip
    conclusions = (f"the value is {value}", f"the result is {value}", f"{expression} = {value}")
    return work_through(draw, prompt, steps, conclusions, value)


def order_of_operations(draw: Draw) -> Problem:
    first, second = draw.number(2, 9), draw.number(2, 9)
    third, fourth = draw.number(2, 9), draw.number(2, 9)
    left, right = first * second, third * fourth
    last, value = ("+", left + right) if left < right or draw.number(0, 1) else ("-", left - right)
    expression = f"{first} * {second} {last} {third} * {fourth}"
    prompt = draw.one_of((f"Evaluate {expression}.", f"What is {expression}?", f"Compute {expression}."))
    steps = (
        (f"multiply: {first} * {second} = {left}", f"the left product is {first} * {second} = {left}",
         f"{first} times {second} is {left}", f"{first} * {second} = {left}"),
        (f"the right product is {third} * {fourth} = {right}", f"{third} times {fourth} is {right}",
         f"{third} * {fourth} = {right}", f"we also need {third} * {fourth} = {right}"),
        (f"together, {left} {last} {right} = {value}", f"{left} {last} {right} = {value}",
         f"we get {left} {last} {right} = {value}"),
    )  # fmt: skip
    conclusions = (f"the value is {value}", f"the result is {value}", f"{expression} = {value}")
    return work_through(draw, prompt, steps, conclusions, value)


def substitution(draw: Draw) -> Problem:
    one, two = draw.several(_UNKNOWNS, 2)
    first, second = draw.number(2, 9), draw.number(2, 9)
    value_one, value_two = draw.number(2, 9), draw.number(2, 9)
    left, right = first * value_one, second * value_two
    value = left + right
    expression = f"{first}{one} + {second}{two}"
    prompt = draw.one_of((f"If {one} = {value_one} and {two} = {value_two}, what is {expression}?",
                          f"Find {expression} for {one} = {value_one} and {two} = {value_two}."))  # fmt: skip
    step_one = (f"{first}{one} = {first} * {value_one} = {left}", f"with {one} = {value_one}, {first}{one} is {left}",
                f"put {value_one} for {one}: {first} * {value_one} = {left}")  # fmt: skip
    step_two = (f"{second}{two} = {second} * {value_two} = {right}",
                f"with {two} = {value_two}, {second}{two} is {right}",
                f"put {value_two} for {two}: {second} * {value_two} = {right}")  # fmt: skip
    in_order = (step_one, step_two) if draw.number(0, 2) else (step_two, step_one)
    last = (f"the sum is {left} + {right} = {value}", f"{left} + {right} = {value}", f"we add and get {value}")
    conclusions = (f"the value is {value}", f"the result is {value}", f"{expression} = {value}")
    return work_through(draw, prompt, (*in_order, last), conclusions, value)


KINDS: tuple[Kind, ...] = (linear_equation, both_sides, parentheses, order_of_operations, substitution)
