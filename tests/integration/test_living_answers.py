"""Quotes of answers are followed: a sandbox whose files change, the feed, the index, and what chats and links say."""

import asyncio
import io
import zipfile
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from jobs import library
from jobs.library import feeds as feeds_job
from jobs.library import quotes as quotes_job
from jobs.library import reader
from leaf import citations, errors, parts, redis
from leaf import texts as user_texts
from leaf.api.shared import page as shared_page
from leaf.citations import Library, figures, redaction
from leaf.comparison import lines as compared_lines
from leaf.db import Actor
from leaf.documents import Document, Parsed, Unreadable, isolation
from leaf.documents.tables import Cell, Source
from leaf.google import content, refusals
from leaf.google.diagnosis import Cause, Diagnosis
from leaf.google.drive import Drive
from leaf.google.files import DriveFile
from leaf.google.links import DriveLink
from leaf.google.transport import Patience
from leaf.redis import events
from leaf.services import cells, chats, comparisons, conversations, integrations, passages, shares
from leaf.services.library import feeds, file_texts, quotes, standings
from leaf.state.sidebar import wire
from leaf.texts import dates
from leaf.views import diffs, evidence, source_changes, sources
from leaf.views.comparisons import Piece
from leaf.views.receipts import Coverage, coverage_of
from tests.integration import test_library
from tests.integration.people import end, person
from tests.integration.redis_fixtures import until
from tests.integration.test_library import add, change, connected, follow, follow_due, read_all
from tests.integration.test_sweep import Tab
from tests.integration.web_fixtures import World

changing_sandbox, sandbox_process = test_library.changing_sandbox, test_library.sandbox_process

RENT = "The rent of the press house is 1,850 euros a month."
NOTICE = "Either side may end the lease with six months’ notice."
KEYS = "Keys are returned to the office on the last working day."
LEASE = f"# Lease\n\n{RENT} It is paid on the first day.\n\n{NOTICE}\n\n{KEYS}\n"
UTC = ZoneInfo("UTC")


def cited(world: World, file_id: str, *words: str, name: str = "Lease.txt", revision: str = "") -> list[dict[str, Any]]:
    """The parts of an answer with checked quotes of a file; without a revision, of the one that is in sight."""
    if not revision:
        ((revision,),) = world.sql("SELECT revision FROM drive_sight WHERE file_id = %s LIMIT 1", file_id)
    data = [
        {
            "n": n, "verified": True, "reason": None, "kind": "drive", "file_id": file_id, "revision": revision,
            "name": name, "url": f"https://drive.google.com/file/d/{file_id}/view", "part": "", "quote": quote,
            "before": "", "after": "", "at": [[0, 0, 10]],
        }
        for n, quote in enumerate(words, 1)
    ]  # fmt: skip
    text = {"type": "text", "text": "The lease says so.", "state": "done"}
    return [text, {"type": "data-citations", "id": "citations", "data": data}]


async def answered(
    actor: Actor, message_parts: list[dict[str, Any]], question: str = "What does the lease say?"
) -> tuple[UUID, UUID]:
    """A chat with an answer; the ids of both."""
    chat_id = await chats.new(actor)
    turn = await conversations.ask(actor, chat_id, question)
    await end(turn.assistant.run_id, parts=message_parts)
    return chat_id, turn.assistant.id


async def check(world: World) -> None:
    """Has a worker read the feeds, the texts, and look for the quotes that are due."""
    await follow(world)
    await read_all()
    while await quotes_job.check_due():
        pass


@asynccontextmanager
async def leased(world: World) -> AsyncIterator[tuple[Actor, str, UUID, UUID]]:
    """Ada with the lease in her Drive, and an answer that quotes it three times: actor, file, chat and answer.

    The rest of her Drive is out of sight, so that nothing else is read.
    """
    async with connected(world) as (_, ada):
        file_id = add(world, "ada:/Lease.txt", LEASE)
        await follow(world)
        world.sql("DELETE FROM drive_sight WHERE file_id <> %s", file_id)
        await read_all()
        chat_id, message_id = await answered(ada, cited(world, file_id, RENT, NOTICE, KEYS))
        yield ada, file_id, chat_id, message_id


async def states(actor: Actor, message_id: UUID) -> list[str]:
    return [one.state for one in (await quotes.followed(actor, [message_id])).get(message_id, [])]


async def line(actor: Actor, chat_id: UUID) -> str:
    """What the page of a chat says of its sources."""
    chat = await chats.open(actor, chat_id)
    answers = [one for one in chat.messages if not one.unfinished and redaction.files_of(one.parts)]
    shown = await passages.shown(actor, [one.parts for one in answers])
    followed = await quotes.followed(actor, [one.id for one in answers])
    annotated = [
        source_changes.annotated(allowed, followed.get(one.id, ())) for one, allowed in zip(answers, shown, strict=True)
    ]
    stood = [
        standings.of_answer(citations.stored(content), one.created_at)
        for one, content in zip(answers, annotated, strict=True)
    ]
    return source_changes.line(standings.combined(stood), UTC)


async def listed(actor: Actor, chat_id: UUID) -> str:
    """What the list of chats says of the sources of a chat."""
    (row,) = [one for one in (await chats.page(actor)).rows if one.id == chat_id]
    return source_changes.line(row.moved, UTC)


async def test_an_edit_marks_the_quotes_that_it_has_changed_and_no_others(world: World) -> None:
    """Reworded, deleted, and untouched; undone again, all of them stand."""
    async with leased(world) as (ada, file_id, chat_id, message_id):
        assert await states(ada, message_id) == ["stands"] * 3
        assert not await quotes_job.check_due(), "an unchanged Drive is no work"
        assert await line(ada, chat_id) == ""
        change(world, file_id, content=LEASE.replace("1,850", "1,990").replace(NOTICE, ""))
        await check(world)
        assert await states(ada, message_id) == ["changed", "gone", "stands"]
        day = user_texts.dates.day((await chats.open(ada, chat_id)).messages[-1].created_at)
        assert await line(ada, chat_id) == f"1 of 1 source changed since {day}"
        change(world, file_id, content=LEASE)
        await check(world)
        assert await states(ada, message_id) == ["stands"] * 3


async def test_an_edit_is_marked_while_another_file_takes_minutes_to_read(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "IDLE_SECONDS", 0.1)
    monkeypatch.setattr(library, "CITED_SECONDS", 0.1)
    begun, goes_on, read = asyncio.Event(), asyncio.Event(), content.read
    async with leased(world) as (_, file_id, _, message_id):
        slow = add(world, "ada:/Sensor log.txt", "Row by row.")

        async def reading(drive: Drive, file: DriveFile, **how: Any) -> Document:
            if file.id == slow:
                begun.set()
                await goes_on.wait()
            return await read(drive, file, **how)

        monkeypatch.setattr(content, "read", reading)
        await follow(world)
        index = asyncio.create_task(library.run())
        try:
            await asyncio.wait_for(begun.wait(), 20)
            change(world, file_id, content=LEASE.replace("1,850", "1,990"))
            world.sql("UPDATE drive_feeds SET checked_at = NULL")
            states = "SELECT state FROM citations WHERE message_id = %s ORDER BY n"
            await until(lambda: world.sql(states, message_id) == [("changed",), ("stands",), ("stands",)])
        finally:
            index.cancel()
            await asyncio.wait([index])


