"""Accounts: the claims that an id_token must have before it makes a session, and the data kept of a person."""

import time
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from uuid import uuid4

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from leaf import config, errors
from leaf.google import oauth, providers
from leaf.services import accounts, administration
from tests.integration.oidc_provider import Provider
from tests.integration.web_fixtures import Browser, World


@pytest.fixture
def company(world: World, oidc_provider: Provider) -> Provider:
    """The lying provider, configured as one that people can sign in with."""
    world.change(sign_in_providers=(oidc_provider.settings(),))
    oidc_provider.reset()
    providers.forget()
    return oidc_provider


async def begin(browser: Browser) -> dict[str, str]:
    """Begins a sign-in; what the provider is asked."""
    begun = await browser.get("/auth/company/start")
    return dict(parse_qsl(urlsplit(begun.headers["location"]).query))


async def finish(browser: Browser, state: str) -> str:
    arrived = await browser.get("/auth/callback", params={"state": state, "code": "any"})
    assert arrived.status_code == 303
    assert not arrived.content
    return arrived.headers["location"]


async def test_an_id_token_that_holds_signs_in(world: World, company: Provider) -> None:
    """# 000-02, 000-03"""
    async with world.browser() as browser:
        asked = await begin(browser)
        company.grants(company.signed(company.claims(asked["nonce"])))
        assert await finish(browser, asked["state"]) == "/dashboard"
        who = await browser.session()
    assert (who.name, who.email, who.workspace_name) == ("Eve Example", "eve@company.example", "Eve's Workspace")


