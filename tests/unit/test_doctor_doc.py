"""docs/drive-doctor.md says what the causes are."""

from tests import doctor_doc


def test_the_page_of_the_causes_is_up_to_date() -> None:
    """`make docs` writes it anew."""
    assert doctor_doc.DOCUMENT.read_text("utf-8") == doctor_doc.text(), "docs/drive-doctor.md: run `make docs`"
