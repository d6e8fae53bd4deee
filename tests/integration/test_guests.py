"""Guests: what they may ask, what is kept of it where, and who may keep it."""

import asyncio
import time
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit
from uuid import UUID, uuid4

import pytest

from leaf import errors
from leaf import redis as leaf_redis
from leaf.config.catalog import Kind, Mode
from leaf.db import Actor, models, transaction
from leaf.db.actor import Guest
from leaf.db.models import MessageStatus
from leaf.services import chats, conversations, guests, runs, usage
from leaf.services.conversations import ephemeral
from leaf.services.guests import chat as guest_chat
from leaf.services.guests import cookies
from tests.integration.redis_fixtures import until
from tests.integration.test_sweep import Tab
from tests.integration.web_fixtures import TABLES, Browser, World


@pytest.fixture
def leaf(world: World) -> World:
    """An empty Leaf that has guests."""
    world.change(guests=True)
    return world


def a_guest(address: str = "192.0.2.1") -> Actor:
    return Actor.guest(Guest(uuid4(), uuid4(), address))


def guest_of(actor: Actor) -> Guest:
    assert actor.guest_identity is not None
    return actor.guest_identity


async def stored(actor: Actor) -> guests.Conversation:
    """The guest's chat as Redis has it."""
    return await guests.read(guest_of(actor))


async def ask(actor: Actor, text: str = "Why is the sky blue?") -> UUID:
    """Asks; returns the run."""
    await conversations.ask(actor, guest_of(actor).chat_id, text)
    answer = (await stored(actor)).unfinished
    assert answer is not None
    assert answer.workflow_run_id is not None
    return answer.workflow_run_id


async def end(run_id: UUID, text: str = "Because of its air.", status: MessageStatus = MessageStatus.COMPLETED) -> None:
    """Ends a run as its worker does."""
    task = await conversations.assignment(run_id)
    assert task is not None
    outcome = runs.Outcome(
        status, [{"type": "text", "text": text}], task.details, [], usage.Usage(7, cost_usd=None, requests=1)
    )
    assert await conversations.finish(task, outcome)


async def converse(actor: Actor, *texts: str) -> None:
    for text in texts:
        await end(await ask(actor, text))


def counted(leaf: World) -> dict[str, int]:
    return {table: leaf.count(table) for table in TABLES}


# What is kept, and where.


async def test_nothing_of_a_guest_comes_into_the_database(leaf: World) -> None:
    """# 002-32"""
    guest = a_guest()
    await converse(guest, "Why is the sky blue?", "And at night?")
    run_id = await ask(guest, "And on Mars?")
    task = await conversations.assignment(run_id)
    assert task is not None
    assert [task.question, len(task.turns), task.untitled] == ["And on Mars?", 0, False]
    await conversations.stop(guest, run_id)
    assert set(counted(leaf).values()) == {0}
    with pytest.raises(errors.Unauthenticated):
        async with transaction(guest):
            pytest.fail("a guest has no transaction")


async def test_a_chat_is_found_again_and_goes_with_its_time(leaf: World) -> None:
    leaf.change(guest_hours=2)
    guest = a_guest()
    await converse(guest, "Why is the sky blue?")
    assert [row.status.value for row in (await stored(guest)).rows] == ["completed", "completed"]
    names = [key async for key in leaf_redis.client().scan_iter("leaf:guest:*")]
    assert len(names) == 2
    for name in names:
        assert 7000 < await leaf_redis.client().ttl(name) <= 7200
    await guests.forget(guest_of(guest))
    assert [key async for key in leaf_redis.client().scan_iter("leaf:guest*")] == []
    assert (await stored(guest)).rows == []


