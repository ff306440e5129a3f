"""What holds for every decode, whatever its config."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from standin import StandIn
from strategies import baseline_configs, decode_configs, sizes, stand_ins

from blockbatch.baselines import BaselineDecoder
from blockbatch.config import BaselineConfig, DecodeConfig
from blockbatch.decoder import Decoder
from blockbatch.errors import ConfigError
from blockbatch.events import Add, Commit, ConfigChange, Drop, Merge, Resize
from blockbatch.trace import Rows

MORE = settings(max_examples=60, deadline=None)


def decode(model: StandIn, config: DecodeConfig | BaselineConfig) -> Any:
    """A finished decoder and its steps."""
    kind = Decoder if isinstance(config, DecodeConfig) else BaselineDecoder
    decoder = kind(model, model.prompt(), config)  # type: ignore[arg-type]
    return decoder, list(decoder)


def text_of(decoder: Any) -> list[int]:
    """The answer up to its end of text."""
    tokens = decoder.tokens.tolist()
    return tokens if decoder.eos is None else tokens[: decoder.eos]


def happened(steps: Any) -> list[Any]:
    """All of a run but its times."""
    return [
        (
            step.kind,
            step.branches,
            step.events,
            [(c.branch, c.positions.tolist(), c.tokens.tolist(), c.probabilities.tolist()) for c in step.candidates],
        )
        for step in steps
    ]


@MORE
@given(stand_ins, st.one_of(decode_configs, baseline_configs))
def test_a_run_ends_with_every_slot_before_the_end_of_text_filled(model: StandIn, config: Any) -> None:
    decoder, steps = decode(model, config)
    assert decoder.stop in ("eos", "complete")
    assert (np.array(text_of(decoder)) >= 0).all()
    assert model.mask_id not in text_of(decoder)
    assert sum(step.kind != "ahead" for step in steps) == model.forwards
    assert bool(steps) == bool(config.gen_length)


@MORE
@given(stand_ins, st.one_of(decode_configs, baseline_configs))
def test_folding_the_events_gives_the_decoders_rows_at_every_step(model: StandIn, config: Any) -> None:
    kind = Decoder if isinstance(config, DecodeConfig) else BaselineDecoder
    decoder = kind(model, model.prompt(), config)
    folded = Rows.start(config)
    for step in decoder:
        for event in step.events:
            folded.apply(event)
        rows = dict(zip(decoder.branches.sizes.tolist(), decoder.branches.rows.tolist(), strict=True))
        assert {branch: row.tolist() for branch, row in folded.rows.items()} == rows


@MORE
@given(stand_ins, st.one_of(decode_configs, baseline_configs))
def test_the_same_seed_gives_the_same_run(model: StandIn, config: Any) -> None:
    assert happened(decode(model, config)[1]) == happened(decode(model, config)[1])


def test_another_seed_samples_another_run() -> None:
    runs = [
        text_of(decode(StandIn(3, 5, 40), DecodeConfig(gen_length=40, temperature=1.5, seed=seed))[0])
        for seed in (1, 2)
    ]
    assert runs[0] != runs[1]


@MORE
@given(stand_ins, decode_configs)
def test_every_forward_of_an_open_window_commits(model: StandIn, config: DecodeConfig) -> None:
    for step in decode(model, config)[1]:
        committed = {event.branch for event in step.events if isinstance(event, Commit)}
        assert {c.branch for c in step.candidates if len(c.positions)} <= committed


@MORE
@given(stand_ins, decode_configs)
def test_commits_and_merges_obey_their_thresholds(model: StandIn, config: DecodeConfig) -> None:
    for event in (event for step in decode(model, config)[1] for event in step.events):
        if isinstance(event, Commit):
            below = event.probability < config.commit_threshold
            assert event.forced <= below
            assert below <= (event.forced or config.joint_threshold < 1)
        if isinstance(event, Merge):
            assert event.probability > max(config.merge_threshold, 0.1)


@MORE
@given(stand_ins, st.integers(1, 60), st.sampled_from([0.5, 0.9, 1.1]))
def test_one_branch_behaves_as_its_fixed_block_size(model: StandIn, size: int, threshold: float) -> None:
    """With a refresh at every block, one branch is Fast-dLLM's dual cache (which does not stop at the end here)."""
    config = DecodeConfig(block_sizes=(size,), gen_length=40, commit_threshold=threshold, refresh_interval=1)
    fixed = BaselineConfig("dual-cache", size, 40, threshold, stop_at_eos=False)
    ours, theirs = decode(model, config)[1], decode(model, fixed)[1]
    for mine, other in zip(ours, theirs, strict=False):
        assert mine.kind == other.kind
        assert commits(mine) == commits(other)


