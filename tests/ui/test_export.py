"""The one-file page: everything in it, nothing asked for, and text that stays text."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from scripted import ScriptedModel

from blockbatch.config import DecodeConfig
from blockbatch.run import Run
from ui import export, plotlyjs
from ui.export import SLOT, main, page, shell

HOSTILE = "</script><img src=x onerror=window.broken=1> <!-- <script> and more text for a longer answer."


def hostile_text() -> str:
    return "".join(f"{line}\n" for line in Run(ScriptedModel(HOSTILE), HOSTILE, DecodeConfig(gen_length=32)))


class Elements(HTMLParser):
    """The start tags of a page, and what stands in its script elements."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: dict[str, str] = {}
        self.script: str | None = None
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.script = str(dict(attrs).get("id", "")) if tag == "script" else None

    def handle_endtag(self, tag: str) -> None:
        self.script = None

    def handle_data(self, data: str) -> None:
        if self.script is not None:
            self.scripts[self.script] = self.scripts.get(self.script, "") + data


def test_the_runs_stand_in_the_page_as_they_are_and_end_no_element() -> None:
    text = hostile_text()
    assert "</script>" in text
    elements = Elements(page([(text, HOSTILE)], {"step": 3}))
    assert json.loads(elements.scripts["bb-runs"]) == {"runs": [{"text": text, "name": HOSTILE}], "place": {"step": 3}}
    assert [tag for tag, _ in elements.tags] == [tag for tag, _ in Elements(shell()).tags]
    assert not any(name.startswith("on") for _, attributes in elements.tags for name in attributes)


def test_the_page_asks_for_nothing() -> None:
    elements = Elements(shell())
    policy = next(
        attrs["content"] for _, attrs in elements.tags if attrs.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy is not None
    assert policy.startswith("default-src 'none';")
    assert not any({"src", "srcset"} & set(attrs) for _, attrs in elements.tags)
    assert [attrs["href"] for tag, attrs in elements.tags if tag == "link"] == ["data:,"]
    own = shell().replace(plotlyjs.FILE.read_text(encoding="utf-8"), "")  # what that mentions, the policy stops
    assert not re.search(r"@import|url\(", own)


def test_the_viewer_fills_the_same_slot() -> None:
    assert shell().index(SLOT) < shell().index("const modules")
    assert f"const SLOT = '{SLOT}'" in (export.FOLDER / "saving.mjs").read_text(encoding="utf-8")


@pytest.mark.parametrize("text", ["'</script>'", "'</SCRIPT '", "'<!--'"])
def test_a_script_that_would_end_its_own_element_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="would end its element"):
        export.unending(f"const text = {text};")
    assert "openSaved();" in Elements(shell()).scripts[""]


def test_plotly_comes_along_and_its_address_does_not() -> None:
    """The figures need no server, and the page names no file of this machine."""
    assert plotlyjs.FILE.read_text(encoding="utf-8") in shell()
    assert plotlyjs.FILE.as_posix() not in shell()
    assert '"plotly":null' in Elements(shell()).scripts["bb-props"]


def test_the_command_line_writes_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "run.ndjson", tmp_path / "page.html"
    source.write_text(hostile_text(), encoding="utf-8")
    assert main([str(source), str(source), "--out", str(target)]) == 0
    saved = json.loads(Elements(target.read_text(encoding="utf-8")).scripts["bb-runs"])
    assert [run["name"] for run in saved["runs"]] == ["run", "run"]
    source.write_text("no trace")
    assert main([str(source), "--out", str(target)]) == 2
    assert main([str(tmp_path / "none"), "--out", str(target)]) == 2
    assert main([str(source), "--out", str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("blockbatch: ") == 3
