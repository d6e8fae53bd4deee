"""Stored passages of Drive files: Google is asked with the reader's own grant before they leave. # 000-61"""

import asyncio
import json
import os
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from types import MappingProxyType
from typing import Any
from uuid import UUID, uuid4

import pytest

from jobs import library
from jobs.library import reader
from leaf import citations, errors, redis
from leaf.api.shared import page
from leaf.db import Actor
from leaf.documents import Unreadable
from leaf.documents.model import Document, Segment
from leaf.google import content
from leaf.google.drive import Drive
from leaf.google.links import DriveLink
from leaf.services import (
    accounts,
    chats,
    comparisons,
    computations,
    conversations,
    documents,
    exports,
    integrations,
    participants,
    passages,
    shares,
)
from leaf.services.integrations import UserDrive
from leaf.services.library import feeds, file_texts, lookup, pictures, progress, sight
from sandbox import sample_drive
from tests.integration.people import end
from tests.integration.redis_fixtures import until
from tests.integration.test_library import (
    HANDBOOK,
    LEFT_OUT,
    add,
    change,
    changing_sandbox,
    connected,
    drive_of,
    follow,
    read_all,
    read_only,
    sandbox_process,
)
from tests.integration.test_sweep import Tab
from tests.integration.web_fixtures import Browser, World

__all__ = ["changing_sandbox", "sandbox_process"]

WORDS = "The press was built in MCMX by the brothers Hale."
ANSWER = "It is old[^1]."
GONE = "No longer available to you."
UNANSWERED = "Could not be checked just now: Google Drive does not answer."
UNCONNECTED = "Connect Google Drive to see this."


def parts_of(file_id: str, name: str = "Press.txt", words: str = WORDS) -> list[dict[str, Any]]:
    """An answer that has read, quoted and compared a file, found a passage of it, and shows a disagreement."""
    url = f"https://drive.google.com/file/d/{file_id}/view"
    file = {"id": file_id, "name": name, "kind": "text", "revision": "1", "url": url}
    column = {"file_id": file_id, "name": name, "url": url, "revision": "1", "modified": "2026-05-03T09:00:00Z"}
    cell = {"part": "lines 1", "quote": words, "value": "MCMX", "marks": [[0, 3]]}
    compared = {
        "on": "", "compared": [column, column], "same": 0, "differences": 1, "notes": [],
        "rows": [{"kind": "value", "about": "Press", "table": False, "cells": [cell, cell]}],
    }  # fmt: skip
    return [
        {
            "type": "tool-search_files", "toolCallId": "c1", "state": "output-available",
            "input": {"queries": ["press"]},
            "output": {
                "queries": ["press"], "files": [file], "asked_google": False, "partial": False,
                "passages": [{"file_id": file_id, "name": name, "place": "lines 1", "text": words}],
                "index": {"files": 1, "read": 1, "skipped": 0, "listed": True, "complete": True},
            },
        },
        {
            "type": "tool-read_drive_file", "toolCallId": "c2", "state": "output-available", "input": {"file": file_id},
            "output": {
                "file": file, "part": "all", "outline": [], "content": words, "total_chars": 50, "complete": True,
            },
        },
        {"type": "text", "state": "done", "text": f'{ANSWER}\n\n[^1]: "{words}" — [{name}]({url}), lines 1'},
        {
            "type": citations.CITATIONS, "id": "citations",
            "data": [{
                "n": 1, "verified": True, "reason": None, "kind": "drive", "file_id": file_id, "revision": "1",
                "name": name, "url": url, "part": "lines 1", "quote": words, "before": "", "after": "",
                "at": [[2, 9, 13]],
            }],
        },
        {
            "type": citations.conflicts.CONFLICTS, "id": "conflicts",
            "data": [{"about": "Press", "sides": [
                {"file_id": file_id, "name": name, "url": url, "part": "lines 1", "quote": words, "value": "MCMX",
                 "date": "2026-05-03T09:00:00Z", "newer": False}
                for _ in range(2)
            ]}],
        },
        {
            "type": "tool-compare_files", "toolCallId": "c3", "state": "output-available",
            "input": {"files": [file_id]},
            "output": {"files": [file], **compared},
        },
        {"type": citations.comparisons.COMPARISONS, "id": "comparisons", "data": [compared]},
    ]  # fmt: skip


async def answered(actor: Actor, *files: str, words: Mapping[str, str] = MappingProxyType({})) -> UUID:
    """A chat with an answer for each file, which quotes it; `words` are those of files that have their own."""
    chat_id = await chats.new(actor)
    for file_id in files:
        turn = await conversations.ask(actor, chat_id, "How old is the press?")
        made = parts_of(file_id, words=words.get(file_id, WORDS))
        await end(turn.assistant.run_id, parts=[*made, {
            "type": citations.COVERAGE, "id": "coverage", "data": citations.coverage_of(made),
        }], details={"mode": "quick"})  # fmt: skip
    return chat_id


async def invite(ada: Actor, chat_id: UUID, ben: Actor, address: str) -> None:
    await participants.invite(ada, chat_id, address)
    (invitation,) = await participants.invitations(ben)
    await participants.accept(ben, invitation.id)


# Every way on which stored passages leave, as its reader gets them.


async def by_api(browser: Browser, chat_id: UUID) -> str:
    return (await browser.get(f"/api/chats/{chat_id}")).raise_for_status().text


