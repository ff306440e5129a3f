"""What hosts read: the README's front matter for a Space, and the Dockerfile, as far as no engine is needed."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tarfile
import threading
import time
from http.server import HTTPServer, SimpleHTTPRequestHandler
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from huggingface_hub import SpaceHardware
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).parents[1]
DOCKERFILE = (ROOT / "Dockerfile").read_text()
ZERO_GPU_TORCH = ("2.8.0", "2.9.1", "2.10.0", "2.11.0")
ZERO_GPU_PYTHON = ("3.10", "3.12")
NOBODY = 65534


def instructions(name: str) -> list[str]:
    """The arguments of every instruction `name` of the Dockerfile, its lines joined."""
    lines = DOCKERFILE.replace("\\\n", " ").splitlines()
    return [line.removeprefix(name).strip() for line in lines if line.startswith(name + " ")]


def copied() -> list[tuple[str, str]]:
    """(source, target) of every COPY."""
    words = [[word for word in shlex.split(copy) if not word.startswith("--")] for copy in instructions("COPY")]
    assert all(len(pair) == 2 for pair in words)
    return [(source, target) for source, target in words]


def requirements() -> dict[str, SpecifierSet]:
    lines = [line for line in (ROOT / "requirements.txt").read_text().splitlines() if line]
    return {requirement.name: requirement.specifier for requirement in map(Requirement, lines)}


@pytest.fixture(scope="module")
def front_matter() -> dict[str, Any]:
    _, block, rest = (ROOT / "README.md").read_text().split("---\n", 2)
    assert rest.lstrip().startswith("# blockbatch")
    return dict(yaml.safe_load(block))


def test_the_front_matter_is_that_of_a_gradio_space(front_matter: dict[str, Any]) -> None:
    assert front_matter["sdk"] == "gradio"
    assert (ROOT / front_matter["app_file"]).is_file()
    assert str(front_matter["sdk_version"]) in requirements()["gradio"]
    assert front_matter["suggested_hardware"] == SpaceHardware.ZERO_A10G
    assert len(front_matter["short_description"]) <= 60
    colours = {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}
    assert {front_matter["colorFrom"], front_matter["colorTo"]} <= colours
    assert front_matter["app_port"] == 7860


def test_zero_gpu_has_the_python_and_the_torch_that_are_asked_for(front_matter: dict[str, Any]) -> None:
    python = str(front_matter["python_version"])
    assert python in ZERO_GPU_PYTHON
    needed = re.search(r'requires-python = "(.*)"', (ROOT / "pyproject.toml").read_text())
    assert needed
    assert python in SpecifierSet(needed[1])
    assert all(version in requirements()["torch"] for version in ZERO_GPU_TORCH)
    assert "spaces" not in requirements(), "a Space brings its own, and elsewhere nothing imports it"


def test_every_source_of_the_image_exists_and_is_not_ignored() -> None:
    ignored = (ROOT / ".dockerignore").read_text().split()
    for source, _ in copied():
        assert (ROOT / source).exists(), source
        assert source not in ignored


def test_the_image_serves_as_an_unprivileged_user_on_its_port() -> None:
    (user,) = instructions("USER")
    assert user == "user"
    assert "--uid 1000" in " ".join(instructions("RUN"))
    before_user = DOCKERFILE.split("USER user")[0]
    assert "COPY" not in before_user
    assert all(f"--chown={user}" in copy for copy in instructions("COPY"))
    assert instructions("EXPOSE") == ["7860"]
    environment = image_environment()
    assert (environment["GRADIO_SERVER_NAME"], environment["GRADIO_SERVER_PORT"]) == ("0.0.0.0", "7860")
    assert len(instructions("HEALTHCHECK")) == 1
    base = re.fullmatch(r"python:(\d+\.\d+)-slim", *instructions("FROM"))
    assert base
    assert base[1] in ZERO_GPU_PYTHON


def image_environment() -> dict[str, str]:
    words = [word for line in instructions("ENV") for word in shlex.split(line)]
    return dict(word.split("=", 1) for word in words)


def command(name: str) -> list[str]:
    """The command of CMD or of HEALTHCHECK, run by this Python."""
    (line,) = instructions(name)
    words: list[str] = json.loads(line[line.index("[") :])
    assert words[0] == "python"
    return [sys.executable, *words[1:]]


def test_the_health_check_asks_where_the_page_is_served() -> None:
    """A host may set another port than the image does."""
    with HTTPServer(("127.0.0.1", 0), SimpleHTTPRequestHandler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for port, healthy in ((server.server_port, True), (free_port(), False)):
            environment = {**os.environ, "GRADIO_SERVER_PORT": str(port)}
            done = subprocess.run(command("HEALTHCHECK"), env=environment, capture_output=True, check=False, timeout=60)
            assert (done.returncode == 0) == healthy, done.stderr
        server.shutdown()


def clean_copy(folder: Path) -> None:
    """What the image holds: the COPY sources, as they stand in git."""
    git = ["git", "-C", str(ROOT)]
    tree = subprocess.run([*git, "stash", "create"], capture_output=True, text=True, check=True).stdout.strip()
    packed = subprocess.run([*git, "archive", tree or "HEAD"], capture_output=True, check=True).stdout
    with tarfile.open(fileobj=BytesIO(packed)) as archive:
        archive.extractall(folder / "archive", filter="data")
    (folder / "app").mkdir()
    for source, target in copied():
        end = folder / "app" / target
        end = end / source if target == "." else end
        shutil.move(folder / "archive" / source, end)


class Sandbox:
    """Runs commands without a network, and if this is root, as nobody; where neither is possible, as they are."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.prefix: list[str] = []
        self.alone = False
        if os.geteuid() == 0:
            os.chown(home, NOBODY, NOBODY)
            as_nobody = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
            self.prefix = as_nobody if can(*as_nobody, sys.executable, "-c", "import torch, gradio") else []
            self.alone = can("unshare", "--net", "ip", "link", "set", "lo", "up")

    def script(self, *commands: list[str]) -> list[str]:
        """Bring up the loopback, start the first command, and run the second until it succeeds."""
        serve, check = (shlex.join([*self.prefix, *words]) for words in commands)
        loop = f"for _ in $(seq 90); do kill -0 $app || exit 3; {check} 2>/dev/null && exit 0; sleep 1; done; exit 4"
        body = f"{serve} & app=$!; trap 'kill $app; wait $app' EXIT; {loop}"
        return ["unshare", "--net", "sh", "-c", f"ip link set lo up && {body}"] if self.alone else ["sh", "-c", body]


