"""The scope of a chat or project, which is a part of a Drive, in words. Pure."""

from dataclasses import dataclass
from datetime import date

from leaf.services.library.scope import ChatScope
from leaf.texts import dates, say, translated
from leaf.views.library import FAMILIES


@dataclass(frozen=True)
class ChipView:
    """A condition of a scope, which can be removed."""

    kind: str
    """folder, file, family or since."""
    id: str
    name: str


def chips_of(scope: ChatScope) -> list[ChipView]:
    return [
        *(ChipView("folder", one.id, one.name) for one in scope.folders),
        *(ChipView("file", one.id, one.name) for one in scope.files),
        *(ChipView("family", family, say(FAMILIES[family])) for family in scope.kinds),
        *([ChipView("since", "", _since_text(scope.since))] if scope.since else []),
    ]


def words_of(scope: ChatScope) -> str:
    """All conditions of a scope in one line."""
    return " · ".join(chip.name for chip in chips_of(scope))


def _since_text(since: date) -> str:
    return say("library.since", day=translated(dates.day(since)), year=str(since.year))