async def by_stream(browser: Browser, chat_id: UUID) -> str:
    actor = await browser.actor()
    run_id = (await chats.open(actor, chat_id)).messages[-1].run_id
    chunks = (await chats.open(actor, chat_id)).messages[-1].parts
    outputs = [{"type": "tool-output-available", "output": one["output"]} for one in chunks if "output" in one]
    marks = [one for one in chunks if one["type"].startswith("data-")]
    left_out = await passages.withheld_in_chunks(actor, [*outputs, *marks])
    assert run_id is not None
    kept = [citations.redaction.chunk_without(one, left_out) for one in [*outputs, *marks]]
    return ANSWER + json.dumps(kept, ensure_ascii=False)


async def by_json(browser: Browser, chat_id: UUID) -> str:
    return (await browser.get(f"/api/chats/{chat_id}/export.json")).raise_for_status().text


async def by_markdown(browser: Browser, chat_id: UUID) -> str:
    return (await browser.get(f"/api/chats/{chat_id}/export.md")).raise_for_status().text


async def by_archive(browser: Browser, chat_id: UUID) -> str:
    found = ""
    async for entry in exports.chat(await browser.actor(), chat_id):
        found += "".join([piece.decode() async for piece in entry.pieces])
    return found


async def by_panel(browser: Browser, chat_id: UUID) -> str:
    tab, actor = Tab(browser, f"/chat/{chat_id}"), await browser.actor()
    message = (await chats.open(actor, chat_id)).messages[-1]
    await tab.fire("DetailsState.open_citation", str(message.run_id), "1")
    await tab.fire("DetailsState.open_step", str(message.run_id), "c2")
    shown = json.dumps(tab.state("DetailsState").dict(), default=repr)
    await tab.fire("DetailsState.open_chat_sources", str(chat_id))
    return ANSWER + shown + json.dumps(tab.state("DetailsState").dict(), default=repr)


async def by_page(browser: Browser, chat_id: UUID) -> str:
    async with attended(browser, chat_id) as tab:
        await until(lambda: bool(tab.state("ChatState").evidence))
        (evident,) = tab.state("ChatState").evidence.values()
        return ANSWER + repr(evident)


@asynccontextmanager
async def attended(browser: Browser, chat_id: UUID) -> AsyncGenerator[Tab]:
    """A page that is open until its reader signs out."""
    tab = Tab(browser, f"/chat/{chat_id}")
    attending = asyncio.create_task(tab.fire("PresenceState.attend"))
    try:
        yield tab
    finally:
        await accounts.sign_out(browser.cookie_header)
        async with asyncio.timeout(30):
            await attending


WAYS = [by_api, by_stream, by_json, by_markdown, by_archive, by_panel, by_page]
Way = Callable[[Browser, UUID], Awaitable[str]]


@pytest.mark.parametrize("way", WAYS)
async def test_a_reader_whom_google_refuses_sees_no_passage_and_no_quote(world: World, way: Way) -> None:
    """In the words of the answer nothing changes; who may read the file sees all of it. # 000-67"""
    async with connected(world, "ada") as (hers, ada), connected(world, "ben") as (his, ben):
        file_id = add(world, "ada:/Press.txt", WORDS, readers=["ada"])
        chat_id = await answered(ada, file_id)
        await invite(ada, chat_id, ben, "ben@sandbox.leaf.example")
        shown = await way(hers, chat_id)
        assert WORDS in shown
        assert GONE not in shown
        shown = await way(his, chat_id)
        assert "MCMX" not in shown
        assert ANSWER.removesuffix("[^1].") in shown
        assert GONE.removesuffix(".") in shown or '"reason":"refused"' in shown.replace(" ", "")


@pytest.mark.parametrize("way", WAYS)
async def test_the_asker_loses_passages_with_the_access_and_keeps_the_words(world: World, way: Way) -> None:
    """Whether the file is gone or closed is not said."""
    async with connected(world, "ada") as (hers, ada):
        file_id = add(world, "ada:/Press.txt", WORDS)
        chat_id = await answered(ada, file_id)
        change(world, file_id, removed=True, silent=True)
        shown = await way(hers, chat_id)
        assert "MCMX" not in shown
        assert ANSWER.removesuffix("[^1].") in shown


@pytest.mark.parametrize("way", [by_api, by_markdown, by_panel, by_page])
async def test_without_an_answer_of_googles_nothing_is_shown_and_this_is_said(world: World, way: Way) -> None:
    """Within two seconds."""
    async with connected(world, "ada") as (hers, ada):
        file_id = add(world, "ada:/Press.txt", WORDS)
        chat_id = await answered(ada, file_id)
        world.fault(path=f"files/{file_id}", times=50, delay_seconds=8)
        shown = await way(hers, chat_id)
        assert "MCMX" not in shown
        assert UNANSWERED.removesuffix(".") in shown or '"reason":"unanswered"' in shown.replace(" ", "")


async def test_a_reader_without_a_drive_is_asked_to_connect_one(world: World) -> None:
    """A grant that cannot be asked opens nothing: not connecting is no way around a refusal."""
    async with connected(world, "ada") as (hers, ada), world.browser("ben") as his:
        ben = await his.actor()
        chat_id = await answered(ada, add(world, "ada:/Press.txt", WORDS))
        await invite(ada, chat_id, ben, "ben@sandbox.leaf.example")
        for browser in (his, hers):
            shown = await by_panel(browser, chat_id)
            assert ("MCMX" in shown, UNCONNECTED in shown) == ((True, False) if browser is hers else (False, True))
        await integrations.disconnect(ada, "google_drive")
        assert "MCMX" not in await by_panel(hers, chat_id), "also where the answer was confirmed within the minute"


