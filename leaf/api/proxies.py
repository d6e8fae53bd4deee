"""The address of a request's sender behind trusted proxies."""

from collections.abc import Callable, Sequence

from starlette.types import ASGIApp, Receive, Scope, Send

from leaf import callers


def believed(trusted: Sequence[callers.Network]) -> Callable[[ASGIApp], ASGIApp]:
    """Wraps the application so that the caller's address replaces that of a trusted proxy.

    Args:
        trusted: The networks of the proxies. `X-Forwarded-For` from other senders is ignored.
    """

    def wrap(app: ASGIApp) -> ASGIApp:
        async def wrapped(scope: Scope, receive: Receive, send: Send) -> None:
            if trusted and scope["type"] in {"http", "websocket"} and scope.get("client"):
                peer, port = scope["client"]
                named = [value.decode("latin-1") for name, value in scope["headers"] if name == b"x-forwarded-for"]
                client = callers.client_of(peer, named, trusted)
                # The port belongs to the proxy's connection, not to the caller's.
                scope = {**scope, "client": (client, port if client == peer else 0)}
            await app(scope, receive, send)

        return wrapped

    return wrap
