"""Asking over HTTP, with a cookie or a key, in each of the forms that clients send."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

import httpx
import pytest

from leaf import errors, streams
from leaf.api import stream
from leaf.api.turns import files
from leaf.db import Actor
from leaf.parts import Chunk
from leaf.services import api_keys, chats, conversations
from tests.integration.people import end
from tests.integration.redis_fixtures import until
from tests.integration.web_fixtures import Browser, World


def chunks_of(text: str, message_id: object = "m") -> list[Chunk]:
    return [
        {"type": "start", "messageId": str(message_id)},
        {"type": "start-step"},
        {"type": "text-start", "id": "1"},
        {"type": "text-delta", "id": "1", "delta": text},
        {"type": "text-end", "id": "1"},
        {"type": "finish-step"},
        {"type": "finish", "finishReason": "stop"},
    ]


def events_of(body: str) -> list[Chunk]:
    data = [line[6:] for line in body.splitlines() if line.startswith("data: ")]
    assert data[-1] == "[DONE]"
    return [json.loads(line) for line in data[:-1]]


@asynccontextmanager
async def answering(actor: Actor, text: str = "Forty-two.") -> AsyncIterator[list[UUID]]:
    """Writes all waiting answers of the actor's chats, as a worker would."""
    answered: list[UUID] = []

    async def work() -> None:
        while True:
            for row in (await chats.page(actor)).rows:
                turn = await conversations.active(actor, row.id) if row.running else None
                if turn is not None and turn.assistant.run_id not in answered:
                    run_id = turn.assistant.run_id
                    assert run_id is not None
                    answered.append(run_id)
                    writer = streams.Writer(run_id, "worker")
                    told = chunks_of(text, turn.assistant.id)
                    await writer.append(told[:-1])
                    await end(run_id, parts=[{"type": "text", "text": text}])
                    await writer.finish(told[-1:])
            await asyncio.sleep(0.02)

    task = asyncio.create_task(work())
    try:
        yield answered
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def user(text: str, **further: Any) -> dict[str, Any]:
    return {"id": "local-1", "role": "user", "parts": [{"type": "text", "text": text}], **further}


def _with(url: str) -> dict[str, Any]:
    """A question that comes with a file."""
    return user("What is in it?", parts=[{"type": "text", "text": "What is in it?"}, {"type": "file", "url": url}])


@asynccontextmanager
async def program(actor: Actor, *scopes: str) -> AsyncIterator[Browser]:
    """A program with a key."""
    _, key = await api_keys.create(actor, "Program", scopes or api_keys.SCOPES, lasts_days=30)
    async with Browser(headers={"authorization": f"Bearer {key}"}) as http:
        yield http


async def test_a_program_asks_with_a_key_and_reads_the_answer_as_it_is_written(world: World) -> None:
    """# 000-28, 000-30, 001-12"""
    async with world.browser("ada") as ada:
        actor = await ada.actor()
        async with program(actor) as http, answering(actor) as answered:
            body = {"id": "a1b2c3d4e5f6g7h8", "trigger": "submit-message", "messages": [user("How many?")]}
            answer = await http.post("/api/chat", json=body)
            assert answer.status_code == 200, answer.text
            assert answer.headers["content-type"].startswith("text/event-stream")
            assert answer.headers["x-vercel-ai-ui-message-stream"] == "v1"
            chat = await chats.open(actor, UUID(answer.headers["x-leaf-chat-id"]))
            assert [one.role for one in chat.messages] == ["user", "assistant"]
            assert events_of(answer.text) == chunks_of("Forty-two.", chat.messages[1].id)
            assert answer.headers["x-workflow-run-id"] == str(answered[0])
            # The same chat by the client's own id, by a second question.
            second = {"id": "a1b2c3d4e5f6g7h8", "messages": [user("How many?"), user("And now?")]}
            assert (await http.post("/api/chat", json=second)).status_code == 200
            assert len((await chats.open(actor, chat.id)).messages) == 4


async def _two_follow() -> bool:
    return streams.followers() == 2


