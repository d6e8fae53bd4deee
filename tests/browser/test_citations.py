"""Numbers in an answer, the quotes behind them, and what was looked at: read, opened, copied, and at 360 pixels."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Locator, expect

from sandbox import sample_drive
from tests.browser.product import Product
from tests.browser.scripts import script
from tests.browser.test_accessibility import check
from tests.browser.visitor import Chat, Visit

AGREEMENT = "ada:/Contracts/Packaging supply agreement – Pomona Packing.pdf"
BUDGET = "ada:/Finance/Budget 2026/Operating budget 2026"
SCAN = "ada:/Contracts/Scans/Delivery note 4471 (scan).pdf"
CLOSED = "ada:/Finance/Confidential valuation.pdf"
RIGHT = "Either side may end the agreement with 90 days' notice"


@pytest.fixture
def scripted(leaf: Product) -> Iterator[None]:
    """Answers follow the script in their question, a word every 40 ms."""
    leaf.use_model("sandbox:sandbox-script-40")
    yield
    leaf.use_model(None)


def _call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def _asked(leaf: Product) -> str:
    url = f"{leaf.sandbox_url}/file/d/{sample_drive.id_of(AGREEMENT)}/view"
    answer = (
        "Either side may end it with 90 days' notice.[^1] It costs less than before.[^2]\n\n"
        "> The customer takes at least 1.9 million trays in each contract year.\n\n"
        f"— [The agreement]({url}), page 7\n\n"
        f'[^1]: "{RIGHT}" — [The agreement]({url}), page 1\n'
        f'[^2]: "The price is EUR 0.18 per tray" — [The agreement]({url}), page 1\n'
    )
    looking = [
        _call("list_drive_folder", folder=sample_drive.id_of("ada:/Contracts")),
        _call("read_drive_file", file=url),
        _call("read_drive_file", file=sample_drive.id_of(CLOSED)),
    ]
    return script({"text": "", "calls": looking}, {"text": answer})


async def _never_raw(chat: Chat) -> None:
    """Watches the answer while it grows."""
    await chat.page.evaluate(
        """() => {
            window.seen = [];
            const look = () => {
                for (const text of document.querySelectorAll('.answer .md')) {
                    const raw = text.textContent.match(/\\[\\^|\\^\\d|EUR 0\\.18/);
                    if (raw) window.seen.push(raw[0]);
                }
            };
            new MutationObserver(look).observe(document.body, {subtree: true, childList: true, characterData: true});
        }"""
    )


@pytest.mark.usefixtures("scripted")
async def test_quotes_are_numbered_checked_and_open_their_file(visit: Visit, leaf: Product) -> None:
    """No mark of the model's is seen at any moment; what could not be verified says so. # 000-37"""
    visitor = await visit("ada")
    await visitor.context.grant_permissions(["clipboard-read", "clipboard-write"])
    chat = await visitor.new_chat()
    await _never_raw(chat)
    await chat.ask(_asked(leaf))
    await chat.finished()
    assert await chat.page.evaluate("() => window.seen") == []
    numbers = chat.answer.locator(".md button.cite-chip")
    await expect(numbers).to_have_text(["1", "2?", "3"])
    await expect(numbers.nth(1)).to_have_attribute("aria-label", "Source 2, unverified")
    await expect(chat.evidence).to_have_text("1 source · 1 unverified · 1 read · 1 could not be read")
    panel = await chat.open_sources()
    entries = panel.locator(".quoted")
    await expect(entries.first).to_contain_text("page 3")
    await expect(entries.first.locator("mark")).to_have_text(RIGHT)
    await expect(entries.first).to_contain_text("Verified")
    await expect(entries.nth(1)).to_contain_text("Unverified: this text does not appear in the file.")
    await expect(entries.nth(2)).to_contain_text("page 2")
    await expect(
        panel.get_by_text(re.compile(r"Listed 1 folder · read 1 of \d+ files · 1 could not be read"))
    ).to_be_visible()
    await expect(panel.locator(".receipt-line").first).to_contain_text("downloading and copying are switched off")
    await check(chat.page)
    await chat.answer.get_by_role("button", name="Copy answer").click()
    copied = await chat.page.evaluate("() => navigator.clipboard.readText()")
    assert re.search(r"1\. “Either side .*” — \[.*\]\(http.*\), page 3 \(verified\)", copied)
    assert re.search(r"2\. “The price is EUR 0.18 per tray” — .* \(unverified\)", copied)
    assert "90 days' notice. It costs less than before.\n" in copied
    async with chat.page.context.expect_page() as opened:
        await entries.first.get_by_role("link").click()
    document = await opened.value
    await expect(document.get_by_role("heading", level=1).first).to_contain_text("Packaging supply agreement")


@pytest.mark.usefixtures("at_once")
async def test_a_quote_from_a_scan_shows_the_picture_of_its_page(visit: Visit, leaf: Product) -> None:
    """# 000-37, 000-66"""
    url = f"{leaf.sandbox_url}/file/d/{sample_drive.id_of(SCAN)}/view"
    answer = f'Two pallets were refused.[^1]\n\n[^1]: "Pallets 17 and 18 wet, refused" — [The note]({url}), page 1\n'
    chat = await (await visit("ada")).new_chat()
    await chat.ask(script({"text": "", "calls": [_call("read_drive_file", file=url)]}, {"text": answer}))
    await chat.finished()
    panel = await chat.open_sources()
    entry = panel.locator(".quoted")
    await expect(entry.locator(".excerpt-part")).to_have_text("page 1, read by OCR")
    await expect(entry).to_contain_text("Verified")
    picture = entry.get_by_role("img")
    await expect(picture).to_be_visible()
    await expect(picture).to_have_js_property("complete", value=True)
    assert await picture.evaluate("picture => picture.naturalWidth") > 500
    await check(chat.page)


@pytest.mark.usefixtures("at_once")
async def test_a_computed_figure_shows_its_cells(visit: Visit, leaf: Product, tmp_path: Path) -> None:
    """Formula, cells, rows that were left out, and query, computed anew; in both themes and at 360 pixels."""
    url = f"{leaf.sandbox_url}/spreadsheets/d/{sample_drive.id_of(BUDGET, 'sheet')}/edit"
    query = "SELECT sum(q1 + q2) AS labour FROM operating_budget_2026_summary WHERE line = 'Labour'"
    answer = f"[The budget]({url}) plans 1,260,000 for labour, which is 77 more than I would have guessed.\n"
    chat = await (await visit("ada")).new_chat()
    asked = script({"text": "", "calls": [_call("compute", files=[url], query=query)]}, {"text": answer})
    # A figure of the question would not be the model's own.
    await chat.ask(asked.replace(" 77 ", " \\u0037\\u0037 "))
    await chat.finished()
    await expect(chat.answer.locator(".md button.cite-chip")).to_have_text(["1"])
    await expect(chat.answer.locator(".own-figure")).to_have_text(["77"])
    panel = await chat.open_sources()
    entry = panel.locator(".quoted")
    await expect(entry).to_contain_text("sum of Q1 + Q2 (Line = “Labour”) = 1,260,000")
    await expect(entry).to_contain_text("Computed by Leaf from the cells of its tables")
    await expect(entry).to_contain_text("Recomputed just now, with the same result")
    await expect(entry.locator(".sheet-cells mark")).to_have_text(["620,000", "640,000"])
    await expect(entry).to_contain_text("10 rows are left out by the condition: Line = “Labour”")
    await expect(entry).to_contain_text("Rows 6, 14, 15 sum up others or are a part of them, and are left out")
    await entry.get_by_text("Query", exact=True).click()
    await expect(entry.get_by_text("FROM operating_budget_2026_summary")).to_be_visible()
    await check(chat.page)
    for width, scheme in ((1280, "light"), (1280, "dark"), (360, "light"), (360, "dark")):
        await chat.page.set_viewport_size({"width": width, "height": 860})
        await chat.page.emulate_media(color_scheme=scheme)
        assert await panel.evaluate("panel => panel.scrollWidth <= panel.clientWidth"), (width, scheme)
        await chat.page.screenshot(path=tmp_path / f"computed-{width}-{scheme}.png")
        assert await chat.page.evaluate("() => document.documentElement.scrollWidth") <= width


@pytest_asyncio.fixture
async def cited(visit: Visit, leaf: Product, kept_chats: dict[str, str]) -> Chat:
    """A tab with a finished answer that has numbers."""
    ada = await visit("ada")
    await ada.context.grant_permissions(["clipboard-read", "clipboard-write"])
    if "cited" not in kept_chats:
        leaf.use_model("sandbox:sandbox-script-0")
        try:
            chat = await ada.new_chat()
            await chat.ask(_asked(leaf))
            await chat.finished()
        finally:
            leaf.use_model(None)
        kept_chats["cited"] = chat.path
        return chat
    chat = await ada.chat(kept_chats["cited"])
    await chat.finished()
    return chat


async def test_sources_fit_into_360_pixels(cited: Chat) -> None:
    """In both themes. # 000-46"""
    await cited.page.set_viewport_size({"width": 360, "height": 780})
    await cited.open_sources()
    assert await cited.page.evaluate("() => document.documentElement.scrollWidth") <= 360
    await check(cited.page)


async def test_the_line_under_an_answer_says_whether_its_sources_are_open(cited: Chat) -> None:
    """# 000-37, 000-46"""
    line = cited.evidence.locator("[data-opens-panel]")
    await expect(line).to_have_attribute("aria-expanded", "false")
    panel = await cited.open_sources()
    await expect(line).to_have_attribute("aria-expanded", "true")
    await panel.get_by_role("button", name="Close").click()
    await expect(line).to_have_attribute("aria-expanded", "false")


async def test_a_copied_text_has_no_numbers_of_citations(cited: Chat) -> None:
    """A selection, and the button that copies the answer: "35000" with number 1 stays "35000". # 000-37"""
    await expect(cited.answer.locator(".md .cite")).to_have_count(3)
    selected = (
        await cited.answer.locator(".md")
        .filter(has_text="Either side")
        .first.evaluate("""(one) => { getSelection().selectAllChildren(one); return String(getSelection()); }""")
    )
    await cited.page.keyboard.press("Control+c")
    copied = await cited.page.evaluate("() => navigator.clipboard.readText()")
    for text in (selected, copied):
        assert text.strip() == "Either side may end it with 90 days' notice. It costs less than before."
    await cited.answer.evaluate("one => getSelection().selectAllChildren(one)")
    await cited.page.keyboard.press("Control+c")
    whole = await cited.page.evaluate("() => navigator.clipboard.readText()")
    assert "Either side may end it" in whole
    assert "Details" not in whole


async def _card_of(chat: Chat) -> Locator:
    card = chat.page.get_by_role("tooltip")
    await expect(card).to_have_count(1)
    return card


async def test_a_number_shows_the_quoted_words_and_opens_their_passage(cited: Chat) -> None:
    """It works by pointer and keyboard; the card can be entered and dismissed (WCAG 1.4.13), and the focus comes back.
    # 000-37 002-46
    """
    chat = cited
    numbers = chat.answer.locator(".md button.cite-chip")
    await numbers.first.hover()
    card = await _card_of(chat)
    await expect(card.locator("blockquote")).to_have_text(RIGHT)
    await expect(card).to_contain_text(", page 3")
    await card.hover()
    await chat.page.wait_for_timeout(400)  # longer than it takes a card to close
    await expect(card).to_be_visible()
    await chat.page.keyboard.press("Escape")
    await expect(card).to_have_count(0)
    await chat.page.mouse.move(2, 2)
    await chat.box.focus()
    for _ in range(60):
        if await numbers.nth(1).evaluate("(one) => one === document.activeElement"):
            break
        await chat.page.keyboard.press("Shift+Tab")
    await expect(numbers.nth(1)).to_have_accessible_description(
        re.compile("The price is EUR 0.18 per tray.*Unverified")
    )
    card = await _card_of(chat)
    await check(chat.page)
    border = "(one) => getComputedStyle(one).borderStyle"
    assert [await one.evaluate(border) for one in (numbers.first, numbers.nth(1), card)] == [
        "solid",
        "dashed",
        "dashed",
    ]
    await chat.page.keyboard.press("Enter")
    panel = chat.page.get_by_role("complementary")
    await expect(panel.locator("#passage-2")).to_be_focused()
    await expect(panel.locator("#passage-2")).to_contain_text("Unverified: this text does not appear in the file.")
    await numbers.first.click()
    passage = panel.locator("#passage-1")
    await expect(passage).to_be_focused()
    await expect(passage).to_be_in_viewport()
    await expect(passage.locator("mark")).to_have_text(RIGHT)
    await expect(passage).to_contain_text("page 3")
    await check(chat.page)
    async with chat.page.context.expect_page() as opened:
        await passage.get_by_role("link", name="Open").click()
    document = await opened.value
    await expect(document.get_by_role("heading", level=1).first).to_contain_text("Packaging supply agreement")
    await chat.page.bring_to_front()
    await chat.page.keyboard.press("Escape")
    await expect(panel).to_have_count(0)
    await expect(numbers.first).to_be_focused()


@pytest.mark.usefixtures("at_once")
async def test_a_link_that_no_tool_gave_is_told_apart(visit: Visit, leaf: Product) -> None:
    """A number with a question mark behind it, and its line among the sources. # 002-14"""
    made_up = "https://made-up.example/hail"
    found = f"{leaf.sandbox_url}/web/weather-book/how-hail-forms"
    steps = script(
        {"text": "", "calls": [_call("search", query="how hail forms")]},
        {"text": f"Hail grows [1]({found}) and falls [2]({made_up})."},
    )
    chat = await (await visit("ada")).new_chat()
    # What the asker writes is given: the address is the model's alone.
    await chat.ask(steps.replace("made-up", "\\u006dade-up"))
    await chat.finished()
    await expect(chat.answer.locator(".md button.cite-chip")).to_have_text(["1?"])
    await expect(chat.answer.locator(".md a")).to_have_count(2)
    panel = await chat.open_sources()
    await expect(panel.locator(".quoted")).to_contain_text("Unverified: no search, page, file or message")
    await check(chat.page)


@pytest.mark.usefixtures("at_once")
async def test_a_link_that_may_hold_text_of_documents_asks_before_it_opens(visit: Visit, leaf: Product) -> None:
    """With the whole address. One that a source has spelled so opens at once. # 000-35"""
    file = f"{leaf.sandbox_url}/drive/file/d/{sample_drive.id_of(AGREEMENT)}/view"
    address = "https://evil.example/in?word=trays%20of%20plum"
    steps = script(
        {"text": "", "calls": [_call("read_drive_file", file=file)]},
        {"text": f"[Sign in to **Drive**]({address}), or see [the file]({file})."},
    )
    visitor = await visit("ada")
    chat = await visitor.new_chat()
    asked: list[str] = []
    await chat.page.context.route(
        re.compile("//evil\\.example"), lambda route: (asked.append(route.request.url), route.fulfill(body="x"))[1]
    )
    await chat.ask(steps.replace("evil", "\\u0065vil"))
    await chat.finished()
    await expect(chat.answer.locator(".md a:visible")).to_have_text(["the file"])
    await chat.answer.get_by_role("button", name="Sign in to Drive").click()
    question = chat.page.get_by_role("dialog", name="This address was put together by a model")
    await expect(question).to_contain_text(address)
    await check(chat.page)
    await chat.page.keyboard.press("Escape")
    await expect(question).to_be_hidden()
    assert asked == []
    await chat.answer.get_by_role("button", name="Sign in to Drive").click()
    async with chat.page.context.expect_page() as opened:
        await question.get_by_role("link", name="Open anyway").click()
    await (await opened.value).wait_for_load_state()
    assert asked == [address]
    visitor.guard.requests.remove(address)
