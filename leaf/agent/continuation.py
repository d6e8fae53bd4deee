"""The message that continues a stopped answer; it does not count as a question of the asker."""

from pydantic_ai.messages import ModelMessage, ModelRequest, UserPromptPart

GO_ON = (
    "Your answer was stopped here, and now the user wants the rest of it. Go on from where it broke off, in the same "
    "language, without repeating what is there already. Begin with a whole sentence."
)


def is_question(message: ModelMessage) -> bool:
    """Return whether a message holds a question of the asker."""
    return isinstance(message, ModelRequest) and any(
        isinstance(part, UserPromptPart) and part.content != GO_ON for part in message.parts
    )
