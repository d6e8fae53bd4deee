"""Questions that are answered from the web, over HTTP, through workers that may die: a number means one page."""

import json
import re
from typing import Any

from leaf import parts
from leaf.db import Actor
from leaf.services import conversations
from tests.acceptance.conftest import Ask
from tests.acceptance.readers import reading
from tests.acceptance.stack import Sandbox
from tests.acceptance.workers import Crew

QUESTION = "What does the internet say about how strong updrafts must be for hail of 5 cm?"


def _script(*steps: Any) -> str:
    return f"```json\n{json.dumps(steps)}\n```"


def _search(query: str) -> dict[str, Any]:
    return {"text": "Searching. ", "calls": [{"name": "search", "arguments": {"query": query, "max_results": 3}}]}


def _numbers(tools: list[parts.Part]) -> dict[int, set[str]]:
    """The pages of each number in all results."""
    found: dict[int, set[str]] = {}
    for part in tools:
        for result in part["output"]["results"]:
            found.setdefault(result["n"], set()).add(result["url"])
    return found


async def test_a_question_is_answered_by_search_and_fetch_with_numbered_links(
    worker: None, ada: Actor, ask: Ask, sandbox: Sandbox
) -> None:
    """# 001-19, 002-12, 002-14, 002-15"""
    turn = await ask(ada, QUESTION)
    async with reading(ada, turn.assistant.run_id) as reader:
        stored = await reader.end()
    assert stored.status == "completed"
    tools = [part for part in stored.parts if parts.is_tool(part)]
    assert [parts.tool_name(part) for part in tools] == ["search", "fetch"]
    results = tools[0]["output"]["results"]
    page = f"{sandbox.url}/web/weather-book/how-hail-forms"
    assert (tools[1]["output"]["n"], tools[1]["output"]["url"]) == (1, page)
    text = reader.text
    assert "one of 5 cm more than 100 km/h" in text
    cited = {int(number): url for number, url in re.findall(r"\[(\d+)\]\(([^)]+)\)", text)}
    assert cited[1] == page
    assert cited.items() <= {result["n"]: result["url"] for result in results}.items()
    assert "sandbox's own small web" in text
    preliminary = [chunk["output"]["state"] for chunk in reader.chunks if chunk.get("preliminary")]
    assert preliminary == ["searching", "fetching"]


async def test_a_worker_that_dies_while_it_searches_leaves_the_numbers_right(
    crew: Crew, ada: Actor, ask: Ask, sandbox: Sandbox
) -> None:
    """# 002-14"""
    await crew.of(2)
    second = _search("ring road closed")
    second["calls"] += _search("bicycle tyre pressure")["calls"]
    script = _script(_search("hail"), second, _search("hail nets ring road"), {"text": "Done."})
    sandbox.fault("^/search.*bicycle", None, delay_seconds=60)
    turn = await ask(ada, script, model="sandbox:sandbox-script")
    async with reading(ada, turn.assistant.run_id) as reader:
        await reader.until(
            lambda reader: [
                (bool(part.get("preliminary")), part["output"]["query"]) for part in reader.tools() if "output" in part
            ] == [(False, "hail"), (False, "ring road closed"), (True, "bicycle tyre pressure")]
        )  # fmt: skip
        await crew.lose_writer_of(turn.assistant.run_id)
        stored = await reader.end()
    assert stored.status == "completed"
    tools = [part for part in stored.parts if parts.is_tool(part)]
    assert [part["output"]["query"] for part in tools] == [
        "hail", "ring road closed", "bicycle tyre pressure", "hail nets ring road",
    ]  # fmt: skip
    assert all("preliminary" not in part for part in tools)
    numbers = _numbers(tools)
    pages = {url for urls in numbers.values() for url in urls}
    assert all(len(urls) == 1 for urls in numbers.values())
    assert sorted(numbers) == list(range(1, len(pages) + 1))


async def test_a_search_that_is_stopped_is_no_longer_under_way(
    worker: None, ada: Actor, ask: Ask, sandbox: Sandbox
) -> None:
    """# 002-14"""
    sandbox.fault("^/search", None, delay_seconds=60)
    turn = await ask(ada, QUESTION)
    run_id = turn.assistant.run_id
    assert run_id is not None
    async with reading(ada, run_id) as reader:
        await reader.until(lambda reader: any(part.get("preliminary") for part in reader.tools()))
        await conversations.stop(ada, run_id)
        stored = await reader.end()
    assert stored.status == "stopped"
    tools = [part for part in stored.parts if parts.is_tool(part)]
    assert [(part["state"], "preliminary" in part) for part in tools] == [("output-error", False)]
