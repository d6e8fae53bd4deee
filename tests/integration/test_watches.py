"""Watched questions: a sandbox whose files change, the index, and questions that are asked again because of it."""

import time
from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC
from typing import Any
from uuid import UUID, uuid4

import psutil
import pytest

from jobs.library import quotes as quotes_job
from jobs.library import watches as watches_job
from leaf import errors
from leaf.agent import agents
from leaf.agent.deps import Deps
from leaf.db import Actor
from leaf.db.models import MessageStatus
from leaf.documents import Unreadable
from leaf.google import content, refusals
from leaf.services import chats, conversations, integrations, watches
from leaf.services.documents import UserDocuments
from leaf.services.files import ChatFiles
from leaf.services.integrations import UserDrive
from leaf.services.watches import checks
from leaf.views.watches import asked_again, lines_of
from tests.integration import test_library
from tests.integration.people import end, person
from tests.integration.test_library import add, change, connected, follow, read_all
from tests.integration.test_living_answers import KEYS, LEASE, NOTICE, RENT, answered, check, cited, leased, raising
from tests.integration.web_fixtures import Browser, World

changing_sandbox, sandbox_process = test_library.changing_sandbox, test_library.sandbox_process


def later(world: World, span: str) -> None:
    """Moves the clock: all times of watches, quotes and the index are so much longer ago."""
    world.sql(
        "UPDATE watches SET looked_at = looked_at - %s::interval, next_at = next_at - %s::interval, "
        "asked_at = asked_at - %s::interval, news_at = news_at - %s::interval, "
        "mailed_at = mailed_at - %s::interval", span, span, span, span, span,
    )  # fmt: skip
    world.sql("UPDATE chat_participants SET read_at = read_at - %s::interval", span)
    world.sql("UPDATE citations SET changed_at = changed_at - %s::interval", span)
    world.sql(
        "UPDATE drive_sight SET arrived_at = arrived_at - %s::interval, changed_at = changed_at - %s::interval, "
        "modified_at = modified_at - %s::interval", span, span, span,
    )  # fmt: skip
    world.sql("UPDATE drive_feeds SET created_at = created_at - %s::interval", span)
    world.sql("UPDATE messages SET created_at = created_at - %s::interval", span)
    world.sql(
        "UPDATE drive_texts SET created_at = created_at - %s::interval, settled_at = settled_at - %s::interval",
        span, span,
    )  # fmt: skip


async def look(world: World, span: str = "2 hours") -> None:
    """Has a worker follow the Drive, and look at all watches after a while."""
    await check(world)
    later(world, span)
    while await watches_job.check_due():
        pass


def runs(world: World, chat_id: UUID) -> list[UUID]:
    """The runs of a chat that have not ended."""
    rows = world.sql(
        "SELECT workflow_run_id FROM messages WHERE chat_session_id = %s AND status IN ('pending', 'streaming')",
        chat_id,
    )  # fmt: skip
    return [run_id for (run_id,) in rows]


async def only(actor: Actor) -> watches.Watch:
    (watch,) = await watches.listed(actor)
    return watch


async def test_a_changed_source_has_its_question_asked_again_and_the_difference_is_news(world: World) -> None:
    """Once, as another version of the answer; until the chat is opened."""
    async with leased(world) as (ada, file_id, chat_id, message_id):
        await watches.begin(ada, message_id)
        await look(world)
        assert runs(world, chat_id) == []
        change(world, file_id, content=LEASE.replace("1,850", "1,990"))
        await look(world)
        (run_id,) = runs(world, chat_id)
        assert (await only(ada)).state == "asking"
        await look(world)
        assert runs(world, chat_id) == [run_id]
        after = cited(world, file_id, RENT.replace("1,850", "1,990"), NOTICE, KEYS)
        after[0]["text"] = "The rent has risen."
        await end(run_id, parts=after)
        await look(world)
        watch = await only(ada)
        assert (watch.state, watch.is_news) == ("watching", True)
        shown = (await chats.open(ada, chat_id)).messages[-1]
        assert (shown.id, shown.parts[0]["text"]) == (watch.answer_id, "The rent has risen.")
        await chats.mark_read(ada, chat_id)
        assert not (await only(ada)).is_news
        await look(world, "25 hours")
        assert runs(world, chat_id) == []
        assert list(lines_of([await only(ada)], UTC)) == [str(shown.id)]
        change(world, file_id, content=LEASE.replace("1,850", "1,995"))
        await look(world)
        (run_id,) = runs(world, chat_id)
        await end(run_id, parts=after)
        await look(world)
        same = await only(ada)
        assert (same.answer_id == shown.id, lines_of([same], UTC)) == (False, {}), "the last answer says nothing new"


