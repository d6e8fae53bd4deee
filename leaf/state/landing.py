"""The landing page: where a sign-in leads to."""

import reflex as rx

from leaf import config
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
    guests: bool = False
    """Whether one may chat without an account."""

    @rx.event(background=True)
    async def load(self):  # noqa: ANN201 - an event's generator
        """Reads the address; somebody who is signed in is led on."""
        query = dict(self.router.url.query_parameters)
        next_path = inside(query.get("next", ""))
        async with self:
            self.next_path, self.guests = next_path, config.current().guests
        who = await session.within_time(self)
        if who is not None:
            yield rx.redirect(next_path, replace=True)
            return
        # Whoever signs in next in this tab sees nothing of who was here before.
        async with self:
            await forget_everybody(self)


async def forget_everybody(state: rx.State) -> None:
    """Has a tab show nothing of whoever was here before; the state's lock must be held."""
    for kind in _PERSONAL:
        (await state.get_state(kind)).reset()
