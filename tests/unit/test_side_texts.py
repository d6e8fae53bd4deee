"""Titles and related questions, which a model writes in addition to an answer."""

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ThinkingPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from leaf.agent import side_texts
from sandbox.providers import side_texts as stand_in

ANSWER = (
    "Hail needs wind [1](https://a.example/hail), says one.[[2]](https://b.example) It costs much.[^1]\n\n"
    "[^1]: “it costs much” — [The plan](https://c.example)"
)


async def test_related_questions_do_not_use_citation_numbers_as_names() -> None:
    """# 002-14"""
    sent: list[str] = []

    async def replied(messages: list[ModelMessage], _info: AgentInfo):
        request = messages[-1]
        assert isinstance(request, ModelRequest)
        sent.extend(str(part.content) for part in request.parts if isinstance(part, UserPromptPart))
        yield "\n".join(stand_in.related(sent[0]))

    async for found, _ in side_texts.related(FunctionModel(stream_function=replied), "Why?", ANSWER):
        questions = found
    assert "needs wind, says one. It costs much.\n" in sent[0]
    assert questions[0] == "What else does “The plan” say?"
    assert not any("“1”" in one or "“2”" in one for one in questions)


def test_related_questions_of_the_sandbox_are_about_names() -> None:
    related = stand_in.related(f"Answer:\n{ANSWER}")
    assert related[0] == "What else does “The plan” say?"
    assert "“1”" not in " ".join(related)


async def test_people_without_files_get_no_questions_about_files() -> None:
    """Guests, and members whose Drive is not connected. # 002-27"""

    async def replied(messages: list[ModelMessage], info: AgentInfo):
        yield stand_in.written(str(info.instructions), "Question:\nWhy?\n\nAnswer:\nSo.") or ""

    async def asked(*, has_files: bool) -> str:
        model = FunctionModel(stream_function=replied)
        return "\n".join([one async for one, _ in side_texts.related(model, "Why?", "So.", has_files=has_files)][-1])

    assert "Drive" in await asked(has_files=True)
    assert not {"Drive", "files"} & {*(await asked(has_files=False)).split()}


THOUGHT_TOKENS = 500
"""The number of thinking tokens that this model uses before its first word."""


def _words(info: AgentInfo, text: str) -> str:
    """The text, or an empty string if thinking and text exceed `max_tokens`."""
    most = (info.model_settings or {}).get("max_tokens", 0)
    return text if most >= THOUGHT_TOKENS + len(text) // 4 else ""


async def test_a_model_that_always_thinks_writes_a_title_and_questions() -> None:
    """Thinking counts towards `max_tokens`, so the limit leaves room for it and is still bounded. # 002-26, 002-27"""
    most: list[int] = []

    def titled(_messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        most.append((info.model_settings or {}).get("max_tokens", 0))
        text = _words(info, "The cold store")
        return ModelResponse(parts=[ThinkingPart("…"), *([TextPart(text)] if text else [])])

    async def asked(_messages: list[ModelMessage], info: AgentInfo):
        most.append((info.model_settings or {}).get("max_tokens", 0))
        yield _words(info, "What does it cost?\nWho signed?\n")

    title, _ = await side_texts.title(FunctionModel(titled), "Where is the cold store?")
    assert title == "The cold store"
    found = [
        one async for one, _ in side_texts.related(FunctionModel(stream_function=asked), "Where is it?", "In Leeds.")
    ]
    assert found[-1] == ["What does it cost?", "Who signed?"]
    assert max(most) < 2_000


async def test_reading_stops_after_three_questions() -> None:
    """Some models write until they reach their limit. # 002-27"""
    sent: list[int] = []

    async def endless(_messages: list[ModelMessage], _info: AgentInfo):
        for number in range(100):
            sent.append(number)
            yield f"Who pays for part {number}?\n"

    model = FunctionModel(stream_function=endless)
    found = [one async for one, _ in side_texts.related(model, "Why?", "So.")]
    assert found[-1] == [f"Who pays for part {number}?" for number in range(3)]
    assert len(sent) < 10
