"""The examples do what they say, against a running Leaf."""

import asyncio
import json
import os
import re
import sys
from pathlib import Path

import pytest

from leaf.db import Actor
from leaf.services import api_keys
from tests.acceptance.stack import REPOSITORY
from tests.acceptance.test_aisdk import AISDK
from tests.acceptance.web import Web

QUESTION = '```json\n[{"text": "Forty-two, “quoted”."}]\n```'


@pytest.mark.parametrize("command", [["sh", "examples/session.sh"], [sys.executable, "examples/ask.py"]])
async def test_a_program_asks_and_reads(webs: list[Web], worker: None, ada: Actor, command: list[str]) -> None:
    _, key = await api_keys.create(ada, "Example", ["read", "write"], lasts_days=30)
    process = await asyncio.create_subprocess_exec(
        *command, QUESTION, cwd=REPOSITORY, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "LEAF_URL": webs[0].url, "LEAF_KEY": key},
    )  # fmt: skip
    async with asyncio.timeout(60):
        told, said = await process.communicate()
    assert process.returncode == 0, said.decode()
    if command[0] == "sh":
        chunks = [json.loads(line) for line in told.decode().splitlines() if line.startswith("{")]
        text = "".join(one["delta"] for one in chunks if one["type"] == "text-delta")
        assert (text, chunks[-1]["type"]) == ("Forty-two, “quoted”.", "finish")
        assert "stream: 200" in told.decode()
        assert "## Answer" in told.decode()
    else:
        assert told.decode().strip() == "Forty-two, “quoted”."


def test_the_page_uses_what_the_ai_sdk_has() -> None:
    """It is drawn by nobody here; what it takes from `ai` is there in each of the three versions."""
    page = (REPOSITORY / "examples" / "react" / "Chat.jsx").read_text()
    (names,) = re.findall(r'import \{ (.*?) \} from "ai";', page)
    for generation in ("ai5", "ai6", "ai7"):
        told = (AISDK / "node_modules" / generation / "dist" / "index.d.ts").read_text()
        assert all(re.search(rf"\b{name}\b", told) for name in names.split(", ")), generation


def _documented(name: str) -> str:
    """The code of one file in docs/api.md."""
    document = (REPOSITORY / "docs" / "api.md").read_text()
    (code,) = re.findall(rf"```tsx?\n// {re.escape(name)}\n(.*?)```", document, re.DOTALL)
    return code


@pytest.mark.parametrize("generation", ["ai5", "ai6", "ai7"])
async def test_the_documented_route_handler_carries_a_page(
    webs: list[Web], worker: None, ada: Actor, tmp_path: Path, generation: str
) -> None:
    """The page has no key: its requests go through the handler. # 000-28, 002-01"""
    handler = tmp_path / "route.ts"
    handler.write_text(_documented("app/api/chat/[[...path]]/route.ts"))
    _, key = await api_keys.create(ada, "Page", ["read", "write"], lasts_days=30)
    process = await asyncio.create_subprocess_exec(
        Path(sys.executable).parent / "node", "route.mjs", generation, str(handler),
        cwd=AISDK, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "LEAF_URL": webs[0].url, "LEAF_KEY": key,
             "LEAF_INPUT": json.dumps({"id": f"a page {generation}", "text": QUESTION})},
    )  # fmt: skip
    async with asyncio.timeout(60):
        told, said = await process.communicate()
    assert process.returncode == 0, said.decode()
    seen = json.loads(told)
    assert (seen["text"], seen["status"]) == ("Forty-two, “quoted”.", "ready")
    assert (seen["ended"], seen["stopped"]) == (200, 204), "an answer that has just ended is found, and not stopped"
    assert json.loads(seen["error"])["error"]["field"] == "message"


def test_the_documented_page_uses_what_the_ai_sdk_has() -> None:
    """# 000-28"""
    page = _documented("app/chat.tsx") + _documented("app/page.tsx")
    assert "LEAF_KEY" not in _documented("app/chat.tsx"), "the key stays on the server"
    found = re.findall(r'import (?:type )?\{ (.*?) \} from "ai";', page)
    names = {name.removeprefix("type ") for line in found for name in line.split(", ")}
    assert names == {"DefaultChatTransport", "UIMessage"}
    for generation in ("ai5", "ai6", "ai7"):
        told = (AISDK / "node_modules" / generation / "dist" / "index.d.ts").read_text()
        assert all(re.search(rf"\b{name}\b", told) for name in names), generation


async def test_the_editor_reads_events_however_they_are_cut_and_damaged() -> None:
    """# 004-04, 004-21"""
    node = await asyncio.create_subprocess_exec(
        Path(sys.executable).parent / "node", "--test", "tests/editor/frames.test.mjs", "tests/editor/leaf.test.mjs",
        cwd=REPOSITORY, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    async with asyncio.timeout(60):
        told, _ = await node.communicate()
    assert node.returncode == 0, told.decode()
    assert b"# pass 7" in told or "ℹ pass 7".encode() in told