@pytest.mark.parametrize("is_large", [True, False])
async def test_cited_files_do_not_wait_for_one_another(
    world: World, monkeypatch: pytest.MonkeyPatch, is_large: bool
) -> None:
    """While one file of the index and one that is cited take minutes, large or small, the edit of a third is marked."""
    monkeypatch.setattr(library, "IDLE_SECONDS", 0.1)
    monkeypatch.setattr(library, "CITED_SECONDS", 0.1)
    monkeypatch.setattr(reader, "QUICK_SECONDS", 300 if is_large else 5)
    monkeypatch.setattr(file_texts, "_LARGE_BYTES", 1_000)
    held, goes_on, read = set[str](), asyncio.Event(), content.read
    async with leased(world) as (ada, file_id, _, message_id):
        ledger = add(world, "ada:/Ledger.txt", NOTICE)
        await follow(world)
        await read_all()
        await answered(ada, cited(world, ledger, NOTICE, name="Ledger.txt"))
        slow = {ledger, add(world, "ada:/Sensor log.txt", "Row by row.")}

        async def reading(drive: Drive, file: DriveFile, **how: Any) -> Document:
            if file.id in slow:
                held.add(file.id)
                await goes_on.wait()
            return await read(drive, file, **how)

        monkeypatch.setattr(content, "read", reading)
        await follow(world)
        index = asyncio.create_task(library.run())
        try:
            await until(lambda: bool(held))
            change(world, ledger, content=NOTICE * (100 if is_large else 1) + " It was prolonged.")
            await asyncio.to_thread(world.sql, "UPDATE drive_feeds SET checked_at = NULL")
            await until(lambda: held == slow, seconds=60)
            change(world, file_id, content=LEASE.replace("1,850", "1,990"))
            await asyncio.to_thread(world.sql, "UPDATE drive_feeds SET checked_at = NULL")
            states = "SELECT state FROM citations WHERE message_id = %s ORDER BY n"
            await until(lambda: world.sql(states, message_id) == [("changed",), ("stands",), ("stands",)], seconds=60)
            goes_on.set()
            await asyncio.to_thread(world.sql, "UPDATE drive_texts SET retry_at = now() WHERE state = 'failed'")
            due = "SELECT 1 FROM citations WHERE due_at IS NOT NULL"
            await until(lambda: not world.sql(due), seconds=60)
        finally:
            index.cancel()
            await asyncio.wait([index])


