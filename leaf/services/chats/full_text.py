"""Full-text search in the member's chats: titles, questions and answers."""

import asyncio
import re
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import func, literal_column
from sqlmodel import col, select

from leaf import citations, parts
from leaf.db import models
from leaf.db.session import Actor, Transaction, transaction
from leaf.services.chats.shapes import title_of
from leaf.telemetry.metrics import instruments

QUERY_CHARACTERS = 200
MOST_CHATS = 20
MOST_MESSAGES = 60
EXCERPT_CHARACTERS = 160
_AROUND = 2_000
"""The number of characters before and after a match from which an excerpt is made."""
_TERMS = re.compile(r'"([^"]*)("|$)|(\S+)')
_MARK = r"[\u0300-\u036f]*"
"""Accents, which follow their letters in decomposed text (NFKD)."""
_LINK = re.compile(r"\[\^[^\[\]]*\]:?|!?\[([^\[\]]*)\]\((?:[^()]++|\([^()]*+\))*+\)")
_LINE_MARKS = re.compile(r"^[ \t]*(?:#{1,6} |> ?|[-+*] |[-+:|][-+:| ]*$)", re.MULTILINE)
_SIGNS = re.compile(r"\*+|`+|~~")
"""Inline Markdown markup, which an excerpt does not show."""

Piece = tuple[str, bool]
"""A stretch of text, and whether it matches the query."""


@dataclass(frozen=True)
class Query:
    """A search query. All its words and phrases must appear in a message."""

    terms: tuple[str, ...]
    unfinished: bool
    """Whether the last word is still being typed, so that it also matches as a prefix."""


@dataclass(frozen=True)
class MessageMatch:
    """A message that matches a query."""

    message_id: UUID
    role: str
    excerpt: list[Piece]


@dataclass(frozen=True)
class ChatMatch:
    """A chat that matches a query."""

    chat_id: UUID
    title: list[Piece]
    updated_at: datetime
    archived: bool
    project_id: UUID | None
    """The project of the searching member that contains the chat."""
    hits: list[MessageMatch]
    """Matching messages, newest first; empty if only the title matches."""


def parse(typed: str) -> Query:
    """Parses a query of words and quoted phrases. The last word counts as a prefix unless a blank follows it."""
    typed = typed[:QUERY_CHARACTERS].replace("“", '"').replace("”", '"').replace("„", '"')
    terms = [(match.group(1) or match.group(3) or "", match.group(2)) for match in _TERMS.finditer(typed)]
    terms = [(term, closed) for term, closed in terms if re.search(r"\w", term)]
    ends_open = bool(terms) and not typed[-1:].isspace() and terms[-1][1] != '"'
    return Query(tuple(term for term, _ in terms), ends_open)


async def search(actor: Actor, typed: str) -> list[ChatMatch]:
    """The member's chats that match a query: first by title, then by message, the most recently active first.

    The result has at most 20 chats, with three messages each. Inputs and outputs of tools are not searched.

    Args:
        actor: The member.
        typed: The query as typed. Only the first 200 characters count.
    """
    query = parse(typed)
    if not query.terms:
        return []
    instruments.count_feature("search")
    async with transaction(actor, read_only=True) as tx:
        # The inner dictionaries serve as ordered sets: each message appears once, in the order of the search.
        by_chat: dict[UUID, dict[UUID, None]] = {chat_id: {} for chat_id in await _matching_titles(tx, query)}
        for chat_id, message_id in await _matching_messages(tx, query):
            if chat_id in by_chat or len(by_chat) < MOST_CHATS:
                by_chat.setdefault(chat_id, {})[message_id] = None
        chats = await _chats(tx, [*by_chat])
        messages = await _messages(tx, [key for keys in by_chat.values() for key in keys])
    looked_for = pattern(query)

    def results() -> list[ChatMatch]:
        found: list[ChatMatch] = []
        for chat_id, keys in by_chat.items():
            if chat_id not in chats:
                continue
            mine, chat = chats[chat_id]
            title, archived = pieces(title_of(chat), looked_for), mine.archived_at is not None
            hits = [
                MessageMatch(key, messages[key][0], excerpt(messages[key][1], looked_for))
                for key in keys
                if key in messages
            ]
            found.append(ChatMatch(chat_id, title, mine.active_at, archived, mine.project_id, hits))
        return found

    return await asyncio.to_thread(results)


