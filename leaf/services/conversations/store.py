"""The protocol of the stores of conversations. The audience of an actor names the store that it uses."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, Protocol, TypeVar
from uuid import UUID, uuid5

from leaf import errors, texts
from leaf.db import models
from leaf.db.actor import Actor
from leaf.db.models import MessageRole
from leaf.parts import Part, question_text
from leaf.parts.client_tools import Declared
from leaf.redis import rates
from leaf.services import chats, preferences
from leaf.services.files.uploads import Upload
from leaf.services.library.scope import ChatScope
from leaf.services.runs import Assignment, Outcome

DAY_SECONDS = 24 * 3600.0
SENT = "sent_already"
"""The code of the refusal of a message that was sent before."""
_KEY_CHARACTERS = 64

T = TypeVar("T")


@dataclass(frozen=True)
class Turn:
    """A question and its answer when a run begins, or while the answer waits for more replies."""

    user: chats.Message
    assistant: chats.Message
    title: str
    chat_id: UUID
    after: UUID | None = None
    """The answer that the question follows; None at the beginning of the chat."""
    closed: tuple[chats.Message, ...] = ()
    """Answers that waited for the asker and have ended with this turn."""

    def at_end_of(self, chat: chats.Chat) -> chats.Chat | None:
        """A chat that ends with this turn; None if the turn does not follow the known messages of the chat.

        Args:
            chat: The chat from the last read.
        """
        ids = [one.id for one in chat.messages]
        if self.user.id in ids:
            kept, new = ids.index(self.user.id) + 1, [self.assistant]
        elif self.after is not None and self.after in ids:
            kept, new = ids.index(self.after) + 1, [self.user, self.assistant]
        elif self.after is None and not chat.above:
            kept, new = 0, [self.user, self.assistant]
        else:
            return None
        changed = {one.id: one for one in self.closed}
        earlier = [changed.get(one.id, one) for one in chat.messages[:kept]]
        versions = {one.id: chat.versions[one.id] for one in earlier if one.id in chat.versions}
        if kept < len(ids):
            replaced = ids[kept]
            several = chat.versions.get(replaced, (replaced,))
            versions[new[0].id] = several if new[0].id in several else (*several, new[0].id)
            if len(versions[new[0].id]) == 1:
                del versions[new[0].id]
        return replace(chat, title=self.title, messages=[*earlier, *new], versions=versions)


@dataclass(frozen=True)
class Queued:
    """A queued message. `parts` are the parts of the question that it becomes."""

    id: UUID
    chat_id: UUID
    parts: list[Part]
    problem: str = ""
    """`budget`, or empty."""

    @property
    def text(self) -> str:
        """Its words."""
        return question_text(self.parts)


@dataclass(frozen=True)
class Quota:
    """Limits on the messages of one day from one asker, from one address, or from all askers together."""

    limits: Mapping[str, int]
    """The largest number of messages, by the name of the counter."""
    refusal: Callable[[int], errors.LimitReached]
    """Returns the error for a reached limit. The argument is the time until a message is allowed again, in seconds."""

    async def take(self) -> None:
        """Counts a message in all limits, or in none if one is reached.

        Raises:
            errors.LimitReached: A limit is reached.
            errors.RedisUnavailable: Redis does not answer, so nothing can be counted.
        """
        if seconds := await rates.take_each(self.limits, seconds=DAY_SECONDS):
            raise self.refusal(seconds)

    async def give_back(self) -> None:
        """Takes back the count of a message that was refused for another reason."""
        await rates.give_back(self.limits)


USUAL_MODEL = "default"
"""A value in place of a model's name. The chat then uses the usual model of the mode and kind again."""


@dataclass(frozen=True)
class NamedChat:
    """A chat by the name that a client has given it (`chats.named`)."""

    name: str | None
    """None for a new chat."""
    may_begin: bool = True
    """Whether a chat that does not exist is created with its first question."""


