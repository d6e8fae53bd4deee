"""Which calls wait for the user: what a chat has read, which hosts it may open, and what addresses carry."""

import time
from dataclasses import dataclass, field
from typing import Any, cast

import httpx2
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic_ai import RunContext
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.tools import ToolDefinition

from leaf.agent import agents, approval, attachments
from leaf.agent.approval import addresses, outgoing, request
from leaf.agent.deps import Deps
from leaf.agent.tools import knowledge

FOUND = "https://weather.example/hail"
DRIVE = ToolReturnPart("read_drive_file", {"file": {"name": "Salaries"}, "content": "Ada earns 90,000."}, "d")
SEARCHED = ToolReturnPart("search", {"results": [{"n": 1, "url": FOUND, "snippet": "Hail is ice."}]}, "s")


@dataclass
class _Deps:
    approvals: bool = True
    earlier_tools: frozenset[str] = field(default_factory=frozenset[str])
    suggested: frozenset[str] = field(default_factory=frozenset[str])


@dataclass
class _Context:
    messages: list[ModelMessage]
    deps: _Deps = field(default_factory=_Deps)
    tool_call_id: str | None = None


def _chat(*returned: ToolReturnPart, said: str = "What about hail?") -> list[ModelMessage]:
    messages: list[ModelMessage] = [ModelRequest(parts=[UserPromptPart(said)])]
    for part in returned:
        messages.append(ModelResponse(parts=[ToolCallPart(part.tool_name, {}, part.tool_call_id)]))
        messages.append(ModelRequest(parts=[part]))
    return messages


def _context(messages: list[ModelMessage], deps: _Deps | None = None) -> RunContext[Deps]:
    return cast("RunContext[Deps]", _Context(messages, deps or _Deps()))


def _asked(tool: str, messages: list[ModelMessage] | None = None, **arguments: Any) -> str:
    context = _context(_chat(DRIVE, SEARCHED) if messages is None else messages)
    return approval.OUTWARD[tool](context, arguments, ToolDefinition(name=tool))


def test_every_tool_is_known_for_what_it_returns() -> None:
    """One that is not counts as both, so an oversight asks too often and never too seldom."""
    names: set[str] = set()

    def collect(toolset: Any) -> None:
        for tool in getattr(toolset, "tools", {}):
            names.add(tool)
        if hasattr(toolset, "wrapped"):
            collect(toolset.wrapped)

    for toolset in [*agents.toolsets(), knowledge.toolset()]:
        collect(toolset)
    assert {"fetch", "read_drive_file", "askQuestion"} <= names
    earlier = {"search_drive"}
    assert names | earlier == approval.PRIVATE | approval.FOREIGN | approval.NEITHER


@pytest.mark.parametrize(
    ("returned", "private", "foreign"),
    [
        ([], False, False),
        ([DRIVE], True, True),
        ([SEARCHED], False, True),
        ([DRIVE, SEARCHED], True, True),
        ([ToolReturnPart("wiki_read", "text", "m")], True, True),
        ([ToolReturnPart("fetch", "It cannot be reached.", "f", outcome="failed"), DRIVE], True, True),
        ([ToolReturnPart("write_file", {"path": "a.md"}, "w"), SEARCHED], True, True),
        ([ToolReturnPart("wiki_read", "All salaries", "m", outcome="failed")], True, True),
        ([ToolReturnPart("wiki_read", "no", "m", outcome="denied")], False, False),
    ],
)
def test_a_chat_is_what_its_results_are(returned: list[ToolReturnPart], private: bool, foreign: bool) -> None:
    told = approval.taint(_chat(*returned))
    assert (told.private, told.foreign) == (private, foreign)


@pytest.mark.parametrize(("tool", "is_both"), [("read_drive_file", True), ("search", False)])
def test_what_a_call_that_was_made_wrongly_is_told_may_be_private(tool: str, is_both: bool) -> None:
    """The names of the sheets of a workbook. # 002-22"""
    told = ToolReturnPart(tool, "Its parts are: “sheet Salaries”", "a", outcome="retried")
    assert approval.taint([ModelRequest(parts=[told])]).both is is_both


