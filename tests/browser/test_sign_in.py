"""Signing in and out, and who may open what."""

import re
from uuid import uuid4

import pytest
from playwright.async_api import expect

from tests.browser.product import Product
from tests.browser.visitor import Visit


async def test_the_first_sign_in_leads_from_the_landing_page_to_the_dashboard(visit: Visit) -> None:
    """A person who has never been here is greeted in a workspace of their own. # 000-03 000-04 000-45"""
    ben = await visit(None)
    ben.account = "ben"
    page = await ben.open("/")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Ask your Drive.")
    await ben.sign_in(page)
    await expect(page).to_have_url(re.compile(r"/dashboard$"))
    await expect(page.get_by_role("heading", level=1)).to_contain_text("Ben")
    await expect(page.get_by_text("Ben's Workspace").first).to_be_visible()


async def test_the_sign_in_asks_for_the_identity_alone(visit: Visit) -> None:
    """The consent page of a sign-in has no box for Drive. # 000-01 000-07"""
    ada = await visit()
    page = await ada.open("/")
    await page.get_by_role("button", name="Sign in with Google").click()
    await expect(page.get_by_role("button", name="Allow")).to_be_visible()
    assert "drive" not in page.url
    await expect(page.get_by_role("checkbox")).to_have_count(0)


async def test_whoever_denies_is_told_that_they_are_not_signed_in(visit: Visit) -> None:
    """Deny leads back to the landing page, which says so and offers another try. # 000-03 000-45"""
    ada = await visit()
    page = await ada.open("/")
    await page.get_by_role("button", name="Sign in with Google").click()
    await ada.allow(page, decision="Deny")
    await expect(page.get_by_text("You declined at Google, so you are not signed in.")).to_be_visible()
    await expect(page.get_by_role("button", name="Sign in with Google")).to_be_visible()


async def test_a_signed_out_visitor_of_a_chat_comes_back_to_it_after_the_sign_in(visit: Visit) -> None:
    """The link of a chat survives the sign-in, with its query. # 000-05"""
    path = (await (await visit("ada")).new_chat()).path + "?x=1&y=a%2Fb"
    stranger = await visit()
    page = await stranger.open(path)
    await expect(page.get_by_text("you are taken to the page you asked for")).to_be_visible()
    await stranger.sign_in(page)
    await expect(page).to_have_url(stranger.leaf.url + path)
    await expect(page.get_by_role("textbox", name="Message")).to_be_visible()


async def test_pages_of_the_app_send_strangers_to_the_sign_in(visit: Visit, subtests: pytest.Subtests) -> None:
    """# 000-05 002-39"""
    stranger = await visit()
    page = await stranger.context.new_page()
    for path in ("/dashboard", "/settings", "/settings/integrations", "/settings/sessions"):
        with subtests.test(path=path):
            await page.goto(stranger.leaf.url + path)
            await expect(page.get_by_role("button", name="Sign in with Google")).to_be_visible()
            await expect(page).to_have_url(re.compile(rf"/\?next=.*{path.rpartition('/')[2]}$"))


async def test_a_forged_session_is_no_session(visit: Visit) -> None:
    """# 000-05"""
    stranger = await visit()
    state = await (await visit("ada")).context.storage_state()
    cookie = next(one for one in state["cookies"] if one["httpOnly"])
    forged = cookie["value"][:-4] + "AAAA"
    await stranger.context.add_cookies([{"name": cookie["name"], "value": forged, "url": stranger.leaf.url}])
    page = await stranger.open("/dashboard")
    await expect(page.get_by_role("button", name="Sign in with Google")).to_be_visible()


@pytest.mark.usefixtures("unhurried")
async def test_somebody_elses_chat_looks_like_one_that_does_not_exist(visit: Visit, leaf: Product) -> None:
    """Foreign, missing and malformed ids all show the same page. # 000-40 000-41"""
    chat = await (await visit("ada")).new_chat()
    await chat.ask("What is in my Drive?")
    await chat.written(40)
    ben = await visit("ben")
    seen = set[str]()
    for chat_id in (chat.id, str(uuid4()), "not-an-id", "1' or 1=1", "%00", "1" * 999):
        page = await ben.open(f"/chat/{chat_id}")
        heading = page.get_by_role("heading", level=1).filter(has_text="This chat does not exist")
        await expect(heading).to_be_visible()
        await expect(page.get_by_text("What is in my Drive?")).to_have_count(0)
        seen.add(await page.locator("#main").inner_text())
        await page.close()
    assert len(seen) == 1
    await leaf.hurry()
    await chat.finished()


async def test_signing_out_ends_the_session(visit: Visit) -> None:
    """Neither the open tab nor the back button show anything afterwards. # 000-05"""
    ada = await visit()
    page = await ada.sign_in()
    await page.get_by_role("button", name="Your menu").click()
    await page.get_by_role("menuitem", name="Sign out").click()
    await expect(page.get_by_role("button", name="Sign in with Google")).to_be_visible()
    await page.goto(ada.leaf.url + "/dashboard")
    await expect(page.get_by_role("button", name="Sign in with Google")).to_be_visible()
