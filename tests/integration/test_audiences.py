"""Every audience with every operation on turns: allowed or refused as its row in the table says."""

from collections.abc import Awaitable, Callable
from uuid import UUID, uuid4

import pytest

from leaf import errors
from leaf.callers import audiences
from leaf.callers.audiences import Audience
from leaf.db import Actor
from leaf.db.actor import Guest
from leaf.services import chats, conversations
from leaf.services.sites import visitors
from tests.integration.people import person
from tests.integration.web_fixtures import World
from tests.integration.widget_pages import Site

NOWHERE = UUID(int=1)
"""An id that names no chat, message or run."""

OPERATIONS: dict[audiences.Action, Callable[[Actor, UUID], Awaitable[object]]] = {
    "ask": lambda actor, chat_id: conversations.ask(actor, chat_id, "Why?"),
    "retry": lambda actor, _: conversations.retry(actor, NOWHERE),
    "regenerate": lambda actor, _: conversations.regenerate(actor, NOWHERE),
    "edit": lambda actor, _: conversations.edit(actor, NOWHERE, "Why not?"),
    "continue": lambda actor, _: conversations.proceed(actor, NOWHERE),
    "answer": lambda actor, _: conversations.answer(actor, NOWHERE, "call", {"approved": True}),
    "stop": lambda actor, _: conversations.stop(actor, NOWHERE),
    "queue": lambda actor, _: conversations.rewrite(actor, NOWHERE, "Later?"),
}


async def _somebody(world: World, audience: Audience) -> tuple[Actor, UUID]:
    """An actor of the audience, and a chat of its own; readers of a site have the chat of a visitor."""
    ada = await person("ada")
    if audience is audiences.MEMBER:
        return ada, await chats.new(ada)
    if audience is audiences.GUEST:
        world.change(guests=True)
        guest = Guest(uuid4(), uuid4(), "192.0.2.1")
        return Actor.guest(guest), guest.chat_id
    site = await Site.make(ada)
    keyed = await visitors.agent_of(site.key)
    visitor = await visitors.identify(keyed, visitors.Claims(session_id="a" * 22), begins=True)
    chat_id = await visitors.begin(visitor, {})
    assert ada.user_id is not None
    return (visitor.required() if audience is audiences.SITE_VISITOR else Actor.site_reader(ada.user_id)), chat_id


def test_every_operation_is_in_the_table() -> None:
    """An operation without a row in OPERATIONS would not be tried below."""
    assert {action for audience in audiences.AUDIENCES for action in audience.actions} == OPERATIONS.keys()


@pytest.mark.parametrize("audience", audiences.AUDIENCES, ids=lambda audience: audience.name)
async def test_an_audience_does_what_its_row_allows_and_is_refused_all_else(world: World, audience: Audience) -> None:
    """The refusal is the same everywhere; an allowed operation gets as far as its store. # 000-40"""
    actor, chat_id = await _somebody(world, audience)
    for action, operation in OPERATIONS.items():
        if not audience.may(action):
            with pytest.raises(errors.Forbidden) as refused:
                await operation(actor, chat_id)
            assert refused.value.code == "not_for_audience", action
        elif action == "ask":
            assert isinstance(await operation(actor, chat_id), conversations.Turn)
        else:
            with pytest.raises(errors.NotFound):
                await operation(actor, chat_id)


@pytest.mark.parametrize("audience", audiences.AUDIENCES, ids=lambda audience: audience.name)
async def test_a_message_waits_only_where_the_audience_has_a_queue(world: World, audience: Audience) -> None:
    """A question that comes while an answer is written is refused to all others."""
    if not audience.may("ask"):
        return
    actor, chat_id = await _somebody(world, audience)
    await conversations.ask(actor, chat_id, "Why?")
    if audience.may("queue"):
        waiting = await conversations.ask(actor, chat_id, "And then?", queue=True)
        assert isinstance(waiting, conversations.Queued)
        assert [one.id for one in await conversations.queued(actor, chat_id)] == [waiting.id]
    else:
        with pytest.raises(errors.Conflict):
            await conversations.ask(actor, chat_id, "And then?", queue=True)
        assert await conversations.queued(actor, chat_id) == []


@pytest.mark.parametrize("audience", audiences.AUDIENCES, ids=lambda audience: audience.name)
async def test_a_message_is_as_long_as_the_audience_may_send(world: World, audience: Audience) -> None:
    if not audience.may("ask"):
        return
    actor, chat_id = await _somebody(world, audience)
    with pytest.raises(errors.Invalid):
        await conversations.ask(actor, chat_id, "x" * (audience.message_characters + 1))
    turn = await conversations.ask(actor, chat_id, "x" * audience.message_characters)
    assert turn.assistant.unfinished
