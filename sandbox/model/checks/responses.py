"""The rules of OpenAI's Responses API: https://platform.openai.com/docs/api-reference/responses."""

from collections import OrderedDict
from typing import Any

from sandbox.model import signing, wire

MAKER = "openai"
REMEMBERED_ITEMS = 10_000
_PREFIXES = {"message": "msg", "function_call": "fc", "reasoning": "rs"}

Item = dict[str, Any]


class Issued:
    """The items that were given out, and after which reasoning each of them came."""

    def __init__(self) -> None:
        self._reasoning: OrderedDict[str, str] = OrderedDict()

    def remember(self, output: list[Item]) -> None:
        """Notes the items of a response."""
        reasoning = next((str(item["id"]) for item in output if item["type"] == "reasoning"), None)
        if reasoning is None:
            return
        for item in output:
            if item["type"] != "reasoning":
                self._reasoning[str(item["id"])] = reasoning
        while len(self._reasoning) > REMEMBERED_ITEMS:
            self._reasoning.popitem(last=False)

    def reasoning_of(self, item_id: Any) -> str | None:
        """The reasoning item that an item came after; None where it came after none."""
        return self._reasoning.get(str(item_id))


def check(items: list[Item], issued: Issued, *, stored: bool) -> None:
    """Passes an input that OpenAI would take.

    Args:
        items: The input.
        issued: What was given out so far.
        stored: Whether the request lets OpenAI keep responses, so that it could know items by their ids alone.

    Raises:
        wire.Refused: It would not (400).
    """
    _check_pairs(items)
    present: set[str] = set()
    for number, item in enumerate(items):
        kind, item_id = str(item.get("type") or "message"), item.get("id")
        prefix = _PREFIXES.get(kind)
        if item_id is not None and prefix and not str(item_id).startswith(prefix):
            raise _invalid(f"Invalid 'input[{number}].id': '{item_id}'. Expected an ID that begins with '{prefix}'.")
        if kind == "reasoning":
            present.add(str(item_id))
            _check_reasoning(items, number, stored=stored)
            continue
        needed = issued.reasoning_of(item_id)
        if item_id is not None and needed is not None and needed not in present:
            raise _invalid(
                f"Item '{item_id}' of type '{kind}' was provided without its required 'reasoning' item: '{needed}'."
            )


def _check_pairs(items: list[Item]) -> None:
    calls = [str(item.get("call_id")) for item in items if item.get("type") == "function_call"]
    seen: set[str] = set()
    answered: set[str] = set()
    for item in items:
        if item.get("type") == "function_call":
            seen.add(str(item.get("call_id")))
        elif item.get("type") == "function_call_output":
            call_id = str(item.get("call_id"))
            if call_id not in seen:
                raise _invalid(f"No tool call found for function call output with call_id {call_id}.")
            answered.add(call_id)
    for call_id in calls:
        if call_id not in answered:
            raise _invalid(f"No tool output found for function call {call_id}.")


def _check_reasoning(items: list[Item], number: int, *, stored: bool) -> None:
    item = items[number]
    encrypted, item_id = item.get("encrypted_content"), item.get("id")
    if encrypted is None and not stored:
        raise wire.Refused(
            404,
            f"Item with id '{item_id}' not found. Items are not persisted when `store` is set to false. Try again with "
            "`store` set to true, or remove this item from your input.",
            "item_not_found",
        )
    if encrypted is not None and not signing.is_signed(MAKER, encrypted):
        message = "The encrypted content could not be verified. Reason: Encrypted content could not be decrypted."
        raise wire.Refused(400, message, "invalid_encrypted_content")
    following = items[number + 1] if number + 1 < len(items) else {}
    kind = following.get("type") or ("message" if following.get("role") else "")
    if kind == "function_call_output" or not kind or (kind == "message" and following.get("role") != "assistant"):
        raise _invalid(f"Item '{item_id}' of type 'reasoning' was provided without its required following item.")


def _invalid(message: str) -> wire.Refused:
    return wire.Refused(400, message, "invalid_value")