async def test_a_cited_file_has_time_for_its_pictures_in_each_lane(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an asker would not wait for is no reason to keep a part of a text as the whole; the slow ones wait apart."""
    parse, found = isolation.parse, list[tuple[Any, bool]]()

    async def parsing(data: bytes, kind: Any, *, owner: Any = None, patient: bool = False) -> Parsed:
        found.append((owner, patient))
        return await parse(data, kind, owner=owner, patient=patient)

    async with leased(world) as (_, file_id, _, _):
        monkeypatch.setattr(isolation, "parse", parsing)
        for most_bytes, read in ((2_000_000, reader.read_cited), (0, reader.read_slow_cited)):
            monkeypatch.setattr(file_texts, "_LARGE_BYTES", most_bytes)
            change(world, file_id, content=f"{LEASE}{most_bytes}")
            await follow(world)
            assert await read()
        (quick, is_patient), (slow, is_slow_patient) = found
        assert is_patient
        assert is_slow_patient
        assert quick != slow


async def test_the_old_and_the_new_passage_stand_side_by_side(world: World) -> None:
    """Found in the text of now, without a model."""
    async with leased(world) as (ada, file_id, _, message_id):
        change(world, file_id, content=LEASE.replace("1,850", "1,990").replace(NOTICE, ""))
        await check(world)
        rent, notice = source_changes.moved_of(await comparisons.with_sources(ada, [message_id]))
        assert [one.text for one in rent.was if one.marked] == ["1,850"]
        assert [one.text for one in rent.now if one.marked] == ["1,990"]
        assert (words(rent.was), words(rent.now)) == (RENT, RENT.replace("1,850", "1,990"))
        assert (notice.was, notice.now, notice.note) == ([Piece(NOTICE, True)], [], "The file no longer says this.")


def words(pieces: Sequence[Piece]) -> str:
    return "".join(one.text for one in pieces)


async def test_of_a_long_quote_the_words_are_marked_that_differ(world: World) -> None:
    """Also of one that is too long to be compared word by word: then all between equal beginnings and ends."""
    long = " ".join(f"Clause {n} stands as it was agreed in the year {1900 + n}." for n in range(45))
    for most in (compared_lines.MOST_WORDS, 5):
        was, now = long.replace("year 1930", "year 1830").replace("Clause 40", "Clause 77"), long
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(compared_lines, "MOST_WORDS", most)
            gone, new = source_changes._marked(was, now)  # pyright: ignore[reportPrivateUsage]
        assert (words(gone), words(new)) == (was, now)
        marked = [one.text for one in gone if one.marked], [one.text for one in new if one.marked]
        if most > 5:
            assert marked == (["1830.", "77"], ["1930.", "40"])
        else:
            assert [len(one) for one in marked] == [1, 1]
            assert marked[0][0].startswith("1830. Clause 31")
            assert marked[0][0].endswith("Clause 77")


async def computed(
    ada: Actor,
    query: str,
    *file_ids: str,
    earlier: Sequence[Cell] = (),
    chart: dict[str, Any] | None = None,
    chat_id: UUID | None = None,
) -> tuple[UUID, UUID]:
    """A chat with an answer that states the value of a computation, or draws it; the ids of both."""
    documents = [await file_texts.present(ada, file_id) for file_id in file_ids]
    sources = [Source(one.file_id, one.revision, one.name, one.kind, one.segments) for one in documents if one]
    made = await isolation.computed(sources, query, cells=earlier, taken=[one.name for one in earlier])
    made |= {"chart": chart} if chart else {}
    files = [{"id": one.file_id, "name": one.name, "url": "https://drive.google.com/x"} for one in sources]
    call = {
        "type": "tool-compute", "toolCallId": "call-1", "state": "output-available", "input": {},
        "output": {**made, "files": files},
    }  # fmt: skip
    words = f"It is {made['rows'][0][0]:,} euros." if chart is None else "The chart shows it."
    cites, _ = figures.check({0: words}, [call], [], [], Library())
    text = {"type": "text", "text": words, "state": "done"}
    data = {"type": "data-citations", "id": "citations", "data": [one.data() for one in cites]}
    question = "What does the frost cost us?"
    if chat_id is None:
        return await answered(ada, [text, call, data], question)
    turn = await conversations.ask(ada, chat_id, question)
    await end(turn.assistant.run_id, parts=[text, call, data])
    return chat_id, turn.assistant.id


async def marks(ada: Actor, chat_id: UUID) -> list[str]:
    """What the cards of the answer's numbers say."""
    (answer,) = [one for one in (await chats.open(ada, chat_id)).messages if one.role == "assistant"]
    (shown,) = await passages.shown(ada, [answer.parts])
    followed = await quotes.followed(ada, [answer.id])
    content = source_changes.annotated(shown, followed[answer.id], kept=answer.parts)
    return [one.status for one in evidence.cites_of(content).quotes]


COSTS = "item,cost in EUR\nPears,1250\nApples,2400\nPlums,310\n"


async def test_a_computed_figure_is_marked_when_its_sheet_gives_another_one(world: World) -> None:
    """And not when a change of the sheet gives the same; what it was and is now stand side by side."""
    async with leased(world) as (ada, _, _, _):
        file_id = add(world, "ada:/Frost costs.csv", COSTS)
        await check(world)
        chat_id, message_id = await computed(ada, "SELECT sum(cost_in_eur) FROM frost_costs", file_id)
        assert await states(ada, message_id) == ["stands"]
        assert await line(ada, chat_id) == ""
        change(world, file_id, content=COSTS.replace("Plums", "Cherries"))
        await check(world)
        assert await states(ada, message_id) == ["stands"]
        change(world, file_id, content=COSTS.replace("310", "410"))
        await check(world)
        assert await states(ada, message_id) == ["changed"]
        assert (await line(ada, chat_id)).startswith("1 of 1 source changed since ")
        assert await marks(ada, chat_id) == [
            "Computed when the answer was written. The table has changed, and the result is different now."
        ]
        assert await listed(ada, chat_id) == await line(ada, chat_id)
        (one,) = source_changes.moved_of(await comparisons.with_sources(ada, [message_id]))
        assert (one.name, words(one.was), words(one.now)) == (
            "Frost costs.csv", "sum of cost in EUR = 3,960 EUR", "sum of cost in EUR = 4,060 EUR",
        )  # fmt: skip
        change(world, file_id, content="item,weight\nPears,12\nApples,24\nPlums,31\n")
        await check(world)
        assert await states(ada, message_id) == ["gone"]
        (one,) = source_changes.moved_of(await comparisons.with_sources(ada, [message_id]))
        assert (one.now, one.note.endswith("cannot be computed any more.")) == ([], True)
        change(world, file_id, content=COSTS)
        await check(world)
        assert await states(ada, message_id) == ["stands"]
        change(world, file_id, can_download=False)
        await check(world)
        assert await states(ada, message_id) == ["hidden"]


async def test_an_answer_that_draws_a_chart_is_followed(world: World) -> None:
    """It has the card of its result, though its text states no figure."""
    async with leased(world) as (ada, _, _, _):
        file_id = add(world, "ada:/Frost costs.csv", COSTS)
        await check(world)
        chart = {"kind": "bar", "x": "item", "y": ["cost_in_eur"], "title": "Costs"}
        query = "SELECT item, cost_in_eur FROM frost_costs"
        chat_id, message_id = await computed(ada, query, file_id, chart=chart)
        assert await marks(ada, chat_id) == ["Computed by Leaf from the cells of its tables"]
        change(world, file_id, content=COSTS.replace("310", "410"))
        await check(world)
        assert await states(ada, message_id) == ["changed"]
        assert (await line(ada, chat_id)).startswith("1 of 1 source changed since ")


async def test_what_rests_on_an_earlier_computation_moves_with_it(world: World) -> None:
    """The later query reads the earlier result, which is computed anew from its own file."""
    async with leased(world) as (ada, _, _, _):
        first, second = (
            add(world, "ada:/Frost costs.csv", COSTS),
            add(world, "ada:/Grants.csv", "what,eur\nState,960\n"),
        )
        await check(world)
        total = Cell("total", "SELECT sum(cost_in_eur) AS total FROM frost_costs", [first])
        query = "SELECT (SELECT total FROM total) - (SELECT sum(eur) FROM grants) AS rest"
        chat_id, message_id = await computed(ada, query, second, first, earlier=[total])
        assert await states(ada, message_id) == ["stands"] * 2
        change(world, first, content=COSTS.replace("310", "410"))
        await check(world)
        assert await states(ada, message_id) == ["changed"] * 2
        (one,) = source_changes.moved_of(await comparisons.with_sources(ada, [message_id]))
        assert (words(one.was), words(one.now)) == (
            "total of “total” − sum of eur = 3,000 EUR", "total of “total” − sum of eur = 3,100 EUR",
        )  # fmt: skip
        _, archive = await cells.exported(ada, chat_id, "en")
        with zipfile.ZipFile(io.BytesIO(archive)) as files:
            assert set(files.namelist()) == {"cells.py", "cells.ipynb", "data/frost_costs.csv", "data/grants.csv"}
            assert b"Plums,410" in files.read("data/frost_costs.csv")
        change(world, first, removed=True)
        await check(world)
        assert sorted(await states(ada, message_id)) == ["changed", "hidden"]
        with pytest.raises(errors.NotFound):
            await cells.exported(ada, chat_id, "en")


async def results(actor: Actor, chat_id: UUID) -> list[tuple[Any, Any, str]]:
    """The results of the cells of a chat: in the answer, as they were changed by hand, and why they have none."""
    return [
        (
            one.output["rows"],
            one.edit.output.get("rows") if one.edit is not None else None,
            one.edit.problem if one.edit is not None else "",
        )
        for one in await cells.of_chat(actor, chat_id)
    ]


async def lines(actor: Actor, chat_id: UUID) -> list[str]:
    """The line under each answer about what was changed by hand."""
    answers = [one for one in (await chats.open(actor, chat_id)).messages if one.role == "assistant"]
    shown = await passages.shown(actor, [one.parts for one in answers])
    changed = await cells.edits(actor, [one.id for one in answers])
    return [
        source_changes.edited_line(source_changes.annotated(one, [], cells.of_answer(changed, of.id)))
        for of, one in zip(answers, shown, strict=True)
    ]


async def test_an_edited_computation_and_all_that_rests_on_it_are_computed_anew(world: World) -> None:
    """The answers stay; the new results stand beside them, count for later questions, and can be taken back."""
    async with leased(world) as (ada, _, _, _):
        file_id = add(world, "ada:/Frost costs.csv", COSTS)
        await check(world)
        chat_id, first = await computed(ada, "SELECT sum(cost_in_eur) AS total FROM frost_costs", file_id)
        (total,) = [one.cell for one in await cells.of_chat(ada, chat_id)]
        query = "SELECT total / 2 AS half FROM total"
        _, second = await computed(ada, query, file_id, earlier=[total], chat_id=chat_id)
        assert await results(ada, chat_id) == [([[3960]], None, ""), ([[1980]], None, "")]
        assert await lines(ada, chat_id) == ["", ""]
        runs = {one.id: one.run_id for one in (await chats.open(ada, chat_id)).messages}
        run_id = runs[first]
        assert run_id is not None
        changed = "SELECT sum(cost_in_eur) AS total FROM frost_costs WHERE item <> 'Plums'"
        await cells.edit(ada, run_id, "call-1", changed)
        assert await results(ada, chat_id) == [([[3960]], [[3650]], ""), ([[1980]], [[1825]], "")]
        assert await lines(ada, chat_id) == [
            "Edited by hand: “total” = 3,650 EUR", "Built on a computation that was edited by hand: “half” = 1,825 EUR",
        ]  # fmt: skip
        # A later question builds on the changed one, and so does the script.
        assert Cell.all_of((await cells.of_chat(ada, chat_id))[1].current)[0].query != total.query
        _, archive = await cells.exported(ada, chat_id, "en")
        with zipfile.ZipFile(io.BytesIO(archive)) as files:
            assert b"item <> 'Plums'" in files.read("cells.py")
            assert b"# Edited by hand" in files.read("cells.py")
        # What is not allowed changes nothing.
        for refused in ("SELECT read_text('/etc/passwd') FROM frost_costs", "SELECT nothing FROM frost_costs", " "):
            with pytest.raises(errors.LeafError):
                await cells.edit(ada, run_id, "call-1", refused)
        assert (await results(ada, chat_id))[0][1] == [[3650]]
        # What cannot be computed over the changed one says so.
        await cells.edit(ada, run_id, "call-1", "SELECT sum(cost_in_eur) AS other FROM frost_costs")
        (_, (_, made, problem)) = await results(ada, chat_id)
        assert (made, problem.partition(".")[0]) == (None, "There is no column total")
        await cells.edit(ada, run_id, "call-1", changed)
        # The changed result moves, and the one in the answer does not.
        change(world, file_id, content=COSTS.replace("1250", "1350").replace("310", "210"))
        await check(world)
        assert await states(ada, first) == ["changed"]
        assert await states(ada, second) == ["changed"]
        (one,) = source_changes.moved_of(await comparisons.with_sources(ada, [first]))
        condition = "sum of cost in EUR (item ≠ “Plums”)"
        assert (words(one.was), words(one.now)) == (f"{condition} = 3,650 EUR", f"{condition} = 3,750 EUR")
        await cells.edit(ada, run_id, "call-1", None)
        assert await results(ada, chat_id) == [([[3960]], None, ""), ([[1980]], None, "")]


async def test_two_edits_at_the_same_moment_are_both_kept(world: World) -> None:
    """The computation that rests on the other one is computed over its new result, whichever is stored first."""
    async with leased(world) as (ada, _, _, _):
        file_id = add(world, "ada:/Frost costs.csv", COSTS)
        await check(world)
        chat_id, first = await computed(ada, "SELECT sum(cost_in_eur) AS total FROM frost_costs", file_id)
        (total,) = [one.cell for one in await cells.of_chat(ada, chat_id)]
        query = "SELECT total / 2 AS half FROM total"
        _, second = await computed(ada, query, file_id, earlier=[total], chat_id=chat_id)
        runs = {one.id: one.run_id for one in (await chats.open(ada, chat_id)).messages}
        edits = {
            first: "SELECT sum(cost_in_eur) AS total FROM frost_costs WHERE item <> 'Plums'",
            second: "SELECT total / 10 AS half FROM total",
        }
        await asyncio.gather(
            *(cells.edit(ada, run_id, "call-1", edits[at]) for at in edits if (run_id := runs[at]) is not None)
        )
        assert await results(ada, chat_id) == [([[3960]], [[3650]], ""), ([[1980]], [[365]], "")]


async def test_programs_read_edit_and_take_away_the_cells_of_a_chat(world: World) -> None:
    """Nothing of a file that Google refuses the caller by now."""
    async with connected(world) as (browser, ada):
        file_id = add(world, "ada:/Frost costs.csv", COSTS)
        await follow(world)
        world.sql("DELETE FROM drive_sight WHERE file_id <> %s", file_id)
        await read_all()
        chat_id, first = await computed(ada, "SELECT sum(cost_in_eur) AS total FROM frost_costs", file_id)
        run_id = next(one.run_id for one in (await chats.open(ada, chat_id)).messages if one.id == first)
        changed = {"query": "SELECT max(cost_in_eur) AS total FROM frost_costs"}
        assert (await browser.put(f"/api/runs/{run_id}/cells/call-1", json=changed)).status_code == 204
        refused = await browser.put(f"/api/runs/{run_id}/cells/call-1", json={"query": "DROP TABLE frost_costs"})
        assert (refused.status_code, refused.json()["error"]["code"]) == (422, "not_computed")
        (cell,) = (await browser.get(f"/api/chats/{chat_id}/cells")).json()
        assert (cell["name"], cell["rests_on"], cell["result"]["rows"]) == ("total", [], [[3960]])
        assert cell["edited"]["by_hand"]
        assert (cell["edited"]["result"]["rows"], cell["edited"]["result"]["columns"]) == (
            [[2400]], [{"name": "total", "unit": "EUR"}],
        )  # fmt: skip
        archive = await browser.get(f"/api/chats/{chat_id}/cells.zip", headers={"accept-language": "de"})
        assert archive.headers["content-type"] == "application/zip"
        with zipfile.ZipFile(io.BytesIO(archive.content)) as files:
            assert "# Von Hand geändert" in files.read("cells.py").decode()
        assert (await browser.delete(f"/api/runs/{run_id}/cells/call-1")).status_code == 204
        (cell,) = (await browser.get(f"/api/chats/{chat_id}/cells")).json()
        assert cell["edited"] is None
        change(world, file_id, removed=True)
        # Google's answers count for a minute.
        for remembered in [one async for one in redis.client().scan_iter(f"*{file_id}*")]:
            await redis.client().delete(remembered)
        (cell,) = (await browser.get(f"/api/chats/{chat_id}/cells")).json()
        assert (cell["name"], cell["result"]) == ("total", None)
        assert (await browser.get(f"/api/chats/{chat_id}/cells.zip")).status_code == 404


async def test_who_takes_no_part_edits_nothing(world: World) -> None:
    async with leased(world) as (ada, _, _, _):
        file_id = add(world, "ada:/Frost costs.csv", COSTS)
        await check(world)
        chat_id, first = await computed(ada, "SELECT sum(cost_in_eur) AS total FROM frost_costs", file_id)
        run_id = next(one.run_id for one in (await chats.open(ada, chat_id)).messages if one.id == first)
        assert run_id is not None
        ben = await person("ben")
        for query in ("SELECT 1 AS x FROM frost_costs", None):
            with pytest.raises(errors.NotFound):
                await cells.edit(ben, run_id, "call-1", query)
        with pytest.raises(errors.NotFound):
            await cells.edit(ada, run_id, "call-2", "SELECT 1 AS x FROM frost_costs")
        assert await results(ada, chat_id) == [([[3960]], None, "")]


async def test_a_figure_of_two_sheets_is_followed_in_both(world: World) -> None:
    """Once the result is the same again, it stands in both."""
    async with leased(world) as (ada, _, _, _):
        first, second = add(world, "ada:/Pears.csv", COSTS), add(world, "ada:/Plums.csv", COSTS)
        await check(world)
        query = "SELECT (SELECT sum(cost_in_eur) FROM pears) + (SELECT sum(cost_in_eur) FROM plums)"
        _, message_id = await computed(ada, query, first, second)
        assert await states(ada, message_id) == ["stands"] * 2
        change(world, second, content=COSTS.replace("310", "410"))
        await check(world)
        assert await states(ada, message_id) == ["changed"] * 2
        change(world, first, content=COSTS.replace("310", "210"))
        await check(world)
        assert await states(ada, message_id) == ["stands"] * 2


async def test_a_file_that_is_out_of_sight_is_not_said_to_have_changed(world: World) -> None:
    """Its quotes are no longer visible to its reader, and come back with it."""
    async with leased(world) as (ada, file_id, chat_id, message_id):
        change(world, file_id, removed=True)
        await check(world)
        assert await states(ada, message_id) == ["hidden"] * 3
        assert await line(ada, chat_id) == "1 source no longer visible to you"
        (one, *_) = source_changes.moved_of(await comparisons.with_sources(ada, [message_id]))
        assert (one.was, one.note) == ([], "No longer available to you.")


async def test_a_file_in_the_bin_is_gone_until_it_is_back(world: World) -> None:
    """Its owner sees that it is there; to others it is a file that they do not see."""
    async with connected(world, "ben") as (_, ben), leased(world) as (ada, file_id, chat_id, message_id):
        world.sql("INSERT INTO chat_participants (chat_session_id, user_id) VALUES (%s, %s)", chat_id, ben.user_id)
        change(world, file_id, trashed=True)
        await check(world)
        await redis.client().delete(f"leaf:sight:{ada.member_id}:{file_id}")
        assert await states(ada, message_id) == ["gone"] * 3
        assert (await line(ada, chat_id)).startswith("1 of 1 source changed since ")
        assert await listed(ada, chat_id) == await line(ada, chat_id)
        assert await marks(ada, chat_id) == ["Verified when it was quoted. The file is in your bin now."] * 3
        (one, *_) = source_changes.moved_of(await comparisons.with_sources(ada, [message_id]))
        assert (one.name, one.was, one.note) == ("Lease.txt", [], "The file is in your bin now.")
        (one, *_) = source_changes.moved_of(await comparisons.with_sources(ben, [message_id]))
        assert (one.name, one.was, one.note) == ("A file in Google Drive", [], "No longer available to you.")
        assert await line(ben, chat_id) == "1 source no longer visible to you"
        assert await listed(ben, chat_id) == ""
        change(world, file_id, trashed=False)
        await check(world)
        assert await states(ada, message_id) == ["stands"] * 3


async def test_a_file_that_is_deleted_for_good_from_the_bin_is_not_in_the_bin_any_more(world: World) -> None:
    """Neither its quotes nor a figure of it name it after that."""
    async with leased(world) as (ada, file_id, chat_id, message_id):
        sheet = add(world, "ada:/Frost costs.csv", COSTS)
        await check(world)
        figures_chat, figure_id = await computed(ada, "SELECT sum(cost_in_eur) FROM frost_costs", sheet)
        for one in (file_id, sheet):
            change(world, one, trashed=True)
        await check(world)
        assert await states(ada, message_id) + await states(ada, figure_id) == ["gone"] * 4
        for one in (file_id, sheet):
            change(world, one, removed=True)
            await redis.client().delete(f"leaf:sight:{ada.member_id}:{one}")
        await check(world)
        assert await states(ada, message_id) + await states(ada, figure_id) == ["hidden"] * 4
        assert await marks(ada, chat_id) == ["No longer available to you."] * 3
        assert await line(ada, chat_id) == await listed(ada, chat_id) == "1 source no longer visible to you"
        assert await cards(ada, figures_chat) == [("A file in Google Drive", "No longer available to you.")]


@pytest.mark.parametrize(
    ("went", "state"), [({"trashed": True}, "gone"), ({"readers": []}, "hidden"), ({"removed": True}, "hidden")]
)
async def test_a_file_that_went_before_a_feed_had_shown_it_is_marked(
    world: World, went: dict[str, Any], state: str
) -> None:
    """It was opened by its address a moment after it was made; a feed tells only that it is gone."""
    async with leased(world) as (ada, _, _, _):
        file_id = add(world, "ada:/Notice.txt", f"# Notice\n\n{NOTICE}\n")
        present = await Drive(integrations.UserDrive(ada)).get_file(DriveLink(file_id))
        _, message_id = await answered(ada, cited(world, file_id, NOTICE, name="Notice.txt", revision=present.revision))
        change(world, file_id, **went)
        await check(world)
        assert not world.sql("SELECT 1 FROM drive_sight WHERE file_id = %s", file_id)
        assert await states(ada, message_id) == [state]


@pytest.mark.parametrize("cause", [Cause.REVOKED, Cause.API_OFF])
async def test_while_drive_cannot_be_asked_what_was_known_stays_marked_with_its_time(
    world: World, cause: Cause
) -> None:
    """In the head, in the list and at the numbers, to its own reader; to others nothing is said of it."""
    async with connected(world, "ben") as (_, ben), leased(world) as (ada, file_id, chat_id, _):
        world.sql("INSERT INTO chat_participants (chat_session_id, user_id) VALUES (%s, %s)", chat_id, ben.user_id)
        change(world, file_id, content=LEASE.replace("1,850", "1,990"), readers=["ada", "ben"])
        await check(world)
        known = await line(ada, chat_id)
        assert known.startswith("1 of 1 source changed since ")
        assert "seen" not in known + await listed(ada, chat_id)
        ((at,),) = world.sql("SELECT max(changed_at) FROM citations")
        seen = f"seen {dates.short_moment(at.astimezone(UTC))}; Drive cannot be asked now"
        for actor in (ada, ben):
            await redis.client().delete(f"leaf:sight:{actor.member_id}:{file_id}")
        world.http.post(f"/sandbox/failures/{cause}").raise_for_status()
        try:
            if cause is Cause.REVOKED:
                await integrations.UserDrive(ada).report(Diagnosis(cause))
            assert await line(ada, chat_id) == f"{known} · {seen}"
            assert await listed(ada, chat_id) == (f"{known} · {seen}" if cause is Cause.REVOKED else known)
            rent, notice, _ = await marks(ada, chat_id)
            why = (
                "Leaf has lost its access to Google Drive."
                if cause is Cause.REVOKED
                else "Could not be checked just now"
            )
            assert rent.startswith(why)
            assert rent.endswith("When Leaf last looked, the source had changed.")
            assert notice == rent.removesuffix(" When Leaf last looked, the source had changed.")
            assert await line(ben, chat_id) == ("" if cause is Cause.API_OFF else known)
        finally:
            world.http.delete("/sandbox/failures").raise_for_status()


async def test_what_was_known_of_a_figure_and_of_the_bin_is_said_in_words_that_hold_for_both(world: World) -> None:
    """A table has no wording, and a file in the bin may have it still."""
    async with leased(world) as (ada, file_id, chat_id, _):
        sheet = add(world, "ada:/Frost costs.csv", COSTS)
        await check(world)
        figures_chat, _ = await computed(ada, "SELECT sum(cost_in_eur) FROM frost_costs", sheet)
        change(world, file_id, trashed=True)
        change(world, sheet, content=COSTS.replace("310", "410"))
        await check(world)
        for one in (file_id, sheet):
            await redis.client().delete(f"leaf:sight:{ada.member_id}:{one}")
        world.http.post(f"/sandbox/failures/{Cause.API_OFF}").raise_for_status()
        try:
            for mark in [*await marks(ada, chat_id), *await marks(ada, figures_chat)]:
                assert mark.startswith("Could not be checked just now")
                assert mark.endswith("When Leaf last looked, the source had changed.")
        finally:
            world.http.delete("/sandbox/failures").raise_for_status()


@pytest.mark.parametrize("cause", ["binary", "encrypted", "large", "killed"])
async def test_a_new_version_that_cannot_be_read_is_neither_still_there_nor_changed(
    world: World, monkeypatch: pytest.MonkeyPatch, cause: str
) -> None:
    """Head, list, card, receipt and dialog say why, until a readable version comes."""
    async with leased(world) as (ada, file_id, chat_id, message_id):
        binary = cause == "binary"
        failures: dict[str, errors.LeafError] = {
            "encrypted": Unreadable(user_texts.english("refusals.encrypted_pdf")),
            "large": refusals.TooLargeToExport(user_texts.english("refusals.megabytes", size=80, most=50)),
            "killed": Unreadable(user_texts.english("refusals.too_complex")),
        }
        with monkeypatch.context() as patch:
            if not binary:
                patch.setattr(content, "read", raising(failures[cause]))
            change(world, file_id, content="\x00" * 40 if binary else LEASE.replace("1,850", "1,990"))
            await check(world)
        assert await states(ada, message_id) == ["unchecked"] * 3
        why = "This is a binary file, not text." if binary else str(failures[cause])
        assert await line(ada, chat_id) == await listed(ada, chat_id) == "1 source could not be checked"
        words_of = f"The new version of the file could not be checked: {why}"
        assert await marks(ada, chat_id) == [f"Verified when it was quoted. {words_of}"] * 3
        (rent, *_) = source_changes.moved_of(await comparisons.with_sources(ada, [message_id]))
        assert (words(rent.was), rent.now, rent.note) == (RENT, [], words_of)
        receipt = await receipt_of(ada, chat_id)
        assert receipt.brief == "1 source · 1 source could not be checked"
        assert [(one.text, one.note) for one in receipt.lines] == [
            ("Could not check the new version of Lease.txt", why)
        ]
        (row,) = [one for one in (await chats.page(ada)).rows if one.id == chat_id]
        assert wire(row)[6:] == [0, 1, 0, 0, 0, 1]
        assert not await quotes_job.check_due(), "what cannot be read is no more work"
        change(world, file_id, content=LEASE.replace("1,850", "1,990"))
        await check(world)
        assert await states(ada, message_id) == ["changed", "stands", "stands"]
        assert await listed(ada, chat_id) == await line(ada, chat_id) != ""


async def test_the_card_of_a_figure_names_its_sheet_in_the_bin(world: World) -> None:
    """To its owner; a sheet that is closed to its reader has no name."""
    async with leased(world) as (ada, _, _, _):
        file_id = add(world, "ada:/Frost costs.csv", COSTS)
        await check(world)
        chat_id, message_id = await computed(ada, "SELECT sum(cost_in_eur) FROM frost_costs", file_id)
        change(world, file_id, trashed=True)
        await check(world)
        await redis.client().delete(f"leaf:sight:{ada.member_id}:{file_id}")
        assert await states(ada, message_id) == ["gone"]
        assert await marks(ada, chat_id) == ["Computed when the answer was written. Its table is in your bin now."]
        assert await cards(ada, chat_id) == [("Frost costs.csv", "The file is in your bin now.")]
        change(world, file_id, trashed=False)
        await check(world)
        change(world, file_id, removed=True)
        await check(world)
        await redis.client().delete(f"leaf:sight:{ada.member_id}:{file_id}")
        assert await cards(ada, chat_id) == [("A file in Google Drive", "No longer available to you.")]


async def cards(actor: Actor, chat_id: UUID) -> list[tuple[str, str]]:
    """The names of the files behind the answer of a chat in its panel, with their notes."""
    (answer,) = [one for one in (await chats.open(actor, chat_id)).messages if one.role == "assistant"]
    (shown,) = await passages.shown(actor, [answer.parts])
    followed = await quotes.followed(actor, [answer.id])
    made = source_changes.annotated(shown, followed[answer.id], kept=answer.parts)
    read: parts.Message = {"id": "answer", "role": "assistant", "parts": made, "metadata": {}}
    return [(one.name, one.note) for several in sources.quoted(made, sources.of([read])) for one in several]


async def test_the_cause_is_said_in_the_readers_language(world: World) -> None:
    async with leased(world) as (ada, file_id, chat_id, _):
        change(world, file_id, content="\x00" * 40)
        await check(world)
        user_texts.use("de")
        assert await line(ada, chat_id) == "1 Quelle konnte nicht geprüft werden"
        assert (await marks(ada, chat_id))[0] == (
            "Belegt, als es zitiert wurde. Die neue Version der Datei konnte nicht geprüft werden: "
            f"{user_texts.of('de')('refusals.binary')}"
        )


async def test_a_version_that_is_read_after_all_clears_the_mark(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same version: three failures in a row are a cause, and the next reading ends it."""
    async with leased(world) as (ada, file_id, chat_id, message_id):
        change(world, file_id, content=LEASE.replace("1,850", "1,990"))
        with monkeypatch.context() as patch:
            patch.setattr(content, "read", raising(refusals.Changing()))
            for attempt in range(3):
                assert await states(ada, message_id) == ["stands"] * 3, f"before attempt {attempt + 1}"
                await check(world)
                world.sql("UPDATE drive_texts SET retry_at = now() WHERE state = 'failed'")
        assert await line(ada, chat_id) == "1 source could not be checked"
        async with events.subscribe([events.chat(chat_id)]) as notices:
            await check(world)
            assert await notices.changed(within_seconds=5), "an open page is notified"
        assert await states(ada, message_id) == ["changed", "stands", "stands"]


async def test_a_download_that_google_refuses_is_said(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Google shows the file, and does not hand it out, such as for a quota of its own."""
    async with leased(world) as (ada, file_id, chat_id, message_id):
        with monkeypatch.context() as patch:
            patch.setattr(content, "read", raising(errors.DriveRefused("no", status=403)))
            change(world, file_id, content=LEASE.replace("1,850", "1,990"))
            await check(world)
        assert await states(ada, message_id) == ["unchecked"] * 3
        (why, *_) = await marks(ada, chat_id)
        assert why.endswith("could not be checked: Google does not let Leaf read it.")
        change(world, file_id, content=LEASE)
        await check(world)
        assert await states(ada, message_id) == ["stands"] * 3


async def test_a_figure_whose_sheet_cannot_be_read_any_more_is_said_to_be_unchecked(world: World) -> None:
    async with leased(world) as (ada, _, _, _):
        file_id = add(world, "ada:/Frost costs.csv", COSTS)
        await check(world)
        chat_id, message_id = await computed(ada, "SELECT sum(cost_in_eur) FROM frost_costs", file_id)
        change(world, file_id, content="\x00" * 40)
        await check(world)
        assert await states(ada, message_id) == ["unchecked"]
        (why,) = await marks(ada, chat_id)
        assert why.startswith("Computed when the answer was written. The new version of a file could not be checked: ")
        change(world, file_id, content=COSTS)
        await check(world)
        assert await states(ada, message_id) == ["stands"]


def raising(error: errors.LeafError) -> Callable[..., Awaitable[Document]]:
    """A reading that fails."""

    async def read(*_: Any, **__: Any) -> Document:
        raise error

    return read


async def receipt_of(actor: Actor, chat_id: UUID) -> Coverage:
    """The receipt of the answer of a chat, as its reader sees it."""
    (answer,) = [one for one in (await chats.open(actor, chat_id)).messages if one.role == "assistant"]
    (shown,) = await passages.shown(actor, [answer.parts])
    followed = await quotes.followed(actor, [answer.id])
    return coverage_of(source_changes.annotated(shown, followed[answer.id]))


async def test_after_an_outage_all_feeds_are_read_on_within_a_minute(world: World) -> None:
    """However long it was, as the first that can be read wakes the others. While Drive fails, each look is one call of
    five units, and all feeds together are looked at once a minute.
    """
    async with leased(world) as (ada, file_id, _, message_id):
        ((feeds_of_ada,),) = world.sql("SELECT count(*) FROM drive_feeds")
        assert feeds_of_ada > 1
        world.http.post(f"/sandbox/failures/{Cause.GOOGLE_FAILED}").raise_for_status()
        try:
            world.sql("UPDATE drive_feeds SET failures = 20, checked_at = now() - interval '1 day'")
            world.forget_requests()
            while await follow_due():
                pass
            asked = [request["path"] for request in world.asked("/drive/v3/")]
            assert asked == ["/drive/v3/about"] * feeds_of_ada
        finally:
            world.http.delete("/sandbox/failures").raise_for_status()
        waits = [row[0].total_seconds() for row in world.sql("SELECT retry_at - now() FROM drive_feeds ORDER BY 1")]
        assert all(60 * n - 30 < wait <= 60 * n for n, wait in enumerate(waits, 1)), waits
        change(world, file_id, content=LEASE.replace("1,850", "1,990"))
        world.sql("UPDATE drive_feeds SET retry_at = retry_at - interval '60 seconds'")
        while await follow_due():
            pass
        assert world.sql("SELECT max(failures) FROM drive_feeds") == [(0,)]
        await read_all()
        await quotes_job.check_due()
        assert await states(ada, message_id) == ["changed", "stands", "stands"]


async def test_a_feed_that_fails_waits_for_fifteen_minutes_at_most(world: World) -> None:
    """Behind any number of others that fail in the same way; those that fail in another way are not in its way."""
    async with leased(world) as (ada, _, _, _):
        others = (
            "UPDATE drive_feeds SET failures = 1, error = %s, retry_at = now() + interval '1 hour' WHERE drive_id <> ''"
        )

        async def wait() -> timedelta:
            claimed = await feeds.claim(feeds.Due(ada, ""))
            assert claimed is not None
            return await feeds.fail(claimed, errors.DriveError("away", code="drive_unavailable"))

        world.sql(others, "drive_unavailable")
        assert await wait() == feeds.LAST_RETRY
        world.sql(others, "drive_error")
        assert await wait() == 2 * feeds.FIRST_RETRY


async def test_connecting_again_has_all_feeds_read_at_once(world: World) -> None:
    """Also those of Shared Drives, each of which waited its turn."""
    async with connected(world) as (browser, ada):
        await follow(world)
        for (drive_id,) in world.sql("SELECT drive_id FROM drive_feeds"):
            claimed = await feeds.claim(feeds.Due(ada, drive_id))
            assert claimed is not None
            await feeds.fail(claimed, errors.DriveError("away", code="drive_revoked"))
        assert world.sql("SELECT max(retry_at) > now() + interval '1 minute' FROM drive_feeds") == [(True,)]
        await browser.connect("ada")
        assert world.sql("SELECT max(retry_at) <= now(), max(failures) FROM drive_feeds") == [(True, 0)]


async def test_a_feed_that_is_not_read_to_its_end_wakes_no_other(world: World) -> None:
    """Google answers, and takes the feed's place no more: that says nothing of the failure of the others."""
    async with leased(world) as (_, _, _, _):
        waiting = "SELECT count(*) FROM drive_feeds WHERE retry_at > now()"
        world.sql("UPDATE drive_feeds SET failures = 1, error = 'drive_error', retry_at = now() + interval '9 minutes'")
        before = world.sql(waiting)[0][0] - 1
        world.sql("UPDATE drive_feeds SET retry_at = now(), checked_at = NULL WHERE drive_id = ''")
        world.fault(path=r"/drive/v3/changes\?", times=1, status=400, reason="invalid")
        assert await follow_due("followed")
        assert world.sql("SELECT stage FROM drive_feeds WHERE drive_id = ''") == [("new",)]
        assert world.sql(waiting) == [(before,)]
        assert await follow_due("listed")
        assert world.sql(waiting) == [(0,)]


def test_a_call_that_google_leaves_hanging_ends_while_its_feed_is_still_claimed() -> None:
    """Otherwise another place takes the feed as well, and neither stores that it fails."""
    patience = Patience()
    longest = 2 * (feeds_job.SILENCE_SECONDS + patience.base_seconds)
    assert patience.total_seconds <= feeds_job.SILENCE_SECONDS, "one silence uses up the time: there is one more try"
    assert longest < feeds.CLAIM.total_seconds()


async def test_disconnect_says_nothing_of_files(world: World) -> None:
    """Nobody can know what became of them; nothing stays due."""
    async with leased(world) as (ada, _, _, message_id):
        await integrations.disconnect(Actor.user(ada.member_id, ada.workspace_id), "google_drive")
        assert not await quotes_job.check_due()
        assert await states(ada, message_id) == ["stands"] * 3


async def test_a_feed_that_is_behind_the_answer_marks_nothing(world: World) -> None:
    """The answer has read a newer revision than the index: only the text that Google has now can lose a quote."""
    async with leased(world) as (ada, file_id, _, _):
        added = "The lease was prolonged until 2031."
        change(world, file_id, content=f"{LEASE}\n{added}\n")
        newer = cited(world, file_id, added)
        newer[1]["data"][0]["revision"] = "what Google has now"
        _, message_id = await answered(ada, newer)
        while await quotes_job.check_due():
            pass
        assert await states(ada, message_id) == ["stands"]
        assert world.sql("SELECT count(*) FROM citations WHERE due_at IS NOT NULL") == [(1,)]
        await follow(world)
        await read_all()
        world.sql("UPDATE citations SET due_at = now() WHERE due_at IS NOT NULL")
        while await quotes_job.check_due():
            pass
        assert await states(ada, message_id) == ["stands"]
        assert world.sql("SELECT count(*) FROM citations WHERE due_at IS NOT NULL") == [(0,)]


async def test_quotes_are_followed_for_ninety_days(world: World) -> None:
    """After that a change of their file is no work."""
    async with leased(world) as (_, file_id, _, message_id):
        world.sql("UPDATE citations SET quoted_at = now() - interval '91 days'")
        change(world, file_id, content="Nothing is left.")
        await check(world)
        assert world.sql("SELECT state FROM citations WHERE message_id = %s", message_id) == [("stands",)] * 3
        assert world.sql("SELECT count(*) FROM citations WHERE due_at IS NOT NULL") == [(0,)]


async def test_marks_go_when_quotes_are_no_longer_followed(world: World) -> None:
    """Nobody looks whether the quote was put back, so nothing says that it is gone."""
    async with leased(world) as (ada, file_id, chat_id, message_id):
        token = (await shares.share(Actor.user(ada.member_id, ada.workspace_id), chat_id)).token
        change(world, file_id, content=LEASE.replace("1,850", "1,990"))
        await check(world)
        assert await states(ada, message_id) == ["changed", "stands", "stands"]
        world.sql("UPDATE citations SET quoted_at = now() - interval '91 days'")
        change(world, file_id, content=LEASE)
        await check(world)
        assert await line(ada, chat_id) == ""
        assert [row.moved for row in (await chats.page(ada)).rows if row.id == chat_id] == [None]
        assert source_changes.moved_of(await comparisons.with_sources(ada, [message_id])) == []
        assert "changed since" not in shared_page.shared_page(await shares.read(token), "en")


async def test_a_worker_that_dies_loses_no_quote_and_an_overtaken_one_stores_none(world: World) -> None:
    """The next worker takes it when the time is over; a change in between is looked at again."""
    async with leased(world) as (ada, file_id, _, message_id):
        change(world, file_id, content=LEASE.replace("1,850", "1,990"))
        await follow(world)
        await read_all()
        (first,) = await quotes.claim_due(ada)
        assert len(first.quotes) == 3
        assert await quotes.claim_due(ada) == [], "the other worker has them"
        world.sql("UPDATE citations SET due_at = now() - interval '1 second'")
        await quotes.settle(ada, first, dict.fromkeys(first.quotes, "gone"))
        assert await states(ada, message_id) == ["stands"] * 3
        while await quotes_job.check_due():
            pass
        assert await states(ada, message_id) == ["changed", "stands", "stands"]


async def test_the_list_of_chats_shows_the_chat_until_it_is_asked_again(world: World) -> None:
    """A newer version of the answer ends the mark; the old one keeps it."""
    async with leased(world) as (ada, file_id, chat_id, message_id):
        since = (await chats.news(ada, None)).until
        change(world, file_id, content=LEASE.replace("1,850", "1,990"))
        await check(world)
        news = await chats.news(ada, since)
        assert [(row.id, row.moved is not None) for row in news.rows] == [(chat_id, True)]  # pyright: ignore[reportAttributeAccessIssue]
        actor = Actor.user(ada.member_id, ada.workspace_id)
        turn = await conversations.regenerate(actor, message_id)
        after = RENT.replace("1,850", "1,990")
        await end(turn.assistant.run_id, parts=cited(world, file_id, after))
        assert [row.moved for row in (await chats.page(ada)).rows] == [None]
        assert await line(ada, chat_id) == ""
        await chats.choose_branch(actor, message_id)
        assert await listed(ada, chat_id) == await line(ada, chat_id) != ""
        assert await states(ada, message_id) == ["changed", "stands", "stands"]


async def test_the_panel_shows_no_sources_of_a_version_that_is_not_shown(world: World) -> None:
    """It closes when the question is asked again, and not when the chat is shown as it was."""
    async with connected(world) as (browser, _):
        actor = await browser.actor()
        web = {"n": 1, "verified": True, "kind": "web", "url": "https://example.org/", "name": "Example", "at": []}
        text = {"type": "text", "text": "It is so.", "state": "done"}
        made = [text, {"type": "data-citations", "id": "citations", "data": [web]}]
        chat_id, message_id = await answered(actor, made)
        (run_id,) = [one.run_id for one in (await chats.open(actor, chat_id)).messages if one.id == message_id]
        tab = Tab(browser, f"/chat/{chat_id}")
        tab.state("ChatState").enter(str(chat_id))
        await tab.fire("DetailsState.open_sources", str(run_id))
        await tab.fire("BranchState.choose", str(message_id))
        details = tab.state("DetailsState")
        assert (details.panel, [one.name for one in details.others]) == (True, ["Example"])
        await tab.fire("BranchState.regenerate", str(message_id), "")
        assert not details.panel


async def test_the_list_of_chats_says_the_numbers_of_the_chats_head(world: World) -> None:
    """All sources count, also those that are not followed; what nobody sees any more is named as well."""
    async with leased(world) as (ada, file_id, chat_id, _):
        other = add(world, "ada:/Notes.txt", f"{KEYS}\n")
        await check(world)
        web = {"n": 3, "verified": True, "kind": "web", "url": "https://example.org/", "name": "Example", "at": []}
        made = cited(world, other, KEYS, name="Notes.txt")
        made[1]["data"].append(web)
        turn = await conversations.ask(ada, chat_id, "And the keys?")
        await end(turn.assistant.run_id, parts=made)
        turn = await conversations.ask(ada, chat_id, "And elsewhere?")
        only_web = [made[0], {**made[1], "data": [{**web, "url": "https://example.org/2"}]}]
        await end(turn.assistant.run_id, parts=only_web)
        assert await listed(ada, chat_id) == await line(ada, chat_id) == ""
        change(world, file_id, content=LEASE.replace("1,850", "1,990"))
        await check(world)
        assert (await listed(ada, chat_id)).startswith("1 of 3 sources changed since ")
        assert await listed(ada, chat_id) == await line(ada, chat_id)
        change(world, other, removed=True)
        await check(world)
        assert (await listed(ada, chat_id)).endswith(" · 1 source no longer visible to you")
        # The head may take Google's word of a minute ago.
        await redis.client().delete(f"leaf:sight:{ada.member_id}:{other}")
        assert await listed(ada, chat_id) == await line(ada, chat_id)
        await integrations.disconnect(Actor.user(ada.member_id, ada.workspace_id), "google_drive")
        assert await listed(ada, chat_id) == await line(ada, chat_id) == ""


async def test_the_list_tells_other_participants_of_sources_that_are_theirs_to_see(world: World) -> None:
    """By what their own token has shown; of files that are not theirs it tells nothing."""
    async with connected(world, "ben") as (_, ben), leased(world) as (ada, file_id, chat_id, _):
        world.sql("INSERT INTO chat_participants (chat_session_id, user_id) VALUES (%s, %s)", chat_id, ben.user_id)
        change(world, file_id, content=LEASE.replace("1,850", "1,990"), readers=["ada", "ben"])
        await check(world)
        assert (await listed(ada, chat_id)).startswith("1 of 1 source changed since ")
        assert await listed(ben, chat_id) == await line(ben, chat_id) == await listed(ada, chat_id)
        change(world, file_id, readers=["ada"])
        await follow(world)
        assert await listed(ben, chat_id) == ""
        assert await listed(ada, chat_id) != ""


async def test_the_lists_of_all_participants_learn_of_each_change_at_once(world: World) -> None:
    """Of a source that has changed, and of one that comes into the reader's own sight, closes, or goes out of it."""
    async with connected(world, "ben") as (_, ben), leased(world) as (ada, file_id, chat_id, message_id):
        world.sql("INSERT INTO chat_participants (chat_session_id, user_id) VALUES (%s, %s)", chat_id, ben.user_id)
        change(world, file_id, content=LEASE.replace("1,850", "1,990"), readers=["ada"])
        await check(world)
        assert await states(ada, message_id) == ["changed", "stands", "stands"]
        told = _Told(world, ben, chat_id)
        assert await told.after(content=LEASE) == ""
        assert (await told.after(readers=["ada", "ben"])) == ""
        assert (await told.after(content=LEASE.replace("1,850", "2,100"))).startswith("1 of 1 source changed since ")
        assert await told.after(content=LEASE) == ""
        assert await told.after(can_download=False) == "1 source no longer visible to you"
        assert await told.after(can_download=True) == ""
        assert (await told.after(content=LEASE.replace("1,850", "2,100"))).startswith("1 of 1 source changed since ")
        assert await told.after(readers=["ada"]) == ""


@dataclass(frozen=True)
class _Told:
    """What a change of the lease has the list of a member say of a chat, without a full reading of it."""

    world: World
    member: Actor
    chat_id: UUID

    async def after(self, **changes: Any) -> str:
        ((file_id,),) = self.world.sql("SELECT DISTINCT file_id FROM citations")
        # Nothing of the change before is within the overlap of what the list reads.
        self.world.sql("ALTER TABLE chat_participants DISABLE TRIGGER chat_participants_marks")
        self.world.sql("UPDATE chat_participants SET changed_at = now() - interval '1 hour'")
        self.world.sql("ALTER TABLE chat_participants ENABLE TRIGGER chat_participants_marks")
        async with events.subscribe([events.user(self.member.member_id)]) as notices:
            change(self.world, file_id, **changes)
            await check(self.world)
            assert await notices.changed(within_seconds=5), "an open page is notified"
        news = await chats.news(self.member, datetime.now(UTC))
        assert isinstance(news, chats.Changes)
        (row,) = [one for one in news.rows if one.id == self.chat_id]
        return source_changes.line(row.moved, UTC)


async def test_the_difference_of_two_versions_is_told_by_sentences(world: World) -> None:
    """Without a model."""
    async with leased(world) as (ada, _, _, message_id):
        actor = Actor.user(ada.member_id, ada.workspace_id)
        turn = await conversations.regenerate(actor, message_id)
        text = {"type": "text", "text": "The lease says so. It was prolonged.", "state": "done"}
        await end(turn.assistant.run_id, parts=[text])
        lines = diffs.lines_of(await comparisons.of_versions(ada, turn.assistant.id))
        assert [(one.kind, one.text) for one in lines if one.kind != "place"] == [
            ("same", "The lease says so."), ("added", "It was prolonged."),
        ]  # fmt: skip


async def test_a_link_shows_the_state_of_its_day_and_that_it_is_older_than_a_source(world: World) -> None:
    """A quote that may not be shown is not said to have changed either."""
    async with leased(world) as (ada, file_id, chat_id, _):
        actor = Actor.user(ada.member_id, ada.workspace_id)
        token = (await shares.share(actor, chat_id)).token
        assert "changed since" not in shared_page.shared_page(await shares.read(token), "en")
        change(world, file_id, content=LEASE.replace("1,850", "1,990"))
        await check(world)
        shown = shared_page.shared_page(await shares.read(token), "en")
        assert "1 of 1 source has changed since." in shown
        assert shown.count("The source has changed since.") == 1
        assert RENT in shown
        world.sql("UPDATE citations SET state = 'stands'")
        assert "changed since" not in shared_page.shared_page(await shares.read(token), "en")


async def test_a_participant_reads_the_state_with_their_own_permission(world: World) -> None:
    """Of a file that ben does not see, he learns nothing but that."""
    async with leased(world) as (ada, file_id, chat_id, _), connected(world, "ben") as (_, ben):
        world.sql("INSERT INTO chat_participants (chat_session_id, user_id) VALUES (%s, %s)", chat_id, ben.member_id)
        change(world, file_id, readers=["ada"], content=LEASE.replace("1,850", "1,990"))
        await check(world)
        assert (await line(ada, chat_id)).startswith("1 of 1 source changed")
        assert await line(ben, chat_id) == "1 source no longer visible to you"


async def test_compare_names_the_source_that_its_reader_does_not_see(world: World) -> None:
    """As the line of the chat does, though the quotes stand for who has asked."""
    async with leased(world) as (ada, file_id, chat_id, message_id), connected(world, "ben") as (_, ben):
        world.sql("INSERT INTO chat_participants (chat_session_id, user_id) VALUES (%s, %s)", chat_id, ben.member_id)
        change(world, file_id, readers=["ada"])
        await check(world)
        assert await states(ada, message_id) == ["stands"] * 3
        assert await line(ben, chat_id) == "1 source no longer visible to you"
        said = {
            (words(one.was), one.note)
            for one in source_changes.moved_of(await comparisons.with_sources(ben, [message_id]))
        }
        assert said == {("", "No longer available to you.")}
        assert await comparisons.with_sources(ada, [message_id]) == []


@pytest.mark.parametrize("most", [1, 2])
async def test_many_quotes_are_taken_in_turns(world: World, monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """None is left over."""
    monkeypatch.setattr(quotes, "MOST", most)
    async with leased(world) as (ada, file_id, _, message_id):
        change(world, file_id, content="Nothing is left.")
        await check(world)
        assert await states(ada, message_id) == ["gone"] * 3


def test_the_feed_of_somebody_who_is_there_is_read_often_enough() -> None:
    """A changed quote is marked within two minutes of the edit: a minute for the feed, the rest for the text."""
    assert feeds.PRESENT.total_seconds() + quotes.LEASE.total_seconds() <= 120
