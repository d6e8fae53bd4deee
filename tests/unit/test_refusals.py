"""Refusals that pages show have their words in the catalogue, so that readers get them in their language. # 000-46"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.requests import Request

from leaf import errors, texts
from leaf.agent import models
from leaf.api import http
from leaf.documents import Unreadable, textfiles
from leaf.documents.uploads import kind_by_content

ROOT = Path(__file__).parents[2]
SHOWN = (
    "leaf/services", "leaf/documents", "leaf/google", "leaf/outbound", "leaf/state", "leaf/views",
    "leaf/agent/models.py", "leaf/api/edge.py", "leaf/sites/injection.py",
)  # fmt: skip
"""The code whose refusals reach pages."""
REFUSALS = {
    "LeafError", "Invalid", "Unauthenticated", "Forbidden", "Conflict", "LimitReached", "RateLimited", "BudgetReached",
    "Unavailable", "NotPermitted", "Unreachable", "WrongType", "DriveError", "DriveRefused", "Unreadable", "NoText",
}  # fmt: skip
"""`SignInFailed` is shown by its code, and `NotFound` names a thing."""
FOR_PROGRAMS = {
    "leaf/documents/textfiles/patterns.py", "leaf/google/oauth.py", "leaf/google/providers.py",
    "leaf/google/transport.py", "leaf/services/drive.py", "leaf/services/feedback.py",
    "leaf/services/runs/call_claims.py", "leaf/services/runs/calls.py", "leaf/services/sites/visitors/identity.py",
}  # fmt: skip
"""Modules that refuse what no page can send: requests of programs, patterns of models, and sign-in."""
ALONE = {
    "leaf/services/conversations/replies.py": 1,
    "leaf/services/files/chat_files.py": 1,
    "leaf/services/sites/agents.py": 1,
    "leaf/state/sidebar.py": 1,
}
"""Modules with refusals of that kind among others, and their number."""


def _literal(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=str()) | ast.JoinedStr():
            return True
        case ast.BinOp(left=left):
            return _literal(left)
        case ast.Subscript(value=value):
            return _literal(value)
        case ast.IfExp(body=one, orelse=other):
            return _literal(one) or _literal(other)
        case _:
            return False


def _bare(path: Path) -> Iterator[int]:
    """The lines with a refusal whose words stand in code."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and node.args and _literal(node.args[0]):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in REFUSALS:
                yield node.lineno


def test_no_refusal_that_a_page_shows_has_its_words_in_code() -> None:
    found: dict[str, list[int]] = {}
    for place in SHOWN:
        files = [ROOT / place] if place.endswith(".py") else sorted((ROOT / place).rglob("*.py"))
        for file in files:
            name = file.relative_to(ROOT).as_posix()
            lines = [*_bare(file)]
            if name not in FOR_PROGRAMS and len(lines) > ALONE.get(name, 0):
                found[name] = lines
    assert not found


def _request(language: str) -> Request:
    headers = [(b"x-leaf-language", language.encode())] if language else []
    return Request({
        "type": "http", "method": "POST", "path": "/", "query_string": b"", "headers": headers, "client": None,
    })  # fmt: skip


_PICTURE = "This is a picture, an archive or a program."


@pytest.mark.parametrize(
    ("language", "words"),
    [("de", "Das ist ein Bild, ein Archiv"), ("", _PICTURE), ("xx", _PICTURE)],
)
async def test_a_page_gets_the_refusal_of_an_upload_in_its_language(language: str, words: str) -> None:
    """Programs get English. # 000-46, 001-26"""

    async def refused(_request: Request) -> http.Response:
        kind_by_content(b"GIF89a", "a.md")
        raise AssertionError

    answer = await http.endpoint(refused)(_request(language))
    assert words in bytes(answer.body).decode()


def test_kinds_names_of_files_and_models_are_refused_in_german() -> None:
    say = texts.of("de")
    with pytest.raises(Unreadable) as pdf:
        kind_by_content(b"%PDF-1.7", "a.docx")
    assert "von dieser Art: PDF. Geben Sie ihrem Namen die Endung .pdf" in texts.translated(pdf.value.message, say)
    with pytest.raises(errors.Invalid) as path:
        textfiles.checked("/a.md")
    assert "er muss relativ sein" in texts.translated(path.value.message, say)
    with pytest.raises(errors.Unavailable) as model:
        models.build("nobody:x")
    assert "nicht mehr verfügbar: „nobody“ ist kein Anbieter" in texts.translated(model.value.message, say)
