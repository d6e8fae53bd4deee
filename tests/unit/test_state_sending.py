"""A frame that several tabs need at the same moment is encoded once; each tab gets it, wherever its socket is."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from reflex_base.event import Event

from leaf.state import delivery

MESSAGE = ["f", 1, "word"]
EVENT = Event(name="_set_value", payload={"ref": "ref_live", "value": MESSAGE})


class Sockets:
    """Tabs a to d have their sockets here; tab z has its own in another process."""

    def __init__(self) -> None:
        self.sent: list[list[str]] = []

    def of(self, token: str) -> str | None:
        return f"socket-{token}" if token in "abcd" else None

    async def emit(self, event: str, data: Any, to: list[str]) -> None:
        assert (event, data) == ("live", (*MESSAGE,))
        self.sent.append(to)


class Tabs:
    """Sends as the events of tabs do."""

    def __init__(self) -> None:
        self.tab = ""
        self.by_itself: list[str] = []

    def get(self) -> Any:
        tab = self.tab

        async def emit_event(event: Event) -> None:
            assert event == EVENT
            self.by_itself.append(tab)

        return SimpleNamespace(token=tab, emit_event=emit_event)

    async def send(self, tab: str, key: str | None) -> None:
        self.tab = tab
        await delivery.send("live", MESSAGE, key)


@pytest.fixture
def sockets(monkeypatch: pytest.MonkeyPatch) -> Sockets:
    made = Sockets()
    monkeypatch.setattr(delivery, "_find_sockets", lambda: made)
    return made


@pytest.fixture
def tabs(monkeypatch: pytest.MonkeyPatch) -> Tabs:
    made = Tabs()
    monkeypatch.setattr(delivery, "EventContext", made)
    return made


async def test_tabs_that_need_the_same_share_one_message(sockets: Sockets, tabs: Tabs):
    """# 000-59"""
    await asyncio.gather(tabs.send("a", "x"), tabs.send("b", "y"), tabs.send("c", "x"), tabs.send("d", "x"))
    assert sorted(sockets.sent) == [["socket-a", "socket-c", "socket-d"], ["socket-b"]]
    await asyncio.gather(tabs.send("a", "x"), tabs.send("b", "x"))
    assert sockets.sent[2:] == [["socket-a", "socket-b"]], "what is sent later is another message"
    await asyncio.gather(tabs.send("a", None), tabs.send("b", None))
    assert sockets.sent[3:] == [["socket-a"], ["socket-b"]], "a tab's own message waits for no other tab"
    assert tabs.by_itself == []


async def test_a_tab_of_another_process_gets_it_by_reflex(sockets: Sockets, tabs: Tabs):
    await asyncio.gather(*(tabs.send(tab, "x") for tab in "abz"))
    assert (sockets.sent, tabs.by_itself) == ([["socket-a", "socket-b"]], ["z"])


async def test_one_that_goes_away_keeps_nothing_from_the_others(sockets: Sockets, tabs: Tabs):
    first, second, third = (asyncio.create_task(tabs.send(tab, "x")) for tab in "abc")
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.gather(second, third)
    assert first.cancelled()
    assert {"socket-b", "socket-c"} <= set(sockets.sent[0])
