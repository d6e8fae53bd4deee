"""The cells of a chat: a later question builds on an earlier result, a query is edited by hand, and all is exported."""

import asyncio
import json
import subprocess
import sys
import zipfile
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

TABLE = "operating_budget_2026_summary"
SIZES: tuple[tuple[int, Literal["light", "dark"]], ...] = (
    (1280, "light"), (1280, "dark"), (360, "light"), (360, "dark"),
)  # fmt: skip


def _computing(answer: str, **arguments: Any) -> str:
    return script({"text": "", "calls": [{"name": "compute", "arguments": arguments}]}, {"text": answer})


async def _looked_at(chat: Chat, shown: Locator, folder: Path, name: str) -> None:
    for width, scheme in SIZES:
        await chat.page.set_viewport_size({"width": width, "height": 1100})
        await chat.page.emulate_media(color_scheme=scheme)
        await shown.scroll_into_view_if_needed()
        await chat.page.screenshot(path=folder / f"{name}-{width}-{scheme}.png")
        assert await chat.page.evaluate("() => document.documentElement.scrollWidth") <= width
    await chat.page.set_viewport_size({"width": 1280, "height": 900})
    await chat.page.emulate_media(color_scheme="light")


@pytest.mark.usefixtures("at_once")
async def test_a_computation_is_built_on_edited_and_taken_away(visit: Visit, leaf: Product, tmp_path: Path) -> None:
    url = f"{leaf.sandbox_url}/spreadsheets/d/{sample_drive.id_of(BUDGET, 'sheet')}/edit"
    query = f"SELECT sum(q1 + q2) AS labour FROM {TABLE} WHERE line = 'Labour'"  # noqa: S608 - the name is the program's
    chat = await (await visit("ada")).new_chat()
    await chat.ask(_computing("Labour takes 1,260,000.", files=[url], query=query, name="labour"))
    await chat.finished()
    half = "SELECT labour / 2 AS half FROM labour"
    await chat.ask(_computing("Half of it is 630,000.", files=[], query=half, name="half", cells=["labour"]))
    await chat.finished()
    await expect(chat.answer.locator(".md button.cite-chip")).to_have_text(["1"])
    panel = await chat.open_sources()
    entry = panel.locator(".quoted")
    await expect(entry).to_contain_text("labour of “labour” ÷ 2 (Line = “Labour”) = 630,000")
    await expect(entry).to_contain_text("Built on “labour”")
    await expect(entry.locator(".sheet-cells mark")).to_have_text(["620,000", "640,000"])
    await panel.get_by_role("button", name="Close").click()

    # Edited by hand: first with a mistake, which is said, then so that it runs.
    first = chat.answers.first
    panel = await _opened(chat, first)
    await panel.get_by_role("button", name="Edit query").click()
    editor = panel.get_by_role("textbox", name="Query")
    await expect(editor).to_be_focused()
    await editor.fill(f"SELECT sum(q9) AS labour FROM {TABLE}")  # noqa: S608 - refused
    await panel.get_by_role("button", name="Run").click()
    await expect(panel.get_by_role("alert")).to_contain_text("q9")
    await _looked_at(chat, editor, tmp_path, "editor")
    await check(chat.page)
    await editor.fill(query.replace(" + q2", ""))
    await panel.get_by_role("button", name="Run").click()
    beside = panel.get_by_role("region", name="Edited by hand")
    await expect(beside).to_contain_text("sum of Q1 (Line = “Labour”) = 620,000")
    await expect(panel.locator(".quoted")).to_contain_text("sum of Q1 + Q2 (Line = “Labour”) = 1,260,000")
    await _looked_at(chat, beside, tmp_path, "edited")
    await check(chat.page)
    await panel.get_by_role("button", name="Close").click()
    await expect(first.get_by_role("group", name="Edited by hand: “labour” = 620,000")).to_be_visible()
    await expect(first.locator(".md")).to_contain_text("Labour takes 1,260,000")
    moved = chat.answer.get_by_role("group", name="Built on a computation that was edited by hand: “half” = 310,000")
    await expect(moved).to_be_visible()
    await _looked_at(chat, moved, tmp_path, "answers")

    # The script outside of Leaf gives the edited results.
    panel = await _opened(chat, first)
    async with chat.page.expect_download() as waiting:
        await panel.get_by_role("link", name="Export computations (Python, Jupyter)").click()
    saved = await waiting.value
    await saved.save_as(tmp_path / "cells.zip")
    printed = await asyncio.to_thread(_run, tmp_path)
    assert "620000" in printed
    assert "310000" in printed

    await panel.get_by_role("button", name="Undo this change").click()
    await expect(panel.get_by_role("region", name="Edited by hand")).to_have_count(0)
    await panel.get_by_role("button", name="Close").click()
    await expect(chat.page.get_by_role("group", name="edited by hand")).to_have_count(0)


async def _opened(chat: Chat, answer: Locator) -> Locator:
    """The panel of sources of an answer, at its figure."""
    await answer.locator(".md button.cite-chip").first.click()
    panel = chat.page.get_by_role("complementary")
    await expect(panel.locator(".computation")).to_be_visible()
    return panel


def _run(folder: Path) -> str:
    """What the exported script prints, without the signs between thousands."""
    with zipfile.ZipFile(folder / "cells.zip") as archive:
        archive.extractall(folder / "cells")
    assert json.loads((folder / "cells" / "cells.ipynb").read_text())["nbformat"] == 4
    run = [sys.executable, "-I", "cells.py"]
    return subprocess.run(run, cwd=folder / "cells", capture_output=True, text=True, check=True).stdout.replace(",", "")
