"""Reads rich text (RTF), as Word, WordPad and TextEdit write it. Cells of a table are separated by `|`."""

import re
from typing import Final

from leaf import texts
from leaf.documents.model import NoText, Segment, Unreadable
from leaf.documents.text import segments_by_lines

BEGIN: Final = b"{\\rtf"
_PICTURE = re.compile(rb"(?:[0-9a-fA-F]{2}[ \r\n]{0,2}){200,}")
"""The hexadecimal digits of a picture."""
_FONT_CHARACTERS: Final = 1_000
"""The maximum length of the description of a font."""


def read(data: bytes) -> tuple[list[Segment], list[str]]:
    """The text of a file by lines, without its pictures. Returns segments and notes.

    Raises:
        Unreadable: It is damaged or without text.
    """
    from striprtf.striprtf import font_table_group, rtf_to_text

    markup = _PICTURE.sub(b"", data).decode("latin-1")
    # The library searches each line for links and fonts in quadratic time, so lines are broken; RTF ignores line ends.
    markup = markup.replace("{\\field{", "{\\field\n{")
    fonts = font_table_group(markup)
    if any(len(one) > _FONT_CHARACTERS for one in fonts.split(";")):
        raise Unreadable(texts.english("refusals.damaged_word"))
    markup = markup.replace(fonts, fonts.replace(";", ";\n"), 1)
    try:
        given = rtf_to_text(markup, errors="replace")
    except (ValueError, TypeError, LookupError, OverflowError):
        raise Unreadable(texts.english("refusals.damaged_word")) from None
    if not given.strip():
        raise NoText(texts.english("refusals.no_text_word"))
    return segments_by_lines(given.strip() + "\n"), []
