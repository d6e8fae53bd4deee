"""Searching one's own chats. # 003-27"""

import json
import os
import time
from uuid import UUID

import psycopg
import pytest
from sqlalchemy import text

from leaf.db import Actor, transaction
from leaf.services import chats, conversations
from leaf.services.chats import full_text
from tests.integration.people import end, person
from tests.integration.web_fixtures import World

TOOL = {
    "type": "tool-search_drive", "toolCallId": "c1", "state": "output-available",
    "input": {"query": "walrus"}, "output": "a walrus in the output",
}  # fmt: skip


async def said(actor: Actor, question: str, *answers: str, chat_id: UUID | None = None) -> UUID:
    chat_id = chat_id or await chats.new(actor)
    turn = await conversations.ask(actor, chat_id, question)
    parts = [TOOL, *({"type": "text", "text": answer, "state": "done"} for answer in answers)]
    await end(turn.assistant.run_id, parts=parts)
    return chat_id


async def found(actor: Actor, query: str) -> set[UUID]:
    return {one.chat_id for one in await chats.search(actor, query)}


@pytest.mark.usefixtures("world")
async def test_words_beginnings_and_phrases_are_found() -> None:
    """# 003-27"""
    ada = await person("ada")
    apples = await said(ada, "What about the Crème brûlée?", "It burnt. The **cold store** failed in July, at 03:15.")
    pears = await said(ada, "Pears in a store that is cold", "Nothing (see report_2026.pdf, https://example.org/a-b).")
    for query, expected in (
        ("cold store", {apples, pears}), ('"cold store"', {apples}), ("creme BRULEE", {apples}), ("crème", {apples}),
        ("burn", {apples}), ("burn ", set()), ("jul", {apples}), ("jul cold", set()), ("cold jul", {apples}),
        ("report", {pears}), ("2026", {pears}), ("report_2026.pdf", {pears}), ("example.org", {pears}),
        ("cold-store", {apples}), ("03:15", {apples}), ('"store that is', {pears}), ('"store that is c', {pears}),
        ("walrus", set()), ("nowhere", set()), ("", set()), ("  ", set()), ('"', set()), ("!?", set()),
        ("' | a:*", {apples, pears}), ("cold & !store", {apples, pears}),
        ("\\", set()), ("%", set()), ("x" * 5000, set()),
    ):  # fmt: skip
        assert await found(ada, query) == expected, query


@pytest.mark.usefixtures("world")
async def test_hits_are_grouped_by_chat_and_say_where_they_stand() -> None:
    """Titles first, then the newest messages; the match is marked in its excerpt. # 003-27"""
    ada = await person("ada")
    first = await said(ada, "Tell me of <mark>plums</mark>", "One **plum**. <b>Plums</b> & more.")
    second = await said(ada, "And now?", "A plum at the end of a long text. " + "Word " * 400 + "plum again")
    await chats.rename(ada, second, "Stones")
    third = await said(ada, "Nothing", "at all")
    await chats.rename(ada, third, "Plum jam")
    in_order = await chats.search(ada, "plum")
    assert [one.chat_id for one in in_order] == [third, first, second], "those that are called so come first"
    everything = {one.chat_id: one for one in in_order}
    assert everything[third].title == [("Plum", True), (" jam", False)]
    assert everything[third].hits == []
    roles = [hit.role for hit in everything[first].hits]
    assert roles == ["assistant", "user"]
    assert everything[first].hits[0].excerpt == [
        ("One ", False), ("plum", True), (". <b>", False), ("Plums", True), ("</b> & more.", False),
    ]  # fmt: skip
    (hit,) = everything[second].hits
    assert hit.excerpt[1] == ("plum", True)
    assert hit.excerpt[-1] == (" …", False)
    assert sum(len(part) for part, _ in hit.excerpt) < 200


async def test_nobody_finds_what_is_somebody_elses(world: World) -> None:
    """Until they take part; and a deleted chat is found by nobody. # 000-40 003-27"""
    ada, ben = await person("ada"), await person("ben")
    chat_id = await said(ada, "A secret walnut", "It is under the walnut tree.")
    assert (await found(ada, "walnut"), await found(ben, "walnut")) == ({chat_id}, set())
    assert await found(ben, f"@u{ada.user_id}") == await found(ben, f"@c{chat_id}") == set()
    async with transaction(ben) as tx:
        rows = await (await tx.session.connection()).execute(text("SELECT * FROM search_words"))
        assert rows.all() == []
    async with transaction(Actor.system()) as tx:
        statement = text("SELECT * FROM leaf_search(ARRAY['walnut'], false, 10)")
        assert (await (await tx.session.connection()).execute(statement)).all() == []
    with psycopg.connect(str(world.settings.database_url)) as connection:
        statement = "INSERT INTO chat_participants (chat_session_id, user_id) VALUES (%s, %s)"
        connection.execute(statement, (chat_id, ben.user_id))
    assert await found(ben, "walnut") == {chat_id}
    await chats.archive(ben, [chat_id], True)
    (one,) = await chats.search(ben, "walnut")
    assert one.archived
    await chats.delete(ada, chat_id)
    assert (await found(ada, "walnut"), await found(ben, "walnut")) == (set(), set())
    await chats.restore(ada, [chat_id])
    assert await found(ben, "walnut") == {chat_id}


