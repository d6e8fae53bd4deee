"""Web searches and page reads in words and links. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urlsplit

from leaf import parts
from leaf.texts import say

_TOOLS = {"search", "fetch"}


class Told(Protocol):
    """A step, as far as a group's sentence needs it."""

    @property
    def icon(self) -> str: ...
    @property
    def state(self) -> str: ...
    @property
    def verb(self) -> str: ...


@dataclass(frozen=True)
class PageLink:
    """A web page that was found or read, by the number under which the answer cites it."""

    number: str
    title: str
    url: str
    host: str


def told(tool: str, given: dict[str, Any], output: dict[str, Any], *, running: bool) -> tuple[str, str, str, str]:
    """The step of a call of `search` or `fetch`: icon, line, result, and the phrase for a group's sentence.

    Args:
        tool: The name of the tool.
        given: Its input.
        output: Its output, preliminary or final.
        running: Whether it is running.
    """
    if tool == "search":
        query = str(output.get("query") or given.get("query") or "").strip()
        results = output.get("results")
        if running:
            doing = say("steps.searching_web_for", query=query) if query else say("steps.searching_web")
            return "web", doing, "", ""
        phrase = say("steps.searched_web_for", query=query) if query else say("steps.searched_web")
        note = _count(len(results), output) if isinstance(results, list) else ""
        return "web", phrase[:1].upper() + phrase[1:], note, phrase
    url = str(output.get("url") or given.get("url") or "")
    host = host_of(url)
    name = str(output.get("title") or "") or host or say("steps.a_page")
    note = ", ".join(
        one for one in (host if name != host else "", say("steps.in_part") if output.get("truncated") else "") if one
    )
    if running:
        return "page", say("steps.reading", name=host or say("steps.a_page")), "", ""
    phrase = say("steps.read", name=name)
    return "page", phrase[:1].upper() + phrase[1:], note, phrase


def phrases(steps: Sequence[Told]) -> list[str]:
    """The phrase about the web in a group's sentence."""
    searches = [step for step in steps if step.icon == "web"]
    read = [step for step in steps if step.icon == "page" and step.state == "done"]
    missed = sum(1 for step in steps if step.icon == "page" and step.state == "failed")
    found: list[str] = []
    if searches:
        found.append(searches[0].verb if len(searches) == 1 else say("steps.searched_web_times", count=len(searches)))
    if read:
        found.append(read[0].verb if len(read) == 1 else say("steps.read_pages", count=len(read)))
    if missed:
        found.append(say("steps.missed_pages", count=missed))
    return found


def links_of(part: parts.Part) -> list[PageLink]:
    """Pages that a call of `search` or `fetch` found or read; empty for other calls."""
    output = part.get("output")
    if parts.tool_name(part) not in _TOOLS or not isinstance(output, dict) or parts.is_open_call(part):
        return []
    results = output.get("results")
    pages = results if isinstance(results, list) else [output]
    return [_link(page) for page in pages if isinstance(page, dict) and host_of(str(page.get("url") or ""))]


def _link(page: dict[str, Any]) -> PageLink:
    url = str(page["url"])
    return PageLink(str(page.get("n") or ""), str(page.get("title") or url), url, host_of(url))


def host_of(url: str) -> str:
    """The host of a web address; empty for other values."""
    try:
        split = urlsplit(url)
    except ValueError:
        return ""
    return (split.hostname or "") if split.scheme in {"http", "https"} else ""


def _count(count: int, output: dict[str, Any]) -> str:
    text = say("steps.results", count=count) if count else say("steps.nothing_found")
    return say("steps.in_sandbox", found=text) if output.get("provider") == "sandbox" else text
