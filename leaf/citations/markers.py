"""Finds the references of an answer to its sources: footnotes, quotations with a link, and links alone. Pure.

A footnote is `[^1]` in the text and a line `[^1]: "quoted words" — [file](url), page 3`, as in GitHub's Markdown.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from leaf.citations.blanks import blanked, without_code
from leaf.citations.links import TRAILING, Link, links
from leaf.citations.quote_search import long_enough
from leaf.citations.syntax import ADDRESS, LABEL_CHARACTERS, LINK, MARK, PLACE, Reference, Span, plain
from leaf.citations.unmarked_quotations import unmarked

_DEFINITION = re.compile(rf"^ {{0,3}}\[\^([^\]\s\[^]{{1,{LABEL_CHARACTERS}}})\]:[ \t]*", re.MULTILINE)
_BEGUN = re.compile(
    rf"(?:^ {{0,3}}\[\^[^\]\s\[^]{{1,{LABEL_CHARACTERS}}}\]?|\[\^?[^\]\s\[^]{{0,{LABEL_CHARACTERS}}})\Z", re.MULTILINE
)
"""The end of a text that may become a footnote when more of the text arrives."""
_QUOTATION_MARK = re.compile(r"(?<!\\)[\"“”„«»\uff02「」『』]")
_SINGLE_MARKS = re.compile(r"(?<![\w\\])[‘‚‹›']\S[^\x00]{0,2000}[‘’‹›'](?!\w)")
"""Single quotation marks around words; elsewhere they are apostrophes."""
_PARAGRAPHS = re.compile(r"\n[ \t>]*\n")


@dataclass(frozen=True, slots=True)
class References:
    """The references of one text."""

    definitions: dict[str, Reference]
    """The definitions by label. Further definitions of the same label have keys of their own."""
    marks: list[tuple[str, Span]]
    """The footnote marks in order, each with its position and the key of its definition, or its label if it has no
    definition.
    """
    unmarked: list[tuple[Reference, Span]]
    """Quotations that name their source without a footnote. The span is empty and is the position for a number."""
    links: list[Link]
    """Web links whose address no footnote or quotation names."""


def references(text: str, *, is_cut: bool = False) -> References:
    """The references of a text.

    Args:
        text: Markdown.
        is_cut: Whether the answer was cut off at the end of this text.
    """
    cut_at = len(text) if is_cut else len(text) + 1
    coded = without_code(text)
    spans = list(_definitions(coded))
    definitions: dict[str, Reference] = {}
    keys: dict[str, list[tuple[int, str]]] = {}
    for label, body, (start, end) in spans:
        reference, known = _defined(text[body:end]), keys.setdefault(label, [])
        if end >= cut_at and not text.endswith("\n"):
            reference = replace(reference, is_cut=True)
        # A label that is defined again gets a key with a tab, which no label can contain.
        new_key = f"{label}\t{len(known)}" if known else label
        key = next((one for _, one in known if definitions[one] == reference), new_key)
        definitions.setdefault(key, reference)
        known.append((start, key))
    bare = blanked(coded, [span for _, _, span in spans])
    marks = [(_key(keys.get(match[1], ()), match), match.span()) for match in MARK.finditer(bare)]
    # A quotation without a footnote is not a reference if it is too short to be searched.
    quotations = [(reference, span) for reference, span in unmarked(bare, text) if long_enough(reference.quote)]
    alone = [*_alone(links(bare, text), quotations, bare)]
    if is_cut:
        end = len(text.rstrip())
        quotations = [(replace(one, is_cut=span[1] >= end), span) for one, span in quotations]
        # A bare address at the end may be incomplete.
        alone = [one for one in alone if text[one.span[1] : end].strip(TRAILING) or text[one.span[1] - 1] in ")>]"]
    return References(definitions, marks, quotations, alone)


def _alone(found: Iterable[Link], quotations: Sequence[tuple[Reference, Span]], bare: str) -> Iterator[Link]:
    """Yields the links whose address is not the source of a quotation in the same paragraph."""
    breaks = [one.start() for one in _PARAGRAPHS.finditer(bare)]
    quoted = {(bisect_right(breaks, span[0]), reference.target) for reference, span in quotations}
    yield from (one for one in found if (bisect_right(breaks, one.span[0]), one.written) not in quoted)


def _key(known: Sequence[tuple[int, str]], mark: re.Match[str]) -> str:
    """The key of the definition to which a mark refers. It is the next definition of the label, or else the last
    one.
    """
    following = bisect_right(known, mark.start(), key=lambda one: one[0])
    return known[min(following, len(known) - 1)][1] if known else mark[1]


def shown(text: str, marks: Sequence[tuple[int, int, str]] = (), *, growing: bool = False) -> str:
    """A text without the definitions of its footnotes.

    Args:
        text: Markdown.
        marks: Replacements for stretches of the text, such as `[^2]`.
        growing: Whether more text may follow. If so, a possible beginning of a footnote is held back.
    """
    if growing and "[" in text[-LABEL_CHARACTERS - 8 :] and (begun := _BEGUN.search(text, max(0, len(text) - 60))):
        text = text[: begun.start()]
    if "[^" not in text and not marks:
        return text
    edits = [(start, end, "") for _, _, (start, end) in _definitions(without_code(text))]
    edits += [mark for mark in marks if mark[1] <= len(text)]
    pieces, at = list[str](), 0
    for start, end, new in sorted(edits):
        if start >= at:
            pieces += text[at:start], new
            at = end
    return "".join([*pieces, text[at:]])


def definitions(text: str) -> list[tuple[str, int, int]]:
    """The footnote definitions of a text, each with its label and the begin and end of the text after the label."""
    return [(label, body, end) for label, body, (_, end) in _definitions(without_code(text))]


def targets(text: str) -> list[str]:
    """The addresses that a text links to or contains."""
    linked = [one[2] or one[3] or "" for one in LINK.finditer(text)]
    return [*linked, *(one[0] for one in ADDRESS.finditer(text))]


def _definitions(plain_text: str) -> Iterator[tuple[str, int, Span]]:
    """Yields the label of each definition, the start of the text after it, and the span of the whole definition. It
    includes the indented lines below.
    """
    if "]:" not in plain_text:
        return
    for match in _DEFINITION.finditer(plain_text):
        end = _line_end(plain_text, match.end())
        while end < len(plain_text) and plain_text[end] in " \t":
            following = _line_end(plain_text, end)
            if not plain_text[end:following].strip():
                break
            end = following
        yield match[1], match.end(), (match.start(), end)


def _line_end(text: str, place: int) -> int:
    end = text.find("\n", place)
    return len(text) if end < 0 else end + 1


def _defined(body: str) -> Reference:
    links = [*LINK.finditer(body)] or [*ADDRESS.finditer(body)]
    if links:
        quote = _outermost(body, 0, links[-1].start()) or _outermost(body, links[-1].end(), len(body))
    else:
        quote = _outermost(body, 0, len(body))
    outside = body if quote is None else body[: quote[0]] + " " + body[quote[1] :]
    name, target = _target(outside)
    place = PLACE.search(LINK.sub(" ", outside))
    quoted = plain(body[quote[0] : quote[1]]) if quote else ""
    return Reference(quoted, target, name, place[0].strip() if place else "")


def _outermost(text: str, start: int, end: int) -> Span | None:
    """The span from the first to the last quotation mark, since a quote may contain quotation marks."""
    marks = [match.start() for match in _QUOTATION_MARK.finditer(text, start, end)]
    if len(marks) > 1:
        return marks[0], marks[-1] + 1
    single = _SINGLE_MARKS.search(text, start, end)
    return single.span() if single else None


def _target(text: str) -> tuple[str, str]:
    """The name and the address of a source. Without an address, the name is used as the address."""
    if link := LINK.search(text):
        return plain(link[1]), link[2] or link[3] or plain(link[1])
    if address := ADDRESS.search(text):
        return "", address[0].rstrip(".,;:)")
    line = text.strip(" \n\t–—-").partition("\n")[0]
    place = PLACE.search(line)
    name = line[: place.start() if place else None].strip(" \t.,;:–—-()`*")
    return name, name


def numbered(found: Mapping[int, References], *, whole: bool = True) -> list[tuple[Reference, dict[int, list[Span]]]]:
    """All references of an answer in the order of their first position, each with its positions by slot of the text
    part.

    Args:
        found: References by the slot of the text part.
        whole: Whether the answer is complete.
    """
    everywhere: dict[str, Reference] = {}
    for references_of in found.values():
        everywhere |= references_of.definitions
    undefined = Reference("", "", written=False, is_cut=not whole)
    entries: dict[_Key, tuple[Reference, dict[int, list[Span]]]] = {}
    for slot, one in sorted(found.items()):
        for span, key, reference in sorted(_positions(slot, one, everywhere), key=lambda entry: entry[0]):
            _, spans_by_slot = entries.setdefault(key, (reference or undefined, {}))
            spans_by_slot.setdefault(slot, []).append(span)
    for slot, one in sorted(found.items()):
        for label, reference in one.definitions.items():
            # A definition with a quote is checked even if no mark uses it.
            is_used = (slot, "footnote", label) in entries or (_SHARED, "footnote", label) in entries
            if reference.quote and not is_used:
                entries[slot, "footnote", label] = reference, {}
    return list(entries.values())


_Key = tuple[int, Literal["footnote", "quotation", "link"], str]
"""The slot of a source, or `_SHARED`; its form; and its label, number or address."""
_SHARED: Final = -1
"""In place of the slot of a source that has one number in all texts."""


def _positions(
    slot: int, found: References, everywhere: Mapping[str, Reference]
) -> Iterator[tuple[Span, _Key, Reference | None]]:
    """Yields the position of each citation number in a text, a key, and the source; None for a mark without a
    definition.
    """
    for label, span in found.marks:
        if label in found.definitions:
            yield span, (slot, "footnote", label), found.definitions[label]
        else:
            yield span, (_SHARED, "footnote", label), everywhere.get(label)
    for number, (reference, span) in enumerate(found.unmarked):
        yield span, (slot, "quotation", str(number)), reference
    for link in found.links:
        end = link.span[1]
        yield (end, end), (_SHARED, "link", link.target), Reference("", link.target, link.name, bare=True)
