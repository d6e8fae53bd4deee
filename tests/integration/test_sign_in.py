"""Signing in over HTTP: the flow through the provider's consent page, and everything that may be wrong with it."""

import asyncio
import base64
import hashlib
from datetime import timedelta
from http.cookies import SimpleCookie
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit, urlunsplit

import httpx
import pytest

from leaf import config, errors
from leaf.google import oauth, providers
from leaf.services import accounts, doctor, flows
from tests.integration.test_sweep import Tab
from tests.integration.web_fixtures import LEAF, Browser, World

IDENTITY_ROUTE = "/api/drive/folders?url=root"
"""Any route that wants a session."""


def query_of(address: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(address).query))


def with_query(address: str, **changes: str | None) -> str:
    parts = urlsplit(address)
    query = {**dict(parse_qsl(parts.query)), **changes}
    return urlunsplit(parts._replace(query=urlencode({name: value for name, value in query.items() if value})))


def problem_of(response: httpx.Response, page: str = "/") -> str:
    """The code that a calm redirect carries; fails for anything that is not one."""
    assert response.status_code == 303, response.text
    target = urlsplit(response.headers["location"])
    assert (target.scheme, target.netloc, target.path) == ("", "", page)
    assert not response.content
    return query_of(response.headers["location"])["problem"]


def deleted(response: httpx.Response) -> list[str]:
    """The names of the cookies that a response takes back."""
    names: list[str] = []
    for header in response.headers.get_list("set-cookie"):
        names += [name for name, morsel in SimpleCookie(header).items() if morsel["max-age"] == "0"]
    return names


def assert_nobody_signed_in(world: World) -> None:
    assert world.count("sessions") == 0


async def test_only_identity_is_asked_for(world: World) -> None:
    """Signing in asks for name and address and never for Drive. # 000-01, 000-07"""
    async with world.browser() as browser:
        begun = await browser.get("/auth/google/start")
    query = parse_qs(urlsplit(begun.headers["location"]).query)
    assert set(query["scope"][0].split()) == {"openid", "email", "profile"}
    assert "drive" not in begun.headers["location"]
    assert query["access_type"] == ["online"], "a refresh token is not needed to know a person"
    assert query["response_type"] == ["code"]
    assert query["redirect_uri"] == [f"{LEAF}/auth/callback"]
    assert begun.headers["cache-control"] == "no-store"


async def test_a_flow_carries_state_nonce_and_a_hashed_verifier(world: World) -> None:
    """# 000-03; RFC 7636, OpenID Connect Core 3.1.2.1"""
    async with world.browser() as browser:
        begun = await browser.get("/auth/google/start")
        query = query_of(begun.headers["location"])
        flow = flows.recall(browser.cookie_header, query["state"], purpose="sign-in")
    assert query["code_challenge_method"] == "S256"
    digest = hashlib.sha256(flow.code_verifier.encode()).digest()
    assert query["code_challenge"] == base64.urlsafe_b64encode(digest).decode().rstrip("=")
    assert flow.code_verifier not in begun.headers["location"]
    assert (query["state"], query["nonce"]) == (flow.state, flow.nonce)
    assert min(len(query["state"]), len(query["nonce"]), len(flow.code_verifier)) >= 43


async def test_after_consent_a_person_is_on_the_dashboard_signed_in(world: World) -> None:
    """# 000-03, 000-04, 000-06"""
    async with world.browser() as browser:
        who = await browser.sign_in("ada")
        assert (who.name, who.first_name, who.email) == ("Ada Lindqvist", "Ada", "ada@sandbox.leaf.example")
        assert who.workspace_name == "Ada's Workspace"
        assert (await browser.get(IDENTITY_ROUTE)).status_code == 409  # Drive is not connected: signed in, that is.
    assert world.count("integrations") == 0
    assert world.sql("SELECT user_id, workspace_id FROM workspace_members") == [(who.user_id, who.workspace_id)]