@pytest.mark.usefixtures("leaf")
async def test_a_guest_never_reaches_what_is_another_guests() -> None:
    """Not by the chat's id, which is no secret, nor by a run's or a message's. # 000-40"""
    guest, other = a_guest(), a_guest()
    run_id = await ask(guest)
    chat = await stored(guest)
    thief = Actor.guest(Guest(guest_of(other).id, guest_of(guest).chat_id))
    assert (await stored(thief)).rows == []
    for actor in (other, thief):
        with pytest.raises(errors.NotFound):
            await conversations.result(actor, run_id)
        with pytest.raises(errors.NotFound):
            await conversations.stop(actor, run_id)
        with pytest.raises(errors.NotFound):
            await conversations.retry(actor, chat.rows[-1].id)
    with pytest.raises(errors.NotFound):
        await conversations.ask(other, guest_of(guest).chat_id, "Mine?")
    with pytest.raises(errors.Conflict):
        await conversations.ask(thief, guest_of(guest).chat_id, "Mine?")
    assert (await stored(guest)).rows[-1].workflow_run_id == run_id


@pytest.mark.usefixtures("leaf")
async def test_one_answer_at_a_time_and_an_ended_one_can_be_asked_for_again() -> None:
    guest = a_guest()
    run_id = await ask(guest)
    with pytest.raises(errors.Conflict):
        await ask(guest)
    await end(run_id, status=MessageStatus.ERROR)
    await conversations.retry(guest, (await stored(guest)).rows[-1].id)
    again = (await stored(guest)).unfinished
    assert again is not None
    assert again.workflow_run_id != run_id
    assert await conversations.assignment(run_id) is None
    outcomes = await asyncio.gather(*(ask(guest) for _ in range(3)), return_exceptions=True)
    assert all(isinstance(one, errors.Conflict) for one in outcomes)


async def test_of_questions_at_the_same_moment_one_is_taken_and_counted(leaf: World) -> None:
    leaf.change(guest_questions=5)
    guest = a_guest()
    chat_id = guest_of(guest).chat_id
    given = await asyncio.gather(*(conversations.ask(guest, chat_id, "Why?") for _ in range(4)), return_exceptions=True)
    assert [type(one) for one in given if isinstance(one, Exception)] == [errors.Conflict] * 3
    assert len((await stored(guest)).rows) == 2
    await end(await _going(guest))
    await converse(guest, *["Why?"] * 4)
    with pytest.raises(errors.LimitReached):
        await ask(guest)


# Limits.


async def test_the_eleventh_question_is_refused_and_says_when_there_are_new_ones(leaf: World) -> None:
    """The cookie counts, also from another address. # 002-04"""
    guest = a_guest()
    for number in range(10):
        await converse(Actor.guest(Guest(guest_of(guest).id, guest_of(guest).chat_id, f"192.0.2.{number}")), "Why?")
    with pytest.raises(errors.LimitReached) as refused:
        await ask(Actor.guest(Guest(guest_of(guest).id, uuid4(), "198.51.100.1")))
    assert refused.value.status == 429
    assert 86_000 < refused.value.resets_in_seconds <= 86_400
    assert "24 hours" in refused.value.message or "1 day" in refused.value.message
    assert len((await stored(guest)).rows) == 20
    leaf.change(guest_questions=11)
    await converse(guest, "Why?")


async def test_new_cookies_do_not_help_where_the_address_is_the_same(leaf: World) -> None:
    """# 002-04"""
    leaf.change(guest_questions=2, guest_address_questions=3)
    for _ in range(3):
        await ask(a_guest("203.0.113.9"))
    with pytest.raises(errors.LimitReached):
        await ask(a_guest("203.0.113.9"))
    await ask(a_guest("203.0.113.10"))


async def test_a_refused_question_is_counted_by_neither(leaf: World) -> None:
    leaf.change(guest_questions=1)
    guest = a_guest("203.0.113.1")
    await converse(guest, "Why?")
    with pytest.raises(errors.LimitReached):
        await ask(Actor.guest(Guest(guest_of(guest).id, guest_of(guest).chat_id, "203.0.113.2")))
    await ask(a_guest("203.0.113.2"))