def pattern(query: Query) -> re.Pattern[str]:
    """A pattern that finds the terms of a query in decomposed text (NFKD)."""
    alternatives: list[str] = []
    for place, term in enumerate(query.terms):
        words = [_accented(word) for word in re.findall(r"[^\W_]+", _bare(term))]
        if words:
            begun = query.unfinished and place == len(query.terms) - 1
            end = r"[^\W_]*" if begun else r"(?![^\W_])"
            alternatives.append(r"(?<![^\W_])" + rf"{_MARK}[\W_]+".join(words) + _MARK + end)
    return re.compile("|".join(alternatives) or r"(?!)", re.IGNORECASE)


def pieces(written: str, looked_for: re.Pattern[str]) -> list[Piece]:
    """A text, split into stretches that match and stretches that do not."""
    apart = parts.normalized("NFKD", written)
    found: list[Piece] = []
    end = 0
    for match in looked_for.finditer(apart):
        found += [(apart[end : match.start()], False), (match.group(), True)]
        end = match.end()
    found.append((apart[end:], False))
    return [(parts.normalized("NFC", part), hit) for part, hit in found if part]


def excerpt(written: str, looked_for: re.Pattern[str]) -> list[Piece]:
    """One line of a text around its first match, without Markdown markup."""
    whole = parts.normalized("NFKD", written)
    near, cut_before, cut_after = _around(whole, looked_for)
    apart = _without_markup(near)
    match = looked_for.search(apart)
    if match is None and len(near) < len(whole):
        # The first match was in markup that is removed, such as the address of a link.
        cut_before = cut_after = False
        apart = _without_markup(whole)
        match = looked_for.search(apart)
    begin = max(0, match.start() - EXCERPT_CHARACTERS // 3) if match is not None else 0
    if begin and (blank := apart.find(" ", begin, match.start() if match else None)) >= 0:
        begin = blank + 1
    end = begin + EXCERPT_CHARACTERS
    if end < len(apart) and (blank := apart.rfind(" ", begin + EXCERPT_CHARACTERS // 2, end)) > 0:
        end = blank
    cut = pieces(apart[begin:end], looked_for)
    return [
        *([("… ", False)] if begin or cut_before else []),
        *cut,
        *([(" …", False)] if end < len(apart) or cut_after else []),
    ]


def _without_markup(written: str) -> str:
    plain = _SIGNS.sub("", _LINE_MARKS.sub(" ", _LINK.sub(lambda match: match.group(1) or "", written)))
    return " ".join(plain.replace("|", " ").split())


def _around(written: str, looked_for: re.Pattern[str]) -> tuple[str, bool, bool]:
    """The text around the first match, and whether text before and after it was cut off.

    Only this part is processed further, because the removal of the markup of a long text would take too long.
    """
    match = looked_for.search(written)
    if match is None:
        return written, False, False
    begin, end = max(0, match.start() - _AROUND), match.end() + _AROUND
    return written[begin:end], begin > 0, end < len(written)


def _bare(term: str) -> str:
    return re.sub(_MARK, "", parts.normalized("NFKD", term).lower())


def _accented(word: str) -> str:
    return _MARK.join(map(re.escape, word))


async def _matching_titles(tx: Transaction, query: Query) -> list[UUID]:
    """The ids of chats whose title matches."""
    found = await tx.call("leaf_search_titles", [*query.terms], query.unfinished, MOST_CHATS)
    return [row.chat_session_id for row in found]


async def _matching_messages(tx: Transaction, query: Query) -> list[tuple[UUID, UUID]]:
    """Chat id and message id of matching messages, at most three per chat. A message may appear twice."""
    found = await tx.call("leaf_search", [*query.terms], query.unfinished, MOST_MESSAGES)
    return [(row.chat_session_id, row.message_id) for row in found]


async def _chats(
    tx: Transaction, chat_ids: list[UUID]
) -> dict[UUID, tuple[models.ChatParticipant, models.ChatSession]]:
    query = (
        select(models.ChatParticipant, models.ChatSession)
        .join(models.ChatSession, col(models.ChatSession.id) == col(models.ChatParticipant.chat_session_id))
        .where(col(models.ChatParticipant.user_id) == tx.actor.user_id, col(models.ChatSession.id).in_(chat_ids))
    )
    return {chat.id: (mine, chat) for mine, chat in (await tx.session.exec(query)).all()}


async def _messages(tx: Transaction, message_ids: list[UUID]) -> dict[UUID, tuple[str, str]]:
    messages = literal_column("messages")
    written = func.leaf_message_text(func.leaf_parts(messages))
    query = select(models.Message.id, models.Message.role, written).where(col(models.Message.id).in_(message_ids))
    found = (await tx.session.exec(query)).all()
    # Footnotes contain quotes from files that the searching member may not be allowed to read.
    return {key: (str(role), citations.shown(content or "")) for key, role, content in found}
