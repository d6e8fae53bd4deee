"""Converts the messages of a ChatGPT conversation into parts of Leaf's format. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from leaf.parts.objects import object_of, objects_in

_HIDDEN: Final = frozenset({"user_editable_context", "model_editable_context", "reasoning_recap"})
_TEXTS: Final = frozenset({"text", "multimodal_text"})
_MARK: Final = re.compile(r"\ue200[^\ue200\ue201]*\ue201|【\d+(?::\d+)?†[^】]{0,200}】|[\ue200-\ue2ff]", re.DOTALL)
"""Citation marks: private-use characters, and the older form in brackets."""
_MOST_CITED: Final = 500
_LANGUAGE: Final = re.compile(r"[\w+#.-]{1,30}")


def side_of(message: Any) -> str | None:
    """`user` or `assistant` for a message that Leaf shows; None for any other message."""
    if not isinstance(message, dict) or is_hidden(message):
        return None
    role = _role(message)
    if role not in {"user", "assistant", "tool"} or not isinstance(message.get("content"), dict):
        return None
    side = "user" if role == "user" else "assistant"
    return side if made([message])["parts"] else None


def is_hidden(message: Any) -> bool:
    """Whether a message was never shown in ChatGPT: instructions, context, and messages without text."""
    if not isinstance(message, dict):
        return False
    content, metadata = object_of(message.get("content")), object_of(message.get("metadata"))
    if _role(message) == "system" or _kind(content) in _HIDDEN:
        return True
    if metadata.get("is_visually_hidden_from_conversation") is True:
        return True
    return _kind(content) in _TEXTS and not _text_of(content).strip()


def made(messages: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Combines the messages of one question or answer into `parts`, `citations` and `model`."""
    body = _Body()
    for message in messages:
        body.take(message)
    return {"parts": body.parts, "citations": body.citations, "model": body.model}


class _Body:
    def __init__(self) -> None:
        self.parts: list[dict[str, Any]] = []
        self.citations: list[dict[str, Any]] = []
        self.model = ""
        self._open: dict[str, Any] | None = None
        """A call that has no result yet."""

    def take(self, message: Mapping[str, Any]) -> None:
        content, metadata = message["content"], object_of(message.get("metadata"))
        slug = metadata.get("model_slug")
        if isinstance(slug, str) and re.fullmatch(r"[\w.:-]{1,100}", slug):
            self.model = f"chatgpt:{slug}"
        kind, recipient = _kind(content), message.get("recipient")
        if _role(message) == "tool":
            self._result(message, _text_of(content))
        elif kind == "thoughts":
            self._add("reasoning", "\n\n".join(_thoughts(content)))
        elif isinstance(recipient, str) and recipient not in {"", "all"}:
            self._call(recipient, _text_of(content))
        elif kind == "code":
            self._add("text", fenced(_text_of(content), content.get("language")))
        elif text := _text_of(content):
            self._say(text, metadata)

    def _add(self, kind: str, text: str) -> None:
        if text.strip():
            self.parts.append({"type": kind, "text": text})

    def _call(self, name: str, text: str) -> None:
        self._open = {"type": "tool", "name": name[:200], "state": "done", "input": {"text": text}, "output": None}
        self.parts.append(self._open)

    def _result(self, message: Mapping[str, Any], text: str) -> None:
        name = message.get("author", {}).get("name")
        name = name[:200] if isinstance(name, str) and name else "tool"
        if self._open is not None and self._open["name"].partition(".")[0] == name.partition(".")[0]:
            self._open["output"], self._open = {"text": text}, None
        elif text.strip():
            self.parts.append({"type": "tool", "name": name, "state": "done", "input": {}, "output": {"text": text}})

    def _say(self, text: str, metadata: Mapping[str, Any]) -> None:
        sources = _sources(metadata)
        slot, pieces, end, length = len(self.parts), list[str](), 0, 0
        for mark in _MARK.finditer(text):
            before = text[end : mark.start()]
            pieces.append(before)
            length, end = length + len(before), mark.end()
            for name, url, quote in sources.get(mark.group(), ())[: _MOST_CITED - len(self.citations)]:
                number = len(self.citations) + 1
                sign = f"[^{number}]"
                at = [(slot, length, length + len(sign))]
                cited = {"n": number, "verified": False, "kind": "web", "name": name, "url": url, "quote": quote}
                self.citations.append(cited | {"at": at})
                pieces.append(sign)
                length += len(sign)
        self._add("text", "".join([*pieces, text[end:]]))


def _sources(metadata: Mapping[str, Any]) -> dict[str, list[tuple[str, str, str]]]:
    """Name, address and quoted words of the citations, by the mark that stands for them in the text."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    for one in objects_in(metadata.get("content_references")):
        if not isinstance(one.get("matched_text"), str):
            continue
        items = one.get("items")
        named = [_source_fields(item) for item in (items if isinstance(items, list) and items else [one])]
        found.setdefault(one["matched_text"], []).extend(item for item in named if item is not None)
    for one in objects_in(metadata.get("citations")):
        inner = object_of(one.get("metadata"))
        mark, named = object_of(inner.get("extra")).get("cited_message_idx"), _source_fields(inner)
        if named is not None and isinstance(mark, int):
            found.setdefault(f"【{mark}†source】", []).append(named)
    return found


def _source_fields(item: Any) -> tuple[str, str, str] | None:
    fields = object_of(item)
    url, title, words = fields.get("url"), fields.get("title"), fields.get("snippet") or fields.get("text")
    url = url if isinstance(url, str) and url.startswith(("https://", "http://")) and len(url) <= 2000 else ""
    name = title[:500] if isinstance(title, str) else ""
    if not url and not name:
        return None
    return name or url, url, words[:600] if isinstance(words, str) else ""


def _text_of(content: Mapping[str, Any]) -> str:
    kind, parts = _kind(content), content.get("parts")
    if isinstance(parts, list):
        return "\n\n".join(text for one in parts if (text := _piece(one)))
    text = content.get("text")
    if kind == "tether_quote":
        named = _source_fields(content)
        body = text if isinstance(text, str) else ""
        return f"{named[0]}\n{named[1]}\n\n{body}".strip() if named else body
    for one in (text, content.get("result"), content.get("content"), content.get("summary")):
        if isinstance(one, str) and one:
            return one
    return ""


def _piece(part: Any) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return ""
    if isinstance(part.get("text"), str):
        return part["text"]
    kind = _kind(part)
    # The picture itself is a separate file of the export.
    named = {"image": "[Image]", "audio": "[Audio]", "video": "[Video]", "real": "[Audio]"}
    return next((label for begin, label in named.items() if kind.startswith(begin)), "[File]")


def _thoughts(content: Mapping[str, Any]) -> Iterator[str]:
    for one in objects_in(content.get("thoughts")):
        paragraphs = [one.get("summary"), one.get("content")]
        yield "\n\n".join(text for text in paragraphs if isinstance(text, str) and text)


def fenced(text: str, language: Any) -> str:
    """Code in a fence that is longer than any run of backticks in it; empty if the code is blank."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    label = language if isinstance(language, str) and _LANGUAGE.fullmatch(language) and language != "unknown" else ""
    return f"{fence}{label}\n{text}\n{fence}" if text.strip() else ""


def _kind(content: Mapping[str, Any]) -> str:
    kind = content.get("content_type")
    return kind if isinstance(kind, str) else ""


def _role(message: Mapping[str, Any]) -> str:
    role = object_of(message.get("author")).get("role")
    return role if isinstance(role, str) else ""
