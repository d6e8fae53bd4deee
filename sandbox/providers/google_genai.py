"""Google's generateContent: https://ai.google.dev/api/generate-content."""

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any, Literal

from pydantic import BaseModel, Field

from sandbox.conversation import Call, JsonObject
from sandbox.providers import history, wire
from sandbox.providers.history import Block, Entry

MAKER = "google"
SKIPPED = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="
"""`skip_thought_signature_validator` in base64, which Google documents for calls that another model has made."""
_SIGNING = "gemini-3"
"""The prefix of models that require the signature of each step's first call."""
_STATUSES = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 404: "NOT_FOUND", 500: "INTERNAL", 503: "UNAVAILABLE"}


class Content(BaseModel):
    """A message of the user or the model."""

    role: Literal["user", "model"] = "user"
    parts: list[JsonObject] = Field(default_factory=list[JsonObject])

    def entry(self) -> Entry:
        return Entry("user" if self.role == "user" else "assistant", [*map(_block, self.parts)])


class _Tool(BaseModel):
    functionDeclarations: list[JsonObject] = Field(default_factory=list[JsonObject])  # noqa: N815 - Google's name


class _Body(BaseModel):
    model: str
    action: Literal["generateContent", "streamGenerateContent"]
    contents: list[Content] = Field(min_length=1)
    systemInstruction: Content | None = None  # noqa: N815
    tools: list[_Tool] | None = None
    toolConfig: JsonObject | None = None  # noqa: N815


class GenerateContent:
    """The protocol of Google's models. The model and the action are part of the path."""

    name = "google"
    reports_at_start = False

    def parse(self, body: JsonObject) -> wire.Request:
        parsed = wire.validated(_Body, body)
        entries = [one.entry() for one in parsed.contents]
        check(parsed.model, entries)
        if parsed.systemInstruction:
            entries.insert(0, Entry("system", parsed.systemInstruction.entry().blocks))
        declared = [function for tool in parsed.tools or [] for function in tool.functionDeclarations]
        tools: dict[str, JsonObject] = {
            str(one.get("name")): one.get("parametersJsonSchema") or one.get("parameters") or {} for one in declared
        }
        calling = (parsed.toolConfig or {}).get("functionCallingConfig") or {}
        conversation = history.conversation(entries, {} if calling.get("mode") == "NONE" else tools)
        return wire.Request(parsed.model, parsed.action == "streamGenerateContent", conversation)

    async def events(
        self, request: wire.Request, reply: wire.Reply, pieces: AsyncIterator[wire.Piece]
    ) -> AsyncIterator[bytes]:
        """Yields text as it comes, and each call as a whole. The first call has the signature of the thought."""
        response_id, signature = wire.new_id("resp_"), _signature(reply)

        def event(parts: list[JsonObject], finish: str | None = None) -> bytes:
            return wire.event(_response(request, reply, response_id, parts, finish))

        async for piece in pieces:
            if piece.call is None:
                yield event([{"text": piece.text} | ({"thought": True} if piece.kind == "reasoning" else {})])
            elif piece.first:
                yield event([_function_call(piece.call) | ({} if piece.call_number else signature)])
        # Without a call, an empty text at the end has the signature.
        yield event([{"text": "", **signature}] if signature and not reply.calls else [], "STOP")

    def whole(self, request: wire.Request, reply: wire.Reply) -> JsonObject:
        return _response(request, reply, wire.new_id("resp_"), [*_parts(reply)], "STOP")

    def error(self, refused: wire.Refused) -> JsonObject:
        message = refused.message
        if isinstance(refused, wire.TooLong):
            message = (
                f"The input token count ({refused.tokens}) exceeds the maximum number of tokens allowed "
                f"({refused.limit})."
            )
        status = _STATUSES.get(refused.status, "UNKNOWN")
        return {"error": {"code": refused.status, "message": message, "status": status}}


def _parts(reply: wire.Reply) -> Iterator[JsonObject]:
    signature = _signature(reply)
    if reply.reasoning:
        yield {"text": reply.reasoning, "thought": True}
    if reply.text:
        yield {"text": reply.text} | ({} if reply.calls else signature)
    for number, call in enumerate(reply.calls):
        yield _function_call(call) | ({} if number else signature)


def _signature(reply: wire.Reply) -> JsonObject:
    return {"thoughtSignature": wire.sign(MAKER, reply.reasoning)} if reply.reasoning else {}


def _function_call(call: Call) -> JsonObject:
    return {"functionCall": {"id": call.id, "name": call.name, "args": call.arguments}}


def _response(
    request: wire.Request, reply: wire.Reply, response_id: str, parts: list[JsonObject], finish: str | None
) -> JsonObject:
    candidate = {"content": {"role": "model", "parts": parts}, "index": 0} | (
        {"finishReason": finish} if finish else {}
    )
    used = wire.usage_of(request, reply)
    usage = {
        "promptTokenCount": used.input,
        "cachedContentTokenCount": used.cache_read,
        "candidatesTokenCount": used.output - used.reasoning,
        "thoughtsTokenCount": used.reasoning,
        "totalTokenCount": used.input + used.output,
    }
    return {
        "candidates": [candidate],
        "modelVersion": request.model,
        "responseId": response_id,
        "usageMetadata": usage,
    }


def _block(part: JsonObject) -> Block:
    # Google's client encodes bytes in the URL-safe alphabet of base64.
    given = part.get("thoughtSignature")
    signature = None if given is None else str(given).replace("-", "+").replace("_", "/")
    if (called := part.get("functionCall")) is not None:
        name = str(called["name"])
        arguments = called.get("args") or {}
        return Block("call", id=str(called.get("id") or name), name=name, arguments=arguments, signature=signature)
    if (response := part.get("functionResponse")) is not None:
        return _result(response)
    if part.get("inlineData") is not None:
        return Block("picture")
    return Block("thought" if part.get("thought") else "text", str(part.get("text", "")), signature=signature)


def _result(response: JsonObject) -> Block:
    given: Any = response.get("response") or {}
    failed = set(given) == {"error"}
    # Google's client wraps a result that is not an object.
    is_wrapped = failed or set(given) == {"result"}
    content = next(iter(given.values())) if is_wrapped else given
    text = content if isinstance(content, str) else wire.json_text(content)
    return Block("result", text, str(response.get("id") or response.get("name")), failed=failed)


def check(model: str, entries: Sequence[Entry]) -> None:
    """Checks that Google would accept a history for a model.

    Raises:
        wire.Refused: Google would refuse it (400).
    """
    history.check(entries, MAKER, skipped=SKIPPED)
    if entries[-1].role != "user":
        raise history.invalid("Please ensure that multiturn requests end with a user role or a function response.")
    asked = 0
    for number, entry in enumerate(entries):
        calls = [one for one in entry.blocks if one.kind == "call"]
        if calls and (not number or entries[number - 1].role != "user"):
            raise history.invalid("Please ensure that a function call turn comes immediately after a user turn.")
        if entry.role == "user" and any(one.kind == "text" for one in entry.blocks):
            asked = number
    # Calls of the current turn must have the signature of the thought that led to them.
    for entry in entries[asked:] if model.startswith(_SIGNING) else ():
        calls = [one for one in entry.blocks if one.kind == "call"]
        if calls and not calls[0].signature:
            raise history.invalid(f"Function call is missing a thought_signature: {calls[0].name}.")
