"""Charts: asked for by the tool, kept with the result, and read as files, behind links and by nobody else."""

import struct
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from PIL import Image
from pydantic import ValidationError
from pydantic_ai import ModelRetry

from leaf import charts
from leaf.agent.tools.drive import compute
from leaf.api.shared import page
from leaf.db import Actor
from leaf.documents import Unreadable, isolation
from leaf.services import chats, conversations, exports, shares
from tests.integration.drive_google import Google, google, id_of, running_google
from tests.integration.people import end, person
from tests.integration.test_drive_tools import context
from tests.integration.web_fixtures import Browser, World

__all__ = ["google", "running_google"]

CHART = {"kind": "bar", "x": "item", "y": ["cost"], "title": "Costs <b>of</b> crates"}
OUTPUT: dict[str, Any] = {
    "columns": [{"name": "item", "unit": ""}, {"name": "cost", "unit": "EUR"}, {"name": "secret", "unit": ""}],
    "rows": [["Crates", 1200, "behind-the-press"], ["<script>alert(1)</script>", 34.5, "x"]],
    "more": False, "query": "SELECT", "chart": CHART, "tables": [],
}  # fmt: skip


WORDS = "Bar chart: Costs <b>of</b> crates. cost by item: 2 values, from 34.5 EUR to 1,200 EUR."


def request(**change: Any) -> charts.Request:
    return charts.Request.model_validate({**CHART, **change})


async def test_the_tool_keeps_the_checked_request_with_its_result(google: Google) -> None:
    """And says what does not fit, so that the model asks again."""
    file = id_of("ada:/Finance/Ada's budget", "sheet")
    table = (await compute(context(google.deps()), [file]))["tables"][0]["name"]
    query = f"SELECT item, cost FROM {table}"  # noqa: S608 - the name is the program's
    made = await compute(context(google.deps()), [file], query, request())
    assert made["chart"] == {**CHART, "series": None}
    assert made["rows"] == [["Crates", 1200]]
    found = charts.of(made)
    assert found is not None
    assert found.series[0].points == [(0, 1200)]
    for refused, why in (
        (compute(context(google.deps()), [file], query, request(x="colour")), "no column “colour”"),
        (
            compute(context(google.deps()), [file], query.replace("cost", "-cost AS cost"), request(kind="pie")),
            "negative",
        ),
        (compute(context(google.deps()), [file], None, request()), "Pass one with it"),
    ):
        with pytest.raises(ModelRetry, match=why):
            await refused
    with pytest.raises(ValidationError, match="spec"):
        request(spec={"mark": "bar"})


async def test_a_picture_becomes_pixels_and_names_no_file(tmp_path: Path) -> None:
    """A picture that names a file or an address, which charts never do, is not drawn."""
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="480" height="30">{}<rect width="9" height="9"/></svg>'
    drawn = await isolation.drawn(svg.format("<text>&lt;image</text>").encode())
    assert struct.unpack(">II", drawn[16:24]) == (1440, 90)
    Image.new("RGB", (9, 9), "red").save(tmp_path / "red.png")
    for name in (str(tmp_path / "red.png"), (tmp_path / "red.png").as_uri(), "http://127.0.0.1/red.png"):
        with pytest.raises(Unreadable):
            await isolation.drawn(svg.format(f'<image href="{name}" x="99" width="9" height="9"/>').encode())


async def _chat(actor: Actor, **change: Any) -> tuple[UUID, UUID]:
    chat_id = await chats.new(actor)
    turn = await conversations.ask(actor, chat_id, "Draw it")
    part = {"type": "tool-compute", "toolCallId": "call.1", "state": "output-available", "input": {"query": "SELECT"},
            "output": {**OUTPUT, **change}}  # fmt: skip
    await end(turn.assistant.run_id, parts=[part, {"type": "text", "text": "There.", "state": "done"}])
    assert turn.assistant.run_id is not None
    return chat_id, turn.assistant.run_id