async def test_all_files_of_a_chat_are_asked_about_at_once_and_once_a_minute(world: World) -> None:
    """Twelve answers of half a second each take no six seconds."""
    async with connected(world, "ada") as (hers, ada):
        files = [add(world, f"ada:/Press {n}.txt", WORDS) for n in range(12)]
        chat_id = await answered(ada, *files)
        world.fault(path=r"files/[^/]+\?", times=12, delay_seconds=0.5)
        world.forget_requests()
        begin = time.monotonic()
        assert (await by_api(hers, chat_id)).count(WORDS) == 10 * 12
        assert time.monotonic() - begin < 2.5
        for way in (by_api, by_json, by_panel):
            assert WORDS in await way(hers, chat_id)
        assert len(world.asked("/drive/v3/files/")) == 12


async def test_a_page_is_shown_before_google_is_asked(world: World) -> None:
    """Its first state has the words and no quote; quotes follow."""
    async with connected(world, "ada") as (hers, ada):
        file_id = add(world, "ada:/Press.txt", WORDS)
        chat_id = await answered(ada, file_id, file_id)
        world.fault(path=f"files/{file_id}", times=1, delay_seconds=1)
        async with attended(hers, chat_id) as tab:
            await until(lambda: tab.state("ChatState").phase == "ready")
            first = json.dumps(tab.root.dict(), default=repr)
            await until(lambda: bool(tab.state("ChatState").evidence))
        assert ANSWER.removesuffix("[^1].") in first
        assert "MCMX" not in first
        assert "Checking with Google Drive" in first
        assert [one.citations.quotes[0].quote for one in tab.state("ChatState").evidence.values()] == [WORDS, WORDS]


async def test_a_search_in_chats_shows_no_quote(world: World) -> None:
    """Neither to the asker nor to a participant: excerpts are of the words of answers."""
    async with connected(world, "ada") as (_, ada):
        await answered(ada, add(world, "ada:/Press.txt", WORDS))
        for query in ("brothers Hale", "old"):
            found = await chats.search(ada, query)
            excerpts = ["".join(piece for piece, _ in hit.excerpt) for one in found for hit in one.hits]
            assert excerpts
            assert not [one for one in excerpts if "MCMX" in one]


# Public links.


async def public(token: str) -> str:
    return page.shared_page(await shares.read(token), "en")


async def test_a_link_shows_quotes_for_as_long_as_the_sharer_may_read_them(world: World) -> None:
    """Asked at most once a minute; the preview in the dialog is the same. # 002-56"""
    async with connected(world, "ada") as (_, ada):
        file_id = add(world, "ada:/Press.txt", WORDS)
        chat_id = await answered(ada, file_id)
        link = await shares.share(ada, chat_id)
        world.forget_requests()
        for _ in range(3):
            assert WORDS in await public(link.token)
        assert len(world.asked(f"/drive/v3/files/{file_id}")) == 1
        change(world, file_id, removed=True, silent=True)
        assert WORDS in await public(link.token), "an answer of Google's counts for a minute"
        await redis.client().flushall()
        shown = await public(link.token)
        assert "MCMX" not in shown
        assert "Press.txt" not in shown
        assert "It is old" in shown
        assert "The quote is not shown" in shown
        shown = page.shared_page(await shares.preview(ada, chat_id), "de")
        assert "MCMX" not in shown
        assert "Das Zitat wird nicht gezeigt" in shown


async def test_a_link_shows_no_quotes_without_the_sharers_grant(world: World) -> None:
    """Two cases: Google does not answer for a file, and the sharer has disconnected Drive. # 002-56"""
    async with connected(world, "ada") as (_, ada):
        file_id = add(world, "ada:/Press.txt", WORDS)
        link = await shares.share(ada, await answered(ada, file_id))
        world.fault(path=f"files/{file_id}", times=5, status=500)
        assert "MCMX" not in await public(link.token)
        world.forget_faults()
        assert WORDS in await public(link.token)
        await integrations.disconnect(ada, "google_drive")
        assert "MCMX" not in await public(link.token)


async def test_a_link_of_the_version_before_knows_its_files_by_their_addresses(world: World) -> None:
    async with connected(world, "ada") as (_, ada):
        file_id = add(world, "ada:/Press.txt", WORDS)
        link = await shares.share(ada, await answered(ada, file_id))
        world.sql(
            "UPDATE chat_shares SET content = jsonb_set(content, '{1,citations,0}', "
            "(content #> '{1,citations,0}') - 'kind' - 'file_id')"
        )
        assert WORDS in await public(link.token)
        change(world, file_id, removed=True, silent=True)
        await redis.client().flushall()
        assert "MCMX" not in await public(link.token)


# Models.


def history_of(file_id: str, words: str = WORDS) -> list[list[dict[str, Any]]]:
    """A turn as models are sent it."""
    output = parts_of(file_id, words=words)[1]["output"]
    returned = {"part_kind": "tool-return", "tool_name": "read_drive_file", "content": output, "tool_call_id": "c2"}
    said = {"part_kind": "text", "content": parts_of(file_id, words=words)[2]["text"]}
    return [[{"kind": "request", "parts": [returned]}, {"kind": "response", "parts": [said]}]]


