"""Leaves out stored passages of Drive files that Google does not show to their reader (decision 0077).

Pages, the API, exports, public links and the histories sent to models use this module. Google is asked with the
reader's own grant, in one batch, for at most `sight.CONFIRM_SECONDS`.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import text

from leaf import errors, unattended
from leaf.citations import addresses, comparisons, conflicts, redaction
from leaf.citations.redaction import State
from leaf.db.session import Actor, transaction
from leaf.parts import Chunk, Part
from leaf.services.integrations import UserDrive
from leaf.services.library import sight

_FILES_OF_CHAT = text("""
    SELECT DISTINCT found.id #>> '{}' AS file FROM messages m CROSS JOIN LATERAL (SELECT leaf_parts(m) AS parts) p
    CROSS JOIN LATERAL (
        SELECT jsonb_path_query(p.parts, '$[*].output.file.id') AS id
        UNION ALL SELECT jsonb_path_query(p.parts, '$[*].output.passages[*].file_id')
        UNION ALL SELECT jsonb_path_query(p.parts, '$[*].output.tables[*].file_id')
        UNION ALL SELECT jsonb_path_query(p.parts, '$[*].output.compared[*].file_id')
        UNION ALL SELECT jsonb_path_query(
            p.parts, '$[*] ? (@.type == "data-citations").data[*] ? (@.kind == "drive" || @.kind == "computed").file_id'
        )
    ) found
    WHERE m.chat_session_id = :chat
""")


async def withheld(actor: Actor, files: Collection[str]) -> Mapping[str, State]:
    """The files whose text the reader may not see at this moment, each with the reason.

    Args:
        actor: The reader.
        files: Ids of files.
    """
    if not files:
        return {}
    if not actor.audience.has_drive:
        return _with_reason(files, "unconnected")
    access = UserDrive(actor)
    # A slow refresh of the token is not cancelled at the timeout. The next request then finds the new token.
    credentials = asyncio.ensure_future(access.credentials())
    unattended.keep(credentials)
    try:
        async with asyncio.timeout(sight.CONFIRM_SECONDS):
            await asyncio.shield(credentials)
    except errors.DriveNotConnected:
        return _with_reason(files, "unconnected")
    except errors.DriveRevoked:
        return _with_reason(files, "lost")
    except (errors.DriveError, errors.RedisUnavailable, TimeoutError):
        return _with_reason(files, "unanswered")
    confirmed = await sight.confirm(actor, sight.client(access), files)
    return _with_reason(confirmed.refused, "refused") | _with_reason(confirmed.unanswered, "unanswered")


def _with_reason(files: Collection[str], reason: State) -> dict[str, State]:
    return dict.fromkeys(files, reason)


async def shown(actor: Actor, messages: Sequence[Sequence[Part]]) -> list[list[Part]]:
    """The parts of messages as their reader may see them at this moment. Google is asked in one batch for all of them.

    Args:
        actor: The reader.
        messages: The parts of each message.
    """
    files = set[str]().union(*map(redaction.files_of, messages))
    left_out = await withheld(actor, files)
    return [redaction.without(one, left_out) if left_out else [*one] for one in messages]


async def withheld_in_chunks(actor: Actor, chunks: Sequence[Chunk]) -> Mapping[str, State]:
    """The files whose text is in chunks of a run and is withheld from the reader now, each with the reason."""
    return await withheld(actor, redaction.files_of_chunks(chunks))


async def withheld_in_chat(actor: Actor, chat_id: UUID) -> Mapping[str, State]:
    """The files that a chat uses on any branch and that are withheld from the reader now, each with the reason."""
    async with transaction(actor, read_only=True) as tx:
        files = (await tx.execute(_FILES_OF_CHAT, {"chat": chat_id})).scalars().all()
    return await withheld(actor, {file for file in files if file})


async def history(actor: Actor, turns: Sequence[list[dict[str, Any]]]) -> list[list[dict[str, Any]]]:
    """Turns as a model may get them at this moment, by the asker's grant.

    Args:
        actor: The asker.
        turns: The stored `model_messages` of each turn.
    """
    returned = (
        part["content"]
        for turn in turns
        for message in turn
        for part in message.get("parts", ())
        if part.get("part_kind") == "tool-return"
    )
    left_out = await withheld(actor, set[str]().union(*map(redaction.files_in, returned)))
    return [[_redacted(message, left_out) for message in turn] for turn in turns] if left_out else [*turns]


def _redacted(message: dict[str, Any], left_out: Mapping[str, State]) -> dict[str, Any]:
    made: list[dict[str, Any]] = []
    for part in message.get("parts", ()):
        content = part.get("content")
        if part.get("part_kind") == "tool-return" and not left_out.keys().isdisjoint(redaction.files_in(content)):
            made.append({**part, "content": redaction.output_without(content, left_out)})
        elif part.get("part_kind") == "text" and isinstance(content, str):
            made.append({**part, "content": redaction.text_without(content, left_out)})
        else:
            made.append(part)
    return {**message, "parts": made}


async def shared(sharer: Actor, content: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The content of a public link as its readers may see it, by the sharer's grant.

    Args:
        sharer: The member who created the link.
        content: The messages of the link (`leaf.services.shares.Shared`).
    """
    marked = [{**one, "citations": [_of_drive(cited) for cited in one["citations"]]} for one in content]
    files = set[str]().union(*(redaction.files_cited(one["citations"]) for one in marked))
    files |= {
        file for one in marked for drawn in one.get("charts") or () for file in redaction.files_in(drawn["output"])
    }
    files |= {file for one in marked for file in conflicts.files_of(one.get("conflicts"))}
    files |= {file for one in marked for file in comparisons.files_of(one.get("comparisons"))}
    left_out = await withheld(sharer, files)
    numbers: dict[str, int] = {}
    return [
        {
            **one,
            "texts": [{**entry, "text": redaction.text_without(entry["text"], left_out)} for entry in one["texts"]],
            "citations": [
                {**_public(redaction.citation_without(cited, left_out)), "source": _number(cited, numbers)}
                for cited in one["citations"]
            ],
            "charts": [
                {**drawn, "output": _drawn(redaction.output_without(drawn["output"], left_out))}
                for drawn in one.get("charts") or ()
            ],
            **_disagreements(one, left_out),
            **_comparisons(one, left_out),
        }
        for one in marked
    ]


