"""Drive over HTTP, with the caller's own token, and its connection."""

from dataclasses import asdict

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from leaf import errors
from leaf.api import http
from leaf.services import drive, integrations


async def disconnect(request: Request) -> Response:
    """`DELETE /api/integrations/{provider}`: 204; the grant is revoked and the connection deleted."""
    session = await http.session(request)
    await integrations.disconnect(session.actor, request.path_params["provider"])
    return Response(status_code=204)


async def folder(request: Request) -> Response:
    """`GET /api/drive/folders?url=…`: the folder that a link or id names, and what is in it."""
    session = await http.session(request)
    link = request.query_params.get("url", "")
    if not link:
        raise errors.Invalid("Give the folder's link or id as `url`.", field="url")
    return JSONResponse(asdict(await drive.folder(session.actor, link)))


async def file(request: Request) -> Response:
    """`GET /api/drive/files/{file_id}`: a file's name, kind and text."""
    session = await http.session(request)
    return JSONResponse(asdict(await drive.file(session.actor, request.path_params["file_id"])))


routes = [
    Route("/api/integrations/{provider}", http.endpoint(disconnect), methods=["DELETE"]),
    Route("/api/drive/folders", http.endpoint(folder), methods=["GET"]),
    Route("/api/drive/files/{file_id}", http.endpoint(file), methods=["GET"]),
]
