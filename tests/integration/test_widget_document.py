"""The document of the widget API: every request is answered as the document says."""

import asyncio
from typing import Any

import httpx
import schemathesis
from hypothesis import HealthCheck, given, settings

from leaf.api.site.mounts import document as site_document
from tests.integration.people import person
from tests.integration.redis_fixtures import until
from tests.integration.test_api_document import CHECKS, served
from tests.integration.web_fixtures import World
from tests.integration.widget_pages import SHOP, Site, answering

EXAMPLES = 8
"""Requests of each operation."""


def fuzz(url: str, site: Site) -> list[str]:
    """Sends each operation what it should take and what it should not; the operations that were tried."""
    schema = schemathesis.openapi.from_url(f"{url}/api/site/openapi.json")
    said = {"authorization": f"Bearer {site.key}", "origin": SHOP, "x-leaf-session": "s" * 22}
    tried: list[str] = []
    for found in schema.get_all_operations():
        operation = found.ok()

        @settings(
            max_examples=EXAMPLES, deadline=None, database=None, derandomize=True, suppress_health_check=[*HealthCheck]
        )
        @given(case=operation.as_strategy())
        def check(case: Any) -> None:
            case.call_and_validate(base_url=f"{url}/api/site", headers=said, checks=CHECKS, timeout=60)

        check()
        tried.append(f"{operation.method.upper()} {operation.path}")
    return tried


async def _answers(url: str) -> bool:
    async with httpx.AsyncClient(trust_env=False) as http:
        try:
            return (await http.get(f"{url}/api/health")).is_success
        except httpx.TransportError:
            return False


async def test_whatever_is_sent_is_answered_as_the_document_says(world: World) -> None:
    """# 003-15"""
    site = await Site.make(await person("ada"), visitor_daily=1000)
    async with served() as url, answering():
        await until(lambda: _answers(url))
        tried = await asyncio.to_thread(fuzz, url, site)
    assert world.count("visitors") == 1
    document = site_document()
    assert sorted(tried) == sorted(
        f"{method.upper()} {path}" for path, operations in document["paths"].items() for method in operations
    )
    assert all(one["description"] for operations in document["paths"].values() for one in operations.values())
