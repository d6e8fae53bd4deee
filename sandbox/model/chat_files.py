"""Questions about a file of the chat that they name, and what files the chat has."""

import re

from sandbox.model import answers, markdown, questions
from sandbox.model.conversation import Call, Conversation, Exchange, Step
from sandbox.model.questions import Question
from sandbox.model.tool_results import File, Found, Reading

LIST, READ = "list_files", "read_file"
TOOLS = frozenset({LIST, READ})

_LISTS = re.compile(r"\bfiles? (?:of|in|are in) (?:this|the) chat\b|\bwhat (?:did|have) (?:i|we) upload", re.IGNORECASE)
_NAMED = re.compile(r"(?<![\w/:])[“\"'`]?(?P<name>\w[\w./()-]*\.\w{2,8})\b[”\"'`]?", re.IGNORECASE)
_OF_THE_CHAT = re.compile(r"\b(?:file|upload(?:ed|s)?|attached|chat|datei|hochgeladen\w*)\b", re.IGNORECASE)


def step(conversation: Conversation, question: Question) -> Step | None:
    """The next step of a question that concerns the chat's files; None of all others."""
    if not conversation.tools.keys() >= TOOLS or question.links:
        return None
    now = [each for each in conversation.now if each.call.name in TOOLS]
    if _LISTS.search(question.text):
        return (
            Step(_list_text(now[-1])) if now else Step("I'll look at the files of this chat. ", (Call("", LIST, {}),))
        )
    named = _NAMED.search(question.text)
    if named is None:
        return None
    if now:
        return _answer(question, named, now)
    known = {str(each.call.arguments.get("path")) for each in conversation.before if each.call.name in TOOLS}
    meant = _OF_THE_CHAT.search(question.text) or named["name"] in known
    return Step(f"I'll look for {named['name']} in this chat. ", (Call("", LIST, {}),)) if meant else None


def _answer(question: Question, named: re.Match[str], now: list[Exchange]) -> Step | None:
    """Reads the file and answers from it; None where it is none of the chat's, but may be one of the Drive."""
    files = (now[0].output or {}).get("files")
    paths = [str(file.get("path")) for file in files] if isinstance(files, list) else []
    path = next((path for path in paths if path.casefold().endswith(named["name"].casefold())), None)
    if path is None:
        return None
    read = [each for each in now if each.call.name == READ]
    if not read:
        return Step(f"I'll read {path}. ", (Call("", READ, {"path": path}),))
    output = read[-1].output
    if output is None:
        return Step(answers.closed(f"That did not work: {markdown.quoted(read[-1].error or '')}"))
    file = File(path, path, "", str(output.get("kind") or path.rpartition(".")[2]))
    reading = Reading(file, str(output.get("part", "")), str(output.get("text", "")))
    return Step(answers.answer(questions.read(question.text.replace(named[0], " ")), Found(), [reading]))


def _list_text(exchange: Exchange) -> str:
    files = (exchange.output or {}).get("files")
    if not isinstance(files, list):
        return answers.closed(f"That did not work: {markdown.quoted(exchange.error or '')}")
    lines = [
        f"- {markdown.quoted(str(file.get('path')))} — {file.get('kind', 'file')}, {file.get('size_bytes', 0):,} bytes"
        for file in files
    ]
    if not lines:
        return answers.closed("This chat has no files yet.")
    return answers.closed(f"This chat has {len(lines)} file{'s' * (len(lines) != 1)}:\n\n" + "\n".join(lines))
