"""Uploads are read by the agent's tools, and a process that dies while reading one leaves nothing on the disk."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import psutil
import pytest

from leaf.db import Actor
from leaf.documents import isolation
from leaf.google import oauth
from leaf.services import accounts, chats
from leaf.services.files import ChatFiles
from tests.acceptance.conftest import Ask
from tests.acceptance.readers import reading
from tests.acceptance.stack import Stack, start_process, until
from tests.acceptance.workers import Crew, lapse
from tests.browser.product import free_port
from tests.uploads import pdf, slow_document

_WEB = """
import sys, uvicorn
from leaf import api, config
config.load()
uvicorn.run(api.application(pages_port=None), host="127.0.0.1", port=int(sys.argv[1]))
"""


async def test_a_pdf_of_400_pages_is_read_to_its_end(crew: Crew, ada: Actor, ask: Ask) -> None:
    """It can be read by page, by line and by search; and it cannot be changed. # 001-04, 001-06, 001-08, 001-26"""
    await crew.of(1)
    files = ChatFiles(ada, await chats.new(ada))
    try:
        await files.upload("report.pdf", pdf([f"This is page {n}.\n" + "Filler text. " * 120 for n in range(1, 401)]))
    finally:
        isolation.close()
    calls = (
        ("list_files", {}), ("read_file", {"path": "report.pdf", "part": "page 400"}),
        ("grep", {"pattern": r"page 39\d\."}), ("edit_file", {"path": "report.pdf", "old": "page 1", "new": "x"}),
        ("read_file", {"path": "report.pdf", "part": "page 401"}), ("read_file", {"path": "report.pdf"}),
    )  # fmt: skip
    script = [{"text": "", "calls": [{"name": name, "arguments": given} for name, given in calls]}, {"text": "Done."}]
    question = f"```json\n{json.dumps(script)}\n```"
    turn = await ask(ada, question, chat_id=files.chat_id, model="sandbox:sandbox-script")
    async with reading(ada, turn.assistant.run_id) as reader:
        stored = await reader.end()
    tools: list[Any] = [part for part in stored.parts if part["type"].startswith("tool-")]
    listed, last, found, edited, beyond, begun = (part.get("output") or part.get("errorText") for part in tools)
    assert (listed["files"][0]["kind"], listed["files"][0]["read_only"]) == ("pdf", True)
    assert last["text"].startswith("[page 400]\nThis is page 400.")
    assert (last["part"], last["last_line"]) == ("page 400", last["total_lines"])
    assert [(hit["part"], hit["text"]) for hit in found["hits"]] == [
        (f"page {n}", f"This is page {n}.") for n in range(390, 400)
    ]
    assert "read only" in edited
    assert "has no part 'page 401'. It has: pages 1-400." in beyond
    assert (begun["whole"], begun["parts"], begun["part"].startswith("pages 1-")) == (False, ["pages 1-400"], True)


async def test_a_web_process_that_is_killed_over_an_upload_leaves_nothing(stack: Stack, tmp_path: Path) -> None:
    """Neither a file, nor a row, nor the process that was reading. # 001-10"""
    port, temporary = free_port(), tmp_path / "temporary"
    temporary.mkdir()
    who = oauth.Identity(uuid4().hex, "kim@example.org", "Kim Example", "Kim", None)
    cookie = f"{accounts.cookie_name()}={await accounts.sign_in('google', who, user_agent='test')}"
    session = await accounts.session(cookie)
    assert session is not None
    chat_id = await chats.new(session.actor)
    environment = {**stack.environment(), "TMPDIR": str(temporary)}
    web = start_process([sys.executable, "-c", _WEB, str(port)], tmp_path / "web.log", environment)
    address = f"http://127.0.0.1:{port}"
    async with httpx.AsyncClient(base_url=address, trust_env=False, timeout=60, headers={"cookie": cookie}) as http:
        await until(lambda: _answers(address), seconds=30, what="the web process answers")
        sent = asyncio.create_task(
            http.post(f"/api/chats/{chat_id}/files", files={"file": ("slow.docx", slow_document())})
        )
        parser = await until(lambda: _reading(web.pid), seconds=30, what="the upload is being read")
        web.kill()
        web.wait()
        with pytest.raises(httpx.TransportError):
            await sent
    await until(lambda: not psutil.pid_exists(parser.pid), seconds=15, what="the parser has ended")
    assert list(temporary.iterdir()) == []
    assert await ChatFiles(session.actor, chat_id).listed() == []


def _answers(address: str) -> bool:
    try:
        return httpx.get(f"{address}/api/health", trust_env=False).is_success
    except httpx.TransportError:
        return False


def _reading(pid: int) -> psutil.Process | None:
    """The process that parses for another one, once it is busy."""
    for child in psutil.Process(pid).children(recursive=True):
        if "leaf.documents.isolation.child" in child.cmdline() and child.cpu_times().user > 1:
            return child
    return None


async def test_a_worker_that_is_killed_leaves_no_temporary_files(
    crew: Crew, stack: Stack, ada: Actor, ask: Ask, tmp_path: Path
) -> None:
    """It dies between two tool calls; another one goes on. # 001-10"""
    await crew.of(1)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    log = tmp_path / "worker.log"
    environment = {**stack.environment(), "TMPDIR": str(temporary)}
    chat_id = await chats.new(ada)
    script = [
        {"text": "", "calls": [{"name": "write_file", "arguments": {"path": "a.md", "content": "x"}}]},
        {"text": "This is said slowly. " * 60},
    ]
    with crew.away():
        worker = start_process([sys.executable, "-m", "arq", "jobs.worker.WorkerSettings"], log, environment)
        await until(lambda: "worker ready" in log.read_text(), seconds=60, what="the worker is ready")
        question = f"```json\n{json.dumps(script)}\n```"
        turn = await ask(ada, question, chat_id=chat_id, model="sandbox:sandbox-script-20")
        async with reading(ada, turn.assistant.run_id) as reader:
            await reader.until(lambda reader: len(reader.tools()) == 1 and reader.words > 5)
            worker.kill()
            worker.wait()
            await lapse(turn.assistant.run_id)
    assert list(temporary.iterdir()) == []
    async with reading(ada, turn.assistant.run_id) as reader:
        assert (await reader.end()).status == "completed"
    assert [one.action for one in await ChatFiles(ada, chat_id).history("a.md")] == ["write"]
