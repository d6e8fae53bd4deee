"""Messages that ask the model for the rest of an answer. They do not count as questions of the asker."""

from collections.abc import Sequence

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart

GO_ON = (
    "Your answer was stopped here, and now the user wants the rest of it. Go on from where it broke off, in the same "
    "language, without repeating what is there already. Begin with a whole sentence."
)
"""The request to continue an answer that its reader had stopped."""
COMPLETE = (
    "Your answer was cut off here by a technical failure, and the user has read it up to its last character. Write "
    "what is missing: begin by repeating your last five words exactly as they stand there, and go on from them in the "
    "same language, as if nothing had happened. Do not mention the failure. If nothing is missing, repeat only these "
    "words."
)
"""The request to continue a reply that broke off (decision 0042)."""


def is_question(message: ModelMessage) -> bool:
    """Returns whether a message contains a question of the asker."""
    return isinstance(message, ModelRequest) and any(
        isinstance(part, UserPromptPart) and not (isinstance(part.content, str) and part.content in {GO_ON, COMPLETE})
        for part in message.parts
    )


def last_question(messages: Sequence[ModelMessage]) -> int:
    """Returns the index of the last message with a question of the asker; -1 if there is none."""
    return next((index for index in reversed(range(len(messages))) if is_question(messages[index])), -1)


def with_rest_requested(
    messages: list[ModelMessage], shown: str, cut: ModelResponse | None = None
) -> list[ModelMessage]:
    """Returns a turn that asks for the rest of its last reply.

    Args:
        messages: The turn up to the request whose reply broke off.
        shown: The text of that reply that readers were shown. If it is blank, the reply is requested anew.
        cut: The reply itself; None if another worker received it.
    """
    kept = without_cut_reply(messages)
    if not shown.strip():
        return kept
    begun = ModelResponse(parts=[TextPart(shown)])
    if cut is not None:
        begun.provider_response_id, begun.timestamp = cut.provider_response_id, cut.timestamp
    return [*kept, begun, ModelRequest(parts=[UserPromptPart(COMPLETE)])]


def without_cut_reply(messages: list[ModelMessage]) -> list[ModelMessage]:
    """Returns a turn without a reply that broke off and the request for its rest, if the turn ends with them."""
    return messages[:-2] if asks_for_rest(messages) else messages


def asks_for_rest(messages: list[ModelMessage]) -> bool:
    """Returns whether a turn ends with the request for the rest of a reply that broke off."""
    last = messages[-1] if messages else None
    if not isinstance(last, ModelRequest):
        return False
    return [part.content for part in last.parts if isinstance(part, UserPromptPart)] == [COMPLETE]
