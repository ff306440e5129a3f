"""Word problems with worked steps, in the manner of GSM8K. To add a kind, write a function and list it in KINDS."""

from typing import NamedTuple

from blockbatch.tasks.example import Kind, Problem
from blockbatch.tasks.grammar import Draw
from blockbatch.tasks.prose import Step, work_through

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


def gain_then_lose(draw: Draw) -> Problem:
    who, friend = _two_people(draw)
    things = draw.one_of(THINGS)
    had, more = draw.number(11, 89), draw.number(5, 60)
    both = had + more
    gone = draw.number(5, min(both - 2, 80))
    left = both - gone
    prompt = draw.one_of((
        f"{who.name} has {had} {things}. {who.capital} buys {more} more and gives {gone} to {friend.name}. "
        f"How many {things} does {who.name} have now?",
        f"{who.name} has {had} {things} and finds {more} more. Then {friend.name} takes {gone}. "
        f"How many {things} does {who.name} have left?",
    ))  # fmt: skip
    subject = draw.one_of((who.name, who.pronoun))
    facts = (f"{who.name} starts with {had} {things}", f"we know that {who.name} has {had} {things}",
             f"at first there are {had} {things}", f"{more} {things} come and {gone} go")  # fmt: skip
    steps = (
        Step(had, "+", more, both, (f"{subject} has {{}} {things}", f"{{}} {things} in all",
                                    f"adding {more} gives {{}} {things}", f"{subject} gets {more} more, so {{}}"),
             (f"that makes {both} {things}", f"now there are {both}", f"{subject} has {both} {things} before giving")),
        Step(both, "-", gone, left, (f"{subject} has {{}} {things} left", f"{friend.name} gets {gone}, so {{}}",
                                     f"taking {gone} away leaves {{}} {things}", f"{{}} {things} are left"),
             (f"so {left} {things} stay", f"that leaves {left}", f"{subject} still has {left} {things}")),
    )  # fmt: skip
    conclusions = (f"{subject} has {left} {things}", f"{left} {things} are left", f"{who.name} keeps {left}")
    return work_through(draw, prompt, facts, steps, conclusions, f"the number of {things} left")


def boxes_and_extra(draw: Draw) -> Problem:
    who, things, boxes = _person(draw), draw.one_of(THINGS), draw.one_of(_BOXES)
    count, each, extra = draw.number(2, 12), draw.number(2, 12), draw.number(5, 60)
    packed = count * each
    total = packed + extra
    prompt = draw.one_of((
        f"{who.name} has {count} {boxes} with {each} {things} in each and {extra} more {things}. "
        f"How many {things} are there in all?",
        f"There are {each} {things} in each of {count} {boxes}. {who.name} brings {extra} more {things}. "
        f"How many {things} are there together?",
    ))  # fmt: skip
    facts = (f"there are {count} {boxes}", f"each of the {boxes} holds {each} {things}",
             f"we count the {boxes} first and {extra} more after", f"{who.name} has {count} {boxes}")  # fmt: skip
    steps = (
        Step(count, "*", each, packed, (f"the {boxes} hold {{}} {things}", f"{{}} {things} in {boxes}",
                                        f"{count} {boxes} of {each} make {{}} {things}", f"in the {boxes} are {{}}"),
             (f"the {boxes} have {packed} {things}", f"that is {packed} in {boxes}", f"so {packed} are packed")),
        Step(packed, "+", extra, total, (f"{{}} {things} in all", f"we add {extra} and get {{}}",
                                         f"with {extra} more there are {{}} {things}", f"the total is {{}} {things}"),
             (f"that makes {total} {things}", f"now all {things} are counted: {total}", f"together it is {total}")),
    )  # fmt: skip
    conclusions = (f"there are {total} {things}", f"{who.name} counts {total} {things}", f"the total is {total}")
    return work_through(draw, prompt, facts, steps, conclusions, f"the number of {things}")


def compare_and_total(draw: Draw) -> Problem:
    who, friend = _two_people(draw)
    things = draw.one_of(THINGS)
    own, gap = draw.number(25, 89), draw.number(3, 24)
    word, sign, other = draw.one_of((("more", "+", own + gap), ("fewer", "-", own - gap)))
    total = own + other
    prompt = draw.one_of((
        f"{who.name} has {own} {things}. {friend.name} has {gap} {word} than {who.name}. "
        f"How many {things} do they have together?",
        f"{friend.name} has {gap} {word} {things} than {who.name}, who has {own}. "
        f"How many {things} do the two have in all?",
    ))  # fmt: skip
    facts = (f"{who.name} has {own} {things}", f"{friend.name} has {gap} {word} than {who.name}",
             f"we need the {things} of {friend.name} first", f"{gap} {word} than {own} comes first")  # fmt: skip
    steps = (
        Step(own, sign, gap, other, (f"{friend.name} has {{}} {things}", f"{{}} for {friend.name}",
                                     f"{gap} {word} is {{}} {things}", f"we find {friend.name} with {{}}"),
             (f"{friend.name} has {other}", f"that is {other} {things}", f"so {friend.name} owns {other} {things}")),
        Step(own, "+", other, total, (f"together they have {{}} {things}", f"{{}} {things} in all",
                                      "we add and get {}", f"the sum is {{}} {things}"),
             (f"that makes {total} {things}", f"both have {total} together", f"{total} {things} for the two")),
    )  # fmt: skip
    conclusions = (f"they have {total} {things}", f"the two have {total} in all", f"the total is {total} {things}")
    return work_through(draw, prompt, facts, steps, conclusions, f"the number of {things} together")


