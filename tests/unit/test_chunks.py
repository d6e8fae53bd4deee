"""The passages of a document by which it is searched."""

import pytest

from leaf.documents import Document, chunks
from leaf.documents.kinds import Kind
from leaf.documents.model import Segment


def _headings(kind: Kind, *segments: Segment) -> list[str]:
    document = Document("id", "1", "4711", "", kind, list(segments))
    return [one.heading for one in chunks.chunks_of(document)]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("text", "Invoice of Grunau Mills\n\nThe total is EUR 12."),
        ("page", "# Invoice of Grunau Mills\n\nThe total is EUR 12."),
        ("mail", "From: a@northwind.example\nSubject: Invoice of Grunau Mills\n\nThe total is EUR 12."),
    ],
)
def test_every_passage_is_headed_by_the_title_of_its_document(kind: Kind, text: str) -> None:
    """The name of the file is a number, and the passage has no company in it."""
    long = f"{text} {'Further words. ' * 200}"
    headings = _headings(kind, Segment("all", None, long))
    assert len(headings) > 2
    assert set(headings) == {"4711 › Invoice of Grunau Mills"}


def test_slides_have_the_title_of_the_first_one_above_their_own() -> None:
    slides = Segment("slide 1", "Offer", "Offer\nof Grunau"), Segment("slide 2", "Annex", "Annex\nPrices")
    assert _headings("powerpoint", *slides) == ["4711 › Offer", "4711 › Offer › Annex"]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("text", "The first line is a sentence of the text.\n\nAnd so on."),
        ("text", "A line\nthat goes on"),
        ("csv", "Item,Count\n\nBanners,2"),
        ("text", ""),
    ],
)
def test_a_text_without_a_title_is_headed_by_its_name(kind: Kind, text: str) -> None:
    assert {*_headings(kind, Segment("all", None, text))} <= {"4711"}
