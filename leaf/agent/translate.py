"""Translates agent events into AI SDK UI message chunks, and exceptions into texts for the reader.

The encoding is pydantic-ai's, with three differences. The text of an exception never reaches the reader. A tool that
returns nothing sends `"output": null`, because clients of AI SDK 6 and 7 reject a missing output. The job sends the end
of the stream, after it has written to the database.
"""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, Literal

from google.auth.exceptions import GoogleAuthError
from pydantic_ai import DeferredToolRequests, exceptions
from pydantic_ai.messages import CustomEvent, FunctionToolResultEvent, ModelMessage, ModelResponse
from pydantic_ai.run import AgentRunResultEvent
from pydantic_ai.ui.vercel_ai import VercelAIEventStream
from pydantic_ai.ui.vercel_ai.response_types import (
    AbortChunk,
    BaseChunk,
    DoneChunk,
    FinishChunk,
    StartChunk,
    ToolInputErrorChunk,
    ToolOutputAvailableChunk,
    ToolOutputErrorChunk,
)

from leaf import config, errors, parts, texts
from leaf.agent import mcp
from leaf.agent.context import ContextTooSmall, is_too_long
from leaf.agent.deps import Deps, ToolProgress
from leaf.agent.tools import strict
from leaf.config import catalog, local
from leaf.parts import Chunk, Spans

SDK_VERSION: Literal[7] = 7
_ARGUMENTS = "failures.arguments"
_UNKNOWN_TOOL = "failures.unknown_tool"
ENTRIES = ("left_out", "unavailable")
"""The fields with unreadable files (`compare_files`) and unavailable sources (`search_knowledge`) in results."""


@dataclass(frozen=True)
class Failure:
    """A failure for the reader: a stable code, a sentence, and whether another attempt may succeed."""

    code: str
    text: str
    transient: bool = False


@dataclass(kw_only=True)
class RunStream(VercelAIEventStream[Deps, Any]):
    """pydantic-ai's encoder with Leaf's errors. It also records how the run ended."""

    error: Exception | None = None
    stopped: bool = False
    result: AgentRunResultEvent[Any] | None = None
    resumed: bool = False
    _continues_step: bool = False
    metadata: dict[str, Any] | None = None
    """Metadata that the message has from its beginning."""
    _spans: Spans = field(default_factory=Spans)
    _reasons: dict[str, texts.Message] = field(default_factory=dict[str, texts.Message])
    """The reasons why calls failed or skipped a file, by call."""
    _entries: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """The reasons why some of several files or sources could not be read, by call."""

    def resume(self, *, started: bool, step_open: bool, in_step: bool) -> None:
        """Makes the stream continue a message that was partly sent.

        Args:
            started: Whether `start` was sent.
            step_open: Whether a step was begun and not finished.
            in_step: Whether the first response continues that step.
        """
        self.resumed = started
        self._step_started = step_open
        self._continues_step = in_step

    @property
    def waits_for(self) -> DeferredToolRequests | None:
        """The calls that wait for the reader, if the run ended with such calls."""
        output = self.result.result.output if self.result is not None else None
        return output if isinstance(output, DeferredToolRequests) else None

    @property
    def broke_off(self) -> bool:
        """Whether the provider's stream ended without a finish reason, as after a cut connection."""
        return self.result is not None and self.result.result.response.finish_reason is None

    def encoded(self, chunk: BaseChunk) -> Chunk | None:
        """Returns a chunk like `encode`, with the start time of the part that it ends, and the reason of a failure."""
        found = encode(chunk)
        if found is None:
            return None
        if isinstance(chunk, ToolInputErrorChunk | ToolOutputAvailableChunk | ToolOutputErrorChunk):
            reason = self._reasons.pop(chunk.tool_call_id, "")
            if isinstance(reason, texts.Message) and reason.key in {_ARGUMENTS, _UNKNOWN_TOOL}:
                found["errorText"] = str(reason)
            found = parts.keyed(found, reason, self._entries.pop(chunk.tool_call_id, ()))
        return self._spans.stamped(found)

    async def handle_function_tool_result(self, event: FunctionToolResultEvent) -> AsyncIterator[BaseChunk]:
        """Handles the result of a tool.

        The reasons are kept as messages for `encoded`, because a chunk contains only their sentences.
        """
        part = event.part
        reason = _arguments_reason(part.content) or _unknown_tool_reason(part) or _skipped_reason(part.content)
        if isinstance(reason, texts.Message):
            self._reasons[part.tool_call_id] = reason
        if entries := _reasons_of_entries(part.content):
            self._entries[part.tool_call_id] = entries
        async for chunk in super().handle_function_tool_result(event):
            yield chunk

    async def before_stream(self) -> AsyncIterator[BaseChunk]:
        """Sends `start`, unless it was sent before."""
        if not self.resumed:
            async for chunk in super().before_stream():
                if isinstance(chunk, StartChunk) and self.metadata:
                    chunk.message_metadata = self.metadata
                yield chunk

    async def before_response(self) -> AsyncIterator[BaseChunk]:
        """Begins a step, unless the response continues an open step."""
        if self._continues_step:
            self._continues_step = False
            return
        async for chunk in super().before_response():
            yield chunk

    async def handle_run_result(self, event: AgentRunResultEvent[Any]) -> AsyncIterator[BaseChunk]:
        """Stores the result and sends nothing. The job sends the metadata."""
        self.result = event
        for chunk in ():
            yield chunk

    async def handle_custom_event(self, event: CustomEvent) -> AsyncIterator[BaseChunk]:
        """Sends the progress of a tool as a preliminary output of its call, like the AI SDK's own tools."""
        if isinstance(event, ToolProgress) and event.tool_call_id is not None:
            yield ToolOutputAvailableChunk(tool_call_id=event.tool_call_id, output=event.output, preliminary=True)
            return
        async for chunk in super().handle_custom_event(event):
            yield chunk

    async def on_error(self, error: Exception) -> AsyncIterator[BaseChunk]:
        """Stores the exception for the job, which sends Leaf's own text to the reader."""
        self.error = error
        if may_continue(error):
            # The next reply repeats the open calls, or `jobs.run.seam` ends them.
            return
        for part in self._streamed_call_parts.values():
            yield self._tool_input_available_chunk(part)
        self._streamed_call_parts.clear()

    async def on_cancelled(self, cancelled: exceptions.RunCancelled) -> AsyncIterator[BaseChunk]:  # noqa: ARG002
        """Records that the run was stopped, and sends nothing. The job sends the end."""
        self.stopped = True
        for chunk in ():
            yield chunk

    async def after_stream(self) -> AsyncIterator[BaseChunk]:
        """Sends nothing. The job sends the end."""
        for chunk in ():
            yield chunk


