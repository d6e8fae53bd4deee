"""Feeds: a run is followed and folded once for all tabs of a reader, and sent to each tab in frames.

A frame has the items of the answer without their text, and the text apart from them. The items are a var, and Reflex
sends the whole value of a var that changes. So the text is no var: each tab is sent only the text that was added since
its last frame (`Frame.since`). After a takeover by another worker, or a rewind, the next frame starts over
(`withdrawn`).
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
"""The id of the component of the page that receives the text."""
READER_SECONDS = 0.00025
"""The time that sending a frame to one tab takes. With hundreds of tabs, frames are sent less often instead of late."""


@dataclass(frozen=True)
class Update:
    """The difference between one frame and a later one."""

    since: int
    """The number of the earlier frame; 0 if the changes are the whole text."""
    changes: list[Change]


class Feed:
    """The frames of one run, for as long as a tab shows it."""

    def __init__(self, reader: Reader, run_id: UUID) -> None:
        self.frame = Frame()
        self.readers = 0
        self.id = secrets.token_urlsafe(3)
        """Tells this feed from other feeds of the run. Each feed numbers its frames from the start."""
        self.sent: dict[str, Frame] = {}
        """The last frame that was sent to each tab, by the tab's token."""
        self.run_id = str(run_id)
        self._fold = parts.Fold()
        self._items = Items(live=True)
        self._changed = asyncio.Event()
        self._updates: dict[int, Update] = {}
        self._lost = 0
        """How often the run could not be followed."""
        self._untaken = Untaken(waits=False)
        self._task = asyncio.create_task(self._read(reader, run_id), name=f"feed {run_id}")
        self._task.add_done_callback(self._end)

    @property
    def ended(self) -> bool:
        """Whether no frame will follow."""
        return self._task.done()

    def close(self) -> None:
        """Stops following the run."""
        self._task.cancel()

    async def frames(self) -> AsyncGenerator[Frame | Untaken | None]:
        """Yields each new frame until the run ends. Frames that were replaced while the caller was busy are skipped.

        Yields None when the run cannot be followed at the moment, and `Untaken` when it begins or ceases to wait for a
        worker.

        Raises:
            errors.NotFound: The reader may not, or may no longer, read this run.
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
        """The difference between an earlier frame and the newest; computed once for all tabs with the earlier one."""
        number = before.number if before else 0
        if number not in self._updates:
            changes = self.frame.since(before)
            whole = changes is None
            self._updates[number] = Update(0, self.frame.all()) if whole else Update(number, changes)
        return self._updates[number]

    def _end(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled():
            task.exception()  # Counts as retrieved: `frames` raises the failure, and without a tab nobody needs it.
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def _read(self, reader: Reader, run_id: UUID) -> None:
        loop = asyncio.get_running_loop()
        due = 0.0
        waiting: asyncio.TimerHandle | None = None
        withdrawn = False

        def show() -> None:
            nonlocal due, waiting, withdrawn
            waiting, due = None, loop.time() + window_seconds(_tabs.total(), READER_SECONDS)
            self._show(withdrawn=withdrawn)
            withdrawn = False

        try:
            async for event in streams.follow(run_id, reader):
                if isinstance(event, Batch):
                    withdrawn = self._apply(event) or withdrawn
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
        """Records that the run was lost, or whether it waits for a worker."""
        if isinstance(event, Lost):
            self._lost += 1
        elif isinstance(event, Untaken):
            self._untaken = event
        self._wake()

    def _apply(self, batch: Batch) -> bool:
        """Adds chunks; returns whether they withdrew earlier ones."""
        withdrawn = batch.restarts
        if batch.restarts:
            self._fold, self._items = parts.Fold(), Items(live=True)
        for chunk in batch.chunks:
            withdrawn = withdrawn or chunk["type"] in {parts.REWIND, parts.TAKEN_OVER}
            self._fold.apply(chunk)
        return withdrawn

    def _show(self, *, withdrawn: bool) -> None:
        """Makes the next frame from the chunks so far."""
        items = self._items.of(self._fold.parts)
        if not items and not withdrawn and self.frame.number == 0:
            return  # The page already shows that Leaf is thinking.
        self.frame = framed(self.frame, items, self._fold.parts, withdrawn=withdrawn)
        self._updates.clear()
        self._wake()


_feeds: dict[tuple[asyncio.AbstractEventLoop, UUID, str, Reader], Feed] = {}
_tabs: Counter[asyncio.AbstractEventLoop] = Counter()


@asynccontextmanager
async def joined(reader: Reader, run_id: UUID | None) -> AsyncGenerator[Feed]:
    """The feed of a run, for the duration of the block.

    A reader's tabs in one language share a feed. Readers have separate feeds, so that removing one reader does not
    affect the tabs of others.

    Args:
        reader: The reader, whose rights the feed keeps checking.
        run_id: The run that writes an answer, or None.

    Raises:
        errors.NotFound: `run_id` is None.
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
    """Yields the frames of a run (`Feed.frames`) for the tab of the running event, each after sending its text.

    The text is sent first. Otherwise an answer that continues after its asker has replied would be empty for a moment.

    Raises:
        errors.NotFound: The reader may not, or may no longer, read this run.
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

    The text is sent as a message, not as a var: Reflex may merge several values of a var into one, but the page needs
    every piece. A message is sent for every few words, so it is kept short. It names the run only if it has the whole
    text, and the frame that it follows only if frames were skipped. A frame that adds no text is not sent, and does not
    count as skipped.
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
    """Sends the tab of the running event the whole text of a feed; does nothing if the reader has no such feed."""
    loop = asyncio.get_running_loop()
    for (of_loop, _, _, follower), feed in list(_feeds.items()):
        if of_loop is loop and follower == reader and feed.id == feed_id:
            feed.sent.pop(delivery.tab(), None)
            await write(feed)
