"""Answers take precedence over the index: steps of the index wait while an answer is being written."""

import asyncio

from jobs import registry

LOOKS = 25
"""The maximum number of checks for running answers before a step goes on."""
LOOK_SECONDS = 0.2
"""The pause between two checks."""


async def wait() -> None:
    """Waits while answers are being written, for at most `LOOKS` times `LOOK_SECONDS`."""
    for _ in range(LOOKS):
        if not await registry.attempts():
            return
        await asyncio.sleep(LOOK_SECONDS)
