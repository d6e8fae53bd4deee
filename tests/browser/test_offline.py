"""Leaf without a network: chats that this browser has shown are read, nothing is sent, and nobody else sees them."""

import re
from collections.abc import Callable

import pytest
from playwright.async_api import Page, Route, expect

from tests.browser.product import Product
from tests.browser.visitor import Chat, Visit, Visitor
from tests.integration.redis_fixtures import until

OFFLINE = (r"WebSocket connection to .* failed", "ERR_INTERNET_DISCONNECTED", r"ERR_FAILED \(.*/assets/")
"""The last one: Chromium lets a page have the network back before its service worker, which then finds no file."""
FILES = """async () => {
    const all = {};
    for (const name of await caches.keys()) {
        const kept = await (await caches.open(name)).keys();
        // One that has gone since its name was read is opened as a new and empty one.
        if (kept.length) all[name] = kept.map((one) => new URL(one.url).pathname);
    }
    return all;
}"""
OLD_PAGES = """async () => {
    await caches.open("leaf:pages:0");
    for (const name of await caches.keys()) {
        const page = new Response("<p>An old page</p>", { headers: { "content-type": "text/html" } });
        if (name.startsWith("leaf:pages:")) await (await caches.open(name)).put("/__spa-fallback.html", page);
    }
}"""
HAS_OLD_PAGE = """async () => {
    for (const name of await caches.keys()) {
        if (!name.startsWith("leaf:pages:")) continue;
        const page = await caches.match("/__spa-fallback.html", { cacheName: name });
        if (page && (await page.text()).includes("An old page")) return true;
    }
    return false;
}"""
OLD_RECORDS = """async () => {
    for (const name of await caches.keys()) {
        if (!name.startsWith("leaf:seen:")) continue;
        const cache = await caches.open(name);
        for (const key of await cache.keys()) {
            const record = await (await cache.match(key)).json();
            await cache.put(key, new Response(JSON.stringify({ ...record, build: "0" })));
        }
    }
}"""
UNSEEN = "/chat/00000000-0000-4000-8000-000000000000"


@pytest.fixture
def service_workers() -> bool:
    """Pages without their server come from the service worker."""
    return True


async def _keeps(page: Page, condition: Callable[[dict[str, list[str]]], bool]) -> None:
    """Waits until what the browser keeps (paths by the names of caches) fulfils a condition."""

    async def holds() -> bool:
        return condition(await page.evaluate(FILES))

    await until(holds, seconds=40)


def _seen(files: dict[str, list[str]]) -> list[str]:
    return [path for name, paths in files.items() if name.startswith("leaf:seen:") for path in paths]


def _is_complete(files: dict[str, list[str]]) -> bool:
    """Whether the pages can be opened without a network; the socket's script comes last."""
    kept = [path for name, paths in files.items() if name.startswith("leaf:pages:") for path in paths]
    return "/__spa-fallback.html" in kept and any(path.startswith("/assets/dist-") for path in kept)


async def _answered(visitor: Visitor, question: str) -> tuple[Chat, str]:
    """A chat that can be opened without a network from now on."""
    visitor.guard.allow(*OFFLINE)
    chat = await visitor.new_chat()
    await chat.ask(question)
    return await _kept(chat)


async def _told(visitor: Visitor, question: str) -> tuple[Chat, str]:
    """The same, of a chat that was not written in this browser."""
    visitor.guard.allow(*OFFLINE)
    return await _kept(await visitor.chat(await visitor.told(question)))


async def _kept(chat: Chat) -> tuple[Chat, str]:
    await chat.finished()
    await _keeps(chat.page, lambda files: f"/seen/{chat.id}" in _seen(files) and _is_complete(files))
    return chat, await chat.answer.locator(".md").last.inner_text()


