"""The server by the protocol's own client: its tools, its answers, its errors."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from trexreport.assistant.server import make_server
from trexreport.assistant.worker import Worker
from trexreport.errors import InputError, MissingToolError, ToolFailedError
from trexreport.pipeline.settings import Settings
from trexreport.resources import resource_folder

SAMPLES = str(resource_folder("samples"))
TOOLS = ["list_captures", "summary", "findings", "layers", "layer", "compare", "explain"]


class Recorded:
    """A worker that records what it is asked."""

    def __init__(self):
        self.asked = []

    def answer(self, tool, arguments):
        self.asked.append((tool, arguments))
        if tool == "explain":
            raise ToolFailedError("It failed.", "Ask again.")
        return "answer"


def finished(function):
    """Return what an asynchronous function returns. A browser's tests may have left a loop in this thread."""
    import anyio

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(anyio.run, function).result()


def in_process(ask):
    """Return what a function of a client returns, connected to a server of this process."""
    pytest.importorskip("mcp.server.mcpserver")
    from mcp import Client

    worker = Recorded()

    async def run():
        async with Client(make_server([SAMPLES], worker)) as client:
            return await ask(client)

    return finished(run), worker.asked


def test_the_tools_are_read_only_and_documented():
    tools, _ = in_process(lambda client: client.list_tools())
    assert [tool.name for tool in tools.tools] == TOOLS
    assert all(tool.annotations.read_only_hint for tool in tools.tools)
    schemas = {tool.name: (tool.description, set(tool.input_schema["properties"])) for tool in tools.tools}
    undocumented = {
        (name, argument)
        for name, (description, arguments) in schemas.items()
        for argument in arguments
        if f"{argument}:" not in description
    }
    assert undocumented == set()


def test_a_question_goes_to_the_worker_with_its_defaults():
    result, asked = in_process(lambda client: client.call_tool("layers", {"capture": "a", "query": "type:x"}))
    assert result.content[0].text == "answer"
    assert not result.is_error
    expected = {"capture": "a", "query": "type:x", "sort": "time", "limit": 20, "max_tokens": 2000}
    assert asked == [("layers", expected)]


def test_an_error_is_an_answer():
    result, _ = in_process(lambda client: client.call_tool("explain", {"rule": "x"}))
    assert result.is_error
    assert result.content[0].text.endswith("It failed. Ask again.")


def test_a_wrong_argument_is_an_answer_and_asks_nothing():
    result, asked = in_process(lambda client: client.call_tool("summary", {"capture": 5}))
    assert result.is_error
    assert result.content[0].text == "Wrong arguments of summary. capture: Input should be a valid string."
    assert asked == []


def test_an_argument_that_a_tool_does_not_take_is_refused():
    given = {"capture": "a", "max_token": 9, "x" * 500: 1}
    result, asked = in_process(lambda client: client.call_tool("summary", given))
    assert result.is_error
    text = result.content[0].text
    assert text.startswith("Wrong arguments of summary. It takes capture, max_tokens, not max_token, xxx")
    assert len(text) < 200
    assert asked == []
    unknown, _ = in_process(lambda client: client.call_tool("no_such_tool", {"x": 1}))
    assert unknown.is_error


def test_without_the_sdk_the_error_names_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    with pytest.raises(MissingToolError, match=r"pip install 'trexreport\[mcp\]'"):
        make_server([SAMPLES], Recorded())


def test_a_missing_folder_is_an_error_at_the_start():
    with pytest.raises(InputError, match="does not exist"):
        make_server(["no-such-folder"], Recorded())


@pytest.mark.slow
def test_over_standard_input_and_output():
    pytest.importorskip("mcp.server.mcpserver")
    import anyio
    from mcp import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    async def run():
        server = StdioServerParameters(command=sys.executable, args=["-m", "trexreport", "mcp", SAMPLES])
        found = []
        async with Client(stdio_client(server)) as client, anyio.create_task_group() as group:

            async def ask(tool, arguments):
                found.append((tool, await client.call_tool(tool, arguments)))

            group.start_soon(ask, "list_captures", {})
            group.start_soon(ask, "summary", {"capture": "samples/resnet18-int8-before"})
            group.start_soon(ask, "summary", {"capture": "samples/../../etc"})
            group.start_soon(ask, "explain", {"rule": "TRX302"})
        return found

    found = finished(run)
    texts = {(tool, bool(result.is_error)): result.content[0].text for tool, result in found}
    assert "samples/resnet18-int8-before" in texts["list_captures", False]
    assert "0.798 ms" in texts["summary", False]
    assert "is not a capture below the folders" in texts["summary", True]
    assert texts["explain", False].startswith("# TRX302")


def test_a_worker_is_no_process_before_it_is_asked():
    worker = Worker([SAMPLES], Settings())
    assert worker._process is None
    worker.close()
