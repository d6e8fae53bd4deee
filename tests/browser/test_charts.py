"""A chart over a spreadsheet: on the page with its values, as files, and behind a link; both themes, 1280 and 360."""

from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.async_api import Locator, expect

from sandbox import sample_drive
from tests.browser.product import Product
from tests.browser.scripts import script
from tests.browser.test_accessibility import check
from tests.browser.test_citations import BUDGET
from tests.browser.visitor import Chat, Visit

QUERY = "SELECT line, q1, q2 FROM operating_budget_2026_summary WHERE line <> 'Labour'"
SIZES: tuple[tuple[int, Literal["light", "dark"]], ...] = (
    (1280, "light"), (1280, "dark"), (360, "light"), (360, "dark"),
)  # fmt: skip


@pytest.mark.usefixtures("at_once")
async def test_a_chart_is_read_saved_and_shared(visit: Visit, leaf: Product, tmp_path: Path) -> None:
    url = f"{leaf.sandbox_url}/spreadsheets/d/{sample_drive.id_of(BUDGET, 'sheet')}/edit"
    chart = {"kind": "bar", "x": "line", "y": ["q1", "q2"], "title": "The first half of the year, by line"}
    call = {"name": "compute", "arguments": {"files": [url], "query": QUERY, "chart": chart}}
    pie = {"name": "compute", "arguments": {
        "files": [url], "query": QUERY.replace("q1, q2", "q1") + " AND q1 > 30000 ORDER BY q1 DESC LIMIT 8",
        "chart": {**chart, "kind": "pie", "y": ["q1"], "title": "Shares of the first quarter"},
    }}  # fmt: skip
    steps: list[dict[str, Any]] = [{"text": "", "calls": [call, pie]}, {"text": "There it is."}]
    chat = await (await visit("ada")).new_chat()
    await chat.ask(script(*steps))
    await chat.finished()
    figure = chat.answer.get_by_role("figure", name="Bar chart: The first half of the year, by line")
    await expect(figure).to_be_visible()
    picture = figure.get_by_role("img")
    await expect(picture).to_have_accessible_name(
        "Bar chart: The first half of the year, by line. Q1, Q2 by Line: 20 values, from 50,000 to 1,180,000."
    )
    await figure.get_by_text("Table of its values").press("Enter")
    await expect(figure.get_by_role("table").get_by_role("row").nth(1)).to_be_visible()
    await check(chat.page)
    for width, scheme in SIZES:
        await chat.page.set_viewport_size({"width": width, "height": 1200})
        await chat.page.emulate_media(color_scheme=scheme)
        await figure.scroll_into_view_if_needed()
        await chat.page.screenshot(path=tmp_path / f"chart-{width}-{scheme}.png", full_page=True)
        assert await chat.page.evaluate("() => document.documentElement.scrollWidth") <= width
    await _saves(chat, figure, tmp_path)
    await _shares(chat, visit, leaf, tmp_path)


async def _saves(chat: Chat, figure: Locator, folder: Path) -> None:
    for label, begins in (("Save as SVG", b"<svg "), ("Save as PNG", b"\x89PNG")):
        async with chat.page.expect_download() as waiting:
            await figure.get_by_role("link", name=label).click()
        saved = await waiting.value
        assert saved.suggested_filename == "The first half of the year, by line" + label[-4:].lower().replace(" ", ".")
        await saved.save_as(folder / saved.suggested_filename)
        assert (folder / saved.suggested_filename).read_bytes().startswith(begins)


async def _shares(chat: Chat, visit: Visit, leaf: Product, folder: Path) -> None:
    """Behind a link the same shapes stand, without a script and in the colours of the reader's theme."""
    drawn = await chat.answer.locator("svg.chart-picture path").evaluate_all(_PATHS)
    await chat.page.set_viewport_size({"width": 1280, "height": 900})
    await chat.page.get_by_role("button", name="Share", exact=True).click()
    dialog = chat.page.get_by_role("dialog")
    await dialog.get_by_role("button", name="Create link").click()
    address = await dialog.get_by_label("Address of the link").input_value()
    reader = await visit()
    # Chromium complains of the driver's own listeners when a fold is opened; the page has no script to block.
    reader.guard.allow("Blocked script execution")
    shared = await reader.open(address.removeprefix(leaf.url))
    figure = shared.get_by_role("figure", name="Pie chart: Shares of the first quarter")
    await expect(figure.get_by_role("img")).to_be_visible()
    assert await shared.locator("script").count() == 0
    assert await shared.locator("svg.chart-picture path").evaluate_all(_PATHS) == drawn
    await figure.get_by_text("Table of its values").click()
    await expect(figure.get_by_role("row").nth(1)).to_be_visible()
    colours = set[str]()
    for width, scheme in SIZES:
        await shared.set_viewport_size({"width": width, "height": 1200})
        await shared.emulate_media(color_scheme=scheme)
        colours.add(await figure.locator("text").first.evaluate("text => getComputedStyle(text).fill"))
        await shared.screenshot(path=folder / f"shared-{width}-{scheme}.png", full_page=True)
        assert await shared.evaluate("() => document.documentElement.scrollWidth") <= width
    assert len(colours) == 2


_PATHS = "all => all.map((one) => one.getAttribute('d'))"