async def test_there_are_only_so_many_chats_and_each_has_an_end(leaf: World, monkeypatch: pytest.MonkeyPatch) -> None:
    leaf.change(guest_chats=2, guest_address_questions=100)
    first = a_guest()
    await converse(first, "Why?")
    await ask(a_guest())
    with pytest.raises(errors.LimitReached) as full:
        await ask(a_guest())
    assert full.value.resets_in_seconds > 0
    await ask(first)
    monkeypatch.setattr(ephemeral, "MOST_MESSAGES", 6)
    await end(await _going(first))
    await converse(first, "Why?")
    with pytest.raises(errors.LimitReached):
        await ask(first)
    monkeypatch.setattr(ephemeral, "MOST_MESSAGES", 60)
    monkeypatch.setattr(ephemeral, "MOST_BYTES", (await stored(first)).size_bytes - 1)
    with pytest.raises(errors.LimitReached):
        await ask(first)


async def _going(actor: Actor) -> UUID:
    row = (await stored(actor)).unfinished
    assert row is not None
    assert row.workflow_run_id is not None
    return row.workflow_run_id


async def test_without_redis_guests_are_refused_and_it_is_logged(leaf: World, caplog: pytest.LogCaptureFixture) -> None:
    """Members are let through (decision 0028)."""
    leaf.change(redis_url="redis://127.0.0.1:9/0")
    with pytest.raises(errors.RedisUnavailable):
        await conversations.ask(guest := a_guest(), guest_of(guest).chat_id, "Why?")
    assert "a guest is refused" in caplog.text
    await leaf_redis.close()


async def test_the_model_is_one_for_speed_whatever_is_asked_for(leaf: World, tmp_path: Path) -> None:
    """# 002-07"""
    table = tmp_path / "models.toml"
    table.write_text(
        'default = ["sandbox:sandbox"]\n'
        '[quick]\nspeed = ["sandbox:sandbox-slow-1"]\nquality = ["sandbox:sandbox-slow-2"]\n'
        '[adaptive]\nspeed = ["sandbox:sandbox-slow-3"]\nquality = ["sandbox:sandbox-slow-4"]\n'
    )
    leaf.change(models_file=table, model="")
    guest = a_guest()
    chat_id = guest_of(guest).chat_id
    await conversations.ask(guest, chat_id, "Why?", extras={}, mode=Mode.ADAPTIVE, kind=Kind.QUALITY, queue=True)
    task = await conversations.assignment(await _going(guest))
    assert task is not None
    assert (task.model, task.mode, task.details["modelType"]) == ("sandbox:sandbox-slow-3", Mode.ADAPTIVE, "speed")
    await end(task.run_id, status=MessageStatus.ERROR)
    await conversations.retry(guest, task.message_id, model="sandbox:sandbox-slow-4")
    again = await conversations.assignment(await _going(guest))
    assert again is not None
    assert again.model == "sandbox:sandbox-slow-3"


@pytest.mark.usefixtures("world")
async def test_without_the_setting_there_are_no_guests() -> None:
    """# 002-02"""
    guest = a_guest()
    with pytest.raises(errors.Unauthenticated):
        await ask(guest)
    async with Browser() as browser:
        refused = await browser.get("/auth/guest")
        assert refused.status_code == 401
        assert not browser.cookies
        browser.cookies.set(guests.cookie_name(), guests.issue(guest_of(guest)))
        assert guests.guest_of(browser.cookie_header) is None


# The cookie.


@pytest.mark.usefixtures("leaf")
async def test_only_a_cookie_that_leaf_has_signed_makes_a_guest() -> None:
    async with Browser() as browser:
        entered = await browser.get("/auth/guest")
        assert entered.headers["location"] == "/guest"
        assert "httponly" in entered.headers["set-cookie"].lower()
        assert "samesite=lax" in entered.headers["set-cookie"].lower()
        identity = guests.guest_of(browser.cookie_header)
        assert identity is not None
        await browser.get("/auth/guest")
        assert guests.guest_of(browser.cookie_header) == identity
        await browser.post("/auth/guest/new")
        renewed = guests.guest_of(browser.cookie_header)
        assert renewed is not None
        assert renewed.id == identity.id, "a new chat does not begin the day anew"
        assert renewed.chat_id != identity.chat_id
    name, value = guests.cookie_name(), guests.issue(identity)
    head, body, signature = value.split(".")
    for forged in ("", "x", f"{head}.{body}.", f"{head}.{body}.{signature[:-2]}AA", f"{name}.{body}.{signature}"):
        assert guests.guest_of(f"{name}={forged}") is None


