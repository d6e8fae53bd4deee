"""The agent's `search` and `fetch` in runs, against the sandbox's web and against servers that misbehave."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import pytest
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel

from jobs.run.events import agent_events
from leaf import config, parts
from leaf.agent import agents, translate
from leaf.agent.deps import Deps, WebSession
from leaf.agent.tools.web import MAX_CHARACTERS
from leaf.agent.web import reader
from leaf.db import Actor
from leaf.documents import isolation
from leaf.services.files import ChatFiles
from leaf.state import details
from leaf.views import steps
from tests.integration.drive_google import Kept
from tests.integration.sandbox_fixtures import SandboxProcess

Calls = list[tuple[str, dict[str, Any]]]


@pytest.fixture(autouse=True)
def _no_parsers_left() -> Iterator[None]:
    yield
    isolation.close()


class NoDrive:
    """A store without a connected Drive; the web needs none."""


@pytest.fixture
def sandbox(sandbox_process: SandboxProcess, no_environment: None, monkeypatch: pytest.MonkeyPatch) -> SandboxProcess:
    sandbox_process.reset()
    monkeypatch.setattr(config, "_current", config.Settings(_env_file=None, sandbox_url=sandbox_process.url))
    return sandbox_process


def deps(web: WebSession | None = None) -> Deps:
    files = ChatFiles(Actor.system(), uuid4())
    return Deps(uuid4(), uuid4(), NoDrive(), Kept(), files, web=web or WebSession())  # pyright: ignore[reportArgumentType]


class Run:
    """One run of the agent by a script of calls; what its page was sent, folded after each chunk."""

    def __init__(self, *rounds: Calls, given: Deps | None = None) -> None:
        self.deps = given or deps()
        self.offered: set[str] = set()
        self.chunks: list[parts.Chunk] = []
        self.fold = parts.Fold()
        self.messages: list[ModelMessage] = []
        self._rounds = list(rounds)

    async def to_its_end(self) -> "Run":
        async def model(_messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
            self.offered = {tool.name for tool in info.function_tools}
            if not self._rounds:
                yield "Done."
                return
            calls = enumerate(self._rounds.pop(0))
            yield {at: DeltaToolCall(name=name, json_args=json.dumps(given)) for at, (name, given) in calls}

        stream = translate.RunStream(sdk_version=translate.SDK_VERSION, server_message_id="m")
        events = agent_events(
            agents.build(), self._keep, 60, lambda: False,
            model=FunctionModel(stream_function=model), user_prompt="Go.", deps=self.deps,
        )  # fmt: skip
        async for chunk in stream.transform_stream(events):
            encoded = translate.encode(chunk)
            if encoded is not None:
                self.chunks.append(encoded)
                self.fold.apply(encoded)
        if stream.error is not None:
            raise stream.error
        return self

    def _keep(self, messages: Any) -> None:
        self.messages = messages

    @property
    def tools(self) -> list[parts.Part]:
        return [part for part in self.fold.parts if parts.is_tool(part)]

    @property
    def outputs(self) -> list[dict[str, Any]]:
        return [part["output"] for part in self.tools]


async def run(*rounds: Calls, given: Deps | None = None) -> Run:
    return await Run(*rounds, given=given).to_its_end()


@asynccontextmanager
async def site(
    monkeypatch: pytest.MonkeyPatch,
    pages: dict[str, bytes | Callable[[asyncio.StreamWriter], Any]],
    kind: str = "text/html",
) -> AsyncIterator[str]:
    """A web site of a test's own, which takes the sandbox's place as what may be read on loopback."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            path = (await reader.readuntil(b"\r\n\r\n")).split()[1].decode()
            page = pages[path]
            if callable(page):
                await page(writer)
            else:
                head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(page)}\r\n\r\n"
                writer.write(head.encode() + page)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            return
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    monkeypatch.setattr(config, "_current", config.Settings(_env_file=None, sandbox_url=url))
    try:
        yield url
    finally:
        server.close()
        await server.wait_closed()


async def test_a_search_shows_that_it_searches_and_then_its_results(sandbox: SandboxProcess) -> None:
    """# 002-14"""
    done = await run([("search", {"query": "ethylene in cold stores", "max_results": 3})])
    told = [chunk for chunk in done.chunks if chunk["type"] == "tool-output-available"]
    assert told[0]["preliminary"] is True
    assert told[0]["output"] == {"state": "searching", "query": "ethylene in cold stores"}
    assert "preliminary" not in told[1]
    output = told[1]["output"]
    assert output["state"] == "complete"
    assert [result["n"] for result in output["results"]] == [1, 2, 3]
    assert output["citations"] == {str(result["n"]): result["url"] for result in output["results"]}
    first = output["results"][0]
    assert first["url"] == f"{sandbox.url}/web/orchard-almanac/ethylene-and-storage"
    assert first["published"].startswith("2025-10-02")
    assert output["provider"] == "sandbox"
    assert "sandbox's own small web" in output["note"]
    kept = [part for message in done.messages for part in message.parts if isinstance(part, ToolReturnPart)]
    assert [part.content for part in kept] == [output], "the model sees the result alone"


