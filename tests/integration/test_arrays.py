"""Lists as parameters of statements."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text

from leaf.db import Actor, transaction


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("text", ["", "null", "NULL", "a b", '"', "\\", "{},'", "ä\u2009\u3000\n", None]),
        ("text", []),
        ("text", [["a", "b"], ["c", None]]),
        ("integer", [1, -2, None]),
        ("float8", [0.5, 1e300]),
        ("numeric", [Decimal("1.50")]),
        ("boolean", [True, False]),
        ("uuid", [UUID(int=1), UUID(int=2)]),
        ("timestamptz", [datetime(2026, 11, 26, tzinfo=UTC)]),
        ("bytea", [b'\\\x00"{', b""]),
    ],
)
@pytest.mark.usefixtures("world")
async def test_a_list_comes_back_as_it_was(kind: str, given: list[Any]) -> None:
    async with transaction(Actor.system(), read_only=True) as tx:
        found = (await tx.execute(text(f"SELECT CAST(:given AS {kind}[])"), {"given": given})).scalar_one()
    assert found == given
