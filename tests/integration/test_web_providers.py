"""Each search service and page reader by its own protocol, and what is told when it refuses."""

import asyncio
import email.utils
import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic_ai.exceptions import ToolFailed
from pydantic_core import to_json

from leaf import config, outbound
from leaf.agent import web
from leaf.agent.web import services
from leaf.views import steps
from tests.integration import web_providers
from tests.integration.web_providers import FOUND, KEY, Providers, raw, refused

SEARCH = ("tavily", "brave", "exa", "searxng", "firecrawl")
LABELS = {"tavily": "Tavily", "brave": "Brave Search", "exa": "Exa", "searxng": "SearXNG", "firecrawl": "Firecrawl"}


@pytest.fixture(scope="module")
def running_providers() -> Iterator[Providers]:
    with web_providers.running() as running:
        yield running


@pytest.fixture
def providers(no_environment: None, running_providers: Providers) -> Providers:
    """The services, with the right key, without faults, and asked nothing yet."""
    running_providers.asked, running_providers.faults, running_providers.key = [], [], KEY
    running_providers.led_to = ""
    return running_providers


async def fails(settings: config.Settings, kind: web.Kind = "optimized") -> str:
    with pytest.raises(ToolFailed) as failed:
        await web.search(settings, "pears", kind, 5)
    assert KEY not in str(failed.value)
    assert KEY not in repr(failed.value.__context__)
    return str(failed.value)


@pytest.mark.parametrize("provider", SEARCH)
@pytest.mark.parametrize("kind", ["optimized", "general"])
async def test_each_service_gives_the_same_results_by_its_own_protocol(
    providers: Providers, provider: str, kind: web.Kind
) -> None:
    """# 002-12, 001-19"""
    found = await web.search(providers.settings(search_provider=provider), "pears in autumn", kind, 2)
    assert found.provider == provider
    pages = [one for one in found.results if one.form == "page"]
    assert [(one.title, one.url) for one in pages] == [(title, url) for title, url, _ in FOUND[:2]]
    assert all(one.snippet.startswith("About pears") and "<" not in one.snippet for one in pages)
    (asked,) = [body for path, body in providers.asked if "images" not in path]
    assert "pears in autumn" in {asked.get("query"), asked.get("q")}


async def test_what_a_service_has_written_itself_is_no_excerpt_of_a_page(providers: Providers) -> None:
    """Exa can have a model summarise pages. # 002-14"""
    summarised = {"title": "P", "url": "https://p.example.com/", "summary": "In the words of a model."}
    marked = {
        "title": "Q",
        "url": "https://q.example.com/",
        "highlights": ["Words of the page."],
        "summary": "Not its.",
    }
    providers.faults = [raw(json.dumps({"results": [summarised, marked]}))]
    found = await web.search(providers.settings(search_provider="exa"), "pears", "optimized", 3)
    assert [one.snippet for one in found.results] == ["", "Words of the page."]


@pytest.mark.parametrize("provider", SEARCH)
async def test_a_page_that_a_service_names_twice_keeps_its_first_place(providers: Providers, provider: str) -> None:
    """And its first text; services list the best page first. # 002-12"""
    found = [
        {"title": title, "url": url, **dict.fromkeys(("content", "text", "description"), title)}
        for title, url in [("Best", "https://a.example.com/"), ("Next", "https://b.example.com/"),
                           ("Again", "https://a.example.com/"), ("Last", "https://c.example.com/")]
    ]  # fmt: skip
    body: dict[str, Any] = {"results": found, "web": {"results": found}, "type": "search"}
    if provider == "firecrawl":
        body = {"success": True, "data": {"web": found}}
    providers.faults = [raw(json.dumps(body))]
    results = (await web.search(providers.settings(search_provider=provider), "pears", "optimized", 2)).results
    assert [one.title for one in results] == ["Best", "Next"]


@pytest.mark.parametrize("provider", SEARCH)
async def test_a_text_that_a_service_has_cut_within_a_character_can_be_stored(
    providers: Providers, provider: str
) -> None:
    """As many do that count in halves of characters: an emoji at the end of an excerpt. # 002-12"""
    half = {
        "title": "P \ud83d",
        "url": "https://p.example.com/\ud83d",
        "content": "Pears \ud83d",
        "text": "Pears \ud83d",
    }
    half |= {"description": "Pears \ud83d", "publishedDate": "2026 \ud83d", "age": "\ud83d"}
    body: dict[str, Any] = {"results": [half], "web": {"results": [half]}, "type": "search"}
    if provider == "firecrawl":
        body = {"success": True, "data": {"web": [half]}}
    providers.faults = [raw(json.dumps(body))]
    (found,) = (await web.search(providers.settings(search_provider=provider), "pears", "optimized", 3)).results
    assert (found.title, found.url) == ("P \ufffd", "https://p.example.com/\ufffd")
    assert found.snippet.startswith("Pears \ufffd")
    assert to_json(vars(found))


