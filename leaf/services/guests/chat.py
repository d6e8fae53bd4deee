"""Chats of guests in Redis. Each chat is one value that holds the same rows as a member's chat in the database.

A chat expires `guest_hours` (`leaf.config`) after its last write. It is read, changed and written back as a whole,
because it is small and written only twice in a turn. A write fails if another change was written in the meantime.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import orjson

from leaf import config, errors, parts, redis, streams, texts
from leaf.db import models
from leaf.db.actor import Actor, Guest
from leaf.redis import events
from leaf.services import chats

_INDEX = "leaf:guests"
"""A sorted set of the ids of stored chats. The score is the time of expiry (Unix time, seconds)."""
_UNFINISHED = "leaf:guests:unfinished"
"""A sorted set of the ids of unfinished runs. The score is the time of their start (Unix time, seconds)."""

_AT_ONCE = 500

_WRITE = redis.Script("""
local chat, index, unfinished, run = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local before, after, content, bytes = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local seconds, most, member, begun, ended = tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7], ARGV[8], ARGV[9]
local now = tonumber(redis.call('TIME')[1])
if (redis.call('HGET', chat, 'version') or '') ~= before then return -1 end
if before == '' then
  redis.call('ZREMRANGEBYSCORE', index, '-inf', now)
  if redis.call('ZCARD', index) >= most then
    return math.max(1, tonumber(redis.call('ZRANGE', index, 0, 0, 'WITHSCORES')[2]) - now)
  end
end
redis.call('HSET', chat, 'version', after, 'content', content, 'bytes', bytes)
redis.call('EXPIRE', chat, seconds)
redis.call('ZADD', index, now + seconds, member)
if begun ~= '' then
  redis.call('SET', run, member, 'EX', seconds)
  redis.call('ZADD', unfinished, now, begun)
end
if ended ~= '' then redis.call('ZREM', unfinished, ended) end
return 0
""")


@dataclass
class Conversation:
    """A guest's chat."""

    guest: Guest
    rows: list[models.Message] = field(default_factory=list[models.Message])
    """Questions and answers in turn. There is one path, because guests make no branches."""
    keeper: UUID | None = None
    """The member who adopts the chat. No other member can adopt it after that."""
    adopted: bool = False
    """Whether the chat now belongs to the keeper. Its rows are then in the database and no longer here."""
    version: str = ""
    """A random value that changes with each write; empty before the first write."""
    size_bytes: int = 0

    @property
    def unfinished(self) -> models.Message | None:
        """The answer that is being written; None if no answer is being written."""
        last = self.rows[-1] if self.rows else None
        return last if last is not None and last.status in chats.UNFINISHED else None

    def answer_of(self, run_id: UUID) -> models.Message | None:
        """The answer that a run writes or has written; None if there is none."""
        return next((row for row in self.rows if row.workflow_run_id == run_id), None)

    def as_chat(self, chat_id: UUID) -> chats.Chat:
        """The chat in the form that pages use.

        Args:
            chat_id: The id of the chat that the page requests.

        Raises:
            errors.NotFound: The chat is not the guest's, or a member has adopted it.
        """
        if chat_id != self.guest.chat_id or self.adopted:
            raise errors.NotFound("chat")
        return chats.Chat(chat_id, "", used_drive=False, messages=[chats.message_of(row) for row in self.rows])


async def read(guest: Guest) -> Conversation:
    """A guest's chat; an empty chat if none is stored.

    Raises:
        errors.RedisUnavailable: Redis does not answer.
    """
    with redis.guard():
        client: Any = redis.client()
        version, content = await client.hmget(_key(guest.chat_id), "version", "content")
    found = _decoded(version, content) if content is not None else None
    # The id of the chat is no secret, but the id of the guest is proved by the cookie.
    return found if found is not None and found.guest.id == guest.id else Conversation(guest)


async def of_run(run_id: UUID) -> Conversation | None:
    """The chat of a run; None if no guest started the run, or the chat has expired.

    Raises:
        errors.RedisUnavailable: Redis does not answer.
    """
    with redis.guard():
        client: Any = redis.client()
        chat_id = await client.get(_run_key(run_id))
        if chat_id is None:
            return None
        version, content = await client.hmget(_key(UUID(chat_id.decode())), "version", "content")
    return _decoded(version, content) if content is not None else None


