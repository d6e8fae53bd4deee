"""The scope of a chat: the part of a Drive to which it is limited, on the server."""

import json
import random
from datetime import date
from typing import Any
from uuid import UUID, uuid4

import pytest
from pydantic_ai import RunContext
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RunUsage

from jobs.stores import MemberLibrary
from leaf import citations
from leaf.agent.deps import Deps
from leaf.agent.tools.drive import list_drive_folder, read_drive_file, search_files
from leaf.db import Actor
from leaf.services import chats, conversations, documents, exports, forks, integrations
from leaf.services.files import ChatFiles
from leaf.services.library import choices
from leaf.services.library.scope import NO_SCOPE, ChatScope, Item
from leaf.views import receipts
from sandbox import sample_drive
from tests.integration.people import end, person
from tests.integration.test_api_chat import answering
from tests.integration.test_files_page import CONTRACTS, put_text, see
from tests.integration.test_library import changing_sandbox, connected, follow, sandbox_process
from tests.integration.test_sweep import Tab
from tests.integration.web_fixtures import World

__all__ = ["changing_sandbox", "sandbox_process"]

LEASE = sample_drive.id_of("ada:/Contracts/Lease of the Aldermere cold store.docx")
HANDBOOK = sample_drive.id_of("ada:/People/Employee handbook", "doc")
PEOPLE = sample_drive.id_of("ada:/People")
IN_CONTRACTS = ChatScope(folders=(Item(CONTRACTS, "Contracts"),))


def context(actor: Actor, scope: ChatScope, *linked: str) -> RunContext[Deps]:
    """The context of tool calls in a chat that is limited to a scope."""
    library = MemberLibrary(actor, scope, frozenset(linked))
    access, kept = integrations.UserDrive(actor), documents.UserDocuments(actor)
    deps = Deps(uuid4(), uuid4(), access, kept, ChatFiles(Actor.system(), uuid4()), library=library)
    return RunContext(deps=deps, model=TestModel(), usage=RunUsage())


def names(output: dict[str, Any]) -> set[str]:
    return {file["name"] for file in output["files"]}


@pytest.mark.parametrize("indexed", [False, True])
async def test_a_search_does_not_leave_the_scope_of_its_chat(world: World, indexed: bool) -> None:
    """Neither in the index nor by Google's search, whatever folder the model passes. # 000-63"""
    async with connected(world) as (_, ada):
        if indexed:
            await follow(world)
        everywhere = await search_files(context(ada, NO_SCOPE), ["agreement", "notice"])
        assert "Employee handbook" in names(everywhere)
        assert "within" not in everywhere
        inside = await search_files(context(ada, IN_CONTRACTS), ["agreement", "notice"])
        listed = names(await list_drive_folder(context(ada, IN_CONTRACTS), CONTRACTS))
        assert names(inside)
        assert names(inside) <= listed
        assert inside["within"] == {"folders": [{"id": CONTRACTS, "name": "Contracts"}]}
        assert not names(await search_files(context(ada, IN_CONTRACTS), ["notice"], folder=PEOPLE))
        pdfs = await search_files(context(ada, ChatScope(kinds=("pdf",))), ["agreement", "notice"])
        assert {file["kind"] for file in pdfs["files"]} == {"pdf"}
        late = ChatScope(since=date(2026, 1, 1))
        assert all(file["modified"] >= "2026" for file in (await search_files(context(ada, late), ["notice"]))["files"])
        one = ChatScope(files=(Item(HANDBOOK, "Employee handbook"),))
        assert names(await search_files(context(ada, one), ["notice"])) == {"Employee handbook"}


async def test_only_what_a_person_links_is_read_outside_of_the_scope(world: World) -> None:
    """A link to a folder opens what lies in it. # 000-63"""
    async with connected(world) as (_, ada):
        for call, item in ((read_drive_file, HANDBOOK), (list_drive_folder, PEOPLE), (list_drive_folder, "root")):
            refused = await call(context(ada, IN_CONTRACTS), item)
            assert "This chat looks only at chosen folders" in refused["skipped"]["reason"]
        assert (await read_drive_file(context(ada, IN_CONTRACTS), LEASE))["content"]
        pictures = ChatScope(IN_CONTRACTS.folders, kinds=("image",))
        assert "skipped" in await read_drive_file(context(ada, pictures), LEASE)
        for linked in (HANDBOOK, PEOPLE):
            assert (await read_drive_file(context(ada, IN_CONTRACTS, linked), HANDBOOK))["content"]