def can(*words: str) -> bool:
    try:
        return subprocess.run(words, capture_output=True, check=False, timeout=60).returncode == 0
    except OSError:
        return False


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.skipif(not (ROOT / ".git").exists() or not shutil.which("git"), reason="not a clone")
def test_the_start_command_serves_from_a_clean_copy_without_a_network(tmp_path: Path) -> None:
    """With the health check of the image as the judge."""
    clean_copy(tmp_path)
    for folder in (tmp_path, *tmp_path.parents):  # pytest's own folders are closed to others
        if folder.is_relative_to("/tmp") and folder != Path("/tmp"):
            folder.chmod(0o755)
    home = tmp_path / "home"
    home.mkdir()
    sandbox = Sandbox(home)
    port = 7860 if sandbox.alone else free_port()
    environment = {
        **image_environment(), "PATH": os.environ["PATH"], "HOME": str(home), "GRADIO_SERVER_PORT": str(port),
        "TMPDIR": str(home),
    }  # fmt: skip
    check = command("HEALTHCHECK")
    began = time.monotonic()
    done = subprocess.run(
        sandbox.script(command("CMD"), check), cwd=tmp_path / "app", env=environment, capture_output=True, text=True,
        check=False, timeout=150,
    )  # fmt: skip
    assert done.returncode == 0, f"{done.returncode} after {time.monotonic() - began:.0f} s: {done.stderr[-3000:]}"
    assert "Traceback" not in done.stderr
