"""Reads the headers, the texts and the attachments of e-mails (eml, and msg of Outlook)."""

import email
import email.header
import email.message
import email.utils
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePath
from typing import Any

from leaf import texts
from leaf.documents import text
from leaf.documents.kinds import Kind, kind_of
from leaf.documents.model import Segment, Unreadable
from leaf.documents.office import BROKEN, COMPOUND

_HEADS = ("From", "To", "Cc", "Date", "Subject")
_HEAD_CHARACTERS = 2_000
_NAME_CHARACTERS = 200
"""The maximum length of the name of an attachment."""
_WITHOUT_MARKS = str.maketrans("›[]", ">()")
"""Replaces the signs that mark places (`places.in_attachment`)."""
_MOST_RECIPIENTS = 100
"""The maximum number of recipients that are named."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that came with an e-mail."""

    name: str
    """Its name; a second attachment with the same name is `name (2).pdf`."""
    mime_type: str
    content: Callable[[], bytes]
    """Decodes it. Empty if it is damaged, or a message of Outlook within another one."""

    @property
    def kind(self) -> Kind:
        """The kind that its type and name promise."""
        return kind_of(self.mime_type, self.name)


def read(data: bytes) -> tuple[list[Segment], list[Attachment]]:
    """Reads an e-mail.

    Returns:
        Its headers with its plain text, or else with its HTML as text; and its attachments. Attachments of a forwarded
        e-mail (`message/rfc822`) are among them.

    Raises:
        Unreadable: A message of Outlook is damaged.
    """
    if data.startswith(COMPOUND):
        heads, plain, rich, attached = _of_outlook(data)
    else:
        message = email.message_from_bytes(data)
        heads = {name: _head(message[name]) for name in _HEADS if message[name]}
        plain, rich, attached = _parts(message)
    body = plain
    if not plain.strip():
        body = text.markdown_of(rich) if rich.strip() else ""
    lines = [f"{name}: {value}" for name, value in heads.items()]
    segments = text.segments_by_lines("\n".join([*lines, "", body.strip(), ""]))
    return segments, _named_apart(attached)


def _of_outlook(data: bytes) -> tuple[dict[str, str], str, str, list[Attachment]]:
    """Returns the headers, the plain text, the HTML, and the attachments of a message of Outlook (msg).

    Raises:
        Unreadable: It is damaged.
    """
    from oxmsg import Message

    try:
        message = Message.load(data)
        sent = message.sent_date
        given = {
            "From": message.sender,
            "To": ", ".join(_address(one.name, one.email_address) for one in message.recipients[:_MOST_RECIPIENTS]),
            "Date": email.utils.format_datetime(sent) if sent else message.message_headers.get("Date"),
            "Subject": message.subject,
        }
        attached = [
            Attachment(_name(one.file_name or one.mime_type), one.mime_type or "", partial(_of_attached, one))
            for one in message.attachments
        ]
        plain, rich = (_with_line_feeds(body or "") for body in (message.body, message.html_body))
    except (*BROKEN, RecursionError):
        raise Unreadable(texts.english("refusals.damaged_mail")) from None
    return {name: _head(value) for name, value in given.items() if value}, plain, rich, attached


def _of_attached(attachment: Any) -> bytes:
    try:
        return attachment.file_bytes or b""
    except (*BROKEN, RecursionError):
        return b""


def _named_apart(attached: Iterable[Attachment]) -> list[Attachment]:
    """The attachments, with names that no other one has."""
    counted = Counter[str]()
    found: list[Attachment] = []
    for one in attached:
        counted[one.name] += 1
        number = counted[one.name]
        name = PurePath(one.name)
        found.append(replace(one, name=f"{name.stem} ({number}){name.suffix}") if number > 1 else one)
    return found


def _address(name: str, address: str) -> str:
    return f"{name} <{address}>" if name and address and name != address else name or address


def _parts(message: email.message.Message) -> tuple[str, str, list[Attachment]]:
    """Returns the plain text, the HTML, and the attachments."""
    plain, rich = list[str](), list[str]()
    attached: list[Attachment] = []
    for part in message.walk():
        if part.is_multipart():
            continue
        name = part.get_filename()
        if name or part.get_content_maintype() != "text":
            mime_type = part.get_content_type()
            attached.append(Attachment(_name(name) or mime_type, mime_type, partial(_content, part)))
        elif part.get_content_subtype() == "html":
            rich.append(_decoded(part))
        else:
            plain.append(_decoded(part))
    return "\n\n".join(plain), "\n\n".join(rich), attached


def _content(part: email.message.Message) -> bytes:
    data = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""


def _decoded(part: email.message.Message) -> str:
    data = _content(part)
    try:
        decoded = data.decode(part.get_content_charset() or "utf-8", "replace")
    except LookupError:
        decoded = data.decode("utf-8", "replace")
    return _with_line_feeds(decoded)


def _with_line_feeds(given: str) -> str:
    return given.replace("\r\n", "\n")


def _name(value: object) -> str:
    return _head(value or "")[:_NAME_CHARACTERS].translate(_WITHOUT_MARKS)


def _head(value: object) -> str:
    """The decoded text of a header."""
    given = str(value)[:_HEAD_CHARACTERS]
    try:
        decoded = str(email.header.make_header(email.header.decode_header(given)))
    except (LookupError, ValueError):
        decoded = given
    return " ".join(decoded.split())
