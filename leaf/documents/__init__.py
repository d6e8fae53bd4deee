"""Turning the bytes of a file into text with places that can be named: pages, sections, sheets, slides, lines.

Pure and synchronous: callers run `parse` in a thread, because parsing keeps a processor busy.
"""

from leaf.documents.finding import find
from leaf.documents.kinds import Kind, kind_of, label, refusal
from leaf.documents.model import Document, DocumentCache, Heading, Segment, Unreadable
from leaf.documents.parsing import MAX_BYTES, Parsed, clean, parse
from leaf.documents.ranges import LIMIT_CHARACTERS, NoSuchPart, Selection, render, select

__all__ = [
    "LIMIT_CHARACTERS",
    "MAX_BYTES",
    "Document",
    "DocumentCache",
    "Heading",
    "Kind",
    "NoSuchPart",
    "Parsed",
    "Segment",
    "Selection",
    "Unreadable",
    "clean",
    "find",
    "kind_of",
    "label",
    "parse",
    "refusal",
    "render",
    "select",
]