def _number(cited: dict[str, Any], numbers: dict[str, int]) -> int:
    """The number of a citation's source. All quotes of a source have the same number, even if its name is hidden."""
    source = str(cited.get("file_id") or cited.get("url") or cited.get("name"))
    return numbers.setdefault(source, len(numbers) + 1)


def _public(cited: dict[str, Any]) -> dict[str, Any]:
    """A citation for a public page, without the ids by which Google was asked about its file."""
    shown = {key: value for key, value in cited.items() if key not in {"kind", "file_id", "files"}}
    return {**shown, "computed": True} if cited.get("kind") == "computed" else shown


def _disagreements(one: dict[str, Any], left_out: Mapping[str, State]) -> dict[str, Any]:
    """The conflicts that an answer may show, if it has any."""
    found = conflicts.without(one.get("conflicts"), left_out)
    shown = [{**disagreed, "sides": [_unnamed(side) for side in disagreed["sides"]]} for disagreed in found]
    return {"conflicts": shown} if "conflicts" in one else {}


def _comparisons(one: dict[str, Any], left_out: Mapping[str, State]) -> dict[str, Any]:
    """The comparisons that an answer may show, if it has any."""
    found = comparisons.without(one.get("comparisons"), left_out)
    shown = [{**compared, "compared": [_unnamed(file) for file in compared["compared"]]} for compared in found]
    return {"comparisons": shown} if "comparisons" in one else {}


def _unnamed(side: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in side.items() if key not in {"file_id", "path"}}


def _drawn(output: dict[str, Any]) -> dict[str, Any]:
    """A result with a chart for a public page, without the ids by which Google was asked about its files."""
    return {key: value for key, value in output.items() if key != "tables"}


def _of_drive(cited: dict[str, Any]) -> dict[str, Any]:
    """A citation with the kind of its source, which version 0.1 did not store."""
    if cited.get("kind") or not cited.get("url"):
        return cited
    found = addresses.file_of(cited["url"])
    return {**cited, "kind": "drive", "file_id": found} if found else cited
