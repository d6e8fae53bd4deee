"""`make bench ONLY=living`: how soon a changed quote is marked, and what an unchanged Drive costs.

A worker as it is shipped keeps the index of a Drive of its own; all that a model would write besides answers (titles,
related questions) is on. Each round is one edit. Then 50 standing questions wait for seven days of a moved clock.
"""

import asyncio
import json
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from psycopg import errors as psycopg_errors

from leaf import config, redis
from leaf.db import Actor, session
from leaf.services import chats, conversations, watches
from sandbox import corpus
from tests.acceptance import people
from tests.acceptance.stack import Stack, until
from tests.acceptance.workers import Crew
from tests.bench.figures import Figures

QUESTIONS: Final = watches.MOST_WATCHES
DAYS: Final = 7
SPAN: Final = "3 hours"
"""The time by which the clock is moved at once."""
STEPS: Final = DAYS * 8
TARGET_SECONDS: Final = 120
"""The time from an edit to its mark."""
_BOUND_SECONDS: Final = 240.0
_MODEL: Final = "sandbox:sandbox-script"

_MOVED_CLOCK: Final = f"""
    DO $$
    DECLARE one record;
    BEGIN
        SET LOCAL session_replication_role = replica;
        FOR one IN
            SELECT c.table_name AS name, string_agg(
                quote_ident(c.column_name) || ' = ' || quote_ident(c.column_name) || ' - interval ''{SPAN}''', ', '
            ) AS moved
            FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
            WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND starts_with(c.data_type, 'timestamp')
                AND c.is_generated = 'NEVER' AND c.table_name <> 'sessions'
            GROUP BY 1 ORDER BY 1
        LOOP
            EXECUTE 'UPDATE ' || quote_ident(one.name) || ' SET ' || one.moved;
        END LOOP;
    END $$
"""  # noqa: S608 - the span is a constant
"""All times of the database are so much longer ago; only the member's own session goes on."""


class _Stack(Stack):
    index = True

    def _drive(self) -> Path:
        folder = self.folder / "drive"
        folder.mkdir()
        for number in range(QUESTIONS):
            (folder / name_of(number)).write_text(text_of(number))
        return folder


def name_of(number: int) -> str:
    """The name of a file of the Drive."""
    return f"Lease {number}.txt"


def quote_of(number: int) -> str:
    """The sentence of a file that an answer quotes."""
    return f"The rent of house {number} is {1000 + number} euros a month."


def text_of(number: int, *, edits: int = 0) -> str:
    """The text of a file; after an odd number of edits it says something else than its answer quotes."""
    rent = quote_of(number).replace("euros", "francs") if edits % 2 else quote_of(number)
    return f"# Lease\n\n{rent}\n\nThis is version {edits} of the lease.\n"


def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="leafl-", dir="/tmp"))  # socket paths are short
    folder.chmod(0o755)
    return folder


async def measure(figures: Figures) -> None:
    """Notes the figures."""
    folder = _folder()
    stack = _Stack(folder)
    crew = Crew(stack)
    try:
        await asyncio.to_thread(stack.start)
        stack.settings = stack.settings.model_copy(update={"titles": True, "related_questions": True})
        config.install(stack.settings)
        ada = await people.sign_in("ada")
        await crew.of(1)
        await until(lambda: _count(stack, "drive_texts WHERE state = 'read'") == QUESTIONS, seconds=120)
        answers = await _answered(stack, ada)
        await _measure_marks(figures, stack, answers)
        await _measure_days(figures, stack, ada, answers)
    finally:
        await session.dispose()
        await redis.close()
        await asyncio.to_thread(crew.stop)
        await asyncio.to_thread(stack.stop)
        shutil.rmtree(folder, ignore_errors=True)


