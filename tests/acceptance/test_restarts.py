"""A web process that is told to end sends its pages to the others, and not all at the same moment."""

import asyncio
import time
from contextlib import AsyncExitStack
from uuid import uuid4

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from leaf.api import shutdown
from tests.acceptance.stack import Stack
from tests.acceptance.test_sockets import Page, opened
from tests.acceptance.web import Web

PAGES = 40


async def _left_at(page: Page) -> tuple[float, bool]:
    """When a page's socket was closed, and whether socket.io said so, after which a page would not come back."""
    heard: list[str] = []
    try:
        while True:
            heard.append(str(await page.socket.recv()))
            if heard[-1] == "2":
                await page.socket.send("3")
    except ConnectionClosed:
        return time.monotonic(), any(message.startswith("41") for message in heard)


async def _refusal(web: Web) -> int:
    with pytest.raises(InvalidStatus) as refused:
        async with opened(web, str(uuid4())):
            pass
    return refused.value.response.status_code


@pytest.mark.timeout(300)
async def test_pages_leave_a_process_that_ends_one_after_the_other(stack: Stack) -> None:
    """A page that comes meanwhile is refused, so that it tries another process; then this one ends. # 000-31"""
    web = Web(stack, 9)
    web.start()
    try:
        await web.ready()
        async with AsyncExitStack() as pages:
            opening = [pages.enter_async_context(opened(web, str(uuid4()))) for _ in range(PAGES)]
            leaving = [asyncio.create_task(_left_at(page)) for page in await asyncio.gather(*opening)]
            ending = asyncio.create_task(asyncio.to_thread(web.terminate))
            await asyncio.wait(leaving, return_when=asyncio.FIRST_COMPLETED)
            assert await _refusal(web) == 403
            left = sorted([await one for one in leaving])
            await asyncio.wait_for(ending, 60)
    finally:
        web.kill()
    assert left[-1][0] - left[0][0] > shutdown.EACH_SECONDS * (PAGES - 1) * 0.8
    assert not any(said for _, said in left)
