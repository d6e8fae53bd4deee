"""The live answer sends little, and what it shows is what the parts say."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from reflex_base.utils.format import json_dumps

from leaf.state.chat import ChatState
from leaf.state.details import DetailsState, detail_of
from leaf.state.live import LiveState
from leaf.state.notices import NoticeState
from leaf.state.presence import PresenceState
from leaf.state.rows import Item, Items
from leaf.state.session import SessionState
from leaf.state.settings import SettingsState
from leaf.state.sidebar import SidebarState

STATES = (ChatState, DetailsState, LiveState, NoticeState, PresenceState, SessionState, SettingsState, SidebarState)


def _live() -> LiveState:
    return LiveState(_reflex_internal_init=True)  # type: ignore[call-arg]


def _shown(live: LiveState) -> list[Item]:
    """What the page draws: the three lists one after the other, the head before the open text."""
    opening = [Item(item.kind, live.head + item.text if item.state == "open" else item.text) for item in live.opening]
    return [Item(item.kind, item.text) for item in [*live.closed, *live.settled]] + opening


@settings(deadline=None, max_examples=50)
@given(st.lists(st.text(alphabet="ab \n#-|`", max_size=400), max_size=25))
def test_the_page_shows_all_of_the_text_at_every_repaint(pieces: list[str]):
    """000-33"""
    live, items = _live(), Items()
    for end in range(len(pieces) + 1):
        text = "".join(pieces[:end])
        found = items.of([{"type": "text", "text": text, "state": "streaming"}])
        live.paint(found, growing=True, writing=True)
        assert _shown(live) == [Item(item.kind, item.text) for item in found]


def test_a_long_code_block_is_not_sent_again_and_again():
    """A repaint sends what has come since the last cut of the open block, not the block."""
    live, items, sent = _live(), Items(), 0
    text = "```python\n"
    for line in range(400):
        text += f"value_{line} = {line}\n"
        live.dirty_vars.clear()
        live.paint(items.of([{"type": "text", "text": text, "state": "streaming"}]), growing=True, writing=True)
        sent += sum(_size(getattr(live, name)) for name in live.dirty_vars & {"closed", "settled", "opening", "head"})
    assert sent < 55 * len(text)


def test_a_repaint_without_change_sends_nothing():
    live = _live()
    found = Items().of([{"type": "text", "text": "One.\n\nTwo", "state": "streaming"}])
    live.paint(found, growing=True, writing=True)
    live.dirty_vars.clear()
    live.paint(found, growing=True, writing=True)
    assert not live.dirty_vars


def test_a_table_is_shown_once_it_is_one():
    live = _live()
    text = {"type": "text", "text": "Sales:\n\n| Quarter | Sum", "state": "streaming"}
    message = {"id": "m", "role": "assistant", "parts": [text], "metadata": {}}
    live.follow(message, Items().of(message["parts"]), patient=False)
    assert [item.text for item in _shown(live)] == ["Sales:"]


def test_no_state_lets_the_browser_set_a_var():
    """No setters: who somebody is comes from the cookie, at every event."""
    handlers = {f"{state.__name__}.{name}" for state in STATES for name in state.event_handlers}
    assert not {name for name in handlers if ".set_" in name and "set_is_hydrated" not in name}


def test_a_long_output_is_cut_and_says_so():
    part = {
        "type": "tool-x",
        "toolCallId": "c",
        "state": "output-available",
        "input": {},
        "output": {"content": "y" * 30_000},
    }
    detail = detail_of(part)
    assert len(detail.gave) == 20_000
    assert detail.note == "The first 20,000 of 30,000 characters."


def test_input_and_output_of_a_step_are_readable():
    """000-36"""
    part = {
        "type": "tool-x",
        "toolCallId": "c",
        "state": "output-available",
        "input": {"q": "Größe"},
        "output": {"n": 1},
    }
    detail = detail_of(part)
    assert '"q": "Größe"' in detail.given
    assert '"n": 1' in detail.gave


def _size(value: Any) -> int:
    return len(json_dumps(value).encode())
