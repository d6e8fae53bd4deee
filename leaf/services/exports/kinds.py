"""The tables of an export. An export has all their columns, except the columns listed here with a reason."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any, Final, Literal
from uuid import UUID

from sqlalchemy import text

from leaf.db.session import Actor, transaction


@dataclass(frozen=True)
class Kind:
    """The rows of one table, which form one JSON file with an array of objects."""

    file: str
    table: str
    where: str = "t.user_id = :person"
    """An SQL condition for the rows. The policies of the table apply as well. `:chat` is the id of the chat."""
    key: str = "id"
    """The unique column by which the rows are ordered, and from which the next batch continues."""
    key_type: Literal["uuid", "bigint", "text"] = "uuid"
    at_once: int = 500
    """Number of rows in a batch, which are in memory at once."""
    of_chat: bool = False
    """Whether the rows belong to a chat."""
    row: str = "to_jsonb(t)"
    """An SQL expression for a row as a JSON object."""


_IN_CHAT: Final = "t.chat_session_id = :chat"

KINDS: Final = (
    Kind("profile", "users", "t.id = :person"),
    Kind("identities", "identities"),
    Kind("workspaces", "workspaces", "true"),
    Kind("memberships", "workspace_members", key="workspace_id"),
    Kind("settings", "user_settings", key="user_id"),
    Kind("sessions", "sessions"),
    Kind("api_keys", "api_keys"),
    Kind("integrations", "integrations"),
    Kind("usage", "usage_entries"),
    Kind("security", "security_events"),
    Kind("feedback", "feedback"),
    Kind("documents", "documents"),
    Kind("drive_feeds", "drive_feeds", key="drive_id", key_type="text"),
    Kind("drive_files", "drive_sight", key="file_id", key_type="text"),
    Kind("drive_texts", "drive_texts", "true"),
    Kind("imports", "imports"),
    Kind("projects", "projects"),
    Kind("watches", "watches"),
    Kind("digests", "digests", key="user_id"),
    Kind("shared_links", "chat_shares", "t.created_by = :person", at_once=5),
    Kind("invitations", "chat_invitations", "t.invited_by = :person"),
    Kind("queued_messages", "queued_messages"),
    Kind("tenants", "tenants", "true"),
    Kind("tenant_members", "tenant_members", key="tenant_id"),
    Kind("tenant_invitations", "tenant_invitations", "t.created_by = :person"),
    Kind("agents", "agents", "true"),
    Kind("agent_keys", "agent_keys", "true"),
    Kind("agent_files", "agent_files", "true", at_once=5),
    Kind("agent_folders", "agent_folders"),
    Kind("signing_secrets", "signing_secrets", "true"),
    Kind("budget_alerts", "budget_alerts", "true"),
    Kind("chat", "chat_sessions", "t.id = :chat", of_chat=True),
    Kind("participants", "chat_participants", _IN_CHAT, key="user_id", of_chat=True),
    Kind(
        "messages",
        "messages",
        _IN_CHAT,
        key="position",
        key_type="bigint",
        at_once=20,
        of_chat=True,
        row="to_jsonb(t) || jsonb_build_object('parts', leaf_parts(t))",
    ),
    Kind("summaries", "chat_summaries", _IN_CHAT, at_once=50, of_chat=True),
    Kind("cell_edits", "cell_edits", _IN_CHAT, of_chat=True),
    Kind("files", "chat_files", _IN_CHAT, of_chat=True),
    Kind("versions", "chat_file_versions", _IN_CHAT, of_chat=True),
    Kind("uploads", "chat_file_originals", _IN_CHAT, of_chat=True),
)
"""All tables with data of a member."""

LEFT_OUT: Final[dict[str, dict[str, str]]] = {
    "sessions": {"token_hash": "it proves a session"},
    "api_keys": {"token_hash": "it proves a key"},
    "tenant_invitations": {"token_hash": "it proves an invitation"},
    "signing_secrets": {"sealed": "it signs who visitors are"},
    "integrations": {
        "access_token": "it opens the person's Drive",
        "refresh_token": "it opens the person's Drive",
    },
    "documents": {"body": "the text of files that are in the person's own Drive; it is kept to be read faster"},
    "drive_feeds": {
        "change_token": "it names a place in Google's list of changes",
        "page_token": "it names a page of a listing of Google's",
    },
    "drive_sight": {"resource_key": "it opens a file that was shared by link"},
    "drive_texts": {
        "body": "the text of a file that is in the person's own Drive; it is kept to be searched",
        "digest": "made from that text",
    },
    "chat_invitations": {"declined_at": "what others did with an invitation is theirs"},
    "imports": {"data": "the file that the person has sent; it is kept until its chats are there"},
    "cell_edits": {"output": "made of files that are in the person's own Drive, by the query"},
    "messages": {
        "model_messages": "the same as `parts`, in the form in which models are sent it",
        "cold": "where its contents are kept",
    },
    "chat_file_versions": {"content": "it is in the archive as a file"},
    "chat_file_originals": {
        "data": "it is in the archive as a file",
        "content": "the text of the upload, made from it",
    },
}
"""Columns that an export leaves out, by table, each with the reason."""

NOT_EXPORTED: Final[dict[str, str]] = {
    "visitors": "they are other people, whose chats are the site's to export and not one member's",
    "provider_logs": "what models were asked for visitors, for the same reason; it goes within days",
    "widget_chats": "what stands beside the chats of visitors, for the same reason",
    "cold_messages": "contents of old messages, which are in the archive with their messages",
    "citations": "where quotes of answers stand in the person's own Drive by now; the quotes are in the archive",
    "drive_chunks": "the passages of the texts of Drive files, which are in the person's own Drive",
    "drive_vectors": "numbers that are made from these passages",
    "search_words": "the words of titles and messages that are in the archive; they are kept to be found faster",
}
"""Tables with rows of people that an export leaves out, each with the reason."""


async def rows(actor: Actor, kind: Kind, chat_id: UUID | None = None) -> AsyncGenerator[dict[str, Any]]:
    """The rows of a kind in the order of their keys. No transaction stays open between two rows.

    Args:
        actor: The member, to whom the policies of the table apply.
        kind: The table.
        chat_id: The chat, for a kind whose rows belong to a chat.
    """
    # Every name in the statement comes from a constant.
    statement = text(
        f"SELECT ({kind.row}) - CAST(:without AS text[]) AS row, t.{kind.key} AS key FROM {kind.table} t "  # noqa: S608
        f"WHERE {kind.where} AND (CAST(:after AS {kind.key_type}) IS NULL "
        f"OR t.{kind.key} > CAST(:after AS {kind.key_type})) ORDER BY t.{kind.key} LIMIT :at_once"
    )
    values: dict[str, Any] = {"without": list(LEFT_OUT.get(kind.table, {})), "after": None, "at_once": kind.at_once}
    if ":person" in kind.where:
        values["person"] = actor.user_id
    if kind.of_chat:
        values["chat"] = chat_id
    while True:
        async with transaction(actor, read_only=True) as tx:
            found = (await tx.execute(statement, values)).all()
        for row in found:
            yield row.row
        if len(found) < kind.at_once:
            return
        values["after"] = found[-1].key
