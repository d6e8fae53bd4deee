"""Requests of programs that are refused: they change nothing."""

from datetime import date
from uuid import uuid4

import pytest

from leaf.services import chats, projects
from leaf.services.library.scope import ChatScope
from tests.integration.test_api_chat import answering
from tests.integration.web_fixtures import World


@pytest.mark.parametrize(
    "wrong",
    [{"projectId": str(uuid4())}, {"projectId": "none"}, {"scope": {"folders": ["none"]}}, {"metadata": []}],
)
async def test_a_refused_change_of_a_chat_changes_nothing(world: World, wrong: dict[str, object]) -> None:
    """Not even the fields that are right. # 002-01"""
    async with world.browser("ada") as ada:
        chat = (await ada.post("/api/chats", json={"title": "Before"})).json()["id"]
        right = {"title": "After", "thinkingTokens": 2048, "archived": True}
        refused = await ada.patch(f"/api/chats/{chat}", json={**right, **wrong})
        assert refused.is_client_error, refused.text
        found = (await ada.get(f"/api/chats/{chat}")).json()
        assert (found["title"], found["thinkingTokens"], found["scope"]) == ("Before", None, None)


@pytest.mark.parametrize(
    "wrong", [{"model": "openai:none"}, {"trigger": "regenerate-message"}, {"message": "x" * 40_000}]
)
async def test_a_refused_question_leaves_the_scope_of_its_chat(world: World, wrong: dict[str, object]) -> None:
    """# 002-01"""
    async with world.browser("ada") as ada:
        chat = (await ada.post("/api/chats", json={"title": "Before"})).json()["id"]
        scope = {"since": "2026-05-01"}
        refused = await ada.post("/api/chat", json={"chatId": chat, "message": "What?", "scope": scope, **wrong})
        assert refused.is_client_error, refused.text
        assert (await ada.get(f"/api/chats/{chat}")).json()["scope"] is None


@pytest.mark.parametrize(
    ("wrong", "status"),
    [
        ({"projectId": str(uuid4())}, 404),
        ({"scope": {"folders": ["none"]}}, 400),
        ({"message": {"parts": [{"type": "text", "text": "What?"}, {"type": "file", "url": "data:,"}]}}, 400),
        ({"message": {"parts": [{"type": "text", "text": "What?"}, *[{"type": "file", "url": "data:,a"}] * 21]}}, 400),
    ],
)
async def test_a_refused_first_question_leaves_no_chat(world: World, wrong: dict[str, object], status: int) -> None:
    """# 002-01"""
    async with world.browser("ada") as ada:
        refused = await ada.post("/api/chat", json={"chatId": "mine", "message": "What?", **wrong})
        assert refused.status_code == status, refused.text
        made = await ada.post("/api/chats", json={"id": "mine"})
        assert made.status_code == 201, "there is none"


async def test_a_refused_chat_is_not_created(world: World) -> None:
    """# 002-01"""
    async with world.browser("ada") as ada:
        for wrong in ({"projectId": str(uuid4())}, {"scope": {"folders": ["none"]}}, {"metadata": []}, {"title": " "}):
            refused = await ada.post("/api/chats", json={"id": "mine", "title": "Mine", **wrong})
            assert refused.is_client_error, refused.text
        assert (await ada.post("/api/chats", json={"id": "mine"})).status_code == 201


async def test_a_chat_is_created_with_all_of_its_values_at_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """If its process ends meanwhile, there is no chat with half of them. # 002-01"""
    async with world.browser("ada") as ada:
        actor = await ada.actor()
        project = await projects.create(actor, "Cold store", scope=ChatScope(since=date(2026, 5, 1)))
        values = {"title": "Mine", "metadata": {"x": 1}, "projectId": str(project.id)}
        with monkeypatch.context() as without:
            for function in ("rename", "set_metadata", "set_scope", "move"):
                without.delattr(chats, function)
            chat = (await ada.post("/api/chats", json=values)).json()["id"]
        found = (await ada.get(f"/api/chats/{chat}")).json()
        assert (found["title"], found["metadata"], found["projectId"]) == ("Mine", {"x": 1}, str(project.id))
        assert found["scope"] == project.scope.data()


async def test_a_question_that_never_arrived_has_its_files_when_it_is_asked_again(world: World) -> None:
    """A client asks for another answer to a question whose request was lost. # 002-01"""
    async with world.browser("ada") as ada:
        actor = await ada.actor()
        file = {"type": "file", "mediaType": "text/markdown", "filename": "plan.md", "url": "data:text/markdown,%23"}
        lost = {"role": "user", "parts": [{"type": "text", "text": "What?"}, file], "metadata": {"x": 1}}
        again = {"id": "mine", "trigger": "regenerate-message", "messages": [lost]}
        await chats.begin(actor, "mine")
        async with answering(actor):
            assert (await ada.post("/api/chat", json=again)).status_code == 200
        (asked, _) = (await ada.get("/api/chats/mine")).json()["messages"]
        assert "plan.md" in {str(part.get("data", {}).get("path")) for part in asked["parts"]}
        assert [one["path"] for one in (await ada.get("/api/chats/mine/files")).json()] == ["plan.md"]
        assert asked["metadata"]["x"] == 1
