"""The routes to sign in, to sign out, and to connect a Drive, with the start and the callback of each OAuth flow."""

import logging
from urllib.parse import parse_qsl, urlencode, urlsplit
from uuid import UUID

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from leaf import errors
from leaf.api import guests, http
from leaf.google import diagnosis, oauth, providers
from leaf.google.diagnosis import Diagnosis
from leaf.services import accounts, conversations, doctor, flows, integrations, security

log = logging.getLogger(__name__)

_SIGN_IN_CALLBACK, _DRIVE_CALLBACK = doctor.CALLBACKS
_INTEGRATIONS_PAGE = "/settings/integrations"
_REDIRECTED = "led"
"""The query parameter that marks a browser as already redirected to Leaf's own address."""


async def start_sign_in(request: Request) -> Response:
    """`GET /auth/{provider}/start?next=/chat/…`: redirects to the provider's consent, for identity alone."""
    if elsewhere := await _redirect_to_own_host(request):
        return elsewhere
    provider = request.path_params["provider"]
    redirect_uri = http.origin(request) + _SIGN_IN_CALLBACK
    client = await providers.client(provider)
    # The library requests offline access by default; identifying a person needs no refresh token.
    begun = oauth.begin(
        client, redirect_uri=redirect_uri, scopes=oauth.IDENTITY_SCOPES, extra={"access_type": "online"}
    )
    next_path = flows.safe_path(_next_path(request), "/dashboard")
    keeps = guests.remembered(request) if request.query_params.get("keep") else ""
    name, value = flows.remember(
        begun, purpose="sign-in", provider=provider, redirect_uri=redirect_uri, next_path=next_path, keeps=keeps
    )
    return _redirect_with_cookie(begun.url, name, value)


def _next_path(request: Request) -> str:
    """The wanted page: from the query, or from the address of a page whose form was sent before it had hydrated."""
    if named := request.query_params.get("next"):
        return named
    return dict(parse_qsl(http.parts_of(request.headers.get("referer", "")).query)).get("next", "")


async def _redirect_to_own_host(request: Request) -> Response | None:
    """A redirect to the same route at Leaf's own address; None if the browser is already there.

    The provider redirects back to Leaf's own address, and the browser does not send cookies of another host there. A
    browser is redirected only once, because a proxy may replace the Host of every request.
    """
    home = http.origin(request)
    if request.url.netloc == urlsplit(home).netloc or _REDIRECTED in request.query_params:
        return None
    await doctor.note_host(request.url.netloc)
    query = urlencode([*request.query_params.multi_items(), (_REDIRECTED, "1")])
    return RedirectResponse(f"{home}{request.url.path}?{query}", status_code=303)


async def finish_sign_in(request: Request) -> Response:
    """`GET /auth/callback`: verifies the identity, creates a session, and redirects to the wanted page."""
    state = request.query_params.get("state", "")
    try:
        flow = flows.recall(request.headers.get("cookie", ""), state, purpose="sign-in")
        grant, client = await _grant(request, flow)
        identity = await oauth.identify(client, grant, nonce=flow.nonce)
        token = await accounts.sign_in(flow.provider, identity, user_agent=request.headers.get("user-agent", ""))
        # The browser's earlier session ends, so that nobody else can continue with it.
        await accounts.sign_out(request.headers.get("cookie", ""))
    except errors.LeafError as error:
        log.info("a sign-in ended with %s", error.code)
        await security.sign_in_refused(error.code)
        response = http.redirect_to_page(request, http.with_query("/", problem=http.problem_code(error)))
    else:
        if flow.keeps:
            response = await guests.adopt_chat(request, flow, token)
        else:
            response = http.redirect_to_page(request, flow.next_path)
        http.set_cookie(response, accounts.cookie_name(), token, max_age=http.SESSION_SECONDS)
    http.delete_cookie(response, flows.cookie_name(state))
    return response


async def sign_out(request: Request) -> Response:
    """`POST /auth/sign-out`: ends the session in the database and deletes the cookie."""
    try:
        await accounts.sign_out(request.headers.get("cookie", ""))
    except errors.Unavailable as error:
        # The session still exists in the database, and without the cookie nobody could end it.
        return http.redirect_to_page(request, http.with_query("/", problem=http.problem_code(error)))
    response = http.redirect_to_page(request, "/")
    http.delete_cookie(response, accounts.cookie_name())
    return response


