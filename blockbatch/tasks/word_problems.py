"""Word problems with worked steps, in the manner of GSM8K. To add a kind, write a function and list it in KINDS."""

from typing import NamedTuple

from blockbatch.tasks.example import Kind, Problem
from blockbatch.tasks.grammar import Draw
from blockbatch.tasks.prose import work_through

NAMES = (
    ("Mia", "she"), ("Tom", "he"), ("Anna", "she"), ("Ben", "he"), ("Clara", "she"), ("David", "he"),
    ("Ella", "she"), ("Felix", "he"), ("Grace", "she"), ("Hugo", "he"), ("Ivy", "she"), ("Jack", "he"),
    ("Kira", "she"), ("Leo", "he"), ("Maya", "she"), ("Noah", "he"), ("Olga", "she"), ("Paul", "he"),
    ("Rosa", "she"), ("Sam", "he"), ("Tina", "she"), ("Umar", "he"), ("Vera", "she"), ("Will", "he"),
    ("Yara", "she"), ("Zoe", "she"), ("Omar", "he"), ("Nina", "she"), ("Max", "he"), ("Lucy", "she"),
)  # fmt: skip
THINGS = (
    "apples", "pears", "plums", "coins", "stamps", "books", "pens", "cards", "shells", "stones", "marbles",
    "stickers", "buttons", "beads", "cookies", "candles", "flowers", "tickets", "toys", "cups",
)  # fmt: skip
_BOXES = ("boxes", "bags", "baskets", "jars", "crates", "packs")


class _Person(NamedTuple):
    name: str
    pronoun: str

    @property
    def capital(self) -> str:
        return self.pronoun.capitalize()


def _person(draw: Draw) -> _Person:
    return _Person(*draw.one_of(NAMES))


def _two_people(draw: Draw) -> tuple[_Person, _Person]:
    first, second = draw.several(NAMES, 2)
    return _Person(*first), _Person(*second)


def _pooled(own: int, other: int, things: str) -> tuple[str, ...]:
    """The step in which two people's things are added."""
    total = own + other
    return (f"together they have {own} + {other} = {total} {things}", f"{own} + {other} = {total} {things} in all",
            f"we add {own} and {other} and get {total}", f"the sum is {own} + {other} = {total} {things}")  # fmt: skip


def _of_the_two(total: int, things: str) -> tuple[str, ...]:
    return f"they have {total} {things}", f"the two have {total} in all", f"the total is {total} {things}"


def gain_then_lose(draw: Draw) -> Problem:
    who, friend = _two_people(draw)
    things = draw.one_of(THINGS)
    had, more = draw.number(5, 40), draw.number(2, 20)
    both = had + more
    gone = draw.number(2, min(both - 2, 20))
    left = both - gone
    prompt = draw.one_of((
        f"{who.name} has {had} {things}. {who.capital} buys {more} more and gives {gone} to {friend.name}. "
        f"How many {things} does {who.name} have now?",
        f"{who.name} has {had} {things} and finds {more} more. Then {friend.name} takes {gone}. "
        f"How many {things} does {who.name} have left?",
    ))  # fmt: skip
    subject = draw.one_of((who.name, who.pronoun))
    facts = (f"{who.name} has {had} {things} at first", f"{more} {things} come and {gone} go to {friend.name}",
             f"{who.name} starts with {had}", f"{friend.name} gets {gone} of the {things}")  # fmt: skip
    steps = (
        (f"{subject} has {had} + {more} = {both} {things}", f"{had} + {more} = {both} {things} in all",
         f"adding {more} to {had} gives {both} {things}", f"{subject} gets {more} more, so {had} + {more} = {both}"),
        (f"{subject} has {both} - {gone} = {left} {things}", f"{friend.name} gets {gone}: {both} - {gone} = {left}",
         f"taking {gone} from {both} leaves {left} {things}", f"{both} - {gone} = {left} {things} are left"),
    )  # fmt: skip
    conclusions = (f"{subject} has {left} {things}", f"{left} {things} are left", f"{who.name} keeps {left}")
    return work_through(draw, prompt, facts, steps, conclusions, left)


def boxes_and_extra(draw: Draw) -> Problem:
    who, things, boxes = _person(draw), draw.one_of(THINGS), draw.one_of(_BOXES)
    count, each, extra = draw.number(2, 9), draw.number(2, 9), draw.number(2, 20)
    packed = count * each
    total = packed + extra
    prompt = draw.one_of((
        f"{who.name} has {count} {boxes} with {each} {things} in each and {extra} more {things}. "
        f"How many {things} are there in all?",
        f"There are {each} {things} in each of {count} {boxes}. {who.name} brings {extra} more {things}. "
        f"How many {things} are there together?",
    ))  # fmt: skip
    facts = (f"there are {count} {boxes}", f"each of the {boxes} holds {each} {things}",
             f"{who.name} has {count} {boxes}", f"{extra} {things} are not in {boxes}")  # fmt: skip
    steps = (
        (f"the {boxes} hold {count} * {each} = {packed} {things}", f"{count} * {each} = {packed} {things} in {boxes}",
         f"{count} {boxes} of {each} make {packed} {things}", f"{count} times {each} is {packed}"),
        (f"{packed} + {extra} = {total} {things} in all", f"we add {extra} and get {packed} + {extra} = {total}",
         f"with {extra} more there are {total} {things}", f"the total is {packed} + {extra} = {total} {things}"),
    )  # fmt: skip
    conclusions = (f"there are {total} {things}", f"{who.name} counts {total} {things}", f"the total is {total}")
    return work_through(draw, prompt, facts, steps, conclusions, total)


