"""The endpoints of OAuth and OpenID Connect: consent, token, revocation, userinfo."""

import base64
import binascii
import hashlib
import hmac
import sqlite3
from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import unquote

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from sandbox import accounts, authorization, context, identity, pages
from sandbox.accounts import Account
from sandbox.refusals import OAuthRefusal
from sandbox.store import Access

_CODE_SECONDS = 300
_TESTING_SECONDS = 7 * 86_400 - 1
_METADATA_SCOPE = "https://www.googleapis.com/auth/drive.metadata.readonly"
_NO_STORE = {"Cache-Control": "no-store", "Pragma": "no-cache"}


def routes() -> list[Route]:
    """The routes of the endpoints that Google has at its accounts and oauth2 hosts."""
    return [
        Route("/.well-known/openid-configuration", _discovery),
        Route("/o/oauth2/v2/auth", _consent_page, methods=["GET"]),
        Route("/o/oauth2/v2/auth", _consent_decision, methods=["POST"]),
        Route("/token", _token, methods=["POST"]),
        Route("/revoke", _revoke, methods=["POST"]),
        Route("/oauth2/v3/certs", _certificates),
        Route("/oauth2/v3/userinfo", _userinfo, methods=["GET", "POST"]),
    ]


def _discovery(request: Request) -> Response:
    return JSONResponse(identity.discovery(context.of(request).base_url, list(authorization.DRIVE_DESCRIPTIONS)))


def _certificates(request: Request) -> Response:
    certificates = context.of(request).signer.certificates()
    return JSONResponse(certificates, headers={"Cache-Control": "public, max-age=3600"})


def _consent_page(request: Request) -> Response:
    try:
        wanted = authorization.parse(request.query_params)
        if failure := context.of(request).faults.settings.get("consent"):
            raise authorization.Refused(*failure)
    except authorization.Refused as refused:
        return pages.refused(refused)
    if "none" in wanted.prompts:
        return _silent_answer(request, wanted)
    return pages.consent(wanted, dict(request.query_params), context.signed_in(request) or accounts.ADA)


def _silent_answer(request: Request, wanted: authorization.Request) -> Response:
    """The answer to `prompt=none`: a redirect with a code, or with an error that says why a page would be necessary."""
    account = context.signed_in(request)
    if account is None:
        return RedirectResponse(wanted.redirect({"error": "login_required"}), 302)
    if not set(wanted.scopes) <= set(_granted(request, account, wanted.client_id)):
        return RedirectResponse(wanted.redirect({"error": "interaction_required"}), 302)
    return _allow(request, wanted, account, wanted.scopes)


def _granted(request: Request, account: Account, client_id: str) -> list[str]:
    """The scopes that an account has already granted to a client."""
    grants = context.of(request).store.grants(account.key)
    return [scope for grant in grants if grant.client_id == client_id for scope in grant.scopes]


async def _consent_decision(request: Request) -> Response:
    form = await request.form()
    return await run_in_threadpool(_decide, request, form)


def _decide(request: Request, form: FormData) -> Response:
    query = {name: value for name, value in form.items() if isinstance(value, str)}
    try:
        if not context.same_origin(request):
            raise authorization.Refused("invalid_request", "This form was sent by another site.", 403)
        wanted = authorization.parse(query)
    except authorization.Refused as refused:
        return pages.refused(refused)
    settings = context.of(request).faults.settings
    if query.get("decision") != "allow" or settings.get("decision") == "deny":
        return RedirectResponse(wanted.redirect({"error": "access_denied"}), 303)
    account = accounts.find(query.get("account", ""))
    if account is None:
        return pages.refused(authorization.Refused("invalid_request", "Choose an account."))
    if settings.get("connects_other") and not context.DRIVE_SCOPES.isdisjoint(wanted.scopes):
        account = next(one for one in accounts.ACCOUNTS if one is not account)
    ticked = {value for value in form.getlist("granted") if isinstance(value, str)}
    if settings.get("unticked"):
        ticked = {_METADATA_SCOPE}
    scopes = tuple(scope for scope in wanted.scopes if scope not in wanted.optional_scopes or scope in ticked)
    scopes = (*scopes, _METADATA_SCOPE) if _METADATA_SCOPE in ticked and not scopes else scopes
    if not scopes:
        return RedirectResponse(wanted.redirect({"error": "access_denied"}), 303)
    response = _allow(request, wanted, account, scopes)
    context.sign_in(response, account)
    return response


def _allow(request: Request, wanted: authorization.Request, account: Account, scopes: tuple[str, ...]) -> Response:
    store = context.of(request).store
    if wanted.include_granted:
        scopes = tuple(dict.fromkeys([*scopes, *_granted(request, account, wanted.client_id)]))
    renew = "consent" in wanted.prompts or not store.has_refresh_token(account.key, wanted.client_id)
    code = Access(
        account.key, wanted.client_id, scopes, redirect_uri=wanted.redirect_uri, challenge=wanted.challenge,
        nonce=wanted.nonce, offline=wanted.offline and renew,
    )  # fmt: skip
    issuer = context.of(request).base_url
    answer = {
        "iss": issuer,
        "code": store.issue_code(code, seconds=_CODE_SECONDS),
        "scope": " ".join(scopes),
        "authuser": "0",
        "prompt": "none" if "none" in wanted.prompts else "consent",
    }
    return RedirectResponse(wanted.redirect(answer), 303)


async def _token(request: Request) -> Response:
    form = {name: value for name, value in (await request.form()).items() if isinstance(value, str)}
    return await run_in_threadpool(_exchange, request, form)


