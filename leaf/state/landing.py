"""The landing page, and the target of a sign-in."""

import reflex as rx

from leaf import config
from leaf.services import flows
from leaf.state import session
from leaf.state.account import AccountState
from leaf.state.administration import AdministrationState
from leaf.state.chat import ChatState
from leaf.state.details import DetailsState
from leaf.state.feedback import FeedbackState
from leaf.state.file_mentions import FileMentionsState
from leaf.state.live import LiveState
from leaf.state.search import SearchState
from leaf.state.session import SessionState
from leaf.state.settings import SettingsState
from leaf.state.sidebar import SidebarState

HOME = "/dashboard"


_PERSONAL = (
    SessionState, SidebarState, SettingsState, ChatState, LiveState, DetailsState, AccountState, AdministrationState,
    FeedbackState, FileMentionsState, SearchState,
)  # fmt: skip
"""The states that may have data of the previous user of the tab."""


def inside(path: str) -> str:
    """The path if it is within Leaf, else the dashboard. An open redirect would help phishing."""
    safe = flows.safe_path(path, HOME)
    return HOME if safe == "/" else safe


class LandingState(rx.State):
    """The address and options of the landing page."""

    next_path: str = ""
    """The target of a sign-in; empty until it is known."""
    guests: bool = False
    """Whether Leaf can be used without an account."""
    nobody: bool = False
    """Whether the server has found that nobody is signed in. The browser then deletes the data of the last member."""

    @rx.event(background=True)
    async def load(self):  # noqa: ANN201 - an event's generator
        """Reads the address. A signed-in member is redirected."""
        query = dict(self.router.url.query_parameters)
        next_path = inside(query.get("next", ""))
        async with self:
            self.next_path, self.guests = next_path, config.current().guests
        who = await session.within_time(self)
        async with self:
            self.nobody = who is None
        if who is not None:
            yield rx.redirect(next_path, replace=True)
            return
        # The next person who signs in in this tab must not see data of the previous one.
        async with self:
            await clear_personal_data(self)


async def clear_personal_data(state: rx.State) -> None:
    """Clears all data of the previous user from a tab. The caller must hold the state's lock."""
    for kind in _PERSONAL:
        (await state.get_state(kind)).reset()
