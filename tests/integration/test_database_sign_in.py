"""Signing in, sessions, runs, deletion: what the functions and the foreign keys promise."""

import asyncio
from datetime import timedelta
from uuid import UUID, uuid4

import psycopg
import pytest
from sqlalchemy import exc, func, select, text

from leaf import config
from leaf.db import Actor, models, transaction
from leaf.db.models import MessageRole, MessageStatus
from tests.conftest import MakeUser
from tests.integration.rls_world import furnish, rows_of


async def _sign_in(
    subject: str, *, provider: str = "google", email: str = "ada@example.org", name: str = "Ada L", first: str = "Ada"
) -> UUID:
    async with transaction(Actor.system()) as tx:
        user_id = await tx.session.scalar(select(func.leaf_sign_in(provider, subject, email, name, first, None)))
    assert isinstance(user_id, UUID)
    return user_id


async def _call(statement: str, actor: Actor | None = None, **values: object) -> list[tuple[object, ...]]:
    async with transaction(actor or Actor.system()) as tx:
        return [tuple(row) for row in await tx.session.execute(text(statement), values)]


async def test_twenty_simultaneous_first_callbacks_make_one_person(
    settings: config.Settings, database_url: str
) -> None:
    """# 000-04, 000-06"""
    user_ids = await asyncio.gather(*[_sign_in("1") for _ in range(20)])
    assert len(set(user_ids)) == 1
    rows = rows_of(database_url)
    assert {table: len(rows[table]) for table in ("users", "identities", "workspaces", "workspace_members")} == {
        "users": 1,
        "identities": 1,
        "workspaces": 1,
        "workspace_members": 1,
    }
    assert rows["workspaces"][0]["name"] == "Ada's Workspace"
    assert rows["workspace_members"][0]["user_id"] == str(user_ids[0])


@pytest.mark.parametrize(
    ("name", "first", "workspace"),
    [
        ("Ada Lindqvist", "Ada Maria", "Ada Maria's Workspace"),
        ("Ada Lindqvist", "", "Ada's Workspace"),
        ("", " ", "ada.l's Workspace"),
        ("A" * 400, "", f"{'A' * 200}'s Workspace"),
    ],
)
async def test_the_workspace_is_named_after_what_is_known(
    settings: config.Settings, database_url: str, name: str, first: str, workspace: str
) -> None:
    """# 000-04"""
    await _sign_in("1", email="ada.l@example.org", name=name, first=first)
    assert [row["name"] for row in rows_of(database_url)["workspaces"]] == [workspace]


async def test_signing_in_again_brings_name_and_address_up_to_date(
    settings: config.Settings, database_url: str
) -> None:
    """The subject is the account; its e-mail address may change. # 000-02"""
    first = await _sign_in("1")
    again = await _sign_in("1", email="ada@new.example.org", name="Ada Lovelace")
    assert again == first
    rows = rows_of(database_url)
    assert [(row["email"], row["name"]) for row in rows["users"]] == [("ada@new.example.org", "Ada Lovelace")]
    assert [row["email"] for row in rows["identities"]] == ["ada@new.example.org"]
    assert [row["name"] for row in rows["workspaces"]] == ["Ada's Workspace"]


async def test_another_provider_with_the_same_address_is_another_person(settings: config.Settings) -> None:
    """An address is no proof: accounts are not merged silently, and another provider needs no schema. # 000-02"""
    assert await _sign_in("1") != await _sign_in("1", provider="another")


async def test_a_session_is_found_by_its_hash_until_it_ends(make_user: MakeUser) -> None:
    ada = await furnish(await make_user("Ada"))
    find = "SELECT user_id, workspace_id FROM leaf_session_user(:token_hash)"
    assert await _call(find, token_hash=ada.token_hash) == [(ada.user_id, ada.workspace_id)]
    assert await _call(find, token_hash="another") == []

    touch = "SELECT leaf_touch_session(:token_hash, now() + :length)"
    assert await _call(touch, token_hash=ada.token_hash, length=timedelta(0)) == [(True,)]
    assert await _call(find, token_hash=ada.token_hash) == []
    # It has ended, and nothing brings it back.
    assert await _call(touch, token_hash=ada.token_hash, length=timedelta(days=1)) == [(False,)]
    assert await _call(find, token_hash=ada.token_hash) == []


async def test_signing_in_sweeps_ones_ended_sessions_away(make_user: MakeUser, database_url: str) -> None:
    ada = await furnish(await make_user("Ada"))
    ben = await furnish(await make_user("Ben"))
    for person in (ada, ben):
        await _call("SELECT leaf_touch_session(:token_hash, now())", token_hash=person.token_hash)
    await make_user("Ada")
    assert [row["token_hash"] for row in rows_of(database_url)["sessions"]] == [ben.token_hash]


