"""Models of one's own machine: found, offered, asked, and named where they cannot answer."""

import asyncio
import gzip
import tracemalloc
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from uuid import UUID

import pytest

from jobs import respond
from leaf import parts
from leaf.agent import models as agent_models
from leaf.config import local, model_servers
from leaf.db import Actor
from leaf.services import chats, conversations
from leaf.services import models as model_service
from tests import model_server
from tests.integration.web_fixtures import World
from tests.model_server import Kind, Standin


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """Servers that one test has found are unknown to the next one."""
    yield
    local.forget()


@pytest.fixture
async def actor(world: World) -> AsyncIterator[Actor]:
    async with world.browser() as browser:
        await browser.sign_in("ada")
        yield await browser.actor()
    await agent_models.close()


def _use(world: World, *servers: Standin) -> None:
    world.change(
        local_models=",".join(f"http://{one.address}/v1" for one in servers), titles=False, related_questions=False
    )


async def _asked(actor: Actor, model: str | None, chat_id: UUID | None = None) -> chats.Message:
    chat_id = chat_id or await chats.new(actor)
    terms = conversations.Terms(asked_model=model)
    turn = await conversations.ask(actor, chat_id, "What is the rent?", terms=terms)
    await respond.respond({}, str(turn.assistant.run_id), 1)
    return (await chats.open(actor, chat_id)).messages[-1]


KINDS: list[tuple[Kind, str]] = [
    ("ollama", "Ollama"), ("lm studio", "LM Studio"), ("llama.cpp", "llama.cpp"), ("vllm", "vLLM"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "label"), KINDS)
async def test_a_model_of_this_machine_is_found_and_answers(world: World, actor: Actor, kind: Kind, label: str) -> None:
    """Its server's own protocol names it and the size of its context. # 000-65, 002-52"""
    with model_server.running(kind, loaded=["parrot:3b"]) as server:
        _use(world, server)
        await model_servers.look()
        model = model_service.offered()[-1]
        assert (model.id, model.label) == (f"local:{server.address}/parrot:3b", "parrot:3b")
        assert model.server == f"{label} · {server.address}"
        assert local.model(model.id) == local.Model(
            "parrot:3b", server.context, *((None, None) if kind in {"llama.cpp", "vllm"} else (True, False))
        )
        answer = await _asked(actor, model.id)
    assert (answer.status, parts.text_of({"parts": answer.parts}).strip()) == ("completed", model_server.ANSWER)
    assert answer.details["modelId"] == model.id


async def test_only_models_that_can_answer_are_offered(world: World) -> None:
    """Neither one for embeddings nor one that cannot call tools. # 002-52"""
    with model_server.running("ollama", toolless=["poet:1b"]) as server:
        _use(world, server)
        await model_servers.look()
        assert [one.label for one in model_service.offered()][1:] == ["parrot:3b"]
        assert {one.name for one in local.found()[0].models} == {"parrot:3b", "poet:1b"}


async def test_another_program_at_a_usual_port_is_asked_once(world: World) -> None:
    with model_server.running("vllm", models=[]) as server:
        server.respond = lambda path, body: (server.asked.append((path, body)), (200, "<html>"))[1]
        _use(world, server)
        await model_servers.look()
        asked = len(server.asked)
        await model_servers.look()
        assert (local.found(), len(server.asked)) == ((), asked)
        await model_servers.look(again=True)
        assert len(server.asked) == 2 * asked


