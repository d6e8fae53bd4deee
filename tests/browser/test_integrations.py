"""Connecting and disconnecting Drive in Settings, and what a chat says about it."""

import re
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from tests.browser import questions
from tests.browser.visitor import Visit, Visitor

PATH = "/settings/integrations"
CONNECT = re.compile(r"^Connect$")


@pytest_asyncio.fixture
async def ben(visit: Visit) -> Visitor:
    """Signed in, without a Drive."""
    ben = await visit("ben")
    await ben.disconnect()
    return ben


@pytest_asyncio.fixture
async def lent(visit: Visit) -> AsyncIterator[None]:
    """Ada connects her Drive anew: who disconnects the same Drive ends Google's grant for her, too, and a failure of
    Google's that ends a connection meets her index as well.
    """
    yield
    ada = await visit("ada")
    await ada.disconnect()
    await ada.connect()


async def test_a_card_says_what_connecting_is_good_for(ben: Visitor) -> None:
    """# 000-12"""
    page = await ben.open(PATH)
    card = page.locator("section.card")
    await expect(card.get_by_role("heading", name="Google Drive")).to_be_visible()
    await expect(card.get_by_text("Not connected")).to_be_visible()
    await expect(card.get_by_text("Read only")).to_be_visible()
    await expect(card.get_by_role("button", name=CONNECT)).to_be_visible()


@pytest.mark.usefixtures("lent")
async def test_a_connected_card_shows_the_address_of_the_drive_account(ben: Visitor) -> None:
    """The Drive may be another account's than the sign-in; Disconnect asks first. # 000-08 000-11 000-13 000-15"""
    page = await ben.open(PATH)
    ben.account = "ada"
    await ben.connect(page)
    card = page.locator("section.card")
    await expect(card.get_by_text("Connected", exact=True)).to_be_visible()
    both = "This is the Drive of ada@sandbox.leaf.example. You are signed in to Leaf as ben@sandbox.leaf.example."
    await expect(card.get_by_text(both)).to_be_visible()
    await card.get_by_role("button", name="Disconnect").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("button", name="Cancel").click()
    await expect(dialog).to_have_count(0)
    await expect(card.get_by_text("Connected", exact=True)).to_be_visible()
    await _disconnect(page)
    await expect(card.get_by_text("Not connected")).to_be_visible()
    await page.goto(ben.leaf.sandbox_url + "/account")
    await expect(page.get_by_text("Apps with access")).to_be_visible()
    await expect(page.get_by_text("drive.readonly")).to_have_count(0)


async def test_an_unticked_permission_is_explained(ben: Visitor) -> None:
    """# 000-08"""
    page = await ben.open(PATH)
    await page.get_by_role("button", name=CONNECT).click()
    await page.get_by_role("checkbox").uncheck()
    await ben.allow(page)
    # Drive is all that is asked for: without it, nothing is granted.
    await expect(page.get_by_text("You declined at Google, so nothing was connected.")).to_be_visible()
    await expect(page.get_by_role("button", name=CONNECT)).to_be_visible()


async def test_a_denial_is_explained(ben: Visitor) -> None:
    """# 000-12"""
    page = await ben.open(PATH)
    await page.get_by_role("button", name=CONNECT).click()
    await ben.allow(page, decision="Deny")
    await expect(page.get_by_text("You declined at Google")).to_be_visible()
    await expect(page.get_by_role("button", name=CONNECT)).to_be_visible()


async def test_a_question_about_drive_without_a_connection_is_answered_with_the_way_to_settings(ben: Visitor) -> None:
    """The run does not fail. # 000-38 000-47"""
    chat = await ben.new_chat()
    await chat.ask("What does my harvest log say?")
    await chat.finished()
    # Nothing was disconnected, for nothing was connected before.
    banner = chat.page.locator(".banner.warning")
    await expect(banner).to_contain_text("Drive is not connected.")
    await expect(banner.get_by_role("button", name=CONNECT)).to_be_visible()
    # The fact stands once, with one button, and nothing is offered that cannot work.
    await expect(chat.page.get_by_text("not connected")).to_have_count(1)
    await expect(chat.page.get_by_role("button", name=CONNECT)).to_have_count(1)
    await expect(chat.answer.locator("pre")).to_have_count(0)
    await expect(chat.page.get_by_role("region", name="Related questions")).to_have_count(0)
    await expect(chat.answer.get_by_role("button", name="Search my Drive")).to_have_count(0)
    link = chat.answer.locator('.md a[href="/settings/integrations"]').first
    await link.click()
    await expect(chat.page).to_have_url(ben.leaf.url + PATH)
    await expect(chat.page.locator("section.card").get_by_role("button", name=CONNECT)).to_be_visible()