def finish_reason(last: ModelMessage) -> str:
    """Returns the finish reason in the last message of a turn, as the AI SDK names it."""
    reason = last.finish_reason if isinstance(last, ModelResponse) else None
    return _FINISH_REASONS.get(reason or "", "other")


def encode(chunk: BaseChunk) -> Chunk | None:
    """Returns a chunk as JSON; None for chunks that the job sends itself."""
    if isinstance(chunk, DoneChunk | FinishChunk | AbortChunk):
        return None
    encoded: Chunk = json.loads(chunk.encode(SDK_VERSION))
    if isinstance(chunk, ToolOutputAvailableChunk):
        encoded.setdefault("output", None)
    if mcp.is_mcp(str(encoded.get("toolName", ""))):
        # Clients do not know this tool, and have no component for it.
        encoded["dynamic"] = True
    return encoded


def explain(error: Exception, model_id: str = "") -> Failure:
    """Returns the failure for an exception that ended a run. The most specific type of exception applies.

    Args:
        error: The exception.
        model_id: The model; empty if the reader may not see it. If its server is self-hosted, the sentence names the
            model and the address.
    """
    if isinstance(error, errors.LeafError):
        return Failure(error.code, error.message, transient=isinstance(error, errors.Unavailable))
    address = catalog.address_of(config.current(), model_id)
    if address and (failure := _server_failure(error, model_id, address)):
        return failure
    for kind, code, key in _FAILURES:
        if isinstance(error, kind):
            return Failure(code, texts.english(key), transient=code in _TRANSIENT)
    return Failure("internal_error", errors.LeafError.unexpected().message)


def _server_failure(error: Exception, model_id: str, address: str) -> Failure | None:
    """Returns the failure of a self-hosted model server; None for a failure that any provider may have."""
    names: dict[str, Any] = {"model": local.parts(model_id)[1] or model_id.partition(":")[2], "address": address}
    match error:
        case ContextTooSmall():
            names |= {"tokens": error.tokens, "needed": error.needed}
            code, key = "model_context", "failures.server_tokens"
        case exceptions.ModelConnectionError():
            code, key = "model_unavailable", "failures.server_stopped"
        case exceptions.ModelNotFoundError():
            code, key = "model_not_found", "failures.server_unknown"
        case exceptions.ModelHTTPError() if any(words in str(error.body).lower() for words in _NO_TOOLS):
            code, key = "model_tools", "failures.server_tools"
        case exceptions.ModelAPIError() if 300 <= getattr(error.__cause__, "status_code", 0) < 400:
            return Failure("model_unavailable", texts.english("failures.server_redirects", **names))
        case _ if is_too_long(error):
            code, key = "model_context", "failures.server_context"
        case _:
            return None
    return Failure(code, texts.english(key, **names), transient=code in _TRANSIENT)


