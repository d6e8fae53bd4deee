"""How an answer names what it rests on: footnotes, and quotations followed by a link. Pure.

A footnote is `[^1]` in the text and a line `[^1]: "quoted words" — [file](url), page 3`, as GitHub's Markdown has it.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from leaf.citations.blanks import blanked, without_code
from leaf.citations.texts import long_enough

Span = tuple[int, int]

LABEL_CHARACTERS = 40
_MARK = re.compile(rf"\[\^([^\]\s\[^]{{1,{LABEL_CHARACTERS}}})\]")
_DEFINITION = re.compile(rf"^ {{0,3}}\[\^([^\]\s\[^]{{1,{LABEL_CHARACTERS}}})\]:[ \t]*", re.MULTILINE)
_BEGUN = re.compile(
    rf"(?:^ {{0,3}}\[\^[^\]\s\[^]{{1,{LABEL_CHARACTERS}}}\]?|\[\^?[^\]\s\[^]{{0,{LABEL_CHARACTERS}}})\Z", re.MULTILINE
)
"""What may become a footnote once more of it has come."""
_LINK = re.compile(
    r"(?<!!)\[((?:[^\[\]\\]|\\.){0,500})\]\([ \t]*"
    r"(?:<([^<>\n]{0,2000})>|([^()\s]{0,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,200}){0,4}))[^()\n]{0,200}\)"
)
"""A link, with bounds: a text that looks like the beginning of many must not be looked through again and again."""
_ADDRESS = re.compile(r"https?://[^\s<>\"'“”\[\]]+")
_QUOTED = re.compile(r"“([^“”]*)”|„([^“„”]*)[“”]|«([^«»]*)»|\"((?:[^\"\\]|\\.)*)\"|»([^»«]*)«")
_QUOTATION_MARK = re.compile(r"(?<!\\)[\"“”„«»]")
_PLACE = re.compile(
    r"\b(?:pages?|slides?|sheet|section|lines?|rows?|Seiten?|Folie|Blatt|Abschnitt|Zeilen?)[ \t]+[^,;()\[\]\n]{1,80}"
)
_INTRODUCES = re.compile(r"[^\n\x00.]{0,80}:[ \t]*\**")
_FOLLOWS = re.compile(r"[\s.,]*[(\u2013\u2014-]\s?")
_BLOCKQUOTE = re.compile(r"(?:^ {0,3}>[^\n]*(?:\n|\Z))+", re.MULTILINE)
_OWN_LINE = re.compile(r"(?: {2,}|\\)\n|\n(?= {0,3}>[ \t]*(?:\n|[-+*] |\d{1,3}[.)] ))")
_ATTRIBUTION = re.compile(
    r"(?:[ \t]*\n){0,2} {0,3}(?:[-–—] ?|\*|\(|(?:Source|Quelle|From):?\s*)*(?=\[)(?P<line>[^\n]*)"
)
_UNQUOTED = re.compile(r"^ {0,3}(?:>[ \t]?)+", re.MULTILINE)
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_EMPHASIS = re.compile(r"\*+|(?<!\w)_+|_+(?!\w)|~~")


@dataclass(frozen=True, slots=True)
class Reference:
    """What a claim rests on, as the answer has it."""

    quote: str
    target: str
    """The address, path or name of what is quoted; empty where none is named."""
    name: str = ""
    part: str = ""
    """The place that the model names."""
    written: bool = True
    """Whether there is a definition of it: not where the answer broke off before that."""


@dataclass(frozen=True, slots=True)
class Marked:
    """A reference and the places in the text where a number stands, or has to stand, for it."""

    reference: Reference
    at: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class References:
    """What one text refers to."""

    definitions: dict[str, Reference]
    """By label; where one label is defined in several ways, the further ones by keys of their own."""
    marks: list[tuple[str, Span]]
    """Keys of definitions, or labels that have none, and where they stand, in order."""
    unmarked: list[tuple[Reference, Span]]
    """Quotations that name what they are from, without a footnote; the span is empty: where a number can stand."""


def references(text: str) -> References:
    """What a text refers to.

    Args:
        text: Markdown.
    """
    plain = without_code(text)
    spans = list(_definitions(plain))
    definitions: dict[str, Reference] = {}
    keys: dict[str, list[tuple[int, str]]] = {}
    for label, body, (start, end) in spans:
        said, known = _defined(text[body:end]), keys.setdefault(label, [])
        # A label that stands for something else further on gets a key that no label can be.
        key = next((one for _, one in known if definitions[one] == said), f"{label}\t{len(known)}" if known else label)
        definitions.setdefault(key, said)
        known.append((start, key))
    bare = blanked(plain, [span for _, _, span in spans])
    marks = [(_key(keys.get(match[1], ()), match), match.span()) for match in _MARK.finditer(bare)]
    # A quotation without a footnote that is too short to be looked for is no reference.
    unmarked = [(reference, span) for reference, span in _unmarked(bare, text) if long_enough(reference.quote)]
    return References(definitions, marks, unmarked)


def _key(known: Sequence[tuple[int, str]], mark: re.Match[str]) -> str:
    """Which definition of its label a mark means: the next one, or the last one before it."""
    following = bisect_right(known, mark.start(), key=lambda one: one[0])
    return known[min(following, len(known) - 1)][1] if known else mark[1]


def shown(text: str, marks: Sequence[tuple[int, int, str]] = (), *, growing: bool = False) -> str:
    """A text without the definitions of its footnotes.

    Args:
        text: Markdown.
        marks: What to put in the place of stretches of the text, such as `[^2]`.
        growing: Whether more of it may come: what may become a footnote is kept back.
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


