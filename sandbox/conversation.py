"""A conversation as the stand-in's model sees it, independent of the wire formats of providers."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

JsonObject = dict[str, Any]
Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True)
class Call:
    """A tool call that the model makes, or that is in the conversation."""

    id: str
    name: str
    arguments: JsonObject


@dataclass(frozen=True)
class Message:
    """A message. Only messages of the assistant have `calls`; only messages of tools have `call_id` and `failed`."""

    role: Role
    text: str = ""
    calls: tuple[Call, ...] = ()
    call_id: str = ""
    failed: bool = False


@dataclass(frozen=True)
class Exchange:
    """A tool call and its result: an object, or the text of an error."""

    call: Call
    output: JsonObject | None
    error: str | None


@dataclass(frozen=True)
class Step:
    """The next step of the model: its text, followed by its tool calls, if any."""

    text: str
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True)
class Conversation:
    """The messages so far, and the JSON schema of the input of each tool that the request offers, by name."""

    messages: tuple[Message, ...]
    tools: Mapping[str, JsonObject] = field(default_factory=dict[str, JsonObject])

    @cached_property
    def _asked_at(self) -> int:
        """The index of the last user message; -1 if there is none."""
        return max((i for i, message in enumerate(self.messages) if message.role == "user"), default=-1)

    @property
    def instructions(self) -> str:
        """The text of the system messages."""
        return "\n".join(message.text for message in self.messages if message.role == "system")

    @property
    def question(self) -> str:
        """The text of the last user message."""
        return self.messages[self._asked_at].text if self._asked_at >= 0 else ""

    @property
    def earlier(self) -> "tuple[Message, ...]":
        """The messages before the last user message."""
        return self.messages[: max(self._asked_at, 0)]

    @property
    def earlier_questions(self) -> list[str]:
        """The texts of the user messages before the last one, the newest first."""
        return [message.text for message in reversed(self.earlier) if message.role == "user"]

    @property
    def now(self) -> list[Exchange]:
        """The tool calls made since the last user message."""
        return list(_exchanges(self.messages[self._asked_at + 1 :]))

    @property
    def rounds(self) -> int:
        """The number of rounds of tool calls since the last user message."""
        # The Responses API sends each of several parallel calls as a separate item, so consecutive calls are one round.
        turn = [bool(message.calls) for message in self.messages[self._asked_at + 1 :]]
        return sum(1 for at, calls in enumerate(turn) if calls and not (at and turn[at - 1]))

    @property
    def before(self) -> list[Exchange]:
        """The tool calls of earlier turns."""
        return list(_exchanges(self.earlier))


def _exchanges(messages: tuple[Message, ...]) -> Iterator[Exchange]:
    results = {message.call_id: message for message in messages if message.role == "tool"}
    for message in messages:
        for call in message.calls:
            result = results.get(call.id)
            if result is not None:
                yield _exchange(call, result)


def _exchange(call: Call, result: Message) -> Exchange:
    output = parse_object(result.text)
    if result.failed or output is None:
        return Exchange(call, None, result.text.strip() or "the tool gave no result")
    if isinstance(output.get("error"), str):
        return Exchange(call, None, output["error"])
    return Exchange(call, output, None)


def parse_object(text: str) -> JsonObject | None:
    """The JSON object in a text; None if the text is anything else."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
