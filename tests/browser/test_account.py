"""Profile, answers, one's data, feedback, the administration, and leaving."""

import zipfile
from pathlib import Path

from playwright.async_api import StorageState, expect

from tests.browser.test_accessibility import check
from tests.browser.visitor import Chat, Visit

DRAFTS = "Object.keys(localStorage).filter((name) => name.startsWith('leaf:draft:')).length"


async def test_the_agent_uses_the_name_the_mode_and_the_instructions_of_its_member(visit: Visit) -> None:
    """The settings outlive a reload, and each question carries them to the agent."""
    ada = await visit("ada")
    page = await ada.open("/settings")
    await page.get_by_label("Your name in Leaf").fill("Captain Ada")
    await page.get_by_role("button", name="Save").click()
    await expect(page.locator("#sidebar .person-name")).to_have_text("Captain Ada")
    await page.get_by_role("navigation", name="Settings").get_by_role("link", name="Answers").click()
    await page.get_by_label("Mode of new chats").select_option("adaptive")
    await page.get_by_label("Your instructions").fill("Answer like a sailor.")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_text("Saved.").last).to_be_visible()
    await page.reload()
    await expect(page.get_by_label("Your instructions")).to_have_value("Answer like a sailor.")
    await expect(page.get_by_label("Mode of new chats")).to_have_value("adaptive")
    await ada.new_chat(page)
    await expect(page.get_by_role("button", name="Mode", exact=True)).to_have_text("Adaptive")
    await page.goto(ada.leaf.url + "/settings/answers")
    await expect(page.get_by_label("Your instructions")).to_have_value("Answer like a sailor.")
    await page.get_by_label("Mode of new chats").select_option("")
    await page.get_by_label("Your instructions").fill("")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_text("Saved.").last).to_be_visible()
    await page.goto(ada.leaf.url + "/settings")
    await expect(page.get_by_label("Your name in Leaf")).to_have_value("Captain Ada")
    await page.get_by_label("Your name in Leaf").fill("")
    await page.get_by_role("button", name="Save").click()
    await expect(page.locator("#sidebar .person-name")).to_have_text("Ada Lindqvist")


async def test_density_is_kept_by_the_browser(visit: Visit) -> None:
    ada = await visit("ada")
    page = await ada.open("/settings/appearance")
    await page.get_by_label("Density").select_option("compact")
    await expect(page.locator("html")).to_have_attribute("data-density", "compact")
    await page.reload()
    await expect(page.locator("html")).to_have_attribute("data-density", "compact")
    await expect(page.get_by_label("Density")).to_have_value("compact")
    await page.get_by_label("Density").select_option("comfortable")


async def test_feedback_on_an_answer_is_kept_and_only_administrators_read_it(visit: Visit, tmp_path: Path) -> None:
    """The member then downloads all data of the account. # 002-36, 002-58"""
    ada = await visit("ada")
    chat = await ada.new_chat()
    page = chat.page
    await chat.ask("What is the marketing budget for 2026?")
    await chat.finished()
    bad = chat.answer.get_by_role("button", name="Bad answer")
    await bad.click()
    await expect(bad).to_have_attribute("aria-pressed", "true")
    await page.get_by_label("It missed a file.").check()
    await check(page)
    await page.get_by_label("What was wrong with it?").fill("It is last year's")
    await page.locator(".feedback-box").get_by_role("button", name="Send").click()
    await expect(page.get_by_text("Your feedback has arrived.")).to_be_visible()
    (stored,) = await ada.leaf.query("SELECT comment FROM feedback WHERE sentiment = 'down' AND comment <> ''")
    assert stored["comment"] == "It missed a file.\nIt is last year's"
    await page.reload()
    await expect(Chat(page).answer.get_by_role("button", name="Bad answer")).to_have_attribute("aria-pressed", "true")
    await Chat(page).answer.get_by_role("button", name="Good answer").click()
    await expect(bad).to_have_attribute("aria-pressed", "false")
    await expect(page.get_by_label("It missed a file.")).to_have_count(0)
    await page.get_by_label("What was good about it?").fill("On second thought it is right")
    await page.locator(".feedback-box").get_by_role("button", name="Send").click()
    await page.get_by_role("button", name="Your menu").click()
    await page.get_by_role("menuitem", name="Administration").click()
    await expect(page.get_by_role("heading", name="Administration")).to_be_visible()
    await expect(page.get_by_text("On second thought it is right")).to_be_visible()
    await expect(page.get_by_text("It is last year's")).to_have_count(0)
    await expect(page.locator("#main").get_by_text("marketing budget")).to_have_count(0)
    await page.get_by_role("button", name="Bad", exact=True).click()
    await expect(page.get_by_text("On second thought it is right")).to_have_count(0)
    await page.goto(ada.leaf.url + "/settings/data")
    async with page.expect_download() as started:
        await page.get_by_role("button", name="Download my data").click()
    archive = tmp_path / "data.zip"
    await (await started.value).save_as(archive)
    names = zipfile.ZipFile(archive).namelist()
    assert "profile.json" in names
    assert any(name.endswith("/chat.md") for name in names)