async def test_the_page_tells_both_states_in_words(sandbox: SandboxProcess) -> None:
    """# 002-14"""
    calls: Calls = [("search", {"query": "hail"}), ("fetch", {"url": f"{sandbox.url}/web/weather-book/how-hail-forms"})]
    done = await run(calls)
    fold, seen = parts.Fold(), list[str]()
    for chunk in done.chunks:
        fold.apply(chunk)
        seen += [steps.step_of(part, {}).text for part in fold.parts if parts.is_tool(part)]
        preliminary = [part for part in fold.parts if part.get("preliminary")]
        assert all(steps.step_of(part, {}).state == "running" for part in preliminary)
        assert all(details.detail_of(part).output == "" for part in preliminary)
    assert {"Searching the web for “hail”…", "Reading 127.0.0.1…"} <= set(seen)
    shown = [steps.step_of(part, {}) for part in done.tools]
    assert [(step.icon, step.state) for step in shown] == [("web", "done"), ("page", "done")]
    assert shown[0].note == "2 results in the sandbox's web"
    assert shown[1].text == "Read How hail forms"
    assert steps.sentence(shown) == "Searched the web for “hail” · read How hail forms"
    links = details.detail_of(done.tools[0]).links
    assert [(link.number, link.host) for link in links] == [("1", "127.0.0.1"), ("2", "127.0.0.1")]


async def test_numbers_go_on_over_several_searches_and_stay_with_their_page(sandbox: SandboxProcess) -> None:
    """# 002-14"""
    queries = ("hail nets", "hail", "ring road closed", "hail")
    together: Calls = [("search", {"query": query, "max_results": 4}) for query in queries[:2]]
    done = await run(together, *([("search", {"query": query, "max_results": 4})] for query in queries[2:]))
    by_number: dict[int, set[str]] = {}
    by_page: dict[str, set[int]] = {}
    for output in done.outputs:
        for result in output["results"]:
            by_number.setdefault(result["n"], set()).add(result["url"])
            by_page.setdefault(result["url"], set()).add(result["n"])
    assert sorted(by_number) == list(range(1, len(by_page) + 1))
    assert all(len(urls) == 1 for urls in by_number.values())
    assert all(len(numbers) == 1 for numbers in by_page.values())


async def test_a_worker_that_takes_over_knows_the_same_numbers(sandbox: SandboxProcess) -> None:
    """# 002-14"""
    address = f"{sandbox.url}/web/night-sky/light-year"
    done = await run([("search", {"query": "hail"})], [("search", {"query": "eclipse"}), ("fetch", {"url": address})])
    assert WebSession.of(done.messages) == done.deps.web
    assert done.outputs[2]["n"] == done.deps.web.numbers[address]
    # A worker that died while the second round was under way: one call had been finished, and none is in a message.
    asked_at = max(at for at, message in enumerate(done.messages[:-1]) if isinstance(message, ModelResponse))
    calls = [part for part in done.messages[asked_at].parts if isinstance(part, ToolCallPart)]
    kept = {calls[0].tool_call_id: json.dumps(done.outputs[1]).encode()}
    resumed = WebSession.of(done.messages[: asked_at + 1], kept=kept.get)
    assert set(done.outputs[1]["citations"].values()) <= resumed.numbers.keys()
    assert resumed.number_of("https://new.example.com/") == len(resumed.numbers)
    assert address not in WebSession.of(done.messages[: asked_at + 1]).numbers


def test_a_page_that_could_not_be_read_has_no_number() -> None:
    failed = [ModelRequest([ToolReturnPart("fetch", "It cannot be reached.", tool_call_id="1", outcome="failed")])]
    assert WebSession.of(failed).numbers == {}


async def test_a_page_is_read_as_markdown_without_what_stands_around_it(sandbox: SandboxProcess) -> None:
    """# 002-15, 001-19"""
    address = f"{sandbox.url}/web/orchard-almanac/frost-protection"
    output = (await run([("fetch", {"url": address})])).outputs[0]
    assert output["content"].startswith("The Orchard Almanac, 2026-03-18\n\n# Protecting blossom from frost\n")
    assert "| Wind machine | 3 °C | an inversion: warmer air 10 to 15 m above the ground |" in output["content"]
    assert "All pages" not in output["content"]
    assert "More from" not in output["content"]
    assert (output["title"], output["site"]) == ("Protecting blossom from frost", "The Orchard Almanac")
    assert (output["n"], output["url"], output["published"]) == (1, address, "2026-03-18")
    assert (output["truncated"], output["total_chars"]) == (False, len(output["content"]))