async def test_the_service_is_chosen_by_the_settings_alone(providers: Providers) -> None:
    """# 002-12"""
    paths = {
        "tavily": "/search", "brave": "/res/v1/web/search", "exa": "/search", "searxng": "/searxng/search",
        "firecrawl": "/v2/search",
    }  # fmt: skip
    for provider, path in paths.items():
        await web.search(providers.settings(search_provider=provider), "pears", "optimized", 3)
        assert providers.asked[-1][0] == path


@pytest.mark.parametrize("provider", SEARCH)
async def test_a_key_alone_chooses_its_service(providers: Providers, provider: str) -> None:
    """# 002-12"""
    keys: dict[str, Any] = {f"{name}_api_key": None for name in SEARCH if name != "searxng"} | {"searxng_url": None}
    own = "searxng_url" if provider == "searxng" else f"{provider}_api_key"
    settings = providers.settings(**(keys | {own: f"{providers.url}/searxng" if provider == "searxng" else KEY}))
    assert (await web.search(settings, "pears", "optimized", 3)).provider == provider
    assert web.is_available(settings)


async def test_general_searches_have_a_service_of_their_own(providers: Providers) -> None:
    """# 002-13"""
    both = providers.settings(search_provider="exa", search_general_provider="brave")
    assert (await web.search(both, "pears", "optimized", 3)).provider == "exa"
    assert (await web.search(both, "pears", "general", 3)).provider == "brave"
    one = providers.settings(search_provider="exa")
    assert (await web.search(one, "pears", "general", 3)).provider == "exa"


async def test_brave_adds_pictures_and_videos_to_a_general_search(providers: Providers) -> None:
    """They are named by the pages that show them: the address of a picture file is not used. # 002-62"""
    settings = providers.settings(search_provider="brave")
    found = (await web.search(settings, "pears", "general", 2)).results
    assert [(one.form, one.title, one.url) for one in found[2:]] == [
        ("video", "Pears, filmed", "https://films.example.com/1"),
        ("picture", "A pear", "https://pictures.example.com/pear"),
    ]
    assert {one.form for one in found[:2]} == {"page"}
    assert "x.example.com" not in repr(found)
    assert {one.form for one in (await web.search(settings, "pears", "optimized", 3)).results} == {"page"}
    asked = [path for path, _ in providers.asked]
    assert asked.count("/res/v1/images/search") == 1
    step = {"type": "tool-search", "toolCallId": "1", "state": "output-available", "input": {}}
    output = {"results": [{"n": 1, "title": one.title, "url": one.url, "form": one.form} for one in found[2:]]}
    shown = steps.links_of({**step, "output": output})
    assert [(one.form, one.host) for one in shown] == [
        ("video", "films.example.com"), ("picture", "pictures.example.com"),
    ]  # fmt: skip


async def test_the_type_changes_what_the_service_is_asked_for(providers: Providers) -> None:
    """# 002-13"""
    settings = providers.settings(search_provider="tavily")
    for kind, depth in (("optimized", "advanced"), ("general", "basic")):
        await web.search(settings, "pears", kind, 3)
        assert providers.asked[-1][1]["search_depth"] == depth


@pytest.mark.parametrize("provider", SEARCH)
async def test_a_wrong_key_is_told_with_the_name_of_its_variable(providers: Providers, provider: str) -> None:
    """# 002-12"""
    providers.faults = [refused(401)]
    said = await fails(providers.settings(search_provider=provider))
    assert said.startswith(f"{LABELS[provider]} refused")
    assert provider == "searxng" or f"{provider.upper()}_API_KEY" in said


async def test_a_key_that_the_service_itself_refuses_is_told(providers: Providers) -> None:
    providers.key = "another"
    for provider in ("tavily", "brave", "exa", "firecrawl"):
        assert "refused" in await fails(providers.settings(search_provider=provider))
    providers.faults = [refused(422, code="SUBSCRIPTION_TOKEN_INVALID")]
    assert "BRAVE_API_KEY" in await fails(providers.settings(search_provider="brave"))


