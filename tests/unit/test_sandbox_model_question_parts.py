"""The sandbox model's answer to a question that asks several things."""

import re

from sandbox.model import question_parts


def test_every_footnote_of_joined_answers_has_a_number_of_its_own() -> None:
    """Two quotes under one number would both lead to the same source."""
    first = "It is “a”[^1] and “b”[^2].\n\n[^1]: “a” — one\n[^2]: “b” — two"
    second = "It is “c”[^1].\n\n[^1]: “c” — three"
    text = question_parts._joined([first, second], "en").text
    assert re.findall(r"“(\w)”\[\^(\d)\]", text) == [("a", "1"), ("b", "2"), ("c", "3")]
    assert re.findall(r"^\[\^(\d)\]: “(\w)”", text, re.MULTILINE) == [("1", "a"), ("2", "b"), ("3", "c")]
