"""A wrapper around a model: it sends only the thinking that the provider accepts, and makes the ids of calls unique.

Providers sign or encrypt the thinking of their models, and refuse thinking that other providers have signed. Such
thinking is removed. It is never converted to text, because a model would take that for a part of its own answer.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, cast

from pydantic_ai import RunContext
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ModelResponsePart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from leaf.agent import attachments, calls

NOTHING_SAID = "[Nothing was said.]"
"""The text that replaces the thinking of a response without other content. Providers accept no empty responses."""
_SIGNING = {"anthropic", "openai"}
"""Providers that accept only thinking with a signature."""


class OwnThinkingModel(WrapperModel):
    """A provider's model. Each fallback of a chain is a separate `OwnThinkingModel`.

    Args:
        wrapped: The model.
        plain: Whether its server is merely compatible with OpenAI. OpenAI's own settings are then not sent.
        sees: Whether it supports pictures. Otherwise it gets their text.
    """

    def __init__(self, wrapped: Model, *, plain: bool = False, sees: bool = True) -> None:
        super().__init__(wrapped)
        self._plain = plain
        self._sees = sees

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        response = await self.wrapped.request(messages, self._supported(model_settings), model_request_parameters)
        return calls.renamed(response, calls.ids(messages))

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        settings = self._supported(model_settings)
        async with self.wrapped.request_stream(messages, settings, model_request_parameters, run_context) as stream:
            # The ids of messages that did not fit into the request count too.
            earlier = [*messages, *(run_context.messages if run_context is not None else ())]
            calls.rename(stream, earlier, getattr(run_context.deps, "cut_calls", {}) if run_context else {})
            yield stream

    def _supported(self, settings: ModelSettings | None) -> ModelSettings | None:
        """Returns the settings without those that the server or the model may not support."""
        if not settings or (self.wrapped.profile.get("supports_thinking") and not self._plain):
            return settings
        prefix = "openai_" if self._plain else "openai_reasoning_summary"
        return cast("ModelSettings", {key: one for key, one in settings.items() if not key.startswith(prefix)})

    def prepare_messages(
        self, messages: list[ModelMessage], model_request_parameters: ModelRequestParameters | None = None
    ) -> list[ModelMessage]:
        """Returns the messages in the form that this provider accepts."""
        seen = messages if self._sees else attachments.as_text(messages)
        return self.wrapped.prepare_messages(fitting(seen, self.wrapped), model_request_parameters)


def fitting(messages: Sequence[ModelMessage], model: Model) -> list[ModelMessage]:
    """Returns messages without the thinking that a model does not accept."""
    question = last_question(messages)
    return [
        _of_response(message, model, running=index > question) if isinstance(message, ModelResponse) else message
        for index, message in enumerate(messages)
    ]


def last_question(messages: Sequence[ModelMessage]) -> int:
    """Returns the index of the last message with a question, at which the running turn begins; -1 if there is none."""
    for index, message in reversed([*enumerate(messages)]):
        if isinstance(message, ModelRequest) and any(isinstance(part, UserPromptPart) for part in message.parts):
            return index
    return -1


def without_thinking(response: ModelResponse) -> ModelResponse:
    """Returns a response without its thinking and without the ids of its parts.

    OpenAI refuses an item with an id if the reasoning before that item is missing.
    """
    parts = [_without_id(part) for part in response.parts if not isinstance(part, ThinkingPart)]
    return replace(response, parts=parts or [TextPart(NOTHING_SAID)])


def _of_response(response: ModelResponse, model: Model, *, running: bool) -> ModelResponse:
    thoughts = [part for part in response.parts if isinstance(part, ThinkingPart)]
    if not thoughts:
        return response
    # Thinking at the end was interrupted. Providers accept thinking only with the item that follows it.
    whole = not isinstance(response.parts[-1], ThinkingPart)
    if whole and all(_is_accepted(part, response, model, running=running) for part in thoughts):
        return response
    return without_thinking(response)


def _is_accepted(part: ThinkingPart, response: ModelResponse, model: Model, *, running: bool) -> bool:
    if not model.accepts_stateless_artifacts(response, part):
        return False
    if isinstance(model, OpenAIChatModel):
        # The protocol itself has no thinking. Providers that send it accept it back only within a turn, if at all.
        return running and not part.signature
    return bool(part.signature) or model.system not in _SIGNING


def _without_id(part: ModelResponsePart) -> Any:
    return replace(part, id=None) if isinstance(part, TextPart | ToolCallPart) and part.id else part
