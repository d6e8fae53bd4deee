"""Replies that were cut off, and for whose rest Leaf asks. The rest begins with a repetition of the last words."""

import re
from dataclasses import replace

from sandbox.conversation import Conversation, Message

CUT_OFF = "cut off here by a technical failure"
"""A part of the message with which Leaf asks for the rest of a reply."""
_LAST_WORDS = re.compile(r"\S+(?:\s+\S+){0,4}\s*\Z")
_LAST_CHARACTERS = 1_000


def before_cut(conversation: Conversation) -> tuple[Conversation, str]:
    """The conversation without replies that were cut off, and the text of the reply that must be continued.

    The text is empty if the conversation does not end with a request for the rest of a reply.
    """
    kept: list[Message] = []
    shown = ""
    for message in conversation.messages:
        shown = ""
        if message.role != "user" or CUT_OFF not in message.text:
            kept.append(message)
            continue
        while kept and kept[-1].role == "assistant" and not kept[-1].calls:
            shown = kept.pop().text + shown
    return replace(conversation, messages=tuple(kept)), shown


def last_words(text: str) -> int:
    """The index at which the last five words of a text begin."""
    tail = text[-_LAST_CHARACTERS:]
    found = _LAST_WORDS.search(tail)
    return len(text) - len(tail) + (found.start() if found else len(tail))
