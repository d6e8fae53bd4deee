"""The body of `POST /api/chat`: the AI SDK's, `{chatSessionId, content}`, or `{message, chatId, …}`.

The history is the server's own: of what a client sends, only the last question counts, and where it stands.
"""

import hashlib
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from leaf import client_tools, errors
from leaf.catalog import Kind, Mode
from leaf.client_tools import ClientTool, Declared

ID_CHARACTERS = 200


def _writable(written: str) -> str:
    """Half of a pair of surrogates is a character in JSON, and none in UTF-8."""
    try:
        written.encode()
    except UnicodeEncodeError:
        raise ValueError("it has characters that are none") from None
    return written


Id = Annotated[str, Field(min_length=1, max_length=ID_CHARACTERS), AfterValidator(_writable)]
Trigger = Literal["submit-message", "regenerate-message"]


class Lenient(BaseModel):
    """What is not known is left out, so that clients may send more than Leaf reads."""

    model_config = ConfigDict(extra="ignore")


class SentApproval(Lenient):
    """What was said to a call that had to be allowed."""

    approved: bool | None = None


class SentPart(Lenient):
    """A part of a message; of the last one texts and files are read, or what open calls came to."""

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
        """What a call came to; None for one that is open, and for what is no call."""
        if self.state == "output-available":
            return {"output": self.output}
        if self.state == "output-error":
            return {"error": self.errorText or ""}
        said = self.approval.approved if self.approval is not None else None
        return {"approved": said} if said is not None else None


class SentMessage(Lenient):
    """A message as a client holds it: with `parts`, or with a `content` of text or of parts."""

    id: str | None = None
    role: Literal["user", "assistant", "system"] = "user"
    parts: list[SentPart] | None = None
    content: str | list[SentPart] | None = None

    @property
    def text(self) -> str:
        """What it says."""
        parts = self.parts if self.parts is not None else self.content
        if isinstance(parts, str):
            return parts
        return "\n".join(part.text or "" for part in parts or [] if part.type == "text")

    @property
    def answers(self) -> dict[str, dict[str, Any]]:
        """What its calls came to, by tool call id."""
        found = ((part.toolCallId, part.answer) for part in self.parts or [])
        return {call_id: answer for call_id, answer in found if call_id is not None and answer is not None}

    @property
    def unread(self) -> str | None:
        """The type of the first part that Leaf would have to read and does not."""
        parts = self.parts if self.parts is not None else self.content
        if isinstance(parts, str):
            return None
        return next((part.type for part in parts or [] if part.type == "image"), None)

    @property
    def files(self) -> list[SentPart]:
        """The files that came with it."""
        parts = self.parts if self.parts is not None else self.content
        return [] if isinstance(parts, str) else [part for part in parts or [] if part.type == "file"]


class Ask(Lenient):
    """A question, or the wish to have one answered again."""

    id: Id | None = None
    """The chat, by its id or by the client's own; it is made where there is none."""
    messages: Annotated[list[SentMessage], Field(max_length=20_000)] | None = None
    """The client's history, whose last message is the question."""
    trigger: Trigger = "submit-message"
    messageId: Annotated[str, Field(max_length=ID_CHARACTERS)] | None = None  # noqa: N815 - the wire's own spelling
    """A question to ask in another way, or an answer to write again."""

    chatSessionId: Id | None = None  # noqa: N815
    """A chat that there is."""
    content: str | None = None
    """The question."""

    chatId: Id | None = None  # noqa: N815
    """The same as `id`."""
    message: str | SentMessage | None = None
    """The question, as text or as a message."""
    isNewChat: bool | None = None  # noqa: N815
    """Whether the chat is yet to be made; with false it has to be there."""

    searchMode: Mode | None = None  # noqa: N815
    """How the answer is looked for; what Settings say where it is not given."""
    modelType: Kind | None = None  # noqa: N815
    """Which type of model writes it; what Settings say where it is not given."""
    model: Annotated[str, Field(max_length=ID_CHARACTERS)] | None = None
    """Of an answer that is written again: one of the models that are offered."""

    clientTools: list[ClientTool] | None = None  # noqa: N815
    """Tools that run at the caller: the run stops at their calls, and goes on with their results."""
    documentId: Annotated[str, Field(max_length=client_tools.DOCUMENT_CHARACTERS)] | None = None  # noqa: N815
    """What these tools work on; a result about another document is refused."""

    @property
    def tools(self) -> Declared | None:
        """The tools that run at the caller.

        Raises:
            errors.Invalid: There are too many, or two of one name.
        """
        return client_tools.declared(self.clientTools or (), self.documentId)

    @property
    def goes_on(self) -> SentMessage | None:
        """The answer that is to go on, with what its open calls came to; None where something is asked."""
        if self.content is not None or self.message is not None or self.trigger != "submit-message":
            return None
        last = self.messages[-1] if self.messages else None
        return last if last is not None and last.role == "assistant" else None

    @property
    def chat(self) -> str | None:
        """What the client calls the chat.

        Raises:
            errors.Invalid: Two of the fields name different ones.
        """
        named = {"chatSessionId": self.chatSessionId, "chatId": self.chatId, "id": self.id}
        given = {field: name for field, name in named.items() if name is not None}
        for field, name in given.items():
            if name != next(iter(given.values())):
                raise errors.Invalid(f"{field} names another chat than {next(iter(given))}.", field=field)
        return next(iter(given.values()), None)

    @property
    def may_begin(self) -> bool:
        """Whether a chat that is not there is made."""
        return self.chatSessionId is None and self.isNewChat is not False

    @property
    def asked(self) -> SentMessage:
        """The question.

        Raises:
            errors.Invalid: There is none, there are two, or it is not the user's.
        """
        if self.content is not None and self.message is not None:
            raise errors.Invalid("Give the question as content or as message.", field="content")
        if self.content is not None:
            return SentMessage(content=self.content)
        if isinstance(self.message, str):
            return SentMessage(content=self.message)
        field = "messages" if self.message is None else "message"
        last = self.message or (self.messages[-1] if self.messages else None)
        if last is None:
            raise errors.Invalid("There is no question: give message, content or messages.", field="message")
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
        """The id of the answer that the question follows in the client's history."""
        earlier = (self.messages or [])[:-1]
        return next((one.id for one in reversed(earlier) if one.role == "assistant"), None)


def fingerprint(ask: Ask, chat: str | None) -> dict[str, Any]:
    """What makes a request the same as another one."""
    last = ask.messages[-1] if ask.messages else None
    said = {
        "chat": chat,
        "trigger": ask.trigger,
        "messageId": ask.messageId,
        "content": ask.content,
        "last": last.text if last is not None else None,
        "message": ask.message.text if isinstance(ask.message, SentMessage) else ask.message,
    }
    going_on = ask.goes_on
    files = [file for sent in (last, ask.message) if isinstance(sent, SentMessage) for file in sent.files]
    further = {
        "answers": going_on.answers if going_on is not None else {},
        "files": [[file.filename, _digest(file.url or "")] for file in files],
        "chosen": [one for one in (ask.searchMode, ask.modelType, ask.model) if one is not None],
        "tools": [[tool.name, tool.version] for tool in ask.clientTools or []],
        "document": ask.documentId,
    }
    return {**said, **{name: value for name, value in further.items() if value}}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
