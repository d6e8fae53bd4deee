"""All that follow a run behave the same: API streams of members and sites, the pages of members, guests and sites."""

import asyncio
import importlib
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import pytest
from reflex_base.event import Event

from leaf import parts, streams
from leaf.api import callers, stream, ui_chunks
from leaf.api.site import frames
from leaf.db import Actor
from leaf.db.actor import Guest
from leaf.parts import Chunk
from leaf.services import accounts, api_keys, chats, conversations, guests, participants, passages, readers, sites
from leaf.services.sites import visitors
from leaf.state import run_feed
from leaf.streams import hub, outages, rights
from tests import live_text
from tests.integration import test_guests
from tests.integration.people import end, person
from tests.integration.redis_fixtures import RedisServer, until
from tests.integration.test_sweep import Tab
from tests.integration.web_fixtures import Browser, World
from tests.integration.widget_pages import Site, frames_of

pytestmark = pytest.mark.usefixtures("impatient")

Revoke = Callable[[], Awaitable[object]]


def word(text: str) -> Chunk:
    return {"type": "text-delta", "id": "1", "delta": f"{text} "}


def begun(*words: str) -> list[Chunk]:
    return [{"type": "start"}, {"type": "start-step"}, {"type": "text-start", "id": "1"}, *map(word, words)]


END: list[Chunk] = [{"type": "text-end", "id": "1"}, {"type": "finish-step"}, {"type": "finish"}]
STORED = [{"type": "step-start"}, {"type": "text", "text": "One two and all of it.", "state": "done"}]


@dataclass
class Follower:
    """A party that follows a run, in the background."""

    run_id: UUID
    text: Callable[[], str]
    """The text of the answer, as its user sees it."""
    is_complete: Callable[[], bool]
    """Whether its user is shown that the answer is whole."""
    is_lost: Callable[[], bool]
    task: asyncio.Task[None]
    finish: Callable[..., Awaitable[None]]
    """Stores the answer, as its worker does."""
    revoked_by: dict[str, Revoke] = field(default_factory=dict[str, Revoke])
    waits: Callable[[], bool] = lambda: False
    """Whether it says that the run waits for a worker."""
    writer: streams.Writer = field(init=False)

    def __post_init__(self) -> None:
        self.writer = streams.Writer(self.run_id, "worker")

    async def write(self, chunks: list[Chunk]) -> None:
        await self.writer.append(chunks)

    async def begin_anew(self, chunks: list[Chunk]) -> None:
        self.writer = streams.Writer(self.run_id, "another")
        await self.write(chunks)

    async def shows(self, text: str) -> None:
        await until(lambda: text in self.text())

    @property
    def is_cut_off(self) -> bool:
        """Whether nothing is read any more, and the answer does not look whole."""
        return streams.followers() == 0 and not self.is_complete()


def _http(
    run_id: UUID, body: AsyncIterator[bytes], text: Callable[[str], str], complete: str, **further: Any
) -> Follower:
    """A client of one of the APIs."""
    received: list[bytes] = []

    async def receive() -> None:
        async for piece in body:
            received.append(piece)  # noqa: PERF401 - it is read while it grows

    def whole() -> str:
        return b"".join(received).decode()

    task = asyncio.create_task(receive())
    return Follower(
        run_id, lambda: text(whole()), lambda: complete in whole(), lambda: task.done() and complete not in whole(),
        task, further.pop("finish", end), further, lambda: b'waiting","' in received[-1],
    )  # fmt: skip


def _tab(run_id: UUID, tab: Tab, event: str, *arguments: object, **further: Any) -> Follower:
    """A page, with the text that its events bring."""

    def drawn() -> str:
        blocks: live_text.Texts = {}
        for sent in tab.told:
            if isinstance(sent, Event) and sent.payload.get("ref") == f"ref_{run_feed.SINK}":
                changes, before = live_text.opened(sent.payload["value"])
                blocks = live_text.applied(blocks if before else {}, changes)
        return "\n".join(blocks.values()) + tab.state("PlaygroundState").text

    live, transcript, playground = (tab.state(one) for one in ("LiveState", "TranscriptState", "PlaygroundState"))

    def is_complete() -> bool:
        stored = live.status == "completed" or bool(transcript.chat and not transcript.run)
        return stored or (bool(playground.asked) and task.done() and not playground.problem and tab.told[-1] is None)

    task = asyncio.create_task(tab.fire(event, *arguments))
    lost = further.pop("is_lost", lambda: any(one.lost for one in (live, transcript, playground)))
    finish = further.pop("finish", end)
    pages = (live, transcript, playground)
    return Follower(run_id, drawn, is_complete, lost, task, finish, further, lambda: any(one.untaken for one in pages))


