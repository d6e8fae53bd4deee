"""Facts that current sources of an answer state differently, for display. Pure."""

from dataclasses import dataclass, field
from typing import Any

from leaf import citations
from leaf.texts import dates, say, translated
from leaf.texts.places import place_text


@dataclass(frozen=True)
class Side:
    """The statement of one source where sources disagree."""

    value: str
    name: str
    place: str
    date: str
    """The day of the source's last change in words; empty if it is not known."""
    newer: bool
    """Whether it is the newest of them."""
    quote: str
    url: str


@dataclass(frozen=True)
class Disagreement:
    """A fact that current sources state differently."""

    about: str
    """The fact in words of a source."""
    sides: list[Side] = field(default_factory=list[Side])


def disagreement(one: dict[str, Any]) -> Disagreement:
    """A stored conflict (`leaf.citations.conflicts.stored`) for display."""
    return Disagreement(one["about"], [_side(side) for side in one["sides"]])


def _side(one: dict[str, Any]) -> Side:
    url = one["url"] if one["url"].startswith(("https://", "http://")) else ""
    return Side(
        one["value"], one["name"] or say("trust.drive_file"), place_text(one["part"]),
        translated(dates.full_day(day)) if (day := citations.conflicts.day_of(one["date"])) else "", one["newer"],
        one["quote"], url,
    )  # fmt: skip
