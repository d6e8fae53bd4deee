"""A run's chunks over HTTP: from any index, in order, once, and for its owner alone."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator
from functools import partial
from uuid import UUID

import pytest
from starlette.requests import Request

from leaf import parts, streams
from leaf.api import callers, stream, ui_chunks
from leaf.db import Actor
from leaf.parts import Chunk
from leaf.redis import events as notices
from leaf.services import accounts, chats, conversations, passages, readers
from tests.integration.people import end
from tests.integration.web_fixtures import World

CHUNKS: list[Chunk] = [
    {"type": "start", "messageId": "m"},
    {"type": "text-start", "id": "1"},
    {"type": "text-delta", "id": "1", "delta": "Grüße"},
    {"type": "text-delta", "id": "1", "delta": " all round"},
    {"type": "text-end", "id": "1"},
    {"type": "finish", "finishReason": "stop"},
]


async def _run(actor: Actor, count: int, *, ended: bool) -> UUID:
    """A run of which so many chunks are written."""
    turn = await conversations.ask(actor, await chats.new(actor), "How many apples?")
    run_id = turn.assistant.run_id
    assert run_id is not None
    await streams.Writer(run_id, "worker").append(CHUNKS[:count])
    if ended:
        await end(run_id)
    return run_id


async def _events_of(cookie: str, run_id: UUID, start: int = 0) -> AsyncGenerator[bytes]:
    """The events that a browser is sent."""
    caller = await callers.of_browser(cookie)
    return stream.body(
        run_id,
        caller.reader,
        ui_chunks.Encoder(ui_chunks.Form(), partial(passages.withheld_in_chunks, caller.person.actor)),
        start,
    )


def _events(body: str) -> tuple[list[int], list[Chunk], bool]:
    """The indexes, the chunks, and whether the stream says that it is over."""
    lines = body.splitlines()
    indexes = [int(line[4:]) for line in lines if line.startswith("id: ")]
    data = [line[6:] for line in lines if line.startswith("data: ")]
    return indexes, [json.loads(line) for line in data if line != "[DONE]"], data[-1:] == ["[DONE]"]


async def test_chunks_come_from_any_index_on(world: World) -> None:
    """000-30: N..end, once, in order."""
    async with world.browser("ada") as ada:
        run_id = await _run(await ada.actor(), len(CHUNKS), ended=True)
        for start in (0, 2, len(CHUNKS) - 1, len(CHUNKS)):
            answer = await ada.get(f"/api/runs/{run_id}", params={"startIndex": start})
            assert answer.status_code == 200
            assert answer.headers["content-type"].startswith("text/event-stream")
            assert answer.headers["x-vercel-ai-ui-message-stream"] == "v1"
            assert answer.headers["x-workflow-run-id"] == str(run_id)
            assert _events(answer.text) == (list(range(start, len(CHUNKS))), CHUNKS[start:], True)
        resumed = await ada.get(f"/api/runs/{run_id}", headers={"last-event-id": "3"})
        assert _events(resumed.text)[0] == [4, 5]
        assert parts.fold(_events(answer.text)[1])["parts"] is not None


async def test_a_run_that_has_ended_and_expired_is_gone(world: World) -> None:
    """000-59: its answer is in the chat."""
    async with world.browser("ada") as ada:
        run_id = await _run(await ada.actor(), len(CHUNKS), ended=True)
        await streams.delete(run_id)
        answer = await ada.get(f"/api/runs/{run_id}")
        assert (answer.status_code, answer.json()["error"]["code"]) == (410, "gone")


@pytest.mark.parametrize("start", ["--1", "x", "1e3", "99999999999999999999", "٣", "", "7"])
async def test_an_index_that_makes_no_sense_is_refused(world: World, start: str) -> None:
    async with world.browser("ada") as ada:
        run_id = await _run(await ada.actor(), len(CHUNKS), ended=True)
        answer = await ada.get(f"/api/runs/{run_id}", params={"startIndex": start})
        assert (answer.status_code, answer.json()["error"]["field"]) == (400, "startIndex")


async def test_nobody_else_reads_a_run(world: World) -> None:
    """000-30: like one that does not exist."""
    async with world.browser("ada") as ada, world.browser("ben") as ben, world.browser() as nobody:
        run_id = await _run(await ada.actor(), len(CHUNKS), ended=True)
        foreign = await ben.get(f"/api/runs/{run_id}")
        missing = await ben.get("/api/runs/00000000-0000-4000-8000-000000000000")
        malformed = await ben.get("/api/runs/nonsense")
        assert [one.status_code for one in (foreign, missing, malformed)] == [404, 404, 404]
        assert foreign.json() == missing.json() == malformed.json()
        assert (await nobody.get(f"/api/runs/{run_id}")).status_code == 401


async def test_a_live_run_is_followed_to_its_end_with_comments_in_quiet_times(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """004-27: no proxy takes the stream for dead; a reader who is signed out meanwhile is cut off."""
    monkeypatch.setattr(stream, "PING_SECONDS", 0.2)
    async with world.browser("ada") as ada:
        session, cookie = await ada.session(), ada.cookie_header
        run_id = await _run(session.actor, 3, ended=False)
        events = await _events_of(cookie, run_id, 1)
        seen = [await anext(events)]
        while seen[-1] != b": ping\n\n":
            seen.append(await anext(events))
        await streams.Writer(run_id, "worker", index=3).append(CHUNKS[3:])
        await end(run_id)
        seen += [one async for one in events]
        indexes, chunks, over = _events(b"".join(seen).decode())
        assert (indexes, chunks, over) == ([1, 2, 3, 4, 5], CHUNKS[1:], True)
        quiet = await _run(session.actor, 3, ended=False)
        events = await _events_of(cookie, quiet, 0)
        await anext(events)
        await accounts.sign_out(cookie)
        async with asyncio.timeout(10):
            left = [one async for one in events]
        assert b"[DONE]" not in b"".join(left)


@pytest.mark.parametrize("accept", [stream.EVENTS, stream.NDJSON])
async def test_a_client_that_asks_for_it_gets_heartbeats_as_events(
    world: World, monkeypatch: pytest.MonkeyPatch, accept: str
) -> None:
    """With the run and the time, and without an id to resume from. # 004-33"""
    monkeypatch.setattr(stream, "PING_SECONDS", 0.1)
    headers = [(b"accept", accept.encode())]
    request = Request({"type": "http", "query_string": b"heartbeat=event", "headers": headers})
    form = ui_chunks.Form.of(request)
    assert not ui_chunks.Form.of(Request({"type": "http", "query_string": b"", "headers": headers})).heartbeats
    async with world.browser("ada") as ada:
        actor = await ada.actor()
        run_id = await _run(actor, 3, ended=False)
        events = stream.body(
            run_id, readers.member(actor), ui_chunks.Encoder(form, partial(passages.withheld_in_chunks, actor))
        )
        seen = [await anext(events)]
        while b"heartbeat" not in seen[-1]:
            seen.append(await anext(events))
        await streams.Writer(run_id, "worker", index=3).append(CHUNKS[3:])
        await end(run_id)
        seen += [one async for one in events]
    beat = next(one.decode() for one in seen if b"heartbeat" in one)
    assert accept == stream.NDJSON or beat.startswith("event: heartbeat\ndata: ")
    data = json.loads(beat.partition("data: ")[2] or beat)
    assert (data["type"], data["id"]) == ("heartbeat", str(run_id))
    assert abs(data["ts"] / 1000 - time.time()) < 60
    assert b": ping" not in b"".join(seen)


