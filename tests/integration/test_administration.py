"""Administrators: configured by e-mail, and shown numbers, feedback, failures and health, but no chat."""

import asyncio
import inspect
import json
import tomllib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import arq.worker
import psycopg
import pytest
from sqlalchemy import exc, text

from jobs import queue as arq_worker
from jobs import trials
from leaf import __version__, errors, queue, streams
from leaf.agent import models as agent_models
from leaf.config import local
from leaf.db import Actor, models, transaction
from leaf.db.models import MessageStatus
from leaf.queue import arq_queue
from leaf.services import accounts, administration, chats, conversations, feedback, operation
from leaf.telemetry import metrics
from tests import model_server
from tests.integration.people import end
from tests.integration.rls_world import TABLES
from tests.integration.web_fixtures import World

ADA, BEN = "ada@sandbox.leaf.example", "ben@sandbox.leaf.example"
CONTENT = "what ben asked in private"
FUNCTIONS = {
    name: function
    for module in (administration, operation)
    for name, function in inspect.getmembers(module, inspect.iscoroutinefunction)
    if not name.startswith(("_", "is_")) and function.__module__ == module.__name__
}  # fmt: skip
STATEMENTS = (
    "SELECT * FROM leaf_admin_users(current_date)", "SELECT * FROM leaf_admin_usage(current_date)",
    "SELECT * FROM leaf_admin_feedback('all', 10)", "SELECT * FROM leaf_admin_failures(10)",
    "SELECT * FROM leaf_admin_health()", "SELECT * FROM leaf_admin_security_events(10)",
)  # fmt: skip


async def _two(world: World) -> tuple[accounts.Session, accounts.Session]:
    """Ada, who is configured, and Ben with a failed answer and a bad opinion of it."""
    world.change(admins=f" someone@example.org, {ADA.upper()} ")
    async with world.browser("ada") as browser:
        ada = await browser.session()
    async with world.browser("ben") as browser:
        ben = await browser.session()
    failed = await conversations.ask(ben.actor, await chats.new(ben.actor), CONTENT)
    await end(
        failed.assistant.run_id, MessageStatus.ERROR, error_code="model_refused", error_text=CONTENT,
        parts=[{"type": "text", "text": CONTENT}], input_tokens=70, output_tokens=5,
    )  # fmt: skip
    assert failed.assistant.run_id is not None
    await feedback.rate(ben.actor, failed.assistant.run_id, "down", "It failed", page="/chat/x", user_agent="Firefox")
    await feedback.send(Actor.system(), "A stranger's word", address="192.0.2.7")
    return ada, ben


def test_every_function_is_known() -> None:
    """A new one must refuse others, too: the next test calls all of them."""
    assert FUNCTIONS.keys() == {
        "people", "usage_by_day", "feedback", "failures", "health", "opened", "security_events", "require",
        "drive_failures",
        "known_models", "keys", "alerts", "look_for_servers", "try_model",
    }  # fmt: skip
    for function in FUNCTIONS.values():
        first = next(iter(inspect.signature(function).parameters.values()))
        assert str(first.annotation) in {"Session", str(accounts.Session)}


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
async def test_nobody_else_is_shown_anything(world: World, name: str) -> None:
    """A page that is not there. # 002-58"""
    ada, ben = await _two(world)
    function: Any = partial(FUNCTIONS[name], model_id="sandbox:sandbox") if name == "try_model" else FUNCTIONS[name]
    with pytest.raises(errors.NotFound):
        await function(ben)
    world.change(admins="")
    with pytest.raises(errors.NotFound):
        await function(ada)


async def test_an_administrator_sees_numbers_and_feedback_and_no_content(world: World) -> None:
    """# 002-58"""
    ada, ben = await _two(world)
    people = {person.email: person for person in await administration.people(ada)}
    assert people.keys() == {ADA, BEN}
    assert (people[BEN].tokens, people[BEN].chats, people[ADA].tokens) == (75, 1, 0)
    assert people[BEN].last_seen_at is not None
    days = await administration.usage_by_day(ada)
    assert len(days) == administration.DAYS
    assert (days[-1][1].tokens, days[-1][2]) == (75, 1)
    assert [totals.tokens for _, totals, _ in days[:-1]] == [0] * (administration.DAYS - 1)
    said = {one.comment: one for one in await administration.feedback(ada)}
    assert said.keys() == {"It failed", "A stranger's word"}
    assert (said["It failed"].email, said["It failed"].page) == (BEN, "/chat/x")
    assert said["A stranger's word"].email is None
    assert [one.comment for one in await administration.feedback(ada, "down")] == ["It failed"]
    assert await administration.feedback(ada, "up") == []
    assert len(await administration.feedback(ada, "comment")) == 2
    (failure,) = await administration.failures(ada)
    assert (failure.code, failure.trace_id) == ("model_refused", failure.run_id.hex)
    assert failure.run_id == said["It failed"].run_id
    health = await administration.health(ada)
    assert health.revision == _newest()
    assert health.redis is not None
    assert (health.redis_bytes or 0) > 100_000
    assert (health.queue, health.worker, health.unfinished) == (1, None, 0)
    shown = repr([people, days, said, failure, health])
    assert CONTENT not in shown
    assert ben.workspace_name not in shown