@pytest.mark.parametrize("provider", SEARCH)
async def test_a_limit_tells_when_to_ask_again(providers: Providers, provider: str) -> None:
    """# 002-12"""
    settings = providers.settings(search_provider=provider)
    providers.faults = [refused(429, {"Retry-After": "37"})]
    assert "being asked too often (HTTP 429). Try again in 37 seconds" in await fails(settings)
    later = email.utils.formatdate(time.time() + 3600, usegmt=True)
    providers.faults = [refused(429, {"Retry-After": later})]
    assert "in 3" in await fails(settings)
    providers.faults = [refused(429)]
    assert "in a minute" in await fails(settings)
    assert len(providers.asked) == 3


async def test_a_short_pause_is_waited_for_once(providers: Providers) -> None:
    settings = providers.settings(search_provider="brave")
    providers.faults = [refused(429, {"X-RateLimit-Reset": "0, 1419704", "X-RateLimit-Remaining": "0, 1000"})]
    assert len((await web.search(settings, "pears", "optimized", 3)).results) == 3
    providers.faults = [refused(429, {"Retry-After": "0"}), refused(429, {"Retry-After": "0"})]
    assert "too often" in await fails(settings)
    assert len(providers.asked) == 4


@pytest.mark.parametrize(("provider", "fault"), [
    ("tavily", refused(432)), ("tavily", refused(433)), ("exa", refused(402, tag="NO_MORE_CREDITS")),
    ("firecrawl", refused(402)), ("brave", refused(402)), ("brave", refused(429, code="QUOTA_LIMITED")),
    ("brave", refused(429, {"X-RateLimit-Remaining": "1, 0", "X-RateLimit-Reset": "1, 1419704"})),
])  # fmt: skip
async def test_a_quota_that_is_used_up_is_told_as_such(
    providers: Providers, provider: str, fault: web_providers.Fault
) -> None:
    """# 002-12"""
    # Brave says so again when it is asked once more after its short window.
    providers.faults = [fault, fault]
    assert "is used up" in await fails(providers.settings(search_provider=provider))


@pytest.mark.parametrize("provider", SEARCH)
@pytest.mark.parametrize("status", [500, 502, 503])
async def test_a_fault_of_the_service_is_told(providers: Providers, provider: str, status: int) -> None:
    providers.faults = [refused(status)]
    assert f"has a problem of its own (HTTP {status})" in await fails(providers.settings(search_provider=provider))


@pytest.mark.parametrize("provider", SEARCH)
@pytest.mark.parametrize("body", [
    "", "no json", "null", "[]", '"text"', "{}", '{"results": "none"}', '{"success": true, "data": {"web": "x"}}',
    '{"web": []}', '{"success": false, "error": "no"}', '{"success": true}', "{",
    pytest.param("[" * 100_000, id="deep"),
])  # fmt: skip
async def test_an_answer_that_is_not_as_documented_is_told(providers: Providers, provider: str, body: str) -> None:
    """# 002-12"""
    providers.faults = [raw(body)]
    assert "cannot read" in await fails(providers.settings(search_provider=provider))


@pytest.mark.parametrize("provider", SEARCH)
async def test_odd_entries_are_left_out(providers: Providers, provider: str) -> None:
    """Results that name no web page, and the same page twice."""
    good = {"title": "Good", "url": "https://good.example.com/", "content": "c", "description": "c", "text": "c"}
    odd: list[Any] = [None, 5, "x", {}, {"url": None}, {"url": "javascript:alert(1)"}, {"url": "ftp://x"}, good, good]
    body: dict[str, Any] = {
        "type": "search",
        "results": odd,
        "web": {"results": odd},
        "success": True,
        "data": {"web": odd},
    }
    providers.faults = [raw(json.dumps(body))]
    found = await web.search(providers.settings(search_provider=provider), "pears", "optimized", 9)
    assert [(one.title, one.url, one.snippet) for one in found.results] == [("Good", "https://good.example.com/", "c")]


async def test_nothing_found_is_an_answer(providers: Providers) -> None:
    assert (await web.search(providers.settings(search_provider="brave"), "nothing", "optimized", 3)).results == []
    providers.faults = [raw('{"results": [], "unresponsive_engines": [["google", "timeout"]]}')]
    assert "no answer from the search engine" in await fails(providers.settings(search_provider="searxng"))


async def test_a_service_that_says_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch, no_environment: None) -> None:
    """# 002-12"""
    left = asyncio.Event()

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()
        left.set()

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    service = services.Service("Tavily", url, {"Authorization": f"Bearer {KEY}"})
    with pytest.raises(ToolFailed, match=r"Tavily did not answer within 0\.3 seconds"):
        await services.ask(service, "POST", "/search", json={}, seconds=0.3)
    async with asyncio.timeout(10):
        await left.wait()
    server.close()
    await server.wait_closed()
    settings = config.Settings(_env_file=None, tavily_api_key=KEY, tavily_base_url=url)
    assert "cannot be reached" in await fails(settings)


