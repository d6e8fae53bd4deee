"""OpenAI's client, which sends the messages and tools of a request as they are.

`openai` (3.54) looks through each value for names and files that it would have to rewrite: 47 ms of CPU for a chat of
200 messages, at each request of a run. What pydantic-ai makes has none, and `extra_body` is not looked through.
"""

from typing import Any

import openai
from openai.resources.chat import AsyncChat, AsyncCompletions
from openai.resources.responses import AsyncResponses


def _as_they_are(arguments: dict[str, Any], *names: str) -> dict[str, Any]:
    """The arguments of a request, those with these names as parts of its `extra_body`."""
    given = {name: arguments.pop(name) for name in names if name in arguments}
    return {**arguments, "extra_body": {**given, **(arguments.get("extra_body") or {})}}


class _Completions(AsyncCompletions):
    async def create(self, **arguments: Any) -> Any:
        return await super().create(messages=(), **_as_they_are(arguments, "messages", "tools"))


class _Chat(AsyncChat):
    @property
    def completions(self) -> AsyncCompletions:
        return _Completions(self._client)


class _Responses(AsyncResponses):
    async def create(self, **arguments: Any) -> Any:
        return await super().create(**_as_they_are(arguments, "input", "tools"))


class Client(openai.AsyncOpenAI):
    """As `openai.AsyncOpenAI`."""

    @property
    def chat(self) -> AsyncChat:
        """Chat completions."""
        return _Chat(self)

    @property
    def responses(self) -> AsyncResponses:
        """Responses."""
        return _Responses(self)
