"""The rules of OpenAI's chat completions: https://platform.openai.com/docs/api-reference/chat."""

from typing import Any

from sandbox.model import wire


def check(body: dict[str, Any]) -> None:
    """Passes a body that OpenAI would take.

    Raises:
        wire.Refused: It would not (400).
    """
    messages: list[dict[str, Any]] = body["messages"]
    waiting: list[str] = []
    last_question = max((at for at, message in enumerate(messages) if message["role"] == "user"), default=-1)
    for number, message in enumerate(messages):
        if message["role"] == "tool":
            given = message.get("tool_call_id")
            if given not in waiting:
                raise _invalid(
                    f"messages.[{number}].role",
                    "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
                )
            waiting.remove(given)
            continue
        _check_answered(waiting)
        waiting = [str(call["id"]) for call in message.get("tool_calls") or []]
        if message["role"] != "assistant":
            continue
        if not message.get("content") and not waiting:
            raise _invalid(f"messages.[{number}].content", "expected a string, got null.")
        if message.get("reasoning_content") and number < last_question:
            # As DeepSeek answers: reasoning of earlier turns has no place in a request.
            raise _invalid(f"messages.[{number}]", "reasoning_content of an earlier turn must not be sent.")
    _check_answered(waiting)


def _check_answered(waiting: list[str]) -> None:
    if waiting:
        raise _invalid(
            "messages",
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
            f"'tool_call_id'. The following tool_call_ids did not have response messages: {', '.join(waiting)}",
        )


def _invalid(parameter: str, reason: str) -> wire.Refused:
    return wire.Refused(400, f"Invalid parameter: '{parameter}': {reason}", "invalid_value")
