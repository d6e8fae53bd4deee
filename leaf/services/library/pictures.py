"""The picture for a quote from a text read by OCR. It shows the page with the lines of the quote marked."""

import asyncio
from collections.abc import Sequence

from leaf import errors
from leaf.db.session import Actor
from leaf.documents import Document, Segment, Unreadable
from leaf.documents.model import Line
from leaf.documents.pictures import lines_of
from leaf.google import content
from leaf.google.drive import Drive
from leaf.google.links import DriveLink
from leaf.services.documents import UserDocuments
from leaf.services.integrations import UserDrive
from leaf.services.library import sight
from leaf.texts.places import bare


async def picture(actor: Actor, file_id: str, place: str, quote: str) -> bytes:
    """The picture as JPEG. First, Google confirms with the member's own token that the member may see the file.

    Args:
        actor: The member.
        file_id: The file in Drive.
        place: The place of the quote, such as `page 3, read by OCR`.
        quote: The quoted words. If it is empty, no line is marked.

    Raises:
        errors.NotFound: The file is gone or closed to the member, or has changed so that it has no such picture.
        errors.DriveError: Drive is not connected, or does not answer.
    """
    access = UserDrive(actor)
    revision = (await sight.require(actor, access, [file_id]))[file_id]
    document = await UserDocuments(actor).get(file_id, revision)
    found = await asyncio.to_thread(_located, document, place, quote) if document is not None else None
    if found is None:
        raise errors.NotFound("file")
    segment, lines = found
    drive = Drive(access)
    try:
        file = await drive.get_file(DriveLink(file_id, await sight.resource_key(actor, file_id)))
        return await content.picture(drive, file, segment.part, lines)
    except (errors.DriveRefused, Unreadable):
        raise errors.NotFound("file") from None


def _located(document: Document, place: str, quote: str) -> tuple[Segment, Sequence[Line]] | None:
    """The segment read by OCR at a place, with the lines of the quote in it.

    If the quote is not at the place, the first other segment with the quote is returned. If no segment has the quote,
    the segment at the place is returned without lines. None if there is no such segment either.
    """
    recognised = [one for one in document.segments if one.lines]
    named = [one for one in recognised if one.part == bare(place)]
    for segments in (named, recognised):
        for number, lines in lines_of([(one.text, one.lines) for one in segments], quote).items():
            return segments[number], lines
    return (named[0], ()) if named else None
