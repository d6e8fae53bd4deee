"""Leaf's format of a chat, version 1: a JSON object with the whole tree of messages (docs/chat-format.md).

The same models write it and read it, so every exported chat can be imported. Unknown fields are ignored.
"""

from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue

FORMAT: Final = "leaf-chat"
VERSION: Final = 1
MOST_MESSAGES: Final = 5000
MOST_PARTS: Final = 2000
MOST_CITATIONS: Final = 1000
MOST_MARKS: Final = 1000
"""Maximum number of places in an answer that refer to one source."""
MOST_ASKED: Final = 20
MOST_CONFLICTS: Final = 20
MOST_SIDES: Final = 20
MOST_COMPARED: Final = 10
MOST_DIFFERENCES: Final = 60
TEXT_CHARACTERS: Final = 1_000_000
SHORT_CHARACTERS: Final = 4000
_FIRST, _LAST = datetime(1990, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)


def _within(moment: datetime) -> datetime:
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    if not _FIRST <= moment <= _LAST:
        raise ValueError("a time between 1990 and 2100")
    return moment


Time = Annotated[datetime, Field(strict=False), AfterValidator(_within)]
"""The time in UTC."""
Short = Annotated[str, Field(max_length=SHORT_CHARACTERS)]
Count = Annotated[int, Field(ge=0, le=2**31)]
Stretch = Annotated[tuple[Count, Count, Count], Field(strict=False)]
Id = Annotated[str, Field(min_length=1, max_length=200)]


