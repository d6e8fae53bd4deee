"""Requests beside a deletion: each is answered as if it had come before or after it."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from uuid import UUID

import httpx
import pytest

from leaf.services import chats, conversations, projects, shares
from tests.integration.people import end
from tests.integration.web_fixtures import Browser, World

ROUNDS = 12
Asks = Callable[[Browser, str], Sequence[Awaitable[httpx.Response]]]


def _of_chat(ada: Browser, chat: str) -> Sequence[Awaitable[httpx.Response]]:
    at = f"/api/chats/{chat}"
    return (
        ada.post(f"{at}/fork"), ada.get(at), ada.post(f"{at}/share"), ada.delete(at), ada.post(f"{at}/fork"),
        ada.get(f"{at}/export.zip"), ada.get(f"{at}/export.md"), ada.patch(at, json={"title": "Mine"}),
    )  # fmt: skip


def _of_link(ada: Browser, chat: str) -> Sequence[Awaitable[httpx.Response]]:
    at = f"/api/chats/{chat}/share"
    return ada.post(at), ada.delete(at), ada.post(at), ada.delete(at), ada.post(at), ada.delete(at), ada.post(at)


@pytest.mark.parametrize("asks", [_of_chat, _of_link])
async def test_a_chat_and_its_link_are_there_or_missing(world: World, asks: Asks) -> None:
    """# 000-44, 002-03"""
    async with world.browser("ada") as ada:
        actor = await ada.actor()
        for _ in range(ROUNDS):
            chat_id: UUID = await chats.new(actor)
            turn = await conversations.ask(actor, chat_id, "Hello?")
            await end(turn.assistant.run_id)
            answers = await asyncio.gather(*asks(ada, str(chat_id)))
            assert [one for one in answers if one.status_code not in {200, 201, 204, 404}] == []


async def test_the_end_of_a_link_is_set_or_the_link_is_missing(world: World) -> None:
    """# 002-03"""
    async with world.browser("ada") as ada:
        actor = await ada.actor()
        chat_id = await chats.new(actor)
        turn = await conversations.ask(actor, chat_id, "Hello?")
        await end(turn.assistant.run_id)
        for _ in range(ROUNDS):
            share = await shares.share(actor, chat_id)
            both: list[Any] = await asyncio.gather(
                *(shares.set_end(actor, share.id, lasts_days=7) for _ in range(3)),
                shares.revoke(actor, share.id),
                return_exceptions=True,
            )
            assert {type(one).__name__ for one in both} <= {"Share", "NotFound", "NoneType"}


async def test_a_project_is_changed_or_missing(world: World) -> None:
    async with world.browser("ada") as ada:
        actor = await ada.actor()
        for _ in range(ROUNDS):
            at = f"/api/projects/{(await projects.create(actor, 'Plan')).id}"
            change = {"name": "Other"}
            answers = await asyncio.gather(
                *(ada.patch(at, json=change) for _ in range(6)),
                ada.delete(at),
                *(ada.patch(at, json=change) for _ in range(6)),
            )
            assert [one for one in answers if one.status_code not in {200, 204, 404}] == []
