"""Checkpoints of every family, from random weights to an answer; and what a checkpoint that is not whole says."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import huggingface_hub
import pytest
import torch
from checkpoints import LAYOUTS, byte_tokenizer, random_network, save_open_dcoder
from fakehub import FakeHub, serving
from safetensors.torch import load_file, save_file

from blockbatch.config import BaselineConfig, DecodeConfig
from blockbatch.errors import ModelError
from blockbatch.models import Model, load_model, memory
from blockbatch.models import checkpoint as checkpoint_module
from blockbatch.run import Run

ROOT = Path(__file__).parents[2]
SPECIAL_TEXT = {"open-dcoder": "<M>"}


@pytest.fixture(scope="module", params=LAYOUTS)
def layout(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """A family's name and the folder of a random checkpoint in its layout."""
    return request.param, LAYOUTS[request.param](tmp_path_factory.mktemp("layout"))


def test_a_checkpoint_of_every_family_decodes_with_the_papers_decoder(layout: tuple[str, Path]) -> None:
    family, folder = layout
    run = Run(load_model(str(folder)), "say something", DecodeConfig(block_sizes=(4, 8), gen_length=16))
    kinds = [json.loads(line).get("kind") for line in run]
    assert kinds[1] == "init"
    assert "denoise" in kinds
    assert run.trace.end is not None
    assert run.trace.end.stop in ("eos", "complete")
    assert load_model(str(folder)).denoiser.lookback == (family in ("Dream", "open-dcoder"))


def test_saved_and_loaded_again_every_family_computes_the_same(layout: tuple[str, Path], tmp_path: Path) -> None:
    _, folder = layout
    first = load_model(str(folder))
    copy = tmp_path / folder.name
    first.save_pretrained(copy)
    second = load_model(str(copy))
    assert set(load_file(copy / "model.safetensors")) == set(load_file(folder / "model.safetensors"))
    rows = torch.randint(4, 250, (2, 24), generator=torch.Generator().manual_seed(0))
    assert torch.equal(first.logits(rows.tolist()), second.logits(rows.tolist()))
    assert first.encode("a <|eos|> b") == second.encode("a <|eos|> b")
    assert (first.denoiser.mask_id, first.denoiser.eos_id) == (second.denoiser.mask_id, second.denoiser.eos_id)


def test_logits_are_for_the_token_at_each_position(layout: tuple[str, Path]) -> None:
    model = load_model(str(layout[1]))
    rows = torch.randint(4, 250, (3, 12), generator=torch.Generator().manual_seed(1)).tolist()
    logits = model.logits(rows)
    assert logits.dtype == torch.float32
    assert logits.shape == (3, 12, model.denoiser.model.config.vocab_size)
    network, shift = model.denoiser.model, model.denoiser.lookback
    network.set_attn_implementation("eager")
    with torch.inference_mode():
        full = network(torch.tensor(rows), attention_mask=torch.zeros(3, 1, 12, 12), use_cache=False).logits
    network.set_attn_implementation("blockbatch_packed")
    torch.testing.assert_close(logits[:, shift:], full[:, : 12 - shift], atol=1e-4, rtol=1e-4)


def test_special_tokens_in_a_prompt_are_words_not_slots_and_not_padding(layout: tuple[str, Path]) -> None:
    family, folder = layout
    model = load_model(str(folder))
    mask = SPECIAL_TEXT.get(family, "<|mask|>")
    run = Run(model, f"a {mask}{mask} b <|eos|> c", BaselineConfig("dual-cache", 8, 16))
    assert list(run)
    prompt = run.trace.header.prompt_tokens
    assert prompt.count(model.denoiser.mask_id) == 2
    assert prompt.count(model.denoiser.eos_id) == 1  # which is the padding token, too
    (answer,) = run.trace.rows(len(run.trace.steps) - 1).values()
    assert len(answer) == 16
    written = set(answer.tolist())
    assert model.denoiser.mask_id not in written
    with_end = torch.tensor([prompt])
    changed = with_end.clone()
    changed[0, 0] = 7
    far = model.logits(changed.tolist())[0, -1]
    assert not torch.equal(model.logits(with_end.tolist())[0, -1], far), "what stands before an eos is attended to"


def test_a_copy_of_open_dcoder_under_another_name_is_not_guessed_at(tmp_path: Path) -> None:
    folder = save_open_dcoder(tmp_path).rename(tmp_path / "mine")
    with pytest.raises(ModelError, match=r"lacks mask_token_id.* or, for open-dcoder, keep that name"):
        load_model(str(folder))


