"""The HTTP server of the stand-in model: it checks keys, parses requests and sends replies."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import replace

from starlette.requests import ClientDisconnect
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from sandbox.conversation import JsonObject
from sandbox.providers import wire
from sandbox.providers.behaviours import Behaviours
from sandbox.providers.log import Entry, Log


class Server:
    """Answers the requests of all protocols with one set of behaviours and one log."""

    def __init__(self, log: Log, aliases: Mapping[str, str]) -> None:
        self._log = log
        self._behaviours = Behaviours(aliases)
        self._hurried = asyncio.Event()

    def hurry(self) -> None:
        """Makes the answers that are being written now send their rest at once."""
        self._hurried.set()
        self._hurried = asyncio.Event()

    def endpoint(self, protocol: wire.Wire) -> Callable[[HttpRequest], Awaitable[Response]]:
        """The endpoint of a protocol."""

        async def answer(http: HttpRequest) -> Response:
            entry = Entry(protocol.name, "", 0, [], stream=False)
            self._log.append(entry)
            try:
                require_key(http)
                body = await _body(http)
                entry.pictures = list(wire.pictures_of(body))
                request = replace(protocol.parse(body | http.path_params), pictures=len(entry.pictures))
                entry.model, entry.stream = request.model, request.stream
                entry.messages = len(request.conversation.messages)
                entry.question = request.conversation.question
                entry.tools = list(request.conversation.tools)
                # Runs in a thread, so that a step over many long files does not delay other streams.
                reply = await asyncio.to_thread(self._behaviours.reply, request)
            except wire.Refused as refused:
                entry.close("error", refused.status)
                return JSONResponse(protocol.error(refused), refused.status)
            except ClientDisconnect:
                entry.close("disconnected")
                return Response(status_code=499)
            return _Answer(protocol, request, reply, entry, self._hurried)

        return answer


def require_key(http: HttpRequest) -> None:
    """Checks that a request has any key.

    Raises:
        wire.Refused: The request has no key (401).
    """
    scheme, _, key = http.headers.get("authorization", "").partition(" ")
    bearer = key.strip() if scheme.lower() == "bearer" else ""
    if not bearer and not any(http.headers.get(name, "").strip() for name in ("x-api-key", "x-goog-api-key")):
        raise wire.Refused(401, "You didn't provide an API key. The sandbox accepts any that is not empty.")


async def _body(http: HttpRequest) -> JsonObject:
    try:
        body = json.loads(await http.body())
    except (ValueError, RecursionError):
        raise wire.Refused(400, "The body is not JSON.", "invalid_json") from None
    if not isinstance(body, dict):
        raise wire.Refused(400, "The body must be a JSON object.", "invalid_type")
    # JSON can contain an escaped half of a surrogate pair, which an answer or log in UTF-8 cannot.
    return json.loads(json.dumps(body, ensure_ascii=False).encode("utf-8", "replace"))


class _Answer(Response):
    """Sends a reply. It ends as soon as the caller disconnects, and can leave the answer incomplete on purpose."""

    def __init__(
        self, protocol: wire.Wire, request: wire.Request, reply: wire.Reply, entry: Entry, hurried: asyncio.Event
    ) -> None:
        super().__init__(media_type="text/event-stream" if request.stream else "application/json")
        self._protocol, self._request, self._reply, self._entry = protocol, request, reply, entry
        self._hurried = hurried

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        write = self._write_stream if self._request.stream else self._write_whole
        writing = asyncio.ensure_future(write(send))
        leaving = asyncio.ensure_future(_until_disconnected(receive))
        try:
            await asyncio.wait({writing, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if writing.done():
                await writing
        finally:
            for task in (writing, leaving):
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError, OSError):
                    await task
            self._entry.close("disconnected")

    async def _write_stream(self, send: Send) -> None:
        headers = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"cache-control", b"no-cache")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        # The empty body makes the server send the headers now, which matters for a reply that stays silent.
        await send({"type": "http.response.body", "body": b"", "more_body": True})
        if self._reply.silent:
            await asyncio.Event().wait()
        if self._protocol.reports_at_start:
            self._entry.usage = wire.usage_at_start(self._request).as_json()
        try:
            async for event in self._protocol.events(self._request, self._reply, self._pieces()):
                await send({"type": "http.response.body", "body": event, "more_body": True})
        except wire.Cut:
            # Returning without the end of the body makes the server drop the connection, like a network failure.
            self._entry.close("cut")
            return
        if self._request.include_usage:
            self._entry.usage = wire.usage_of(self._request, self._reply).as_json()
        self._entry.close(self._reply.finish)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _pieces(self) -> AsyncIterator[wire.Piece]:
        async for piece in wire.pieces(self._reply, self._hurried):
            self._entry.delta()
            yield piece

    async def _write_whole(self, send: Send) -> None:
        if self._reply.silent:
            await asyncio.Event().wait()
        with contextlib.suppress(wire.Cut):
            async for _ in wire.pieces(self._reply, self._hurried):
                pass
        body = json.dumps(self._protocol.whole(self._request, self._reply), ensure_ascii=False).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        self._entry.delta()
        if self._reply.cut:
            self._entry.close("cut")
            await send({"type": "http.response.body", "body": body[: len(body) // 2], "more_body": True})
            return
        self._entry.usage = wire.usage_of(self._request, self._reply).as_json()
        self._entry.close(self._reply.finish)
        await send({"type": "http.response.body", "body": body, "more_body": False})


async def _until_disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
