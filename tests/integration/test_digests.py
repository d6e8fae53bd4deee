"""The daily e-mail about watched questions, taken by a mail server of the test."""

import asyncio
import email
import logging
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email import policy
from email.message import EmailMessage
from ipaddress import ip_address
from pathlib import Path
from typing import Any, cast

import pytest
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from jobs import digests as job
from leaf import redis
from leaf.config import mail
from leaf.db import Actor
from leaf.services import chats, watches
from leaf.services.watches import digests
from tests.integration import test_library
from tests.integration.people import end
from tests.integration.test_library import add, change
from tests.integration.test_living_answers import KEYS, LEASE, NOTICE, RENT, answered, cited, leased
from tests.integration.test_watches import declared, later, look, runs
from tests.integration.web_fixtures import World

changing_sandbox, sandbox_process = test_library.changing_sandbox, test_library.sandbox_process

PASSWORD = "hidden-mail-passphrase"


@dataclass
class Mailbox:
    """A mail server: the e-mails that it took, and its answer to recipients and to messages."""

    taken: list[EmailMessage] = field(default_factory=list)
    signed_in: list[bytes] = field(default_factory=list)
    to_recipients: str = ""
    to_messages: str = ""
    asked: int = 0

    async def handle_RCPT(self, _: Any, __: Any, envelope: Envelope, address: str, ___: Any) -> str:  # noqa: N802
        self.asked += 1
        if self.to_recipients:
            return f"{self.to_recipients} <{address}>"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _: Any, __: Any, envelope: Envelope) -> str:  # noqa: N802
        if self.to_messages:
            return self.to_messages
        message = email.message_from_bytes(cast("bytes", envelope.content), policy=policy.default)
        self.taken.append(message)
        return "250 OK"

    def authenticate(self, _: Any, __: Any, ___: Any, ____: Any, data: LoginPassword) -> AuthResult:
        self.signed_in.append(data.password)
        return AuthResult(success=data.password == PASSWORD.encode())


@pytest.fixture
async def mailbox(world: World) -> AsyncIterator[Mailbox]:
    found = Mailbox()
    async with serving(found) as port:
        _use(world, port)
        yield found


@asynccontextmanager
async def serving(mailbox: Mailbox, *, tls: ssl.SSLContext | None = None, **options: Any) -> AsyncIterator[int]:
    """The port of a mail server, with TLS from the beginning, with STARTTLS (`tls_context`), or with neither."""

    def connected() -> SMTP:
        return SMTP(
            mailbox, hostname="mail.example", authenticator=mailbox.authenticate, auth_require_tls=False, **options
        )  # fmt: skip

    server = await asyncio.get_running_loop().create_server(connected, "127.0.0.1", 0, ssl=tls)
    async with server:
        yield server.sockets[0].getsockname()[1]


def _use(world: World, port: int) -> None:
    world.change(smtp_url=f"smtp://leaf:{PASSWORD}@127.0.0.1:{port}", mail_from="Leaf <leaf@leaf.example>")


def text_of(message: EmailMessage, kind: str) -> str:
    body = message.get_body((kind,))
    assert body is not None
    return str(body.get_content())


async def renewed(world: World, ada: Actor, file_id: str, chat_id: Any, rent: str, *, ago: str = "20 minutes") -> None:
    """Has had the watched question of the lease answered anew, with another rent."""
    change(world, file_id, content=LEASE.replace("1,850", rent))
    await look(world, "25 hours")
    (run_id,) = runs(world, chat_id)
    parts = cited(world, file_id, RENT.replace("1,850", rent), NOTICE, KEYS)
    parts[0]["text"] = f"The rent is {rent}."
    await end(run_id, parts=parts)
    await look(world)
    later(world, ago)
    assert [one.is_news for one in await watches.listed(ada) if one.chat_id == chat_id] == [True]


def wait(world: World, span: str) -> None:
    """Moves the clock for e-mails alone."""
    world.sql("UPDATE digests SET next_at = next_at - %s::interval", span)


