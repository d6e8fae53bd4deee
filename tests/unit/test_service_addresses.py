"""The forms of the addresses of PostgreSQL and Redis."""

from typing import Any

import pytest

from leaf import config, errors
from leaf.config import sentinels
from leaf.db import address
from leaf.redis import connections

SENTINELS = "redis+sentinel://me:p%40ss@10.0.0.1:26380,sentinel.example/leaf/3"


@pytest.mark.parametrize(
    ("url", "expected", "servers"),
    [
        ("postgresql://leaf:p%40ss@db:5433/leaf", {"host": "db", "port": 5433, "user": "leaf", "password": "p@ss"}, 1),
        ("postgresql+psycopg://leaf@/leaf?host=%2Frun%2Fpg", {"host": "/run/pg", "dbname": "leaf"}, 1),
        ("postgres://leaf:a,b@db/leaf?sslmode=require", {"password": "a,b", "sslmode": "require", "host": "db"}, 1),
        (
            "postgresql://leaf:p%40ss@db-a:5433,db-b/leaf?target_session_attrs=read-write",
            {
                "host": "db-a,db-b", "port": "5433,5432", "user": "leaf", "password": "p@ss", "dbname": "leaf",
                "target_session_attrs": "read-write",
            },
            2,
        ),
        ("postgresql://leaf@[::1]:5433,[::2]/leaf", {"host": "::1,::2", "port": "5433,5432"}, 2),
    ],
)  # fmt: skip
def test_the_database_is_one_server_or_several(url: str, expected: dict[str, Any], servers: int) -> None:
    found = address.arguments(url)
    assert {name: found.get(name) for name in expected} == expected
    assert address.servers(url) == servers
    assert config.Settings(_env_file=None, database_url=url).database_url == url


def test_sentinels_are_named_with_the_redis_that_they_watch() -> None:
    found = sentinels.parsed(SENTINELS)
    assert found == sentinels.Sentinels(
        (("10.0.0.1", 26380), ("sentinel.example", 26379)), "leaf", 3, tls=False, username="me", password="p@ss"
    )
    assert "p@ss" not in repr(found)
    assert sentinels.parsed("rediss+sentinel://s") == sentinels.Sentinels((("s", 26379),), "mymaster", 0, tls=True)
    assert sentinels.parsed("redis://localhost:6379/0") is None


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("redis://localhost:7000/3", {"host": "localhost", "port": 7000, "db": 3}),
        ("rediss://me:p%40ss@redis.example:7001", {"username": "me", "password": "p@ss", "port": 7001}),
        ("unix:///run/a%20b/s?db=2", {"path": "/run/a b/s", "db": 2}),
        ("unix:///run/s?password=x", {"path": "/run/s", "password": "x"}),
        (SENTINELS, {"username": "me", "password": "p@ss", "db": 3, "watched_by": sentinels.parsed(SENTINELS)}),
    ],
)
def test_every_connection_gets_what_the_address_says(url: str, expected: dict[str, Any]) -> None:
    found = connections.options(url, 5.0)
    assert {name: found.get(name) for name in expected} == expected
    assert config.Settings(_env_file=None, redis_url=url).redis_url == url


@pytest.mark.parametrize(
    ("setting", "url", "problem"),
    [
        ("redis_url", "redis+sentinel://a:1,b:99999/leaf", "REDIS_URL: its port must be a number from 1 to 65535"),
        (
            "redis_url",
            "redis+sentinel://a,/leaf",
            "REDIS_URL: must be redis+sentinel://host:port,host:port/name/database",
        ),
        (
            "redis_url",
            "redis+sentinel://a/leaf/x",
            "REDIS_URL: must be redis+sentinel://host:port,host:port/name/database",
        ),
        ("database_url", "postgresql://a:1,b:0/leaf", "DATABASE_URL: its port must be a number from 1 to 65535"),
    ],
)
def test_an_address_that_names_no_server_is_refused(setting: str, url: str, problem: str) -> None:
    with pytest.raises(errors.ConfigurationError) as refused:
        config.Settings(_env_file=None, **{setting: url})
    assert refused.value.problems == [problem]
