"""Settings: imports of chats from files, and their progress."""

from dataclasses import dataclass, field
from typing import Any

import reflex as rx

from leaf import errors
from leaf.redis import events
from leaf.services import imports
from leaf.state import session
from leaf.state.internal import set_changed
from leaf.texts import say

TICK_SECONDS = 15.0
GOING_SECONDS = 1.0
"""The interval at which an unfinished import is read."""

_CHATS = {
    "no_chat": "exchange.no_chat",
    "version": "exchange.version",
    "wrong_form": "exchange.wrong_form",
    "tree": "exchange.tree",
    "no_messages": "exchange.no_messages",
    "too_deep": "exchange.too_deep",
    "chat_too_large": "exchange.chat_too_large",
    "damaged": "exchange.damaged",
    "not_stored": "exchange.not_stored",
}
"""The texts of the reasons why a chat of a file is refused, by code."""
_FILES = {
    "not_json": "exchange.not_json",
    "broken_off": "exchange.broken_off",
    "damaged_zip": "exchange.damaged_zip",
    "file_too_large": "exchange.file_too_large",
    "too_many": "exchange.too_many",
    "empty": "exchange.empty",
    "gave_up": "exchange.gave_up",
}
"""The texts of the reasons why the rest of a file is not imported, by code."""


@dataclass(frozen=True)
class ProblemView:
    title: str
    reason: str


@dataclass(frozen=True)
class ImportView:
    """An import in the form that the page shows."""

    id: str
    name: str
    going: bool
    failed: bool
    percent: int
    """Progress, 0-100."""
    text: str
    began: str
    """The time in ISO 8601."""
    problems: list[ProblemView] = field(default_factory=list[ProblemView])
    more: int = 0
    """Number of problems that are not listed."""


class ImportState(rx.State):
    loaded: bool = False
    imports: list[ImportView] = []  # noqa: RUF012 - Reflex copies it

    @rx.event(background=True)
    async def follow(self) -> None:
        """Shows the imports and their progress. Reflex ends the event when the tab leaves the page."""
        while True:
            try:
                who = await session.required(self)
                async with events.subscribe([events.user(who.user_id)]) as news:
                    while True:
                        going = await self._look()
                        await news.changed(within_seconds=GOING_SECONDS if going else TICK_SECONDS)
            except errors.Unavailable:
                # The notice that Redis is back ends this wait early.
                async with events.subscribe([]) as news:
                    await news.changed(within_seconds=GOING_SECONDS)
            except errors.Unauthenticated:
                return  # The tab's attendance shows the failure.

    @rx.event(background=True)
    async def remove(self, import_id: str) -> None:
        """Cancels an unfinished import, or removes an ended one from the list."""
        who = await session.required(self)
        await imports.remove(who.actor, session.identifier(import_id, "import"))
        await self._look()

    async def _look(self) -> bool:
        """Shows the imports. Returns whether one is unfinished."""
        who = await session.required(self)
        found = await imports.listed(who.actor)
        views = [view_of(one) for one in found]
        async with self:
            set_changed(self, imports=views, loaded=True)
        return any(one.unfinished for one in found)


def view_of(one: imports.Import) -> ImportView:
    """An import in the form that the page shows, with its state in words."""
    return ImportView(
        id=str(one.id),
        name=one.name,
        going=one.unfinished,
        failed=bool(one.failure),
        percent=_percent(one),
        text=_text(one),
        began=one.created_at.isoformat(),
        problems=[_problem(problem) for problem in one.problems],
        more=one.refused - len(one.problems),
    )


def _percent(one: imports.Import) -> int:
    if not one.unfinished:
        return 100
    return one.done * 100 // one.total if one.total else 0


def _text(one: imports.Import) -> str:
    counts = (
        ("exchange.imported", one.imported),
        ("exchange.known", one.known),
        ("exchange.refused", one.refused),
        ("exchange.left_out", one.left_out),
    )
    counted = [say(key, count=number) for key, number in counts if number]
    if one.unfinished and one.total is None:
        return say("exchange.waiting") if one.status == "waiting" else say("exchange.looking")
    if one.unfinished:
        return " · ".join([say("exchange.progress", done=one.done, total=one.total), *counted])
    reason = say(_FILES[one.failure]) if one.failure in _FILES else ""
    return " · ".join(filter(None, [reason, *counted])) or say("exchange.nothing")


def _problem(problem: dict[str, Any]) -> ProblemView:
    title = str(problem.get("title") or "") or say("exchange.untitled_chat")
    return ProblemView(title, say(_CHATS.get(str(problem.get("code")), "exchange.wrong_form")))
