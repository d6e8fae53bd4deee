"""Ways in which a person might try to reach what is not theirs, each through a statement of their own. # 000-40"""

from uuid import UUID, uuid4

import psycopg
import pytest
import pytest_asyncio
from sqlalchemy import exc, select, text, update
from sqlmodel import SQLModel

from leaf.db import Actor, models, transaction
from leaf.db.models import IntegrationProvider, MessageRole
from tests.conftest import MakeUser
from tests.integration.rls_world import Person, furnish


@pytest_asyncio.fixture
async def ada(make_user: MakeUser) -> Person:
    return await furnish(await make_user("Ada"))


@pytest_asyncio.fixture
async def ben(make_user: MakeUser) -> Person:
    return await furnish(await make_user("Ben"))


async def _refused(actor: Actor, statement: str, **values: object) -> None:
    with pytest.raises(exc.ProgrammingError) as caught:
        await _run(actor, statement, **values)
    assert isinstance(caught.value.orig, psycopg.errors.InsufficientPrivilege)


async def _run(actor: Actor, statement: str, **values: object) -> int:
    async with transaction(actor) as tx:
        result = await tx.session.execute(text(statement), values)
        return result.rowcount


async def _add(actor: Actor, row: SQLModel) -> None:
    async with transaction(actor) as tx:
        tx.session.add(row)


async def _add_refused(actor: Actor, row: SQLModel) -> None:
    with pytest.raises(exc.ProgrammingError) as caught:
        await _add(actor, row)
    assert isinstance(caught.value.orig, psycopg.errors.InsufficientPrivilege)


def _message(chat_id: UUID, user_id: UUID | None) -> models.Message:
    return models.Message(chat_session_id=chat_id, role=MessageRole.USER, user_id=user_id)


def _as_owner(database_url: str, statement: str, *values: object) -> list[tuple[object, ...]]:
    with psycopg.connect(database_url) as connection:
        cursor = connection.execute(statement, values)
        return cursor.fetchall() if cursor.description else []


def _make_colleagues(database_url: str, ada: Person, ben: Person) -> None:
    _as_owner(
        database_url,
        "INSERT INTO workspace_members (workspace_id, user_id) VALUES (%s, %s)",
        ada.workspace_id,
        ben.user_id,
    )


async def test_nobody_joins_somebody_elses_chat(ada: Person, ben: Person) -> None:
    """# 000-41"""
    await _add_refused(ben.actor, models.ChatParticipant(chat_session_id=ada.chat_id, user_id=ben.user_id))


async def test_nobody_touches_somebody_elses_project(ada: Person, ben: Person) -> None:
    """Neither the project itself, nor by a chat of their own that would lie in it. # 000-41"""
    given = {"project": ada.project_id}
    assert await _run(ben.actor, "UPDATE projects SET instructions = 'Mine' WHERE id = :project", **given) == 0
    assert await _run(ben.actor, "DELETE FROM projects WHERE id = :project", **given) == 0
    await _add_refused(ben.actor, models.Project(user_id=ada.user_id, name="Mine"))
    await _refused(ben.actor, "UPDATE projects SET user_id = :user", user=ada.user_id)
    with pytest.raises(exc.IntegrityError):
        await _run(
            ben.actor,
            "UPDATE chat_participants SET project_id = :project WHERE user_id = :user",
            user=ben.user_id,
            **given,
        )


async def test_nobody_touches_the_quotes_of_somebody_elses_answers(ada: Person, ben: Person, database_url: str) -> None:
    """A participant reads where they stand, and only the asker's worker writes it. # 000-41"""
    assert (
        await _run(ben.actor, "UPDATE citations SET state = 'gone' WHERE chat_session_id = :chat", chat=ada.chat_id)
        == 0
    )
    _as_owner(
        database_url,
        "INSERT INTO chat_participants (chat_session_id, user_id) VALUES (%s, %s)",
        ada.chat_id,
        ben.user_id,
    )
    assert (
        await _run(ben.actor, "UPDATE citations SET state = 'gone' WHERE chat_session_id = :chat", chat=ada.chat_id)
        == 0
    )
    for column in ("message_id", "n", "chat_session_id", "user_id", "file_id", "quoted_at", "call"):
        await _refused(ben.actor, f"UPDATE citations SET {column} = {column}")  # noqa: S608


