"""What was looked at for an answer, from its tool calls and not from what the model says. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from leaf import parts

Cause = Literal["export_cap", "too_large", "no_text", "no_access", "type", "damaged", "other"]

_CAUSES: tuple[tuple[Cause, tuple[str, ...]], ...] = (
    ("no_text", ("no text layer", "no text:", "pictures only")),
    ("export_cap", ("that google exports",)),
    ("too_large", ("reads files up to", "too large", "reads up to", "unpacks to", "longer than", "too much")),
    ("no_access", ("cannot find", "switched off downloading", "no permission", "administrator", "not allowed leaf",
                   "does not let leaf", "encrypted", "password", "does not hand out its", "leads nowhere")),
    ("damaged", ("damaged", "malware")),
    ("type", ("of this kind", "of the type", "binary file", "does not read", "leaf reads text", "as text", "picture",
              "archive")),
)  # fmt: skip
"""What the reasons that tools give say."""


def coverage_of(message_parts: Sequence[parts.Part]) -> dict[str, Any] | None:
    """The receipt of an answer; None where no tool looked anywhere.

    Args:
        message_parts: The parts of the message, calls in any state.

    Returns:
        `searches` and `folders` (each with `files`, how many, and `partial`), `found` (distinct files), `read`,
        `skipped` (with `reason` and `cause`), `failed` (calls that gave nothing), `web` (`searches`, `pages`),
        `chat_files`, `chat_searches`, and `partial`: how many listings and searches were incomplete.
    """
    receipt = _Receipt()
    for part in message_parts:
        if parts.is_tool(part) and not parts.is_open_call(part):
            receipt.take(part)
    return receipt.data()


class _Receipt:
    def __init__(self) -> None:
        self._searches: list[dict[str, Any]] = []
        self._folders: list[dict[str, Any]] = []
        self._found: set[str] = set()
        self._read: dict[str, dict[str, Any]] = {}
        self._skipped: dict[str, dict[str, Any]] = {}
        self._failed: list[dict[str, Any]] = []
        self._web_searches: list[dict[str, Any]] = []
        self._pages: dict[str, dict[str, Any]] = {}
        self._chat_files: dict[str, dict[str, Any]] = {}
        self._chat_searches: list[dict[str, Any]] = []
        self._taking = {
            "search_drive": self._search, "list_drive_folder": self._folder, "read_drive_file": self._reading,
            "search": self._web_search, "fetch": self._page, "read_file": self._chat_file, "grep": self._grep,
        }  # fmt: skip

    def take(self, part: parts.Part) -> None:
        tool = parts.tool_name(part)
        taking = self._taking.get(tool)
        if taking is None:
            return
        given, output = _object(part.get("input")), part.get("output")
        if part["state"] != "output-available" or not isinstance(output, dict):
            reason = str(part.get("errorText") or "It did not work.")
            self._failed.append({"tool": tool, "about": _about(given), "reason": reason})
            return
        skipped = output.get("skipped")
        if isinstance(skipped, dict):
            self._skip(skipped, given)
        else:
            taking(given, output)

    def data(self) -> dict[str, Any] | None:
        read = {key: one for key, one in self._read.items() if one["parts"]}
        receipt: dict[str, Any] = {
            "searches": self._searches,
            "folders": self._folders,
            "found": len(self._found),
            "read": [*read.values()],
            "skipped": [one for key, one in self._skipped.items() if key not in read],
            "failed": self._failed,
            "partial": sum(one["partial"] for one in (*self._searches, *self._folders)),
            "web": {"searches": self._web_searches, "pages": [*self._pages.values()]},
            "chat_files": [*self._chat_files.values()],
            "chat_searches": self._chat_searches,
        }
        looked = any(receipt[key] for key in receipt if key != "web") or any(receipt["web"].values())
        return receipt if looked else None

    def _search(self, given: Mapping[str, Any], output: Mapping[str, Any]) -> None:
        files = self._listed(output)
        within = {"in_folder": given["in_folder"]} if given.get("in_folder") else {}
        query = str(output.get("query") or given.get("query") or "")
        entry = {"query": query, "files": len(files), "partial": output.get("partial") is True}
        self._searches.append(entry | within)

    def _folder(self, _given: Mapping[str, Any], output: Mapping[str, Any]) -> None:
        folder, files = _object(output.get("folder")), self._listed(output)
        total = output.get("total")
        self._folders.append({
            "id": folder.get("id"), "name": folder.get("name"), "url": folder.get("url"),
            "files": total if isinstance(total, int) else len(files), "partial": output.get("partial") is True,
        })  # fmt: skip

    def _listed(self, output: Mapping[str, Any]) -> list[dict[str, Any]]:
        files = output.get("files")
        found = [one for one in files if isinstance(one, dict)] if isinstance(files, list) else []
        self._found |= {str(one.get("id")) for one in found if one.get("kind") != "folder"}
        return found

    def _reading(self, given: Mapping[str, Any], output: Mapping[str, Any]) -> None:
        file = _object(output.get("file"))
        if not file:
            return
        entry = self._read.setdefault(
            str(file.get("id")),
            {"id": file.get("id"), "name": file.get("name"), "url": file.get("url"), "parts": [], "complete": False},
        )
        looked_for = output.get("find") or given.get("find")
        part = f"passages with “{looked_for}”" if looked_for else str(output.get("part") or "all")
        if part not in entry["parts"]:
            entry["parts"].append(part)
        entry["complete"] = entry["complete"] or output.get("complete") is True

    def _skip(self, skipped: Mapping[str, Any], given: Mapping[str, Any]) -> None:
        reason = str(skipped.get("reason") or "")
        key = str(skipped.get("id") or _about(given))
        entry = {"id": skipped.get("id"), "name": skipped.get("name"), "url": skipped.get("url")}
        self._skipped[key] = {**entry, "reason": reason, "cause": cause_of(reason)}

    def _web_search(self, given: Mapping[str, Any], output: Mapping[str, Any]) -> None:
        results = output.get("results")
        count = len(results) if isinstance(results, list) else 0
        self._web_searches.append({"query": str(output.get("query") or given.get("query") or ""), "pages": count})

    def _page(self, _given: Mapping[str, Any], output: Mapping[str, Any]) -> None:
        url = str(output.get("url") or "")
        whole = output.get("truncated") is not True
        self._pages[url] = {"url": url, "title": str(output.get("title") or url), "complete": whole}

    def _chat_file(self, given: Mapping[str, Any], output: Mapping[str, Any]) -> None:
        path = str(output.get("path") or given.get("path") or "")
        whole = output.get("whole") is True
        known = self._chat_files.setdefault(path, {"path": path, "complete": False})
        known["complete"] = known["complete"] or whole

    def _grep(self, given: Mapping[str, Any], output: Mapping[str, Any]) -> None:
        hits = output.get("hits")
        count = len(hits) if isinstance(hits, list) else 0
        entry = {"pattern": str(given.get("pattern") or ""), "lines": count, "partial": output.get("partial") is True}
        self._chat_searches.append(entry)


def cause_of(reason: str) -> Cause:
    """What kind of reason it is that a tool gave for leaving a file out."""
    said = reason.casefold()
    for cause, phrases in _CAUSES:
        if any(phrase in said for phrase in phrases):
            return cause
    return "other"


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _about(given: Mapping[str, Any]) -> str:
    """What a call was about, in its own words."""
    names: Iterable[str] = ("query", "folder", "file", "url", "path", "pattern")
    return next((str(given[name])[:200] for name in names if given.get(name)), "")
