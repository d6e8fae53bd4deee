"""Narration (text before a tool call, which is not part of the answer) is neither found by the search nor shown on
public pages, in new chats and in old ones. # 003-27 002-33
"""

import json
import re
from pathlib import Path
from typing import Any, LiteralString, cast
from uuid import UUID

import psycopg
import pytest
from alembic import command
from alembic.config import Config
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.sql import SQL, Identifier
from sqlalchemy.dialects import postgresql

from leaf import parts
from leaf.db import Actor, migrate, models
from leaf.services import chats, conversations, exports, shares
from tests.integration.people import end, person
from tests.integration.web_fixtures import World
from tests.unit.test_parts_narration import ANNOUNCED, ANSWER, CITED, LONG, TABLE, call

_SHARED_BY = re.search(
    r"^CREATE FUNCTION leaf_shared_by.*?^\$\$;$.*?^GRANT[^;]*;$",
    (Path(__file__).parents[2] / "alembic" / "sql" / "0045_sight.sql").read_text(), re.DOTALL | re.MULTILINE,
)  # fmt: skip
_SHARED_MOVED = (
    "CREATE FUNCTION leaf_shared_moved(token text) RETURNS TABLE(at timestamptz, n integer) LANGUAGE sql "
    "AS 'SELECT now(), 0 WHERE false'"
)
PARTS: list[dict[str, Any]] = [ANNOUNCED, call(), ANSWER]


async def _chat(actor: Actor, written: list[dict[str, Any]] = PARTS) -> UUID:
    chat_id = await chats.new(actor)
    turn = await conversations.ask(actor, chat_id, "How high is it?")
    await end(turn.assistant.run_id, parts=written)
    return chat_id


async def _found(actor: Actor, query: str) -> list[str]:
    return ["".join(text for text, _ in hit.excerpt) for chat in await chats.search(actor, query) for hit in chat.hits]


@pytest.mark.usefixtures("world")
async def test_the_search_finds_answers_and_no_narration() -> None:
    ada = await person("ada")
    await _chat(ada)
    assert await _found(ada, "Drive") == []
    assert await _found(ada, "budget") == [ANSWER["text"]]


@pytest.mark.usefixtures("world")
async def test_a_public_page_and_markdown_show_the_answer_alone() -> None:
    ada = await person("ada")
    chat_id = await _chat(ada)
    shown = await shares.read((await shares.share(ada, chat_id)).token)
    assert shown.content[1]["texts"] == [{"slot": 2, "text": ANSWER["text"]}]
    export = await exports.of_chat(ada, chat_id)
    written = b"".join([piece async for piece in export.as_markdown("en")]).decode()
    assert ("35,000" in written, "in your Drive" in written) == (True, False)


async def test_old_words_and_old_links_lose_their_narration(world: World) -> None:
    """A link whose answer was written again afterwards keeps the old text, because the new one was never shared."""
    ada = await person("ada")
    old, again = await _chat(ada), await _chat(ada)
    links = [await shares.share(ada, one) for one in (old, again)]
    url = str(world.settings.database_url)
    command.downgrade(Config("alembic.ini"), "0038")
    with psycopg.connect(url) as connection:
        # Rows as revision 0038 stored them.
        connection.execute("UPDATE messages SET parts = parts")
        connection.execute("UPDATE chat_shares SET message_ids = message_ids")
        connection.execute(
            "UPDATE messages SET parts = %s WHERE chat_session_id = %s AND role = 'assistant'",
            (json.dumps([{"type": "text", "text": "A secret."}, call(), ANSWER]), again),
        )
        # Today's code reads columns of later revisions and calls two functions.
        later = _later_columns(connection)
        for table, column, kind in later:
            statement = SQL("ALTER TABLE {} ADD COLUMN {} {}")
            connection.execute(statement.format(Identifier(table), Identifier(column), SQL(kind)))
        assert _SHARED_BY is not None
        connection.execute(_SHARED_BY[0].encode())
        connection.execute(_SHARED_MOVED)
    assert await _found(ada, "Drive") != []
    assert len((await shares.read(links[0].token)).content[1]["texts"]) == 2
    for table, column, _ in later:
        world.sql(SQL("ALTER TABLE {} DROP COLUMN {}").format(Identifier(table), Identifier(column)))
    world.sql("DROP FUNCTION leaf_shared_by(text), leaf_shared_moved(text)")
    migrate.upgrade(url)
    assert await _found(ada, "Drive") == []
    texts = [[one["text"] for one in (await shares.read(link.token)).content[1]["texts"]] for link in links]
    assert texts == [[ANSWER["text"]], [ANNOUNCED["text"], ANSWER["text"]]]


def _later_columns(connection: psycopg.Connection) -> list[tuple[str, str, LiteralString]]:
    """The columns of today's models that the tables of an earlier schema do not have: table, column and type."""
    rows = connection.execute(
        "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'"
    ).fetchall()
    known: dict[str, set[str]] = {}
    for table, column in rows:
        known.setdefault(table, set()).add(column)
    return [
        (table.name, column.name, cast("LiteralString", column.type.compile(postgresql.dialect())))
        for table in models.Base.metadata.sorted_tables
        for column in table.columns
        if column.name not in known.get(table.name, {column.name})
    ]


BLANK = st.sampled_from(["", " ", "\n\t", "\u00a0", "…", "x" * 400, "x" * 401, "a[^1]"])
ANY_PARTS = st.lists(
    st.one_of(
        st.sampled_from([ANNOUNCED, ANSWER, LONG, CITED, TABLE, call(), call("dynamic-tool"), call("tool-write_file")]),
        BLANK.map(lambda text: {"type": "text", "text": text}),
        st.sampled_from([{"type": "step-start"}, {"type": "reasoning", "text": "I think."}, {"type": "text"}]),
    ),
    max_size=9,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(written=ANY_PARTS)
def test_the_database_and_the_program_have_one_rule(database_url: str, written: list[dict[str, Any]]) -> None:
    with psycopg.connect(database_url) as connection:
        row = connection.execute("SELECT leaf_narration(%s)", (json.dumps(written),)).fetchone()
    assert row is not None
    assert {place - 1 for place in row[0]} == parts.narration(written)
