"""Living answers whose workers are killed: quotes that are followed, a watched question, and the e-mail about it.

A trigger holds the worker in the middle of a step, where it is killed. The time of its claims passes by the database.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest
from aiosmtpd.smtp import Envelope

from leaf.db import Actor
from leaf.services import chats, conversations, watches
from sandbox import corpus
from tests.acceptance.conftest import Ask
from tests.acceptance.outfitted import alone, crew_with
from tests.acceptance.readers import reading
from tests.acceptance.stack import Stack, until
from tests.acceptance.workers import Crew, lapse
from tests.integration.test_digests import Mailbox, serving

FILE = "Lease of the press house.txt"
FILE_ID = corpus.opaque_id(f"folder {FILE}")
RENT = "The rent of the press house is 1,850 euros a month."
_KEY = 16_052_026
"""Of the advisory lock that holds a worker."""

_ENDED_CLAIMS = (
    "UPDATE drive_feeds SET claimed_until = NULL, retry_at = now()",
    "UPDATE drive_texts SET retry_at = now() WHERE state IN ('reading', 'failed')",
    "UPDATE citations SET due_at = now() WHERE due_at IS NOT NULL",
    "UPDATE watches SET next_at = now() WHERE next_at < now() + interval '2 minutes'",
    "UPDATE digests SET next_at = now() WHERE next_at < now() + interval '2 hours'",
)
"""The time for which a dead worker has what it took."""
_LATER = (
    "UPDATE citations SET changed_at = changed_at - interval '3 minutes'",
    "UPDATE drive_sight SET changed_at = changed_at - interval '3 minutes', arrived_at = arrived_at - interval '1 day'",
    "UPDATE watches SET next_at = least(next_at, now()), looked_at = looked_at - interval '1 hour' WHERE NOT asking",
)
"""The next look at watched questions."""


@dataclass(frozen=True)
class Step:
    """A place at which a worker is held: a change of a row."""

    name: str
    table: str
    event: str
    condition: str


QUOTES = (
    Step("the feed is read", "drive_sight", "UPDATE", "NEW.revision <> OLD.revision"),
    Step("the text is taken", "drive_texts", "INSERT", "true"),
    Step("the text is stored", "drive_texts", "UPDATE", "NEW.state = 'read'"),
    Step("the quote is taken", "citations", "UPDATE", "NEW.due_at > OLD.due_at"),
    Step("the mark is stored", "citations", "UPDATE", "NEW.state <> OLD.state"),
)
ASKED = (
    Step("the watch is taken", "watches", "UPDATE", "NEW.next_at > OLD.next_at AND NOT NEW.asking AND NOT OLD.asking"),
    Step("the question is asked", "messages", "INSERT", "NEW.role = 'assistant'"),
    Step("asking is noted", "watches", "UPDATE", "NEW.asking AND NOT OLD.asking"),
)
STORED = Step("the answer is stored", "messages", "UPDATE", "NEW.status = 'completed' AND OLD.status <> 'completed'")
COMPARED = Step("the answers are compared", "watches", "UPDATE", "OLD.asking AND NOT NEW.asking")
CLAIMED = Step("the e-mail is claimed", "digests", "INSERT", "true")
NOTED = Step("the e-mail is noted", "watches", "UPDATE", "NEW.mailed_at IS NOT NULL AND OLD.mailed_at IS NULL")


@dataclass
class Post(Mailbox):
    """A mail server that can keep a message waiting before it takes it."""

    waits: asyncio.Event = field(default_factory=asyncio.Event)
    goes_on: asyncio.Event = field(default_factory=asyncio.Event)
    lost: int = 0

    async def handle_DATA(self, _: Any, __: Any, envelope: Envelope) -> str:  # noqa: N802
        self.waits.set()
        try:
            await self.goes_on.wait()
        except asyncio.CancelledError:
            self.lost += 1
            raise
        return await super().handle_DATA(_, __, envelope)


@dataclass
class Scene:
    """A file that an answer quotes, and the workers that follow it."""

    stack: Stack
    crew: Crew
    post: Post
    ada: Actor
    chat_id: UUID
    question_id: UUID
    answer_id: UUID
    rent: int = 1850
    revision: str = ""
    """The revision that the index knew before the last edit."""

    def edit(self) -> None:
        """Has the file name another rent."""
        known = "SELECT revision FROM drive_sight WHERE file_id = %s AND user_id = %s"
        ((self.revision,),) = self.stack.execute(known, FILE_ID, self.ada.user_id)
        self.rent += 10
        path = self.stack.folder / "drive" / FILE
        path.write_text(f"# Lease\n\n{RENT.replace('1,850', f'{self.rent:,}')}\n{' ' * (self.rent % 7)}")
        self.stack.execute("UPDATE drive_feeds SET checked_at = NULL")

    async def is_marked(self) -> None:
        """The first answer's quote has been looked for since the last edit, and does not stand."""
        query = "SELECT state FROM citations WHERE message_id = %s AND due_at IS NULL"
        await until(lambda: self.stack.execute(query, self.answer_id) == [("changed",)], what="the quote is marked")

    async def kill_in(self, *steps: Step, after: Callable[[], None]) -> None:
        """Kills the worker in the middle of a step, its successor in the next one, and so on; the last one lives.

        Args:
            steps: The steps, in the order in which work comes to them.
            after: What has the work begin.
        """
        for number, step in enumerate(steps):
            with held(self.stack, step) as is_held:
                if number == 0:
                    after()
                else:
                    await self.replace()
                await until(is_held, what=step.name)
                self.kill()
        await self.replace()

    def kill(self) -> None:
        (worker,) = self.crew.alive
        worker.kill()

    async def replace(self) -> None:
        """Hires another worker after the time of the dead one's claims."""
        self.stack.execute("; ".join(_ENDED_CLAIMS))  # pyright: ignore[reportArgumentType]
        await self.crew.of(1)
        for run_id in await conversations.unfinished(timedelta(0)):
            await lapse(run_id)

    def later(self) -> None:
        # All at once: a worker that saw one of them alone would find that nothing has changed.
        self.stack.execute("; ".join(_LATER))  # pyright: ignore[reportArgumentType]

    def versions(self) -> int:
        """The number of answers to the question."""
        query = "SELECT count(*) FROM messages WHERE parent_id = %s AND role = 'assistant'"
        return self.stack.execute(query, self.question_id)[0][0]


