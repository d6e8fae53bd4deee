"""An answer's Markdown as HTML that is safe for strangers: no raw HTML, no images, only links to the web. Pure.

Formulas become MathML (`leaf.api.shared.maths`).
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import count
from typing import Any
from urllib.parse import quote
from zlib import crc32

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

from leaf import parts
from leaf.api.shared import maths
from leaf.citations import hosts
from leaf.parts import nesting

_SCHEMES = {"http", "https", "mailto"}
_MARK = re.compile(r"\[\^(\d{1,4})(\?)?\]")
_ENCODED_PLACEHOLDER = re.compile("%EE%80%90(\\d+)%EE%80%91")
_MOST_NESTED = (20, 120)
"""The limits of nesting that are tried one after the other. A quote counts once, and a nested list twice.

The library drops deeper content and everything after it. With the lower limit, which suffices for nearly all texts,
unclosed brackets take a seventh of the time.
"""
_CACHED = 2000
"""The number of texts that are cached as HTML, so that a popular page is not rendered each time."""


@lru_cache(maxsize=_CACHED)
def html(
    text: str,
    place: str,
    numbers: frozenset[int],
    found: frozenset[str] = frozenset(),
    words: tuple[str, str] = ("", ""),
) -> str:
    """Markdown as HTML.

    Args:
        text: Markdown, in which `[^2]` is a citation, and `[^2?]` one that could not be verified.
        place: The prefix of the ids of the citations in the text, such as `<place>-2`.
        numbers: The numbers of existing citations. Other marks are not changed.
        found: The addresses of the sources. A link to any other address asks before it opens, because the address may
            contain text of documents. A link to another host shows the host in the text.
        words: The question that such a link asks, and the label of the link that opens it.
    """
    bare, formulas = maths.extract(nesting.flattened(text))
    for parser in map(_parser, _MOST_NESTED):
        env = {
            "place": place, "numbers": numbers, "formulas": formulas, "words": words,
            "found": {parser.normalizeLink(one) for one in found}, "hosts": {hosts.host_of(one): "" for one in found},
            "link": f"{place}-{crc32(text.encode()):x}-", "count": count(),
        }  # fmt: skip
        tokens = parser.parse(bare, env)
        if all(token.level < parser.options["maxNesting"] - 1 for token in tokens):
            rendered: str = parser.renderer.render(tokens, parser.options, env)
            # If a formula is not possible at a place, such as in an address, its source is shown.
            return maths.PLACEHOLDER.sub(lambda found: _escaped(formulas[int(found[1])].source), rendered)
    return f"<pre>{_escaped(text)}</pre>\n"


@lru_cache(maxsize=len(_MOST_NESTED))
def _parser(most_nested: int) -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": most_nested}).enable(["table", "strikethrough"])
    parser.validateLink = _leads_out  # type: ignore[method-assign]  # the way that its documentation names
    parser.inline.ruler.before("link", "citation", _citation)
    parser.add_render_rule("citation", _drawn_citation)
    parser.add_render_rule("text", _drawn_text)
    parser.add_render_rule("image", _drawn_image)
    parser.add_render_rule("link_open", _drawn_link)
    parser.add_render_rule("link_close", _drawn_link_end)
    parser.add_render_rule("th_open", _drawn_cell)
    parser.add_render_rule("td_open", _drawn_cell)
    parser.add_render_rule("table_open", _drawn_table)
    parser.add_render_rule("table_close", _drawn_table_end)
    return parser


def _leads_out(url: str) -> bool:
    """Whether a link leads to the web or to a mailbox. Leaf's own routes and scripts are not permitted."""
    try:
        split = parts.split_address(url.strip())
    except ValueError:
        return False
    return split.scheme in _SCHEMES and bool(split.netloc or split.scheme == "mailto")


def _citation(state: StateInline, silent: bool) -> bool:
    found = _MARK.match(state.src, state.pos)
    if found is None or int(found[1]) not in state.env["numbers"]:
        return False
    if not silent:
        token = state.push("citation", "", 0)
        token.meta = {"n": int(found[1]), "verified": found[2] is None}
    state.pos = found.end()
    return True