@dataclass(frozen=True)
class Terms:
    """The terms under which a question is asked, apart from its words."""

    tools: Declared | None = None
    """Tools that run at the caller."""
    model: str | None = None
    """The model that a site has set for its agent."""
    page: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Context of the site's page. Fields that it leaves out keep their stored values."""
    quota: Quota | None = None
    """Counted in addition to the limits of the actor."""
    asked_model: str | None = None
    """The model that the asker has named for this chat, or `USUAL_MODEL`; None for the model of the chat."""
    scope: ChatScope | None = None
    """The part of Drive to which the chat is limited from this question on; None to leave its scope unchanged."""
    uploads: Sequence[Upload] = ()
    """Files that come with the question. They are stored with it, or not at all."""


class Draft(ABC):
    """A conversation that is open for one change; no other change is made at the same time.

    Stores whose chats have no title, files, queue, branches or site use the default methods of this class.
    """

    def __init__(self, chat_id: UUID) -> None:
        self.chat_id = chat_id
        self.begun: models.Message | None = None
        """The pending answer whose run is enqueued with the change."""
        self.callbacks: list[Callable[[], Awaitable[object]]] = []

    def title(self, text: str) -> str:  # noqa: ARG002
        """The title of the chat if `text` is its newest question."""
        return ""

    @abstractmethod
    async def is_busy(self) -> bool:
        """Whether an answer is being written on any branch."""

    async def require_free(self) -> None:
        """Raises errors.Conflict if an answer is being written on any branch."""
        if await self.is_busy():
            raise still_answering()

    @abstractmethod
    async def require_new(self, message_id: UUID | None) -> None:
        """Raises errors.Conflict (`SENT`) if the message is already stored or queued."""

    async def require_files(self, paths: Sequence[str]) -> None:
        """Raises errors.NotFound if one of the files is not in the chat."""
        if paths:
            raise errors.NotFound("file")

    async def keep(self, uploads: Sequence[Upload]) -> list[str]:
        """Stores the files of a question; returns their paths."""
        if uploads:
            raise errors.NotFound("file")
        return []

    @abstractmethod
    async def require_last(self, message_id: UUID, refusal: str) -> None:
        """Raises errors.Conflict with the text `refusal` if another message follows."""

    async def preferred(self) -> preferences.Preferences:
        """The asker's defaults."""
        return preferences.Preferences()

    async def details_of(self, message_id: UUID) -> dict[str, Any]:
        """The details of a message of the chat; empty if there is no such message."""
        row = await self.row(message_id)
        return row.details if row is not None else {}

    async def find(self, message_id: UUID, role: MessageRole) -> models.Message:
        """The row of a message of the chat with a role. Raises errors.NotFound if there is none."""
        row = await self.row(message_id)
        if row is None or row.role is not role:
            raise errors.NotFound("answer" if role is MessageRole.ASSISTANT else "question")
        return row

    @abstractmethod
    async def row(self, message_id: UUID) -> models.Message | None:
        """The row of a message of the chat; None if there is none."""

    @abstractmethod
    async def waiting(self) -> Sequence[models.Message]:
        """The answers that wait for a reply of the actor."""

    @abstractmethod
    async def end(self) -> UUID | None:
        """The last message of the actor's path; None if the chat is empty.

        Raises:
            errors.Conflict: The message waits for another participant.
            errors.LimitReached: The chat is full.
        """

    @abstractmethod
    async def admit(self, *, is_question: bool = True) -> None:
        """Counts a run in the limits of the actor, and sets aside a part of the budget.

        Args:
            is_question: Whether the run counts as a question. A run that continues with results of tools does not.

        Raises:
            errors.LimitReached: No run may begin for a while.
            errors.RedisUnavailable: No run can begin.
        """

    async def queue(self, row: models.QueuedMessage) -> Queued:  # noqa: ARG002
        """Queues a message until the end of the answer that is being written.

        Raises:
            errors.Conflict: There is no queue.
            errors.Invalid: Too many messages of the person wait.
            errors.RateLimited: The person has sent too much within the last minute.
        """
        raise still_answering()

    async def limit_to(self, scope: ChatScope | None) -> None:  # noqa: B027
        """Limits the chat to a part of Drive; None leaves its scope unchanged."""

    async def note_page(self, page: Mapping[str, Any]) -> None:  # noqa: B027
        """Merges the context of a site's page into the stored context. Fields of the page replace stored fields."""

    @abstractmethod
    async def store(self, *rows: models.Message) -> None:
        """Stores new and changed messages."""

    async def show(self, message_id: UUID) -> None:  # noqa: B027
        """Switches the actor's view of the chat to the branch of a message."""

    async def stay(self) -> None:  # noqa: B027
        """Keeps participants who follow the newest message of the chat on its present branch."""

    def begin(self, answer: models.Message) -> None:
        """Marks a pending answer, so that its run is enqueued with the change."""
        self.begun = answer

    def after(self, callback: Callable[[], Awaitable[object]]) -> None:
        """Registers a callback that runs after the change is stored."""
        self.callbacks.append(callback)


