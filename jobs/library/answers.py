"""The index comes behind answers: its steps wait while one is being written."""

import asyncio

from jobs import registry

LOOKS = 25
LOOK_SECONDS = 0.2
"""The pause between two looks for running answers; a step waits for `LOOKS` of them at most."""


async def let_pass() -> None:
    """Waits while answers are being written, but not forever."""
    for _ in range(LOOKS):
        if not await registry.attempts():
            return
        await asyncio.sleep(LOOK_SECONDS)
