"""An answer's Markdown as HTML that strangers may be shown: no raw HTML, no images, links to the web alone. Pure."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

_SCHEMES = {"http", "https", "mailto"}
_MARK = re.compile(r"\[\^(\d{1,4})(\?)?\]")
_KEPT = 2000
"""So many texts are kept as HTML: a page that is opened often is not made each time."""


@lru_cache(maxsize=_KEPT)
def html(text: str, place: str, numbers: frozenset[int]) -> str:
    """Markdown as HTML.

    Args:
        text: Markdown, in which `[^2]` stands for a citation, and `[^2?]` for one that could not be verified.
        place: What the ids of its citations begin with: `<place>-2`.
        numbers: The citations that there are; other marks stay as they are.
    """
    return _parser().render(text, {"place": place, "numbers": numbers})


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": False, "maxNesting": 20}).enable(["table", "strikethrough"])
    made.validateLink = _leads_out  # type: ignore[method-assign]  # the way that its documentation names
    made.inline.ruler.before("link", "citation", _citation)
    made.add_render_rule("citation", _drawn_citation)
    made.add_render_rule("image", _drawn_image)
    made.add_render_rule("link_open", _drawn_link)
    made.add_render_rule("table_open", _drawn_table)
    made.add_render_rule("table_close", _drawn_table_end)
    return made


def _leads_out(url: str) -> bool:
    """Whether a link may be followed: to the web or to a mailbox, never to Leaf's own routes or into a script."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return False
    return parts.scheme.lower() in _SCHEMES and bool(parts.netloc or parts.scheme.lower() == "mailto")


def _citation(state: StateInline, silent: bool) -> bool:
    found = _MARK.match(state.src, state.pos)
    if found is None or int(found[1]) not in state.env["numbers"]:
        return False
    if not silent:
        token = state.push("citation", "", 0)
        token.meta = {"n": int(found[1]), "verified": found[2] is None}
    state.pos = found.end()
    return True


def _drawn_citation(
    _self: RendererHTML, tokens: Sequence[Token], index: int, _options: OptionsDict, env: dict[str, Any]
) -> str:
    number, verified = tokens[index].meta["n"], tokens[index].meta["verified"]
    kind = "cite" if verified else "cite unverified"
    return f'<sup><a class="{kind}" href="#{env["place"]}-{number}">{number}{"" if verified else "?"}</a></sup>'


def _drawn_image(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: dict[str, Any]
) -> str:
    """Its description alone: an image would tell its host who reads."""
    said = self.renderInlineAsText(tokens[index].children or [], options, env)
    return f'<span class="md-image">[{_escaped(said)}]</span>' if said else ""


def _drawn_link(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: dict[str, Any]
) -> str:
    tokens[index].attrSet("rel", "noopener noreferrer nofollow")
    tokens[index].attrSet("target", "_blank")
    return self.renderToken(tokens, index, options, env)


def _drawn_table(_self: RendererHTML, *_: object) -> str:
    return '<div class="md-table" tabindex="0"><table>\n'


def _drawn_table_end(_self: RendererHTML, *_: object) -> str:
    return "</table></div>\n"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
