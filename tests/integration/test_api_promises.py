"""Promises of the HTTP API to programs that send what nobody expected."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from functools import partial
from typing import Any
from urllib.parse import quote
from uuid import UUID, uuid4

import pytest
from sqlmodel import col, select

from leaf import errors
from leaf.api import application, routing, ui_chunks
from leaf.api.routing import USUAL_BODY_BYTES, Route
from leaf.db import models
from leaf.db.session import Actor, transaction
from leaf.services import chats, conversations
from leaf.services.files import uploads
from leaf.services.files.store import Store
from leaf.streams import hub
from tests.integration.people import end
from tests.integration.redis_fixtures import until
from tests.integration.web_fixtures import World
from tests.integration.widget_pages import Site

UNSTORABLE = {"U+0000": "a%00b", "half a character": "a%ED%A0%80b", "no UTF-8": "a%ffb"}
ROUTES = [route for route in application(pages_port=None).routes if isinstance(route, Route)]


def _path(route: Route, value: str) -> str:
    """The path of a route whose parameters all have a value."""
    path = route.path
    for name in route.param_convertors:
        path = path.replace(f"{{{name}:path}}", value).replace(f"{{{name}}}", value)
    return path


@pytest.mark.parametrize("value", UNSTORABLE.values(), ids=UNSTORABLE)
async def test_text_that_cannot_be_stored_is_refused_in_every_path_and_query(world: World, value: str) -> None:
    """# 002-01"""
    async with world.browser("ada") as ada:
        for route in ROUTES:
            (method,) = route.methods
            answers = [await ada.request(method, f"{_path(route, str(uuid4()))}?q=1&{value}={value}")]
            if route.param_convertors:
                answers.append(await ada.request(method, _path(route, value)))
            for answer in answers:
                assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid"), route.path
        searched = await ada.get(f"/api/search?q={value}")
        assert (searched.status_code, searched.json()["error"]["field"]) == (400, "q")


@pytest.mark.parametrize("text", ["a\\u0000b", "\\ud800", "a\\udc00"])
async def test_text_that_cannot_be_stored_is_refused_in_every_body(world: World, text: str) -> None:
    """Wherever it stands, also in fields that Leaf does not read. # 002-01"""
    async with world.browser("ada") as ada:
        for route in ROUTES:
            if not _has_json(route):
                continue
            (method,) = route.methods
            for body in (f'{{"more": [{{"x": "{text}"}}]}}', f'{{"{text}": 1}}'):
                path = _path(route, str(uuid4()))
                sent = {"content": body, "headers": {"content-type": "application/json"}}
                answer = await ada.request(method, path, **sent)
                assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid"), (route.path, body)
        sent = {
            "content": f'{{"messages": [{{"content": "{text}"}}]}}',
            "headers": {"content-type": "application/json"},
        }
        named = await ada.post("/api/chat", **sent)
        assert (named.status_code, named.json()["error"]["field"]) == (400, "messages[0].content")


BODIES = {
    "half a character": b'{"title": "a\xed\xa0\x80"}',
    "UTF-16": '{"title": "a\\u0000"}'.encode("utf-16"),
    "UTF-16 without a mark": '{"title": "a\\u0000"}'.encode("utf-16-le"),
    "UTF-32": '{"title": "a\\u0000"}'.encode("utf-32"),
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
async def test_json_that_is_not_utf_8_is_refused_in_every_body(world: World, body: bytes) -> None:
    """Such a body could hold text that cannot be stored, where no escape says so. # 002-01"""
    async with world.browser("ada") as ada:
        headers = {"content-type": "application/json"}
        for route in ROUTES:
            if not _has_json(route):
                continue
            (method,) = route.methods
            answer = await ada.request(method, _path(route, str(uuid4())), content=body, headers=headers)
            assert (answer.status_code, answer.json()["error"]["field"]) == (400, "body"), route.path
        large = await ada.post("/api/chat", content=json.dumps({"message": "a" * 300_000}).encode("utf-16"))
        assert (large.status_code, large.json()["error"]["field"]) == (400, "body")


def _has_json(route: Route) -> bool:
    return route.body_field is not None


@pytest.mark.parametrize("text", ["\\ud83d\\ude00", "\\\\u0000", "d\\u00e9j\\u00e0"])
async def test_escapes_of_text_that_can_be_stored_are_taken(world: World, text: str) -> None:
    async with world.browser("ada") as ada:
        sent = {"content": f'{{"title": "{text}"}}', "headers": {"content-type": "application/json"}}
        made = await ada.post("/api/chats", **sent)
        assert made.status_code == 201, made.text
        shown = await ada.get(f"/api/chats/{made.json()['id']}")
        assert shown.json()["title"] == json.loads(f'"{text}"')


@pytest.mark.parametrize("name", ["a/b", "/", ".", "..", "a\nb", "a\tb"])
async def test_a_name_that_no_address_can_hold_is_refused(world: World, name: str) -> None:
    """Each name that `POST /api/chat` accepts can be read, resumed and stopped. # 002-01"""
    async with world.browser("ada") as ada:
        for path, field in (("/api/chat", "id"), ("/api/chat", "chatId"), ("/api/chats", "id")):
            answer = await ada.post(path, json={field: name, "message": "How many?"})
            assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)