async def test_pages_read_watches_again_when_their_chat_is_read_or_archived(world: World) -> None:
    """Where nothing is watched, they read the lists of chats alone."""
    async with (
        leased(world) as (ada, _, chat_id, message_id),
        aclosing(conversations.watch(ada, None, every_seconds=10)) as news,
    ):
        await anext(news)
        await chats.mark_read(ada, chat_id)
        assert await anext(news) == conversations.News(chats=True)
        await watches.begin(ada, message_id)
        await anext(news)
        await chats.mark_read(ada, chat_id)
        assert (await anext(news)).person
        await chats.archive(ada, [chat_id], archived=True)
        assert (await anext(news)).person


OLD = "2024-03-04T09:00:00+00:00"
BARN = "The rent of the barn is 400 euros a month by its own lease."


@asynccontextmanager
async def long_known(world: World) -> AsyncGenerator[tuple[Browser, Actor, str, str, UUID]]:
    """Ada with a watched answer that cites one of two old files that match its question: her browser, she, the cited
    file, the other one, and the chat.
    """
    async with connected(world) as (browser, ada):
        lease, barn = (
            add(world, "ada:/Lease.txt", LEASE, modified=OLD),
            add(world, "ada:/Barn.txt", BARN, modified=OLD),
        )
        await only_these(world, lease, barn)
        question = "Rent by the lease?"
        chat_id, message_id = await answered(ada, cited(world, lease, RENT, NOTICE, KEYS), question)
        await watches.begin(ada, message_id)
        yield browser, ada, lease, barn, chat_id


async def only_these(world: World, *file_ids: str) -> None:
    """Has a worker follow the Drive, of which these files alone are read, and look for the quotes that are due."""
    await follow(world)
    world.sql("DELETE FROM drive_sight WHERE NOT file_id = ANY (%s)", [*file_ids])
    await read_all()
    while await quotes_job.check_due():
        pass


async def look_again(world: World) -> None:
    """Has a worker look at all watches two hours later."""
    later(world, "2 hours")
    while await watches_job.check_due():
        pass


async def connect_again(browser: Browser, ada: Actor) -> None:
    """Disconnects Drive, and connects the same account."""
    await integrations.disconnect(Actor.user(ada.member_id, ada.workspace_id), "google_drive")
    await browser.connect("ada")


async def test_a_drive_that_is_connected_again_is_no_change(world: World) -> None:
    """All files arrive once more; neither the cited one nor one that matches is news."""
    async with long_known(world) as (browser, ada, lease, barn, chat_id):
        await look_again(world)
        await connect_again(browser, ada)
        await look_again(world)
        await only_these(world, lease, barn)
        assert world.sql("SELECT count(*) FROM drive_sight") == [(2,)]
        await look_again(world)
        assert runs(world, chat_id) == []
        assert world.sql("SELECT min(looked_at) > now() - interval '1 hour' FROM watches") == [(True,)]


@pytest.mark.parametrize("is_cited", [True, False])
async def test_an_edit_while_drive_was_not_connected_is_found_when_it_is(world: World, *, is_cited: bool) -> None:
    """Of a cited file, and of another that matches, though the listing itself is new; also after a look in between."""
    async with long_known(world) as (browser, ada, lease, barn, chat_id):
        later(world, "2 hours")
        if is_cited:
            change(world, lease, content=f"{LEASE}\nThe garden is not part of it.\n")
        else:
            change(world, barn, content=BARN.replace("400", "450"))
        await connect_again(browser, ada)
        await look_again(world)
        assert runs(world, chat_id) == []
        await only_these(world, lease, barn)
        await look_again(world)
        assert len(runs(world, chat_id)) == 1


