"""Tools that run at the caller: claimed by one tab, handed in once, and given up in time."""

import base64
import json
import time
from typing import Any
from uuid import UUID

import jwt
import pytest

from jobs import reaper, respond
from leaf import errors, parts, streams
from leaf.agent import models as agent_models
from leaf.api.turns import Ask
from leaf.callers import tokens
from leaf.db import Actor
from leaf.db.models import MessageStatus
from leaf.parts import client_tools
from leaf.parts.client_tools import ClientTool
from leaf.services import chats, conversations, runs
from leaf.services.runs import Claim, Delivery
from tests.integration.people import end, person
from tests.integration.test_api_chat import events_of, program
from tests.integration.web_fixtures import World

READ = {"name": "readDocument", "version": 3, "description": "The document as it is now.",
        "inputSchema": {"type": "object", "properties": {}, "additionalProperties": False},
        "outputSchema": {
            "type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}}  # fmt: skip
EDIT = {"name": "editDocument", "inputSchema": {
    "type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}}  # fmt: skip
FRESH = {"output": {"text": "as it is now"}}
CALLS_READ = {"text": "I look. ", "calls": [{"name": "readDocument", "arguments": {}}]}


@pytest.fixture
async def ada(world: World) -> Any:
    world.change(model="sandbox:sandbox-script", titles=False, related_questions=False, tool_planner=False)
    world.http.delete("/sandbox/model/requests").raise_for_status()
    yield await person("ada")
    await agent_models.close()


def script(*steps: dict[str, Any]) -> str:
    return f"```json\n{json.dumps(steps)}\n```"


async def work(run_id: UUID | None) -> None:
    """The worker's own job, in this process."""
    await respond.respond({}, str(run_id), 1)


async def asked(actor: Actor, *steps: dict[str, Any], document: str | None = "doc-1") -> chats.Message:
    """An answer that has come to where it waits."""
    tools = client_tools.declared([ClientTool(**READ), ClientTool(**EDIT)], document)
    turn = await conversations.ask(
        actor, await chats.new(actor), script(*steps), terms=conversations.Terms(tools=tools)
    )
    await work(turn.assistant.run_id)
    return await conversations.result(actor, turn.assistant.run_id)  # pyright: ignore[reportArgumentType]


def calls_of(message: chats.Message) -> list[str]:
    return [part["toolCallId"] for part in runs.open_calls(message.parts)]


async def again(actor: Actor, message: chats.Message) -> chats.Message:
    """The answer, once the worker has gone on with it."""
    run_id = await runs.run_of(actor, message.id)
    await work(run_id)
    return await conversations.result(actor, run_id)


def done(claim: Claim, answer: dict[str, Any] = FRESH, **further: Any) -> Delivery:
    return Delivery(claim.call_id, answer, **{"document": claim.document, **further})


async def test_a_claimed_call_is_handed_in_and_the_answer_goes_on_with_fresh_state(world: World, ada: Actor) -> None:
    """Three calls in one answer, each of which the model sees the result of. # 004-06, 004-14, 004-17, 004-19"""
    edits = {"calls": [{"name": "editDocument", "arguments": {"text": "new"}}]}
    message = await asked(ada, CALLS_READ, edits, CALLS_READ, {"text": "Done."})
    for tool, result in (("readDocument", {"text": "old"}), ("editDocument", "ok"), ("readDocument", {"text": "new"})):
        assert (message.status, message.details["status"]) == ("waiting", "waiting")
        (call_id,) = calls_of(message)
        claim = await runs.claim(ada, message.id, call_id, "tab")
        assert (claim.tool, claim.document, claim.run_id) == (tool, "doc-1", message.run_id)
        assert claim.version == (3 if tool == "readDocument" else 1)
        assert 0 < claim.lease_seconds <= claim.due_seconds <= 60
        await runs.deliver(ada, claim.token, done(claim, {"output": result}, document="doc-1", version=claim.version))
        message = await again(ada, message)
    assert (message.status, message.details["summary"]) == ("completed", "Done.")
    assert [part["output"] for part in message.parts if parts.is_tool(part)] == [{"text": "old"}, "ok", {"text": "new"}]
    assert parts.text_of(message.as_ui_message()).endswith("Done.")
    chunks = await streams.read(message.run_id)  # pyright: ignore[reportArgumentType]
    marks = [chunk["type"] for chunk in chunks]
    assert "tool-input-available" not in marks[: marks.index(parts.RESUMED)][-3:], "a replay does not run a tool again"
    assert parts.fold(chunks)["parts"] == message.parts


async def test_the_tools_of_a_chat_do_not_limit_those_of_its_caller(world: World, ada: Actor) -> None:
    """A caller declares its tools with each question; a chat's limit names Leaf's own. # 001-31, 004-06"""
    chat_id = await chats.new(ada)
    await chats.set_limits(ada, chat_id, chats.Limits([]))
    terms = conversations.Terms(tools=client_tools.declared([ClientTool(**READ)], "doc-1"))
    turn = await conversations.ask(ada, chat_id, script(CALLS_READ, {"text": "Done."}), terms=terms)
    await work(turn.assistant.run_id)
    message = await conversations.result(ada, turn.assistant.run_id)  # pyright: ignore[reportArgumentType]
    assert (message.status, len(calls_of(message))) == ("waiting", 1)


async def test_one_tab_has_a_call_and_another_takes_it_over_when_its_lease_ends(world: World, ada: Actor) -> None:
    """# 004-28"""
    message = await asked(ada, CALLS_READ, {"text": "Done."})
    (call_id,) = calls_of(message)
    first = await runs.claim(ada, message.id, call_id, "first")
    with pytest.raises(errors.Conflict) as refused:
        await runs.claim(ada, message.id, call_id, "second")
    assert refused.value.code == "call_claimed"
    with pytest.raises(errors.Conflict):
        await conversations.answer(ada, message.id, call_id, FRESH)
    renewed = await runs.claim(ada, message.id, call_id, "first")
    world.sql(
        "UPDATE messages SET client_calls = jsonb_set(client_calls, ARRAY['calls', %s, 'lease'], %s) WHERE id = %s",
        call_id, '"2020-01-01T00:00:00+00:00"', message.id,
    )  # fmt: skip
    second = await runs.claim(ada, message.id, call_id, "second")
    for lost in (first, renewed):
        with pytest.raises(errors.Conflict) as refused:
            await runs.deliver(ada, lost.token, done(lost))
        assert refused.value.code == "call_claimed"
    await runs.deliver(ada, second.token, done(second))
    assert (await again(ada, message)).status == "completed"


async def test_what_is_handed_in_twice_counts_once_and_something_else_is_refused(world: World, ada: Actor) -> None:
    """Also after the answer has gone on, and to its end. # 004-05, 004-08"""
    message = await asked(ada, CALLS_READ, {"text": "Done."})
    claim = await runs.claim(ada, message.id, *calls_of(message), "tab")
    await runs.deliver(ada, claim.token, done(claim))
    run_id = await runs.run_of(ada, message.id)
    await runs.deliver(ada, claim.token, done(claim))
    assert await runs.run_of(ada, message.id) == run_id
    whole = await again(ada, message)
    await runs.deliver(ada, claim.token, done(claim))
    with pytest.raises(errors.Conflict) as refused:
        await runs.deliver(ada, claim.token, done(claim, {"output": {"text": "another"}}))
    assert refused.value.code == "hook_used"
    assert (await conversations.result(ada, run_id)).parts == whole.parts
    assert len(world.http.get("/sandbox/model/requests").json()) == 2


async def test_a_token_is_good_for_its_own_call_document_and_person_alone(world: World, ada: Actor) -> None:
    """Edited, forged, `alg: none`, of another purpose or call, expired, of another document. # 004-05, 004-07"""
    message = await asked(ada, CALLS_READ, {"text": "Done."})
    other = await asked(ada, CALLS_READ, {"text": "Done."}, document="doc-2")
    claim = await runs.claim(ada, message.id, *calls_of(message), "tab")
    foreign = await runs.claim(ada, other.id, *calls_of(other), "tab")
    claims = jwt.decode(claim.token, options={"verify_signature": False})
    head, body, signature = claim.token.split(".")
    edited = base64.urlsafe_b64encode(json.dumps({**claims, "document": "doc-2"}).encode()).rstrip(b"=").decode()
    secret = world.settings.signing_secret
    bad = [
        "", "x", f"{head}.{edited}.{signature}", f"{head}.{body}.", f"{head}.{body}",
        jwt.encode(claims, None, algorithm="none"),  # pyright: ignore[reportArgumentType]
        jwt.encode(claims, "another secret of sufficient length!", algorithm="HS256"),
        tokens.sign({**claims, "aud": "x"}, key=secret, purpose="guest"),
        tokens.sign({**claims, "exp": int(time.time()) - 1}, key=secret, purpose="client-call"),
        tokens.sign({"exp": int(time.time()) + 60}, key=secret, purpose="client-call"),
    ]  # fmt: skip
    for token in bad:
        with pytest.raises(errors.Forbidden):
            await runs.deliver(ada, token, done(claim))
    with pytest.raises(errors.Forbidden):
        await runs.deliver(ada, claim.token, done(foreign))
    with pytest.raises(errors.Forbidden):
        await runs.deliver(ada, foreign.token, done(claim))
    with pytest.raises(errors.Forbidden):
        await runs.deliver(ada, claim.token, done(claim, document="doc-2"))
    with pytest.raises(errors.Invalid, match="document"):
        await runs.deliver(ada, claim.token, done(claim, document=None))
    with pytest.raises(errors.NotFound):
        await runs.deliver(await person("ben"), claim.token, done(claim))
    assert [(await conversations.result(ada, one.run_id)).status for one in (message, other)] == ["waiting"] * 2  # pyright: ignore[reportArgumentType]


async def test_parallel_calls_are_carried_out_one_after_the_other(world: World, ada: Actor) -> None:
    """# 004-09"""
    both = {"calls": [{"name": "readDocument", "arguments": {}}, {"name": "editDocument", "arguments": {"text": "x"}}]}
    message = await asked(ada, both, {"text": "Done."})
    first, second = calls_of(message)
    with pytest.raises(errors.Conflict) as refused:
        await runs.claim(ada, message.id, second, "tab")
    assert refused.value.code == "call_queued"
    claim = await runs.claim(ada, message.id, first, "tab")
    await runs.deliver(ada, claim.token, done(claim))
    assert (await conversations.result(ada, message.run_id)).status == "waiting"  # pyright: ignore[reportArgumentType]
    claim = await runs.claim(ada, message.id, second, "tab")
    await runs.deliver(ada, claim.token, done(claim, {"error": "The document is locked."}))
    whole = await again(ada, message)
    assert whole.status == "completed"
    assert [part["state"] for part in whole.parts if parts.is_tool(part)] == ["output-available", "output-error"]


async def test_another_version_and_a_result_that_does_not_fit_are_refused(world: World, ada: Actor) -> None:
    """And the token is good for a mended result. # 004-18"""
    message = await asked(ada, CALLS_READ, {"text": "Done."})
    (call_id,) = calls_of(message)
    with pytest.raises(errors.Conflict, match="version 3 of the tool, and you have version 4") as refused:
        await runs.claim(ada, message.id, call_id, "tab", 4)
    assert refused.value.code == "tool_version"
    claim = await runs.claim(ada, message.id, call_id, "tab", 3)
    with pytest.raises(errors.Conflict):
        await runs.deliver(ada, claim.token, done(claim, version=2))
    for wrong in ({"output": {"text": 5}}, {"output": "text"}, {"output": {"text": "x" * 200_000}}, {"approved": True}):
        with pytest.raises(errors.Invalid):
            await runs.deliver(ada, claim.token, done(claim, wrong))
    await runs.deliver(ada, claim.token, done(claim))
    assert (await again(ada, message)).status == "completed"


async def test_a_call_that_takes_too_long_ends_the_answer_with_an_explanation(world: World, ada: Actor) -> None:
    """# 004-10"""
    message = await asked(ada, CALLS_READ, {"text": "Never."})
    claim = await runs.claim(ada, message.id, *calls_of(message), "tab")
    await reaper.expire({})
    assert await runs.run_of(ada, message.id) == message.run_id, "its time is not up"
    world.sql("UPDATE messages SET client_due_at = now() - interval '1 second' WHERE id = %s", message.id)
    await reaper.expire({})
    await reaper.expire({})
    ended = await again(ada, message)
    assert (ended.id, ended.status, ended.error_code) == (message.id, "error", "tool-timeout")
    assert "readDocument within 60 seconds" in str(ended.error_text)
    chunks = await streams.read(ended.run_id)  # pyright: ignore[reportArgumentType]
    assert [one["type"] for one in chunks[-3:]] == ["error", "finish-step", "finish"]
    assert "readDocument within 60 seconds" in chunks[-3]["errorText"]
    (call,) = [part for part in ended.parts if parts.is_tool(part)]
    assert call["state"] == "output-error"
    with pytest.raises(errors.Conflict) as refused:
        await runs.deliver(ada, claim.token, done(claim))
    assert refused.value.code == "call_over"


async def test_an_answer_that_takes_too_long_as_a_whole_ends(world: World, ada: Actor) -> None:
    """While it waits, and while it is written. # 004-11"""
    message = await asked(ada, CALLS_READ, {"text": "Never."})
    claim = await runs.claim(ada, message.id, *calls_of(message), "tab")
    world.sql(
        "UPDATE messages SET client_due_at = now(), client_calls = jsonb_set(client_calls, '{began}', %s) "
        "WHERE id = %s", '"2020-01-01T00:00:00+00:00"', message.id,
    )  # fmt: skip
    await reaper.expire({})
    ended = await again(ada, message)
    assert (ended.status, ended.error_code) == ("error", "run-timeout")
    message = await asked(ada, CALLS_READ, {"text": "Never."})
    claim = await runs.claim(ada, message.id, *calls_of(message), "tab")
    await runs.deliver(ada, claim.token, done(claim))
    world.sql(
        "UPDATE messages SET client_calls = jsonb_set(client_calls, '{began}', %s) WHERE id = %s",
        '"2020-01-01T00:00:00+00:00"', message.id,
    )  # fmt: skip
    ended = await again(ada, message)
    assert (ended.status, ended.error_code) == ("error", "run-timeout")


async def test_stopping_and_asking_something_else_end_what_waits(world: World, ada: Actor) -> None:
    """# 004-22"""
    message = await asked(ada, CALLS_READ, {"text": "Never."})
    claim = await runs.claim(ada, message.id, *calls_of(message), "tab")
    chat_id = (await chats.page(ada)).rows[0].id
    async with program(ada) as http:
        assert (await http.post(f"/api/chat/{chat_id}/stop")).status_code == 204
        assert (await http.post(f"/api/chat/{chat_id}/stop")).status_code == 204
    stopped = (await chats.open(ada, chat_id)).messages[-1]
    assert (stopped.status, stopped.details["status"]) == ("stopped", "stopped")
    assert [part["errorText"] for part in stopped.parts if parts.is_tool(part)] == ["This was not carried out."]
    with pytest.raises(errors.Conflict):
        await runs.deliver(ada, claim.token, done(claim))
    message = await asked(ada, CALLS_READ, {"text": "Never."})
    chat_id = (await chats.page(ada)).rows[0].id
    await conversations.ask(ada, chat_id, "Something else?")
    given_up = (await chats.open(ada, chat_id)).messages[1]
    assert (given_up.id, given_up.status, given_up.details["status"]) == (message.id, "stopped", "stopped")
    assert [part["state"] for part in given_up.parts if parts.is_tool(part)] == ["output-error"]
    await reaper.expire({})


async def test_programs_claim_and_hand_in_over_http_and_no_more_often_than_allowed(world: World, ada: Actor) -> None:
    """# 004-06, 004-25"""
    message = await asked(ada, CALLS_READ, {"text": "Done."})
    (call_id,) = calls_of(message)
    claim = f"/api/messages/{message.id}/calls/{call_id}/claim"
    async with program(ada) as http:
        taken = (await http.post(claim, json={"tab": "one", "version": 3})).json()
        assert (taken["toolName"], taken["params"], taken["documentId"]) == ("readDocument", {}, "doc-1")
        hook = f"/api/hooks/{taken['hookToken']}"
        for body in ({}, {"toolCallId": call_id}, {"toolCallId": call_id, "result": 1, "error": "x"}, {"result": 1}):
            assert (await http.post(hook, json=body)).status_code == 400
        body = {"toolCallId": call_id, "version": 3, "documentId": "doc-1", "result": {"text": "now"}}
        answers = [await http.post(hook, json=body) for _ in range(2)]
        assert [(one.status_code, one.content) for one in answers] == [(204, b"")] * 2
        world.change(client_calls_per_minute=1)
        refused = await http.post(hook, json=body)
        assert (refused.status_code, refused.json()["error"]["code"]) == (429, "rate_limited")
        assert 0 < int(refused.headers["retry-after"]) <= 60
        assert (await http.post(claim, json={"tab": "one"})).status_code == 429
        guessed = await http.post("/api/hooks/guessed", json=body)
        assert guessed.status_code == 429, "whoever guesses tokens is limited as well"
        reply = {"toolCallId": call_id, "answer": {"output": {"text": "now"}}}
        assert (await http.post(f"/api/messages/{message.id}/answers", json=reply)).status_code == 429
    async with program(ada, "read") as http:
        assert (await http.post(hook, json=body)).status_code == 403, "a key that may only read hands in nothing"


async def test_results_sent_the_way_of_the_ai_sdk_go_on_once(world: World, ada: Actor) -> None:
    """The message with what its calls came to; sent again it finds the same run. # 004-08, 002-01"""
    message = await asked(ada, CALLS_READ, {"text": "Done."})
    chat_id = (await chats.page(ada)).rows[0].id
    (call_id,) = calls_of(message)
    answered = [
        {**part, "state": "output-available", "output": {"text": "now"}} if parts.is_tool(part) else part
        for part in message.parts
    ]
    body = {"id": str(chat_id), "messageId": str(message.id), "clientTools": [READ, EDIT], "documentId": "doc-1",
            "messages": [{"id": str(message.id), "role": "assistant", "parts": message.parts}]}  # fmt: skip
    async with program(ada) as http:
        missing = await http.post("/api/chat", json=body)
        assert (missing.status_code, call_id in missing.text) == (409, True)
        body["messages"] = [{"id": str(message.id), "role": "assistant", "parts": answered}]
        other = await http.post("/api/chat", json={**body, "clientTools": [{**READ, "version": 4}]})
        assert other.json()["error"]["code"] == "tool_version"
        nowhere = await http.post("/api/chat", json={**body, "messageId": "m", "id": str(chat_id)})
        assert nowhere.status_code == 400
        for document, refused in ((None, (400, "invalid")), ("doc-2", (403, "hook_refused"))):
            foreign = await http.post("/api/chat", json={**body, "documentId": document})
            assert (foreign.status_code, foreign.json()["error"]["code"]) == refused
        result = {call_id: {"output": {"text": "now"}}}
        run_id = await conversations.carry_on(ada, chat_id, message.id, result, {}, document="doc-1")
        await work(run_id)
        told = await http.post("/api/chat", json=body)
        assert told.headers["x-workflow-run-id"] == str(run_id)
        chunks = events_of(told.text)
        assert [chunks[0]["type"], chunks[0]["messageId"]] == ["start", str(message.id)]
        assert chunks[1]["type"] == "tool-output-available"
        assert "I look. " not in told.text, "what the client holds is not told again"
        changed = json.loads(json.dumps(body).replace("now", "then"))
        assert (await http.post("/api/chat", json=changed)).status_code == 409


@pytest.mark.parametrize(
    ("tools", "why"),
    [
        ([{"name": "read_file"}], "Leaf's own"),
        ([{"name": "a b"}], "name"),
        ([{"name": "a", "version": 0}], "version"),
        ([{"name": "a", "inputSchema": {"type": "string"}}], "object"),
        ([{"name": "a", "inputSchema": {"type": "object", "properties": 5}}], "no JSON schema"),
        ([{"name": "a", "outputSchema": {"$ref": "http://localhost/x"}}], "another document"),
        ([{"name": "a", "outputSchema": {"enum": ["x" * 30_000]}}], "larger"),
        ([{"name": "a"}, {"name": "a"}], "same name"),
        ([{"name": f"a{number}"} for number in range(33)], "at most 32"),
    ],
)
async def test_declarations_that_cannot_be_used_are_refused(
    world: World, ada: Actor, tools: list[dict[str, Any]], why: str
) -> None:
    """Before anything is stored. # 004-18"""
    async with program(ada) as http:
        answer = await http.post("/api/chat", json={"content": "Hello?", "clientTools": tools})
    assert (answer.status_code, answer.json()["error"]["field"].startswith("clientTools")) == (400, True), answer.text
    assert why in answer.text
    assert world.count("messages") == 0


async def test_arguments_that_do_not_fit_never_reach_the_caller(world: World, ada: Actor) -> None:
    """The model is told, and calls again. # 004-18"""
    wrong = {"calls": [{"name": "editDocument", "arguments": {"text": 5}}]}
    right = {"calls": [{"name": "editDocument", "arguments": {"text": "five"}}]}
    message = await asked(ada, wrong, right, {"text": "Done."})
    (call,) = runs.open_calls(message.parts)
    assert (call["input"], message.status) == ({"text": "five"}, "waiting")
    told = [part for part in message.parts if parts.is_tool(part)]
    assert [part["state"] for part in told] == ["output-error", "input-available"]
    chunks = await streams.read(message.run_id)  # pyright: ignore[reportArgumentType]
    available = [one["toolCallId"] for one in chunks if one["type"] == "tool-input-available"]
    assert available == [call["toolCallId"]]


async def test_what_was_allowed_the_way_of_the_ai_sdk_goes_on_once(world: World, ada: Actor) -> None:
    """Its approval is part of the message that comes back. # 002-01, 002-17"""
    chat_id = await chats.new(ada)
    turn = await conversations.ask(ada, chat_id, "Look it up?")
    asked_for = {"type": "tool-fetch", "toolCallId": "f", "input": {"url": "https://example.com"},
                 "state": "approval-requested", "approval": {"id": "f"}}  # fmt: skip
    told = [{"type": "step-start"}, asked_for]
    await end(turn.assistant.run_id, MessageStatus.WAITING, parts=told)
    said = {**asked_for, "state": "approval-responded", "approval": {"id": "f", "approved": False}}
    message_id = turn.assistant.id
    answers = {"f": {"approved": False}}
    body = {"id": str(chat_id), "messages": [{"id": str(message_id), "role": "assistant", "parts": [said]}]}
    assert Ask.model_validate(body).continued.answers == answers  # pyright: ignore[reportOptionalMemberAccess]
    run_id = await conversations.carry_on(ada, chat_id, message_id, answers, {})
    assert run_id != turn.assistant.run_id
    assert await conversations.carry_on(ada, chat_id, message_id, answers, {}) == run_id
    with pytest.raises(errors.Conflict):
        await conversations.carry_on(ada, chat_id, message_id, {"f": {"approved": True}}, {})


async def test_the_server_that_declares_tools_says_which_documents_a_caller_may_use(world: World, ada: Actor) -> None:
    """# 004-02"""
    body = {"id": "editor", "message": "Change it.", "clientTools": [READ], "documentId": "doc-2"}
    async with program(ada) as http:
        for allowed, document in ((["doc-1"], "doc-2"), ([], "doc-1"), (["doc-1"], None)):
            sent = {**body, "documentId": document, "allowedDocuments": allowed}
            refused = await http.post("/api/chat", json=sent)
            assert (refused.status_code, refused.json()["error"]["code"]) == (403, "document_refused")
        assert (await http.get("/api/chats/editor")).status_code == 404, "nothing was begun"
        empty = await http.post("/api/chat", json={**body, "message": "", "allowedDocuments": ["doc-2"]})
        assert empty.json()["error"]["field"] == "message"
