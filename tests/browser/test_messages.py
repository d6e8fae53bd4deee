"""How an answer's parts open and close, what can be looked at at the side, and how little moves meanwhile."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.async_api import Locator, expect

from tests.browser.product import Product
from tests.browser.scripts import TABLE, script, step
from tests.browser.test_accessibility import check
from tests.browser.visitor import Chat, Visit

BUDGET, LEASE = "budget", "lease"
SHIFTS = """() => {
    window.shifted = 0;
    window.moved = [];
    const told = ({node, previousRect: a, currentRect: b}) =>
        `${node?.className || node?.nodeName} ${a.y}+${a.height} -> ${b.y}+${b.height}`;
    new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if (!entry.hadRecentInput) {
            window.shifted += entry.value;
            if (entry.value > 0.002) window.moved.push([entry.value, ...entry.sources.map(told)]);
        }
    }).observe({type: 'layout-shift'});
}"""
OPEN = "(one) => one.open"


@pytest.fixture
def scripted(leaf: Product) -> Iterator[None]:
    """Answers follow the script in their question, a word every 25 ms."""
    leaf.use_model("sandbox:sandbox-script-25")
    yield
    leaf.use_model(None)


def searching(query: str, thought: str = "") -> dict[str, Any]:
    return step("search_files", {"queries": [query]}) | {"reasoning": thought}


def _folds(answer: Locator) -> tuple[Locator, Locator, Locator]:
    """The group, its thoughts, and its tool calls."""
    return (
        answer.locator("details.steps"),
        answer.locator("details.thinking"),
        answer.locator("details.step:not(.thinking)"),
    )


@pytest.mark.usefixtures("scripted")
async def test_thinking_is_open_while_it_streams_and_folds_when_text_follows(visit: Visit) -> None:
    """Several tools are closed. The answer looks the same when it is opened again.
    # 001-15 002-47 002-48 000-42
    """
    ada = await visit("ada")
    chat = await ada.new_chat()
    long = "I should look at the budget, and at what it rests on. " * 10
    await chat.ask(script(searching(BUDGET, long), searching(LEASE, "And at the lease. " * 40), {"text": "So. " * 600}))
    group, thoughts, calls = _folds(chat.answer)
    await expect(thoughts.first).to_have_attribute("open", "")
    await expect(thoughts.first.get_by_role("region", name="Thinking")).to_contain_text("what it rests on. I should")
    await expect(thoughts.nth(1)).to_have_attribute("open", "")
    await expect(thoughts.first).not_to_have_attribute("open", "")
    await expect(group).to_have_attribute("open", "")
    await chat.written(20)
    await expect(group).not_to_have_attribute("open", "")
    await expect(chat.stop_button).to_be_visible()
    await expect(group.locator("summary").first).to_have_text(re.compile(r"^Searched Drive 2 times ?\d+ s$"))
    await ada.leaf.hurry()
    await chat.finished()
    await group.locator("summary").first.click()
    assert [await one.evaluate(OPEN) for one in await calls.all()] == [False, False]
    assert [await one.evaluate(OPEN) for one in await thoughts.all()] == [False, False]
    words = await group.all_inner_texts()
    await chat.page.reload()
    await chat.finished()
    await expect(group).not_to_have_attribute("open", "")
    await group.locator("summary").first.click()
    assert await group.all_inner_texts() == words


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.usefixtures("scripted")
async def test_little_moves_while_an_answer_thinks_long_searches_and_writes(visit: Visit, width: int) -> None:
    """Cumulative layout shift below 0.02, though thinking and steps fold by themselves. It was 0.2 and 0.5."""
    chat = await (await visit("ada")).new_chat()
    await chat.page.set_viewport_size({"width": width, "height": 780})
    long = "I should look at the budget, and at what it rests on. " * 20
    await chat.send(script(searching(BUDGET, long), searching(LEASE, "And at the lease. " * 40), {"text": "So. " * 80}))
    # The box shrinks when its text is taken, as it grew with it.
    await expect(chat.box).to_have_value("")
    await chat.page.evaluate(SHIFTS)
    _, thoughts, _ = _folds(chat.answer)
    await expect(thoughts.first).to_have_attribute("open", "")
    await expect(thoughts.nth(1)).to_have_attribute("open", "")
    await chat.written(20)
    await chat.finished()
    assert await chat.page.evaluate("window.shifted") < 0.02, await chat.page.evaluate("window.moved")


@pytest.mark.usefixtures("scripted")
async def test_what_is_written_is_in_sight_when_a_long_result_folds(visit: Visit) -> None:
    """Also for who opened the chat while it was written: what folded left room, in which nobody could see anything."""
    ada = await visit("ada")
    chat = await ada.new_chat()
    await chat.ask(script(searching(BUDGET), {"text": "So it is. " * 120}))
    await expect(chat.answer.locator("details.step")).to_have_attribute("open", "")
    await chat.page.reload()
    await chat.written(40)
    last = chat.answer.locator(".md").last
    await expect(last).to_be_in_viewport()
    await ada.leaf.hurry()
    await chat.finished()
    await expect(last).to_be_in_viewport()


@pytest.mark.usefixtures("scripted")
async def test_what_the_reader_opened_or_closed_stays_so(visit: Visit) -> None:
    """Through repaints, the end of the stream, and other messages. # 002-48"""
    ada = await visit("ada")
    chat = await ada.new_chat()
    await chat.ask(
        script(searching(BUDGET, "A thought that goes on and on. " * 30), searching(LEASE), {"text": "So. " * 2_000})
    )
    first = chat.answers.first
    group, thoughts, calls = _folds(first)
    await expect(thoughts).to_have_attribute("open", "")
    await thoughts.locator("summary").click()
    await expect(thoughts).not_to_have_attribute("open", "")
    await chat.written(20)
    await group.locator("> summary").click()
    await calls.first.locator("summary").click()
    await expect(calls.first.get_by_label("Input")).to_contain_text(BUDGET)
    chosen = [True, False, True, False]

    async def now() -> list[bool]:
        return [await one.evaluate(OPEN) for one in (group, thoughts, *await calls.all())]

    assert await now() == chosen
    await expect(chat.stop_button).to_be_visible()
    await ada.leaf.hurry()
    await chat.finished()
    assert await now() == chosen
    # A single tool is open by itself, and closed it stays closed.
    await chat.ask(script(searching(BUDGET), {"text": "There. " * 30}))
    single = chat.answers.nth(1).locator("details.step")
    await expect(single).to_have_attribute("open", "")
    await expect(single.get_by_label("Output")).to_contain_text(BUDGET)
    await single.locator("summary").click()
    await chat.finished()
    await chat.ask(script({"text": "And more."}))
    await chat.finished()
    assert not await single.evaluate(OPEN)
    assert await now() == chosen


