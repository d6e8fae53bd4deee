"""The settings of e-mail: the server that sends it, and the sender."""

import ipaddress
from dataclasses import dataclass, field
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from typing import Final, cast
from urllib.parse import unquote, urlsplit

from pydantic import Field

from leaf.config.sources import EnvironmentSettings

_PORTS: Final = {"smtp": 587, "smtps": 465}


@dataclass(frozen=True)
class MailServer:
    """An SMTP server."""

    host: str
    port: int
    user: str
    """The user name; empty if the server needs none."""
    password: str = field(repr=False)
    tls: bool
    """Whether the connection begins with TLS. If not, STARTTLS is used if the server offers it."""

    @property
    def needs_tls(self) -> bool:
        """Whether TLS is required, because a password must not leave this machine without TLS."""
        return bool(self.user) and not _is_loopback(self.host)

    @property
    def is_private(self) -> bool:
        """Whether nobody can read e-mail on the way to the server, because it is sent over TLS or stays on this
        machine.
        """
        return self.tls or self.needs_tls or _is_loopback(self.host)


class MailSettings(EnvironmentSettings):
    """The SMTP server and the sender. Without a server, Leaf sends no e-mail."""

    smtp_url: str | None = Field(None, repr=False, validation_alias="LEAF_SMTP_URL")
    """`smtp://user:password@host:port`, or `smtps://` for TLS from the beginning."""
    mail_from: str = Field("", validation_alias="LEAF_MAIL_FROM")
    """The sender, such as `Leaf <leaf@leaf.example>`."""

    @property
    def mail_server(self) -> MailServer | None:
        """The SMTP server; None if none is set."""
        if not self.smtp_url:
            return None
        parts = urlsplit(self.smtp_url)
        port = parts.port or _PORTS[parts.scheme]
        return MailServer(
            parts.hostname or "", port, unquote(parts.username or ""), unquote(parts.password or ""),
            parts.scheme == "smtps",
        )  # fmt: skip

    @property
    def mail_problems(self) -> list[str]:
        """The problems of these settings, one line each."""
        if not self.smtp_url:
            return ["LEAF_SMTP_URL: is missing; LEAF_MAIL_FROM needs it"] if self.mail_from else []
        problems = [f"LEAF_SMTP_URL: {problem}"] if (problem := _problem_of_server(self.smtp_url)) else []
        if not self.mail_from:
            problems.append("LEAF_MAIL_FROM: is missing; LEAF_SMTP_URL needs it")
        elif not _is_sender(self.mail_from):
            problems.append("LEAF_MAIL_FROM: must be one address, such as Leaf <leaf@leaf.example>")
        return problems


def _problem_of_server(url: str) -> str:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return "its port must be a number from 1 to 65535"
    if parts.scheme not in _PORTS or not parts.hostname:
        return "must be smtp://host or smtps://host, with user:password@ before the host where it needs them"
    if port == 0:
        return "its port must be a number from 1 to 65535"
    if parts.path not in {"", "/"} or parts.query or parts.fragment:
        return "must end after the host and port; write /, ? and # in a password as %2F, %3F and %23"
    if bool(parts.username) != bool(parts.password):
        return "must have both a user and a password, or neither"
    return ""


def _is_sender(text: str) -> bool:
    message = EmailMessage()
    try:
        message["From"] = text
    except (ValueError, IndexError, MessageError):  # the parser raises IndexError for some cut-off addresses
        return False
    header = message["From"]
    addresses = cast("tuple[Address, ...]", header.addresses)
    return len(addresses) == 1 and not header.defects and bool(addresses[0].username) and bool(addresses[0].domain)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
