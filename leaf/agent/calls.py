"""Ids of tool calls that are unique within a chat, even if the ids of a provider are not.

Some servers count the calls of each response from zero, so `call_0` occurs again in the next response. The result of a
call, its changes and its place on the page are all found by its id, so a repeated id is replaced when the call arrives.
All later code uses only the new id. The provider gets the new id too, when the call and its result are sent back. The
new id is computed from the earlier messages, so a worker that takes over computes the same id.
"""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic_ai._parts_manager import ModelResponsePartsManager
from pydantic_ai.messages import ModelMessage, ModelResponse, ModelResponseStreamEvent, ToolCallPart, ToolReturnPart
from pydantic_ai.models import StreamedResponse

LONGEST = 64
"""Maximum length of an id in characters: the limit of OpenAI."""


def ids(messages: Iterable[ModelMessage]) -> set[str]:
    responses = (message for message in messages if isinstance(message, ModelResponse))
    return {part.tool_call_id for response in responses for part in response.parts if isinstance(part, ToolCallPart)}


def results(messages: Iterable[ModelMessage], tools: Collection[str]) -> Iterator[Mapping[str, Any]]:
    """Yields the results of some tools, as far as they are JSON objects."""
    for message in messages:
        for part in message.parts:
            if isinstance(part, ToolReturnPart) and part.tool_name in tools and isinstance(part.content, dict):
                yield part.content


def fresh(provider_id: str, taken: set[str]) -> str:
    """Returns a unique id for a call."""
    call_id, number = provider_id, 1
    while call_id in taken:
        number += 1
        suffix = f"_{number}"
        # Anthropic accepts letters, digits, hyphens and underscores only.
        call_id = provider_id[: LONGEST - len(suffix)] + suffix
    return call_id


def renamed(response: ModelResponse, taken: set[str]) -> ModelResponse:
    """Returns a complete response with unique ids for its calls."""
    taken = set(taken)
    parts: list[Any] = []
    for part in response.parts:
        if isinstance(part, ToolCallPart):
            call_id = fresh(part.tool_call_id, taken)
            taken.add(call_id)
            parts.append(part if call_id == part.tool_call_id else replace(part, tool_call_id=call_id))
        else:
            parts.append(part)
    return replace(response, parts=parts)


def rename(stream: StreamedResponse, earlier: Sequence[ModelMessage], cut: Mapping[str, str]) -> None:
    """Gives unique ids to the calls of a response while it is streamed.

    Args:
        stream: The response, before it is read.
        earlier: The messages before the response.
        cut: Tool names by the ids of calls that broke off. New calls of the same tools get these ids.
    """
    # The streams of all providers collect their parts in this attribute. The library has no public way to replace it.
    vars(stream)["_parts_manager"] = _Parts(stream.model_request_parameters, taken=ids(earlier), cut=cut)


@dataclass(repr=False, eq=False)
class _Parts(ModelResponsePartsManager):
    """Collects the parts of a response from a provider's stream."""

    taken: set[str] = field(default_factory=set[str], kw_only=True)
    cut: Mapping[str, str] = field(default_factory=dict[str, str], kw_only=True)
    _ids: dict[Hashable, str] = field(default_factory=dict[Hashable, str], init=False)
    """The id of each call, by the key with which the provider identifies the call within its stream."""
    _keyless: int = field(default=0, init=False)
    """The number of calls so far without such a key."""

    def handle_tool_call_delta(
        self,
        *,
        vendor_part_id: Hashable | None,
        tool_name: str | None = None,
        tool_call_id: str | None = None,
        **further: Any,
    ) -> ModelResponseStreamEvent | None:
        """Handles a piece of a call. Some compatible servers repeat the id with each piece."""
        if vendor_part_id is None and tool_name is not None:
            self._keyless += 1
        return super().handle_tool_call_delta(
            vendor_part_id=vendor_part_id,
            tool_name=tool_name,
            tool_call_id=self._id(vendor_part_id, tool_call_id, tool_name),
            **further,
        )

    def handle_tool_call_part(
        self, *, vendor_part_id: Hashable | None, tool_name: str, tool_call_id: str | None = None, **further: Any
    ) -> ModelResponseStreamEvent:
        if vendor_part_id is None:
            self._keyless += 1
        return super().handle_tool_call_part(
            vendor_part_id=vendor_part_id,
            tool_name=tool_name,
            tool_call_id=self._id(vendor_part_id, tool_call_id, tool_name),
            **further,
        )

    def _id(self, vendor_part_id: Hashable | None, provider_id: str | None, tool_name: str | None) -> str | None:
        if not provider_id:
            return provider_id
        key = (self._keyless,) if vendor_part_id is None else vendor_part_id
        if key not in self._ids:
            cut = (call_id for call_id, name in self.cut.items() if name == tool_name and call_id not in self.taken)
            self._ids[key] = next(cut, None) or fresh(provider_id, self.taken)
            self.taken.add(self._ids[key])
        return self._ids[key]
