"""The sidebar: days, pins, the archive, deletion with undo, several at once, thousands of chats, and live marks."""

import re

import psycopg
import pytest
from playwright.async_api import Locator, Page, expect

from tests.browser import questions
from tests.browser.product import Product
from tests.browser.visitor import Chat, Visit, Visitor
from tests.integration.redis_fixtures import until

THOUSANDS = 10_000
PLACE_OF_FOCUS = "() => document.activeElement.closest('li.chat-row')?.getAttribute('aria-posinset') ?? ''"
LOADED_MS = 120_000
"""Ample time for a page with thousands of chats, on a machine that has much else to do."""


async def furnish(visitor: Visitor, count: int, *, hours_apart: float = 1, named: str = "Chat") -> None:
    """Gives the visitor's person chats that were active so many hours apart, the newest one called "Chat 1"."""
    account = f"{visitor.account}%"
    async with await psycopg.AsyncConnection.connect(visitor.leaf.database_url, autocommit=True) as connection:
        found = await connection.execute(
            "SELECT u.id, m.workspace_id FROM users u JOIN workspace_members m ON m.user_id = u.id WHERE email LIKE %s",
            (account,),
        )
        user_id, workspace_id = await found.fetchone() or (None, None)
        values = {"user": user_id, "workspace": workspace_id, "count": count, "named": named, "apart": hours_apart}
        await connection.execute(
            "WITH made AS (INSERT INTO chat_sessions (workspace_id, created_by, title, begun, updated_at) "
            "SELECT %(workspace)s, %(user)s, %(named)s || ' ' || n, true, now() - n * %(apart)s * interval '1 hour' "
            "FROM generate_series(1, %(count)s) n RETURNING id, updated_at) "
            "INSERT INTO chat_participants (chat_session_id, user_id) SELECT id, %(user)s FROM made",
            values,
        )


async def forget(visitor: Visitor) -> None:
    """The visitor's person has no chats any more."""
    async with await psycopg.AsyncConnection.connect(visitor.leaf.database_url, autocommit=True) as connection:
        await connection.execute(
            "DELETE FROM chat_sessions c USING users u WHERE u.id = c.created_by AND u.email LIKE %s",
            (f"{visitor.account}%",),
        )


def rows(page: Page) -> Locator:
    return page.locator("nav#sidebar li.chat-row")


def titled(page: Page, title: str) -> Locator:
    return rows(page).filter(has=page.get_by_text(title, exact=True))


async def choose(page: Page, row: Locator, option: str) -> None:
    await row.hover()
    await row.get_by_role("button", name=re.compile("^Options for")).click()
    await page.get_by_role("menuitem", name=option).click()


async def test_the_tab_key_goes_through_a_long_list_without_losing_its_place(
    visit: Visit, kept_chats: dict[str, str]
) -> None:
    """Also where the heading of a day leaves the sight, and is not drawn any more. # 000-46"""
    ada = await visit("ada")
    await forget(ada)
    kept_chats.clear()
    await furnish(ada, 120, hours_apart=0)
    page = await ada.open("/dashboard")
    await expect(rows(page).first).to_be_visible()
    await rows(page).first.get_by_role("link").first.focus()
    seen: set[str] = set()
    for _ in range(140):
        at = await page.evaluate(PLACE_OF_FOCUS)
        assert at, sorted(seen, key=int)
        seen.add(at)
        await page.keyboard.press("Tab")
    assert len(seen) > 60
    await forget(ada)


async def test_chats_stand_under_their_days_by_the_readers_own_clock(visit: Visit) -> None:
    """# 000-39"""
    ben = await visit("ben", timezone_id="Pacific/Auckland")
    await forget(ben)
    await furnish(ben, 5, hours_apart=24 * 20)
    page = await ben.open()
    headings = page.locator("nav#sidebar h2")
    await expect(headings.first).to_have_text("Previous 30 days")
    month = "() => new Intl.DateTimeFormat('en', {month: 'long'}).format(Date.now() - 40 * 86400000)"
    await expect(headings.nth(1)).to_contain_text(await page.evaluate(month))
    await forget(ben)
    await furnish(ben, 4, hours_apart=22)
    await page.goto(ben.leaf.url + "/dashboard")
    await expect(headings.first).to_have_text(re.compile("^(Today|Yesterday)$"))
    await expect(headings.last).to_have_text("Previous 7 days")
    await expect(rows(page)).to_have_count(4)


