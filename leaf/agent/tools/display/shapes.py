"""The inputs of the display tools, without the table (`table.py`). The model reads these docstrings."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from leaf.agent.tools.display.fields import Address, Line, Name, Text, domain_of
from leaf.agent.tools.strict import ToolInput

Place = tuple[str, str]
"""The place of an address in the input, and the address."""


class Shown(ToolInput):
    """Something to show."""

    def addresses(self) -> Iterable[Place]:
        """Returns the web addresses that the input links to."""
        return ()

    def output(self) -> dict[str, Any]:
        """Returns the JSON object that the page draws, without empty fields."""
        return self.model_dump(mode="json", exclude_none=True)


def unique(values: Sequence[str], what: str) -> None:
    """Checks that no value occurs twice.

    Raises:
        ValueError: A value occurs more than once.
    """
    twice = [value for value, count in Counter(values).items() if count > 1]
    if twice:
        raise ValueError(f"each {what} must be there once only; there several times: {', '.join(twice[:5])}")


class Step(ToolInput):
    """A step of a plan."""

    label: Line = Field(description="What is done, in a few words.")
    description: Text | None = Field(None, description="More about it, in a sentence or two.")
    status: Literal["pending", "in_progress", "completed"] = "pending"


class Plan(Shown):
    """Show the user a guide of several steps, as cards in their order. Use it for how to do something."""

    title: Line
    description: Text | None = Field(None, description="What the steps lead to.")
    steps: Annotated[list[Step], Field(min_length=1, max_length=30)]


class Citation(ToolInput):
    """A source."""

    title: Line
    url: Address = Field(description="Its address, exactly as a tool or the user gave it.")
    domain: Line | None = Field(None, description="Leave it out: it is taken from the address.")
    snippet: Text | None = Field(None, description="The words of the source that matter, quoted.")
    published: Line | None = Field(None, description="When it was published, as the source says it.")


class Citations(Shown):
    """Show the user a list of the sources that an answer rests on, with their titles and what they say."""

    title: Line | None = None
    items: Annotated[list[Citation], Field(min_length=1, max_length=50)]

    def addresses(self) -> Iterable[Place]:
        """Returns the addresses of the sources."""
        return [(f"items[{place}].url", item.url) for place, item in enumerate(self.items)]

    def output(self) -> dict[str, Any]:
        """Returns the output with the actual domain of each address."""
        shown = super().output()
        for item in shown["items"]:
            item["domain"] = domain_of(item["url"])
        return shown


class LinkPreview(Shown):
    """Show the user a card for one web page that is worth opening."""

    url: Address = Field(description="The page's address, exactly as a tool or the user gave it.")
    title: Line | None = Field(None, description="The page's title.")
    description: Text | None = Field(None, description="What one finds there, in a sentence or two.")
    domain: Line | None = Field(None, description="Leave it out: it is taken from the address.")

    def addresses(self) -> Iterable[Place]:
        """Returns the address of the page."""
        return [("url", self.url)]

    def output(self) -> dict[str, Any]:
        """Returns the output with the domain of its address. The domain is also the title if there is none."""
        domain = domain_of(self.url)
        return {"title": domain, **super().output(), "domain": domain}


class Option(ToolInput):
    """One of the options."""

    id: Name = Field(description="A short name of your own, different for each option.")
    label: Line = Field(
        description="What the user chooses. It is sent as the user's next message, so it must make sense as one."
    )
    description: Text | None = Field(None, description="More about it, in a sentence.")


class OptionList(Shown):
    """Show the user options to choose from. What they choose is sent as their next message: end your answer with it."""

    question: Line = Field(description="What is to be chosen.")
    options: Annotated[list[Option], Field(min_length=2, max_length=20)]
    multiple: bool = Field(default=False, description="Whether several may be chosen.")

    @field_validator("options")
    @classmethod
    def _are_different(cls, options: list[Option]) -> list[Option]:
        unique([option.id for option in options], "id")
        unique([option.label for option in options], "label")
        return options
