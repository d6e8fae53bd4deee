"""Searches a document for words and returns the passages that contain them, ordered by relevance."""

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from leaf.documents import paragraphs, terms
from leaf.documents.headings import outline
from leaf.documents.model import Document
from leaf.documents.paragraphs import Block
from leaf.documents.pieces import Piece, pieces_of, ranges, span_of
from leaf.documents.ranges import LIMIT_CHARACTERS, NoSuchPart, Selection, asked_for
from leaf.documents.text import lines_of
from leaf.texts.places import is_in

MAX_PASSAGES = 24
GAP = "[…]\n"
"""The mark for omitted text between two passages of the same piece."""
_RELATIVE = 0.5
"""A passage with less than this share of the best score is counted but not returned."""
_TITLE_SHARE, _PHRASE_BONUS, _HEADING_BONUS, _REPEAT_BONUS = 0.5, 0.5, 0.3, 0.03
_CONTENTS_FACTOR = 0.3
_SCORED = 400
"""The maximum number of hits that are scored; hits with more and rarer terms are preferred."""
_USUAL_CHARACTERS = 400
"""The assumed length of a paragraph. Pieces without a search term are not split, so their paragraphs are not known."""
_SHORT_CHARACTERS = 500
"""A shorter paragraph is returned together with the text that follows it."""


@dataclass(frozen=True, slots=True)
class _Place:
    """A piece and its blocks."""

    piece: Piece
    blocks: list[Block]
    header: str
    """The header row of the table, if it is not among the blocks."""


@dataclass(frozen=True, slots=True)
class _Hit:
    """A block that contains at least one search term."""

    place: int
    block: int
    values: list[float]
    """How well the block matches each search term, from 0 for no match to 1 for an exact match."""
    folded: str
    """The text of the block, as `terms.fold` normalises it."""


def find(document: Document, words: str, part: str | None = None, *, limit: int = LIMIT_CHARACTERS) -> Selection:
    """The passages that match a search best.

    A passage with more of the terms ranks higher, and rare terms count more than common ones.

    Args:
        document: The document to search.
        words: Search terms: words, names, numbers, identifiers, or phrases in quotation marks.
        part: Restricts the search to a part, as `select` takes it.
        limit: The maximum number of characters of the content.

    Raises:
        NoSuchPart: The document has no part of that name, or `words` has no search term.
    """
    query = terms.query(words)
    if not query.terms:
        raise NoSuchPart("There is no word to look for. Pass words that the passage may hold.")
    everything = pieces_of(document)
    total = sum(len(piece.text) for piece in everything)
    chosen, extra = asked_for(everything, part)
    places = _places(document, chosen, query, limit)
    hits = _matching(places, query)
    wanted = " ".join(words.split())
    if not hits:
        where = span_of([piece.part for piece in chosen]) if chosen is not everything else "this file"
        note = f"None of these words occurs in {where}: “{wanted}”. Try other words, or read a part of the outline."
        notes = " ".join(one for one in [note, extra, *document.notes] if one)
        return Selection("no passages", "", total, False, outline(everything), notes, 0)
    ranked = _ranked(places, hits, query)
    fitting = _fitting(places, ranked, limit)
    shown = {(hit.place, hit.block) for hit in fitting}
    notes = [
        _count_note(len(hits), len(fitting), wanted), _missing_note(query, hits), _rows_note(places, shown), extra,
        *document.notes,
    ]  # fmt: skip
    content = _content(places, fitting, limit, several=len(everything) > 1)
    part_names = [places[at].piece.part for at in sorted({hit.place for hit in fitting})]
    note = " ".join(one for one in notes if one)
    return Selection(_description(part_names), content, total, False, None, note, len(hits))