async def test_nobody_chooses_the_e_mails_of_somebody_else(ada: Person, ben: Person) -> None:
    """# 000-41"""
    assert await _run(ben.actor, "UPDATE digests SET wanted = false WHERE user_id = :user", user=ada.user_id) == 0
    await _refused(ben.actor, "UPDATE digests SET user_id = user_id")
    await _refused(ben.actor, "DELETE FROM digests")
    await _refused(ben.actor, "INSERT INTO digests (user_id) VALUES (:user)", user=ada.user_id)


async def test_nobody_watches_questions_as_somebody_else(ada: Person, ben: Person, database_url: str) -> None:
    """Nor in a chat in which they take no part; and nobody is led to another branch of a chat of others. # 000-41"""
    assert await _run(ben.actor, "UPDATE watches SET every = 'week' WHERE user_id = :user", user=ada.user_id) == 0
    assert await _run(ben.actor, "DELETE FROM watches WHERE user_id = :user", user=ada.user_id) == 0
    for column in ("id", "user_id", "workspace_id", "chat_session_id", "question_id", "created_at"):
        await _refused(ben.actor, f"UPDATE watches SET {column} = {column}")  # noqa: S608
    made = "INSERT INTO watches (user_id, workspace_id, chat_session_id, question_id, kind, every, looked_at) SELECT "
    rest = ", m.id, 'change', 'day', now() FROM messages m WHERE m.role = 'user'"
    await _refused(
        ben.actor, f"{made} :user, :workspace, m.chat_session_id{rest}", user=ada.user_id, workspace=ben.workspace_id
    )  # fmt: skip
    await _refused(
        ben.actor, f"{made} :user, :workspace, :chat{rest}", user=ben.user_id, workspace=ben.workspace_id,
        chat=ada.chat_id,
    )  # fmt: skip
    await _run(ben.actor, "SELECT leaf_stay_on_branches(:chat)", chat=ada.chat_id)
    rows = "SELECT branch_id FROM chat_participants WHERE chat_session_id = %s"
    with psycopg.connect(database_url) as connection:
        assert connection.execute(rows, (ada.chat_id,)).fetchall() == [(None,)]


async def test_nobody_puts_another_person_into_a_chat(ada: Person, ben: Person) -> None:
    """Not even into their own: it would appear in the other's list uninvited."""
    await _add_refused(ben.actor, models.ChatParticipant(chat_session_id=ben.chat_id, user_id=ada.user_id))


async def test_participation_cannot_be_moved_to_another_chat(ada: Person, ben: Person) -> None:
    await _refused(ben.actor, "UPDATE chat_participants SET chat_session_id = :chat", chat=ada.chat_id)
    await _refused(ben.actor, "UPDATE chat_participants SET user_id = :user", user=ada.user_id)
    assert await _run(ben.actor, "DELETE FROM chat_participants") == 0, "who began a chat stays in it"


async def test_a_chat_is_made_in_ones_own_workspace_and_name_alone(ada: Person, ben: Person) -> None:
    await _add_refused(ben.actor, models.ChatSession(workspace_id=ada.workspace_id, created_by=ben.user_id))
    await _add_refused(ben.actor, models.ChatSession(workspace_id=ben.workspace_id, created_by=ada.user_id))
    await _add_refused(ben.actor, models.ChatSession(workspace_id=uuid4(), created_by=ben.user_id))


@pytest.mark.parametrize("column", ["id", "workspace_id", "created_by", "created_at"])
async def test_a_chat_cannot_be_moved(ben: Person, column: str) -> None:
    await _refused(ben.actor, f"UPDATE chat_sessions SET {column} = {column}")  # noqa: S608


