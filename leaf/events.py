"""Small notices between processes, through Redis: something about a chat or a person has changed, so look again.

A notice says where to look and carries no content; whoever receives it reads the database with its own rights. One
connection per process listens for all subscribers.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager, suppress
from uuid import UUID
from weakref import WeakKeyDictionary

from redis.asyncio.client import PubSub
from redis.exceptions import RedisError

from leaf import redis

_PREFIX = "leaf:notice:"
_RETRY_SECONDS = 1.0
_SILENCE_SECONDS = 5.0


def chat(chat_id: UUID) -> str:
    """The topic of a chat: a turn began or ended, or the chat was renamed or deleted."""
    return f"{_PREFIX}chat:{chat_id}"


def user(user_id: UUID) -> str:
    """The topic of a person: their list of chats or their integrations changed."""
    return f"{_PREFIX}user:{user_id}"


async def publish(topics: Iterable[str]) -> None:
    """Tells subscribers to look again. One that cannot be sent is dropped: pages look when they are opened, too."""
    with suppress(RedisError, OSError):
        async with redis.client().pipeline(transaction=False) as pipe:
            for topic in topics:
                pipe.publish(topic, b"")
            await pipe.execute()


@asynccontextmanager
async def subscribe(topics: Iterable[str]) -> AsyncGenerator["Subscription"]:
    """Listens to topics for as long as the block lasts."""
    hub = _hubs.setdefault(asyncio.get_running_loop(), _Hub())
    subscription = Subscription()
    wanted = list(topics)
    for topic in wanted:
        hub.subscribers[topic].add(subscription)
    hub.changed()
    try:
        yield subscription
    finally:
        for topic in wanted:
            hub.subscribers[topic].discard(subscription)
            if not hub.subscribers[topic]:
                del hub.subscribers[topic]
        hub.changed()


class Subscription:
    """What one subscriber has not looked at yet: several notices in a row are one."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def notify(self) -> None:
        """Marks that something has changed."""
        self._event.set()

    async def changed(self, *, within_seconds: float) -> bool:
        """Waits for a notice; False if none came within the time given."""
        try:
            async with asyncio.timeout(within_seconds):
                await self._event.wait()
        except TimeoutError:
            return False
        self._event.clear()
        return True


class _Hub:
    """One connection that listens for all subscribers of an event loop, and comes back when Redis does."""

    def __init__(self) -> None:
        self.subscribers: dict[str, set[Subscription]] = defaultdict(set)
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
                await asyncio.sleep(_RETRY_SECONDS)
                self._notify_all()
            finally:
                await client.aclose()

    def _notify_all(self) -> None:
        """After an interruption nobody knows what was missed, so everybody looks again."""
        for subscriptions in self.subscribers.values():
            for subscription in subscriptions:
                subscription.notify()

    async def _listen(self, pubsub: PubSub) -> None:
        await pubsub.subscribe(_PREFIX)
        keeping = asyncio.create_task(self._keep_topics(pubsub))
        try:
            while self.subscribers and not keeping.done():
                message = await pubsub.get_message(ignore_subscribe_messages=True, timeout=_SILENCE_SECONDS)
                if message is not None and message["type"] == "message":
                    channel = message["channel"]
                    topic = channel.decode() if isinstance(channel, bytes) else str(channel)
                    for subscription in tuple(self.subscribers.get(topic, ())):
                        subscription.notify()
        finally:
            keeping.cancel()
            await asyncio.gather(keeping, return_exceptions=True)

    async def _keep_topics(self, pubsub: PubSub) -> None:
        """Subscribes and unsubscribes beside the reading: Redis allows both on one connection."""
        listening: set[str] = set()
        while True:
            self._wanted.clear()
            wanted = set(self.subscribers)
            if wanted - listening:
                await pubsub.subscribe(*(wanted - listening))
            if listening - wanted:
                await pubsub.unsubscribe(*(listening - wanted))
            listening = wanted
            await self._wanted.wait()


_hubs: WeakKeyDictionary[asyncio.AbstractEventLoop, _Hub] = WeakKeyDictionary()