async def test_a_model_is_sent_no_text_of_earlier_turns_that_the_asker_may_not_read(world: World) -> None:
    """The asker of this turn, who may be another one than that of the turn that read it."""
    async with connected(world, "ada") as (_, ada), connected(world, "ben") as (_, ben):
        file_id = add(world, "ada:/Press.txt", WORDS, readers=["ada"])
        turns = history_of(file_id)
        assert await passages.history(ada, turns) == turns
        sent = json.dumps(await passages.history(ben, turns), ensure_ascii=False)
        assert "MCMX" not in sent
        assert "It is old" in sent
        assert GONE in sent


# One member's refusal.


@pytest.mark.parametrize(
    "fault", [{"status": 403, "reason": "cannotDownloadFile"}, {"status": 404, "reason": "notFound"}]
)
async def test_a_refusal_of_one_member_leaves_the_text_to_the_others(world: World, fault: dict[str, Any]) -> None:
    """Google refuses the first reader while the worker reads; the other one, who may read it, has it read."""
    async with connected(world, "ada") as (_, ada), connected(world, "ben") as (_, ben):
        file_id = add(world, "ada:/Press.txt", WORDS)
        await follow(world)
        await sight.prioritise(ada, [file_id])
        (file,) = [one for one in await file_texts.waiting(ada, 100) if one.link.id == file_id]
        world.fault(path=f"files/{file_id}", times=1, **fault)
        await reader._read(ada, file)  # pyright: ignore[reportPrivateUsage]
        assert world.sql("SELECT state, reason FROM drive_texts WHERE file_id = %s", file_id) == [("failed", None)]
        assert file_id not in {one.link.id for one in await file_texts.waiting(ada, 100)}, (
            "not with this member's token"
        )
        await read_only(world, file_id)
        assert world.sql("SELECT state FROM drive_texts WHERE file_id = %s", file_id) == [("read",)]
        (row,) = world.sql("SELECT file_id, revision FROM drive_texts WHERE file_id = %s", file_id)
        assert await file_texts.document(ben, *row) is not None
        assert await file_texts.document(ada, *row) is None


async def test_a_member_who_may_not_download_a_file_leaves_it_to_the_others(world: World) -> None:
    async with connected(world, "ada") as (_, ada):
        file_id = add(world, "ada:/Press.txt", WORDS)
        await follow(world)
        change(world, file_id, can_download=False, silent=True)
        (file,) = [one for one in await file_texts.waiting(ada, 100) if one.link.id == file_id]
        await reader._read(ada, file)  # pyright: ignore[reportPrivateUsage]
        assert world.sql("SELECT can_download FROM drive_sight WHERE file_id = %s", file_id) == [(False,)]
        assert world.sql("SELECT state FROM drive_texts WHERE file_id = %s", file_id) == [("failed",)]
        await file_texts.forget()
        assert not world.sql("SELECT state FROM drive_texts WHERE file_id = %s", file_id), "nobody sees it any more"


# Files that may be downloaded again.


async def press(world: World, ada: Actor, **changes: Any) -> str:
    """A file of Ada's that is closed to her after these changes, as her index knows."""
    file_id = add(world, "ada:/Press.txt", WORDS)
    change(world, file_id, **changes)
    await read_only(world, file_id)
    assert await standing(world, ada, file_id) == (False, None)
    return file_id


async def standing(world: World, ada: Actor, file_id: str) -> tuple[bool, str | None]:
    """Whether the index takes a file for one that may be downloaded, and the state of its text, if that is kept."""
    await file_texts.forget()
    ((may, state),) = world.sql(
        "SELECT s.can_download, t.state FROM drive_sight s LEFT JOIN drive_texts t USING (file_id, revision) "
        "WHERE s.file_id = %s AND s.user_id = %s", file_id, ada.user_id,
    )  # fmt: skip
    return may, state


async def ask_google(ada: Actor, file_id: str) -> None:
    """Has Google asked about a file as before each use of its text, a minute later."""
    await redis.client().flushall()
    await sight.confirm(ada, sight.client(UserDrive(ada)), [file_id])


async def test_a_file_that_may_be_downloaded_again_is_read_in_the_same_version(world: World) -> None:
    """The feed reports it, although the file has no other version; and the other way round."""
    async with connected(world) as (_, ada):
        file_id = await press(world, ada, can_download=False)
        version = "SELECT revision FROM drive_sight WHERE file_id = %s"
        before = world.sql(version, file_id)
        change(world, file_id, can_download=True)
        await follow(world)
        await read_all()
        assert (await standing(world, ada, file_id), world.sql(version, file_id)) == ((True, "read"), before)
        change(world, file_id, can_download=False)
        await follow(world)
        assert await standing(world, ada, file_id) == (False, None)


async def test_a_question_to_google_finds_that_a_file_may_be_downloaded_again(world: World) -> None:
    """No feed has reported it; and the other way round."""
    async with connected(world) as (_, ada):
        file_id = await press(world, ada, can_download=False)
        change(world, file_id, can_download=True, silent=True)
        await follow(world)
        assert await standing(world, ada, file_id) == (False, None)
        await ask_google(ada, file_id)
        await read_all()
        assert await standing(world, ada, file_id) == (True, "read")
        change(world, file_id, can_download=False, silent=True)
        await ask_google(ada, file_id)
        assert await standing(world, ada, file_id) == (False, None)


