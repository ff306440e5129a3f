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
    assert {**PRESETS["plus"], "variant": "plus"}.items() <= plus.to_dict().items()
    assert DecodeConfig.from_dict(plus.to_dict()) == plus
    assert plus.rules == DecodeConfig().rules


def test_the_command_line_sets_each_option_on_its_own() -> None:
    parser = argparse.ArgumentParser()
    add_settings(parser)
    asked = ["--stop-at-text-end", "--no-eos-in-order", "--forced-reach", "3", "--joint-threshold", "0.6",
             "--lookahead", "5"]  # fmt: skip
    config = DecodeConfig.preset("plus", **given_settings(parser.parse_args(asked)))
    assert [getattr(config, option) for option in OPTIONS] == [True, False, 3, 0.6, 5]
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
