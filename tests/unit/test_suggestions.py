"""Questions that are made from the names of files."""

from leaf.google.files import DriveFile
from leaf.services import suggestions
from leaf.services.suggestions import RECENT, Suggestion

DOC, SHEET, FOLDER = (f"application/vnd.google-apps.{name}" for name in ("document", "spreadsheet", "folder"))


def file(name: str, mime_type: str = DOC) -> DriveFile:
    return DriveFile.of({"id": "an-id", "name": name, "mimeType": mime_type})


def test_each_question_names_a_file_that_is_there() -> None:
    files = [file("Minutes"), file("Budget", SHEET), file("Offer May"), file("Offer June"), file("Photos", FOLDER)]
    assert suggestions.about(files) == [
        Suggestion("points", "Minutes"),
        Suggestion("numbers", "Budget"),
        Suggestion("compare", "Offer May", "Offer June"),
        RECENT,
    ]


def test_a_drive_with_little_in_it_gets_fewer_questions_and_an_empty_one_none() -> None:
    assert suggestions.about([]) == []
    assert suggestions.about([file("Photos", FOLDER), file("a.png", "image/png")]) == []
    assert suggestions.about([file("Minutes")]) == [
        Suggestion("points", "Minutes"),
        Suggestion("deadlines", "Minutes"),
        RECENT,
    ]
    assert suggestions.about([file("Costs 2024", SHEET), file("Costs 2025", SHEET)]) == [
        Suggestion("numbers", "Costs 2024"),
        Suggestion("compare", "Costs 2024", "Costs 2025"),
        RECENT,
    ]


def test_only_files_whose_names_share_a_word_are_compared() -> None:
    """A packing list and a handbook have nothing to compare."""
    names = ["Packing list.docx", "Handbook.docx", "Lease Bonn 2024.pdf", "Minutes.docx", "Lease Bonn 2025.pdf"]
    compared = [one for one in suggestions.about(map(file, names)) if one.kind == "compare"]
    assert compared == [Suggestion("compare", "Lease Bonn 2024.pdf", "Lease Bonn 2025.pdf")]
    assert "compare" not in {one.kind for one in suggestions.about(map(file, names[:4]))}


def test_a_file_is_not_compared_with_one_of_its_own_name_and_long_names_are_left_out() -> None:
    files = [file("Minutes"), file("Minutes\n"), file("x" * 61)]
    assert {one.kind for one in suggestions.about(files)} == {"points", "deadlines", "recent"}
