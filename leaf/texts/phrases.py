"""Texts with their parameters, in the language of a reader."""

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from decimal import Decimal
from typing import Any, Final, cast

from leaf.texts.catalogue import catalogue, filled, parameters
from leaf.texts.languages import DEFAULT

_SEPARATORS: Final = {"en": str.maketrans({}), "de": str.maketrans(",.", ".,")}

MONTHS: Final = (
    "dates.january",
    "dates.february",
    "dates.march",
    "dates.april",
    "dates.may",
    "dates.june",
    "dates.july",
    "dates.august",
    "dates.september",
    "dates.october",
    "dates.november",
    "dates.december",
)

_language: ContextVar[str] = ContextVar("language", default=DEFAULT)
_zone: ContextVar[tzinfo] = ContextVar("zone", default=UTC)


@dataclass(frozen=True)
class Day:
    """The day of a moment, as a parameter of a text. Which day it is depends on the reader's time zone."""

    moment: datetime


class Texts:
    """The texts of one language. An instance is called with a key: `texts.of("de")("chat.rename")`."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._texts = catalogue(language)

    def __call__(self, key: str, **parameters: Any) -> str:
        """A text with its parameters.

        Args:
            key: The key of the text.
            parameters: The values for the text. Numbers get the separators of the language. A datetime is written as
                a time of day and a `Day` as a day, in the time zone of the reader (`use`). `count` selects
                singular or plural.

        Raises:
            KeyError: No text has this key, or a text with forms has no `count`.
        """
        return self._filled(self._form(key, parameters), parameters)

    def opening(self, key: str, **parameters: Any) -> str:
        """The first sentence of a text. A full stop within a parameter does not end it."""
        first, stop, _ = self._form(key, parameters).partition(". ")
        return self._filled(first + stop.rstrip(), parameters)

    def _form(self, key: str, parameters: Mapping[str, Any]) -> str:
        text = self._texts[key]
        return text["one" if parameters["count"] == 1 else "other"] if isinstance(text, dict) else text

    def _filled(self, form: str, parameters: Mapping[str, Any]) -> str:
        return filled(form, {name: self._formatted(value) for name, value in parameters.items()})

    def _formatted(self, value: Any) -> str:
        if isinstance(value, Message):
            return translated(value, self)
        if isinstance(value, datetime):
            return _hour(value)
        if isinstance(value, Day):
            return self._day(value)
        if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
            return number(value, self.language)
        return str(value)

    def _day(self, of: Day) -> str:
        local = of.moment.astimezone(_zone.get())
        return self("dates.day_month", day=local.day, month=self(MONTHS[local.month - 1]))


def of(language: str) -> Texts:
    """The texts of a language."""
    return Texts(language)


def current() -> str:
    """The language of the event that is being handled; English outside of events."""
    return _language.get()


def use(language: str, zone: tzinfo = UTC) -> None:
    """Sets the language and time zone of all later texts of this task, and of the tasks that it starts."""
    _language.set(language)
    _zone.set(zone)


def say(key: str, **parameters: Any) -> str:
    """A text in the language of the event that is being handled (`Texts.__call__`)."""
    return of(current())(key, **parameters)


class Message(str):
    """An English text with its key and parameters, so that a page can translate it for its reader."""

    key: str
    parameters: dict[str, Any]
    __slots__ = ("key", "parameters")

    def as_data(self) -> dict[str, Any]:
        """The key and parameters as JSON data, for `of_data`."""
        return {"key": self.key, "parameters": {name: _packed(value) for name, value in self.parameters.items()}}


def english(key: str, **parameters: Any) -> Message:
    """A text in English, for programs, logs and routes. `translated` returns it in a reader's language."""
    message = Message(of(DEFAULT)(key, **parameters))
    message.key, message.parameters = key, parameters
    return message


def advised(text: str, advice: str) -> str:
    """A text followed by advice for a model. If `text` is a `Message`, its translation for people lacks the advice."""
    whole = f"{text} {advice}"
    return for_model(whole, text.key, **text.parameters) if isinstance(text, Message) else whole


def for_model(text: str, key: str, **parameters: Any) -> Message:
    """A text for a model that is replaced by another text where people read it.

    Args:
        text: The text for the model. A `Message` is returned unchanged, because it has a text for people already.
        key: The key of the text for people.
        parameters: Values for the text for people.
    """
    if isinstance(text, Message):
        return text
    message = Message(text)
    message.key, message.parameters = key, parameters
    return message


def _hour(moment: datetime) -> str:
    """A time of day in the reader's time zone, and in UTC if that differs."""
    local, utc = (f"{moment.astimezone(zone):%H:%M %Z}" for zone in (_zone.get(), UTC))
    return local if local == utc else f"{local} ({utc})"


def _packed(value: Any) -> Any:
    if isinstance(value, Message):
        return value.as_data()
    if isinstance(value, datetime):
        return {"moment": value.isoformat()}
    if isinstance(value, Day):
        return {"day": value.moment.isoformat()}
    return {"decimal": str(value)} if isinstance(value, Decimal) else value


def of_data(data: Mapping[str, Any]) -> Message:
    """The text of data that `Message.as_data` returned.

    Raises:
        ValueError: The data describe no text, or the text has parameters that the data lack.
    """
    try:
        if parameters(catalogue(DEFAULT)[str(data["key"])]) - {*data["parameters"]}:
            raise KeyError(data["key"])
        return english(str(data["key"]), **{name: _unpacked(value) for name, value in data["parameters"].items()})
    except (KeyError, AttributeError, TypeError, ArithmeticError) as error:
        raise ValueError("this describes no text") from error


def _unpacked(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    data = cast("dict[str, Any]", value)
    if "moment" in data:
        return datetime.fromisoformat(data["moment"])
    if "day" in data:
        return Day(datetime.fromisoformat(data["day"]))
    return Decimal(data["decimal"]) if "decimal" in data else of_data(data)


def translated(text: str, texts: Texts | None = None) -> str:
    """A text in the language of the event that is being handled, or in that of `texts`.

    A text without a key, which is a plain string, is returned unchanged.
    """
    if not isinstance(text, Message):
        return text
    return (texts or of(current()))(text.key, **text.parameters)


def opening(text: Message) -> str:
    """The first sentence of a text, in the language of the event that is being handled."""
    return of(current()).opening(text.key, **text.parameters)


def stored(data: object, english_text: str = "") -> str:
    """A stored text in the language of the event that is being handled.

    Args:
        data: The stored result of `Message.as_data`; any other value if there is none.
        english_text: The text to return if `data` describe no text.
    """
    if not isinstance(data, dict):
        return english_text
    try:
        return translated(of_data(cast("dict[str, Any]", data)))
    except ValueError:
        return english_text


def number(value: float | Decimal, language: str | None = None) -> str:
    """A number with the separators of a language; by default that of the event that is being handled."""
    return f"{value:,}".translate(_SEPARATORS[language or current()])
