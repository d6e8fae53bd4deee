"""docs/api.md says what the routes are."""

import re
from pathlib import Path

from tests import api_doc

_STATUS = re.compile(r"\bstatus(?:, code)? = ([45]\d\d)|\bstatus=([45]\d\d)")
_NOT_SENT = {"504"}
"""The statuses of errors that are kept in an answer, and of foreign pages that the agent reads."""


def test_the_document_is_written_from_the_routes() -> None:
    assert api_doc.DOCUMENT.read_text("utf-8") == api_doc.text(), "docs/api.md: run `make docs`"


def test_every_status_of_a_refusal_is_listed() -> None:
    """# 002-01"""
    folder = Path(__file__).parents[2] / "leaf"
    found = {
        one for path in folder.rglob("*.py") for match in _STATUS.findall(path.read_text("utf-8")) for one in match
    }
    _, _, section = api_doc.DOCUMENT.read_text("utf-8").partition("\n## Refusals\n")
    listed = re.findall(r"^\| (\d{3}) \|", section.partition("\n## ")[0], re.MULTILINE)
    assert listed == sorted(found - {"", *_NOT_SENT})