@pytest.mark.parametrize("name", ["a b", "ä?#%&", "page-1.json", "a\\b", "x" * 200])
async def test_every_name_that_is_taken_is_reachable(world: World, name: str) -> None:
    """# 002-01"""
    async with world.browser("ada") as ada:
        made = await ada.post("/api/chats", json={"id": name})
        found = await ada.get(f"/api/chats/{quote(name, safe='')}")
        assert found.json()["id"] == made.json()["id"]


WITH_REFUSED_FILE = {
    "role": "user",
    "parts": [
        {"type": "text", "text": "?"},
        {"type": "file", "mediaType": "text/plain", "filename": "a.txt", "url": "data:text/plain;base64,aGVsbG8="},
        {
            "type": "file",
            "mediaType": "application/zip",
            "filename": "a.zip",
            "url": "data:application/zip;base64,AAAA",
        },
    ],
}
"""A question whose second file is refused after the first one was read."""
WITH_FILE = {**WITH_REFUSED_FILE, "parts": WITH_REFUSED_FILE["parts"][:2]}
_WAITING_FOR_A_LOCK = """
    SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database
    WHERE d.datname = current_database() AND l.locktype = 'advisory' AND NOT l.granted
"""


async def _chats_of(actor: Actor) -> int:
    async with transaction(actor, read_only=True) as tx:
        query = select(models.ChatSession.id).where(col(models.ChatSession.created_by) == actor.user_id)
        return len((await tx.session.exec(query)).all())


@pytest.mark.parametrize(
    "refused",
    [
        {"message": "x" * 32_001},
        {"message": "?", "searchMode": "never"},
        {"message": "?", "model": "none:such"},
        {"messages": [WITH_REFUSED_FILE]},
    ],
)
@pytest.mark.parametrize("name", [{}, {"id": "mine"}])
async def test_a_refused_first_question_leaves_no_chat(
    world: World, refused: dict[str, Any], name: dict[str, Any]
) -> None:
    """Not even an empty one, whoever has chosen its id; the id can be used afterwards. # 002-01"""
    async with world.browser("ada") as ada:
        actor = await ada.actor()
        before = await _chats_of(actor)
        answer = await ada.post("/api/chat", json={**name, **refused})
        assert answer.status_code in {400, 404, 415}
        assert await _chats_of(actor) == before
        if name:
            assert (await ada.get("/api/chats/mine")).status_code == 404
            assert (await chats.begin(actor, "mine"))[1]


@pytest.mark.parametrize(
    ("refused", "status"),
    [({"messages": [WITH_REFUSED_FILE]}, 415), ({"messages": [WITH_FILE], "model": "no:ne"}, 404)],
)
async def test_a_refused_question_leaves_no_files_in_its_chat(
    world: World, refused: dict[str, Any], status: int
) -> None:
    """A question and its files are stored together, or not at all. # 002-01"""
    async with world.browser("ada") as ada:
        await ada.post("/api/chats", json={"id": "mine"})
        answer = await ada.post("/api/chat", json={"id": "mine", **refused})
        assert answer.status_code == status, answer.text
        assert (await ada.get("/api/chats/mine/files")).json() == []


