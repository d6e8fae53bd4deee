"""The message with which a stopped answer goes on. It is no question of the asker's."""

from pydantic_ai.messages import ModelMessage, ModelRequest, UserPromptPart

GO_ON = (
    "Your answer was stopped here, and now the user wants the rest of it. Go on from where it broke off, in the same "
    "language, without repeating what is there already. Begin with a whole sentence."
)


def is_question(message: ModelMessage) -> bool:
    """Whether a message holds a question of the asker's."""
    return isinstance(message, ModelRequest) and any(
        isinstance(part, UserPromptPart) and part.content != GO_ON for part in message.parts
    )
