"""Notices between processes through Redis: after a change of a chat or a member, subscribers read it again.

A notice names its topic and contains nothing that pages show. Each subscriber reads the database with its own
permissions. One connection per process listens for all subscribers.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager, suppress
from typing import Any
from uuid import UUID
from weakref import WeakKeyDictionary

from redis.asyncio.client import PubSub
from redis.exceptions import RedisError

from leaf import redis

_PREFIX = "leaf:notice:"
_CHATS = f"{_PREFIX}chats:"
_LISTS_ALONE = b"chats"
"""Content of a member's notice that only repeats the notice about their lists of chats."""
_RETRY_SECONDS = 1.0
_SILENCE_SECONDS = 5.0
_BEGIN_SECONDS = 1.0


def chat(chat_id: UUID) -> str:
    """The topic of a chat. Its notices mean that a turn began or ended, or that the chat was renamed or deleted."""
    return f"{_PREFIX}chat:{chat_id}"


def user(user_id: UUID) -> str:
    """The topic of a member. Notices mean that their session, integrations or anything around their chats changed."""
    return f"{_PREFIX}user:{user_id}"


def chats_of(user_id: UUID) -> str:
    """The topic of a member's lists of chats.

    Its notices mean that a turn of a chat began or ended, or that the member read, pinned, archived or moved a chat.
    """
    return f"{_CHATS}{user_id}"


def agent(agent_id: UUID) -> str:
    """The topic of a site's agent. Its notices mean that a public key was revoked, or that the agent was deleted."""
    return f"{_PREFIX}agent:{agent_id}"


async def publish(topics: Iterable[str]) -> None:
    """Sends a notice for each topic. A notice that cannot be sent is dropped, because pages also read when opened."""
    with suppress(RedisError, OSError):
        async with redis.client().pipeline(transaction=False) as pipe:
            for topic in topics:
                pipe.publish(topic, b"")
                if topic.startswith(_CHATS):
                    # Pages of the previous version know only the topic of the member, and then read everything.
                    pipe.publish(user(UUID(topic.removeprefix(_CHATS))), _LISTS_ALONE)
            await pipe.execute()


@asynccontextmanager
async def subscribe(topics: Iterable[str]) -> AsyncGenerator["Subscription"]:
    """Subscribes to topics while the block runs. No notice within the block is missed.

    If Redis does not answer, the block runs anyway, and the subscriber is notified when Redis is back.
    """
    hub = _hubs.setdefault(asyncio.get_running_loop(), _Hub())
    wanted = list(topics)
    subscription = Subscription(set(wanted) - hub.listening)
    for topic in wanted:
        hub.subscribers[topic].add(subscription)
    hub.changed()
    try:
        await subscription.begun(within_seconds=_BEGIN_SECONDS)
        yield subscription
    finally:
        for topic in wanted:
            hub.subscribers[topic].discard(subscription)
            if not hub.subscribers[topic]:
                del hub.subscribers[topic]
        hub.changed()


class Subscription:
    """The pending notices of one subscriber. Several notices for a topic count as one."""

    def __init__(self, awaited: set[str]) -> None:
        self._event = asyncio.Event()
        self._changed: set[str] = set()
        self._awaited = awaited
        self._begun = asyncio.Event()
        if not awaited:
            self._begun.set()

    async def begun(self, *, within_seconds: float) -> None:
        """Waits until Redis listens to all topics of this subscriber, or for the time limit."""
        try:
            async with asyncio.timeout(within_seconds):
                await self._begun.wait()
        except TimeoutError:
            # Notices may be lost from now on, so the subscriber is notified once Redis listens.
            self._begun.set()

    def listened_to(self, topic: str) -> None:
        """Records that Redis listens to a topic, for the first time or after an outage in which notices were lost."""
        if self._begun.is_set():
            self.notify(topic)
        self._awaited.discard(topic)
        if not self._awaited:
            self._begun.set()

    def notify(self, topic: str) -> None:
        """Marks a topic as changed."""
        self._changed.add(topic)
        self._event.set()

    async def changed(self, *, within_seconds: float) -> set[str]:
        """Waits for a notice. Returns the topics of all notices since the last call; empty after the time limit."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within_seconds):
                await self._event.wait()
        self._event.clear()
        changed, self._changed = self._changed, set()
        return changed


class _Hub:
    """A connection that listens for all subscribers of an event loop, and is renewed after an outage of Redis."""

    def __init__(self) -> None:
        self.subscribers: dict[str, set[Subscription]] = defaultdict(set)
        self.listening: set[str] = set()
        """The topics to which Redis has confirmed to listen."""
        self._wanted = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def changed(self) -> None:
        self._wanted.set()
        if self.subscribers and (self._task is None or self._task.done()):
            self._task = asyncio.create_task(self._run(), name="notices")

    async def _run(self) -> None:
        while self.subscribers:
            client = redis.dedicated(_SILENCE_SECONDS * 2)
            try:
                async with client.pubsub() as pubsub:
                    await self._listen(pubsub)
            except (RedisError, OSError):
                self.listening.clear()
                await asyncio.sleep(_RETRY_SECONDS)
            finally:
                self.listening.clear()
                await client.aclose()

    async def _listen(self, pubsub: PubSub) -> None:
        await pubsub.subscribe(_PREFIX)
        topics = asyncio.create_task(self._keep_topics(pubsub))
        try:
            while self.subscribers and not topics.done():
                message: Any = await pubsub.get_message(timeout=_SILENCE_SECONDS)
                if message is not None and message["data"] != _LISTS_ALONE:
                    self._deliver(message["type"], message["channel"])
            if topics.done():
                topics.result()  # Raises the error of the connection. `_run` opens it again after a pause.
        finally:
            topics.cancel()
            await asyncio.gather(topics, return_exceptions=True)

    def _deliver(self, kind: str, channel: bytes | str) -> None:
        topic = channel.decode() if isinstance(channel, bytes) else channel
        subscriptions = tuple(self.subscribers.get(topic, ()))
        if kind == "subscribe":
            self.listening.add(topic)
            for subscription in subscriptions:
                subscription.listened_to(topic)
        elif kind == "message":
            for subscription in subscriptions:
                subscription.notify(topic)

    async def _keep_topics(self, pubsub: PubSub) -> None:
        """Subscribes and unsubscribes while `_listen` reads. Redis allows both on one connection."""
        subscribed: set[str] = set()
        while True:
            self._wanted.clear()
            wanted = set(self.subscribers)
            gone, added = subscribed - wanted, wanted - subscribed
            subscribed = wanted
            self.listening -= gone
            if gone:
                await pubsub.unsubscribe(*gone)
            if added:
                await pubsub.subscribe(*added)
            await self._wanted.wait()


_hubs: WeakKeyDictionary[asyncio.AbstractEventLoop, _Hub] = WeakKeyDictionary()
