"""Writing a message with the keyboard, and messages that cannot be sent."""

import re
import time

import pytest
from playwright.async_api import expect

from tests.browser.visitor import Chat, Visit

FOCUS_RING = """() => {
    const one = document.activeElement, style = getComputedStyle(one), around = getComputedStyle(one.parentElement);
    const ring = (s) => (s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) > 0) || s.boxShadow !== 'none';
    let at = one, shown = false;
    for (let step = 0; step < 4 && at; step += 1, at = at.parentElement) shown = shown || ring(getComputedStyle(at));
    const box = one.getBoundingClientRect();
    return {name: one.getAttribute('aria-label') || one.textContent.trim() || one.name || one.tagName,
            tag: one.tagName, shown, visible: box.width > 0 && box.height > 0 && box.right > 0 && box.bottom > 0};
}"""


@pytest.mark.usefixtures("unhurried")
async def test_enter_sends_and_shift_enter_breaks_the_line(visit: Visit) -> None:
    """The box has the focus when a chat opens, and has it again after sending. # 000-46"""
    chat = await (await visit("ada")).new_chat()
    keyboard = chat.page.keyboard
    await keyboard.type("First line")
    await keyboard.press("Shift+Enter")
    await keyboard.type("second line")
    await expect(chat.box).to_have_value("First line\nsecond line")
    await expect(chat.questions).to_have_count(0)
    await keyboard.press("Enter")
    await expect(chat.questions).to_have_count(1)
    await expect(chat.box).to_have_value("")
    await expect(chat.box).to_be_focused()
    bubble = chat.questions.locator(".bubble")
    assert await bubble.inner_text() == "First line\nsecond line"
    # What is sent while the answer comes waits for its end.
    await keyboard.type("too early")
    await keyboard.press("Enter")
    await expect(chat.page.get_by_role("region", name="Queued messages")).to_contain_text("too early")
    await expect(chat.box).to_have_value("")
    await expect(chat.questions).to_have_count(1)
    await chat.stop_button.click()
    await chat.finished("stopped")
    await expect(chat.page.get_by_text("The answer was stopped. Queued messages are sent")).to_be_visible()


async def test_the_tab_key_walks_through_the_page_in_order(visit: Visit) -> None:
    """Every stop can be seen and is marked; the first one skips to the content. # 000-46"""
    ada = await visit("ada")
    page = await ada.open("/settings")
    await expect(page.get_by_role("heading", level=1)).to_be_visible()
    await page.keyboard.press("Tab")
    await expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    await expect(page.get_by_role("link", name="Skip to content")).to_be_in_viewport()
    await page.keyboard.press("Enter")
    await expect(page.locator("#main")).to_be_focused()
    await ada.told("How long do medlars keep?")
    chat = await ada.new_chat()
    await expect(chat.page.locator("nav#sidebar li.chat-row").first).to_be_visible()
    await chat.page.get_by_role("link", name="Skip to content").focus()
    names: list[str] = []
    while "Send" not in names and len(names) < 150:
        at = await chat.page.evaluate(FOCUS_RING)
        assert at["visible"], at
        assert at["shown"], (at, names)
        names.append(at["name"])
        await chat.page.keyboard.press("Tab")
    order = [names.index(name) for name in ("Leaf, all chats", "Toggle sidebar", "New chat", "Your menu", "Message")]
    assert order == sorted(order), names
    assert names[0] == "Skip to content"
    assert names[-1] == "Send"


async def test_a_message_that_is_too_long_is_refused_and_kept(visit: Visit) -> None:
    """A hundred thousand characters neither freeze the page nor get lost."""
    chat = await (await visit("ada")).new_chat()
    text = "A long message. " * 6250
    began = time.monotonic()
    await chat.box.fill(text)
    await chat.box.press("Enter")
    hint = chat.page.get_by_role("alert").filter(has_text="100,000 characters")
    await expect(hint).to_contain_text("32,000")
    assert time.monotonic() - began < 10
    assert await chat.box.input_value() == text
    await expect(chat.questions).to_have_count(0)
    await chat.page.reload()
    await expect(chat.box).to_have_value(text)
    await chat.box.fill("")


async def test_an_empty_message_is_not_sent(visit: Visit) -> None:
    chat = await (await visit("ada")).new_chat()
    await chat.box.fill("   \n ")
    await chat.box.press("Enter")
    await expect(chat.page.get_by_role("alert").filter(has_text="Write a message first.")).to_be_visible()
    await expect(chat.questions).to_have_count(0)


async def test_a_draft_is_kept_for_each_chat(visit: Visit) -> None:
    ada = await visit("ada")
    chat = await ada.new_chat()
    await chat.box.fill("Half a thought")
    await chat.page.get_by_role("link", name="Leaf, all chats").click()
    await chat.page.wait_for_url(re.compile("/dashboard$"))
    await expect(chat.box).to_have_value("")
    await chat.page.go_back()
    await expect(chat.box).to_have_value("Half a thought")
    await chat.box.fill("")


