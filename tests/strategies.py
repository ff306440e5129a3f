"""Hypothesis strategies for configs and stand-in models, and the small helpers that read a run."""

from __future__ import annotations

from hypothesis import strategies as st
from standin import StandIn

from blockbatch.config import BASELINES, VARIANTS, BaselineConfig, DecodeConfig

thresholds = st.sampled_from([0.0, 0.3, 0.5, 0.7, 0.9, 1.0, 1.1])
sizes = st.lists(st.integers(1, 70), min_size=1, max_size=6, unique=True)

decode_configs = st.builds(
    DecodeConfig,
    variant=st.sampled_from(list(VARIANTS)),
    block_sizes=sizes,
    gen_length=st.integers(0, 48),
    commit_threshold=thresholds,
    merge_threshold=thresholds,
    sync_threshold=st.sampled_from([0, 1, 4, 8, 32]),
    refresh=st.sampled_from(["interval", "divergence", "never"]),
    refresh_interval=st.sampled_from([1, 4, 16, 32, 1000]),
    temperature=st.sampled_from([0.0, 0.0, 0.7]),
    seed=st.integers(0, 3),
    stop_at_text_end=st.booleans(),
    eos_in_order=st.booleans(),
    forced_reach=st.sampled_from([0, 0, 1, 2, 5]),
    joint_threshold=st.sampled_from([1.0, 1.0, 0.8, 0.4, 0.0]),
    lookahead=st.sampled_from([0, 0, 1, 4]),
    settle_windows=st.booleans(),
)

baseline_configs = st.builds(
    BaselineConfig,
    decoder=st.sampled_from(BASELINES),
    block_size=st.integers(1, 70),
    gen_length=st.integers(0, 48),
    commit_threshold=thresholds,
    factor=st.sampled_from([0.0, 0.5, 1.0, 3.0]),
    stop_at_eos=st.booleans(),
    temperature=st.sampled_from([0.0, 0.7]),
)

stand_ins = st.builds(StandIn, st.integers(0, 50), prompt_len=st.integers(0, 9), answer_len=st.integers(0, 48))