async def write(chat: Conversation, *, begun: UUID | None = None, ended: UUID | None = None) -> bool:
    """Writes a chat back. It expires `guest_hours` later.

    Args:
        chat: The chat.
        begun: A run that begins with this change.
        ended: A run that ends with this change.

    Returns:
        False if another change was written since the chat was read. Nothing is stored; read the chat again.

    Raises:
        errors.LimitReached: The chat is new, and the limit of stored chats is reached.
        errors.RedisUnavailable: Redis does not answer.
    """
    settings = config.current()
    after, content = uuid4().hex, _encoded(chat)
    names = [_key(chat.guest.chat_id), _INDEX, _UNFINISHED, _run_key(begun or "none")]
    arguments = [
        chat.version, after, content, len(content), settings.guest_hours * 3600, settings.guest_chats,
        str(chat.guest.chat_id), str(begun or ""), str(ended or ""),
    ]  # fmt: skip
    with redis.guard():
        refused = int(await _WRITE(names, arguments))
    if refused > 0:
        raise errors.LimitReached(texts.english("guest.refused_full"), resets_in_seconds=refused)
    if refused == 0:
        chat.version, chat.size_bytes = after, len(content)
    return refused == 0


def require_guest(actor: Actor) -> Guest:
    """The guest identity of an actor.

    Raises:
        errors.Unauthenticated: The actor is not a guest, or guests are turned off.
    """
    if actor.guest_identity is None or not config.current().guests:
        raise errors.Unauthenticated
    return actor.guest_identity


async def forget(guest: Guest) -> None:
    """Deletes a guest's chat at once, and ends the answer that is being written in it.

    Raises:
        errors.RedisUnavailable: Redis does not answer.
    """
    for run_id in await _delete(guest):
        await streams.delete(run_id)
    await notify_pages(guest)


async def notify_pages(guest: Guest) -> None:
    """Notifies the guest's open pages of a change."""
    await events.publish([events.chat(guest.chat_id)])


async def _delete(guest: Guest) -> list[UUID]:
    """Deletes a chat; returns its runs, whose streams still exist.

    Raises:
        errors.RedisUnavailable: Redis does not answer.
    """
    chat = await read(guest)
    runs = [row.workflow_run_id for row in chat.rows if row.workflow_run_id is not None]
    if not chat.version:
        return runs
    with redis.guard():
        async with redis.client().pipeline(transaction=True) as pipe:
            pipe.delete(_key(guest.chat_id), *(_run_key(run_id) for run_id in runs))
            pipe.zrem(_INDEX, str(guest.chat_id))
            if runs:
                pipe.zrem(_UNFINISHED, *map(str, runs))
            await pipe.execute()
    return runs


async def forget_kept(chat_ids: Sequence[UUID], run_ids: Sequence[UUID]) -> None:
    """Deletes adopted chats, which name their keeper, and their runs, because the keeper's account is deleted.

    Raises:
        errors.RedisUnavailable: Redis does not answer.
    """
    with redis.guard():
        for ids in _pieces(chat_ids):
            await redis.client().delete(*map(_key, ids))
            await redis.client().zrem(_INDEX, *map(str, ids))
        for ids in _pieces(run_ids):
            await redis.client().delete(*map(_run_key, ids))
            await redis.client().zrem(_UNFINISHED, *map(str, ids))


def _pieces(ids: Sequence[UUID]) -> Iterator[Sequence[UUID]]:
    return (ids[place : place + _AT_ONCE] for place in range(0, len(ids), _AT_ONCE))


async def unfinished(older_than: timedelta) -> list[UUID]:
    """Ids of unfinished runs of guests that began at least `older_than` ago, the oldest first.

    Raises:
        errors.RedisUnavailable: Redis does not answer.
    """
    with redis.guard():
        client: Any = redis.client()
        now = (await client.time())[0]
        # Remove runs whose chat has expired.
        await client.zremrangebyscore(_UNFINISHED, "-inf", now - config.current().guest_hours * 3600)
        found = await client.zrangebyscore(_UNFINISHED, "-inf", now - older_than.total_seconds())
    return [UUID(one.decode()) for one in found]


def _key(chat_id: UUID) -> str:
    return f"leaf:guest:{chat_id}"


def _run_key(run_id: UUID | str) -> str:
    return f"leaf:guest:run:{run_id}"


def _encoded(chat: Conversation) -> bytes:
    return parts.encoded(
        {
            "guest": chat.guest.id,
            "chat": chat.guest.chat_id,
            "keeper": chat.keeper,
            "kept": chat.adopted,
            "rows": [
                {name: value for name, value in row.model_dump(mode="json").items() if value is not None}
                for row in chat.rows
            ],
        }
    )


def _decoded(version: bytes, content: bytes) -> Conversation:
    kept = orjson.loads(content)
    return Conversation(
        Guest(UUID(kept["guest"]), UUID(kept["chat"])),
        [models.Message.model_validate(row) for row in kept["rows"]],
        UUID(kept["keeper"]) if kept["keeper"] else None,
        kept["kept"],
        version.decode(),
        len(content),
    )