async def test_links_of_a_page_lead_somewhere_however_many_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """# 002-15"""
    html = b"<html><body><p><a href='next?n=1'>on</a> <a href='//b.example/x'>off</a></p></body></html>"
    async with site(monkeypatch, {"/a/b": html}) as url:
        output = (await run([("fetch", {"url": f"{url}/a/b"})])).outputs[0]
    assert output["content"] == f"[on]({url}/a/next?n=1) [off](http://b.example/x)"
    began = time.process_time()
    linked = reader._linked("[on](next) " * 1_000_000, "https://a.example/b/")
    assert linked.startswith("[on](https://a.example/b/next) ")
    assert time.process_time() - began < 1, "longer than that nobody else's answer may stand still"


async def test_a_pdf_is_read_by_page(sandbox: SandboxProcess) -> None:
    """# 002-15, 002-16"""
    address = f"{sandbox.url}/web/orchard-almanac/cold-store-handbook.pdf"
    output = (await run([("fetch", {"url": address})])).outputs[0]
    assert "[page 2]" in output["content"]
    assert "delay of thirty minutes" in " ".join(output["content"].split())
    assert (output["kind"], output["title"]) == ("pdf", "cold-store-handbook.pdf")


async def test_a_long_page_is_truncated_with_a_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    """# 002-15"""
    article = "".join(f"<p>Sentence {number} of a very long page about pears.</p>" for number in range(3000))
    html = f"<html><head><title>Long</title></head><body><article>{article}</article></body></html>".encode()
    async with site(monkeypatch, {"/": html}) as url:
        output = (await run([("fetch", {"url": f"{url}/"})])).outputs[0]
    assert MAX_CHARACTERS == 50_000
    assert output["truncated"] is True
    assert output["total_chars"] > 100_000
    text, _, mark = output["content"].rpartition("\n\n")
    assert len(text) == 50_000
    assert mark == f"[Truncated here: these are the first 50,000 of {output['total_chars']:,} characters.]"
    assert mark.strip("[]") in output["note"]


