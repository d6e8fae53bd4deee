"""A site for tests: its agent and key, pages of it that call the widget API, and who answers there."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx
import jwt

from leaf import streams
from leaf.db import Actor
from leaf.db.models import MessageStatus, utc_now
from leaf.parts import Chunk
from leaf.services import conversations, sites
from tests.integration.people import end
from tests.integration.web_fixtures import Browser

SHOP = "https://shop.example"


@dataclass(frozen=True)
class Site:
    """A site with one agent, which pages of one origin may use."""

    member: Actor
    site_id: UUID
    agent_id: UUID
    key: str
    key_id: UUID
    secret: str
    secret_id: UUID
    origin: str

    @classmethod
    async def make(cls, member: Actor, name: str = "Shop", origin: str = SHOP, **settings: Any) -> "Site":
        site_id = await sites.create(member, name)
        agent_id = await sites.create_agent(member, site_id, f"{name} help")
        await sites.change_agent(member, agent_id, {"origins": [origin], **settings})
        key = await sites.create_key(member, agent_id, "Pages")
        row, secret = await sites.rotate_secret(member, site_id, overlap_hours=0)
        return cls(member, site_id, agent_id, key.key, key.id, secret, row.id, origin)

    @asynccontextmanager
    async def page(
        self, *, session: str | None = None, user: str = "", token: str = "", **headers: str
    ) -> AsyncIterator[Browser]:
        """A page of the site, in a browser of its own where no session is named."""
        said = {"authorization": f"Bearer {self.key}", "origin": self.origin}
        said["x-leaf-session"] = uuid4().hex if session is None else session
        said |= {"x-leaf-user": user} if user else {}
        said |= {"x-leaf-user-token": token} if token else {}
        said |= {name.replace("_", "-"): value for name, value in headers.items()}
        async with Browser(headers={name: value for name, value in said.items() if value}) as http:
            yield http

    def token(self, user: str, *, seconds: float = 300, secret: str = "", **claims: Any) -> str:
        """The token that the site's server signs for a user."""
        said = {"userId": user, "exp": utc_now() + timedelta(seconds=seconds), **claims}
        return jwt.encode({name: one for name, one in said.items() if one is not None}, secret or self.secret, "HS256")


async def begun(page: httpx.AsyncClient, **body: Any) -> str:
    """A new chat's id."""
    made = await page.post("/api/chats", json=body)
    assert made.status_code == 201, made.text
    return made.json()["id"]


async def asked(page: httpx.AsyncClient, chat: str, content: str = "Where is my parcel?") -> list[dict[str, Any]]:
    """The frames of an answer, read to their end."""
    answer = await page.post(f"/api/chats/{chat}/messages", json={"content": content})
    assert answer.status_code == 200, answer.text
    return frames_of(answer.text)


def frames_of(body: str) -> list[dict[str, Any]]:
    """The frames of a stream of events, each with its id and type as the event says them."""
    found: list[dict[str, Any]] = []
    for event in filter(None, body.split("\n\n")):
        fields = dict(line.split(": ", 1) for line in event.splitlines() if not line.startswith(":"))
        if fields:
            frame = json.loads(fields["data"])
            assert (fields["id"], fields["event"]) == (str(frame["id"]), frame["type"])
            found.append(frame)
    return found


def refusal(answer: httpx.Response) -> tuple[int, str]:
    """The status and code of a refusal."""
    return answer.status_code, answer.json()["error"]["code"]


def chunks_of(text: str, message_id: object = "m") -> list[Chunk]:
    """The chunks of a run with a text, without the last one."""
    halves = text[: len(text) // 2], text[len(text) // 2 :]
    return [
        {"type": "start", "messageId": str(message_id)},
        {"type": "start-step"},
        {"type": "text-start", "id": "1"},
        *({"type": "text-delta", "id": "1", "delta": half} for half in halves),
        {"type": "text-end", "id": "1"},
        {"type": "finish-step"},
    ]


Made = Callable[[UUID], tuple[list[Chunk], list[dict[str, Any]]]]


@asynccontextmanager
async def answering(text: str = "On its way.", made: Made | None = None, **outcome: Any) -> AsyncIterator[list[UUID]]:
    """Writes all waiting answers, as a worker would.

    Args:
        text: The answer.
        made: From the message's id to the chunks and the parts of another answer.
        outcome: How it ends.
    """
    answered: list[UUID] = []
    status = outcome.pop("status", MessageStatus.COMPLETED)

    async def work() -> None:
        while True:
            for run_id in await conversations.unfinished(timedelta(0)):
                task = await conversations.assignment(run_id)
                if task is None or run_id in answered:
                    continue
                answered.append(run_id)
                chunks, parts = made(task.message_id) if made else (chunks_of(text, task.message_id), said(text))
                writer = streams.Writer(run_id, "worker")
                await writer.append(chunks)
                await end(run_id, status, parts=parts, **outcome)
                await writer.finish([{"type": "finish", "finishReason": "stop"}])
            await asyncio.sleep(0.02)

    task = asyncio.create_task(work())
    try:
        yield answered
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def said(text: str) -> list[dict[str, Any]]:
    """The parts of an answer of text alone."""
    return [{"type": "step-start"}, {"type": "text", "text": text, "state": "done"}]
