"""What a process is asked about itself, each time that it publishes."""

from collections.abc import Callable
from typing import Any

from leaf import redis, streams

Gauges = dict[str, Callable[[], float]]


def of_process(database: Callable[[], tuple[int, int]]) -> Gauges:
    """The gauges that every process has.

    Args:
        database: Says how many connections to the database are in use, and how many are idle.
    """
    return {
        "followers": streams.followers,
        "database_in_use": lambda: database()[0],
        "database_idle": lambda: database()[1],
        "redis_in_use": lambda: _redis("used"),
        "redis_idle": lambda: _redis("idle"),
    }


def _redis(state: str) -> float:
    pool: Any = redis.client().connection_pool
    return sum(count for count, told in pool.get_connection_count() if state in map(str, told.values()))
