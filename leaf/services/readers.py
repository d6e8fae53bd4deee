"""Readers of runs, one for each audience. A reader checks which answers it may read, and again after each notice."""

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from sqlalchemy import Uuid, any_, literal
from sqlalchemy.dialects.postgresql import ARRAY
from sqlmodel import col

from leaf import errors, parts
from leaf.db import models
from leaf.db.session import Actor, Transaction, transaction
from leaf.parts import Chunk
from leaf.redis import events
from leaf.services import accounts, api_keys, chats, guests, runs
from leaf.services.sites import visitors
from leaf.streams import Answer, Reader, RunId


@dataclass(frozen=True)
class Proof:
    """The session or the API key that identifies a member."""

    id: UUID
    holds: Callable[[Transaction], Awaitable[bool]]
    """Checks whether the session or key is valid: it has neither ended nor been revoked."""

    async def require(self, tx: Transaction) -> None:
        """Raises errors.Unauthenticated if the session or key has ended or was revoked."""
        if not await self.holds(tx):
            raise errors.Unauthenticated


def session_proof(session: accounts.Session, cookie_header: str) -> Proof:
    """The proof of a browser's session, which is its Cookie header."""
    return Proof(session.id, partial(accounts.is_session, cookie_header=cookie_header))


def key_proof(bearer: api_keys.Bearer, key: str) -> Proof:
    """The proof of a program, which is its API key."""
    return Proof(bearer.id, partial(api_keys.is_valid, key=key))


def member(actor: Actor, proof: Proof | None = None) -> Reader:
    """The reader for a member, who may read answers of chats in which they take part.

    Args:
        actor: The member.
        proof: The session or key of a request or page; None for a call within the server, which needs no proof.

    Raises:
        errors.Unauthenticated: The actor is not a member.
    """

    async def check(run_ids: Collection[RunId]) -> dict[RunId, Answer]:
        async with transaction(actor, read_only=True) as tx:
            if proof is not None:
                await proof.require(tx)
            return await _answers(tx, run_ids)

    key = ("member", actor.member_id, proof.id if proof is not None else None)
    return Reader(key, (events.user(actor.member_id),), check)


def guest(actor: Actor) -> Reader:
    """The reader for a guest, who may read the answers of their own chat.

    Raises:
        errors.Unauthenticated: The actor is not a guest.
    """
    identity = actor.guest_identity
    if identity is None:
        raise errors.Unauthenticated

    async def check(run_ids: Collection[RunId]) -> dict[RunId, Answer]:
        chat = await guests.read(identity)
        rows = {run_id: chat.answer_of(UUID(str(run_id))) for run_id in run_ids}
        return {run_id: _answer(chats.message_of(row)) for run_id, row in rows.items() if row is not None}

    return Reader(("guest", identity.id, identity.chat_id), (events.chat(identity.chat_id),), check)


def of(actor: Actor, proof: Proof | None = None) -> Reader:
    """The reader for an actor's own conversations, by the store of the actor's audience."""
    return guest(actor) if actor.audience.store == "redis" else member(actor, proof)


def site_visitor(actor: Actor, public_key: str, agent_id: UUID) -> Reader:
    """The reader for a site visitor, who may read the answers of their own chats while the site's public key is valid.

    Args:
        actor: The visitor.
        public_key: The key of the page.
        agent_id: The agent to which the key belongs.

    Raises:
        errors.Unauthenticated: The actor has no id of a person.
    """

    async def check(run_ids: Collection[RunId]) -> dict[RunId, Answer]:
        await visitors.agent_of(public_key)
        async with transaction(actor, read_only=True) as tx:
            return await _answers(tx, run_ids)

    topics = events.user(actor.member_id), events.agent(agent_id)
    return Reader(("site visitor", actor.user_id, public_key), topics, check)


def site_reader(actor: Actor, chat_id: UUID, proof: Proof | None = None) -> Reader:
    """The reader for a member of a site's team, who may read one conversation of a visitor.

    Args:
        actor: The member.
        chat_id: The conversation.
        proof: As in `member`.

    Raises:
        errors.Unauthenticated: The actor is not a member.
    """

    async def check(run_ids: Collection[RunId]) -> dict[RunId, Answer]:
        async with transaction(actor, read_only=True) as tx:
            if proof is not None:
                await proof.require(tx)
            query = "SELECT * FROM leaf_tenant_messages(:chat) WHERE run_id = ANY(:runs)"
            values = {"chat": chat_id, "runs": [*run_ids]}
            rows = (await tx.execute(query, values)).all()
        messages = [
            chats.Message(
                row.id, row.role, row.status, row.parts, row.created_at, row.updated_at, run_id=row.run_id,
                error_code=row.error_code, error_text=row.error_text,
            )
            for row in rows
        ]  # fmt: skip
        return {message.run_id: _answer(message) for message in messages if message.run_id is not None}

    key = ("site reader", actor.user_id, chat_id, proof.id if proof is not None else None)
    return Reader(key, (events.user(actor.member_id), events.chat(chat_id)), check)


async def _answers(tx: Transaction, run_ids: Collection[RunId]) -> dict[RunId, Answer]:
    """The answers of the given runs that the transaction's actor may read, by run."""
    wanted = literal([UUID(str(one)) for one in run_ids], ARRAY(Uuid))
    messages = await chats.messages(tx, col(models.Message.workflow_run_id) == any_(wanted))
    return {one.run_id: _answer(one) for one in messages if one.run_id is not None}


def _answer(message: chats.Message) -> Answer:
    return Answer(message.unfinished, lambda: stored_chunks(message))


def stored_chunks(message: chats.Message) -> list[Chunk]:
    """The chunks from which a client would build a stored answer. The last is `finish`."""
    waiting = runs.open_calls(message.parts) if message.status == "waiting" else []
    chunks = parts.replay(message.as_ui_message(), [call["toolCallId"] for call in waiting])
    if message.status == "error":
        chunks.append({"type": "error", "errorText": message.error_text or ""})
    if any(chunk["type"] == "start-step" for chunk in chunks):
        chunks.append({"type": "finish-step"})
    return [*chunks, {"type": "finish", "finishReason": "error" if message.status == "error" else "stop"}]
