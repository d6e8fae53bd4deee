"""One look for all tabs that show a chat: each sees it, strangers learn nothing, and what is new is never missed."""

import asyncio
from collections.abc import Awaitable
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from leaf import errors
from leaf.db import Actor, models, session, transaction
from leaf.services import chat_reads, chats, conversations
from leaf.services.chats import snapshot
from tests.integration.people import end, person
from tests.integration.web_fixtures import World


class Transactions:
    """The actors that have read a chat, in order."""

    def __init__(self) -> None:
        self.actors: list[Actor] = []
        self.begun = asyncio.Event()

    def begin(self, actor: Actor, *, read_only: bool = False) -> AbstractAsyncContextManager[session.Transaction]:
        self.actors.append(actor)
        self.begun.set()
        return session.transaction(actor, read_only=read_only)


@pytest.fixture
def transactions(monkeypatch: pytest.MonkeyPatch) -> Transactions:
    noted = Transactions()
    monkeypatch.setattr(chat_reads, "transaction", noted.begin)
    return noted


async def _outcome(actor: Actor, chat_id: object) -> object:
    try:
        return await chat_reads.open(actor, chat_id)  # pyright: ignore[reportArgumentType]
    except errors.NotFound as error:
        return type(error)


async def test_tabs_that_ask_together_share_one_transaction(world: World, transactions: Transactions) -> None:
    """A stranger among them gets what a stranger gets, wherever they stand in the row. # 000-40, 000-59"""
    ada, ben = await person("ada"), await person("ben")
    chat_id = await chats.new(ada)
    turn = await conversations.ask(ada, chat_id, "Apples?")
    for row in ([ada, ben, ada, ada], [ben, ada, ben]):
        transactions.actors.clear()
        seen = await asyncio.gather(*(_outcome(actor, chat_id) for actor in row))
        assert [one is errors.NotFound for one in seen] == [actor is ben for actor in row]
        assert len(transactions.actors) <= 2
    chat = await chat_reads.open(ada, chat_id)
    again = await chat_reads.open(ada, chat_id)
    assert again.messages[0] is chat.messages[0], "what has not changed is not read again"
    await end(turn.assistant.run_id)
    assert (await chat_reads.open(ada, chat_id)).messages[-1].status == "completed"


async def test_who_asks_while_a_look_is_under_way_gets_a_newer_one(world: World, transactions: Transactions) -> None:
    """# 000-39"""
    ada = await person("ada")
    chat_id = await chats.new(ada)
    first = asyncio.create_task(chat_reads.open(ada, chat_id))
    await transactions.begun.wait()
    await conversations.ask(ada, chat_id, "Apples?")
    later = await chat_reads.open(ada, chat_id)
    assert len(later.messages) == 2
    await first
    assert len(transactions.actors) == 2


async def test_a_later_look_reads_what_has_changed_and_sees_what_a_first_one_sees(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """# 000-40"""
    monkeypatch.setattr(snapshot, "_LATE", timedelta())
    ada = await person("ada")
    chat_id = await chats.new(ada)
    turns = [await _answered(ada, chat_id, f"Question {number}?") for number in range(4)]
    held = await chat_reads.open(ada, chat_id)
    assert held.outline is not None

    async def differs(change: Awaitable[object]) -> None:
        nonlocal held
        await change
        held, fresh = await chat_reads.open(ada, chat_id), await chats.open(ada, chat_id)
        assert held == fresh
        assert (held.outline, fresh.outline) != (None, None)
        assert held.outline is not None
        assert fresh.outline is not None
        assert vars(held.outline.tree) == vars(fresh.outline.tree)
        assert held.outline.updated == fresh.outline.updated
        assert held.outline.summarised == fresh.outline.summarised

    await differs(_answered(ada, chat_id, "One more?"))
    await differs(chats.choose_branch(ada, turns[0].assistant.id))
    await differs(_summarised(ada, chat_id, turns[1].assistant.id))
    await differs(_touched(ada, turns[0].user.id))
    async with transaction(ada, read_only=True) as tx:
        since = held.outline.latest
        changed = [row.id for row in await tx.call("leaf_tree", chat_id, since)]
        assert changed == [turns[1].assistant.id], "the message that a summary ends with, and no other"
        assert len((await tx.call("leaf_tree", chat_id, None)).all()) == 10


async def _answered(actor: Actor, chat_id: UUID, question: str) -> conversations.Turn:
    turn = await conversations.ask(actor, chat_id, question)
    await end(turn.assistant.run_id)
    return turn


async def _summarised(actor: Actor, chat_id: UUID, message_id: UUID) -> None:
    async with transaction(actor) as tx:
        row = models.ChatSummary(chat_session_id=chat_id, message_id=message_id, user_id=actor.user_id, text="So far.")
        tx.session.add(row)


async def _touched(actor: Actor, message_id: UUID) -> None:
    async with transaction(actor) as tx:
        message = await tx.session.get_one(models.Message, message_id)
        message.details = {**message.details, "note": "later"}


async def test_one_who_goes_away_does_not_end_the_look_of_the_others(world: World) -> None:
    ada = await person("ada")
    chat_id = await chats.new(ada)
    hasty, patient = (asyncio.create_task(chat_reads.open(ada, chat_id)) for _ in range(2))
    await asyncio.sleep(0)
    hasty.cancel()
    assert (await patient).id == chat_id
    with pytest.raises(errors.NotFound):
        await chat_reads.open(ada, uuid4())
    with pytest.raises(errors.Unauthenticated):
        await chat_reads.open(Actor.system(), chat_id)
