"""From outcomes to figures: pure functions.  Every figure says what it is divided by."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from blockbatch.bench.calibration import Sample
from blockbatch.bench.jobs import Outcome
from blockbatch.bench.plan import FAST, FAST_SIZE
from blockbatch.config import BASELINES
from blockbatch.metrics import tokens_per_forward

ALL = "all"  # the families together
BINS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
Z95 = 1.959964  # the two-sided 95 % point of the normal distribution

Group = Sequence[Outcome]


@dataclass(frozen=True)
class Share:
    """`hits` of `n`, with a 95 % interval."""

    hits: int
    n: int

    @property
    def value(self) -> float:
        """hits / n, 0 where n is 0."""
        return self.hits / self.n if self.n else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's score interval; [0, 1] where n is 0."""
        if not self.n:
            return 0.0, 1.0
        scale = 1 + Z95**2 / self.n
        middle = (self.value + Z95**2 / (2 * self.n)) / scale
        half = Z95 * math.sqrt(self.value * (1 - self.value) / self.n + (Z95 / (2 * self.n)) ** 2) / scale
        return max(middle - half, 0.0), min(middle + half, 1.0)


@dataclass(frozen=True)
class Versus:
    """Against another decoder on the same prompts.

    speedup: its median milliseconds / the median here; fewer_forwards: 1 - the mean NFE here / its mean NFE.
    """

    speedup: float
    fewer_forwards: float


@dataclass(frozen=True)
class Row:
    """One decoder on one family (or on all together).

    right: prompts answered right.  nfe and its kinds: mean forwards a prompt.  tokens_per_forward: tokens of all
    answers, end-of-text tokens not counted, / all forwards.  ms: median a prompt, of forwards and rules.  recording:
    milliseconds of recording / milliseconds of forwards and rules.  against_32, against_best: Fast-dLLM's dual cache
    with block 32, and with its best fixed size; None where it was not run.
    """

    family: str
    decoder: str
    block_sizes: tuple[int, ...]
    right: Share
    nfe: float
    nfe_init: float
    nfe_denoise: float
    nfe_refresh: float
    tokens_per_forward: float
    ms: float
    recording: float
    against_32: Versus | None
    against_best: Versus | None

    @property
    def nfe_by_kind(self) -> dict[str, float]:
        """Mean forwards a prompt: init, denoise, refresh."""
        return {"init": self.nfe_init, "denoise": self.nfe_denoise, "refresh": self.nfe_refresh}


@dataclass(frozen=True)
class Oracle:
    """Whoever could choose the block size prompt by prompt, after the fact, among those of one decoder.

    best_size: the best fixed size; best, right: prompts that it, and that any size, answers right.  nfe: mean of the
    fewest forwards among a prompt's right sizes, over the prompts that any size answers right; best_nfe: the mean of
    the best fixed size's forwards over the same prompts.
    """

    family: str
    decoder: str
    block_sizes: tuple[int, ...]
    best_size: int
    best: Share
    right: Share
    nfe: float
    best_nfe: float


@dataclass(frozen=True)
class Bin:
    """Candidates with low <= confidence < high (the last bin: <= high), and how many a careful decode confirms.

    words: those of them that are not the end-of-text token.
    """

    low: float
    high: float
    all: Share
    words: Share


