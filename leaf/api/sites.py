"""Routes for a site's programs: declare tools of its pages, add knowledge, and export conversations."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from leaf.api import http, uploads
from leaf.api.callers import Caller, Known
from leaf.api.routing import Route
from leaf.api.turns.body import Lenient
from leaf.parts.client_tools import ClientTool
from leaf.services import security, sites


class PageTools(BaseModel):
    """The tools of an agent that run in its visitors' pages."""

    tools: list[ClientTool]


class NewPageTools(Lenient):
    """The complete list of tools."""

    tools: list[ClientTool]


async def read_page_tools(caller: Known, agent: str) -> PageTools:
    """Returns the tools of an agent that run in its visitors' pages; for members of its site."""
    row = await sites.read_agent(caller.person.actor, http.id_of(agent, "agent"))
    return PageTools(tools=[ClientTool.model_construct(**tool) for tool in row.settings["client_tools"]])


async def set_page_tools(caller: Known, agent: str, body: NewPageTools) -> Response:
    """Declares all tools of an agent that run in its visitors' pages; a changed schema needs a higher version.

    Later answers have the new tools. Running answers keep the tools with which they began.
    """
    tools = [tool.model_dump(mode="json") for tool in body.tools]
    await sites.change_agent(caller.person.actor, http.id_of(agent, "agent"), {"client_tools": tools})
    return Response(status_code=204)


class Attachments(Lenient):
    """Whether visitors may send files."""

    on: bool


async def set_attachments(caller: Known, agent: str, body: Attachments) -> Response:
    """Sets whether visitors of an agent may send files with their messages; by default they may not."""
    await sites.change_agent(caller.person.actor, http.id_of(agent, "agent"), {"attachments": body.on})
    return Response(status_code=204)


async def add_knowledge(request: Request, caller: Known, agent: str) -> Response:
    """Adds the one file of a `multipart/form-data` request (field `file`) to what an agent may answer from.

    Only the text of the file is stored. A caller outside the site's team is refused before the body is read.
    """
    agent_id = http.id_of(agent, "agent")
    await sites.read_agent(caller.person.actor, agent_id)
    async with uploads.turn(caller.person.user_id):
        name, data = await uploads.one_file(request, sites.KNOWLEDGE_FILE_BYTES)
        added = await sites.add_file(caller.person.actor, agent_id, name, data)
    return JSONResponse({"id": str(added)}, status_code=201, headers={"cache-control": "no-store"})


async def export_conversations_as_json(caller: Known, agent: str) -> Response:
    """Returns all conversations of an agent with their events, context and usage; for members of its site."""
    return await _file(caller, agent, "json", "application/json")


async def export_conversations_as_csv(caller: Known, agent: str) -> Response:
    """Streams all conversations of an agent, a line for each event; for members of its site."""
    return await _file(caller, agent, "csv", "text/csv; charset=utf-8")


async def _file(caller: Caller, agent: str, kind: str, media_type: str) -> Response:
    agent_id = http.id_of(agent, "agent")
    # A caller outside the site's team is refused before anything is sent.
    await sites.read_agent(caller.person.actor, agent_id)
    await security.record(caller.person.actor, security.Kind.CONVERSATIONS_EXPORTED, str(agent_id))
    headers = http.attachment(f"conversations.{kind}")

    async def pieces() -> AsyncGenerator[bytes]:
        async with aclosing(sites.exported(caller.person.actor, agent_id, kind)) as exported:
            async for piece in exported:
                yield piece

    return StreamingResponse(pieces(), media_type=media_type, headers=headers)


routes = [
    Route(
        "/api/agents/{agent}/attachments", set_attachments, method="PUT", scope="write", tag="Website agents",
        status_code=204,
    ),
    Route(
        "/api/agents/{agent}/knowledge", add_knowledge, method="POST", scope="write", tag="Website agents",
        status_code=201, takes_file=True,
    ),
    Route("/api/agents/{agent}/tools", read_page_tools, scope="read", tag="Website agents"),
    Route(
        "/api/agents/{agent}/tools", set_page_tools, method="PUT", scope="write", tag="Website agents", status_code=204,
    ),
    Route("/api/agents/{agent}/conversations.json", export_conversations_as_json, scope="read", tag="Website agents"),
    Route("/api/agents/{agent}/conversations.csv", export_conversations_as_csv, scope="read", tag="Website agents"),
]  # fmt: skip