@pytest.mark.parametrize("name", ["SDAR-1.7B", "LLaDA2.0-mini", "Fast_dLLM_v2_1.5B", "Qwen3-0.6B-diffusion-bd3lm-v0.1"])
def test_block_causal_models_are_refused_by_name(checkpoint: Path, tmp_path: Path, name: str) -> None:
    with pytest.raises(ModelError, match=r"is a block-causal model, .* choose one with full attention"):
        load_model(shutil.copytree(checkpoint, tmp_path / name).as_posix())


def edited(checkpoint: Path, folder: Path, **changes: Any) -> str:
    """A copy of `checkpoint` whose config.json has `changes`; None removes a field."""
    shutil.copytree(checkpoint, folder, dirs_exist_ok=True)
    config = {**json.loads((folder / "config.json").read_text()), **changes}
    (folder / "config.json").write_text(json.dumps({n: v for n, v in config.items() if v is not None}))
    return str(folder)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"rope_parameters": None}, "lacks rope_theta"),
        ({"rope_parameters": {"rope_type": "default"}}, "lacks rope_theta"),
        ({"rms_norm_eps": None, "head_dim": None}, "lacks rms_norm_eps, head_dim"),
        ({"mask_token_id": None}, "lacks mask_token_id"),
        ({"mask_token_id": 999}, "names token 999, but has embeddings for 264 only; use the config"),
        ({"hidden_act": "abacus"}, "could not be loaded; download it again, or choose"),
        ({"logit_scale": 2.0}, "fields of unknown meaning: logit_scale"),
        ({"quantization_config": {"quant_method": "gptq"}}, "quantised weights"),
        ({"layer_types": ["sliding_attention"] * 3}, "sliding-window"),
        ({"intermediate_size": 40}, r"does not fit its config\.json: 9 tensors differ, first model\.layers"),
    ],
)
def test_fields_that_decide_the_mathematics_are_never_guessed(
    checkpoint: Path, tmp_path: Path, changes: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ModelError, match=sentence):
        load_model(edited(checkpoint, tmp_path, **changes))


def cut_weights(folder: Path) -> None:
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])


def cut_header(folder: Path) -> None:
    (folder / "model.safetensors").write_bytes(b"\x00" * 5)


def shard(folder: Path) -> None:
    """Two shards, of which the second has not come yet."""
    weights = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    names = sorted(weights)
    save_file({name: weights[name] for name in names[:5]}, folder / "model-00001-of-00002.safetensors")
    files = {name: f"model-0000{1 + (n >= 5)}-of-00002.safetensors" for n, name in enumerate(names)}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": files}))


def cut_index(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors.index.json").write_text('{"weight_map": ')


def cut_config(folder: Path) -> None:
    (folder / "config.json").write_text('{"model_')


def quantise(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    small = {name: tensor.to(torch.float8_e4m3fn) for name, tensor in weights.items()}
    save_file(small, folder / "model.safetensors", metadata={"format": "pt"})


def cut_tokenizer(folder: Path) -> None:
    (folder / "tokenizer.json").write_text('{"model": ')


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (cut_weights, r"model\.safetensors of .* is cut off or damaged.*; delete it and download it again"),
        (cut_header, r"model\.safetensors of .* is cut off or damaged"),
        (shard, r"half downloaded: 1 of 2 weight files are missing, first model-00002-of-00002\.safetensors; download"),
        (cut_index, r"model\.safetensors\.index\.json of .* cannot be read; download it again"),
        (quantise, r"stores .* as F8_E4M3; choose weights in float32"),
        (lambda folder: (folder / "model.safetensors").unlink(), "no weights in safetensors form; download"),
        (lambda folder: (folder / "config.json").unlink(), r"has no config\.json; point at the folder"),
        (cut_config, r"config\.json of .* cannot be read; download it again"),
        (lambda folder: (folder / "config.json").write_bytes(b"\xff\xfe"), r"config\.json of .* cannot be read"),
        (lambda folder: (folder / "config.json").write_text("[]"), r"config\.json of .* holds no settings; download"),
        (cut_tokenizer, r"tokenizer of .* cannot be read; download its files again"),
    ],
)
def test_a_checkpoint_that_is_not_whole_says_what_to_do(
    checkpoint: Path, tmp_path: Path, damage: Callable[[Path], Any], sentence: str
) -> None:
    folder = shutil.copytree(checkpoint, tmp_path / "copy")
    damage(folder)
    with pytest.raises(ModelError, match=sentence):
        load_model(str(folder))