async def test_a_chat_is_pinned_renamed_archived_and_brought_back(visit: Visit) -> None:
    """# 000-39 003-19 000-49"""
    ben = await visit("ben")
    await forget(ben)
    await furnish(ben, 3)
    page, other = await ben.open(), await ben.open()
    await choose(page, titled(page, "Chat 2"), "Pin")
    for tab in (page, other):
        await expect(tab.locator("nav#sidebar h2").first).to_have_text("Pinned")
        await expect(rows(tab).first).to_contain_text("Chat 2")
    await choose(page, titled(page, "Chat 3"), "Rename")
    field = page.get_by_role("textbox", name="Title")
    await expect(field).to_be_focused()
    await field.fill("Something else")
    await field.press("Escape")
    await expect(titled(page, "Chat 3")).to_be_visible()
    await choose(page, titled(page, "Chat 3"), "Rename")
    await field.fill("A better <b>name</b>")
    await field.press("Enter")
    for tab in (page, other):
        await expect(titled(tab, "A better <b>name</b>")).to_be_visible()
    await choose(page, titled(page, "A better <b>name</b>"), "Archive")
    for tab in (page, other):
        await expect(rows(tab)).to_have_count(2)
    await page.goto(ben.leaf.url + "/archived")
    card = page.locator("section.dashboard-chats a.chat-card")
    await expect(card).to_have_text(re.compile("A better <b>name</b>"))
    await card.click()
    await expect(page.get_by_role("heading", level=1)).not_to_contain_text("does not exist")
    await expect(page).to_have_url(re.compile("/chat/"))
    await page.go_back()
    row = page.locator("section.dashboard-chats li.chat-row")
    await choose(page, row, "Restore")
    await expect(page.get_by_text("No archived chats.")).to_be_visible()
    await expect(rows(page)).to_have_count(3)


async def test_a_deletion_can_be_taken_back_for_some_seconds(visit: Visit) -> None:
    """# 000-44"""
    ben = await visit("ben")
    await forget(ben)
    await furnish(ben, 2)
    page, other = await ben.open(), await ben.open()
    await choose(page, titled(page, "Chat 1"), "Delete")
    for tab in (page, other):
        await expect(rows(tab)).to_have_count(1)
    await page.get_by_role("button", name="Undo").click()
    for tab in (page, other):
        await expect(rows(tab)).to_have_count(2)
    await expect(page.get_by_text("The chat is back.")).to_be_visible()
    # Whoever goes elsewhere meanwhile, or has deleted the chat that is open, is offered it there as well.
    await choose(page, titled(page, "Chat 1"), "Delete")
    await expect(page.get_by_role("button", name="Undo")).to_be_visible()
    await titled(page, "Chat 2").get_by_role("link").click()
    await page.wait_for_url("**/chat/*")
    await page.get_by_role("button", name="Undo").click()
    await expect(rows(page)).to_have_count(2)
    await choose(page, titled(page, "Chat 2"), "Delete")
    await page.wait_for_url("**/dashboard")
    await page.get_by_role("button", name="Undo").click()
    await expect(rows(page)).to_have_count(2)


async def test_a_tab_that_shows_a_deleted_chat_comes_back_with_it(visit: Visit, leaf: Product) -> None:
    """# 000-44"""
    ben = await visit("ben")
    await forget(ben)
    await furnish(ben, 2)
    page = await ben.open()
    await titled(page, "Chat 1").get_by_role("link").click()
    await page.wait_for_url("**/chat/*")
    other = await ben.open(f"/chat/{Chat(page).id}")
    heading = other.get_by_role("heading", level=1)
    await expect(Chat(other).box).to_be_visible()
    await choose(page, titled(page, "Chat 1"), "Delete")
    await expect(heading).to_contain_text("does not exist")
    # What stands around it goes on being true.
    await expect(rows(other)).to_have_count(1)
    await page.get_by_role("button", name="Undo").click()
    await expect(rows(other)).to_have_count(2)
    await expect(Chat(other).box).to_be_visible()
    await expect(heading).not_to_contain_text("does not exist")
    questions.answer_with(leaf, "Here again.")
    await Chat(other).ask("Is it?")
    await expect(Chat(other).answer).to_contain_text("Here again.")


async def test_several_are_archived_and_deleted_at_once(visit: Visit) -> None:
    """With Shift all between two. # 003-19"""
    ben = await visit("ben")
    await forget(ben)
    await furnish(ben, 8)
    page = await ben.open()
    await choose(page, titled(page, "Chat 2"), "Select")
    bar = page.get_by_role("toolbar", name="Selected chats")
    await expect(bar).to_contain_text("1 selected")
    await page.get_by_role("checkbox", name="Chat 5").click(modifiers=["Shift"])
    await expect(bar).to_contain_text("4 selected")
    await page.get_by_role("checkbox", name="Chat 4").click()
    await bar.get_by_role("button", name="Archive selected").click()
    await expect(rows(page)).to_have_count(5)
    await choose(page, titled(page, "Chat 6"), "Select")
    await page.get_by_role("checkbox", name="Chat 7").click()
    await bar.get_by_role("button", name="Delete selected").click()
    await expect(rows(page)).to_have_count(3)
    await expect(page.get_by_text("2 chats were deleted.")).to_be_visible()
    await page.get_by_role("button", name="Undo").click()
    await expect(rows(page)).to_have_count(5)
    await choose(page, titled(page, "Chat 8"), "Select")
    await page.keyboard.press("Escape")
    await expect(bar).to_have_count(0)