@pytest.mark.usefixtures("unhurried")
async def test_a_chat_is_renamed_and_deleted_from_the_sidebar(visit: Visit) -> None:
    """# 000-44"""
    ada = await visit("ada")
    chat = await ada.new_chat()
    await chat.ask("A chat that will not stay")
    await chat.stop_button.click()
    await chat.finished("stopped")
    page, path, chat_id = chat.page, chat.path, chat.id
    row = page.locator("nav#sidebar li.chat-row").filter(has=page.locator(f'a[href="{path}"]'))
    await row.hover()
    await row.get_by_role("button", name=re.compile("^Options for")).click()
    await page.get_by_role("menuitem", name="Rename").click()
    title = page.locator("nav#sidebar").get_by_role("textbox", name="Title")
    await title.fill("Renamed <b>chat</b>")
    await title.press("Enter")
    await expect(row.locator(".chat-name")).to_have_text("Renamed <b>chat</b>")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Renamed <b>chat</b>")
    await row.hover()
    await row.get_by_role("button", name=re.compile("^Options for")).click()
    await page.get_by_role("menuitem", name="Delete").click()
    await page.wait_for_url(re.compile("/dashboard$"))
    await expect(row).to_have_count(0)
    (kept,) = await ada.leaf.query("SELECT deleted_at FROM chat_sessions WHERE id = %s", chat_id)
    assert kept["deleted_at"] is not None
    page = await ada.open(path)
    await expect(page.get_by_role("heading", level=1)).to_contain_text("This chat does not exist")


WRITE_AS_THE_ADDRESS_CHANGES = """(text) => {
    const push = history.pushState;
    history.pushState = function (...given) {
        history.pushState = push;
        push.apply(this, given);
        const box = document.querySelector('textarea[name="message"]');
        box.focus();
        document.execCommand('insertText', false, text);
        box.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true, cancelable: true}));
    };
    document.querySelector('#sidebar [data-new-chat]').click();
}"""
"""Words and Enter at the moment in which the address is that of the new chat, and the page still the one before."""


async def test_a_message_written_as_the_address_changes_is_sent_and_leaves_the_box(visit: Visit) -> None:
    """The dashboard still sends it, and the new chat acknowledges it. # 000-46"""
    ada = await visit("ada")
    page = await ada.open("/dashboard")
    await expect(page.locator("#sidebar .person-name")).not_to_be_empty()
    await page.evaluate(WRITE_AS_THE_ADDRESS_CHANGES, "Hello in between?")
    chat = Chat(page)
    await expect(chat.questions).to_have_text([re.compile("Hello in between")])
    await expect(chat.box).to_have_value("")
    await chat.finished()


WRITE_AT_ONCE = """(text) => {
    document.querySelector('#sidebar [data-new-chat]').click();
    const box = document.querySelector('textarea[name="message"]');
    box.focus();
    document.execCommand('insertText', false, text);
    box.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true, cancelable: true}));
}"""
"""A click on New chat, then words and Enter before its address can have come."""


FOCUSED_AT_ONCE = """() => {
    document.querySelector('#sidebar [data-new-chat]').focus();
    document.querySelector('#sidebar [data-new-chat]').click();
    return document.activeElement.name;
}"""


@pytest.mark.parametrize("place", ["dashboard", "chat"])
async def test_the_box_has_the_focus_at_the_click_on_new_chat(visit: Visit, place: str) -> None:
    """The first letters that are typed before the chat is there are not lost. # 000-46"""
    ada = await visit("ada")
    page = await ada.open("/dashboard" if place == "dashboard" else await ada.told("Asked before"))
    await expect(page.locator("#sidebar .person-name")).not_to_be_empty()
    await expect(Chat(page).box).to_be_visible()
    assert await page.evaluate(FOCUSED_AT_ONCE) == "message"
    await page.keyboard.type("Whole question?")
    await page.keyboard.press("Enter")
    await expect(Chat(page).questions).to_have_text([re.compile("Whole question")])


@pytest.mark.parametrize("place", ["dashboard", "chat", "empty chat"])
async def test_a_message_written_while_a_new_chat_opens_is_sent_there(visit: Visit, place: str) -> None:
    """Not to the chat that was open, and not lost. # 000-46"""
    ada = await visit("ada")
    if place == "dashboard":
        page = await ada.open("/dashboard")
        await expect(page.locator("#sidebar .person-name")).not_to_be_empty()
    else:
        page = await ada.open(await ada.told("Asked before") if place == "chat" else "/dashboard")
        if place == "chat":
            await Chat(page).finished()
            await Chat(page).box.fill("Not sent yet")
        else:
            await ada.new_chat(page)
    before = page.url
    await page.evaluate(WRITE_AT_ONCE, "Hello at once?")
    chat = Chat(page)
    await expect(chat.questions).to_have_text([re.compile("Hello at once")])
    await expect(chat.box).to_have_value("")
    assert (page.url == before) is (place == "empty chat")
    await chat.finished()
    if place == "chat":
        await page.goto(before)
        await expect(chat.questions).to_have_count(1)
        await expect(chat.box).to_have_value("Not sent yet")