async def test_an_administrator_signs_in_where_addresses_are_verified(
    world: World, company: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LEAF_ADMINS names an address; a provider that proves no addresses could claim any. # 000-02"""
    async with world.browser() as browser:
        asked = await begin(browser)
        company.grants(company.signed(company.claims(asked["nonce"])))
        await finish(browser, asked["state"])
        who = await browser.session()
    settings = config.current().model_copy(update={"admins": who.email})
    monkeypatch.setattr(config, "_current", settings)
    assert not await administration.is_administrator(who)
    with pytest.raises(errors.NotFound):
        await administration.opened(who)
    verifying = company.settings().model_copy(update={"verifies_email": True})
    monkeypatch.setattr(config, "_current", settings.model_copy(update={"sign_in_providers": (verifying,)}))
    assert await administration.is_administrator(who)


STRANGER = rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.mark.parametrize(
    ("changes", "signing", "code"),
    [
        ({"nonce": "another"}, {}, "state"),
        ({"nonce": None}, {}, "state"),
        ({"nonce": "ä"}, {}, "state"),
        ({"aud": "another-client"}, {}, "failed"),
        ({"aud": None}, {}, "failed"),
        ({"iss": "https://accounts.google.com"}, {}, "failed"),
        ({"iss": None}, {}, "failed"),
        ({"exp": 1}, {}, "failed"),
        ({"exp": None}, {}, "failed"),
        ({"iat": time.time() + 9000}, {}, "failed"),
        ({"nbf": time.time() + 9000}, {}, "failed"),
        ({"sub": None}, {}, "failed"),
        ({"sub": ""}, {}, "failed"),
        ({"sub": " "}, {}, "failed"),
        ({"aud": ["leaf-at-company", "another"]}, {}, "failed"),
        ({"aud": ["leaf-at-company", "another"], "azp": "another"}, {}, "failed"),
        ({"azp": "another"}, {}, "failed"),
        ({"email": ["eve@company.example"]}, {}, "failed"),
        ({"email": {"eve@company.example": 1}}, {}, "failed"),
        ({"email": ""}, {}, "failed"),
        ({"email": None}, {}, "failed"),
        ({"email_verified": False}, {}, "failed"),
        ({"email_verified": None}, {}, "failed"),
        ({"email_verified": "false"}, {}, "failed"),
        ({"email_verified": "true"}, {}, "failed"),
        ({"email_verified": 1}, {}, "failed"),
        ({"email": "@", "name": None}, {}, "failed"),
        ({"email": "@company.example", "name": " "}, {}, "failed"),
        ({"email": " @company.example", "name": None}, {}, "failed"),
        ({"email": "eve"}, {}, "failed"),
        ({"email": "eve@"}, {}, "failed"),
        ({"email": "eve@company.example\nada@company.example"}, {}, "failed"),
        ({"email": "\u200beve@company.example"}, {}, "failed"),
        ({"email": "eve\x00@company.example"}, {}, "failed"),
        ({"email": "eve@company.example" * 40}, {}, "failed"),
        ({"email": "eve\ud800@company.example"}, {}, "failed"),
        ({"nonce": "\ud800"}, {}, "state"),
        ({"nonce": ["x"]}, {}, "state"),
        ({"aud": []}, {}, "failed"),
        ({"aud": [["leaf-at-company"]]}, {}, "failed"),
        ({"aud": ["leaf-at-company", "leaf-at-company"], "azp": ["leaf-at-company"]}, {}, "failed"),
        ({"aud": {"leaf-at-company": 1}}, {}, "failed"),
        ({"iss": ["https://accounts.google.com"]}, {}, "failed"),
        ({"exp": "never"}, {}, "failed"),
        ({"exp": float("inf")}, {}, "failed"),
        ({"exp": float("nan")}, {}, "failed"),
        ({"iat": "now"}, {}, "failed"),
        ({"sub": 7}, {}, "failed"),
        ({"sub": True}, {}, "failed"),
        ({"sub": ["7"]}, {}, "failed"),
        ({"sub": "\u3164\u2800"}, {}, "failed"),
        ({"sub": "7\x00"}, {}, "failed"),
        ({"sub": "7" * 300}, {}, "failed"),
        ({"sub": "7\ud800"}, {}, "failed"),
        ({}, {"key": "", "algorithm": "none"}, "failed"),
        ({}, {"key": "company-secret" * 4, "algorithm": "HS256"}, "failed"),
        ({}, {"key": STRANGER}, "failed"),
        ({}, {"kid": "unknown"}, "failed"),
    ],
)
async def test_an_id_token_that_does_not_hold_signs_nobody_in(
    world: World, company: Provider, changes: dict[str, Any], signing: dict[str, Any], code: str
) -> None:
    """Nonce, audience, issuer, times, algorithm, key, verified address. # 000-03"""
    async with world.browser() as browser:
        asked = await begin(browser)
        company.grants(company.signed(company.claims(asked["nonce"], **changes), **signing))
        assert await finish(browser, asked["state"]) == f"/?problem={code}"
    assert world.count("users") == world.count("sessions") == 0


@pytest.mark.parametrize("token", [None, "", "garbage", "a.b.c", "eyJhbGciOiJub25lIn0.e30."])
async def test_an_answer_without_an_id_token_signs_nobody_in(
    world: World, company: Provider, token: str | None
) -> None:
    """# 000-03"""
    async with world.browser() as browser:
        asked = await begin(browser)
        company.grants(token)
        assert await finish(browser, asked["state"]) == "/?problem=failed"


@pytest.mark.parametrize(
    ("keys", "code"),
    [(None, "unavailable"), ("<html>", "failed"), ([], "failed"), ({}, "failed"), ({"keys": [{}]}, "failed")],
)
async def test_keys_that_cannot_be_had_sign_nobody_in(world: World, company: Provider, keys: object, code: str) -> None:
    """# 000-03"""
    company.certificates = keys
    async with world.browser() as browser:
        asked = await begin(browser)
        company.grants(company.signed(company.claims(asked["nonce"])))
        assert await finish(browser, asked["state"]) == f"/?problem={code}"


@pytest.mark.parametrize(
    "document",
    [None, "<html>", [], {"issuer": "x"}, {"issuer": "https://accounts.google.com"}, {"token_endpoint": 5}],
)
async def test_a_discovery_document_that_is_unwell_is_told_calmly(
    world: World, company: Provider, document: Any
) -> None:
    """One that speaks for another issuer included (OpenID Connect Discovery 4.3). # 000-02"""
    if isinstance(document, dict) and len(document) == 1:
        document = {**company.discovery, **document}
    company.discovery = document
    async with world.browser() as browser:
        begun = await browser.get("/auth/company/start")
        assert (begun.status_code, begun.headers["location"]) == (303, "/?problem=unavailable")


@pytest.mark.parametrize(
    ("claims", "name", "workspace"),
    [
        ({"name": None, "given_name": None}, "eve", "eve's Workspace"),
        ({"name": "  ", "given_name": " "}, "eve", "eve's Workspace"),
        ({"name": "Eve", "given_name": None}, "Eve", "Eve's Workspace"),
        ({"name": "N\0ul \ud800", "given_name": None}, "N\ufffdul \ufffd", "N\ufffdul's Workspace"),
        ({"name": "B" * 3000, "given_name": None}, "B" * 3000, "B" * 200 + "'s Workspace"),
    ],
)
async def test_whatever_a_name_is_it_can_be_kept(
    world: World, company: Provider, claims: dict[str, Any], name: str, workspace: str
) -> None:
    """# 000-04"""
    async with world.browser() as browser:
        asked = await begin(browser)
        company.grants(company.signed(company.claims(asked["nonce"], **claims)))
        assert await finish(browser, asked["state"]) == "/dashboard"
        who = await browser.session()
    assert (who.name, who.workspace_name) == (name, workspace)


async def test_a_picture_comes_over_https_only(world: World, company: Provider) -> None:
    """Anything else, such as a script's address, is not kept."""
    seen: list[str | None] = []
    for picture in ("javascript:alert(1)", "http://tracker.example/x.png", "https://company.example/eve.png"):
        async with world.browser() as browser:
            asked = await begin(browser)
            company.grants(company.signed(company.claims(asked["nonce"], picture=picture)))
            await finish(browser, asked["state"])
            seen.append((await browser.session()).picture_url)
    assert seen == [None, None, "https://company.example/eve.png"]


async def test_the_browser_is_kept_as_it_names_itself(world: World) -> None:
    """Any user agent can be stored, an empty one too."""
    identity = oauth.Identity("1", "x@example.org", "X Y", "X", None)
    for user_agent in ("", "Mozilla\0/5.0 \udce4", "z" * 10_000):
        await accounts.sign_in("google", identity, user_agent=user_agent)
    kept = {row[0] for row in world.sql("SELECT user_agent FROM sessions")}
    assert kept == {"", "Mozilla\ufffd/5.0 \ufffd", "z" * 300}


async def test_only_the_hash_of_a_session_token_is_stored(world: World) -> None:
    """# 000-05"""
    identity = oauth.Identity("1", "x@example.org", "X Y", "X", None)
    token = await accounts.sign_in("google", identity, user_agent="")
    stored = world.sql("SELECT to_jsonb(s)::text FROM sessions s")[0][0]
    assert token.startswith("leaf_session_")
    assert token not in stored
    assert token.removeprefix("leaf_session_") not in stored
    assert await accounts.session(f"{accounts.cookie_name()}={token}") is not None


async def test_nobody_is_signed_in_without_a_cookie(world: World) -> None:
    assert await accounts.session("") is None
    await accounts.sign_out("")


def test_a_person_without_a_name_is_called_by_their_address() -> None:
    session = accounts.Session(uuid4(), uuid4(), uuid4(), " ", "a@example.org", None, "W")
    assert session.first_name == "a@example.org"