async def test_the_page_that_was_asked_for_comes_next(world: World) -> None:
    """# 000-03"""
    async with world.browser() as browser:
        begun = await browser.get("/auth/google/start", params={"next": "/chat/5?x=ä#end"})
        arrived = await browser.get(await browser.consent(begun, "ada"))
    assert arrived.headers["location"] == "/chat/5?x=%C3%A4#end"


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.example/", "//evil.example", "/\\evil.example", "\\\\evil.example", "///evil.example", "evil",
        "/\t/evil.example", "/\n/evil.example", "/\x01/evil.example", "javascript:alert(1)", " /dashboard", "",
        "/" + "a" * 3000, "/" + "ä" * 600,
    ],
)  # fmt: skip
async def test_no_next_leads_out_of_leaf(world: World, target: str) -> None:
    """Nor makes the cookie too large for a browser. # 000-03"""
    async with world.browser() as browser:
        begun = await browser.get("/auth/google/start", params={"next": target})
        assert len(begun.headers["set-cookie"]) < 4000
        arrived = await browser.get(await browser.consent(begun, "ada"))
    assert arrived.headers["location"] == "/dashboard"


@pytest.mark.parametrize("state", [None, "", "wrong", "ä" * 50, "\xed\xa0\x80"])
async def test_a_bad_or_absent_state_is_refused(world: World, state: str | None) -> None:
    """# 000-03"""
    async with world.browser() as browser:
        back = await browser.consent(await browser.get("/auth/google/start"), "ada")
        assert problem_of(await browser.get(with_query(back, state=state))) == "state"
        assert (await browser.get(with_query(back, state="\0"))).status_code == 400
    assert_nobody_signed_in(world)


async def test_a_state_is_good_for_one_browser(world: World) -> None:
    """Login CSRF: a callback that was started in another browser signs nobody in. # 000-03"""
    async with world.browser() as mine, world.browser() as theirs:
        back = await mine.consent(await mine.get("/auth/google/start"), "ben")
        await theirs.get("/auth/google/start")
        refused = await theirs.get(back)
        assert problem_of(refused) == "state"
        assert await accounts.session(theirs.cookie_header) is None
        assert "code=" not in refused.headers["location"]


async def test_a_state_is_good_for_one_use(world: World) -> None:
    """Its cookie is taken back at the first use, and the provider takes no code twice. # 000-03"""
    async with world.browser() as browser:
        begun = await browser.get("/auth/google/start")
        before = browser.cookie_header
        back = await browser.consent(begun, "ada")
        name = flows.cookie_name(query_of(back)["state"])
        first = await browser.get(back)
        assert first.headers["location"] == "/dashboard"
        assert deleted(first) == [name]
        assert problem_of(await browser.get(back)) == "state"
        # Whoever had kept the cookie would still have to bring a new code.
        async with Browser(headers={"cookie": before}) as replaying:
            replayed = await replaying.get(back)
            assert problem_of(replayed) == "state"
            assert deleted(replayed) == [name]
    assert world.count("sessions") == 1


async def test_a_flow_ends_after_ten_minutes(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """# 000-03"""
    monkeypatch.setattr(flows, "LIFETIME_SECONDS", -1)
    async with world.browser() as browser:
        begun = await browser.get("/auth/google/start")
        state = query_of(begun.headers["location"])["state"]
        cookie = SimpleCookie(begun.headers["set-cookie"])[flows.cookie_name(state)]
        async with Browser(headers={"cookie": f"{cookie.key}={cookie.value}"}) as late:
            assert problem_of(await late.get(f"/auth/callback?state={state}&code=x")) == "state"


async def test_a_flow_serves_its_own_purpose_only(world: World) -> None:
    """The answer to a sign-in connects no Drive, and the other way round. # 000-07"""
    async with world.browser("ada") as browser:
        back = await browser.consent(await browser.get("/auth/google/start"), "ada")
        swapped = back.replace("/auth/callback", "/auth/integrations/google-drive/callback")
        assert problem_of(await browser.get(swapped), "/settings/integrations") == "state"
        back = await browser.consent(await browser.get("/auth/integrations/google-drive"), "ada")
        swapped = back.replace("/auth/integrations/google-drive/callback", "/auth/callback")
        assert problem_of(await browser.get(swapped)) == "state"
    assert world.count("integrations") == 0


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ({"error": "access_denied", "code": None}, "denied"),
        ({"error": "server_error", "code": None}, "failed"),
        ({"error": "<script>", "code": None}, "failed"),
        ({"code": None}, "failed"),
        ({"code": "garbage"}, "state"),
        ({"iss": "https://other.example"}, "failed"),
    ],
)
async def test_a_refusal_is_told_calmly(world: World, answer: dict[str, str | None], code: str) -> None:
    """# 000-03; RFC 9207 for the issuer"""
    async with world.browser() as browser:
        back = await browser.consent(await browser.get("/auth/google/start"), "ada")
        refused = await browser.get(with_query(back, **answer))
        assert problem_of(refused) == code
        assert deleted(refused) == [flows.cookie_name(query_of(back)["state"])]
        assert "leaf_session" not in refused.headers["set-cookie"]
    assert_nobody_signed_in(world)