async def test_a_member_is_sent_one_e_mail_about_news(world: World, mailbox: Mailbox) -> None:
    """The questions with links to their chats and what is different in the answers, but no quotes; not twice, and not
    for an unchanged Drive.
    """
    async with leased(world) as (ada, file_id, chat_id, message_id):
        await watches.begin(ada, message_id)
        await look(world)
        await job.send_due({})
        assert (mailbox.taken, world.count("digests")) == ([], 0), "an unchanged Drive has no news"
        await renewed(world, ada, file_id, chat_id, "1,990")
        await job.send_due({})
        (sent,) = mailbox.taken
        assert mailbox.signed_in == [PASSWORD.encode()]
        (profile,) = world.sql("SELECT email FROM users WHERE id = %s", ada.user_id)
        assert (sent["From"], sent["To"]) == ("Leaf <leaf@leaf.example>", profile[0])
        assert sent["Subject"] == "1 watched question has news"
        assert sent["List-Unsubscribe"] == f"<{world.settings.url}/settings/watched>"
        (watch,) = await watches.listed(ada)
        for kind in ("plain", "html"):
            body = text_of(sent, kind)
            assert watch.question in body
            assert f"{world.settings.url}/chat/{chat_id}" in body
            assert "The answer is different." in body
            assert body.index("The lease says so.") < body.index("The rent is 1,990.")
            assert NOTICE not in body
            assert "Lease.txt" not in body
        wait(world, "3 days")
        await job.send_due({})
        assert len(mailbox.taken) == 1, "the same news is told once"


async def test_the_e_mail_says_what_has_appeared(world: World, mailbox: Mailbox) -> None:
    """In the words of the new answer, and not that it is different."""
    async with leased(world) as (ada, _, _, _):
        chat_id, message_id = await answered(ada, [{"type": "text", "text": "Nothing was found."}], "cider festival?")
        await watches.begin(ada, message_id, kind="appear")
        file_id = add(world, "ada:/Festival.txt", "The cider festival is on 12 September.")
        await look(world)
        (run_id,) = runs(world, chat_id)
        await end(run_id, parts=declared(cited(world, file_id, "The cider festival is on 12 September.")))
        await look(world)
        later(world, "20 minutes")
        await job.send_due({})
        (sent,) = mailbox.taken
        for kind in ("plain", "html"):
            body = text_of(sent, kind)
            assert "Drive now has an answer. Leaf no longer watches this question." in body
            assert "It is in September." in body
            assert "found]" not in body
            assert "different" not in body