async def test_comments_come_however_much_else_happens_to_the_reader(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another chat of theirs that is busy does not keep a quiet stream quiet. # 004-27"""
    monkeypatch.setattr(stream, "PING_SECONDS", 0.3)
    async with world.browser("ada") as ada:
        session, cookie = await ada.session(), ada.cookie_header
        run_id = await _run(session.actor, 3, ended=False)
        user_id = session.user_id

        async def busy() -> None:
            while True:
                await notices.publish([notices.user(user_id)])
                await asyncio.sleep(0.05)

        elsewhere = asyncio.create_task(busy())
        events = await _events_of(cookie, run_id, 0)
        try:
            async with asyncio.timeout(10):
                while await anext(events) != b": ping\n\n":
                    pass
        finally:
            elsewhere.cancel()
            await asyncio.gather(elsewhere, return_exceptions=True)
            await events.aclose()


async def test_who_is_signed_out_is_sent_away_from_a_stream_that_never_rests(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """# 000-05"""
    monkeypatch.setattr(stream, "PING_SECONDS", 0.2)
    async with world.browser("ada") as ada:
        session, cookie = await ada.session(), ada.cookie_header
        run_id = await _run(session.actor, 3, ended=False)
        writer = streams.Writer(run_id, "worker", index=3)
        delta = {"type": "text-delta", "id": "1", "delta": "x"}
        seen = 0
        async with asyncio.timeout(20):
            async for _ in await _events_of(cookie, run_id, 0):
                seen += 1
                if seen == 3:
                    await accounts.sign_out(cookie)
                await writer.append([delta])
        assert seen >= 3


async def test_a_stream_that_redis_has_lost_ends_without_done(world: World) -> None:
    async with world.browser("ada") as ada:
        session = await ada.session()
        run_id = await _run(session.actor, 3, ended=False)
        first = await streams.identity(run_id)
        events = await _events_of(ada.cookie_header, run_id, 0)
        assert b"text-delta" in await anext(events)
        await streams.delete(run_id)
        async with asyncio.timeout(20):
            assert b"[DONE]" not in b"".join([one async for one in events])
        await streams.Writer(run_id, "worker").append(CHUNKS[:2])
        assert (await streams.identity(run_id))[1] != first[1]
