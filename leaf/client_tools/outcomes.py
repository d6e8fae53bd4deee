"""What a tool that ran at the caller came to."""

import hashlib
from dataclasses import dataclass
from typing import Any

from pydantic_core import to_json

from leaf import errors
from leaf.client_tools.declaring import ClientTool
from leaf.client_tools.schemas import misfits

RESULT_BYTES = 200_000
ERROR_CHARACTERS = 2000


@dataclass(frozen=True)
class Outcome:
    """A result, or why there is none."""

    output: Any = None
    error: str | None = None

    def answer(self) -> dict[str, Any]:
        """As it is kept among the answers of a message."""
        return {"output": self.output} if self.error is None else {"error": self.error}

    @property
    def digest(self) -> str:
        """What tells this outcome from another one of the same call."""
        return hashlib.sha256(to_json(self.answer())).hexdigest()


def outcome(tool: ClientTool, given: dict[str, Any]) -> Outcome:
    """An outcome that fits its tool.

    Args:
        tool: As it was declared.
        given: `{"output": …}` or `{"error": "…"}`.

    Raises:
        errors.Invalid: It is neither, too large, or not what the tool's `outputSchema` says.
    """
    if set(given) == {"error"} and isinstance(given["error"], str):
        return Outcome(error=given["error"][:ERROR_CHARACTERS] or "It did not work.")
    if set(given) != {"output"}:
        raise errors.Invalid("Give the output of the tool, or its error.", field="output")
    output = given["output"]
    if len(to_json(output)) > RESULT_BYTES:
        raise errors.Invalid(f"A result has at most {RESULT_BYTES // 1000} kB.", field="output")
    problems = misfits(tool.outputSchema, output) if tool.outputSchema is not None else []
    if problems:
        raise errors.Invalid(
            f"The result of {tool.name} does not fit its schema: {'; '.join(problems)}", field="output"
        )
    return Outcome(output)
