"""The texts of pages about chats, sources, sessions and sign-in."""

from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaf import errors
from leaf.services import chats
from leaf.services.integrations import State
from leaf.state import landing, session, sockets
from leaf.state.chat import drive_of
from leaf.views import excerpts, sources, user_agents
from sandbox import sample_drive

UTC_ZONE = ZoneInfo("UTC")
NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


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
    assert source.excerpts[0].whole == "\n".join(lines)
    (source,) = sources.of([_answer("The travel budget is 48000 euros.", ("Plan", "all", lines[40]))])
    assert (source.excerpts[0].used, source.excerpts[0].whole) == (lines[40], ""), "nothing more is there to open"


def test_the_excerpt_of_a_picture_begins_with_its_text():
    """Its place is named above it, in the reader's language."""
    read = _answer("The boiler is 12 years old.", ("Scan.png", "all", "[picture 1, read by OCR]\nBoiler: 12 years"))
    assert sources.of([read])[0].excerpts[0].used == "Boiler: 12 years"


def test_the_name_of_a_source_cannot_turn_the_direction_of_its_ending():
    """000-56"""
    (source,) = sources.of([_answer("x", ("\u202egnp.exe", "all", "a"))])
    assert source.name == "\u2068gnp.exe\u2069"


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
    assert session.sign_in_address("/chat/1?a=b&c#d") == "/?next=/chat/1%3Fa%3Db%26c"
    assert session.sign_in_address("/?next=/chat/1") == "/"


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
    assert user_agents.device(user_agent) == name


@pytest.mark.parametrize(
    ("state", "call", "said"),
    [
        ("connected", "output-available", ""),
        ("trouble", "output-error", ""),
        ("error", "output-error", ""),
        ("none", "output-available", "disconnected"),
        ("none", "output-error", "unconnected"),
    ],
)
def test_a_drive_that_never_gave_anything_was_never_disconnected(state: State, call: str, said: str):
    """000-16"""
    part = {"type": "tool-search_drive", "toolCallId": "c1", "state": call}
    answer = chats.Message(uuid4(), "assistant", "completed", [part], NOW, NOW)
    assert drive_of(chats.Chat(uuid4(), "A chat", used_drive=True, messages=[answer]), state) == said


SAMPLE = Path(sample_drive.__file__).parent / "sample" / "finance"
MARKETING = """[Operating budget 2026](https://drive.example/b) (sheet Summary) says: **Marketing, Year 2026: 260000**

| Line | Q1 | Q2 | Q3 | Q4 | Year 2026 |
| --- | --- | --- | --- | --- | --- |
| Marketing | 50000 | 80000 | 70000 | 60000 | 260000 |

— [Operating budget 2026](https://drive.example/b), sheet Summary

*Sandbox model: I only quote; set LEAF_MODEL for real answers.*"""
PROSE = "The plan gives marketing EUR 260,000 for 2026, as [the budget letter](https://drive.example/l) says."


def _sample(name: str) -> str:
    return (SAMPLE / name).read_text("utf-8")


def _excerpt_of(answer: str, name: str, content: str, *, before: str = "") -> str:
    message = _answer(answer, (name, "all", content))
    message["parts"] = [{"type": "text", "text": before}, *message["parts"]]  # type: ignore[misc]
    (source,) = sources.of([message])
    return source.excerpts[0].used


@pytest.mark.parametrize(
    "answer", [MARKETING, PROSE, "It is 260000 euros, of which 50000 fall into the first quarter."]
)
def test_the_excerpt_of_a_sheet_holds_the_row_that_the_answer_uses(answer: str):
    """A row is written without blanks between its cells. # 000-37"""
    used = _excerpt_of(answer, "Operating budget 2026", _sample("operating-budget-2026.csv"))
    assert "Marketing,50000,80000,70000,60000,260000" in used


@pytest.mark.parametrize("answer", [MARKETING, PROSE])
def test_the_excerpt_of_a_letter_is_not_its_letterhead(answer: str):
    """The name of the file and the year stand in every other line; the sum stands in one. # 000-37"""
    used = _excerpt_of(answer, "Budget letter 2026", _sample("budget-letter-2026.md"))
    assert "Marketing gets EUR 260,000" in used
    assert "From: Tobias Renko" not in used


def test_what_is_said_before_the_last_tool_call_is_no_use_of_a_passage():
    lines = [f"Line {number} tells of llamas and of nothing else." for number in range(40)]
    lines[5] = "Crates and ladders stand in the barn behind the house of the miller, says Jane."
    lines[33] = "The mill was sold in 1987."
    before = "I'll look for crates and ladders in the barn behind the house, and for the miller. "
    used = _excerpt_of("It was sold in 1987.", "Barn", "\n".join(lines), before=before)
    assert lines[33] in used
    assert lines[5] not in used


@pytest.mark.parametrize("quoted", [
    "> The board meets on Fridays in the barn.", "They write “The board meets on Fridays in the barn.” there.",
    'It says "The board meets on Fridays in the barn."',
])  # fmt: skip
def test_what_is_quoted_outweighs_words_that_only_occur(quoted: str):
    lines = [f"Paragraph {number} is filled with other things." for number in range(60)]
    lines[10] = "Harvest, pressing, bottling, labelling, shipping, invoicing."
    lines[50] = "The board meets on Fridays in the barn."
    said = f"Not the harvest, pressing, bottling, labelling, shipping or invoicing:\n\n{quoted}"
    used = _excerpt_of(said, "Notes", "\n".join(lines))
    assert lines[50] in used
    assert lines[10] not in used


def test_an_excerpt_has_neither_the_rule_of_a_table_nor_a_heading_twice():
    lines = ["[section Stores]", "## Stores", "| Hall | Rent |", "|---|---|", "| Two | 55,200 |"]
    used = _excerpt_of("Hall two costs 55,200.", "Lease", "\n".join(lines))
    assert used.splitlines() == ["Stores", "| Hall | Rent |", "| Two | 55,200 |"]


def test_a_quotation_that_was_wrapped_in_the_file_is_found():
    filler = [f"Filler number {number} about the weather." for number in range(40)]
    wrapped = ["The lease of the", "cold store ends on 31 March", "2029 unless it is renewed."]
    lines = ["# Title", "", *filler, *wrapped, *filler]
    used = _excerpt_of("> The lease of the cold store ends on 31 March 2029.", "Lease", "\n".join(lines))
    assert "cold store ends on 31 March" in used


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_passage_has_an_excerpt_whatever_the_answer(answer: str, content: str):
    used = excerpts.best_window(content, excerpts.used(answer))
    assert len(used) <= 2 * excerpts.CHARACTERS + 2


def test_a_browser_that_takes_a_size_one_frame_later_has_reported_no_exception(
    caplog: pytest.LogCaptureFixture,
) -> None:
    sockets.report(Exception("ResizeObserver loop completed with undelivered notifications."))
    assert not caplog.messages
    sockets.report(Exception("x is not a function"))
    assert caplog.messages == ["a page reported an exception"]