class _Model(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class Text(_Model):
    """Text of a question or answer as Markdown. The footnotes of an answer are unchanged."""

    type: Literal["text"] = "text"
    text: Annotated[str, Field(max_length=TEXT_CHARACTERS)]


class Thinking(_Model):
    """The model's thinking."""

    type: Literal["reasoning"] = "reasoning"
    text: Annotated[str, Field(max_length=TEXT_CHARACTERS)]


class Tool(_Model):
    """A tool call with its result."""

    type: Literal["tool"] = "tool"
    name: Annotated[str, Field(min_length=1, max_length=200)]
    state: Literal["done", "failed"]
    input: JsonValue = None
    output: JsonValue = None
    error: Annotated[str, Field(max_length=TEXT_CHARACTERS)] = ""


class Related(_Model):
    """Follow-up questions that were offered."""

    type: Literal["related"] = "related"
    questions: Annotated[list[Short], Field(max_length=20)]


Part = Annotated[Text | Thinking | Tool | Related, Field(discriminator="type")]


class Citation(_Model):
    """A quote on which an answer rests."""

    n: Annotated[int, Field(ge=1, le=10_000)]
    verified: bool
    """Whether the installation that wrote the answer found the words in the source. An import cannot know that."""
    reason: Short = ""
    kind: Short = ""
    """drive, chat or web; empty if unknown."""
    file_id: Short = ""
    revision: Short = ""
    name: Short = ""
    url: Short = ""
    """A web address; empty if the source was a file of the chat."""
    part: Short = ""
    quote: Short = ""
    before: Short = ""
    after: Short = ""
    formula: Annotated[dict[str, Short], Field(max_length=20)] = {}
    """The computation of a figure in words, by language."""
    at: Annotated[list[Stretch], Field(max_length=MOST_MARKS)] = []
    """Part index, begin and end (in code points) of each stretch of text to which the number refers."""


class Asked(_Model):
    """One part of a question that asks several things."""

    text: Short
    state: Literal["open", "answered", "missing", "unanswered", "unknown"] = "unknown"
    """Whether the answer addresses it, as far as Leaf can tell; `missing` if the answer says that it was not found."""


class Side(_Model):
    """The statement of one of several sources that disagree."""

    file_id: Short = ""
    name: Short = ""
    url: Short = ""
    part: Short = ""
    value: Short = ""
    quote: Short = ""
    date: Short = ""
    """The time of the file's last change, in ISO 8601; empty if unknown."""
    newer: bool = False


class Disagreement(_Model):
    """A fact that current sources of an answer state differently."""

    about: Short = ""
    sides: Annotated[list[Side], Field(max_length=MOST_SIDES)] = []


class Compared(_Model):
    """A compared file, or a compared version of a file."""

    file_id: Short = ""
    path: Short = ""
    """The path of a file in the chat, which has no `file_id` and no `url`."""
    name: Short = ""
    url: Short = ""
    revision: Short = ""
    modified: Short = ""
    """The time of the last change of the file or version, as RFC 3339."""
    version: Short = ""
    """The date of an earlier version; empty for the current one."""
    by: Short = ""
    """The author of the version."""


class Passage(_Model):
    """A passage in one of the compared files."""

    part: Short = ""
    quote: Short = ""
    value: Short = ""
    """The amounts, dates or cells that differ."""
    marks: Annotated[list[Annotated[tuple[Count, Count], Field(strict=False)]], Field(max_length=MOST_MARKS)] = []
    """Begin and end (in code points) of each stretch of the quote that differs."""


class Difference(_Model):
    """A statement that differs between compared files, or that some of them lack."""

    kind: Short = ""
    """`value` (amounts, dates or cells differ), `wording`, or `only` (some files lack it)."""
    about: Short = ""
    table: bool = False
    """Whether it is a row of a table."""
    cells: Annotated[list[Passage | None], Field(max_length=MOST_COMPARED)]
    """One entry for each file; None if the file has no such statement."""


class Note(_Model):
    """A remark on a comparison."""

    text: Short = ""
    message: dict[str, JsonValue] | None = None


class Comparison(_Model):
    """Files, or versions of a file, that an answer has compared."""

    on: Short = ""
    compared: Annotated[list[Compared], Field(max_length=MOST_COMPARED)]
    rows: Annotated[list[Difference], Field(max_length=MOST_DIFFERENCES)] = []
    same: Count = 0
    differences: Count = 0
    """The number of all differences; `rows` may have fewer."""
    notes: Annotated[list[Note], Field(max_length=MOST_SIDES)] = []


class Message(_Model):
    """A question or an answer, listed after its parent."""

    id: Id
    parent: Id | None
    """The answer that a question follows, or the question of an answer; None for a first question."""
    role: Literal["user", "assistant"]
    at: Time
    status: Literal["completed", "stopped", "failed"] = "completed"
    error: Short = ""
    """The error that the reader saw, if the answer failed."""
    model: Annotated[str, Field(max_length=200)] = ""
    """The model, as `provider:name`."""
    parts: Annotated[list[Part], Field(max_length=MOST_PARTS)]
    citations: Annotated[list[Citation], Field(max_length=MOST_CITATIONS)] = []
    receipt: dict[str, JsonValue] | None = None
    """The receipt of the answer (`leaf.parts.portable.receipts`)."""
    asked: Annotated[list[Asked], Field(max_length=MOST_ASKED)] = []
    """The parts of the question. An import ignores them, like conflicts, because it cannot check them."""
    conflicts: Annotated[list[Disagreement], Field(max_length=MOST_CONFLICTS)] = []
    """Facts that sources of the answer state differently."""
    comparisons: Annotated[list[Comparison], Field(max_length=MOST_CONFLICTS)] = []
    """Comparisons that the answer has made. An import ignores them."""


class Head(_Model):
    """The fields of a chat before its messages."""

    format: Literal["leaf-chat"] = "leaf-chat"
    version: Literal[1] = 1
    title: Annotated[str, Field(max_length=SHORT_CHARACTERS)] = ""
    created_at: Time
    updated_at: Time
    branch: Id | None = None
    """The last message of the branch that was shown; None for the newest."""
    scope: dict[str, JsonValue] | None = None
    """The part of a Drive to which the chat is limited: `folders` and `files` (each with `id` and `name`), `kinds` and
    `since`."""


class Chat(Head):
    """A chat with all its branches."""

    messages: Annotated[list[Message], Field(max_length=MOST_MESSAGES)]


def schema() -> dict[str, Any]:
    """The JSON schema of a chat, which `docs/chat-format.schema.json` contains."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Chat.model_json_schema()}
