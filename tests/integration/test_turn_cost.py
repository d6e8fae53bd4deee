"""The exchange with the database from a question until the model has its request: it is counted, and may not grow."""

import asyncio
import json
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any
from urllib.parse import quote
from uuid import UUID, uuid4

import pytest

from jobs import respond
from leaf import api, streams
from leaf.agent import models as agent_models
from leaf.db import Actor, models, session, transaction
from leaf.db.models import MessageRole, MessageStatus
from leaf.services import accounts, api_keys, chats, conversations, readers
from tests import scratch
from tests.bench.provider import Provider
from tests.integration.redis_fixtures import until
from tests.integration.web_fixtures import World
from tests.postgres import PostgresServer
from tests.wire import Traffic, Wire

WARM = 4
"""So many questions teach each statement to a connection."""
LENGTHS = (0, 300)
"""Messages of the chats in which is asked."""


class Counted:
    """The exchange of this process with the database, and what there was of it when the model had its last request."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self.at_request = Traffic()

    @property
    def now(self) -> Traffic:
        return self._wire.of(os.getpid())

    def note(self) -> None:
        self.at_request = self.now


@pytest.fixture
async def counted(world: World, postgres: PostgresServer) -> AsyncIterator[Counted]:
    folder = scratch.folder("leaf-wire-")
    async with Wire(postgres.socket, folder) as wire:
        found = Counted(wire)
        provider = await asyncio.start_server(Provider(found.note).serve, "127.0.0.1", 0)
        port = provider.sockets[0].getsockname()[1]
        own, ours = quote(str(postgres.socket_folder)), quote(str(folder))
        world.change(
            database_url=str(world.settings.database_url).replace(own, ours),
            model="openai-chat:paced-5-0",
            openai_api_key="sk-test",
            openai_base_url=f"http://127.0.0.1:{port}/v1",
        )
        yield found
        await agent_models.close()
        await session.dispose()
        provider.close()
    shutil.rmtree(folder)


async def _chat_of(actor: Actor, count: int) -> UUID:
    """A chat with so many messages."""
    chat_id, before = (await chats.begin(actor))[0], None
    async with transaction(actor) as tx:
        for number in range(count // 2):
            said = [{"type": "text", "text": f"Answer {number}."}]
            asked = models.Message(
                chat_session_id=chat_id, parent_id=before, role=MessageRole.USER, user_id=actor.user_id,
                parts=[{"type": "text", "text": f"Question {number}?"}],
            )  # fmt: skip
            answer = models.Message(
                chat_session_id=chat_id, parent_id=asked.id, role=MessageRole.ASSISTANT, user_id=actor.user_id,
                workflow_run_id=uuid4(), status=MessageStatus.COMPLETED, parts=said, model="openai-chat:paced-5-0",
                model_messages=[
                    {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": f"Question {number}?"}]},
                    {"kind": "response", "parts": [{"part_kind": "text", "content": said[0]["text"]}]},
                ],
            )  # fmt: skip
            tx.session.add_all([asked, answer])
            before = answer.id
    return chat_id


async def _written(counted: Counted, run_id: UUID) -> Traffic:
    """The exchange of a worker until the model has the request of a run."""
    before = counted.now
    await respond.respond({}, str(run_id), 1)
    return counted.at_request - before


async def _over_api(counted: Counted, key: str, chat: UUID | None) -> tuple[Traffic, Traffic]:
    """The exchanges of a question over the API until its stream waits for the answer, and of the worker."""
    body = json.dumps({"message": "What was found?", **({"chatId": str(chat)} if chat else {})}).encode()
    sent: list[Any] = []
    headers = [(b"authorization", b"Bearer " + key.encode()), (b"content-type", b"application/json")]
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "path": "/api/chat",
        "raw_path": b"/api/chat", "root_path": "", "scheme": "http", "query_string": b"", "headers": headers,
        "client": ("127.0.0.1", 1), "server": ("localhost", 80), "state": {},
    }  # fmt: skip
    asked = asyncio.Event()

    async def receive() -> dict[str, Any]:
        if asked.is_set():
            await asyncio.Event().wait()
        asked.set()
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    before = counted.now
    answering = asyncio.create_task(api.application(pages_port=None)(scope, receive, send))
    await until(lambda: streams.followers() == 1)
    web = counted.now - before
    started = dict(sent[0]["headers"])
    worker = await _written(counted, UUID(started[b"x-workflow-run-id"].decode()))
    await answering
    return web, worker


async def _on_page(counted: Counted, cookie: str, chat_id: UUID) -> tuple[Traffic, Traffic]:
    """The exchanges of a question on a page until the answer is followed, and of the worker."""
    before = counted.now
    who = await accounts.session(cookie)
    assert who is not None
    turn = await conversations.ask(who.actor, chat_id, "What was found?", queue=True, question_id=uuid4())
    assert isinstance(turn, conversations.Turn)
    assert turn.assistant.run_id is not None
    reader = readers.member(who.actor, readers.session_proof(who, cookie))
    async with aclosing(streams.follow(turn.assistant.run_id, reader)) as events:
        following = asyncio.create_task(anext(events))
        await until(lambda: streams.followers() == 1)
        web = counted.now - before
        worker = await _written(counted, turn.assistant.run_id)
        await following
    return web, worker


async def test_a_question_over_the_api_costs_so_much(world: World, counted: Counted) -> None:
    """At any length of the chat. # 001-27"""
    async with world.browser("ada") as browser:
        actor = await browser.actor()
    _, key = await api_keys.create(actor, "Program", api_keys.SCOPES, lasts_days=30)
    for _ in range(WARM):
        await _over_api(counted, key, None)
    assert await _over_api(counted, key, None) == (Traffic(15, 3), Traffic(7, 1)), "a new chat"
    found: dict[int, tuple[Traffic, Traffic]] = {}
    for length in LENGTHS:
        chat_id = await _chat_of(actor, length)
        for _ in range(WARM):
            await _over_api(counted, key, chat_id)
        found[length] = await _over_api(counted, key, chat_id)
    assert found == dict.fromkeys(LENGTHS, (Traffic(13, 3), Traffic(7, 1)))


async def test_a_question_on_a_page_costs_so_much(world: World, counted: Counted) -> None:
    """At any length of the chat. # 001-27"""
    async with world.browser("ada") as browser:
        actor, cookie = await browser.actor(), browser.cookie_header
    found: dict[int, tuple[Traffic, Traffic]] = {}
    for length in LENGTHS:
        chat_id = await _chat_of(actor, length)
        for _ in range(WARM):
            await _on_page(counted, cookie, chat_id)
        found[length] = await _on_page(counted, cookie, chat_id)
    assert found == dict.fromkeys(LENGTHS, (Traffic(14, 3), Traffic(7, 1)))
