"""Bodies of requests as JSON."""

import gc
from typing import Any

import pytest
from starlette.types import Message

from leaf.api import storable
from leaf.db import storable as stored


def _body(content: bytes) -> storable.Body:
    async def receive() -> Message:
        return {"type": "http.request", "body": content, "more_body": False}

    return storable.Body({"type": "http", "method": "POST", "headers": []}, receive)


async def test_a_body_of_many_lists_is_read_without_looking_for_garbage() -> None:
    """That would take half a second for a megabyte of them, in which nobody else is served. # 004-25"""
    collections: list[str] = []

    def note(phase: str, _info: dict[str, Any]) -> None:
        collections.append(phase)

    request = _body(b"[" + b"[]," * 300_000 + b"[]]")
    await request.body()
    gc.collect()
    gc.callbacks.append(note)
    try:
        value = await request.json()
        seen = len(collections)
    finally:
        gc.callbacks.remove(note)
    assert len(value) == 300_001
    assert seen <= 2, "one collection, once the body was read"
    assert gc.isenabled()


async def test_looking_for_garbage_goes_on_after_a_body_that_is_no_json() -> None:
    """# 004-25"""
    with pytest.raises(ValueError, match="Expecting"):
        await _body(b"[[").json()
    assert gc.isenabled()


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("The lease \u202efdp.exe\u2066 of Riverbend", "The lease fdp.exe of Riverbend"),
        ("\u2067מתי\u2069 נגמר", "מתי נגמר"),
        ("  two\n lines ", "two lines"),
        ("👩\u200d🌾 picks", "👩\u200d🌾 picks"),
        ("\u202e\u2069", None),
        ("a" * 121, None),
    ],
)
def test_a_name_is_one_line_that_turns_nothing_around_it(given: str, kept: str | None) -> None:
    """# 003-46"""
    assert stored.name(given, 120) == kept