async def test_a_chat_that_was_shown_is_read_without_a_network_until_it_is_deleted(visit: Visit) -> None:
    """The page keeps its frame, says that it is offline, keeps a draft, sends nothing, and goes on by itself."""
    ada = await visit("ada")
    chat, text = await _answered(ada, "What is written in my Drive?")
    other, _ = await _told(ada, "How are the apples?")
    page, path = chat.page, chat.path
    await ada.context.set_offline(True)
    await page.reload()
    await expect(page.get_by_text("You are offline. Your text is kept")).to_be_visible()
    await expect(chat.questions).to_have_text(["What is written in my Drive?"])
    await expect(chat.answer.locator(".md").last).to_have_text(text, use_inner_text=True)
    await expect(page.locator("#sidebar .person-name")).to_have_text("Ada Lindqvist")
    await expect(chat.answer.locator(".related")).to_be_hidden()
    for away in (page.locator("#sidebar").get_by_role("link", name="Files"), page.get_by_role("button", name="Share")):
        await expect(away).to_have_css("pointer-events", "none")
    await expect(page.locator("#sidebar").get_by_role("button", name="Search", exact=True)).to_have_css(
        "pointer-events", "auto"
    )
    await page.locator(f"nav#sidebar a[href='{other.path}']").click()
    await expect(chat.questions).to_have_text(["How are the apples?"])
    await page.locator(f"nav#sidebar a[href='{path}']").click()
    await expect(chat.questions).to_have_text(["What is written in my Drive?"])
    await chat.box.fill("Not yet")
    await chat.box.press("Enter")
    await expect(page.get_by_text("You are offline. Your text is kept; send it when you are back.")).to_be_visible()
    await page.goto(ada.leaf.url + UNSEEN)
    await expect(page.get_by_text("This chat was not opened in this browser before.")).to_be_visible()
    await page.goto(ada.leaf.url + path)
    await expect(chat.box).to_have_value("Not yet")
    await chat.box.press("Enter")
    await expect(page.get_by_text("You are offline. Your text is kept; send it when you are back.")).to_be_visible()
    await ada.context.set_offline(False)
    await expect(page.get_by_text("You are offline.")).to_have_count(0)
    await expect(chat.box).to_have_value("Not yet")
    await expect(chat.questions).to_have_text(["What is written in my Drive?"])
    await chat.box.press("Enter")
    await expect(chat.questions).to_have_count(2)
    await chat.finished()
    await ada.context.request.delete(f"{ada.leaf.url}/api/chats/{chat.id}")
    await page.reload()
    await expect(page.get_by_text("This chat does not exist")).to_be_visible()
    await _keeps(page, lambda files: f"/seen/{chat.id}" not in _seen(files))


async def test_what_is_dimmed_without_a_network_does_nothing_by_keyboard_and_says_so(visit: Visit) -> None:
    """Files, Share, New chat and their keys, and the commands of the palette. # 000-40, 000-42"""
    ada = await visit("ada")
    chat, _ = await _told(ada, "How are the pears?")
    page, path = chat.page, chat.path
    await expect(page.locator("#sidebar [aria-disabled=true]")).to_have_count(0)
    await ada.context.set_offline(True)
    sidebar = page.locator("#sidebar")
    for one in (sidebar.get_by_role("link", name="Files", exact=True), page.get_by_role("button", name="Share")):
        await expect(one).to_be_disabled()
        await one.focus()
        await page.keyboard.press("Enter")
        await page.keyboard.press("Space")
    await expect(sidebar.locator("[data-new-chat]")).to_have_attribute("aria-disabled", "true")
    await page.keyboard.press("Control+Shift+O")
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await sidebar.get_by_role("button", name="Search", exact=True).press("Enter")
    palette = page.get_by_role("dialog")
    await expect(palette.get_by_role("option", name="New chat", exact=True)).to_have_attribute("aria-disabled", "true")
    await expect(palette.get_by_role("option", name="Dark", exact=False).first).to_have_attribute(
        "aria-disabled", "false"
    )
    await page.keyboard.press("Escape")
    assert page.url.endswith(path)
    await expect(chat.questions).to_have_text(["How are the pears?"])
    await ada.context.set_offline(False)
    await expect(page.locator("[aria-disabled=true]")).to_have_count(0)
    await sidebar.get_by_role("link", name="Files", exact=True).press("Enter")
    await page.wait_for_url(re.compile("/files"))