async def test_a_question_during_an_answer_leaves_no_files_in_its_chat(world: World) -> None:
    """# 002-01"""
    async with world.browser("ada") as ada:
        actor = await ada.actor()
        chat_id, _ = await chats.begin(actor, "mine")
        turn = await conversations.ask(actor, chat_id, "First?")
        answer = await ada.post("/api/chat", json={"id": "mine", "messages": [WITH_FILE]})
        assert answer.status_code == 409, answer.text
        assert (await ada.get("/api/chats/mine/files")).json() == []
        await end(turn.assistant.run_id)


async def test_a_question_with_files_waits_for_a_change_of_files_that_came_first(world: World) -> None:
    """Both lock the files before the chat; in another order each would wait for the other. # 002-01"""
    async with world.browser("ada") as ada:
        actor = await ada.actor()
        chat_id, _ = await chats.begin(actor, "mine")
        first, second = [await uploads.read(actor, chat_id, f"{name}.txt", b"Words.") for name in ("first", "second")]
        terms = conversations.Terms(uploads=[second])
        async with transaction(actor) as tx:
            files = Store(tx, chat_id, actor.user_id)
            await files.begin()
            asking = asyncio.create_task(conversations.ask(actor, chat_id, "?", terms=terms))
            await until(lambda: bool(world.sql(_WAITING_FOR_A_LOCK)))
            await uploads.put(files, first)
        turn = await asking
        assert [one["path"] for one in (await ada.get("/api/chats/mine/files")).json()] == ["first.txt", "second.txt"]
        assert [part["data"]["path"] for part in turn.user.parts[1:]] == ["second.txt"]
        await end(turn.assistant.run_id)


async def test_an_unknown_route_says_that_it_is_one(world: World) -> None:
    """# 002-01"""
    async with world.browser("ada") as ada:
        for path in ("/api/nothing", "/api/chat/x/y/z"):
            answer = await ada.get(path)
            assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")
            assert "route" in answer.json()["error"]["message"]
            assert "page" not in answer.json()["error"]["message"]


async def test_a_model_is_chosen_per_chat(world: World) -> None:
    """A named model is used, for further questions of the chat as well, or refused. # 000-65, 002-08"""
    world.change(fallbacks="sandbox:sandbox-slow")
    async with world.browser("ada") as ada:
        actor = await ada.actor()
        usual, other = [one["id"] for one in (await ada.get("/api/models")).json()][:2]

        async def asked(**fields: str) -> str:
            sending = asyncio.create_task(
                ada.post("/api/chat", json={"id": "mine", "message": f"How many? {uuid4()}", **fields})
            )
            chat_id = await chats.named(actor, "mine")
            await until(partial(_is_running, actor, chat_id))
            turn = await conversations.active(actor, chat_id)
            assert turn is not None
            await end(turn.assistant.run_id, details=turn.assistant.details)
            assert (await sending).status_code == 200
            return turn.assistant.details["modelId"]

        assert await asked() == usual
        assert await asked(model=other) == other
        assert await asked() == other, "the chat keeps it"
        refused = await ada.post("/api/chat", json={"id": "mine", "message": "Again?", "model": "openai:none"})
        assert (refused.status_code, refused.json()["error"]["code"]) == (404, "not_found")
        assert await asked(model="default") == usual
        assert await asked() == usual


async def test_the_last_answer_is_written_again_without_its_id(world: World) -> None:
    """A chat without an answer has none to write again. # 002-01"""
    async with world.browser("ada") as ada:
        actor = await ada.actor()
        again = {"id": "mine", "trigger": "regenerate-message"}
        chat_id, _ = await chats.begin(actor, "mine")
        assert (await ada.post("/api/chat", json=again)).status_code == 404
        first = await conversations.ask(actor, chat_id, "One?")
        await end(first.assistant.run_id)
        sending = asyncio.create_task(ada.post("/api/chat", json=again))
        await until(partial(_is_running, actor, chat_id))
        turn = await conversations.active(actor, chat_id)
        assert turn is not None
        await end(turn.assistant.run_id)
        assert (await sending).status_code == 200
        assert turn.user.id == first.user.id
        assert turn.assistant.id != first.assistant.id


