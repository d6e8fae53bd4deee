"""The rules of Anthropic's Messages API: https://docs.claude.com/en/api/messages."""

import re
from collections.abc import Sequence
from typing import Any

from sandbox.model import signing, wire

MAKER = "anthropic"
CACHE_POINTS = 4
_ID = re.compile(r"[a-zA-Z0-9_-]+")

Block = dict[str, Any]
Message = tuple[str, list[Block]]
"""The role, and the content as blocks."""


def check(body: dict[str, Any]) -> None:
    """Passes a body that Anthropic would take.

    Raises:
        wire.Refused: It would not (400).
    """
    messages = [(str(one["role"]), _blocks(one["content"])) for one in body["messages"] if one["role"] != "system"]
    if not messages or messages[0][0] != "user":
        raise wire.Refused(400, "messages: first message must use the `user` role")
    asked: set[str] = set()
    for number, (role, blocks) in enumerate(messages):
        if not blocks and not (role == "assistant" and number == len(messages) - 1):
            raise wire.Refused(400, f"messages.{number}: all messages must have non-empty content")
        _check_texts(number, blocks)
        if role == "assistant":
            _check_thinking(number, blocks)
            _check_calls(number, blocks, messages[number + 1 :], asked)
        else:
            _check_results(number, blocks, messages[:number])
    _check_start(body, messages)
    if _cache_points(body) > CACHE_POINTS:
        raise wire.Refused(400, "A maximum of 4 blocks with cache_control may be provided.")


def _blocks(content: Any) -> list[Block]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return list(content)


def _check_texts(number: int, blocks: list[Block]) -> None:
    for block in blocks:
        if block.get("type") == "text" and not str(block.get("text", "")).strip():
            raise wire.Refused(400, f"messages.{number}: text content blocks must contain non-whitespace text")


def _check_thinking(number: int, blocks: list[Block]) -> None:
    for place, block in enumerate(blocks):
        if block.get("type") != "thinking":
            continue
        if not signing.is_signed(MAKER, block.get("signature"), str(block.get("thinking", ""))):
            where = f"messages.{number}.content.{place}"
            raise wire.Refused(400, f"{where}: Invalid `signature` in `thinking` block")
    if blocks and blocks[-1].get("type") == "thinking":
        raise wire.Refused(400, f"messages.{number}: The final block in an assistant message cannot be `thinking`.")


def _check_calls(number: int, blocks: list[Block], following: Sequence[Message], asked: set[str]) -> None:
    ids = [str(block.get("id")) for block in blocks if block.get("type") == "tool_use"]
    for call_id in ids:
        if not _ID.fullmatch(call_id):
            raise wire.Refused(400, f"messages.{number}: tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'")
        if call_id in asked:
            raise wire.Refused(400, "messages: `tool_use` ids must be unique")
        asked.add(call_id)
    given = [block.get("tool_use_id") for block in _next_results(following)]
    missing = [call_id for call_id in ids if call_id not in given]
    if missing:
        raise wire.Refused(
            400,
            f"messages.{number}: `tool_use` ids were found without `tool_result` blocks immediately after: "
            f"{', '.join(missing)}. Each `tool_use` block must have a corresponding `tool_result` block in the next "
            "message.",
        )


def _next_results(following: Sequence[Message]) -> list[Block]:
    if not following or following[0][0] != "user":
        return []
    return [block for block in following[0][1] if block.get("type") == "tool_result"]


def _check_results(number: int, blocks: list[Block], before: Sequence[Message]) -> None:
    ids: set[str] = set()
    if before and before[-1][0] == "assistant":
        ids = {str(block.get("id")) for block in before[-1][1] if block.get("type") == "tool_use"}
    text_seen = False
    for place, block in enumerate(blocks):
        if block.get("type") != "tool_result":
            text_seen = True
            continue
        given = block.get("tool_use_id")
        if given not in ids:
            raise wire.Refused(
                400,
                f"messages.{number}.content.{place}: unexpected `tool_use_id` found in `tool_result` blocks: {given}. "
                "Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
            )
        if text_seen:
            raise wire.Refused(400, f"messages.{number}: `tool_result` blocks must come before other content")


def _check_start(body: dict[str, Any], messages: list[Message]) -> None:
    """In the middle of a turn the thinking that led to the calls has to be there."""
    thinking = body.get("thinking")
    if not isinstance(thinking, dict) or thinking.get("type") != "enabled":  # pyright: ignore[reportUnknownMemberType]
        return
    if not any(block.get("type") == "tool_result" for block in messages[-1][1]):
        return
    first = str(messages[-2][1][0].get("type"))
    if first not in {"thinking", "redacted_thinking"}:
        raise wire.Refused(
            400,
            f"messages.{len(messages) - 2}.content.0.type: Expected `thinking` or `redacted_thinking`, but found "
            f"`{first}`. When `thinking` is enabled, a final `assistant` message must start with a thinking block.",
        )


def _cache_points(value: Any) -> int:
    if isinstance(value, dict):
        found: dict[str, Any] = value
        return ("cache_control" in found) + sum(_cache_points(one) for one in found.values())
    if isinstance(value, list):
        return sum(_cache_points(one) for one in value)  # pyright: ignore[reportUnknownVariableType]
    return 0
