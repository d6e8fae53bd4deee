"""The body of `POST /api/chat`: the AI SDK's, `{chatSessionId, content}`, or `{message, chatId, …}`.

The history comes from the database. Of the client's messages, only the last question and its position are used.
"""

import hashlib
import unicodedata
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from leaf import errors
from leaf.config.catalog import Kind, Mode
from leaf.documents.kinds import Family
from leaf.parts import client_tools
from leaf.parts.client_tools import ClientTool, Declared
from leaf.services.conversations import USUAL_MODEL
from leaf.services.library.scope import MOST_PLACES

ID_CHARACTERS = 200


def _reachable(written: str) -> str:
    """A name that can be one segment of a path.

    Raises:
        ValueError: It cannot be one.
    """
    if "/" in written or written in {".", ".."} or any(unicodedata.category(one) == "Cc" for one in written):
        raise ValueError("a chat's id has no “/”, no control characters, and is not “.” or “..”")
    return written


Id = Annotated[str, Field(min_length=1, max_length=ID_CHARACTERS), AfterValidator(_reachable)]
Trigger = Literal["submit-message", "regenerate-message"]


class Lenient(BaseModel):
    """Unknown fields are ignored, so that clients may send more than Leaf reads."""

    model_config = ConfigDict(extra="ignore")


class SentApproval(Lenient):
    """The reply to a call that needed approval."""

    approved: bool | None = None


class SentPart(Lenient):
    """A part of a message. Leaf reads texts and files of the last message, or replies to open calls."""

    type: str
    text: str | None = None
    toolCallId: Annotated[str, Field(max_length=ID_CHARACTERS)] | None = None  # noqa: N815 - the wire's own spelling
    state: str | None = None
    output: Any = None
    errorText: str | None = None  # noqa: N815
    approval: SentApproval | None = None
    url: str | None = None
    mediaType: Annotated[str, Field(max_length=200)] | None = None  # noqa: N815
    filename: Annotated[str, Field(max_length=200)] | None = None

    @property
    def answer(self) -> dict[str, Any] | None:
        """The result of the call, or the reply to its approval; None for an open call, and for parts of other types."""
        if self.state == "output-available":
            return {"output": self.output}
        if self.state == "output-error":
            return {"error": self.errorText or ""}
        approved = self.approval.approved if self.approval is not None else None
        return {"approved": approved} if approved is not None else None


Parts = Annotated[list[SentPart], Field(max_length=2_000)]


class SentMessage(Lenient):
    """A client's message: with `parts`, or with a `content` of text or of parts."""

    id: str | None = None
    role: Literal["user", "assistant", "system"] = "user"
    parts: Parts | None = None
    content: str | Parts | None = None
    metadata: Any = None
    """An object that Leaf stores with a question, at most 16 kB as JSON."""

    @property
    def text(self) -> str:
        """The text of the message."""
        if self.parts is None and isinstance(self.content, str):
            return self.content
        return "\n".join(part.text or "" for part in self._parts if part.type == "text")

    @property
    def _parts(self) -> list[SentPart]:
        """The parts of the message; empty if it is only a text."""
        if self.parts is not None:
            return self.parts
        return self.content if isinstance(self.content, list) else []

    @property
    def answers(self) -> dict[str, dict[str, Any]]:
        """The results of the calls in the message, by tool call id."""
        found = ((part.toolCallId, part.answer) for part in self.parts or [])
        return {call_id: answer for call_id, answer in found if call_id is not None and answer is not None}

    @property
    def unread(self) -> str | None:
        """The type of the first part that Leaf does not support but must not ignore; None if there is none."""
        return next((part.type for part in self._parts if part.type == "image"), None)

    @property
    def files(self) -> list[SentPart]:
        """The files in the message."""
        return [part for part in self._parts if part.type == "file"]


class ScopeBody(BaseModel):
    """The part of a Drive that is searched. A file has to meet all conditions. A missing condition is always met."""

    model_config = ConfigDict(extra="forbid")

    folders: Annotated[list[Annotated[str, Field(max_length=2_000)]], Field(max_length=MOST_PLACES)] = []
    """Ids or addresses of folders. A file has to be in or below one of them, or be listed in `files`."""
    files: Annotated[list[Annotated[str, Field(max_length=2_000)]], Field(max_length=MOST_PLACES)] = []
    """Ids or addresses of files."""
    kinds: list[Family] = []
    """The kinds of files."""
    since: date | None = None
    """A file has to be changed on this day or later."""


