"""The document of the API: it says what is there, and what is there does what it says."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import schemathesis
import uvicorn
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from leaf import api
from leaf.services import api_keys
from tests.integration.test_api_chat import answering
from tests.integration.web_fixtures import World

EXAMPLES = 6
"""Requests of each operation."""
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
HERS = {"/api/account/export", "/api/account/delete", "/api/health", "/api/openapi.json", "/api/chats/{chat_id}/share"}
"""Routes for browsers, which are not in the document."""


@asynccontextmanager
async def served() -> AsyncIterator[str]:
    """The routes over real HTTP, in this event loop."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(api.application(pages_port=None), log_level="warning", lifespan="off"))
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        await task
        listener.close()


def test_the_document_names_every_route_for_programs() -> None:
    app = api.application(pages_port=None)
    paths = {str(getattr(route, "path", "")).replace(":path}", "}") for route in app.routes}
    told = set(app.openapi()["paths"])
    assert {path for path in paths if path.startswith("/api/")} - HERS - {"/api/{rest}", "/api/site"} == told
    for path, operations in app.openapi()["paths"].items():
        for method, operation in operations.items():
            assert operation["security"], f"{method} {path} needs nobody"
            assert operation["description"], f"{method} {path} says nothing"


def fuzz(url: str, key: str) -> list[str]:
    """Sends each operation what it should take and what it should not; the operations that were tried."""
    schema = schemathesis.openapi.from_url(f"{url}/api/openapi.json")
    tried: list[str] = []
    for found in schema.get_all_operations():
        operation = found.ok()

        @settings(
            max_examples=EXAMPLES, deadline=None, database=None, derandomize=True, suppress_health_check=[*HealthCheck]
        )
        @given(case=operation.as_strategy())
        def check(case: Any) -> None:
            headers = {"authorization": f"Bearer {key}"}
            case.call_and_validate(base_url=url, headers=headers, checks=CHECKS, timeout=60)

        check()
        tried.append(f"{operation.method.upper()} {operation.path}")
    return tried


async def test_whatever_is_sent_is_answered_as_the_document_says(world: World) -> None:
    """No request makes the server fail, and answers are of the types and forms that are promised."""
    async with world.browser("ada") as ada, served() as url, answering(await ada.actor()):
        await ada.connect("ada")
        _, key = await api_keys.create(await ada.actor(), "Fuzz", api_keys.SCOPES, lasts_days=30)
        tried = await asyncio.to_thread(fuzz, url, key)
    assert "POST /api/chat" in tried
    assert len(tried) == sum(len(one) for one in api.application(pages_port=None).openapi()["paths"].values())
