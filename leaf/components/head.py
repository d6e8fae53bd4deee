"""The contents of every page's head."""

import json

import reflex as rx

from leaf import texts

_UNTOLD_MS = 3000
"""Should the page's script not come, the page is shown as it was built."""

_UNTOLD = (
    f"var h=d.documentElement,a={json.dumps(texts.LANGUAGES)},"
    f"l=(/(?:^|; ){texts.COOKIE}=(\\w+)/.exec(d.cookie)||[])[1];"
    "if(!a.includes(l))l=(navigator.languages||[]).map(function(x){return x.slice(0,2).toLowerCase()})"
    ".find(function(x){return a.includes(x)});"
    f'if(l&&l!="{texts.DEFAULT}"){{h.dataset.untold="true";'
    f"setTimeout(function(){{delete h.dataset.untold}},{_UNTOLD_MS})}}"
)
"""Hides a page that was built in another language than its reader's until its texts are replaced
(`client/texts.js`)."""

BEFORE_PAINT = (
    "try{var d=document;"
    f"{_UNTOLD}"
    'd.documentElement.dataset.rail=localStorage.getItem("leaf:rail")||"false";'
    'd.documentElement.dataset.density=localStorage.getItem("leaf:density")||"comfortable";'
    'if(/Mac|iPhone|iPad/.test(navigator.platform))d.documentElement.dataset.keys="mac";'
    'd.cookie="leaf_zone="+Intl.DateTimeFormat().resolvedOptions().timeZone+";path=/;max-age=31536000;samesite=lax"'
    "}catch(e){}"
)
"""Runs before the first paint: the sidebar does not jump, and the socket's handshake carries the time zone."""


def head_components() -> list[rx.Component]:
    """The script before the first paint, icons, and what browsers ask about the page."""
    return [
        rx.el.script(BEFORE_PAINT),
        rx.el.meta(
            name="viewport",
            content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content",
        ),
        rx.el.meta(name="theme-color", content="#fbfbf9", custom_attrs={"media": "(prefers-color-scheme: light)"}),
        rx.el.meta(name="theme-color", content="#151713", custom_attrs={"media": "(prefers-color-scheme: dark)"}),
        rx.el.meta(name="referrer", content="same-origin"),
        rx.el.link(rel="icon", href="/icon.svg", type="image/svg+xml"),
    ]
