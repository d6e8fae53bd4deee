"""Drive over HTTP, with the caller's own token, and its connection."""

from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from leaf import errors
from leaf.api.callers import Known
from leaf.api.routing import Route
from leaf.services import drive, integrations, mentions

_LINK_CHARACTERS = 2000


async def disconnect(caller: Known, provider: str) -> Response:
    """Revokes the grant of an integration, such as `google_drive`, and deletes the connection."""
    await integrations.disconnect(caller.person.actor, provider)
    return Response(status_code=204)


async def read_folder(caller: Known, url: Annotated[str, Query(max_length=_LINK_CHARACTERS)] = "") -> drive.Folder:
    """Returns the folder of a link or an id (`root` is the Drive itself), with its contents."""
    if not url:
        raise errors.Invalid("Send the folder's link or id as `url`.", field="url")
    return await drive.folder(caller.person.actor, url)


async def read_file(caller: Known, file_id: str) -> drive.File:
    """Gives a file's name, kind and text."""
    return await drive.file(caller.person.actor, file_id)


async def find_names(caller: Known, begun: str = "") -> mentions.Names:
    """Lists files whose name has the typed prefix, as the list behind `@` in the composer does.

    Raises:
        errors.Invalid: The prefix is empty or too long.
        errors.LimitReached: The caller has sent too many requests.
        errors.DriveError: Drive is not connected, or does not answer.
    """
    return await mentions.find(caller.person.actor, begun)


routes = [
    Route(
        "/api/integrations/{provider}", disconnect, method="DELETE", scope="drive", tag="Google Drive",
        status_code=204, response_class=Response,
    ),
    Route("/api/drive/folders", read_folder, scope="drive", tag="Google Drive"),
    Route("/api/drive/files/{file_id}", read_file, scope="drive", tag="Google Drive"),
    Route("/api/drive/names", find_names, scope="drive", tag="Google Drive"),
]  # fmt: skip
