"""Dialogs of pages."""

import asyncio
from typing import Any

from reflex.istate.data import RouterData

from leaf.services import chats, conversations
from tests.integration.people import end
from tests.integration.test_sweep import Tab, until
from tests.integration.web_fixtures import Browser, World


async def _open(ada: Browser, tab: Tab, path: str) -> None:
    """Goes to a page in the tab, and waits until it is prepared."""
    tab.root.router = RouterData.from_router_data(
        {"headers": {"cookie": ada.cookie_header}, "asPath": path, "pathname": path, "query": {}}
    )
    attending = asyncio.create_task(tab.fire("PresenceState.attend"))
    presence: Any = tab.state("PresenceState")
    await until(lambda: presence._path == path)
    attending.cancel()
    await asyncio.gather(attending, return_exceptions=True)


async def test_a_dialog_of_one_page_is_not_open_on_the_next(world: World) -> None:
    """An open dialog about sharing one chat would otherwise show its link in another one. # 000-67"""
    async with Browser() as ada:
        who = await ada.sign_in("ada")
        await ada.connect("ada")
        first = await chats.new(who.actor)
        turn = await conversations.ask(who.actor, first, "Hello?")
        await end(turn.assistant.run_id)
        second = await chats.new(who.actor)
        tab = Tab(ada, f"/chat/{first}")
        await _open(ada, tab, f"/chat/{first}")
        await tab.fire("ShareState.open_dialog", str(first))
        await tab.fire("WatchesState.ask", str(turn.user.id), "change")
        await tab.fire("ProjectsState.ask_move", str(first), "")
        await tab.fire("SettingsState.ask", "google_drive")
        await tab.fire("SettingsState.ask_stop", True)
        dialogs = (
            ("ShareState", "chat"), ("WatchesState", "message_id"), ("ProjectsState", "moving"),
            ("SettingsState", "asked"), ("SettingsState", "asks_stop"),
        )  # fmt: skip
        opened = [getattr(tab.state(state), name) for state, name in dialogs]
        assert all(opened)
        await _open(ada, tab, f"/chat/{first}")
        assert [getattr(tab.state(state), name) for state, name in dialogs] == opened, "a reconnection closes none"
        await _open(ada, tab, f"/chat/{second}")
        assert not [name for state, name in dialogs if getattr(tab.state(state), name)]
