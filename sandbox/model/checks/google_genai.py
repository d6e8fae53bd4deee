"""The rules of Google's generateContent: https://ai.google.dev/api/generate-content."""

from typing import Any

from sandbox.model import signing, wire

MAKER = "google"
SKIPPED = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="
"""`skip_thought_signature_validator`, which Google documents for calls that another model has made."""
_SIGNING = "gemini-3"
"""Models that want the signature of each step's first call back."""

Part = dict[str, Any]
Content = dict[str, Any]


def check(model: str, contents: list[Content]) -> None:
    """Passes contents that Google would take.

    Raises:
        wire.Refused: It would not (400).
    """
    if contents[-1].get("role", "user") != "user":
        raise _invalid("Please ensure that multiturn requests end with a user role or a function response.")
    previous: Content = {}
    for number, content in enumerate(contents):
        parts: list[Part] = content.get("parts") or []
        if not parts or any(not _has_data(part) for part in parts):
            raise _invalid(f"GenerateContentRequest.contents[{number}].parts: contents.parts must not be empty.")
        if content.get("role", "user") not in {"user", "model"}:
            raise _invalid("Please use a valid role: user, model.")
        _check_pairs(content, parts, previous, contents[number + 1 : number + 2])
        _check_signatures(number, parts)
        previous = content
    if model.startswith(_SIGNING):
        _check_steps(contents)


def _has_data(part: Part) -> bool:
    return bool(part.get("text")) or any(part.get(name) is not None for name in ("functionCall", "functionResponse"))


def _check_pairs(content: Content, parts: list[Part], previous: Content, following: list[Content]) -> None:
    calls = [part["functionCall"] for part in parts if "functionCall" in part]
    if calls and (not previous or previous.get("role", "user") != "user"):
        raise _invalid(
            "Please ensure that function call turn comes immediately after a user turn or after a function response "
            "turn."
        )
    given = _responses(following[0]) if following else []
    if calls and _ids(calls) != _ids(given):
        raise _invalid(
            "Please ensure that the number of function response parts is equal to the number of function call parts "
            "of the function call turn."
        )
    asked = [part["functionCall"] for part in previous.get("parts") or [] if "functionCall" in part]
    if _responses(content) and not asked:
        raise _invalid("Please ensure that function response turn comes immediately after a function call turn.")


def _responses(content: Content) -> list[dict[str, Any]]:
    return [part["functionResponse"] for part in content.get("parts") or [] if "functionResponse" in part]


def _ids(named: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return sorted((str(one.get("id") or ""), str(one.get("name"))) for one in named)


def _check_signatures(number: int, parts: list[Part]) -> None:
    for place, part in enumerate(parts):
        signature = part.get("thoughtSignature")
        if signature is None or signature == SKIPPED:
            continue
        if not signing.is_signed(MAKER, _standard(str(signature))):
            raise _invalid(f"Invalid thought signature in contents[{number}].parts[{place}].")


def _check_steps(contents: list[Content]) -> None:
    """The calls of the running turn carry the signature of the thought that led to them."""
    asked = max((at for at, content in enumerate(contents) if _is_question(content)), default=0)
    for content in contents[asked:]:
        calls = [part for part in content.get("parts") or [] if "functionCall" in part]
        if calls and not calls[0].get("thoughtSignature"):
            name = calls[0]["functionCall"].get("name")
            raise _invalid(f"Function call is missing a thought_signature in functionCall parts. Function call {name}.")


def _is_question(content: Content) -> bool:
    parts = content.get("parts") or []
    return content.get("role", "user") == "user" and any(part.get("text") for part in parts)


def _standard(signature: str) -> str:
    # Google's client writes bytes in the alphabet for addresses.
    return signature.replace("-", "+").replace("_", "/")


def _invalid(message: str) -> wire.Refused:
    return wire.Refused(400, message, "INVALID_ARGUMENT")
