"""The agent's own list of tasks for an answer: `todoWrite`.

The list is not stored, but computed from the earlier calls of the run. A worker that takes over the run therefore has
the same list, and a repeated call returns the same result.
"""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError
from pydantic_ai import FunctionToolset, ModelRetry, RunContext
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolReturnPart

from leaf import parts, texts
from leaf.agent import continuation
from leaf.agent.deps import Deps
from leaf.agent.tools import strict
from leaf.agent.tools.display.fields import Line
from leaf.agent.tools.strict import ToolInput

TODO_WRITE = "todoWrite"
MAX_TODOS = 100
INSTRUCTIONS = (
    f"For work of several steps keep a list with {TODO_WRITE}: write it before you begin, and again as soon as a "
    "step is begun or done."
)


class Todo(ToolInput):
    """Something to be done."""

    content: Line = Field(description="What is to be done. The same words mean the same thing.")
    status: Literal["pending", "in_progress", "completed"]


class Todos(ToolInput):
    """Write down what you have to do for this answer, or how far it is; the user sees the list.

    Things that are on the list already are changed, others are added at its end. What you leave out stays as it was.
    Returns the whole list and how much of it is completed.
    """

    todos: Annotated[list[Todo], Field(min_length=1, max_length=MAX_TODOS)]


def merged(known: Iterable[Todo], written: Iterable[Todo]) -> list[Todo]:
    """Returns the list after merging changes. Known tasks keep their place, and each task occurs once.

    Merging the same changes again changes nothing.
    """
    todos = {key(todo.content): todo for todo in known}
    todos |= {key(todo.content): todo for todo in written}
    return list(todos.values())


def key(content: str) -> str:
    """Returns the key of a task, which is the same for different spellings."""
    plain = " ".join(parts.normalized("NFKC", content).casefold().split())
    return plain.rstrip(" .") or plain


def so_far(messages: Sequence[ModelMessage], call_id: str | None) -> list[Todo]:
    """Returns the list before a call, including the changes of earlier calls in the same reply."""
    todos: list[Todo] = []
    for message in messages[max(0, continuation.last_question(messages)) :]:
        if isinstance(message, ModelRequest):
            for part in message.parts:
                if isinstance(part, ToolReturnPart) and part.tool_name == TODO_WRITE and part.outcome == "success":
                    todos = merged(todos, _read(part.model_response_object()))
    last = messages[-1] if messages else None
    if isinstance(last, ModelResponse):
        for call in last.tool_calls:
            if call.tool_call_id == call_id:
                break
            if call.tool_name == TODO_WRITE:
                todos = merged(todos, _read(call.args_as_dict()))
    return todos


def _read(written: dict[str, Any]) -> list[Todo]:
    """Returns the tasks in a call's input or output; empty if they are invalid."""
    try:
        return [Todo.model_validate(todo) for todo in written["todos"]]
    except (LookupError, TypeError, ValidationError):
        return []


async def write(ctx: RunContext[Deps], given: Todos) -> dict[str, Any]:
    """Merges tasks into the run's list; returns the whole list and how many are completed."""
    todos = merged(so_far(ctx.messages, ctx.tool_call_id), given.todos)
    if len(todos) > MAX_TODOS:
        advice = f"todos: the list would have {len(todos)} entries, and {MAX_TODOS} are the most."
        raise ModelRetry(texts.for_model(advice, "refusals.call_todos", most=MAX_TODOS))
    return {
        "todos": [todo.model_dump(mode="json") for todo in todos],
        "completedCount": sum(todo.status == "completed" for todo in todos),
        "totalCount": len(todos),
    }


def toolset() -> FunctionToolset[Deps]:
    tool = strict.tool(TODO_WRITE, Todos, write, instead="Go on without the list.")
    return FunctionToolset[Deps]([tool], id="todo", max_retries=strict.UNLIMITED_RETRIES, instructions=INSTRUCTIONS)
