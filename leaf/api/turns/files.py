"""Files in a message, as `data:` URLs. They become uploads of the chat and are attached to the question."""

import asyncio
import base64
import mimetypes
import re
from uuid import UUID

from leaf import errors
from leaf.api import uploads
from leaf.api.callers import Caller
from leaf.api.turns.body import SentMessage, SentPart
from leaf.parts import question_files
from leaf.services.files import ChatFiles
from leaf.services.files.uploads import Upload

_ESCAPES = re.compile(rb"(?:%[0-9A-Fa-f]{2}){1,10000}")


def decoded(part: SentPart) -> tuple[str, bytes]:
    """The name and the bytes of a file part. Base64 may lack its padding and have blanks in it, as in browsers
    (https://infra.spec.whatwg.org/#forgiving-base64-decode). A file of some MB takes up to a second.

    Raises:
        errors.Invalid: The part is not a valid `data:` URL, or the file is empty.
    """
    head, separator, body = (part.url or "").partition(",")
    scheme, _, kind = head.partition(":")
    if not separator or scheme.lower() != "data":
        raise errors.Invalid(
            "Files are taken as data: URLs. Upload others to POST /api/chats/{id}/files.", field="message.parts"
        )
    media_type, _, further = kind.partition(";")
    try:
        data = _ESCAPES.sub(lambda found: bytes.fromhex(found[0].replace(b"%", b"").decode()), body.encode())
        if "base64" in map(str.strip, further.lower().split(";")):
            data = b"".join(data.split()).rstrip(b"=")
            data = base64.b64decode(data + b"=" * (-len(data) % 4), validate=True)
    except ValueError:
        raise errors.Invalid("A file is not valid base64.", field="message.parts") from None
    if not data:
        raise errors.Invalid("A file is empty.", field="message.parts")
    suffix = mimetypes.guess_extension(part.mediaType or media_type) or ""
    return part.filename or f"file{suffix}", data


async def read(caller: Caller, chat_id: UUID, message: SentMessage) -> list[Upload]:
    """Reads the files of a message, which are stored together with its question.

    Raises:
        errors.Invalid: A file is empty or not a valid `data:` URL, or there are too many files.
        errors.LimitReached: The caller has too many concurrent uploads.
        errors.LeafError: 413, a file is too large; 415, uploads of its type are not accepted.
    """
    if len(message.files) > (most := question_files.MOST_ATTACHMENTS):
        raise errors.Invalid(f"A message can have at most {most} files.", field="message.parts")
    files, found = ChatFiles(caller.person.actor, chat_id), list[Upload]()
    for part in message.files:
        name, data = await asyncio.to_thread(decoded, part)
        async with uploads.turn(caller.person.user_id):
            found.append(await files.read_upload(name, data))
    return found
