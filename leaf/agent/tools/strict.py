"""Tools whose input is a pydantic model. Validation errors reach the model as short messages, one line for each place.

pydantic-ai's own messages would repeat all of the invalid input, which may be a whole table.
"""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_ai import ModelRetry, RunContext
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.tools import GenerateToolJsonSchema, Tool
from pydantic_core import PydanticCustomError, SchemaValidator, core_schema

from leaf import texts
from leaf.agent.deps import Deps

RETRIES = 3
"""The number of times that a model may correct an invalid call before it has to continue without the tool."""
UNLIMITED_RETRIES = 100
"""The `max_retries` of a toolset. It exceeds the steps of a run, because one retry more would end the run."""
_SHOWN = 8
"""The maximum number of problems in one message."""
_MISFITS = "misfits"
MISFIT = "The arguments do not fit the tool:"
"""The beginning of a message about invalid arguments."""

InputT = TypeVar("InputT", bound="ToolInput")


ANY_ARGUMENTS = SchemaValidator(core_schema.dict_schema(core_schema.str_schema()))
"""Accepts every JSON object as the arguments of a tool that validates them itself."""


class ToolInput(BaseModel):
    """Base of inputs: unknown fields are refused, and so are values of another type, such as "5" for a number."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def tool(
    name: str,
    input_model: type[InputT],
    work: Callable[[RunContext[Deps], InputT], Awaitable[dict[str, Any]]],
    *,
    instead: str,
) -> Tool[Deps]:
    """Returns a tool that is described to the model by the docstring and fields of its input.

    Args:
        name: The name of the tool.
        input_model: The pydantic model of the input.
        work: The function of the tool. It may also raise `ModelRetry`.
        instead: The alternative to the tool, as a sentence for a model that repeatedly sends invalid input.
    """

    async def call(ctx: RunContext[Deps], /, **arguments: Any) -> dict[str, Any]:
        try:
            return await work(ctx, fitting(input_model, arguments))
        except ModelRetry as refused:
            if ctx.retry < RETRIES:
                raise
            raise ToolFailed(texts.advised(refused.message, instead)) from refused

    schema = input_model.model_json_schema(schema_generator=GenerateToolJsonSchema)
    description = schema.pop("description")
    made: Tool[Deps] = Tool.from_schema(call, name, description, schema, takes_ctx=True)
    # Without this check, JSON that is not an object would reach the call, which needs keyword arguments.
    made.function_schema.validator = ANY_ARGUMENTS
    return made


def fitting(input_model: type[InputT], arguments: dict[str, Any]) -> InputT:
    """Returns the validated input of a tool.

    Raises:
        ModelRetry: The arguments are invalid. The message names each place and the reason.
    """
    try:
        return input_model.model_validate(arguments)
    except ValidationError as error:
        found = problems(error)
        shown = "; ".join(found.splitlines()).rstrip(".")
        raise ModelRetry(texts.for_model(f"{MISFIT}\n{found}", "failures.arguments", problems=shown)) from error


def problems(error: ValidationError) -> str:
    """Returns a line for each validation error, such as `steps[2].label: …`."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    return summary(
        [one["msg"] if one["type"] == _MISFITS else f"{place(one['loc'])}: {_plain(one['msg'])}" for one in found]
    )


def misfits(lines: list[str]) -> PydanticCustomError:
    """Returns the error of a validator that has found several problems, each with its place."""
    return PydanticCustomError(_MISFITS, "{problems}", {"problems": summary(lines)})


def summary(lines: list[str]) -> str:
    """Returns the first `_SHOWN` lines as a text, followed by the number of the others."""
    left = len(lines) - _SHOWN
    return "\n".join([*lines[:_SHOWN], f"… and {left} more."] if left > 0 else lines)


def place(path: tuple[int | str, ...]) -> str:
    """Returns a place in the input, such as `rows[3].amount`."""
    written = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return written.removeprefix(".") or "input"


def _plain(message: str) -> str:
    return message.removeprefix("Value error, ")
