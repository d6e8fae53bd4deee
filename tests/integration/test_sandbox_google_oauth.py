"""The sandbox answers Google's OAuth code as Google does."""

import json
import resource
from pathlib import Path

import google.oauth2.credentials
import httpx
import jwt
import pytest
import requests
from google.auth.exceptions import RefreshError
from google.auth.transport.requests import Request
from google_auth_oauthlib.flow import Flow

from tests.integration import sandbox_fixtures
from tests.integration.sandbox_fixtures import CLIENT, DRIVE, IDENTITY, REDIRECT, SandboxProcess, running_sandbox

sandbox_process = sandbox_fixtures.sandbox_process
EMAIL = "https://www.googleapis.com/auth/userinfo.email"
PROFILE = "https://www.googleapis.com/auth/userinfo.profile"


def test_discovery_names_every_endpoint(sandbox_process: SandboxProcess) -> None:
    document = httpx.get(f"{sandbox_process.url}/.well-known/openid-configuration").json()
    assert document["issuer"] == sandbox_process.url
    assert document["token_endpoint"] == f"{sandbox_process.url}/token"
    assert document["code_challenge_methods_supported"] == ["S256"]


def test_googles_flow_signs_in_and_refreshes(sandbox_process: SandboxProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    """# 000-01, 000-09"""
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")
    secrets = {
        "web": {
            **CLIENT,
            "auth_uri": f"{sandbox_process.url}/o/oauth2/v2/auth",
            "token_uri": f"{sandbox_process.url}/token",
        }
    }
    flow = Flow.from_client_config(
        secrets, scopes=["openid", EMAIL, PROFILE, DRIVE], redirect_uri=REDIRECT, autogenerate_code_verifier=True
    )
    url, state = flow.authorization_url(access_type="offline", prompt="consent", include_granted_scopes="true")
    query = dict(httpx.URL(url).params)
    query.pop("scope")
    location = sandbox_process.consent("ada", f"openid {EMAIL} {PROFILE} {DRIVE}", **query)
    assert location.params["state"] == state
    flow.fetch_token(code=location.params["code"])
    flow.oauth2session.close()
    credentials = flow.credentials
    assert credentials.refresh_token
    assert DRIVE in credentials.granted_scopes
    before = credentials.token
    with requests.Session() as session:
        credentials.refresh(Request(session))
    assert credentials.token != before


def test_id_token_verifies_with_the_published_key(sandbox_process: SandboxProcess) -> None:
    answer = sandbox_process.sign_in("ben", IDENTITY, nonce="n-1")
    key = jwt.PyJWKClient(f"{sandbox_process.url}/oauth2/v3/certs").get_signing_key_from_jwt(answer["id_token"])
    claims = jwt.decode(
        answer["id_token"], key.key, ["RS256"], audience=CLIENT["client_id"], issuer=sandbox_process.url
    )
    assert claims["email"] == "ben@sandbox.leaf.example"
    assert claims["email_verified"] is True
    assert (claims["given_name"], claims["family_name"], claims["nonce"]) == ("Ben", "Okafor", "n-1")
    assert claims["at_hash"]
    assert answer["scope"].split() == ["openid", EMAIL, PROFILE]
    info = sandbox_process.get(answer["access_token"], "/oauth2/v3/userinfo").json()
    assert info["sub"] == claims["sub"]
    assert httpx.get(info["picture"]).headers["content-type"] == "image/svg+xml"


def test_identity_tokens_cannot_read_drive(sandbox_process: SandboxProcess) -> None:
    """# 000-07"""
    token = sandbox_process.sign_in("ada", IDENTITY)["access_token"]
    answer = sandbox_process.get(token, "/drive/v3/files")
    assert answer.status_code == 403
    assert answer.json()["error"]["errors"][0]["reason"] == "insufficientPermissions"


def test_denied_consent_comes_back_with_the_state(sandbox_process: SandboxProcess) -> None:
    location = sandbox_process.consent(decision="deny")
    assert dict(location.params) == {"state": "xyz", "error": "access_denied"}


def test_unticked_scope_is_not_granted(sandbox_process: SandboxProcess) -> None:
    """# 000-08"""
    location = sandbox_process.consent("ada", f"{IDENTITY} {DRIVE}", ticked=False)
    answer = sandbox_process.exchange(location.params["code"]).json()
    assert DRIVE not in answer["scope"].split()


def test_code_works_once(sandbox_process: SandboxProcess) -> None:
    code = sandbox_process.consent().params["code"]
    assert sandbox_process.exchange(code).status_code == 200
    again = sandbox_process.exchange(code)
    assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")


@pytest.mark.parametrize(
    ("form", "status", "error"),
    [
        ({"redirect_uri": "http://localhost:3000/other"}, 400, "redirect_uri_mismatch"),
        ({"client_secret": "wrong"}, 401, "invalid_client"),
        ({"code_verifier": "a" * 50}, 400, "invalid_grant"),
        ({"code": "4/unknown"}, 400, "invalid_grant"),
        ({"grant_type": "password"}, 400, "unsupported_grant_type"),
    ],
)
def test_wrong_exchange_is_refused(
    sandbox_process: SandboxProcess, form: dict[str, str], status: int, error: str
) -> None:
    code = sandbox_process.consent().params["code"]
    answer = sandbox_process.exchange(**{"code": code, **form})
    assert (answer.status_code, answer.json()["error"]) == (status, error)


def test_pkce_verifier_must_match(sandbox_process: SandboxProcess) -> None:
    challenge = {"code_challenge": "x" * 43, "code_challenge_method": "S256"}
    for form in ({}, {"code_verifier": "y" * 50}):
        code = sandbox_process.consent(**challenge).params["code"]
        assert sandbox_process.exchange(code, **form).json()["error"] == "invalid_grant"


def test_client_may_authenticate_by_header(sandbox_process: SandboxProcess) -> None:
    code = sandbox_process.consent().params["code"]
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT}
    answer = httpx.post(f"{sandbox_process.url}/token", data=form, auth=tuple(CLIENT.values()))
    assert answer.status_code == 200


