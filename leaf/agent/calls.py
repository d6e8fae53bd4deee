"""Ids of tool calls, unique within a chat whatever a provider calls them.

Some servers count the calls of each response anew: `call_0` comes again with the next one. What a call has returned,
what it has changed and where it stands on the page are all found by its id, so a repeated one is given another as it
arrives. Everything behind sees that one alone, and so does the provider when the call and its result are sent back.

Which one it is follows from the messages before: a worker that takes over comes to the same.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic_ai._parts_manager import ModelResponsePartsManager
from pydantic_ai.messages import ModelMessage, ModelResponse, ModelResponseStreamEvent, ToolCallPart
from pydantic_ai.models import StreamedResponse

LONGEST = 64
"""How long an id may be: OpenAI takes no longer ones."""


def ids(messages: Iterable[ModelMessage]) -> set[str]:
    """The ids of all tool calls in messages."""
    responses = (message for message in messages if isinstance(message, ModelResponse))
    return {part.tool_call_id for response in responses for part in response.parts if isinstance(part, ToolCallPart)}


def fresh(told: str, taken: set[str]) -> str:
    """The id that a call gets.

    Args:
        told: What its provider calls it.
        taken: The ids of other calls.
    """
    name, number = told, 1
    while name in taken:
        number += 1
        suffix = f"_{number}"
        # Anthropic takes letters, digits, hyphens and underscores only.
        name = told[: LONGEST - len(suffix)] + suffix
    return name


def renamed(response: ModelResponse, taken: set[str]) -> ModelResponse:
    """A whole response whose calls have ids of their own."""
    taken = set(taken)
    parts: list[Any] = []
    for part in response.parts:
        if isinstance(part, ToolCallPart):
            name = fresh(part.tool_call_id, taken)
            taken.add(name)
            parts.append(part if name == part.tool_call_id else replace(part, tool_call_id=name))
        else:
            parts.append(part)
    return replace(response, parts=parts)


def rename(stream: StreamedResponse, earlier: Sequence[ModelMessage]) -> None:
    """Has the calls of a response that has not been read yet get ids of their own.

    Args:
        stream: The response.
        earlier: The messages before it.
    """
    # The one place through which the parts of all providers' streams go; the library has no public one.
    vars(stream)["_parts_manager"] = _Parts(stream.model_request_parameters, taken=ids(earlier))


@dataclass(repr=False, eq=False)
class _Parts(ModelResponsePartsManager):
    """Puts a response together from what its provider sends."""

    taken: set[str] = field(default_factory=set[str], kw_only=True)
    _names: dict[Hashable, str] = field(default_factory=dict[Hashable, str], init=False)
    """By what the provider tells its calls apart: the id that each has."""
    _unnamed: int = field(default=0, init=False)
    """How many calls have come of a provider that tells them apart by nothing."""

    def handle_tool_call_delta(
        self,
        *,
        vendor_part_id: Hashable | None,
        tool_name: str | None = None,
        tool_call_id: str | None = None,
        **further: Any,
    ) -> ModelResponseStreamEvent | None:
        """A piece of a call; servers that are like others' may tell its id with each."""
        if vendor_part_id is None and tool_name is not None:
            self._unnamed += 1
        return super().handle_tool_call_delta(
            vendor_part_id=vendor_part_id,
            tool_name=tool_name,
            tool_call_id=self._name(vendor_part_id, tool_call_id),
            **further,
        )

    def handle_tool_call_part(
        self, *, vendor_part_id: Hashable | None, tool_call_id: str | None = None, **further: Any
    ) -> ModelResponseStreamEvent:
        """A whole call."""
        if vendor_part_id is None:
            self._unnamed += 1
        return super().handle_tool_call_part(
            vendor_part_id=vendor_part_id, tool_call_id=self._name(vendor_part_id, tool_call_id), **further
        )

    def _name(self, vendor_part_id: Hashable | None, told: str | None) -> str | None:
        if not told:
            return told
        key = (self._unnamed,) if vendor_part_id is None else vendor_part_id
        if key not in self._names:
            self._names[key] = fresh(told, self.taken)
            self.taken.add(self._names[key])
        return self._names[key]