async def test_a_chart_is_a_file_for_those_who_read_the_answer(world: World) -> None:
    async with world.browser("ada") as ada, world.browser("ben") as ben:
        _, run_id = await _chat(await ada.actor())
        address = f"/api/runs/{run_id}/charts/call.1"
        svg = await ada.get(f"{address}.svg", headers={"accept-language": "de"})
        assert svg.headers["content-type"] == "image/svg+xml"
        assert svg.headers["content-disposition"] == "attachment; filename*=UTF-8''Costs%20b%20of%20b%20crates.svg"
        assert "default-src 'none'" in svg.headers["content-security-policy"]
        assert "Crates: 1.200 EUR" in svg.text
        assert "<script" not in svg.text
        png = await ada.get(f"{address}.png")
        assert (png.headers["content-type"], png.content[:4]) == ("image/png", b"\x89PNG")
        for browser, path in (
            (ben, f"{address}.svg"),
            (ben, f"{address}.png"),
            (ada, f"/api/runs/{run_id}/charts/x.svg"),
        ):
            assert (await browser.get(path)).status_code == 404
        assert await _withheld(ada) == 404


async def _withheld(ada: Browser) -> int:
    """A result of a file that Google does not confirm: ada has connected no Drive."""
    _, run_id = await _chat(await ada.actor(), tables=[{"file_id": "f1"}])
    return (await ada.get(f"/api/runs/{run_id}/charts/call.1.svg")).status_code


@pytest.mark.usefixtures("world")
async def test_a_link_and_markdown_show_the_chart_and_its_values() -> None:
    """Its own columns only; and nothing of files that Google does not confirm for who shares."""
    ada = await person("ada")
    chat_id, _ = await _chat(ada)
    chart = charts.of(OUTPUT)
    assert chart is not None
    shown = page.shared_page(await shares.read((await shares.share(ada, chat_id)).token), "en")
    drawn = charts.markup(charts.picture(chart, "en", WORDS))
    assert drawn in shown
    assert '<figure class="drawn-chart" aria-label="Bar chart: Costs &lt;b&gt;of&lt;/b&gt; crates">' in shown
    assert '<td class="right">1,200</td>' in shown
    assert not any(one in shown for one in ("<script", "<b>", "behind-the-press"))
    written = b"".join([piece async for piece in (await exports.of_chat(ada, chat_id)).as_markdown("en")]).decode()
    assert "](data:image/svg+xml;base64," in written
    assert "| Crates | 1,200 |" in written
    closed, _ = await _chat(ada, tables=[{"file_id": "f1"}])
    content = (await shares.read((await shares.share(ada, closed)).token)).content
    assert "1200" not in repr(content)
    assert "f1" not in repr(content)
    assert "<figure" not in page.shared_page(await shares.preview(ada, closed), "en")


@pytest.mark.usefixtures("world")
async def test_a_link_and_markdown_have_the_formula_in_their_readers_language() -> None:
    ada = await person("ada")
    chat_id = await chats.new(ada)
    turn = await conversations.ask(ada, chat_id, "How much?")
    cited = {
        "n": 1, "verified": True, "reason": None, "kind": "computed", "file_id": "", "name": "Costs", "part": "rows",
        "url": "", "quote": "sum of Cost", "before": "", "after": "", "at": [[0, 5, 5]], "call": "call.1", "files": [],
        "formula": {"en": "sum of Cost", "de": "Summe von Cost"},
    }  # fmt: skip
    text = {"type": "text", "text": "It is 12", "state": "done"}
    await end(turn.assistant.run_id, parts=[text, {"type": "data-citations", "id": "citations", "data": [cited]}])
    link = await shares.read((await shares.share(ada, chat_id)).token)
    for language, words, other in (("de", "Summe von Cost", "sum of Cost"), ("en", "sum of Cost", "Summe von Cost")):
        shown = page.shared_page(link, language)
        written = b"".join([one async for one in (await exports.of_chat(ada, chat_id)).as_markdown(language)]).decode()
        for one in (shown, written):
            assert words in one
            assert other not in one