def test_refresh_token_comes_only_offline(sandbox_process: SandboxProcess) -> None:
    assert "refresh_token" not in sandbox_process.sign_in(access_type="online")
    assert "refresh_token" in sandbox_process.sign_in()
    assert "refresh_token" not in sandbox_process.sign_in(prompt="select_account"), "it was given out before"


@pytest.mark.parametrize(
    "uri", ["https://evil.example/", "http://localhost.evil.example/", "http://a@localhost/", "http://localhost/#x"]
)
def test_redirects_lead_to_this_machine_only(sandbox_process: SandboxProcess, uri: str) -> None:
    url = sandbox_process.authorize_url(
        client_id=CLIENT["client_id"], redirect_uri=uri, response_type="code", scope="openid"
    )
    answer = httpx.get(url)
    assert answer.status_code == 400
    assert "redirect_uri_mismatch" in answer.text


def test_page_escapes_what_it_was_sent(sandbox_process: SandboxProcess) -> None:
    url = sandbox_process.authorize_url(
        client_id=CLIENT["client_id"], redirect_uri=REDIRECT, response_type="code", scope="openid", state='"><script>'
    )
    page = httpx.get(url)
    assert "<script>" not in page.text
    assert "<title>Sandbox – Sign in with Google stand-in</title>" in page.text


def test_consent_from_another_site_is_refused(sandbox_process: SandboxProcess) -> None:
    asked = {"client_id": CLIENT["client_id"], "redirect_uri": REDIRECT, "response_type": "code", "scope": "openid"}
    form = {**asked, "account": "ada", "decision": "allow"}
    origin = {"Origin": "http://localhost:9"}
    assert httpx.post(f"{sandbox_process.url}/o/oauth2/v2/auth", data=form, headers=origin).status_code == 403


def test_prompt_none_asks_nobody(sandbox_process: SandboxProcess) -> None:
    asked = {
        "client_id": CLIENT["client_id"], "redirect_uri": REDIRECT, "response_type": "code", "scope": "openid",
        "prompt": "none",
    }  # fmt: skip
    url = sandbox_process.authorize_url(**asked)
    assert httpx.URL(httpx.get(url).headers["location"]).params["error"] == "login_required"
    sandbox_process.sign_in("ada", IDENTITY)
    signed_in = httpx.get(url, headers={"Cookie": "leaf_sandbox_account=ada"})
    assert httpx.URL(signed_in.headers["location"]).params["code"]


