"""The live answer sends little, and what it shows is what the parts say."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reflex_base.event import Event

from leaf import parts
from leaf.services import chats
from leaf.state import delivery, run_feed
from leaf.state.chat import ChatState
from leaf.state.details import DetailsState, detail_of
from leaf.state.live import LiveState
from leaf.state.notices import NoticeState
from leaf.state.presence import PresenceState
from leaf.state.session import SessionState
from leaf.state.settings import SettingsState
from leaf.state.sidebar import SidebarState
from leaf.views import rows
from leaf.views.frames import Frame, framed
from leaf.views.rows import Items
from tests import live_text

STATES = (ChatState, DetailsState, LiveState, NoticeState, PresenceState, SessionState, SettingsState, SidebarState)


def _live() -> LiveState:
    return LiveState(_reflex_internal_init=True)  # type: ignore[call-arg]


def _text(text: str) -> list[parts.Part]:
    return [{"type": "text", "text": text, "state": "streaming"}]


class Page:
    """The state that `assets/client/live.js` makes of the changes."""

    def __init__(self) -> None:
        self.texts: live_text.Texts = {}
        self.received = 0
        self._seen: Frame | None = None

    def take(self, frame: Frame) -> None:
        changes = frame.since(self._seen)
        if changes is None:
            self.texts, changes = {}, frame.all()
        self._seen = frame
        self.texts = live_text.applied(self.texts, changes)
        self.received += sum(len(change[2]) for change in changes)

    @property
    def shown(self) -> dict[int, list[str]]:
        """The blocks that are drawn: one without text is not."""
        found: dict[int, list[str]] = {}
        for slot, place in sorted(self.texts):
            if text := self.texts[slot, place]:
                found.setdefault(slot, []).append(text)
        return found


@settings(deadline=None, max_examples=100)
@given(st.lists(st.text(alphabet="ab \n#-|`🍐", max_size=400), max_size=25), st.sets(st.integers(0, 25)))
def test_a_page_shows_all_of_the_text_after_every_frame(pieces: list[str], missed: set[int]):
    """000-33: also one that has left out frames."""
    page, items, frame = Page(), Items(), Frame()
    for end in range(len(pieces) + 1):
        frame = framed(frame, items.of(_text("".join(pieces[:end]))), _text("".join(pieces[:end])))
        if end in missed:
            continue
        page.take(frame)
        assert page.shown == {slot: blocks for slot, blocks in frame.texts.items() if blocks}


def test_text_behind_signs_outside_the_basic_plane_is_whole():
    """JavaScript counts two units for each of them. # 000-33"""
    before = framed(Frame(), Items().of(_text("A 🍐 pear")), _text("A 🍐 pear"))
    grown = framed(before, Items().of(_text("A 🍐 pear tree")), _text("A 🍐 pear tree"))
    other = framed(before, Items().of(_text("A 🍐 pip")), _text("A 🍐 pip"))
    assert (grown.since(before), other.since(before)) == ([(0, 0, " tree")], [(0, 0, "ip", 6)])


class _Feed(run_feed.Feed):
    """A feed that follows nothing: its frames are set."""

    def __init__(self) -> None:
        self.frame, self.id, self.run_id, self._updates, self.sent, self.readers = Frame(), "f", "r", {}, {}, 1

    def show(self, text: str) -> None:
        self.frame = framed(self.frame, Items().of(_text(text)), _text(text))
        self._updates.clear()


async def test_no_piece_seems_to_be_missing_where_a_frame_had_nothing_to_send(monkeypatch: pytest.MonkeyPatch):
    """`take` refuses a piece whose predecessor never came."""
    pieces: list[Any] = []

    class Context:
        token = "tab"

        @classmethod
        def get(cls) -> "Context":
            return cls()

        async def emit_event(self, event: Event) -> None:
            pieces.append(event.payload["value"])

    monkeypatch.setattr(delivery, "EventContext", Context)
    shown = _Feed()
    for text in (
        "",
        "Hello",
        "Hello\n",
        "Hello\n\n",
        "Hello\n\nWorld",
        "Hello\n\nWorld\n\n| a",
        "Hello\n\nWorld\n\n| a |\n|--|\n| 1 |\n",
    ):
        shown.show(text)
        await run_feed.write(shown)
    number = 0
    for piece in pieces:
        changes, after = live_text.opened(piece)
        assert after in {0, number}
        assert changes or after == 0
        number = piece[1]
    assert shown.sent == {"tab": shown.frame}
    assert shown.frame.texts == {0: ["Hello", "World", "| a |\n|--|\n| 1 |"]}