async def test_ten_thousand_chats_are_scrolled_through_in_few_elements(visit: Visit) -> None:
    """# 002-38 002-42"""
    ben = await visit("ben")
    await forget(ben)
    await furnish(ben, THOUSANDS)
    page = await ben.open()
    await expect(titled(page, "Chat 1")).to_be_visible(timeout=LOADED_MS)
    seen = 0
    while seen < 1_000:
        # Scrolling is repeated: after so many changes at once the list is read anew.
        await page.wait_for_function(
            "(seen) => { const list = document.querySelector('.chat-list'); list.scrollTo(0, list.scrollHeight); "
            "const last = [...document.querySelectorAll('nav#sidebar .chat-name')].at(-1); "
            "return last && Number(last.textContent.split(' ')[1]) > seen; }",
            arg=seen,
            polling=100,
            timeout=LOADED_MS,
        )
        seen = int((await rows(page).last.locator(".chat-name").inner_text()).split(" ")[1])
        assert await rows(page).count() < 80
    await rows(page).last.get_by_role("link").click()
    await expect(page).to_have_url(re.compile("/chat/"))
    await forget(ben)


@pytest.mark.usefixtures("slowly")
async def test_marks_change_while_another_chat_is_open(visit: Visit) -> None:
    """Running, then new, until it is looked at; in every tab, without a reload. # 000-39"""
    ada = await visit("ada")
    first = await ada.new_chat()
    await first.ask("Which contracts are there with Pomona?")
    other = await ada.new_chat()
    tabs = [other.page, await ada.open()]
    row_of = [tab.locator("nav#sidebar li.chat-row").filter(has=tab.locator(f'a[href="{first.path}"]')) for tab in tabs]
    for row in row_of:
        await expect(row.get_by_role("img", name="answering")).to_be_visible()
    await first.page.close()
    await ada.leaf.hurry()
    for row in row_of:
        await expect(row.get_by_role("img", name="new answer")).to_be_visible(timeout=40_000)
        await expect(row.get_by_role("img", name="answering")).to_have_count(0)
    await row_of[0].get_by_role("link").click()
    for row in row_of:
        await expect(row.get_by_role("img", name="new answer")).to_have_count(0)


async def test_an_answer_to_a_question_is_no_news_to_who_watches(visit: Visit, leaf: Product) -> None:
    """Other chats may have news. # 000-39"""
    ada = await visit("ada")
    chat = await ada.new_chat()
    questions.answer_with(leaf, "Yes.")
    await chat.ask("Is it so?")
    await chat.finished()
    row = rows(chat.page).filter(has=chat.page.locator(f'a[href="{chat.path}"]'))
    await expect(row).to_have_count(1)
    await expect(row.get_by_role("img", name="answering")).to_have_count(0)
    await expect(row.get_by_role("img", name="new answer")).to_have_count(0)


async def test_an_answer_whose_end_was_seen_is_no_news_after_leaving_at_once(visit: Visit, leaf: Product) -> None:
    """The row of the chat comes 0.6 s after the end. # 000-39"""
    ada = await visit("ada")
    path = await ada.told("How are the apples?")
    chat = await ada.new_chat()
    elsewhere = chat.page.locator(f'nav#sidebar a[href="{path}"]')
    await expect(elsewhere).to_be_visible()
    questions.answer_with(leaf, "Yes.")
    await chat.ask("Is it so?")
    chat_id = chat.id
    await chat.finished()
    await elsewhere.click()
    await chat.page.wait_for_url(f"**{path}")

    async def is_read() -> bool:
        async with await psycopg.AsyncConnection.connect(leaf.database_url, autocommit=True) as connection:
            found = await connection.execute(
                "SELECT p.read_at >= c.answered_at FROM chat_sessions c "
                "JOIN chat_participants p ON p.chat_session_id = c.id WHERE c.id = %s",
                (chat_id,),
            )
            return (await found.fetchone() or (None,))[0] is True

    await until(is_read, seconds=20)
    row = rows(chat.page).filter(has=chat.page.locator(f'a[href="/chat/{chat_id}"]'))
    await expect(row.get_by_role("img", name="new answer")).to_have_count(0)


async def test_the_toggles_of_the_sidebar_say_whether_it_is_open(visit: Visit) -> None:
    """A rail on a wide window, a drawer on a phone; a reload keeps the rail. # 000-46"""
    ada = await visit("ada")
    page = await ada.open("/dashboard")
    toggle, opener = page.locator("#sidebar [data-toggle-sidebar]"), page.locator("#main [data-toggle-sidebar]")
    await expect(toggle).to_have_attribute("aria-expanded", "true")
    assert await toggle.get_attribute("aria-controls") == "sidebar"
    await toggle.click()
    await expect(toggle).to_have_attribute("aria-expanded", "false")
    await page.reload()
    await expect(toggle).to_have_attribute("aria-expanded", "false")
    await toggle.click()
    await page.set_viewport_size({"width": 360, "height": 720})
    await expect(opener).to_have_attribute("aria-expanded", "false")
    await opener.click()
    await expect(toggle).to_have_attribute("aria-expanded", "true")
    await toggle.click()
    await expect(opener).to_have_attribute("aria-expanded", "false")