async def test_nobody_writes_into_somebody_elses_chat(ada: Person, ben: Person) -> None:
    """A chat that exists and one that does not are refused alike, so ids cannot be probed."""
    await _add_refused(ben.actor, _message(ada.chat_id, ben.user_id))
    await _add_refused(ben.actor, _message(uuid4(), ben.user_id))


async def test_nobody_writes_in_another_name_or_in_none(ada: Person, ben: Person) -> None:
    """The asker decides whose Drive is read. # 000-61"""
    await _add_refused(ben.actor, _message(ben.chat_id, ada.user_id))
    await _add_refused(ben.actor, _message(ben.chat_id, None))


@pytest.mark.parametrize("column", ["id", "chat_session_id", "role", "user_id", "created_at"])
async def test_a_message_cannot_be_moved(ben: Person, column: str) -> None:
    await _refused(ben.actor, f"UPDATE messages SET {column} = {column}")  # noqa: S608


@pytest.mark.parametrize("column", ["id", "user_id", "workspace_id", "provider", "created_at"])
async def test_an_integration_cannot_be_moved(ben: Person, column: str) -> None:
    await _refused(ben.actor, f"UPDATE integrations SET {column} = {column}")  # noqa: S608


async def test_an_integration_needs_membership_of_its_workspace(ada: Person, ben: Person) -> None:
    """# 000-61"""
    drive = IntegrationProvider.GOOGLE_DRIVE
    foreign = models.Integration(user_id=ben.user_id, workspace_id=ada.workspace_id, provider=drive, access_token="k:x")
    await _add_refused(ben.actor, foreign)
    planted = models.Integration(user_id=ada.user_id, workspace_id=ada.workspace_id, provider=drive, access_token="k:x")
    await _add_refused(ben.actor, planted)


async def test_a_person_has_one_integration_for_each_provider_and_workspace(
    ada: Person, ben: Person, database_url: str
) -> None:
    """A colleague in the same workspace has their own. # 000-61"""
    drive = IntegrationProvider.GOOGLE_DRIVE
    again = models.Integration(user_id=ada.user_id, workspace_id=ada.workspace_id, provider=drive, access_token="k:x")
    with pytest.raises(exc.IntegrityError):
        await _add(ada.actor, again)
    _make_colleagues(database_url, ada, ben)
    own = models.Integration(user_id=ben.user_id, workspace_id=ada.workspace_id, provider=drive, access_token="k:ben")
    await _add(ben.actor, own)
    async with transaction(ada.actor) as tx:
        assert list(await tx.session.scalars(select(models.Integration.access_token))) == ["k:sealed"]


async def test_memberships_workspaces_and_identities_are_not_the_apps_to_write(ada: Person, ben: Person) -> None:
    """# 000-06"""
    await _add_refused(ben.actor, models.WorkspaceMember(workspace_id=ada.workspace_id, user_id=ben.user_id))
    await _add_refused(ben.actor, models.Workspace(name="Mine", personal_user_id=None))
    identity = models.Identity(user_id=ben.user_id, provider="google", subject="new", email="ada@example.org")
    await _add_refused(ben.actor, identity)
    for table, column in (("workspace_members", "workspace_id"), ("workspaces", "name"), ("identities", "subject")):
        await _refused(ben.actor, f"UPDATE {table} SET {column} = {column}")  # noqa: S608
        await _refused(ben.actor, f"DELETE FROM {table}")  # noqa: S608


async def test_a_person_changes_their_own_name_but_not_their_address_or_id(ada: Person, ben: Person) -> None:
    assert await _run(ben.actor, "UPDATE users SET name = 'Benjamin'") == 1
    await _refused(ben.actor, "UPDATE users SET email = 'ada@example.org'")
    await _refused(ben.actor, "UPDATE users SET id = :id", id=uuid4())
    await _refused(ben.actor, "DELETE FROM users")


async def test_a_session_is_opened_for_oneself_alone_and_not_prolonged_by_hand(ada: Person, ben: Person) -> None:
    foreign = models.Session(user_id=ada.user_id, token_hash="stolen", expires_at=models.utc_now())
    await _add_refused(ben.actor, foreign)
    await _refused(ben.actor, "UPDATE sessions SET user_id = :user", user=ada.user_id)
    await _refused(ben.actor, "UPDATE sessions SET expires_at = 'infinity'")


