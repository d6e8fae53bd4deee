"""The page of a public link, as HTML without scripts. Pure, except that it reads the style sheets once."""

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any

from leaf import charts, citations, texts
from leaf.api.shared.markdown import html as markdown
from leaf.comparison import words
from leaf.services.shares import Shared
from leaf.texts import dates
from leaf.texts.catalogue import isolated
from leaf.texts.places import place_text

DESCRIPTION_CHARACTERS = 200
_STYLES = Path(__file__).parents[3] / "assets" / "styles"
_SHEETS = ("tokens.css", "shared.css", "charts.css", "findings.css", "comparisons.css")
_FONT_FACE = re.compile(r"@font-face\{font-family:\"?Inter Variable\b[^{}]*\}")
"""Matches the rules for the pages' own font. Other fonts, such as those of formulas, are left out."""
_MARK = (
    '<svg class="mark" viewBox="0 0 32 32" width="24" height="24" aria-hidden="true">'
    '<path d="M27 4.5C15 4.5 6 9.6 6 19c0 2.3.6 4.3 1.7 6 1.7 1.2 3.8 1.9 6.2 1.9C23.2 26.9 27.6 17.4 27 4.5Z" '
    'fill="currentColor"/><path d="M4.5 29C7 22.4 12 16.6 19.5 12.8" fill="none" stroke="var(--mark-vein)" '
    'stroke-width="2.2" stroke-linecap="round"/></svg>'
)


@dataclass(frozen=True)
class Style:
    """The combined style sheets, and their hash for the Content-Security-Policy."""

    css: str
    source: str
    """`'sha256-…'`, for a Content-Security-Policy."""


@lru_cache(maxsize=2)
def style(compiled: Path | None = None) -> Style:
    """The style of the page: Leaf's colours and fonts, and the page's own style sheets.

    Args:
        compiled: The folder of the compiled pages, whose font the page uses; None for the fonts of the system.
    """
    sheets = [(_STYLES / name).read_text(encoding="utf-8") for name in _SHEETS]
    lines = [line for sheet in sheets for line in sheet.splitlines() if line and not line.startswith("@import")]
    built = sorted(compiled.glob("assets/*.css")) if compiled else []
    faces = [face for file in built for face in _FONT_FACE.findall(file.read_text(encoding="utf-8"))]
    css = "\n".join([*dict.fromkeys(faces), *lines])
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    return Style(css, f"'sha256-{digest}'")


def shared_page(shared: Shared, language: str, *, url: str = "", compiled: Path | None = None) -> str:
    """The page of a shared chat.

    Args:
        shared: The content of the link.
        language: The language of Leaf's own texts.
        url: The link; empty for a preview.
        compiled: The folder of the compiled pages (`style`).
    """
    say = texts.of(language)
    title = shared.title or say("shared.untitled")
    body = "".join(_message(message, number, say) for number, message in enumerate(shared.content, 1))
    when = _date(shared.shared_at, say)
    main = (
        f'<h1>{escape(title)}</h1><p class="about">{escape(say("shared.copy_of", date=when))}</p>'
        f"{_older_note(shared, say)}{body}"
        f'<p class="about end">{escape(say("shared.may_be_wrong"))}</p>'
    )
    return _document(title, _description(shared, say), main, say, url=url, compiled=compiled)


def _older_note(shared: Shared, say: texts.Texts) -> str:
    """The note that sources of the answers have changed since the copy; empty if none has."""
    cited = [one for message in shared.content for one in _complete_citations(message)]
    changed = _distinct(one for one in cited if one.get("moved"))
    note = say("shared.older", changed=changed, count=_distinct(cited))
    return f'<p class="about older">{escape(note)}</p>' if changed else ""