def commits(step: Any) -> list[Any]:
    return [event for event in step.events if isinstance(event, Commit)]


@MORE
@given(stand_ins, decode_configs)
def test_inputs_are_left_as_they_are(model: StandIn, config: DecodeConfig) -> None:
    prompt = np.array(model.prompt())
    prompt.setflags(write=False)
    before = config.to_dict()
    for step in Decoder(model, prompt, config):  # type: ignore[arg-type]
        for candidates in step.candidates:
            assert not candidates.probabilities.flags.writeable
    assert config.to_dict() == before


@MORE
@given(stand_ins, baseline_configs)
def test_local_leap_fills_everything_and_takes_no_token_back(model: StandIn, config: BaselineConfig) -> None:
    config = dataclasses.replace(config, decoder="local-leap", stop_at_eos=False)
    decoder = BaselineDecoder(model, model.prompt(), config)
    before = decoder.tokens
    for step in decoder:
        assert [state.window[0] % config.block_size for state in step.branches] == [0]
        assert (decoder.tokens[before >= 0] == before[before >= 0]).all()
        assert (decoder.tokens >= 0).sum() > (before >= 0).sum()
        before = decoder.tokens
    assert decoder.stop == "complete"
    assert (decoder.tokens >= 0).all()


@MORE
@given(stand_ins, st.integers(1, 70))
def test_where_nothing_is_relaxed_local_leap_is_the_threshold_decoder(model: StandIn, size: int) -> None:
    """At an anchor's threshold of 0.75 whatever could follow an anchor is one itself."""
    leap, plain = (BaselineConfig(decoder, size, 40, 0.75) for decoder in ("local-leap", "threshold"))
    assert happened(decode(model, leap)[1]) == happened(decode(model, plain)[1])


class Watched(StandIn):
    """Keeps the segments of its last forward."""

    def forward(self, segments: Any) -> Any:
        self.segments = segments
        return super().forward(segments)


@MORE
@given(st.integers(0, 50), decode_configs)
def test_a_full_forward_computes_equal_rows_once_for_all(seed: int, config: DecodeConfig) -> None:
    model = Watched(seed, 5, 40)

    def look(stage: str, branches: Any) -> None:
        if stage not in ("init", "refresh"):
            return
        computed = [segment.tokens.tobytes() for segment in model.segments]
        sampled = stage == "refresh" and config.temperature
        assert sampled or len(set(computed)) == len(computed)
        rows = branches.cache_rows[~branches.done]
        assert {shown.tobytes() for shown in model.segments[0].cache.seen[rows]} == set(computed)

    decoder = Decoder(model, model.prompt(), config, look)
    for step in decoder:
        if step.kind in ("init", "refresh"):
            assert all(state.forward for state in step.branches if not state.done)


def test_the_mask_token_in_a_prompt_is_no_slot() -> None:
    model = StandIn(1, 4, 12)
    decoder = Decoder(model, [2, model.mask_id, 3, model.eos_id], DecodeConfig(block_sizes=(4, 8), gen_length=16))
    steps = list(decoder)
    assert min(event.position for step in steps for event in step.events if isinstance(event, Commit)) == 0
    assert decoder.stop in ("eos", "complete")


changes = st.one_of(
    st.fixed_dictionaries({"block_sizes": sizes}),
    st.fixed_dictionaries({"resize": st.dictionaries(st.sampled_from([4, 8, 16]), st.integers(1, 70), max_size=2)}),
    st.fixed_dictionaries({"commit_threshold": st.sampled_from([0.5, 0.8, 1.1]), "refresh_interval": st.just(3)}),
    st.fixed_dictionaries({"refresh": st.sampled_from(["interval", "divergence", "never"])}),
    st.fixed_dictionaries({"stop_at_text_end": st.booleans(), "eos_in_order": st.booleans()}),
    st.fixed_dictionaries({"forced_reach": st.sampled_from([0, 1, 3]), "joint_threshold": st.sampled_from([0.4, 1.0])}),
    st.fixed_dictionaries({"lookahead": st.sampled_from([0, 2])}),
)