async def test_a_document_is_cached_for_oneself_alone_and_never_changed(ada: Person, ben: Person) -> None:
    """The files that one person may read in Drive have no influence on another's cache. # 000-40"""
    await _refused(ben.actor, "UPDATE documents SET user_id = :user", user=ada.user_id)
    await _refused(ben.actor, "UPDATE documents SET body = '{}'")


async def test_a_file_stays_in_its_chat_and_a_version_is_never_changed(ada: Person, ben: Person) -> None:
    """# 001-02, 001-03"""
    async with transaction(ada.actor) as tx:
        theirs = (await tx.session.scalars(select(models.ChatFile))).one()
    await _refused(ben.actor, "UPDATE chat_files SET chat_session_id = :chat", chat=ada.chat_id)
    await _refused(ben.actor, "UPDATE chat_files SET path = 'other.md'")
    await _refused(ben.actor, "DELETE FROM chat_files")
    await _refused(ben.actor, "UPDATE chat_file_versions SET content = 'x'")
    assert await _run(ben.actor, "UPDATE chat_files SET deleted = true WHERE id = :id", id=theirs.id) == 0
    assert await _run(ben.actor, "DELETE FROM chat_file_versions WHERE file_id = :id", id=theirs.id) == 0
    await _add_refused(ben.actor, models.ChatFile(chat_session_id=ada.chat_id, path="x.md", version=1, size_bytes=0))
    made = {"number": 2, "action": "write", "content": "x"}
    for chat_id, user_id in ((ada.chat_id, ben.user_id), (ben.chat_id, ben.user_id), (ben.chat_id, ada.user_id)):
        version = models.ChatFileVersion(file_id=theirs.id, chat_session_id=chat_id, user_id=user_id, **made)
        await _add_refused(ben.actor, version)


async def test_what_was_used_is_entered_in_ones_own_name_and_never_changed(ada: Person, ben: Person) -> None:
    """Nor can an entry tell whether somebody else's chat or message exists. # 001-22"""
    async with transaction(ada.actor) as tx:
        theirs = (await tx.session.scalars(select(models.UsageEntry))).one()
        own = (await tx.session.scalars(select(models.Message.id))).first()
    made = {"run_id": uuid4(), "purpose": "answer", "model": "m"}
    for chat_id, message_id, user_id in (
        (None, None, ada.user_id),
        (ada.chat_id, None, ben.user_id),
        (uuid4(), None, ben.user_id),
        (ben.chat_id, own, ben.user_id),
        (None, own, ben.user_id),
    ):
        entry = models.UsageEntry(user_id=user_id, chat_session_id=chat_id, message_id=message_id, **made)
        await _add_refused(ben.actor, entry)
    await _add_refused(ben.actor, models.UsageEntry(user_id=ben.user_id, workspace_id=ada.workspace_id, **made))
    await _refused(ben.actor, "UPDATE usage_entries SET input_tokens = 0")
    await _refused(ben.actor, "DELETE FROM usage_entries WHERE id = :id", id=theirs.id)


async def test_an_upload_stays_in_its_chat_and_is_never_changed(ada: Person, ben: Person) -> None:
    """# 001-02, 001-26"""
    async with transaction(ada.actor) as tx:
        theirs = (await tx.session.scalars(select(models.ChatFileOriginal))).one()
    async with transaction(ben.actor) as tx:
        own = (await tx.session.scalars(select(models.ChatFile))).one()
        assert [one.chat_session_id for one in await tx.session.scalars(select(models.ChatFileOriginal))] == [
            ben.chat_id
        ]
    for column in ("chat_session_id", "data", "content", "kind", "user_id"):
        await _refused(ben.actor, f"UPDATE chat_file_originals SET {column} = {column}")  # noqa: S608
    assert await _run(ben.actor, "DELETE FROM chat_file_originals WHERE id = :id", id=theirs.id) == 0
    made = {"kind": "pdf", "size_bytes": 1, "sha256": b"x", "data": b"x"}
    for chat_id, user_id in ((ada.chat_id, ben.user_id), (ben.chat_id, ada.user_id), (ben.chat_id, None)):
        await _add_refused(ben.actor, models.ChatFileOriginal(chat_session_id=chat_id, user_id=user_id, **made))
    # A version of his own that shows what she has uploaded.
    version = models.ChatFileVersion(
        file_id=own.id, chat_session_id=ben.chat_id, user_id=ben.user_id, number=2, action="upload", content="",
        original_id=theirs.id,
    )  # fmt: skip
    await _add_refused(ben.actor, version)


