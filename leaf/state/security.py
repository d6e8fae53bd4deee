"""The member's security events in Settings, and the view of an event for all pages."""

from dataclasses import dataclass

import reflex as rx

from leaf.services import security
from leaf.state import session
from leaf.views import user_agents


@dataclass(frozen=True)
class EventView:
    """An event. `at` is in ISO 8601; `network`, `device`, `email` and `about` may be empty."""

    id: str
    at: str
    kind: str
    network: str
    device: str
    email: str
    about: str


def view(event: security.Event) -> EventView:
    device = user_agents.device(event.user_agent) if event.user_agent else ""
    return EventView(str(event.id), event.at.isoformat(), event.kind, event.network, device, event.email, event.about)


class SecurityState(rx.State):
    events: list[EventView] = []  # noqa: RUF012 - Reflex copies it

    @rx.event(background=True)
    async def load(self) -> None:
        with session.while_available():
            who = await session.required(self)
            found = [view(event) for event in await security.mine(who.actor)]
            async with self:
                self.events = found
