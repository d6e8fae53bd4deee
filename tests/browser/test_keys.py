"""Keys of one's own programs: made in Settings, shown once, revoked."""

import re

import httpx
from playwright.async_api import expect

from tests.browser.visitor import Visit


async def test_a_key_is_made_shown_once_used_and_revoked(visit: Visit) -> None:
    ada = await visit("ada")
    page = await ada.open("/settings/keys")
    await expect(page.get_by_text("You have no keys.")).to_be_visible()
    await page.get_by_label("Name", exact=True).fill("My script")
    await expect(page.get_by_label("See files in Google Drive, and disconnect it")).not_to_be_checked()
    await page.get_by_role("button", name="Create key").click()
    shown = page.locator(".made-key")
    await expect(shown).to_have_text(re.compile(r"^leaf_key_[\w-]{43}$"))
    key = await shown.inner_text()
    row = page.get_by_role("listitem").filter(has_text="My script")
    await expect(row).to_contain_text("Never used")
    await expect(row.locator(".tag")).to_have_text(["read", "ask and change"])
    async with httpx.AsyncClient(base_url=ada.leaf.url, headers={"authorization": f"Bearer {key}"}) as http:
        assert (await http.get("/api/chats")).status_code == 200
        assert (await http.get("/api/drive/folders?url=root")).status_code == 403
        await page.get_by_role("button", name="Done", exact=True).click()
        await expect(shown).to_have_count(0)
        await page.reload()
        await expect(row).to_contain_text("Last used")
        assert key not in await page.content()
        await page.get_by_role("button", name="Revoke My script").click()
        await expect(page.get_by_text("Key revoked.")).to_be_visible()
        await expect(page.get_by_text("You have no keys.")).to_be_visible()
        assert (await http.get("/api/chats")).status_code == 401
