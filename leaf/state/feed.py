"""One run as all tabs of this process show it: followed and folded once, and cut into frames.

A frame has the items of the answer without their text, which Reflex sends when they change, and the text beside them.
Of that a tab is sent what has been added since its last frame, by an event (`Frame.since`), because Reflex sends the
whole value of a var that changes.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import UUID, uuid4

from reflex_base.event import Event

from leaf import errors, parts, texts
from leaf.db.session import Actor
from leaf.services import chats, talking
from leaf.state import sending
from leaf.state.frames import Change, Frame, framed
from leaf.state.rows import Items

SINK = "live-text"
"""The id of the component that takes the text on the page."""
SINK_REF = "ref_live_text"
"""What Reflex makes of it."""
FRAME_SECONDS = 0.03
"""Least time between two frames."""
READER_SECONDS = 0.00025
"""What a frame costs for each tab that is sent it: with hundreds of them frames come less often, instead of late."""

Source = Callable[[Actor, UUID], AsyncGenerator[list[parts.Chunk]]]
"""Gives the chunks of a run to whoever may read them."""


@dataclass(frozen=True)
class Update:
    """What leads from one frame to a later one."""

    since: int
    """The number of the earlier one; 0 where the changes are the whole text."""
    changes: list[Change]


class Feed:
    """Frames of one run, for as long as somebody wants them."""

    def __init__(self, actor: Actor, run_id: UUID, source: Source) -> None:
        self.frame = Frame()
        self.readers = 0
        self.id = uuid4().hex[:8]
        """Frames are numbered anew in each feed of a run."""
        self.run_id = str(run_id)
        self._fold = parts.Fold()
        self._items = Items(live=True)
        self._changed = asyncio.Event()
        self._updates: dict[int, Update] = {}
        self._task = asyncio.create_task(self._read(source(actor, run_id)), name=f"feed {run_id}")
        self._task.add_done_callback(self._end)

    @property
    def ended(self) -> bool:
        """Whether nothing more will come."""
        return self._task.done()

    def close(self) -> None:
        """Ends the reading."""
        self._task.cancel()

    async def frames(self) -> AsyncGenerator[Frame]:
        """The newest frame each time that there is one, until the run ends; frames that came meanwhile are left out.

        Raises:
            errors.NotFound: There is no such run for this person.
            errors.RedisUnavailable: Redis stayed away.
        """
        seen = 0
        while True:
            changed = self._changed
            if self.frame.number > seen:
                seen = self.frame.number
                yield self.frame
            elif self.ended:
                self._task.result()
                return
            else:
                await changed.wait()

    def update(self, before: Frame | None) -> Update:
        """What leads from an earlier frame to the newest: made once for all tabs that have come so far."""
        number = before.number if before else 0
        if number not in self._updates:
            changes = self.frame.since(before)
            whole = changes is None
            self._updates[number] = Update(0, self.frame.all()) if whole else Update(number, changes)
        return self._updates[number]

    def _end(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled():
            task.exception()  # For whoever follows; where nobody does, it is nobody's.
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def _read(self, source: AsyncGenerator[list[parts.Chunk]]) -> None:
        loop = asyncio.get_running_loop()
        due = 0.0
        waiting: asyncio.TimerHandle | None = None
        taken_back = False

        def show() -> None:
            nonlocal due, waiting, taken_back
            waiting, due = None, loop.time() + max(FRAME_SECONDS, READER_SECONDS * _readers.total())
            self._show(taken_back=taken_back)
            taken_back = False

        try:
            async for chunks in source:
                for chunk in chunks:
                    taken_back = taken_back or chunk["type"] == parts.REWIND
                    self._fold.apply(chunk)
                if waiting is None and loop.time() >= due:
                    show()
                elif waiting is None:
                    waiting = loop.call_at(due, show)
            if waiting is not None:
                waiting.cancel()
                show()
        finally:
            if waiting is not None:
                waiting.cancel()

    def _show(self, *, taken_back: bool) -> None:
        """Makes the next frame of what has been read."""
        items = self._items.of(self._fold.parts)
        if not items and not taken_back and self.frame.number == 0:
            return  # The page says already that Leaf thinks.
        self.frame = framed(self.frame, items, self._fold.parts, taken_back=taken_back)
        self._updates.clear()
        self._wake()


_feeds: dict[tuple[asyncio.AbstractEventLoop, UUID, str, UUID | None, Source], Feed] = {}
_readers: Counter[asyncio.AbstractEventLoop] = Counter()


@asynccontextmanager
async def joined(actor: Actor, answer: chats.Message) -> AsyncGenerator[Feed]:
    """The feed of a run, for a person's tabs of one language: who is removed from a chat takes no other's with them.

    Args:
        actor: Who reads.
        answer: The answer that the run writes, as this actor has read it: whoever may not see it does not have it.

    Raises:
        errors.NotFound: No run writes it.
    """
    if answer.run_id is None:
        raise errors.NotFound("answer")
    async with of_run(actor, answer.run_id, talking.follow) as feed:
        yield feed


@asynccontextmanager
async def of_run(actor: Actor, run_id: UUID, source: Source) -> AsyncGenerator[Feed]:
    """As `joined`, for a run whose chunks come from `source`, which asks whether this actor may read them."""
    key = asyncio.get_running_loop(), run_id, texts.current(), actor.user_id, source
    feed = _feeds.get(key)
    if feed is None or feed.ended:
        feed = _feeds[key] = Feed(actor, run_id, source)
    feed.readers += 1
    _readers[key[0]] += 1
    try:
        yield feed
    finally:
        feed.readers -= 1
        _readers[key[0]] -= 1
        if feed.readers == 0:
            feed.close()
            if _feeds.get(key) is feed:
                del _feeds[key]


async def write(feed: Feed, before: Frame | None) -> Frame | None:
    """Sends the tab whose event this is what has been added to a run's text (`take` in `assets/client/live.js`).

    An event, and not a var: several values of a var may come to the page as one, and each of these is needed.

    Args:
        feed: The run.
        before: What the tab has; None for nothing.

    Returns:
        What the tab has now; a frame that has added no text is not sent, and counts for nothing.
    """
    frame, update = feed.frame, feed.update(before)
    if not frame.number or (update.since and not update.changes):
        return before
    payload = {"ref": SINK_REF, "value": [feed.run_id, feed.id, update.since, frame.number, update.changes]}
    await sending.send(Event(name="_set_value", payload=payload), (feed.id, update.since, frame.number))
    return frame
