"""Tools that the caller runs. The run stops at their calls and continues with their results (decision 0036)."""

from typing import Any

from pydantic_ai import CallDeferred, ModelRetry, RunContext
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool

from leaf import texts
from leaf.agent.deps import Deps
from leaf.agent.tools import strict
from leaf.parts.client_tools import ClientTool, mismatches


class ClientToolset(AbstractToolset[Deps]):
    """The tools that the caller of a run has declared."""

    @property
    def id(self) -> str:
        return "client"

    async def get_tools(self, ctx: RunContext[Deps]) -> dict[str, ToolsetTool[Deps]]:
        return {tool.name: self._tool(tool) for tool in ctx.deps.client_tools}

    async def call_tool(
        self,
        name: str,
        tool_args: dict[str, Any],  # noqa: ARG002
        ctx: RunContext[Deps],  # noqa: ARG002
        tool: ToolsetTool[Deps],  # noqa: ARG002
    ) -> Any:
        """Makes the run wait for the caller.

        Raises:
            CallDeferred: Always.
        """
        raise CallDeferred(metadata={"client": name})

    def _tool(self, tool: ClientTool) -> ToolsetTool[Deps]:
        def check(ctx: RunContext[Deps], /, **arguments: Any) -> None:
            # The check comes before the call is sent, so invalid arguments never reach the caller.
            if tool.name in ctx.deps.withheld:
                advice = f"{tool.name} is not there now. Answer with what you have."
                raise ModelRetry(texts.for_model(advice, "refusals.call_withheld", tool=tool.name))
            if problems := mismatches(tool.inputSchema, arguments):
                found = "; ".join(problems)
                advice = f"The arguments do not fit the schema of {tool.name}: {found}"
                raise ModelRetry(texts.for_model(advice, "failures.arguments", problems=found.rstrip(".")))

        definition = ToolDefinition(
            name=tool.name, description=tool.description or None, parameters_json_schema=tool.inputSchema
        )
        return ToolsetTool(
            toolset=self,
            tool_def=definition,
            max_retries=strict.RETRIES,
            args_validator=strict.ANY_ARGUMENTS,
            args_validator_func=check,
        )