@pytest.mark.parametrize("accept", ["text/event-stream", "application/x-ndjson"])
async def test_an_answer_is_resumed_from_its_first_chunk_while_it_is_written(world: World, accept: str) -> None:
    """# 000-30"""
    async with world.browser("ada") as ada:
        actor = await ada.actor()
        assert (await ada.get("/api/chat/not-yet-made/stream")).status_code == 204
        chat_id, _ = await chats.begin(actor, "mine")
        turn = await conversations.ask(actor, chat_id, "How many?")
        run_id = turn.assistant.run_id
        assert run_id is not None
        told = chunks_of("Forty-two.")
        writer = streams.Writer(run_id, "worker")
        await writer.append(told[:4])

        async def resume(**headers: str) -> httpx.Response:
            return await ada.get("/api/chat/mine/stream", headers={"accept": accept, **headers})

        async with asyncio.TaskGroup() as group:
            # What a client had last may be of the answer before: this one comes whole.
            reading, again = group.create_task(resume()), group.create_task(resume(**{"last-event-id": "2"}))
            await until(_two_follow)
            await writer.append(told[4:-1])
            await end(run_id)
            await writer.finish(told[-1:])
        answer = reading.result()
        assert again.result().text == answer.text
        assert answer.headers["content-type"].startswith(accept)
        if accept == stream.NDJSON:
            assert [json.loads(line) for line in answer.text.splitlines() if line] == told
        else:
            assert events_of(answer.text) == told
        late = await resume()
        assert late.status_code == 200
        assert late.text == answer.text
        world.sql("UPDATE messages SET updated_at = now() - interval '2 minutes' WHERE workflow_run_id = %s", run_id)
        assert (await resume()).status_code == 204


async def test_an_answer_with_calls_at_the_caller_is_not_replayed_after_its_end(world: World) -> None:
    """The AI SDK calls a page's tool at each replay of the call. # 000-30"""
    async with world.browser("ada") as ada:
        actor = await ada.actor()
        chat_id, _ = await chats.begin(actor, "mine")
        call = {"type": "tool-look", "toolCallId": "c", "state": "output-available", "input": {}, "output": "seen"}
        turn = await conversations.ask(actor, chat_id, "How many?")
        assert turn.assistant.run_id is not None
        await end(turn.assistant.run_id, parts=[call])
        assert (await ada.get("/api/chat/mine/stream")).status_code == 204


async def test_what_is_sent_once_more_while_it_is_answered_finds_the_same_answer(world: World) -> None:
    """A second run would cost twice, and say it twice."""
    async with world.browser("ada") as ada:
        actor = await ada.actor()
        body = {"id": "mine", "messages": [user("How many?")]}
        both = [asyncio.create_task(ada.post("/api/chat", json=body)) for _ in range(2)]
        (row,) = await _rows(actor)
        busy = await ada.post("/api/chat", json={"id": "mine", "messages": [user("Something else?")]})
        assert (busy.status_code, busy.json()["error"]["code"]) == (409, "conflict")
        async with answering(actor) as answered:
            first, second = await asyncio.gather(*both)
        assert first.text == second.text
        assert len(answered) == 1
        assert len((await chats.open(actor, row.id)).messages) == 2


async def _rows(actor: Actor) -> list[chats.ChatRow]:
    """The actor's chats, once there are any."""

    async def found() -> list[chats.ChatRow]:
        return (await chats.page(actor)).rows

    await until(found)
    return await found()