def _exchange(request: Request, form: Mapping[str, str]) -> Response:
    client_id = _authenticated_client(request, form)
    match form.get("grant_type"):
        case "authorization_code":
            return _exchange_code(request, form, client_id)
        case "refresh_token":
            return _refresh(request, form, client_id)
        case None | "":
            raise OAuthRefusal(400, "invalid_request", "Missing required parameter: grant_type")
        case other:
            raise OAuthRefusal(400, "unsupported_grant_type", f"Invalid grant_type: {other}")


def _authenticated_client(request: Request, form: Mapping[str, str]) -> str:
    """The id of the client, authenticated by the body or the Basic header (RFC 6749 section 2.3.1).

    Raises:
        OAuthRefusal: The client is unknown, its secret is wrong, or the header is malformed.
    """
    client_id, secret = form.get("client_id", ""), form.get("client_secret", "")
    scheme, _, value = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "basic":
        try:
            user, _, password = base64.b64decode(value, validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            raise OAuthRefusal(401, "invalid_client", "The authorization header is malformed.") from None
        client_id, secret = unquote(user), unquote(password)
    if client_id != accounts.CLIENT_ID:
        raise OAuthRefusal(401, "invalid_client", "The OAuth client was not found.")
    if not hmac.compare_digest(secret.encode(), accounts.CLIENT_SECRET.encode()):
        raise OAuthRefusal(401, "invalid_client", "Unauthorized")
    return client_id


def _exchange_code(request: Request, form: Mapping[str, str], client_id: str) -> Response:
    if not form.get("code"):
        raise OAuthRefusal(400, "invalid_request", "Missing required parameter: code")
    code = context.of(request).store.take_code(form["code"])
    if code is None or code.client_id != client_id:
        raise OAuthRefusal(400, "invalid_grant", "Malformed auth code.")
    if form.get("redirect_uri") != code.redirect_uri:
        raise OAuthRefusal(400, "redirect_uri_mismatch", "Bad Request")
    if not _verifies(form.get("code_verifier"), code.challenge):
        raise OAuthRefusal(400, "invalid_grant", "Invalid code verifier.")
    return _tokens(request, code)


def _verifies(verifier: str | None, challenge: str | None) -> bool:
    if challenge is None or verifier is None:
        return challenge is None and verifier is None
    digest = hashlib.sha256(verifier.encode()).digest()
    return hmac.compare_digest(base64.urlsafe_b64encode(digest).rstrip(b"="), challenge.rstrip("=").encode())


def _tokens(request: Request, code: Access) -> Response:
    sandbox = context.of(request)
    account = accounts.find(code.account)
    assert account is not None, "codes name accounts of the sandbox"  # noqa: S101
    seconds = sandbox.options.token_seconds
    try:
        access_token = sandbox.store.issue_token(code, "access", seconds=seconds)
        body: dict[str, object] = {"access_token": access_token, "expires_in": seconds, "token_type": "Bearer"}
        if code.offline:
            body["refresh_token"] = sandbox.store.issue_token(code, "refresh", seconds=None)
            seconds_left = sandbox.faults.settings.get("grant_seconds")
            if sandbox.faults.testing or seconds_left is not None:
                body["refresh_token_expires_in"] = seconds_left or _TESTING_SECONDS
    except sqlite3.IntegrityError:
        raise OAuthRefusal(400, "invalid_grant", "Token has been expired or revoked.") from None
    body["scope"] = " ".join(code.scopes)
    if identity.OPENID in code.scopes:
        body["id_token"] = sandbox.signer.id_token(
            account, code.scopes, issuer=sandbox.base_url, client_id=code.client_id, nonce=code.nonce,
            access_token=access_token,
        )  # fmt: skip
    return JSONResponse(body, headers=_NO_STORE)


def _refresh(request: Request, form: Mapping[str, str], client_id: str) -> Response:
    if not form.get("refresh_token"):
        raise OAuthRefusal(400, "invalid_request", "Missing required parameter: refresh_token")
    access = context.of(request).store.access(form["refresh_token"], "refresh")
    is_live = access is not None and not context.of(request).faults.ends_grant_of(access.account)
    if access is None or access.client_id != client_id or not is_live:
        raise OAuthRefusal(400, "invalid_grant", "Token has been expired or revoked.")
    scopes = access.scopes
    if form.get("scope"):
        scopes = authorization.expand(form["scope"])
        if not set(scopes) <= set(access.scopes):
            raise OAuthRefusal(400, "invalid_scope", "Some requested scopes were not granted.")
    return _tokens(request, replace(access, scopes=scopes, offline=False))


async def _revoke(request: Request) -> Response:
    form = await request.form()
    value = form.get("token") or request.query_params.get("token")
    if not isinstance(value, str) or not value:
        raise OAuthRefusal(400, "invalid_request", "Missing required parameter: token")
    if not await run_in_threadpool(context.of(request).store.revoke, value):
        raise OAuthRefusal(400, "invalid_token", "Token expired or revoked")
    return JSONResponse({}, headers=_NO_STORE)


def _userinfo(request: Request) -> Response:
    sandbox = context.of(request)
    found = context.access(request)
    if found is None:
        raise OAuthRefusal(401, "invalid_request", "Invalid Credentials")
    access, account = found
    if identity.OPENID not in access.scopes and identity.EMAIL not in access.scopes:
        raise OAuthRefusal(403, "insufficient_scope", "The access token has no identity scope.")
    return JSONResponse(identity.user_claims(account, access.scopes, issuer=sandbox.base_url))
