"""Questions that plainly ask for the web: search, read the best page, quote it with its number.

Like `brain`, it decides from the conversation alone.
"""

import re
from dataclasses import replace
from typing import Any

from sandbox.model import answers, markdown, passages, questions, ranking
from sandbox.model.conversation import Call, Conversation, Exchange, Step
from sandbox.model.questions import Question, Topic
from sandbox.model.sources import File, Reading

SEARCH, FETCH = "search", "fetch"

_ASKED = re.compile(
    r"\b(?:search|look|find|check|see|google)\b[^.?!]*\b(?:web|internet|online)\b"
    r"|\b(?:on|in|from|over) the (?:web|internet)\b(?=\s*(?:[?.!,:;]|$|(?:for|about|what|how|when|who|and)\b))"
    r"|\b(?:web|internet) search\b|\bsearch online\b"
    r"|\bthe (?:web|internet)(?: \w+){0,2} (?:say|says|tell|tells|know|knows)\b"
    r"|\bim (?:web|internet|netz)\b|\bwebsuche\b",
    re.IGNORECASE,
)
_ITSELF = {"web", "internet", "online", "netz", "search", "websuche", "google"}
"""Words that say where to look, not for what."""


def is_asked(question: Question) -> bool:
    """Whether a question asks for the web, in so many words."""
    return bool(_ASKED.search(question.text)) and not question.links


def step(conversation: Conversation, question: Question) -> Step:
    """The next step: search, read the first result, answer."""
    topics = tuple(topic for topic in question.topics if topic.text.casefold() not in _ITSELF)
    query = questions.query_of(topics)
    if not query:
        return Step(answers.ASK_FOR_MORE)
    searches = [one for one in conversation.now if one.call.name == SEARCH]
    if not searches:
        return Step(f"I'll search the web for “{query}”. ", (Call("", SEARCH, {"query": query}),))
    results = _results(searches[-1])
    fetched = [one for one in conversation.now if one.call.name == FETCH]
    if results and not fetched and FETCH in conversation.tools:
        first = results[0]
        title = markdown.quoted(str(first.get("title") or "the first page"))
        return Step(f"I'll read {title}. ", (Call("", FETCH, {"url": str(first["url"])}),))
    return Step("\n\n".join([*_answer(question, topics, query, searches[-1], fetched), answers.CLOSING]))


def _results(search: Exchange) -> list[dict[str, Any]]:
    found = (search.output or {}).get("results")
    return [one for one in found if isinstance(one, dict) and one.get("url")] if isinstance(found, list) else []


def _answer(
    question: Question, topics: tuple[Topic, ...], query: str, search: Exchange, fetched: list[Exchange]
) -> list[str]:
    if search.output is None:
        return [f"I could not search the web: {markdown.quoted(markdown.shortened(search.error or '', 500))}"]
    results = _results(search)
    note = search.output.get("note")
    notes = [f"*{markdown.quoted(_for_people(note))}*"] if isinstance(note, str) and note else []
    if not results:
        return [f"I searched the web for “{markdown.quoted(query)}”, and nothing was found.", *notes]
    pages = [_page(one.output) for one in fetched if one.output is not None]
    failures = [one.error or "" for one in fetched if one.output is None]
    readings = pages or [_snippet(result) for result in results]
    hits = ranking.choose(ranking.rank(topics, question.wanted, readings))
    quoted = [_quotation(hit) for hit in hits[:2]] or [_beginning(readings[0])]
    told = [f"I could not read the page: {markdown.quoted(markdown.shortened(one, 500))}" for one in failures]
    shown = {hit.file.id for hit in hits[:2]} or {readings[0].file.id}
    others = [_source(result) for result in results if str(result.get("n")) not in shown][:4]
    further = [f"Further results: {' · '.join(others)}"] if others else []
    return [*quoted, *told, *further, *notes]


def _for_people(note: str) -> str:
    """A note without what it tells the model to do."""
    return note.partition(" Say so ")[0]


def _page(output: dict[str, Any]) -> Reading:
    return _reading(output, str(output.get("content") or ""), complete=output.get("truncated") is not True)


def _snippet(result: dict[str, Any]) -> Reading:
    return _reading(result, str(result.get("snippet") or result.get("title") or ""), complete=False)


def _reading(told: dict[str, Any], text: str, *, complete: bool) -> Reading:
    file = File(str(told.get("n") or ""), str(told.get("title") or told.get("url")), str(told.get("url") or ""))
    return Reading(file, "all", text, complete, (), "")


def _quotation(hit: ranking.Hit) -> str:
    around = passages.window(hit.reading.passages, hit.place)
    return f"{markdown.blockquote(passages.lines(hit.reading.passages, around))}\n\n— {_cited(hit.file)}"


def _beginning(reading: Reading) -> str:
    text = markdown.shortened(" ".join(reading.content.split()), 400)
    return f"> {markdown.quoted(text)}\n\n— {_cited(reading.file)}"


def _cited(file: File) -> str:
    return f"{markdown.quoted(file.name)} {markdown.link(replace(file, name=file.id or 'page'))}"


def _source(result: dict[str, Any]) -> str:
    return _cited(_snippet(result).file)
