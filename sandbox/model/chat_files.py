"""Answers to questions that name a file of the chat, or ask which files the chat has."""

import re
from typing import Any

from sandbox.model import answers, markdown, questions
from sandbox.model.conversation import Call, Conversation, Exchange, Step
from sandbox.model.questions import Question
from sandbox.model.tool_results import File, Found, Reading

LIST, READ = "list_files", "read_file"

_LISTS = re.compile(r"\bfiles? (?:of|in|are in) (?:this|the) chat\b|\bwhat (?:did|have) (?:i|we) upload", re.IGNORECASE)
_NAMED = re.compile(r"(?<![\w/:])[“\"'`]?(?P<name>\w[\w./()-]*\.\w{2,8})\b[”\"'`]?", re.IGNORECASE)
_OF_THE_CHAT = re.compile(r"\b(?:file|upload(?:ed|s)?|attached|chat|datei|hochgeladen\w*)\b", re.IGNORECASE)


def step(conversation: Conversation, question: Question) -> Step | None:
    """The next step for a question about the chat's files; None for other questions."""
    named = _NAMED.search(question.text)
    lists = bool(_LISTS.search(question.text))
    if not conversation.tools.keys() >= {LIST, READ} or question.links or not (lists or named):
        return None
    now = {each.call.name: each for each in conversation.now}
    known = {str(each.call.arguments.get("path")) for each in conversation.before if each.call.name == READ}
    if LIST not in now:
        meant = lists or _OF_THE_CHAT.search(question.text) or (named and named["name"] in known)
        return Step("I'll look at the files of this chat. ", (Call("", LIST, {}),)) if meant else None
    files = (now[LIST].output or {}).get("files")
    if not isinstance(files, list):
        return Step(_failed(now[LIST]))
    return Step(_list_text(files)) if lists or named is None else _read(question, named, files, now.get(READ))


def _read(question: Question, named: re.Match[str], files: list[Any], read: Exchange | None) -> Step | None:
    """Reads the named file and answers from it; None if the chat has no such file: the Drive may have it."""
    paths = [str(file.get("path")) for file in files]
    path = next((path for path in paths if path.casefold().endswith(named["name"].casefold())), None)
    if path is None:
        return None
    if read is None:
        return Step(f"I'll read {path}. ", (Call("", READ, {"path": path}),))
    output = read.output
    if output is None:
        return Step(_failed(read))
    file = File(path, path, "", str(output.get("kind") or path.rpartition(".")[2]))
    reading = Reading(file, str(output.get("part", "")), str(output.get("text", "")))
    return Step(answers.answer(questions.read(question.text.replace(named[0], " ")), Found(), [reading]))


def _failed(exchange: Exchange) -> str:
    return answers.closed(f"That did not work: {markdown.quoted(exchange.error or '')}")


def _list_text(files: list[Any]) -> str:
    lines = [
        f"- {markdown.quoted(str(file.get('path')))} — {file.get('kind', 'file')}, {file.get('size_bytes', 0):,} bytes"
        for file in files
    ]
    counted = f"This chat has {len(lines)} file{'s' * (len(lines) != 1)}:\n\n" + "\n".join(lines)
    return answers.closed(counted if lines else "This chat has no files yet.")