def _chunks(body: str) -> str:
    fold = parts.Fold()
    for line in body.splitlines():
        data = line.removeprefix("data: ")
        if data.startswith("{"):
            fold.apply(json.loads(data))
    return parts.text_of(fold.message)


def _frames(body: str) -> str:
    text = ""
    for frame in frames_of(body):
        text = "" if frame["type"] == "reset" else text + frame.get("delta", "")
    return text


@asynccontextmanager
async def _shared(world: World) -> AsyncGenerator[tuple[Browser, UUID, UUID, dict[str, Revoke]]]:
    """Ben's browser, in a chat that Ada has shared with him, and how he loses it."""
    async with world.browser("ben") as browser:
        ada, ben = await person("ada"), await browser.actor()
        chat_id = await chats.new(ada)
        assert ben.user_id is not None
        world.sql("INSERT INTO chat_participants (chat_session_id, user_id) VALUES (%s, %s)", chat_id, ben.user_id)
        turn = await conversations.ask(ada, chat_id, "Apples?")
        assert turn.assistant.run_id is not None
        user_id, cookie = ben.user_id, browser.cookie_header
        losses: dict[str, Revoke] = {
            "session": lambda: accounts.sign_out(cookie),
            "participant": lambda: participants.remove(ada, chat_id, user_id),
        }
        yield browser, chat_id, turn.assistant.run_id, losses


@asynccontextmanager
async def member_events(world: World) -> AsyncGenerator[Follower]:
    async with _shared(world) as (browser, _, run_id, losses):
        caller = await callers.of_browser(browser.cookie_header)
        body = stream.body(
            run_id,
            caller.reader,
            ui_chunks.Encoder(ui_chunks.Form(), partial(passages.withheld_in_chunks, caller.person.actor)),
        )
        yield _http(run_id, body, _chunks, "[DONE]", **losses)


@asynccontextmanager
async def program_lines(world: World) -> AsyncGenerator[Follower]:
    async with _shared(world) as (browser, _, run_id, losses):
        ben = await browser.actor()
        row, key = await api_keys.create(ben, "Program", api_keys.SCOPES, lasts_days=30)
        bearer = await api_keys.bearer(key)
        assert bearer is not None
        reader = readers.member(bearer.actor, readers.key_proof(bearer, key))
        body = stream.body(
            run_id,
            reader,
            ui_chunks.Encoder(ui_chunks.Form(lines=True), partial(passages.withheld_in_chunks, bearer.actor)),
        )
        further = {"key": lambda: api_keys.revoke(ben, row.id), "participant": losses["participant"]}
        yield _http(run_id, body, _chunks, '"type":"finish"', **further)


@asynccontextmanager
async def member_page(world: World) -> AsyncGenerator[Follower]:
    async with _shared(world) as (browser, chat_id, run_id, losses):
        yield _tab(run_id, Tab(browser, f"/chat/{chat_id}"), "PresenceState.attend", **losses)


@asynccontextmanager
async def guest_page(world: World) -> AsyncGenerator[Follower]:
    world.change(guests=True)
    identity = Guest(uuid4(), uuid4(), "192.0.2.1")
    run_id = await test_guests.ask(Actor.guest(identity))
    async with world.browser() as browser:
        browser.cookies.set(guests.cookie_name(), guests.issue(identity))

        async def finish(run_id: UUID, parts: object) -> None:
            await test_guests.end(run_id, "One two and all of it.")

        yield _tab(
            run_id,
            Tab(browser, "/guest"),
            "GuestState.attend",
            finish=finish,
            forgotten=lambda: guests.forget(identity),
        )


@asynccontextmanager
async def _site(world: World) -> AsyncGenerator[tuple[Browser, Site, dict[str, Revoke]]]:
    """Ben's browser, a member of Ada's site, and how he loses it."""
    async with world.browser("ben") as browser:
        ada, ben = await person("ada"), await browser.actor()
        site = await Site.make(ada)
        await sites.join(ben, await sites.invite(ada, site.site_id))
        user_id, cookie = ben.user_id, browser.cookie_header
        assert user_id is not None
        losses: dict[str, Revoke] = {
            "session": lambda: accounts.sign_out(cookie),
            "membership": lambda: sites.remove(ada, site.site_id, user_id),
        }
        yield browser, site, losses


