"""Several people in one chat: who may come in, what each may do, and what ends when somebody goes. # 000-67"""

import asyncio
from functools import partial
from uuid import UUID, uuid4

import pytest

from leaf import errors, streams
from leaf.api import callers, stream, ui_chunks
from leaf.db import Actor, transaction
from leaf.db.models import MessageStatus
from leaf.redis import events
from leaf.services import (
    chat_reads,
    chats,
    conversations,
    drive,
    integrations,
    participants,
    passages,
    preferences,
    usage,
)
from tests.integration.people import end, person
from tests.integration.redis_fixtures import until
from tests.integration.web_fixtures import World


async def _together(ada: Actor, ben: Actor) -> UUID:
    """A chat of ada's with one answer, in which ben takes part."""
    chat_id = await chats.new(ada)
    turn = await conversations.ask(ada, chat_id, "Apples?")
    await end(turn.assistant.run_id)
    await participants.invite(ada, chat_id, "ben@example.org")
    (invitation,) = await participants.invitations(ben)
    assert await participants.accept(ben, invitation.id) == chat_id
    return chat_id


async def test_who_is_invited_finds_it_and_comes_in(world: World) -> None:
    """Capitals in an address do not count; an invitation serves once. # 000-67"""
    ada, ben, eve = await person("ada"), await person("ben"), await person("eve")
    chat_id = await chats.new(ada)
    turn = await conversations.ask(ada, chat_id, "Apples?")
    await end(turn.assistant.run_id)
    assert await participants.invite(ada, chat_id, " BEN@Example.org ") == "ben@example.org"
    await participants.invite(ada, chat_id, "ben@example.org")
    (invitation,) = await participants.invitations(ben)
    assert (invitation.title, invitation.invited_by) == ("Apples?", "Ada Example")
    assert await participants.invitations(eve) == []
    assert await participants.invitations(ada) == []
    for stranger in (eve, ada):
        with pytest.raises(errors.NotFound):
            await participants.accept(stranger, invitation.id)
    with pytest.raises(errors.NotFound):
        await chats.open(ben, chat_id)
    assert await participants.accept(ben, invitation.id) == chat_id
    people, pending = await participants.listed(ben, chat_id)
    assert [(one.name, one.creator) for one in people] == [("Ada Example", True), ("Ben Example", False)]
    assert pending == []
    assert (await chats.open(ben, chat_id)).title == "Apples?"
    assert [row.id for row in (await chats.page(ben, chats.Shelf.CHATS)).rows] == [chat_id]
    with pytest.raises(errors.NotFound):
        await participants.accept(ben, invitation.id)


async def test_nobody_learns_whether_somebody_is_here(world: World) -> None:
    """One who is and one who is not, one who declines and one who does nothing, look the same to who invites."""
    ada, ben = await person("ada"), await person("ben")
    chat_id = await chats.new(ada)
    for address in ("ben@example.org", "nobody@example.org"):
        assert await participants.invite(ada, chat_id, address) == address
    before = await participants.listed(ada, chat_id)
    (invitation,) = await participants.invitations(ben)
    await participants.decline(ben, invitation.id)
    assert await participants.invitations(ben) == []
    with pytest.raises(errors.NotFound):
        await participants.accept(ben, invitation.id)
    await participants.invite(ada, chat_id, "ben@example.org")
    assert await participants.invitations(ben) == [], "one who has declined is not asked again and again"
    assert await participants.listed(ada, chat_id) == before
    assert [one.email for one in before[1]] == ["ben@example.org", "nobody@example.org"]
    await participants.withdraw(ada, before[1][0].id)
    with pytest.raises(errors.NotFound):
        await participants.withdraw(ada, before[1][0].id)
    await participants.invite(ada, chat_id, "ben@example.org")
    assert len(await participants.invitations(ben)) == 1


@pytest.mark.parametrize(
    "email", ["", "ben", "ben@", "@x", "a b@example.org", "a@b@c", "a@x,b@y", "a\n@x", "x" * 70 + "@x"]
)
async def test_what_is_no_address_invites_nobody(world: World, email: str) -> None:
    ada = await person("ada")
    chat_id = await chats.new(ada)
    with pytest.raises(errors.Invalid):
        await participants.invite(ada, chat_id, email)
    with pytest.raises(errors.Invalid):
        await participants.invite(ada, chat_id, "Ada@example.org")


