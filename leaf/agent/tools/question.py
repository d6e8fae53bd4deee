"""The agent's question to the user within an answer. The run stops at the call and continues with the user's answer."""

from typing import Any

from pydantic import ValidationError
from pydantic_ai import CallDeferred, FunctionToolset, ModelRetry, RunContext

from leaf import texts
from leaf.agent import tools
from leaf.agent.deps import Deps
from leaf.parts.client_tools.questions import Option, Question


def toolset() -> FunctionToolset[Deps]:
    return tools.documented("question", askQuestion)


async def askQuestion(  # noqa: D417, N802 - read by the model, under the name that clients of the AI SDK know
    ctx: RunContext[Deps],  # noqa: ARG001
    question: str,
    options: list[Option],
    allowsMultiple: bool = False,  # noqa: N803
    allowsInput: bool = True,  # noqa: N803
    inputLabel: str = "",  # noqa: N803
    inputPlaceholder: str = "",  # noqa: N803
) -> dict[str, Any]:
    """Ask the user a question when you cannot answer well without knowing more. They may take their time to answer.

    Returns the question with `selectedOptions` (values) and `inputText`, or `skipped` when they want you to go on
    without an answer. Ask once, briefly, and only for what changes your answer.

    Args:
        question: The question, in the user's language, at most 500 characters.
        options: 0-12 answers to choose from, each with its own value.
        allowsMultiple: Whether several options may be chosen.
        allowsInput: Whether the user may write an answer of their own.
        inputLabel: What the field for an answer of their own is called.
        inputPlaceholder: An example of such an answer.
    """
    given: dict[str, Any] = {
        "question": question, "options": [option.model_dump() for option in options], "allowsMultiple": allowsMultiple,
        "allowsInput": allowsInput, "inputLabel": inputLabel, "inputPlaceholder": inputPlaceholder,
    }  # fmt: skip
    try:
        Question.model_validate(given)
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, one['loc'])) or 'question'}: {one['msg']}" for one in error.errors())
        advice = f"The question cannot be asked so: {problems}."
        raise ModelRetry(texts.for_model(advice, "failures.arguments", problems=problems)) from error
    raise CallDeferred(kind="question")