@pytest.mark.usefixtures("at_once")
async def test_a_table_opens_at_the_side_and_is_copied_as_csv(visit: Visit) -> None:
    """Escape closes, the focus returns, phones show it on the whole screen. # 002-43 002-20"""
    visitor = await visit("ada")
    await visitor.context.grant_permissions(["clipboard-read", "clipboard-write"])
    chat = await visitor.new_chat()
    rows = [{"sort": '=HYPERLINK("x")', "kg": -2}, {"sort": 'a "quoted", one', "kg": 10.5}, {"sort": "@SUM(1)"}]
    columns = [{"key": "sort", "label": "Sort"}, {"key": "kg", "label": "Harvest", "type": "number"}]
    many = [{"sort": f"Row {number}", "kg": number} for number in range(60)]
    await chat.ask(script(step("displayTable", {**TABLE, "columns": columns, "rows": rows + many}), {"text": "There."}))
    await chat.finished()
    opener = chat.answer.get_by_role("button", name=f"Open at the side: {TABLE['title']}")
    await opener.click()
    panel = chat.page.get_by_role("complementary", name=TABLE["title"])
    await expect(panel.get_by_role("button", name="Close panel")).to_be_focused()
    head = panel.get_by_role("columnheader")
    await head.nth(1).get_by_role("button").click()
    inline = chat.answer.locator(".data-table")
    await expect(inline.get_by_role("columnheader").nth(1)).to_have_attribute("aria-sort", "ascending")
    await panel.locator(".data-table-frame").evaluate("(one) => one.scrollTo(0, 900)")
    frame = await panel.locator(".data-table-frame").bounding_box()
    assert frame is not None
    stuck = await head.first.bounding_box()
    assert stuck is not None
    assert abs(stuck["y"] - frame["y"]) < 2, "the head stays in sight"
    await check(chat.page)
    await panel.get_by_role("button", name="Copy as CSV").click()
    copied = await chat.page.evaluate("() => navigator.clipboard.readText()")
    lines = copied.replace("\r\n", "\n").split("\n")
    assert lines[:2] == ['"Sort","Harvest"', '"\'=HYPERLINK(""x"")","-2"']
    assert '"a ""quoted"", one","10.5"' in lines
    assert '"\'@SUM(1)",""' in lines
    await chat.page.keyboard.press("Escape")
    await expect(panel).to_have_count(0)
    await expect(opener).to_be_focused()
    await chat.page.set_viewport_size({"width": 360, "height": 740})
    await chat.page.keyboard.press("Enter")
    box = await panel.bounding_box()
    assert box == {"x": 0, "y": 0, "width": 360, "height": 740}
    # There is room for one panel.
    await chat.page.set_viewport_size({"width": 1280, "height": 860})
    await chat.choose("Sources")
    await expect(panel).to_have_count(0)
    await expect(chat.page.get_by_role("complementary", name="Sources")).to_be_visible()
    await opener.click()
    await expect(panel).to_be_visible()
    await expect(chat.page.get_by_role("complementary")).to_have_count(1)


