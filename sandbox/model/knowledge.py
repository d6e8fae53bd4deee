"""Questions to an agent of a site that has sources: search in them, and quote what is found."""

from typing import Any

from sandbox.model import answers, questions
from sandbox.model.conversation import Call, Conversation, Step
from sandbox.model.questions import Question
from sandbox.model.tool_results import File, Found, Reading

SEARCH = "search_knowledge"


def step(conversation: Conversation, question: Question) -> Step | None:
    """The next step; None if the agent has no sources, or the question has no words to look for."""
    query = questions.query(question.subject)
    if SEARCH not in conversation.tools or not query:
        return None
    searches = [one for one in conversation.now if one.call.name == SEARCH]
    if not searches:
        return Step(f"I'll look for “{query}”. ", (Call("", SEARCH, {"query": query}),))
    found = (searches[-1].output or {}).get("passages")
    passages = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    return Step(answers.answer(question, Found(), [*map(_reading, passages)]))


def _reading(passage: dict[str, Any]) -> Reading:
    file = File(str(passage.get("document")), str(passage.get("source")), "")
    return Reading(file, str(passage.get("part", "")), str(passage.get("content", "")))
