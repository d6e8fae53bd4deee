"""Reads plain text, Markdown, CSV, JSON, code and web pages."""

import base64
import codecs
import csv
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from leaf import texts
from leaf.documents import html_tables, scans
from leaf.documents.model import Segment, Unreadable

LINES_CHARACTERS = 8_000
"""Text without pages or headings is split between lines into segments of about this size."""
MOST_SECTIONS = 5_000
"""Maximum number of headings in a document that start a segment."""
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
_SAMPLE_BYTES = 200_000
_CONTROL = bytes({*range(32)} - {*b"\t\n\f\r\x1b"})
_LINE_SIGNS = {ord(sign): None for sign in "\t\n\f\r"}
_NO_TEXT = frozenset({"Cc", "Cn", "Co", "Cs"})
"""Categories of characters that a text has only at the ends of its lines."""
_HEADING = re.compile(r"#{1,6}[ \t]+([^\r\n]+)")
_WESTERN = frozenset("äöüÄÖÜßéèêëàâáåæçîïíìñôóòøùúÉÈÊËÀÂÁÅÆÇÎÏÍÌÑÔÓÒØÙÚ€§©®°±²«»½¼¾×\xa0´·")
"""The characters above ASCII of Western texts in Windows-1252. Of the bytes 0x80 to 0x9F, which are letters in the
charsets of DOS, only the euro sign counts.
"""
_CHARSETS = (
    *(f"windows-{number}" for number in range(1250, 1258)), "iso-8859-2", "iso-8859-5", "iso-8859-7", "koi8-r",
    "koi8-u", "cp850", "cp852", "cp866", "gb18030", "big5", "shift_jis", "cp932", "euc-jp", "euc-kr", "cp949",
    "tis-620",
)  # fmt: skip
"""The charsets that can be detected. With rarer ones, the detection would be wrong for more short texts."""
_MOST_OF_LATIN = 0.35
"""Maximum share of bytes above ASCII in a text of Latin letters."""
_LAST_LATIN, _FIRST_SYLLABLE = "\u024f", "\u0900"
"""The letters between these two never stand beside Latin letters within a word."""
_SIGN_AND_NEIGHBOURS = re.compile(r"(?<=(?P<before>.))?[^\x00-\x7f](?=(?P<after>.))?", re.DOTALL)
_FENCE = re.compile(r"[ ]{0,3}(```+|~~~+)")
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+.!<>~=&$-])")
_IMAGE_DATA = re.compile(r"^\[[^\]\n]+\]:[ \t]*<?data:image/[^\n]*\n?", re.MULTILINE)
_INLINE_IMAGE_DATA = re.compile(r"!\[([^\[\]\n]*)\]\(data:image/(?:[^()\n]++|\([^()\n]*+\))*+\)")
_SIDE_ELEMENTS = ("nav", "aside", "form", "dialog", "iframe", "svg", "button", "select")
_MARGINS = ("header", "footer")
_BLOCKS = (
    "address", "aside", "center", "details", "dialog", "fieldset", "figure", "footer", "form", "header", "hgroup",
    "label", "legend", "main", "nav", "optgroup", "option", "search", "select", "summary", "textarea",
)  # fmt: skip
"""Elements that begin on a line of their own, and that markdownify would join to the words around them."""
_BLANKS = re.compile(r"[\t ]{100,}")
_HIDDEN_STYLE = re.compile(r"display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden", re.IGNORECASE)
_MAIN_SHARE = 0.2
"""Minimum share of a page's text that its main part must have. Some pages mark an empty part as the main one."""