def test_devices_and_dtypes_that_do_not_exist_are_named(checkpoint: Path) -> None:
    with pytest.raises(ModelError, match="dtype is int8, but must be one of float32, bfloat16, float16"):
        load_model(str(checkpoint), dtype="int8")
    with pytest.raises(ModelError, match="device abacus cannot be used here; choose cpu"):
        load_model(str(checkpoint), device="abacus")
    with pytest.raises(ModelError, match="device meta cannot be used here; choose cpu"):
        load_model(str(checkpoint), device="meta")


@pytest.mark.skipif(torch.cuda.is_available(), reason="needs a machine without CUDA")
def test_cuda_where_there_is_none_is_a_sentence(checkpoint: Path) -> None:
    with pytest.raises(ModelError, match="device cuda cannot be used here; choose cpu"):
        load_model(str(checkpoint), device="cuda")


def test_a_model_larger_than_the_free_memory_is_refused_before_it_is_read(
    checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoint_module, "free_bytes", lambda device: 40_000)
    with pytest.raises(ModelError, match=r"needs 0\.0 GB of memory for its weights, but cpu has 0\.0 GB free; choose"):
        load_model(str(checkpoint))


def test_memory_that_runs_out_while_loading_is_a_sentence(checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def exhausted(*_: Any, **__: Any) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr("transformers.Qwen3ForCausalLM.from_pretrained", exhausted)
    with pytest.raises(ModelError, match="has too little; choose a smaller model, dtype bfloat16 or a larger device"):
        load_model(str(checkpoint))


def test_free_memory_is_the_smaller_of_the_machines_and_the_containers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "CONTROL_GROUP", tmp_path)
    assert memory.free_bytes(torch.device("cpu")) is None
    (tmp_path / "meminfo").write_text("MemTotal: 90 kB\nMemAvailable: 50 kB\n")
    assert memory.free_bytes(torch.device("cpu")) == 51_200
    (tmp_path / "memory.max").write_text("max\n")
    assert memory.free_bytes(torch.device("cpu")) == 51_200
    (tmp_path / "memory.max").write_text("30000\n")
    (tmp_path / "memory.current").write_text("20000\n")
    (tmp_path / "memory.stat").write_text("anon 15000\ninactive_file 3000\nactive_file 1000\n")
    assert memory.free_bytes(torch.device("cpu")) == 14_000
    assert memory.free_bytes(torch.device("meta")) is None