async def test_unfinished_runs_and_their_askers_are_known_to_the_system_alone(make_user: MakeUser) -> None:
    """# 000-43"""
    ada, ben = await furnish(await make_user("Ada")), await make_user("Ben")
    find = "SELECT run_id, chat_session_id, user_id, status FROM leaf_unfinished_runs(:age)"
    assert await _call(find, age=timedelta(0)) == [(ada.run_id, ada.chat_id, ada.user_id, "pending")]
    assert await _call(find, age=timedelta(hours=1)) == []
    assert await _call("SELECT leaf_run_owner(:run)", run=ada.run_id) == [(ada.user_id,)]
    assert await _call("SELECT leaf_run_owner(:run)", run=uuid4()) == [(None,)]

    for other in (ben, Actor.worker_for(ben.member_id)):
        assert await _call(find, other, age=timedelta(0)) == []
        assert await _call("SELECT leaf_run_owner(:run)", other, run=ada.run_id) == [(None,)]

    worker = Actor.worker_for(ada.user_id)
    for status, unfinished in zip(MessageStatus, (1, 1, 0, 0, 0, 0), strict=True):
        async with transaction(worker) as tx:
            answer = (
                await tx.session.scalars(select(models.Message).where(models.Message.workflow_run_id == ada.run_id))
            ).one()
            answer.status = status
        assert len(await _call(find, age=timedelta(0))) == unfinished, status


async def test_messages_keep_the_order_in_which_they_were_added(make_user: MakeUser) -> None:
    """# 001-01"""
    ada = await furnish(await make_user("Ada"))
    added = [
        models.Message(
            chat_session_id=ada.chat_id,
            role=MessageRole.USER,
            user_id=ada.user_id,
            parts=[{"type": "text", "text": str(n)}],
        )
        for n in range(30)
    ]
    async with transaction(ada.actor) as tx:
        tx.session.add_all(added)
    # The position is there after the flush, with nothing left to load.
    assert sorted(added, key=lambda message: message.position) == added
    async with transaction(ada.actor) as tx:
        mine = select(models.Message.parts).where(models.Message.id.in_([one.id for one in added]))
        stored = await tx.session.scalars(mine.order_by(models.Message.position))
        assert list(stored) == [[{"type": "text", "text": str(n)}] for n in range(30)]


async def test_an_answer_needs_a_run_and_parts_are_a_list(make_user: MakeUser) -> None:
    """# 000-42"""
    ada = await furnish(await make_user("Ada"))
    for values in ({"role": "assistant"}, {"role": "user", "parts": {"type": "text"}}):
        with pytest.raises(exc.IntegrityError, match="check constraint"):
            async with transaction(ada.actor) as tx:
                tx.session.add(models.Message(chat_session_id=ada.chat_id, user_id=ada.user_id, **values))


async def test_a_deleted_chat_leaves_no_rows_behind(make_user: MakeUser, database_url: str) -> None:
    """# 000-44"""
    await furnish(await make_user("Ada"))
    before = rows_of(database_url)
    ben = await furnish(await make_user("Ben"))
    async with transaction(ben.actor) as tx:
        chat = (await tx.session.scalars(select(models.ChatSession))).one()
        await tx.session.delete(chat)
    after = rows_of(database_url)
    for table in ("chat_sessions", "chat_participants", "messages"):
        assert after[table] == before[table]


async def test_a_deleted_person_leaves_no_rows_behind(make_user: MakeUser, database_url: str) -> None:
    """# 000-44"""
    await furnish(await make_user("Ada"))
    before = rows_of(database_url)
    ben = await furnish(await make_user("Ben"))
    with psycopg.connect(database_url) as connection:
        connection.execute("DELETE FROM users WHERE id = %s", [ben.user_id])
        # A job forgets the texts that nobody sees any more.
        connection.execute("SELECT leaf_forget_drive_texts(100)")
    after = rows_of(database_url)
    (left,) = [row for row in after["security_events"] if row["kind"] == "account_deleted"]
    assert left["user_id"] is None
    after["security_events"].remove(left)
    assert after == before


async def test_each_sign_in_ensures_the_workspace(settings: config.Settings, database_url: str) -> None:
    """Without the membership, and without the workspace itself. # 000-69"""
    ada = await _sign_in("1")
    for lost in ("workspace_members", "workspaces"):
        with psycopg.connect(database_url) as connection:
            connection.execute(f"DELETE FROM {lost}".encode())  # noqa: S608 - the test's own names
        assert await _sign_in("1") == ada
        rows = rows_of(database_url)
        assert [(row["user_id"], row["workspace_id"]) for row in rows["workspace_members"]] == [
            (str(ada), rows["workspaces"][0]["id"])
        ]
