"""Arithmetic and linear algebra with steps, in the manner of MATH. To add a kind, write a function and list it."""

from blockbatch.tasks.example import Kind, Problem
from blockbatch.tasks.grammar import Draw
from blockbatch.tasks.prose import Step, work_through

_UNKNOWNS = ("x", "y", "z", "n", "t", "k", "m", "w")


def _value_of(value: int, expression: str) -> tuple[str, ...]:
    """Clauses that close a computation."""
    return f"the value is {value}", f"the result is {value}", f"{expression} = {value}"


def _asked(draw: Draw, expression: str) -> str:
    return draw.one_of((f"Evaluate {expression}.", f"What is {expression}?", f"Compute {expression}."))


def _solution(unknown: str, root: int) -> tuple[str, ...]:
    """Clauses that close an equation."""
    return f"{unknown} = {root}", f"{unknown} is {root}", f"the solution is {unknown} = {root}"


def linear_equation(draw: Draw) -> Problem:
    unknown, factor, root = draw.one_of(_UNKNOWNS), draw.number(2, 9), draw.number(2, 20)
    scaled, size = factor * root, draw.number(1, 60)
    sign, back, right = draw.one_of((("+", "-", scaled + size), ("-", "+", scaled - size)) if size < scaled else
                                    (("+", "-", scaled + size),))  # fmt: skip
    term = f"{factor}{unknown}"
    left = f"{term} {sign} {size}"
    verb, gerund = ("subtract", "subtracting") if back == "-" else ("add", "adding")
    prompt = draw.one_of((f"Solve for {unknown}: {left} = {right}", f"If {left} = {right}, what is {unknown}?",
                          f"Find {unknown} so that {left} = {right}."))  # fmt: skip
    facts = (f"the equation is {left} = {right}", f"we want {unknown} alone",
             f"we look for {unknown} in {left} = {right}", f"we {verb} {size} and divide by {factor}")  # fmt: skip
    steps = (
        Step(right, back, size, scaled, (f"{verb} {size} on both sides: {term} = {{}}",
                                         f"{gerund} {size} gives {term} = {{}}",
                                         f"we {verb} {size} and get {term} = {{}}", f"{term} = {{}}"),
             (f"so {term} = {scaled}", f"that is {term} = {scaled}", f"it is now {term} = {scaled}")),
        Step(scaled, "/", factor, root, (f"divide by {factor}: {unknown} = {{}}", f"{unknown} = {{}}",
                                         f"dividing both sides by {factor} gives {unknown} = {{}}",
                                         f"we divide by {factor} and get {{}}"),
             (f"so {unknown} = {root}", f"that is {unknown} = {root}", f"{factor} times {root} is {scaled}")),
    )  # fmt: skip
    return work_through(draw, prompt, facts, steps, _solution(unknown, root))


def both_sides(draw: Draw) -> Problem:
    unknown, less, difference, root = (
        draw.one_of(_UNKNOWNS), draw.number(2, 9), draw.number(2, 9), draw.number(2, 15))  # fmt: skip
    more, scaled = less + difference, difference * root
    offset = draw.number(1, 40)
    total = scaled + offset
    left, right = f"{more}{unknown} + {offset}", f"{less}{unknown} + {total}"
    prompt = draw.one_of((f"Solve for {unknown}: {left} = {right}", f"Find {unknown} if {left} = {right}."))
    term = f"{difference}{unknown}"
    facts = (f"we want {unknown} on one side", f"{unknown} is on both sides", f"we take {less}{unknown} away first")
    steps = (
        Step(more, "-", less, difference, (f"for {unknown} we have {{}}", f"the terms with {unknown} give {{}}",
                                           f"take {less}{unknown} from both sides: {{}}"),
             (f"so {term} + {offset} = {total}", f"what stays is {term} + {offset} = {total}")),
        Step(total, "-", offset, scaled, (f"subtract {offset}: {term} = {{}}", f"{term} = {{}}",
                                          f"subtracting {offset} gives {term} = {{}}"),
             (f"so {term} = {scaled}", f"that is {term} = {scaled}")),
        Step(scaled, "/", difference, root, (f"divide by {difference}: {unknown} = {{}}", f"{unknown} = {{}}",
                                             f"dividing by {difference} gives {unknown} = {{}}"),
             (f"so {unknown} = {root}", f"that is {unknown} = {root}")),
    )  # fmt: skip
    return work_through(draw, prompt, facts, steps, _solution(unknown, root))


