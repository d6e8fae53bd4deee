"""Converts the bytes of a file into text with named places, such as pages, sections, sheets, slides and lines.

Pure and synchronous: callers run `parse` in a thread, because parsing keeps a processor busy.
"""

from leaf.documents.kinds import Kind, kind_of, refusal
from leaf.documents.model import Document, DocumentCache, Heading, NoText, Segment, Unreadable
from leaf.documents.parser import MAX_BYTES, READER_VERSION, Parsed, parse, too_many_bytes
from leaf.documents.passages import find
from leaf.documents.ranges import LIMIT_CHARACTERS, NoSuchPart, Selection, render, select
from leaf.documents.uploads import MAX_TEXT_BYTES, SUFFIXES, Extract, by_places, extract, in_short_lines, place_of
