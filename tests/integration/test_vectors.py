"""Vectors of passages: how they are made, kept and searched, with the encoder of this machine."""

import asyncio
import random
import signal
from collections.abc import AsyncIterator, Sequence
from uuid import uuid4

import pytest
import pytest_asyncio

from jobs.library import reader
from jobs.library import vectors as vectors_job
from leaf import config
from leaf import redis as leaf_redis
from leaf.agent import embeddings, encoder
from leaf.db import Actor, transaction
from leaf.services import integrations
from leaf.services.integrations import UserDrive
from leaf.services.library import lookup, progress, search, vectors, words
from tests.integration.test_library import (
    HANDBOOK,
    MEMO,
    add,
    change,
    changing_sandbox,
    connected,
    follow,
    read_only,
    sandbox_process,
)
from tests.integration.web_fixtures import World

__all__ = ["changing_sandbox", "sandbox_process"]

LEASE = "The tenant may leave the flat after telling the owner half a year ahead."
QUESTION = "Kündigungsfrist einer gemieteten Wohnung"
"""It means the same and has no word in common with `LEASE`."""


@pytest_asyncio.fixture(scope="module", autouse=True)
async def ended_encoder() -> AsyncIterator[None]:
    """Ends the process of the encoder, which takes a second to start, when these tests are through."""
    yield
    await encoder.close()


async def embed_all() -> None:
    """Has a worker read all texts and make all vectors."""
    while await reader.read_waiting():
        pass
    while await vectors_job.embed_waiting():
        pass


async def names_of(actor: Actor, query: str) -> list[str]:
    """The names of the files that a search by words and meaning finds, the best first."""
    found = await search.search(actor, [query], embedded=await vectors_job.of_queries([query]))
    return [one.name for one in found]


async def test_a_question_without_a_common_word_finds_the_passage(world: World) -> None:
    """In another language than that of the file."""
    async with connected(world) as (_, ada):
        add(world, "ada:/Tenancy.txt", LEASE)
        add(world, "ada:/Pears.txt", "Pear trees are cut in winter, before the buds swell.")
        await follow(world)
        await embed_all()
        assert "Tenancy.txt" not in [one.name for one in await search.search(ada, [QUESTION])]
        assert (await names_of(ada, QUESTION))[0] == "Tenancy.txt"
        findings = await lookup.look_up(ada, UserDrive(ada), [QUESTION], embed=vectors_job.of_queries)
        assert findings.files[0].passages[0].text == LEASE