def parentheses(draw: Draw) -> Problem:
    factor, inner, second = draw.number(2, 9), draw.number(4, 20), draw.number(2, 60)
    sign, first = draw.one_of((("+", inner - draw.number(1, inner - 2)), ("-", inner + draw.number(1, 40))))
    other = abs(inner - first)
    product = factor * inner
    last, value = draw.one_of((("+", product + second), ("-", product - second)) if product > second else
                              (("+", product + second),))  # fmt: skip
    expression = f"{factor} * ({first} {sign} {other}) {last} {second}"
    facts = ("the bracket comes first", f"we start inside the bracket, then multiply by {factor}",
             f"the order is bracket, product, then {last} {second}")  # fmt: skip
    steps = (
        Step(first, sign, other, inner, ("the bracket is {}", "inside the bracket, {}", "{}", "we do the bracket: {}"),
             (f"so the bracket is {inner}", f"that is {factor} * {inner} {last} {second}")),
        Step(factor, "*", inner, product, ("multiply: {}", "the product is {}", f"multiplying by {factor} gives {{}}"),
             (f"so the product is {product}", f"that is {product} {last} {second}")),
        Step(product, last, second, value, ("the last part gives {}", "we get {}", "{}", "it ends with {}"),
             (f"that is {value}", f"so we have {value}")),
    )  # fmt: skip
    return work_through(draw, _asked(draw, expression), facts, steps, _value_of(value, expression))


def order_of_operations(draw: Draw) -> Problem:
    first, second = draw.number(2, 12), draw.number(2, 12)
    third, fourth = draw.number(2, 12), draw.number(2, 12)
    left, right = first * second, third * fourth
    last, value = draw.one_of((("+", left + right), ("-", left - right)) if left > right else (("+", left + right),))
    expression = f"{first} * {second} {last} {third} * {fourth}"
    facts = ("the products come first", f"we multiply before the {last} sign", "there are two products")
    steps = (
        Step(first, "*", second, left, ("multiply: {}", "the left product is {}", "{}"),
             (f"so the left side is {left}", f"that is {left} {last} {third} * {fourth}")),
        Step(third, "*", fourth, right, ("the right product is {}", "{}", "we also need {}"),
             (f"so the right side is {right}", f"that is {left} {last} {right}")),
        Step(left, last, right, value, ("together, {}", "{}", "we get {}"),
             (f"that is {value}", f"so we have {value}")),
    )  # fmt: skip
    return work_through(draw, _asked(draw, expression), facts, steps, _value_of(value, expression))


def substitution(draw: Draw) -> Problem:
    one, two = draw.several(_UNKNOWNS, 2)
    first, second = draw.number(2, 12), draw.number(2, 12)
    value_one, value_two = draw.number(2, 12), draw.number(2, 12)
    left, right = first * value_one, second * value_two
    value = left + right
    expression = f"{first}{one} + {second}{two}"
    prompt = draw.one_of((f"If {one} = {value_one} and {two} = {value_two}, what is {expression}?",
                          f"Find {expression} for {one} = {value_one} and {two} = {value_two}."))  # fmt: skip
    facts = (f"we put in {one} = {value_one} and {two} = {value_two}",
             f"the letters stand for {value_one} and {value_two}",
             f"we work out {first}{one} and {second}{two}")  # fmt: skip
    step_one = Step(first, "*", value_one, left, (f"{first}{one} = {{}}", f"with {one} = {value_one} we get {{}}",
                                                  f"put {value_one} for {one}: {{}}"),
                    (f"so {first}{one} = {left}", f"that is {left} for {first}{one}"))  # fmt: skip
    step_two = Step(second, "*", value_two, right, (f"{second}{two} = {{}}", f"with {two} = {value_two} we get {{}}",
                                                    f"put {value_two} for {two}: {{}}"),
                    (f"so {second}{two} = {right}", f"that is {right} for {second}{two}"))  # fmt: skip
    in_order = (step_one, step_two) if draw.number(0, 2) else (step_two, step_one)
    last = Step(left, "+", right, value, ("the sum is {}", "{}", "we add and get {}"),
                (f"that is {value}", f"so we have {value}"))  # fmt: skip
    return work_through(draw, prompt, facts, (*in_order, last), _value_of(value, expression))


