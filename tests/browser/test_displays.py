"""What the display tools and the to-do list show: tables that sort, options that are sent, lists that grow."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.async_api import Locator, expect
from psycopg.types.json import Jsonb

from tests.browser.product import Product
from tests.browser.test_accessibility import check
from tests.browser.test_hostile import HARMLESS
from tests.browser.visitor import Chat, Visit

ORCHARD = "https://orchard.example/apples"
COLUMNS = [
    {"key": "sort", "label": "Sort"},
    {"key": "kg", "label": "Harvest", "type": "number"},
    {"key": "price", "label": "Price", "type": "currency", "currency": "EUR"},
    {"key": "since", "label": "Since", "type": "date"},
    {"key": "share", "label": "Share", "type": "percent"},
    {"key": "page", "label": "Page", "type": "link"},
    {"key": "organic", "label": "Organic", "type": "boolean"},
]
ROWS = [
    {"sort": "Tree 10", "kg": 9, "price": 1200.5, "since": "2024-12-01", "share": 12.5, "organic": True},
    {"sort": "Tree 2", "kg": 100, "price": 80, "since": "2025-02-01", "share": 50, "page": {"url": ORCHARD}},
    {"sort": "tree 1", "kg": 25, "price": 80, "since": "1999-07-30", "organic": False},
    {"sort": "Älter", "price": 3},
]
TABLE = {"title": "Apples of the orchard", "description": "From the harvest log.", "columns": COLUMNS, "rows": ROWS}
MARKDOWN_TABLE = """Four of them:

| Orchard | Harvest | Since |
| --- | ---: | --- |
| River \\| bend | 412 t | 2001 |
| Hillside | 99 t | 1998 |
| Mill field |  | 2024 |
| =SUM(A1) | 1,200.5 t | 2019 |
"""
PLAN = {
    "title": "Plant an apple tree",
    "description": "From the hole to the first harvest.",
    "steps": [
        {"label": "Dig", "description": "Twice as wide as the roots.", "status": "completed"},
        {"label": "Plant", "status": "in_progress"},
        {"label": "Water for a year"},
    ],
}
SOURCE = {"title": "Old apple sorts", "url": ORCHARD, "snippet": "They keep until May.", "published": "2024"}
CITATIONS = {"title": "Sources", "items": [SOURCE, {"title": "The same, elsewhere", "url": f"{ORCHARD}?page=2"}]}
CARD = {"url": ORCHARD, "title": "The orchard", "description": "All apples that grow there."}
OPTIONS = {
    "question": "Which year do you mean?",
    "options": [
        {"id": "a", "label": "The harvest of 2025", "description": "It is complete."},
        {"id": "b", "label": "The harvest of 2026"},
    ],
}


def step(name: str, arguments: dict[str, Any], text: str = "") -> dict[str, Any]:
    return {"text": text, "calls": [{"name": name, "arguments": arguments}]}


def todos(*statuses: str) -> dict[str, Any]:
    names = ("Find the lease", "Read it", "Write down the notice period")
    written = [{"content": name, "status": status} for name, status in zip(names, statuses, strict=False)]
    return step("todoWrite", {"todos": written}, "On with it. " * 12)


def script(*steps: dict[str, Any]) -> str:
    return f"```json\n{json.dumps(steps)}\n```"


@pytest.fixture
def scripted(leaf: Product) -> Iterator[None]:
    """Answers follow the script in their question, a word every 25 ms."""
    leaf.use_model("sandbox:sandbox-script-25")
    yield
    leaf.use_model(None)


async def _column(table: Locator, number: int) -> list[str]:
    return await table.locator(f"tbody tr td:nth-child({number})").all_inner_texts()


@pytest.mark.usefixtures("scripted")
async def test_a_table_sorts_by_its_columns_and_stays_as_its_reader_sorted_it(visit: Visit) -> None:
    """Numbers as numbers, dates as dates; while the answer grows, when it is done, and when it is answered. # 002-20"""
    chat = await (await visit("ada")).new_chat()
    await chat.ask(script(step("displayTable", TABLE, "Here it is. "), {"text": "And here is more. " * 40}))
    table = chat.answers.first.locator(".data-table")
    head = table.get_by_role("columnheader")
    await expect(head).to_have_count(7)
    assert await _column(table, 2) == ["9", "100", "25", "–"]
    assert await _column(table, 3) == ["€1,200.50", "€80.00", "€80.00", "€3.00"]
    assert await _column(table, 4) == ["Dec 1, 2024", "Feb 1, 2025", "Jul 30, 1999", "–"]
    assert (await _column(table, 5))[0] == "12.5%"
    assert await _column(table, 7) == ["Yes", "–", "No", "–"]
    await expect(chat.stop_button).to_be_visible()
    await head.nth(1).get_by_role("button").click()
    await expect(head.nth(1)).to_have_attribute("aria-sort", "ascending")
    assert await _column(table, 2) == ["9", "25", "100", "–"]
    await chat.page.keyboard.press("Enter")
    await expect(head.nth(1)).to_have_attribute("aria-sort", "descending")
    assert await _column(table, 2) == ["100", "25", "9", "–"]
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