async def test_a_slow_host_fails_after_ten_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """# 002-15"""

    async def drip(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
        while True:
            writer.write(b"<p>wait</p>")
            await writer.drain()
            await asyncio.sleep(0.1)

    loop = asyncio.get_running_loop()
    async with site(monkeypatch, {"/": drip}) as url:
        began = loop.time()
        done = await run([("fetch", {"url": f"{url}/"})])
    assert 9.9 < loop.time() - began < 13
    assert done.tools[0]["state"] == "output-error"
    assert "did not answer within 10 seconds" in done.tools[0]["errorText"]


HOSTILE_PAGES = {
    "/nested": b"<div>" * 20_000 + b"deep", "/empty": b"", "/script": b"<html><script>write('x')</script></html>",
    "/nul": b"<p>a\0b</p>", "/broken": b"<html><body><p>open <b>tags <table><tr><td>and cells &amp; &#0; &bogus;",
    "/section": b"<html><title>Odd</title><![x[ y ]]><body><p>and cells</p></body></html>", "/sections": b"<![" * 2_000,
    "/comment": b"<p>before</p><!--" + b"x" * 200_000, "/attributes": b"<p " + b"a=1 " * 50_000 + b">text</p>",
}  # fmt: skip


@pytest.mark.parametrize("path", sorted(HOSTILE_PAGES))
async def test_a_page_that_is_odd_ends_its_call_and_not_the_answer(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with site(monkeypatch, HOSTILE_PAGES) as url:
        done = await run([("fetch", {"url": url + path})])
    state = done.tools[0]["state"]
    assert state in {"output-available", "output-error"}
    if path in {"/empty", "/script"}:
        assert "no text without a browser" in done.tools[0]["errorText"]
    if path == "/broken":
        assert "and cells" in done.outputs[0]["content"]
    assert "\0" not in json.dumps(done.tools, ensure_ascii=False)


@pytest.mark.parametrize("charset", ["idna", "undefined", "punycode", "rot13"])
async def test_a_server_may_name_any_charset_and_its_page_is_read(
    charset: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some codecs raise whatever they are told, and `punycode` would keep the worker busy for hours. # 002-15"""
    html = b"<html><head><title>Kisten</title></head><body><p>" + b"Kisten - " * 100_000 + b"</p></body></html>"
    async with site(monkeypatch, {"/": html}, f"text/html; charset={charset}") as url, asyncio.timeout(100):
        done = await run([("fetch", {"url": f"{url}/"})])
    assert done.outputs[0]["title"] == "Kisten"
    assert done.outputs[0]["content"].startswith("Kisten - Kisten")


async def test_text_is_read_in_the_charset_that_the_server_names(monkeypatch: pytest.MonkeyPatch) -> None:
    html = "<html><head><title>Größe</title></head><body><p>Größe der Kisten</p></body></html>".encode("iso-8859-2")
    async with site(monkeypatch, {"/": html}, "text/html; charset=ISO-8859-2") as url:
        output = (await run([("fetch", {"url": f"{url}/"})])).outputs[0]
    assert (output["title"], output["content"]) == ("Größe", "Größe der Kisten")


async def test_links_of_a_page_lead_somewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    html = (
        b'<article><p><a href="/a">one</a> <a href="b?c=d">two</a> <a href="https://x.example/">three</a></p></article>'
    )
    async with site(monkeypatch, {"/dir/": html}) as url:
        content = (await run([("fetch", {"url": f"{url}/dir/"})])).outputs[0]["content"]
    assert content == f"[one]({url}/a) [two]({url}/dir/b?c=d) [three](https://x.example/)"


@pytest.mark.parametrize(("address", "words"), [
    ("http://127.0.0.1:1/", "no page|port|private"), ("http://169.254.169.254/latest/meta-data/", "private network"),
    ("http://localhost:6379/", "port 6379"), ("file:///etc/passwd", "not a web address"), ("not an address", "blanks"),
    ("http://[::ffff:127.0.0.1]/", "private network"), ("http://metadata.google.internal/", "local network"),
])  # fmt: skip
async def test_an_address_that_may_not_be_read_ends_the_call_and_not_the_answer(
    address: str, words: str, sandbox: SandboxProcess
) -> None:
    """# 002-15, 002-22"""
    done = await run([("fetch", {"url": address})])
    assert done.tools[0]["state"] == "output-error"
    assert any(word in done.tools[0]["errorText"] for word in words.split("|"))
    assert done.deps.web == WebSession()
    assert done.fold.parts[-1]["text"] == "Done."


async def test_the_sandbox_leads_nobody_on_into_the_private_network(
    sandbox: SandboxProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """# 002-22"""

    async def lead_on(writer: asyncio.StreamWriter) -> None:
        writer.write(f"HTTP/1.1 302 Found\r\nLocation: {sandbox.url}/health\r\nContent-Length: 0\r\n\r\n".encode())
        await writer.drain()

    async with site(monkeypatch, {"/": lead_on}) as url:
        done = await run([("fetch", {"url": f"{url}/"})])
    assert done.tools[0]["state"] == "output-error"
    assert sandbox.requests("/health") == []


@pytest.mark.parametrize("query", ["", "   ", "x" * 401])
async def test_a_query_that_is_no_query_is_refused(query: str, sandbox: SandboxProcess) -> None:
    done = await run([("search", {"query": query})])
    assert "1 to 400 characters" in done.tools[0]["errorText"]
    assert sandbox.requests("/search") == []


async def test_a_search_that_fails_is_told_and_the_answer_goes_on(sandbox: SandboxProcess) -> None:
    """# 002-12"""
    sandbox.fault(path="^/search", status=503, times=1)
    done = await run([("search", {"query": "hail"})])
    assert done.tools[0]["state"] == "output-error"
    assert "problem of its own (HTTP 503)" in done.tools[0]["errorText"]
    assert steps.step_of(done.tools[0], {}).state == "failed"
    assert done.fold.parts[-1]["text"] == "Done."


async def test_in_production_without_a_service_there_is_no_search_and_pages_can_be_read(
    sandbox: SandboxProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """# 002-12, 002-15"""
    assert {"search", "fetch"} <= (await run()).offered
    production = config.current().model_copy(update={"env": "production"})
    monkeypatch.setattr(config, "_current", production)
    offered = (await run()).offered
    assert "search" not in offered
    assert "fetch" in offered
    monkeypatch.setattr(config, "_current", production.model_copy(update={"brave_api_key": "key"}))
    assert "search" in (await run()).offered


async def test_a_run_that_ends_while_it_searches_leaves_no_open_call(sandbox: SandboxProcess) -> None:
    """A preliminary output is no end of a call. # 002-14"""
    done = await run([("search", {"query": "hail"})])
    cut = parts.Fold()
    for chunk in done.chunks:
        cut.apply(chunk)
        if chunk.get("preliminary"):
            break
    closing = parts.close_open_parts(cut, "The answer was stopped.")
    assert [chunk["type"] for chunk in closing] == ["tool-output-error"]
    for chunk in closing:
        cut.apply(chunk)
    assert cut.parts[-1]["state"] == "output-error"
    assert "preliminary" not in cut.parts[-1]
