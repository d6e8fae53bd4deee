"""The numbers of web pages in one answer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from pydantic_core import from_json

from leaf.agent import calls
from leaf.parts.objects import list_of

TOOLS = frozenset({"search", "fetch"})
"""The tools that return content from the web."""


@dataclass(slots=True)
class WebSession:
    """The web pages that a run has found or read.

    The pages are computed from the results of the run's tools, so a worker that takes over has the same state.
    """

    numbers: dict[str, int] = field(default_factory=dict[str, int])
    """The number of each page by its address, from 1. `[n]` means the same page everywhere in an answer."""

    @classmethod
    def of(cls, turn: Sequence[ModelMessage], kept: Callable[[str], bytes | None] = lambda _: None) -> Self:
        """Returns the state of a run.

        Args:
            turn: The messages of the run.
            kept: Returns the stored result of a call by its id, as JSON, for results that are not in a message yet.
        """
        session = cls()
        for output in calls.results(turn, TOOLS):
            session.take(output)
        last = turn[-1] if turn else None
        for call in last.parts if isinstance(last, ModelResponse) else ():
            if isinstance(call, ToolCallPart) and call.tool_name in TOOLS:
                output = from_json(kept(call.tool_call_id) or b"null")
                if isinstance(output, dict):
                    session.take(output)
        return session

    def number_of(self, url: str) -> int:
        """Returns the number of a page. A new page gets a new number."""
        return self.numbers.setdefault(url, max(self.numbers.values(), default=0) + 1)

    def take(self, output: Mapping[str, Any]) -> None:
        """Adds the pages in the result of a search or a fetch."""
        for page in [output, *list_of(output.get("results"))]:
            url, number = page.get("url"), page.get("n")
            if isinstance(url, str) and isinstance(number, int):
                self.numbers.setdefault(url, number)