def shopping_change(draw: Draw) -> Problem:
    who, things = _person(draw), draw.one_of(THINGS)
    count, price, extra = draw.number(2, 9), draw.number(2, 12), draw.number(2, 40)
    cost = count * price
    spent = cost + extra
    paid = draw.one_of([note for note in (50, 100, 150, 200) if note > spent])
    change = paid - spent
    item = draw.one_of(("a hat", "a lamp", "a ball", "a scarf", "a game"))
    prompt = (
        f"{who.name} buys {count} {things} at {price} dollars each and {item} for {extra} dollars. "
        f"{who.capital} pays with {paid} dollars. How much change does {who.pronoun} get?"
    )
    subject = draw.one_of((who.name, who.pronoun))
    facts = (f"{who.name} buys {count} {things}", f"{item} costs {extra} dollars", f"{subject} pays {paid} dollars")
    steps = (
        Step(count, "*", price, cost, (f"the {things} cost {{}} dollars", f"{{}} for the {things}"),
             (f"that is {cost} dollars", f"so {things} take {cost}")),
        Step(cost, "+", extra, spent, (f"with {item} it is {{}} dollars", "{} dollars are spent",
                                       f"{subject} spends {{}}"),
             (f"that makes {spent} dollars", f"{subject} owes {spent}")),
        Step(paid, "-", spent, change, ("the change is {} dollars", f"{subject} gets {{}} back",
                                        "{} dollars come back"),
             (f"that leaves {change} dollars", f"{subject} keeps {change}")),
    )  # fmt: skip
    conclusions = (f"{subject} gets {change} dollars", f"the change is {change}", f"{change} dollars come back")
    return work_through(draw, prompt, facts, steps, conclusions, "the change")


def share_equally(draw: Draw) -> Problem:
    who, friend = _two_people(draw)
    things, people = draw.one_of(THINGS), draw.number(2, 9)
    each = draw.number(4, 20)
    total = people * each
    first = draw.number(2, total - 2)
    second = total - first
    boxes = draw.one_of(_BOXES)
    prompt = draw.one_of((
        f"{who.name} has {first} {things} and {friend.name} has {second}. They share them equally among {people} "
        f"friends. How many {things} does each friend get?",
        f"{who.name} picks {first} {things} and {friend.name} picks {second}. They put the same number in each of "
        f"{people} {boxes}. How many {things} are in each?",
    ))  # fmt: skip
    facts = (f"{who.name} has {first} {things}", f"{friend.name} has {second} {things}",
             f"there are {people} parts", f"we count all the {things} and share them by {people}")  # fmt: skip
    steps = (
        Step(first, "+", second, total, (f"there are {{}} {things}", f"{{}} {things} in all",
                                         "we add them and get {}", f"{who.name} and {friend.name} have {{}}"),
             (f"that makes {total} {things}", f"the two have {total}", f"so {total} {things} are shared")),
        Step(total, "/", people, each, (f"{{}} {things} each", f"we divide by {people}: {{}}",
                                        f"each part is {{}} {things}", f"sharing by {people} gives {{}}"),
             (f"that is {each} for each", f"every part has {each} {things}", f"each one takes {each}")),
    )  # fmt: skip
    conclusions = (f"each gets {each} {things}", f"every part has {each}", f"there are {each} {things} in each")
    return work_through(draw, prompt, facts, steps, conclusions, f"the number of {things} in each part")