async def test_a_summary_stays_in_its_chat_and_is_never_changed(ada: Person, ben: Person) -> None:
    """The text of a summary is put before a model as the chat's own past. # 000-40, 003-33"""
    async with transaction(ada.actor) as tx:
        theirs = (await tx.session.scalars(select(models.ChatSummary))).one()
    await _refused(ben.actor, "UPDATE chat_summaries SET text = 'x'")
    await _refused(ben.actor, "DELETE FROM chat_summaries")
    await _refused(ben.actor, "DELETE FROM cold_messages")
    await _refused(ben.actor, "SELECT leaf_warm_chats()")
    for chat_id, user_id in ((ada.chat_id, ben.user_id), (ben.chat_id, ben.user_id), (ben.chat_id, ada.user_id)):
        summary = models.ChatSummary(chat_session_id=chat_id, message_id=theirs.message_id, user_id=user_id, text="x")
        await _add_refused(ben.actor, summary)


async def test_a_link_and_an_invitation_are_of_who_began_the_chat_alone(
    ada: Person, ben: Person, database_url: str
) -> None:
    """Also where somebody else takes part in it. # 000-40, 002-55"""
    join = "INSERT INTO chat_participants (chat_session_id, user_id) VALUES (%s, %s)"
    _as_owner(database_url, join, ada.chat_id, ben.user_id)
    for table, columns in (
        ("chat_shares", ("id", "chat_session_id", "created_by", "token", "title", "content", "shared_at")),
        ("chat_invitations", ("id", "chat_session_id", "invited_by", "email", "declined_at", "created_at")),
    ):
        for column in columns:
            await _refused(ben.actor, f"UPDATE {table} SET {column} = {column}")  # noqa: S608
    for owner in (ada.user_id, ben.user_id):
        link = models.ChatShare(chat_session_id=ada.chat_id, created_by=owner, token="x" * 32, message_ids=[])
        await _add_refused(ben.actor, link)
        invitation = models.ChatInvitation(chat_session_id=ada.chat_id, invited_by=owner, email="ben@example.org")
        await _add_refused(ben.actor, invitation)
    async with transaction(ben.actor) as tx:
        assert list(await tx.session.scalars(select(models.ChatShare.created_by))) == [ben.user_id]
        assert list(await tx.session.scalars(select(models.ChatInvitation.invited_by))) == [ben.user_id]
    assert await _run(ben.actor, "DELETE FROM chat_sessions WHERE id = :id", id=ada.chat_id) == 0
    others = "DELETE FROM chat_participants WHERE chat_session_id = :chat AND user_id = :user"
    assert await _run(ben.actor, others, chat=ada.chat_id, user=ada.user_id) == 0
    assert await _run(ben.actor, others, chat=ada.chat_id, user=ben.user_id) == 1
    await _refused(ben.actor, "SELECT leaf_share_content()")


