"""An answer that waits for a tool at its caller, as Leaf's own page tells it."""

from typing import Any

import pytest
from playwright.async_api import expect

from tests.browser.scripts import script
from tests.browser.test_accessibility import check
from tests.browser.visitor import Visit

ANSWERED_MS = 60_000
ASKS = script({"text": "I look. ", "calls": [{"name": "readDocument", "arguments": {}}]}, {"text": "That is all."})
_CALL = """async ([path, body]) => {
  const headers = {"content-type": "application/json"};
  const response = await fetch(path, {method: "POST", headers, body: JSON.stringify(body)});
  const text = await response.text();
  return [response.status, response.headers.get("x-leaf-chat-id"), text];
}"""


@pytest.mark.usefixtures("at_once")
async def test_the_page_says_what_an_answer_waits_for_and_goes_on_by_itself(visit: Visit) -> None:
    """# 004-23"""
    ada = await visit("ada")
    page = await ada.open()

    async def call(path: str, **body: Any) -> list[Any]:
        return await page.evaluate(_CALL, [path, body])

    status, chat_id, _ = await call("/api/chat", content=ASKS, clientTools=[{"name": "readDocument"}])
    assert status == 200
    chat = await ada.chat(f"/chat/{chat_id}")
    waits = "Waiting for your browser to run readDocument"
    await expect(chat.answer.get_by_text(waits).first).to_be_visible(timeout=ANSWERED_MS)
    await expect(chat.box).to_be_enabled()
    await expect(chat.stop_button).to_have_count(0)
    await check(chat.page)
    history = await page.evaluate("async path => (await fetch(path)).json()", f"/api/chats/{chat_id}")
    message = history["messages"][-1]
    (part,) = [one for one in message["parts"] if one.get("state") == "input-available"]
    answer = {"toolCallId": part["toolCallId"], "answer": {"output": "The document."}}
    status, _, told = await call(f"/api/messages/{message['id']}/answers", **answer)
    assert status == 200, told
    await expect(chat.answer.get_by_text("That is all.")).to_be_visible(timeout=ANSWERED_MS)
    await expect(chat.answer.get_by_text(waits)).to_have_count(0)