async def test_a_connection_leads_back_to_the_question_which_is_answered(ben: Visitor) -> None:
    """Also after a refusal, which is explained there. # 000-47 000-11"""
    chat = await ben.new_chat()
    await chat.ask("What does my harvest log say?")
    await chat.finished()
    banner = chat.page.locator(".banner.warning")
    await banner.get_by_role("button", name=CONNECT).click()
    await ben.allow(chat.page, decision="Deny")
    await expect(chat.page.get_by_text("You declined at Google")).to_be_visible()
    await banner.get_by_role("button", name=CONNECT).click()
    await ben.allow(chat.page)
    await chat.page.wait_for_url(f"**{chat.path}")
    await expect(chat.evidence).to_contain_text(re.compile(r"\d read"))
    await expect(banner).to_have_count(0)
    await expect(chat.questions).to_have_count(1)
    assert [row["role"] for row in await questions.stored(ben.leaf, chat.id)] == ["user", "assistant", "assistant"]


async def test_a_revoked_grant_turns_the_card_to_error_and_reconnecting_mends_it(ben: Visitor) -> None:
    """Access is removed at the account page; the next use of Drive finds out. # 000-14"""
    settings = await ben.connect()
    account = await ben.context.new_page()
    await account.goto(ben.leaf.sandbox_url + "/account")
    await account.get_by_role("radio", name="Ben Okafor").check()
    await account.get_by_role("button", name="Use this account").click()
    await account.get_by_role("button", name="Remove access").click()
    await expect(account.get_by_text("No app has access")).to_be_visible()
    chat = await ben.new_chat()
    await chat.ask("What does my harvest log say?")
    text = await chat.finished()
    assert "reconnect" in text.lower() or "settings" in text.lower(), text
    await settings.reload()
    card = settings.locator("section.card")
    await expect(card.get_by_text("Does not work")).to_be_visible()
    await expect(card.get_by_text("Google no longer accepts Leaf's access to this Drive.")).to_be_visible()
    await expect(card.get_by_text("Google account: ben@sandbox.leaf.example.")).to_be_visible()
    await card.get_by_role("button", name="Reconnect").click()
    await ben.allow(settings)
    await expect(card.get_by_text("Connected", exact=True)).to_be_visible()
    await expect(card.get_by_text("ben@sandbox.leaf.example")).to_be_visible()


async def test_after_a_disconnection_old_chats_say_so_and_keep_their_messages(ben: Visitor) -> None:
    """The banner leads to Settings; a new question is answered politely. # 000-15 000-16"""
    settings = await ben.connect()
    chat = await ben.new_chat()
    await chat.ask("What does my harvest log say?")
    before = await chat.finished()
    banner = chat.page.get_by_text("Drive disconnected.")
    await expect(banner).to_have_count(0)
    await settings.reload()
    await _disconnect(settings)
    await expect(settings.get_by_text("Not connected")).to_be_visible()
    # The open tab hears of it, and so does one that is opened later.
    await expect(banner).to_be_visible()
    later = await ben.chat(chat.path)
    await expect(later.page.get_by_text("Drive disconnected.")).to_be_visible()
    assert await later.finished() == before
    await expect(later.page.get_by_role("link", name="Open Settings")).to_have_attribute("href", PATH)
    await later.ask("And what else does my harvest log say?")
    await later.finished()
    await expect(later.answer.locator('a[href="/settings/integrations"]').first).to_be_visible()
    assert [row["status"] for row in await questions.stored(ben.leaf, chat.id)] == ["completed"] * 4


async def test_a_double_click_disconnects_once_and_without_an_error(ben: Visitor) -> None:
    page = await ben.connect()
    await page.locator("section.card").get_by_role("button", name="Disconnect").click()
    await page.get_by_role("dialog").get_by_role("button", name="Disconnect").dblclick()
    await expect(page.get_by_text("Google Drive is disconnected.")).to_have_count(1)
    await expect(page.get_by_text("Not connected")).to_be_visible()
    await expect(page.locator(".notice.error")).to_have_count(0)


async def _disconnect(page: Page) -> None:
    await page.locator("section.card").get_by_role("button", name="Disconnect").click()
    await page.get_by_role("dialog").get_by_role("button", name="Disconnect").click()


