"""One run as the tabs of one browser show it: followed and folded once, and cut into frames.

A frame has the items of the answer without their text, which Reflex sends when they change, and the text beside them.
A tab is sent the text that was added since its last frame (`Frame.since`), beside the vars, because Reflex sends the
whole value of a var that changes. After a takeover by another worker, or a rewind, the next frame starts over
(`taken_back`).
"""

import asyncio
import secrets
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from leaf import errors, parts, streams, texts
from leaf.state import delivery
from leaf.streams import Batch, Lost, Reader, Revoked, Untaken
from leaf.streams.window import window_seconds
from leaf.views.frames import Change, Frame, framed
from leaf.views.rows import Items

SINK = "live"
"""The id of the component that takes the text on the page."""
READER_SECONDS = 0.00025
"""The cost of sending a frame to one tab: with hundreds of tabs frames come less often instead of late."""


@dataclass(frozen=True)
class Update:
    """The difference between one frame and a later one."""

    since: int
    """The number of the earlier one; 0 where the changes are the whole text."""
    changes: list[Change]


class Feed:
    """The frames of one run, for as long as a tab shows it."""

    def __init__(self, reader: Reader, run_id: UUID) -> None:
        self.frame = Frame()
        self.readers = 0
        self.id = secrets.token_urlsafe(3)
        """Each feed of a run numbers its frames from the start."""
        self.sent: dict[str, Frame] = {}
        """The last frame that each tab was sent, by the tab's token."""
        self.run_id = str(run_id)
        self._fold = parts.Fold()
        self._items = Items(live=True)
        self._changed = asyncio.Event()
        self._updates: dict[int, Update] = {}
        self._lost = 0
        """The number of times that the run could not be followed."""
        self._untaken = Untaken(waits=False)
        self._task = asyncio.create_task(self._read(reader, run_id), name=f"feed {run_id}")
        self._task.add_done_callback(self._end)

    @property
    def ended(self) -> bool:
        """Whether no frame will follow."""
        return self._task.done()

    def close(self) -> None:
        """Ends the reading."""
        self._task.cancel()

    async def frames(self) -> AsyncGenerator[Frame | Untaken | None]:
        """The newest frame whenever there is one, until the run ends; frames that were replaced while the caller was
        busy are skipped.

        None means that the run cannot be followed at the moment, `Untaken` whether it waits for a worker.

        Raises:
            errors.NotFound: The reader may not read this run, or not any longer.
            errors.Unauthenticated: The reader's session has ended.
        """
        seen, lost, untaken = 0, self._lost, Untaken(waits=False)
        while True:
            changed = self._changed
            if self.frame.number > seen:
                seen = self.frame.number
                yield self.frame
            elif self._lost > lost:
                lost = self._lost
                yield None
            elif self._untaken != untaken:
                untaken = self._untaken
                yield untaken
            elif self.ended:
                self._task.result()
                return
            else:
                await changed.wait()

    def update(self, before: Frame | None) -> Update:
        """The difference between an earlier frame and the newest, made once for all tabs that hold the earlier one."""
        number = before.number if before else 0
        if number not in self._updates:
            changes = self.frame.since(before)
            whole = changes is None
            self._updates[number] = Update(0, self.frame.all()) if whole else Update(number, changes)
        return self._updates[number]

    def _end(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled():
            task.exception()  # `frames` raises the failure; without a tab it is not needed.
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def _read(self, reader: Reader, run_id: UUID) -> None:
        loop = asyncio.get_running_loop()
        due = 0.0
        waiting: asyncio.TimerHandle | None = None
        taken_back = False

        def show() -> None:
            nonlocal due, waiting, taken_back
            waiting, due = None, loop.time() + window_seconds(_tabs.total(), READER_SECONDS)
            self._show(taken_back=taken_back)
            taken_back = False

        try:
            async for event in streams.follow(run_id, reader):
                if isinstance(event, Batch):
                    taken_back = self._apply(event) or taken_back
                    if waiting is None and loop.time() >= due:
                        show()
                    elif waiting is None:
                        waiting = loop.call_at(due, show)
                elif isinstance(event, Revoked):
                    raise event.error
                else:
                    self._note(event)
            if waiting is not None:
                waiting.cancel()
                show()
        finally:
            if waiting is not None:
                waiting.cancel()

    def _note(self, event: streams.Event) -> None:
        """Notes whether the run was lost, or waits for a worker."""
        if isinstance(event, Lost):
            self._lost += 1
        elif isinstance(event, Untaken):
            self._untaken = event
        self._wake()

    def _apply(self, batch: Batch) -> bool:
        """Adds chunks; returns whether they withdrew earlier ones."""
        taken_back = batch.anew
        if batch.anew:
            self._fold, self._items = parts.Fold(), Items(live=True)
        for chunk in batch.chunks:
            taken_back = taken_back or chunk["type"] in {parts.REWIND, parts.TAKEN_OVER}
            self._fold.apply(chunk)
        return taken_back

    def _show(self, *, taken_back: bool) -> None:
        """Makes the next frame from the chunks so far."""
        items = self._items.of(self._fold.parts)
        if not items and not taken_back and self.frame.number == 0:
            return  # The page already shows that Leaf is thinking.
        self.frame = framed(self.frame, items, self._fold.parts, taken_back=taken_back)
        self._updates.clear()
        self._wake()


_feeds: dict[tuple[asyncio.AbstractEventLoop, UUID, str, Reader], Feed] = {}
_tabs: Counter[asyncio.AbstractEventLoop] = Counter()


@asynccontextmanager
async def joined(reader: Reader, run_id: UUID | None) -> AsyncGenerator[Feed]:
    """The feed of a run, shared by a reader's tabs of one language: a removed reader does not affect the tabs of
    others.

    Args:
        reader: The reader, whose rights the feed keeps checking.
        run_id: The run that writes an answer; None if no run does.

    Raises:
        errors.NotFound: No run writes the answer.
    """
    if run_id is None:
        raise errors.NotFound("answer")
    key = asyncio.get_running_loop(), run_id, texts.current(), reader
    feed = _feeds.get(key)
    if feed is None or feed.ended:
        feed = _feeds[key] = Feed(reader, run_id)
    feed.readers += 1
    _tabs[key[0]] += 1
    try:
        yield feed
    finally:
        feed.readers -= 1
        _tabs[key[0]] -= 1
        if feed.readers == 0:
            feed.close()
            if _feeds.get(key) is feed:
                del _feeds[key]


async def shown(reader: Reader, run_id: UUID | None) -> AsyncGenerator[Frame | Untaken | None]:
    """The frames of a run for the tab of the running event, each after its text was sent to the tab.

    The text comes first, because an answer that goes on after it had waited must not be empty in between.

    Raises:
        errors.NotFound: The reader may not read this run, or not any longer.
        errors.Unauthenticated: The reader's session has ended.
    """
    token = delivery.tab()
    async with joined(reader, run_id) as feed, aclosing(feed.frames()) as frames:
        feed.sent.pop(token, None)
        try:
            async for frame in frames:
                if isinstance(frame, Frame):
                    await write(feed)
                yield frame
        finally:
            feed.sent.pop(token, None)


async def write(feed: Feed) -> None:
    """Sends the tab of the running event the text that was added to a run (`take` in `assets/client/live.js`).

    A message, and not a var: several values of a var may come to the page as one, and each of these is needed. There is
    one for every few words, so it is short: only the whole text names its run, and only a piece after frames that were
    skipped names the frame that it follows. A frame that has added no text is not sent, and does not count.
    """
    token, frame = delivery.tab(), feed.frame
    update = feed.update(feed.sent.get(token))
    if not frame.number or (update.since and not update.changes):
        return
    feed.sent[token] = frame
    message: list[Any] = [feed.id, frame.number]
    if not update.since:
        message += [update.changes, 0, feed.run_id]
    elif update.since < frame.number - 1:
        message += [update.changes, update.since]
    else:
        message += update.changes[0] if len(update.changes) == 1 else [update.changes]
    await delivery.send(SINK, message, (feed.id, update.since, frame.number) if feed.readers > 1 else None)


async def write_again(reader: Reader, feed_id: str) -> None:
    """Sends the tab of the running event the whole text of a feed; nothing if the reader follows no such feed."""
    loop = asyncio.get_running_loop()
    for (of_loop, _, _, follower), feed in list(_feeds.items()):
        if of_loop is loop and follower == reader and feed.id == feed_id:
            feed.sent.pop(delivery.tab(), None)
            await write(feed)