async def start_connect(request: Request) -> Response:
    """`GET /auth/integrations/google-drive?next=/chat/…`: redirects to Google's consent for reading Drive."""
    if elsewhere := await _redirect_to_own_host(request):
        return elsewhere
    next_path = flows.safe_path(request.query_params.get("next"), _INTEGRATIONS_PAGE)
    try:
        session = await http.session(request)
    except errors.Unauthenticated:
        return http.redirect_to_page(request, http.with_query("/", next=next_path))
    redirect_uri = http.origin(request) + _DRIVE_CALLBACK
    await integrations.begin_attempt(session.actor)
    begun = integrations.begin_connect(redirect_uri=redirect_uri)
    name, value = flows.remember(
        begun, purpose="connect", provider="google_drive", redirect_uri=redirect_uri, next_path=next_path,
        user_id=str(session.user_id),
    )  # fmt: skip
    return _redirect_with_cookie(begun.url, name, value)


async def finish_connect(request: Request) -> Response:
    """`GET /auth/integrations/google-drive/callback`: stores the grant for the member who began the flow.

    If the flow was begun in a chat, its last question is answered again.
    """
    state = request.query_params.get("state", "")
    outcome, next_path = {"connected": "google_drive"}, _INTEGRATIONS_PAGE
    try:
        session = await http.session(request)
    except errors.Unauthenticated:
        return http.redirect_to_page(request, http.with_query("/", next=_INTEGRATIONS_PAGE))
    try:
        flow = flows.recall(request.headers.get("cookie", ""), state, purpose="connect")
        if flow.user_id != str(session.user_id):
            raise errors.SignInFailed("This sign-in was started by someone else.", code="state")
        next_path = flow.next_path
        grant, _ = await _grant(request, flow)
        await integrations.connect(session.actor, grant)
        await integrations.end_attempt(session.actor)
        await _answer_with_drive(session, next_path)
    except errors.LeafError as error:
        log.info("connecting Drive ended with %s", error.code)
        await _keep_cause(session, error)
        outcome = {"problem": http.problem_code(error)}
    response = http.redirect_to_page(request, http.with_query(next_path, **outcome))
    http.delete_cookie(response, flows.cookie_name(state))
    return response


async def _keep_cause(session: accounts.Session, error: errors.LeafError) -> None:
    """Stores the cause of a failed connection for the page Integrations, unless the notice explains enough."""
    if error.code in {"denied", "scope_missing"}:
        await integrations.end_attempt(session.actor)
    elif isinstance(error, errors.SignInFailed | errors.DriveError) and isinstance(error.cause, Diagnosis):
        await integrations.explain_attempt(session.actor, error.cause)


async def _answer_with_drive(session: accounts.Session, path: str) -> None:
    """Requests a new answer to the last question of the chat at a path. Does nothing if the path is not a chat's."""
    try:
        await conversations.answer_with_drive(session.actor, UUID(path.removeprefix("/chat/")))
    except ValueError:
        return
    except errors.LeafError as error:
        log.info("the last question is not answered again: %s", error.code)


async def _grant(request: Request, flow: flows.Flow) -> tuple[oauth.Grant, oauth.Client]:
    """The grant in a callback.

    Raises:
        errors.SignInFailed: The person refused (`denied`), or the callback cannot be trusted.
    """
    error = request.query_params.get("error")
    found = diagnosis.of_consent(error) if error else None
    if error == "access_denied":
        raise errors.SignInFailed("Access was denied.", code="denied", cause=found)
    if found is not None:
        raise errors.SignInFailed(found.message, code="failed", cause=found)
    code = request.query_params.get("code")
    if error or not code:
        raise errors.SignInFailed("The provider reported a problem. Please try again.", code="failed")
    client = await providers.client("google" if flow.purpose == "connect" else flow.provider)
    if request.query_params.get("iss", client.issuer) != client.issuer:
        raise errors.SignInFailed("The answer comes from another provider.", code="failed")  # RFC 9207
    grant = await oauth.exchange(client, redirect_uri=flow.redirect_uri, code=code, code_verifier=flow.code_verifier)
    return grant, client


def _redirect_with_cookie(url: str, cookie_name: str, cookie_value: str) -> RedirectResponse:
    response = RedirectResponse(url, status_code=303, headers={"cache-control": "no-store"})
    http.set_cookie(response, cookie_name, cookie_value, max_age=flows.LIFETIME_SECONDS)
    return response


routes = [
    Route("/auth/callback", http.endpoint(finish_sign_in, page="/"), methods=["GET"]),
    Route("/auth/sign-out", http.endpoint(sign_out, page="/"), methods=["POST"]),
    Route("/auth/integrations/google-drive", http.endpoint(start_connect, page=_INTEGRATIONS_PAGE), methods=["GET"]),
    Route(_DRIVE_CALLBACK, http.endpoint(finish_connect, page=_INTEGRATIONS_PAGE), methods=["GET"]),
    Route("/auth/{provider}/start", http.endpoint(start_sign_in, page="/"), methods=["GET"]),
]