def _places(document: Document, pieces: Sequence[Piece], query: terms.Query, limit: int) -> list[_Place]:
    """The pieces with their blocks; a piece without any term is not split."""
    is_table = document.kind in paragraphs.TABLES
    size = min(paragraphs.BLOCK_CHARACTERS, max(limit // 2, 1))
    places: list[_Place] = []
    for piece in pieces:
        folded = terms.fold(piece.body)
        blocks: list[Block] = []
        if any(term.stem in folded for term in query.terms):
            blocks = paragraphs.rows(piece) if is_table else paragraphs.paragraphs(piece, size)
        header = _header(document, piece) if is_table else ""
        has_own = len(blocks) > 1 and piece.body[blocks[0].start : blocks[0].end] == header
        places.append(_Place(piece, blocks[1:] if has_own and header else blocks, header))
    return places


def _header(document: Document, piece: Piece) -> str:
    # Segments of one CSV file share the names of its columns; every sheet has its own.
    whole = piece.segment if piece.part.startswith("sheet ") else document.segments[0]
    return next((line for line in lines_of(whole.text) if line.strip(" \t\r\n,;")), "")


def _matching(places: Sequence[_Place], query: terms.Query) -> list[_Hit]:
    hits: list[_Hit] = []
    for number, place in enumerate(places):
        body = place.piece.body
        for at, block in enumerate(place.blocks):
            folded = terms.fold(body[block.start : block.end])
            values = [term.found_in(folded) for term in query.terms]
            if any(values):
                hits.append(_Hit(number, at, values, folded))
    return hits


def _ranked(places: Sequence[_Place], hits: list[_Hit], query: terms.Query) -> list[_Hit]:
    """The hits that are good enough to be returned, the best first."""
    count = sum(len(place.piece.body) // _USUAL_CHARACTERS + 1 for place in places)
    frequencies = [sum(hit.values[number] >= terms.INFLECTED for hit in hits) for number in range(len(query.terms))]
    weights = [math.log(1 + (max(count, len(hits)) + 1) / (frequency + 0.5)) for frequency in frequencies]
    # Scoring is slow, so only the `_SCORED` hits with the most and the rarest terms are scored.
    shares = [
        _share(weights, hit.values) + _PHRASE_BONUS * (all(hit.values) and query.has_phrase(hit.folded)) for hit in hits
    ]
    near = heapq.nlargest(_SCORED, range(len(hits)), key=lambda at: (shares[at], -at))
    titles = {hits[at].place: _term_values(query, _title_and_header(places[hits[at].place])) for at in near}
    scores = {at: _score(places[hits[at].place], hits[at], query, weights, titles[hits[at].place]) for at in near}
    ranked = sorted(near, key=lambda at: (-scores[at], at))
    return [hits[at] for at in ranked if scores[at] >= _RELATIVE * scores[ranked[0]]]


def _share(weights: Sequence[float], values: Sequence[float]) -> float:
    return sum(weight * value for weight, value in zip(weights, values, strict=True)) / sum(weights)


def _title_and_header(place: _Place) -> str:
    return f"{place.piece.title or ''} {place.header}"


def _term_values(query: terms.Query, text: str) -> list[float]:
    folded = terms.fold(text)
    return [term.found_in(folded) for term in query.terms]


def _score(place: _Place, hit: _Hit, query: terms.Query, weights: Sequence[float], above: Sequence[float]) -> float:
    known = [max(own, _TITLE_SHARE * title) for own, title in zip(hit.values, above, strict=True)]
    score = _share(weights, known)
    block = place.blocks[hit.block]
    if block.title:
        score += _HEADING_BONUS * _share(weights, _term_values(query, block.title))
    if query.has_phrase(hit.folded):
        score += _PHRASE_BONUS
    repeated = max(hit.folded.count(term.stem) for term, value in zip(query.terms, hit.values, strict=True) if value)
    score += _REPEAT_BONUS * min(repeated - 1, 3)
    text = place.piece.body[block.start : block.end]
    at_edge = is_in(place.piece.part, "page") and hit.block in (0, len(place.blocks) - 1)
    if paragraphs.is_contents(text) or (at_edge and paragraphs.is_running_title(text)):
        score *= _CONTENTS_FACTOR
    return score


def _fitting(places: Sequence[_Place], ranked: Sequence[_Hit], limit: int) -> list[_Hit]:
    """As many of the best hits as fit, each together with the marker and the header of its place."""
    room, fitting, opened = limit, list[_Hit](), set[int]()
    for hit in ranked[:MAX_PASSAGES]:
        place = places[hit.place]
        block = place.blocks[hit.block]
        cost = block.end - block.start + len(GAP) + 1
        if hit.place not in opened:
            cost += len(f"[{place.piece.part}]\n{place.header}\n")
        if fitting and cost > room:
            break
        room -= cost
        opened.add(hit.place)
        fitting.append(hit)
    return fitting


def _content(places: Sequence[_Place], hits: Sequence[_Hit], limit: int, *, several: bool) -> str:
    """The text of the passages: pieces are ordered by their best passage, passages by their position in the piece."""
    chosen: dict[int, set[int]] = {}
    for hit in hits:
        chosen.setdefault(hit.place, set()).add(hit.block)
    content = _joined_text(places, chosen, several=several)

    def fits() -> bool:
        nonlocal content
        longer = _joined_text(places, chosen, several=several)
        content = longer if len(longer) <= limit else content
        return len(longer) <= limit

    for hit in hits:
        _lengthen(places[hit.place], hit.block, chosen[hit.place], fits)
    return content[:limit]


def _lengthen(place: _Place, at: int, chosen: set[int], fits: Callable[[], bool]) -> None:
    """Adds the text that follows a short paragraph, up to the next heading."""
    end = place.blocks[at].start + _SHORT_CHARACTERS
    for following in range(at + 1, len(place.blocks)):
        block = place.blocks[following]
        if block.row is not None or block.title or block.start >= end:
            return
        if following not in chosen:
            chosen.add(following)
            if not fits():
                chosen.discard(following)
                return


def _joined_text(places: Sequence[_Place], chosen: dict[int, set[int]], *, several: bool) -> str:
    parts: list[str] = []
    for number, blocks in chosen.items():
        place = places[number]
        marker = f"[{place.piece.part}]\n" if several else ""
        parts.append(marker + _with_newline(place.header) + _passages(place, sorted(blocks)))
    return ("" if several else GAP).join(parts)


def _passages(place: _Place, blocks: list[int]) -> str:
    body, shown, previous = place.piece.body, "", None
    for at in blocks:
        block = place.blocks[at]
        if previous is None:
            # Rows stand alone; a paragraph may continue an omitted one.
            shown += GAP if at and block.row is None else ""
        elif block.row is None:
            # Only blanks separate two neighbours; they are kept as in the file.
            shown += body[place.blocks[previous].end : block.start] if at == previous + 1 else f"\n{GAP}"
        shown += body[block.start : block.end] if block.row is None else _with_newline(body[block.start : block.end])
        previous = at
    return _with_newline(shown)


def _with_newline(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"


def _description(parts: list[str]) -> str:
    """A description of the parts that the passages come from, with names that `part` accepts."""
    if parts == ["all"]:
        return "passages"
    if all(part.startswith(("page ", "slide ")) for part in parts):
        return f"passages on {span_of(parts)}"
    return f"passages in {'; '.join(parts)}"


def _count_note(matching: int, returned: int, wanted: str) -> str:
    if matching == returned:
        return f"{matching} passage{' matches' if matching == 1 else 's match'} “{wanted}”."
    return (
        f"The best {returned} of {matching} passages with words of “{wanted}” are shown. "
        f"The other {matching - returned} match less well or did not fit. Search for rarer words, or within one part."
    )


def _missing_note(query: terms.Query, hits: Sequence[_Hit]) -> str | None:
    found = [any(hit.values[number] for hit in hits) for number in range(len(query.terms))]
    missing = [f"“{term.text}”" for term, is_found in zip(query.terms, found, strict=True) if not is_found]
    return f"Not found: {', '.join(missing)}." if missing else None


def _rows_note(places: Sequence[_Place], shown: set[tuple[int, int]]) -> str | None:
    """A note with the numbers of the rows in the result, so that a caller can request the rows around them."""
    found: list[str] = []
    for number in sorted({place for place, _ in shown}):
        numbers = [row for at, block in sorted(shown) if at == number and (row := places[at].blocks[block].row)]
        if numbers:
            found.append(f"{places[number].piece.part}: {'row' if len(numbers) == 1 else 'rows'} {ranges(numbers)}")
    return f"Rows shown: {'; '.join(found)}." if found else None
