"""The cells of a chat: named computations, on which later computations can build.

A cell can be edited by hand. The answer stays as it is, and the new query and result are stored beside it, together
with the new results of all cells that use it. All cells can be exported as a script and a notebook.
"""

import asyncio
import io
import zipfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

import sqlalchemy
from sqlmodel import col, select

from leaf import citations, errors, texts
from leaf.citations import redaction
from leaf.db import models
from leaf.db.models import utc_now
from leaf.db.session import Actor, Transaction, transaction
from leaf.documents import isolation
from leaf.documents.tables import Cell, notebook
from leaf.redis import events
from leaf.services import chats, computations, conversations, passages

SCRIPT, NOTEBOOK = "cells.py", "cells.ipynb"
QUERY_CHARACTERS = 4_000
_TRIES = 5
"""The number of attempts to store an edit while others store edits, too."""


@dataclass(frozen=True)
class Edit:
    """A manual edit of a cell, or the result of such an edit for a cell that uses the edited one."""

    query: str | None
    """The new statement; None for a cell that only uses an edited one."""
    output: Mapping[str, Any]
    """The output of the tool `compute` for the new statements; empty if they failed."""
    problem: str
    """The reason why they failed; empty otherwise."""
    user_id: UUID
    at: datetime


@dataclass(frozen=True)
class Computation:
    """A computation in an answer of a chat."""

    message_id: UUID
    call: str
    output: Mapping[str, Any]
    """The output in the stored answer."""
    edit: Edit | None = None

    @property
    def current(self) -> Mapping[str, Any]:
        """The output on which later computations build: that of the edit, if it succeeded."""
        return self.edit.output if self.edit is not None and self.edit.output else self.output

    @property
    def cell(self) -> Cell:
        """The cell of the current output."""
        return Cell.all_of(self.current)[-1]


async def of_chat(actor: Actor, chat_id: UUID, *, upto: UUID | None = None) -> list[Computation]:
    """The named computations on the actor's branch of a chat, in the order of the answers.

    Args:
        actor: A participant.
        chat_id: The chat.
        upto: A message at which the branch ends.

    Raises:
        errors.NotFound: The actor does not take part in the chat.
    """
    return await _of(actor, await chats.open(actor, chat_id, upto=upto))


async def _of(actor: Actor, chat: chats.Chat) -> list[Computation]:
    changed = await edits(actor, [one.id for one in chat.messages if one.role == "assistant"])
    found: list[Computation] = []
    for one in chat.messages:
        for part in computations.finished(one.parts):
            if Cell.all_of(part["output"]):
                call = str(part["toolCallId"])
                found.append(Computation(one.id, call, part["output"], changed.get((one.id, call))))
    return found


async def edits(actor: Actor, messages: Collection[UUID]) -> dict[tuple[UUID, str], Edit]:
    """The edits in answers that the actor may see, by answer and tool call.

    The results may contain text of files. Before they are shown, Google must confirm the reader's access.
    """
    if not messages:
        return {}
    async with transaction(actor, read_only=True) as tx:
        return await _edits(tx, messages)


async def _edits(tx: Transaction, messages: Collection[UUID]) -> dict[tuple[UUID, str], Edit]:
    query = select(models.CellEdit).where(col(models.CellEdit.message_id).in_(messages))
    rows = (await tx.session.exec(query)).all()
    return {
        (row.message_id, row.call): Edit(row.query, row.output, row.problem, row.user_id, row.edited_at) for row in rows
    }


@dataclass(frozen=True)
class Readable:
    """A computation as its reader may see it, without texts of files that Google does not show to the reader."""

    name: str
    message_id: UUID
    call: str
    rests_on: list[str]
    output: Mapping[str, Any]
    edit: Edit | None


async def readable(actor: Actor, chat_id: UUID) -> list[Readable]:
    """The computations on the actor's branch of a chat. Google is asked which of their files the actor may see.

    Raises:
        errors.NotFound: The actor does not take part in the chat.
    """
    kept = await of_chat(actor, chat_id)
    left_out = await passages.withheld(actor, {file for one in kept for file in one.cell.files})
    found: list[Readable] = []
    for one in kept:
        edit = one.edit
        if edit is not None:
            closed = redaction.files_in(edit.output) & left_out.keys()
            output = redaction.output_without(dict(edit.output), left_out)
            edit = replace(edit, output=output, query="" if closed and edit.query else edit.query)
        rests_on = [cell.name for cell in Cell.all_of(one.output)[:-1]]
        output = redaction.output_without(dict(one.output), left_out)
        found.append(Readable(one.cell.name, one.message_id, one.call, rests_on, output, edit))
    return found