class Ask(Lenient):
    """A question, or a request to answer one again."""

    id: Id | None = None
    """The id of the chat, or an id chosen by the client. The chat is created if it does not exist."""
    messages: Annotated[list[SentMessage], Field(max_length=20_000)] | None = None
    """The client's history. The last message is the question."""
    trigger: Trigger = "submit-message"
    messageId: Annotated[str, Field(max_length=ID_CHARACTERS)] | None = None  # noqa: N815 - the wire's own spelling
    """The question to edit, or the answer to regenerate."""

    chatSessionId: Id | None = None  # noqa: N815
    """An existing chat."""
    content: str | None = None
    """The question."""

    chatId: Id | None = None  # noqa: N815
    """The same as `id`."""
    message: str | SentMessage | None = None
    """The question, as text or as a message."""
    isNewChat: bool | None = None  # noqa: N815
    """If this is false, the chat has to exist. Otherwise a missing chat is created."""
    searchMode: Mode | None = None  # noqa: N815
    """The mode of the answer; by default the mode in Settings."""
    modelType: Kind | None = None  # noqa: N815
    """The type of model; by default the type in Settings."""
    model: Annotated[str, Field(max_length=ID_CHARACTERS)] | None = None
    """An offered model for this and later questions of the chat; `default` for the model of the mode and type."""
    scope: ScopeBody | None = None
    """The part of the Drive that the chat is limited to, for this and later questions; `{}` for all of it."""
    projectId: Id | None = None  # noqa: N815
    """The project of a chat that does not exist yet. The new chat has the scope of the project, unless `scope` is
    sent."""

    clientTools: list[ClientTool] | None = None  # noqa: N815
    """Tools that the caller runs. The run stops at their calls and continues with their results."""
    documentId: Annotated[str, Field(max_length=client_tools.DOCUMENT_CHARACTERS)] | None = None  # noqa: N815
    """The document that these tools work on. A result for another document is refused."""
    allowedDocuments: Annotated[list[str], Field(max_length=1000)] | None = None  # noqa: N815
    """The documents that the caller may use, set by a server that forwards requests. Others are refused."""

    @property
    def tools(self) -> Declared | None:
        """The tools that the caller runs.

        Raises:
            errors.Invalid: There are too many tools, or two have the same name.
        """
        return client_tools.declared(self.clientTools or (), self.documentId)

    @property
    def named_model(self) -> str | None:
        """The requested model; None for the model of the mode and type."""
        return None if self.model == USUAL_MODEL else self.model

    @property
    def continued(self) -> SentMessage | None:
        """The waiting answer that continues, with the results of its open calls; None if the request is a question."""
        if self.content is not None or self.message is not None or self.trigger != "submit-message":
            return None
        last = self.messages[-1] if self.messages else None
        return last if last is not None and last.role == "assistant" else None

    @property
    def chat(self) -> str | None:
        """The id that the client uses for the chat; None if the request names none.

        Raises:
            errors.Invalid: Two of the fields name different chats.
        """
        fields = (("chatSessionId", self.chatSessionId), ("chatId", self.chatId), ("id", self.id))
        named = [(field, name) for field, name in fields if name is not None]
        for field, name in named[1:]:
            if name != named[0][1]:
                raise errors.Invalid(f"{field} names another chat than {named[0][0]}.", field=field)
        return named[0][1] if named else None

    @property
    def may_begin(self) -> bool:
        """Whether a missing chat is created."""
        return self.chatSessionId is None and self.isNewChat is not False

    @property
    def user_message(self) -> SentMessage:
        """The question.

        Raises:
            errors.Invalid: There is no question, there are two, its role is not `user`, or it has unsupported parts.
        """
        if self.content is not None and self.message is not None:
            raise errors.Invalid("Send the question as content or as message.", field="content")
        if self.content is not None:
            return SentMessage(content=self.content)
        if isinstance(self.message, str):
            return SentMessage(content=self.message)
        field = "messages" if self.message is None else "message"
        last = self.message or (self.messages[-1] if self.messages else None)
        if last is None:
            raise errors.Invalid("There is no question: send message, content or messages.", field="message")
        if last.role != "user":
            raise errors.Invalid("The last message has to be the user's.", field=f"{field}.role")
        if last.unread is not None:
            raise errors.Invalid(
                f"Parts of the type “{last.unread}” are not read. Upload files to POST /api/chats/{{id}}/files.",
                field=f"{field}.parts",
            )
        return last

    @property
    def before(self) -> str | None:
        """The id of the last answer before the question in the client's history; None if there is none."""
        earlier = (self.messages or [])[:-1]
        return next((one.id for one in reversed(earlier) if one.role == "assistant"), None)


def fingerprint(ask: Ask, chat: str | None) -> dict[str, Any]:
    """A value that is equal for repetitions of the same request."""
    last = ask.messages[-1] if ask.messages else None
    values = {
        "chat": chat,
        "trigger": ask.trigger,
        "messageId": ask.messageId,
        "content": ask.content,
        "last": last.text if last is not None else None,
        "message": ask.message.text if isinstance(ask.message, SentMessage) else ask.message,
    }
    continued = ask.continued
    files = [file for sent in (last, ask.message) if isinstance(sent, SentMessage) for file in sent.files]
    further = {
        "answers": continued.answers if continued is not None else {},
        "files": [[file.filename, _digest(file.url or "")] for file in files],
        "chosen": [one for one in (ask.searchMode, ask.modelType, ask.model) if one is not None],
        "tools": [[tool.name, tool.version] for tool in ask.clientTools or []],
        "document": ask.documentId,
        "project": ask.projectId,
        "scope": ask.scope.model_dump(mode="json") if ask.scope is not None else None,
    }
    return {**values, **{name: value for name, value in further.items() if value}}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
