"""Tools in each state, those that Leaf does not know, and parts of another shape than its own."""

import json
from typing import Any

import pytest
from playwright.async_api import expect

from tests.browser.product import Product
from tests.browser.scripts import CARD, CITATIONS, ORCHARD, PLAN, script, step
from tests.browser.test_accessibility import check
from tests.browser.test_hostile import HARMLESS
from tests.browser.visitor import Chat, Visit


async def test_a_skeleton_stands_where_something_is_being_prepared(visit: Visit, leaf: Product) -> None:
    """# 002-50"""
    leaf.use_model("sandbox:sandbox-script-400")
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


async def _stored(visit: Visit, *parts: dict[str, Any]) -> Chat:
    """A chat whose answer has these parts."""
    ada = await visit("ada")
    chat = await ada.chat(await ada.told("What has it done?", [*parts]))
    await chat.finished()
    return chat


def part(tool: str, state: str, **more: Any) -> dict[str, Any]:
    return {"type": f"tool-{tool}", "toolCallId": f"{tool}-{state}", "state": state, **more}


async def test_the_four_states_of_a_tool_look_different(visit: Visit) -> None:
    """A skeleton, the parameters, the result, the error; for what is displayed and for steps. # 002-50"""
    error = {"errorText": "rows[0].kg: must be a number", "input": {}}
    chat = await _stored(
        visit,
        part("displayPlan", "input-streaming", input={"title": "Pla"}),
        part("displayLinkPreview", "input-available", input=CARD),
        part("displayCitations", "output-available", input={}, output=CITATIONS),
        part("displayTable", "output-error", **error),
        part("weather", "input-streaming", input={"place": "Ber"}),
        part("weather", "input-available", input={"place": "Berlin"}),
        part("weather", "output-available", input={"place": "Bern"}, output={"degrees": 21}),
        part("weather", "output-error", input={"place": "Basel"}, errorText="No such place."),
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


async def test_an_unknown_tool_is_shown_with_its_name_what_it_was_given_and_gave(visit: Visit) -> None:
    """As the only tool of its message it is open; its JSON is coloured. # 002-49 002-48"""
    call = {"type": "dynamic-tool", "toolName": "weather-forecast", "toolCallId": "w", "state": "output-available"}
    chat = await _stored(visit, {**call, "input": {"place": "Bern"}, "output": {"degrees": [21, 23]}})
    group = chat.answer.locator(".steps")
    await expect(group.locator("summary")).to_have_text("Used weather forecast")
    await expect(group.locator(".tool-name")).to_have_text("weather-forecast")
    await expect(group.locator(".hljs-attr").first).to_be_visible()
    assert json.loads(await group.get_by_label("Input").inner_text()) == {"place": "Bern"}
    assert json.loads(await group.get_by_label("Output").inner_text()) == {"degrees": [21, 23]}


async def test_what_has_another_shape_or_means_harm_is_drawn_harmlessly(visit: Visit) -> None:
    """Stored parts need not come from Leaf's own tools. # 000-35"""
    evil = '<img src=x onerror="window.leafHacked=true">'
    link = {"title": evil, "url": "javascript:window.leafHacked=true", "domain": evil}
    table = {"title": evil, "columns": [{"key": "a", "label": evil, "type": "link"}], "rows": [{"a": link}]}
    chat = await _stored(
        visit,
        part("displayLinkPreview", "output-available", output=link),
        part("displayCitations", "output-available", output={"items": [{**link, "snippet": evil}]}),
        part("displayTable", "output-available", output=table),
        part("displayPlan", "output-available", output={"steps": 5}),
        part("displayOptionList", "output-available", output=None),
        part("todoWrite", "output-available", output=[evil]),
        {"type": "text", "text": "And the answer goes on.", "state": "done"},
    )
    await expect(chat.answer.get_by_text("And the answer goes on.")).to_be_visible()
    await expect(chat.answer.locator("details.display-raw")).to_have_count(3)
    await expect(chat.answer.locator(".link-card")).to_contain_text(evil)
    assert await chat.answer.evaluate(HARMLESS) == []
    assert await chat.page.evaluate("window.leafHacked === undefined")


@pytest.mark.usefixtures("scripted")
async def test_the_newest_line_of_growing_thoughts_is_in_sight(visit: Visit) -> None:
    """# 001-13"""
    chat = await (await visit("ada")).new_chat()
    thought = " ".join(f"The {number}th thing to look at is the notice of the agreement." for number in range(36))
    await chat.ask(script({"text": "It asks for 90 days.", "reasoning": thought}))
    box = chat.answer.locator(".thinking-text")
    at_its_end = "(box) => box.scrollHeight > box.clientHeight && {end} <= box.getBoundingClientRect().bottom + 1"
    last_line = "box.firstElementChild.getBoundingClientRect().bottom"
    for number in (24, 30):
        await expect(box).to_contain_text(f"The {number}th thing")
        assert await box.evaluate(at_its_end.replace("{end}", last_line))
    await chat.finished()