def of_answer(changed: Mapping[tuple[UUID, str], Edit], message_id: UUID) -> dict[str, Edit]:
    """The edits in one answer, by tool call; `changed` is a result of `edits`."""
    return {call: one for (message, call), one in changed.items() if message == message_id}


async def edit(actor: Actor, run_id: UUID, call: str, query: str | None) -> None:
    """Computes a cell with another query, and all cells that use it. The answers stay as they are.

    Google must first confirm the actor's access to every file, and the query is checked like a model's query. If
    another participant stores an edit in the meantime, all cells are computed again with that edit.

    Args:
        actor: A participant of the chat.
        run_id: The run that wrote the answer.
        call: The tool call of the computation.
        query: The new statement; None to undo an edit.

    Raises:
        errors.NotFound: There is no such computation for the actor, or they have no access to a file.
        errors.Invalid: The statement is empty or too long.
        errors.Conflict: Others keep changing computations of the chat.
        errors.DriveError: Drive is not connected or does not answer.
        tables.Refused: The statement is not allowed, or it failed.
    """
    if query is not None and not 0 < len(query.strip()) <= QUERY_CHARACTERS:
        raise errors.Invalid(texts.english("computed.query_length", count=QUERY_CHARACTERS))
    answer = await conversations.result(actor, run_id)
    chat_id = await _chat_of(actor, answer.id)
    edited = Edit(query, {}, "", actor.member_id, utc_now()) if query is not None else None
    for _ in range(_TRIES):
        kept = await of_chat(actor, chat_id)
        keys = [(one.message_id, one.call) for one in kept]
        if (answer.id, call) not in keys:
            raise errors.NotFound("answer")
        at = keys.index((answer.id, call))
        wanted = [replace(kept[at], edit=edited), *kept[at + 1 :]]
        made = await _computed(actor, kept[:at], wanted)
        if await _stored(actor, chat_id, kept, made):
            return
    raise errors.Conflict(texts.english("computed.changed_meanwhile"))


async def _stored(actor: Actor, chat_id: UUID, kept: Sequence[Computation], made: Sequence[Computation]) -> bool:
    """Replaces the edits of computations. Returns False if others have stored edits since the chat was read.

    Args:
        actor: A participant.
        chat_id: The chat.
        kept: All computations of the chat, as they were read.
        made: The computations whose edits are replaced.
    """
    before = {(one.message_id, one.call): one.edit for one in kept if one.edit is not None}
    async with transaction(actor) as tx:
        await chats.find(tx, chat_id, lock=True)
        own = {(one.message_id, one.call) for one in kept}
        now = await _edits(tx, {message for message, _ in own})
        if {key: one for key, one in now.items() if key in own} != before:
            return False
        for one in made:
            mine = (col(models.CellEdit.message_id) == one.message_id, col(models.CellEdit.call) == one.call)
            await tx.session.exec(sqlalchemy.delete(models.CellEdit).where(*mine))
        await tx.session.flush()
        tx.session.add_all(
            models.CellEdit(
                chat_session_id=chat_id, message_id=one.message_id, call=one.call, user_id=one.edit.user_id,
                query=one.edit.query, output=dict(one.edit.output), problem=one.edit.problem, edited_at=one.edit.at,
            )
            for one in made
            if one.edit is not None
        )  # fmt: skip
        tx.after_commit(events.publish, [events.chat(chat_id)])
    return True


