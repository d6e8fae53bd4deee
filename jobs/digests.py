"""The cron job that sends members their daily e-mail about watched questions."""

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import formatdate
from html import escape
from typing import Any, Final
from urllib.parse import urlsplit

import aiosmtplib

from leaf import config, errors, texts
from leaf.config.mail import MailServer
from leaf.db.session import Actor
from leaf.services.comparisons import Sign
from leaf.services.watches import Watch, digests
from leaf.services.watches.digests import Digest

log = logging.getLogger(__name__)

AT_ONCE: Final = 100
SETTINGS_PATH: Final = "/settings/watched"
STEP_SECONDS: Final = 20
"""The time limit of one SMTP command."""
SEND_SECONDS: Final = 120
"""The time limit of one e-mail, far below the time for which a worker claims it."""
_AUTHENTICATION_REQUIRED: Final = 530
_PERMANENT: Final = 500
"""The first SMTP code of a permanent failure."""


class Unreachable(Exception):
    """The server accepts no e-mail from Leaf at present."""


class Refused(Exception):
    """The server refuses this e-mail permanently.

    Args:
        recipient: Whether the server refuses the recipient. Otherwise it refuses the message.
    """

    def __init__(self, *, recipient: bool) -> None:
        super().__init__()
        self.recipient = recipient


class Postponed(Exception):
    """The server refuses this e-mail temporarily."""


async def send_due(ctx: dict[str, Any]) -> None:  # noqa: ARG001 - arq passes its context
    """Sends the e-mails that are due, until the server cannot be reached."""
    server = config.current().mail_server
    if server is None:
        return
    try:
        for actor in await digests.due(AT_ONCE):
            if not await _send(actor, server):
                return
    except errors.Unavailable as error:
        log.warning("e-mails are sent later: %s", error.message)


async def _send(actor: Actor, server: MailServer) -> bool:
    """Sends a member's e-mail if it is due. Returns False if the server cannot be reached."""
    digest = await digests.claim(actor)
    if digest is None:
        return True
    try:
        await _deliver(digest, server)
    except Refused as refusal:
        # A refused recipient may no longer exist, so nothing is sent until there is other news.
        await digests.settle(actor, digest, is_done=refusal.recipient)
        log.warning("an e-mail about watched questions was refused: member %s", actor.member_id)
    except Postponed:
        log.info("an e-mail about watched questions is sent later: member %s", actor.member_id)
    except Unreachable as error:
        log.warning("e-mails are sent later: the mail server fails: %s", error)
        return False
    else:
        await digests.settle(actor, digest, is_done=True)
        log.info("an e-mail about watched questions was sent: member %s", actor.member_id)
    return True


def _email(digest: Digest, *, is_private: bool) -> EmailMessage:
    """The e-mail, as text and as HTML.

    It lists the questions with links to their chats, and the differences between the answers as plain text. The
    differences may quote and name files, so they are included only if Google has just confirmed that the member may
    read all files behind the answers (`comparisons.to_send`). The e-mail has no other content of files.

    Args:
        digest: The news.
        is_private: Whether the connection to the server is private. Otherwise the e-mail has no words of answers.

    Raises:
        ValueError, IndexError, MessageError: The member's address is not a single address.
    """
    settings = config.current()
    say = texts.of(digest.language)
    page = settings.url + SETTINGS_PATH
    items = [_item(one, digest if is_private else None, settings.url, say) for one in digest.news]
    lead, footer = say("watches.mail_lead", count=len(items)), say("watches.mail_footer")
    message = EmailMessage()
    message["From"], message["To"] = settings.mail_from, Address(addr_spec=digest.address)
    message["Subject"] = say("watches.mail_subject", count=len(items))
    message["Date"] = formatdate()
    message["Message-ID"] = f"<{digest.id}@{urlsplit(settings.url).hostname}>"
    message["List-Unsubscribe"] = f"<{page}>"
    message["Auto-Submitted"] = "auto-generated"
    message["Content-Language"] = digest.language
    message.set_content("\n".join([lead, "", *(line for one in items for line in one.lines()), footer, page]))
    message.add_alternative(
        f'<!doctype html><html lang="{digest.language}"><body><p>{escape(lead)}</p>'
        f"<ul>{''.join(one.html() for one in items)}</ul>"
        f'<p>{escape(footer)} <a href="{escape(page)}">{escape(page)}</a></p></body></html>',
        subtype="html",
    )
    return message


@dataclass(frozen=True)
class _Item:
    """A question in the list of an e-mail."""

    words: str
    note: str
    link: str
    changes: Sequence[tuple[Sign, str]]

    def lines(self) -> Iterator[str]:
        yield from (f"- {self.words}", f"  {self.note}")
        yield from (f"  {_SIGNS[sign]} {text}" for sign, text in self.changes)
        yield from (f"  {self.link}", "")

    def html(self) -> str:
        tags = {"-": "del", "+": "ins"}
        changes = "".join(f"<br><{tags[sign]}>{escape(text)}</{tags[sign]}>" for sign, text in self.changes)
        return f'<li><a href="{escape(self.link)}">{escape(self.words)}</a><br>{escape(self.note)}{changes}</li>'


_SIGNS: Final = {"-": "\N{MINUS SIGN}", "+": "+"}


def _item(watch: Watch, digest: Digest | None, home: str, say: Callable[..., str]) -> _Item:
    changes = digest.differences.get(watch.id, ()) if digest is not None else ()
    note = say("watches.mail_appeared" if watch.state == "found" else "watches.mail_different")
    return _Item(watch.question or watch.title, note, f"{home}/chat/{watch.chat_id}", changes)


async def _deliver(digest: Digest, server: MailServer) -> None:
    """Hands an e-mail to the server.

    Raises:
        Refused: The server refuses the recipient or the message permanently.
        Postponed: The server refuses the recipient or the message temporarily.
        Unreachable: The server does not answer, refuses Leaf itself, or has no TLS although a password is sent.
    """
    client = aiosmtplib.SMTP(
        hostname=server.host, port=server.port, use_tls=server.tls, timeout=STEP_SECONDS,
        start_tls=False if server.tls else (True if server.needs_tls else None),
        username=server.user or None, password=server.password or None,
    )  # fmt: skip
    # The messages of these exceptions are not passed on, because they may contain e-mail addresses.
    try:
        async with asyncio.timeout(SEND_SECONDS), client:
            await client.send_message(_email(digest, is_private=server.is_private))
    except aiosmtplib.SMTPRecipientsRefused as error:
        raise _refusal(error.recipients[0], recipient=True) from None
    except aiosmtplib.SMTPDataError as error:
        raise _refusal(error, recipient=False) from None
    except (aiosmtplib.SMTPNotSupported, MessageError, ValueError, IndexError):
        # The address is invalid, or this server does not support its characters.
        raise Refused(recipient=True) from None
    except aiosmtplib.SMTPResponseException as error:
        raise Unreachable(f"{type(error).__name__} ({error.code})") from None
    except (aiosmtplib.SMTPException, OSError) as error:
        raise Unreachable(type(error).__name__) from None


def _refusal(error: aiosmtplib.SMTPResponseException, *, recipient: bool) -> Exception:
    if error.code == _AUTHENTICATION_REQUIRED:
        return Unreachable(f"{type(error).__name__} ({error.code})")
    return Refused(recipient=recipient) if error.code >= _PERMANENT else Postponed()