async def test_a_cited_file_that_the_index_learns_of_later_has_not_changed(world: World) -> None:
    """It was asked about by its link; later the feed reports it in the revision that the answer was given."""
    async with long_known(world) as (_, _, lease, barn, chat_id):
        world.sql("DELETE FROM drive_sight WHERE file_id = %s", lease)
        world.sql("UPDATE citations SET due_at = NULL")
        change(world, lease, readers=["ada", "ben"])
        await look(world)
        assert world.sql("SELECT count(*) FROM drive_sight WHERE file_id = %s", lease) == [(1,)]
        assert runs(world, chat_id) == []
        world.sql("DELETE FROM drive_sight WHERE file_id = %s", barn)
        change(world, barn, readers=["ada", "ben"])
        await look(world)
        assert len(runs(world, chat_id)) == 1, "another one that comes into sight is news"


async def test_seven_days_of_an_unchanged_drive_ask_no_model(world: World) -> None:
    """Fifty questions, looked at every three hours of a moved clock."""
    async with leased(world) as (ada, _, chat_id, message_id):
        message_ids = [message_id]
        for number in range(watches.MOST_WATCHES - 1):
            turn = await conversations.ask(ada, chat_id, f"What does the lease say of the rent in part {number}?")
            await end(turn.assistant.run_id)
            message_ids.append(turn.assistant.id)
        for one in message_ids:
            await watches.begin(ada, one)
        one_more = await conversations.ask(ada, chat_id, "One more?")
        await end(one_more.assistant.run_id)
        with pytest.raises(errors.Invalid):
            await watches.begin(ada, one_more.assistant.id)
        before = world.count("messages")
        work = Work()
        for _ in range(7 * 8):
            later(world, "3 hours")
            with work.counted(world):
                while await watches_job.check_due():
                    pass
        await look(world)
        assert world.sql("SELECT min(looked_at) > now() - interval '4 hours' FROM watches") == [(True,)]
        assert world.count("messages") == before
    _print("seven days of 50 watched questions", work)


@dataclass
class Work:
    """The cost of some work: seconds by the clock, and of processors, in this process and in the database together."""

    seconds: float = 0
    cpu_seconds: float = 0

    @contextmanager
    def counted(self, world: World) -> Generator[None]:
        """Adds the cost of the block."""
        database = psutil.Process(world.sql("SELECT pg_backend_pid()")[0][0]).parent()
        assert database is not None
        of_database = _cpu_seconds(database)
        # Looking at the database's processes is itself some work, and is not counted.
        begun, own = time.perf_counter(), time.process_time()
        yield
        self.seconds += time.perf_counter() - begun
        self.cpu_seconds += time.process_time() - own
        self.cpu_seconds += _cpu_seconds(database) - of_database


def _cpu_seconds(database: psutil.Process) -> float:
    """The time of the database's processes, also of those that have ended."""
    times = [one.cpu_times() for one in database.children()]
    return sum(database.cpu_times()[:4]) + sum(one.user + one.system for one in times)


async def test_one_change_among_ten_thousand_cited_files_is_little_work(world: World) -> None:
    """Its quote is marked and its watched question asked again in 300 ms at most, in the worker and in the database
    together; docs/finding.md has the measured time.
    """
    work = Work()
    async with leased(world) as (ada, file_id, chat_id, message_id):
        # Folders, so that nothing of them is to be read.
        world.sql(
            "INSERT INTO drive_sight (user_id, file_id, name, mime_type, kind, url, revision, can_download) "
            "SELECT user_id, 'file-' || n, name, mime_type, 'folder', url, revision, can_download "
            "FROM drive_sight, generate_series(1, 10000) n WHERE file_id = %s", file_id,
        )  # fmt: skip
        world.sql(
            "INSERT INTO citations (message_id, n, chat_session_id, user_id, file_id, revision, quoted_at) "
            "SELECT %s, 10 + n, %s, %s, 'file-' || n, '1', now() FROM generate_series(1, 10000) n",
            message_id, chat_id, ada.member_id,
        )  # fmt: skip
        world.sql("UPDATE citations SET due_at = NULL")
        await watches.begin(ada, message_id)
        change(world, file_id, content=LEASE.replace("1,850", "1,990"))
        await follow(world)
        await read_all()
        # As the database itself does some minutes after so many rows have come.
        world.sql("VACUUM ANALYZE citations, drive_sight")
        with work.counted(world):
            while await quotes_job.check_due():
                pass
        marked = world.sql("SELECT state FROM citations WHERE message_id = %s AND state <> 'stands'", message_id)
        assert marked == [("changed",)]
        later(world, "2 hours")
        with work.counted(world):
            while await watches_job.check_due():
                pass
        assert len(runs(world, chat_id)) == 1
    _print("one change among 10,000 cited files", work)
    # A busy machine takes longer by the clock.
    assert work.cpu_seconds < 1


