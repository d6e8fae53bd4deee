"""Watched questions: a sandbox whose files change, the index, and questions that are asked again because of it."""

from uuid import UUID

from jobs.library import watches as watches_job
from leaf.db import Actor
from leaf.services import chats, watches
from tests.integration import test_library
from tests.integration.people import end
from tests.integration.test_library import add, change
from tests.integration.test_living_answers import KEYS, LEASE, NOTICE, RENT, check, cited, leased
from tests.integration.web_fixtures import World

changing_sandbox, sandbox_process = test_library.changing_sandbox, test_library.sandbox_process


def later(world: World, span: str) -> None:
    """Moves the clock: all times of watches, quotes and the index are so much longer ago."""
    world.sql(
        "UPDATE watches SET looked_at = looked_at - %s::interval, next_at = next_at - %s::interval, "
        "asked_at = asked_at - %s::interval, news_at = news_at - %s::interval", span, span, span, span,
    )  # fmt: skip
    world.sql("UPDATE citations SET changed_at = changed_at - %s::interval", span)
    world.sql(
        "UPDATE drive_sight SET arrived_at = arrived_at - %s::interval, changed_at = changed_at - %s::interval",
        span, span,
    )  # fmt: skip
    world.sql("UPDATE drive_texts SET created_at = created_at - %s::interval", span)


async def look(world: World, span: str = "2 hours") -> None:
    """Has a worker follow the Drive, and look at all watches after a while."""
    await check(world)
    later(world, span)
    while await watches_job.look_at_due():
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
