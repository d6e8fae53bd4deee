"""The sources of answers: the files that were read, with the passages that were used. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from leaf import parts
from leaf.citations import redaction
from leaf.texts import say
from leaf.texts.catalogue import isolated
from leaf.texts.places import place_text
from leaf.views import addresses, evidence, excerpts
from leaf.views.evidence import Quoted
from leaf.views.excerpts import Used
from leaf.views.steps import capitalised

WHOLE_CHARACTERS = 8_000


@dataclass(frozen=True)
class Excerpt:
    """A passage that the model has read."""

    part: str
    """The place of the passage in words."""
    used: str
    """The excerpt that the answer has most likely used."""
    whole: str
    """The passage, cut after `WHOLE_CHARACTERS`; empty if the excerpt has all of it."""
    size: str
    """The length of the passage in words."""


@dataclass(frozen=True)
class Source:
    """A file that was read, or another quoted source."""

    number: int
    id: str
    name: str
    kind: str
    url: str
    excerpts: list[Excerpt] = field(default_factory=list[Excerpt])
    quotes: list[Quoted] = field(default_factory=list[Quoted])
    """The quotes of one answer from this source."""
    note: str = ""
    """The reason why its text is not shown; empty if it is."""


def quoted(message_parts: Sequence[parts.Part], read: Sequence[Source]) -> tuple[list[Source], list[Source]]:
    """Adds the quotes of an answer to their sources.

    Returns:
        First, these files with their quotes; quoted files come first, in the order of their marks. Second, the other
        quoted sources: web pages, files of the chat, and unknown sources.
    """
    known = {source.id for source in read}
    quotes: dict[str, list[Quoted]] = {}
    others: dict[str, Source] = {}
    for file_id, kind, quote in evidence.quoted_of(message_parts):
        key = file_id if file_id in known else f"{kind}:{file_id or quote.url or quote.name}"
        quotes.setdefault(key, []).append(quote)
        if key not in known:
            others.setdefault(key, Source(0, key, quote.name, kind or "file", quote.url))
    bins, note = evidence.in_bin(message_parts), say("living.bin_words")
    named = [replace(one, name=bins[one.id], note=note) if one.id in bins else one for one in read]
    found = [replace(source, quotes=quotes.get(source.id, [])) for source in named]
    found.sort(key=lambda source: source.quotes[0].n if source.quotes else float("inf"))
    return found, [replace(source, quotes=quotes[key]) for key, source in others.items()]


def by_use(messages: Iterable[parts.Message], read: Sequence[Source]) -> tuple[list[Source], list[Source]]:
    """The files that answers of a chat use, and the files that were read for them but that no answer uses.

    A file is used if an answer quotes it, computes over it or compares it. A file whose text is not shown counts as
    used, so that the reader sees the reason. If none is used for certain, all count as used.
    """
    cited = {file_id for message in messages for file_id, _, _ in evidence.quoted_of(message["parts"])}
    used = [one for one in read if one.id in cited or one.note or not one.excerpts]
    if not used:
        return [*read], []
    known = {one.id for one in used}
    return used, [one for one in read if one.id not in known]


def of(messages: Iterable[parts.Message]) -> list[Source]:
    """The files that were read for the answers, each once, in the order in which they were first read."""
    found: dict[str, Source] = {}
    for message in messages:
        used = excerpts.used(parts.answer_text(message))
        for read in parts.sources_of(message):
            file_id = str(read["file_id"])
            if file_id not in found:
                name = isolated(str(read.get("name") or say("trust.drive_file")))
                url = addresses.web(str(read.get("url") or ""))
                kind = str(read.get("kind") or "file")
                note = redaction.note_key(read["withheld"])
                found[file_id] = Source(len(found) + 1, file_id, name, kind, url, note=say(note) if note else "")
            known = {excerpt.part for excerpt in found[file_id].excerpts}
            found[file_id].excerpts.extend(
                excerpt
                for excerpt in (_excerpt(passage, used) for passage in read["excerpts"])
                if excerpt.part not in known
            )
    return [*found.values()]


def _excerpt(passage: dict[str, str], used: Used) -> Excerpt:
    text = passage.get("text") or ""
    part = passage.get("part") or ""
    where = say("file.whole_file") if part in {"", "all"} else capitalised(place_text(part))
    shown = excerpts.best_window(text, used)
    whole = text if len(text) <= WHOLE_CHARACTERS else text[:WHOLE_CHARACTERS].rsplit(" ", 1)[0] + "…"
    is_cut = shown.startswith("…") or shown.endswith("…")
    return Excerpt(where, shown, whole if is_cut else "", say("file.characters", count=len(text)))