@pytest.mark.parametrize("is_reported", [True, False])
async def test_a_refused_download_is_tried_again_although_google_showed_the_file_as_open(
    world: World, *, is_reported: bool
) -> None:
    """At the next change of the file, such as of its name; or, after an hour, when Google is asked about it."""
    async with connected(world) as (_, ada):
        world.fault(path=r"files/[^?]*\?.*alt=media", times=1, status=403, reason="cannotDownloadFile")
        file_id = await press(world, ada)
        await ask_google(ada, file_id)
        assert await standing(world, ada, file_id) == (False, None), "it would be refused again and again"
        if is_reported:
            change(world, file_id, name="Presses.txt")
            await follow(world)
        else:
            world.sql("UPDATE drive_sight SET refused_at = refused_at - interval '1 hour'")
            await ask_google(ada, file_id)
        await read_all()
        assert await standing(world, ada, file_id) == (True, "read")


async def test_a_download_that_works_again_opens_the_file_at_once(world: World) -> None:
    """Google had refused the worker's; that of an answer shows better than what Google says of the file."""
    async with connected(world) as (_, ada):
        world.fault(path=r"files/[^?]*\?.*alt=media", times=1, status=403, reason="cannotDownloadFile")
        file_id = await press(world, ada)
        drive = Drive(UserDrive(ada))
        await content.read(drive, await drive.get_file(DriveLink(file_id)), documents.UserDocuments(ada))
        await read_all()
        assert await standing(world, ada, file_id) == (True, "read")


@pytest.mark.parametrize(
    ("reason", "words"),
    [("downloadQuotaExceeded", "too many people"), ("cannotDownloadAbusiveFile", "marked it as malware or spam")],
)
async def test_a_refusal_that_holds_for_everybody_has_its_reason_and_is_tried_again_the_next_day(
    world: World, reason: str, words: str
) -> None:
    async with connected(world) as (_, ada):
        world.fault(path=r"files/[^?]*\?.*alt=media", times=1, status=403, reason=reason)
        file_id = add(world, "ada:/Press.txt", WORDS)
        await read_only(world, file_id)
        assert await standing(world, ada, file_id) == (True, "skipped")
        ((why, wait),) = world.sql("SELECT reason ->> 'text', retry_at - now() FROM drive_texts")
        assert words in why
        assert timedelta(hours=23) < wait <= timedelta(days=1)
        world.sql("UPDATE drive_texts SET retry_at = now()")
        await read_all()
        assert await standing(world, ada, file_id) == (True, "read")


# Forgetting, and keeping nothing.


def document_of(file_id: str) -> Document:
    return Document(file_id, "1", "Press.txt", "text/plain", "text", [Segment("all", "all", WORDS)], [], False)


async def test_a_download_opens_a_closed_file_and_costs_nothing_where_none_is_closed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every file that is read is put into the cache: no transaction of its own asks about its sight."""

    def refuses(*_: object) -> None:
        raise AssertionError

    async with connected(world, "ada") as (_, ada):
        file_id = add(world, "ada:/a.txt", WORDS)
        await follow(world)
        for is_closed in (False, True):
            world.sql("UPDATE drive_sight SET can_download = %s WHERE file_id = %s", not is_closed, file_id)
            with monkeypatch.context() as patch:
                patch.setattr(sight, "transaction", refuses)
                await documents.UserDocuments(ada).put(document_of(file_id))
            assert world.sql("SELECT can_download FROM drive_sight WHERE file_id = %s", file_id) == [(True,)]


async def test_the_cache_of_documents_obeys_sight(world: World) -> None:
    """A row goes when its member no longer sees the file, or may not download it; also of a file of a link."""
    async with connected(world, "ada") as (_, ada), connected(world, "ben") as (_, ben):
        listed, closed, linked = (add(world, f"ada:/{name}.txt", WORDS) for name in ("a", "b", "c"))
        await follow(world)
        world.sql("DELETE FROM drive_sight WHERE file_id = %s", linked)
        for actor in (ada, ben):
            for file_id in (listed, closed, linked):
                await documents.UserDocuments(actor).put(document_of(file_id))
        change(world, listed, removed=True)
        change(world, closed, can_download=False)
        await follow(world)
        for actor in (ada, ben):
            assert await documents.UserDocuments(actor).get(listed, "1") is None
            assert await documents.UserDocuments(actor).get(closed, "1") is None
            assert await documents.UserDocuments(actor).get(linked, "1") is not None
        change(world, linked, readers=["ben"], silent=True)
        await redis.client().flushall()
        assert await passages.withheld(ada, [linked]) == {linked: "refused"}
        assert await documents.UserDocuments(ada).get(linked, "1") is None
        assert await documents.UserDocuments(ben).get(linked, "1") is not None
        await integrations.disconnect(ben, "google_drive")
        await documents.UserDocuments(ben).put(document_of(linked))
        assert world.count("documents") == 0, "what comes after Disconnect is not kept either"


async def test_stop_keeping_deletes_texts_and_answers_go_on_with_googles_search(world: World) -> None:
    """At once, for this member; texts that another member sees stay for that one. # 000-50"""
    async with connected(world, "ada") as (hers, ada), connected(world, "ben") as (_, ben):
        private = add(world, "ada:/Press.txt", WORDS, readers=["ada"])
        await read_only(world, private, HANDBOOK)
        await documents.UserDocuments(ada).put(document_of(private))
        tab = Tab(hers, "/settings/integrations")
        await tab.fire("SettingsState.load")
        assert tab.state("SettingsState").cards[0].keeps
        await tab.fire("SettingsState.ask_stop", True)
        assert tab.state("SettingsState").asks_stop
        await tab.fire("SettingsState.stop_keeping")
        state = tab.state("SettingsState")
        assert (state.asks_stop, state.kept, state.cards[0].keeps, state.cards[0].state) == (
            False,
            "",
            False,
            "connected",
        )
        for table in ("drive_feeds", "drive_sight", "documents"):
            assert not world.sql(ROWS_OF[table], ada.user_id), table
        left = {file_id for (file_id,) in world.sql("SELECT file_id FROM drive_texts")}
        assert left
        assert private not in left
        assert left <= {file_id for (file_id,) in world.sql(ROWS_OF["drive_sight"], ben.user_id)}
        found = await lookup.look_up(ada, UserDrive(ada), ["press MCMX"])
        assert found.asked_google
        assert private in {one.id for one in found.others}
        await documents.UserDocuments(ada).put(document_of(private))
        assert world.count("documents") == 0


