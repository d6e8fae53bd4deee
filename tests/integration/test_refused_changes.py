"""Requests of programs that are refused: they change nothing."""

from uuid import uuid4

import pytest

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
