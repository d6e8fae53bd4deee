"""Reads electronic books (EPUB): the text of their chapters in the order of reading."""

import posixpath
import zipfile
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote

from leaf import texts
from leaf.documents.model import NoText, Segment, Unreadable
from leaf.documents.office import BROKEN, MAX_TAGS, unpackable
from leaf.documents.text import decode, markdown_of, segments_by_heading
from leaf.documents.xml_trees import tree_of

TYPE: Final = "application/epub+zip"
_CONTAINER: Final = "META-INF/container.xml"
_RIGHTS: Final = "META-INF/rights.xml"
"""A book with this part is protected: its chapters are encrypted."""


def read(data: bytes) -> tuple[list[Segment], list[str]]:
    """The chapters of a book by heading. Returns segments and notes.

    Raises:
        Unreadable: It is damaged, protected, too large, or without text.
    """
    with unpackable(data, MAX_TAGS) as archive:
        if _RIGHTS in archive.namelist():
            raise Unreadable(texts.english("refusals.encrypted_office"))
        try:
            chapters = [markdown_of(decode(archive.read(name))[0]) for name in _chapters(archive)]
        except BROKEN:
            raise Unreadable(texts.english("refusals.damaged_word")) from None
    markdown = "\n\n".join(filter(None, chapters))
    if not markdown:
        raise NoText(texts.english("refusals.no_text_word"))
    return segments_by_heading(markdown), []


def _chapters(archive: zipfile.ZipFile) -> Iterator[str]:
    """Yields the names of the chapters' parts in the order of reading."""
    container = tree_of(archive.read(_CONTAINER))
    package = next(str(one.get("full-path")) for one in container.iter("{*}rootfile"))
    tree = tree_of(archive.read(package))
    items = {one.get("id"): one for one in tree.iter("{*}item")}
    names = {*archive.namelist()}
    for reference in tree.iter("{*}itemref"):
        item = items.get(reference.get("idref"))
        if item is None or "html" not in str(item.get("media-type")):
            continue
        name = posixpath.normpath(posixpath.join(posixpath.dirname(package), unquote(str(item.get("href")))))
        if name in names:
            yield name
