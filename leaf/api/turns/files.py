"""Files in a message, as `data:` URLs. They become uploads of the chat and are attached to the question."""

import base64
import binascii
import mimetypes
from urllib.parse import unquote_to_bytes
from uuid import UUID

from leaf import errors
from leaf.api import uploads
from leaf.api.callers import Caller
from leaf.api.turns.body import SentMessage, SentPart
from leaf.parts import question_files
from leaf.services.files import ChatFiles
from leaf.services.files.uploads import Upload


def decoded(part: SentPart) -> tuple[str, bytes]:
    """The name and the bytes of a file part.

    Raises:
        errors.Invalid: The part is not a valid `data:` URL, or the file is empty.
    """
    head, separator, body = (part.url or "").partition(",")
    if not separator or not head.startswith("data:"):
        raise errors.Invalid(
            "Files are taken as data: URLs. Upload others to POST /api/chats/{id}/files.", field="message.parts"
        )
    media_type, *further = head.removeprefix("data:").split(";")
    try:
        data = base64.b64decode(body, validate=True) if "base64" in further else unquote_to_bytes(body)
    except (binascii.Error, ValueError):
        raise errors.Invalid("A file is not valid base64.", field="message.parts") from None
    if not data:
        raise errors.Invalid("A file is empty.", field="message.parts")
    suffix = mimetypes.guess_extension(part.mediaType or media_type) or ""
    return part.filename or f"file{suffix}", data


def check(message: SentMessage) -> None:
    """Checks the files of a message before any of them is stored.

    Raises:
        errors.Invalid: A file is empty or not a valid `data:` URL, or there are too many files.
    """
    if len(message.files) > question_files.MOST_ATTACHMENTS:
        most = question_files.MOST_ATTACHMENTS
        raise errors.Invalid(f"A message can have at most {most} files.", field="message.parts")
    for part in message.files:
        decoded(part)


async def read(caller: Caller, chat_id: UUID, message: SentMessage) -> list[Upload]:
    """Reads the files of a message, which are stored together with its question.

    Raises:
        errors.Invalid: A file is empty or not a valid `data:` URL.
        errors.LimitReached: The caller has too many concurrent uploads.
        errors.LeafError: 413, a file is too large; 415, uploads of its type are not accepted.
    """
    files, found = ChatFiles(caller.person.actor, chat_id), list[Upload]()
    for name, data in map(decoded, message.files):
        async with uploads.turn(caller.person.user_id):
            found.append(await files.read_upload(name, data))
    return found