def _drawn_text(
    _self: RendererHTML, tokens: Sequence[Token], index: int, _options: OptionsDict, env: dict[str, Any]
) -> str:
    """A text with its formulas as HTML."""
    return maths.PLACEHOLDER.sub(
        lambda found: maths.drawn(env["formulas"][int(found[1])]), _escaped(tokens[index].content)
    )


def _drawn_citation(
    _self: RendererHTML, tokens: Sequence[Token], index: int, _options: OptionsDict, env: dict[str, Any]
) -> str:
    number, verified = tokens[index].meta["n"], tokens[index].meta["verified"]
    kind = "cite" if verified else "cite unverified"
    return f'<sup><a class="{kind}" href="#{env["place"]}-{number}">{number}{"" if verified else "?"}</a></sup>'


def _drawn_image(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: dict[str, Any]
) -> str:
    """The description of an image. The image is not loaded, because that would tell its host about the reader."""
    text = self.renderInlineAsText(tokens[index].children or [], options, env)
    return f'<span class="md-image">[{_escaped(text)}]</span>' if text else ""


def _drawn_link(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: dict[str, Any]
) -> str:
    address = str(tokens[index].attrGet("href") or "")
    tokens[index].attrSet(
        "href", _ENCODED_PLACEHOLDER.sub(lambda one: quote(env["formulas"][int(one[1])].source), address)
    )
    tokens[index].attrSet("rel", "noopener noreferrer nofollow")
    tokens[index].attrSet("target", "_blank")
    # A title is removed, because it could look like another address.
    tokens[index].attrs.pop("title", None)
    tokens[index].attrSet("class", "outside")
    tokens[index].attrSet("data-host", hosts.shown(hosts.host_of(str(tokens[index].attrGet("href")))))
    if not _asks(tokens[index], env):
        return self.renderToken(tokens, index, options, env)
    # The page has no scripts, so the question is asked in a popover.
    host = _escaped(str(tokens[index].attrGet("data-host")))
    tokens[index].meta["id"] = f"{env['link']}{next(env['count'])}"
    return f'<button type="button" class="outside asked" data-host="{host}" popovertarget="{tokens[index].meta["id"]}">'


def _asks(link: Token, env: dict[str, Any]) -> bool:
    """Whether a link asks before it opens, because its address is not that of a source."""
    return link.attrGet("href") not in env["found"]


def _question(link: Token, words: tuple[str, str]) -> str:
    address = _escaped(str(link.attrGet("href")))
    opens = f'<a href="{address}" rel="noopener noreferrer nofollow" target="_blank">{_escaped(words[1])}</a>'
    asks = _escaped(words[0])
    return (
        f'<span id="{link.meta["id"]}" popover role="dialog" aria-label="{asks}" class="link-asks">'
        f'{asks}<bdi dir="ltr">{address}</bdi>{opens}</span>'
    )


def _drawn_link_end(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: dict[str, Any]
) -> str:
    """The end of a link. The host is added if the text looks like an address, or if no source has this host."""
    begin = next(at for at in range(index, -1, -1) if tokens[at].type == "link_open")
    inner = tokens[begin + 1 : index]
    # A formula can look like any address, so it counts as one.
    label = maths.PLACEHOLDER.sub("://", self.renderInlineAsText(inner, options, env))
    end = self.renderToken(tokens, index, options, env)
    if _asks(tokens[begin], env):
        end = "</button>" + _question(tokens[begin], env["words"])
    address = str(tokens[begin].attrGet("href"))
    if not hosts.is_beside(label, address, env["hosts"]):
        return end
    return f'{end}<bdi class="link-host" dir="ltr"> ({_escaped(hosts.shown(hosts.host_of(address)))})</bdi>'


def _drawn_cell(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: dict[str, Any]
) -> str:
    """The start of a cell. Its alignment becomes a class, because the page's policy permits no style attributes."""
    found = re.search("center|right", str(tokens[index].attrs.pop("style", "")))
    if found:
        tokens[index].attrSet("class", found[0])
    return self.renderToken(tokens, index, options, env)


def _drawn_table(_self: RendererHTML, *_: object) -> str:
    return '<div class="md-table" tabindex="0"><table>\n'


def _drawn_table_end(_self: RendererHTML, *_: object) -> str:
    return "</table></div>\n"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
