"""The agent that answers site visitors. It is built once; the prompt and tools of each site are in the `Deps` of a run.

It is a separate agent and not a reduced form of Leaf's agent, so that none of its toolsets can reach a member's data.
"""

import asyncio
import json
from collections.abc import Callable
from functools import cache
from typing import Final

from pydantic_ai import Agent, DeferredToolRequests, ModelRetry, RunContext
from pydantic_ai.settings import ModelSettings
from pydantic_ai.toolsets import AbstractToolset

from leaf import audiences, sites
from leaf.agent import agents, approval, modes
from leaf.agent.agents import Output
from leaf.agent.context import hooks as context
from leaf.agent.deps import Deps
from leaf.agent.tools import files, knowledge, web
from leaf.agent.tools.client import ClientToolset
from leaf.audiences import Audience
from leaf.parts import client_tools
from leaf.sites import SiteChat

_READING_TOOLS = frozenset({"list_files", "read_file", "grep"})
"""The tools with which the agent reads the files that a visitor has sent."""


@cache
def build() -> Agent[Deps, Output]:
    """Returns the agent of all runs for site visitors."""
    agent: Agent[Deps, Output] = Agent(
        deps_type=Deps,
        output_type=[str, DeferredToolRequests],
        instructions=[instructions],
        toolsets=[approval.Approved(modes.toolset(_toolsets()))],
        capabilities=[agents.hooks(), context.hooks()],
        retries={"tools": 3, "output": 2},
    )
    agent.output_validator(_validated)
    return agent


def _toolsets() -> list[AbstractToolset[Deps]]:
    return [
        web.toolset().filtered(lambda ctx, tool: tool.name in ctx.deps.site.agent.tools),
        files.toolset().filtered(lambda ctx, tool: ctx.deps.site.agent.attachments and tool.name in _READING_TOOLS),
        knowledge.toolset().filtered(lambda ctx, _: bool(ctx.deps.site.knowledge)),
        ClientToolset(),
    ]


async def _validated(ctx: RunContext[Deps], output: Output) -> Output:
    """Returns an answer that matches the site's schema.

    Raises:
        ModelRetry: The answer does not match, and the model has to answer again.
    """
    schema = ctx.deps.site.agent.output_schema
    if schema is None or not isinstance(output, str):
        return output
    try:
        answer = json.loads(output)
    except (ValueError, RecursionError) as error:
        raise ModelRetry("Your answer is not one JSON object. Send it again, and nothing around it.") from error
    if wrong := await asyncio.to_thread(client_tools.mismatches, schema, answer):
        raise ModelRetry(f"Your answer does not fit the schema: {'; '.join(wrong)}")
    return output


_AGENTS: Final[dict[audiences.Agent, Callable[[], Agent[Deps, Output]]]] = {"leaf": agents.build, "site": build}


def agent_for(audience: Audience) -> Agent[Deps, Output]:
    return _AGENTS[audience.agent]()


def settings(site: SiteChat, usual: ModelSettings) -> ModelSettings:
    """Returns the settings of requests after adding the temperature of the site's agent, if it has one."""
    if site.agent.temperature is not None:
        usual["temperature"] = site.agent.temperature
    return usual


async def instructions(ctx: RunContext[Deps]) -> str:
    """Returns the instructions of a site's agent.

    This is a coroutine, because pydantic-ai would call a plain function in a thread.
    """
    return sites.prompt(ctx.deps.site)