async def test_declining_at_the_provider_is_told(world: World) -> None:
    """# 000-03"""
    async with world.browser() as browser:
        back = await browser.consent(await browser.get("/auth/google/start"), "ada", decision="deny")
        assert problem_of(await browser.get(back)) == "denied"


async def test_a_token_endpoint_that_does_not_know_leaf_is_no_failure_of_googles(world: World) -> None:
    """Nobody has to try again later. # 000-03"""
    async with world.browser() as browser:
        back = await browser.consent(await browser.get("/auth/google/start"), "ada")
        world.fault(path="^/token", status=401, reason="invalid_client")
        assert problem_of(await browser.get(back)) == "failed"
    assert_nobody_signed_in(world)


@pytest.mark.parametrize(
    "fault",
    [
        {"status": 500},
        {"status": 503, "body": "<html>busy</html>"},
        {"status": 200, "body": ""},
        {"status": 200, "body": "<html>"},
        {"status": 200, "body": "[]"},
        {"status": 200, "body": "null"},
        {"status": 200, "body": '"x"'},
        {"status": 200, "body": "{}"},
        {"status": 200, "body": '{"access_token": null, "expires_in": {}}'},
        {"status": 200, "body": '{"access_token": "a", "expires_in": "soon"}'},
        {"status": 200, "body": '{"access_token": "a", "scope": 5, "expires_in": 3600}'},
        {"status": 200, "body": "\u0000\ufffd"},
        {"delay_seconds": 2},
    ],
)
async def test_a_token_endpoint_that_is_unwell_is_told_calmly(
    world: World, monkeypatch: pytest.MonkeyPatch, fault: dict[str, object]
) -> None:
    """Answers of 500, garbage, or none. # 000-03"""
    monkeypatch.setattr(oauth, "TIMEOUT_SECONDS", 0.5)
    async with world.browser() as browser:
        back = await browser.consent(await browser.get("/auth/google/start"), "ada")
        world.fault(path="^/token", **fault)
        refused = await browser.get(back)
        assert problem_of(refused) == "unavailable"
        assert deleted(refused) == [flows.cookie_name(query_of(back)["state"])]
    assert_nobody_signed_in(world)


async def test_the_cookie_is_out_of_reach_for_scripts_and_other_sites(world: World) -> None:
    """# 000-05"""
    async with world.browser() as browser:
        begun = await browser.get("/auth/google/start")
        arrived = await browser.get(await browser.consent(begun, "ada"))
    for header in (begun.headers["set-cookie"], arrived.headers.get_list("set-cookie")[0]):
        attributes = {part.strip().lower() for part in header.split(";")[1:]}
        assert {"httponly", "samesite=lax", "path=/"} <= attributes
        assert "secure" not in attributes
        assert not any(attribute.startswith("domain") for attribute in attributes)


async def test_under_https_cookies_are_secure_and_bound_to_the_host(world: World) -> None:
    """A sibling domain can plant neither a session nor a flow of its own (login CSRF by cookie tossing). # 000-05"""
    world.change(public_url="https://localhost:4555")
    async with world.browser(url="https://localhost:4555") as browser:
        begun = await browser.get("/auth/google/start")
        assert query_of(begun.headers["location"])["redirect_uri"] == "https://localhost:4555/auth/callback"
        arrived = await browser.get(await browser.consent(begun, "ada"))
        assert arrived.headers["location"] == "/dashboard"
        for header in (begun.headers["set-cookie"], *arrived.headers.get_list("set-cookie")):
            assert header.startswith("__Host-leaf_")
            assert "secure" in header.lower()
            assert "path=/" in header.lower()
            assert "domain" not in header.lower()


async def test_copies_side_by_side_have_cookies_of_their_own(world: World) -> None:
    """Browsers do not tell the ports of one host apart. # 000-05"""
    first = accounts.cookie_name()
    world.change(secret="another secret for another copy of it")
    assert accounts.cookie_name() != first


