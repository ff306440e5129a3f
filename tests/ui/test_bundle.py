"""The page's script is made of modules."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from ui.bundle import bundle
from ui.viewer import FOLDER


def write(folder: Path, **modules: str) -> Path:
    for name, text in modules.items():
        (folder / f"{name}.mjs").write_text(text)
    return folder


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
def test_modules_keep_their_own_names(tmp_path: Path) -> None:
    write(
        tmp_path,
        a='import { two } from "./b.mjs";\nconst own = 1;\nexport function sum() {\n  return own + two;\n}\n',
        b="const own = 2;\nexport const two = own;\n",
    )
    script = bundle(tmp_path, "a.mjs", "console.log(sum());")
    done = subprocess.run(["node", "-e", script], capture_output=True, text=True, check=True, timeout=30)
    assert done.stdout == "3\n"


@pytest.mark.parametrize("form", ["export default 1;", 'import x from "./b.mjs";', "export { a };"])
def test_unknown_forms_are_errors(tmp_path: Path, form: str) -> None:
    with pytest.raises(ValueError, match="not known"):
        bundle(write(tmp_path, a=form + "\n"), "a.mjs", "")


def test_cycles_are_errors(tmp_path: Path) -> None:
    write(tmp_path, a='import { b } from "./b.mjs";\n', b='import { a } from "./a.mjs";\n')
    with pytest.raises(ValueError, match=r"a\.mjs imports itself"):
        bundle(tmp_path, "a.mjs", "")


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
@pytest.mark.parametrize("entry", ["main.mjs", "header.mjs"])
def test_the_page_scripts_are_valid(tmp_path: Path, entry: str) -> None:
    script = tmp_path / "script.js"
    script.write_text(f"(function () {{{bundle(FOLDER, entry, '')}}})")
    subprocess.run(["node", "--check", str(script)], check=True, timeout=30)
