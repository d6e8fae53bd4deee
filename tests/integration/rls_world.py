"""A row of one person's in every table, for the tests of row-level security and of deletion."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, LiteralString
from uuid import UUID, uuid4

import psycopg
from psycopg import sql
from psycopg.rows import tuple_row
from sqlalchemy import func, text

from leaf.callers import tokens
from leaf.db import Actor, models, transaction
from leaf.db.models import IntegrationProvider, MessageRole

TABLES = sorted(models.Base.metadata.tables)
Rows = dict[str, list[dict[str, Any]]]


@dataclass(frozen=True)
class Person:
    """Somebody with a session, an integration, a document, and a chat of one turn; the rest is made at sign-in."""

    actor: Actor
    chat_id: UUID
    run_id: UUID
    project_id: UUID
    token_hash: str

    @property
    def user_id(self) -> UUID:
        assert self.actor.user_id is not None
        return self.actor.user_id

    @property
    def workspace_id(self) -> UUID:
        assert self.actor.workspace_id is not None
        return self.actor.workspace_id


async def furnish(actor: Actor) -> Person:
    """Gives a signed-in person a row in every table that sign-in leaves empty."""
    person = Person(actor, uuid4(), uuid4(), uuid4(), tokens.digest(tokens.new("session")))
    user_id, workspace_id = person.user_id, person.workspace_id
    async with transaction(actor) as tx:
        tx.session.add_all(
            [
                models.Session(
                    user_id=user_id, token_hash=person.token_hash, expires_at=models.utc_now() + timedelta(days=1)
                ),
                models.Integration(
                    user_id=user_id,
                    workspace_id=workspace_id,
                    provider=IntegrationProvider.GOOGLE_DRIVE,
                    access_token="k:sealed",
                    scopes=["drive.readonly"],
                ),
                models.Document(
                    user_id=user_id, provider=IntegrationProvider.GOOGLE_DRIVE, file_id="f", revision="1", name="Plan",
                    mime_type="text/plain", kind="text", body={"segments": []},
                ),
                models.DriveFeed(user_id=user_id, workspace_id=workspace_id),
                models.VisibleFile(
                    user_id=user_id, file_id=f"file of {user_id}", revision="1", name="Plan", mime_type="text/plain",
                    kind="text", url="https://drive.example/plan", can_download=True,
                ),
                models.ApiKey(
                    user_id=user_id, name="Script", hint="leaf_key_x", token_hash=tokens.digest(tokens.new("key")),
                    scopes=["read"],
                ),
                models.UserSettings(user_id=user_id, search_mode="adaptive", instructions="Answer in French."),
                models.Project(id=person.project_id, user_id=user_id, name="Pears", instructions="Answer in French."),
                models.ChatSession(id=person.chat_id, workspace_id=workspace_id, created_by=user_id, title="Plans"),
            ]
        )  # fmt: skip
        await tx.session.flush()
        drive_text = models.DriveText(
            file_id=f"file of {user_id}", revision="1", state="read", mime_type="text/plain", kind="text",
            body={"segments": []},
        )  # fmt: skip
        tx.session.add_all(
            [
                drive_text,
                models.ChatParticipant(chat_session_id=person.chat_id, user_id=user_id, project_id=person.project_id),
            ]
        )
        await tx.session.flush()
        tx.session.add(
            models.DriveChunk(
                text_id=drive_text.id, n=0, place="all", heading="Plan", text="Pears",
                words=func.leaf_chunk_words("simple", "Plan", "Pears"),
            )
        )  # fmt: skip
        await tx.session.flush()
        vector = models.DriveVector(
            text_id=drive_text.id, n=0, model="local", digest=uuid4(), vector=f"[{','.join(['0.1'] * 512)}]"
        )
        tx.session.add(vector)
        question = models.Message(chat_session_id=person.chat_id, role=MessageRole.USER, user_id=user_id)
        answer = models.Message(
            chat_session_id=person.chat_id,
            parent_id=question.id,
            role=MessageRole.ASSISTANT,
            user_id=user_id,
            workflow_run_id=person.run_id,
            status=models.MessageStatus.PENDING,
        )
        quote = {
            "n": 1, "kind": "drive", "verified": True, "reason": None, "file_id": "cited file", "revision": "1",
            "name": "Orchard.txt", "url": "https://drive.google.com/file/d/cited/view", "part": "", "quote": "Pears",
            "before": "", "after": "", "at": [[0, 0, 5]],
        }  # fmt: skip
        cited = models.Message(
            chat_session_id=person.chat_id, parent_id=question.id, role=MessageRole.ASSISTANT, user_id=user_id,
            workflow_run_id=uuid4(), parts=[{"type": "data-citations", "id": "citations", "data": [quote]}],
        )  # fmt: skip
        tx.session.add_all([question, cited, answer])
        file = models.ChatFile(chat_session_id=person.chat_id, path="plan.md", version=1, size_bytes=4)
        original = models.ChatFileOriginal(
            chat_session_id=person.chat_id, user_id=user_id, kind="pdf", size_bytes=3, sha256=b"x", data=b"PDF",
            content="Plan", content_bytes=4,
        )  # fmt: skip
        tx.session.add_all([file, original])
        await tx.session.flush()
        tx.session.add(
            models.CellEdit(
                chat_session_id=person.chat_id, message_id=answer.id, call="call", user_id=user_id, query="SELECT 1",
                output={"rows": [[1]]},
            )
        )  # fmt: skip
        tx.session.add(
            models.ChatSummary(chat_session_id=person.chat_id, message_id=answer.id, user_id=user_id, text="Short")
        )
        tx.session.add(
            models.Watch(
                user_id=user_id, workspace_id=workspace_id, chat_session_id=person.chat_id, question_id=question.id,
                kind="change", every="day", looked_at=models.utc_now(), answer_id=cited.id,
            )
        )  # fmt: skip
        tx.session.add(models.Digest(user_id=user_id))
        tx.session.add(
            models.Feedback(
                user_id=user_id, message_id=answer.id, run_id=person.run_id, sentiment="down", comment="Wrong"
            )
        )
        tx.session.add(
            models.ChatFileVersion(
                file_id=file.id, chat_session_id=person.chat_id, number=1, action="write", content="Plan",
                user_id=user_id, run_id=person.run_id, call_id="c1", original_id=original.id,
            )
        )  # fmt: skip
        tx.session.add(
            models.ChatShare(
                chat_session_id=person.chat_id, created_by=user_id, token=secrets.token_urlsafe(24),
                message_ids=[question.id],
            )
        )  # fmt: skip
        tx.session.add(
            models.Import(user_id=user_id, workspace_id=workspace_id, name="a.json", size_bytes=2, data=b"[]")
        )
        tx.session.add(
            models.ChatInvitation(chat_session_id=person.chat_id, invited_by=user_id, email="eve@example.org")
        )
        tx.session.add(models.SecurityEvent(user_id=user_id, kind="signed_in", network="192.0.2.0/24"))
        tx.session.add(
            models.QueuedMessage(
                chat_session_id=person.chat_id, user_id=user_id, parts=[{"type": "text", "text": "And then?"}],
                search_mode="quick", model_type="speed",
            )
        )  # fmt: skip
        tx.session.add(
            models.UsageEntry(
                run_id=person.run_id, purpose="title", user_id=user_id, workspace_id=workspace_id,
                chat_session_id=person.chat_id, message_id=answer.id, model="sandbox:sandbox", input_tokens=7,
            )
        )  # fmt: skip
    await _furnish_site(person)
    return person


async def _furnish_site(person: Person) -> None:
    """Gives a person a site, and its agent a visitor with a chat."""
    async with transaction(person.actor) as tx:
        made = await (await tx.session.connection()).execute(text("SELECT leaf_new_tenant('Shop')"))
        site_id: UUID = made.scalar_one()
        agent = models.Agent(site_id=site_id, name="Help", origins=["https://shop.example"])
        ends = models.utc_now() + timedelta(days=1)
        invitation = models.SiteInvitation(
            site_id=site_id, created_by=person.user_id, token_hash=tokens.digest(tokens.new("tenant")),
            expires_at=ends,
        )  # fmt: skip
        tx.session.add_all([agent, invitation, models.SigningSecret(site_id=site_id, hint="leaf", sealed="k:x")])
        await tx.session.flush()
        key = secrets.token_urlsafe(24)
        tx.session.add(models.AgentKey(site_id=site_id, agent_id=agent.id, name="Pages", key=key))
        tx.session.add(
            models.AgentFile(
                site_id=site_id, agent_id=agent.id, title="Returns", kind="text", size_bytes=2, characters=2,
                sha256=b"x", body={"segments": []},
            )
        )  # fmt: skip
        tx.session.add(
            models.AgentFolder(
                site_id=site_id, agent_id=agent.id, user_id=person.user_id, workspace_id=person.workspace_id,
                title="Handbook", folder_id="f",
            )
        )  # fmt: skip
        agent.agent_daily, agent.provider_logs = 1, True
        await (await tx.session.connection()).execute(text("UPDATE tenants SET monthly_tokens = 1"))
    async with transaction(Actor.system()) as tx:
        query = text("SELECT * FROM leaf_visitor(:agent, 'session', :subject, true)")
        visitor = (await (await tx.session.connection()).execute(query, {"agent": agent.id, "subject": key})).one()
        await tx.go_on_as(Actor.site_visitor(visitor.user_id, visitor.workspace_id))
        chat = models.ChatSession(workspace_id=visitor.workspace_id, created_by=visitor.user_id)
        tx.session.add(chat)
        await tx.session.flush()
        tx.session.add(models.ChatParticipant(chat_session_id=chat.id, user_id=visitor.user_id))
        await tx.session.flush()
        tx.session.add(models.SiteChat(chat_session_id=chat.id, site_id=site_id, agent_id=agent.id))
        tx.session.add(
            models.UsageEntry(
                run_id=uuid4(), purpose="summary", user_id=visitor.user_id, workspace_id=visitor.workspace_id,
                chat_session_id=chat.id, model="sandbox:sandbox", input_tokens=7,
            )
        )  # fmt: skip
        await tx.session.flush()
        connection = await tx.session.connection()
        await connection.execute(text("SELECT leaf_note_budgets(NULL, NULL)"))
        question = models.Message(chat_session_id=chat.id, role=MessageRole.USER, user_id=visitor.user_id)
        tx.session.add(question)
        await tx.session.flush()
        given = {"tenant": site_id, "agent": agent.id, "chat": chat.id, "message": question.id}
        await connection.execute(_LOG, given)
    async with transaction(Actor.system()) as tx:
        await tx.call("leaf_cool_chats", timedelta(0), 1000)


_LOG = text(
    "INSERT INTO provider_logs (tenant_id, agent_id, chat_session_id, message_id, run_id, number, address, latency_ms, "
    "request, request_bytes, response, response_bytes, expires_at) VALUES (:tenant, :agent, :chat, :message, "
    "gen_random_uuid(), 1, 'POST x', 1, 'Where?', 6, 'Here.', 5, now() + interval '1 day')"
)


_OF_PEOPLE = "(SELECT u.id FROM users u WHERE u.email <> '')"
_PEOPLES: dict[str, LiteralString] = {
    "users": f"t.id IN {_OF_PEOPLE}",
    "workspaces": "t.id NOT IN (SELECT workspace_id FROM tenants)",
    "workspace_members": f"t.user_id IN {_OF_PEOPLE}",
    "chat_sessions": f"t.created_by IN {_OF_PEOPLE}",
    "chat_participants": f"t.user_id IN {_OF_PEOPLE}",
    "usage_entries": f"t.user_id IN {_OF_PEOPLE}",
    "messages": "t.chat_session_id NOT IN (SELECT chat_session_id FROM widget_chats)",
    "cold_messages": "t.chat_session_id NOT IN (SELECT chat_session_id FROM widget_chats)",
}
"""Visitors of sites have rows of these, too, which nobody else sees."""


def rows_of(database_url: str, tables: Sequence[str] = TABLES) -> Rows:
    """Every row of these tables that is of a person's, as the owner sees them."""
    with psycopg.connect(database_url, row_factory=tuple_row) as connection:
        return {
            table: [
                row
                for (row,) in connection.execute(
                    sql.SQL("SELECT to_jsonb(t) FROM {} t WHERE {} ORDER BY to_jsonb(t)::text").format(
                        sql.Identifier(table), sql.SQL(_PEOPLES.get(table, "true"))
                    )
                )
            ]
            for table in tables
        }