async def test_only_who_began_a_chat_invites_removes_and_deletes(world: World) -> None:
    ada, ben, eve = await person("ada"), await person("ben"), await person("eve")
    chat_id = await _together(ada, ben)
    assert ada.user_id
    assert ben.user_id
    for refused in (
        participants.invite(ben, chat_id, "eve@example.org"),
        participants.remove(ben, chat_id, ada.user_id),
        participants.remove(ada, chat_id, ada.user_id),
        chats.delete(ben, chat_id),
    ):
        with pytest.raises(errors.Forbidden):
            await refused
    for refused in (participants.remove(eve, chat_id, ben.user_id), participants.remove(ada, chat_id, uuid4())):
        with pytest.raises(errors.NotFound):
            await refused
    await participants.remove(ben, chat_id, ben.user_id)
    with pytest.raises(errors.NotFound):
        await chats.open(ben, chat_id)
    assert [one.user_id for one in (await participants.listed(ada, chat_id))[0]] == [ada.user_id]


async def test_of_several_chats_those_that_others_began_stay(world: World) -> None:
    """Also what is being written in them goes on; who deletes is told. # 000-44, 000-67"""
    ada, ben = await person("ada"), await person("ben")
    hers, his = await _together(ada, ben), await chats.new(ben)
    await end((await conversations.ask(ben, his, "Mine?")).assistant.run_id)
    going_on = (await conversations.ask(ada, hers, "Pears?")).assistant.run_id
    assert going_on
    with pytest.raises(errors.Forbidden, match="leave it instead"):
        await chats.delete(ben, hers)
    assert await chats.delete(ben, his, hers, uuid4()) == chats.Deletion([his], 1)
    assert not await streams.stop_requested(going_on)
    assert await conversations.assignment(going_on) is not None
    assert [row.id for row in (await chats.page(ben, chats.Shelf.CHATS)).rows] == [hers]
    assert await chats.restore(ben, [his, hers]) == [his]


async def test_the_lists_of_all_are_told_what_one_does(world: World) -> None:
    """A new name, an answer that begins, and one that has ended."""
    ada, ben = await person("ada"), await person("ben")
    chat_id = await _together(ada, ben)
    assert ben.user_id
    async with events.subscribe([events.user(ben.user_id)]) as told:
        await chats.rename(ada, chat_id, "Orchard")
        assert await told.changed(within_seconds=10)
    async with events.subscribe([events.chats_of(ben.user_id)]) as told:
        turn = await conversations.ask(ada, chat_id, "Pears?")
        assert await told.changed(within_seconds=10)
    assert [row.running for row in (await chats.page(ben, chats.Shelf.CHATS)).rows] == [True]
    assert turn.assistant.run_id
    task = await conversations.assignment(turn.assistant.run_id)
    assert task is not None
    await end(turn.assistant.run_id)
    async with events.subscribe([events.chats_of(ben.user_id)]) as told:
        await conversations.announce(task)
        assert await told.changed(within_seconds=10)


async def test_nobody_is_invited_into_a_chat_that_was_deleted(world: World) -> None:
    """The invitation is there again when that is taken back. # 000-44, 000-67"""
    ada, ben = await person("ada"), await person("ben")
    chat_id = await chats.new(ada)
    await end((await conversations.ask(ada, chat_id, "Apples?")).assistant.run_id)
    await participants.invite(ada, chat_id, "ben@example.org")
    (invitation,) = await participants.invitations(ben)
    await chats.delete(ada, chat_id)
    assert await participants.invitations(ben) == []
    with pytest.raises(errors.NotFound):
        await participants.accept(ben, invitation.id)
    await chats.restore(ada, [chat_id])
    assert await participants.accept(ben, invitation.id) == chat_id


async def test_others_see_the_name_that_somebody_has_chosen(world: World) -> None:
    """In the chat, among its people and in invitations."""
    ada, ben = await person("ada"), await person("ben")
    chat_id = await _together(ada, ben)
    await preferences.rename(ada, "Countess")
    assert [one.name for one in (await participants.listed(ben, chat_id))[0]] == ["Countess", "Ben Example"]
    assert [*(await chats.open(ben, chat_id)).people.values()] == ["Countess", "Ben Example"]
    other = await chats.new(ada)
    await participants.invite(ada, other, "ben@example.org")
    assert [one.invited_by for one in await participants.invitations(ben)] == ["Countess"]