@pytest.mark.parametrize("other", ['prefs={"a":1}', "items[]=1; x", "a=b c", "=;;=", 'q="unended'])
async def test_cookies_of_other_programs_do_not_sign_anybody_out(world: World, other: str) -> None:
    """On localhost every program's cookies come along, well-formed or not. # 000-05"""
    async with world.browser("ada") as browser:
        for header in (f"{other}; {browser.cookie_header}", f"{browser.cookie_header}; {other}"):
            assert await accounts.session(header) is not None
        begun = await browser.get("/auth/google/start")
        state = query_of(begun.headers["location"])["state"]
        assert flows.recall(f"{other}; {browser.cookie_header}", state, purpose="sign-in").state == state


async def test_forged_cookies_open_nothing(world: World) -> None:
    """# 000-05"""
    async with world.browser("ada") as browser:
        name = accounts.cookie_name()
        token = str(accounts.token_of(browser.cookie_header))
    digest = world.sql("SELECT token_hash FROM sessions")[0][0]
    for value in ("", "x", token[:-1], token + "x", token.swapcase(), digest, "ä", "' OR 1=1 --", "x" * 20_000):
        async with Browser(headers={"cookie": f"{name}={value}".encode()}) as forger:
            answer = await forger.get(IDENTITY_ROUTE)
        assert answer.status_code == 401, value
        assert answer.json()["error"]["code"] == "unauthenticated"


async def test_an_expired_session_opens_nothing(world: World) -> None:
    """# 000-05"""
    async with world.browser("ada") as browser:
        world.sql("UPDATE sessions SET expires_at = now() - interval '1 second'")
        assert (await browser.get(IDENTITY_ROUTE)).status_code == 401
        assert await accounts.session(browser.cookie_header) is None


async def test_a_session_in_use_does_not_end(world: World) -> None:
    """Its end moves on with every visit, though not with every request. # 000-05"""
    async with world.browser("ada") as browser:
        world.sql("UPDATE sessions SET expires_at = now() + interval '1 minute'")
        await browser.session()
        near = world.sql("SELECT expires_at < now() + interval '2 minutes' FROM sessions")
        assert near == [(True,)], "a session just used is not written again"
        world.sql("UPDATE sessions SET last_seen_at = now() - interval '11 minutes'")
        await browser.session()
        moved = world.sql("SELECT expires_at - now(), now() - last_seen_at FROM sessions")[0]
        assert moved[0] > timedelta(days=29)
        assert moved[1] < timedelta(minutes=1)


async def test_signing_out_ends_the_session_in_the_database(world: World) -> None:
    """A copied cookie is worth nothing afterwards. # 000-05"""
    async with world.browser("ada") as browser:
        kept = browser.cookie_header
        gone = await browser.post("/auth/sign-out", headers={"origin": LEAF})
        assert (gone.status_code, gone.headers["location"]) == (303, "/")
        assert deleted(gone) == [accounts.cookie_name()]
        assert accounts.token_of(browser.cookie_header) is None
        assert await accounts.session(kept) is None
        again = await browser.post("/auth/sign-out")
        assert again.status_code == 303
        assert (await browser.get("/auth/sign-out")).status_code == 405
    assert_nobody_signed_in(world)


async def test_who_signs_in_next_in_a_tab_sees_nothing_that_was_searched_there(world: World) -> None:
    """Neither files behind `@` nor chats. # 000-05"""
    async with world.browser("ada") as browser:
        await browser.connect("ada")
        tab = Tab(browser, "/dashboard")
        await tab.fire("FileMentionsState.find", "lease")
        await tab.fire("SearchState.search", "orchard")
        assert tab.state("FileMentionsState").found.files
        assert "orchard" in tab.shown
        await browser.post("/auth/sign-out", headers={"origin": LEAF})
        await tab.fire("LandingState.load")
        assert tab.state("FileMentionsState").found.files == []
        assert "orchard" not in tab.shown


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "null", "http://localhost:9", "http://evil.localhost:4555", "http://[", "http://[::1", ""],
)
async def test_no_other_site_signs_anybody_out(world: World, origin: str) -> None:
    """Nor takes the cookie back, nor disconnects a Drive; SameSite alone lets other ports and subdomains through."""
    async with world.browser("ada") as browser:
        refused = await browser.post("/auth/sign-out", headers={"origin": origin})
        assert refused.status_code == 403
        assert "set-cookie" not in refused.headers
        refused = await browser.delete("/api/integrations/google_drive", headers={"origin": origin})
        assert refused.status_code == 403
        await browser.session()


