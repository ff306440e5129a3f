"""Live runs as streams of texts for the viewer: each waits its turn, then decodes as its visitor steers it.

`LiveRuns.stream` is what the Run button iterates.  The iteration may be closed at any yield (a closed tab does that),
and the run then ends within a step.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from blockbatch.config import Config
from blockbatch.errors import BlockBatchError
from blockbatch.reading import parse_trace
from ui.session import ControlStore, Turnstile, Wishes
from ui.steering import (
    CLOSING,
    FORGOTTEN,
    LIVE,
    MINUTES_OF_A_PAUSE,
    NAP,
    Beginning,
    Obeyed,
    Parked,
    Part,
    Refusal,
    RunLike,
    Steering,
)
from ui.viewer import session_line, trace_text

SECONDS_BETWEEN_UPDATES = 0.05  # a browser that gets more than 20 updates a second falls behind
SECONDS_BETWEEN_HEARTBEATS = 0.5
SECONDS_TO_MAKE_ROOM = 10.0
SECONDS_TO_LEAVE = 0.25  # a last update must not reach the page after the first of the next run

Starter = Callable[[str, Config], RunLike]
Warn = Callable[[str], object]


class Job(NamedTuple):
    """How a run was made: a method of the engine, and what it was given.  Another process can make it again from that,
    for all of it can be pickled."""

    how: Literal["start", "fork", "resume"]
    given: tuple[Any, ...]

    def made_by(self, engine: object) -> RunLike:
        """The run."""
        run: RunLike = getattr(engine, self.how)(*self.given)
        return run


@dataclass(frozen=True)
class Order:
    """A run to stream, how it was made, and how it begins.

    against: the id of the run on the visitor's page that it is compared with, or nothing.
    """

    run: RunLike
    job: Job
    begin: Beginning
    against: str = ""

    def taken_up(self, lines: str, obeyed: Obeyed) -> Order:
        """The same run, of which its visitor has the NDJSON `lines`, to be made again where it was parked."""
        trace = parse_trace(lines, whole=False)
        steps = len(trace.steps)
        return replace(self, job=Job("resume", (trace,)), begin=Beginning(obeyed, repeated=steps - 1, shown=steps + 1))


Decode = Callable[[Order, str], Iterator[Part | Parked]]  # of an order, steered under a key


def settings_of(config: Config) -> dict[str, Any]:
    """The settings of a run as a visitor's wishes name them."""
    return {**config.to_dict(), "block_sizes": list(config.block_sizes)}


