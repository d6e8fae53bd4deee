"""A variant of OpenAI's client that sends the messages and tools of a request unchanged.

`openai` (3.54) searches each value for names and files to convert, which costs 47 ms of CPU for each request of a chat
with 200 messages. pydantic-ai's messages and tools contain neither. They are sent in `extra_body`, which is not
searched.
"""

from typing import Any

import openai
from openai.resources.chat import AsyncChat, AsyncCompletions
from openai.resources.responses import AsyncResponses


def _in_extra_body(arguments: dict[str, Any], *names: str) -> dict[str, Any]:
    """The arguments of a request, after moving those with the given names into its `extra_body`."""
    given = {name: arguments.pop(name) for name in names if name in arguments}
    return {**arguments, "extra_body": {**given, **(arguments.get("extra_body") or {})}}


class _Completions(AsyncCompletions):
    async def create(self, **arguments: Any) -> Any:
        return await super().create(messages=(), **_in_extra_body(arguments, "messages", "tools"))


class _Chat(AsyncChat):
    @property
    def completions(self) -> AsyncCompletions:
        return _Completions(self._client)


class _Responses(AsyncResponses):
    async def create(self, **arguments: Any) -> Any:
        return await super().create(**_in_extra_body(arguments, "input", "tools"))


class Client(openai.AsyncOpenAI):
    """`openai.AsyncOpenAI` with the faster resources of this module."""

    @property
    def chat(self) -> AsyncChat:
        return _Chat(self)

    @property
    def responses(self) -> AsyncResponses:
        return _Responses(self)