@MORE
@given(stand_ins, decode_configs, st.lists(changes, max_size=8))
def test_a_run_changed_while_it_goes_on_still_holds(model: StandIn, config: DecodeConfig, wanted: list[Any]) -> None:
    decoder = Decoder(model, model.prompt(), config)
    folded, present = Rows.start(config), list(config.block_sizes)
    for step in decoder:
        for event in step.events:
            folded.apply(event)
        assert [state.branch for state in step.branches] == present
        assert {b: row.tolist() for b, row in folded.rows.items()} == dict(
            zip(present, decoder.branches.rows.tolist(), strict=True)
        )
        present = change(decoder, wanted.pop()) if wanted else present
    assert decoder.stop in ("eos", "complete")
    assert (np.array(text_of(decoder)) >= 0).all()
    free = decoder._stepper.cache.free  # rows of dropped branches are given back, none twice
    assert len({*free, *decoder.branches.cache_rows.tolist()}) == len(free) + len(decoder.branches)


def change(decoder: Decoder, values: Any) -> list[int]:
    """Apply a change, or see it refused with nothing changed; the branches that then take part."""
    before = decoder.config
    try:
        decoder.reconfigure(**values)
    except ConfigError:
        assert decoder.config == before
    assert decoder.branches.sizes.tolist() == list(decoder.config.block_sizes)
    # Events of the change are folded with the next step, so the branches are looked at from there on.
    return decoder.branches.sizes.tolist()


def test_a_change_after_the_last_step_changes_nothing() -> None:
    model = StandIn(0, prompt_len=0, answer_len=0)
    config = DecodeConfig(block_sizes=(1, 2), gen_length=3, commit_threshold=0.0, sync_threshold=1, refresh_interval=1)
    decoder = Decoder(model, model.prompt(), config)
    for _ in decoder:
        answer, stop = decoder.tokens.tolist(), decoder.stop
    assert stop == "eos"
    decoder.reconfigure(block_sizes=[1])
    assert (decoder.tokens.tolist(), decoder.config) == (answer, config)


def test_a_branch_that_still_decodes_has_to_go_on() -> None:
    model = StandIn(0, prompt_len=0, answer_len=0)
    config = DecodeConfig(block_sizes=(1, 2), gen_length=3, commit_threshold=0.0, sync_threshold=1)
    decoder = Decoder(model, model.prompt(), config)
    decoder.branches.done[1] = True
    with pytest.raises(ConfigError, match="such that a branch that still decodes goes on: 1"):
        decoder.reconfigure(block_sizes=[2])
    decoder.reconfigure(block_sizes=[1])
    assert decoder.branches.sizes.tolist() == [1]


def test_a_change_takes_effect_at_the_next_step_and_is_its_first_event() -> None:
    model = StandIn(7, 5, 60)
    decoder = Decoder(model, model.prompt(), DecodeConfig(block_sizes=(4, 16, 32), gen_length=64))
    steps = iter(decoder)
    next(steps)
    decoder.reconfigure(commit_threshold=0.5, block_sizes=(8, 16, 64), resize={32: 64})
    step = next(steps)
    leader = step.events[2].source
    assert step.events[:4] == (
        ConfigChange("commit_threshold", 0.9, 0.5),
        Resize(32, 64),
        Add(8, leader),
        Drop(4),
    )
    assert [state.branch for state in step.branches] == [8, 16, 64]


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"commit_threshold": -1}, "commit_threshold"),
        ({"gen_length": 12}, "gen_length"),
        ({"seed": 1}, "seed"),
        ({"nonsense": 1}, "nonsense"),
        ({"block_sizes": ()}, "block_sizes"),
        ({"block_sizes": (64, 128)}, "block_sizes"),
        ({"resize": {5: 6}}, "resize"),
        ({"resize": {4: 8}}, "resize"),
        ({"resize": {4: 0}}, "resize"),
        ({"commit_threshold": 0.5, "block_sizes": (4, 4)}, "block_sizes"),
    ],
)
def test_a_bad_change_is_refused_whole(values: Any, named: str) -> None:
    model = StandIn(7, 5, 60)
    decoder = Decoder(model, model.prompt(), DecodeConfig(block_sizes=(4, 8), gen_length=64))
    steps = iter(decoder)
    next(steps)
    with pytest.raises(ConfigError, match=named):
        decoder.reconfigure(**values)
    assert next(steps).events[0].__class__ is Commit
    assert decoder.config == DecodeConfig(block_sizes=(4, 8), gen_length=64)