async def test_a_message_that_waits_is_its_writers_alone(ada: Person, ben: Person, database_url: str) -> None:
    """Also where somebody else takes part in the chat, and it is deleted with a leaving participant. # 000-40"""
    assert await _run(ben.actor, "SELECT FROM leaf_next_queued(:chat)", chat=ada.chat_id) == 0
    join = "INSERT INTO chat_participants (chat_session_id, user_id) VALUES (%s, %s)"
    stranger = models.QueuedMessage(
        chat_session_id=ada.chat_id, user_id=ben.user_id, parts=[], search_mode="quick", model_type="speed"
    )
    await _add_refused(ben.actor, stranger.model_copy())
    _as_owner(database_url, join, ada.chat_id, ben.user_id)
    forged = models.QueuedMessage(
        chat_session_id=ada.chat_id, user_id=ada.user_id, parts=[], search_mode="quick", model_type="speed"
    )
    await _add_refused(ben.actor, forged)
    for column in ("id", "chat_session_id", "user_id", "search_mode", "model_type", "created_at"):
        await _refused(ben.actor, f"UPDATE queued_messages SET {column} = {column}")  # noqa: S608
    mine = "user_id <> leaf_user_id()"
    assert await _run(ben.actor, f"SELECT FROM queued_messages WHERE {mine}") == 0
    assert await _run(ben.actor, f"UPDATE queued_messages SET parts = '[]' WHERE {mine}") == 0  # noqa: S608
    assert await _run(ben.actor, f"DELETE FROM queued_messages WHERE {mine}") == 0  # noqa: S608
    await _add(ben.actor, stranger)
    leave = "DELETE FROM chat_participants WHERE chat_session_id = :chat AND user_id = :user"
    assert await _run(ben.actor, leave, chat=ada.chat_id, user=ben.user_id) == 1
    left = _as_owner(database_url, "SELECT user_id FROM queued_messages WHERE chat_session_id = %s", ada.chat_id)
    assert left == [(ada.user_id,)]


async def test_an_import_is_ones_own_and_its_chats_go_to_ones_own_workspace(ada: Person, ben: Person) -> None:
    """# 000-40"""
    for column in ("id", "user_id", "workspace_id", "name", "size_bytes", "created_at"):
        await _refused(ben.actor, f"UPDATE imports SET {column} = {column}")  # noqa: S608
    for user_id, workspace_id in ((ada.user_id, ben.workspace_id), (ben.user_id, ada.workspace_id)):
        await _add_refused(
            ben.actor, models.Import(user_id=user_id, workspace_id=workspace_id, name="x", size_bytes=1, data=b"x")
        )
    assert await _run(ben.actor, "DELETE FROM imports WHERE user_id = :user", user=ada.user_id) == 0
    await _refused(ben.actor, "SELECT leaf_forget_imported_key()")


async def test_a_colleague_who_is_no_participant_sees_neither_title_nor_content(
    ada: Person, ben: Person, database_url: str
) -> None:
    """Decision 8. # 000-41"""
    _make_colleagues(database_url, ada, ben)
    async with transaction(ben.actor) as tx:
        assert len(list(await tx.session.scalars(select(models.Workspace)))) == 2
        assert list(await tx.session.scalars(select(models.ChatSession.id))) == [ben.chat_id]
        assert set(await tx.session.scalars(select(models.Message.chat_session_id))) == {ben.chat_id}
    await _add_refused(ben.actor, models.ChatParticipant(chat_session_id=ada.chat_id, user_id=ben.user_id))


async def test_a_second_participant_reads_and_writes_but_not_in_the_firsts_name(
    ada: Person, ben: Person, database_url: str
) -> None:
    """# 000-41"""
    _as_owner(
        database_url,
        "INSERT INTO chat_participants (chat_session_id, user_id) VALUES (%s, %s)",
        ada.chat_id,
        ben.user_id,
    )
    async with transaction(ben.actor) as tx:
        adas = select(models.Message).where(models.Message.chat_session_id == ada.chat_id)
        assert len(list(await tx.session.scalars(adas))) == 3
        changed = await tx.session.execute(
            update(models.Message).where(models.Message.chat_session_id == ada.chat_id).values(error_text="no")
        )
        assert changed.rowcount == 0
        tx.session.add(_message(ada.chat_id, ben.user_id))
    await _add_refused(ben.actor, _message(ada.chat_id, ada.user_id))


