"""Reads the headers and texts of e-mails (eml, and msg of Outlook). Attachments are named but not read."""

import email
import email.header
import email.message
import email.utils

from leaf import texts
from leaf.documents import text
from leaf.documents.model import Segment, Unreadable
from leaf.documents.office import BROKEN, COMPOUND

_HEADS = ("From", "To", "Cc", "Date", "Subject")
_HEAD_CHARACTERS = 2_000
_MOST_RECIPIENTS = 100
"""The maximum number of recipients that are named."""
_MOST_ATTACHMENTS = 20
"""The maximum number of attachments that are named."""


def read(data: bytes) -> tuple[list[Segment], list[str]]:
    """Reads an e-mail: its headers, and its plain text, or else its HTML as text. Returns segments and notes.

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
    notes: list[str] = []
    if attached:
        named = ", ".join(f"“{name}”" for name in attached[:_MOST_ATTACHMENTS])
        more = len(attached) - _MOST_ATTACHMENTS
        if more > 0:
            notes.append(texts.english("notes.attachments_more", names=named, number=more))
        else:
            notes.append(texts.english("notes.attachments", names=named))
    lines = [f"{name}: {value}" for name, value in heads.items()]
    return text.segments_by_lines("\n".join([*lines, "", body.strip(), ""])), notes


def _of_outlook(data: bytes) -> tuple[dict[str, str], str, str, list[str]]:
    """Returns the headers, the plain text, the HTML, and the names of the attachments of a message of Outlook (msg).

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
        attached = [_head(one.file_name or one.mime_type) for one in message.attachments]
        plain, rich = (_with_line_feeds(body or "") for body in (message.body, message.html_body))
    except (*BROKEN, RecursionError):
        raise Unreadable(texts.english("refusals.damaged_mail")) from None
    return {name: _head(value) for name, value in given.items() if value}, plain, rich, attached


def _address(name: str, address: str) -> str:
    return f"{name} <{address}>" if name and address and name != address else name or address


def _parts(message: email.message.Message) -> tuple[str, str, list[str]]:
    """Returns the plain text, the HTML, and the names of the attachments."""
    plain, rich = list[str](), list[str]()
    attached: list[str] = []
    for part in message.walk():
        if part.is_multipart():
            continue
        name = part.get_filename()
        if name or part.get_content_maintype() != "text":
            attached.append(_head(name) if name else part.get_content_type())
        elif part.get_content_subtype() == "html":
            rich.append(_decoded(part))
        else:
            plain.append(_decoded(part))
    return "\n\n".join(plain), "\n\n".join(rich), attached


def _decoded(part: email.message.Message) -> str:
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes):
        return ""
    try:
        decoded = data.decode(part.get_content_charset() or "utf-8", "replace")
    except LookupError:
        decoded = data.decode("utf-8", "replace")
    return _with_line_feeds(decoded)


def _with_line_feeds(given: str) -> str:
    return given.replace("\r\n", "\n")


def _head(value: object) -> str:
    """The decoded text of a header."""
    given = str(value)[:_HEAD_CHARACTERS]
    try:
        decoded = str(email.header.make_header(email.header.decode_header(given)))
    except (LookupError, ValueError):
        decoded = given
    return " ".join(decoded.split())
