"""The planner of runs with client tools. It makes a plan before the run, and a decision after each result of a tool.

Both are logged and traced. Neither can fail an answer: without a plan in time, every tool is offered.
"""

import asyncio
import logging
from collections.abc import Sequence

from pydantic_ai import exceptions
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolReturnPart

from jobs import tracing
from jobs.run import turns, usage
from jobs.run.stop import unless
from leaf import config, errors
from leaf.agent import models, planner
from leaf.agent.planner import Plan
from leaf.config import catalog
from leaf.services import runs

log = logging.getLogger(__name__)

PLAN_SECONDS = 15.0


async def withheld(task: runs.Assignment, stopped: asyncio.Event) -> frozenset[str]:
    """The names of the client tools that the model is not offered in this run."""
    if task.tools is None or not config.current().tool_planner:
        return frozenset()
    turn = turns.waited(task.waited.model_messages) if task.waited is not None else []
    step = "decision" if turn else "planner"
    found = await unless(stopped, _plan(task, _with_answers(task, turn), step))
    if found is None:
        return frozenset()
    return frozenset(tool.name for tool in task.tools.tools) - {*found.tools}


async def _plan(task: runs.Assignment, turn: Sequence[ModelMessage], step: str) -> Plan | None:
    tools = task.tools.tools if task.tools is not None else ()
    name = catalog.side_model(config.current(), "related")
    with tracing.step(step) as set_attributes:
        try:
            async with asyncio.timeout(PLAN_SECONDS):
                plan, response = await planner.plan(models.build(name), task.question, tools, turn)
        except (exceptions.AgentRunError, errors.LeafError, TimeoutError, OSError) as error:
            log.warning("run %s: no %s, every tool is offered (%s)", task.run_id, step, type(error).__name__)
            return None
        set_attributes(
            {"leaf.plan.next": plan.next, "leaf.plan.tools": list(plan.tools), "leaf.plan.chosen": plan.chosen}
        )
    log.info("run %s: %s: %s, tools: %s", task.run_id, step, plan.next, ", ".join(plan.tools) or "none")
    await usage.enter(task, "plan", name, response)
    return plan


def _with_answers(task: runs.Assignment, turn: Sequence[ModelMessage]) -> list[ModelMessage]:
    """The turn with the results of its open calls."""
    answers = task.waited.answers if task.waited is not None else {}
    calls = {
        call.tool_call_id: call.tool_name
        for message in turn
        if isinstance(message, ModelResponse)
        for call in message.tool_calls
    }
    returns = [
        ToolReturnPart(calls[call_id], answer.get("output", answer.get("error")), call_id)
        for call_id, answer in answers.items()
        if call_id in calls and answer.keys() & {"output", "error"}
    ]
    return [*turn, *([ModelRequest(parts=returns)] if returns else [])]
