"""What the options beyond the paper promise, each alone."""

from __future__ import annotations

import argparse
import dataclasses
from typing import Any

import numpy as np
from hypothesis import given, settings
from standin import StandIn
from strategies import decode_configs, stand_ins

from blockbatch.config import OPTIONS, PRESETS, DecodeConfig
from blockbatch.decoder import Decoder
from blockbatch.events import Commit
from blockbatch.options import add_settings
from blockbatch.options import given as given_settings

MORE = settings(max_examples=60, deadline=None)


def decode(model: StandIn, config: DecodeConfig, **options: Any) -> tuple[Decoder, list[Any]]:
    """A finished decoder under `config` with `options`, and its steps."""
    decoder = Decoder(model, model.prompt(), dataclasses.replace(config, **options))  # type: ignore[arg-type]
    return decoder, list(decoder)


def test_options_are_off_in_the_paper_s_presets_and_leave_no_trace_there() -> None:
    for name in ("paper", "latest"):
        config = DecodeConfig.preset(name)
        assert not set(OPTIONS) & set(config.to_dict())
        assert DecodeConfig.from_dict(config.to_dict()) == config
    plus = DecodeConfig.preset("plus")
    assert {**PRESETS["plus"], "variant": "plus"}.items() <= dataclasses.asdict(plus).items()
    assert DecodeConfig.from_dict(plus.to_dict()) == plus
    assert plus.rules == DecodeConfig().rules


def test_the_command_line_sets_each_option_on_its_own() -> None:
    parser = argparse.ArgumentParser()
    add_settings(parser)
    asked = ["--stop-at-text-end", "--no-eos-in-order", "--forced-reach", "3", "--joint-threshold", "0.6",
             "--lookahead", "5", "--settle-windows"]  # fmt: skip
    config = DecodeConfig.preset("plus", **given_settings(parser.parse_args(asked)))
    assert [getattr(config, option) for option in OPTIONS] == [True, False, 3, 0.6, 5, True]
    assert given_settings(parser.parse_args([])) == {"gen_length": 128}


@MORE
@given(stand_ins, decode_configs)
def test_a_stop_at_the_text_end_only_cuts_the_run_short(model: StandIn, config: DecodeConfig) -> None:
    config = dataclasses.replace(config, variant="paper", refresh="interval")
    _, whole = decode(model, config, stop_at_text_end=False)
    decoder, short = decode(model, config, stop_at_text_end=True)
    assert len(short) <= len(whole)
    for early, late in zip(short[:-1], whole, strict=False):
        assert (early.kind, early.branches) == (late.kind, late.branches)
    if decoder.stop == "eos":
        assert decoder.eos is not None
        assert decoder.tokens[decoder.eos] == model.eos_id
        assert (decoder.tokens[: decoder.eos] >= 0).all()


@MORE
@given(stand_ins, decode_configs)
def test_no_run_goes_on_with_a_whole_text(model: StandIn, config: DecodeConfig) -> None:
    decoder = Decoder(model, model.prompt(), dataclasses.replace(config, stop_at_text_end=True))  # type: ignore[arg-type]
    whole = False
    for _ in decoder:
        assert not whole
        rows = decoder.branches.rows
        ends = [np.flatnonzero(row == model.eos_id) for row in rows]
        whole = any(len(end) and (row[: end[0]] >= 0).all() for row, end in zip(rows, ends, strict=True))
    assert (decoder.stop == "eos") == whole


@MORE
@given(stand_ins, decode_configs)
def test_in_order_no_branch_commits_an_end_of_text_before_the_text(model: StandIn, config: DecodeConfig) -> None:
    decoder = Decoder(model, model.prompt(), dataclasses.replace(config, eos_in_order=True))  # type: ignore[arg-type]
    for step in decoder:
        rows = dict(zip(decoder.branches.sizes.tolist(), decoder.branches.rows, strict=True))
        for event in step.events:
            if isinstance(event, Commit) and event.token == model.eos_id and event.branch in rows:
                assert (rows[event.branch][: event.position] >= 0).all()


@MORE
@given(stand_ins, decode_configs)
def test_a_forced_token_is_among_the_first_masked_positions(model: StandIn, config: DecodeConfig) -> None:
    config = dataclasses.replace(config, eos_in_order=False)
    reach = config.forced_reach or config.gen_length
    for step in decode(model, config)[1]:
        first = {candidates.branch: candidates.positions[:reach].tolist() for candidates in step.candidates}
        for event in step.events:
            if isinstance(event, Commit) and event.forced:
                assert event.position in first[event.branch]


@MORE
@given(stand_ins, decode_configs)
def test_tokens_below_the_threshold_are_forced_or_probable_together(model: StandIn, config: DecodeConfig) -> None:
    config = dataclasses.replace(config, eos_in_order=False, temperature=0.0)
    for step in decode(model, config)[1]:
        joint = {}
        for candidates in step.candidates:
            best = candidates.probabilities[np.cumsum(candidates.counts) - candidates.counts]
            products = zip(candidates.positions.tolist(), np.cumprod(best).tolist(), strict=True)
            joint |= {(candidates.branch, position): product for position, product in products}
        for event in step.events:
            if isinstance(event, Commit) and not event.forced and event.probability < config.commit_threshold:
                assert joint[event.branch, event.position] > config.joint_threshold


class Stale(StandIn):
    """Counts the positions up to a window's end that a forward leaves computed from another token than the row's."""

    def stale(self, config: DecodeConfig, changes: dict[int, dict[str, Any]] | None = None) -> int:
        self.found = 0
        self.decoder = Decoder(self, self.prompt(), config)
        for step in self.decoder:
            if changes and step.index in changes:
                self.decoder.reconfigure(**changes[step.index])
        return self.found

    def forward(self, segments: Any) -> Any:
        given = super().forward(segments)
        b = self.decoder.branches
        for segment in segments:
            for row in b.rows[b.cache_rows == segment.row]:
                ids = np.concatenate([self.prompt(), np.where(row < 0, self.mask_id, row)])
                end = segment.start + len(segment.tokens)
                self.found += int((segment.cache.seen[segment.row, :end] != ids[:end]).sum())
        return given


@MORE
@given(stand_ins, decode_configs)
def test_settled_windows_are_computed_from_all_their_tokens(model: StandIn, config: DecodeConfig) -> None:
    watched = Stale(model.seed, model.prompt_len, model.answer_len)
    assert watched.stale(dataclasses.replace(config, settle_windows=True)) == 0


def test_unsettled_windows_keep_what_masks_gave() -> None:
    assert Stale(3, 5, 60).stale(DecodeConfig(block_sizes=(4, 16), gen_length=64, refresh="never")) > 0


def test_settled_windows_are_whole_in_a_steered_run() -> None:
    changes = {4: {"block_sizes": (4, 8, 32)}, 6: {"resize": {8: 12}}, 8: {"block_sizes": (12, 32)}}
    config = DecodeConfig(block_sizes=(4, 16), gen_length=64, refresh="never", settle_windows=True)
    assert Stale(3, 5, 60).stale(config, changes) == 0