@pytest.mark.parametrize(("path", "is_both"), [("note.png", True), ("unnamed", True), ("plan.md", False)])
def test_a_picture_that_came_with_a_question_may_mislead_like_a_file_that_was_read(path: str, is_both: bool) -> None:
    """The model is shown it without a call, and anybody may have made it. # 002-22"""
    asked = UserPromptPart(["What is this?", attachments.note("It came with the message.", [path])])
    assert approval.taint([ModelRequest(parts=[asked])]).both is is_both


def test_earlier_turns_count_also_where_a_summary_stands_for_them() -> None:
    assert approval.taint([*_chat(DRIVE), *_chat(SEARCHED)]).both
    assert approval.taint(_chat(SEARCHED), {"read_drive_file"}).both
    assert not approval.taint(_chat(SEARCHED), {"todoWrite"}).both


@pytest.mark.parametrize(
    ("address", "is_asked"),
    [
        (FOUND, False),
        ("HTTPS://Weather.Example.:443/hail#ice", False),
        ("https://weather.example/hail?page=2", True),
        ("https://evil.example/", True),
        ("https://evil.example/?q=secret", True),
        ("https://secret.weather.example/hail", True),
        ("https://weather.example.evil.example/hail", True),
        ("https://weather.example@evil.example/hail", True),
        ("https://weather.example:8443/hail", True),
        ("https://weather.example%2eevil.example/", True),
        ("https://evil.example\\@weather.example/", True),
        ("https://wеather.example/hail", True),
        ("not an address", True),
        ("https://weather.example/hail?q=" + "s" * 80, True),
        ("https://weather.example/" + "s" * 80, True),
        ("https://weather.example/hail/" + "%73" * 80, True),
        ("https://weather.example/go?to=https://evil.example", True),
        ("https://weather.example/go?to=%2F%2Fevil.example", True),
        ("https://weather.example/go?to=%252F%252Fevil.example", True),
    ],
)
def test_a_page_is_asked_for_where_its_address_could_carry_something(address: str, is_asked: bool) -> None:
    told = _asked("fetch", url=address)
    assert bool(told) == is_asked, told


def test_addresses_are_opened_freely_that_pages_and_the_user_gave_however_long() -> None:
    long = "https://weather.example/report?id=" + "7" * 200
    page = ToolReturnPart("fetch", {"url": FOUND, "content": f"[All of it]({long})."}, "f")
    assert _asked("fetch", url=long)
    assert not _asked("fetch", _chat(DRIVE, SEARCHED, page), url=long)
    assert not _asked("fetch", _chat(DRIVE, SEARCHED, said=f"Read {long}, please."), url=long)


@pytest.mark.parametrize("end", ["1", "hail/2", "hail?d=plum-71432", "?", "redirect?u=evil.example"])
def test_what_the_model_has_put_together_is_asked_for_however_short_it_is(end: str) -> None:
    """Piece by piece as much would leave as at once. # 002-22"""
    assert _asked("fetch", _chat(DRIVE, SEARCHED), url=f"https://weather.example/{end}")


def _asked_of(calls: list[ToolCallPart], messages: list[ModelMessage] | None = None) -> list[bool]:
    """Which of the calls of one reply are asked for."""
    chat: list[ModelMessage] = [*(_chat(DRIVE, SEARCHED) if messages is None else messages), ModelResponse(parts=calls)]
    asked: list[bool] = []
    for call in calls:
        context = cast("RunContext[Deps]", _Context(chat, _Deps(), call.tool_call_id))
        asked.append(bool(approval.outgoing_page(context, call.args_as_dict()["url"])))
    return asked


def _fetch(url: str, call_id: str, **further: Any) -> ToolCallPart:
    return ToolCallPart("fetch", {"url": url, **further}, call_id)


def _opened(url: str, call_id: str, content: str = "") -> list[ModelMessage]:
    returned = ToolReturnPart("fetch", {"url": url, "content": content}, call_id)
    return [ModelResponse(parts=[_fetch(url, call_id)]), ModelRequest(parts=[returned])]


def test_each_call_of_a_reply_is_looked_at() -> None:
    """# 002-22"""
    calls = [_fetch(f"https://weather.example/{number}", f"f{number}") for number in range(5)]
    assert all(_asked_of(calls))


def test_calls_that_failed_or_never_returned_are_counted() -> None:
    failed = ToolReturnPart("fetch", "It cannot be reached.", "f1", outcome="failed")
    calls = [_fetch("https://weather.example/1" + "s" * 40, "f1"), _fetch("https://weather.example/?", "f2")]
    messages = [*_chat(DRIVE, SEARCHED), ModelResponse(parts=calls), ModelRequest(parts=[failed])]
    assert _asked("fetch", messages, url="https://weather.example/2" + "s" * 40)


