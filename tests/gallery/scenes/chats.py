"""The dashboard, the lists of chats, the palette."""

from playwright.async_api import Page, expect

from tests.gallery.scene import Chapter
from tests.gallery.stage import Stage

chapter = Chapter("Chats")


@chapter.scene("dashboard-new", "The dashboard of somebody new, without a Drive")
async def _new(stage: Stage) -> Page:
    page = await (await stage.visit("ben")).open()
    await expect(page.get_by_text("Hello, Ben")).to_be_visible()
    await expect(page.get_by_role("button", name="Connect").first).to_be_visible()
    return page


@chapter.scene("dashboard", "The dashboard")
async def _dashboard(stage: Stage) -> Page:
    ada = await stage.visit()
    await stage.furnish(ada)
    await _marked(stage)
    page = await ada.open()
    await expect(page.locator("nav .chat-link").first).to_be_visible()
    return page


async def _marked(stage: Stage) -> None:
    """Some chats are pinned, one is being answered, one has news, one asks."""
    for column, title in (
        ("pinned_at", "Packaging prices since 2021"),
        ("pinned_at", "Notice periods of all leases"),
    ):
        await stage.leaf.query(
            f"UPDATE chat_participants p SET {column} = now() FROM chat_sessions c"  # noqa: S608 - names from above
            " WHERE c.id = p.chat_session_id AND c.title = %s RETURNING 1",
            title,
        )
    for column, title in (
        ("running = true", "Harvest of 2025 by orchard"),
        ("waiting = true", "Questions for the auditor"),
        ("answered_at = now()", "Cold store in Riverbend"),
    ):
        await stage.leaf.query(
            f"UPDATE chat_sessions SET {column} WHERE title = %s RETURNING 1",  # noqa: S608 - names from above
            title,
        )


async def _drawer(page: Page) -> None:
    """On a phone the list is behind a button."""
    if (page.viewport_size or {})["width"] < 768 and await page.locator("html[data-drawer=open]").count() == 0:
        await page.get_by_role("button", name="Open sidebar").click()
        await page.wait_for_function("() => document.querySelector('#sidebar').getBoundingClientRect().left === 0")


@chapter.scene("sidebar", "The sidebar: pinned, running, asking, new", _drawer)
async def _sidebar(stage: Stage) -> Page:
    ada = await stage.visit()
    await stage.furnish(ada)
    await _marked(stage)
    page = await ada.open("/settings")
    await expect(page.locator("nav#sidebar li.chat-row").nth(8)).to_be_visible()
    return page


@chapter.scene("sidebar-select", "Several chats are selected", _drawer)
async def _select(stage: Stage) -> Page:
    ada = await stage.visit()
    await stage.furnish(ada)
    page = await ada.open("/settings")
    row = page.locator("nav#sidebar li.chat-row").first
    await row.hover()
    await row.get_by_role("button").click()
    await page.get_by_role("menuitem", name="Select").click()
    await page.locator("nav#sidebar li.chat-row").nth(2).get_by_role("checkbox").check()
    await expect(page.get_by_text("2 selected")).to_be_visible()
    return page


@chapter.scene("sidebar-rail", "The sidebar as a rail")
async def _rail(stage: Stage) -> Page:
    ada = await stage.visit()
    await stage.furnish(ada)
    page = await ada.open()
    await page.get_by_role("button", name="Toggle sidebar").click()
    await expect(page.locator("html")).to_have_attribute("data-rail", "true")
    return page


@chapter.scene("archived", "The archive")
async def _archived(stage: Stage) -> Page:
    ada = await stage.visit()
    await stage.furnish(ada)
    await stage.leaf.query(
        "UPDATE chat_participants SET archived_at = now() WHERE active_at < now() - interval '5 days' RETURNING 1"
    )
    page = await ada.open("/archived")
    await expect(page.locator("#main a.chat-card").first).to_be_visible()
    return page


@chapter.scene("archived-empty", "An empty archive")
async def _no_archived(stage: Stage) -> Page:
    page = await (await stage.visit()).open("/archived")
    await expect(page.get_by_text("No archived chats.")).to_be_visible()
    return page


@chapter.scene("palette", "The palette")
async def _palette(stage: Stage) -> Page:
    ada = await stage.visit()
    await stage.furnish(ada)
    page = await ada.open()
    await expect(page.locator("nav .chat-link").first).to_be_visible()
    await page.keyboard.press("Control+k")
    await expect(page.get_by_role("combobox")).to_be_focused()
    return page


@chapter.scene("palette-found", "What was said is found")
async def _found(stage: Stage) -> Page:
    chat = await stage.asked(
        "When were the medlars harvested?",
        {"text": "The medlar harvest was late this year: the last were picked on 12 November, after the first frost."},
        title="The medlar harvest",
    )
    await chat.page.keyboard.press("Control+k")
    await expect(chat.page.get_by_role("combobox")).to_be_focused()
    await chat.page.keyboard.type("medlar")
    await expect(chat.page.get_by_role("option").filter(has_text="first frost")).to_be_visible()
    return chat.page


@chapter.scene("shortcuts", "The keys")
async def _keys(stage: Stage) -> Page:
    page = await (await stage.visit()).open()
    await expect(page.get_by_text("Hello, Ada")).to_be_visible()
    await page.get_by_role("button", name="Your menu").click()
    await page.get_by_role("menuitem", name="Keyboard shortcuts").click()
    await expect(page.get_by_role("dialog")).to_be_visible()
    return page


async def _opened(page: Page) -> None:
    await page.keyboard.press("Escape")
    await _drawer(page)
    await page.get_by_role("button", name="Your menu").click()
    await expect(page.get_by_role("menuitem", name="Sign out")).to_be_visible()


@chapter.scene("menu", "The menu of the person", _opened)
async def _menu(stage: Stage) -> Page:
    page = await (await stage.visit()).open()
    await expect(page.get_by_text("Hello, Ada")).to_be_visible()
    return page