def plain(markdown: str) -> str:
    """Markdown's words without its marks: what was quoted."""
    text = _UNQUOTED.sub("", markdown)
    text = _LINK.sub(lambda link: link[1], text)
    text = _EMPHASIS.sub("", _ESCAPED.sub(r"\1", text))
    text = re.sub(r"^ {0,3}(?:[-+*]|\d{1,3}[.)]|#{1,6})\s+", "", text, flags=re.MULTILINE)
    return " ".join(text.split()).strip(" \"'“”„«»")


def _definitions(plain_text: str) -> Iterator[tuple[str, int, Span]]:
    """Labels, where what is said of them begins, and the whole: the line, and indented ones that follow it."""
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
    links = [*_LINK.finditer(body)] or [*_ADDRESS.finditer(body)]
    quote = _outermost(body, 0, links[-1].start()) or _outermost(body, links[-1].end(), len(body)) if links else None
    quote = quote or (None if links else _outermost(body, 0, len(body)))
    outside = body if quote is None else body[: quote[0]] + " " + body[quote[1] :]
    name, target = _target(outside)
    place = _PLACE.search(_LINK.sub(" ", outside))
    said = plain(body[quote[0] : quote[1]]) if quote else ""
    return Reference(said, target, name, place[0].strip() if place else "")


def _outermost(text: str, start: int, end: int) -> Span | None:
    """From the first quotation mark to the last: what is quoted may hold marks of its own."""
    marks = [match.start() for match in _QUOTATION_MARK.finditer(text, start, end)]
    return (marks[0], marks[-1] + 1) if len(marks) > 1 else None


def _target(text: str) -> tuple[str, str]:
    """The name and the address of what is referred to; a name alone serves as an address."""
    if link := _LINK.search(text):
        return plain(link[1]), link[2] or link[3] or plain(link[1])
    if address := _ADDRESS.search(text):
        return "", address[0].rstrip(".,;:)")
    line = text.strip(" \n\t–—-").partition("\n")[0]
    place = _PLACE.search(line)
    name = line[: place.start() if place else None].strip(" \t.,;:–—-()`*")
    return name, name


def _unmarked(bare: str, text: str) -> Iterator[tuple[Reference, Span]]:
    """Blockquotes followed by a link, and quotation marks in a paragraph with one link, where no footnote stands."""
    taken: list[Span] = []
    for block in _BLOCKQUOTE.finditer(bare):
        end = block.start() + len(block[0].rstrip())
        taken.append((block.start(), end))
        link, said, at = _attributed(bare, end) or _announced(bare, block.start(), end) or (None, "", 0)
        if link is None or _MARK.search(block[0]) or _MARK.search(said):
            continue
        taken.append(link.span())
        place = _PLACE.search(_LINK.sub(" ", said))
        # Each line of its own is a piece: what stands between two of them in the file may be left out.
        quote = " … ".join(filter(None, map(plain, _OWN_LINE.split(text[block.start() : end]))))
        yield Reference(quote, link[2] or link[3] or "", plain(link[1]), place[0].strip() if place else ""), (at, at)
    yield from _in_sentences(blanked(bare, taken), text)