@pytest.mark.usefixtures("at_once")
async def test_a_change_of_a_file_is_shown_line_by_line(visit: Visit) -> None:
    """With signs, words, numbers and what is left out; in its step and at the side. # 001-14 001-13"""
    chat = await (await visit("ada")).new_chat()
    lines = "".join(f"Line {number}\n" for number in range(1, 41))
    changes = [
        step("write_file", {"path": "plan.md", "content": lines}),
        step("edit_file", {"path": "plan.md", "old": "Line 30\n", "new": "Line thirty\n"}),
    ]
    await chat.ask("Write plan.md, then edit plan.md.\n" + script(*changes, {"text": "Done."}))
    await chat.finished()
    group, _, calls = _folds(chat.answer)
    await group.locator("summary").first.click()
    await calls.nth(1).locator("summary").click()
    diff = calls.nth(1).locator(".diff")
    await expect(diff.locator(".removed")).to_have_text("30−Removed: Line 30")
    await expect(diff.locator(".added")).to_have_text("30+Added: Line thirty")
    await expect(diff.locator(".diff-place")).to_have_text("Line 27 · 26 unchanged lines above")
    await expect(diff.locator(".diff-line")).to_have_count(8)
    await calls.nth(1).get_by_role("button", name="Open at the side: plan.md").click()
    panel = chat.page.get_by_role("complementary", name="plan.md")
    await expect(panel.locator(".diff .added")).to_have_text("30+Added: Line thirty")
    await check(chat.page)
    await chat.page.keyboard.press("Escape")
    await expect(panel).to_have_count(0)


async def picture(chat: Chat) -> Locator:
    shown = chat.answer.locator(".diagram img")
    await expect(shown).to_have_count(1, timeout=30_000)
    return shown


async def test_formulas_and_diagrams_are_drawn_and_prices_are_not(visit: Visit, leaf: Product) -> None:
    """Their libraries are loaded with the first of them, from this server; code wraps at a click. # 002-46"""
    leaf.use_model("sandbox:sandbox-script-0")
    try:
        visitor = await visit("ada")
        chat = await visitor.new_chat()
        await chat.ask(script({"text": "It costs $5 and $6, or US$ 7. \\[A note\\] \\(see there\\) \\[12\\]"}))
        await chat.finished()
        await expect(chat.answer.locator(".formula")).to_have_count(0)
        assert not [address for address in visitor.guard.requests if "katex" in address.lower()]
        text = (
            "So \\(a_1*b*c_1\\), $x^2$ for $5 and $6, `\\(code\\)`.\n\n$$\\int_0^1 x\\,dx = \\frac{1}{2}$$\n\n"
            "~~~mermaid\nflowchart LR\n  A[Read] --> B{Signed?}\n~~~\n\n~~~python\nprint('wide')\n~~~\n"
        )
        await chat.ask(script({"text": text}))
        await chat.finished()
    finally:
        leaf.use_model(None)
    await expect(chat.answer.locator(".formula .katex")).to_have_count(3)
    await expect(chat.answer.locator(".formula-display math")).to_have_count(1)
    await expect(chat.answer.locator(".md").first).to_contain_text("for $5 and $6, \\(code\\).")
    shown = await picture(chat)
    assert await shown.get_attribute("alt") == "Diagram: Read, Signed?"
    light = await shown.get_attribute("src")
    assert light is not None
    assert light.startswith("data:image/svg+xml")
    assert await shown.evaluate("(one) => one.decode().then(() => one.naturalWidth > 40)")
    await check(chat.page)
    await chat.page.emulate_media(color_scheme="dark")
    await expect(shown).not_to_have_attribute("src", light)
    code = chat.answer.locator(".md-code").last
    await expect(code.locator("figcaption")).to_contain_text("python")
    await code.get_by_role("button", name="Wrap lines").click()
    assert await code.locator("pre").evaluate("(one) => getComputedStyle(one).whiteSpace") == "pre-wrap"