async def _visit(site: Site) -> tuple[visitors.VisitorCaller, UUID, UUID]:
    keyed = await visitors.agent_of(site.key)
    who = await visitors.identify(keyed, visitors.Claims(session_id="s" * 22), begins=True)
    chat_id = await visitors.begin(who, {})
    turn = await conversations.ask(who.required(), chat_id, "Apples?", terms=visitors.terms(who, {}, ""))
    assert turn.assistant.run_id is not None
    return who, chat_id, turn.assistant.run_id


@asynccontextmanager
async def site_frames(world: World) -> AsyncGenerator[Follower]:
    async with _site(world) as (_, site, _losses):
        who, chat_id, run_id = await _visit(site)
        reader = readers.site_visitor(who.required(), site.key, site.agent_id)
        encoder = frames.Encoder(frames.Place(chat_id, run_id), lambda: conversations.result(who.required(), run_id))
        losses: dict[str, Revoke] = {
            "key": lambda: sites.revoke_key(site.member, site.key_id),
            "chat": lambda: chats.delete(who.required(), chat_id),
            "agent": lambda: sites.delete_agent(site.member, site.agent_id),
        }
        yield _http(run_id, stream.body(run_id, reader, encoder), _frames, '"done"', **losses)


@asynccontextmanager
async def transcript_page(world: World) -> AsyncGenerator[Follower]:
    async with _site(world) as (browser, site, losses):
        _, chat_id, run_id = await _visit(site)
        tab = Tab(browser, f"/agents/{site.agent_id}/conversations/{chat_id}")
        yield _tab(run_id, tab, "TranscriptState.attend", **losses)


@asynccontextmanager
async def playground(world: World) -> AsyncGenerator[Follower]:
    async with _site(world) as (browser, site, losses):
        tab = Tab(browser, f"/agents/{site.agent_id}")
        follower = _tab(UUID(int=0), tab, "PlaygroundState.ask", {"content": "Apples?"}, **losses)
        found: list[UUID] = []

        async def asked() -> bool:
            found[:] = await conversations.unfinished(timedelta(0))
            return bool(found)

        await until(asked)
        follower.run_id = found[0]
        follower.writer = streams.Writer(found[0], "worker")
        yield follower


FOLLOWERS = {
    "member events": member_events,
    "program lines": program_lines,
    "site frames": site_frames,
    "member page": member_page,
    "guest page": guest_page,
    "transcript page": transcript_page,
    "playground": playground,
}
REVOCATIONS = [
    ("member events", "session"), ("member events", "participant"), ("program lines", "key"),
    ("program lines", "participant"), ("site frames", "key"), ("site frames", "chat"), ("site frames", "agent"),
    ("member page", "session"), ("member page", "participant"), ("guest page", "forgotten"),
    ("transcript page", "session"), ("transcript page", "membership"), ("playground", "session"),
    ("playground", "membership"),
]  # fmt: skip


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Followers look after a short silence; rights are checked at notices alone."""
    monkeypatch.setattr(hub, "SILENCE_SECONDS", 0.2)
    monkeypatch.setattr(rights, "CHECK_SECONDS", 300.0)
    monkeypatch.setattr(outages, "LEAST_SECONDS", 0.05)
    monkeypatch.setattr(importlib.import_module("leaf.streams.follow"), "_PATIENCE_SECONDS", 0.5)


@asynccontextmanager
async def following(world: World, name: str) -> AsyncGenerator[Follower]:
    """A follower that has shown the first words of a run."""
    async with AsyncExitStack() as stack:
        follower = await stack.enter_async_context(FOLLOWERS[name](world))
        try:
            await follower.write(begun("One", "two"))
            await follower.shows("One two")
            yield follower
        finally:
            follower.task.cancel()
            work = [one for one in asyncio.all_tasks() if one.get_name().startswith(("feed ", "check of rights"))]
            await asyncio.gather(follower.task, *work, return_exceptions=True)


@pytest.mark.parametrize("name", FOLLOWERS)
async def test_an_answer_is_followed_to_its_end(world: World, name: str) -> None:
    """# 000-30"""
    async with following(world, name) as follower:
        await follower.write([word("three"), *END[:-1]])
        await follower.finish(follower.run_id, parts=STORED)
        await follower.writer.finish(END[-1:])
        await until(follower.is_complete)
        assert "One two three" in follower.text()


