"""Google's generateContent: https://ai.google.dev/api/generate-content."""

from collections.abc import Iterator
from typing import Any, Literal

from pydantic import BaseModel, Field

from sandbox.model import signing, usage, wire
from sandbox.model.checks import google_genai as checks
from sandbox.model.conversation import Call, Conversation, JsonObject, Message

_STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    404: "NOT_FOUND",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}


class _Content(BaseModel):
    role: Literal["user", "model"] = "user"
    parts: list[JsonObject] = Field(default_factory=list[JsonObject])


class _Tool(BaseModel):
    functionDeclarations: list[JsonObject] = Field(default_factory=list[JsonObject])  # noqa: N815 - Google's name


class _Body(BaseModel):
    model: str
    action: Literal["generateContent", "streamGenerateContent"]
    contents: list[_Content]
    systemInstruction: _Content | None = None  # noqa: N815
    tools: list[_Tool] | None = None
    toolConfig: JsonObject | None = None  # noqa: N815


class GenerateContent:
    """The protocol of Google's models. The model and the action are part of the path."""

    name = "google"
    reports_at_start = False

    def parse(self, body: JsonObject) -> wire.Request:
        parsed = wire.validated(_Body, body)
        if not parsed.contents:
            raise wire.Refused(400, "* GenerateContentRequest.contents: contents is not specified", "INVALID_ARGUMENT")
        checks.check(parsed.model, body["contents"])
        messages = [part for content in parsed.contents for part in _messages(content)]
        if parsed.systemInstruction:
            messages.insert(0, Message("system", wire.text_of(parsed.systemInstruction.parts)))
        declared = [function for tool in parsed.tools or [] for function in tool.functionDeclarations]
        tools: dict[str, JsonObject] = {
            str(function.get("name")): function.get("parametersJsonSchema") or function.get("parameters") or {}
            for function in declared
        }
        calling = (parsed.toolConfig or {}).get("functionCallingConfig") or {}
        offered = {} if calling.get("mode") == "NONE" else tools
        stream = parsed.action == "streamGenerateContent"
        return wire.Request(parsed.model, stream, Conversation(tuple(messages), offered))

    def encoder(self, request: wire.Request, reply: wire.Reply) -> "_Encoder":
        return _Encoder(request, reply)

    def whole(self, request: wire.Request, reply: wire.Reply) -> JsonObject:
        parts: list[JsonObject] = []
        if reply.reasoning:
            parts.append({"text": reply.reasoning, "thought": True})
        signature = _signature(reply)
        if reply.text:
            parts.append({"text": reply.text, **({} if reply.calls else signature)})
        for number, call in enumerate(reply.calls):
            parts.append({**_function_call(call), **({} if number else signature)})
        return {**_response(request, wire.new_id("resp_"), parts, "STOP"), "usageMetadata": _usage(request, reply)}

    def error(self, refused: wire.Refused) -> JsonObject:
        status = _STATUSES.get(refused.status, "UNKNOWN")
        if isinstance(refused, wire.TooLong):
            message = (
                f"The input token count ({refused.tokens}) exceeds the maximum number of tokens allowed "
                f"({refused.limit})."
            )
        else:
            message = refused.message
        return {"error": {"code": refused.status, "message": message, "status": status}}


class _Encoder:
    """Sends text as it comes, and each call whole. The first call carries the signature of the thought before it."""

    def __init__(self, request: wire.Request, reply: wire.Reply) -> None:
        self._request, self._reply = request, reply
        self._id = wire.new_id("resp_")
        self._signature = _signature(reply)

    def start(self) -> Iterator[bytes]:
        yield from ()

    def piece(self, piece: wire.Piece) -> Iterator[bytes]:
        match piece:
            case wire.Reasoning(text):
                yield self._event([{"text": text, "thought": True}])
            case wire.Text(text):
                yield self._event([{"text": text}])
            case wire.Arguments(_, call, _, first):
                if first:
                    yield self._event([{**_function_call(call), **self._signature}])
                    self._signature = {}

    def end(self) -> Iterator[bytes]:
        # Where no call has taken the signature, an empty text at the end does.
        yield self._event([{"text": "", **self._signature}] if self._signature else [], "STOP")

    def _event(self, parts: list[JsonObject], finish: str | None = None) -> bytes:
        response = _response(self._request, self._id, parts, finish)
        return wire.event({**response, "usageMetadata": _usage(self._request, self._reply)})


def _signature(reply: wire.Reply) -> JsonObject:
    return {"thoughtSignature": signing.sign(checks.MAKER, reply.reasoning)} if reply.reasoning else {}


def _function_call(call: Call) -> JsonObject:
    return {"functionCall": {"id": call.id, "name": call.name, "args": call.arguments}}


def _messages(content: _Content) -> Iterator[Message]:
    calls: list[Call] = []
    for part in content.parts:
        response: Any = part.get("functionResponse")
        called: Any = part.get("functionCall")
        if response:
            yield _result(response)
        elif called:
            calls.append(Call(str(called.get("id") or called["name"]), str(called["name"]), called.get("args") or {}))
    text = wire.text_of([part for part in content.parts if not part.get("thought")])
    if text or calls:
        yield Message("user" if content.role == "user" else "assistant", text, tuple(calls))


def _result(response: JsonObject) -> Message:
    given: Any = response.get("response") or {}
    failed = set(given) == {"error"}
    content = given.get("error") if failed else given.get("result", given) if set(given) <= {"result"} else given
    text = content if isinstance(content, str) else wire.json_text(content)
    return Message("tool", text, call_id=str(response.get("id") or response.get("name")), failed=failed)


def _response(request: wire.Request, response_id: str, parts: list[JsonObject], finish: str | None) -> JsonObject:
    candidate: JsonObject = {"content": {"role": "model", "parts": parts}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], "modelVersion": request.model, "responseId": response_id}


def _usage(request: wire.Request, reply: wire.Reply) -> JsonObject:
    used = usage.of(request, reply)
    return {
        "promptTokenCount": used.input,
        "cachedContentTokenCount": used.cache_read,
        "candidatesTokenCount": used.output - used.reasoning,
        "thoughtsTokenCount": used.reasoning,
        "totalTokenCount": used.input + used.output,
    }
