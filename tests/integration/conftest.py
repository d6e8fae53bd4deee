"""Fixtures that many modules share. Imported here once: a module that imports them has servers of its own."""

from tests.integration.oidc_provider import oidc_provider
from tests.integration.redis_fixtures import durable_redis, redis_server, redis_url
from tests.integration.sandbox_fixtures import sandbox_process
from tests.integration.web_fixtures import as_owner, client_of, web_database, world

__all__ = [
    "as_owner",
    "client_of",
    "durable_redis",
    "oidc_provider",
    "redis_server",
    "redis_url",
    "sandbox_process",
    "web_database",
    "world",
]
