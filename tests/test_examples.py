"""The examples do what they say, run as a newcomer runs them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from blockbatch.reading import load_trace
from ui.engine import load_engine
from ui.interface import create_ui
from ui.settings import Settings

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
NEEDS_THE_MODEL = pytest.mark.skipif(
    not (ROOT / "assets" / "tiny" / "model.safetensors").is_file(), reason="assets/tiny is not there"
)


def output_of(name: str, *arguments: str, python: tuple[str, ...] = ()) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, *python, str(EXAMPLES / name), *arguments],
        capture_output=True, text=True, check=False, timeout=110, cwd=EXAMPLES, env=environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_each_example_is_tested() -> None:
    here = Path(__file__).read_text()
    assert all(f'"{path.name}"' in here for path in EXAMPLES.glob("*.py"))


@NEEDS_THE_MODEL
def test_decoding_and_inspecting() -> None:
    output = output_of("decode_and_inspect.py")
    assert output.startswith("answer: ")
    assert " forwards: 1 init, " in output
    assert "position 0: " in output


@pytest.mark.parametrize("path", sorted((ROOT / "assets" / "traces").glob("*.ndjson")), ids=lambda path: path.stem)
def test_opening_a_trace(path: Path) -> None:
    trace = load_trace(path)
    assert trace.end is not None
    output = output_of("open_a_trace.py", str(path))
    assert f"{len(trace.steps)} steps, stopped by {trace.end.stop}" in output
    assert output.endswith(trace.end.text + "\n")


def test_a_trace_opens_with_numpy_alone(tmp_path: Path) -> None:
    """Other packages are there, but importing any of them is an error."""
    guard = "import sys; sys.modules.update(dict.fromkeys(('torch', 'transformers', 'gradio', 'plotly', 'tqdm')))\n"
    script = tmp_path / "open_a_trace.py"
    source = (EXAMPLES / "open_a_trace.py").read_text()
    script.write_text(source.replace("import sys\n", guard, 1).replace("__file__", repr(str(EXAMPLES / "x.py"))))
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "stopped by" in done.stdout


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The page with the embedded model."""
    page = create_ui(load_engine(Settings()), Settings(store="memory://examples"))
    _, url, _ = page.launch(prevent_thread_lock=True, quiet=True)
    yield url
    page.close()


@NEEDS_THE_MODEL
def test_driving_the_app(url: str) -> None:
    output = output_of("drive_the_app.py", url)
    assert output.startswith("assets/tiny in float32 on cpu")
    assert "live steps: " in output
    assert "finished steps: " in output
    assert "under a commit threshold of 0.6: " in output
    assert "refused: block_sizes is [0], but must be" in output