async def test_the_members_menu_changes_the_appearance_without_a_network_and_says_that_the_rest_needs_it(
    visit: Visit,
) -> None:
    """Also on a page that was opened without one. # 000-40"""
    ada = await visit("ada")
    chat, _ = await _told(ada, "How are the plums?")
    page = chat.page
    await ada.context.set_offline(True)
    await page.reload()
    await expect(page.locator("#sidebar .person-name")).to_have_text("Ada Lindqvist")
    await page.locator("#sidebar .person").click()
    menu = page.locator("#sidebar .sidebar-bottom [role=menu]")
    await expect(menu.get_by_text("You are offline: the appearance can be changed")).to_be_visible()
    for name in ("Settings", "Integrations", "Archived chats", "Usage", "Send feedback", "Sign out"):
        await expect(menu.get_by_role("menuitem", name=name)).to_have_attribute("aria-disabled", "true")
    await menu.get_by_role("menuitem", name="Settings").press("Enter")
    await menu.get_by_role("menuitem", name="Sign out").press("Enter")
    assert page.url.endswith(chat.path)
    for scheme in ("dark", "light"):
        item = menu.locator(f"[data-theme-choice={scheme}]")
        if not await item.is_visible():
            await page.locator("#sidebar .person").click()
        await item.click()
        await expect(page.locator("html")).to_have_class(re.compile(rf"\b{scheme}\b"))
    async with page.expect_event("load"):  # the page of today, with what the server knows
        await ada.context.set_offline(False)
    await expect(page.locator("html[data-offline]")).to_have_count(0)
    await page.locator("#sidebar .person").click()
    await expect(menu.get_by_text("You are offline")).to_be_hidden()
    await menu.get_by_role("menuitem", name="Usage").click()
    await page.wait_for_url(re.compile("/usage"))


async def test_nothing_of_a_member_stays_after_the_sign_out_or_for_another_member(visit: Visit) -> None:
    """# 000-40"""
    visitor = await visit(None)
    visitor.account = "ben"
    await visitor.sign_in()
    chat, text = await _answered(visitor, "What is two and two?")
    page, path = chat.page, chat.path
    await page.locator("#sidebar .person").click()
    await page.get_by_role("menuitem", name="Sign out").click()
    await page.wait_for_url(re.compile(r"/(\?.*)?$"))
    await _keeps(page, lambda files: _seen(files) == [])
    await visitor.context.set_offline(True)
    await page.goto(visitor.leaf.url + path)
    await expect(page.get_by_text("You are offline.")).to_be_visible()
    await expect(page.get_by_text(text)).to_have_count(0)
    await visitor.context.set_offline(False)
    # Somebody else signs in without a sign-out before.
    visitor.account = "ada"
    await page.evaluate("async () => (await caches.open('leaf:seen:somebody')).put('/seen/x', new Response('{}'))")
    page = await visitor.sign_in()
    await expect(page.locator("#sidebar .person-name")).to_have_text("Ada Lindqvist")
    await _keeps(page, lambda files: "leaf:seen:somebody" not in files)


async def test_pages_that_could_not_be_kept_at_first_are_kept_later(visit: Visit) -> None:
    ada = await visit("ada")
    ada.guard.allow("503")
    refused: list[str] = []

    async def refuse_once(route: Route) -> None:
        if refused:
            await route.fallback()
        else:
            refused.append(route.request.url)
            await route.fulfill(status=503)

    await ada.context.route("**/__spa-fallback.html", refuse_once)
    chat = await ada.new_chat()
    await _keeps(chat.page, _is_complete)
    assert len(refused) == 1


async def test_pages_of_an_earlier_build_are_never_shown_while_the_server_answers(visit: Visit, leaf: Product) -> None:
    """They go as soon as those of today are complete."""
    ada = await visit("ada")
    chat, _ = await _told(ada, "How are the apples?")
    await chat.page.evaluate(OLD_PAGES)
    await chat.page.goto(leaf.url + chat.path)
    await expect(chat.questions).to_have_text(["How are the apples?"])
    await expect(chat.page.get_by_text("An old page")).to_have_count(0)

    async def is_replaced() -> bool:
        # The cache of the earlier build alone may have gone with the page before this one.
        return not await chat.page.evaluate(HAS_OLD_PAGE)

    await until(is_replaced, seconds=40)
    assert "leaf:pages:0" not in await chat.page.evaluate(FILES)
    await ada.context.set_offline(True)
    await chat.page.goto(leaf.url + chat.path)
    await expect(chat.questions).to_have_text(["How are the apples?"])
    # What another build has kept may have another form.
    await chat.page.evaluate(OLD_RECORDS)
    await chat.page.goto(leaf.url + chat.path)
    await expect(chat.page.get_by_text("This chat was not opened in this browser before.")).to_be_visible()
    await ada.context.set_offline(False)
    await expect(chat.questions).to_have_text(["How are the apples?"])
