"""The landing page: where a sign-in leads to."""

import logging

import reflex as rx

from leaf import errors
from leaf.services import flows
from leaf.state import session
from leaf.state.account import AccountState
from leaf.state.administration import AdministrationState
from leaf.state.chat import ChatState
from leaf.state.details import DetailsState
from leaf.state.feedback import FeedbackState
from leaf.state.live import LiveState
from leaf.state.session import SessionState
from leaf.state.settings import SettingsState
from leaf.state.sidebar import SidebarState

log = logging.getLogger(__name__)

HOME = "/dashboard"


_PERSONAL = (
    SessionState, SidebarState, SettingsState, ChatState, LiveState, DetailsState, AccountState, AdministrationState,
    FeedbackState,
)  # fmt: skip
"""What shows something of whoever was here before."""


def inside(path: str) -> str:
    """A path within Leaf; the dashboard where it is none (an open redirect would help phishing)."""
    safe = flows.safe_path(path, HOME)
    return HOME if safe == "/" else safe


class LandingState(rx.State):
    """What the landing page shows."""

    next_path: str = HOME

    @rx.event(background=True)
    async def load(self):  # noqa: ANN201 - an event's generator
        """Reads the address; somebody who is signed in is led on."""
        query = dict(self.router.url.query_parameters)
        next_path = inside(query.get("next", ""))
        async with self:
            self.next_path = next_path
        try:
            if await session.optional(self) is not None:
                yield rx.redirect(next_path, replace=True)
                return
        except errors.Unavailable:
            log.warning("the landing page could not ask for the session: the database does not answer")
            return
        await self._forget()

    async def _forget(self) -> None:
        """Whoever signs in next in this tab sees nothing of who was here before."""
        async with self:
            for kind in _PERSONAL:
                (await self.get_state(kind)).reset()
