"""The request for an approval: its reason, in English for programs and as a code for the asker's own language.

`outgoing` (calls that send something out), `files` (changes of the chat's files) and `leaf.agent.mcp.toolset` decide
whether a call needs an approval, and choose the reason. Its words are in the area `approvals` of the texts.
"""

from pydantic_ai import ApprovalRequired

from leaf import texts

_SHOWN_CHARACTERS = 400


def required(reason: texts.Message) -> ApprovalRequired:
    """Returns the exception that makes a call wait for the asker."""
    return ApprovalRequired(metadata={"reason": reason})


def shown(text: str) -> str:
    """Returns a text on one line, without invisible or direction-changing characters, shortened to 400 characters."""
    plain = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    if len(plain) <= _SHOWN_CHARACTERS:
        return plain
    return texts.english("approvals.shortened", text=plain[:_SHOWN_CHARACTERS], left=len(plain) - _SHOWN_CHARACTERS)
