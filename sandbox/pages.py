"""The pages that people see: the consent page, the account page, and the frame of documents. All values are escaped."""

from functools import cache
from html import escape
from pathlib import Path

from markdown_it import MarkdownIt
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from sandbox import accounts, authorization, context, identity
from sandbox.accounts import Account

# `form-action` is left out, because Chromium applies it to redirects after a form too, and consent leads to an app.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'"
HEADERS = {"Content-Security-Policy": _POLICY, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin"}


@cache
def style() -> str:
    """The style sheet of all pages."""
    return (Path(__file__).parent / "style.css").read_text("utf-8")


def page(title: str, body: str, *, status: int = 200, wide: bool = False) -> HTMLResponse:
    """A whole page.

    Args:
        title: The title as plain text.
        body: The body as HTML whose values are already escaped.
        status: The HTTP status.
        wide: Whether the page has the width of a document rather than a form.
    """
    kind = ' class="wide"' if wide else ""
    html = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{style()}</style></head>'
        f"<body><main{kind}>{body}</main></body></html>"
    )
    return HTMLResponse(html, status, HEADERS)


def markdown(text: str) -> str:
    """Markdown as HTML. Raw HTML, which files of a local folder may contain, is escaped."""
    return MarkdownIt("commonmark", {"html": False}).enable("table").render(text)


def refused(problem: authorization.Refused) -> Response:
    """Google's "Access blocked" page."""
    body = (
        "<h1>Access blocked: authorisation error</h1>"
        f"<p>{escape(problem.message)}</p><p>Error {problem.status}: {escape(problem.error)}</p>"
    )
    return page("Error – Google stand-in", body, status=problem.status)


def _account_choice(account: Account, *, chosen: bool) -> str:
    checked = " checked" if chosen else ""
    return (
        f'<label><input type="radio" name="account" value="{account.key}"{checked}>'
        f'<span class="dot" style="background:{account.colour}" aria-hidden="true">{account.given_name[0]}</span>'
        f'<span class="who"><span>{escape(account.name)}</span><small>{escape(account.email)}</small></span></label>'
    )


def account_choices(chosen: Account | None) -> str:
    """The form fields to choose an account."""
    rows = "".join(_account_choice(account, chosen=account == chosen) for account in accounts.ACCOUNTS)
    return f"<fieldset><legend>Choose an account</legend>{rows}</fieldset>"


def consent(wanted: authorization.Request, query: dict[str, str], chosen: Account) -> Response:
    """The consent page. Hidden fields carry the request, which is checked again when the form is sent."""
    hidden = "".join(
        f'<input type="hidden" name="{escape(name)}" value="{escape(value)}">'
        for name, value in query.items()
        if name not in {"account", "granted", "decision"}
    )
    boxes = "".join(
        f'<label><input type="checkbox" name="granted" value="{escape(scope)}" checked>'
        f'<span class="who"><span>{escape(authorization.DRIVE_DESCRIPTIONS[scope])}</span>'
        f"<small>{escape(scope)}</small></span></label>"
        for scope in wanted.optional_scopes
    )
    choices = f"<fieldset><legend>Select what Leaf can access</legend>{boxes}</fieldset>" if boxes else ""
    claims = ((identity.EMAIL, "your e-mail address"), (identity.PROFILE, "your name and picture"))
    seen = [words for scope, words in claims if scope in wanted.scopes]
    identity_note = f"<p>Leaf will be told {' and '.join(seen)}.</p>" if seen else ""
    body = (
        "<h1>Sign in to continue to Leaf</h1>"
        "<p>This page stands in for Google: nothing leaves this machine, and no password is needed.</p>"
        f'<form method="post" action="/o/oauth2/v2/auth">{hidden}{account_choices(chosen)}{choices}{identity_note}'
        '<div class="row"><button name="decision" value="deny">Deny</button>'
        '<button class="main" name="decision" value="allow">Allow</button></div></form>'
    )
    return page("Sandbox – Sign in with Google stand-in", body)


def choose_account(back: str) -> Response:
    """The page to choose an account before the document at the path `back` is shown."""
    body = (
        '<h1>Choose an account</h1><p>Choose whose Drive to look into.</p><form method="post" action="/account">'
        f'<input type="hidden" name="back" value="{escape(back)}">{account_choices(accounts.ADA)}'
        '<div class="row"><button class="main" name="do" value="choose">Continue</button></div></form>'
    )
    return page("Sandbox – Choose an account", body)


def routes() -> list[Route]:
    """The routes of the account page and of the accounts' pictures."""
    return [
        Route("/", _home),
        Route("/account", _account, methods=["GET"]),
        Route("/account", _account_action, methods=["POST"]),
        Route("/sandbox/picture/{key}.svg", _picture),
    ]


def _home(_request: Request) -> Response:
    return RedirectResponse("/account", 302)


def _account(request: Request) -> Response:
    chosen = context.signed_in(request)
    form = (
        f'<form method="post" action="/account">{account_choices(chosen)}'
        '<div class="row"><button name="do" value="choose">Use this account</button></div></form>'
    )
    return page("Sandbox – Your account", f"<h1>Your Google stand-in account</h1>{form}{_apps(request, chosen)}")


def _apps(request: Request, chosen: Account | None) -> str:
    if chosen is None:
        return "<hr><p>Choose an account to see which apps have access to it.</p>"
    sandbox = context.of(request)
    rows = "".join(
        '<li><span class="who"><span>Leaf</span>'
        f"<small>{escape(grant.client_id)}: {escape(', '.join(_short(scope) for scope in grant.scopes))}</small></span>"
        '<form method="post" action="/account"><button name="do" value="remove">Remove access</button></form></li>'
        for grant in sandbox.store.grants(chosen.key)
    )
    link = f"/drive/folders/{escape(sandbox.corpus.root_id(chosen))}"
    apps = f'<ul class="plain">{rows}</ul>' if rows else "<p>No app has access to this account.</p>"
    return f'<hr><h1>Apps with access to {escape(chosen.email)}</h1>{apps}<p><a href="{link}">Open this Drive</a></p>'


def _short(scope: str) -> str:
    return scope.rsplit("/", 1)[-1]


async def _account_action(request: Request) -> Response:
    form = await request.form()
    if not context.same_origin(request):
        return page("Refused", "<h1>This form was sent by another site.</h1>", status=403)
    back = str(form.get("back", "/account"))
    # Allows only paths of this server: `//host` and `/\host` would lead elsewhere.
    back = back if back.startswith("/") and not back.startswith(("//", "/\\")) else "/account"
    response = RedirectResponse(back, 303)
    chosen = context.signed_in(request)
    if form.get("do") == "remove" and chosen is not None:
        context.of(request).store.remove_grants([chosen.key])
    account = accounts.find(str(form.get("account", "")))
    if form.get("do") == "choose" and account is not None:
        context.sign_in(response, account)
    return response


def _picture(request: Request) -> Response:
    account = accounts.find(request.path_params["key"])
    if account is None:
        return Response("not found", 404, media_type="text/plain")
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96" width="96" height="96">'
        f'<rect width="96" height="96" fill="{account.colour}"/><text x="48" y="64" font-size="46" fill="#fff" '
        f'text-anchor="middle" font-family="sans-serif">{account.given_name[0]}</text></svg>'
    )
    return Response(svg, media_type="image/svg+xml", headers={"Cross-Origin-Resource-Policy": "cross-origin"})