def decode(data: bytes) -> tuple[str, list[str]]:
    """Decodes text in any charset; a note says if the charset was guessed or characters were lost.

    Raises:
        Unreadable: The bytes are not text.
    """
    for bom, charset in _BOMS:
        if data.startswith(bom):
            try:
                return data.decode(charset), []
            except UnicodeDecodeError:
                note = texts.english("notes.damaged_charset", charset=charset.upper())
                return data.decode(charset, "replace"), [note]
    sample = data[:_SAMPLE_BYTES]
    charset = _unmarked_utf16(sample)
    if charset is None:
        valid = _decodes(data, "utf-8")
        if valid and 0 not in data:
            return data.decode(), []
        is_binary = len(sample.translate(None, _CONTROL)) < 0.98 * len(sample)
        if valid and not is_binary:
            return data.decode(), []
        charset = _utf16_of_other_scripts(sample)
        if charset is None and is_binary:
            raise Unreadable(texts.english("refusals.binary"))
        charset = charset or _eight_bit_charset(sample)
    return data.decode(charset, "replace"), [texts.english("notes.guessed_charset", charset=charset)]


def _unmarked_utf16(sample: bytes) -> str | None:
    """The charset of UTF-16 without a byte order mark; None for other text.

    Latin text in UTF-16 has a zero in every other byte.
    """
    half = max(len(sample) // 2, 1)
    if sample[1::2].count(0) / half > 0.6 and sample[::2].count(0) / half < 0.05:
        return "utf-16-le"
    if sample[::2].count(0) / half > 0.6 and sample[1::2].count(0) / half < 0.05:
        return "utf-16-be"
    return None


def _utf16_of_other_scripts(sample: bytes) -> str | None:
    """The charset of UTF-16 without a byte order mark in Cyrillic, Greek, Chinese and so on; None for other text.

    There, only line ends, digits and blanks have a zero byte, always in the same half of the two bytes.
    """
    big, little = (sample[place::2].count(0) for place in (0, 1))
    if max(big, little) < 3 * min(big, little) + 1:
        return None
    charset = "utf-16-be" if big > little else "utf-16-le"
    try:
        # The sample may end within a character.
        decoded = codecs.getincrementaldecoder(charset)().decode(sample)
    except UnicodeDecodeError:
        return None
    kinds = Counter(map(unicodedata.category, decoded.translate(_LINE_SIGNS)))
    letters = sum(count for kind, count in kinds.items() if kind.startswith("L"))
    return charset if not _NO_TEXT & kinds.keys() and 2 * letters > kinds.total() else None


def _eight_bit_charset(sample: bytes) -> str:
    found = _detected_charset(sample)
    is_western = found.lower() in {"cp1252", "windows-1252"}
    return "cp1254" if is_western and _looks_turkish(sample.decode("cp1252", "replace")) else found


def _looks_turkish(decoded: str) -> bool:
    """Whether a text in Windows-1252 is rather one in Windows-1254, where six letters of Icelandic are Turkish ones.

    There are no vowels with an acute, and one of the six stands beside ü or ç, or ý beside another one of them.
    """
    letters = {*decoded.lower()}
    of_both = letters & {*"ðýþ"}
    return (
        bool(of_both)
        and not letters & {*"áéíóúæ"}
        and (bool(letters & {*"üç"}) or ("ý" in of_both and len(of_both) > 1))
    )


def _detected_charset(sample: bytes) -> str:
    high = sum(byte > 0x7F for byte in sample) / max(len(sample), 1)
    if high < _MOST_OF_LATIN and _looks_western(sample):
        # Short Western texts have too few bytes above ASCII for a statistical guess.
        return "cp1252"
    from chardet import detect

    found = detect(sample, include_encodings=_CHARSETS)["encoding"]
    if high < _MOST_OF_LATIN:
        # Of several possible charsets, the one with the fewest implausible characters is chosen. Of equal ones, the
        # detected charset is preferred, but not ISO-8859-2 to the charsets of Windows.
        several = ["cp1252", "cp1250"]
        if found:
            several.insert(2 if found.lower() == "iso-8859-2" else 0, found)
        likely = [one for one in several if _decodes(sample, one)]
        if likely:
            return min(likely, key=lambda one: _implausible_count(sample.decode(one)))
    return found or ("cp1252" if _decodes(sample, "cp1252") else "latin-1")


def _looks_western(sample: bytes) -> bool:
    """Whether all bytes above ASCII are plausible characters of Western texts in Windows-1252."""
    decoded = sample.decode("cp1252", "replace")
    return {character for character in decoded if ord(character) > 0x7F} <= _WESTERN and not _implausible_count(decoded)


def _implausible_count(decoded: str) -> int:
    """The number of characters that are implausible at their place in a text of Latin letters.

    These are control characters, signs within words, capitals after small letters, and letters of other scripts beside
    Latin ones.
    """
    return sum(
        _is_implausible(found[0], found["before"] or " ", found["after"] or " ")
        for found in _SIGN_AND_NEIGHBOURS.finditer(decoded)
    )


def _is_implausible(sign: str, before: str, after: str) -> bool:
    """Whether a character above ASCII is implausible between its neighbours (blanks at the ends of the text)."""
    kind = unicodedata.category(sign)
    if kind in _NO_TEXT or kind == "Cf":
        return sign != "\xad"
    if not sign.isalpha():
        letters_beside = before.isalpha() + after.isalpha()
        is_box_drawing = "\u2500" <= sign <= "\u259f" and letters_beside > 0
        return is_box_drawing or (kind[0] in "SN" and letters_beside > 1) or (kind in {"Sc", "Sk"} and after.islower())
    beside = before + after
    is_foreign = _LAST_LATIN < sign < _FIRST_SYLLABLE and any(one.isalpha() and one <= _LAST_LATIN for one in beside)
    has_capital_within = (before.islower() and sign.isupper()) or (sign.islower() and after.isupper())
    is_before_digit = sign.isupper() and after.isdigit() and not before.isalpha()
    # In Romance languages, è does not begin a word, and the others end one. In Windows-1250, they are Czech letters.
    is_czech = (sign in "ìùÈÌÙ" and after.islower()) or (sign == "è" and after.isalpha() and not before.isalpha())
    return is_foreign or has_capital_within or is_before_digit or is_czech


def _decodes(data: bytes, charset: str) -> bool:
    try:
        data.decode(charset)
    except UnicodeDecodeError:
        return False
    return True


def lines_of(given: str) -> list[str]:
    """Lines with their line ends. They are split only at line feeds and carriage returns, and join to the same text."""
    return list(io.StringIO(given, newline=""))


def segments_by_lines(given: str) -> list[Segment]:
    """A single segment for a short text, otherwise segments of whole lines."""
    return _segments(given, lines_of, "lines")


def _segments(given: str, split: Callable[[str], list[str]], unit: str) -> list[Segment]:
    if len(given) <= LINES_CHARACTERS:
        return [Segment("all", None, given)]
    segments: list[Segment] = []
    block: list[str] = []
    first, size = 1, 0
    for number, line in enumerate(split(given), 1):
        if block and size + len(line) > LINES_CHARACTERS:
            segments.append(Segment(f"{unit} {first}-{number - 1}", None, "".join(block)))
            block, first, size = [], number, 0
        block.append(line)
        size += len(line)
    segments.append(Segment(f"{unit} {first}-{first + len(block) - 1}", None, "".join(block)))
    return segments


def segments_by_heading(markdown: str) -> list[Segment]:
    """A segment for each Markdown heading; headings beyond the maximum stay in the last one. Without any, by lines."""
    blocks: list[tuple[str | None, list[str]]] = [(None, [])]
    fence = ""
    for line in lines_of(markdown):
        if marker := _FENCE.match(line):
            fence = "" if fence and marker.group(1).startswith(fence) else fence or marker.group(1)
        heading = None if fence or len(blocks) > MOST_SECTIONS else _HEADING.match(line)
        if heading:
            blocks.append((plain_heading(_unclosed(heading.group(1))), []))
        blocks[-1][1].append(line)
    if len(blocks) == 1:
        return segments_by_lines(markdown)
    if not "".join(blocks[0][1]).strip():
        # Blank lines before the first heading belong to it, so that the segments join to the whole text.
        blocks[1][1][:0] = blocks[0][1]
        del blocks[0]
    seen: dict[str, int] = {}
    segments: list[Segment] = []
    for title, lines in blocks:
        name = title or "(beginning)"
        seen[name.casefold()] = count = seen.get(name.casefold(), 0) + 1
        part = f"section {name}" if count == 1 else f"section {name} ({count})"
        segments.append(Segment(part, title, "".join(lines)))
    return segments


def _unclosed(heading: str) -> str:
    """A heading without the number signs that may close it."""
    return heading.rstrip(" \t").rstrip("#").rstrip(" \t") or heading[:1]


def plain_heading(heading: str) -> str:
    """A heading without Markdown syntax: emphasis, links, escapes and anchors."""
    bare = re.sub(r"\{#[^{}]*\}\Z", "", heading.rstrip()).rstrip()
    bare = re.sub(r"!?\[([^\[\]]*)\]\([^()]*(?:\([^()]*\)[^()]*)?\)", r"\1", bare)
    bare = re.sub(r"(\*\*|__|\*|`)", "", bare)
    return re.sub(r"\\([\\`*_{}\[\]()#+.!|~<>-])", r"\1", bare).strip()[:120] or "(untitled)"


def read_markdown(data: bytes) -> tuple[list[Segment], list[str]]:
    """The text of a Markdown file, unchanged, by heading."""
    decoded, notes = decode(data)
    return segments_by_heading(decoded), notes


def read_google_doc(data: bytes, reader: scans.Reader) -> tuple[list[Segment], list[str]]:
    """Google's Markdown export by heading, and the text of its pictures, which the export contains as data.

    Backslash escapes are removed, so that the text reads as in the document.
    """
    decoded, notes = decode(data)
    without = _INLINE_IMAGE_DATA.sub(r"![\1]", _IMAGE_DATA.sub("", decoded))
    segments = [replace(one, text=_ESCAPE.sub(r"\1", one.text)) for one in segments_by_heading(without)]
    shown, about_pictures = scans.within(_pictures(decoded), reader)
    return scans.with_pictures(segments, shown), [*notes, *about_pictures]


def pictures(data: bytes) -> list[scans.Picture]:
    """The pictures in Google's Markdown export, in order."""
    return _pictures(decode(data)[0])


def _pictures(markdown: str) -> list[scans.Picture]:
    found = sorted(
        (match for pattern in (_IMAGE_DATA, _INLINE_IMAGE_DATA) for match in pattern.finditer(markdown)),
        key=lambda match: match.start(),
    )
    return [scans.Picture(_image_data(match[0])) for match in found]


def _image_data(shown: str) -> bytes:
    """The bytes of a picture in Markdown; empty if they are damaged."""
    encoded = re.search(r";base64,([A-Za-z0-9+/=]+)", shown)
    try:
        return base64.b64decode(encoded[1]) if encoded else b""
    except ValueError:
        return b""


def read_lines(data: bytes) -> tuple[list[Segment], list[str]]:
    """The text of a plain text, code or JSON file, unchanged."""
    decoded, notes = decode(data)
    return segments_by_lines(decoded), notes


def read_csv(data: bytes) -> tuple[list[Segment], list[str]]:
    """The text of a CSV file in segments of whole rows, unchanged except that doubled line breaks are reduced."""
    decoded, notes = decode(data)
    return _segments(_single_spaced(decoded), rows_of, "rows"), notes


def _single_spaced(given: str) -> str:
    """CSV without the empty line after each row that some programs write."""
    text = given.replace("\r\r\n", "\n")
    may_be_double = '"' not in text and ("\n\n" in text or "\r\n\r\n" in text)
    lines = text.splitlines(keepends=True) if may_be_double else []
    is_double = len(lines) > 3 and not any(map(str.strip, lines[1::2])) and all(map(str.strip, lines[::2]))
    return "".join(lines[::2]) if is_double else text


def rows_of(given: str) -> list[str]:
    """The unchanged rows of CSV with their line ends. A row may span lines. If the quoting is malformed, the lines."""
    lines = lines_of(given)
    reader = csv.reader(lines, strict=True)
    rows: list[str] = []
    done = 0
    try:
        for _ in reader:
            rows.append("".join(lines[done : reader.line_num]))
            done = reader.line_num
    except csv.Error:
        return lines
    return rows


def read_html(data: bytes) -> tuple[list[Segment], list[str]]:
    """A web page as Markdown, without scripts and styles."""
    decoded, notes = decode(data)
    return segments_by_heading(markdown_of(decoded)), notes


def _is_hidden(tag: Any) -> bool:
    """Whether this part of a page is invisible to its readers."""
    attributes = tag.attrs or {}
    hidden = attributes.get("hidden", "until-found") != "until-found"
    return hidden or bool(_HIDDEN_STYLE.search(str(attributes.get("style") or "")))


def markdown_of(markup: str, choose: Callable[[Any], Any] | None = None) -> str:
    """HTML as Markdown, without pictures, scripts and styles.

    Args:
        markup: The HTML.
        choose: Selects the part of the tree (BeautifulSoup's) to convert; everything by default.

    Raises:
        Unreadable: The HTML cannot be parsed.
    """
    from bs4 import BeautifulSoup
    from bs4.exceptions import ParserRejectedMarkup
    from markdownify import MarkdownConverter

    try:
        # Python's own parser takes quadratic time for unclosed tags, and the converter for long runs of blanks.
        soup = BeautifulSoup(markup, "lxml")
        # The head itself stays, because the parser puts a main part into it if a page has no body.
        for tag in soup(["script", "style", "noscript", "template", "title"]):
            tag.decompose()
        for tag in soup.find_all(_is_hidden):
            tag.decompose()
        for words in soup.find_all(string=_BLANKS):
            words.replace_with(_BLANKS.sub(lambda long: long[0][:100], words))
        html_tables.flatten(soup)
        chosen = choose(soup) if choose is not None else soup
        for tag in chosen(_BLOCKS):
            tag.name = "div"
        converter = MarkdownConverter(
            heading_style="ATX", strip=["img"], escape_asterisks=False, escape_underscores=False
        )
        return converter.convert_soup(chosen).strip()
    except (ParserRejectedMarkup, RecursionError, AssertionError):
        raise Unreadable(texts.english("refusals.damaged_page")) from None


def read_page(data: bytes) -> tuple[list[Segment], list[str]]:
    """A web page as Markdown in one segment: the part that it marks as main, otherwise everything but its menus.

    The main part is not guessed. A wrong guess would lose lists and tables, and the reader would believe that the page
    lacks them.

    Raises:
        Unreadable: The page is not text or cannot be parsed.
    """
    decoded, notes = decode(data)
    return [Segment("all", None, markdown_of(decoded, _main))], notes


def _main(soup: Any) -> Any:
    """The part of a page that it marks as main; without one, the page without menus, header and footer."""
    for tag in soup(_SIDE_ELEMENTS):
        tag.decompose()
    marked = soup.find("main") or soup.find(attrs={"role": "main"})
    articles = soup("article")
    main = marked or (articles[0] if len(articles) == 1 else None)
    if main is not None and len(main.get_text()) >= _MAIN_SHARE * len(soup.get_text()):
        return main
    for tag in soup(_MARGINS):
        # The header of an article contains its title.
        if tag.find_parent(["article", "main"]) is None:
            tag.decompose()
    return soup