def grouped(outcomes: Iterable[Outcome]) -> dict[str, dict[tuple[str, tuple[int, ...]], list[Outcome]]]:
    """The outcomes by family, then by decoder and block sizes; with several families, `ALL` of them too."""
    groups: dict[str, dict[tuple[str, tuple[int, ...]], list[Outcome]]] = defaultdict(lambda: defaultdict(list))
    together: dict[tuple[str, tuple[int, ...]], list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        groups[outcome.family][outcome.decoder, outcome.block_sizes].append(outcome)
        together[outcome.decoder, outcome.block_sizes].append(outcome)
    return {**groups, ALL: together} if len(groups) > 1 else dict(groups)


def rows(outcomes: Iterable[Outcome]) -> list[Row]:
    """A row for each family, decoder and block sizes, in the order of the outcomes."""
    return [
        row(family, group, fast, best)
        for family, groups in grouped(outcomes).items()
        for fast, best in [(groups.get((FAST, (FAST_SIZE,))), _best_group(_by_size(groups, FAST)))]
        for group in groups.values()
    ]


def row(family: str, group: Group, fast: Group | None, best: Group | None) -> Row:
    """The figures of `group`, the outcomes of one decoder, beside those of two others."""
    spent, by_kind = sum(o.ms for o in group), nfe_by_kind(group)
    return Row(
        family=family,
        decoder=group[0].decoder,
        block_sizes=group[0].block_sizes,
        right=right(group),
        nfe=nfe(group),
        nfe_init=by_kind["init"],
        nfe_denoise=by_kind["denoise"],
        nfe_refresh=by_kind["refresh"],
        tokens_per_forward=written_per_forward(group),
        ms=ms(group),
        recording=sum(o.recording_ms for o in group) / spent if spent else 0.0,
        against_32=versus(group, fast),
        against_best=versus(group, best),
    )


def right(group: Group) -> Share:
    """The outcomes that are correct, of those that could be judged."""
    judged = [o.correct for o in group if o.correct is not None]
    return Share(sum(judged), len(judged))


def nfe(group: Group) -> float:
    """Mean forwards."""
    return fmean(o.forwards for o in group)


def nfe_by_kind(group: Group) -> dict[str, float]:
    """Mean forwards: init, denoise, refresh."""
    return {kind: fmean(getattr(o, kind) for o in group) for kind in ("init", "denoise", "refresh")}


def written_per_forward(group: Group) -> float:
    """Tokens of all answers, end-of-text tokens not counted, / all forwards."""
    return tokens_per_forward(sum(o.tokens for o in group), sum(o.forwards for o in group))


def ms(group: Group) -> float:
    """Median wall milliseconds, of forwards and rules."""
    return median(o.ms for o in group)


def versus(group: Group, other: Group | None) -> Versus | None:
    """`group` against `other`; None unless both ran on the same prompts and took any time."""
    if other is None or _prompts(group) != _prompts(other):
        return None
    here, there = ms(group), ms(other)
    return Versus(there / here, 1 - nfe(group) / nfe(other)) if here and nfe(other) else None


def best_size(by_size: Mapping[int, Group]) -> int:
    """The block size with the most right answers, on a tie the one with the fewest forwards, then the smallest."""
    return min(by_size, key=lambda size: (-right(by_size[size]).value, nfe(by_size[size]), size))


def oracles(outcomes: Iterable[Outcome]) -> list[Oracle]:
    """An oracle for each family and each fixed-size decoder that ran in several sizes, on the same prompts."""
    found = []
    for family, groups in grouped(outcomes).items():
        for decoder in BASELINES:
            by_size = _by_size(groups, decoder)
            if len(by_size) > 1 and len({frozenset(_prompts(group)) for group in by_size.values()}) == 1:
                found.append(oracle(family, by_size))
    return found


def oracle(family: str, by_size: Mapping[int, Group]) -> Oracle:
    """The oracle over the sizes of one decoder, whose groups are of the same prompts."""
    best = best_size(by_size)
    fewest: dict[tuple[str, int], int] = {}
    for outcome in (o for group in by_size.values() for o in group if o.correct):
        prompt = outcome.family, outcome.index
        fewest[prompt] = min(outcome.forwards, fewest.get(prompt, outcome.forwards))
    of_best = [o.forwards for o in by_size[best] if (o.family, o.index) in fewest]
    return Oracle(
        family=family,
        decoder=by_size[best][0].decoder,
        block_sizes=tuple(sorted(by_size)),
        best_size=best,
        best=right(by_size[best]),
        right=Share(len(fewest), len(by_size[best])),
        nfe=fmean(fewest.values()) if fewest else 0.0,
        best_nfe=fmean(of_best) if of_best else 0.0,
    )


def bins(samples: Iterable[Sample]) -> list[Bin]:
    """Candidates by confidence: how many there are, and how many a careful decode confirms."""
    seen = [
        candidate
        for sample in samples
        for candidate in zip(sample.confidences, sample.confirmed, sample.ends, strict=True)
    ]
    found = []
    for low, high in itertools.pairwise(BINS):
        inside = [(sure, end) for p, sure, end in seen if low <= p and (p < high or high == BINS[-1])]
        words = [sure for sure, end in inside if not end]
        found.append(Bin(low, high, Share(sum(sure for sure, _ in inside), len(inside)), Share(sum(words), len(words))))
    return found


def _by_size(groups: Mapping[tuple[str, tuple[int, ...]], Group], decoder: str) -> dict[int, Group]:
    return {sizes[0]: group for (name, sizes), group in groups.items() if name == decoder}


def _best_group(by_size: Mapping[int, Group]) -> Group | None:
    return by_size[best_size(by_size)] if by_size else None


def _prompts(group: Group) -> set[tuple[str, int]]:
    return {(o.family, o.index) for o in group}
