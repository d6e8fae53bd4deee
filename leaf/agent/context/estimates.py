"""Estimates of the tokens of a request, without a provider's tokenizer.

A token is estimated as three and a half characters of Latin text, and as fewer characters of other scripts. Most
tokenizers count fewer tokens. The provider's count of an earlier request corrects the estimate.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_core import to_json

PART_TOKENS = 6
"""The number of tokens that a provider's format adds to each part."""
METADATA_KEY = "leaf"
_LEAST_SCALE, _LARGEST_SCALE = 0.75, 4.0


def of_text(text: str) -> int:
    # In UTF-8, each byte of a character after its first byte counts as half a token.
    return len(text) * 2 // 7 + (len(text.encode("utf-8", "replace")) - len(text)) // 2 + bool(text)


def of_part(part: Any) -> int:
    match part:
        case TextPart():
            text = part.content
        case ThinkingPart():
            text = part.content + (part.signature or "")
        case ToolCallPart():
            text = part.tool_name + part.args_as_json_str()
        case ToolReturnPart():
            text = part.model_response_str()
        case UserPromptPart(content=str(content)):
            text = content
        case _:
            text = to_json(part, fallback=str).decode()
    return of_text(text) + PART_TOKENS


def of_messages(messages: Iterable[ModelMessage]) -> int:
    return sum(of_part(part) for message in messages for part in message.parts)


def of_parameters(parameters: ModelRequestParameters) -> int:
    """Returns the estimated tokens of the instructions and tools, which are part of each request."""
    tools = sum(
        of_text(f"{tool.name}{tool.description or ''}") + of_text(to_json(tool.parameters_json_schema).decode())
        for tool in (*parameters.function_tools, *parameters.output_tools)
    )
    return tools + sum(of_text(part.content) for part in parameters.instruction_parts or ())


def scale(messages: Sequence[ModelMessage], model_id: str) -> float:
    """Returns the ratio of the provider's tokens to estimated tokens in the last answer of this chat, or 1 before it.

    Other models' answers do not count, because tokenizers differ.
    """
    for message in reversed(messages):
        if not isinstance(message, ModelResponse) or not message.usage.input_tokens:
            continue
        noted = (message.metadata or {}).get(METADATA_KEY) or {}
        estimated = noted.get("estimated_tokens") if noted.get("model") == model_id else None
        if estimated:
            return min(max(message.usage.input_tokens / estimated, _LEAST_SCALE), _LARGEST_SCALE)
    return 1.0


def record(response: ModelResponse, model_id: str, estimated_tokens: int) -> None:
    """Stores the estimate for a request in the metadata of its response. Metadata are not sent to a provider."""
    noted = {"model": model_id, "estimated_tokens": estimated_tokens}
    response.metadata = {**(response.metadata or {}), METADATA_KEY: noted}