async def test_each_asks_in_their_own_name_and_workspace(world: World) -> None:
    """A run of ben's in ada's chat acts as ben, where his own Drive is, and is entered as his. # 000-61, 000-67"""
    async with world.browser("ada") as hers, world.browser("ben") as his:
        await hers.connect("ada")
        await his.connect("ben")
        ada, ben = await hers.actor(), await his.actor()
        chat_id = await chats.new(ada)
        await end((await conversations.ask(ada, chat_id, "Apples?")).assistant.run_id)
        world.sql("INSERT INTO chat_participants (chat_session_id, user_id) VALUES (%s, %s)", chat_id, ben.user_id)
        turn = await conversations.ask(ben, chat_id, "Pears?")
        assert turn.assistant.run_id
        task = await conversations.assignment(turn.assistant.run_id)
        assert task is not None
        assert (task.actor.user_id, task.actor.workspace_id) == (ben.user_id, ben.workspace_id)
        own = await integrations.UserDrive(task.actor).credentials()
        assert own.access_token == (await integrations.UserDrive(ben).credentials()).access_token
        assert own.access_token != (await integrations.UserDrive(ada).credentials()).access_token
        names = [entry.name for entry in (await drive.folder(task.actor, "root")).files]
        assert names == [entry.name for entry in (await drive.folder(ben, "root")).files]
        await end(turn.assistant.run_id, input_tokens=5)
        entered = world.sql("SELECT user_id, workspace_id FROM usage_entries WHERE run_id = %s", turn.assistant.run_id)
        assert entered == [(ben.user_id, ben.workspace_id)]
        entry = usage.Entry(turn.assistant.run_id, "related", "sandbox:sandbox", input_tokens=7)
        assert await usage.record(task.actor, entry, chat_id=chat_id, message_id=turn.assistant.id)
        query = "SELECT user_id, workspace_id, chat_session_id FROM usage_entries WHERE purpose = 'related'"
        assert world.sql(query) == [(ben.user_id, ben.workspace_id, chat_id)]


async def test_in_company_leaf_asks_first_whatever_was_chosen(world: World) -> None:
    """One who turned the questions off did so for themselves."""
    ada, ben = await person("ada"), await person("ben")
    chat_id = await _together(ada, ben)
    await chats.set_approvals(ada, chat_id, False)
    for asker in (ben, ada):
        turn = await conversations.ask(asker, chat_id, "Pears?")
        assert turn.assistant.run_id
        task = await conversations.assignment(turn.assistant.run_id)
        assert task is not None
        assert task.approvals
        await end(turn.assistant.run_id)
    assert ben.user_id
    await participants.remove(ada, chat_id, ben.user_id)
    turn = await conversations.ask(ada, chat_id, "Alone?")
    assert turn.assistant.run_id
    task = await conversations.assignment(turn.assistant.run_id)
    assert task is not None
    assert not task.approvals


async def test_what_is_anothers_to_decide_stays_theirs(world: World) -> None:
    """An answer is written again for its asker alone, and a question of Leaf's waits for whom it was asked."""
    ada, ben = await person("ada"), await person("ben")
    chat_id = await _together(ada, ben)
    last = (await chats.open(ada, chat_id)).messages[-1]
    for refused in (conversations.retry(ben, last.id), conversations.proceed(ben, last.id)):
        with pytest.raises(errors.Forbidden):
            await refused
    turn = await conversations.ask(ada, chat_id, "Pears?")
    await end(turn.assistant.run_id, MessageStatus.WAITING)
    with pytest.raises(errors.Conflict):
        await conversations.ask(ben, chat_id, "Plums?")
    beside = await conversations.edit(ben, turn.user.id, "Plums?")
    await end(beside.assistant.run_id)
    await chats.choose_branch(ada, turn.user.id)
    assert (await chats.open(ada, chat_id)).messages[-1].status == "waiting", "what is asked of her, she may answer"
    await conversations.ask(ada, chat_id, "Plums?")


async def test_a_new_chat_is_never_one_that_others_see(world: World) -> None:
    """An empty chat is used again, but not where somebody was invited into it."""
    ada, ben = await person("ada"), await person("ben")
    chat_id = await chats.new(ada)
    assert await chats.new(ada) == chat_id
    await participants.invite(ada, chat_id, "ben@example.org")
    other = await chats.new(ada)
    assert other != chat_id
    (invitation,) = await participants.invitations(ben)
    await participants.accept(ben, invitation.id)
    assert await chats.new(ada) == other


