"""From where an event of a page comes, for what is noted of it."""

from typing import Any

import reflex as rx
from reflex.middleware.middleware import Middleware
from reflex.state import StateUpdate
from reflex_base.event import Event

from leaf import callers


class Calling(Middleware):
    """Has each event know its caller, and whatever it starts."""

    async def preprocess(self, app: rx.App, state: Any, event: Event) -> StateUpdate | None:  # noqa: ARG002 - Reflex's
        """Sets the caller of the event's task: the address is that of the websocket, behind one's own proxies."""
        callers.use(callers.Caller(state.router.session.client_ip, state.router.headers.user_agent))
        return None
