"""The database itself refuses parts that no page could draw."""

from typing import Any

import pytest
from sqlalchemy.exc import IntegrityError

from leaf.db import models, transaction
from leaf.db.models import MessageRole
from tests.conftest import MakeUser
from tests.integration.rls_world import furnish

CALL = {"type": "tool-search", "toolCallId": "c", "state": "output-available", "input": {}, "output": {}}
STATES = (
    "input-streaming", "input-available", "output-available", "output-error", "output-denied", "approval-requested",
    "approval-responded",
)  # fmt: skip


async def _stored(make_user: MakeUser, part: Any) -> None:
    ada = await furnish(await make_user("Ada"))
    async with transaction(ada.actor) as tx:
        row = models.Message(
            chat_session_id=ada.chat_id,
            role=MessageRole.USER,
            user_id=ada.user_id,
            parts=[{"type": "step-start"}, part],
        )
        tx.session.add(row)


@pytest.mark.parametrize(
    "part",
    [
        *(CALL | {"state": state} for state in STATES),
        {"type": "text", "text": ""},
        {"type": "reasoning", "text": "Hm", "state": "done"},
        {
            "type": "dynamic-tool",
            "toolName": "wiki_read",
            "toolCallId": "c",
            "state": "output-error",
            "errorText": "no",
        },
        {"type": "data-citations", "id": "citations", "data": []},
        {"type": "source-url", "sourceId": "1", "url": "https://a.example"},
        {"type": "source-document", "sourceId": "1", "mediaType": "application/pdf", "title": "Übersicht"},
        {"type": "file", "mediaType": "image/png", "url": "data:image/png;base64,AA=="},
    ],
)
async def test_every_kind_of_part_is_kept(make_user: MakeUser, part: dict[str, Any]) -> None:
    """# 002-35"""
    await _stored(make_user, part)


@pytest.mark.parametrize(
    "part",
    [
        CALL | {"state": "done"},
        CALL | {"state": None},
        {key: value for key, value in CALL.items() if key != "state"},
        {key: value for key, value in CALL.items() if key != "toolCallId"},
        CALL | {"toolCallId": 7},
        CALL | {"type": "dynamic-tool"},
        {"type": "text"},
        {"type": "text", "text": 5},
        {"type": "reasoning", "text": None},
        {"type": "data-plan"},
        {"type": "file", "url": "https://a.example/x.png"},
        {"type": "file", "mediaType": "image/png"},
        {"type": "file", "mediaType": "image/png", "url": 5},
        {"type": "source-url", "url": "https://a.example"},
        {"type": "source-url", "sourceId": "1", "url": None},
        {"type": "source-document", "sourceId": "1", "title": "No kind"},
        {"text": "no type"},
        {"type": 5},
        "text",
        None,
    ],
)
async def test_a_part_that_lacks_what_its_kind_needs_is_refused(make_user: MakeUser, part: Any) -> None:
    """# 002-34, 002-35, 001-25"""
    with pytest.raises(IntegrityError, match=r"messages_(part_kinds|file_parts)_check"):
        await _stored(make_user, part)