def _attributed(bare: str, end: int) -> tuple[re.Match[str], str, int] | None:
    """The link in the line below a blockquote, that line, and where a number can stand: `— [file](url), page 3`."""
    found = _ATTRIBUTION.match(bare, end)
    link = _LINK.match(bare, found.start("line")) if found else None
    if found is None or link is None:
        return None
    return link, found["line"], found.start("line") + len(found["line"].rstrip())


def _announced(bare: str, start: int, end: int) -> tuple[re.Match[str], str, int] | None:
    """The same for the paragraph above it, where that ends in a colon: `[file](url) says:`."""
    above = bare[:start].rstrip()
    begin = above.rfind("\n\n") + 1
    links = [*_LINK.finditer(above, begin)]
    if not above.endswith(":") or len(links) != 1:
        return None
    return links[0], above[begin:], end


def _in_sentences(bare: str, text: str) -> Iterator[tuple[Reference, Span]]:
    """Quotation marks next to a link: `[file](url) says: "…"`, or `"…" ([file](url))`. Others may quote anything."""
    for paragraph in re.finditer(r"[^\n]+(?:\n[^\n]+)*", bare):
        if "](" not in paragraph[0] or _MARK.search(paragraph[0]):
            continue
        links = [*_LINK.finditer(bare, *paragraph.span())]
        outside = blanked(bare[: paragraph.end()], [one.span() for one in links])
        for quote in _QUOTED.finditer(outside, paragraph.start()):
            link, between = _beside(bare, links, quote.span())
            if link is None:
                continue
            place = _PLACE.search(between)
            reference = Reference(
                plain(text[quote.start() : quote.end()]),
                link[2] or link[3] or "",
                plain(link[1]),
                place[0].strip() if place else "",
            )
            yield reference, (quote.end(), quote.end())


def _beside(bare: str, links: Sequence[re.Match[str]], quote: Span) -> tuple[re.Match[str] | None, str]:
    """The link that says what a quotation is from, and what stands between the two."""
    behind = bisect_right(links, quote[0], key=lambda one: one.end())
    # The one before it, and the one behind it: what is from further away says what it is from.
    for link in links[max(0, behind - 1) : behind + 1]:
        between = bare[link.end() : quote[0]] if link.end() <= quote[0] else bare[quote[1] : link.start()]
        before = link.end() <= quote[0] and _INTRODUCES.fullmatch(between)
        if before or (link.start() >= quote[1] and _FOLLOWS.fullmatch(between)):
            return link, between
    return None, ""


def numbered(found: Mapping[int, References]) -> list[tuple[Reference, dict[int, list[Span]]]]:
    """All references of an answer in the order in which they stand, each with where it stands by text part.

    Args:
        found: By the slot of the text part.
    """
    everywhere: dict[str, Reference] = {}
    for references_of in found.values():
        everywhere |= references_of.definitions
    entries: dict[tuple[int, str], tuple[Reference, dict[int, list[Span]]]] = {}
    for slot, one in sorted(found.items()):
        marks = [(span, label) for label, span in one.marks]
        order = sorted([*((span, label, None) for span, label in marks),
                        *((span, f"\n{number}", reference) for number, (reference, span) in enumerate(one.unmarked))],
                       key=lambda entry: entry[0])  # fmt: skip
        for span, label, reference in order:
            own = reference or one.definitions.get(label) or everywhere.get(label)
            key = (slot if label.startswith("\n") or label in one.definitions else -1, label)
            known = entries.setdefault(key, (own or Reference("", "", written=False), {}))
            known[1].setdefault(slot, []).append(span)
    for slot, one in sorted(found.items()):
        for label, reference in one.definitions.items():
            # What was listed and never referred to is checked, too.
            if reference.quote and (slot, label) not in entries and (-1, label) not in entries:
                entries[slot, label] = reference, {}
    return list(entries.values())