class Tables:
    """The rows of people in a database, read again only when a row of any table was written."""

    def __init__(self, database_url: str) -> None:
        self._url = database_url
        self._writes = -1
        self._rows: Rows = {}
        with psycopg.connect(database_url, autocommit=True) as connection:
            connection.execute("CREATE SEQUENCE IF NOT EXISTS test_writes")
            connection.execute(_NOTE_A_WRITE)
            for table in TABLES:
                connection.execute(sql.SQL(_AT_EACH_WRITE).format(sql.Identifier(table)))

    def rows(self, *, again: bool = False) -> Rows:
        """Every row (`rows_of`). `again`: also those whose transaction has ended after their write was noticed."""
        with psycopg.connect(self._url) as connection:
            (writes,) = connection.execute("SELECT last_value FROM test_writes").fetchone() or (0,)
        if again or writes != self._writes:
            self._writes, self._rows = writes, rows_of(self._url)
        return self._rows


_NOTE_A_WRITE = """
    CREATE OR REPLACE FUNCTION test_note_a_write() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
    BEGIN
        PERFORM nextval('test_writes');
        RETURN NULL;
    END $$
"""
_AT_EACH_WRITE = """
    CREATE OR REPLACE TRIGGER test_writes AFTER INSERT OR UPDATE OR DELETE ON {}
        FOR EACH ROW EXECUTE FUNCTION test_note_a_write()
"""
