"""Quotes of answers are followed: a sandbox whose files change, the feed, the index, and what a chat says of it."""

from typing import Any
from uuid import UUID

from jobs.library import quotes as quotes_job
from leaf.db import Actor
from leaf.services import chats, conversations
from leaf.services.library import quotes
from tests.integration import test_library
from tests.integration.people import end
from tests.integration.test_library import add, change, connected, follow, read_all
from tests.integration.web_fixtures import World

changing_sandbox, sandbox_process = test_library.changing_sandbox, test_library.sandbox_process

RENT = "The rent of the press house is 1,850 euros a month."
NOTICE = "Either side may end the lease with six months’ notice."
LEASE = f"# Lease\n\n{RENT} It is paid on the first day.\n\n{NOTICE} Keys are returned to the office.\n"


def cited(world: World, file_id: str, *words: str) -> list[dict[str, Any]]:
    """The parts of an answer with checked quotes of a file."""
    (revision,) = world.sql("SELECT revision FROM drive_sight WHERE file_id = %s LIMIT 1", file_id)[0]
    data = [
        {
            "n": n, "verified": True, "reason": None, "kind": "drive", "file_id": file_id, "revision": revision,
            "name": "Lease.txt", "url": f"https://drive.google.com/file/d/{file_id}/view", "part": "", "quote": quote,
            "before": "", "after": "", "at": [[0, 0, 10]],
        }
        for n, quote in enumerate(words, 1)
    ]  # fmt: skip
    text = {"type": "text", "text": "The lease says so.", "state": "done"}
    return [text, {"type": "data-citations", "id": "citations", "data": data}]


async def answered(actor: Actor, message_parts: list[dict[str, Any]]) -> tuple[UUID, UUID]:
    """A chat with an answer; the ids of both."""
    chat_id = await chats.new(actor)
    turn = await conversations.ask(actor, chat_id, "What does the lease say?")
    await end(turn.assistant.run_id, parts=message_parts)
    return chat_id, turn.assistant.id


async def check(world: World) -> None:
    """Has a worker read the feeds, the texts, and look for the quotes that are due."""
    await follow(world)
    await read_all()
    while await quotes_job.check_due():
        pass


async def states(actor: Actor, message_id: UUID) -> list[str]:
    return [one.state for one in (await quotes.followed(actor, [message_id])).get(message_id, [])]


async def test_an_edit_marks_the_quote_that_it_has_changed_and_no_other(world: World) -> None:
    """The other one still stands, and is not marked."""
    async with connected(world) as (_, ada):
        file_id = add(world, "ada:/Lease.txt", LEASE)
        await check(world)
        _, message_id = await answered(ada, cited(world, file_id, RENT, NOTICE))
        assert await states(ada, message_id) == ["stands", "stands"]
        assert not await quotes_job.check_due(), "an unchanged Drive is no work"
        change(world, file_id, content=LEASE.replace("1,850", "1,990"))
        await check(world)
        assert await states(ada, message_id) == ["changed", "stands"]