def mean_of_three(draw: Draw) -> Problem:
    mean = draw.number(12, 50)
    first, second = draw.number(mean // 2, mean + 5), draw.number(mean // 2, mean + 5)
    both, total = first + second, 3 * mean
    third = total - both
    numbers = f"{first}, {second} and {third}"
    prompt = draw.one_of((f"What is the mean of {numbers}?", f"Find the average of {numbers}."))
    facts = ("there are three numbers", f"we add {numbers}", "the sum is divided by 3")
    steps = (
        Step(first, "+", second, both, ("the first two give {}", "{}", "add two of them: {}"),
             (f"so two of them make {both}", f"that is {both}")),
        Step(both, "+", third, total, ("with the third, {}", "all three give {}", "the sum is {}"),
             (f"so the sum is {total}", f"that is {total} in all")),
        Step(total, "/", 3, mean, ("divide by 3: {}", "the mean is {}", "dividing by 3 gives {}"),
             (f"that is {mean}", f"three times {mean} is {total}")),
    )  # fmt: skip
    conclusions = (f"the mean is {mean}", f"the average is {mean}", f"the middle of the three is {mean}")
    return work_through(draw, prompt, facts, steps, conclusions)


def nth_term(draw: Draw) -> Problem:
    start, difference, place = draw.number(2, 50), draw.number(2, 12), draw.number(5, 13)
    jumps = place - 1
    grown = jumps * difference
    value = start + grown
    shown = f"{start}, {start + difference}, {start + 2 * difference}"
    prompt = draw.one_of((f"A sequence starts {shown} and goes on like this. What is term number {place}?",
                          f"Find term number {place} of the sequence {shown}, and so on."))  # fmt: skip
    facts = (f"the sequence starts at {start}", f"each term is {difference} more",
             f"from {start} it grows by {difference}")  # fmt: skip
    steps = (
        Step(place, "-", 1, jumps, ("there are {} jumps", "the number of jumps is {}",
                                         f"up to term {place} we have {{}}"),
             (f"so we jump {jumps} times", f"that is {jumps} jumps")),
        Step(jumps, "*", difference, grown, ("the jumps add {}", "it grows by {}", f"{jumps} jumps make {{}}"),
             (f"so it grows by {grown}", f"that is {grown} more")),
        Step(start, "+", grown, value, ("the term is {}", "{}", f"from {start} we reach {{}}"),
             (f"that is {value}", f"so we reach {value}")),
    )  # fmt: skip
    conclusions = (f"term {place} is {value}", f"the term is {value}", f"term number {place} is {value}")
    return work_through(draw, prompt, facts, steps, conclusions)


def sum_and_difference(draw: Draw) -> Problem:
    one, two = draw.several(_UNKNOWNS, 2)
    less = draw.number(3, 45)
    more = less + draw.number(2, 45)
    total, difference = more + less, more - less
    first, second = f"{one} + {two} = {total}", f"{one} - {two} = {difference}"
    prompt = draw.one_of((f"If {first} and {second}, what is {two}?", f"Solve for {two}: {first} and {second}"))
    facts = (f"we add the two equations, so {two} goes away", f"we find {one} first", f"two equations give {one}")
    steps = (
        Step(total, "+", difference, 2 * more, (f"2{one} = {{}}", f"adding them gives 2{one} = {{}}",
                                                "the sum of both is {}"),
             (f"so 2{one} = {2 * more}", f"that is 2{one} = {2 * more}")),
        Step(2 * more, "/", 2, more, (f"{one} = {{}}", f"divide by 2: {one} = {{}}", "half of it is {}"),
             (f"so {one} = {more}", f"that is {more} for {one}")),
        Step(total, "-", more, less, (f"{two} = {{}}", f"then {two} is {{}}", "the rest is {}"),
             (f"so {two} = {less}", f"that is {less} for {two}")),
    )  # fmt: skip
    return work_through(draw, prompt, facts, steps, _solution(two, less))


KINDS: tuple[Kind, ...] = (
    linear_equation, both_sides, parentheses, order_of_operations, substitution, mean_of_three, nth_term,
    sum_and_difference,
)  # fmt: skip