async def test_the_pages_of_the_development_server_may_sign_out(world: World) -> None:
    """They are served on another port than the routes."""
    async with world.browser("ada") as browser:
        pass
    async with Browser(pages_port=3000, cookies=browser.cookies) as browser:
        gone = await browser.post("/auth/sign-out", headers={"origin": "http://localhost:3000"})
        assert gone.headers["location"] == "http://localhost:3000/"
    assert_nobody_signed_in(world)


async def test_signing_in_never_takes_over_a_token_that_was_there(world: World) -> None:
    """Session fixation; and the session that the browser had before is ended. # 000-05"""
    planted = f"{accounts.cookie_name()}=leaf_session_planted-by-somebody-else"
    async with world.browser() as browser:
        browser.cookies.set(accounts.cookie_name(), "leaf_session_planted-by-somebody-else")
        ada = await browser.sign_in("ada")
        assert await accounts.session(planted) is None
        first = browser.cookie_header
        ben = await browser.sign_in("ben")
        assert ben.user_id != ada.user_id
        assert browser.cookie_header != first
        assert await accounts.session(first) is None
    assert world.sql("SELECT user_id FROM sessions") == [(ben.user_id,)]


async def test_two_first_callbacks_at_once_make_one_person(world: World) -> None:
    """# 000-04, 000-06"""
    browsers = [Browser() for _ in range(4)]
    backs = [await browser.consent(await browser.get("/auth/google/start"), "ada") for browser in browsers]
    arrived = await asyncio.gather(*(browser.get(back) for browser, back in zip(browsers, backs, strict=True)))
    assert [response.headers["location"] for response in arrived] == ["/dashboard"] * 4
    counted = {table: world.count(table) for table in ("users", "workspaces", "workspace_members", "sessions")}
    assert counted == {"users": 1, "workspaces": 1, "workspace_members": 1, "sessions": 4}
    for browser in browsers:
        await browser.aclose()


async def test_another_provider_needs_a_setting_alone(world: World) -> None:
    """One more button; the account there is another person, whatever its address says. # 000-02"""
    provider = config.SignInProvider(
        id="company",
        label="Company",
        issuer=f"{world.sandbox.url}/",
        client_id=config.SANDBOX_CLIENT_ID,
        client_secret=config.SANDBOX_CLIENT_SECRET,
    )
    world.change(sign_in_providers=(provider,))
    offered = [(provider.id, provider.label) for provider in providers.listed()]
    assert offered == [("google", "Google"), ("company", "Company")]
    async with world.browser("ada") as browser, world.browser() as other:
        who = await other.sign_in("ada", provider="company")
        assert who.user_id != (await browser.session()).user_id
    assert world.sql("SELECT provider FROM identities ORDER BY 1") == [("company",), ("google",)]


async def test_an_unknown_provider_is_not_found(world: World) -> None:
    """# 000-02"""
    async with world.browser() as browser:
        assert (await browser.get("/auth/nobody/start")).status_code == 404


async def test_the_address_comes_from_the_settings_not_from_the_request(world: World) -> None:
    """A forged Host header does not send the code elsewhere; loopback may be on any port. # 000-03"""
    async with world.browser() as browser:
        for host, expected in (
            ("evil.example", "http://localhost:3000"),
            ("localhost:4555@evil.example", LEAF),  # Starlette takes no notice of such a header.
            ("127.0.0.1.evil.example", "http://localhost:3000"),
            ("[::1", LEAF),
            ("127.0.0.1:9999", "http://127.0.0.1:9999"),
            ("[::1]:9999", "http://[::1]:9999"),
        ):
            begun = await browser.get("/auth/google/start", headers={"host": host})
            if "led" in query_of(begun.headers["location"]):
                assert begun.headers["location"] == f"{expected}/auth/google/start?led=1", host
                begun = await browser.get("/auth/google/start?led=1", headers={"host": host})
            assert query_of(begun.headers["location"])["redirect_uri"] == f"{expected}/auth/callback", host
        world.change(public_url="https://leaf.example")
        begun = await browser.get("/auth/google/start?led=1")
        assert query_of(begun.headers["location"])["redirect_uri"] == "https://leaf.example/auth/callback"