async def test_the_check_shows_its_steps_and_a_text_to_forward(visit: Visit) -> None:
    """The first failure ends it; a switched off API is mended elsewhere, so the connection stays."""
    ada = await visit("ada")
    page = await ada.open(PATH)
    card = page.locator("section.card")
    if await card.get_by_role("button", name=CONNECT).count():
        await ada.connect(page)
    failure = f"{ada.leaf.sandbox_url}/sandbox/failures/api_off"
    try:
        await ada.context.request.post(failure)
        await card.get_by_role("button", name="Check my Drive").click()
        probes = card.locator(".doctor-probes li")
        await expect(probes).to_have_count(9)
        await expect(probes.nth(4)).to_contain_text("The reason is shown above.")
        await expect(card.get_by_text("The Google Drive API is switched off")).to_have_count(1)
        await expect(card.locator(".doctor-passed")).to_have_count(4)
        await expect(card.get_by_role("button", name="Copy the result")).to_be_visible()
        await expect(card.get_by_text("Does not work")).to_be_visible()
        await card.get_by_text("Text to forward", exact=True).first.click()
        await expect(card.get_by_text("Nobody has to connect again.").first).to_be_visible()
        await expect(card.get_by_role("link", name="Open the Google Cloud console").first).to_be_visible()
    finally:
        await ada.context.request.delete(failure)
    await card.get_by_role("button", name="Check my Drive").click()
    await expect(card.locator(".doctor-passed")).to_have_count(9)
    await expect(card.get_by_text("Connected", exact=True)).to_be_visible()


@pytest.mark.usefixtures("lent")
async def test_a_card_counts_the_days_in_testing_and_names_both_accounts_when_it_fails(ben: Visitor) -> None:
    """From the first day on; the accounts are named while it works and when the grant is lost."""
    page = await ben.open(PATH)
    ben.account = "ada"
    sandbox, request = f"{ben.leaf.sandbox_url}/sandbox", ben.context.request
    card = page.locator("section.card")
    try:
        await request.post(f"{sandbox}/testing")
        await ben.connect(page)
        await expect(card.get_by_text(re.compile(r"this access ends in 7 days, on \d+ \w+ \d{4}\."))).to_be_visible()
        await request.post(f"{sandbox}/failures/session_control")
        await card.get_by_role("button", name="Check my Drive").click()
        await expect(card.get_by_text("Does not work")).to_be_visible()
        await expect(card.get_by_role("button", name="Reconnect")).to_be_visible()
        both = "This is the Drive of ada@sandbox.leaf.example. You are signed in to Leaf as ben@sandbox.leaf.example."
        await expect(card.get_by_text(both)).to_be_visible()
        chat = await ben.new_chat()
        banner = chat.page.get_by_role("status").filter(has_text="reconnected")
        await chat.ask("What does my harvest log say?")
        await chat.finished()
        await banner.get_by_text("Text to forward", exact=True).click()
        await expect(banner.get_by_role("button", name="Copy the text to forward")).to_be_visible()
        await expect(banner.locator(".doctor-forward")).to_contain_text("ada@sandbox.leaf.example")
    finally:
        await request.delete(f"{sandbox}/testing")
        await request.delete(f"{sandbox}/failures/session_control")


async def test_a_member_sends_a_text_on_and_is_not_led_to_the_console(ben: Visitor) -> None:
    """Only administrators see the button, as Ada does above."""
    page = await ben.connect()
    card = page.locator("section.card")
    failure = f"{ben.leaf.sandbox_url}/sandbox/failures/api_off"
    try:
        await ben.context.request.post(failure)
        await card.get_by_role("button", name="Check my Drive").click()
        await expect(card.get_by_text("Does not work")).to_be_visible()
        await expect(card.get_by_text("Text to forward", exact=True)).to_be_visible()
        await expect(card.get_by_role("link", name="Open the Google Cloud console")).to_have_count(0)
    finally:
        await ben.context.request.delete(failure)


async def test_an_error_on_googles_page_is_found_in_settings(ben: Visitor) -> None:
    ben.guard.allow("400.*/o/oauth2/v2/auth")
    page = await ben.open(PATH)
    failure = f"{ben.leaf.sandbox_url}/sandbox/failures/admin_blocks_app"
    try:
        await ben.context.request.post(failure)
        await page.get_by_role("button", name=CONNECT).click()
        await expect(page.get_by_text("admin_policy_enforced")).to_be_visible()
    finally:
        await ben.context.request.delete(failure)
    await page.goto(ben.leaf.url + PATH)
    await expect(page.get_by_role("heading", name="Did Google show an error?")).to_be_visible()
    await page.get_by_text("admin_policy_enforced", exact=True).click()
    await expect(page.get_by_text("Send that administrator the text to forward").first).to_be_visible()
    await page.get_by_role("button", name="Hide this").click()
    await expect(page.get_by_role("heading", name="Did Google show an error?")).to_have_count(0)


