"""Google Drive over HTTP, with the caller's own token, and the state of the connection."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from leaf import errors
from leaf.api import http
from leaf.api.callers import Known
from leaf.api.routing import Route
from leaf.services import doctor, drive, integrations, mentions
from leaf.services.library import pictures

_LINK_CHARACTERS = 2000
_PLACE_CHARACTERS = 200
_QUOTE_CHARACTERS = 1000


@dataclass(frozen=True)
class Integration:
    """The state of a connection.

    `state` is `none`, `connected`, `trouble` (it does not work until the cause is removed) or `error` (only a new
    connection works). `reason` says what fails and what to do. `forward` is a text for the administrator who can remove
    the cause. `expires_at` is the end of the access while Google's app has the status Testing.
    """

    provider: str
    state: integrations.State
    email: str | None
    cause: str | None
    reason: str | None
    forward: str | None
    link: str
    expires_at: datetime | None


@dataclass(frozen=True)
class Probe:
    """A step of a check, with its outcome and a note that says what to do.

    The outcome is `passed`, `noted`, `failed` or `skipped`. `noted` means that the connection works, and that the note
    should be read nevertheless.
    """

    name: str
    outcome: doctor.Outcome
    seconds: float
    note: str


@dataclass(frozen=True)
class Check:
    """The steps of a check in their order. The check ends with the first step that fails.

    `row` is the row in docs/drive-doctor.md. `ok` is true if no step has failed or been noted.
    """

    probes: list[Probe]
    ok: bool
    cause: str | None = None
    row: int | None = None
    message: str | None = None
    forward: str | None = None
    link: str = ""


async def read_integrations(caller: Known) -> list[Integration]:
    """Lists the caller's connections, with what is wrong with them."""
    return [
        Integration(one.provider, one.state, one.email, one.cause, one.reason, one.forward, one.link, one.expires_at)
        for one in await integrations.cards(caller.person.actor)
    ]


async def check(caller: Known, provider: str) -> Check:
    """Checks the connection to Drive in nine steps, which takes some seconds, and names the cause of the first failure.

    Raises:
        errors.NotFound: The provider is unknown.
        errors.DriveNotConnected: Drive is not connected.
        errors.LimitReached: The caller checks too often.
    """
    if provider != integrations.DRIVE:
        raise errors.NotFound("integration")
    results = [one async for one in doctor.check(caller.person.actor)]
    probes = [Probe(one.probe, one.outcome, round(one.seconds, 3), one.note) for one in results]
    finding = doctor.finding(results)
    if finding is None:
        return Check(probes, ok=True)
    found = finding.found
    if found is None:
        return Check(probes, ok=False, message=finding.note)
    return Check(
        probes, ok=False, cause=found.cause, row=found.row.number, message=finding.note, forward=finding.forward,
        link=found.link,
    )  # fmt: skip


async def disconnect(caller: Known, provider: str) -> Response:
    """Revokes the grant of an integration, such as `google_drive`, and deletes the connection."""
    await integrations.disconnect(caller.person.actor, provider)
    return Response(status_code=204)


async def read_folder(caller: Known, url: Annotated[str, Query(max_length=_LINK_CHARACTERS)] = "") -> drive.Folder:
    """Returns the folder of a link or an id (`root` is the Drive itself), with its contents."""
    if not url:
        raise errors.Invalid("Send the folder's link or id as `url`.", field="url")
    return await drive.folder(caller.person.actor, url)


async def read_file(
    caller: Known,
    file_id: str,
    resource_key: Annotated[
        str, Query(max_length=_PLACE_CHARACTERS, description="The `resourcekey` of the file's link, if it has one")
    ] = "",
) -> drive.File:
    """Gives a file's name, kind and text."""
    return await drive.file(caller.person.actor, file_id, resource_key=resource_key or None)


async def read_picture(
    caller: Known,
    file_id: str,
    place: Annotated[str, Query(max_length=_PLACE_CHARACTERS, description="The place, such as `page 3`")],
    quote: Annotated[str, Query(max_length=_QUOTE_CHARACTERS, description="The words to mark")] = "",
) -> Response:
    """Returns the picture of a scanned page, or of a picture in a file, with the lines of a quote marked, as JPEG.

    Google confirms the permission first.

    Raises:
        errors.NotFound: The file is gone or closed to the caller, or there is no text from OCR at this place.
        errors.DriveError: Drive is not connected, or does not answer.
    """
    picture = await pictures.picture(caller.person.actor, file_id, place, quote)
    return Response(picture, media_type="image/jpeg", headers=http.FILE_HEADERS)


async def find_names(caller: Known, begun: str = "") -> mentions.Names:
    """Lists files whose name has the typed prefix, as the list behind `@` in the composer does.

    Raises:
        errors.Invalid: The prefix is empty or too long.
        errors.LimitReached: The caller has sent too many requests.
        errors.DriveError: Drive is not connected, or does not answer.
    """
    return await mentions.find(caller.person.actor, begun)


routes = [
    Route("/api/integrations", read_integrations, scope="drive", tag="Google Drive"),
    Route("/api/integrations/{provider}/check", check, method="POST", scope="drive", tag="Google Drive"),
    Route(
        "/api/integrations/{provider}", disconnect, method="DELETE", scope="drive", tag="Google Drive", status_code=204,
    ),
    Route("/api/drive/folders", read_folder, scope="drive", tag="Google Drive"),
    Route("/api/drive/files/{file_id}", read_file, scope="drive", tag="Google Drive"),
    Route(
        "/api/drive/files/{file_id}/picture", read_picture, scope="drive", tag="Google Drive",
        responses=http.described("The picture", "image/jpeg"),
    ),
    Route("/api/drive/names", find_names, scope="drive", tag="Google Drive"),
]  # fmt: skip
