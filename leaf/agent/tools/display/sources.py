"""The web addresses that a run knows: those from the user, and those that tools returned.

A card must not present an invented address as a source. A call with an unknown address is refused, and the model has to
repeat it with another address.
"""

from collections.abc import Iterable, Sequence

from pydantic_ai import ModelRetry
from pydantic_ai.messages import ModelMessage, ToolCallPart, ToolReturnPart, UserPromptPart

from leaf import parts, texts
from leaf.agent.approval import addresses
from leaf.agent.tools import strict
from leaf.agent.tools.display.shapes import Place

_OPENING = frozenset({"fetch", "read_drive_file", "list_drive_folder", "compute", "compare_files"})
"""Tools that succeed only if their address exists."""
_ADDRESS_CHARACTERS = 4000
"""The maximum length of an address. Longer addresses are cut before they are compared."""


def check(places: Iterable[Place], messages: Sequence[ModelMessage]) -> None:
    """Checks that all addresses are known.

    Raises:
        ModelRetry: Some addresses are unknown.
    """
    wanted = list(places)
    known = known_keys(messages) if wanted else set[str]()
    unknown = [(place, address) for place, address in wanted if key(address) not in known]
    if unknown:
        lines = [f"{place}: {address} was given neither by the user nor by a tool" for place, address in unknown]
        advice = f"{strict.summary(lines)}\nGive addresses exactly as they were given to you."
        raise ModelRetry(texts.for_model(advice, "refusals.call_addresses"))


def known_keys(messages: Sequence[ModelMessage]) -> set[str]:
    """Returns the keys of all addresses in the user's messages and in the results of tools.

    An address in the arguments of a call does not become known because the result of that call repeats it.
    """
    known: set[str] = set()
    sent: dict[str, set[str]] = {}
    for message in messages:
        for part in message.parts:
            if isinstance(part, ToolCallPart) and part.tool_name not in _OPENING:
                sent[part.tool_call_id] = _keys(part.args_as_json_str()) - known
            elif isinstance(part, UserPromptPart):
                content = [part.content] if isinstance(part.content, str) else part.content
                known |= {one for text in content if isinstance(text, str) for one in _keys(text)}
            elif isinstance(part, ToolReturnPart) and part.outcome == "success" and not _is_own_text(part.tool_name):
                known |= _keys(part.model_response_str()) - sent.get(part.tool_call_id, set())
    return known


def _keys(text: str) -> set[str]:
    """Returns the keys of the addresses in a text. An address followed by punctuation also counts without it."""
    known = [address[:_ADDRESS_CHARACTERS] for readings in addresses.each_in(text) for address in readings]
    return {key(reading) for address in known for reading in (address, address.partition("#")[0])}


def key(address: str) -> str:
    """Returns an address without its scheme and without a slash at the end, so that its spellings are equal."""
    try:
        split = parts.split_address(address)
    except ValueError:
        return address
    query = f"?{split.query}" if split.query else ""
    fragment = f"#{split.fragment}" if split.fragment else ""
    return f"{split.netloc.lower()}{split.path.rstrip('/')}{query}{fragment}"


def _is_own_text(tool: str) -> bool:
    """Returns whether a tool returns the model's own text."""
    return tool.startswith("display") or tool in {"todoWrite", "write_file", "edit_file"}
