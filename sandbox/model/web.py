"""Questions that plainly ask for the web: search, read the best page, quote it with its number."""

import re
from dataclasses import replace
from typing import Any

from sandbox import ranking
from sandbox.model import answers, markdown, passages, questions
from sandbox.model.conversation import Call, Conversation, Exchange, Step
from sandbox.model.questions import Question
from sandbox.model.tool_results import File, Reading

SEARCH, FETCH = "search", "fetch"

_ASKED = re.compile(
    r"\b(?:search|look|find|check|see|google)\b[^.?!]*\b(?:web|internet|online)\b|\b(?:web|internet) search\b"
    r"|\b(?:on|in|from|over) the (?:web|internet)\b(?=\s*(?:[?.!,:;]|$|(?:for|about|what|how|when|who|and)\b))"
    r"|\bthe (?:web|internet)(?: \w+){0,2} (?:say|says|tell|tells|know|knows)\b|\bim (?:web|internet|netz)\b",
    re.IGNORECASE,
)


def is_asked(question: Question) -> bool:
    """Whether a question asks for the web, in so many words."""
    return bool(_ASKED.search(question.text)) and not question.links


def step(conversation: Conversation, question: Question) -> Step:
    """The next step: search, read the first result, answer."""
    query = questions.query(question.subject)
    if not query:
        return Step(answers.say(question.language, "ask_for_more"))
    now = {each.call.name: each for each in conversation.now}
    if SEARCH not in now:
        return Step(f"I'll search the web for “{query}”. ", (Call("", SEARCH, {"query": query}),))
    found = (now[SEARCH].output or {}).get("results")
    results = [one for one in found if isinstance(one, dict) and one.get("url")] if isinstance(found, list) else []
    if results and FETCH not in now and FETCH in conversation.tools:
        title = markdown.quoted(str(results[0].get("title") or "the first page"))
        return Step(f"I'll read {title}. ", (Call("", FETCH, {"url": str(results[0]["url"])}),))
    return Step(answers.closed("\n\n".join(_answer(question, now[SEARCH], results, now.get(FETCH))), question.language))


def _answer(question: Question, search: Exchange, results: list[dict[str, Any]], page: Exchange | None) -> list[str]:
    if search.output is None:
        return [f"I could not search the web: {markdown.quoted(markdown.shortened(search.error or '', 500))}"]
    note = search.output.get("note")
    # The end of a note is for the model, not for people.
    notes = [f"*{markdown.quoted(note.partition(' Say so ')[0])}*"] if isinstance(note, str) and note else []
    if not results:
        query = markdown.quoted(questions.query(question.subject))
        return [f"I searched the web for “{query}”, and nothing was found.", *notes]
    snippets = [_reading(result, result.get("snippet") or result.get("title")) for result in results]
    readings = [_reading(page.output, page.output.get("content"))] if page and page.output else snippets
    hits = [hit for hit in answers.ranked(question, readings) if hit.score >= ranking.WEAK][:1]
    if hits:
        quote = markdown.blockquote([one.text for one in passages.window(hits[0].reading.passages, hits[0].place)])
    else:
        quote = f"> {markdown.quoted(markdown.shortened(' '.join(readings[0].content.split()), 400))}"
    source = hits[0].file if hits else readings[0].file
    others = [_cited(one.file) for one in snippets if one.file.id != source.id][:4]
    failure = markdown.quoted(markdown.shortened(page.error or "", 500)) if page and page.output is None else ""
    return [
        f"{quote}\n\n— {_cited(source)}",
        *([f"I could not read the page: {failure}"] if failure else []),
        *([f"Further results: {' · '.join(others)}"] if others else []),
        *notes,
    ]


def _reading(result: dict[str, Any], text: object) -> Reading:
    file = File(str(result.get("n") or ""), str(result.get("title") or result.get("url")), str(result.get("url") or ""))
    return Reading(file, "all", str(text or ""))


def _cited(file: File) -> str:
    return f"{markdown.quoted(file.name)} {markdown.link(replace(file, name=file.id or 'page'))}"
