"""A live run as a stream of texts for the viewer: waits its turn, decodes at the visitor's pace, obeys their wishes.

`LiveRuns.stream` is what the Run button iterates.  The iteration may be closed at any yield (a closed tab does that),
and the run then ends within a step.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from blockbatch.config import Config
from blockbatch.errors import BlockBatchError
from ui.session import ControlStore, Turnstile, Wishes
from ui.viewer import session_line

logger = logging.getLogger(__name__)

SECONDS_BETWEEN_UPDATES = 0.05  # a browser that gets more than 20 updates a second falls behind
SECONDS_BETWEEN_HEARTBEATS = 0.5
NAP = 0.02


class RunLike(Protocol):
    """What is needed of a `blockbatch.run.Run`."""

    def __iter__(self) -> Iterator[str]:
        """The NDJSON lines, each as soon as its step is done."""

    def reconfigure(self, **changes: Any) -> None:
        """Change settings from the next step on, all or, with a ConfigError, none."""

    def stop(self) -> None:
        """End after the current step."""


Starter = Callable[[str, Config], RunLike]
Warn = Callable[[str], object]


@dataclass(frozen=True)
class Order:
    """A run to stream, and the settings with which it starts.

    repeated: its first steps that only repeat a recorded run: they come at full speed and no wish disturbs them;
    against: the id of the run on the visitor's page that it is compared with, or nothing.
    """

    run: RunLike
    settings: Mapping[str, Any]
    repeated: int = 0
    against: str = ""


def settings_of(config: Config) -> dict[str, Any]:
    """The settings of a run as a visitor's wishes name them."""
    return {**config.to_dict(), "block_sizes": list(config.block_sizes)}


@dataclass
class Obedience:
    """Brings what a visitor asked for to a run, once for each wish."""

    run: RunLike
    warn: Warn
    settings: dict[str, Any] = field(default_factory=dict)
    resizes: int = 0
    steps: int = 0

    def obey(self, wishes: Wishes) -> None:
        """Apply what is new in `wishes`; what cannot be is refused in one sentence and the run stays as it is."""
        for size, new_size in wishes.resizes[self.resizes :]:
            self._resize(size, new_size)
        self.resizes = len(wishes.resizes)
        for name, value in wishes.settings.items():
            if self.settings.get(name) != value:
                self._try(**{name: value})
                self.settings[name] = value

    def _resize(self, size: int, new_size: int) -> None:
        sizes = sorted(new_size if each == size else each for each in self.settings["block_sizes"])
        self._try(block_sizes=sizes, resize={size: new_size})
        self.settings["block_sizes"] = sizes

    def may_step(self, wishes: Wishes) -> bool:
        """Whether the next step may be taken now; uses up one single step while paused."""
        if not wishes.paused:
            self.steps = wishes.steps
            return True
        if self.steps < wishes.steps:
            self.steps += 1
            return True
        return False

    def _try(self, **changes: Any) -> None:
        try:
            self.run.reconfigure(**changes)
        except BlockBatchError as error:
            self.warn(str(error))


@dataclass
class LiveRuns:
    """Starts runs and streams them.  `store` and `turnstile` are shared by all visitors."""

    start: Starter
    store: ControlStore
    turnstile: Turnstile
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    def stream(self, prompt: str, config: Config, pace: float, warn: Warn) -> Iterator[tuple[str, str]]:
        """(key, text so far) again and again; the text only grows.  BlockBatchError if the run cannot start."""
        yield from self.follow(Order(self.start(prompt, config), settings_of(config)), pace, warn)

    def follow(self, order: Order, pace: float, warn: Warn) -> Iterator[tuple[str, str]]:
        """`stream` for a run that is made already."""
        run = order.run
        key = self.store.open(Wishes(pace=pace))
        self.turnstile.enter(key)
        try:
            text = ""
            for part in self._parts(order, key, Obedience(run, warn, dict(order.settings))):
                text += part
                yield key, text
        finally:
            run.stop()
            self.turnstile.leave(key)
            self.store.close(key)

    def _parts(self, order: Order, key: str, obedience: Obedience) -> Iterator[str]:
        yield from self._wait_in_line(key)
        yield session_line("live", **({"against": order.against} if order.against else {}))
        yield from self._batched(self._paced(order, key, obedience))

    def _wait_in_line(self, key: str) -> Iterator[str]:
        shown = 0
        while (place := self.turnstile.place(key)) and not self.store.read(key).stopped:
            yield session_line("queued", place=place) if place != shown else ""
            shown = place
            self.sleep(SECONDS_BETWEEN_HEARTBEATS)

    def _batched(self, parts: Iterator[str]) -> Iterator[str]:
        """The same text in at most 20 parts a second, the last one excepted; an empty one now and then while nothing
        comes, because only at a yield can the iteration be closed."""
        held, sent = "", self.clock() - SECONDS_BETWEEN_UPDATES
        for part in parts:
            held += part
            now = self.clock()  # not after the yield, or steps that come 20 times a second would wait for each other
            if now - sent >= (SECONDS_BETWEEN_UPDATES if held else SECONDS_BETWEEN_HEARTBEATS):
                yield held
                held, sent = "", now
        if held:
            yield held

    def _paced(self, order: Order, key: str, obedience: Obedience) -> Iterator[str]:
        """The lines of the run, each ended; empty texts while waiting for the next.  A run that breaks ends here."""
        lines = iter(order.run)
        try:
            yield next(lines) + "\n"
            began = self.clock()
            for number, line in enumerate(lines, start=1):
                yield line + "\n"
                if number > order.repeated:
                    yield from self._pause(order.run, key, obedience, began)
                elif self.store.read(key).stopped:
                    order.run.stop()
                began = self.clock()
        except Exception as error:  # whatever broke: what was recorded stays on screen, and the page goes on
            if not isinstance(error, BlockBatchError):
                logger.exception("a run broke")
            obedience.warn(f"The run broke off and what was decoded so far is kept: {error}")
            yield session_line("failed")

    def _pause(self, run: RunLike, key: str, obedience: Obedience, began: float) -> Iterator[str]:
        """Between two steps: wait as long as the pace or a pause asks, then pass on what was asked meanwhile."""
        paused = False
        while not (wishes := self.store.read(key)).stopped:
            waited = not wishes.pace or self.clock() - began >= 1 / wishes.pace
            if waited and obedience.may_step(wishes):
                break
            if wishes.paused != paused:
                paused = wishes.paused
                yield session_line("paused" if paused else "live")
            yield ""
            self.sleep(NAP)
        if paused:
            yield session_line("live")
        obedience.obey(wishes)
        if wishes.stopped:
            run.stop()
