"""Plain requests about the files of the chat: to write, add, replace, delete or list, and what one of them says."""

import re
from collections.abc import Sequence

from sandbox.model import answers, markdown, questions
from sandbox.model.conversation import Call, Conversation, Exchange, JsonObject, Step
from sandbox.model.questions import Question
from sandbox.model.sources import File, Found, Reading

LIST, READ, WRITE, EDIT, DELETE, GREP = "list_files", "read_file", "write_file", "edit_file", "delete_file", "grep"
TOOLS = frozenset({LIST, READ, WRITE, EDIT, DELETE, GREP})
"""The tools for the files of the chat, whose results are none of the Drive's."""

_PATH = r"(?P<path>\w[\w./()-]*\.\w{1,8})"
_FILE = rf"(?:(?:the|a|an|new|this chat's)\s+)*(?:file\s+)?[“\"'`]?{_PATH}"
_POLITE = r"\A\W*(?:(?:please|can you|could you|now)\s+)*"
_END = r"[”\"'`.!?\s]*\Z"
_CREATES = re.compile(
    rf"{_POLITE}(?:create|make|write)\s+{_FILE}[”\"'`]?\s*(?::|with|containing|that says)\s*"
    r"(?:the (?:text|content|words?)\b:?\s*)?(?P<text>.+)\Z",
    re.IGNORECASE | re.DOTALL,
)
_WRITES = re.compile(
    rf"{_POLITE}(?:write|save|put|note|store)(?: down)?\s+(?P<text>.+?)\s+(?:in|into|to|as)\s+{_FILE}{_END}",
    re.IGNORECASE | re.DOTALL,
)
_ADDS = re.compile(
    rf"{_POLITE}(?:add|append)\s+(?P<text>.+?)\s+(?:to|at the end of)\s+{_FILE}{_END}", re.IGNORECASE | re.DOTALL
)
_REPLACES = re.compile(
    rf"{_POLITE}(?:replace|change)\s+(?P<old>.+?)\s+(?:with|by|to|into)\s+(?P<new>.+?)\s+in\s+{_FILE}{_END}",
    re.IGNORECASE | re.DOTALL,
)
_DELETES = re.compile(rf"{_POLITE}(?:delete|remove)\s+{_FILE}{_END}", re.IGNORECASE)
_LISTS = re.compile(
    r"\b(?:what|which|list|show)\b.{0,40}\bfiles?\b.{0,40}\bchat\b|\bfiles? (?:of|in) (?:this|the) chat\b"
    r"|\bwhat (?:did|have) (?:i|we) upload",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"[“\"'`](?P<quoted>[^”\"'`\n]{1,200}\.\w{1,8})[”\"'`]|(?<![\w/:])(?P<bare>\w[\w./()-]*\.(?:md|markdown|txt|csv|tsv"
    r"|pdf|docx|xlsx|pptx))\b",
    re.IGNORECASE,
)
_OF_THE_CHAT = re.compile(r"\b(?:file|upload(?:ed|s)?|attached|chat|datei|hochgeladen\w*)\b", re.IGNORECASE)
_SPECIAL_IN_GLOBS = re.compile(r"[*?\[\]{},]")
_AROUND_LINES, _READ_AROUND = 5, 40


def step(conversation: Conversation, question: Question) -> Step | None:
    """What is done about a request that concerns the chat's files; None of all others."""
    if not TOOLS & conversation.tools.keys() or question.links:
        return None
    now = [each for each in conversation.now if each.call.name in TOOLS]
    for pattern, do in (
        (_REPLACES, _replace),
        (_ADDS, _add),
        (_CREATES, _write),
        (_WRITES, _write),
        (_DELETES, _delete),
    ):
        match = pattern.search(question.text)
        if match is not None:
            return do(match, now)
    if _LISTS.search(question.text):
        return _told_list(now[-1]) if now else Step("I'll look at the files of this chat. ", (Call("", LIST, {}),))
    return _asked(conversation, question, now)


def without(exchanges: Sequence[Exchange]) -> list[Exchange]:
    """The tool calls that concern the Drive."""
    return [each for each in exchanges if each.call.name not in TOOLS]


def _write(match: re.Match[str], now: list[Exchange]) -> Step:
    if now:
        return _done(now[-1])
    text = _unquoted(match["text"])
    return Step(f"I'll write it into {match['path']}. ", (_call(WRITE, match, content=f"{text}\n"),))


def _replace(match: re.Match[str], now: list[Exchange]) -> Step:
    if now:
        return _done(now[-1])
    old, new = _unquoted(match["old"]), _unquoted(match["new"])
    return Step(f"I'll change {match['path']}. ", (_call(EDIT, match, old=old, new=new),))


def _delete(match: re.Match[str], now: list[Exchange]) -> Step:
    return _done(now[-1]) if now else Step(f"I'll delete {match['path']}. ", (_call(DELETE, match),))


