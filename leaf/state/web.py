"""What the agent did on the web, in words and links. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urlsplit

from leaf import parts

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
    """A call of `search` or `fetch`: its icon, its line, what came of it, and the phrase for a group's sentence.

    Args:
        tool: Which of the two.
        given: Its input.
        output: What it has given, preliminary or not.
        running: Whether it is still at it.
    """
    if tool == "search":
        query = str(output.get("query") or given.get("query") or "").strip()
        about = f" for “{query}”" if query else ""
        text = f"Searching the web{about}…" if running else f"Searched the web{about}"
        results = output.get("results")
        note = "" if running or not isinstance(results, list) else _count(len(results), output)
        return "web", text, note, f"searched the web{about}"
    url = str(output.get("url") or given.get("url") or "")
    host = host_of(url)
    name = str(output.get("title") or "") or host or "a page"
    note = ", ".join(one for one in (host if name != host else "", "in part" if output.get("truncated") else "") if one)
    if running:
        return "page", f"Reading {host or 'a page'}…", "", f"read {host or 'a page'}"
    return "page", f"Read {name}", note, f"read {name}"


def phrases(steps: Sequence[Told]) -> list[str]:
    """What a group's sentence says of the web."""
    searches = [step for step in steps if step.icon == "web"]
    read = [step for step in steps if step.icon == "page" and step.state == "done"]
    missed = sum(1 for step in steps if step.icon == "page" and step.state == "failed")
    found: list[str] = []
    if searches:
        found.append(searches[0].verb if len(searches) == 1 else f"searched the web {len(searches)} times")
    if read:
        found.append(read[0].verb if len(read) == 1 else f"read {len(read)} pages")
    if missed:
        found.append(f"could not read {missed} page{'s' if missed > 1 else ''}")
    return found


def links_of(part: parts.Part) -> list[PageLink]:
    """The pages that a call of `search` or `fetch` has found or read; none of other calls."""
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
    """The host of a web address; empty where it is none."""
    try:
        split = urlsplit(url)
    except ValueError:
        return ""
    return (split.hostname or "") if split.scheme in {"http", "https"} else ""


def _count(count: int, output: dict[str, Any]) -> str:
    text = "nothing found" if not count else f"{count} result{'' if count == 1 else 's'}"
    return f"{text} in the sandbox's web" if output.get("provider") == "sandbox" else text