@contextmanager
def held(stack: Stack, step: Step) -> Generator[Callable[[], bool]]:
    """Holds the worker that comes to a step for the length of the block; yields whether it is there.

    The statements of the test itself, which have no role of the app's, pass.
    """
    address = str(stack.settings.database_url).replace("+psycopg", "")
    with psycopg.connect(address, autocommit=True) as holder:
        holder.execute("SELECT pg_advisory_lock(%s)", (_KEY,))
        stack.execute(
            f"""
            CREATE OR REPLACE FUNCTION test_hold() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
                BEGIN PERFORM pg_advisory_xact_lock({_KEY}); RETURN NULL; END $$;
            CREATE TRIGGER test_hold AFTER {step.event} ON {step.table} FOR EACH ROW
                WHEN (current_setting('role') = 'leaf_app' AND {step.condition}) EXECUTE FUNCTION test_hold()
            """  # pyright: ignore[reportArgumentType]
        )
        waiting = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = %s AND NOT granted"
        try:
            yield lambda: holder.execute(waiting, (_KEY,)).fetchone() is not None
        finally:
            holder.execute("SELECT pg_advisory_unlock_all()")
            # It waits for what the dead worker had begun, which PostgreSQL takes back.
            stack.execute(f"DROP TRIGGER test_hold ON {step.table}")  # pyright: ignore[reportArgumentType]


@pytest.fixture
async def scene(stack: Stack, running_crew: Crew, ada: Actor, ask: Ask) -> AsyncIterator[Scene]:
    """An answer with a checked quote, the only worker that keeps an index, and a mail server."""
    path = stack.folder / "drive" / FILE
    path.write_text(f"# Lease\n\n{RENT}\n")
    post = Post()
    post.goes_on.set()
    async with serving(post) as port:
        outfit = {
            "LEAF_INDEX": "true", "LEAF_SMTP_URL": f"smtp://127.0.0.1:{port}",
            "LEAF_MAIL_FROM": "Leaf <leaf@leaf.example>",
        }  # fmt: skip
        crew = crew_with(stack, "living", outfit, "tests.acceptance.living_worker.WorkerSettings")
        async with alone(crew, running_crew):
            read = "SELECT 1 FROM drive_texts WHERE file_id = %s AND state = 'read'"
            await until(lambda: stack.execute(read, FILE_ID), what="the file is read")
            link = f"{stack.sandbox.url}/file/d/{FILE_ID}/view"
            steps = [
                {"text": "", "calls": [{"name": "read_drive_file", "arguments": {"file": link}}]},
                {"text": f'It is 1,850 euros.[^1]\n\n[^1]: "{RENT}" — [Lease]({link})\n'},
            ]
            turn = await ask(ada, f"```json\n{json.dumps(steps)}\n```", model="sandbox:sandbox-script")
            async with reading(ada, turn.assistant.run_id) as reader:
                await reader.end()
            yield Scene(stack, crew, post, ada, turn.chat_id, turn.user.id, turn.assistant.id)
            crew.stop()
        path.unlink()
        stack.execute("TRUNCATE drive_feeds, drive_sight, drive_texts, watches, digests CASCADE")