async def test_nobody_to_ask_is_told(no_environment: None) -> None:
    """# 002-12"""
    settings = config.Settings(_env_file=None, sandbox_url="http://127.0.0.1:9").model_copy(
        update={"env": "production"}
    )
    assert not web.is_available(settings)
    assert "LEAF_SEARCH_PROVIDER" in await fails(settings)


async def _resolve(_name: str, _port: int) -> list[str]:
    return ["93.184.215.14"]


PUBLIC = outbound.Client(resolver=_resolve)


@pytest.mark.parametrize("provider", ["jina", "tavily"])
async def test_a_service_reads_a_pdf(providers: Providers, provider: str) -> None:
    """# 002-16"""
    settings = providers.settings(fetch_provider=provider)
    read = await web.read(settings, PUBLIC, "https://papers.example.com/a.pdf", "api")
    assert "The text of the PDF." in read.text
    assert (read.provider, read.url, read.site) == (provider, "https://papers.example.com/a.pdf", "papers.example.com")
    body = providers.asked[-1][1]
    assert "https://papers.example.com/a.pdf" in {body.get("url"), *body.get("urls", [])}


@pytest.mark.parametrize("address", [
    "http://127.0.0.1:8080/", "http://169.254.169.254/latest/", "http://localhost/", "file:///etc/passwd",
    "http://user:pass@papers.example.com/", "http://2130706433/",
])  # fmt: skip
@pytest.mark.parametrize("provider", ["jina", "tavily"])
async def test_no_service_is_told_of_an_address_that_leaf_would_not_read(
    providers: Providers, provider: str, address: str
) -> None:
    """# 002-16, 002-22"""
    with pytest.raises(ToolFailed):
        await web.read(providers.settings(fetch_provider=provider), PUBLIC, address, "api")
    assert providers.asked == []


@pytest.mark.parametrize("provider", ["jina", "tavily"])
@pytest.mark.parametrize(
    "final", ["http://169.254.169.254/latest/", "http://10.0.0.1/", "http://localhost/", "about:x"]
)
async def test_what_a_service_read_where_leaf_would_not_is_not_told(
    providers: Providers, provider: str, final: str
) -> None:
    """A reader of one's own follows redirects in one's own network. # 002-16, 002-22"""
    providers.led_to = final
    with pytest.raises(ToolFailed) as failed:
        await web.read(providers.settings(fetch_provider=provider), PUBLIC, "https://papers.example.com/a.pdf", "api")
    assert "The text of the PDF" not in str(failed.value)


@pytest.mark.parametrize("provider", ["jina", "tavily"])
async def test_a_page_that_a_service_read_is_where_it_was_in_the_end(providers: Providers, provider: str) -> None:
    providers.led_to = "https://archive.example.com/b.pdf"
    read = await web.read(
        providers.settings(fetch_provider=provider), PUBLIC, "https://papers.example.com/a.pdf", "api"
    )
    assert (read.url, read.site) == ("https://archive.example.com/b.pdf", "archive.example.com")


@pytest.mark.parametrize(("provider", "fault", "words"), [
    ("jina", refused(401), "JINA_API_KEY"), ("jina", refused(402), "used up"),
    ("jina", refused(429, {"Retry-After": "30"}), "in 30 seconds"), ("jina", refused(422), "did not accept"),
    ("jina", raw('{"data": null}'), "cannot read"), ("jina", raw('{"data": {"content": ""}}'), "could not"),
    ("jina", refused(524), "problem of its own"), ("tavily", refused(432), "used up"),
    ("tavily", raw('{"results": 5}'), "cannot read"), ("tavily", refused(500), "problem of its own"),
])  # fmt: skip
async def test_a_page_reader_that_refuses_is_told(
    providers: Providers, provider: str, fault: web_providers.Fault, words: str
) -> None:
    """# 002-16"""
    providers.faults = [fault]
    with pytest.raises(ToolFailed, match=words) as failed:
        await web.read(providers.settings(fetch_provider=provider), PUBLIC, "https://papers.example.com/a.pdf", "api")
    assert KEY not in str(failed.value)


async def test_a_page_that_the_service_cannot_read_is_told(providers: Providers) -> None:
    settings = providers.settings(fetch_provider="tavily")
    with pytest.raises(ToolFailed, match="could not read"):
        await web.read(settings, PUBLIC, "https://papers.example.com/broken", "api")


async def test_without_a_service_the_other_mode_is_named(no_environment: None) -> None:
    """# 002-16"""
    with pytest.raises(ToolFailed, match='mode="regular"'):
        await web.read(config.Settings(_env_file=None), PUBLIC, "https://papers.example.com/", "api")