def _newest() -> str:
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    return str(ScriptDirectory.from_config(Config("alembic.ini")).get_current_head())


async def test_an_administrator_reads_no_more_rows_than_anybody(world: World) -> None:
    """Being one opens the functions alone: every table is as before. # 000-40"""
    ada, ben = await _two(world)

    async def seen(actor: Actor) -> str:
        found: dict[str, Any] = {}
        async with transaction(actor, read_only=True) as tx:
            for table in TABLES:
                rows = await tx.session.execute(text(f"SELECT to_jsonb(t) FROM {table} t"))  # noqa: S608
                found[table] = list(rows.scalars())
        return json.dumps(found, sort_keys=True)

    as_administrator = await seen(Actor.administrator(ada.user_id))
    assert as_administrator == await seen(ada.actor)
    assert str(ben.user_id) not in as_administrator
    async with transaction(Actor.administrator(ada.user_id)) as tx:
        for table in TABLES:
            statement = text(f"UPDATE {table} SET {'updated_at' if table == 'feedback' else 'id'} = DEFAULT")  # noqa: S608
            with pytest.raises(exc.DBAPIError) if table != "feedback" else _calm():
                async with tx.session.begin_nested():
                    await tx.session.execute(statement)
    assert world.count("feedback") == 2


def _calm() -> Any:
    from contextlib import nullcontext

    return nullcontext()


@pytest.mark.parametrize("statement", STATEMENTS)
async def test_the_functions_of_the_database_refuse_everybody_else(world: World, statement: str) -> None:
    """The next user of an administrator's connection is refused, too."""
    ada, ben = await _two(world)
    async with transaction(Actor.administrator(ada.user_id)) as tx:
        await tx.session.execute(text(statement))
    for actor in (ben.actor, ada.actor, Actor.worker_for(ada.user_id), Actor.system()):
        with pytest.raises(exc.ProgrammingError) as caught:
            async with transaction(actor) as tx:
                await tx.session.execute(text(statement))
        assert isinstance(caught.value.orig, psycopg.errors.InsufficientPrivilege)


async def test_feedback_is_replaced_by_a_second_thought_and_taken_back(world: World) -> None:
    """One row for each answer and person, and the person sees their own. # 002-36"""
    _, ben = await _two(world)
    (run_id,) = world.sql("SELECT run_id FROM feedback WHERE run_id IS NOT NULL")[0]
    await feedback.rate(ben.actor, run_id, "up")
    assert world.sql("SELECT sentiment, comment FROM feedback WHERE run_id = %s", run_id) == [("up", "")]
    (chat_id,) = world.sql("SELECT id FROM chat_sessions")[0]
    assert await feedback.of_chat(ben.actor, chat_id) == {run_id: "up"}
    await feedback.take_back(ben.actor, run_id)
    assert await feedback.of_chat(ben.actor, chat_id) == {}


async def test_feedback_may_be_neutral_and_that_of_strangers_says_how_leaf_is(world: World) -> None:
    """# 002-36"""
    ada, ben = await _two(world)
    (run_id,) = world.sql("SELECT run_id FROM feedback WHERE run_id IS NOT NULL")[0]
    await feedback.rate(ben.actor, run_id, "neutral")
    await feedback.send(Actor.system(), "So so", "neutral", address="192.0.2.9", page="/", user_agent="Lynx")
    await feedback.send(Actor.system(), "", "down", address="192.0.2.9")
    found = await administration.feedback(ada, "neutral")
    assert [(one.comment, one.page, one.user_agent, one.email is None) for one in found] == [
        ("So so", "/", "Lynx", True), ("", "", "", False),
    ]  # fmt: skip
    assert [one.comment for one in await administration.feedback(ada, "down")] == [""]


async def test_feedback_has_its_limits(world: World) -> None:
    """# 002-36"""
    _, ben = await _two(world)
    (run_id,) = world.sql("SELECT run_id FROM feedback WHERE run_id IS NOT NULL")[0]
    with pytest.raises(errors.Invalid):
        await feedback.rate(ben.actor, run_id, "sideways")
    with pytest.raises(errors.Invalid):
        await feedback.rate(ben.actor, run_id, "up", "x" * 2001)
    for comment, sentiment in (("  ", ""), ("Hello", "sideways")):
        with pytest.raises(errors.Invalid):
            await feedback.send(Actor.system(), comment, sentiment, address="192.0.2.9")
    for _ in range(feedback.SENT):
        await feedback.send(Actor.system(), "Hello", address="192.0.2.9")
    with pytest.raises(errors.RateLimited):
        await feedback.send(Actor.system(), "Hello", address="192.0.2.9")
    await feedback.send(Actor.system(), "Hello", address="192.0.2.10")
    with pytest.raises(exc.ProgrammingError):
        async with transaction(Actor.system()) as tx:
            tx.session.add(models.Feedback(user_id=ben.user_id, comment="in ben's name"))