async def test_a_key_for_a_request_makes_it_one(world: World) -> None:
    """Also when it is sent again later, and not with another request."""
    async with world.browser("ada") as ada, world.browser("ben") as ben:
        actor = await ada.actor()
        headers = {"idempotency-key": "order-1"}
        async with answering(actor) as answered:
            asked = [ada.post("/api/chat", json={"content": "How many?"}, headers=headers) for _ in range(3)]
            answers = await asyncio.gather(*asked)
            again = await ada.post("/api/chat", json={"content": "How many?"}, headers=headers)
        assert len(answered) == 1
        assert {one.headers["x-workflow-run-id"] for one in (*answers, again)} == {str(answered[0])}
        assert again.text == answers[0].text
        other = await ada.post("/api/chat", json={"content": "How few?"}, headers=headers)
        assert (other.status_code, other.json()["error"]["code"]) == (409, "key_reused")
        async with answering(await ben.actor()) as bens:
            assert (await ben.post("/api/chat", json={"content": "How few?"}, headers=headers)).status_code == 200
        assert bens != answered, "keys are each person's own"
        # Other words are not all that makes another request.
        noted = {"type": "file", "filename": "a.txt", "mediaType": "text/plain", "url": "data:text/plain,b"}
        for further in (
            {"searchMode": "adaptive"}, {"documentId": "d", "clientTools": [{"name": "read"}]},
            {"content": None, "messages": [user("How many?", parts=[{"type": "text", "text": "How many?"}, noted])]},
        ):  # fmt: skip
            other = await ada.post("/api/chat", json={"content": "How many?", **further}, headers=headers)
            assert (other.status_code, other.json()["error"]["code"]) == (409, "key_reused")
        # A request that was refused may be sent again.
        refused = await ada.post("/api/chat", json={"content": "x" * 40_000}, headers={"idempotency-key": "order-2"})
        assert (refused.status_code, len((await chats.page(actor)).rows)) == (400, 1)
        async with answering(actor):
            mended = await ada.post("/api/chat", json={"content": "Short"}, headers={"idempotency-key": "order-2"})
        assert mended.status_code == 200


FORMS: list[dict[str, Any]] = [
    {"content": "How many?"},
    {"message": "How many?", "isNewChat": True},
    {"message": {"role": "user", "parts": [{"type": "text", "text": "How many?"}]}},
    {"message": {"content": [{"type": "text", "text": "How many?"}, {"type": "unknown-part", "deep": [[]]}]}},
    {"id": "mine", "messages": [{"id": "x", "role": "user", "content": "How many?"}], "unknown": {"a": [1]}},
    {"chatId": "mine", "messages": [{"parts": "not read", "role": "assistant"}, user("How many?")][1:]},
    {"chatId": "mine", "id": "mine", "message": "How many?", "trigger": "submit-message", "searchMode": "adaptive"},
]


