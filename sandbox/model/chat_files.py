"""Plain requests about the files of the chat: to write, add, replace, delete or list them, and questions about one."""

import re

from sandbox.model import answers, markdown, questions
from sandbox.model.conversation import Call, Conversation, Exchange, Step
from sandbox.model.questions import Question
from sandbox.model.tool_results import File, Found, Reading

LIST, READ, WRITE, EDIT, DELETE = "list_files", "read_file", "write_file", "edit_file", "delete_file"
TOOLS = frozenset({LIST, READ, WRITE, EDIT, DELETE})

_FILE = r"(?:(?:the|a|new)\s+)*(?:file\s+)?[“\"'`]?(?P<path>\w[\w./()-]*\.\w{1,8})"
_BEGIN, _END = r"\A\W*(?:please\s+)?", r"[”\"'`.!?\s]*\Z"
_REQUESTS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(rf"{_BEGIN}{pattern}", re.IGNORECASE | re.DOTALL))
    for name, pattern in (
        (EDIT, rf"(?:replace|change)\s+(?P<old>.+?)\s+(?:with|by|to|into)\s+(?P<text>.+?)\s+in\s+{_FILE}{_END}"),
        (READ, rf"(?:add|append)\s+(?P<text>.+?)\s+to\s+{_FILE}{_END}"),
        (WRITE, rf"(?:create|write)\s+{_FILE}[”\"'`]?\s*(?::|with)\s*(?:the (?:text|content):?\s*)?(?P<text>.+)\Z"),
        (WRITE, rf"(?:write|save|put)\s+(?P<text>.+?)\s+(?:in|into|to|as)\s+{_FILE}{_END}"),
        (DELETE, rf"(?:delete|remove)\s+{_FILE}{_END}"),
    )
)
_LISTS = re.compile(r"\bfiles? (?:of|in|are in) (?:this|the) chat\b|\bwhat (?:did|have) (?:i|we) upload", re.IGNORECASE)
_NAMED = re.compile(r"(?<![\w/:])[“\"'`]?(?P<name>\w[\w./()-]*\.\w{2,8})\b[”\"'`]?", re.IGNORECASE)
_OF_THE_CHAT = re.compile(r"\b(?:file|upload(?:ed|s)?|attached|chat|datei|hochgeladen\w*)\b", re.IGNORECASE)


def step(conversation: Conversation, question: Question) -> Step | None:
    """The next step of a request that concerns the chat's files; None of all others."""
    if not TOOLS & conversation.tools.keys() or question.links:
        return None
    now = [each for each in conversation.now if each.call.name in TOOLS]
    for tool, pattern in _REQUESTS:
        request = pattern.search(question.text)
        if request is not None:
            return _changed(tool, request, now)
    if _LISTS.search(question.text):
        return (
            Step(_list_text(now[-1])) if now else Step("I'll look at the files of this chat. ", (Call("", LIST, {}),))
        )
    named = _NAMED.search(question.text)
    if named is None or not {LIST, READ} <= conversation.tools.keys():
        return None
    return _answered(conversation, question, named, now)


def _changed(tool: str, request: re.Match[str], now: list[Exchange]) -> Step:
    """The call that changes a file, or what came of it. What is added stands behind the last lines, which are read."""
    path, text = request["path"], _unquoted(request.groupdict().get("text") or "")
    if not now:
        given = {
            EDIT: {"old": _unquoted(request.groupdict().get("old") or ""), "new": text},
            READ: {"first_line": -3},
            WRITE: {"content": f"{text}\n"},
        }
        verb = {EDIT: "change", READ: "look at", WRITE: "write", DELETE: "delete"}[tool]
        return Step(f"I'll {verb} {path}. ", (Call("", tool, {"path": path, **given.get(tool, {})}),))
    if now[-1].call.name != READ:
        return Step(_result_text(now[-1]))
    end = str((now[-1].output or {}).get("text", ""))
    if not end.strip():
        return Step("It is not there yet, so I begin it. ", (Call("", WRITE, {"path": path, "content": f"{text}\n"}),))
    mark = re.match(r"\s*[-*+] (?:\[ \] )?", end.splitlines()[-1])
    new = f"{end}\n{mark[0] if mark else ''}{text}"
    return Step("I'll add it at the end. ", (Call("", EDIT, {"path": path, "old": end, "new": new}),))


def _answered(conversation: Conversation, question: Question, named: re.Match[str], now: list[Exchange]) -> Step | None:
    """A question about a file that it names: the chat's own is read, any other is left to the Drive."""
    name = named["name"]
    if not now:
        known = {str(each.call.arguments.get("path")) for each in conversation.before if each.call.name in TOOLS}
        meant = bool(_OF_THE_CHAT.search(question.text)) or name in known
        return Step(f"I'll look for {name} in this chat. ", (Call("", LIST, {}),)) if meant else None
    files = (now[0].output or {}).get("files")
    paths = [str(file.get("path")) for file in files] if isinstance(files, list) else []
    path = next((path for path in paths if path.casefold().endswith(name.casefold())), None)
    if path is None:
        return None
    read = [each for each in now if each.call.name == READ]
    if not read:
        return Step(f"I'll read {path}. ", (Call("", READ, {"path": path}),))
    output = read[-1].output
    if output is None:
        return Step(_result_text(read[-1]))
    file = File(path, path, "", str(output.get("kind") or path.rpartition(".")[2]))
    reading = Reading(file, str(output.get("part", "")), str(output.get("text", "")), output.get("whole") is not False)
    rest = questions.read(question.text.replace(named[0], " "))
    return Step(answers.answer(rest, Found(), [reading]))


def _result_text(exchange: Exchange) -> str:
    path = markdown.quoted(str(exchange.call.arguments.get("path", "the file")))
    output = exchange.output
    if output is None:
        return answers.closed(f"That did not work: {markdown.quoted(exchange.error or '')}")
    done = str(output.get("done", "changed"))
    done = "written" if done == "created" else done
    return answers.closed(f"I have {done} {path} (version {output.get('version')}).")


def _list_text(exchange: Exchange) -> str:
    files = (exchange.output or {}).get("files")
    if not isinstance(files, list):
        return _result_text(exchange)
    lines = [
        f"- {markdown.quoted(str(file.get('path')))} — {file.get('kind', 'file')}, {file.get('size_bytes', 0):,} bytes"
        for file in files
    ]
    if not lines:
        return answers.closed("This chat has no files yet.")
    return answers.closed(f"This chat has {len(lines)} file{'s' * (len(lines) != 1)}:\n\n" + "\n".join(lines))


def _unquoted(text: str) -> str:
    text = text.strip()
    quoted = len(text) > 1 and text[0] + text[-1] in {"“”", '""', "''", "``"}
    return text[1:-1] if quoted else text
