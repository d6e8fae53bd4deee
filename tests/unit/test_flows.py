"""The memory of a sign-in between its halves, and where it may lead."""

from datetime import UTC, datetime
from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from leaf import config, errors
from leaf.callers import tokens
from leaf.google import oauth
from leaf.google.access import DriveCredentials
from leaf.services import flows

SITE = "http://leaf.example"
STEERING = ["/", "\\", "//", "/\\", "http:", "https://", "javascript:", "evil.example", "@", ":", "?", "#", "..", "."]
ODD = ["%2f", "%5c", "\t", "\n", "\r", "\0", " ", "\u2028", "\uff0f", "ä", "chat", "=", "&"]
PIECES = st.lists(st.sampled_from([*STEERING, *ODD]) | st.text(max_size=3), max_size=8).map("".join)


def as_browsers_read(path: str) -> str:
    """WHATWG URL Standard, 4.4: tabs and line ends go, blanks at the ends go, backslashes are slashes."""
    kept = "".join(character for character in path if character not in "\t\n\r")
    return kept.strip("".join(map(chr, range(33)))).replace("\\", "/")


@given(PIECES)
@example("//evil.example")
@example("/\\evil.example")
@example("/\t/evil.example")
@example("/.//evil.example")
@example("/%2f/evil.example")
@example("/@evil.example")
@example("/\uff0fevil.example")
def test_a_safe_path_never_leaves_the_site(path: str) -> None:
    """# 000-03"""
    safe = flows.safe_path(path, "/dashboard")
    for read in (safe, as_browsers_read(safe)):
        target = urlsplit(urljoin(SITE, read))
        assert (target.scheme, target.netloc) == ("http", "leaf.example")
        assert urlsplit(SITE + ":3000" + read).netloc == "leaf.example:3000"
    assert safe.startswith("/")
    assert safe in {path, "/dashboard"}


@pytest.mark.parametrize(
    "path", ["/", "/chat/1", "/chat/1?x=1#y", "/settings/integrations", "/chat/ä", "/a//b", "/a@b"]
)
def test_paths_of_leaf_are_kept(path: str) -> None:
    assert flows.safe_path(path, "/dashboard") == path


def test_no_path_leads_to_the_default() -> None:
    assert flows.safe_path(None, "/dashboard") == flows.safe_path("", "/dashboard") == "/dashboard"


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> oauth.Begun:
    seal_key = tokens.new_seal_key()
    monkeypatch.setattr(config, "_current", config.Settings(_env_file=None, secret="s" * 40, seal_keys=f"k:{seal_key}"))
    return oauth.Begun("https://idp.example/?x=secret-url", "the-state", "the-nonce", "the-verifier")


def remember(begun: oauth.Begun, purpose: flows.Purpose = "sign-in", next_path: str = "/") -> str:
    name, value = flows.remember(
        begun, purpose=purpose, provider="google", redirect_uri="http://localhost/cb", next_path=next_path
    )
    return f"{name}={value}"


def test_a_flow_is_recalled_in_the_browser_that_began_it(begun: oauth.Begun) -> None:
    cookie = remember(begun)
    flow = flows.recall(cookie, "the-state", purpose="sign-in")
    assert (flow.nonce, flow.code_verifier, flow.provider) == ("the-nonce", "the-verifier", "google")
    assert "the-verifier" not in cookie
    for header, state, purpose in (
        ("", "the-state", "sign-in"),
        (cookie, "other", "sign-in"),
        (cookie, "", "sign-in"),
        (cookie, "the-state", "connect"),
        (cookie[:-4], "the-state", "sign-in"),
        (f"{flows.cookie_name('other')}={cookie.partition('=')[2]}", "other", "sign-in"),
        (f"{flows.cookie_name('the-state')}=", "the-state", "sign-in"),
        (f"{flows.cookie_name('the-state')}={config.current().sealer.seal('[]')}", "the-state", "sign-in"),
        (f"{flows.cookie_name('the-state')}={config.current().sealer.seal('{}')}", "the-state", "sign-in"),
    ):
        with pytest.raises(errors.SignInFailed):
            flows.recall(header, state, purpose=purpose)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=3000))
def test_the_cookie_of_a_flow_fits_into_a_browser(path: str) -> None:
    """Browsers drop a cookie of more than 4096 bytes, and the sign-in with it."""
    safe = flows.safe_path(f"/{path}", "/dashboard")
    settings = config.Settings(_env_file=None, secret="s" * 40, seal_keys=f"k20261122:{tokens.new_seal_key()}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(config, "_current", settings)
        long = oauth.Begun("", "s" * 43, "n" * 43, "v" * 86)
        assert len(remember(long, next_path=safe)) < 3900


def test_nothing_secret_is_shown(begun: oauth.Begun) -> None:
    """In a traceback or a log, where whole objects are printed."""
    flow = flows.recall(remember(begun), "the-state", purpose="sign-in")
    grant = oauth.Grant("access-x", "refresh-x", datetime.now(UTC), frozenset({"openid"}), "id-x")
    client = oauth.Client("id", "client-secret-x", "i", "a", "t", "r", "j")
    shown = repr([begun, flow, grant, client, DriveCredentials("access-x")])
    for secret in ("secret", "the-state", "the-nonce", "the-verifier", "access-x", "refresh-x", "id-x"):
        assert secret not in shown
