"""The cells of a chat. A cell is a computation, which can be read, run with another query, and exported."""

from typing import Any
from uuid import UUID

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from leaf.api import http
from leaf.api.callers import Known
from leaf.api.chat import ChatName
from leaf.api.routing import Route
from leaf.api.turns.body import Lenient
from leaf.parts import portable
from leaf.services import cells, chats


class Result(BaseModel):
    """A query and its result."""

    query: str
    columns: list[dict[str, Any]]
    """Objects with `name` and `unit`."""
    rows: list[list[Any]]


class EditedCell(BaseModel):
    """A computation as it was changed by hand, or as it is because one below it was."""

    by_hand: bool
    result: Result | None
    """The new result; null if it could not be computed, or if Google refuses the caller one of its files."""
    problem: str
    """The reason why it could not be computed; empty otherwise."""


class Cell(BaseModel):
    """A computation of an answer."""

    name: str
    message: UUID
    """The answer."""
    call: str
    """The `toolCallId` of its call of `compute`."""
    rests_on: list[str]
    """The names of the cells that the query reads."""
    result: Result | None
    """The output in the answer; None if Google refuses the caller one of its files."""
    edited: EditedCell | None


class NewQuery(Lenient):
    """Another query for a computation."""

    query: str
    """One SELECT over the same files and cells."""


async def list_cells(caller: Known, chat: ChatName) -> list[Cell]:
    """Lists the computations on the caller's branch of a chat, in the order of its answers."""
    actor = caller.person.actor
    return [_as_json(one) for one in await cells.readable(actor, await chats.named(actor, chat))]


async def edit_cell(caller: Known, run_id: str, call_id: str, body: NewQuery) -> Response:
    """Runs a computation with another query, and all that rest on it; the answers stay as they are.

    Raises:
        errors.NotFound: There is no such computation for this caller, or Google refuses them one of its files.
        errors.LeafError: 422, the query is not allowed or fails.
    """
    await cells.edit(caller.person.actor, http.id_of(run_id, "answer"), call_id, body.query)
    return Response(status_code=204)


async def restore_cell(caller: Known, run_id: str, call_id: str) -> Response:
    """Takes the change of a computation back.

    Raises:
        errors.NotFound: There is no such computation for this caller, or Google refuses them one of its files.
    """
    await cells.edit(caller.person.actor, http.id_of(run_id, "answer"), call_id, None)
    return Response(status_code=204)


async def export_cells(request: Request, caller: Known, chat: ChatName) -> Response:
    """Gives the computations of the caller's branch of a chat as an archive: a Python script, a Jupyter notebook and
    the tables as CSV files, as Google shows their files to the caller at this moment.

    The comments are in the language that the request accepts. A computation over a file that the caller may not read is
    left out, and the archive names it.
    """
    actor = caller.person.actor
    title, body = await cells.exported(actor, await chats.named(actor, chat), http.language(request))
    headers = http.attachment(portable.file_name(title, ".cells.zip"))
    return Response(body, media_type="application/zip", headers=headers)


def _as_json(one: cells.Readable) -> Cell:
    edit = one.edit
    edited = None
    if edit is not None:
        edited = EditedCell(by_hand=edit.query is not None, result=_result(edit.output), problem=edit.problem)
    return Cell(
        name=one.name, message=one.message_id, call=one.call, rests_on=one.rests_on, result=_result(one.output),
        edited=edited,
    )  # fmt: skip


def _result(output: Any) -> Result | None:
    if "rows" not in output:
        return None
    columns = [{"name": one["name"], "unit": one.get("unit") or ""} for one in output["columns"]]
    return Result(query=output["query"], columns=columns, rows=output["rows"])


routes = [
    Route("/api/chats/{chat}/cells", list_cells, scope="read", tag="Cells"),
    Route(
        "/api/chats/{chat}/cells.zip", export_cells, scope="read", tag="Cells",
        responses=http.described("The archive", "application/zip"),
    ),
    Route("/api/runs/{run_id}/cells/{call_id}", edit_cell, method="PUT", scope="write", tag="Cells", status_code=204),
    Route(
        "/api/runs/{run_id}/cells/{call_id}", restore_cell, method="DELETE", scope="write", tag="Cells",
        status_code=204,
    ),
]  # fmt: skip
