"""A row of one person's in every table, for the tests of row-level security and of deletion."""

import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import psycopg
from psycopg import sql
from psycopg.rows import tuple_row

from leaf import tokens
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
    person = Person(actor, uuid4(), uuid4(), tokens.digest(tokens.new("session")))
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
                models.UserSettings(user_id=user_id, search_mode="adaptive", instructions="Answer in French."),
                models.ChatSession(id=person.chat_id, workspace_id=workspace_id, created_by=user_id, title="Plans"),
            ]
        )  # fmt: skip
        await tx.session.flush()
        tx.session.add(models.ChatParticipant(chat_session_id=person.chat_id, user_id=user_id))
        await tx.session.flush()
        question = models.Message(chat_session_id=person.chat_id, role=MessageRole.USER, user_id=user_id)
        answer = models.Message(
            chat_session_id=person.chat_id,
            parent_id=question.id,
            role=MessageRole.ASSISTANT,
            user_id=user_id,
            workflow_run_id=person.run_id,
            status=models.MessageStatus.PENDING,
        )
        tx.session.add_all([question, answer])
        file = models.ChatFile(chat_session_id=person.chat_id, path="plan.md", version=1, size_bytes=4)
        original = models.ChatFileOriginal(
            chat_session_id=person.chat_id, user_id=user_id, kind="pdf", size_bytes=3, sha256=b"x", data=b"PDF",
            content="Plan", content_bytes=4,
        )  # fmt: skip
        tx.session.add_all([file, original])
        await tx.session.flush()
        tx.session.add(
            models.ChatSummary(chat_session_id=person.chat_id, message_id=answer.id, user_id=user_id, text="Short")
        )
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
            models.ChatInvitation(chat_session_id=person.chat_id, invited_by=user_id, email="eve@example.org")
        )
        tx.session.add(
            models.UsageEntry(
                run_id=person.run_id, purpose="title", user_id=user_id, workspace_id=workspace_id,
                chat_session_id=person.chat_id, message_id=answer.id, model="sandbox:sandbox", input_tokens=7,
            )
        )  # fmt: skip
    return person


def rows_of(database_url: str) -> Rows:
    """Every row of every table, as the owner sees them."""
    with psycopg.connect(database_url, row_factory=tuple_row) as connection:
        return {
            table: [
                row
                for (row,) in connection.execute(
                    sql.SQL("SELECT to_jsonb(t) FROM {} t ORDER BY to_jsonb(t)::text").format(sql.Identifier(table))
                )
            ]
            for table in TABLES
        }