@pytest.mark.usefixtures("scripted")
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
    assert await _column(table, 1) == ["Hillside", "River | bend", "=SUM(A1)", "Mill field"]
    await chat.page.keyboard.press("Enter")
    assert await _column(table, 1) == ["=SUM(A1)", "River | bend", "Hillside", "Mill field"]
    await table.get_by_role("button", name="Copy as CSV").click()
    copied = await chat.page.evaluate("() => navigator.clipboard.readText()")
    assert copied.splitlines() == [
        '"Orchard","Harvest","Since"',
        '"\'=SUM(A1)","1,200.5 t","2019"',
        '"River | bend","412 t","2001"',
        '"Hillside","99 t","1998"',
        '"Mill field","","2024"',
    ]
    await chat.page.reload()
    await expect(head.nth(1)).to_have_attribute("aria-sort", "none")
    assert await _column(table, 1) == ["River | bend", "Hillside", "Mill field", "=SUM(A1)"]


@pytest.mark.usefixtures("scripted")
async def test_a_plan_sources_and_a_card_stand_where_the_answer_put_them(visit: Visit) -> None:
    """# 002-19 002-21 002-22"""
    chat = await (await visit("ada")).new_chat()
    steps = (step("displayPlan", PLAN, "First."), step("displayCitations", CITATIONS, "Then."))
    await chat.ask(script(*steps, step("displayLinkPreview", CARD, "Last."), {"text": "That is all."}))
    await chat.finished()
    shown = "(all) => all.map((one) => (one.matches('.artifact') ? one.firstElementChild : one).className)"
    order = await chat.answer.locator(":scope > *").evaluate_all(shown)
    assert order == [
        "md",
        "display plan",
        "md",
        "display citations",
        "md",
        "display link-card",
        "md",
        "actions",
        "related",
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


@pytest.mark.usefixtures("scripted")
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
    chat = await (await visit("ada")).new_chat()
    await chat.choose_mode("Adaptive")
    await chat.ask(
        script(
            todos("in_progress", "pending", "pending"),
            todos("completed"),
            todos("completed", "completed", "in_progress"),
            {"text": "Done for now. " * 20},
        )
    )
    count = chat.answer.locator(".todo-count")
    for told in ("0/3", "1/3", "2/3"):
        await expect(count).to_have_text(told)
    await expect(chat.stop_button).to_be_visible()
    await expect(chat.answer.locator(".todos")).to_have_count(1)
    statuses = await chat.answer.locator(".todo").evaluate_all("(all) => all.map((one) => one.dataset.status)")
    assert statuses == ["completed", "completed", "in_progress"]
    await chat.finished()
    await expect(count).to_have_accessible_name("2 of 3 done")
    await expect(chat.answer.locator(".steps details.step")).to_have_count(3)
    await check(chat.page)


async def test_what_did_not_fit_is_mended_without_the_reader_seeing_it(visit: Visit, leaf: Product) -> None:
    """# 002-20"""
    bad = {**TABLE, "rows": [{"kg": "nine"}]}
    leaf.use_model("sandbox:sandbox-script")
    try:
        chat = await (await visit("ada")).new_chat()
        await chat.ask(script(step("displayTable", bad), step("displayTable", TABLE), {"text": "There."}))
        await chat.finished()
    finally:
        leaf.use_model(None)
    await expect(chat.answer.locator(".data-table")).to_have_count(1)
    await expect(chat.answer.locator(".display-failed, .steps")).to_have_count(0)


async def test_a_skeleton_stands_where_something_is_being_prepared(visit: Visit, leaf: Product) -> None:
    """# 002-50"""
    leaf.use_model("sandbox:sandbox-script-120")
    try:
        chat = await (await visit("ada")).new_chat()
        await chat.ask(script(step("displayPlan", PLAN)))
        waiting = chat.answer.locator(".display-waiting")
        await expect(waiting).to_have_attribute("data-tool-state", "input-streaming")
        await expect(waiting).to_have_text("Preparing a plan…")
        await expect(chat.answer.locator(".plan-step")).to_have_count(3)
        await expect(waiting).to_have_count(0)
        await chat.stop_button.click()
        await chat.finished("stopped")
    finally:
        leaf.use_model(None)


async def _store(leaf: Product, chat: Chat, parts: list[dict[str, Any]]) -> None:
    """Puts other parts into a finished answer, and opens its chat again."""
    await leaf.query(
        "UPDATE messages SET parts = %s WHERE chat_session_id = %s AND role = 'assistant' RETURNING id",
        Jsonb(parts),
        chat.id,
    )
    await chat.page.reload()
    await chat.finished()


async def _finished(visit: Visit, leaf: Product) -> Chat:
    leaf.use_model("sandbox:sandbox-script")
    try:
        chat = await (await visit("ada")).new_chat()
        await chat.ask(script({"text": "Done."}))
        await chat.finished()
    finally:
        leaf.use_model(None)
    return chat


def part(tool: str, state: str, **more: Any) -> dict[str, Any]:
    return {"type": f"tool-{tool}", "toolCallId": f"{tool}-{state}", "state": state, **more}


async def test_the_four_states_of_a_tool_look_different(visit: Visit, leaf: Product) -> None:
    """A skeleton, the parameters, the result, the error; for what is displayed and for steps. # 002-50"""
    chat = await _finished(visit, leaf)
    error = {"errorText": "rows[0].kg: must be a number", "input": {}}
    await _store(
        leaf,
        chat,
        [
            part("displayPlan", "input-streaming", input={"title": "Pla"}),
            part("displayLinkPreview", "input-available", input=CARD),
            part("displayCitations", "output-available", input={}, output=CITATIONS),
            part("displayTable", "output-error", **error),
            part("weather", "input-streaming", input={"place": "Ber"}),
            part("weather", "input-available", input={"place": "Berlin"}),
            part("weather", "output-available", input={"place": "Bern"}, output={"degrees": 21}),
            part("weather", "output-error", input={"place": "Basel"}, errorText="No such place."),
        ],
    )
    answer = chat.answer
    await expect(answer.locator(".display-waiting[data-tool-state=input-streaming] .bones.shimmer")).to_have_count(1)
    await expect(answer.locator(".display-waiting[data-tool-state=input-available] pre")).to_contain_text(ORCHARD)
    await expect(answer.locator(".display-waiting[data-tool-state=input-available] .bones")).to_have_count(0)
    await expect(answer.locator(".citations li")).to_have_count(2)
    await expect(answer.locator(".display-failed")).to_contain_text("rows[0].kg: must be a number")
    await answer.locator("details.steps summary").first.click()
    steps = answer.locator("details.step")
    await expect(steps).to_have_count(4)
    for one in await steps.all():
        await one.locator("summary").click()
    details = answer.locator(".step-detail")
    await expect(details.nth(0).locator(".bones.shimmer")).to_be_visible()
    await expect(details.nth(0).locator("pre")).to_have_count(0)
    await expect(details.nth(1).get_by_label("Input")).to_contain_text("Berlin")
    await expect(details.nth(1)).to_contain_text("Waiting for the result…")
    await expect(details.nth(2).get_by_label("Output")).to_contain_text('"degrees": 21')
    await expect(details.nth(3).get_by_label("Error")).to_have_text("No such place.")
    await check(chat.page)


async def test_an_unknown_tool_is_shown_with_its_name_what_it_was_given_and_gave(visit: Visit, leaf: Product) -> None:
    """As the only tool of its message it is open; its JSON is coloured. # 002-49 002-48"""
    chat = await _finished(visit, leaf)
    call = {"type": "dynamic-tool", "toolName": "weather-forecast", "toolCallId": "w", "state": "output-available"}
    await _store(leaf, chat, [{**call, "input": {"place": "Bern"}, "output": {"degrees": [21, 23]}}])
    group = chat.answer.locator(".steps")
    await expect(group.locator("summary")).to_have_text("Used weather forecast")
    await expect(group.locator(".tool-name")).to_have_text("weather-forecast")
    await expect(group.locator(".hljs-attr").first).to_be_visible()
    assert json.loads(await group.get_by_label("Input").inner_text()) == {"place": "Bern"}
    assert json.loads(await group.get_by_label("Output").inner_text()) == {"degrees": [21, 23]}


async def test_what_has_another_shape_or_means_harm_is_drawn_harmlessly(visit: Visit, leaf: Product) -> None:
    """Stored parts need not come from Leaf's own tools. # 000-35"""
    chat = await _finished(visit, leaf)
    evil = '<img src=x onerror="window.leafHacked=true">'
    link = {"title": evil, "url": "javascript:window.leafHacked=true", "domain": evil}
    table = {"title": evil, "columns": [{"key": "a", "label": evil, "type": "link"}], "rows": [{"a": link}]}
    await _store(
        leaf,
        chat,
        [
            part("displayLinkPreview", "output-available", output=link),
            part("displayCitations", "output-available", output={"items": [{**link, "snippet": evil}]}),
            part("displayTable", "output-available", output=table),
            part("displayPlan", "output-available", output={"steps": 5}),
            part("displayOptionList", "output-available", output=None),
            part("todoWrite", "output-available", output=[evil]),
            {"type": "text", "text": "And the answer goes on.", "state": "done"},
        ],
    )
    await expect(chat.answer.get_by_text("And the answer goes on.")).to_be_visible()
    await expect(chat.answer.locator("details.display-raw")).to_have_count(3)
    await expect(chat.answer.locator(".link-card")).to_contain_text(evil)
    assert await chat.answer.evaluate(HARMLESS) == []
    assert await chat.page.evaluate("window.leafHacked === undefined")


async def test_everything_fits_a_phone(visit: Visit, leaf: Product) -> None:
    """# 002-19 002-20"""
    leaf.use_model("sandbox:sandbox-script")
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
