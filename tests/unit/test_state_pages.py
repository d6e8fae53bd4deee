"""What pages say about chats, sources, sessions and sign-in."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest

from leaf import errors
from leaf.services import chats
from leaf.services.integrations import State
from leaf.state import agents, landing, session, sources
from leaf.state.chat import drive_of
from leaf.state.settings import ago
from leaf.state.sidebar import grouped

UTC_ZONE = ZoneInfo("UTC")
NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


def _row(age: timedelta) -> chats.ChatRow:
    return chats.ChatRow(uuid4(), "A chat", NOW - age, running=False)


def test_chats_are_grouped_by_day():
    """000-39"""
    ages = [timedelta(hours=1), timedelta(hours=20), timedelta(days=3), timedelta(days=40)]
    groups = grouped([_row(age) for age in ages], NOW, UTC_ZONE)
    assert [group.label for group in groups] == ["Today", "Yesterday", "Previous 7 days", "Older"]


def test_today_is_the_readers_today():
    rows = [_row(timedelta(hours=13))]
    assert grouped(rows, NOW, UTC_ZONE)[0].label == "Yesterday"
    assert grouped(rows, NOW, ZoneInfo("America/New_York"))[0].label == "Yesterday"
    assert grouped(rows, NOW, ZoneInfo("Asia/Tokyo"))[0].label == "Today"


def _answer(text: str, *reads: tuple[str, str, str]) -> dict[str, object]:
    return {
        "id": "m",
        "role": "assistant",
        "metadata": {},
        "parts": [
            *(
                {
                    "type": "tool-read_drive_file",
                    "toolCallId": f"c{number}",
                    "state": "output-available",
                    "output": {
                        "file": {"id": name, "name": name, "url": "https://drive.example/", "kind": "document"},
                        "part": part,
                        "content": content,
                    },
                }
                for number, (name, part, content) in enumerate(reads)
            ),
            {"type": "text", "text": text},
        ],
    }


def test_sources_are_exactly_the_files_read_each_once():
    """000-56"""
    first = _answer("x", ("Plan", "page 1", "a"), ("Notes", "all", "b"))
    second = _answer("y", ("Plan", "page 1", "a"), ("Plan", "page 2", "c"))
    found = sources.of([first, second])
    assert [(source.number, source.name) for source in found] == [(1, "Plan"), (2, "Notes")]
    assert [excerpt.part for excerpt in found[0].excerpts] == ["Page 1", "Page 2"]


def test_the_excerpt_is_the_passage_that_the_answer_took_up():
    """000-37"""
    lines = [f"Paragraph {number} is about something else entirely." for number in range(60)]
    lines[40] = "The travel budget for 2027 is 48,000 euros."
    (source,) = sources.of([_answer("The travel budget is 48000 euros.", ("Plan", "all", "\n".join(lines)))])
    assert lines[40] in source.excerpts[0].used
    assert len(source.excerpts[0].used) < 600


def test_a_source_links_to_web_addresses_only():
    answer = _answer("x", ("Plan", "all", "a"))
    answer["parts"][0]["output"]["file"]["url"] = "javascript:alert(1)"  # type: ignore[index]
    assert sources.of([answer])[0].url == ""


@pytest.mark.parametrize("path", ["//evil.example", "https://evil.example", "/\\evil.example", "", "/", "evil"])
def test_a_sign_in_never_leads_out_of_leaf(path: str):
    assert landing.inside(path) == "/dashboard"


def test_a_sign_in_leads_on_to_the_page_that_was_asked_for():
    assert landing.inside("/chat/1") == "/chat/1"
    assert session.sign_in_address("/settings/sessions") == "/?next=/settings/sessions"
    assert session.sign_in_address("/chat/1?a=b&c") == "/?next=/chat/1%3Fa%3Db%26c"


@pytest.mark.parametrize("text", ["", "not-a-uuid", "../etc/passwd", "1" * 400])
def test_a_malformed_id_looks_like_a_missing_chat(text: str):
    """000-40"""
    with pytest.raises(errors.NotFound) as refusal:
        session.identifier(text, "chat")
    assert refusal.value.message == "This chat does not exist, or you have no access to it."


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"),
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/140.0 Safari/537.36 Edg/140.0", "Edge on Windows"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Mobile Safari/604.1", "Safari on iPhone"),
        ("", "Unknown browser"),
    ],
)
def test_sessions_are_told_apart_by_browser_and_system(user_agent: str, name: str):
    assert agents.device(user_agent) == name


def test_a_session_says_when_it_was_last_seen():
    now = datetime.now(UTC)
    assert ago(now, UTC_ZONE) == "Active now"
    assert ago(now - timedelta(minutes=40), UTC_ZONE) == "40 minutes ago"
    assert ago(now - timedelta(hours=5), UTC_ZONE) == "5 hours ago"


@pytest.mark.parametrize(
    ("state", "call", "said"),
    [
        ("connected", "output-available", ""),
        ("error", "output-error", "error"),
        ("none", "output-available", "disconnected"),
        ("none", "output-error", "unconnected"),
    ],
)
def test_a_drive_that_never_gave_anything_was_never_disconnected(state: State, call: str, said: str):
    """000-16"""
    part = {"type": "tool-search_drive", "toolCallId": "c1", "state": call}
    answer = chats.Message(uuid4(), "assistant", "completed", [part], NOW)
    assert drive_of(chats.Chat(uuid4(), "A chat", used_drive=True, drive_state=state, messages=[answer])) == said
