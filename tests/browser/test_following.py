"""An answer that is being written: reloads, closed tabs, several tabs, scrolling."""

import pytest
from playwright.async_api import WebSocketRoute, expect

from tests.browser import questions
from tests.browser.product import Product
from tests.browser.visitor import Visit, words


@pytest.mark.usefixtures("slowly")
async def test_a_reload_in_the_middle_shows_the_text_so_far_and_then_the_rest(visit: Visit, leaf: Product) -> None:
    """No gap, no repetition: the text equals what is stored. # 000-32 000-60 003-23"""
    chat = await (await visit("ada")).new_chat()
    await chat.ask(questions.PLAIN)
    for wanted in (250, 500):
        before = await chat.written(wanted)
        await chat.page.reload()
        after = await chat.written(len(before) - 40)
        assert words(after)[: len(words(before)) - 4] == words(before)[:-4], (before, after)
        await expect(chat.stop_button).to_be_visible()
    await leaf.hurry()
    text = await chat.finished()
    rows = await questions.stored(leaf, chat.id)
    assert words(text) == words(questions.drawn(questions.text_of(rows[-1]["parts"])))
    await chat.page.reload()
    assert await chat.finished() == text


@pytest.mark.usefixtures("slowly")
async def test_a_piece_that_is_lost_is_asked_for(visit: Visit, leaf: Product) -> None:
    """The text comes in numbered pieces (decision 0008). Of one answer the third never comes, and the text is whole."""
    ada = await visit("ada", own=True)
    pieces = 0

    def pass_on(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()

        def from_server(message: str | bytes) -> None:
            nonlocal pieces
            is_piece = '["live",' in str(message)
            pieces += is_piece
            if not is_piece or pieces != 3:
                socket.send(message)

        server.on_message(from_server)

    await ada.context.route_web_socket("**/_event/**", pass_on)
    chat = await ada.new_chat()
    await chat.ask(questions.PLAIN)
    await chat.written(300)
    assert pieces > 3
    await leaf.hurry()
    text = await chat.finished()
    rows = await questions.stored(leaf, chat.id)
    assert words(text) == words(questions.drawn(questions.text_of(rows[-1]["parts"])))


@pytest.mark.usefixtures("slowly")
async def test_an_answer_is_complete_although_its_tab_was_closed(visit: Visit, leaf: Product) -> None:
    """# 000-24"""
    ada = await visit("ada")
    chat = await ada.new_chat()
    await chat.ask(questions.PLAIN)
    await chat.written(100)
    path = chat.path
    await chat.page.close()
    other = await ada.open("/dashboard")
    entry = other.locator(f'nav#sidebar a[href="{path}"]')
    await expect(entry.get_by_role("img", name="answering")).to_be_visible()
    await leaf.hurry()
    await expect(entry.get_by_role("img", name="answering")).to_have_count(0, timeout=60_000)
    chat = await ada.chat(path)
    text = await chat.finished()
    rows = await questions.stored(leaf, chat.id)
    assert words(text) == words(questions.drawn(questions.text_of(rows[-1]["parts"])))


@pytest.mark.usefixtures("slowly")
@pytest.mark.usefixtures("unhurried")
async def test_two_tabs_show_the_same(visit: Visit) -> None:
    """While an answer streams, and afterwards; a question of one tab appears in the other. # 000-32 000-67"""
    ada = await visit("ada")
    first = await ada.new_chat()
    second = await ada.chat(first.path)
    await expect(second.box).to_be_visible()
    await first.ask(questions.PLAIN)
    await expect(second.questions).to_have_text([questions.PLAIN])
    here = await first.written(250)
    there = await second.written(len(here))
    assert words(there)[: len(words(here)) - 4] == words(here)[:-4]
    await expect(second.stop_button).to_be_visible()
    await ada.leaf.hurry()
    assert await first.finished() == await second.finished()
    await second.ask("And what about the lease?")
    await expect(first.questions).to_have_count(2)
    await first.written(200)
    await second.written(200)
    await first.stop_button.click()
    await second.finished("stopped")
    await first.finished("stopped")
    assert await first.text() == await second.text()


@pytest.mark.usefixtures("unhurried")
async def test_the_page_follows_the_text_only_while_the_reader_is_at_its_end(visit: Visit) -> None:
    """ "Jump to latest" leads back. # 000-33"""
    ada = await visit("ada", viewport={"width": 1000, "height": 420})
    chat = await ada.new_chat()
    thread = chat.page.locator("#thread")
    rest = "(one) => one.scrollHeight - one.scrollTop - one.clientHeight"
    jump = chat.page.get_by_role("button", name="Jump to latest")
    await chat.ask(questions.PLAIN)
    await chat.written(700)
    await chat.page.wait_for_function(
        "() => { const one = document.getElementById('thread'); return one.scrollTop > 0 &&"
        " one.scrollHeight - one.scrollTop - one.clientHeight < 30; }"
    )
    await expect(jump).to_have_count(0)
    await thread.hover()
    await chat.page.mouse.wheel(0, -300)
    await expect(jump).to_be_visible()
    top = await thread.evaluate("(one) => one.scrollTop")
    await chat.written(len(await chat.text()) + 150)
    assert await thread.evaluate("(one) => one.scrollTop") == top
    await jump.click()
    await expect(jump).to_have_count(0)
    await chat.written(len(await chat.text()) + 200)
    assert await thread.evaluate(rest) < 60
    await chat.stop_button.click()
    await chat.finished("stopped")


async def test_what_is_opened_stays_where_it_is(visit: Visit) -> None:
    """At the end of a chat, too: it would be pushed out of sight by what it shows. # 003-23"""
    chat = await (await visit("ada", viewport={"width": 1280, "height": 560})).new_chat()
    await chat.ask(questions.PLAIN)
    await chat.finished()
    opener = chat.answer.get_by_role("button", name="Details")
    await expect(chat.page.get_by_role("region", name="Related questions").get_by_role("button")).to_have_count(3)
    assert await chat.page.locator("#thread").evaluate("thread => thread.scrollTop") > 0
    before = await opener.bounding_box()
    await opener.click()
    await expect(chat.answer.get_by_text("Requests to the model")).to_be_attached()
    # Sizes are told behind a frame.
    await chat.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert await opener.bounding_box() == before