async def test_the_secret_of_another_leaf_signs_no_guest(leaf: World) -> None:
    value = guests.issue(guests.new())
    name = guests.cookie_name()
    assert guests.guest_of(f"{name}={value}") is not None
    leaf.change(secret="another secret that has more than 32 characters")
    assert guests.guest_of(f"{guests.cookie_name()}={value}") is None


def test_what_a_sign_in_remembers_is_read_back() -> None:
    identity = guests.new()
    assert cookies.of_text(cookies.as_text(identity)) == Guest(identity.id, identity.chat_id)
    assert [cookies.of_text(text) for text in ("", "x", "1 2", f"{uuid4()}")] == [None] * 4


# Keeping.


async def _begun(browser: Browser) -> Actor:
    """A guest in a browser who has had one answer."""
    await browser.get("/auth/guest")
    identity = guests.guest_of(browser.cookie_header, "192.0.2.1")
    assert identity is not None
    guest = Actor.guest(identity)
    await converse(guest, "Why is the sky blue?")
    return guest


async def test_the_sign_in_that_a_guest_begins_keeps_their_chat(leaf: World) -> None:
    """# 003-31"""
    async with leaf.browser() as browser:
        guest = await _begun(browser)
        before = (await stored(guest)).rows
        back = await browser.consent(await browser.get("/auth/google/start?next=/dashboard&keep=1"), "ada")
        arrived = await browser.get(back)
        chat_id = guest_of(guest).chat_id
        assert arrived.headers["location"] == f"/chat/{chat_id}"
        assert guests.cookie_name() not in browser.cookies
        ada = await browser.actor()
        chat = await chats.open(ada, chat_id)
        assert [(one.id, one.parts, one.user_id) for one in chat.messages] == [
            (row.id, row.parts, ada.user_id) for row in before
        ]
        assert chat.title == "Why is the sky blue?"
        assert leaf.count("usage_entries") == 0
        # The callback is good for one use.
        assert (await browser.get(back)).headers["location"].startswith("/?problem=")
        assert leaf.count("chat_sessions") == 1


async def test_two_tabs_that_keep_a_chat_keep_it_once(leaf: World) -> None:
    async with leaf.browser() as browser:
        guest = await _begun(browser)
        begun = [await browser.get("/auth/google/start?keep=1") for _ in range(2)]
        backs = [await browser.consent(one, "ada") for one in begun]
        arrived = [await browser.get(back) for back in backs]
        assert {one.headers["location"] for one in arrived} == {f"/chat/{guest_of(guest).chat_id}"}
    assert leaf.count("chat_sessions") == 1
    assert leaf.count("messages") == 2


async def test_of_two_people_who_keep_a_chat_the_second_gets_nothing_of_it(leaf: World) -> None:
    async with leaf.browser() as browser:
        guest = await _begun(browser)
        first, second = [await browser.get("/auth/google/start?keep=1") for _ in range(2)]
        ada, ben = await browser.consent(first, "ada"), await browser.consent(second, "ben")
        await browser.get(ada)
        assert (await browser.get(ben)).headers["location"] == "/dashboard"
        with pytest.raises(errors.NotFound):
            await chats.open(await browser.actor(), guest_of(guest).chat_id)
    assert leaf.count("chat_sessions") == 1


async def test_a_sign_in_keeps_nothing_for_a_browser_that_is_another_guest_by_then(leaf: World) -> None:
    """The chat that it was begun for is not this browser's any more."""
    async with leaf.browser() as browser:
        await _begun(browser)
        begun = await browser.get("/auth/google/start?keep=1")
        back = await browser.consent(begun, "ada")
        await browser.post("/auth/guest/new")
        assert (await browser.get(back)).headers["location"] == "/dashboard"
    assert leaf.count("chat_sessions") == 0


