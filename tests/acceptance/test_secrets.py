"""Tokens and keys stay where they belong, also when something fails."""

import json

from sqlmodel import col, select

from leaf import config, redis
from leaf.db import Actor, models, transaction
from tests.acceptance.conftest import Ask
from tests.acceptance.readers import QUESTION, reading
from tests.acceptance.stack import PROVIDER_KEY, Sandbox, Stack
from tests.acceptance.workers import Crew


async def test_no_token_and_no_key_is_logged_streamed_or_stored(
    crew: Crew, ben: Actor, ask: Ask, stack: Stack, sandbox: Sandbox
) -> None:
    """Decision 6 of the requirements: after answers that went well and that failed, by Drive or by the provider."""
    await crew.of(1)
    streamed: list[object] = []
    for model, fault in (("openai-chat:sandbox", 401), ("anthropic:sandbox-fail", 500), ("openai:unknown", 403)):
        sandbox.fault("/drive/v3/files", fault, times=2)
        turn = await ask(ben, QUESTION, model=model)
        async with reading(ben, turn.assistant.run_id) as reader:
            stored = await reader.end()
        streamed += [*reader.chunks, stored.error_text]
        sandbox.forget()
    secrets = await _secrets(ben)
    places = {path.name: path.read_text() for path in crew.logs}
    places["chunks"] = json.dumps(streamed)
    places["messages"] = str(stack.execute("SELECT row_to_json(messages)::text FROM messages"))
    places["documents"] = str(stack.execute("SELECT row_to_json(documents)::text FROM documents"))
    places["integrations"] = str(stack.execute("SELECT row_to_json(integrations)::text FROM integrations"))
    places["redis"] = await _all_of_redis()
    assert [(name, what) for name, text in places.items() for what, secret in secrets.items() if secret in text] == []


async def _secrets(actor: Actor) -> dict[str, str]:
    settings = config.current()
    async with transaction(actor, read_only=True) as tx:
        query = select(models.Integration).where(col(models.Integration.user_id) == actor.user_id)
        row = (await tx.session.exec(query)).one()
    return {
        "access token": settings.sealer.open(row.access_token),
        "refresh token": settings.sealer.open(row.refresh_token or ""),
        "provider key": PROVIDER_KEY,
        "signing secret": settings.signing_secret,
        "seal key": str(settings.seal_keys).partition(":")[2],
    }


async def _all_of_redis() -> str:
    client = redis.client()
    found: list[object] = []
    async for key in client.scan_iter("leaf:*"):
        kind = await client.type(key)
        if kind == b"stream":
            found.append(await client.xrange(key))
        elif kind == b"hash":
            found.append(await client.hgetall(key))
        elif kind == b"string":
            found.append(await client.get(key))
    return str(found)