async def test_feedback_goes_with_its_chat(world: World) -> None:
    """# 000-44"""
    _, ben = await _two(world)
    (chat_id,) = world.sql("SELECT id FROM chat_sessions")[0]
    await chats.delete(ben.actor, chat_id)
    assert world.count("feedback") == 2, "the deletion can be taken back yet"
    await chats.purge(timedelta(0))
    assert world.sql("SELECT comment FROM feedback") == [("A stranger's word",)]


@asynccontextmanager
async def _worker() -> AsyncGenerator[None]:
    """A worker that tries models, and does nothing else."""
    worker = arq_worker.Worker(
        functions=[arq.worker.func(trials.try_model, name=operation.TRIAL, keep_result=60)],
        redis_pool=arq_queue.client(),
        job_serializer=queue.job_serializer,
        job_deserializer=queue.job_deserializer,
        poll_delay=0,
        handle_signals=False,
    )
    running = asyncio.create_task(worker.async_run())
    try:
        yield
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        worker._pool = None  # pyright: ignore[reportPrivateUsage]
        await worker.close()
        await agent_models.close()


async def test_an_administrator_sees_models_and_keys_and_why_one_is_off_and_tries_one(world: World) -> None:
    """The keys themselves are not shown; a trial is made by a worker. # 002-58"""
    ada, _ = await _two(world)
    secret = "sk-a-secret-key-of-the-tests"
    with model_server.running("ollama", toolless=["poet:1b"]) as server:
        world.change(local_models=f"http://{server.address}", openai_api_key=secret)
        await operation.look_for_servers(ada)
        known = {one.id: one for one in await operation.known_models(ada)}
        parrot, poet = f"local:{server.address}/parrot:3b", f"local:{server.address}/poet:1b"
        assert (known[parrot].label, known[parrot].provider, known[parrot].off) == (
            "parrot:3b", f"Ollama · {server.address}", None,
        )  # fmt: skip
        assert known[poet].off == "Off: it cannot call tools"
        assert known["anthropic:claude-haiku-5-5"].off == "Off: ANTHROPIC_API_KEY not set"
        assert next(iter(known.values())).usual
        keys = {one.variable: one.present for one in await operation.keys(ada)}
        assert (keys["OPENAI_API_KEY"], keys["ANTHROPIC_API_KEY"]) == (True, False)
        async with _worker():
            assert (await operation.try_model(ada, parrot)).failure == ""
            assert "poet:1b" in (await operation.try_model(ada, poet)).failure
            assert "cannot call tools" in (await operation.try_model(ada, poet)).failure
            with pytest.raises(errors.NotFound):
                await operation.try_model(ada, "local:elsewhere.example:1/x")
    async with _worker():
        stopped = await operation.try_model(ada, parrot)
    assert f"The model server at {server.address} does not answer" in stopped.failure
    await operation.look_for_servers(ada)
    known = {one.id: one for one in await operation.known_models(ada)}
    assert known[parrot].off == f"Off: {server.address} does not answer"
    assert f"Ollama at {server.address} does not answer any more." in await operation.alerts(ada)
    assert secret not in repr([known, keys])
    local.forget()


async def test_alerts_say_that_the_database_makes_no_vectors(world: World) -> None:
    """And are silent where none are wanted."""
    ada, _ = await _two(world)
    assert not any("pgvector" in one for one in await operation.alerts(ada))
    world.sql("ALTER TABLE drive_vectors RENAME TO drive_vectors_away")
    try:
        assert any("CREATE EXTENSION vector" in one for one in await operation.alerts(ada))
        world.change(embeddings="off")
        assert not any("pgvector" in one for one in await operation.alerts(ada))
    finally:
        world.sql("ALTER TABLE drive_vectors_away RENAME TO drive_vectors")


async def test_alerts_say_that_a_worker_is_missing_or_busy(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """And how many questions wait for one. # 001-21"""
    ada, _ = await _two(world)
    assert "No worker is running, and 1 question waits. Start one: make worker" in await operation.alerts(ada)
    worker = metrics.Publisher("worker", {})
    await worker.publish()
    assert not any("worker" in one.lower() for one in await operation.alerts(ada))
    monkeypatch.setattr(streams, "UNTAKEN_SECONDS", 0.0)
    assert any(one.startswith("All workers are busy, and 1 question has waited") for one in await operation.alerts(ada))
    await worker.leave()


def test_the_version_is_that_of_the_package() -> None:
    assert tomllib.loads(Path("pyproject.toml").read_text())["project"]["version"] == __version__
