"""Converts stored messages to Leaf's format and back. Pure.

An imported call never counts as a call of Leaf's own tools. It becomes a call of a tool that Leaf does not have
(`imported:<name>`), and pages show it as such. Citations lose their verification.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from leaf import citations, parts
from leaf.parts.portable.format import (
    MOST_ASKED,
    MOST_CITATIONS,
    MOST_CONFLICTS,
    MOST_MARKS,
    MOST_PARTS,
    MOST_SIDES,
    SHORT_CHARACTERS,
    TEXT_CHARACTERS,
    Asked,
    Chat,
    Citation,
    Comparison,
    Disagreement,
    Message,
    Part,
    Related,
    Side,
    Text,
    Thinking,
    Tool,
)
from leaf.parts.portable.receipts import receipt

IMPORTED: Final = "imported"
"""The reason that an imported citation has for not being verified."""
_MARK: Final = "imported:"
_UNFINISHED: Final = "This was not finished."
_STATUSES: Final = {"completed": "completed", "stopped": "stopped", "error": "failed", "waiting": "stopped"}
_WEB: Final = ("https://", "http://")


@dataclass(frozen=True)
class Stored:
    """A message in the form of its row."""

    parts: list[dict[str, Any]]
    status: str
    error: str


def to_portable(row: Mapping[str, Any]) -> Message | None:
    """Converts a stored message to Leaf's format.

    Returns:
        The message, or None for an answer that is still being written.
    """
    status = _STATUSES.get(row["status"])
    if status is None:
        return None
    shown, places = portable_parts(row["parts"])
    return Message(
        id=str(row["id"]),
        parent=None if row["parent_id"] is None else str(row["parent_id"]),
        role=row["role"],
        at=datetime.fromisoformat(row["created_at"]).astimezone(UTC),
        status=status,  # pyright: ignore[reportArgumentType] - one of `_STATUSES`
        error=_short(row.get("error_text")),
        model=_short(row.get("model"))[:200],
        parts=shown,
        citations=_citations(row["parts"], places),
        receipt=receipt(parts.data_of(row["parts"], citations.COVERAGE)),
        asked=[
            Asked(text=_short(one["text"]), state=one["state"])
            for one in citations.subquestions.stored(row["parts"])[:MOST_ASKED]
        ],
        conflicts=[_disagreement(one) for one in citations.conflicts.stored(row["parts"])[:MOST_CONFLICTS]],
        comparisons=[
            Comparison.model_validate(_shortened(one))
            for one in citations.comparisons.linked(citations.comparisons.stored(row["parts"]), _no_address)
        ],
    )


def portable_parts(stored_parts: Sequence[parts.Part]) -> tuple[list[Part], dict[int, int]]:
    """The parts that exist in Leaf's format, up to its limit, and the new index of each by its stored index."""
    found: list[Part] = []
    places: dict[int, int] = {}
    for slot, part in enumerate(stored_parts):
        made = _part(part)
        if made is not None and len(found) < MOST_PARTS:
            places[slot] = len(found)
            found.append(made)
    return found, places


def _part(part: parts.Part) -> Part | None:
    if part["type"] in {"text", "reasoning"}:
        text = str(part.get("text") or "")[:TEXT_CHARACTERS]
        return Text(text=text) if part["type"] == "text" else Thinking(text=text)
    if part["type"] == parts.RELATED:
        questions = list(map(_short, parts.questions_of(part)))
        return Related(questions=questions[:20]) if questions else None
    if not parts.is_tool(part):
        return None
    name = (parts.tool_name(part).removeprefix(_MARK) or "tool")[:200]
    if part.get("state") == "output-available":
        return Tool(name=name, state="done", input=part.get("input"), output=part.get("output"))
    error = str(part.get("errorText") or _UNFINISHED)[:TEXT_CHARACTERS]
    return Tool(name=name, state="failed", input=part.get("input"), error=error)


