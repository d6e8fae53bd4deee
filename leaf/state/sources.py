"""The files that answers rest on, with the passages that were used. Pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from leaf import parts

EXCERPT_CHARACTERS = 480
WHOLE_CHARACTERS = 8_000
EXCERPT_LINES = 8
_WORD = re.compile(r"\d{1,3}(?:[,.]\d{3})+(?!\d)|\d+(?:[.,]\d+)?|[^\W\d_]+")
_MARKS = re.compile(r"^#{1,6} |\*\*|^> ", re.MULTILINE)
"""Markdown's signs that only disturb in a short passage."""


@dataclass(frozen=True)
class Excerpt:
    """A passage that the model saw: where it stands, what of it the answer took up, and the passage itself."""

    part: str
    used: str
    whole: str
    size: str


@dataclass(frozen=True)
class Source:
    """A file that was read."""

    number: int
    id: str
    name: str
    kind: str
    url: str
    excerpts: list[Excerpt] = field(default_factory=list[Excerpt])


def of(messages: Iterable[parts.Message]) -> list[Source]:
    """Exactly the files that were read for the answers, each once, in the order in which they were first read."""
    found: dict[str, Source] = {}
    for message in messages:
        words = _words(parts.text_of(message))
        for read in parts.sources_of(message):
            file_id = str(read["file_id"])
            if file_id not in found:
                name = str(read.get("name") or "Untitled")
                url = str(read.get("url") or "")
                kind = str(read.get("kind") or "file")
                found[file_id] = Source(len(found) + 1, file_id, name, kind, _web(url), [])
            known = {excerpt.part for excerpt in found[file_id].excerpts}
            found[file_id].excerpts.extend(
                excerpt
                for excerpt in (_excerpt(passage, words) for passage in read["excerpts"])
                if excerpt.part not in known
            )
    return [*found.values()]


def best_window(text: str, words: set[str], limit: int = EXCERPT_CHARACTERS) -> str:
    """The stretch of whole lines, about `limit` characters, that shares most words with the answer."""
    lines = [line.strip() for line in _MARKS.sub("", text).splitlines() if line.strip()]
    if not lines:
        return ""
    weights = [len(_words(line) & words) for line in lines]
    start, end = _densest(lines, weights, limit)
    shown = "\n".join(lines[start:end])
    if len(shown) > limit * 2:
        shown = shown[: limit * 2].rsplit(" ", 1)[0] + "…"
    return f"{'…' if start else ''}{shown}{'…' if end < len(lines) and not shown.endswith('…') else ''}"


def _densest(lines: Sequence[str], weights: Sequence[int], limit: int) -> tuple[int, int]:
    best, best_score, start, size, score = (0, 1), -1, 0, 0, 0
    for end, line in enumerate(lines, 1):
        size += len(line)
        score += weights[end - 1]
        while (size > limit or end - start > EXCERPT_LINES) and start < end - 1:
            size -= len(lines[start])
            score -= weights[start]
            start += 1
        if score > best_score:
            best, best_score = (start, end), score
    return _filled(lines, *best, limit)


def _filled(lines: Sequence[str], start: int, end: int, limit: int) -> tuple[int, int]:
    """A window made as large as the limit allows: first onwards, then backwards."""
    size = sum(len(line) for line in lines[start:end])
    while end < len(lines) and size + len(lines[end]) <= limit and end - start < EXCERPT_LINES:
        size += len(lines[end])
        end += 1
    while start and size + len(lines[start - 1]) <= limit and end - start < EXCERPT_LINES:
        start -= 1
        size += len(lines[start])
    return start, end


def _excerpt(passage: dict[str, str], words: set[str]) -> Excerpt:
    text = passage.get("text") or ""
    part = passage.get("part") or ""
    where = "Whole file" if part in {"", "all"} else part[:1].upper() + part[1:]
    whole = text if len(text) <= WHOLE_CHARACTERS else text[:WHOLE_CHARACTERS].rsplit(" ", 1)[0] + "…"
    return Excerpt(where, best_window(text, words), whole, f"{len(text):,} characters")


def _words(text: str) -> set[str]:
    """Words that tell passages apart: longer ones, and numbers however their thousands are written."""
    found = (match.group().lower() for match in _WORD.finditer(text))
    return {re.sub(r"[,.](?=\d{3})", "", word) for word in found if len(word) > 3 or word[0].isdigit()}


def _web(url: str) -> str:
    """Only web addresses become links."""
    return url if url.startswith(("https://", "http://")) else ""