def test_ids_that_a_provider_gives_twice_hide_no_call() -> None:
    calls = [_fetch(f"https://weather.example/{number}" + "s" * 29, "same") for number in range(3)]
    assert any(_asked_of(calls))


def test_an_address_that_a_page_repeats_is_not_one_that_it_gave() -> None:
    """It stays what it was: put together by the model, and counted. # 002-22"""
    first, more = ("https://weather.example/log?d=" + "s" * 40, "&e=" + "t" * 40)
    messages = [*_chat(DRIVE, SEARCHED), *_opened(first, "f1", f"You asked for {first}. See also {first}{more}")]
    assert _asked("fetch", messages, url=first + more)
    assert _asked("fetch", messages, url="https://weather.example/log?d=" + "u" * 40)
    assert _asked("fetch", messages, url=first), "the page's own words do not make it free"


def test_an_address_that_a_search_repeats_is_not_one_that_it_gave() -> None:
    words = "Ada earns 90,000 and Ben earns 80,000, and Cem earns 70,000 a year."
    url = "https://weather.example/find?q=" + words.replace(" ", "+")
    found = ToolReturnPart("search", {"results": [{"n": 1, "url": url, "snippet": url}]}, "s2")
    messages = _chat(DRIVE, SEARCHED)
    messages += [ModelResponse(parts=[ToolCallPart("search", {"query": words}, "s2")]), ModelRequest(parts=[found])]
    assert _asked("fetch", messages, url=url)


def test_which_of_many_addresses_is_opened_tells_something_too() -> None:
    """A page may offer one for each letter: what is spelled with them is counted."""
    letters = " ".join(f"https://weather.example/{place}/{letter}" for place in range(100) for letter in "abcdefgh")
    messages = [*_chat(DRIVE, SEARCHED), *_opened(FOUND, "f", letters)]
    calls = [_fetch(f"https://weather.example/{place}/a", f"f{place}") for place in range(100)]
    asked = _asked_of(calls, messages)
    assert asked.index(True) <= 32
    assert all(asked[32:])


def test_an_address_that_is_cut_off_within_a_word_is_asked_for() -> None:
    """Where it ends, the model has chosen: nobody gave that. # 002-22"""
    messages = [*_chat(DRIVE, SEARCHED), *_opened(FOUND, "f", "https://weather.example/" + "abcdefgh" * 100)]
    calls = [_fetch("https://weather.example/" + ("abcdefgh" * 100)[:end], f"f{end}") for end in range(1, 60)]
    assert all(_asked_of(calls, messages))


@pytest.mark.parametrize("end", ["reports/", "reports", "reports/2026", "reports/2026/may", "reports/2026/may?a=1"])
def test_an_address_that_is_cut_off_where_a_part_of_it_ends_is_opened_freely(end: str) -> None:
    """People look at the addresses above a page, too."""
    page = "https://weather.example/reports/2026/may?a=1&b=2"
    messages = [*_chat(DRIVE, SEARCHED), *_opened(FOUND, "f", page)]
    assert not _asked("fetch", messages, url=f"https://weather.example/{end}")
    assert _asked("fetch", messages, url=f"https://weather.example/{end[:-1]}x")


@pytest.mark.parametrize(("parts", "free"), [(100, 31), (1_000, 21)])
def test_parts_of_an_address_tell_where_they_end(parts: int, free: int) -> None:
    """The place where an address of many parts is cut off can carry more than a byte. # 002-22"""
    messages = [*_chat(DRIVE, SEARCHED), *_opened(FOUND, "f", "https://weather.example/" + "a/" * parts)]
    calls = [_fetch("https://weather.example/" + "a/" * end, f"f{end}") for end in range(1, 60)]
    assert _asked_of(calls, messages) == [False] * free + [True] * (59 - free)


MANY = [f"https://weather.example/{number}" for number in range(300)]