async def _is_running(actor: Actor, chat_id: UUID) -> bool:
    try:
        return await conversations.active(actor, chat_id) is not None
    except errors.NotFound:
        return False


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("message", "x" * 32_001),
        ("content", "x" * 32_001),
        ("message", {"parts": [{"type": "text", "text": "x" * 32_001}]}),
        ("messages", [{"role": "user", "parts": [{"type": "text", "text": "x" * 32_001}]}]),
    ],
    ids=["message", "content", "message of parts", "messages"],
)
async def test_a_question_that_is_too_long_is_refused_under_the_field_that_holds_it(
    world: World, field: str, value: object
) -> None:
    """# 002-01"""
    async with world.browser("ada") as ada:
        answer = await ada.post("/api/chat", json={"id": "mine", field: value})
        error = answer.json()["error"]
        assert (answer.status_code, error["field"], "32,000" in error["message"]) == (400, field, True)
        unknown = await ada.post("/api/chat/mine/stop")
        assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, "not_found")


@pytest.mark.parametrize("address", ["/api/chat", "/api/chat?waiting=off"])
async def test_a_question_that_no_worker_takes_says_so_in_its_stream(
    world: World, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    """A part without an index, the first of the stream, says so; clients that count chunks get none. # 001-21"""
    monkeypatch.setattr(sys.modules["leaf.streams.follow"], "UNTAKEN_SECONDS", 0.2)
    monkeypatch.setattr(hub, "SILENCE_SECONDS", 0.1)
    noticed, untaken = asyncio.Event(), ui_chunks.Encoder.untaken

    def notice(encoder: ui_chunks.Encoder) -> bytes:
        noticed.set()
        return untaken(encoder)

    monkeypatch.setattr(ui_chunks.Encoder, "untaken", notice)
    async with world.browser("ada") as ada:
        actor = await ada.actor()
        sending = asyncio.create_task(ada.post(address, json={"id": "mine", "message": "How many?"}))
        await noticed.wait()
        turn = await conversations.active(actor, await chats.named(actor, "mine"))
        assert turn is not None
        await end(turn.assistant.run_id)
        lines = [line for line in (await sending).text.splitlines() if line]
    first = lines[0].removeprefix("data: ")
    if address.endswith("off"):
        assert "data-waiting" not in first
    else:
        text = "Waiting for a worker. Your question is kept, and answered as soon as one is free."
        assert json.loads(first) == {"type": "data-waiting", "data": {"text": text}, "transient": True}
    assert lines[-1] == "data: [DONE]"


@pytest.mark.parametrize("kind", [None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
async def test_a_body_whose_type_is_not_json_is_refused_with_the_type_to_send(world: World, kind: str | None) -> None:
    """The type is what is wrong, and not the body. # 002-01"""
    async with world.browser("ada") as ada:
        for route in ROUTES:
            if _has_json(route) and route.path != "/api/chat":
                (method,) = route.methods or ()
                headers = {"content-type": kind} if kind else {}
                answer = await ada.request(
                    method, _path(route, str(uuid4())), content=b'{"title": "x"}', headers=headers
                )
                assert (answer.status_code, answer.json()["error"]["field"]) == (400, "Content-Type"), route.path
                assert "application/json" in answer.json()["error"]["message"]


def _gets() -> list[Route]:
    return [route for route in ROUTES if "GET" in (route.methods or ())]


async def test_head_is_answered_wherever_get_is(world: World) -> None:
    """With the status and the headers of GET, and no body. # 002-01"""
    async with world.browser("ada") as ada:
        actor = await ada.actor()
        chat_id, _ = await chats.begin(actor, "mine")
        turn = await conversations.ask(actor, chat_id, "Why?")
        values = {"run_id": str(turn.assistant.run_id), "chat": "mine"}
        for route in _gets():
            path = route.path
            for name in route.param_convertors:
                path = path.replace(f"{{{name}:path}}", "x").replace(f"{{{name}}}", values.get(name, str(uuid4())))
            head = await ada.head(path)
            assert head.status_code != 405, path
            assert head.content == b"", path
            if not head.headers["content-type"].startswith("text/event-stream"):
                got = await ada.get(path)
                assert got.status_code == head.status_code, path
        assert (await ada.head("/api/chat")).status_code == 405
        assert (await ada.put("/api/chats")).headers["allow"] == "GET, HEAD, POST"
        await end(turn.assistant.run_id)


async def test_head_does_not_begin_a_stream(world: World) -> None:
    """It would last as long as the answer is being written. # 002-01"""
    async with world.browser("ada") as ada:
        actor = await ada.actor()
        chat_id, _ = await chats.begin(actor, "mine")
        turn = await conversations.ask(actor, chat_id, "Why?")
        async with asyncio.timeout(20):
            for path in ("/api/chat/mine/stream", f"/api/runs/{turn.assistant.run_id}"):
                answer = await ada.head(path)
                assert (answer.status_code, answer.content) == (200, b"")
                assert answer.headers["content-type"].startswith("text/event-stream")
                assert answer.headers["x-workflow-run-id"] == str(turn.assistant.run_id)
                assert "content-length" not in answer.headers
        await end(turn.assistant.run_id)


@pytest.mark.parametrize("field", ["folders", "files"])
async def test_a_wrong_place_of_a_scope_is_named_by_its_own_field(world: World, field: str) -> None:
    """# 002-01"""
    async with world.browser("ada") as ada:
        await ada.post("/api/chats", json={"id": "mine"})
        body = {"scope": {field: ["https://example.org/x"]}}
        for answer in (
            await ada.post("/api/chats", json=body),
            await ada.patch("/api/chats/mine", json=body),
            await ada.post("/api/chat", json={"message": "Why?", **body}),
        ):
            assert (answer.status_code, answer.json()["error"]["field"]) == (400, f"scope.{field}[0]")


async def test_a_chat_that_exists_is_not_changed_by_creating_it_again(world: World) -> None:
    """The same request may be sent again, and another one does not rename the chat. # 002-01"""
    async with world.browser("ada") as ada:
        first = await ada.post("/api/chats", json={"id": "mine", "title": "First", "metadata": {"n": 1}})
        assert first.status_code == 201
        for again in ({"title": "First"}, {"title": "Second", "metadata": {"n": 2}, "scope": {"kinds": ["pdf"]}}):
            answer = await ada.post("/api/chats", json={"id": "mine", **again})
            assert (answer.status_code, answer.json()) == (200, first.json())
        found = (await ada.get("/api/chats/mine")).json()
        assert (found["title"], found["metadata"], found["scope"]) == ("First", {"n": 1}, None)


async def test_every_body_has_its_limit_and_a_file_has_that_of_files(world: World) -> None:
    """A route that takes a file reads it itself, past the limit of other bodies. # 002-01"""
    long = {"content-length": str(10**9)}
    takes_file: set[str] = set()
    async with world.browser("ada") as ada:
        site = await Site.make(await ada.actor())
        await ada.post("/api/chats", json={"id": "mine"})
        for route in ROUTES:
            (method,) = route.methods or ()
            path = _path(route, str(uuid4()))
            content = (route.openapi_extra or {}).get("requestBody", {}).get("content", {})
            if "multipart/form-data" in content:
                takes_file.add(route.path)
                path = route.path.format(chat="mine", agent=site.agent_id)
                sent = {"file": ("long.md", b"word and word\n" * (USUAL_BODY_BYTES // 10))}
                answer = await ada.post(path, files=sent)
                assert answer.is_success, f"{path}: {answer.text}"
                refused = await ada.post(path, files={"file": ("x.md", b"x")}, headers=long)
                assert refused.status_code == 413, path
            elif _has_json(route):
                sent = {"content": b"{}", "headers": {**long, "content-type": "application/json"}}
                refused = await ada.request(method, path, **sent)
                assert (refused.status_code, refused.json()["error"]["code"]) == (413, "too_large"), path
    assert takes_file == {"/api/chats/{chat}/files", "/api/imports", "/api/agents/{agent}/knowledge"}


async def test_a_body_that_never_ends_is_refused_in_time(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that keeps its request open holds nothing for longer. # 002-01"""
    monkeypatch.setattr(routing, "BODY_SECONDS", 0.2)
    over = asyncio.Event()

    async def pieces() -> AsyncIterator[bytes]:
        yield b'{"title": '
        await over.wait()

    async with world.browser("ada") as ada, asyncio.timeout(20):
        for path in ("/api/chats", "/api/chat"):
            answer = await ada.post(path, content=pieces(), headers={"content-type": "application/json"})
            assert (answer.status_code, answer.json()["error"]["code"]) == (408, "timeout"), path
    over.set()