@pytest.mark.parametrize("form", FORMS)
async def test_a_question_comes_in_any_of_the_forms_that_clients_send(world: World, form: dict[str, Any]) -> None:
    """# 000-28, 002-01"""
    async with world.browser("ada") as ada:
        actor = await ada.actor()
        async with answering(actor):
            answer = await ada.post("/api/chat", json=form)
        assert answer.status_code == 200, answer.text
        chat = await chats.open(actor, UUID(answer.headers["x-leaf-chat-id"]))
        assert chat.messages[0].parts == [{"type": "text", "text": "How many?"}]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "message"),
        ({"messages": []}, "message"),
        ({"message": "", "id": "x"}, "message"),
        ({"content": " "}, "content"),
        ({"content": "\u200b\u2060 \ufeff"}, "content"),
        ({"content": "\u3164\u2800 \ufe0f\u034f\U000e0041"}, "content"),
        ({"content": "a", "message": "b"}, "content"),
        ({"content": 5}, "content"),
        ({"content": "a", "id": ""}, "id"),
        ({"content": "a", "id": "x" * 201}, "id"),
        ({"content": "a", "id": "x", "chatId": "y"}, "id"),
        ({"content": "a", "trigger": "resume"}, "trigger"),
        ({"content": "a", "searchMode": "hurried"}, "searchMode"),
        ({"content": "a", "isNewChat": "maybe"}, "isNewChat"),
        ({"content": "a", "isNewChat": False}, "chatId"),
        ({"content": "a", "isNewChat": True, "messageId": "x"}, "messageId"),
        ({"messages": {"a": 1}}, "messages"),
        ({"messages": [user("a"), {"role": "wizard"}]}, "messages[1].role"),
        ({"messages": [{"role": "user", "parts": [{"type": 5}]}]}, "messages[0].parts[0].type"),
        ({"messages": [user("a"), {"role": "assistant", "parts": []}]}, "chatId"),
        ({"messages": [user("a"), {"role": "system", "parts": []}]}, "messages.role"),
        ({"messages": [{"role": "user", "parts": [{"type": "image", "url": "data:,x"}]}]}, "messages.parts"),
        ({"messages": [_with("https://example.com/a.md")]}, "message.parts"),
        ({"messages": [_with("data:text/plain;base64,!!")]}, "message.parts"),
        ({"messages": [_with("data:,")]}, "message.parts"),
        ({"trigger": "regenerate-message"}, "chatId"),
        ({"trigger": "regenerate-message", "chatId": "x", "messageId": "y", "isNewChat": True}, "isNewChat"),
        ([], "body"),
        ("text", "body"),
    ],
)  # fmt: skip
async def test_what_does_not_fit_is_refused_by_its_field(world: World, body: object, field: str) -> None:
    """# 002-01"""
    async with world.browser("ada") as ada:
        answer = await ada.post("/api/chat", json=body)
        assert (answer.status_code, answer.json()["error"].get("field")) == (400, field), answer.text
        assert "Value error" not in answer.text
        assert world.count("chat_sessions") == 0


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b'{"content": "' + b"\xff" + b'"}', 400),
        (b'{"content": "a", "id": "\\ud800"}', 400),
        (b"[" * 100_000 + b"]" * 100_000, 400),
        (b'{"x":' * 5_000 + b"1" + b"}" * 5_000, 400),
        (b'{"content": ' + b"9" * 10_000 + b"}", 400),
        (b'{"content": "a", "id": NaN}', 400),
        (b'{"content": "' + b"x" * 10_000_001 + b'"}', 413),
    ],
)  # fmt: skip
async def test_bodies_that_are_no_requests_are_refused(world: World, body: bytes, status: int) -> None:
    async with world.browser("ada") as ada, world.browser() as nobody:

        async def pieces() -> AsyncIterator[bytes]:
            for start in range(0, max(1, len(body)), 1_000_000):
                yield body[start : start + 1_000_000]

        for content in (body, pieces()):
            answer = await ada.post("/api/chat", content=content, headers={"content-type": "application/json"})
            assert answer.status_code == status, answer.text
            assert answer.json()["error"]["message"]
        stranger = await nobody.post("/api/chat", content=body, headers={"content-type": "application/json"})
        assert stranger.status_code == 401, "nothing of a stranger's is read"


async def test_a_key_does_what_it_may_and_no_more(world: World) -> None:
    async with world.browser("ada") as ada:
        actor = await ada.actor()
        async with program(actor, "read") as reads, program(actor, "write") as writes:
            assert (await reads.get("/api/chats")).status_code == 200
            assert (await reads.get("/api/account/export")).status_code == 401, "that is for browsers"
            for refused in (
                await reads.post("/api/chat", json={"content": "Hello?"}),
                await reads.get("/api/drive/folders?url=root"),
                await writes.get("/api/chats"),
            ):
                assert (refused.status_code, refused.json()["error"]["code"]) == (403, "forbidden")
            assert (await writes.post("/api/chats", json={})).status_code == 201
            # A key is no cookie: a page of another site that has it may use it, and one that has none may not.
            elsewhere = {"origin": "https://evil.example"}
            assert (await writes.post("/api/chats", json={}, headers=elsewhere)).status_code == 201
            assert (await ada.post("/api/chats", json={}, headers=elsewhere)).status_code == 403
            mixed = {**elsewhere, "authorization": "Bearer leaf_key_none"}
            assert (await ada.post("/api/chats", json={}, headers=mixed)).status_code == 401, "no cookie beside a key"