async def test_whoever_is_signed_in_keeps_a_chat_with_both_proofs(leaf: World) -> None:
    async with leaf.browser() as browser, leaf.browser("ben") as ben:
        guest = await _begun(browser)
        alone = await browser.post("/auth/guest/keep")
        assert urlsplit(alone.headers["location"]).query
        assert urlsplit((await ben.post("/auth/guest/keep")).headers["location"]).query
        foreign = await browser.post("/auth/guest/keep", headers={"origin": "https://elsewhere.example"})
        assert foreign.status_code == 403
        await browser.sign_in("ada")
        kept = await browser.post("/auth/guest/keep")
        assert kept.headers["location"] == f"/chat/{guest_of(guest).chat_id}"
    assert leaf.count("chat_sessions") == 1


async def test_a_chat_that_was_marked_before_the_database_went_away_is_kept_later_by_the_same_person(
    leaf: World,
) -> None:
    async with leaf.browser("ada") as ada, leaf.browser("ben") as ben:
        guest = a_guest()
        await converse(guest, "Why?")
        url = leaf.settings.database_url
        actor, other = await ada.actor(), await ben.actor()
        leaf.change(database_url="postgresql://leaf@127.0.0.1:9/leaf")
        with pytest.raises(errors.DatabaseUnavailable):
            await guests.keep(actor, guest_of(guest))
        leaf.change(database_url=url)
        with pytest.raises(errors.Conflict):
            await ask(guest)
        assert await guests.keep(other, guest_of(guest)) is None
        assert await guests.keep(actor, guest_of(guest)) == guest_of(guest).chat_id
        assert len((await chats.open(actor, guest_of(guest).chat_id)).messages) == 2


