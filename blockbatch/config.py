"""The settings of a decode: frozen, checked when made, readable from and writable to plain JSON values.

`DecodeConfig` drives BlockBatch; `BaselineConfig` drives the decoders it is compared with.  Both raise `ConfigError`
(a ValueError) that names the field, the value and the allowed range.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal, NamedTuple, Self

from blockbatch.errors import ConfigError

MAX_BLOCK_SIZE = 1024
MAX_BRANCHES = 16
MAX_GEN_LENGTH = 4096
MAX_SEED = 2**63 - 1
MAX_COUNT = 10**9
MAX_LOOKAHEAD = 16
DEFAULT_BLOCK_SIZES = (4, 8, 16, 32, 64, 128)


class Variant(NamedTuple):
    """Where the two public versions of BlockBatch differ, one named difference a field."""

    eos_after_every_forward: bool  # also look for EOS after init and refresh, and stop after a refresh
    sync_after_init: bool  # every branch copies the leader right after init
    denoise_full_windows: bool  # branches whose window is full still take part in a denoise
    merge_scans_prefix: bool  # merges look at all positions up to the furthest source, not only at sources' windows
    merge_counts: bool  # merged tokens count as decoded
    merge_asks_refresh: bool  # a window filled by a merge counts towards the refresh interval


_PAPER = Variant(False, False, False, False, False, True)
VARIANTS = {"paper": _PAPER, "latest": Variant(True, True, True, True, True, False), "plus": _PAPER}

# What each preset sets beside its variant; the defaults are those of `paper`.  Why `plus` is as it is: docs/plus.md.
PRESETS: dict[str, dict[str, Any]] = {
    "paper": {},
    "latest": {"refresh": "divergence"},
    "plus": {
        "block_sizes": (4, 8, 16, 32, 64),
        "stop_at_text_end": True,
        "eos_in_order": True,
        "forced_reach": 1,
        "lookahead": 4,
        "settle_windows": True,
    },
}
# Ideas beyond the paper, off unless asked for.
OPTIONS = ("stop_at_text_end", "eos_in_order", "forced_reach", "joint_threshold", "lookahead", "settle_windows")
LIVE_SETTINGS = (  # what a record may show to change during a run; the branches change, too, by events of their own
    "commit_threshold",
    "merge_threshold",
    "sync_threshold",
    "refresh",
    "refresh_interval",
    "temperature",
    *OPTIONS,
)


@dataclass(frozen=True)
class DecodeConfig:
    """How BlockBatch decodes one request.  The defaults are the preset `paper`.

    Thresholds are probabilities and may exceed 1 (then only the forced, most confident candidate is committed);
    `sync_threshold` and `refresh_interval` are counted in tokens.  The last six are `OPTIONS` that the paper does not
    have: `stop_at_text_end` ends the run as soon as a branch holds an end of text with nothing masked before it, be its
    window full or not; `eos_in_order` keeps a branch from committing an end of text before the text is there;
    `forced_reach`, counted in masked positions from the first one, is how far a token below the threshold may be forced
    (0: anywhere in the window); with `joint_threshold` the first masked tokens are committed together for as long as
    the product of their confidences is above that (1: never); `lookahead` is how many rows that the leader may come to
    hold are computed in the same forward as the one that it holds (0: none; see `blockbatch.ahead`); with
    `settle_windows` a forward also computes what a branch has filled and left since its last one, so that its keys and
    values are those of all its tokens, and not of the masks that the last of them replaced.
    """

    variant: Literal["paper", "latest", "plus"] = "paper"
    block_sizes: tuple[int, ...] = DEFAULT_BLOCK_SIZES
    gen_length: int = 128
    commit_threshold: float = 0.9
    merge_threshold: float = 0.5
    sync_threshold: int = 8
    refresh: Literal["interval", "divergence", "never"] = "interval"
    refresh_interval: int = 32
    temperature: float = 0.0
    seed: int = 0
    stop_at_text_end: bool = False
    eos_in_order: bool = False
    forced_reach: int = 0
    joint_threshold: float = 1.0
    lookahead: int = 0
    settle_windows: bool = False

    def __post_init__(self) -> None:
        _set(self, "variant", choice("variant", self.variant, tuple(VARIANTS)))
        _set(self, "block_sizes", block_sizes("block_sizes", self.block_sizes))
        _set(self, "gen_length", integer("gen_length", self.gen_length, 0, MAX_GEN_LENGTH))
        _set(self, "commit_threshold", number("commit_threshold", self.commit_threshold, 0, 2))
        _set(self, "merge_threshold", number("merge_threshold", self.merge_threshold, 0, 2))
        _set(self, "sync_threshold", integer("sync_threshold", self.sync_threshold, 0, MAX_COUNT))
        _set(self, "refresh", choice("refresh", self.refresh, ("interval", "divergence", "never")))
        _set(self, "refresh_interval", integer("refresh_interval", self.refresh_interval, 1, MAX_COUNT))
        _set(self, "temperature", number("temperature", self.temperature, 0, 10))
        _set(self, "seed", integer("seed", self.seed, 0, MAX_SEED))
        _set(self, "stop_at_text_end", boolean("stop_at_text_end", self.stop_at_text_end))
        _set(self, "eos_in_order", boolean("eos_in_order", self.eos_in_order))
        _set(self, "forced_reach", integer("forced_reach", self.forced_reach, 0, MAX_BLOCK_SIZE))
        _set(self, "joint_threshold", number("joint_threshold", self.joint_threshold, 0, 2))
        _set(self, "lookahead", integer("lookahead", self.lookahead, 0, MAX_LOOKAHEAD))
        _set(self, "settle_windows", boolean("settle_windows", self.settle_windows))

    @classmethod
    def preset(cls, name: str, **changes: Any) -> Self:
        """The preset `paper`, `latest` or `plus`, with `changes` to single fields."""
        choice("preset", name, tuple(PRESETS))
        return cls(**{"variant": name, **PRESETS[name], **known_fields(cls, changes)})

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The config whose `to_dict` is `values`; a missing or unknown field is an error that names it."""
        return cls(**complete_fields(cls, {**_OPTIONS_OFF, **values}))

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, one a field; options that are off are left out, as in records older than them."""
        values = {**asdict(self), "block_sizes": list(self.block_sizes)}
        return {name: value for name, value in values.items() if (name, value) not in _OPTIONS_OFF.items()}

    def replace(self, **changes: Any) -> Self:
        """A copy with `changes`; an unknown field is an error that names it."""
        return replace(self, **known_fields(type(self), changes))

    @property
    def decoder(self) -> str:
        """The name of this decoder in traces and tables."""
        return self.variant

    @property
    def rules(self) -> Variant:
        """The differences that `variant` stands for."""
        return VARIANTS[self.variant]


_OPTIONS_OFF = {name: getattr(DecodeConfig, name) for name in OPTIONS}

BASELINES = ("vanilla", "threshold", "prefix-cache", "dual-cache", "factor", "local-leap")


@dataclass(frozen=True)
class BaselineConfig:
    """How one of the fixed-block decoders works: `decoder` is one of `BASELINES`.

    `steps` is the number of denoising steps for the whole generation, shared out over the blocks; 0 means one a token.
    It is the quota of `vanilla` (a step commits block size // steps of the block, the first ones one more) and the most
    forwards a block of `dual-cache` and `factor` may take: what is still masked then stays masked.  For `local-leap`,
    `commit_threshold` is what makes an anchor.
    """

    decoder: Literal["vanilla", "threshold", "prefix-cache", "dual-cache", "factor", "local-leap"] = "dual-cache"
    block_size: int = 32
    gen_length: int = 128
    commit_threshold: float = 0.9
    factor: float = 1.0
    steps: int = 0
    stop_at_eos: bool = True
    temperature: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        _set(self, "decoder", choice("decoder", self.decoder, BASELINES))
        _set(self, "block_size", integer("block_size", self.block_size, 1, MAX_BLOCK_SIZE))
        _set(self, "gen_length", integer("gen_length", self.gen_length, 0, MAX_GEN_LENGTH))
        _set(self, "commit_threshold", number("commit_threshold", self.commit_threshold, 0, 2))
        _set(self, "factor", number("factor", self.factor, 0, 100))
        _set(self, "steps", integer("steps", self.steps, 0, MAX_GEN_LENGTH))
        _set(self, "stop_at_eos", boolean("stop_at_eos", self.stop_at_eos))
        _set(self, "temperature", number("temperature", self.temperature, 0, 10))
        _set(self, "seed", integer("seed", self.seed, 0, MAX_SEED))
        if 0 < self.steps < self.blocks:
            raise ConfigError("steps", self.steps, f"0 or at least the number of blocks, {self.blocks}")
        if self.steps and self.decoder in ("threshold", "prefix-cache", "local-leap"):
            raise ConfigError("steps", self.steps, f"0: {self.decoder} takes as many steps as its threshold asks for")

    @classmethod
    def make(cls, decoder: str, **settings: Any) -> Self:
        """The config of `decoder` with `settings`; an unknown setting is an error that names it."""
        return cls(**{"decoder": decoder, **known_fields(cls, settings)})

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The config whose `to_dict` is `values`; a missing or unknown field is an error that names it."""
        return cls(**complete_fields(cls, values))

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, one a field."""
        return asdict(self)

    @property
    def block_sizes(self) -> tuple[int, ...]:
        """The one branch of this decoder, named by its block size as in `DecodeConfig`."""
        return (self.block_size,)

    @property
    def blocks(self) -> int:
        """Number of blocks, the ragged last one included."""
        return math.ceil(self.gen_length / self.block_size)

    @property
    def most_steps(self) -> int:
        """Denoising steps a block may take: `steps` shared out evenly, or one a token."""
        return self.steps // max(self.blocks, 1) if self.steps else self.block_size


DECODERS = (*BASELINES, *VARIANTS)
Config = DecodeConfig | BaselineConfig


def config_from_dict(decoder: str, values: Mapping[str, Any]) -> Config:
    """The config of a run recorded by `decoder`, one of `DECODERS`."""
    kind = DecodeConfig if choice("decoder", decoder, DECODERS) in VARIANTS else BaselineConfig
    config = kind.from_dict(values)
    if config.decoder != decoder:
        raise ConfigError("decoder", decoder, f"{config.decoder}, as the rest of the config says")
    return config


def choice(field: str, value: object, allowed: tuple[str, ...]) -> str:
    """`value` if it is one of `allowed`."""
    if not isinstance(value, str) or value not in allowed:
        raise ConfigError(field, value, "one of " + ", ".join(allowed))
    return value


def boolean(field: str, value: object) -> bool:
    """`value` if it is true or false."""
    if not isinstance(value, bool):
        raise ConfigError(field, value, "true or false")
    return value


def integer(field: str, value: object, low: int, high: int) -> int:
    """`value` as an int in [low, high]; numpy integers and whole floats (as a slider sends them) are welcome."""
    allowed = f"a whole number from {low} to {high}"
    if isinstance(value, bool):
        raise ConfigError(field, value, allowed)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    try:
        whole = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise ConfigError(field, value, allowed) from None
    if not low <= whole <= high:
        raise ConfigError(field, value, allowed)
    return whole


def typed_integer(field: str, text: str, low: int, high: int) -> int:
    """`text` that somebody typed as an int in [low, high]."""
    digits = text.strip()
    known = digits.isdecimal() and len(digits) <= len(str(MAX_SEED))  # Python makes no number of thousands of digits
    return integer(field, int(digits) if known else text, low, high)


def number(field: str, value: object, low: float, high: float) -> float:
    """`value` as a finite float in [low, high]."""
    allowed = f"a number from {low:g} to {high:g}"
    if isinstance(value, bool | str | bytes):
        raise ConfigError(field, value, allowed)
    try:
        real = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise ConfigError(field, value, allowed) from None
    if not low <= real <= high:  # NaN fails too
        raise ConfigError(field, value, allowed)
    return real


def block_sizes(field: str, value: object) -> tuple[int, ...]:
    """`value` as 1 to 16 distinct block sizes in ascending order."""
    allowed = f"1 to {MAX_BRANCHES} distinct whole numbers from 1 to {MAX_BLOCK_SIZE}"
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise ConfigError(field, value, allowed)
    try:
        sizes = tuple(sorted(integer(field, size, 1, MAX_BLOCK_SIZE) for size in value))
    except ConfigError:
        raise ConfigError(field, value, allowed) from None
    if not 1 <= len(sizes) <= MAX_BRANCHES or len(set(sizes)) < len(sizes):
        raise ConfigError(field, value, allowed)
    return sizes


def known_fields(cls: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """`values`, if every key is a field of the dataclass `cls`."""
    names = [field.name for field in fields(cls)]
    for name, value in values.items():
        if name not in names:
            raise ConfigError(name, value, "left out: the settings are " + ", ".join(names))
    return dict(values)


def complete_fields(cls: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """`values`, if its keys are exactly the fields of the dataclass `cls`."""
    for field in fields(cls):
        if field.name not in values:
            raise ConfigError(field.name, None, "given: a recorded config holds every setting")
    return known_fields(cls, values)


def _set(config: object, name: str, value: object) -> None:
    object.__setattr__(config, name, value)