async def test_a_key_ends(world: World) -> None:
    """When it is revoked, when its time has come, and with its person."""
    async with world.browser("ada") as ada:
        actor = await ada.actor()
        async with program(actor) as http:
            (row,) = await api_keys.listed(actor)
            assert (row.last_used_at, row.expired) == (None, False)
            assert (await http.get("/api/models")).status_code == 200
            (used,) = await api_keys.listed(actor)
            assert used.last_used_at is not None
            assert "token_hash" not in repr(used)
            stored = world.sql("SELECT to_jsonb(k)::text FROM api_keys k")[0][0]
            assert http.headers["authorization"].partition(" ")[2] not in stored
            world.sql("UPDATE api_keys SET expires_at = now() - interval '1 second'")
            assert (await http.get("/api/models")).status_code == 401
            world.sql("UPDATE api_keys SET expires_at = NULL")
            assert (await http.get("/api/models")).status_code == 200
            await api_keys.revoke(actor, row.id)
            refused = await http.get("/api/models")
            assert (refused.status_code, refused.json()["error"]["code"]) == (401, "unauthenticated")


async def test_a_stream_ends_with_the_key_that_reads_it(world: World) -> None:
    async with world.browser("ada") as ada:
        actor = await ada.actor()
        turn = await conversations.ask(actor, (await chats.begin(actor, "mine"))[0], "How many?")
        assert turn.assistant.run_id is not None
        await streams.Writer(turn.assistant.run_id, "worker").append(chunks_of("Forty-two.")[:4])
        async with program(actor) as http:
            reading = asyncio.create_task(http.get("/api/chat/mine/stream"))
            (row,) = await api_keys.listed(actor)

            async def used() -> bool:
                return (await api_keys.listed(actor))[0].last_used_at is not None

            await until(used)
            await api_keys.revoke(actor, row.id)
            async with asyncio.timeout(20):
                answer = await reading
        assert answer.status_code == 401 or "[DONE]" not in answer.text


async def test_chats_are_arranged_over_http(world: World) -> None:
    async with world.browser("ada") as ada:
        actor = await ada.actor()
        made = await ada.post("/api/chats", json={"id": "mine"})
        chat_id = made.json()["id"]
        assert (await ada.post("/api/chats", json={"id": "mine"})).json()["id"] == chat_id
        assert (await ada.post("/api/chats/mine/fork")).status_code == 409
        async with answering(actor):
            assert (await ada.post("/api/chat", json={"id": "mine", "content": "How many?"})).status_code == 200
        assert (await ada.patch("/api/chats/mine", json={"title": "Apples", "archived": True})).status_code == 204
        assert (await ada.get("/api/chats")).json() == {"chats": [], "next": None}
        (row,) = (await ada.get("/api/chats?shelf=archived")).json()["chats"]
        assert (row["id"], row["title"], row["archived"]) == (chat_id, "Apples", True)
        ((found),) = (await ada.get("/api/search?q=apples")).json()
        assert found["id"] == chat_id
        history = (await ada.get(f"/api/chats/{chat_id}")).json()
        answer = history["messages"][1]
        assert (answer["role"], answer["metadata"]["status"]) == ("assistant", "completed")
        judged = await ada.put(f"/api/messages/{answer['id']}/feedback", json={"sentiment": "up", "comment": "Good"})
        assert (judged.status_code, world.count("feedback")) == (204, 1)
        assert (await ada.delete(f"/api/messages/{answer['id']}/feedback")).status_code == 204
        fork = (await ada.post(f"/api/chats/{chat_id}/fork")).json()["id"]
        assert len((await ada.get(f"/api/chats/{fork}")).json()["messages"]) == 2
        link = (await ada.post(f"/api/chats/{chat_id}/share", json={"days": 7})).json()
        assert "Forty-two." in (await ada.get(link["url"].replace(world.settings.url, ""))).text
        assert [one["chatId"] for one in (await ada.get("/api/shares")).json()] == [chat_id]
        assert (await ada.delete(f"/api/chats/{chat_id}/share")).status_code == 204
        assert (await ada.delete(f"/api/chats/{chat_id}/share")).status_code == 404
        exported = await ada.get(f"/api/chats/{chat_id}/export.md")
        assert exported.text.startswith("# Apples")
        assert (await ada.get("/api/chats/mine/export.zip")).content.startswith(b"PK")
        assert (await ada.get("/api/usage?days=7")).json()["days"][-1]["requests"] == 0
        assert (await ada.get("/api/models")).json()[0]["id"]
        assert (await ada.delete("/api/chats/mine")).status_code == 204
        assert (await ada.get("/api/chats/mine")).status_code == 404
        gone = await ada.post("/api/chat", json={"id": "mine", "content": "How many?"})
        assert gone.status_code == 404, "its name stays taken while the deletion can be taken back"
        assert (await ada.post(f"/api/chats/{chat_id}/restore")).status_code == 204


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/nothing", 404), ("POST", "/api/nothing", 404), ("DELETE", "/api/chats", 405),
        ("GET", "/api/chats/x/files/a%0Ab", 404),
        ("PUT", "/api/chat", 405), ("GET", "/api/chat", 405),
    ],
)  # fmt: skip
async def test_what_is_no_route_is_told_as_everything_is(world: World, method: str, path: str, status: int) -> None:
    async with world.browser() as nobody:
        answer = await nobody.request(method, path)
        assert (answer.status_code, set(answer.json()["error"])) == (status, {"code", "message"})
        assert (status == 405) == ("allow" in answer.headers)


