"""The settings of e-mails."""

import pytest

from leaf import errors
from leaf.config import Settings
from leaf.config.mail import MailServer
from leaf.telemetry import logs

URL = "smtp://leaf%40leaf.example:pass%2Fword%20with%20signs@mail.example"


def _settings(**values: str) -> Settings:
    return Settings(_env_file=None, **values)  # pyright: ignore[reportCallIssue, reportArgumentType]


@pytest.mark.parametrize(("url", "server", "needs_tls", "is_private"), [
    ("smtp://mail.example", MailServer("mail.example", 587, "", "", False), False, False),
    ("smtp://127.0.0.1:25", MailServer("127.0.0.1", 25, "", "", False), False, True),
    ("smtp://u:p@localhost:25/", MailServer("localhost", 25, "u", "p", False), False, True),
    ("smtps://u:p@mail.example", MailServer("mail.example", 465, "u", "p", True), True, True),
    (URL, MailServer("mail.example", 587, "leaf@leaf.example", "pass/word with signs", False), True, True),
])  # fmt: skip
def test_the_address_of_the_server_says_how_it_is_reached(
    url: str, server: MailServer, needs_tls: bool, is_private: bool
) -> None:
    """A password leaves this machine over TLS only; words of answers do where it is certain that nobody reads them."""
    found = _settings(smtp_url=url, mail_from="Leaf <leaf@leaf.example>").mail_server
    assert found == server
    assert (found.needs_tls, found.is_private) == (needs_tls, is_private)


@pytest.mark.parametrize("sender", [
    "", "leaf", "leaf@", "@leaf.example", "a@leaf.example, b@leaf.example",
    "Leaf <leaf@leaf.example>\nBcc: b@leaf.example",
])  # fmt: skip
def test_the_sender_is_one_address(sender: str) -> None:
    with pytest.raises(errors.ConfigurationError) as refused:
        _settings(smtp_url="smtp://mail.example", mail_from=sender)
    assert [problem.partition(":")[0] for problem in refused.value.problems] == ["LEAF_MAIL_FROM"]
    assert "\n" not in refused.value.problems[0]


def test_no_server_means_no_e_mails() -> None:
    assert _settings().mail_server is None
    assert _settings(smtp_url="").mail_server is None


def test_the_password_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither as it is sent nor as it is written in the address; a refused address is not repeated either."""
    settings = _settings(smtp_url=URL, mail_from="leaf@leaf.example")
    assert "pass" not in f"{settings!r} {settings.mail_server!r}"
    assert {URL, "pass/word with signs"} <= settings.secrets
    monkeypatch.setattr(logs, "_hidden", set())
    logs.hide(settings.secrets)
    assert "pass" not in logs.redacted(f"sent pass/word with signs to {URL}")
    with pytest.raises(errors.ConfigurationError) as refused:
        _settings(smtp_url=f"{URL}:x", mail_from="leaf@leaf.example")
    assert "pass" not in str(refused.value.problems)