def compare_and_total(draw: Draw) -> Problem:
    who, friend = _two_people(draw)
    things = draw.one_of(THINGS)
    own, gap = draw.number(11, 40), draw.number(2, 9)
    word, sign, other = draw.one_of((("more", "+", own + gap), ("fewer", "-", own - gap)))
    total = own + other
    prompt = draw.one_of((
        f"{who.name} has {own} {things}. {friend.name} has {gap} {word} than {who.name}. "
        f"How many {things} do they have together?",
        f"{friend.name} has {gap} {word} {things} than {who.name}, who has {own}. "
        f"How many {things} do the two have in all?",
    ))  # fmt: skip
    facts = (f"{who.name} has {own} {things}", f"{friend.name} has {gap} {word} than {who.name}",
             f"we need the {things} of {friend.name} first")  # fmt: skip
    steps = (
        (f"{friend.name} has {own} {sign} {gap} = {other} {things}", f"{own} {sign} {gap} = {other} for {friend.name}",
         f"{gap} {word} than {own} is {other} {things}",
         f"since {own} {sign} {gap} = {other}, {friend.name} has {other}"),
        _pooled(own, other, things),
    )  # fmt: skip
    return work_through(draw, prompt, facts, steps, _of_the_two(total, things), total)


def shopping_change(draw: Draw) -> Problem:
    who, things = _person(draw), draw.one_of(THINGS)
    count, price, extra = draw.number(2, 9), draw.number(2, 9), draw.number(2, 15)
    cost = count * price
    spent = cost + extra
    paid = draw.one_of([note for note in (20, 50, 100) if note > spent])
    change = paid - spent
    item = draw.one_of(("a hat", "a lamp", "a ball", "a scarf", "a game"))
    prompt = (
        f"{who.name} buys {count} {things} at {price} dollars each and {item} for {extra} dollars. "
        f"{who.capital} pays with {paid} dollars. How much change does {who.pronoun} get?"
    )
    subject = draw.one_of((who.name, who.pronoun))
    facts = (f"{who.name} buys {count} {things}", f"{item} costs {extra} dollars", f"{subject} pays {paid} dollars")
    steps = (
        (f"the {things} cost {count} * {price} = {cost} dollars", f"{count} {things} cost {cost} dollars",
         f"{count} * {price} = {cost} for the {things}"),
        (f"with {item} it is {cost} + {extra} = {spent} dollars", f"{cost} + {extra} = {spent} dollars are spent",
         f"{subject} spends {cost} + {extra} = {spent}"),
        (f"the change is {paid} - {spent} = {change} dollars", f"{subject} gets {paid} - {spent} = {change} back",
         f"{paid} - {spent} = {change} dollars come back"),
    )  # fmt: skip
    conclusions = (f"{subject} gets {change} dollars", f"the change is {change}", f"{change} dollars come back")
    return work_through(draw, prompt, facts, steps, conclusions, change)


def share_equally(draw: Draw) -> Problem:
    who, friend = _two_people(draw)
    things, people = draw.one_of(THINGS), draw.number(2, 9)
    each = draw.number(2, 9)
    total = people * each
    first = draw.number(2, total - 2)
    second = total - first
    prompt = draw.one_of((
        f"{who.name} has {first} {things} and {friend.name} has {second}. They share them equally among {people} "
        f"friends. How many {things} does each friend get?",
        f"{who.name} picks {first} {things} and {friend.name} picks {second}. They put the same number in each of "
        f"{people} {draw.one_of(_BOXES)}. How many {things} are in each?",
    ))  # fmt: skip
    facts = (f"{who.name} has {first} {things}", f"{friend.name} has {second} {things}",
             f"there are {people} parts", f"we share all the {things} by {people}")  # fmt: skip
    steps = (
        (f"there are {first} + {second} = {total} {things}", f"{first} + {second} = {total} {things} in all",
         f"we add {first} and {second} and get {total}", f"{who.name} and {friend.name} have {total} {things}"),
        (f"{total} / {people} = {each} {things} each", f"we divide by {people}: {total} / {people} = {each}",
         f"{total} shared by {people} is {each}", f"each part is {total} / {people} = {each} {things}"),
    )  # fmt: skip
    conclusions = (f"each gets {each} {things}", f"every part has {each}", f"there are {each} {things} in each")
    return work_through(draw, prompt, facts, steps, conclusions, each)


