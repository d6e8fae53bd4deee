"""The stored comparisons of an answer: files or versions, and the differences between their statements. Pure.

`leaf.comparison` makes them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from leaf.parts import Part
from leaf.parts.objects import list_of, objects_in

COMPARISONS: Final = "data-comparisons"
TOOL: Final = "compare_files"
MOST_FILES: Final = 10
MOST: Final = 10
"""The maximum number of comparisons that one answer shows."""
MOST_ROWS: Final = 60
EDITION: Final = ("file_id", "path", "name", "url", "revision", "modified", "version", "by")
"""The fields of a column. A Drive file has `file_id`. A file of the chat has `path`, and its version is `revision`."""
_CELL: Final = ("part", "quote", "value")


def day(moment: str) -> str:
    """The day and the minute of a moment in RFC 3339 format, such as `2026-05-03 14:02`."""
    return moment[:16].replace("T", " ")


def earlier_part(version: str, part: str) -> str:
    """The place of a passage in an earlier version, in the form in which quotes name it (`leaf.texts.places`)."""
    return f"version of {day(version)}" + (f", {part}" if part and part != "all" else "")


def stored(message_parts: Sequence[Part]) -> list[dict[str, Any]]:
    """The comparisons of a stored answer, in the form of `read`."""
    return read(next((one.get("data") for one in reversed(message_parts) if one["type"] == COMPARISONS), None))


def made(message_parts: Iterable[Part]) -> list[dict[str, Any]]:
    """The comparisons in the outputs of the tool in an answer, without duplicates, in the form of `read`."""
    outputs = (
        one.get("output")
        for one in message_parts
        if one["type"] == f"tool-{TOOL}" and one.get("state") == "output-available"
    )
    found = [one for one in outputs if isinstance(one, dict) and one.get("compared")]
    return read([one for at, one in enumerate(found) if one not in found[:at]])


def linked(found: Iterable[Mapping[str, Any]], address: Callable[[str, str], str]) -> list[dict[str, Any]]:
    """The comparisons with addresses for the files of the chat.

    Args:
        found: The comparisons.
        address: Returns the address of a file of the chat for its path and version.
    """
    return [
        {
            **one,
            "compared": [
                {**file, "url": address(file["path"], file["revision"])} if file["path"] else file
                for file in one["compared"]
            ],
        }
        for one in found
    ]


def read(data: Any) -> list[dict[str, Any]]:
    """The valid comparisons in the data of a part.

    Each comparison has these fields:
    - `on`: the subject, or empty
    - `compared`: the files or versions, which are the columns (`EDITION`)
    - `rows`: each with `kind`, `about`, `table` (whether it is from a table), and `cells`, one for each column or None.
      A cell has `part`, `quote`, `value`, and `marks` (spans in the quote)
    - `same`: the number of statements that all columns have
    - `differences`: the number of differences, of which `rows` may contain only some
    - `notes`: each with its English `text`, and `message`, from which it is made in other languages
    """
    found = [_comparison(one) for one in objects_in(data)[:MOST]]
    return [one for one in found if len(one["compared"]) > 1]


def _comparison(one: Mapping[str, Any]) -> dict[str, Any]:
    columns = objects_in(one.get("compared"))
    compared = [{key: str(file.get(key) or "") for key in EDITION} for file in columns[:MOST_FILES]]
    rows = [_row(row, len(columns)) for row in objects_in(one.get("rows"))[:MOST_ROWS]]
    return {
        "on": str(one.get("on") or ""), "compared": compared, "rows": [row for row in rows if row],
        "same": _count(one.get("same")), "differences": _count(one.get("differences")),
        "notes": [_note(note) for note in objects_in(one.get("notes"))[:20]],
    }  # fmt: skip


def _note(note: Mapping[str, Any]) -> dict[str, Any]:
    message = note.get("message")
    return {"text": str(note.get("text") or ""), "message": message if isinstance(message, dict) else None}


def _row(row: Mapping[str, Any], columns: int) -> dict[str, Any] | None:
    cells = row.get("cells")
    if not isinstance(cells, list) or len(cells) != columns:
        return None
    return {
        "kind": str(row.get("kind") or ""), "about": str(row.get("about") or ""), "table": row.get("table") is True,
        "cells": [_cell(one) if isinstance(one, dict) else None for one in cells[:MOST_FILES]],
    }  # fmt: skip


def _cell(cell: Mapping[str, Any]) -> dict[str, Any]:
    texts: dict[str, Any] = {key: str(cell.get(key) or "") for key in _CELL}
    marks: list[list[int]] = []
    for one in list_of(cell.get("marks")):
        if isinstance(one, list) and len(one) == 2 and all(isinstance(at, int) for at in one):
            begin, end = one
            if (marks[-1][1] if marks else 0) <= begin < end <= len(texts["quote"]):
                marks.append([begin, end])
    return texts | {"marks": marks}


def beside(compared: Sequence[Mapping[str, Any]], disagreed: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The conflicts without those between files that a comparison already shows side by side.

    Args:
        compared: The comparisons of the answer.
        disagreed: The conflicts (`leaf.citations.conflicts`).
    """
    shown = [files_of([one]) for one in compared]
    return [one for one in disagreed if not any({side["file_id"] for side in one["sides"]} <= files for files in shown)]


def pieces(cell: Mapping[str, Any]) -> list[tuple[str, bool]]:
    """The quote of a cell in pieces, each with whether it is marked."""
    quote, at = cell["quote"], 0
    found: list[tuple[str, bool]] = []
    for begin, end in cell["marks"]:
        found += [(quote[at:begin], False), (quote[begin:end], True)]
        at = end
    return [one for one in [*found, (quote[at:], False)] if one[0]]


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def files_of(data: Any) -> set[str]:
    """The ids of the Drive files in comparisons."""
    return {file["file_id"] for one in read(data) for file in one["compared"] if file["file_id"]}


def without(data: Any, files: Mapping[str, str]) -> list[dict[str, Any]]:
    """The comparisons without those that contain one of the files.

    Such a comparison is removed as a whole, because its rest would still reveal the content of the file.
    """
    return [one for one in read(data) if files.keys().isdisjoint(file["file_id"] for file in one["compared"])]