async def test_a_temporary_table_does_not_stand_in_for_a_real_one(ada: Person, ben: Person) -> None:
    """pg_temp is searched first, unless a function's search_path names it last."""
    async with transaction(ben.actor) as tx:
        await tx.session.execute(text("CREATE TEMP TABLE chat_sessions (id uuid, created_by uuid) ON COMMIT DROP"))
        await tx.session.execute(
            text("INSERT INTO pg_temp.chat_sessions VALUES (:chat, :user)"),
            {"chat": ada.chat_id, "user": ben.user_id},
        )
        assert await tx.session.scalar(text("SELECT leaf_is_creator(:chat)"), {"chat": ada.chat_id}) is False


async def test_the_app_role_reaches_nothing_of_the_migrations_or_of_the_cluster(ada: Person) -> None:
    await _refused(ada.actor, "SELECT * FROM alembic_version")
    await _refused(ada.actor, "CREATE TABLE public.mine (id int)")
    await _refused(ada.actor, "ALTER TABLE users DISABLE ROW LEVEL SECURITY")
    await _refused(ada.actor, "SELECT rolpassword FROM pg_authid")
    await _refused(ada.actor, "COPY users TO PROGRAM 'cat'")


async def _of_site(actor: Actor) -> tuple[models.Agent, models.Visitor]:
    async with transaction(actor) as tx:
        agent = (await tx.session.scalars(select(models.Agent))).one()
        return agent, (await tx.session.scalars(select(models.Visitor))).one()


async def test_a_site_is_its_members_alone_and_an_agent_stays_in_it(ada: Person, ben: Person) -> None:
    """# 003-03, 003-44"""
    hers, her_visitor = await _of_site(ada.actor)
    his, _ = await _of_site(ben.actor)
    chat, message, run = await _visited(her_visitor.user_id)
    for column in ("id", "tenant_id", "created_at"):
        await _refused(ben.actor, f"UPDATE agents SET {column} = {column}")  # noqa: S608
    for statement in (
        "UPDATE tenants SET workspace_id = workspace_id", "UPDATE agent_keys SET key = 'x'",
        "UPDATE signing_secrets SET tenant_id = tenant_id", "INSERT INTO tenant_members VALUES (:tenant, :user)",
        "INSERT INTO tenants (workspace_id, name) VALUES (:workspace, 'x')", "UPDATE visitors SET kind = 'signed'",
        "DELETE FROM visitors", "DELETE FROM widget_chats", "UPDATE widget_chats SET agent_id = agent_id",
        "INSERT INTO budget_alerts (tenant_id, unit, percent, period) VALUES (:tenant, 'usd', 80, '2020-01-01')",
        "UPDATE budget_alerts SET percent = 100", "DELETE FROM budget_alerts",
        "UPDATE provider_logs SET request = ''", "DELETE FROM provider_logs",
        "UPDATE tenant_members SET tenant_id = tenant_id", "UPDATE tenant_members SET user_id = user_id",
        "SELECT leaf_tenant_deleted()", "SELECT leaf_visitor_deleted()", "SELECT leaf_tenant_left()",
    ):  # fmt: skip
        given = {"tenant": hers.site_id, "user": ben.user_id, "workspace": ben.workspace_id}
        await _refused(ben.actor, statement, **{name: one for name, one in given.items() if f":{name}" in statement})
    for row in (
        models.Agent(site_id=hers.site_id, name="Mine"),
        models.AgentKey(site_id=hers.site_id, agent_id=hers.id, name="Mine", key="k"),
        models.SigningSecret(site_id=hers.site_id, hint="x", sealed="x"),
        models.SiteInvitation(
            site_id=hers.site_id, created_by=ben.user_id, token_hash="x", expires_at=models.utc_now()
        ),
        models.SiteInvitation(site_id=his.site_id, created_by=ada.user_id, token_hash="x", expires_at=models.utc_now()),
        models.SiteChat(chat_session_id=ben.chat_id, site_id=his.site_id, agent_id=his.id),
        models.ProviderLog(
            site_id=his.site_id,
            agent_id=his.id,
            chat_session_id=chat,
            message_id=message,
            run_id=run,
            number=1,
            address="x",
            latency_ms=1,
            request="x",
            request_bytes=1,
            response="x",
            response_bytes=1,
            expires_at=models.utc_now(),
        ),
    ):
        await _add_refused(ben.actor, row)
    # His own site's key for her agent: the two belong together.
    with pytest.raises(exc.IntegrityError):
        await _add(ben.actor, models.AgentKey(site_id=his.site_id, agent_id=hers.id, name="Mine", key="k"))
    assert await _run(ada.actor, "SELECT FROM leaf_tenant_chat(:chat)", chat=chat) == 1
    for query in (
        "SELECT FROM leaf_tenant_people(:id)", "SELECT FROM leaf_tenant_usage(:agent, '2020-01-01')",
        "SELECT FROM leaf_tenant_chats(:agent, NULL, NULL, 'all', 'all', '', NULL, NULL, 10)",
        "SELECT FROM leaf_tenant_chat(:chat)", "SELECT FROM leaf_tenant_messages(:chat)",
        "SELECT FROM leaf_tenant_run(:run) AS status WHERE status IS NOT NULL",
        "SELECT FROM leaf_tenant_standing('2020-01-01')", "SELECT FROM leaf_merge_visitor(:visitor)",
        "SELECT FROM leaf_note_budgets(1, 1)", "UPDATE tenant_members SET alerts_seen_at = now() WHERE tenant_id = :id",
        "DELETE FROM tenant_members WHERE tenant_id = :id", "DELETE FROM tenants WHERE id = :id",
    ):  # fmt: skip
        given = {"id": hers.site_id, "agent": hers.id, "visitor": her_visitor.user_id, "chat": chat, "run": run}
        wanted = {name: one for name, one in given.items() if f":{name}" in query}
        assert await _run(ben.actor, query, **wanted) == 0, query


