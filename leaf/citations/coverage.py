"""The receipt of an answer, made from its tool calls and not from the model's words. It lists searches, reads and
skips. Pure.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from leaf import parts
from leaf.citations.chat_receipt import ChatReceipt
from leaf.citations.comparisons import earlier_part
from leaf.google.diagnosis import ROWS, Cause
from leaf.parts.objects import object_of, objects_in
from leaf.texts.places import passages_with

COVERAGE = "data-coverage"
_GAPS = re.compile(
    r"(?:Pages? [\d, –-]+ (?:(?:has|have) no text layer|(?:is|are) without readable text)|Only [\w ]+ could be exported"
    r"|\d+ of \d+ (?:pages|pictures) were read|(?<=Left out: )the lower lines of)[^.]*\."
)
"""Matches notes about unreadable parts of a file."""
_NUMBERS = ("files", "read", "skipped", "vectors")
"""The fields of a search result with the progress of the index."""
_LOOKED_AT = ("searches", "folders", "read", "looked_into", "chat_files", "chat_listings", "chat_searches")
"""The fields of a receipt that list the sources of an answer, except the web."""
_CAUSES: Mapping[str, Sequence[str]] = {
    "no_text": ("no_text_word", "no_text_slides", "no_text_scan", "no_text_picture", "empty_pdf", "empty_workbook"),
    "too_large": (
        "too_large", "megabytes", "long_pdf", "unpacks", "tags", "slow", "slow_scan", "large_picture", "too_complex",
    ),
    "no_access": (
        "no_revisions", "revision_gone", "forbidden_code", "encrypted_office", "encrypted_pdf", "shortcut",
        "shortcut_nowhere", "shortcut_target",
    ),
    "damaged": (
        "wrong_kind", "damaged_word", "damaged_slides", "damaged_workbook", "damaged_pdf", "damaged_page",
        "damaged_picture", "damaged_mail",
    ),
    "type": (
        "kind", "binary", "no_export", "form", "image", "video", "audio", "archive", "old_format", "type",
        "type_unknown", "picture_format",
    ),
}  # fmt: skip
"""Causes for which a file is skipped, with the texts of the area `refusals` that state them."""
_OF_DRIVE: Mapping[str, Sequence[Cause]] = {
    "export_cap": (Cause.EXPORT_TOO_LARGE,),
    "no_access": (
        Cause.DOMAIN_POLICY, Cause.NOT_AUTHORISED, Cause.NO_PERMISSION, Cause.NO_DOWNLOAD, Cause.ABUSIVE,
        Cause.ABUSE_ACKNOWLEDGED, Cause.NOT_A_MEMBER, Cause.NOT_FOUND, Cause.RESOURCE_KEY, Cause.SHORTCUT_TARGET,
        Cause.CLIENT_ENCRYPTED,
    ),
    "type": (Cause.NOT_EXPORTABLE, Cause.GOOGLE_FORMAT),
}  # fmt: skip
"""The causes for which Drive refuses a file, by the `cause` of the receipt."""
_OLD_TEXTS: Mapping[str, str] = {
    "refusals.not_found": "no_access", "refusals.owner_download": "no_access", "refusals.forbidden": "no_access",
    "refusals.export": "export_cap", "refusals.no_download": "no_access", "refusals.abusive": "no_access",
    "refusals.domain": "no_access", "refusals.no_permission": "no_access", "refusals.not_authorised": "no_access",
    "refusals.no_content": "type", "refusals.this": "other", "refusals.silent": "other", "refusals.rate": "other",
    "refusals.fails": "other", "refusals.api_off": "other", "refusals.quota": "other",
}  # fmt: skip
"""The `cause` of the receipt for texts that only messages from earlier versions contain."""
_CAUSE_OF_TEXT = {
    **_OLD_TEXTS,
    **{f"refusals.{name}": cause for cause, names in _CAUSES.items() for name in names},
    **{ROWS[one].key: cause for cause, names in _OF_DRIVE.items() for one in names},
}


def coverage_of(message_parts: Sequence[parts.Part]) -> dict[str, Any] | None:
    """The receipt of an answer; None if no tool looked anywhere.

    Args:
        message_parts: The parts of the message, with calls in any state.

    Returns:
        A dict with these keys:

        - `searches` and `folders`: each with the number of `files` and `subfolders` found, whether that number is
          `at_least`, the number `shown`, and `partial`. `drives_missed` is set if Google has not searched every drive.
          A search has `unanswered`, the number of files that Google did not confirm, if there are any.
        - `found`: the number of distinct known files. `more` is true if there are files that were not shown.
        - `read`; `looked_into`: files that were searched without a hit and not read.
        - `skipped`: with `kind`, `reason` and `cause`. `failed`: calls without a result.
        - `web` (`searches`, `pages`), `chat_files`, `chat_listings`, `chat_searches`.
        - `index`: the numbers of the search that covered the most files (`files`, `read`, `skipped`, `vectors`),
          whether the index is `complete`, and whether a search `asked_google` as well. Missing if no search used the
          index.
        - `scope`: the part of the Drive to which the chat is limited. Missing if the chat is not limited.
        - `partial`: the number of incomplete listings and searches.
    """
    receipt = _Receipt()
    for part in message_parts:
        if parts.is_tool(part) and not parts.is_open_call(part) and not parts.was_stopped(part):
            receipt.take(part)
    return receipt.data()


def is_whole(receipt: Mapping[str, Any]) -> bool:
    """Whether an answer has searched Drive, and nothing there failed, was skipped or was missed."""
    searches = receipt.get("searches") or ()
    return bool(
        (searches or receipt.get("folders"))
        and not receipt.get("skipped")
        and not any(one["tool"] in parts.DRIVE_TOOLS for one in receipt.get("failed") or ())
        and not any(one.get("unanswered") for one in searches)
        and not misses_drives(receipt)
    )


def has_only_failed(receipt: Mapping[str, Any] | None) -> bool:
    """Whether at least one call of an answer failed, and no call found a source."""
    if not receipt or not receipt.get("failed"):
        return False
    web = receipt.get("web") or {}
    return not any(receipt.get(name) for name in _LOOKED_AT) and not any(web.values())


def misses_drives(receipt: Mapping[str, Any]) -> bool:
    """Whether Google has not searched every drive for an answer."""
    return any(one.get("drives_missed") for name in ("searches", "folders") for one in receipt.get(name) or ())


class _Receipt:
    def __init__(self) -> None:
        self._searches: list[dict[str, Any]] = []
        self._folders: dict[str, dict[str, Any]] = {}
        self._known: set[str] = set()
        self._read: dict[str, dict[str, Any]] = {}
        self._opened: set[str] = set()
        """The ids of files that were opened. Of other files, only a search has returned passages."""
        self._skipped: dict[str, dict[str, Any]] = {}
        self._failed: list[dict[str, Any]] = []
        self._web_searches: list[dict[str, Any]] = []
        self._pages: dict[str, dict[str, Any]] = {}
        self._chat = ChatReceipt()
        self._index: dict[str, Any] | None = None
        self._scope: dict[str, Any] | None = None
        self._recorders = {
            "search_files": self._search_files, "search_drive": self._search, "list_drive_folder": self._folder,
            "read_drive_file": self._read_file, "compute": self._computation,
            "compare_files": self._comparison,
            "search": self._web_search, "fetch": self._page, "read_file": self._chat.read,
            "list_files": self._chat.listing, "grep": self._chat.search,
        }  # fmt: skip

    def take(self, part: parts.Part) -> None:
        tool = parts.tool_name(part)
        record = self._recorders.get(tool)
        if record is None:
            return
        arguments, output = object_of(part.get("input")), part.get("output")
        message = {"message": found} if (found := parts.message_of(part)) else {}
        if parts.is_of_empty_drive(message.get("message")):
            output = {}
        elif part["state"] != "output-available" or not isinstance(output, dict):
            reason = str(part.get("errorText") or "It did not work.")
            subject = str(arguments.get("name") or "")[:200] if tool == "compute" else _subject(arguments)
            self._failed.append({"tool": tool, "about": subject, "reason": reason, **message})
            return
        skipped = output.get("skipped")
        if isinstance(skipped, dict):
            self._skip(tool, skipped | message, arguments)
        else:
            record(arguments, {**output, "left_out": _left_out(part)} if output.get("left_out") else output)

    def data(self) -> dict[str, Any] | None:
        read, skipped = self._read_and_skipped()
        folders = [*self._folders.values()]
        known = self._known | {key for key, one in self._skipped.items() if one["kind"] == "file"}
        most = max((one["files"] for one in folders), default=0)
        listings = (*self._searches, *folders, *self._chat.listings, *self._chat.searches)
        receipt: dict[str, Any] = {
            "searches": self._searches,
            "folders": folders,
            "found": max(len(known), most),
            "more": any(one["partial"] for one in (*self._searches, *folders)),
            "read": read,
            "looked_into": [
                {"id": one["id"], "name": one["name"], "url": one["url"], "words": one["missed"]}
                for one in self._read.values()
                if not one["parts"]
            ],
            "skipped": skipped,
            "failed": self._failed,
            "partial": sum(one["partial"] for one in listings),
            "web": {"searches": self._web_searches, "pages": [*self._pages.values()]},
            "chat_files": self._chat.files(),
            "chat_listings": self._chat.listings,
            "chat_searches": self._chat.searches,
        }
        if self._index is not None:
            receipt["index"] = self._index
        if self._scope is not None:
            receipt["scope"] = self._scope
        looked = any(receipt[key] for key in receipt if key != "web") or any(receipt["web"].values())
        return receipt if looked else None

    def _read_and_skipped(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """The files that were read, and the files and folders that were skipped. No file is in both lists.

        A file that was refused counts as read if it was also opened, but not if only the index had passages of it. A
        folder that was listed once was not skipped.
        """
        read = {
            key: one
            for key, one in self._read.items()
            if one["parts"] and (key in self._opened or key not in self._skipped)
        }
        skipped = [one for key, one in self._skipped.items() if key not in read and key not in self._folders]
        return [*read.values()], skipped

    def _search(self, arguments: Mapping[str, Any], output: Mapping[str, Any]) -> None:
        within = {"in_folder": arguments["in_folder"]} if arguments.get("in_folder") else {}
        query = str(output.get("query") or arguments.get("query") or "")
        # Files that Google has not confirmed were left out.
        left = {"unanswered": count} if isinstance(count := output.get("unanswered"), int) and count > 0 else {}
        self._searches.append({"query": query} | within | self._counts(output) | left)

    def _search_files(self, arguments: Mapping[str, Any], output: Mapping[str, Any]) -> None:
        """Records a search in the index. A file counts as read in part if the search returned passages of it."""
        queries = output.get("queries") or arguments.get("queries") or []
        query = " · ".join(map(str, queries)) if isinstance(queries, list) else str(queries)
        self._search(
            {"in_folder": arguments.get("folder")}, {**output, "query": query or str(arguments.get("name") or "")}
        )
        files = {str(one.get("id")): one for one in objects_in(output.get("files"))}
        for one in objects_in(output.get("passages")):
            file = files.get(str(one.get("file_id")))
            if file is not None:
                _add(self._entry(file.get("id"), file)["parts"], passages_with(query))
        self._scope = object_of(output.get("within")) or self._scope
        index = object_of(output.get("index"))
        if index:
            numbers = {name: index[name] for name in _NUMBERS if isinstance(index.get(name), int)}
            before = self._index or {}
            asked = output.get("asked_google") is True or bool(before.get("asked_google"))
            latest = {**numbers, "complete": index.get("complete") is True}
            # A later search may have covered only some of the files.
            widest = latest if numbers.get("files", 0) >= before.get("files", 0) else before
            self._index = {**widest, "asked_google": asked}

    def _folder(self, _arguments: Mapping[str, Any], output: Mapping[str, Any]) -> None:
        folder = object_of(output.get("folder"))
        named = {"id": folder.get("id"), "name": folder.get("name"), "url": folder.get("url")}
        # A folder that is listed twice is still one folder.
        self._folders[str(folder.get("id"))] = named | self._counts(output)

    def _counts(self, output: Mapping[str, Any]) -> dict[str, Any]:
        """The number of files and folders of a listing, including those it does not show."""
        listed = objects_in(output.get("files"))
        self._known |= {str(one.get("id")) for one in listed if one.get("kind") != "folder"}
        total, below = output.get("total"), output.get("total_folders")
        subfolders = below if isinstance(below, int) else sum(one.get("kind") == "folder" for one in listed)
        files = max(total if isinstance(total, int) else 0, len(listed)) - subfolders
        # Older messages do not record this; assume incomplete coverage.
        at_least = output.get("total_at_least", output.get("partial")) is True
        return {
            "files": files, "subfolders": subfolders, "shown": len(listed), "at_least": at_least,
            "partial": output.get("partial") is True,
        } | ({"drives_missed": True} if output.get("drives_missed") is True else {})  # fmt: skip

    def _open(self, file_id: Any, file: Mapping[str, Any]) -> dict[str, Any]:
        """Records a Drive file that was opened, and returns its entry."""
        self._known.add(str(file_id))
        self._opened.add(str(file_id))
        return self._entry(file_id, file)

    def _entry(self, file_id: Any, file: Mapping[str, Any]) -> dict[str, Any]:
        """The entry of a Drive file of which some text was returned."""
        about = {"id": file_id, "name": file.get("name"), "url": file.get("url")}
        return self._read.setdefault(str(file_id), {**about, "parts": [], "complete": False, "missed": [], "gaps": []})

    def _read_file(self, arguments: Mapping[str, Any], output: Mapping[str, Any]) -> None:
        file = object_of(output.get("file"))
        if not file:
            return
        entry = self._open(file.get("id"), file)
        looked_for = output.get("find") or arguments.get("find")
        if looked_for and output.get("matches") == 0:
            _add(entry["missed"], str(looked_for))
            return
        _add(entry["parts"], passages_with(str(looked_for)) if looked_for else str(output.get("part") or "all"))
        for gap in _GAPS.findall(str(output.get("note") or "")):
            _add(entry["gaps"], gap)
        entry["complete"] = (entry["complete"] or output.get("complete") is True) and not entry["gaps"]

    def _computation(self, _arguments: Mapping[str, Any], output: Mapping[str, Any]) -> None:
        """Records the files with the tables of a computation. Their other texts count as unread."""
        used = {str(one.get("file_id")): str(one.get("part") or "") for one in objects_in(output.get("tables"))}
        for file in objects_in(output.get("files")):
            _add(self._open(file.get("id"), file)["parts"], used.get(str(file.get("id"))) or "all")

    def _comparison(self, arguments: Mapping[str, Any], output: Mapping[str, Any]) -> None:
        """Records the files that were compared, with the compared parts, and the files that could not be compared."""
        for column in objects_in(output.get("compared")):
            if column.get("path"):
                self._chat.compared(column)
                continue
            entry = self._open(column.get("file_id"), column)
            version = str(column.get("version") or "")
            _add(entry["parts"], earlier_part(version, "") if version else "compared")
            whole = not version and column.get("characters") == column.get("total_characters")
            entry["complete"] = entry["complete"] or (whole and not entry["gaps"])
        for one in objects_in(output.get("left_out")):
            self._skip("compare_files", one, arguments)

    def _skip(self, tool: str, skipped: Mapping[str, Any], arguments: Mapping[str, Any]) -> None:
        key = str(skipped.get("id") or skipped.get("path") or _subject(arguments))
        message = {"message": skipped["message"]} if skipped.get("message") else {}
        cause = _CAUSE_OF_TEXT.get(str(object_of(skipped.get("message")).get("key")), "other")
        entry = {"id": skipped.get("id"), "name": skipped.get("name"), "url": skipped.get("url")}
        kind = "file" if tool in {"read_drive_file", "compute", "compare_files"} else "folder"
        self._skipped[key] = {
            **entry, "kind": kind, "reason": str(skipped.get("reason") or ""), "cause": cause, **message,
        }  # fmt: skip

    def _web_search(self, arguments: Mapping[str, Any], output: Mapping[str, Any]) -> None:
        count = len(objects_in(output.get("results")))
        self._web_searches.append({"query": str(output.get("query") or arguments.get("query") or ""), "pages": count})

    def _page(self, _arguments: Mapping[str, Any], output: Mapping[str, Any]) -> None:
        url = str(output.get("url") or "")
        known = self._pages.setdefault(url, {"url": url, "title": "", "complete": False})
        known["title"] = str(output.get("title") or known["title"] or url)
        known["complete"] = known["complete"] or output.get("truncated") is not True


def _left_out(part: parts.Part) -> list[dict[str, Any]]:
    """The files that a comparison could not read, each with the key of its reason."""
    found = objects_in(object_of(part.get("output")).get("left_out"))
    keys = [parts.message_of_entry(part, at) for at in range(len(found))]
    return [{**one, **({"message": key} if key else {})} for one, key in zip(found, keys, strict=True)]


def _add(values: list[str], value: str) -> None:
    if value not in values:
        values.append(value)


def _subject(arguments: Mapping[str, Any]) -> str:
    """The subject of a call, as written in its arguments."""
    names: Iterable[str] = ("query", "folder", "file", "url", "path", "pattern")
    if queries := arguments.get("queries"):
        return (" · ".join(map(str, queries)) if isinstance(queries, list) else str(queries))[:200]
    return next((str(arguments[name])[:200] for name in names if arguments.get(name)), "")
