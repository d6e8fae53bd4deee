"""A chart that a person asks for in words: computed by a worker, stored, and read over HTTP and behind a link."""

import httpx
import pytest

from leaf import api, charts, parts
from leaf.services import chats, shares
from tests.acceptance import people
from tests.acceptance.conftest import Ask
from tests.acceptance.readers import reading
from tests.acceptance.stack import Stack
from tests.acceptance.test_every_tool import packing


@pytest.mark.usefixtures("worker")
@pytest.mark.parametrize(
    ("question", "kind", "says"),
    [
        ("Draw a chart of the count by item in {packing}", "bar", "The chart shows"),
        ("Zeichne mir ein Kreisdiagramm der Tabelle in {packing}, Count nach Item", "pie", "Das Diagramm zeigt"),
    ],
)
async def test_a_question_for_a_chart_gives_one_over_http_and_behind_a_link(
    ask: Ask, stack: Stack, question: str, kind: str, says: str
) -> None:
    ada, cookie = await people.sign_in_with_cookie("ada")
    chat_id = await chats.new(ada)
    turn = await ask(ada, question.replace("{packing}", packing(stack)), chat_id=chat_id)
    async with reading(ada, turn.assistant.run_id) as reader:
        stored = await reader.end()
    drawn = [one for one in stored.parts if parts.is_tool(one) and charts.of(one.get("output")) is not None]
    assert len(drawn) == 1, [one.get("errorText") or one.get("input") for one in stored.parts if parts.is_tool(one)]
    chart = charts.of(drawn[0]["output"])
    assert chart is not None
    assert (chart.kind, chart.labels, [y for _, y in chart.series[0].points]) == (kind, ["Crates", "Banners"], [6, 2])
    answer = parts.answer_text({"role": "assistant", "parts": stored.parts, "id": "", "metadata": {}})
    assert says in answer
    token = (await shares.share(ada, chat_id)).token
    leaf = httpx.ASGITransport(api.application(pages_port=None))
    async with httpx.AsyncClient(transport=leaf, base_url="http://localhost:3000") as http:
        address = f"/api/runs/{turn.assistant.run_id}/charts/{drawn[0]['toolCallId']}"
        headers = {"cookie": cookie, "accept-language": "en"}
        svg, png = [await http.get(address + ending, headers=headers) for ending in (".svg", ".png")]
        shown = await http.get(f"/share/{token}", headers={"accept-language": "en"})
        history = (await http.get(f"/api/chats/{chat_id}", headers=headers)).json()
        assert (await http.get(f"{address}.svg")).status_code == 401
    assert svg.text in shown.text
    assert png.content.startswith(b"\x89PNG")
    (read,) = [one for one in history["messages"][1]["parts"] if one.get("toolCallId") == drawn[0]["toolCallId"]]
    assert read["output"]["chart"] == drawn[0]["output"]["chart"]
