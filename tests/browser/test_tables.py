"""Tables of answers: sorted as their readers want them, and copied."""

import pytest
from playwright.async_api import Locator, expect

from tests.browser.scripts import TABLE, script, step
from tests.browser.visitor import Visit

MARKDOWN_TABLE = """Four of them:

| Orchard | Harvest | Since |
| --- | ---: | --- |
| River \\| bend | 412 t | 2001 |
| Hillside | 99 t | 1998 |
| Mill; =1+1 |  | 2024 |
| =SUM(A1) | 1,200.5 t | 2019 |
"""


async def _column(table: Locator, number: int) -> list[str]:
    return await table.locator(f"tbody tr td:nth-child({number})").all_inner_texts()


@pytest.mark.usefixtures("scripted")
async def test_a_table_sorts_by_its_columns_and_stays_as_its_reader_sorted_it(visit: Visit) -> None:
    """Numbers as numbers, dates as dates; while the answer grows, when it is done, and when it is answered. # 002-20"""
    ada = await visit("ada")
    chat = await ada.new_chat()
    await chat.ask(script(step("displayTable", TABLE, "Here it is. "), {"text": "And here is more. " * 1000}))
    table = chat.answers.first.locator(".data-table")
    head = table.get_by_role("columnheader")
    await expect(head).to_have_count(7)
    assert await _column(table, 2) == ["9", "100", "25", "–"]
    assert await _column(table, 3) == ["€1,200.50", "€80.00", "€80.00", "€3.00"]
    assert await _column(table, 4) == ["1 Dec 2024", "1 Feb 2025", "30 Jul 1999", "–"]
    assert (await _column(table, 5))[0] == "12.5%"
    assert await _column(table, 7) == ["Yes", "–", "No", "–"]
    await expect(chat.stop_button).to_be_visible()
    await head.nth(1).get_by_role("button").click()
    await expect(head.nth(1)).to_have_attribute("aria-sort", "ascending")
    assert await _column(table, 2) == ["9", "25", "100", "–"]
    await chat.page.keyboard.press("Enter")
    await expect(head.nth(1)).to_have_attribute("aria-sort", "descending")
    assert await _column(table, 2) == ["100", "25", "9", "–"]
    await ada.leaf.hurry()
    await chat.finished()
    assert await _column(table, 2) == ["100", "25", "9", "–"]
    await expect(head.nth(1).get_by_role("button")).to_be_focused()
    await chat.page.keyboard.press("Space")
    await expect(head.nth(1)).to_have_attribute("aria-sort", "none")
    assert await _column(table, 2) == ["9", "100", "25", "–"]
    await head.nth(3).get_by_role("button").click()
    assert await _column(table, 1) == ["tree 1", "Tree 10", "Tree 2", "Älter"]
    # What is equal keeps its order, upwards and downwards.
    await head.nth(2).get_by_role("button").click()
    assert await _column(table, 1) == ["Älter", "Tree 2", "tree 1", "Tree 10"]
    await head.nth(2).get_by_role("button").click()
    assert await _column(table, 1) == ["Tree 10", "Tree 2", "tree 1", "Älter"]
    await head.nth(0).get_by_role("button").click()
    assert await _column(table, 1) == ["Älter", "tree 1", "Tree 2", "Tree 10"]
    await chat.ask(script({"text": "Good."}))
    await chat.finished()
    await expect(head.nth(0)).to_have_attribute("aria-sort", "ascending")
    assert await _column(table, 1) == ["Älter", "tree 1", "Tree 2", "Tree 10"]


@pytest.mark.usefixtures("at_once")
async def test_a_table_in_markdown_sorts_and_is_copied_as_csv_in_the_order_that_is_seen(visit: Visit) -> None:
    """Numbers as numbers; what a spreadsheet would take for a formula is none. # 002-20"""
    ada = await visit("ada")
    await ada.context.grant_permissions(["clipboard-read", "clipboard-write"])
    chat = await ada.new_chat()
    await chat.ask(script({"text": MARKDOWN_TABLE}))
    await chat.finished()
    table = chat.answer.locator(".md-table-frame")
    head = table.get_by_role("columnheader")
    await expect(head).to_have_count(3)
    await head.nth(1).get_by_role("button").click()
    await expect(head.nth(1)).to_have_attribute("aria-sort", "ascending")
    assert await _column(table, 1) == ["Hillside", "River | bend", "=SUM(A1)", "Mill; =1+1"]
    await chat.page.keyboard.press("Enter")
    assert await _column(table, 1) == ["=SUM(A1)", "River | bend", "Hillside", "Mill; =1+1"]
    await table.get_by_role("button", name="Copy as CSV").click()
    copied = await chat.page.evaluate("() => navigator.clipboard.readText()")
    assert copied.splitlines() == [
        '"Orchard","Harvest","Since"',
        '"\'=SUM(A1)","1,200.5 t","2019"',
        '"River | bend","412 t","2001"',
        '"Hillside","99 t","1998"',
        '"Mill;\' =1+1","","2024"',
    ]
    await chat.page.reload()
    await expect(head.nth(1)).to_have_attribute("aria-sort", "none")
    assert await _column(table, 1) == ["River | bend", "Hillside", "Mill; =1+1", "=SUM(A1)"]