def test_each_word_is_sent_once():
    """Two cases: a long code block, which stays open for a long time, and many paragraphs."""
    for lines in (
        ["```python\n", *(f"value_{n} = {n}\n" for n in range(400))],
        [f"Paragraph {n}.\n\n" for n in range(400)],
    ):
        page, items, frame, text = Page(), Items(), Frame(), ""
        for line in lines:
            text += line
            frame = framed(frame, items.of(_text(text)), _text(text))
            page.take(frame)
        assert page.received < 1.1 * len(text)


def test_a_rewind_shows_the_text_anew():
    items = Items()
    before = framed(Frame(), items.of(_text("One.\n\nTwo and three")), _text("One.\n\nTwo and three"))
    after = framed(before, items.of(_text("One.\n\nTwo")), _text("One.\n\nTwo"), withdrawn=True)
    page = Page()
    page.take(before)
    page.take(after)
    assert page.shown == {0: ["One.", "Two"]}


def test_items_have_no_text_while_they_are_written():
    frame = framed(Frame(), Items().of(_text("One.\n\nTwo")), _text("One.\n\nTwo"))
    assert [item.blocks for item in frame.items] == [[]]
    assert frame.items[0].state == "open"


def test_a_frame_with_nothing_but_more_text_sets_no_var():
    live, items = _live(), Items()
    first = framed(Frame(), items.of(_text("One")), _text("One"))
    second = framed(first, items.of(_text("One and two")), _text("One and two"))
    live.follow(first, patient=False)
    live.dirty_vars.clear()
    live.follow(second, patient=False)
    assert not live.dirty_vars
    assert second.looks_like(first)


@pytest.mark.parametrize("text", ["Sales:\n\n| Quarter | Sum", "Sales:\n\n| Quarter | Sum |\n|--"])
def test_a_table_is_shown_once_it_is_one(text: str):
    assert framed(Frame(), Items().of(_text(text)), _text(text)).texts == {0: ["Sales:"]}


def test_of_the_same_message_the_row_is_made_once():
    """Looking again at a long chat does not cut its answers into blocks again."""
    now = datetime.now(UTC)
    message = chats.Message(uuid4(), "assistant", "completed", _text("One.\n\nTwo"), now, now)
    assert rows.row_of(message) is rows.row_of(message)
    assert [item.blocks for item in rows.row_of(message).body] == [["One.", "Two"]]


def test_the_end_of_an_answer_is_spoken_once_also_where_its_chat_was_opened_anew():
    live, now = _live(), datetime.now(UTC)
    message = chats.Message(uuid4(), "assistant", "pending", [], now, now, run_id=uuid4())
    live.show(message)
    assert live.spoken == "Leaf is answering."
    live.clear()
    ended = replace(message, status="completed")
    live.show(ended)
    assert live.spoken == "Leaf has answered."
    live.clear()
    live.show(ended)
    assert live.spoken == "", "an old answer is no news"


def test_the_end_of_an_answer_is_spoken_where_it_came_before_its_chat_was_open():
    live, now = _live(), datetime.now(UTC)
    ended = chats.Message(uuid4(), "assistant", "completed", [], now, now, run_id=uuid4())
    live.await_end(str(ended.id))
    live.clear()
    live.show(ended)
    assert live.spoken == "Leaf has answered."


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
    assert len(detail.output) == 20_000
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
    assert '"q": "Größe"' in detail.input
    assert '"n": 1' in detail.output


@pytest.mark.parametrize(("percent", "shown"), [(0, 0), (79, 0), (80, 80), (104, 104)])
def test_a_chat_says_that_it_is_nearly_full_before_it_takes_no_more_questions(percent: int, shown: int) -> None:
    """# 003-42"""
    state = ChatState(_reflex_internal_init=True)  # type: ignore[call-arg]
    chat = chats.Chat(uuid4(), "A chat", used_drive=False, messages=[], used_percent=percent)
    state.show(chat, _live())
    assert state.nearly_full == shown
    state.enter(str(uuid4()))
    assert state.nearly_full == 0