async def test_the_askers_own_links_and_mentions_are_known_to_the_worker(world: World) -> None:
    """All links in the asker's questions in the chat, and none in other people's. # 000-63"""
    ada = await person("ada")
    chat_id = await chats.new(ada, IN_CONTRACTS)
    first = await conversations.ask(ada, chat_id, f"Look at https://docs.google.com/document/d/{HANDBOOK}/edit, please")
    await end(first.assistant.run_id)
    mention = {"id": PEOPLE, "name": "People", "kind": "folder"}
    second = await conversations.ask(ada, chat_id, "And in @People?", extras={"mentions": [mention]})
    assert second.assistant.run_id is not None
    task = await conversations.assignment(second.assistant.run_id)
    assert task is not None
    assert task.scope == IN_CONTRACTS
    assert task.linked == {HANDBOOK, PEOPLE}


async def test_a_chat_about_a_folder_is_opened_and_widened_by_its_chips(world: World) -> None:
    """# 000-63"""
    async with connected(world) as (browser, ada):
        tab = Tab(browser, "/files")
        await tab.fire("LibraryState.ask", "folder", CONTRACTS)
        (chat_id,) = [UUID(hex_) for hex_ in _chats_in(repr(tab.told))]
        assert (await chats.open(ada, chat_id)).scope == IN_CONTRACTS
        state = tab.state("ChatState")
        state.enter(str(chat_id))
        await tab.fire("ChatState.narrow", {"kind": "pdf", "since": "2026-03-04"})
        assert [chip.name for chip in state.scope] == ["Contracts", "PDF", "since 4 March 2026"]
        await tab.fire("ChatState.widen", "folder", CONTRACTS)
        await tab.fire("ChatState.widen", "since", "")
        assert [chip.name for chip in state.scope] == ["PDF"]
        assert (await chats.open(ada, chat_id)).scope == ChatScope(kinds=("pdf",))
        assert await chats.new(ada) == chat_id, "the empty chat is taken again"
        assert not (await chats.open(ada, chat_id)).scope, "but for its scope"


def _chats_in(text: str) -> set[str]:
    return {one[:36] for one in text.split("/chat/")[1:]}


async def test_forks_and_exports_keep_the_scope(world: World) -> None:
    """# 000-63, 003-35"""
    ada = await person("ada")
    chat_id = await chats.new(ada, ChatScope(IN_CONTRACTS.folders, kinds=("pdf",), since=date(2026, 3, 4)))
    turn = await conversations.ask(ada, chat_id, "What is the rent?")
    await end(turn.assistant.run_id)
    expected = (await chats.open(ada, chat_id)).scope
    assert expected.kinds == ("pdf",)
    fork = await forks.fork(ada, turn.assistant.id)
    assert (await chats.open(ada, fork)).scope == expected
    chat = await exports.of_chat(ada, chat_id)
    written = b"".join([piece async for piece in chat.as_json()])
    assert ChatScope.of(json.loads(written)["scope"]) == expected


async def test_programs_limit_a_chat_by_ids_and_addresses(world: World) -> None:
    """When a chat is made, changed, or a question is asked. # 000-63"""
    async with connected(world) as (browser, _):
        address = f"https://drive.google.com/drive/folders/{CONTRACTS}"
        made = await browser.post("/api/chats", json={"scope": {"folders": [address], "kinds": ["pdf"]}})
        assert made.status_code == 201, made.text
        chat = f"/api/chats/{made.json()['id']}"
        named = {"folders": [{"id": CONTRACTS, "name": "Contracts"}], "kinds": ["pdf"]}
        assert (await browser.get(chat)).json()["scope"] == named
        assert (await browser.patch(chat, json={"scope": {"files": [LEASE], "since": "2026-01-02"}})).status_code == 204
        scope = (await browser.get(chat)).json()["scope"]
        assert (scope["files"][0]["id"], scope["since"]) == (LEASE, "2026-01-02")
        assert (await browser.patch(chat, json={"scope": None})).status_code == 204
        assert (await browser.get(chat)).json()["scope"] is None
        asked = {"id": made.json()["id"], "message": "Rent?", "scope": {"folders": [CONTRACTS]}}
        async with answering(await browser.actor()):
            assert (await browser.post("/api/chat", json=asked)).status_code == 200
        assert (await browser.get(chat)).json()["scope"] == {"folders": named["folders"]}