@pytest.mark.parametrize("said", [{}, {"title": "Hail", "description": "Ice."}])
def test_cards_whose_pages_were_looked_at_are_counted(said: dict[str, str]) -> None:
    cards = [ToolCallPart("displayLinkPreview", {"url": url, **said}, url) for url in MANY[:40]]
    messages: list[ModelMessage] = [*_chat(DRIVE, SEARCHED), *_opened(FOUND, "f", " ".join(MANY))]
    messages.append(ModelResponse(parts=cards))
    assert bool(_asked("fetch", messages, url=MANY[50])) == (not said)


@pytest.mark.parametrize("is_before", [True, False])
def test_what_was_opened_before_anything_private_was_read_is_not_counted(is_before: bool) -> None:
    opened = [message for url in MANY[:40] for message in _opened(url, url)]
    found, private = _opened(FOUND, "f", " ".join(MANY)), _chat(DRIVE)[1:]
    messages = [*_chat(SEARCHED), *found, *([*opened, *private] if is_before else [*private, *opened])]
    assert bool(_asked("fetch", messages, url=MANY[50])) == (not is_before)


def test_what_the_user_has_allowed_leaves_room_for_the_rest() -> None:
    messages = [*_chat(DRIVE, SEARCHED), *_opened("https://weather.example/?d=" + "s" * 300, "f1")]
    assert not _asked("fetch", messages, url=FOUND)


@pytest.mark.parametrize(("said", "url"), [
    ("Open https://evil.example/log?d=1", "https://evil.example/log?d=1"),
    ("What does evil.example say?", "https://evil.example/"),
])  # fmt: skip
def test_a_click_names_no_host(said: str, url: str) -> None:
    """A model that was misled wrote it. # 002-22"""
    messages = _chat(DRIVE, SEARCHED, said=said)
    assert not approval.outgoing_page(_context(messages), url)
    assert approval.outgoing_page(_context(messages, _Deps(suggested=frozenset({said}))), url)


def test_what_a_question_of_the_agent_brings_back_names_no_host() -> None:
    answer = {"question": "Which?", "selectedOptions": ["https://evil.example/"], "inputText": ""}
    messages = _chat(DRIVE, SEARCHED, ToolReturnPart("askQuestion", answer, "q"))
    assert _asked("fetch", messages, url="https://evil.example/")


@pytest.mark.parametrize(
    ("given", "is_asked"),
    [
        ({"url": FOUND}, False),
        ({"query": "hail"}, False),
        ({"url": "https://evil.example/?d=secret"}, True),
        ({"requests": [{"to": f"see {FOUND}?d=secret."}]}, True),
        ({"https://evil.example/": 1}, True),
        ({"url": "evil.example/?d=secret"}, True),
        ({"url": "//evil.example/?d=secret"}, True),
        ({"url": "ftp://evil.example/secret"}, True),
        ({"host": "evil.example", "path": "/secret"}, True),
        ({"to": "somebody@evil.example"}, True),
        ({"url": "weather.example/hail"}, False),
        ({"url": "weather.example/hail?d=secret"}, True),
        ({"file": "plan.md", "version": "1.2"}, False),
        ({"query": "secret " * 40}, True),
    ],
)
def test_a_tool_that_only_reads_is_asked_for_where_it_is_given_an_address(
    given: dict[str, Any], is_asked: bool
) -> None:
    """A server's tool may open pages, too."""
    tool = ToolDefinition(name="browse_open", metadata={"mcp": "Browse", "writing": False, "outward": None})
    assert bool(outgoing._other_tool(_context(_chat(DRIVE, SEARCHED)), given, tool)) == is_asked


@pytest.mark.parametrize(
    ("said", "address", "is_asked"),
    [
        ("Look at https://shop.example/a (now).", "https://shop.example/b", True),
        ("What does shop.example say?", "https://shop.example/", False),
        ("What does Shop.Example: say", "https://shop.example/", False),
        ("Write to ada@shop.example.", "https://shop.example/", True),
        ("Put it into plan.md", "https://plan.md/", True),
        ("Hello. There", "https://hello.there/", True),
    ],
)
def test_hosts_that_the_user_names_are_known(said: str, address: str, is_asked: bool) -> None:
    assert bool(_asked("fetch", _chat(DRIVE, SEARCHED, said=said), url=address)) == is_asked


@pytest.mark.parametrize("text", ["a.", "a-", "aa.", "a.b)", "https://a.b/", "https://x.y/" + ")" * 9000])
def test_no_text_takes_long_to_be_looked_through(text: str) -> None:
    """The worker does nothing else meanwhile."""
    said = (text * 16_000)[:32_000]
    began = time.process_time()
    _asked("fetch", _chat(DRIVE, SEARCHED, said=said), url=FOUND)
    assert time.process_time() - began < 2