CHILD = """
import resource, sys
from blockbatch.models import load_model
load_model(sys.argv[1])  # what is imported when the first model is loaded
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
load_model(sys.argv[2], dtype=sys.argv[3]).logits([[5, 6, 7, 8]])  # reads every weight
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint of 200 MB."""
    folder = tmp_path_factory.mktemp("large")
    sizes = {"hidden_size": 512, "intermediate_size": 4096, "num_attention_heads": 8, "num_key_value_heads": 4}
    tokenizer = byte_tokenizer()
    network = random_network("qwen3", len(tokenizer), num_hidden_layers=7, head_dim=64, **sizes)
    network.config.mask_token_id, network.config.eos_token_id = tokenizer.mask_token_id, tokenizer.eos_token_id
    network.save_pretrained(folder, max_shard_size="80MB")
    tokenizer.save_pretrained(folder)
    return folder


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in kilobytes on Linux only")
@pytest.mark.parametrize(("dtype", "stored_and_kept"), [("float32", 1.0), ("bfloat16", 1.5)])
def test_loading_takes_the_size_of_the_weights_and_no_second_copy(
    checkpoint: Path, large: Path, dtype: str, stored_and_kept: float
) -> None:
    """In the dtype that is stored, the weights are the file's own pages; in another, one copy of them beside these."""
    size = sum(path.stat().st_size for path in large.glob("*.safetensors"))
    command = [sys.executable, "-c", CHILD, str(checkpoint), str(large), dtype]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert size > 180e6
    assert 1024 * int(done.stdout) < stored_and_kept * size + 40e6


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder for what is downloaded."""
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    impatient = SimpleNamespace(**{**vars(time), "sleep": lambda seconds: None})  # between attempts
    for module in (huggingface_hub.file_download, huggingface_hub.utils._http):
        monkeypatch.setattr(module, "time", impatient)
    yield tmp_path / "cache"
    huggingface_hub.close_session()  # the client keeps connections


def use(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", url)
    template = f"{url}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
    monkeypatch.setattr(huggingface_hub.constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)


@pytest.fixture
def hub(checkpoint: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    with serving(checkpoint) as found:
        use(monkeypatch, found.url)
        yield found


def test_a_model_of_the_hub_is_downloaded_once_and_the_progress_is_shown(
    hub: FakeHub, capfd: pytest.CaptureFixture[str]
) -> None:
    assert load_model("owner/name").id == "owner/name"
    shown = capfd.readouterr().err
    assert re.search(r"Fetching \d+ files: +100%", shown)
    assert "model.safetensors" in hub.served
    hub.served.clear()
    load_model("owner/name")
    assert hub.served == []


def test_a_downloaded_model_needs_no_hub(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    load_model("owner/name")
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    assert load_model("owner/name").encode("hi")


def test_offline_says_to_connect_or_to_give_a_folder(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sentence = "cannot be reached; connect to the network, unset HF_HUB_OFFLINE, or give a local folder"
    use(monkeypatch, "http://127.0.0.1:9")  # where nothing listens
    with pytest.raises(ModelError, match=sentence):
        load_model("owner/name")
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(ModelError, match=sentence):
        load_model("owner/name")


def test_a_model_that_the_hub_does_not_have_says_to_check_the_name(hub: FakeHub) -> None:
    with pytest.raises(ModelError, match="hub has no model owner/other, or it is private; check the name"):
        load_model("owner/other")


def test_a_gated_model_says_to_accept_its_terms(checkpoint: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(checkpoint, gated=True) as hub:
        use(monkeypatch, hub.url)
        with pytest.raises(ModelError, match="is gated; accept its terms on its hub page, then log in"):
            load_model("owner/name")


def test_a_download_that_breaks_off_says_to_start_again_and_then_works(
    checkpoint: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(checkpoint, cut="model.safetensors") as hub:
        use(monkeypatch, hub.url)
        with pytest.raises(ModelError, match="broke off; start again and it goes on where it stopped"):
            load_model("owner/name")
        hub.cut = ""
        assert load_model("owner/name").encode("hi")


@pytest.mark.parametrize("path", ["./none", "/nowhere/at/all", "a/b/c"])
def test_a_folder_that_is_not_there_says_so(path: str) -> None:
    with pytest.raises(ModelError, match=f"no folder {path}; check the path, or name a model of the hub as owner/name"):
        load_model(path)


def test_without_a_chat_template_prompts_are_plain_text_and_it_says_so(checkpoint: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(checkpoint, tmp_path / "plain")
    (folder / "chat_template.jinja").unlink()
    model = load_model(str(folder))
    assert [model.piece(token) for token in model.encode("hi")] == ["h", "i"]
    assert "has no chat template: prompts go in as plain text" in model.caution


@pytest.mark.parametrize(("name", "cautious"), [("LLaDA-8B-Base", True), ("Database-7B-Instruct", False)])
def test_a_base_model_with_a_chat_template_is_cautioned_about(
    checkpoint: Path, tmp_path: Path, name: str, cautious: bool
) -> None:
    model: Model = load_model(shutil.copytree(checkpoint, tmp_path / name).as_posix())
    assert ("is a base model" in model.caution) == cautious


def reset(folder: Path, **fields: Any) -> str:
    """Change fields of the config.json in `folder`."""
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))
    return str(folder)


def test_a_negative_id_is_no_token_and_one_token_cannot_be_both(checkpoint: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(checkpoint, tmp_path / "copy")
    whole = load_model(str(checkpoint)).denoiser
    assert load_model(reset(folder, eos_token_id=-1)).denoiser.eos_id == whole.eos_id  # as its tokenizer says
    with pytest.raises(ModelError, match=f"names token {whole.mask_id} as its mask and its end of text; correct"):
        load_model(reset(folder, eos_token_id=whole.mask_id))


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("architectures", "SDARForCausalLM", "is a block-causal model"),
        ("layer_types", 5, "has sliding-window layers, but"),
        ("layer_types", [["full_attention"]], "has sliding-window layers, but"),
    ],
)
def test_a_list_of_another_type_is_one_sentence(
    checkpoint: Path, tmp_path: Path, field: str, value: object, sentence: str
) -> None:
    folder = shutil.copytree(checkpoint, tmp_path / "copy")
    with pytest.raises(ModelError, match=sentence):
        load_model(reset(folder, **{field: value}))


@pytest.mark.parametrize("template", ["{{ raise_exception('a system turn, please') }}", "{% for %}", "{{ 1 + [] }}"])
def test_a_chat_template_that_fails_is_one_sentence(checkpoint: Path, tmp_path: Path, template: str) -> None:
    folder = shutil.copytree(checkpoint, tmp_path / "copy")
    model = load_model(str(folder))
    assert model.tokenizer is not None
    model.tokenizer.chat_template = template
    with pytest.raises(ModelError, match=r"^The chat template of .* fails on a prompt; download it again\. \("):
        model.encode("hello")