def _print(what: str, work: Work) -> None:
    print(f"{what}: {work.seconds * 1000:.0f} ms, {work.cpu_seconds * 1000:.0f} ms of processors")  # noqa: T201


def declared(message_parts: list[dict[str, Any]], words: str = "It is in September.[^found]") -> list[dict[str, Any]]:
    """The parts of an answer whose first quote is declared to be what its asker waits for."""
    text, cites = message_parts
    begin = words.index("[^")
    cites["data"][0]["at"] = [[0, begin, len(words)]]
    return [{**text, "text": words}, cites]


async def test_other_participants_see_why_there_is_another_version(world: World) -> None:
    """Not whose watch it was; a version that a person has asked for has no such line."""
    async with leased(world) as (ada, file_id, chat_id, message_id):
        ben = await joined(world, chat_id)
        await watches.begin(ada, message_id)
        change(world, file_id, content=LEASE.replace("1,850", "1,990"))
        await look(world)
        (run_id,) = runs(world, chat_id)
        task = await conversations.assignment(run_id)
        assert task is not None
        parts = cited(world, file_id, RENT.replace("1,850", "1,990"), NOTICE, KEYS)
        await end(run_id, parts=parts, details=task.details)
        answer = (await chats.open(ben, chat_id)).messages[-1]
        assert {str(answer.id)} == asked_again((await chats.open(ben, chat_id)).messages, UTC).keys()
        assert await watches.listed(ben) == []
        turn = await conversations.regenerate(ada, answer.id)
        await end(turn.assistant.run_id)
        messages = (await chats.open(ada, chat_id)).messages
        assert (messages[-1].id, asked_again(messages, UTC)) == (turn.assistant.id, {})


async def joined(world: World, chat_id: UUID) -> Actor:
    """Ben, who takes part in a chat."""
    ben = await person("ben")
    world.sql("INSERT INTO chat_participants (chat_session_id, user_id) VALUES (%s, %s)", chat_id, ben.user_id)
    return ben


async def test_a_question_waits_for_what_appears(world: World) -> None:
    """A new file about something else is no reason; the watch ends with the first answer that declares a checked quote
    to be it.
    """
    async with leased(world) as (ada, _, _, _):
        chat_id, message_id = await answered(ada, [{"type": "text", "text": "Nothing was found."}], "cider festival?")
        await watches.begin(ada, message_id, kind="appear")
        add(world, "ada:/Frost.txt", "Frost damage on the southern slope was small this spring.")
        await look(world)
        assert runs(world, chat_id) == []
        file_id = add(world, "ada:/Festival.txt", "The cider festival is on 12 September.")
        await look(world)
        (run_id,) = runs(world, chat_id)
        task = await conversations.assignment(run_id)
        assert task is not None
        assert task.awaits
        await end(run_id, parts=declared(cited(world, file_id, "The cider festival is on 12 September.")))
        await look(world)
        watch = await only(ada)
        assert (watch.state, watch.is_news) == ("found", True)
        assert next(iter(lines_of([watch], UTC).values())).startswith("Drive has had an answer since ")
        change(world, file_id, content="The cider festival is on 19 September.")
        await look(world, "25 hours")
        assert runs(world, chat_id) == []


