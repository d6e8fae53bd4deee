"""People for tests of services, without a browser: signed in straight through `accounts`."""

import dataclasses
from typing import Any
from uuid import UUID

from leaf.db import Actor
from leaf.db.models import MessageStatus
from leaf.google import oauth
from leaf.services import accounts, conversations, runs, usage


async def person(name: str) -> Actor:
    """Somebody signed in; the same name is the same person."""
    identity = oauth.Identity(name, f"{name}@example.org", f"{name.title()} Example", name.title(), None)
    token = await accounts.sign_in("google", identity, user_agent=f"{name}'s browser")
    session = await accounts.session(f"{accounts.cookie_name()}={token}")
    assert session is not None
    return session.actor


async def end(run_id: UUID | None, status: MessageStatus = MessageStatus.COMPLETED, **outcome: object) -> None:
    """Ends a run as the worker does, without a worker."""
    assert run_id is not None
    task = await conversations.assignment(run_id)
    assert task is not None, "this run is not going"
    parts = [{"type": "text", "text": "An answer.", "state": "done"}]
    assert await conversations.finish(task, outcome_of(status, **{"parts": parts, **outcome}))


def outcome_of(status: MessageStatus, **values: Any) -> runs.Outcome:
    """The outcome of a run. Values with a name of `Usage` are its usage."""
    names = {one.name for one in dataclasses.fields(usage.Usage)} & values.keys()
    used = usage.Usage(**{"cost_usd": None, **{name: values.pop(name) for name in names}})
    return runs.Outcome(**{"status": status, "parts": [], "details": {}, "model_messages": [], "used": used, **values})
