"""Projects: made in the sidebar, with chats that begin in them, are moved, and outlive them."""

import re

from playwright.async_api import Page, expect

from tests.browser.visitor import Chat, Visit


async def _make(page: Page, name: str) -> None:
    await page.locator("#sidebar").get_by_role("button", name="New project").click()
    dialog = page.get_by_role("dialog", name="New project")
    await dialog.get_by_role("textbox", name="Name").fill(name)
    # Some click twice.
    await dialog.get_by_role("button", name="Create project").dblclick()
    await page.wait_for_url("**/projects/*")
    await expect(page.get_by_role("heading", name=name, level=1)).to_be_visible()


async def test_a_chat_begins_in_a_project_with_its_scope_and_outlives_it(visit: Visit) -> None:
    """# 000-63"""
    ada = await visit("ada")
    page = await ada.open("/dashboard")
    sidebar, main = page.locator("#sidebar"), page.locator("#main")
    await _make(page, "Cold store")
    await expect(
        sidebar.get_by_role("navigation", name="Projects").get_by_role("link", name="Cold store")
    ).to_have_count(1)
    await expect(main.get_by_text("There are no chats in this project yet.")).to_be_visible()
    await main.get_by_label("Name", exact=True).fill("Aldermere")
    await main.get_by_label("Instructions").fill("Answer in one sentence.")
    await main.get_by_role("button", name="Save").click()
    await expect(sidebar.get_by_role("link", name="Aldermere")).to_be_visible()
    scope = main.get_by_role("region", name="Where Leaf looks in new chats of this project")
    await expect(scope.get_by_text("Everywhere in your Drive")).to_be_visible()
    await scope.get_by_role("button", name="Narrow").click()
    await scope.get_by_label("Kind of files").select_option("pdf")
    await scope.get_by_role("button", name="Apply").click()
    await expect(scope.get_by_role("listitem")).to_have_text(["PDF"])
    await page.reload()
    await expect(main.get_by_label("Instructions")).to_have_value("Answer in one sentence.")
    project = page.url
    await main.get_by_role("button", name="New chat in this project").click()
    await page.wait_for_url(re.compile("/chat/"))
    chat = Chat(page)
    limits = page.get_by_role("region", name="Where Leaf looks in this chat")
    await expect(limits.get_by_role("listitem")).to_have_text(["PDF"])
    await chat.ask("What does the zeppelin cost?")
    await chat.finished()
    await main.get_by_role("link", name="Project: Aldermere").click()
    await page.wait_for_url(project)
    listed = main.get_by_role("link", name=re.compile("zeppelin"))
    await expect(listed).to_be_visible()
    await main.get_by_role("button", name="Delete project").click()
    dialog = page.get_by_role("dialog", name="Delete project")
    await dialog.get_by_role("button", name="Delete project").click()
    await page.wait_for_url("**/dashboard")
    await expect(sidebar.get_by_role("navigation", name="Projects")).to_have_count(0)
    await sidebar.get_by_role("link", name=re.compile("zeppelin")).click()
    await expect(limits.get_by_role("listitem")).to_have_text(["PDF"])
    await expect(main.get_by_role("link", name=re.compile("^Project"))).to_have_count(0)
    await page.goto(project)
    await expect(main.get_by_role("heading", name="This project is not here")).to_be_visible()


async def test_a_chat_is_moved_into_a_project_and_out_of_it_by_its_menu(visit: Visit) -> None:
    """The page of the project shows it at once, in another tab as well. # 000-63"""
    ada = await visit("ada")
    chat = await ada.chat(await ada.told("Who pays for the orrery?"))
    await chat.finished()
    page = await ada.open("/dashboard")
    await _make(page, "Instruments")
    sidebar, main = page.locator("#sidebar"), page.locator("#main")
    row = sidebar.get_by_role("listitem").filter(has=page.get_by_role("link", name=re.compile("orrery")))
    await row.hover()
    await row.get_by_role("button", name=re.compile("^Options")).click()
    await page.get_by_role("menuitem", name="Move to project").click()
    dialog = page.get_by_role("dialog", name="Move this chat")
    await expect(dialog.get_by_role("button", name="No project")).to_have_attribute("aria-current", "true")
    await dialog.get_by_role("button", name="Instruments").click()
    await expect(main.get_by_role("link", name=re.compile("orrery"))).to_be_visible()
    link = chat.page.get_by_role("link", name="Project: Instruments")
    await expect(link).to_be_visible()
    await chat.open_menu()
    await chat.page.get_by_role("menuitem", name="Move to project").click()
    dialog = chat.page.get_by_role("dialog", name="Move this chat")
    await dialog.get_by_role("button", name="No project").click()
    await expect(link).to_have_count(0)
    await expect(main.get_by_text("There are no chats in this project yet.")).to_be_visible()
