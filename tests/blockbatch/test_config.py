"""Settings are checked when made, and every refusal names the field, the value and the allowed range."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import baseline_configs, decode_configs

from blockbatch.config import DEFAULT_BLOCK_SIZES, BaselineConfig, DecodeConfig, config_from_dict
from blockbatch.errors import ConfigError


def test_the_presets_are_those_of_the_algorithm() -> None:
    paper, latest = DecodeConfig.preset("paper"), DecodeConfig.preset("latest")
    assert paper == DecodeConfig()
    assert paper.block_sizes == (4, 8, 16, 32, 64, 128) == DEFAULT_BLOCK_SIZES
    assert (paper.commit_threshold, paper.merge_threshold, paper.sync_threshold) == (0.9, 0.5, 8)
    assert (paper.refresh, paper.refresh_interval, latest.refresh) == ("interval", 32, "divergence")
    assert not any(paper.rules[:5])
    assert all(latest.rules[:5])
    with pytest.raises(ConfigError, match="preset is 'newest', but must be one of paper, latest"):
        DecodeConfig.preset("newest")


@pytest.mark.parametrize(
    ("field", "value", "allowed"),
    [
        ("variant", "new", "one of paper, latest"),
        ("block_sizes", (), "1 to 16 distinct"),
        ("block_sizes", (4, 4), "1 to 16 distinct"),
        ("block_sizes", (0,), "from 1 to 1024"),
        ("block_sizes", (1025,), "from 1 to 1024"),
        ("block_sizes", range(1, 18), "1 to 16"),
        ("block_sizes", "48", "whole numbers"),
        ("block_sizes", 4, "whole numbers"),
        ("block_sizes", (4, "8"), "whole numbers"),
        ("block_sizes", (4.5,), "whole numbers"),
        ("gen_length", -1, "from 0 to 4096"),
        ("gen_length", 4097, "from 0 to 4096"),
        ("gen_length", True, "whole number"),
        ("gen_length", None, "whole number"),
        ("gen_length", "64", "whole number"),
        ("commit_threshold", -0.1, "from 0 to 2"),
        ("commit_threshold", float("nan"), "from 0 to 2"),
        ("commit_threshold", float("inf"), "from 0 to 2"),
        ("commit_threshold", "0.9", "a number"),
        ("merge_threshold", 2.1, "from 0 to 2"),
        ("merge_threshold", None, "a number"),
        ("sync_threshold", -1, "from 0"),
        ("sync_threshold", 1.5, "whole number"),
        ("refresh", "often", "one of interval, divergence, never"),
        ("refresh", ["interval"], "one of interval"),
        ("refresh_interval", 0, "from 1"),
        ("temperature", -1, "from 0 to 10"),
        ("seed", -1, "from 0"),
        ("seed", 2**63, "from 0"),
    ],
)
def test_a_bad_value_is_named_with_its_range(field: str, value: Any, allowed: str) -> None:
    with pytest.raises(ValueError, match=rf"^{field} is .*, but must be .*{allowed}.*\.$"):
        DecodeConfig(**{field: value})


def test_none_is_not_zero_and_numpy_numbers_are_welcome() -> None:
    with pytest.raises(ConfigError, match="temperature is None"):
        DecodeConfig(temperature=None)  # type: ignore[arg-type]
    config = DecodeConfig(block_sizes=np.array([32, 4]), gen_length=np.int64(8), temperature=np.float32(0.5))  # type: ignore[arg-type]
    assert (config.block_sizes, config.gen_length) == ((4, 32), 8)
    assert config.to_dict()["block_sizes"] == [4, 32]
    assert type(config.gen_length) is int
    assert DecodeConfig(sync_threshold=8.0).sync_threshold == 8  # type: ignore[arg-type]


def test_configs_are_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        DecodeConfig().seed = 3  # type: ignore[misc]


@given(st.one_of(decode_configs, baseline_configs))
def test_a_config_survives_its_dictionary(config: Any) -> None:
    assert config_from_dict(config.decoder, config.to_dict()) == config


def test_a_dictionary_must_be_complete_and_known() -> None:
    values = DecodeConfig().to_dict()
    with pytest.raises(ConfigError, match="seed is None, but must be given"):
        DecodeConfig.from_dict({name: value for name, value in values.items() if name != "seed"})
    with pytest.raises(ConfigError, match="colour is 'red', but must be left out"):
        DecodeConfig.from_dict({**values, "colour": "red"})
    with pytest.raises(ConfigError, match="decoder is 'latest'"):
        config_from_dict("latest", values)
    with pytest.raises(ConfigError, match="decoder is 'magic'"):
        config_from_dict("magic", values)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"decoder": "beam"}, "decoder is 'beam'"),
        ({"block_size": 0}, "block_size is 0"),
        ({"factor": -1}, "factor is -1"),
        ({"stop_at_eos": 1}, "stop_at_eos is 1, but must be true or false"),
        ({"steps": 3}, "steps is 3, but must be 0 or at least the number of blocks, 4"),
        ({"decoder": "threshold", "steps": 8}, "steps is 8, but must be 0"),
    ],
)
def test_a_bad_baseline_value_is_named(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        BaselineConfig(**settings)


def test_the_quota_of_a_block() -> None:
    assert BaselineConfig("vanilla", 32, 128).most_steps == 32
    assert BaselineConfig("vanilla", 32, 128, steps=64).most_steps == 16
    assert (BaselineConfig("vanilla", 50, 128).blocks, BaselineConfig("vanilla", 8, 0).blocks) == (3, 0)


def test_a_refusal_can_be_copied_and_sent_to_another_process() -> None:
    with pytest.raises(ConfigError) as refused:
        DecodeConfig(gen_length=5000)
    for again in (copy.copy(refused.value), pickle.loads(pickle.dumps(refused.value))):
        assert (type(again), str(again), again.field) == (ConfigError, str(refused.value), "gen_length")