@pytest.mark.parametrize("is_known", [True, False])
async def test_a_file_that_can_be_read_later_has_appeared_then(
    world: World, monkeypatch: pytest.MonkeyPatch, *, is_known: bool
) -> None:
    """In the same version: one that has come, or one that was there when Drive was connected. Until then the days on
    which it still cannot be read ask nothing, and neither do those after the answer.
    """
    async with leased(world) as (ada, _, _, _):
        festival = add(world, "ada:/Festival.txt", "The cider festival is on 12 September.", modified=OLD)
        await unreadable(world, monkeypatch)
        if is_known:
            world.sql("UPDATE drive_sight SET arrived_at = to_timestamp(0)")
        chat_id, message_id = await answered(ada, [{"type": "text", "text": "Nothing was found."}], "cider festival?")
        await watches.begin(ada, message_id, kind="appear")
        for _ in range(2):
            await unreadable(world, monkeypatch)
            await look(world, "25 hours")
            assert runs(world, chat_id) == []
        assert world.sql("SELECT state FROM drive_texts WHERE file_id = %s", festival) == [("skipped",)]
        again(world)
        await look(world)
        (run_id,) = runs(world, chat_id)
        await end(run_id, parts=[{"type": "text", "text": "No date yet."}])
        for _ in range(2):
            await look(world, "25 hours")
            assert runs(world, chat_id) == []


async def test_a_file_that_is_read_while_its_question_is_answered_has_come_after_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It had come before, and its first reading had failed: the answer could not use it."""
    async with leased(world) as (ada, _, _, _):
        add(world, "ada:/Festival.txt", "The cider festival is on 12 September.", modified=OLD)
        with monkeypatch.context() as patch:
            patch.setattr(content, "read", raising(refusals.Changing()))
            await check(world)
        later(world, "1 hour")
        chat_id, message_id = await answered(ada, [{"type": "text", "text": "Nothing was found."}], "cider festival?")
        await watches.begin(ada, message_id, kind="appear")
        await look(world)
        assert runs(world, chat_id) == []
        again(world)
        await look(world)
        assert len(runs(world, chat_id)) == 1


async def test_an_edit_that_the_index_learns_of_after_the_answer_has_appeared_then(world: World) -> None:
    """The file was there when Drive was connected, and was edited just before the question."""
    async with leased(world) as (ada, _, _, _):
        festival = add(world, "ada:/Festival.txt", "There is no date yet.", modified=OLD)
        await check(world)
        world.sql("UPDATE drive_sight SET arrived_at = to_timestamp(0)")
        later(world, "1 hour")
        change(world, festival, content="The cider festival is on 12 September.")
        chat_id, message_id = await answered(ada, [{"type": "text", "text": "Nothing was found."}], "cider festival?")
        await watches.begin(ada, message_id, kind="appear")
        await look(world)
        (run_id,) = runs(world, chat_id)
        await end(run_id, parts=[{"type": "text", "text": "No date yet."}])
        await look(world, "25 hours")
        assert runs(world, chat_id) == []


async def test_a_file_that_was_there_and_turns_out_not_to_be_readable_is_no_news(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its name alone matches the question; the first listing has shown it, and its turn comes after the answer."""
    async with leased(world) as (ada, _, _, _):
        add(world, "ada:/Cider festival.txt", "It is on 12 September.", modified=OLD)
        await follow(world)
        world.sql("UPDATE drive_sight SET arrived_at = to_timestamp(0)")
        later(world, "1 hour")
        chat_id, message_id = await answered(ada, [{"type": "text", "text": "Nothing was found."}], "cider festival?")
        await watches.begin(ada, message_id, kind="appear")
        await unreadable(world, monkeypatch)
        await look(world)
        assert world.sql("SELECT count(*) FROM drive_texts WHERE state = 'skipped'") == [(1,)]
        assert runs(world, chat_id) == []


