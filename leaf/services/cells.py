"""The cells of a chat: its named computations, each of which a later one can build on, as a script and a notebook."""

import asyncio
import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from leaf import citations, errors, texts
from leaf.db.models import utc_now
from leaf.db.session import Actor
from leaf.documents import isolation
from leaf.documents.tables import Cell, notebook
from leaf.services import chats, computations, passages

SCRIPT, NOTEBOOK = "cells.py", "cells.ipynb"


@dataclass(frozen=True)
class Kept:
    """A computation of a chat."""

    message_id: UUID
    call: str
    output: Mapping[str, Any]

    @property
    def cell(self) -> Cell | None:
        """Its cell; None of one that was made before computations had names."""
        return cells[-1] if (cells := Cell.all_of(self.output)) else None


async def of_chat(actor: Actor, chat_id: UUID) -> list[Kept]:
    """The named computations on the actor's branch of a chat, in the order of its answers.

    Raises:
        errors.NotFound: The actor takes no part in the chat.
    """
    chat = await chats.open(actor, chat_id)
    return [
        kept
        for one in chat.messages
        for part in computations.made(one.parts)
        if (kept := Kept(one.id, str(part["toolCallId"]), part["output"])).cell is not None
    ]


async def exported(actor: Actor, chat_id: UUID, language: str) -> tuple[str, bytes]:
    """The cells of a chat as a ZIP archive: a script, a notebook and the tables that they read, as Google shows their
    files to the actor at this moment.

    Args:
        actor: A participant.
        chat_id: The chat.
        language: The language of the comments.

    Returns:
        The title of the chat, and the archive.

    Raises:
        errors.NotFound: The actor takes no part in the chat, or it has no cell whose files Google shows to them.
        errors.DriveError: Drive is not connected, or does not answer.
        tables.Refused: The tables are too large.
    """
    chat = await chats.open(actor, chat_id)
    kept = await of_chat(actor, chat_id)
    refused = await passages.states(actor, {file for one in kept for file in _files(one)})
    shown = [one for one in kept if not refused.keys() & set(_files(one))]
    # A computation brings those that it rests on, which may stand on another branch.
    cells = [*{cell.name: cell for one in shown for cell in Cell.all_of(one.output)}.values()]
    if not cells:
        raise errors.NotFound("file")
    files = list(dict.fromkeys(file for cell in cells for file in cell.files))
    sources = await computations.sources(actor, files)
    made = await isolation.exported(sources, cells, owner=actor.user_id)
    say = texts.of(language)
    formulas = {one.cell.name: citations.figures.words_of(one.output, language) for one in shown if one.cell}
    described = [{**one, "formula": formulas.get(one["name"], "")} for one in made["cells"]]
    hidden = [one.cell.name for one in kept if one.cell and one not in shown]
    left_out = {**made["left_out"], **dict.fromkeys(hidden, say("trust.refused"))}
    about = [chat.title or say("shared.label"), say("computed.exported", date=f"{utc_now():%Y-%m-%d}")]
    return chat.title or "", await asyncio.to_thread(
        _packed, {**made, "cells": described, "left_out": left_out}, about, say
    )


def _files(one: Kept) -> list[str]:
    cell = one.cell
    return [*cell.files] if cell is not None else []


def _packed(made: Mapping[str, Any], about: Sequence[str], say: texts.Texts) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(SCRIPT, notebook.script(made, about, say))
        archive.writestr(NOTEBOOK, notebook.notebook(made, about, say))
        for table in made["tables"]:
            archive.writestr(f"{notebook.FOLDER}/{notebook.file_of(table)}", table["csv"])
    return written.getvalue()
