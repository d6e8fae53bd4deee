"""Questions before they are stored: their words, the Drive files that they name, and the files that come with them.

Google is not called here. When the answer is written, the asker's own grant decides whether they may see a Drive file,
and gives its name.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from leaf import errors, parts, texts
from leaf.audiences import MEMBER, Audience
from leaf.config import catalog
from leaf.config.catalog import Choice, Kind, Mode
from leaf.db import models, storable
from leaf.documents import textfiles
from leaf.parts import Part, question_files
from leaf.services import models as model_service
from leaf.services.conversations import steps
from leaf.sites import Metadata, metadata_of

MESSAGE_CHARACTERS = MEMBER.message_characters
ONCE = "once"
"""The field of a message's extras that holds the key chosen by its page (`store.id_of`)."""


@dataclass(frozen=True)
class Question:
    """A question before it is stored; made by `of`."""

    text: str
    mentions: list[question_files.Mention] = field(default_factory=list[question_files.Mention])
    paths: list[str] = field(default_factory=list[str])
    """Paths of the attached files of the chat."""
    metadata: Metadata = field(default_factory=dict[str, Any])
    """The metadata of the program that asks."""

    @property
    def details(self) -> dict[str, Any]:
        """The details of the stored question."""
        return {"metadata": self.metadata} if self.metadata else {}

    def with_files(self, paths: list[str]) -> "Question":
        """The question with further attached files."""
        return replace(self, paths=[*dict.fromkeys([*self.paths, *paths])])

    def parts(self) -> list[Part]:
        """The parts of the question; the text is the first."""
        named = [one.as_part() for one in self.mentions]
        return [{"type": "text", "text": self.text}, *named, *map(question_files.attachment, self.paths)]

    def parts_in_place_of(self, old: list[Part]) -> list[Part]:
        """The parts of the question as a new version of an older question.

        Attached files of the older question stay. Mentioned files stay if the new words still name them.
        """
        known = {one.id for one in question_files.mentions_of(old)}
        added = [one.as_part() for one in self.mentions if one.id not in known]
        return [{"type": "text", "text": self.text}, *question_files.kept([*old, *added], self.text)]


def of(text: str, extras: Mapping[str, Any] | None = None, audience: Audience = MEMBER) -> Question:
    """The question that a page has sent.

    Args:
        text: The words, at most `audience.message_characters`.
        extras: `mentions` (each with `id`, `name`, `kind`, maybe `resourceKey`), `files` (paths in the chat) and
            `metadata` (`sites.metadata_of`). A mention whose name is not in the words is left out.
        audience: The asker's audience.

    Raises:
        errors.Invalid: The words are empty or too long, the extras are malformed, or they are not for this audience.
    """
    words = checked(text, audience)
    sent = extras or {}
    named = _listed(sent.get("mentions"), question_files.MOST_MENTIONS)
    paths = _listed(sent.get("files"), question_files.MOST_ATTACHMENTS)
    if (named and not audience.has_drive) or (paths and not audience.has_files):
        raise errors.Invalid(texts.english("errors.guest_drive"), field="extras")
    mentions = [question_files.mention_of(one) for one in named]
    if None in mentions or not all(isinstance(path, str) for path in paths):
        raise errors.Invalid(texts.english("errors.malformed_question"), field="extras")
    found = [
        question_files.Mention(one.id, storable.text(one.name), one.kind, one.resource_key) for one in mentions if one
    ]
    files = [*dict.fromkeys(map(textfiles.checked, paths))]
    return Question(words, question_files.mentioned_in(words, found), files, metadata_of(sent.get("metadata")))


def checked(text: str, audience: Audience = MEMBER) -> str:
    """The words of a question in the form in which they are stored.

    Raises:
        errors.Invalid: The words are empty or too long.
    """
    text = storable.text(text.replace("\0", "")).strip()
    if len(text) > (most := audience.message_characters):
        raise errors.Invalid(texts.english("errors.message_too_long", length=len(text), most=most), field="text")
    if not parts.is_visible(text):
        raise errors.Invalid(texts.english("errors.write_first"), field="text")
    return text


def choice(audience: Audience, mode: Mode, kind: Kind, model: str | None = None) -> Choice:
    """The model that answers a question.

    Args:
        audience: The asker's audience. If it may not choose a model, a model for speed answers.
        mode: The mode.
        kind: The requested type of model.
        model: The model that a site has set for its agent; ignored if it is not offered.
    """
    found = model_service.select(mode, kind, speed_only=not audience.chooses_model)
    is_offered = model is not None and any(one.id == model for one in model_service.offered())
    return replace(found, model=model) if model is not None and is_offered else found


def with_model(audience: Audience, usual: Choice, model: str | None) -> Choice:
    """The usual choice, or the same choice with the model that the asker has named.

    Raises:
        errors.NotFound: The named model is not offered, or this audience may not choose one.
    """
    if model is None or model == usual.model:
        return usual
    if not audience.chooses_model:
        raise errors.NotFound("model")
    return replace(usual, model=model_service.chosen(model).id)


def choice_again(audience: Audience, row: models.Message, model: str | None) -> Choice:
    """The model that answers a question again, in the mode and of the type of the earlier answer.

    Args:
        audience: The asker's audience.
        row: The earlier answer.
        model: The name of an offered model; ignored if the audience may not choose one. None for the model of the chat.

    Raises:
        errors.NotFound: The model is not offered.
    """
    usual = choice(audience, *catalog.chosen(row.details.get("searchMode"), row.details.get("modelType")))
    return with_model(audience, usual, (model or steps.model_of(row.details)) if audience.chooses_model else None)


def _listed(value: Any, most: int) -> list[Any]:
    """A value as a list; empty for None. Raises errors.Invalid if it is not a list, or is too long."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise errors.Invalid(texts.english("errors.malformed_question"), field="extras")
    if len(value) > most:
        raise errors.Invalid(texts.english("errors.names_too_much", most=most), field="extras")
    return value