ROWS_OF = {
    "drive_feeds": "SELECT drive_id FROM drive_feeds WHERE user_id = %s",
    "drive_sight": "SELECT file_id FROM drive_sight WHERE user_id = %s",
    "documents": "SELECT file_id FROM documents WHERE user_id = %s",
}


async def test_who_has_stopped_it_is_not_indexed_again_by_connecting_again(world: World) -> None:
    """Until they say so: by the same account, another one, after Disconnect, and at the start of a worker."""
    async with connected(world, "ada") as (hers, ada):
        await integrations.stop_keeping(ada)
        await hers.connect("ada")
        assert world.count("drive_feeds") == 0
        await hers.connect("ben")
        assert world.count("drive_feeds") == 0
        await integrations.disconnect(ada, "google_drive")
        await hers.connect("ada")
        assert await feeds.open_missing() == 0
        await follow(world)
        assert (world.count("drive_feeds"), world.count("drive_sight")) == (0, 0)
        tab = Tab(hers, "/settings/integrations")
        await tab.fire("SettingsState.keep_texts")
        assert tab.state("SettingsState").cards[0].keeps
        await follow(world)
        assert (await progress.of(ada)).listed


async def test_a_worker_that_reads_when_keeping_stops_stores_nothing_afterwards(world: World) -> None:
    """Neither a page of the Drive nor a text, whose reading goes on for the other members."""
    async with connected(world) as (_, ada):
        file_id = add(world, "ada:/Press.txt", WORDS)
        await follow(world)
        (file,) = [one for one in await file_texts.waiting(ada, 100) if one.link.id == file_id]
        taken = await file_texts.claim_file(ada, file)
        assert taken is not None
        world.sql("UPDATE drive_feeds SET checked_at = NULL")
        feed = await feeds.claim(next(one for one in await feeds.due(5) if one.drive_id == ""))
        assert feed is not None
        await integrations.stop_keeping(ada)
        with pytest.raises(feeds.Overtaken):
            await feeds.store_drives(feed, [("1", "New")])
        await file_texts.keep(ada, taken, document_of(file_id), [])
        await file_texts.release_refused(ada, taken, gone=True)
        left = {name: world.count(name) for name in ("drive_feeds", "drive_sight", "drive_texts", "drive_chunks")}
        assert left == dict.fromkeys(left, 0)
        await integrations.disconnect(ada, "google_drive")
        for refused in (integrations.stop_keeping(ada), integrations.keep_texts(ada)):
            with pytest.raises(errors.NotFound):
                await refused


# Everything together, at random.

FLIPS = int(os.environ.get("LEAF_FLIPS", "120"))
SEED = int(os.environ.get("LEAF_FLIPS_SEED", "1"))


@pytest.mark.timeout(max(300, FLIPS))
async def test_no_passage_of_a_file_out_of_sight_is_ever_found(world: World) -> None:
    """Two members and a few files whose permissions change at random, whether or not a feed reports it.

    `LEAF_FLIPS=10000` makes a longer trial.
    """
    chance = random.Random(SEED)
    names = ["Press", "Cider", "Quince", "Medlar"]
    async with connected(world, "ada") as (_, ada), connected(world, "ben") as (_, ben):
        members = {"ada": ada, "ben": ben}
        others = {file.id for actor in members.values() for file in (await drive_of(actor).page()).files}
        world.http.delete("/sandbox/files", params={"without": [*LEFT_OUT, *others]}).raise_for_status()
        files = {add(world, f"ada:/{name}.txt", f"The {name} is item {n} of the orchard."): name
                 for n, name in enumerate(names)}  # fmt: skip
        readers = {file_id: {"ada", "ben"} for file_id in files}
        await follow(world)
        await read_all()
        wrong, seen, withheld = list[str](), 0, 0
        for flip in range(FLIPS):
            file_id = chance.choice([*files])
            readers[file_id] = {name for name in members if chance.random() < 0.5}
            change(world, file_id, readers=sorted(readers[file_id]), silent=chance.random() < 0.5)
            # Answers of the last minute count: here that minute is always over.
            await redis.client().flushdb()
            name = chance.choice([*members])
            found = await lookup.look_up(members[name], UserDrive(members[name]), [f"{files[file_id]} orchard"])
            shown = {one.file_id for one in found.files if one.passages}
            allowed = {one for one in files if name in readers[one]}
            seen, withheld = seen + len(shown & set(files)), withheld + found.refused
            wrong += [f"flip {flip}: {name} is given {files[one]}" for one in shown & set(files) - allowed]
            (quoted,) = await passages.shown(members[name], [parts_of(file_id)])
            if ("MCMX" in json.dumps(quoted)) != (file_id in allowed):
                wrong.append(f"flip {flip}: a quote of {files[file_id]} for {name}")
            if chance.random() < 0.05:
                await follow(world)
                await read_all()
        print(f"{FLIPS} flips, seed {SEED}: {seen} files found, {withheld} withheld, {len(wrong)} wrong")  # noqa: T201
        assert wrong == []
        assert seen > FLIPS / 20
        assert withheld > FLIPS / 20


