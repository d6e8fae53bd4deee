"""Results of tools that run at the caller."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from leaf import errors
from leaf.parts.client_tools.declarations import ClientTool
from leaf.parts.client_tools.schemas import DEPTH, depth, mismatches

RESULT_BYTES = 200_000
ERROR_CHARACTERS = 2000


@dataclass(frozen=True)
class Outcome:
    """A result, or the reason why there is none."""

    output: Any = None
    error: str | None = None

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """An outcome from `{"output": …}` or `{"error": "…"}`, received or stored."""
        error = given.get("error")
        if isinstance(error, str):
            return cls(error=error[:ERROR_CHARACTERS] or "It did not work.")
        return cls(given.get("output"))

    def answer(self) -> dict[str, Any]:
        """The outcome in the form in which it is stored with the replies of a message."""
        return {"output": self.output} if self.error is None else {"error": self.error}

    @property
    def digest(self) -> str:
        """A digest that identifies this outcome among the outcomes of the same call."""
        # Keys are sorted, because a program that read the outcome from the chat may send them in another order.
        return hashlib.sha256(json.dumps(self.answer(), sort_keys=True).encode()).hexdigest()


def outcome(tool: ClientTool, given: dict[str, Any]) -> Outcome:
    """Checks an outcome against the declaration of its tool.

    Args:
        tool: The declaration.
        given: `{"output": …}` or `{"error": "…"}`.

    Raises:
        errors.Invalid: It has neither form, is too large, or does not match the tool's `outputSchema`.
    """
    if set(given) == {"error"} and isinstance(given["error"], str):
        return Outcome.of(given)
    if set(given) != {"output"}:
        raise errors.Invalid("Send the output of the tool or its error.", field="output")
    output = given["output"]
    if depth(output) > DEPTH * 2:
        raise errors.Invalid("A result may be nested at most 64 levels deep.", field="output")
    if (
        len(json.dumps(output, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"))
        > RESULT_BYTES
    ):
        raise errors.Invalid(f"A result has at most {RESULT_BYTES // 1000} kB.", field="output")
    problems = mismatches(tool.outputSchema, output) if tool.outputSchema is not None else []
    if problems:
        raise errors.Invalid(
            f"The result of {tool.name} does not fit its schema: {'; '.join(problems)}", field="output"
        )
    return Outcome(output)
