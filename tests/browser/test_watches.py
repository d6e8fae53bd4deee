"""A watched question: the dialog, the answer that Leaf asks for when a source has changed, and the list."""

import re
from pathlib import Path
from typing import Literal

import httpx
import psycopg
import pytest
from playwright.async_api import Page, expect

from tests.browser import test_living
from tests.browser.product import Product
from tests.browser.scripts import script
from tests.browser.test_accessibility import check
from tests.browser.test_living import MARKED_SECONDS, RENT
from tests.browser.visitor import Visit

followed, lease = test_living.followed, test_living.lease

_LATER = (
    "UPDATE citations SET changed_at = changed_at - interval '3 minutes'",
    "UPDATE drive_sight SET changed_at = changed_at - interval '3 minutes'",
    "UPDATE watches SET looked_at = looked_at - interval '1 hour', next_at = now()",
)
"""Moves the clock to the next look."""


async def _pictures(page: Page, folder: Path, name: str) -> None:
    looks: tuple[tuple[int, Literal["light", "dark"]], ...] = (
        (1280, "light"), (1280, "dark"), (360, "light"), (360, "dark"),
    )  # fmt: skip
    for width, scheme in looks:
        await page.set_viewport_size({"width": width, "height": 860})
        await page.emulate_media(color_scheme=scheme)
        await page.screenshot(path=folder / f"{name}-{width}-{scheme}.png")
        assert await page.evaluate("() => document.documentElement.scrollWidth") <= width
    await page.set_viewport_size({"width": 1280, "height": 860})


@pytest.mark.timeout(900)
@pytest.mark.usefixtures("followed")
async def test_a_watched_question_is_asked_again_and_tells_what_is_different(
    visit: Visit, leaf: Product, lease: str, tmp_path: Path
) -> None:
    """Nobody clicks; one click ends the watching."""
    chat = await (await visit("ada")).new_chat()
    page = chat.page
    read = {"text": "", "calls": [{"name": "read_drive_file", "arguments": {"file": lease}}]}
    await chat.ask(script(read, {"text": f'It is 1,850 euros.[^1]\n\n[^1]: "{RENT}" — [Lease]({lease})\n'}))
    await chat.finished()
    await chat.answer.get_by_role("button", name="Watch this").click()
    dialog = page.get_by_role("dialog", name="Watch this")
    await expect(dialog.get_by_label("At most")).to_have_value("day")
    await check(page)
    await _pictures(page, tmp_path, "dialog")
    await dialog.get_by_role("button", name="Watch this").click()
    await expect(dialog).to_have_count(0)
    entry = page.locator("#sidebar").get_by_role("link", name="Watched questions")
    await expect(entry).to_be_visible()
    async with httpx.AsyncClient(base_url=leaf.sandbox_url, trust_env=False) as http:
        edited = {"content": f"# Lease\n\n{RENT.replace('1,850', '1,990')}\n"}
        (await http.post(f"/sandbox/files/{lease.split('/')[-2]}", json=edited)).raise_for_status()
    await expect(chat.answer.get_by_role("group", name=re.compile("1 of 1 source changed since"))).to_be_visible(
        timeout=MARKED_SECONDS * 1000
    )
    await expect(chat.answer.get_by_role("group", name="Versions")).to_have_count(0)
    leaf.use_model(None)
    with psycopg.connect(leaf.database_url, autocommit=True) as connection:
        for statement in _LATER:
            connection.execute(statement)
    await expect(chat.answer.get_by_role("group", name="Versions")).to_contain_text("2", timeout=60_000)
    await chat.finished()
    line = chat.answer.get_by_role("group", name=re.compile("Asked again on"))
    await expect(line).to_be_visible(timeout=60_000)
    await _pictures(page, tmp_path, "line")
    await line.get_by_role("button", name="What is different").click()
    different = page.get_by_role("dialog", name="What is different in this answer")
    await expect(different.locator(".diff")).to_be_visible()
    await different.get_by_role("button", name="Close").click()
    await entry.click()
    row = page.locator(".session-list li")
    await expect(row).to_contain_text("asked again on")
    await check(page)
    await _pictures(page, tmp_path, "list")
    await row.get_by_role("button", name="Stop watching").click()
    await expect(page.get_by_text("You watch no questions")).to_be_visible()
    await expect(entry).to_have_count(0)