def times_as_many(draw: Draw) -> Problem:
    who, friend = _two_people(draw)
    things, factor, own = draw.one_of(THINGS), draw.number(2, 5), draw.number(6, 30)
    other = factor * own
    total = own + other
    prompt = draw.one_of((
        f"{who.name} has {own} {things}. {friend.name} has {factor} times as many. "
        f"How many {things} do they have in all?",
        f"{friend.name} has {factor} times as many {things} as {who.name}, who has {own}. "
        f"How many {things} are there together?",
    ))  # fmt: skip
    facts = (f"{who.name} has {own} {things}", f"{friend.name} has {factor} times as many {things}",
             f"we need what {friend.name} has first", f"the {things} of {who.name} count {factor} times")  # fmt: skip
    steps = (
        Step(factor, "*", own, other, (f"{friend.name} has {{}} {things}", f"{{}} {things} for {friend.name}",
                                       f"{factor} times as many is {{}}", f"multiplying by {factor} gives {{}}"),
             (f"{friend.name} has {other}", f"that is {other} {things}", f"so {friend.name} owns {other} {things}")),
        Step(own, "+", other, total, (f"together they have {{}} {things}", f"{{}} {things} in all",
                                      f"with those of {who.name} it is {{}}", f"the sum is {{}} {things}"),
             (f"that makes {total} {things}", f"both have {total} together", f"{total} {things} for the two")),
    )  # fmt: skip
    conclusions = (f"they have {total} {things}", f"the two have {total} in all", f"the total is {total} {things}")
    return work_through(draw, prompt, facts, steps, conclusions, f"the number of {things} together")


def pages_left(draw: Draw) -> Problem:
    who = _person(draw)
    days, each, extra = draw.number(2, 9), draw.number(4, 15), draw.number(2, 30)
    daily = days * each
    read = daily + extra
    pages = read + draw.number(5, 199 - read)
    left = pages - read
    prompt = draw.one_of((
        f"A book has {pages} pages. {who.name} reads {each} pages a day for {days} days and then {extra} pages more. "
        f"How many pages are left?",
        f"{who.name} reads a book of {pages} pages: {each} pages on each of {days} days, and {extra} more. "
        f"How many pages are not read yet?",
    ))  # fmt: skip
    subject = draw.one_of((who.name, who.pronoun))
    facts = (f"the book has {pages} pages", f"{who.name} reads for {days} days", f"{subject} reads {each} pages a day")
    steps = (
        Step(days, "*", each, daily, (f"in {days} days {subject} reads {{}} pages", f"{{}} pages in {days} days"),
             (f"that is {daily} pages", f"so {daily} pages are done")),
        Step(daily, "+", extra, read, (f"with {extra} more it is {{}} pages", f"{subject} has read {{}} pages",
                                       "{} pages are read"),
             (f"that makes {read} pages", f"{subject} is at page {read}")),
        Step(pages, "-", read, left, ("{} pages are left", "the rest is {} pages", f"{subject} still has {{}}"),
             (f"that leaves {left} pages", f"{left} pages to go")),
    )  # fmt: skip
    conclusions = (f"{left} pages are left", f"{subject} has {left} pages to read", f"the rest is {left} pages")
    return work_through(draw, prompt, facts, steps, conclusions, "the number of pages left")


def earn_and_spend(draw: Draw) -> Problem:
    who = _person(draw)
    hours, wage, saved = draw.number(2, 9), draw.number(4, 15), draw.number(5, 60)
    earned = hours * wage
    money = earned + saved
    price = draw.number(3, min(money - 2, 99))
    left = money - price
    item = draw.one_of(("a bike", "a tent", "a coat", "a desk", "a clock"))
    prompt = draw.one_of((
        f"{who.name} has {saved} dollars and works {hours} hours for {wage} dollars an hour. "
        f"{who.capital} buys {item} for {price} dollars. How many dollars does {who.pronoun} have left?",
        f"{who.name} earns {wage} dollars an hour, works {hours} hours and already has {saved} dollars. "
        f"After buying {item} for {price} dollars, how much is left?",
    ))  # fmt: skip
    subject = draw.one_of((who.name, who.pronoun))
    facts = (f"{who.name} has {saved} dollars", f"{who.name} works {hours} hours", f"{item} costs {price} dollars")
    steps = (
        Step(hours, "*", wage, earned, (f"{subject} earns {{}} dollars", "the work brings {} dollars"),
             (f"that is {earned} dollars", f"so the pay is {earned}")),
        Step(saved, "+", earned, money, (f"{subject} has {{}} dollars", "with the savings it is {} dollars",
                                         "{} dollars in all"),
             (f"that makes {money} dollars", f"{subject} can spend {money}")),
        Step(money, "-", price, left, (f"after {item} {subject} has {{}} dollars", "{} dollars are left",
                                       f"paying for {item} leaves {{}}"),
             (f"that leaves {left} dollars", f"{subject} keeps {left}")),
    )  # fmt: skip
    conclusions = (f"{subject} has {left} dollars", f"{left} dollars are left", f"{who.name} keeps {left}")
    return work_through(draw, prompt, facts, steps, conclusions, "the money left")


KINDS: tuple[Kind, ...] = (
    gain_then_lose, boxes_and_extra, compare_and_total, shopping_change, share_equally, times_as_many, pages_left,
    earn_and_spend,
)  # fmt: skip