async def _visited(visitor: UUID) -> tuple[UUID, UUID, UUID]:
    """The chat of a visitor, an answer in it, and its run."""
    run = uuid4()
    async with transaction(Actor.user(visitor)) as tx:
        chat = (await tx.session.scalars(select(models.SiteChat.chat_session_id))).one()
        question = models.Message(chat_session_id=chat, role=MessageRole.USER, user_id=visitor)
        answer = models.Message(
            chat_session_id=chat, parent_id=question.id, role=MessageRole.ASSISTANT, user_id=visitor,
            workflow_run_id=run,
        )  # fmt: skip
        tx.session.add_all([question, answer])
    return chat, answer.id, run


async def test_a_visitor_sees_their_own_chats_and_nothing_of_their_site(ada: Person, ben: Person) -> None:
    """# 003-03, 003-07"""
    agent, row = await _of_site(ada.actor)
    other, _ = await _of_site(ben.actor)
    visitor = Actor.user(row.user_id)
    async with transaction(visitor) as tx:
        chats = list(await tx.session.scalars(select(models.ChatSession.id)))
        assert list(await tx.session.scalars(select(models.SiteChat.chat_session_id))) == chats
        assert list(await tx.session.scalars(select(models.Visitor.user_id))) == [row.user_id]
        for model in (models.Site, models.Agent, models.AgentKey, models.SigningSecret, models.SiteMember):
            assert list(await tx.session.scalars(select(model))) == []
    assert len(chats) == 1
    # A chat of one's own that is said to be another agent's, or another site's.
    made = models.ChatSession(workspace_id=await _workspace(visitor), created_by=row.user_id)
    await _add(visitor, made)
    for site_id, agent_id in ((other.site_id, other.id), (agent.site_id, other.id)):
        await _add_refused(visitor, models.SiteChat(chat_session_id=made.id, site_id=site_id, agent_id=agent_id))
    await _refused(visitor, "SELECT leaf_new_tenant('Mine')")
    assert await _run(visitor, "SELECT FROM leaf_tenant_messages(:chat)", chat=chats[0]) == 0


async def _workspace(actor: Actor) -> UUID:
    async with transaction(actor) as tx:
        return (await tx.session.scalars(select(models.WorkspaceMember.workspace_id))).one()