@pytest.mark.timeout(300)
async def test_quotes_are_followed_and_asked_again_whatever_step_a_worker_is_killed_in(scene: Scene) -> None:
    """The edit is marked and no model is asked; the answer that is asked for then is one branch, stored once."""
    asked = len(scene.stack.sandbox.asked())
    await scene.kill_in(*QUOTES, after=scene.edit)
    await scene.is_marked()
    texts = "SELECT count(*), count(*) FILTER (WHERE state = 'read') FROM drive_texts WHERE file_id = %s"
    ((rows, read),) = scene.stack.execute(texts, FILE_ID)
    assert rows == read
    assert (len(scene.stack.sandbox.asked()), scene.versions()) == (asked, 1)

    with held(scene.stack, STORED) as is_held:
        again = await conversations.regenerate(scene.ada, scene.answer_id)
        await until(is_held, what=STORED.name)
        scene.kill()
    await scene.replace()
    async with reading(scene.ada, again.assistant.run_id) as reader:
        assert (await reader.end()).status == "completed"
    assert scene.versions() == 2
    assert (await chats.open(scene.ada, scene.chat_id)).messages[-1].id == again.assistant.id


@pytest.mark.timeout(300)
async def test_a_watched_question_is_asked_and_told_once_whatever_step_a_worker_is_killed_in(scene: Scene) -> None:
    """Each change has one answer. Its e-mail is sent once, unless the worker dies between the server's yes and its
    note: then once more, as the same message.
    """
    await watches.begin(scene.ada, scene.answer_id)
    scene.edit()
    await until(_is_known(scene), what="the edit is known")
    await scene.kill_in(*ASKED, after=scene.later)
    await until(_is_settled(scene, 1), what="the answer is compared")
    assert scene.versions() == 2
    scene.edit()
    await until(_is_known(scene), what="the second edit is known")
    await scene.kill_in(STORED, COMPARED, after=scene.later)
    await until(_is_settled(scene, 2), what="the second answer is compared")
    assert scene.versions() == 3
    (watch,) = await watches.listed(scene.ada)
    assert watch.is_news

    await scene.kill_in(CLAIMED, after=lambda: _news(scene))
    await _sent(scene, 1)

    scene.post.goes_on.clear()
    scene.post.waits.clear()
    _news(scene)
    await asyncio.wait_for(scene.post.waits.wait(), 60)
    scene.kill()
    await until(lambda: scene.post.lost == 1, what="the server has seen the end of the connection")
    scene.post.goes_on.set()
    await scene.replace()
    await _sent(scene, 2)

    await scene.kill_in(NOTED, after=lambda: _news(scene))
    await _sent(scene, 4)
    first, second = scene.post.taken[-2:]
    assert first["Message-ID"] == second["Message-ID"]
    assert len({one["Message-ID"] for one in scene.post.taken}) == 3


def _is_known(scene: Scene) -> Callable[[], bool]:
    """Whether the last edit has been read, and its quotes looked for."""
    query = (
        "SELECT 1 FROM drive_sight s JOIN drive_texts t USING (file_id, revision) "
        "JOIN citations c USING (file_id) WHERE s.file_id = %s AND t.state = 'read' "
        "AND s.user_id = c.user_id AND s.revision <> %s HAVING count(*) > 0 AND count(c.due_at) = 0"
    )
    return lambda: bool(scene.stack.execute(query, FILE_ID, scene.revision))


def _is_settled(scene: Scene, attempts: int) -> Callable[[], bool]:
    return lambda: scene.stack.execute("SELECT attempt, asking FROM watches") == [(attempts, False)]


def _news(scene: Scene) -> None:
    """Makes the answer news that has not been told."""
    scene.stack.execute(
        "WITH free AS (DELETE FROM digests) UPDATE watches SET news_at = now() - interval '20 minutes' "
        "- random() * interval '1 second', mailed_at = NULL"
    )
    scene.stack.execute("UPDATE chat_participants SET read_at = now() - interval '1 hour'")


async def _sent(scene: Scene, number: int) -> None:
    """So many e-mails were taken, and nothing is left to be sent."""
    told = "SELECT 1 FROM watches WHERE mailed_at = news_at"
    await until(lambda: scene.stack.execute(told), what="the news are told")
    assert len(scene.post.taken) == number
