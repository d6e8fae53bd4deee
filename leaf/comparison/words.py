"""The texts of a stored comparison in a reader's language: title, column names and notes."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from leaf import texts
from leaf.texts import Texts, dates, translated
from leaf.texts.catalogue import isolated


def names(compared: Sequence[Mapping[str, Any]], say: Texts) -> list[str]:
    """The names of compared files. Versions have their date, and the name of their writer if it is known."""
    of_versions = any(one["version"] for one in compared)
    return [_name(file, say, of_versions=of_versions) for file in compared]


def _name(file: Mapping[str, Any], say: Texts, *, of_versions: bool) -> str:
    name = isolated(file["name"] or say("trust.drive_file"))
    if not file["version"]:
        return say("comparisons.current", name=name) if of_versions else name
    try:
        moment = datetime.fromisoformat(file["version"])
    except ValueError:
        return name
    values: dict[str, Any] = {"name": name, "date": translated(dates.full_day(moment.date()), say), "time": moment}
    if file["by"]:
        return say("comparisons.version_by", **values, person=file["by"])
    return say("comparisons.version", **values)


def title(columns: Sequence[str], say: Texts) -> str:
    """The heading of a comparison.

    Args:
        columns: The names of the compared files or versions.
        say: The texts of the reader's language.
    """
    shown = say("comparisons.and", first=", ".join(columns[:-1]), last=columns[-1])
    return say("comparisons.heading", names=shown)


def count(one: Mapping[str, Any], say: Texts) -> str:
    """The text that says how many differences there are."""
    return say("comparisons.differences", count=one["differences"]) if one["differences"] else say("comparisons.none")


def notes(one: Mapping[str, Any], say: Texts) -> list[str]:
    """The notes on a comparison. They say how much is the same, how many differences are shown, and what could not be
    compared.
    """
    found = [say("comparisons.same", count=one["same"])] if one["same"] else []
    if one["differences"] > len(one["rows"]):
        found.append(say("comparisons.shown", count=len(one["rows"])))
    return found + [_note(note, say) for note in one["notes"]]


def _note(note: Mapping[str, Any], say: Texts) -> str:
    try:
        return translated(texts.of_data(note["message"]), say) if note["message"] else note["text"]
    except ValueError:
        return note["text"]


def kind(row: Mapping[str, Any], say: Texts) -> str:
    """The name of a row's kind of difference; empty if the kind is unknown."""
    return say(_KINDS[row["kind"]]) if row["kind"] in _KINDS else ""


_KINDS: Final = {"value": "comparisons.value", "wording": "comparisons.wording", "only": "comparisons.only"}