async def _computed(actor: Actor, before: Sequence[Computation], wanted: Sequence[Computation]) -> list[Computation]:
    """Computes the edited cell, and then the later cells that are edited or use an edited cell.

    Returns:
        All of `wanted`. The edit of a cell that no longer needs one is removed. If a later cell fails, its edit has the
        reason.

    Raises:
        errors.LeafError: As in `edit`, but only for the first cell.
    """
    changed = {one.cell.name: one.cell for one in before if one.edit is not None}
    made: list[Computation] = []
    for at, one in enumerate(wanted):
        *rests_on, own = Cell.all_of(one.output)
        query = one.edit.query if one.edit is not None else None
        uses_an_edited_one = any(cell.name in changed for cell in rests_on)
        if query is None and not uses_an_edited_one:
            made.append(replace(one, edit=None))
            continue
        base = one.edit if one.edit is not None else Edit(None, {}, "", actor.member_id, utc_now())
        cell = replace(own, query=query or own.query)
        try:
            output = await _output(actor, one.output, cell, [changed.get(one.name, one) for one in rests_on])
        except errors.LeafError as error:
            if at == 0:
                raise
            made.append(replace(one, edit=replace(base, query=query, output={}, problem=error.message)))
        else:
            made.append(replace(one, edit=replace(base, query=query, output=output, problem="")))
        changed[own.name] = cell
    return made


async def _output(actor: Actor, kept: Mapping[str, Any], cell: Cell, rests_on: Sequence[Cell]) -> dict[str, Any]:
    """The output of a computation with another query, or over other cells."""
    sources = await computations.sources(actor, cell.files)
    made = await isolation.computed(sources, cell.query, units=cell.units, cells=rests_on, owner=actor.user_id)
    return {"files": kept["files"], "cell": cell.name, **made}


async def _chat_of(actor: Actor, message_id: UUID) -> UUID:
    async with transaction(actor, read_only=True) as tx:
        row = errors.found(await tx.session.get(models.Message, message_id), "answer")
    return row.chat_session_id


async def exported(actor: Actor, chat_id: UUID, language: str) -> tuple[str, bytes]:
    """Exports the cells of a chat as a ZIP archive with a script, a notebook and the tables that they read.

    The tables have the content that Google shows to the actor at this moment.

    Args:
        actor: A participant.
        chat_id: The chat.
        language: The language of the comments.

    Returns:
        The title of the chat, and the archive.

    Raises:
        errors.NotFound: The actor does not take part in the chat, or Google shows them the files of no cell.
        errors.DriveError: Drive is not connected or does not answer.
        tables.Refused: The tables are too large.
    """
    chat = await chats.open(actor, chat_id)
    kept = await _of(actor, chat)
    refused = await passages.withheld(actor, {file for one in kept for file in one.cell.files})
    shown = [one for one in kept if not refused.keys() & {*one.cell.files}]
    # A computation includes the cells that it uses, which may be on another branch.
    cells = errors.found({cell.name: cell for one in shown for cell in Cell.all_of(one.current)}, "file")
    files = list(dict.fromkeys(file for cell in cells.values() for file in cell.files))
    sources = await computations.sources(actor, files)
    made = await isolation.exported(sources, [*cells.values()], owner=actor.user_id)
    say = texts.of(language)
    notes = {one.cell.name: _note(one, say) for one in shown}
    described = [{**one, **notes.get(one["name"], {})} for one in made["cells"]]
    hidden = [one.cell.name for one in kept if one not in shown]
    left_out = {**made["left_out"], **dict.fromkeys(hidden, say("trust.refused"))}
    about = [chat.title or say("shared.label"), say("computed.exported", date=f"{utc_now():%Y-%m-%d}")]
    whole = {**made, "cells": described, "left_out": left_out}
    return chat.title, await asyncio.to_thread(_packed, whole, about, say)


def _note(one: Computation, say: texts.Texts) -> dict[str, str]:
    """The comment above a cell: its formula in words, and whether it was edited by hand."""
    by_hand = one.edit is not None and one.edit.query is not None
    formula = citations.figures.words_of(one.current, say.language)
    return {"formula": formula, "result": say("computed.by_hand") if by_hand else ""}


def _packed(made: Mapping[str, Any], about: Sequence[str], say: texts.Texts) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(SCRIPT, notebook.script(made, about, say))
        archive.writestr(NOTEBOOK, notebook.notebook(made, about, say))
        for table in made["tables"]:
            archive.writestr(f"{notebook.FOLDER}/{notebook.file_of(table)}", notebook.data_of(table))
    return written.getvalue()
