"""One run as all tabs of this process show it: followed and folded once, and cut into frames.

A frame has the items of the answer without their text, which Reflex sends when they change, and the text beside them.
Of that a tab is sent what has been added since its last frame, by an event (`Frame.since`), because Reflex sends the
whole value of a var that changes.
"""

import asyncio
import re
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from uuid import UUID, uuid4

from reflex_base.event import Event

from leaf import errors, parts, texts
from leaf.db.session import Actor
from leaf.services import chats, talking
from leaf.state import activity as doing
from leaf.state import sending
from leaf.state.rows import Item, Items
from leaf.state.steps import THOUGHT

SINK = "live-text"
"""The id of the component that takes the text on the page."""
SINK_REF = "ref_live_text"
"""What Reflex makes of it."""
FRAME_SECONDS = 0.03
"""Least time between two frames."""
READER_SECONDS = 0.00025
"""What a frame costs for each tab that is sent it: with hundreds of them frames come less often, instead of late."""

_TABLE_BEGUN = re.compile(r"\|[^\n]*(\n[|:\- \t]*)?")
"""A table's header without the line below it: until that comes it would be drawn as text."""

Change = tuple[int, int, int, str]
"""Slot, block, and what to put behind so many characters of it."""


@dataclass(frozen=True)
class Frame:
    """How far a run has come."""

    number: int = 0
    """One more than that of the frame before; 0 before anything came."""
    whole: int = 0
    """The number of the first frame that only added to what others had shown: a rewind takes something back."""
    items: tuple[Item, ...] = ()
    texts: dict[int, list[str]] = field(default_factory=dict[int, list[str]])
    """Blocks by slot."""
    activity: str = doing.THINKING
    writing: bool = False
    """Whether text is coming right now."""
    resumed: bool = False
    """Whether another worker has taken the run over."""
    tools: dict[str, parts.Part] = field(default_factory=dict[str, parts.Part])
    """Tool parts by the id of their call."""

    def looks_like(self, other: "Frame") -> bool:
        """Whether nothing but text has changed."""
        mine = (self.items, self.activity, self.writing, self.resumed, self.tools)
        return mine == (other.items, other.activity, other.writing, other.resumed, other.tools)

    def since(self, before: "Frame | None") -> list[Change] | None:
        """What has to be added to the text of an earlier frame; None where it has to be shown anew."""
        if before is None or before.number < self.whole:
            return None
        changes: list[Change] = []
        for slot, blocks in self.texts.items():
            known = before.texts.get(slot, [])
            # Only the last block that was known may have changed.
            for place in range(max(0, len(known) - 1), len(blocks)):
                old = known[place] if place < len(known) else ""
                new = blocks[place]
                if new != old or place >= len(known):
                    kept = len(old) if new.startswith(old) else _common(old, new)
                    changes.append((slot, place, kept, new[kept:]))
            changes += [(slot, place, 0, "") for place in range(len(blocks), len(known))]
        return changes

    def all(self) -> list[Change]:
        """The whole text."""
        return [(slot, place, 0, text) for slot, blocks in self.texts.items() for place, text in enumerate(blocks)]


def _common(old: str, new: str) -> int:
    length = min(len(old), len(new))
    return next((place for place in range(length) if old[place] != new[place]), length)


@dataclass(frozen=True)
class Update:
    """What leads from one frame to a later one."""

    since: int
    """The number of the earlier one; 0 where the changes are the whole text."""
    changes: list[Change]


class Feed:
    """Frames of one run, for as long as somebody wants them."""

    def __init__(self, actor: Actor, run_id: UUID) -> None:
        self.frame = Frame()
        self.readers = 0
        self.id = uuid4().hex[:8]
        """Frames are numbered anew in each feed of a run."""
        self.run_id = str(run_id)
        self._fold = parts.Fold()
        self._items = Items(live=True)
        self._changed = asyncio.Event()
        self._updates: dict[int, Update] = {}
        self._task = asyncio.create_task(self._read(actor), name=f"feed {run_id}")
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

    async def _read(self, actor: Actor) -> None:
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
            async for chunks in talking.follow(actor, UUID(self.run_id)):
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


def framed(
    before: Frame, items: Sequence[Item], message_parts: Sequence[parts.Part], *, taken_back: bool = False
) -> Frame:
    """The next frame of a run.

    Args:
        before: The frame before it.
        items: The items of the message so far.
        message_parts: Its parts.
        taken_back: Whether something that was shown may have been taken back, by a worker that took the run over.
    """
    activity = doing.activity(message_parts)
    # A row that runs says itself what it does, and text shows that it is being written.
    writing = activity == doing.WRITING or doing.thinks_aloud(message_parts)
    texts = {slot: blocks for item in items for slot, blocks in _texts_of(item)}
    if items and items[-1].kind == "text" and _TABLE_BEGUN.fullmatch(items[-1].blocks[-1]):
        texts[items[-1].slot] = items[-1].blocks[:-1]
    bare = [_bare(item) for item in items]
    if writing and bare and bare[-1].kind == "text":
        bare[-1] = replace(bare[-1], state="open")
    number = before.number + 1
    return Frame(
        number=number,
        whole=number if taken_back else before.whole,
        items=tuple(bare),
        texts=texts,
        activity=activity,
        writing=writing,
        resumed=before.resumed or taken_back,
        tools={part["toolCallId"]: part for part in message_parts if parts.is_tool(part)},
    )


def _texts_of(item: Item) -> list[tuple[int, list[str]]]:
    """The blocks of an item by slot: its own, or those of the thoughts in a group."""
    if item.kind == "steps":
        return [(step.slot, step.blocks) for step in item.steps if step.icon == THOUGHT]
    return [] if item.kind == "related" else [(item.slot, item.blocks)]


def _bare(item: Item) -> Item:
    """An item without its text."""
    steps = [replace(step, blocks=[]) if step.blocks else step for step in item.steps]
    return replace(item, blocks=[], steps=steps)


_feeds: dict[tuple[asyncio.AbstractEventLoop, UUID, str, UUID | None], Feed] = {}
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
    run_id = answer.run_id
    if run_id is None:
        raise errors.NotFound("answer")
    key = asyncio.get_running_loop(), run_id, texts.current(), actor.user_id
    feed = _feeds.get(key)
    if feed is None or feed.ended:
        feed = _feeds[key] = Feed(actor, run_id)
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
