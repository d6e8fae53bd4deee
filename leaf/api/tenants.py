"""What members of a tenant take away of their agents' conversations."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from starlette.responses import Response, StreamingResponse

from leaf.api import http
from leaf.api.callers import Caller, Known
from leaf.api.routing import Route
from leaf.services import tenants


async def export_conversations_as_json(caller: Known, agent: str) -> Response:
    """Gives all conversations of an agent with their events, context and usage; for members of its tenant."""
    return await _file(caller, agent, "json", "application/json")


async def export_conversations_as_csv(caller: Known, agent: str) -> Response:
    """Gives all conversations of an agent, a line for each event; for members of its tenant."""
    return await _file(caller, agent, "csv", "text/csv; charset=utf-8")


async def _file(caller: Caller, agent: str, kind: str, media_type: str) -> Response:
    agent_id = http.id_of(agent, "agent")
    # Whoever is no member is refused before anything is sent.
    await tenants.read_agent(caller.person.actor, agent_id)
    headers = {
        "content-disposition": f'attachment; filename="conversations.{kind}"',
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
    }

    async def pieces() -> AsyncGenerator[bytes]:
        async with aclosing(tenants.exported(caller.person.actor, agent_id, kind)) as exported:
            async for piece in exported:
                yield piece

    return StreamingResponse(pieces(), media_type=media_type, headers=headers)


routes = [
    Route(
        "/api/agents/{agent}/conversations.json", export_conversations_as_json, scope="read", tag="Website agents",
        response_class=Response,
    ),
    Route(
        "/api/agents/{agent}/conversations.csv", export_conversations_as_csv, scope="read", tag="Website agents",
        response_class=Response,
    ),
]  # fmt: skip