# Revoked files, by the clock.

REVOKED = int(os.environ.get("LEAF_REVOCATIONS", "0"))
MINUTE = 60.0 if REVOKED else 3.0
"""The time after which a revoked file is not used any more; the suite's is shorter."""
REVOCATIONS = 250
"""Files that are revoked at a time."""
OF_CHAT = 10
ENDS: Sequence[dict[str, Any]] = (
    {"readers": ["ben"]}, {"removed": True}, {"trashed": True}, {"can_download": False},
)  # fmt: skip
"""The ways in which a file is closed to ada."""
PICTURES = 125
"""One in so many files is a scan."""


@dataclass
class Batch:
    """Files that are closed to a member while a worker keeps the index, and chats that quote them."""

    browser: Browser
    ada: Actor
    marks: dict[str, str] = field(default_factory=dict[str, str])
    """A word of each file that stands in no other one, by its id."""
    pictures: dict[str, str] = field(default_factory=dict[str, str])
    """The pictures among them, by their ids, each with the place of its text."""
    chats: dict[UUID, list[str]] = field(default_factory=dict[UUID, list[str]])
    """The files of each chat."""
    answers: dict[UUID, list[UUID]] = field(default_factory=dict[UUID, list[UUID]])
    links: dict[UUID, str] = field(default_factory=dict[UUID, str])

    async def by_link(self, chat_id: UUID) -> str:
        return await public(self.links[chat_id])

    async def by_comparison(self, chat_id: UUID) -> str:
        return repr(await comparisons.with_sources(self.ada, self.answers[chat_id]))

    async def by_search(self, chat_id: UUID) -> str:
        shown: list[str] = []
        for file_id in self.chats[chat_id]:
            with suppress(errors.DriveError):
                found = await lookup.look_up(self.ada, UserDrive(self.ada), [f"item {self.marks[file_id]}"])
                shown += [passage.text for one in found.files for passage in one.passages]
        return " ".join(shown)

    async def by_reading(self, chat_id: UUID) -> str:
        shown: list[str] = []
        drive = drive_of(self.ada)
        for file_id in self.chats[chat_id]:
            with suppress(errors.DriveError, Unreadable):
                file = await drive.get_file(DriveLink(file_id))
                if not file.trashed:
                    read = await content.read(drive, file, documents.UserDocuments(self.ada))
                    shown += [one.text for one in read.segments]
        return " ".join(shown)

    async def by_history(self, chat_id: UUID) -> str:
        turns = [history_of(file_id, words_of(self.marks[file_id])) for file_id in self.chats[chat_id]]
        return json.dumps(await passages.history(self.ada, [turn for one in turns for turn in one]))

    async def by_table(self, chat_id: UUID) -> str:
        shown: list[str] = []
        for file_id in self.chats[chat_id]:
            if file_id not in self.pictures:
                with suppress(errors.NotFound):
                    shown.append(repr(await computations.repeat(self.ada, {"files": [{"id": file_id}], "query": ""})))
        return " ".join(shown)

    async def by_picture(self, chat_id: UUID) -> str:
        shown: list[str] = []
        for file_id in self.chats[chat_id]:
            if file_id in self.pictures:
                with suppress(errors.NotFound):
                    await pictures.picture(self.ada, file_id, self.pictures[file_id], "")
                    shown.append(self.marks[file_id])
        return " ".join(shown)

    def ways(self) -> dict[str, Callable[[UUID], Awaitable[str]]]:
        """Every use of stored text, by its name."""

        def of(way: Way) -> Callable[[UUID], Awaitable[str]]:
            return lambda chat_id: way(self.browser, chat_id)

        by_browser = {way.__name__: of(way) for way in (by_api, by_stream, by_json, by_markdown, by_archive, by_panel)}
        ours = (
            self.by_link, self.by_comparison, self.by_search, self.by_reading, self.by_history, self.by_table,
            self.by_picture,
        )  # fmt: skip
        return by_browser | {way.__name__: way for way in ours}

    def expected(self, way: str, chat_id: UUID) -> set[str]:
        """The files of a chat whose text is used on a way before they are closed."""
        files = self.chats[chat_id]
        if way == "by_stream":
            # It is of one answer.
            return {files[-1]}
        drawn = self.pictures.keys() & files
        if way == "by_picture":
            return drawn
        return {*files} - drawn if way in {"by_search", "by_reading", "by_table"} else {*files}

    async def is_used(self, way: str, chat_id: UUID) -> bool:
        """Whether all that a way uses before files are closed is used."""
        return await self.used(way, chat_id) == self.expected(way, chat_id)

    async def used(self, way: str, chat_id: UUID) -> set[str]:
        """The files of a chat whose text is used on a way."""
        shown = (await self.ways()[way](chat_id)).casefold()
        return {file_id for file_id in self.chats[chat_id] if self.marks[file_id] in shown}


