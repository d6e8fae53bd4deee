"""Which tools at the caller are offered, and when an answer goes on with them no more."""

import logging
from typing import Any

import pytest

from leaf import parts
from leaf.agent import planner
from leaf.db import Actor
from leaf.parts import client_tools
from leaf.parts.client_tools import ClientTool
from leaf.services import chats, conversations, runs, usage
from tests.integration.test_client_tools import CALLS_READ, ada, again, calls_of, script, work
from tests.integration.web_fixtures import World

__all__ = ["ada"]
TOOLS = [ClientTool(name="readDocument"), ClientTool(name="editDocument"), ClientTool(name="publish")]


def offered(world: World) -> list[set[str]]:
    """The tools at the caller that each request of the agent's told the model of, the first one first."""
    asked: list[dict[str, Any]] = world.http.get("/sandbox/model/requests").json()
    return [{*one["tools"]} & {tool.name for tool in TOOLS} for one in asked if one["tools"]]


async def asked(actor: Actor, *steps: dict[str, Any]) -> chats.Message:
    tools = client_tools.declared(TOOLS)
    turn = await conversations.ask(
        actor, await chats.new(actor), script(*steps), terms=conversations.Terms(tools=tools)
    )
    await work(turn.assistant.run_id)
    return await conversations.result(actor, turn.assistant.run_id)  # pyright: ignore[reportArgumentType]


async def test_a_planner_chooses_the_tools_and_a_decision_ends_or_goes_on(
    world: World, ada: Actor, caplog: pytest.LogCaptureFixture
) -> None:
    """Others are not offered, and not run either; both choices are logged. # 004-15, 004-16"""
    world.change(tool_planner=True)
    caplog.set_level(logging.INFO, "jobs.run.plan")
    message = await asked(ada, CALLS_READ, CALLS_READ, CALLS_READ, {"text": "Done."})
    for result in ("a first part", "the rest: nothing more to do"):
        claim = await runs.claim(ada, message.id, *calls_of(message), "tab")
        await runs.deliver(ada, claim.token, runs.Delivery(claim.call_id, {"output": result}))
        message = await again(ada, message)
    assert message.status == "completed"
    assert parts.text_of(message.as_ui_message()).endswith("Done.")
    states = [part["state"] for part in message.parts if parts.is_tool(part)]
    assert states == ["output-available", "output-available", "output-error"], "what is not offered is not run"
    assert offered(world) == [{"readDocument"}, {"readDocument"}, set(), set()]
    told = [record.getMessage().partition(": ")[2] for record in caplog.records if "tools: " in record.getMessage()]
    assert told == [
        "planner: planNext, tools: readDocument",
        "decision: planNext, tools: readDocument",
        "decision: summarize, tools: none",
    ]
    assert [totals.entries for name, totals in (await usage.report(ada)).purposes if name == "plan"] == [3]


async def test_a_planner_that_fails_offers_everything(
    world: World, ada: Actor, caplog: pytest.LogCaptureFixture
) -> None:
    """# 004-15"""
    world.change(tool_planner=True, beside_model="sandbox:sandbox-fail")
    message = await asked(ada, CALLS_READ, {"text": "Done."})
    assert message.status == "waiting"
    assert offered(world)[-1] == {tool.name for tool in TOOLS}
    assert "no planner, every tool is offered" in caplog.text


async def test_without_tools_at_the_caller_nothing_is_planned(world: World, ada: Actor) -> None:
    """# 004-24"""
    world.change(tool_planner=True)
    turn = await conversations.ask(ada, await chats.new(ada), script({"text": "Hello."}))
    await work(turn.assistant.run_id)
    assert len(world.http.get("/sandbox/model/requests").json()) == 1


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ('{"tools": ["b", "x", "b"]}', planner.Plan("planNext", ("b",))),
        ('Sure! {"next": "planNext", "tools": ["b", "a"]} there.', planner.Plan("planNext", ("a", "b"))),
        ('{"next": "summarize", "tools": ["a"]}', planner.Plan("summarize", ())),
        ('{"tools": []}', planner.Plan("planNext", ())),
        ('{"tools": "a"}', planner.Plan("planNext", ("a", "b"), chosen=False)),
        ("[1, 2]", planner.Plan("planNext", ("a", "b"), chosen=False)),
        ("", planner.Plan("planNext", ("a", "b"), chosen=False)),
        ("{" * 5000 + "}" * 5000, planner.Plan("planNext", ("a", "b"), chosen=False)),
    ],
)
def test_a_plan_names_only_what_there_is(reply: str, expected: planner.Plan) -> None:
    """# 004-15"""
    assert planner.read(reply, ["a", "b"]) == expected
