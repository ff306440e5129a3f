"""The part of a long text that its page is sent."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

from ui.running import UNCHANGED, updates
from ui.window import LONGEST, OVERLAP, SEAM, Window

STEP = "".join(chr(97 + n % 26) for n in range(9_999)) + "\n"


def growing(steps: int) -> list[str]:
    return [STEP * (n + 1) for n in range(steps)]


def test_a_short_text_is_sent_as_it_is() -> None:
    window = Window()
    assert [window.over(text) for text in growing(LONGEST // len(STEP))] == growing(LONGEST // len(STEP))


def test_of_a_long_text_a_part_is_sent_that_overlaps_and_fits_where_it_says() -> None:
    window, end = Window(), 0
    for text in growing(100):
        value = window.over(text)
        assert len(value) < LONGEST + 200
        if value == text:
            end = len(text)
            continue
        line, rest = value.split("\n", 1)
        mark = json.loads(line)
        assert text[: mark["from"]] + rest == text
        assert text[mark["from"] - SEAM : mark["from"]] == mark["after"]
        assert mark["from"] <= end - OVERLAP + len(STEP), "what the page had before is there again"
        end = len(text)


def test_mostly_a_value_only_grows_so_that_little_is_sent() -> None:
    window = Window()
    values = [window.over(text) for text in growing(100)]
    anew = sum(not after.startswith(before) for before, after in pairwise(values))
    assert anew <= 100 * len(STEP) // OVERLAP


def test_the_last_update_of_a_run_holds_its_whole_text() -> None:
    texts = growing(50)
    sent = [update[1] for update in updates(lambda: (("key", text) for text in texts), lambda _: False)]
    assert sent[0] == texts[0]
    assert sent[-2] != texts[-1]
    assert sent[-1] == texts[-1]


def test_a_run_that_gave_way_leaves_the_buttons_to_the_next() -> None:
    def last(of: str) -> tuple[Any, ...]:
        return list(updates(lambda: iter([(of, "text")]), lambda key: key == "gave way"))[-1]

    assert last("gave way") == ("gave way", "text", *UNCHANGED)
    run, pause, *_ = last("ended")[2:]
    assert (run.interactive, pause.interactive) == (True, False)