async def test_a_limit_says_when_it_ends(world: World) -> None:
    world.change(requests_per_minute=1)
    async with world.browser("ada") as ada:
        actor = await ada.actor()
        async with answering(actor):
            assert (await ada.post("/api/chat", json={"content": "One"})).status_code == 200
        refused = await ada.post("/api/chat", json={"content": "Two"})
        assert (refused.status_code, refused.json()["error"]["code"]) == (429, "rate_limited")
        assert 1 <= int(refused.headers["retry-after"]) <= 60
        assert len((await chats.page(actor)).rows) == 1


async def test_files_in_a_message_become_uploads_of_its_chat(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """They keep their names; a repeated file is stored once, and each is decoded once. # 002-01"""
    decoded: list[str | None] = []
    usual = files.decoded
    monkeypatch.setattr(files, "decoded", lambda part: (decoded.append(part.filename), usual(part))[1])
    async with world.browser("ada") as ada:
        actor = await ada.actor()
        part = {
            "type": "file",
            "mediaType": "text/markdown",
            "filename": "plan.md",
            "url": "data:text/markdown,%23%20Plan",
        }
        encoded = {"type": "file", "mediaType": "text/plain", "url": "data:text/plain;base64,b25lCnR3bwo="}
        message = user("What is in them?", parts=[{"type": "text", "text": "What is in them?"}, part, encoded])
        async with program(actor) as http, answering(actor):
            for _ in range(2):
                answer = await http.post("/api/chat", json={"id": "with-files", "messages": [message]})
                assert answer.status_code == 200, answer.text
            assert decoded == ["plan.md", None] * 2
            listed = (await http.get("/api/chats/with-files/files")).json()
            assert sorted(one["path"] for one in listed) == ["file.txt", "plan.md"]
            assert (await http.get("/api/chats/with-files/files/plan.md")).text == "# Plan"
            asked = (await http.get("/api/chats/with-files")).json()["messages"]
            assert len(asked) == 4
            assert {"plan.md", "file.txt"} <= {str(part.get("data", {}).get("path")) for part in asked[0]["parts"]}
            bad = {**part, "filename": "a.exe", "url": "data:application/octet-stream;base64,TVqQAAMAAAAEAAAA//8AAA=="}
            refused = {"id": "with-files", "messages": [{**message, "parts": [message["parts"][0], bad]}]}
            assert (await http.post("/api/chat", json=refused)).status_code == 415


@pytest.mark.parametrize("name", ["", " ", "\u3164\u2800", "\u200b\ufe0f"])
async def test_a_key_has_a_name_that_is_seen(world: World, name: str) -> None:
    """A list of keys names them by nothing else."""
    async with world.browser("ada") as ada:
        with pytest.raises(errors.Invalid):
            await api_keys.create(await ada.actor(), name, ["read"], lasts_days=30)