async def _answered(stack: Stack, ada: Actor) -> list[UUID]:
    """An answer for each file, which quotes it."""
    answers: list[UUID] = []
    with stack.model(_MODEL):
        for number in range(QUESTIONS):
            link = f"{stack.sandbox.url}/file/d/{corpus.opaque_id(f'folder {name_of(number)}')}/view"
            steps: list[dict[str, Any]] = [
                {"text": "", "calls": [{"name": "read_drive_file", "arguments": {"file": link}}]},
                {"text": f'So it is.[^1]\n\n[^1]: "{quote_of(number)}" — [Lease]({link})\n'},
            ]
            question = f"What is the rent of house {number}?\n\n```json\n{json.dumps(steps)}\n```"
            turn = await conversations.ask(ada, await chats.new(ada), question)
            answers.append(turn.assistant.id)
    followed = "citations WHERE state = 'stands' AND due_at IS NULL"
    for rows in (
        "messages WHERE status = 'completed' AND role = 'assistant'",
        "chat_sessions WHERE title > ''",
        followed,
    ):
        await until(lambda rows=rows: _count(stack, rows) == QUESTIONS, seconds=_BOUND_SECONDS, what=rows)
    return answers


async def _measure_marks(figures: Figures, stack: Stack, answers: list[UUID]) -> None:
    """Edits one file after another at random moments; each second edit gives a file its quoted words back, while the
    member is away.
    """
    chance = random.Random(1)
    asked = len(stack.sandbox.asked())
    edits = [0] * QUESTIONS
    for round_number in range(figures.rounds):
        number = round_number // 2
        ago, where = ("0", "") if round_number % 2 == 0 else ("1 hour", ", its reader away")
        stack.execute("UPDATE sessions SET last_seen_at = now() - %s::interval", ago)
        await asyncio.sleep(chance.uniform(0, 20))
        edits[number] += 1
        begun = time.monotonic()
        (stack.folder / "drive" / name_of(number)).write_text(text_of(number, edits=edits[number]))
        state = "changed" if edits[number] % 2 else "stands"
        marked = f"citations WHERE message_id = '{answers[number]}' AND state = '{state}'"
        await until(lambda marked=marked: _count(stack, marked), seconds=_BOUND_SECONDS)
        seconds = time.monotonic() - begun
        figures.note(f"a changed quote is marked after{where}", seconds, "s", TARGET_SECONDS)
        _say(f"edit {round_number + 1}: {seconds:.1f} s")
    figures.note("calls of models by these edits", len(stack.sandbox.asked()) - asked, "calls", 0)


async def _measure_days(figures: Figures, stack: Stack, ada: Actor, answers: list[UUID]) -> None:
    """Has all questions watched for seven days in which nothing changes."""
    for one in answers:
        await watches.begin(ada, one)
    for _ in range(3):
        # Changes of the edits above are looked at, and answered.
        await _moved(stack)
    await until(lambda: not _count(stack, "watches WHERE asking"), seconds=120)
    asked, messages = len(stack.sandbox.asked()), _count(stack, "messages")
    for _ in range(STEPS):
        await _moved(stack)
    _say(f"{DAYS} days are over")
    figures.note(
        "calls of models in seven days of 50 standing questions", len(stack.sandbox.asked()) - asked, "calls", 0
    )
    figures.note("answers begun in these days", _count(stack, "messages") - messages, "answers", 0)


async def _moved(stack: Stack) -> None:
    """Moves the clock, and waits until the worker has looked at all watches, and read the Drive's feed."""
    while True:
        try:
            stack.execute(_MOVED_CLOCK)  # pyright: ignore[reportArgumentType]
            break
        except psycopg_errors.DeadlockDetected:
            # The worker was at it.
            continue
    due = "watches WHERE NOT asking AND next_at <= now()"
    behind = "drive_feeds WHERE checked_at IS NULL OR checked_at < now() - interval '1 hour'"
    await until(lambda: not _count(stack, due) and not _count(stack, behind), seconds=120, what="all is looked at")


def _count(stack: Stack, rows: str) -> int:
    return stack.execute(f"SELECT count(*) FROM {rows}")[0][0]  # noqa: S608 # pyright: ignore[reportArgumentType]


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