async def test_a_malformed_scope_is_refused(world: World) -> None:
    """And no chat is made."""
    wrong: list[Any] = [
        {"folders": [LEASE]}, {"files": [CONTRACTS]}, {"kinds": ["secret"]}, {"since": "yesterday"}, {"folders": ["!"]},
        {"folders": [CONTRACTS] * 21}, {"else": 1}, "everything",
    ]  # fmt: skip
    async with connected(world) as (browser, _):
        before = world.count("chat_sessions")
        for scope in wrong:
            answer = await browser.post("/api/chats", json={"scope": scope})
            assert answer.status_code == 400, (scope, answer.text)
        assert world.count("chat_sessions") == before


async def test_a_folder_of_somebody_else_is_refused_like_one_that_is_not_there(world: World) -> None:
    """# 000-40"""
    finance = sample_drive.id_of("ada:/Finance")
    async with connected(world, "ada"), connected(world, "ben") as (ben, _):
        await follow(world)
        answers = [
            await ben.post("/api/chats", json={"scope": {"folders": [item]}}) for item in (finance, "1" * len(finance))
        ]
        assert {answer.status_code for answer in answers} == {404}
        bodies = [answer.json() | {"requestId": ""} for answer in answers]
        assert bodies[0] == bodies[1]


def test_what_is_malformed_in_a_stored_scope_is_left_out() -> None:
    assert not ChatScope.of(None)
    assert not ChatScope.of({"folders": "x", "files": [1, {"id": 1}], "kinds": {"pdf": 1}, "since": "x"})
    scope = ChatScope((Item("a", "A"),), (Item("b", "B"),), ("document",), date(2026, 1, 2))
    assert ChatScope.of(json.loads(json.dumps(scope.data()))) == scope
    assert choices.without(scope, {"kind": "folder", "id": "a"}).folders == ()


async def test_an_answer_that_found_nothing_says_what_was_searched(world: World) -> None:
    """In random states of the index, the numbers are those of the database at that time. # 000-63"""
    async with connected(world) as (_, ada):
        await see(ada, (CONTRACTS, "Contracts", None), folder=True)
        for seed in range(5):
            await _shuffle(world, ada, random.Random(seed))
            for scope in (NO_SCOPE, IN_CONTRACTS):
                output = await search_files(context(ada, scope), ["zzyzx"])
                part = {"type": "tool-search_files", "toolCallId": "1", "state": "output-available", "input": {}}
                receipt = citations.coverage_of([part | {"output": output}])
                shown = receipts.coverage_of([{"type": citations.COVERAGE, "data": receipt}], answered=True)
                ((files, read, skipped),) = world.sql(_TRUTH, ada.user_id, not scope, CONTRACTS)
                google = "" if output["index"]["complete"] else " and Google's search"
                but = f"; {skipped} of them cannot be searched" if skipped else ""
                assert shown.brief == f"Looked in {read} of {files} files{google}{but}"
                assert ("Searched in: Contracts" in {line.text for line in shown.lines}) == bool(scope)


_TRUTH = """
    SELECT count(*), count(*) FILTER (WHERE t.state = 'read' AND can_download),
        count(*) FILTER (WHERE t.state = 'skipped' OR NOT can_download)
    FROM drive_sight s LEFT JOIN drive_texts t USING (file_id, revision)
    WHERE s.user_id = %s AND s.kind <> 'folder' AND (%s OR parent_id = %s)
"""


async def _shuffle(world: World, member: Actor, choose: random.Random) -> None:
    """Puts the index of a member into a random state."""
    world.sql("DELETE FROM drive_sight WHERE kind <> 'folder'")
    world.sql("DELETE FROM drive_texts")
    world.sql("UPDATE drive_feeds SET listed_at = CASE WHEN %s THEN now() END", choose.random() < 0.5)
    weights = [choose.random() for _ in range(5)]
    for n in range(choose.randint(5, 40)):
        parent = choose.choice((CONTRACTS, None))
        await see(member, (f"file-{n}", f"File {n}", parent), can_download=choose.random() < 0.8)
        (state,) = choose.choices(("", "read", "skipped", "failed", "reading"), weights)
        if state:
            put_text(world, f"file-{n}", state, chunks=1)
