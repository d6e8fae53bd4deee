"""Tools whose input is a pydantic model: what does not fit it is told to the model place by place, and briefly.

pydantic-ai would tell it, too, together with all of the input that does not fit, which may be a whole table.
"""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_ai import ModelRetry, RunContext
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.tools import GenerateToolJsonSchema, Tool
from pydantic_core import PydanticCustomError, SchemaValidator, core_schema

from leaf.agent.deps import Deps

MENDINGS = 3
"""So often in a row a model is asked to mend its input; then it is told to go on without the tool."""
MALFORMED = 100
"""For `max_retries` of a toolset, which ends the run with an error: more than a run has steps."""
_TOLD = 8
"""So many problems are told at once."""
_MISFITS = "misfits"

GivenT = TypeVar("GivenT", bound="Given")


class Given(BaseModel):
    """What a tool is given: nothing more, and nothing that only looks like it, such as "5" for a number."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def tool(
    name: str,
    given: type[GivenT],
    work: Callable[[RunContext[Deps], GivenT], Awaitable[dict[str, Any]]],
    *,
    instead: str,
) -> Tool[Deps]:
    """A tool that is described to the model by its input's docstring and fields.

    Args:
        name: What the model calls.
        given: The input.
        work: What the tool does; it may raise `ModelRetry` itself.
        instead: What the model is told to do when it cannot make its input fit, as a sentence.
    """

    async def call(ctx: RunContext[Deps], /, **arguments: Any) -> dict[str, Any]:
        try:
            return await work(ctx, fitting(given, arguments))
        except ModelRetry as refused:
            if ctx.retry < MENDINGS:
                raise
            raise ToolFailed(f"{refused.message}\n{instead}") from refused

    schema = given.model_json_schema(schema_generator=GenerateToolJsonSchema)
    description = schema.pop("description")
    made: Tool[Deps] = Tool.from_schema(call, name, description, schema, takes_ctx=True)
    # Without it JSON that is no object would reach the call, which takes keywords.
    made.function_schema.validator = SchemaValidator(core_schema.dict_schema(core_schema.str_schema()))
    return made


def fitting(given: type[GivenT], arguments: dict[str, Any]) -> GivenT:
    """The input of a tool.

    Raises:
        ModelRetry: The arguments do not fit; it says where, and why.
    """
    try:
        return given.model_validate(arguments)
    except ValidationError as error:
        raise ModelRetry(problems(error)) from error


def problems(error: ValidationError) -> str:
    """What does not fit, a line for each place, such as `steps[2].label: …`."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    return told(
        [one["msg"] if one["type"] == _MISFITS else f"{place(one['loc'])}: {_said(one['msg'])}" for one in found]
    )


def misfits(lines: list[str]) -> PydanticCustomError:
    """What a validator raises that has found several problems, each with its place."""
    return PydanticCustomError(_MISFITS, "{told}", {"told": told(lines)})


def told(lines: list[str]) -> str:
    """The first of these lines, and how many more there are."""
    left = len(lines) - _TOLD
    return "\n".join([*lines[:_TOLD], f"… and {left} more."] if left > 0 else lines)


def place(path: tuple[int | str, ...]) -> str:
    """A place in the input, such as `rows[3].amount`."""
    written = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return written.removeprefix(".") or "input"


def _said(message: str) -> str:
    return message.removeprefix("Value error, ")
