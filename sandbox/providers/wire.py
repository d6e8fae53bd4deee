"""The common parts of the four protocols: parsed requests, replies in pieces, signatures and errors."""

import asyncio
import base64
import binascii
import contextlib
import hashlib
import hmac
import json
import re
import secrets
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from sandbox.conversation import Call, Conversation, JsonObject, Message, parse_object

_KEY = b"leaf-sandbox"
"""The key of signatures. It is not secret: a signature only shows that a text was neither changed nor invented."""
_DATA = re.compile(r"data:(image/[a-z0-9.+-]+);base64,")
ARGUMENT_PIECES = 4
"""The minimum number of pieces into which the arguments of a call are cut, if they are long enough."""

SchemaT = TypeVar("SchemaT", bound=BaseModel)


class Refused(Exception):
    """A request that is answered with an error.

    Args:
        status: The HTTP status, 400 to 599.
        message: The message for the caller.
        code: The provider's code; None if it has none.
    """

    def __init__(self, status: int, message: str, code: str | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.code = status, message, code


class Cut(Exception):
    """The connection must break now, on purpose."""


class TooLong(Refused):
    """A request that is longer than the model's context window. Each protocol has its own message for it."""

    def __init__(self, tokens: int, limit: int) -> None:
        message = f"This model's maximum context length is {limit} tokens. However, your messages resulted in {tokens}."
        super().__init__(400, message, "context_length_exceeded")
        self.tokens, self.limit = tokens, limit


@dataclass(frozen=True)
class Request:
    """A request after parsing."""

    model: str
    stream: bool
    conversation: Conversation
    include_usage: bool = True
    caches: bool = True
    """Whether the provider caches the input for the next request."""
    pictures: int = 0
    """The number of pictures."""
    reports_cache_writes: bool = False
    """Whether the provider reports how many tokens it has written to the cache."""
    encrypts_reasoning: bool = False
    """Whether reasoning is returned encrypted, so that it can be sent again."""

    @property
    def input_tokens(self) -> int:
        """A plausible number of input tokens, with four tokens for three words."""
        return self._tokens_of(self.conversation.messages)

    @property
    def repeated_tokens(self) -> int:
        """The number of input tokens that an earlier request has already sent; 0 for a first request."""
        messages = self.conversation.messages
        last = max((at for at, message in enumerate(messages) if message.role == "assistant"), default=0)
        while last and messages[last - 1].role == "assistant":
            last -= 1
        return self._tokens_of(messages[:last]) if last else 0

    def _tokens_of(self, messages: Sequence[Message]) -> int:
        return tokens(
            *(message.text for message in messages),
            *(json.dumps(call.arguments) for message in messages for call in message.calls),
            *(json.dumps(schema) for schema in self.conversation.tools.values()),
        )


@dataclass(frozen=True)
class Reply:
    """A reply, and the way in which it is sent."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    reasoning: str = ""
    word_seconds: float = 0.0
    """The time between two pieces, in seconds."""
    cut: bool = False
    """Whether the connection breaks in the middle of the text."""
    silent: bool = False
    """Whether nothing is ever sent."""
    piece_characters: int = 0
    """The length of a piece of the text, like the tokens that providers send; 0 for pieces of one word."""

    @property
    def finish(self) -> str:
        return "tool_calls" if self.calls else "stop"

    @property
    def output_tokens(self) -> int:
        return tokens(self.reasoning, self.text, *(json.dumps(call.arguments) for call in self.calls))

    @property
    def reasoning_tokens(self) -> int:
        return tokens(self.reasoning)


@dataclass(frozen=True)
class Usage:
    """The tokens of a request. `input` includes those read from or written to the cache, `output` the reasoning."""

    input: int
    output: int
    cache_read: int = 0
    cache_write: int = 0
    reasoning: int = 0

    @property
    def uncached(self) -> int:
        """The input tokens that were neither read from the cache nor written to it."""
        return self.input - self.cache_read - self.cache_write

    def as_json(self) -> JsonObject:
        """The usage as JSON, for the log of requests."""
        return asdict(self)


def usage_of(request: Request, reply: Reply) -> Usage:
    """The usage of a request whose reply was sent completely.

    A provider's cache holds everything before the model's last reply, because an earlier request has sent that.
    """
    total = request.input_tokens
    read = min(request.repeated_tokens, total) if request.caches else 0
    written = total - read if request.caches and request.reports_cache_writes else 0
    return Usage(total, reply.output_tokens, read, written, reply.reasoning_tokens)


def usage_at_start(request: Request) -> Usage:
    """The usage that Anthropic reports before the first word: the input and one token of output."""
    usage = usage_of(request, Reply())
    return Usage(usage.input, 1, usage.cache_read, usage.cache_write)


@dataclass(frozen=True)
class Piece:
    """A piece of a block of a reply. A block is the reasoning, the text, or the arguments of a call."""

    kind: Literal["reasoning", "text", "call"]
    text: str
    block: int
    """The index of its block in the reply."""
    whole: str
    """The text of the whole block."""
    first: bool
    """Whether it is the first piece of its block."""
    last: bool
    """Whether it is the last piece of its block."""
    middle: bool
    """Whether it is the middle piece of its block, after which a cut reply ends."""
    call: Call | None = None
    call_number: int = 0
    """The index of the call among the calls of the reply."""


class Wire(Protocol):
    """The protocol of a provider."""

    name: str
    reports_at_start: bool
    """Whether it reports the usage of the input before the first word."""

    def parse(self, body: JsonObject) -> Request: ...
    def events(self, request: Request, reply: Reply, pieces: AsyncIterator[Piece]) -> AsyncIterator[bytes]:
        """Yields the events of a streamed reply as its pieces come."""
        ...

    def whole(self, request: Request, reply: Reply) -> JsonObject: ...
    def error(self, refused: Refused) -> JsonObject: ...


def tokens(*texts: str) -> int:
    """A plausible number of tokens in some texts, with four tokens for three words."""
    return round(sum(len(text.split()) for text in texts) * 4 / 3)


def words(text: str) -> list[str]:
    """The words of a text, each with the whitespace around it. Joined, they give the text."""
    return re.findall(r"\s*\S+\s*", text) if text.strip() else [text] * bool(text)


async def pieces(reply: Reply, hurried: asyncio.Event) -> AsyncIterator[Piece]:
    """Yields the pieces of a reply at its pace.

    Args:
        reply: The reply.
        hurried: Once it is set, the remaining pieces come without pauses.

    Raises:
        Cut: The reply must be cut, and the middle of its text is reached.
    """
    clock = asyncio.get_running_loop().time
    due = clock()
    for piece in cut(reply):
        yield piece
        due += reply.word_seconds
        # Each piece has a deadline, so that slow writes do not add up. Other tasks run at least once in between.
        if reply.word_seconds and not hurried.is_set():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(due - clock()):
                    await hurried.wait()
        else:
            await asyncio.sleep(0)
        if reply.cut and piece.kind == "text" and piece.middle:
            raise Cut


def cut(reply: Reply) -> Iterator[Piece]:
    """Yields the pieces of all blocks of a reply."""
    blocks: list[tuple[Literal["reasoning", "text", "call"], str, Call | None]] = [
        ("reasoning", reply.reasoning, None),
        ("text", reply.text, None),
        *(("call", json_text(call.arguments), call) for call in reply.calls),
    ]
    filled = [block for block in blocks if block[1]]
    for number, (kind, whole, call) in enumerate(filled):
        size = max(1, min(12, -(-len(whole) // ARGUMENT_PIECES)))
        size = size if call else reply.piece_characters
        parts = [whole[at : at + size] for at in range(0, len(whole), size)] if size else words(whole)
        for at, text in enumerate(parts):
            call_number = number - (len(filled) - len(reply.calls))
            is_middle = at == len(parts) // 2
            yield Piece(kind, text, number, whole, at == 0, at == len(parts) - 1, is_middle, call, call_number)


def event(data: JsonObject, name: str | None = None) -> bytes:
    """A server-sent event with JSON data."""
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data, ensure_ascii=False, separators=(',', ':'))}\n\n".encode()


def new_id(prefix: str) -> str:
    return prefix + secrets.token_hex(12)


def validated(schema: type[SchemaT], body: JsonObject) -> SchemaT:
    """The body of a request, parsed as a schema.

    Raises:
        Refused: The body is malformed (400). The message names the first wrong field.
    """
    try:
        return schema.model_validate(body)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(step) for step in first["loc"])
        raise Refused(400, f"Invalid value for '{where}': {first['msg']}.", "invalid_value") from None


def arguments(text: str) -> JsonObject:
    """The arguments of a call from their JSON; empty if the text is no JSON object."""
    return parse_object(text) or {}


class OpenAI:
    """The common part of OpenAI's two protocols."""

    reports_at_start = False

    def error(self, refused: Refused) -> JsonObject:
        """The body of an error."""
        kind = "invalid_request_error" if refused.status < 500 else "server_error"
        return {"error": {"message": refused.message, "type": kind, "param": None, "code": refused.code}}


def json_text(value: Any) -> str:
    """A value as JSON text."""
    return json.dumps(value, ensure_ascii=False)


def text_of(content: Any) -> str:
    """The text of a message's content, which is a string or a list of parts. Parts without text are left out."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(
            part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)
        )
    return ""


def pictures_of(value: Any) -> Iterator[JsonObject]:
    """Yields the `media_type` and number of `bytes` of each picture in a request of any protocol.

    OpenAI's pictures are `data:` URLs; those of Anthropic and Google are objects with a type and data.

    Raises:
        Refused: A picture is no valid base64 (400).
    """
    if isinstance(value, str) and (found := _DATA.match(value)):
        yield _picture(found[1], value[found.end() :])
    elif isinstance(value, list):
        for one in value:
            yield from pictures_of(one)
    elif isinstance(value, dict):
        media_type = str(value.get("media_type") or value.get("mimeType"))
        if isinstance(value.get("data"), str) and media_type.startswith("image/"):
            yield _picture(media_type, value["data"])
        else:
            yield from pictures_of([*value.values()])


def _picture(media_type: str, encoded: str) -> JsonObject:
    try:
        data = base64.b64decode(encoded.replace("-", "+").replace("_", "/"), validate=True)
    except binascii.Error:
        raise Refused(400, "Invalid base64 image data.", "invalid_image") from None
    return {"media_type": media_type, "bytes": len(data)}


def sign(maker: str, text: str) -> str:
    """A provider's signature of a text, in base64."""
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]
    mark = hmac.new(_KEY, f"{maker}:{digest}".encode(), hashlib.sha256).hexdigest()[:16]
    return base64.b64encode(f"{maker}:{digest}:{mark}".encode()).decode()


def is_signed(maker: str, signature: object, text: str | None = None) -> bool:
    """Whether a signature comes from this provider and, if a text is given, belongs to this text."""
    try:
        named, digest, mark = base64.b64decode(str(signature), validate=True).decode().split(":")
    except (binascii.Error, ValueError):
        return False
    genuine = hmac.new(_KEY, f"{maker}:{digest}".encode(), hashlib.sha256).hexdigest()[:16]
    return (named, mark) == (maker, genuine) and (text is None or sign(maker, text) == signature)