async def test_a_database_that_is_away_is_told_on_a_page(world: World) -> None:
    """And the cookie stays, since the session could not be ended."""
    async with world.browser("ada") as browser:
        back = await browser.consent(await browser.get("/auth/google/start"), "ada")
        world.change(database_url="postgresql://nobody@/nothing?host=/nonexistent")
        assert problem_of(await browser.get(back)) == "unavailable"
        gone = await browser.post("/auth/sign-out")
        assert problem_of(gone) == "unavailable"
        assert "set-cookie" not in gone.headers
        refused = await browser.get("/auth/integrations/google-drive")
        assert problem_of(refused, "/settings/integrations") == "unavailable"
        answer = await browser.get(IDENTITY_ROUTE)
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "database_unavailable")


async def test_sessions_are_listed_and_can_be_ended(world: World) -> None:
    """Only their owner can: another person's session looks like one that does not exist. # 000-05, 000-40"""
    async with (
        world.browser("ada", headers={"user-agent": "Firefox " + "x" * 500}) as first,
        world.browser("ada", headers={"user-agent": "Chrome"}) as second,
        world.browser("ben") as ben,
    ):
        here, there, stranger = await first.session(), await second.session(), await ben.session()
        listed = await accounts.sessions(here.actor, here.id)
        assert {(row.id, row.current, row.user_agent[:7]) for row in listed} == {
            (here.id, True, "Firefox"), (there.id, False, "Chrome"),
        }  # fmt: skip
        assert max(len(row.user_agent) for row in listed) == 300
        with pytest.raises(errors.NotFound):
            await accounts.revoke_session(stranger.actor, there.id)
        await accounts.revoke_session(here.actor, there.id)
        assert await accounts.session(second.cookie_header) is None
        with pytest.raises(errors.NotFound):
            await accounts.revoke_session(here.actor, there.id)
        assert [row.id for row in await accounts.sessions(here.actor, here.id)] == [here.id]
        await ben.session()


@pytest.mark.parametrize("path", ["/auth/google/start?next=%2Fchat%2Fx", "/auth/integrations/google-drive"])
async def test_a_sign_in_from_another_host_is_led_to_leafs_address_before_it_begins(world: World, path: str) -> None:
    """Its cookie would be missing at the end. Once, since a proxy may hide the host. # 000-01"""
    world.change(public_url="https://leaf.example")
    async with world.browser() as browser:
        begun = await browser.get(path)
        separator = "&" if "?" in path else "?"
        assert (begun.status_code, begun.headers["location"]) == (303, f"https://leaf.example{path}{separator}led=1")
        assert "set-cookie" not in begun.headers
        again = await browser.get(f"{path}{separator}led=1")
        assert not again.headers["location"].startswith("https://leaf.example/auth")


async def test_a_check_names_no_host_that_anybody_could_have_written(world: World) -> None:
    """Others than private ones and relatives of LEAF_URL's are counted. # 000-01"""
    world.change(public_url="https://leaf.example.org")
    named = ["localhost:3000", "192.168.1.7:8000", "[::1]:3000", "www.leaf.example.org", "example.org"]
    strange = ["pay-here.evil.example", "leaf.example.org.evil.example", "8.8.8.8", "org"]
    async with world.browser() as browser:
        for host in (*named, *strange):
            await browser.get("/auth/google/start", headers={"Host": host})
    found = await doctor.addresses()
    assert {*found.other_hosts} == {*named}
    report = doctor.report([], found)
    assert "evil" not in report
    assert "8.8.8.8" not in report
    assert f"{len(strange)} times within a week" in report


@pytest.mark.parametrize(
    ("referer", "leads_to"),
    [
        ("/?next=/chat/1%3Fx%3D1%26y%3D2", "/chat/1?x=1&y=2"),
        ("/?next=//elsewhere.example/", "/dashboard"),
        ("/?next=https://elsewhere.example/", "/dashboard"),
        ("//[", "/dashboard"),
    ],
)
async def test_a_sign_in_that_is_begun_before_its_page_is_alive_leads_on_as_well(
    world: World, referer: str, leads_to: str
) -> None:
    """The form names no page yet, but the address of its page does. # 000-05"""
    async with world.browser() as browser:
        begun = await browser.get("/auth/google/start?next=", headers={"referer": "http://localhost:4555" + referer})
        finished = await browser.get(await browser.consent(begun, "ada"))
        assert finished.headers["location"].endswith(leads_to)
