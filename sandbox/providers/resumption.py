"""Replies that were cut off, and whose rest Leaf asks for: such a rest begins by repeating the last words."""

import re
from dataclasses import replace

from sandbox.conversation import Conversation, Message

CUT_OFF = "cut off here by a technical failure"
"""Words of the message with which Leaf asks for the rest of a reply."""
_LAST_WORDS = re.compile(r"\S+(?:\s+\S+){0,4}\s*\Z")
_LAST_CHARACTERS = 1_000


def before_cut(conversation: Conversation) -> tuple[Conversation, str]:
    """The conversation without replies that were cut off, and the text of the one whose rest is asked for."""
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
    """The place where the last five words of a text begin."""
    tail = text[-_LAST_CHARACTERS:]
    found = _LAST_WORDS.search(tail)
    return len(text) - len(tail) + (found.start() if found else len(tail))