async def test_words_of_answers_are_sent_only_if_their_files_may_be_read_and_nobody_reads_them_on_the_way(
    world: World, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The e-mail itself is sent."""
    async with leased(world) as (ada, file_id, chat_id, message_id):
        await watches.begin(ada, message_id)
        await renewed(world, ada, file_id, chat_id, "1,990")
        change(world, file_id, can_download=False)
        await redis.client().flushdb()
        await job.send_due({})
        change(world, file_id, can_download=True)
        await redis.client().flushdb()
        world.sql("UPDATE watches SET mailed_at = NULL")
        assert world.settings.mail_server is not None
        world.change(smtp_url=f"smtp://127.0.0.1:{world.settings.mail_server.port}")
        with monkeypatch.context() as elsewhere:
            elsewhere.setattr(mail, "_is_loopback", lambda _: False)
            wait(world, "1 day")
            await job.send_due({})
        world.sql("UPDATE watches SET mailed_at = NULL")
        wait(world, "1 day")
        await job.send_due({})
        assert ["1,990" in text_of(sent, "plain") for sent in mailbox.taken] == [False, False, True]


async def test_at_most_one_e_mail_a_day_and_none_about_what_was_seen(world: World, mailbox: Mailbox) -> None:
    async with leased(world) as (ada, file_id, chat_id, message_id):
        await watches.begin(ada, message_id)
        await renewed(world, ada, file_id, chat_id, "1,990")
        await job.send_due({})
        await renewed(world, ada, file_id, chat_id, "2,010")
        await job.send_due({})
        assert len(mailbox.taken) == 1, "the day is not over"
        wait(world, "24 hours")
        await job.send_due({})
        assert len(mailbox.taken) == 2
        assert mailbox.taken[0]["Message-ID"] != mailbox.taken[1]["Message-ID"]
        await renewed(world, ada, file_id, chat_id, "2,030")
        await chats.mark_read(ada, chat_id)
        wait(world, "24 hours")
        await job.send_due({})
        assert len(mailbox.taken) == 2, "what was seen is no news"


async def test_the_first_news_waits_a_while_for_others(world: World, mailbox: Mailbox) -> None:
    async with leased(world) as (ada, file_id, chat_id, message_id):
        await watches.begin(ada, message_id)
        await renewed(world, ada, file_id, chat_id, "1,990", ago="14 minutes")
        await job.send_due({})
        assert mailbox.taken == []
        later(world, "2 minutes")
        await job.send_due({})
        assert len(mailbox.taken) == 1


async def test_the_e_mail_speaks_the_language_of_the_members_pages_and_can_be_switched_off(
    world: World, mailbox: Mailbox
) -> None:
    """By words of the question that look like headers and like HTML, too."""
    async with leased(world) as (ada, file_id, chat_id, message_id):
        hostile = "Rent?\r\nBcc: eve@leaf.example\r\n\r\n<img src=https://eve.example/x>&\u2028 Miete üöä"
        other_chat_id, other_id = await answered(ada, cited(world, file_id, RENT, NOTICE, KEYS), hostile)
        await watches.begin(ada, message_id)
        await watches.begin(ada, other_id)
        assert await digests.choose(ada, wants=False, language="de") is False
        await renewed(world, ada, file_id, chat_id, "1,990")
        (run_id,) = runs(world, other_chat_id)
        await end(run_id, parts=[{"type": "text", "text": "Otherwise."}])
        await look(world)
        await job.send_due({})
        assert mailbox.taken == []
        assert await digests.wanted(ada, language="de") is False
        await digests.choose(ada, wants=True, language="de")
        await job.send_due({})
        (sent,) = mailbox.taken
        assert sent["Subject"] == "Neues zu 2 beobachteten Fragen"
        assert sent["Bcc"] is None
        assert "Rent? Bcc: eve@leaf.example <img src=https://eve.example/x>& Miete üöä" in text_of(sent, "plain")
        assert "<img" not in text_of(sent, "html")
        assert f"/chat/{other_chat_id}" in text_of(sent, "plain")


async def test_a_server_that_is_down_gets_the_e_mail_later(
    world: World, mailbox: Mailbox, caplog: pytest.LogCaptureFixture, unused_tcp_port: int
) -> None:
    """Down, refusing Leaf's password, the recipient for now, or the message; neither secret nor address is logged."""
    port = world.settings.mail_server.port if world.settings.mail_server else 0
    async with leased(world) as (ada, file_id, chat_id, message_id):
        await watches.begin(ada, message_id)
        await renewed(world, ada, file_id, chat_id, "1,990")
        (profile,) = world.sql("SELECT email FROM users WHERE id = %s", ada.user_id)
        with caplog.at_level(logging.DEBUG):
            _use(world, unused_tcp_port)
            await job.send_due({})
            _use(world, port)
            await job.send_due({})
            assert mailbox.asked == 0, "the next attempt is an hour later"
            wait(world, "1 hour")
            world.change(smtp_url=f"smtp://leaf:another-passphrase@127.0.0.1:{port}")
            await job.send_due({})
            _use(world, port)
            wait(world, "1 hour")
            mailbox.to_recipients = "451 try again later"
            await job.send_due({})
            wait(world, "1 hour")
            mailbox.to_recipients, mailbox.to_messages = "", "554 looks like spam"
            await job.send_due({})
            mailbox.to_messages = ""
            wait(world, "1 hour")
            await job.send_due({})
            assert mailbox.taken == [], "a refused message is tried again on another day"
            wait(world, "23 hours")
            await job.send_due({})
        assert len(mailbox.taken) == 1
        assert "sent later" in caplog.text
        for hidden in (PASSWORD, "another-passphrase", profile[0], "127.0.0.1"):
            assert hidden not in "\n".join(one.getMessage() for one in caplog.records if one.name.startswith("jobs"))


async def test_a_refused_recipient_is_tried_again_with_the_next_news(world: World, mailbox: Mailbox) -> None:
    async with leased(world) as (ada, file_id, chat_id, message_id):
        await watches.begin(ada, message_id)
        await renewed(world, ada, file_id, chat_id, "1,990")
        mailbox.to_recipients = "550 no such person"
        await job.send_due({})
        mailbox.to_recipients = ""
        wait(world, "3 days")
        await job.send_due({})
        assert (mailbox.asked, mailbox.taken) == (1, [])
        assert [one.is_news for one in await watches.listed(ada)] == [True], "the page goes on to count it"
        await renewed(world, ada, file_id, chat_id, "2,010")
        wait(world, "24 hours")
        await job.send_due({})
        assert len(mailbox.taken) == 1


def _certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate of its own for 127.0.0.1, and its key."""
    made = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    host = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    signed = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(made.public_key())
        .serial_number(1).not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
        .add_extension(host, critical=False).sign(made, hashes.SHA256())
    )  # fmt: skip
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    certificate.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    key.write_bytes(
        made.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )  # fmt: skip
    return certificate, key


async def test_a_password_is_sent_over_tls_only(
    world: World, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A server without STARTTLS, and one whose certificate is not valid, get neither the password nor the e-mail."""
    monkeypatch.setattr(mail, "_is_loopback", lambda _: False)
    certificate, key = _certificate(tmp_path)
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(certificate, key)
    plain = world.settings.mail_server
    assert plain is not None
    async with leased(world) as (ada, file_id, chat_id, message_id):
        await watches.begin(ada, message_id)
        await renewed(world, ada, file_id, chat_id, "1,990")
        await job.send_due({})
        async with serving(mailbox, tls_context=tls) as port, serving(mailbox, tls=tls) as tls_port:
            for url in (f"smtp://leaf:{PASSWORD}@127.0.0.1:{port}", f"smtps://leaf:{PASSWORD}@127.0.0.1:{tls_port}"):
                world.change(smtp_url=url)
                wait(world, "1 hour")
                await job.send_due({})
            assert (mailbox.signed_in, mailbox.asked) == ([], 0)
            monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
            for url in (f"smtp://leaf:{PASSWORD}@127.0.0.1:{port}", f"smtps://leaf:{PASSWORD}@127.0.0.1:{tls_port}"):
                world.change(smtp_url=url)
                world.sql("UPDATE watches SET mailed_at = NULL")
                wait(world, "24 hours")
                await job.send_due({})
            assert (len(mailbox.signed_in), len(mailbox.taken)) == (2, 2)


class _Killed(BaseException):
    """The end of a worker."""


async def test_a_worker_that_dies_loses_no_news(
    world: World, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed before it sends: sent an hour later. Killed before it notes: sent once more, as the same e-mail."""

    async def die(*_: object, **__: object) -> None:
        raise _Killed

    async with leased(world) as (ada, file_id, chat_id, message_id):
        await watches.begin(ada, message_id)
        await renewed(world, ada, file_id, chat_id, "1,990")
        assert await digests.claim(ada) is not None
        assert await digests.claim(ada) is None, "the dead worker has it for an hour"
        await job.send_due({})
        assert mailbox.taken == []
        wait(world, "1 hour")
        with monkeypatch.context() as dying:
            dying.setattr(digests, "settle", die)
            with pytest.raises(_Killed):
                await job.send_due({})
        await job.send_due({})
        assert len(mailbox.taken) == 1
        wait(world, "1 hour")
        await job.send_due({})
        wait(world, "3 days")
        await job.send_due({})
        assert len(mailbox.taken) == 2
        assert mailbox.taken[0]["Message-ID"] == mailbox.taken[1]["Message-ID"]


async def test_an_address_that_nobody_has_proven_gets_no_e_mail(world: World, mailbox: Mailbox) -> None:
    """It may be somebody else's; nor does one that would be several."""
    async with leased(world) as (ada, file_id, chat_id, message_id):
        await watches.begin(ada, message_id)
        await renewed(world, ada, file_id, chat_id, "1,990")
        world.sql("UPDATE identities SET provider = 'other' WHERE user_id = %s", ada.user_id)
        await job.send_due({})
        assert mailbox.asked == 0
        world.sql("UPDATE identities SET provider = 'google' WHERE user_id = %s", ada.user_id)
        world.sql("UPDATE users SET email = 'a@leaf.example, b@leaf.example' WHERE id = %s", ada.user_id)
        wait(world, "1 hour")
        await job.send_due({})
        assert mailbox.asked == 0


async def test_a_leaf_without_a_mail_server_offers_and_sends_no_e_mails(world: World) -> None:
    async with leased(world) as (ada, file_id, chat_id, message_id):
        await watches.begin(ada, message_id)
        await renewed(world, ada, file_id, chat_id, "1,990")
        await job.send_due({})
        assert await digests.wanted(ada, language="en") is None
        assert world.count("digests") == 0