async def test_words_follow_their_message_and_their_title(world: World) -> None:
    """# 003-27"""
    ada = await person("ada")
    chat_id = await said(ada, "Quince?", "Medlar.")
    assert await found(ada, "medlar") == {chat_id}
    world.sql("""UPDATE messages SET parts = '[{"type": "text", "text": "Sorb"}]' WHERE role = 'assistant'""")
    assert (await found(ada, "medlar"), await found(ada, "sorb")) == (set(), {chat_id})
    world.sql("UPDATE messages SET parts = '[]' WHERE role = 'assistant'")
    assert await found(ada, "sorb") == set()
    await chats.rename(ada, chat_id, "Rowan")
    assert await found(ada, "rowan") == {chat_id}
    await chats.rename(ada, chat_id, "Hazel")
    assert (await found(ada, "rowan"), await found(ada, "hazel")) == (set(), {chat_id})
    await chats.delete(ada, chat_id)
    world.sql("UPDATE chat_sessions SET deleted_at = deleted_at - interval '1 hour'")
    assert await chats.purge() == 1
    assert world.count("search_words") == 0


def _fill(world: World, actor: Actor, messages: int) -> None:
    """Chats of ten messages of about 40 words: "common" in each, "rare" in few. The triggers do one message at a time,
    which takes minutes; so the words are filled in as the migration does it.
    """
    script = """
        SET LOCAL session_replication_role = replica;
        INSERT INTO chat_sessions (workspace_id, created_by, title, begun)
            SELECT %(workspace)s, %(user)s, 'Chat ' || n, true FROM generate_series(1, %(chats)s) n;
        INSERT INTO chat_participants (chat_session_id, user_id, listed)
            SELECT id, created_by, true FROM chat_sessions WHERE created_by = %(user)s;
        INSERT INTO messages (chat_session_id, role, user_id, parts)
            SELECT c.id, 'user', c.created_by, jsonb_build_array(jsonb_build_object('type', 'text', 'text',
                'common ' || CASE WHEN n = 1 AND right(c.title, 3) = '123' THEN 'rare ' ELSE '' END || words))
            FROM chat_sessions c, generate_series(1, 10) n, LATERAL (
                SELECT string_agg('w' || (random() * 20000)::int, ' ') AS words
                FROM generate_series(1, 40) WHERE c.id IS NOT NULL AND n > 0
            ) made WHERE c.created_by = %(user)s;
        INSERT INTO search_words
            SELECT m.id, c.id, m.id, m.position,
                leaf_marked_words(leaf_message_text(m.parts), '@m', c.id, c.created_by)
            FROM messages m JOIN chat_sessions c ON c.id = m.chat_session_id WHERE c.created_by = %(user)s
            UNION ALL SELECT id, id, NULL, 0, leaf_marked_words(title, '@t', id, created_by)
            FROM chat_sessions WHERE created_by = %(user)s
    """
    with psycopg.connect(str(world.settings.database_url)) as connection:
        values = {"user": actor.user_id, "workspace": actor.workspace_id, "chats": messages // 10}
        for statement in script.split(";"):
            connection.execute(statement, values)


MESSAGES = int(os.environ.get("LEAF_MESSAGES", "20_000"))


async def test_many_messages_are_searched_in_under_200_ms(world: World) -> None:
    """Rare words, common ones, beginnings and phrases, also among somebody else's. # 003-27

    docs/performance.md has what was measured with `LEAF_MESSAGES=100000`.
    """
    ada, ben = await person("ada"), await person("ben")
    with psycopg.connect(str(world.settings.database_url), autocommit=True) as connection:
        (index,) = connection.execute("SELECT pg_get_indexdef('search_words_words_idx'::regclass)").fetchone() or ("",)
        connection.execute("DROP INDEX search_words_words_idx")
        _fill(world, ada, MESSAGES)
        _fill(world, ben, MESSAGES // 5)
        connection.execute(index)
        connection.execute("VACUUM ANALYZE")
    timings: dict[str, float] = {}
    for query in ("rare ", "common ", "w1", "w12345 ", '"common rare"', "common w7", "nowhere "):
        taken: list[float] = []
        # The best of several: other work on the machine only adds to it.
        while len(taken) < 5 or (min(taken) >= 200 and len(taken) < 40):
            began = time.perf_counter()
            await chats.search(ada, query)
            taken.append((time.perf_counter() - began) * 1000)
        timings[query] = round(min(taken), 1)
    print(timings)  # noqa: T201 - the numbers of docs/performance.md
    assert max(timings.values()) < 200, timings
    assert {one.title[0][0] for one in await chats.search(ada, "rare ")} == {
        f"Chat {number}" for number in range(123, MESSAGES // 10, 1000)
    }
    with psycopg.connect(str(world.settings.database_url)) as connection:
        query = f"""'rare' & '@m' & '@u{ada.user_id}'"""
        plan = json.dumps(
            connection.execute(
                "EXPLAIN (FORMAT JSON) SELECT w.message_id FROM search_words w WHERE w.words @@ %s::tsquery", (query,)
            ).fetchall()
        )
    assert "search_words_words_idx" in plan


def test_a_query_is_read_as_it_is_meant() -> None:
    """# 003-27"""
    assert full_text.parse('cold "two words" la') == full_text.Query(("cold", "two words", "la"), True)
    assert full_text.parse("cold ") == full_text.Query(("cold",), False)
    assert full_text.parse('"cold store"') == full_text.Query(("cold store",), False)
    assert full_text.parse("“cold store") == full_text.Query(("cold store",), True)
    assert full_text.parse("- ! ?") == full_text.Query((), False)


def test_an_excerpt_shows_the_words_and_not_the_address_of_a_link_before_them() -> None:
    """# 003-27"""
    looked_for = full_text.pattern(full_text.parse("budget"))
    written = "[Plan](https://example.org/budget) " + "Some other words. " * 400 + "The budget is ours."
    assert ("budget", True) in full_text.excerpt(written, looked_for)