async def test_a_removed_participant_sees_nothing_from_then_on(world: World) -> None:
    """Neither the chat, nor the stream of an answer that they were reading, nor news of it. # 000-67"""
    async with world.browser("ada") as hers, world.browser("ben") as his:
        ada, ben = await hers.actor(), await his.actor()
        chat_id = await chats.new(ada)
        turn = await conversations.ask(ada, chat_id, "Apples?")
        run_id = turn.assistant.run_id
        assert run_id
        assert ben.user_id
        world.sql("INSERT INTO chat_participants (chat_session_id, user_id) VALUES (%s, %s)", chat_id, ben.user_id)
        lease = await streams.acquire(run_id, "worker")
        assert lease is not None
        writer = streams.Writer(run_id, lease.token)
        await writer.append([{"type": "start"}, {"type": "text-start", "id": "1"}])
        watching = conversations.watch(ben, chat_id, every_seconds=5)
        assert (await anext(watching)).chat
        caller = await callers.of_browser(his.cookie_header)
        body = stream.body(
            run_id,
            caller.reader,
            ui_chunks.Encoder(ui_chunks.Form(), partial(passages.withheld_in_chunks, caller.person.actor)),
        )
        assert b'"start"' in await anext(body)
        await participants.remove(ada, chat_id, ben.user_id)
        async with asyncio.timeout(10):
            rest = b"".join([piece async for piece in body])
        assert rest == b"", "it ends at once, and not as if the answer had"
        await writer.append([{"type": "text-delta", "id": "1", "delta": "secret"}])
        assert (await anext(watching)).chat, "their open page is told to look"
        await watching.aclose()
        for refused in (
            chat_reads.open(ben, chat_id),
            conversations.result(ben, run_id),
            conversations.stop(ben, run_id),
        ):
            with pytest.raises(errors.NotFound):
                await refused
        assert (await his.get(f"/api/runs/{run_id}")).status_code == 404
        assert (await chat_reads.open(ada, chat_id)).messages[-1].unfinished, "hers goes on"


@pytest.mark.parametrize("is_named", [True, False])
@pytest.mark.parametrize("is_deleted", [True, False])
async def test_a_question_that_waits_for_a_chat_does_not_find_it_when_it_has_gone(
    world: World, *, is_deleted: bool, is_named: bool
) -> None:
    """Deleted by another tab, or the asker removed, just as the lock of the chat was waited for. # 000-67"""
    async with world.browser("ada") as hers, world.browser("ben") as his:
        ada, ben = await hers.actor(), await his.actor()
        chat_id = await chats.new(ada)
        await end((await conversations.ask(ada, chat_id, "Apples?")).assistant.run_id)
        world.sql("INSERT INTO chat_participants (chat_session_id, user_id) VALUES (%s, %s)", chat_id, ben.user_id)
        chat = conversations.NamedChat(str(chat_id)) if is_named else chat_id
        waiting = (
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        )
        async with transaction(ada) as tx:
            await chats.find(tx, chat_id, lock=True)
            asking = asyncio.create_task(conversations.ask(ada if is_deleted else ben, chat, "And pears?"))
            await until(lambda: world.sql(waiting) == [(1,)])
            if is_deleted:
                await tx.call("leaf_delete_chats", [chat_id])
            else:
                gone = {"chat": chat_id, "person": ben.user_id}
                await tx.execute(
                    "DELETE FROM chat_participants WHERE chat_session_id = :chat AND user_id = :person", gone
                )
        with pytest.raises(errors.NotFound):
            await asking
        assert world.sql("SELECT count(*) FROM messages WHERE chat_session_id = %s", chat_id) == [(2,)]


async def test_what_is_written_for_a_removed_participant_is_stopped(world: World) -> None:
    """Their worker could not finish it any more, and the chat has to go on. # 000-67"""
    ada, ben = await person("ada"), await person("ben")
    chat_id = await _together(ada, ben)
    turn = await conversations.ask(ben, chat_id, "Pears?")
    assert turn.assistant.run_id
    assert ben.user_id
    await participants.remove(ada, chat_id, ben.user_id)
    assert (await chats.open(ada, chat_id)).messages[-1].status == "stopped"
    assert await conversations.assignment(turn.assistant.run_id) is None
    assert await streams.stop_requested(turn.assistant.run_id)
    await conversations.ask(ada, chat_id, "Plums?")
