"""What a tool gives before it is done."""

from dataclasses import dataclass, field
from typing import Any

from pydantic_ai import CustomEvent


@dataclass(kw_only=True)
class ToolProgress(CustomEvent):
    """A preliminary output of the tool call that emits it (`ctx.emit`); the next one, and the result, replace it.

    The model never sees it.
    """

    output: dict[str, Any] = field(default_factory=dict[str, Any])