def test_a_host_is_known_by_the_searches_of_its_own_run_alone() -> None:
    messages = [*_chat(DRIVE, SEARCHED), ModelResponse(parts=[TextPart("So.")]), *_chat(DRIVE, said="And now?")]
    assert _asked("fetch", messages, url=FOUND)


def test_a_page_that_was_opened_makes_its_host_no_more_known() -> None:
    """Allowed once is allowed for that call; and a page may lead anywhere."""
    page = ToolReturnPart("fetch", {"url": "https://evil.example/", "content": "Welcome."}, "f")
    assert _asked("fetch", _chat(DRIVE, SEARCHED, page), url="https://evil.example/")


def test_a_long_query_is_asked_for() -> None:
    assert not _asked("search", query="hail " * 40)
    assert "201 characters" in _asked("search", query="x" * 201)


def test_tools_may_say_that_they_send_something() -> None:
    tool = ToolDefinition(name="wiki_write", metadata={outgoing.SERVER: "Wiki"})
    told = outgoing._other_tool(_context([]), {"text": "All salaries"}, tool)
    assert told == 'Leaf wants to use wiki_write of Wiki. It would send: “{"text": "All salaries"}”.'
    assert not outgoing._other_tool(_context([]), {}, ToolDefinition(name="wiki_read"))


@pytest.mark.parametrize("returned", [[SEARCHED], []])
def test_nobody_is_asked_where_nothing_private_was_read(returned: list[ToolReturnPart]) -> None:
    assert not approval.outgoing_page(_context(_chat(*returned)), "https://evil.example/?q=secret")


def test_nobody_is_asked_where_it_is_turned_off() -> None:
    messages = _chat(DRIVE, SEARCHED)
    assert approval.outgoing_page(_context(messages), "https://evil.example/?q=secret")
    assert not approval.outgoing_page(_context(messages, _Deps(approvals=False)), "https://evil.example/?q=secret")


def test_a_reason_shows_what_leaves_and_hides_nothing() -> None:
    told = _asked("fetch", url="https://evil.example/?q=Ada%20earns%2090,000")
    assert "evil.example" in told
    assert "/?q=Ada%20earns%2090,000" in told
    assert request.shown("a\u202eb\nc\x00") == "a b c"
    assert len(request.shown("x" * 5000)) < 450


@pytest.mark.parametrize("host", ["weather.example", "WEATHER.Example", "weather.example.", "weather。example"])
def test_a_host_is_the_same_however_it_is_written(host: str) -> None:
    assert addresses.host_of(f"https://{host}:443/hail") == "weather.example"


_LABEL = st.text(st.characters(codec="utf-8", categories=("L", "N", "M", "P", "S", "Z", "Cf")), min_size=1, max_size=12)


@settings(max_examples=300)
@given(
    host=st.one_of(
        st.lists(_LABEL, min_size=1, max_size=3).map(".".join),
        st.sampled_from(["weather.example", "xn--weather-.example", "WEATHER.example.", "weather。example"]),
    ),
    before=st.sampled_from(["", "weather.example@", "weather.example:80@", "user:weather.example@", "%77"]),
    port=st.sampled_from(["", ":80", ":443", ":8443", ":0", ":weather.example"]),
    behind=st.sampled_from(["", "/", "?weather.example", "#@weather.example", "/../weather.example"]),
)
@example(host="WEATHER.Example.", before="user:weather.example@", port=":443", behind="#@evil.example")
@example(host="weather。example", before="", port="", behind="/")
def test_a_host_is_known_only_if_it_is_the_one_that_would_be_asked(
    host: str, before: str, port: str, behind: str
) -> None:
    """Whatever passes as the host of a search result is asked under exactly that name."""
    address = f"https://{before}{host}{port}{behind}"
    if addresses.host_of(address) != "weather.example":
        return
    try:
        asked = httpx2.URL(address)
    except (httpx2.InvalidURL, ValueError):
        pytest.fail(f"{address!r} passes and is no address")
    assert asked.raw_host.decode().lower().rstrip(".") == "weather.example"
    assert asked.port in {None, 80, 443}