def test_revoking_ends_the_whole_grant(sandbox_process: SandboxProcess) -> None:
    """# 000-14, 000-15"""
    answer = sandbox_process.sign_in("ben")
    revoked = httpx.post(f"{sandbox_process.url}/revoke", params={"token": answer["refresh_token"]})
    assert revoked.status_code == 200
    assert sandbox_process.get(answer["access_token"], "/drive/v3/files").status_code == 401
    credentials = google.oauth2.credentials.Credentials(
        None, refresh_token=answer["refresh_token"], token_uri=f"{sandbox_process.url}/token", **CLIENT
    )
    with requests.Session() as session, pytest.raises(RefreshError, match="invalid_grant"):
        credentials.refresh(Request(session))
    again = httpx.post(f"{sandbox_process.url}/revoke", data={"token": answer["refresh_token"]})
    assert (again.status_code, again.json()["error"]) == (400, "invalid_token")


def test_access_is_removed_on_the_account_page(sandbox_process: SandboxProcess) -> None:
    answer = sandbox_process.sign_in("ben")
    cookies = {"leaf_sandbox_account": "ben"}
    with httpx.Client(base_url=sandbox_process.url, cookies=cookies, follow_redirects=True) as browser:
        assert "Remove access" in browser.get("/account").text
        page = browser.post("/account", data={"do": "remove", "client_id": CLIENT["client_id"]})
        assert "No app has access" in page.text
        elsewhere = browser.post("/account", data={"do": "choose", "account": "ada", "back": "//evil.example"})
        assert elsewhere.url.path == "/account"
    assert sandbox_process.get(answer["access_token"], "/drive/v3/files").status_code == 401


def test_tokens_expire_and_state_survives_a_kill(tmp_path: Path) -> None:
    with running_sandbox(tmp_path, "--token-seconds", "1") as sandbox:
        answer = sandbox.sign_in("ada", f"{IDENTITY} {DRIVE}")
        assert answer["expires_in"] == 1
        certificates = httpx.get(f"{sandbox.url}/oauth2/v3/certs").json()
        sandbox.kill()
        sandbox.start()
        assert httpx.get(f"{sandbox.url}/oauth2/v3/certs").json() == certificates
        while (refused := sandbox.get(answer["access_token"], "/drive/v3/files")).status_code == 200:
            pass
        assert refused.json()["error"]["errors"][0]["reason"] == "authError"
        form = {**CLIENT, "grant_type": "refresh_token", "refresh_token": answer["refresh_token"]}
        fresh = httpx.post(f"{sandbox.url}/token", data=form).json()
        assert set(json.loads(json.dumps(fresh["scope"])).split()) == {"openid", EMAIL, PROFILE, DRIVE}
        assert sandbox.get(fresh["access_token"], "/drive/v3/files").status_code == 200


def test_faults_reach_the_token_endpoint(sandbox_process: SandboxProcess) -> None:
    sandbox_process.fault(path="^/token", status=503, times=1)
    code = sandbox_process.consent().params["code"]
    assert sandbox_process.exchange(code).status_code == 503
    assert sandbox_process.exchange(code).status_code == 200


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="Linux alone limits another process")
def test_a_full_disk_is_told_on_a_page_and_in_googles_json(tmp_path: Path) -> None:
    with running_sandbox(tmp_path) as sandbox:
        code = sandbox.consent().params["code"]
        assert sandbox.process is not None
        unlimited = resource.prlimit(sandbox.process.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        asked = {**CLIENT, "redirect_uri": REDIRECT, "response_type": "code", "scope": DRIVE, "account": "ada",
                 "granted": DRIVE, "decision": "allow"}  # fmt: skip
        page = httpx.post(f"{sandbox.url}/o/oauth2/v2/auth", data=asked)
        assert page.status_code == 507
        assert "The sandbox cannot write to its disk" in page.text
        assert str(tmp_path) in page.text
        refused = sandbox.exchange(code)
        assert (refused.status_code, refused.json()["error"]) == (503, "internal_failure")
        assert "cannot write to its disk" in refused.json()["error_description"]
        resource.prlimit(sandbox.process.pid, resource.RLIMIT_FSIZE, unlimited)
        assert sandbox.exchange(code).status_code == 200