@dataclass
class LiveRuns:
    """Starts runs and streams them.  `store` and `turnstile` are shared by all visitors.

    elsewhere: decodes an order under a key in another process (see `ui.gpu`); without it, runs decode in this one.
    keep: is given the NDJSON lines of each run that has come to its end, a stopped one included (see `ui.keeping`).
    """

    start: Starter
    store: ControlStore
    turnstile: Turnstile
    elsewhere: Decode | None = None
    keep: Callable[[str], object] | None = None
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    _gave_way: set[str] = field(default_factory=set, repr=False)  # keys of runs that were ended for another

    def stream(self, prompt: str, config: Config, pace: float, warn: Warn) -> Iterator[tuple[str, str]]:
        """(key, text so far) again and again; the text only grows.  BlockBatchError if the run cannot start."""
        yield from self.follow(self.order(prompt, config), pace, warn)

    def order(self, prompt: str, config: Config) -> Order:
        """A run that is made, for `follow`.  BlockBatchError if it cannot start."""
        return Order(self.start(prompt, config), Job("start", (prompt, config)), Beginning(Obeyed(settings_of(config))))

    def follow(self, order: Order, pace: float, warn: Warn) -> Iterator[tuple[str, str]]:
        """`stream` for a run that is made already."""
        key, text = self.store.open(Wishes(pace=pace)), ""
        self.turnstile.enter(key)
        try:
            for part in self._batched(self._parts(order, key)):
                if isinstance(part, Refusal):
                    warn(part.sentence)
                else:
                    text += part
                    yield key, text
        finally:
            order.run.stop()
            self.turnstile.leave(key)
            self.store.close(key)
            if self.keep and CLOSING in text:  # of a run whose page was closed there is no end, so nothing to link to
                self.keep(trace_text(text))

    def end(self, key: str | None) -> None:
        """Stop the run under `key`, if it goes on, and return when its last update is on its way, so that another can
        take its place on the page.  BlockBatchError where its forward takes too long."""
        given_up = self.clock() + SECONDS_TO_MAKE_ROOM
        while key and self.store.holds(key):
            self._gave_way.add(key)
            if self.clock() > given_up:
                self._gave_way.discard(key)
                raise BlockBatchError("The run that goes on is still in a forward; ask again when it has stopped.")
            self.store.change(key, stopped=True)
            self.sleep(SECONDS_TO_LEAVE)

    def gave_way(self, key: str) -> bool:
        """Whether the run under `key` was ended so that another takes its place; asked once, when it has ended."""
        if key not in self._gave_way:
            return False
        self._gave_way.discard(key)
        return True

    def _parts(self, order: Order, key: str) -> Iterator[Part]:
        yield from self._wait_in_line(key)
        yield session_line("live", **({"against": order.against} if order.against else {}))
        stopped = self.store.read(key).stopped  # in line: nothing is left to decode, for which no device is asked
        yield from self._decoded(self._here if stopped or not self.elsewhere else self.elsewhere, order, key)

    def _here(self, order: Order, key: str) -> Iterator[Part | Parked]:
        steering = Steering(order.run, order.begin, self.store, key, line=self.turnstile)
        yield from replace(steering, clock=self.clock, sleep=self.sleep)

    def _decoded(self, decode: Decode, order: Order, key: str) -> Iterator[Part]:
        """What `decode` gives; where it parks the run, the pause is waited for here, and then it is asked again."""
        text, parked = "", None
        while True:
            for part in decode(order, key):  # to its end, for until then it holds a device
                if isinstance(part, Parked):
                    parked = part
                    continue
                text += "" if isinstance(part, Refusal) else part
                yield part
            if parked is None:
                return
            yield from self._wait_for_visitor(parked.obeyed, key)
            if self.store.read(key).stopped:
                yield parked.closing
                return
            yield LIVE
            order, parked = order.taken_up(trace_text(text), parked.obeyed), None

    def _wait_for_visitor(self, obeyed: Obeyed, key: str) -> Iterator[Part]:
        """Until the next step is wanted, and then until it is its turn; or until the run shall stop."""
        self.turnstile.leave(key)
        began = self.clock()
        while not ((wishes := self.store.read(key)).stopped or wishes.want_step(obeyed.steps)):
            if self.clock() - began >= 60 * MINUTES_OF_A_PAUSE:
                self.store.change(key, stopped=True)
                yield FORGOTTEN
            yield ""
            self.sleep(NAP)
        self.turnstile.enter(key)
        yield from self._wait_in_line(key)

    def _wait_in_line(self, key: str) -> Iterator[str]:
        shown = 0
        while (place := self.turnstile.place(key)) and not self.store.read(key).stopped:
            yield session_line("queued", place=place) if place != shown else ""
            shown = place
            self.sleep(SECONDS_BETWEEN_HEARTBEATS)

    def _batched(self, parts: Iterator[Part]) -> Iterator[Part]:
        """The same text in at most 20 parts a second, the last one excepted; an empty one now and then while nothing
        comes, because only at a yield can the iteration be closed.  Refusals are passed on at once."""
        held, sent = "", self.clock() - SECONDS_BETWEEN_UPDATES
        for part in parts:
            if isinstance(part, Refusal):
                yield part
                continue
            held += part
            now = self.clock()  # not after the yield, or steps that come 20 times a second would wait for each other
            if now - sent >= (SECONDS_BETWEEN_UPDATES if held else SECONDS_BETWEEN_HEARTBEATS):
                yield held
                held, sent = "", now
        if held:
            yield held