async def test_an_answer_that_ends_in_the_middle_of_being_kept_is_not_lost(
    leaf: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends between the storing of the rows and the letting go of the chat."""
    async with leaf.browser("ada") as browser:
        ada, guest = await browser.actor(), a_guest()
        run_id = await ask(guest)
        write, writes = guest_chat.write, 0

        async def interrupted(chat: guests.Conversation, **which: UUID | None) -> bool:
            nonlocal writes
            writes += 1
            if writes == 2:
                monkeypatch.setattr(guest_chat, "write", write)
                await end(run_id)
            return await write(chat, **which)

        monkeypatch.setattr(guest_chat, "write", interrupted)
        assert await guests.keep(ada, guest_of(guest)) == guest_of(guest).chat_id
        answer = (await chats.open(ada, guest_of(guest).chat_id)).messages[-1]
        assert answer.status == "completed"
        assert answer.parts == [{"type": "text", "text": "Because of its air."}]
        assert await conversations.assignment(run_id) is None


async def test_a_kept_chat_brings_no_usage_of_its_guest(leaf: World) -> None:
    """Not even the times of its answers: the member has neither waited nor paid for them. # 003-31"""
    async with leaf.browser("ada") as browser:
        ada, guest = await browser.actor(), a_guest()
        task = await conversations.assignment(await ask(guest))
        assert task is not None
        used, text = usage.Usage(7, cost_usd=None, requests=1), {"type": "text", "text": "So."}
        outcome = runs.Outcome(
            MessageStatus.COMPLETED, [text], task.details, [], used, duration_ms=900, first_text_ms=400
        )
        assert await conversations.finish(task, outcome)
        assert await guests.keep(ada, guest_of(guest)) is not None
        kept = leaf.sql(
            "SELECT input_tokens, requests, duration_ms, first_text_ms FROM messages WHERE role = 'assistant'"
        )
        assert kept == [(None,) * 4]


async def test_a_run_that_goes_on_after_its_chat_was_kept_is_its_keepers(leaf: World) -> None:
    async with leaf.browser("ada") as browser:
        ada, guest = await browser.actor(), a_guest()
        run_id = await ask(guest)
        as_guest = await conversations.assignment(run_id)
        assert await guests.keep(ada, guest_of(guest)) is not None
        taken_over = await conversations.assignment(run_id)
        assert as_guest is not None
        assert taken_over is not None
        assert taken_over.actor.user_id == ada.user_id
        outcome = runs.Outcome(MessageStatus.COMPLETED, [{"type": "text", "text": "So."}], as_guest.details, [])
        assert await conversations.finish(as_guest, outcome)
        assert (await conversations.result(ada, run_id)).status == "completed"
        assert leaf.sql("SELECT user_id FROM usage_entries") == [(ada.user_id,)]
        assert await conversations.unfinished(models.utc_now() - models.utc_now()) == []


# A database that does not answer.


async def test_who_needs_no_session_waits_five_seconds_for_one(leaf: World) -> None:
    """A database that takes connections and says nothing: the page opens as for a stranger. # 002-40"""

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(-1)
        writer.close()

    async with leaf.browser("ada") as browser, await asyncio.start_server(silent, "127.0.0.1", 0) as server:
        await browser.get("/auth/guest")
        port = server.sockets[0].getsockname()[1]
        leaf.change(database_url=f"postgresql://leaf@127.0.0.1:{port}/leaf")
        tab, began = Tab(browser, "/"), time.monotonic()
        await tab.fire("LandingState.load")
        assert tab.told == []
        assert tab.state("LandingState").guests
        assert time.monotonic() - began < 8
        guest = guests.guest_of(browser.cookie_header, "192.0.2.1")
        assert guest is not None
        await converse(Actor.guest(guest), "Why?")
        page = Tab(browser, "/guest")
        await page.fire("ChatState.send", str(guest.chat_id), "And at night?")
        assert page.told == []
        assert len((await guests.read(guest)).rows) == 4
        server.close()


async def test_a_guest_asks_over_http_where_there_are_guests(leaf: World) -> None:
    """The first answer makes the browser a guest; the limits are those of the page. # 002-02, 002-04"""
    leaf.change(guests=True, guest_questions=2)
    async with Browser() as browser:
        refused = await browser.post("/api/chat", json={"message": " "})
        assert (refused.status_code, refused.json()["error"]["field"]) == (400, "message")
        assert not browser.cookies
        chats_seen: set[str] = set()
        for number in range(2):
            body = {"id": "page", "messages": [{"role": "user", "parts": [{"type": "text", "text": f"Why {number}?"}]}]}
            sending = asyncio.create_task(browser.post("/api/chat", json=body))
            run_id = await _asked_run()
            await end(run_id)
            answer = await sending
            assert answer.status_code == 200, answer.text
            assert "[DONE]" in answer.text
            chats_seen.add(answer.headers["x-leaf-chat-id"])
            assert "[DONE]" in (await browser.get("/api/chat/page/stream")).text
            assert (await browser.post("/api/chat/page/stop")).status_code == 204
        assert len(chats_seen) == 1
        full = await browser.post("/api/chat", json={"message": "Once more?"})
        assert (full.status_code, "retry-after" in full.headers) == (429, True)
        for body, status in (
            ({"message": "?", "model": "openai:gpt-5.2"}, 404),
            ({"message": "?", "clientTools": [{"name": "look"}]}, 403),
            ({"id": "page", "message": "?", "messageId": str(uuid4())}, 403),
        ):
            assert (await browser.post("/api/chat", json=body)).status_code == status, body
    async with Browser() as stranger:
        assert (await stranger.get(f"/api/runs/{run_id}")).status_code == 404
        key = {"authorization": "Bearer leaf_key_none"}
        assert (await stranger.post("/api/chat", json={"message": "?"}, headers=key)).status_code == 401
        foreign = {"origin": "https://evil.example"}
        assert (await stranger.post("/api/chat", json={"message": "?"}, headers=foreign)).status_code == 403


async def _asked_run() -> UUID:
    async def is_asked() -> bool:
        return bool(await guest_chat.unfinished(timedelta(0)))

    await until(is_asked)
    return (await guest_chat.unfinished(timedelta(0)))[0]


async def test_without_guests_nobody_asks_over_http(world: World) -> None:
    """# 002-02"""
    async with Browser() as nobody:
        for answer in (
            await nobody.post("/api/chat", json={"message": "Why?"}),
            await nobody.get("/api/chat/page/stream"),
            await nobody.post("/api/chat/page/stop"),
        ):
            assert (answer.status_code, answer.json()["error"]["code"]) == (401, "unauthenticated")
