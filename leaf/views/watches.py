"""Watched questions in words. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Final

from leaf.services import chats
from leaf.services.watches import Watch
from leaf.texts import dates, say

_STATES: Final = {
    "asking": "watches.state_asking", "found": "watches.state_found", "archived": "watches.state_archived",
    "drive": "watches.state_drive", "budget": "watches.state_budget", "failed": "watches.state_failed",
}  # fmt: skip
_WATCHING: Final = {
    ("change", "day"): "watches.change_day", ("change", "week"): "watches.change_week",
    ("appear", "day"): "watches.appear_day", ("appear", "week"): "watches.appear_week",
}  # fmt: skip


@dataclass(frozen=True)
class WatchRow:
    """A watched question in a list."""

    id: str
    chat: str
    question: str
    note: str
    """Its kind and interval, the day when it was last asked, and its state if the member should know it."""
    news: bool


def rows_of(found: Sequence[Watch], zone: tzinfo) -> list[WatchRow]:
    return [
        WatchRow(str(one.id), str(one.chat_id), one.question or one.title, _note(one, zone), one.is_news)
        for one in found
    ]


def _note(watch: Watch, zone: tzinfo) -> str:
    phrases = [say(_WATCHING[watch.kind, watch.every])]
    if watch.asked_at is not None:
        phrases.append(say("watches.asked", date=dates.day(watch.asked_at.astimezone(zone))))
    if watch.state in _STATES:
        phrases.append(say(_STATES[watch.state]))
    return " · ".join(phrases)


def lines_of(found: Sequence[Watch], zone: tzinfo) -> dict[str, str]:
    """The lines under the last answers of watches that brought news, by the id of the answer."""
    lines: dict[str, str] = {}
    for one in found:
        if one.answer_id is None or one.state == "asking" or one.news_at is None:
            continue
        # If the news is older than the last answer, it came with an earlier answer.
        if one.asked_at is None or one.news_at >= one.asked_at:
            key = "watches.appeared" if one.state == "found" else "watches.asked_again"
            lines[str(one.answer_id)] = say(key, date=dates.day(one.news_at.astimezone(zone)))
    return lines


def asked_again(messages: Iterable[chats.Message], zone: tzinfo) -> dict[str, str]:
    """The lines under the answers of a chat that a watch of any participant has requested, by the id of the answer.

    These lines explain to all participants why there is another version.
    """
    return {
        str(one.id): say("watches.asked_again", date=dates.day(one.created_at.astimezone(zone)))
        for one in messages
        if one.asked_again
    }
