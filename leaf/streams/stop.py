"""The stop signal of a run. `stop` in `leaf/services/conversations/dispatch.py` sets it; the worker waits for it in
`jobs.run.stop`.
"""

import asyncio
from contextlib import suppress

from leaf import errors, redis
from leaf.streams import hub
from leaf.streams.keys import SAFETY_SECONDS, RunId, keys

# The signal is a stream, not a string, so that the hub's blocking read waits for it, too.
_STOP = redis.Script("""
if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('XADD', KEYS[1], '0-1', 'c', '{"type":"data-stop"}') end
return redis.call('EXPIRE', KEYS[1], ARGV[1])
""")


async def request_stop(run_id: RunId) -> None:
    """Asks the worker of a run to stop. A second request has no effect."""
    await redis.patiently(lambda: _STOP([keys(run_id).stop], [SAFETY_SECONDS]))


async def stop_requested(run_id: RunId) -> bool:
    """Whether a stop was requested."""
    with redis.guard():
        return bool(await redis.client().exists(keys(run_id).stop))


async def wait_for_stop(run_id: RunId) -> None:
    """Waits without limit until a stop is requested. The caller cancels it when the run ends.

    It continues while Redis is unavailable, because the writer of the run reports the outage.
    """
    tail = await hub.hub().join(keys(run_id).stop, 0)
    try:
        while not tail.chunks:
            changed = tail.changed
            with suppress(errors.RedisUnavailable):
                if await stop_requested(run_id):
                    return
            with suppress(TimeoutError):
                async with asyncio.timeout(hub.SILENCE_SECONDS):
                    await changed.wait()
    finally:
        hub.hub().leave(tail)