async def test_words_alone_are_searched_where_no_vectors_are_made(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is embedded, and no process is started."""
    monkeypatch.setattr(config, "_current", config.current().model_copy(update={"embeddings": "off"}))
    async with connected(world) as (_, ada):
        await encoder.close()
        file_id = add(world, "ada:/Tenancy.txt", LEASE)
        await read_only(world, file_id, HANDBOOK)
        await embed_all()
        assert world.count("drive_vectors") == 0
        assert await vectors_job.of_queries([QUESTION]) is None
        assert (await names_of(ada, "tenant leave the flat"))[0] == "Tenancy.txt"
        assert (await progress.of(ada)).vectors is None
        assert encoder._encoders.get(asyncio.get_running_loop()) is None


async def test_a_database_without_the_extension_is_searched_by_words(world: World) -> None:
    """The table is not there, and nothing fails."""
    world.sql("ALTER TABLE drive_vectors RENAME TO drive_vectors_away")
    try:
        async with connected(world) as (_, ada):
            file_id = add(world, "ada:/Tenancy.txt", LEASE)
            await read_only(world, file_id, HANDBOOK)
            await embed_all()
            assert (await names_of(ada, "tenant leave the flat"))[0] == "Tenancy.txt"
            state = await progress.of(ada)
            assert (state.vectors, "vectors" in state.data()) == (None, False)
    finally:
        world.sql("ALTER TABLE drive_vectors_away RENAME TO drive_vectors")


async def test_vectors_are_found_by_those_alone_who_see_the_file(world: World) -> None:
    """# 000-61"""
    async with connected(world, "ada") as (_, ada), connected(world, "ben") as (_, ben):
        file_id = add(world, "ada:/Tenancy.txt", LEASE, readers=["ada"])
        await read_only(world, file_id, HANDBOOK)
        await embed_all()
        assert "Tenancy.txt" in await names_of(ada, QUESTION)
        assert "Tenancy.txt" not in await names_of(ben, QUESTION)
        of_file = "SELECT count(*) FROM drive_vectors v JOIN drive_texts t ON t.id = v.text_id WHERE t.file_id = :file"
        for actor, count in ((ada, 1), (ben, 0)):
            async with transaction(actor, read_only=True) as tx:
                assert (await tx.execute(of_file, {"file": file_id})).scalar_one() == count
        change(world, file_id, removed=True)
        await follow(world)
        assert "Tenancy.txt" not in await names_of(ada, QUESTION)


async def test_vectors_go_with_their_text(world: World) -> None:
    """# 000-44"""
    async with connected(world) as (_, ada):
        await read_only(world, HANDBOOK, MEMO)
        await embed_all()
        assert world.count("drive_vectors") == world.count("drive_chunks") > 0
        await integrations.disconnect(ada, "google_drive")
        assert world.count("drive_vectors") == 0


class Counting:
    """Notes the texts of which vectors are made."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.texts: list[str] = []
        embed = embeddings.of_passages

        async def counted(texts: Sequence[str]) -> list[Sequence[float]]:
            self.texts += texts
            return await embed(texts)

        monkeypatch.setattr(embeddings, "of_passages", counted)


async def test_equal_passages_are_embedded_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a new revision, whose other passages stay the same, and of a file that another member has as well."""
    paragraphs = [f"Row {row} of the orchard has {row * 7} trees. " * 30 for row in range(6)]
    async with connected(world) as (_, ada):
        file_id = add(world, "ada:/Rows.txt", "\n\n".join(paragraphs))
        await read_only(world, file_id, HANDBOOK)
        await embed_all()
        counting = Counting(monkeypatch)
        change(world, file_id, content="\n\n".join([*paragraphs[:-1], "The last row was grubbed up. " * 30]))
        await follow(world)
        await embed_all()
        assert 1 <= len(counting.texts) <= 4
        (count,) = world.sql(
            "SELECT count(*), count(v.n) FROM drive_chunks c JOIN drive_texts t ON t.id = c.text_id "
            "LEFT JOIN drive_vectors v ON v.text_id = c.text_id AND v.n = c.n WHERE t.file_id = %s",
            file_id,
        )
        assert count[0] == count[1] > 8
        assert (await progress.of(ada)).vectors == (await progress.of(ada)).read


async def test_a_worker_goes_on_where_another_one_has_died(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its claim runs out, and what it has stored is not made again. # 000-37"""
    async with connected(world) as (_, ada):
        text = "\n\n".join(f"Row {row} has pears of kind {row}. " * 40 for row in range(12))
        file_id = add(world, "ada:/Rows.txt", text)
        await read_only(world, file_id, HANDBOOK)
        world.sql("UPDATE drive_texts SET vector_model = %s WHERE chunks < 12", config.current().vector_model)
        claimed = await vectors.claim(ada)
        assert claimed is not None
        first = await vectors.missing(ada, claimed, 8)
        await vectors.store(ada, claimed, first, await embeddings.of_passages([one.text for one in first]))
        # The worker is killed here.
        assert not await vectors_job.embed_waiting(), "the claim still lasts"
        world.sql("UPDATE drive_texts SET vectors_claimed_until = now() - interval '1 second' WHERE chunks >= 12")
        counting = Counting(monkeypatch)
        await embed_all()
        (chunks,) = world.sql("SELECT chunks FROM drive_texts WHERE id = %s", claimed.id)[0]
        assert len(counting.texts) == chunks - 8
        assert await vectors.claim(ada) is None


async def test_vectors_of_another_model_are_made_anew_in_the_background(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until then they are not compared with the questions of the new one."""
    async with connected(world) as (_, ada):
        file_id = add(world, "ada:/Tenancy.txt", LEASE)
        await read_only(world, file_id, HANDBOOK)
        await embed_all()
        world.sql("UPDATE drive_vectors SET model = 'earlier'")
        world.sql("UPDATE drive_texts SET vector_model = 'earlier'")
        assert "Tenancy.txt" not in await names_of(ada, QUESTION)
        assert (await progress.of(ada)).vectors == 0
        await embed_all()
        assert (await names_of(ada, QUESTION))[0] == "Tenancy.txt"
        assert world.sql("SELECT count(*) FROM drive_vectors WHERE model = 'earlier'") == [(0,)]


async def test_members_who_still_have_unread_files_come_last(world: World) -> None:
    async with connected(world, "ada") as (_, ada), connected(world, "ben") as (_, ben):
        await read_only(world, HANDBOOK, MEMO)
        add(world, "ada:/New.txt", "Something new.", readers=["ada"])
        await follow(world)
        assert [(one.actor, one.unread) for one in await vectors.unembedded(5)] == [(ben, False), (ada, True)]
        await vectors_job.embed_waiting(reads=True)
        seen = "SELECT count(*) FROM drive_sight s JOIN drive_texts t USING (file_id, revision) WHERE s.user_id = %s"
        assert world.sql(f"{seen} AND t.vector_model IS NOT NULL", ben.user_id)[0][0] > 0
        of_ada_alone = "NOT EXISTS (SELECT FROM drive_sight o WHERE o.user_id = %s AND o.file_id = s.file_id)"
        made = world.sql(f"{seen} AND t.vector_model IS NOT NULL AND {of_ada_alone}", ada.user_id, ben.user_id)
        assert made == [(0,)]


async def test_the_process_of_the_encoder_may_die(world: World) -> None:
    """The call that it takes along fails, and the next one starts another process. # 000-37"""
    model = encoder.current()
    (before,) = await model.vectors(["pears"])
    assert model._process is not None
    model._process.kill()
    await model._process.wait()
    (after,) = await model.vectors(["pears"])
    assert after == before
    process = model._process
    process.send_signal(signal.SIGSTOP)
    asyncio.get_running_loop().call_later(0.2, process.kill)
    with pytest.raises(encoder.Unavailable):
        await model.vectors(["pears"])


async def test_a_search_without_an_answer_of_the_encoder_goes_by_words(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(texts: Sequence[str]) -> list[Sequence[float]]:
        raise encoder.Unavailable

    async with connected(world) as (_, ada):
        file_id = add(world, "ada:/Tenancy.txt", LEASE)
        await read_only(world, file_id, HANDBOOK)
        await embed_all()
        monkeypatch.setattr(embeddings, "of_queries", away)
        findings = await lookup.look_up(ada, UserDrive(ada), ["tenant leave the flat"], embed=vectors_job.of_queries)
        assert findings.files[0].name == "Tenancy.txt"
        monkeypatch.setattr(embeddings, "of_passages", away)
        world.sql("DELETE FROM drive_vectors")
        world.sql("UPDATE drive_texts SET vector_model = NULL")
        assert not await vectors_job.embed_waiting()
        later = "SELECT count(*) FROM drive_texts WHERE vectors_claimed_until > now() + interval '1 minute'"
        assert world.sql(later)[0][0] == 1, "one text is tried, and left alone for a while"


# Near-duplicates.


async def test_the_newest_of_files_with_the_same_text_is_found_and_names_the_others(world: World) -> None:
    """A version with another number is a finding of its own."""
    text = "The minimum order of trays is 40,000 pieces a year, delivered in four lots, payable within 30 days."
    async with connected(world) as (_, ada):
        trays = [add(world, f"ada:/Trays {year}.txt", text) for year in (2023, 2024, 2025)]
        trays.append(add(world, "ada:/Trays 2026.txt", text.replace("40,000", "55,000")))
        await read_only(world, *trays, HANDBOOK)
        await embed_all()
        findings = await lookup.look_up(ada, UserDrive(ada), ["minimum order of trays"], embed=vectors_job.of_queries)
        found = {one.name: [copy.name for copy in one.copies] for one in findings.files if one.name[:5] == "Trays"}
        assert found == {"Trays 2026.txt": [], "Trays 2025.txt": ["Trays 2024.txt", "Trays 2023.txt"]}
        newest = next(one for one in findings.files if one.name == "Trays 2025.txt")
        change(world, newest.file_id, trashed=True, silent=True)
        client = leaf_redis.client()
        await client.delete(*[key async for key in client.scan_iter("leaf:sight:*")])
        findings = await lookup.look_up(ada, UserDrive(ada), ["minimum order of trays"], embed=vectors_job.of_queries)
        found = {one.name: [copy.name for copy in one.copies] for one in findings.files if one.name[:5] == "Trays"}
        assert found == {"Trays 2026.txt": [], "Trays 2024.txt": ["Trays 2023.txt"]}, "the next one takes its place"
        assert all(one.passages for one in findings.files if one.name[:5] == "Trays")


async def test_a_passage_that_is_merely_the_nearest_is_not_found(world: World) -> None:
    """A question about something else finds nothing."""
    async with connected(world) as (_, ada):
        file_id = add(world, "ada:/Tenancy.txt", LEASE)
        await read_only(world, file_id, HANDBOOK)
        await embed_all()
        away = [-number for number in (await embeddings.of_queries([f"Tenancy.txt. {LEASE}"]))[0]]
        embedded = vectors.Embedded(config.current().vector_model, [away])
        found = await search.search(ada, ["qqqq"], embedded=embedded)
        assert "Tenancy.txt" not in [one.name for one in found]
        async with transaction(ada, read_only=True) as tx:
            assert all(hit.score >= 0.1 for hit in await vectors.hits(tx, embedded, None))


async def test_passages_that_words_have_found_are_compared_by_meaning_as_well(world: World) -> None:
    """Only the nearest of all passages are found by meaning; one without a vector is left out."""
    async with connected(world) as (_, ada):
        file_id = add(world, "ada:/Tenancy.txt", LEASE)
        await read_only(world, file_id, HANDBOOK)
        await embed_all()
        embedded = await vectors_job.of_queries([QUESTION, "qqqq"])
        async with transaction(ada, read_only=True) as tx:
            nearest = await vectors.hits(tx, embedded, [file_id])
            known = [words.Hit(one.text_id, one.n, 0.5) for one in nearest]
            likenesses = await vectors.likenesses(tx, embedded, [*known, words.Hit(uuid4(), 0, 0.5)])
    assert nearest
    assert {(one.text_id, one.n): round(one.score, 6) for one in likenesses} == {
        (one.text_id, one.n): round(one.score, 6) for one in nearest
    }


# The search by signs.


NEAREST = """
    SELECT v.text_id, v.n, 1 - (
        SELECT min(v.vector OPERATOR(leaf_vectors.<=>) one::leaf_vectors.halfvec) FROM unnest(%s::text[]) AS one
    )
    FROM drive_sight s
    JOIN drive_texts t ON t.file_id = s.file_id AND t.revision = s.revision AND t.state = 'read'
    JOIN drive_vectors v ON v.text_id = t.id WHERE s.user_id = %s AND s.can_download
    ORDER BY 3 DESC, v.text_id, v.n LIMIT 200
"""
"""The passages in sight that are most like a question, by comparing all of them."""


async def test_a_search_by_signs_finds_what_comparing_all_vectors_finds(world: World) -> None:
    """For one wording and for four, after a file has changed, and without a file of somebody else."""
    async with connected(world, "ada") as (_, ada), connected(world, "ben"):
        paragraphs = [f"Row {row} of the orchard has {row * 7} trees of kind {row % 5}. " * 30 for row in range(40)]
        rows = add(world, "ada:/Rows.txt", "\n\n".join(paragraphs), readers=["ada"])
        mine = [HANDBOOK, rows, add(world, "ada:/Tenancy.txt", LEASE, readers=["ada"])]
        theirs = add(world, "ada:/Theirs.txt", "\n\n".join(paragraphs), readers=["ben"])
        await read_only(world, *mine, theirs)
        await embed_all()
        change(world, rows, content="\n\n".join([*paragraphs[:-4], LEASE * 9]))
        await follow(world)
        await embed_all()
        model = config.current().vector_model
        for asked in ([QUESTION], [QUESTION, "trees in the orchard", "holidays", "row 12"]):
            made = await embeddings.of_queries(asked)
            async with transaction(ada, read_only=True) as tx:
                found = await vectors.hits(tx, vectors.Embedded(model, made), None)
            written = [vectors.as_text(one) for one in made]
            exact = [row for row in world.sql(NEAREST, written, ada.member_id) if row[2] >= 0.1]
            assert len(exact) > 3
            assert [(hit.text_id, hit.n, hit.score) for hit in found] == [tuple(row) for row in exact]


async def test_the_nearest_vector_is_found_among_more_than_are_compared_exactly(world: World) -> None:
    """3,000 passages, of which at most 2,000 are; each question is a vector with some noise."""
    async with connected(world) as (_, ada):
        file_id = add(world, "ada:/Tenancy.txt", LEASE)
        await read_only(world, file_id, HANDBOOK)
        text_id = world.sql("SELECT id FROM drive_texts WHERE file_id = %s", file_id)[0][0]
        model, chance = config.current().vector_model, random.Random(5)
        made = [[chance.gauss(0, 1) for _ in range(encoder.DIMENSIONS)] for _ in range(3_000)]
        world.sql("DELETE FROM drive_vectors")
        world.sql("DELETE FROM drive_chunks WHERE text_id = %s", text_id)
        world.sql(
            "INSERT INTO drive_chunks (text_id, n, place, heading, text, words) "
            "SELECT %s, i, '', '', '', '' FROM generate_series(0, 2999) i",
            text_id,
        )
        world.sql(
            "INSERT INTO drive_vectors (text_id, n, model, digest, vector) SELECT %s, i - 1, %s, gen_random_uuid(), "
            "v::leaf_vectors.halfvec FROM unnest(%s::text[]) WITH ORDINALITY AS one (v, i)",
            text_id, model, [vectors.as_text(one) for one in made],
        )  # fmt: skip
        for n in (0, 1_234, 2_999):
            question = [number + chance.gauss(0, 1) for number in made[n]]
            async with transaction(ada, read_only=True) as tx:
                found = await vectors.hits(tx, vectors.Embedded(model, [question]), None)
            assert (found[0].text_id, found[0].n) == (text_id, n)
