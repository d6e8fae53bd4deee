"""Decides the next step."""

from leaf.sandbox.model.conversation import Conversation, Step


def decide(conversation: Conversation) -> Step:
    return Step(f"You said: {conversation.question}")
