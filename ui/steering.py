"""A run that obeys its visitor: its lines at the pace they chose, and between two steps what they asked for meanwhile.

Nothing here knows the page, so that it also works in another process: what cannot be done goes out as a `Refusal`
among the lines, and where a pause may not last, the run is parked.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from blockbatch.errors import BlockBatchError
from ui.session import ControlStore, Turnstile, Wishes
from ui.viewer import session_line

logger = logging.getLogger(__name__)

NAP = 0.02
NO_LIMIT = float("inf")
MINUTES_OF_A_PAUSE = 60  # a tab that was left open would keep its cache and its place among the streams for good
CLOSING = '{"type":"end"'
LIVE = session_line("live")


class RunLike(Protocol):
    """What is needed of a `blockbatch.run.Run`."""

    def __iter__(self) -> Iterator[str]:
        """The NDJSON lines, each as soon as its step is done."""

    def reconfigure(self, **changes: Any) -> None:
        """Change settings from the next step on, all or, with a ConfigError, none."""

    def stop(self) -> None:
        """End after the current step."""


class Refusal(NamedTuple):
    """One sentence for the visitor: what they asked for cannot be."""

    sentence: str


FORGOTTEN = Refusal(f"The run was stopped, for it was paused for {MINUTES_OF_A_PAUSE} minutes; fork it to go on.")
Part = str | Refusal  # text for the viewer, empty while there is none; or what it cannot have


class Obeyed(NamedTuple):
    """Which wishes a run has heeded: its settings as they are in force, and how many resizes and single steps."""

    settings: Mapping[str, Any]
    resizes: int = 0
    steps: int = 0


class Parked(NamedTuple):
    """A run was given up in a pause, to be taken up again when its visitor wants its next step.

    closing: the line that ends it, should they rather stop it; obeyed: what it has heeded.
    """

    closing: str
    obeyed: Obeyed


@dataclass(frozen=True)
class Beginning:
    """How a run begins: with what it has heeded, and with what is not new about it.

    repeated: its first steps that only repeat a recorded run, which come at full speed and which no wish disturbs;
    shown: its first lines that its visitor has already, as one that is taken up again repeats them.
    """

    obeyed: Obeyed
    repeated: int = 0
    shown: int = 0


@dataclass
class Obedience:
    """Brings what a visitor asked for to a run, once for each wish.  `settings` are those in force."""

    run: RunLike
    settings: dict[str, Any] = field(default_factory=dict)
    resizes: int = 0
    steps: int = 0

    def obey(self, wishes: Wishes) -> Iterator[Refusal]:
        """Apply what is new in `wishes`; what cannot be is refused and the run stays as it is."""
        for size, new_size in wishes.resizes[self.resizes :]:
            yield from self._resize(size, new_size)
        self.resizes = len(wishes.resizes)
        for name, value in wishes.settings.items():
            if differs(self.settings.get(name), value):
                yield from self._try(**{name: value})
                self.settings[name] = value

    @property
    def obeyed(self) -> Obeyed:
        """What was obeyed so far."""
        return Obeyed(self.settings, self.resizes, self.steps)

    def stepping(self, wishes: Wishes) -> None:
        """The step that was wanted is taken: while paused that uses up one single step."""
        self.steps = self.steps + 1 if wishes.paused else wishes.steps

    def _resize(self, size: int, new_size: int) -> Iterator[Refusal]:
        if size not in self.settings["block_sizes"]:  # switched on and resized since the last step: one more to add
            return
        sizes = sorted(new_size if each == size else each for each in self.settings["block_sizes"])
        yield from self._try(block_sizes=sizes, resize={size: new_size})
        self.settings["block_sizes"] = sizes

    def _try(self, **changes: Any) -> Iterator[Refusal]:
        try:
            self.run.reconfigure(**changes)
        except BlockBatchError as error:
            yield Refusal(str(error))


def differs(old: object, new: object) -> bool:
    """Whether a wish is new; one that holds NaN, which never equals itself, is not new again at every step."""
    return old != new and repr(old) != repr(new)


@dataclass
class Steering:
    """Iterates a run under the wishes that `store` holds under `key`.

    begin: how; seconds: how long it may take, after which it is stopped as a visitor would; patience: how many of them
    a pause may last, after which it is parked; line: that in which it holds a place under its key, but for a pause.
    Where the line is out of reach, as in another process, it stands in one of its own.
    """

    run: RunLike
    begin: Beginning
    store: ControlStore
    key: str
    seconds: float = NO_LIMIT
    patience: float = NO_LIMIT
    line: Turnstile = field(default_factory=lambda: Turnstile(1))
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    _end: float = field(init=False, default=NO_LIMIT)
    _forgotten: bool = field(init=False, default=False)
    _parked: bool = field(init=False, default=False)

    def __iter__(self) -> Iterator[Part | Parked]:
        """The lines of the run, each ended; empty texts while waiting for the next.  A run that breaks ends here."""
        try:
            yield from self._steps()
        except Exception as error:  # whatever broke: what was recorded stays on screen, and the page goes on
            if not isinstance(error, BlockBatchError):
                logger.exception("a run broke")
            yield Refusal(f"The run broke off and what was decoded so far is kept: {error}")
            yield session_line("failed")

    def _steps(self) -> Iterator[Part | Parked]:
        begin, lines = self.begin, iter(self.run)
        obedience = Obedience(self.run, dict(begin.obeyed.settings), begin.obeyed.resizes, begin.obeyed.steps)
        self._end = self.clock() + self.seconds
        began = self.clock()
        for number, line in enumerate(lines):  # the header is number 0, step n number n + 1
            if line.startswith(CLOSING):  # nothing to wait for, but a run that broke raises now
                yield Parked(line + "\n", obedience.obeyed) if self._parked else line + "\n"
                continue
            yield "" if number < begin.shown else line + "\n"
            if number > begin.repeated:
                yield from self._pause(obedience, began)
            if number + 1 >= begin.shown:  # from the header on, for it may have been stopped while it waited in line
                yield from self._stop_if_over()
            began = self.clock()

    def _pause(self, obedience: Obedience, began: float) -> Iterator[Part]:
        """Between two steps: wait as the pace or a pause asks, then for a turn; pass on what was asked meanwhile."""
        said = LIVE
        while not (wishes := self.store.read(self.key)).stopped and not self._late:
            stood = self.clock() - began
            waited = not wishes.pace or stood >= 1 / wishes.pace
            ahead = self._ahead(wishes.want_step(obedience.steps))
            self._forgotten = ahead is None and stood >= 60 * MINUTES_OF_A_PAUSE
            self._parked = ahead is None and stood >= self.patience
            if self._forgotten:
                break
            if self._parked:  # what was asked meanwhile is for whoever takes the run up again
                return
            if waited and ahead == 0:
                obedience.stepping(wishes)
                break
            status = waiting(ahead or 0, wishes)
            yield status if status != said else ""
            said = status
            self.sleep(NAP)
        if said != LIVE:
            yield LIVE
        yield from obedience.obey(wishes)

    def _ahead(self, wanted: bool) -> int | None:
        """How many have to leave before the next step may be taken; None where it is not wanted, and others go first.

        A pause gives up the place alone: the run's cache stays on the device, for filling it again would take as long
        as the run did.  So more caches than places may lie there, of the 8B models a gigabyte or two each; a run for
        which there is no room left breaks off with a sentence.
        """
        if not wanted:
            self.line.leave(self.key)
            return None
        self.line.enter(self.key)
        return self.line.place(self.key)

    def _stop_if_over(self) -> Iterator[Refusal]:
        if self.store.read(self.key).stopped:
            self.run.stop()
        elif self._late:
            self.run.stop()
            yield Refusal(f"The run was stopped: {self.seconds:.0f} seconds are as long as one may take here.")
        elif self._parked:
            self.run.stop()
        elif self._forgotten:
            self.run.stop()
            yield FORGOTTEN

    @property
    def _late(self) -> bool:
        return self.clock() >= self._end


def waiting(ahead: int, wishes: Wishes) -> str:
    """The session line of a run that waits: for its turn while others are `ahead`, for its visitor, or for its pace."""
    if ahead:
        return session_line("queued", place=ahead)
    return session_line("paused") if wishes.paused else LIVE