@pytest.mark.usefixtures("lent")
@pytest.mark.parametrize(
    ("cause", "title", "why", "reconnects"),
    [
        ("api_off", "Drive does not work at present.", "The Google Drive API is switched off", 0),
        ("scope_missing", "Drive needs to be reconnected.", "Google does not let Leaf read this Drive", 1),
        ("not_authorised", "Drive needs to be reconnected.", "but does not let Leaf open them", 1),
    ],
)
async def test_a_chat_whose_first_search_fails_says_why_and_so_does_a_new_one(
    ben: Visitor, cause: str, title: str, why: str, reconnects: int
) -> None:
    """Above the composer, at once and in the words of the cause; nobody is told to reconnect without a reason."""
    await ben.connect()
    chat = await ben.new_chat()
    failure = f"{ben.leaf.sandbox_url}/sandbox/failures/{cause}"
    await ben.context.request.post(failure)
    try:
        await chat.ask("What does my harvest log say?")
        await chat.finished()
        banner = chat.page.locator(".composer-dock .banner")
        await expect(banner).to_contain_text(title)
        await expect(banner).to_contain_text(why)
        await expect(banner.get_by_role("button", name="Reconnect")).to_have_count(reconnects)
        # The banner has it in full: the step names the fault, and the answer the first thing to do as well.
        await expect(chat.answer).to_contain_text(why)
        await expect(chat.answer).not_to_contain_text("connect again")
        await expect(chat.page.get_by_role("region", name="Related questions")).to_have_count(0)
        fresh = await ben.new_chat()
        await expect(fresh.page.locator(".welcome")).to_be_visible()
        banner = fresh.page.locator(".composer-dock .banner")
        await expect(banner).to_contain_text(why)
        await expect(fresh.page.get_by_role("button", name="Reconnect")).to_have_count(reconnects)
    finally:
        await ben.context.request.delete(failure)


_LOST_BY_MANY = """
    UPDATE integrations SET status = 'revoked',
        diagnosis = '{"cause": "revoked_for_many", "particulars": {}, "at": "2026-11-27T00:00:00+00:00"}'
    WHERE provider_account_email = 'ben@sandbox.leaf.example' RETURNING 1
"""


async def test_where_the_operator_looks_first_every_page_leads_to_the_text_to_forward(ben: Visitor) -> None:
    """Reconnect is offered in Settings alone, below that, and not as the button that stands out."""
    await ben.connect()
    await ben.leaf.query(_LOST_BY_MANY)
    wanted = "Copy the text to forward"
    chat = await ben.new_chat()
    banner = chat.page.locator(".composer-dock .banner")
    await expect(banner).to_contain_text("Drive does not work at present.")
    await expect(banner.locator(".button.primary")).to_have_text(wanted)
    await expect(chat.page.get_by_role("button", name="Reconnect")).to_have_count(0)
    dashboard = await ben.open("/dashboard")
    strip = dashboard.locator(".connect-strip")
    await expect(strip).to_contain_text("Google Drive does not work at present")
    await expect(strip.get_by_role("button", name="Reconnect")).to_have_count(0)
    await expect(strip.get_by_role("link", name="Open Settings")).to_have_attribute("href", PATH)
    card = (await ben.open(PATH)).locator("section.card")
    await expect(card.locator(".button.primary")).to_have_text(wanted)
    await expect(card.get_by_role("button", name="Reconnect")).to_have_class(re.compile("secondary"))
    copy, again = card.get_by_role("button", name=wanted), card.get_by_role("button", name="Reconnect")
    tops = [(await one.bounding_box() or {"y": -1})["y"] for one in (copy, again)]
    assert tops == sorted(tops)


async def test_on_a_phone_the_tab_of_the_open_settings_is_in_sight(ben: Visitor) -> None:
    """Where it is opened there, and where a wider window becomes as narrow."""
    page = await ben.context.new_page()
    tab = page.get_by_role("navigation", name="Settings").get_by_text("Integrations")
    for first in (360, 1280):
        await page.set_viewport_size({"width": first, "height": 740})
        await page.goto(ben.leaf.url + PATH)
        await expect(tab).to_be_in_viewport(ratio=1)
        await page.set_viewport_size({"width": 360, "height": 740})
        await expect(tab).to_be_in_viewport(ratio=1)