@pytest.mark.parametrize("name", FOLLOWERS)
async def test_a_stream_that_ends_without_finish_is_read_on_from_the_database(world: World, name: str) -> None:
    """# 000-59"""
    async with following(world, name) as follower:
        await follower.finish(follower.run_id, parts=STORED)
        await streams.delete(follower.run_id)
        await until(follower.is_complete)
        # Nothing of the void text stays: a page takes it away with its next event.
        await until(lambda: follower.text().strip() in {"One two and all of it.", ""})
        assert "and all of it." in follower.text() or name in {"member page", "guest page", "transcript page"}


async def test_a_stream_that_lacks_only_finish_is_not_sent_again(world: World) -> None:
    """Its worker died after it stored the answer: the client gets `finish` where it was due. # 000-30, 000-59"""
    async with following(world, "member events") as follower:
        await follower.write([word("three"), *END[:-1]])
        stored = [{"type": "step-start"}, {"type": "text", "text": "One two three ", "state": "done"}]
        await follower.finish(follower.run_id, parts=stored)
        await until(follower.is_complete)
        assert follower.text() == "One two three "


@pytest.mark.parametrize(("name", "loss"), REVOCATIONS)
async def test_a_revoked_reader_is_cut_off_at_once(world: World, name: str, loss: str) -> None:
    """The notice of the revocation ends the stream: nothing later is shown. # 000-05, 000-67"""
    async with following(world, name) as follower:
        await follower.revoked_by[loss]()
        await until(lambda: follower.is_cut_off)
        with suppress(streams.Replaced):
            await follower.write([word("secret")])
        assert "secret" not in follower.text()


@pytest.mark.parametrize("name", FOLLOWERS)
async def test_a_follower_says_that_redis_is_away(world: World, name: str, redis_server: RedisServer) -> None:
    """API clients are cut off and come back; pages say so, and go on with the run once Redis is back. # 000-59"""
    async with following(world, name) as follower:
        redis_server.kill()
        try:
            await until(follower.is_lost)
            assert not follower.is_complete()
        finally:
            redis_server.start()
        if name in {"member page", "transcript page", "playground"}:
            await follower.begin_anew(begun("Anew"))
            await follower.shows("Anew")
            assert "One" not in follower.text()


@pytest.mark.parametrize("name", FOLLOWERS)
async def test_a_run_that_begins_anew_is_followed_from_its_beginning(world: World, name: str) -> None:
    """Redis has lost its stream; clients of the AI SDK are cut off, and learn it when they come back. # 000-59"""
    async with following(world, name) as follower:
        await streams.delete(follower.run_id)
        if name in {"member events", "program lines"}:
            await until(lambda: follower.is_cut_off)
            return
        await asyncio.sleep(hub.SILENCE_SECONDS * 2)
        await follower.begin_anew(begun("Anew"))
        await follower.shows("Anew")
        assert "One" not in follower.text()


@pytest.mark.parametrize("name", FOLLOWERS)
async def test_a_reader_far_behind_misses_nothing(world: World, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process keeps the last chunks alone: the others are read from Redis."""
    monkeypatch.setattr(hub, "_KEPT_CHUNKS", 4)
    async with following(world, name) as follower:
        for number in range(0, 90, 30):
            await follower.write([word(str(one)) for one in range(number, number + 30)])
        await follower.shows(" ".join(map(str, range(90))))


@pytest.mark.parametrize("name", FOLLOWERS)
@pytest.mark.usefixtures("impatient")
async def test_a_follower_says_that_no_worker_writes_the_run(
    world: World, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until one does. # 001-21"""
    follow = importlib.import_module("leaf.streams.follow")
    monkeypatch.setattr(follow, "UNTAKEN_SECONDS", 0.3)
    async with following(world, name) as follower:
        await until(follower.waits)
        # What is written now is not followed by more.
        monkeypatch.setattr(follow, "UNTAKEN_SECONDS", 60)
        await follower.write([word("three")])
        await follower.shows("One two three")
        await until(lambda: not follower.waits())
