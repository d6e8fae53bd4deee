"""The dashboard: questions about the member's own Drive, in places that stay, and no second list of chats."""

from playwright.async_api import Page, expect

from tests.browser.product import Product
from tests.browser.visitor import Chat, Visit

CARDS = ".suggestions > button"


async def _places(page: Page) -> list[float]:
    return await page.locator(".suggestions > *").evaluate_all("all => all.map((one) => one.getBoundingClientRect().y)")


async def test_the_questions_name_files_of_the_drive_and_are_asked_at_a_click(visit: Visit) -> None:
    """# 000-49"""
    ada = await visit("ada")
    await ada.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = await ada.open()
    card = page.locator(CARDS, has_text="Get the main points")
    await expect(card).to_contain_text("What are the main points of “")
    text = await card.locator(".suggestion-text").inner_text()
    await expect(page.locator(CARDS)).to_have_count(4)
    await expect(page.locator("main a.chat-card")).to_have_count(0)
    await card.click()
    await page.wait_for_url("**/chat/*")
    chat = Chat(page)
    await expect(chat.questions).to_have_text([text])
    assert text.split("“")[1].split("”")[0] in await chat.finished()
    # What only announces a call of a tool is read on the page and not copied.
    assert "I'll" in await chat.answer.inner_text()
    await chat.answer.get_by_role("button", name="Copy answer").click()
    copied = await page.evaluate("() => navigator.clipboard.readText()")
    assert copied
    assert "I'll" not in copied


async def test_cards_stay_in_their_place_on_a_slow_network(visit: Visit, leaf: Product) -> None:
    """Their place is kept until Drive has answered, and they are the same when one comes back."""
    ada = await visit("ada", viewport={"width": 360, "height": 740})
    leaf.fault(path="/drive/v3/files", status=None, times=1, delay_seconds=2)
    page = await ada.open()
    await expect(page.locator("#sidebar .person-name")).not_to_be_empty()
    await expect(page.locator(".suggestions > *")).to_have_count(4)
    before = await _places(page)
    await expect(page.locator(CARDS)).to_have_count(4)
    assert await _places(page) == before
    texts = await page.locator(CARDS).all_inner_texts()
    await page.reload()
    await expect(page.locator(CARDS)).to_have_text(texts, use_inner_text=True)


async def test_without_a_drive_there_is_no_question_that_cannot_work(visit: Visit) -> None:
    """Guests get questions that need none. # 000-12 002-32"""
    ben = await visit("ben")
    await ben.disconnect()
    page = await ben.open()
    await expect(page.get_by_text("Connect Google Drive")).to_be_visible()
    await expect(page.locator(".suggestion")).to_have_count(0)
    guest = await (await visit(None)).open("/")
    await guest.get_by_role("button", name="Try without an account").click()
    await guest.wait_for_url("**/guest")
    cards = guest.locator(CARDS)
    await expect(cards).to_have_count(4)
    assert "Drive" not in " ".join(await cards.all_inner_texts())
    await cards.first.click()
    await expect(Chat(guest).questions).to_have_text(["Write a friendly reminder about an unpaid invoice."])
    await Chat(guest).finished()