async def test_an_answer_that_is_packed_twice_is_not_unpacked(world: World) -> None:
    """A kilobyte of another program at a usual port became 200 MB in each process. # 002-52"""
    body = gzip.compress(gzip.compress(bytes(200_000_000), 1))
    head = f"HTTP/1.1 200 OK\r\ncontent-encoding: gzip, gzip\r\ncontent-length: {len(body)}\r\n\r\n".encode()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError):
            while asked := await reader.readuntil(b"\r\n\r\n"):
                assert b"accept-encoding: identity" in asked.lower()
                writer.write(head + body)
        writer.close()

    async with await asyncio.start_server(handle, "127.0.0.1", 0) as listening:
        world.change(local_models=f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1")
        tracemalloc.start()
        try:
            await model_servers.look(again=True)
            assert tracemalloc.get_traced_memory()[1] < 20_000_000
        finally:
            tracemalloc.stop()
    assert local.found() == ()


async def test_switched_off_nothing_is_looked_for(world: World) -> None:
    with model_server.running("ollama") as server:
        _use(world, server)
        world.change(local_models="off")
        await model_servers.look()
        assert (local.found(), server.asked) == ((), [])


async def test_a_stopped_server_says_so_and_no_other_model_answers(world: World, actor: Actor) -> None:
    """With its name and its address; the chat keeps its model. # 001-21, 002-08"""
    chat_id = await chats.new(actor)
    with model_server.running("ollama") as server:
        _use(world, server)
        await model_servers.look()
        model = f"local:{server.address}/parrot:3b"
        assert (await _asked(actor, model, chat_id)).status == "completed"
    await model_servers.look()
    answer = await _asked(actor, None, chat_id)
    assert (answer.status, answer.error_code, answer.details["modelId"]) == ("error", "model_unavailable", model)
    assert answer.error_text == (
        f"The model server at {server.address} does not answer, so parrot:3b cannot answer either. "
        "Start the server and try again, or choose another model."
    )


async def test_an_unknown_model_says_so(world: World, actor: Actor) -> None:
    """# 001-21"""
    with model_server.running("ollama") as server:
        _use(world, server)
        answer = await _asked(actor, f"local:{server.address}/eagle:9b")
    assert (answer.status, answer.error_code) == ("error", "model_not_found")
    assert f"The server at {server.address} has no model eagle:9b." in (answer.error_text or "")


async def test_a_server_that_redirects_questions_says_so(world: World, actor: Actor) -> None:
    """They would reach a host that nobody has configured. # 001-21"""
    with model_server.running("ollama") as other:
        redirect = f"http://{other.address}/v1/chat/completions"
        with model_server.running("ollama", redirect=redirect) as server:
            _use(world, server)
            answer = await _asked(actor, f"local:{server.address}/parrot:3b")
    assert (answer.status, answer.error_code, other.asked) == ("error", "model_unavailable", [])
    assert f"The server at {server.address} redirects requests for parrot:3b to another address" in (
        answer.error_text or ""
    )


async def test_a_model_that_cannot_call_tools_says_so(world: World, actor: Actor) -> None:
    """# 001-21"""
    with model_server.running("llama.cpp", toolless=["poet:1b"]) as server:
        _use(world, server)
        answer = await _asked(actor, f"local:{server.address}/poet:1b")
    assert (answer.status, answer.error_code) == ("error", "model_tools")
    assert f"poet:1b at {server.address} cannot call tools" in (answer.error_text or "")


@pytest.mark.parametrize("kind", ["ollama", "llama.cpp"])
async def test_a_context_that_is_too_small_says_so(world: World, actor: Actor, kind: Kind) -> None:
    """Ollama would cut the question without an error: its model is loaded first, and asked for its context. # 001-21"""
    with model_server.running(kind, context=2048) as server:
        _use(world, server)
        answer = await _asked(actor, f"local:{server.address}/parrot:3b")
        completions = [path for path, _ in server.asked if path == "/v1/chat/completions"]
    assert (answer.status, answer.error_code, completions) == ("error", "model_context", [])
    assert f"parrot:3b at {server.address} reads 2,048 tokens at once, and Leaf needs at least" in (
        answer.error_text or ""
    )


async def test_a_server_that_refuses_a_request_as_too_long_says_so(world: World, actor: Actor) -> None:
    """# 001-21"""
    with model_server.running("llama.cpp", context=1500) as server:
        world.change(
            model="openai-compatible:parrot:3b", openai_compatible_api_key="any", titles=False, related_questions=False,
            openai_compatible_base_url=f"http://{server.address}/v1",
        )  # fmt: skip
        answer = await _asked(actor, None)
    assert (answer.status, answer.error_code) == ("error", "model_context")
    assert f"parrot:3b at {server.address} cannot read this question at once" in (answer.error_text or "")
