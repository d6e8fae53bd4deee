"""Whom a request comes from, where one's own proxies stand in between."""

from collections.abc import Callable, Sequence

from starlette.types import ASGIApp, Receive, Scope, Send

from leaf import callers


def believed(trusted: Sequence[callers.Network]) -> Callable[[ASGIApp], ASGIApp]:
    """A wrapper for the application that puts the caller's address in the place of a trusted proxy's.

    Args:
        trusted: The networks of the proxies. What anybody else says in `X-Forwarded-For` is not believed.
    """

    def wrap(app: ASGIApp) -> ASGIApp:
        async def wrapped(scope: Scope, receive: Receive, send: Send) -> None:
            if trusted and scope["type"] in {"http", "websocket"} and scope.get("client"):
                peer, port = scope["client"]
                named = [value.decode("latin-1") for name, value in scope["headers"] if name == b"x-forwarded-for"]
                client = callers.client_of(peer, named, trusted)
                # The port is that of the proxy's connection, and says nothing of the caller's.
                scope = {**scope, "client": (client, port if client == peer else 0)}
            await app(scope, receive, send)

        return wrapped

    return wrap
