"""docs/api.md says what the routes are."""

from tests import api_doc


def test_the_document_is_written_from_the_routes() -> None:
    assert api_doc.DOCUMENT.read_text("utf-8") == api_doc.text(), "docs/api.md: run `make docs`"