def _citations(stored_parts: Sequence[parts.Part], places: Mapping[int, int]) -> list[Citation]:
    data = parts.data_of(stored_parts, citations.CITATIONS)
    found: list[Citation] = []
    for one in data[:MOST_CITATIONS] if isinstance(data, list) else []:
        texts = {key: _short(one.get(key)) for key in _CITATION_TEXTS}
        if not texts["url"].startswith(_WEB):
            texts["url"] = ""
        at = [(places[slot], begin, end) for slot, begin, end in one["at"] if slot in places][:MOST_MARKS]
        formula = {str(language): _short(words) for language, words in (one.get("formula") or {}).items()}
        found.append(Citation(n=one["n"], verified=one["verified"] is True, at=at, formula=formula, **texts))
    return found


def _no_address(_path: str, _version: str) -> str:
    """Empty, because a file of a chat has no address outside Leaf."""
    return ""


def _disagreement(one: Mapping[str, Any]) -> Disagreement:
    sides = [
        Side(**{key: _short(side[key]) for key in _SIDE_TEXTS}, newer=side["newer"])
        for side in one["sides"][:MOST_SIDES]
    ]
    return Disagreement(about=_short(one["about"]), sides=sides)


def _shortened(value: Any) -> Any:
    """A value with its texts cut to the maximum length of the format."""
    if isinstance(value, dict):
        return {key: _shortened(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_shortened(one) for one in value]
    return value[:SHORT_CHARACTERS] if isinstance(value, str) else value


_SIDE_TEXTS: Final = ("file_id", "name", "url", "part", "value", "quote", "date")
_CITATION_TEXTS: Final = (
    "reason", "kind", "file_id", "revision", "name", "url", "part", "quote", "before", "after",
)  # fmt: skip


def stored(message: Message) -> Stored:
    """Converts a message to the form of a row. Its citations are not verified, even if the file says so."""
    made = [_stored_part(part, number) for number, part in enumerate(message.parts)]
    cited = [_cited(one, message.parts) for one in message.citations]
    if cited:
        made.append({"type": citations.CITATIONS, "id": "citations", "data": cited})
    if (stored := receipt(message.receipt)) is not None:
        made.append({"type": citations.COVERAGE, "id": "coverage", "data": stored})
    status = "error" if message.status == "failed" else message.status
    return Stored(made, status, message.error)


def _stored_part(part: Part, number: int) -> dict[str, Any]:
    match part:
        case Text():
            return {"type": "text", "text": part.text}
        case Thinking():
            return {"type": "reasoning", "text": part.text}
        case Related():
            return {"type": parts.RELATED, "id": "related", "data": {"status": "done", "questions": part.questions}}
        case Tool():
            call = {
                "type": "dynamic-tool", "toolName": _MARK + part.name, "toolCallId": f"imported-{number}",
                "input": part.input,
            }  # fmt: skip
            if part.state == "done":
                return {**call, "state": "output-available", "output": part.output}
            return {**call, "state": "output-error", "errorText": part.error or _UNFINISHED}


def _cited(one: Citation, message_parts: Sequence[Part]) -> dict[str, Any]:
    at = [[slot, begin, end] for slot, begin, end in one.at if _is_stretch(message_parts, slot, begin, end)]
    url = one.url if one.url.startswith(_WEB) else ""
    reason = citations.CUT_OFF if one.reason == citations.CUT_OFF else IMPORTED
    return one.model_dump() | {"verified": False, "reason": reason, "revision": one.revision or None,
                               "url": url, "at": at}  # fmt: skip


def _is_stretch(message_parts: Sequence[Part], slot: int, begin: int, end: int) -> bool:
    part = message_parts[slot] if slot < len(message_parts) else None
    return isinstance(part, Text) and begin <= end <= len(part.text)


def digest(chat: Chat) -> str:
    """A digest that identifies an imported chat by its content, independent of ids and of Leaf's own metadata."""
    numbers = {one.id: number for number, one in enumerate(chat.messages)}
    content = [
        [numbers.get(one.parent or ""), one.role, one.at.isoformat(timespec="milliseconds"), one.model_dump(
            mode="json", include={"parts", "status", "model", "error"})]
        for one in chat.messages
    ]  # fmt: skip
    text = json.dumps([chat.title, content], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _short(value: Any) -> str:
    return "" if value is None else str(value)[:SHORT_CHARACTERS]