def cause(error: Exception, *, begun: bool) -> Exception:
    """Returns the cause of a failure, depending on whether the model had begun to answer.

    If the answer had begun, the provider was reachable and had not refused the request. Errors of the provider then
    mean that the answer broke off.
    """
    if isinstance(error, exceptions.FallbackExceptionGroup):
        # If several models were tried, the first error is that of the requested model.
        return cause(error.exceptions[0], begun=begun)
    failed = type(error) is exceptions.ModelAPIError or explain(error).transient
    if begun and failed and isinstance(error, exceptions.ModelAPIError):
        return Interrupted()
    return error


def _arguments_reason(content: Any) -> texts.Message | None:
    """Returns a sentence about arguments that do not match a tool's schema; None for any other result."""
    if not isinstance(content, list) or not content or not all(_is_problem(one) for one in content):
        return None
    found = [f"{strict.place(tuple(one['loc']))}: {one['msg']}" for one in content]
    return texts.english(_ARGUMENTS, problems="; ".join(strict.summary(found).splitlines()))


def _unknown_tool_reason(part: Any) -> texts.Message | None:
    """Returns a sentence about a tool that does not exist; None for any other result.

    The library's own sentence is written for the model and lists all other tools.
    """
    if isinstance(part.content, str) and part.content.startswith("Unknown tool name:"):
        return texts.english(_UNKNOWN_TOOL, tool=part.tool_name)
    return None


def _is_problem(one: Any) -> bool:
    return isinstance(one, dict) and {"type", "loc", "msg"} <= one.keys()


def _skipped_reason(content: Any) -> object:
    """Returns the reason why a file was skipped (`tools.drive`), or the content of any other result."""
    skipped = content.get("skipped") if isinstance(content, dict) else None
    return skipped.get("reason") if isinstance(skipped, dict) else content


def _reasons_of_entries(content: Any) -> list[str]:
    """Returns the reasons why some of several files or sources could not be read (`ENTRIES`)."""
    name = next((name for name in ENTRIES if name in content), None) if isinstance(content, dict) else None
    return [one["reason"] for one in content[name]] if name is not None else []


def may_continue(error: Exception) -> bool:
    """Returns whether the run may continue from its checkpoint automatically.

    Requests that were refused before the first word do not count, because the provider's client has already repeated
    them.
    """
    return isinstance(error, Interrupted | Silent | exceptions.ModelConnectionError)


class Interrupted(exceptions.AgentRunError):
    """The provider's stream ended before the answer was complete."""

    def __init__(self) -> None:
        super().__init__("the stream of the model ended without a finish reason")


class Silent(exceptions.AgentRunError):
    """The provider sent nothing for too long."""

    def __init__(self) -> None:
        super().__init__("the model has been silent for too long")


_FINISH_REASONS = {
    "stop": "stop", "length": "length", "content_filter": "content-filter", "tool_call": "tool-calls", "error": "error",
}  # fmt: skip

_FAILURES: tuple[tuple[type[Exception], str, str], ...] = (
    (exceptions.ModelAuthenticationError, "model_authentication", "failures.authentication"),
    (GoogleAuthError, "model_authentication", "failures.google_credentials"),
    (exceptions.ModelQuotaExceededError, "model_quota", "failures.quota"),
    (exceptions.ModelRateLimitError, "model_rate_limit", "failures.rate_limit"),
    (exceptions.ModelContextWindowExceededError, "model_context", "failures.context"),
    (ContextTooSmall, "model_context", "failures.context_small"),
    (exceptions.ModelNotFoundError, "model_not_found", "failures.not_found"),
    (exceptions.ContentFilterError, "content_filter", "failures.content_filter"),
    (exceptions.ModelTimeoutError, "model_timeout", "failures.timeout"),
    (Silent, "model_timeout", "failures.timeout"),
    (Interrupted, "model_interrupted", "failures.interrupted"),
    (exceptions.ModelConnectionError, "model_unavailable", "failures.unreachable"),
    (exceptions.ModelServerError, "model_unavailable", "failures.server"),
    (exceptions.ModelUnavailableError, "model_unavailable", "failures.server"),
    (exceptions.ModelAPIError, "model_refused", "failures.refused"),
    (exceptions.UnexpectedModelBehavior, "model_behaviour", "failures.behaviour"),
)
"""Types of exceptions with the code of the failure and the key of its text. The most specific types come first."""
_NO_TOOLS = (
    "does not support tools",  # Ollama
    "requires --jinja",  # llama.cpp
    "requires --enable-auto-tool-choice",  # vLLM
)
"""Words in the error messages of servers whose model does not support tools."""
_TRANSIENT = frozenset({"model_rate_limit", "model_timeout", "model_interrupted", "model_unavailable"})
"""Codes of failures after which another attempt may succeed."""
