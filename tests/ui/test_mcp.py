"""The endpoints as tools of an MCP server, switched on by the environment."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest
from scripted import ScriptedModel

from blockbatch.errors import ConfigError
from ui.engine import engine_of
from ui.interface import create_ui
from ui.settings import Settings


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    pytest.importorskip("mcp", reason="the package mcp is not installed")
    settings = Settings.from_environment({"BLOCKBATCH_MCP": "1"})
    page = create_ui(engine_of(ScriptedModel()), settings)
    _, url, _ = page.launch(prevent_thread_lock=True, quiet=True, mcp_server=settings.mcp)
    yield f"{url}gradio_api/mcp/"
    page.close()


def call(url: str, tool: str | None = None, **arguments: Any) -> Any:
    """What a client of the server gets: the tools, or the answer of one."""

    async def ask() -> Any:
        from mcp import ClientSession
        from mcp.client.streamable_http import streamablehttp_client

        async with streamablehttp_client(url) as (read, write, _), ClientSession(read, write) as session:
            await session.initialize()
            return await (session.call_tool(tool, arguments) if tool else session.list_tools())

    return asyncio.run(asyncio.wait_for(ask(), 60))


def test_the_tools_say_what_they_take(url: str) -> None:
    tools = {tool.name.split("_")[-1]: tool for tool in call(url).tools}
    assert set(tools) == {"generate", "fork", "steer", "models"}
    generate = tools["generate"]
    assert generate.description.startswith("Decode a prompt with BlockBatch")
    assert generate.inputSchema["properties"]["gen_length"]["description"] == (
        "Number of positions to fill in, 0 to 4096."
    )


def test_a_tool_answers(url: str) -> None:
    tools = {tool.name.split("_")[-1]: tool.name for tool in call(url).tools}
    answer = call(url, tools["generate"], prompt="any prompt", gen_length=32, with_trace=False)
    assert not answer.isError
    result = ast.literal_eval(answer.content[0].text)  # Gradio writes a mapping as Python does
    assert result["status"] == "finished"
    assert result["text"]
    refused = call(url, tools["generate"], prompt=" ", with_trace=False)
    assert refused.isError
    assert "The prompt is empty" in refused.content[0].text


def test_it_is_off_unless_asked_for_and_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    for environment in ({}, {"BLOCKBATCH_MCP": "0"}, {"BLOCKBATCH_MCP": "false"}):
        assert not Settings.from_environment(environment).mcp
    with pytest.raises(ConfigError, match=r"BLOCKBATCH_MCP is 'ja', but must be 1 or 0\.$"):
        Settings.from_environment({"BLOCKBATCH_MCP": "ja"})
    monkeypatch.setattr("ui.settings.find_spec", lambda name: None if name == "mcp" else find_spec(name))
    with pytest.raises(ConfigError, match=r'pip install "gradio\[mcp\]"\.$'):
        Settings.from_environment({"BLOCKBATCH_MCP": "true"})
