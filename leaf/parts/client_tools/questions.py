"""Questions that the agent asks during an answer, and valid replies to them."""

from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from leaf import errors, texts

TOOL = "askQuestion"
INPUT_CHARACTERS = 2000

Text = Annotated[str, Field(min_length=1, max_length=500)]


class Option(BaseModel):
    """A reply to choose."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    value: Annotated[str, Field(min_length=1, max_length=200)]
    """The key that stands for the option in the answer."""
    label: Annotated[str, Field(min_length=1, max_length=200)]
    """The label that the user sees."""
    description: Annotated[str, Field(max_length=300)] = ""


class Question(BaseModel):
    """A question with its options."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    question: Text
    options: Annotated[list[Option], Field(max_length=12)] = []
    allowsMultiple: bool = False  # noqa: N815 - the wire's own spelling
    """Whether several options may be chosen."""
    allowsInput: bool = True  # noqa: N815
    """Whether the user may write an answer, instead of an option or in addition."""
    inputLabel: Annotated[str, Field(max_length=100)] = ""  # noqa: N815
    inputPlaceholder: Annotated[str, Field(max_length=200)] = ""  # noqa: N815

    @model_validator(mode="after")
    def _check(self) -> Self:
        values = [option.value for option in self.options]
        if len(set(values)) < len(values):
            raise ValueError("two options have the same value")
        if not self.options and not self.allowsInput:
            raise ValueError("give options, or set allowsInput")
        return self


class Answer(BaseModel):
    """The user's answer."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    selectedOptions: Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=12)] = []  # noqa: N815
    """Values of the chosen options."""
    inputText: Annotated[str, Field(max_length=INPUT_CHARACTERS)] = ""  # noqa: N815
    skipped: bool = False
    """Whether the user wants the agent to continue without an answer."""


def answered(asked: Any, given: Any) -> dict[str, Any]:
    """Checks an answer to a question, and returns it in the form in which the agent receives it.

    Args:
        asked: The input of the call.
        given: `{"selectedOptions": […], "inputText": "…"}`, or `{"skipped": true}`.

    Raises:
        errors.Invalid: It does not match the question.
    """
    try:
        question = Question.model_validate(asked)
        answer = Answer.model_validate(given)
    except ValidationError:
        raise errors.Invalid(texts.english("errors.no_answer_to_question"), field="answer") from None
    if answer.skipped:
        return {"question": question.question, "skipped": True}
    if not answer.selectedOptions and not answer.inputText:
        raise errors.Invalid(texts.english("errors.choose_or_write"), field="answer")
    if not set(answer.selectedOptions) <= {option.value for option in question.options}:
        raise errors.Invalid(texts.english("errors.no_such_option"), field="answer")
    if len(answer.selectedOptions) > 1 and not question.allowsMultiple:
        raise errors.Invalid(texts.english("errors.one_option"), field="answer")
    if answer.inputText and not question.allowsInput:
        raise errors.Invalid(texts.english("errors.options_only"), field="answer")
    return {
        "question": question.question,
        "selectedOptions": list(dict.fromkeys(answer.selectedOptions)),
        "inputText": answer.inputText,
    }