def _complete_citations(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The citations of a message, without a citation that was cut off when the answer stopped."""
    return [one for one in message["citations"] if not citations.is_cut(one)]


def _distinct(cited: Iterable[Mapping[str, Any]]) -> int:
    """The number of different sources of citations."""
    return len({one.get("source") or one["url"] or one["name"] for one in cited})


def missing_page(language: str, *, compiled: Path | None = None) -> str:
    """The page for an invalid link. It does not tell why the link is invalid."""
    say = texts.of(language)
    title = say("shared.missing")
    main = f'<h1>{escape(title)}</h1><p class="about">{escape(say("shared.missing_why"))}</p>'
    return _document(title, say("shared.missing_why"), main, say, compiled=compiled)


def crowded_page(language: str, seconds: int, *, compiled: Path | None = None) -> str:
    """The page for an address with too many requests.

    Args:
        language: The language of Leaf's own texts.
        seconds: The time until the next permitted request, at least 1.
        compiled: The folder of the compiled pages (`style`).
    """
    say = texts.of(language)
    title, why = say("shared.too_often"), say("shared.too_often_why", count=seconds)
    return _document(title, why, f'<h1>{escape(title)}</h1><p class="about">{escape(why)}</p>', say, compiled=compiled)


def _document(
    title: str, description: str, main: str, say: texts.Texts, *, url: str = "", compiled: Path | None = None
) -> str:
    named = {"og:title": title, "og:description": description, "og:type": "article", "og:site_name": "Leaf"}
    properties = named | ({"og:url": url} if url else {})
    graph = "".join(f'<meta property="{name}" content="{escape(value)}">' for name, value in properties.items())
    return (
        f'<!doctype html><html lang="{say.language}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)} · Leaf</title>"
        f'<meta name="description" content="{escape(description)}"><meta name="robots" content="noindex, nofollow">'
        f'<meta name="referrer" content="no-referrer"><meta name="color-scheme" content="light dark">{graph}'
        f'<link rel="icon" href="/icon.svg" type="image/svg+xml"><style>{style(compiled).css}</style></head><body>'
        f'<header><a href="/" class="brand">{_MARK}<span>Leaf</span></a>'
        f'<span class="tag">{escape(say("shared.label"))}</span></header><main>{main}</main>'
        f'<footer><a href="/">{escape(say("shared.own"))}</a></footer></body></html>'
    )


def _message(message: Mapping[str, Any], number: int, say: texts.Texts) -> str:
    if message["role"] == "user":
        asked = "\n\n".join(one["text"] for one in message["texts"])
        return f'<section class="question" aria-label="{escape(say("shared.question"))}">{escape(asked)}</section>'
    body = "".join(_texts(message, f"m{number}", say))
    ending = {"stopped": say("shared.stopped"), "error": say("shared.failed")}.get(message["status"], "")
    note = f'<p class="about">{escape(ending)}</p>' if ending else ""
    sources = _sources(_complete_citations(message), f"m{number}", say)
    # Links made by earlier versions of Leaf have no parts.
    asked = _question_parts(citations.subquestions.read(message.get("asked")), say)
    compared = "".join(_comparison(one, say) for one in citations.comparisons.read(message.get("comparisons")))
    disagreed = "".join(_disagreement(one, say) for one in message.get("conflicts") or ())
    looked = _coverage(message["coverage"], say) if message["coverage"] else ""
    return (
        f'<section class="answer" aria-label="{escape(say("shared.answer"))}">'
        f'{asked}<div class="md">{body}</div>{note}{compared}{disagreed}{sources}{looked}</section>'
    )


def _texts(message: Mapping[str, Any], place: str, say: texts.Texts) -> Iterator[str]:
    """The texts of an answer, with numbers in place of its footnotes."""
    marks: dict[int, list[tuple[int, int, str]]] = {}
    for one in message["citations"]:
        for slot, begin, end in one["at"]:
            marks.setdefault(slot, []).append((begin, end, citations.sign(one)))
    numbers = frozenset(int(one["n"]) for one in _complete_citations(message))
    found = frozenset(str(one["url"]) for one in message["citations"] if one["verified"] and one["url"])
    words = (say("shared.link_asks"), say("shared.link_open"))
    # Links made by earlier versions of Leaf have no charts.
    for one in sorted([*message["texts"], *(message.get("charts") or ())], key=lambda one: one["slot"]):
        if "output" in one:
            yield _chart(one["output"], say)
            continue
        shown = citations.shown(one["text"], marks.get(one["slot"], ()))
        if shown.strip():
            yield markdown(shown, place, numbers, found, words)


def _chart(output: Mapping[str, Any], say: texts.Texts) -> str:
    """A chart with its values as a table; empty if Google refuses one of its files."""
    chart = charts.of(output)
    if chart is None:
        return ""
    drawn = charts.markup(charts.picture(chart, say.language, charts.summary(chart, say)))
    heads, rows = charts.table(chart, say)
    sides = [' class="right"' if amounts else "" for amounts in charts.amounts(chart)]
    head = "".join(f'<th scope="col"{side}>{escape(one)}</th>' for one, side in zip(heads, sides, strict=True))
    body = "".join(
        f"<tr>{''.join(f'<td{side}>{escape(cell)}</td>' for cell, side in zip(row, sides, strict=True))}</tr>"
        for row in rows
    )
    note = f'<p class="about">{escape(charts.left_out(chart, say))}</p>' if chart.left_out else ""
    name = escape(charts.heading(chart, say))
    return (
        f'<figure class="drawn-chart" aria-label="{name}">'
        f'<div class="chart-frame" tabindex="0" role="region" aria-label="{escape(say("charts.chart"))}">{drawn}</div>'
        f'{note}<details class="chart-values"><summary>{escape(say("charts.table"))}</summary>'
        f'<div class="md-table" tabindex="0" role="region" aria-label="{name}"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div></details></figure>"
    )


def _question_parts(asked: Sequence[Mapping[str, Any]], say: texts.Texts) -> str:
    """The parts of the question as a list, each with its state if that is known; empty if there are none."""
    lines = "".join(
        f'<li class="asked-part" data-state="{escape(one["state"])}"><span>{escape(one["text"])}</span>'
        f"{_state(one['state'], say)}</li>"
        for one in asked
    )
    return f'<ul class="asked-parts" aria-label="{escape(say("subquestions.parts"))}">{lines}</ul>' if lines else ""


def _state(state: str, say: texts.Texts) -> str:
    if state not in {"answered", "missing", "unanswered"}:
        return ""
    return f' <span class="place">{escape(say("subquestions." + state))}</span>'


def _disagreement(one: Mapping[str, Any], say: texts.Texts) -> str:
    """A conflict: the different values of sources, each with its source, date and passage."""
    heading = escape(say("conflicts.heading"))
    about = f' <span class="conflict-about">{escape(one["about"])}</span>' if one["about"] else ""
    return (
        f'<section class="conflict" aria-label="{heading}"><p class="conflict-head">'
        f'<span class="conflict-name">{heading}</span>{about}</p>'
        f'<ul class="conflict-sides">{"".join(_side(side, say) for side in one["sides"])}</ul></section>'
    )


def _comparison(one: Mapping[str, Any], say: texts.Texts) -> str:
    """A comparison of files or versions side by side, in which the different words are marked."""
    names = words.names(one["compared"], say)
    title, count = escape(words.title(names, say)), escape(words.count(one, say))
    about = say("comparisons.on", subject=one["on"]) if one["on"] else ""
    notes = "".join(f"<p>{escape(note)}</p>" for note in filter(None, (about, *words.notes(one, say))))
    rows = "".join(_compared(row, names, say) for row in one["rows"])
    return (
        f'<details class="compared"><summary><span class="compared-name">{title}</span> '
        f'<span class="compared-count">{count}</span></summary><div class="compared-body">{notes}'
        f'<ol class="compared-rows">{rows}</ol></div></details>'
    )


def _compared(row: Mapping[str, Any], names: Sequence[str], say: texts.Texts) -> str:
    sides = "".join(_passage(cell, name, say) for cell, name in zip(row["cells"], names, strict=True))
    return (
        f'<li class="compared-row"><p class="compared-head"><strong>{escape(row["about"])}</strong> '
        f'<span class="compared-kind">{escape(words.kind(row, say))}</span></p>'
        f'<div class="compared-sides">{sides}</div></li>'
    )


def _passage(cell: Mapping[str, Any] | None, name: str, say: texts.Texts) -> str:
    part = place_text(cell["part"], say) if cell else ""
    place = f' <span class="compared-place">{escape(part)}</span>' if part else ""
    where = f'<p class="compared-where"><span class="compared-file">{escape(name)}</span>{place}</p>'
    if cell is None:
        missing = escape(say("comparisons.missing"))
        return f'<div class="compared-side">{where}<p class="compared-missing">{missing}</p></div>'
    value = f'<p class="compared-value">{escape(cell["value"])}</p>' if cell["value"] else ""
    quote = "".join(
        f"<ins>{escape(text)}</ins>" if marked else escape(text)
        for text, marked in citations.comparisons.pieces(cell)
    )  # fmt: skip
    return f'<div class="compared-side">{where}{value}<blockquote>{quote}</blockquote></div>'


def _side(side: Mapping[str, Any], say: texts.Texts) -> str:
    name = escape(isolated(side["name"] or say("trust.drive_file")))
    where = f", {escape(place_text(side['part'], say))}" if side["part"] else ""
    day = citations.conflicts.day_of(side["date"])
    dated = f' <span class="small-note">{_date(datetime.combine(day, time()), say)}</span>' if day else ""
    newer = f' <span class="conflict-newer">{escape(say("conflicts.newer"))}</span>' if side["newer"] else ""
    url = escape(side["url"])
    link = f'<a href="{url}" rel="noopener noreferrer nofollow" target="_blank">{name}</a>' if url else ""
    return (
        f"<li><details><summary><strong>{escape(side['value'])}</strong> "
        f'<span class="conflict-source">{name}{where}</span>{dated}{newer}</summary>'
        f"<blockquote>{escape(side['quote'])}</blockquote>{link}</details></li>"
    )


def _sources(cited: Sequence[Mapping[str, Any]], place: str, say: texts.Texts) -> str:
    if not cited:
        return ""
    entries = "".join(_source(one, place, say) for one in cited)
    sources = say("shared.sources", count=_distinct(cited))
    # The list has an entry for each quote, and several quotes may have the same source.
    quotes = say("shared.quotes", count=len(cited)) if _distinct(cited) < len(cited) else ""
    heading = escape(" · ".join(filter(None, (sources, quotes))))
    # The list is open, because the numbers in the text link to its entries.
    return f'<details class="rests" open><summary>{heading}</summary><ol>{entries}</ol></details>'


def _source(one: Mapping[str, Any], place: str, say: texts.Texts) -> str:
    if one["reason"] in citations.redaction.TEXTS:
        number = int(one["n"])
        named, status = escape(say("trust.drive_file")), escape(say("shared.withheld"))
        return f'<li id="{place}-{number}" value="{number}"><div>{named}</div><p class="checked">{status}</p></li>'
    name = escape(isolated(one["name"] or say("shared.unknown_source")))
    # An address that only a model has composed may contain text that it has read, so it becomes no link.
    url = one["url"] if one["reason"] != "not_given" else None
    named = f'<a href="{escape(url)}" rel="noopener noreferrer nofollow" target="_blank">{name}</a>' if url else name
    where = f' <span class="place">{escape(place_text(one["part"], say))}</span>' if one["part"] else ""
    # Links made by earlier versions of Leaf have the formula of a figure only in English.
    formula: Mapping[str, str] = one.get("formula") or {}
    words = formula.get(say.language) or one["quote"]
    quote = f"<blockquote>{escape(words)}</blockquote>" if words else ""
    holds = one["verified"] and not one.get("moved")
    kind = "checked" if holds else "checked unverified"
    status = say("shared.verified" if holds else "shared.moved" if one["verified"] else "shared.unverified")
    if holds and one.get("computed"):
        status = say("computed.shared")
    return (
        f'<li id="{place}-{int(one["n"])}" value="{int(one["n"])}"><div>{named}{where}</div>{quote}'
        f'<p class="{kind}">{escape(status)}</p></li>'
    )


def _coverage(receipt: Mapping[str, Any], say: texts.Texts) -> str:
    """The receipt as one line of numbers. It names no files, because strangers read it."""
    summary = " · ".join(_phrases(receipt, say))
    return f'<p class="looked">{escape(summary)}</p>' if summary else ""


def _phrases(receipt: Mapping[str, Any], say: texts.Texts) -> Iterator[str]:
    read, found = len(receipt["read"]), receipt["found"]
    if read:
        yield say("shared.read_of", count=read, found=found) if found > read else say("shared.read", count=read)
    counted = (
        ("shared.searches", receipt["searches"]),
        ("shared.folders", receipt["folders"]),
        ("shared.web_searches", receipt["web_searches"]),
        ("shared.pages", len(receipt["pages"])),
        ("shared.chat_files", receipt["chat_files"]),
        ("shared.skipped", len(receipt["skipped"])),
        ("shared.calls_failed", receipt["failed"]),
        ("shared.partial", receipt["partial"]),
    )
    yield from (say(key, count=count) for key, count in counted if count)


def _description(shared: Shared, say: texts.Texts) -> str:
    """The beginning of the first question on one line."""
    asked = next((one["text"] for message in shared.content for one in message["texts"]), "")
    line = " ".join(asked.split())
    if len(line) > DESCRIPTION_CHARACTERS:
        line = line[:DESCRIPTION_CHARACTERS].rsplit(" ", 1)[0] + " …"
    return line or say("shared.label")


def _date(moment: datetime, say: texts.Texts) -> str:
    return texts.translated(dates.full_day(moment), say)
