"""The widget's scripts, and a page that shows the widget during development."""

import secrets
from html import escape

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from leaf import config, errors, texts
from leaf.api import http
from leaf.sites import widget as scripts

_FRESH_SECONDS = 300
"""The time for which a browser uses a cached script. For one more day, the browser may use it while it fetches a newer
script."""
_SCRIPT_HEADERS = {
    "access-control-allow-origin": "*",
    "cross-origin-resource-policy": "cross-origin",
    "cache-control": f"public, max-age={_FRESH_SECONDS}, stale-while-revalidate=86400",
    "vary": "accept-encoding",
    "x-content-type-options": "nosniff",
}
_OPTIONS = {
    "theme": ("auto", "light", "dark"),
    "dir": ("ltr", "rtl"),
    "language": texts.LANGUAGES,
    "position": ("right", "left"),
}
"""The options in the address of the demo page. The first value is the default."""


async def classic(request: Request) -> Response:
    """`GET /widget.js`: the widget for `<script src>`. Any page may load it."""
    return _script(request, scripts.classic())


async def module(request: Request) -> Response:
    """`GET /widget.mjs`: the widget for `import`."""
    return _script(request, scripts.module())


def _script(request: Request, script: scripts.Script) -> Response:
    headers = _SCRIPT_HEADERS | {"etag": script.etag}
    known = {tag.strip() for tag in request.headers.get("if-none-match", "").split(",")}
    if script.etag in known:
        return Response(status_code=304, headers=headers)
    if not http.accepts(request, "accept-encoding", "gzip"):
        return Response(script.plain, media_type="text/javascript", headers=headers)
    packed = headers | {"content-encoding": "gzip"}
    return Response(script.compressed, media_type="text/javascript", headers=packed)


async def demo(request: Request) -> Response:
    """`GET /widget-demo?key=…`: a page with the widget and a strict policy, only during development.

    Raises:
        errors.NotFound: The setting `env` is not `development`.
    """
    if config.current().env != "development":
        raise errors.NotFound
    say = texts.of(http.language(request))
    nonce = secrets.token_urlsafe(16)
    policy = (
        f"default-src 'none'; script-src 'nonce-{nonce}'; connect-src 'self'; style-src 'nonce-{nonce}'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'"
    )
    headers = {"content-security-policy": policy, "cache-control": "no-store", "x-robots-tag": "noindex"}
    return HTMLResponse(_page(request, say, nonce), headers=headers)


def _page(request: Request, say: texts.Texts, nonce: str) -> str:
    """The page: a form with the options, and the script tag as on the page of a site."""
    query = request.query_params
    key, accent = query.get("key", "")[:200], query.get("accent", "")[:40]
    chosen = {name: query[name] for name, values in _OPTIONS.items() if query.get(name) in values}
    fields = "".join(_choice(name, chosen.get(name, "")) for name in _OPTIONS)
    data = {"api-key": key, "accent": accent, **chosen}
    attributes = "".join(f' data-{name}="{escape(value)}"' for name, value in data.items() if value)
    script = f'<script nonce="{nonce}" src="/widget.js"{attributes} async></script>' if key else ""
    direction, title = chosen.get("dir", "ltr"), escape(say("embedding.title"))
    return (
        f'<!doctype html><html lang="{chosen.get("language", "en")}" dir="{direction}"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>'
        f'<style nonce="{nonce}">:root{{color-scheme:light dark}}body{{font:16px/1.6 system-ui;max-width:40rem;'
        "margin:3rem auto;padding:0 1rem}label{display:block;margin:.5rem 0}input,select{font:inherit}</style></head>"
        f"<body><main><h1>{title}</h1><p>{escape(say('embedding.about', origin=str(request.base_url).rstrip('/')))}</p>"
        f'<form><label>{escape(say("embedding.key"))} <input name="key" value="{escape(key)}"></label>{fields}'
        f'<label>accent <input name="accent" value="{escape(accent)}" placeholder="#0b6e4f"></label>'
        f"<button>{escape(say('embedding.show'))}</button></form></main>{script}</body></html>"
    )


def _choice(name: str, chosen: str) -> str:
    options = "".join(
        f'<option value="{value}"{" selected" if value == chosen else ""}>{value}</option>'
        for value in ("", *_OPTIONS[name])
    )
    return f'<label>{name} <select name="{name}">{options}</select></label>'


routes = [
    Route("/widget.js", http.endpoint(classic), methods=["GET"]),
    Route("/widget.mjs", http.endpoint(module), methods=["GET"]),
    Route("/widget-demo", http.endpoint(demo), methods=["GET"]),
]
