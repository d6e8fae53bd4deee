"""Google's generateContent: https://ai.google.dev/api/generate-content."""

from collections.abc import Iterator
from typing import Any, Literal

from pydantic import BaseModel, Field

from sandbox.model import wire
from sandbox.model.conversation import Call, Conversation, JsonObject, Message

MAKER = "google"
SKIPPED = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="
"""`skip_thought_signature_validator`, which Google documents for calls that another model has made."""
_SIGNING = "gemini-3"
"""Models that want the signature of each step's first call back."""

Part = dict[str, Any]
Content = dict[str, Any]


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
        check(parsed.model, body["contents"])
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
        if piece.call is None:
            yield self._event([{"text": piece.text} | ({"thought": True} if piece.kind == "reasoning" else {})])
        elif piece.first:
            yield self._event([{**_function_call(piece.call), **self._signature}])
            self._signature = {}

    def end(self) -> Iterator[bytes]:
        # Where no call has taken the signature, an empty text at the end does.
        yield self._event([{"text": "", **self._signature}] if self._signature else [], "STOP")

    def _event(self, parts: list[JsonObject], finish: str | None = None) -> bytes:
        response = _response(self._request, self._id, parts, finish)
        return wire.event({**response, "usageMetadata": _usage(self._request, self._reply)})


def _signature(reply: wire.Reply) -> JsonObject:
    return {"thoughtSignature": wire.sign(MAKER, reply.reasoning)} if reply.reasoning else {}


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
    used = wire.usage_of(request, reply)
    return {
        "promptTokenCount": used.input,
        "cachedContentTokenCount": used.cache_read,
        "candidatesTokenCount": used.output - used.reasoning,
        "thoughtsTokenCount": used.reasoning,
        "totalTokenCount": used.input + used.output,
    }


def check(model: str, contents: list[Content]) -> None:
    """Passes contents that Google would take.

    Raises:
        wire.Refused: It would not (400).
    """
    if contents[-1].get("role", "user") != "user":
        raise _invalid("Please ensure that multiturn requests end with a user role or a function response.")
    previous: Content = {}
    for number, content in enumerate(contents):
        parts: list[Part] = content.get("parts") or []
        if not parts or any(not _has_data(part) for part in parts):
            raise _invalid(f"GenerateContentRequest.contents[{number}].parts: contents.parts must not be empty.")
        if content.get("role", "user") not in {"user", "model"}:
            raise _invalid("Please use a valid role: user, model.")
        _check_pairs(content, parts, previous, contents[number + 1 : number + 2])
        _check_signatures(number, parts)
        previous = content
    if model.startswith(_SIGNING):
        _check_steps(contents)


def _has_data(part: Part) -> bool:
    return bool(part.get("text")) or any(part.get(name) is not None for name in ("functionCall", "functionResponse"))


def _check_pairs(content: Content, parts: list[Part], previous: Content, following: list[Content]) -> None:
    calls = [part["functionCall"] for part in parts if "functionCall" in part]
    if calls and (not previous or previous.get("role", "user") != "user"):
        raise _invalid(
            "Please ensure that function call turn comes immediately after a user turn or after a function response "
            "turn."
        )
    given = _responses(following[0]) if following else []
    if calls and _ids(calls) != _ids(given):
        raise _invalid(
            "Please ensure that the number of function response parts is equal to the number of function call parts "
            "of the function call turn."
        )
    asked = [part["functionCall"] for part in previous.get("parts") or [] if "functionCall" in part]
    if _responses(content) and not asked:
        raise _invalid("Please ensure that function response turn comes immediately after a function call turn.")


def _responses(content: Content) -> list[dict[str, Any]]:
    return [part["functionResponse"] for part in content.get("parts") or [] if "functionResponse" in part]


def _ids(named: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return sorted((str(one.get("id") or ""), str(one.get("name"))) for one in named)


def _check_signatures(number: int, parts: list[Part]) -> None:
    for place, part in enumerate(parts):
        signature = part.get("thoughtSignature")
        if signature is None or signature == SKIPPED:
            continue
        if not wire.is_signed(MAKER, _standard(str(signature))):
            raise _invalid(f"Invalid thought signature in contents[{number}].parts[{place}].")


def _check_steps(contents: list[Content]) -> None:
    """The calls of the running turn carry the signature of the thought that led to them."""
    asked = max((at for at, content in enumerate(contents) if _is_question(content)), default=0)
    for content in contents[asked:]:
        calls = [part for part in content.get("parts") or [] if "functionCall" in part]
        if calls and not calls[0].get("thoughtSignature"):
            name = calls[0]["functionCall"].get("name")
            raise _invalid(f"Function call is missing a thought_signature in functionCall parts. Function call {name}.")


def _is_question(content: Content) -> bool:
    parts = content.get("parts") or []
    return content.get("role", "user") == "user" and any(part.get("text") for part in parts)


def _standard(signature: str) -> str:
    # Google's client writes bytes in the alphabet for addresses.
    return signature.replace("-", "+").replace("_", "/")


def _invalid(message: str) -> wire.Refused:
    return wire.Refused(400, message, "INVALID_ARGUMENT")
