"""Displays and the to-do list: where it stands, options that are sent, lists that grow."""

from typing import Any

import pytest
from playwright.async_api import expect

from tests.browser.product import Product
from tests.browser.scripts import CARD, CITATIONS, OPTIONS, ORCHARD, PLAN, TABLE, script, step
from tests.browser.test_accessibility import check
from tests.browser.visitor import Visit


def todos(*statuses: str) -> dict[str, Any]:
    names = ("Find the lease", "Read it", "Write down the notice period")
    written = [{"content": name, "status": status} for name, status in zip(names, statuses, strict=False)]
    return step("todoWrite", {"todos": written}, "On with it. " * 12)


@pytest.mark.usefixtures("at_once")
async def test_a_plan_sources_and_a_card_stand_where_the_answer_put_them(visit: Visit) -> None:
    """# 002-19 002-21 002-22"""
    chat = await (await visit("ada")).new_chat()
    steps = (step("displayPlan", PLAN, "First."), step("displayCitations", CITATIONS, "Then."))
    await chat.ask(script(*steps, step("displayLinkPreview", CARD, "Last."), {"text": "That is all."}))
    await chat.finished()
    shown = "(all) => all.map((one) => (one.matches('.artifact') ? one.firstElementChild : one).className)"
    order = await chat.answer.locator(":scope > *").evaluate_all(shown)
    assert order[:7] == [
        "md",
        "display plan",
        "md",
        "display citations",
        "md",
        "display link-card",
        "md",
    ]
    cards = chat.answer.locator(".plan-step")
    assert await cards.locator(".plan-label").all_inner_texts() == ["Dig", "Plant", "Water for a year"]
    assert [text.strip() for text in await cards.locator(".unseen").all_inner_texts()] == [
        "done",
        "in progress",
        "to do",
    ]
    source = chat.answer.locator(".citations li").first
    await expect(source.get_by_role("link", name="Old apple sorts")).to_have_attribute("href", ORCHARD)
    await expect(source.locator(".display-domain")).to_have_text("orchard.example · 2024")
    await expect(source.locator("blockquote")).to_have_text("They keep until May.")
    card = chat.answer.locator("a.link-card")
    await expect(card).to_have_attribute("rel", "noopener noreferrer nofollow")
    await expect(card).to_have_attribute("href", ORCHARD)
    await check(chat.page)
    shown = await chat.answer.locator(".display").all_inner_texts()
    await chat.page.reload()
    await chat.finished()
    assert await chat.answer.locator(".display").all_inner_texts() == shown


@pytest.mark.usefixtures("scripted")
async def test_what_is_chosen_is_sent_as_the_next_message(visit: Visit) -> None:
    """Once, and only while the options stand in the last answer and that is done. # 002-23"""
    chat = await (await visit("ada")).new_chat()
    await chat.ask(script(step("displayOptionList", OPTIONS), {"text": "Please choose. " * 30}))
    options = chat.answers.first.get_by_role("group", name="Which year do you mean?").get_by_role("button")
    await expect(options).to_have_count(2)
    await expect(options.first).to_be_disabled()
    await chat.finished()
    await check(chat.page)
    await options.first.dblclick()
    await expect(chat.answers).to_have_count(2)
    await expect(chat.questions.nth(1)).to_have_text("The harvest of 2025")
    await chat.finished()
    await expect(chat.questions).to_have_count(2)
    await expect(options.first).to_be_disabled()
    await expect(options.nth(1)).to_be_disabled()


@pytest.mark.usefixtures("at_once")
async def test_several_options_are_sent_together(visit: Visit) -> None:
    """# 002-23"""
    chat = await (await visit("ada")).new_chat()
    await chat.ask(script(step("displayOptionList", {**OPTIONS, "multiple": True}), {"text": "Please choose."}))
    await chat.finished()
    send = chat.answer.locator(".options").get_by_role("button", name="Send")
    await expect(send).to_be_disabled()
    await chat.answer.get_by_role("checkbox", name="The harvest of 2026").check()
    await chat.answer.get_by_role("checkbox", name="The harvest of 2025").check()
    await check(chat.page)
    await send.click()
    await expect(chat.questions.nth(1)).to_have_text("The harvest of 2025, The harvest of 2026")
    await chat.finished()


@pytest.mark.usefixtures("scripted")
async def test_the_to_do_list_is_one_list_that_changes_while_the_agent_works(visit: Visit) -> None:
    """# 001-20 002-18"""
    ada = await visit("ada")
    chat = await ada.new_chat()
    await chat.choose_mode("Adaptive")
    await chat.ask(
        script(
            todos("in_progress", "pending", "pending"),
            todos("completed"),
            todos("completed", "completed", "in_progress"),
            {"text": "Done for now. " * 200},
        )
    )
    count = chat.answer.locator(".todo-count")
    for told in ("0/3", "1/3", "2/3"):
        await expect(count).to_have_text(told)
    await expect(chat.stop_button).to_be_visible()
    await expect(chat.answer.locator(".todos")).to_have_count(1)
    statuses = await chat.answer.locator(".todo").evaluate_all("(all) => all.map((one) => one.dataset.status)")
    assert statuses == ["completed", "completed", "in_progress"]
    await ada.leaf.hurry()
    await chat.finished()
    await expect(count).to_have_accessible_name("2 of 3 done")
    await expect(chat.answer.locator(".steps details.step")).to_have_count(3)
    await check(chat.page)


async def test_what_did_not_fit_is_mended_without_the_reader_seeing_it(visit: Visit, leaf: Product) -> None:
    """# 002-20"""
    bad = {**TABLE, "rows": [{"kg": "nine"}]}
    leaf.use_model("sandbox:sandbox-script-0")
    try:
        chat = await (await visit("ada")).new_chat()
        await chat.ask(script(step("displayTable", bad), step("displayTable", TABLE), {"text": "There."}))
        await chat.finished()
    finally:
        leaf.use_model(None)
    await expect(chat.answer.locator(".data-table")).to_have_count(1)
    await expect(chat.answer.locator(".display-failed, .steps")).to_have_count(0)


async def test_everything_fits_a_phone(visit: Visit, leaf: Product) -> None:
    """# 002-19 002-20"""
    leaf.use_model("sandbox:sandbox-script-0")
    try:
        chat = await (await visit("ada")).new_chat()
        await chat.page.set_viewport_size({"width": 360, "height": 740})
        shown = {
            "displayPlan": PLAN,
            "displayTable": TABLE,
            "displayCitations": CITATIONS,
            "displayOptionList": OPTIONS,
        }
        await chat.ask(script(*(step(name, given) for name, given in shown.items())))
        await chat.finished()
    finally:
        leaf.use_model(None)
    await expect(chat.answer.locator(".display")).to_have_count(4)
    wide = (
        "() => document.documentElement.scrollWidth > innerWidth || document.querySelector('.thread').scrollWidth > 360"
    )
    assert not await chat.page.evaluate(wide)
    assert await chat.answer.locator(".data-table-frame").evaluate("(one) => one.scrollWidth > one.clientWidth")