async def test_a_cited_file_counts_once_while_its_new_version_cannot_be_read_and_again_when_it_can(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with leased(world) as (ada, file_id, chat_id, message_id):
        await watches.begin(ada, message_id)
        change(world, file_id, content=LEASE.replace("1,850", "1,990"))
        await unreadable(world, monkeypatch)
        await look(world)
        (run_id,) = runs(world, chat_id)
        await end(run_id, parts=[{"type": "text", "text": "The lease cannot be read."}])
        for _ in range(2):
            await unreadable(world, monkeypatch)
            await look(world, "25 hours")
            assert runs(world, chat_id) == []
        again(world)
        await look(world)
        assert len(runs(world, chat_id)) == 1


async def unreadable(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Has a worker follow the Drive, and find that its unread files cannot be read."""
    with monkeypatch.context() as patch:
        patch.setattr(content, "read", raising(Unreadable("It cannot be read.")))
        again(world)
        await check(world)


def again(world: World) -> None:
    """Has files be tried again that could not be read."""
    world.sql("UPDATE drive_texts SET retry_at = now() WHERE state IN ('failed', 'skipped')")


async def test_only_the_agent_of_who_waits_is_told_how_to_declare_it(world: World) -> None:
    """The question of another member, or one that is watched for changes, is answered as ever."""
    async with leased(world) as (ada, _, _, message_id):
        assert await told(ada, message_id) is None
        await watches.begin(ada, message_id)
        assert await told(ada, message_id) is None
        watch = await watches.begin(ada, message_id, kind="appear")
        words = await told(ada, message_id)
        assert words is not None
        assert "[^found]" in words
        await watches.end(ada, watch.id)
        assert await told(ada, message_id) is None


async def told(ada: Actor, message_id: UUID) -> str | None:
    """What the agent is told of waiting when the question is asked again."""
    turn = await conversations.regenerate(ada, message_id)
    assert turn.assistant.run_id is not None
    task = await conversations.assignment(turn.assistant.run_id)
    assert task is not None
    access, kept, files = UserDrive(ada), UserDocuments(ada), ChatFiles(ada, task.chat_id)
    deps = Deps(uuid4(), task.run_id, access, kept, files, awaits=task.awaits)
    await end(task.run_id)
    return next((one for one in agents.further_instructions(deps) if one.startswith("The asker waits")), None)


async def test_an_answer_that_it_is_still_missing_ends_no_waiting(world: World) -> None:
    """Whatever it quotes. A quote of a new file is news all the same, as the answer may only have failed to declare it;
    one of an old file is none.
    """
    async with leased(world) as (ada, lease_id, _, _):
        chat_id, message_id = await answered(ada, [{"type": "text", "text": "Nothing was found."}], "cider festival?")
        await watches.begin(ada, message_id, kind="appear")
        file_id = add(world, "ada:/Festival.txt", "The committee of the cider festival is Bo and Cy.")
        await look(world)
        (run_id,) = runs(world, chat_id)
        await end(run_id, parts=declared(cited(world, lease_id, RENT), "No date yet; the lease has none either.[^1]"))
        await look(world)
        assert ((await only(ada)).state, (await only(ada)).is_news) == ("watching", False)
        change(world, file_id, content="The committee of the cider festival is Bo and Di.")
        await look(world, "25 hours")
        (run_id,) = runs(world, chat_id)
        quote = cited(world, file_id, "The committee of the cider festival is Bo and Di.")
        await end(run_id, parts=declared(quote, "No date yet, but a committee.[^1]"))
        await look(world)
        watch = await only(ada)
        assert (watch.state, watch.is_news) == ("watching", True)
        assert next(iter(lines_of([watch], UTC).values())).startswith("Asked again on ")
        quote[1]["data"][0]["verified"] = False
        change(world, file_id, content="The cider festival is on 12 September.")
        await look(world, "25 hours")
        (run_id,) = runs(world, chat_id)
        await end(run_id, parts=declared(quote))
        await look(world)
        assert (await only(ada)).state == "watching", "a quote that is not in its source declares nothing"


async def test_a_question_is_asked_at_most_once_in_its_period(world: World) -> None:
    """The changes of the time in between count when it is over."""
    async with leased(world) as (ada, file_id, chat_id, message_id):
        await watches.begin(ada, message_id, every="week")
        for day in range(3):
            change(world, file_id, content=LEASE.replace("1,850", f"1,99{day}"))
            await look(world)
            if day == 0:
                (run_id,) = runs(world, chat_id)
                await end(run_id, parts=cited(world, file_id, RENT.replace("1,850", "1,990")))
                await look(world)
            assert runs(world, chat_id) == []
            # Who chooses anew does not ask sooner.
            again = await watches.begin(ada, message_id, every="week")
            await watches.change(ada, again.id, every="week")
        later(world, "7 days")
        while await watches_job.check_due():
            pass
        assert len(runs(world, chat_id)) == 1


async def test_a_worker_that_dies_neither_asks_twice_nor_loses_a_question(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed after it has taken the watch, after it has asked, and before it has compared."""
    async with leased(world) as (ada, file_id, chat_id, message_id):
        await watches.begin(ada, message_id)
        change(world, file_id, content=LEASE.replace("1,850", "1,990"))
        await check(world)
        later(world, "2 hours")
        (taken,) = await watches.claim_due(ada)
        assert await watches.claim_due(ada) == [], "the dead worker has it for a while"
        assert not await watches_job.check_due()
        later(world, "2 minutes")
        with monkeypatch.context() as dying:
            dying.setattr(watches, "note_asked", _die)
            with pytest.raises(_Killed):
                await watches_job.check_due()
        (run_id,) = runs(world, chat_id)
        await watches.postpone(ada, taken, watches.CheckResult(False, taken.horizon))
        later(world, "2 minutes")
        assert await watches_job.check_due()
        assert runs(world, chat_id) == [run_id]
        assert (await only(ada)).state == "asking"
        await end(run_id, parts=cited(world, file_id, RENT.replace("1,850", "1,990")))
        with monkeypatch.context() as dying:
            dying.setattr(checks, "_differs", _die)
            with pytest.raises(_Killed):
                await watches_job.check_due()
        assert await watches_job.check_due()
        await look(world, "25 hours")
        watch = await only(ada)
        assert (watch.state, watch.asked_at is not None, runs(world, chat_id)) == ("watching", True, [])
        assert world.sql("SELECT attempt FROM watches") == [(1,)]


class _Killed(BaseException):
    """The end of a worker."""


async def _die(*_: object) -> None:
    raise _Killed


async def test_nobody_is_led_away_from_what_they_read(world: World) -> None:
    """The chat has gone on below the old answer: the new one is beside it."""
    async with leased(world) as (ada, file_id, chat_id, message_id):
        further = await conversations.ask(ada, chat_id, "And who pays?")
        await end(further.assistant.run_id)
        await watches.begin(ada, message_id)
        change(world, file_id, content=LEASE.replace("1,850", "1,990"))
        await look(world)
        (run_id,) = runs(world, chat_id)
        assert (await chats.open(ada, chat_id)).messages[-1].id == further.assistant.id
        await end(run_id)
        assert (await chats.open(ada, chat_id)).messages[-1].id == further.assistant.id


async def test_a_watch_waits_where_it_cannot_be_asked(world: World) -> None:
    """For the budget, for the chat to leave the archive, for Drive to be connected; and goes with its chat."""
    async with leased(world) as (ada, file_id, chat_id, message_id):
        await watches.begin(ada, message_id)
        change(world, file_id, content=LEASE.replace("1,850", "1,990"))
        world.sql(
            "INSERT INTO usage_entries (run_id, purpose, user_id, workspace_id, model, input_tokens) "
            "VALUES (gen_random_uuid(), 'title', %s, %s, 'sandbox:sandbox', 5)", ada.user_id, ada.workspace_id,
        )  # fmt: skip
        world.change(daily_tokens=1)
        await look(world)
        assert ((await only(ada)).state, runs(world, chat_id)) == ("budget", [])
        world.change(daily_tokens=None)
        await chats.archive(ada, [chat_id], archived=True)
        await look(world)
        assert ((await only(ada)).state, runs(world, chat_id)) == ("archived", [])
        await chats.archive(ada, [chat_id], archived=False)
        world.sql("UPDATE integrations SET status = 'revoked'")
        await look(world)
        assert ((await only(ada)).state, runs(world, chat_id)) == ("drive", [])
        world.sql("UPDATE integrations SET status = 'active'")
        await look(world)
        (run_id,) = runs(world, chat_id)
        await end(run_id, MessageStatus.ERROR, error_code="model_unavailable")
        await look(world)
        assert (await only(ada)).state == "failed"
        await look(world, "25 hours")
        assert len(runs(world, chat_id)) == 1, "a failure loses nothing"
        await chats.delete(ada, chat_id)
        assert await watches.listed(ada) == []