def _add(match: re.Match[str], now: list[Exchange]) -> Step:
    """Looks at the last lines first: what is added stands behind them, as an item where they are items."""
    if not now:
        return Step(f"I'll look at {match['path']}. ", (_call(READ, match, first_line=-3),))
    last = now[-1]
    if last.call.name != READ:
        return _done(last)
    text = _unquoted(match["text"])
    end = str(last.output.get("text", "")) if last.output else ""
    if not end.strip():
        return Step("It is not there yet, so I begin it. ", (_call(WRITE, match, content=f"{text}\n"),))
    mark = re.match(r"\s*[-*+] (?:\[ \] )?", end.splitlines()[-1])
    return Step(
        "I'll add it at the end. ", (_call(EDIT, match, old=end, new=f"{end}\n{mark[0] if mark else ''}{text}"),)
    )


def _asked(conversation: Conversation, question: Question, now: list[Exchange]) -> Step | None:
    """A question about a file that it names: the chat's own is read, any other is left to the Drive."""
    named = _NAMED.search(question.text)
    if named is None or not {LIST, READ} <= conversation.tools.keys():
        return None
    name = named["quoted"] or named["bare"]
    if not now:
        known = {str(each.call.arguments.get("path")) for each in conversation.before if each.call.name in TOOLS}
        meant = bool(_OF_THE_CHAT.search(question.text)) or name in known
        return Step(f"I'll look for {name} in this chat. ", (Call("", LIST, {}),)) if meant else None
    path = _path_of(name, now[0])
    return None if path is None else _read(path, questions.read(question.text.replace(named[0], " ")), now)


def _read(path: str, rest: Question, now: list[Exchange]) -> Step:
    failed = next((each for each in now[1:] if each.error), None)
    if failed is not None:
        return _done(failed)
    readings = [_reading(each.output) for each in now if each.call.name == READ and each.output]
    if not readings:
        return Step(f"I'll read {path}. ", (Call("", READ, {"path": path}),))
    return _look_further(path, rest, now) or Step(answers.answer(rest, rest.topics, Found(), readings))


def _look_further(path: str, rest: Question, now: list[Exchange]) -> Step | None:
    """A long file is searched for the words of the question, and read around the best line."""
    first = next(each for each in now if each.call.name == READ and each.output)
    whole = first.output is not None and first.output.get("whole") is not False
    if whole or not rest.topics or rest.summary:
        return None
    found = next((each for each in now if each.call.name == GREP), None)
    if found is None:
        pattern = "|".join(re.escape(topic.text) for topic in rest.topics)
        files = {} if _SPECIAL_IN_GLOBS.search(path) else {"files": path}
        arguments = {"pattern": pattern, "ignore_case": True, **files}
        return Step(f"It is long; I'll look for the words in {path}. ", (Call("", GREP, arguments),))
    hits: list[JsonObject] = [hit for hit in (found.output or {}).get("hits", []) if hit.get("path") == path]
    if not hits or now[-1].call.name == READ:
        return None
    best = max(hits, key=lambda hit: sum(topic.text.casefold() in hit["text"].casefold() for topic in rest.topics))
    arguments = {"path": path, "first_line": max(1, int(best["line"]) - _AROUND_LINES), "lines": _READ_AROUND}
    return Step("I'll read what stands there. ", (Call("", READ, arguments),))


def _path_of(name: str, listed: Exchange) -> str | None:
    """The path of the chat's file that is called so."""
    files = (listed.output or {}).get("files")
    paths = [str(file.get("path")) for file in files] if isinstance(files, list) else []
    wanted = name.casefold()
    exact = [path for path in paths if path.casefold() == wanted]
    return next(iter(exact + [path for path in paths if path.casefold().rpartition("/")[2] == wanted]), None)


def _reading(output: JsonObject) -> Reading:
    path, part = str(output.get("path", "")), str(output.get("part", ""))
    notes = output.get("notes")
    kind = str(output.get("kind") or path.rpartition(".")[2])
    return Reading(
        file=File(path, path, "", kind),
        part=part if output.get("whole") is False else "",
        content=str(output.get("text", "")),
        complete=output.get("whole") is not False,
        outline=(),
        note=" ".join(map(str, notes)) if isinstance(notes, list) else "",
    )


def _done(exchange: Exchange) -> Step:
    path = markdown.quoted(str(exchange.call.arguments.get("path", "the file")))
    output = exchange.output
    if output is None:
        return _answer(f"That did not work: {markdown.quoted(exchange.error or '')}")
    done = str(output.get("done", "changed"))
    return _answer(f"I have {'written' if done == 'created' else done} {path} (version {output.get('version')}).")


def _told_list(exchange: Exchange) -> Step:
    files = (exchange.output or {}).get("files")
    if not isinstance(files, list):
        return _done(exchange)
    if not files:
        return _answer("This chat has no files yet.")
    lines = [
        f"- {markdown.quoted(str(file.get('path')))} — {file.get('kind', 'file')}, {file.get('size_bytes', 0):,} bytes"
        for file in files
    ]
    return _answer(f"This chat has {len(lines)} file{'s' * (len(lines) != 1)}:\n\n" + "\n".join(lines))


def _answer(text: str) -> Step:
    return Step(f"{text}\n\n{answers.CLOSING}")


def _call(name: str, match: re.Match[str], **arguments: object) -> Call:
    return Call("", name, {"path": match["path"], **arguments})


def _unquoted(text: str) -> str:
    text = text.strip()
    for opening, closing in ("“”", '""', "''", "``"):
        if len(text) > 1 and text.startswith(opening) and text.endswith(closing):
            return text[1:-1]
    return text