TABLE = "{}\n\n| Item | Count |\n|---|---|\n| {} | 2 |\n| crate | 6 |\n"


def words_of(mark: str) -> str:
    return f"The item {mark} stands in the shed."


@pytest.mark.timeout(max(300, 10 * REVOKED))
async def test_a_revoked_file_is_not_used_after_a_minute(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """On no way on which stored texts are used, whether or not a feed reports it, with a worker that keeps the index.

    `LEAF_REVOCATIONS=1000` takes the real minute, and so many files.
    """
    if not REVOKED:
        monkeypatch.setattr(sight, "CONFIRMED_SECONDS", int(MINUTE))
    chance, uses, late, latest = random.Random(SEED), 0, list[str](), 0.0
    async with connected(world, "ada") as (browser, ada):
        others = {file.id for file in (await drive_of(ada).page()).files}
        world.http.delete("/sandbox/files", params={"without": [*LEFT_OUT, *others]}).raise_for_status()
        await follow(world)
        working = asyncio.create_task(library.run())
        try:
            left = REVOKED or OF_CHAT
            while left > 0:
                batch = await planted(world, browser, ada, min(left, REVOCATIONS))
                left -= len(batch.marks)
                for way in batch.ways():
                    for chat_id in batch.chats:
                        # A busy machine may not have Google's answers in time, and what is unanswered is not used.
                        await until(partial(batch.is_used, way, chat_id))
                closed = dict[str, float]()
                await redis.client().flushdb()
                chat_of = {file_id: chat_id for chat_id, files in batch.chats.items() for file_id in files}
                for n, (file_id, chat_id) in enumerate(chat_of.items()):
                    if n % OF_CHAT == 0:
                        # Google's answers are as new as they can be.
                        await passages.withheld(ada, batch.chats[chat_id])
                    change(world, file_id, **ENDS[n % len(ENDS)], silent=n // len(ENDS) % 2 == 0)
                    closed[file_id] = time.monotonic()
                end_at = max(closed.values()) + MINUTE
                every = [(way, chat_id) for chat_id in batch.chats for way in batch.ways()]
                while time.monotonic() < end_at:
                    way, chat_id = chance.choice(every)
                    begun, found = time.monotonic(), await batch.used(way, chat_id)
                    uses += 1
                    ages = {file_id: begun - closed[file_id] for file_id in found}
                    latest = max([latest, *ages.values()])
                    late += [f"{way} after {age:.1f} s" for age in ages.values() if age > MINUTE]
                    await asyncio.sleep(MINUTE / 200)
                for way, chat_id in every:
                    late += [f"{way} at the end: {one}" for one in await batch.used(way, chat_id)]
                    uses += 1
                print(  # noqa: T201
                    f"{len(batch.marks)} files ({left} left), {uses} uses of ten files: "
                    f"the last one {latest:.1f} s after, {len(late)} late"
                )
        finally:
            working.cancel()
            with suppress(asyncio.CancelledError):
                await working
    assert late == []
    assert latest > 0, "until its minute is over, a file may be used"


async def planted(world: World, browser: Browser, ada: Actor, number: int) -> Batch:
    """Files that the worker has read, and chats whose answers quote ten of them each."""
    batch = Batch(browser, ada)
    entries: list[dict[str, Any]] = []
    for n in range(number):
        mark = f"m{n}x{uuid4().hex[:8]}"
        entry: dict[str, Any] = {"path": f"ada:/{mark}.txt", "kind": "text", "text": TABLE.format(words_of(mark), mark)}
        if n % PICTURES == 0:
            entry = {"path": f"ada:/{mark}.pdf", "kind": "scan", "text": "", "bytes": "scans/delivery-note-4471.pdf"}
        entries.append(entry)
        batch.marks[sample_drive.id_of(entry["path"])] = mark
    world.http.post("/sandbox/files", json=entries, timeout=60).raise_for_status()
    # In a thread: the worker, which may hold these rows, is of the same event loop.
    await asyncio.to_thread(world.sql, "UPDATE drive_feeds SET checked_at = NULL")
    read = "SELECT count(*) FROM drive_texts WHERE state = 'read' AND file_id = ANY (%s)"
    await until(lambda: world.sql(read, [*batch.marks])[0][0] == number, seconds=60 + 5 * number)
    files = [*batch.marks]
    for file_id in files[::PICTURES]:
        document = await file_texts.present(ada, file_id)
        assert document is not None
        batch.pictures[file_id] = document.segments[0].part
    words = {file_id: words_of(mark) for file_id, mark in batch.marks.items()}
    for start in range(0, number, OF_CHAT):
        chat_id = await answered(ada, *files[start : start + OF_CHAT], words=words)
        batch.chats[chat_id] = files[start : start + OF_CHAT]
        batch.answers[chat_id] = [
            one.id for one in (await chats.open(ada, chat_id)).messages if one.role == "assistant"
        ]
        # What a comparison shows is the text of now.
        changed = "UPDATE citations SET state = 'changed', due_at = NULL WHERE chat_session_id = %s"
        await asyncio.to_thread(world.sql, changed, chat_id)
        batch.links[chat_id] = (await shares.share(Actor.user(ada.member_id, ada.workspace_id), chat_id)).token
    return batch