async def test_the_state_of_every_model_is_read_on_a_phone_without_scrolling_sideways(visit: Visit) -> None:
    """# 000-44"""
    ada = await visit("ada", viewport={"width": 360, "height": 800})
    page = await ada.open("/admin")
    models = page.get_by_role("region", name="Models")
    await expect(models.get_by_role("row").nth(1)).to_contain_text("On")
    assert await models.evaluate("(one) => one.scrollWidth <= one.clientWidth")
    await check(page)


async def test_a_person_without_an_account_can_send_feedback(visit: Visit) -> None:
    """# 002-36"""
    stranger = await visit()
    page = await stranger.open("/")
    await page.get_by_role("link", name="Send feedback").click()
    await page.get_by_label("How is Leaf for you?").select_option("Neutral")
    await page.get_by_label("Your message").fill("The first page is lovely")
    await page.get_by_role("button", name="Send", exact=True).click()
    await expect(page.get_by_text("Thank you. Your feedback has arrived.")).to_be_visible()
    (stored,) = await stranger.leaf.query(
        "SELECT user_id, sentiment, page, user_agent <> '' AS named FROM feedback WHERE comment LIKE 'The first page%%'"
    )
    assert stored == {"user_id": None, "sentiment": "neutral", "page": "/", "named": True}


async def test_feedback_on_leaf_names_the_page_that_it_came_from(visit: Visit) -> None:
    """# 002-36"""
    ada = await visit("ada")
    path = await ada.told("How many trays?")
    page = (await ada.chat(path)).page
    await expect(page.get_by_role("article", name="Leaf")).to_be_visible()
    await page.get_by_role("button", name="Your menu").click()
    await page.get_by_role("menuitem", name="Send feedback").click()
    await page.get_by_label("Your message").fill("Zu dieser Seite: schön")
    await page.get_by_role("button", name="Send", exact=True).click()
    await expect(page.get_by_text("Thank you. Your feedback has arrived.")).to_be_visible()
    (stored,) = await ada.leaf.query("SELECT page FROM feedback WHERE comment LIKE 'Zu dieser%%'")
    assert stored["page"] == path


async def test_a_member_deletes_the_account_by_its_address(visit: Visit, signed_in: dict[str, StorageState]) -> None:
    """Another address deletes nothing, and members see no administration. # 000-44"""
    ben = await visit("ben")
    # The session is deleted with the account: later tests sign Ben in again.
    del signed_in["ben"]
    page = await ben.open("/admin")
    await expect(page.get_by_text("There is no such page.")).to_be_visible()
    chat = await ben.new_chat(page)
    await chat.box.fill("Not sent yet")
    await page.wait_for_function(f"() => {DRAFTS} > 0")
    await page.goto(ben.leaf.url + "/settings/data")
    await page.get_by_label("to confirm").fill("ada@sandbox.leaf.example")
    await page.get_by_role("button", name="Delete my account").click()
    await expect(page.get_by_role("alert")).to_contain_text("Nothing was deleted")
    assert await page.evaluate(f"() => {DRAFTS}") > 0
    await page.get_by_label("to confirm").fill("ben@sandbox.leaf.example")
    await page.get_by_role("button", name="Delete my account").click()
    await expect(page.get_by_role("heading", name="Your account is deleted.")).to_be_visible()
    await page.wait_for_function(f"() => {DRAFTS} === 0")
    await page.goto(ben.leaf.url + "/dashboard")
    await expect(page.get_by_role("button", name="Sign in with Google")).to_be_visible()