def times_as_many(draw: Draw) -> Problem:
    who, friend = _two_people(draw)
    things, factor, own = draw.one_of(THINGS), draw.number(2, 5), draw.number(3, 15)
    other = factor * own
    total = own + other
    prompt = draw.one_of((
        f"{who.name} has {own} {things}. {friend.name} has {factor} times as many. "
        f"How many {things} do they have in all?",
        f"{friend.name} has {factor} times as many {things} as {who.name}, who has {own}. "
        f"How many {things} are there together?",
    ))  # fmt: skip
    facts = (f"{who.name} has {own} {things}", f"{friend.name} has {factor} times as many {things}",
             f"we need the {things} of {friend.name} first")  # fmt: skip
    steps = (
        (f"{friend.name} has {factor} * {own} = {other} {things}", f"{factor} * {own} = {other} for {friend.name}",
         f"{factor} times {own} is {other} {things}",
         f"since {factor} * {own} = {other}, {friend.name} has {other}"),
        _pooled(own, other, things),
    )  # fmt: skip
    return work_through(draw, prompt, facts, steps, _of_the_two(total, things), total)


def pages_left(draw: Draw) -> Problem:
    who = _person(draw)
    days, each, extra = draw.number(2, 9), draw.number(2, 9), draw.number(2, 15)
    daily = days * each
    read = daily + extra
    left = draw.number(2, 40)
    pages = read + left
    prompt = draw.one_of((
        f"A book has {pages} pages. {who.name} reads {each} pages a day for {days} days and then {extra} pages more. "
        f"How many pages are left?",
        f"{who.name} reads a book of {pages} pages: {each} pages on each of {days} days, and {extra} more. "
        f"How many pages are not read yet?",
    ))  # fmt: skip
    subject = draw.one_of((who.name, who.pronoun))
    facts = (f"the book has {pages} pages", f"{who.name} reads for {days} days", f"{subject} reads {each} pages a day")
    steps = (
        (f"in {days} days {subject} reads {days} * {each} = {daily} pages", f"{days} * {each} = {daily} pages are read",
         f"{days} days of {each} pages make {daily}"),
        (f"with {extra} more it is {daily} + {extra} = {read} pages", f"{daily} + {extra} = {read} pages in all",
         f"{subject} has read {daily} + {extra} = {read}"),
        (f"the rest is {pages} - {read} = {left} pages", f"{pages} - {read} = {left} pages are left",
         f"{subject} still has {pages} - {read} = {left}"),
    )  # fmt: skip
    conclusions = (f"{left} pages are left", f"{subject} has {left} pages to read", f"the rest is {left} pages")
    return work_through(draw, prompt, facts, steps, conclusions, left)


def earn_and_spend(draw: Draw) -> Problem:
    who = _person(draw)
    hours, wage, saved = draw.number(2, 9), draw.number(2, 9), draw.number(2, 20)
    earned = hours * wage
    money = earned + saved
    price = draw.number(2, min(money - 2, 40))
    left = money - price
    item = draw.one_of(("a hat", "a lamp", "a ball", "a scarf", "a game"))
    prompt = draw.one_of((
        f"{who.name} has {saved} dollars and works {hours} hours for {wage} dollars an hour. "
        f"{who.capital} buys {item} for {price} dollars. How many dollars does {who.pronoun} have left?",
        f"{who.name} earns {wage} dollars an hour, works {hours} hours and already has {saved} dollars. "
        f"After buying {item} for {price} dollars, how much is left?",
    ))  # fmt: skip
    subject = draw.one_of((who.name, who.pronoun))
    facts = (f"{who.name} has {saved} dollars", f"{who.name} works {hours} hours", f"{item} costs {price} dollars")
    steps = (
        (f"{subject} earns {hours} * {wage} = {earned} dollars", f"{hours} * {wage} = {earned} dollars for the work",
         f"{hours} hours bring {earned} dollars"),
        (f"{subject} has {saved} + {earned} = {money} dollars", f"{saved} + {earned} = {money} dollars in all",
         f"adding {earned} to {saved} gives {money}"),
        (f"after {item} {subject} has {money} - {price} = {left}", f"{money} - {price} = {left} dollars are left",
         f"paying {price} leaves {money} - {price} = {left} dollars"),
    )  # fmt: skip
    conclusions = (f"{subject} has {left} dollars", f"{left} dollars are left", f"{who.name} keeps {left}")
    return work_through(draw, prompt, facts, steps, conclusions, left)


KINDS: tuple[Kind, ...] = (
    gain_then_lose, boxes_and_extra, compare_and_total, shopping_change, share_equally, times_as_many, pages_left,
    earn_and_spend,
)  # fmt: skip