class Store(Protocol):
    """A store of conversations."""

    async def change(
        self,
        actor: Actor,
        work: Callable[[Draft], Awaitable[T]],
        *,
        chat: UUID | NamedChat | None = None,
        message_id: UUID | None = None,
        quota: Quota | None = None,
        with_files: bool = False,
    ) -> T:
        """Makes one change to a conversation, in one transaction.

        Args:
            actor: The party that makes the change.
            work: Makes the change. It may be called again if another change came first.
            chat: The chat.
            message_id: A message of the chat, in place of `chat`.
            quota: A quota that `Draft.admit` counts in addition to the actor's limits.
            with_files: Whether the change stores files (`Draft.keep`). Only for a chat given by its id.

        Raises:
            errors.NotFound: There is no such chat for this actor.
            errors.LimitReached: The actor may ask nothing more for a while.
            errors.RedisUnavailable: No answer can be started; nothing was stored.
        """
        ...

    async def require(self, actor: Actor, chat_id: UUID) -> None:
        """Raises errors.NotFound if the actor has no such chat."""
        ...

    async def open(self, actor: Actor, chat_id: UUID, *, known: chats.Chat | None = None) -> chats.Chat:
        """A chat with its messages. Raises errors.NotFound if the actor has no such chat."""
        ...

    async def result(self, actor: Actor, run_id: UUID) -> chats.Message:
        """The answer of a run. Raises errors.NotFound if the actor has no such run."""
        ...

    async def active(self, actor: Actor, chat_id: UUID) -> Turn | None:
        """The turn whose answer is being written in a chat; None if no answer is being written."""
        ...

    async def ended(self, actor: Actor, chat_id: UUID, within: timedelta) -> chats.Message | None:
        """The newest answer of a chat, by its last change; None if that is longer ago than `within`."""
        ...

    async def sent(self, actor: Actor, key: str) -> UUID | None:
        """The chat of a message that a page has sent under a key; None if the message was not stored."""
        ...

    def message_id(self, actor: Actor, key: object) -> UUID | None:
        """The id of a message that a page sends under a key (`id_of`)."""
        ...

    async def assignment(self, run_id: UUID) -> Assignment | None:
        """Everything that a worker needs for a run; None if the run is gone or has ended."""
        ...

    async def finish(self, task: Assignment, outcome: Outcome) -> bool:
        """Stores the outcome of a run. Returns False if the answer is gone or has already ended."""
        ...

    async def announce(self, task: Assignment) -> None:
        """Notifies open pages of the end of a run."""
        ...

    async def unfinished(self, older_than: timedelta) -> list[UUID]:
        """Ids of unfinished runs that began at least `older_than` ago, the oldest first."""
        ...


def id_of(owner: UUID, key: object) -> UUID | None:
    """The id of a message, derived from a key that its page has chosen.

    A reloaded page cannot know whether a message was stored. It sends the message again under the same key, and the
    equal id shows that it was stored.

    Args:
        owner: The id of the person or of the guest's chat. Equal keys of different owners give different ids.
        key: The key, a string of 1-64 characters.

    Returns:
        None if the key is any other value.
    """
    if not isinstance(key, str) or not 0 < len(key) <= _KEY_CHARACTERS:
        return None
    return uuid5(owner, key)


def sent_already() -> errors.Conflict:
    """The refusal of a message that was sent before."""
    return errors.Conflict(texts.english("errors.sent_already"), code=SENT)


def still_answering() -> errors.Conflict:
    """The refusal of a change while an answer is being written."""
    return errors.Conflict(texts.english("errors.still_answering"))
