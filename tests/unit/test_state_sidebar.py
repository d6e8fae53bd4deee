"""The lists of chats as a tab receives them: everything once, then the changes. # 000-39"""

import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from uuid import UUID, uuid4

import pytest
import reflex as rx
from reflex.istate.data import RouterData

from leaf.services import chats
from leaf.state import delivery
from leaf.state.sidebar import ARCHIVED, PINNED, RUNNING, SINK, UNREAD, SidebarState, wire

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


class Socket:
    """Where the tab's events go to."""

    token = ""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []

    def get(self) -> Any:
        return SimpleNamespace(token="", emit_event=self.emit)

    async def emit(self, event: Any) -> None:
        assert (event.name, event.payload["ref"]) == ("_set_value", f"ref_{SINK}")
        self.sent += event.payload["value"]


@pytest.fixture
def socket(monkeypatch: pytest.MonkeyPatch) -> Socket:
    made = Socket()
    monkeypatch.setattr(delivery, "EventContext", made)
    return made


def _tab(socket_id: str = "s1") -> SidebarState:
    root: Any = rx.State(_reflex_internal_init=True)  # pyright: ignore[reportCallIssue]
    root.router = RouterData.from_router_data({"sid": socket_id})
    return root.get_substate(SidebarState.get_full_name().split("."))


def _row(number: int, **marks: Any) -> chats.ChatRow:
    marks = {"running": False, "changed_at": NOW, **marks}
    title = "What does the lease of the cold store say about the rent after 2027, and who pays for repairs?"
    return chats.ChatRow(UUID(int=number), title, NOW - timedelta(minutes=number), **marks)


def _lists(rows: Iterable[chats.ChatRow], cursor: str = "") -> chats.Lists:
    return chats.Lists([], chats.Page([*rows], cursor), NOW)


def _changes(*rows: chats.ChatRow, gone: Iterable[UUID] = ()) -> chats.Changes:
    return chats.Changes([*rows], [*gone], NOW)


async def test_a_mark_that_changes_costs_less_than_2_kb(socket: Socket) -> None:
    """The cost is the same for lists of 50 and of 10,000 chats. # 002-38"""
    tab = _tab()
    await tab.tell(_lists((_row(number) for number in range(50)), "more"))
    assert len(socket.sent[0]["rows"]) == 50
    assert len(json.dumps(socket.sent[0])) < 12_000
    await tab.tell(_changes(_row(7, running=True)))
    await tab.tell(_changes(_row(7, running=False, unread=True), _row(8)))
    sizes = [len(json.dumps(message)) for message in socket.sent[1:]]
    assert max(sizes) < 600, sizes
    assert [message["number"] for message in socket.sent] == [1, 2, 3]
    assert [message["after"] for message in socket.sent] == [0, 1, 2]


async def test_what_was_told_is_not_told_again(socket: Socket) -> None:
    """Changes overlap, for what is committed late must not be missed."""
    tab = _tab()
    await tab.tell(_lists([_row(1)]))
    gone = uuid4()
    await tab.tell(_changes(_row(1, unread=True), gone=[gone]))
    await tab.tell(_changes(_row(1, unread=True), gone=[gone]))
    assert len(socket.sent) == 2
    await tab.tell(_changes(_row(1), _row(2), gone=[gone]))
    assert [row[0] for row in socket.sent[2]["rows"]] == [str(UUID(int=1)), str(UUID(int=2))]
    assert socket.sent[1]["gone"] == [str(gone)]
    assert socket.sent[2]["gone"] == []


async def test_another_socket_is_told_everything(socket: Socket) -> None:
    """A page that was loaded anew, or has connected again, has nothing."""
    tab = _tab()
    assert tab.since() is None
    await tab.tell(_lists([_row(1)]))
    assert tab.since() == NOW
    tab.router = RouterData.from_router_data({"sid": "s2"})
    assert tab.since() is None


def test_a_row_has_its_marks_in_one_number() -> None:
    row = _row(1, running=True, unread=True, pinned=True, archived=True)
    assert wire(row)[4] == RUNNING | UNREAD | PINNED | ARCHIVED
    assert wire(row)[2:4] == [round(row.updated_at.timestamp() * 1000), round(NOW.timestamp() * 1_000_000)]
