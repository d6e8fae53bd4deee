"""Pictures that came with a question: seen by models that see, read to others, and stored in no turn."""

import asyncio
import base64
from typing import Any
from uuid import UUID

import pytest

from jobs import respond
from leaf import errors
from leaf.agent import models as agent_models
from leaf.db import Actor
from leaf.services import chats, conversations
from leaf.services.files import ChatFiles
from leaf.views import chips
from tests.acceptance.stack import until
from tests.integration.people import person
from tests.integration.test_api_chat import program, user
from tests.integration.web_fixtures import World
from tests.unit.test_scans import picture

SEEING, BLIND = "sandbox:sandbox-script", "sandbox:sandbox-blind"
WORDS = "Pallets wet, refused"


@pytest.fixture
async def actor(world: World) -> Any:
    world.change(model=SEEING)
    yield await person("ada")
    await agent_models.close()


async def _ask(actor: Actor, chat_id: UUID, *paths: str, text: str = "Look at this.") -> chats.Message:
    asked = f'{text}\n```json\n[{{"text": "I have seen it."}}]\n```'
    turn = await conversations.ask(actor, chat_id, asked, extras={"files": [*paths]})
    assert turn.assistant.run_id is not None
    await respond.respond({}, str(turn.assistant.run_id), 1)
    return await conversations.result(actor, turn.assistant.run_id)


def _requests(world: World) -> list[dict[str, Any]]:
    """The requests for answers since the last time; titles and the like have no tools."""
    found = [one for one in world.http.get("/sandbox/model/requests").json() if one["tools"]]
    world.http.delete("/sandbox/model/requests").raise_for_status()
    return found


async def test_a_model_that_sees_gets_the_picture_and_the_chat_keeps_no_copy(world: World, actor: Actor) -> None:
    """It gets the picture again with the next question, and never the picture of another chat. # 001-26"""
    chat_id = await chats.new(actor)
    for name, form in (("note.png", "PNG"), ("photo.jpg", "JPEG"), ("scan.webp", "WEBP")):
        await ChatFiles(actor, chat_id).upload(name, picture(WORDS, name, form=form))
    _requests(world)
    answer = await _ask(actor, chat_id, "note.png", "photo.jpg", "scan.webp")
    assert (answer.status, answer.parts[-1]["text"]) == ("completed", "I have seen it.")
    (request,) = _requests(world)
    assert [one["media_type"] for one in request["pictures"]] == ["image/jpeg"] * 3
    assert all(one["bytes"] > 2_000 for one in request["pictures"])
    assert WORDS not in request["question"]
    (stored,) = world.sql("SELECT model_messages::text FROM messages WHERE model_messages IS NOT NULL")
    assert len(stored[0]) < 6_000
    await _ask(actor, chat_id, text="And now?")
    assert len(_requests(world)[0]["pictures"]) == 3
    await _ask(actor, await chats.new(actor), text="And here?")
    assert _requests(world)[0]["pictures"] == []


async def test_a_model_that_does_not_see_gets_the_text_of_the_picture(world: World, actor: Actor) -> None:
    """# 001-26"""
    world.change(model=BLIND)
    chat_id = await chats.new(actor)
    await ChatFiles(actor, chat_id).upload("note.png", picture("Two lines are here", WORDS))
    await ChatFiles(actor, chat_id).upload("blank.png", picture())
    _requests(world)
    assert (await _ask(actor, chat_id, "note.png", "blank.png")).status == "completed"
    request, *_ = _requests(world)
    assert (request["pictures"], request["status"]) == ([], 200)
    assert WORDS in request["question"]
    assert "blank.png is a picture that shows no text" in request["question"]


async def test_a_model_that_refuses_pictures_is_asked_again_with_their_text(world: World, actor: Actor) -> None:
    """Nobody knew that it does not see. # 001-26"""
    world.change(
        model="openai-chat:sandbox-blind",
        openai_api_key="any",
        openai_base_url=f"{world.settings.sandbox_url}/openai/v1",
    )
    chat_id = await chats.new(actor)
    await ChatFiles(actor, chat_id).upload("note.png", picture(WORDS))
    _requests(world)
    assert (await _ask(actor, chat_id, "note.png")).status == "completed"
    first, second, *_ = world.http.get("/sandbox/model/requests").json()
    assert (first["status"], len(first["pictures"])) == (400, 1)
    assert (second["status"], second["pictures"]) == (200, [])
    assert WORDS in second["question"]


async def test_pictures_of_another_chat_or_member_cannot_be_attached(world: World, actor: Actor) -> None:
    """# 001-26"""
    other = await chats.new(actor)
    await ChatFiles(actor, other).upload("secret.png", picture(WORDS))
    _requests(world)
    for asker, chat_id, expected in (
        (actor, await chats.new(actor), errors.NotFound),
        (await person("ben"), other, errors.NotFound),
    ):
        with pytest.raises(expected):
            await _ask(asker, chat_id, "secret.png")
    assert [one for one in _requests(world) if one["pictures"]] == []


async def test_a_picture_sent_within_a_message_reaches_the_model(world: World, actor: Actor) -> None:
    """As the AI SDK sends files: a part with a `data:` URL. It is drawn for the page of the chat. # 002-01"""
    data = base64.b64encode(picture(WORDS)).decode()
    file = {"type": "file", "mediaType": "image/png", "filename": "note.png", "url": f"data:image/png;base64,{data}"}
    words = {"type": "text", "text": '```json\n[{"text": "I have seen it."}]\n```'}
    _requests(world)
    async with program(actor) as http:
        asking = asyncio.create_task(
            http.post("/api/chat", json={"id": "with-picture", "messages": [user("", parts=[words, file])]})
        )
        await until(lambda: bool(_begun(world)))
        await respond.respond({}, str(_begun(world)[0][0]), 1)
        assert (await asking).status_code == 200
        assert [one["media_type"] for one in _requests(world)[0]["pictures"]] == ["image/jpeg"]
        asked = (await http.get("/api/chats/with-picture")).json()["messages"][0]
        (chip,) = chips.attachments(asked["parts"])
        drawn = await http.get(f"/api/chats/with-picture/pictures/{chip.picture}")
        assert (drawn.status_code, drawn.headers["content-type"]) == (200, "image/jpeg")


def _begun(world: World) -> list[Any]:
    return world.sql("SELECT workflow_run_id FROM messages WHERE workflow_run_id IS NOT NULL")
