"""Questions that are not answered from the Drive, but from the web, a site's sources or the files of the chat."""

import re
from dataclasses import replace
from typing import Any

from sandbox import ranking
from sandbox.conversation import Call, Conversation, Exchange, JsonObject, Step
from sandbox.model import answers, questions, words
from sandbox.model.markdown import blockquote, link, quoted, shortened
from sandbox.model.questions import Question
from sandbox.model.tool_results import File, Found, Reading

WEB, FETCH = "search", "fetch"
KNOWLEDGE = "search_knowledge"
LIST, READ = "list_files", "read_file"
_NAMED = re.compile(r"(?<![\w/:])[“\"'`]?(?P<name>\w[\w./()-]*\.\w{2,8})\b[”\"'`]?", re.IGNORECASE)


def knowledge(conversation: Conversation, question: Question) -> Step | None:
    """The next step with the sources of a site's agent; None without such a tool or without words to search for."""
    query = questions.query(question.subject)
    if KNOWLEDGE not in conversation.tools or not query:
        return None
    searches = [one for one in conversation.now if one.call.name == KNOWLEDGE]
    if not searches:
        return Step(f"I'll look for “{query}”. ", (Call("", KNOWLEDGE, {"query": query}),))
    found = _objects(searches[-1].output, "passages")
    readings = [_reading(File(str(one.get("document")), str(one.get("source")), ""), one, "content") for one in found]
    return answers.answer(question, Found(), readings)


def chat_files(conversation: Conversation, question: Question) -> Step | None:
    """The next step for a question that names a file of the chat, or asks which there are; None for other questions,
    and for a file that the chat does not have: the Drive may have it.
    """
    named, lists = _NAMED.search(question.text), bool(words.find("lists_of_chat", question.text))
    if not conversation.tools.keys() >= {LIST, READ} or question.links or not (lists or named):
        return None
    now = {each.call.name: each for each in conversation.now}
    if LIST not in now:
        known = {str(each.call.arguments.get("path")) for each in conversation.before if each.call.name == READ}
        meant = lists or words.find("of_the_chat", question.text) or (named and named["name"] in known)
        return Step("I'll look at the files of this chat. ", (Call("", LIST, {}),)) if meant else None
    if now[LIST].output is None:
        return _failed(question, now[LIST])
    files = _objects(now[LIST].output, "files")
    return _listed(files) if lists or named is None else _named_file(question, named, files, now.get(READ))


def _listed(files: list[JsonObject]) -> Step:
    lines = [
        f"- {quoted(str(one.get('path')))} — {one.get('kind', 'file')}, {one.get('size_bytes', 0):,} bytes"
        for one in files
    ]
    if not lines:
        return answers.final("en", "This chat has no files yet.")
    return answers.final("en", f"This chat has {len(lines)} file{'s' * (len(lines) != 1)}:", "\n".join(lines))


def _named_file(
    question: Question, named: re.Match[str], files: list[JsonObject], read: Exchange | None
) -> Step | None:
    paths = [str(one.get("path")) for one in files]
    path = next((path for path in paths if path.casefold().endswith(named["name"].casefold())), None)
    if path is None:
        return None
    if read is None:
        return Step(f"I'll read {path}. ", (Call("", READ, {"path": path}),))
    if read.output is None:
        return _failed(question, read)
    file = File(path, path, "", str(read.output.get("kind") or path.rpartition(".")[2]))
    rest = questions.read(question.text.replace(named[0], " "))
    return answers.answer(rest, Found(), [_reading(file, read.output, "text")])


def _failed(question: Question, exchange: Exchange) -> Step:
    language = question.language
    return answers.final(language, answers.say(language, "failed", reason=quoted(exchange.error or "")))


def asks_for_web(question: Question) -> bool:
    """Whether a question explicitly asks for the web."""
    return bool(words.find("asks_for_web", question.text)) and not question.links


def web(conversation: Conversation, question: Question) -> Step:
    """The next step on the web: search, then read the first page, then quote it with its number."""
    query = questions.query(question.subject)
    if not query:
        return Step(answers.say(question.language, "ask_for_more"))
    now = {each.call.name: each for each in conversation.now}
    if WEB not in now:
        return Step(f"I'll search the web for “{query}”. ", (Call("", WEB, {"query": query}),))
    results = [one for one in _objects(now[WEB].output, "results") if one.get("url")]
    if results and FETCH not in now and FETCH in conversation.tools:
        title = quoted(str(results[0].get("title") or "the first page"))
        return Step(f"I'll read {title}. ", (Call("", FETCH, {"url": str(results[0]["url"])}),))
    return answers.final(question.language, *_quotes(question, now[WEB], results, now.get(FETCH)))


def _quotes(question: Question, search: Exchange, results: list[JsonObject], page: Exchange | None) -> list[str]:
    if search.output is None:
        return [f"I could not search the web: {quoted(shortened(search.error or '', 500))}"]
    note = search.output.get("note")
    # The end of a note is for the model, not for people.
    notes = [f"*{quoted(note.partition(' Say so ')[0])}*"] if isinstance(note, str) and note else []
    if not results:
        return [f"I searched the web for “{quoted(questions.query(question.subject))}”, and nothing was found.", *notes]
    snippets = [_reading(_page(one), one, "snippet" if one.get("snippet") else "title") for one in results]
    readings = [_reading(_page(page.output), page.output, "content")] if page and page.output else snippets
    hits = [hit for hit in answers.ranked(question, readings) if hit.score >= ranking.WEAK][:1]
    text = shortened(" ".join(readings[0].content.split()), 400)
    quote = [hits[0].passage.text if hits else text]
    source = hits[0].file if hits else readings[0].file
    others = [_cited(one.file) for one in snippets if one.file.id != source.id][:4]
    failure = quoted(shortened(page.error or "", 500)) if page and page.output is None else ""
    return [
        f"{blockquote(quote)}\n\n— {_cited(source)}",
        *([f"I could not read the page: {failure}"] if failure else []),
        *([f"Further results: {' · '.join(others)}"] if others else []),
        *notes,
    ]


def _page(result: JsonObject) -> File:
    return File(str(result.get("n") or ""), str(result.get("title") or result.get("url")), str(result.get("url") or ""))


def _cited(file: File) -> str:
    return f"{quoted(file.name)} {link(replace(file, name=file.id or 'page'))}"


def _reading(file: File, output: JsonObject, text: str) -> Reading:
    return Reading(file, str(output.get("part") or "all"), str(output.get(text) or ""))


def _objects(output: JsonObject | None, key: str) -> list[dict[str, Any]]:
    found = (output or {}).get(key)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
