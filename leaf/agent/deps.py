"""What an agent's tools are given: small protocols, introduced by the job that runs the agent."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol
from uuid import UUID

from pydantic_ai import CustomEvent
from pydantic_ai.messages import ModelMessage

from leaf import audiences
from leaf.agent.context import Window
from leaf.agent.web.session import WebSession
from leaf.audiences import Audience
from leaf.catalog import Mode
from leaf.client_tools import ClientTool
from leaf.documents import DocumentCache
from leaf.google.access import DriveAccess, DriveCredentials
from leaf.sites import Visit

__all__ = [
    "Deps",
    "DocumentCache",
    "DriveAccess",
    "DriveCredentials",
    "FilesAccess",
    "Journal",
    "PagePreview",
    "PagePreviews",
    "ToolProgress",
    "WebSession",
]


class StoredFile(Protocol):
    """A file in a list, as a service tells of it."""

    @property
    def path(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def size_bytes(self) -> int: ...
    @property
    def read_only(self) -> bool: ...


class StoredText(Protocol):
    """A file with its content; of an upload also the lines where pages, sheets and slides begin, and notes."""

    @property
    def path(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def content(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def places(self) -> list[tuple[int, str]]: ...
    @property
    def notes(self) -> list[str]: ...


class FileChange(Protocol):
    """What a change to a file has done."""

    @property
    def path(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def created(self) -> bool: ...
    @property
    def size_bytes(self) -> int: ...
    @property
    def diff(self) -> str: ...


class FilesAccess(Protocol):
    """The text files of the chat (`leaf.services.files.ChatFiles`). A change that a call made is made once."""

    async def listed(self, glob: str = "**") -> Sequence[StoredFile]:
        """The files whose path a glob matches."""
        ...

    def texts(self, glob: str = "**") -> AsyncIterator[StoredText]:
        """The same with their contents, one after the other."""
        ...

    async def read(self, path: str, version: int | None = None) -> StoredText:
        """A file as it is, or as it was."""
        ...

    async def uploaded(self, path: str, upto: int) -> Sequence[StoredText]:
        """What people have uploaded under a path, up to a version and the newest first."""
        ...

    async def write(self, path: str, content: str, *, call_id: str | None = None) -> FileChange:
        """Makes a file, or gives one a new content."""
        ...

    async def edit(
        self, path: str, old: str, new: str, *, everywhere: bool = False, call_id: str | None = None
    ) -> FileChange:
        """Replaces a text that stands in a file exactly once."""
        ...

    async def delete(self, path: str, *, call_id: str | None = None) -> FileChange:
        """Deletes a file."""
        ...


class Journal(Protocol):
    """Where a run keeps how far it has come, so that another worker can go on from there."""

    async def checkpoint(self, messages: Sequence[ModelMessage]) -> None:
        """Called before each request to the model, and before the tool calls that it asks for are made."""
        ...

    def result(self, call_id: str) -> bytes | None:
        """What a tool call returned, as JSON, where it was finished before; else None."""
        ...

    async def keep_result(self, call_id: str, result_json: bytes) -> None:
        """Called when a tool call has returned."""
        ...


class PagePreview(Protocol):
    """What a web page says about itself; empty where it says nothing."""

    @property
    def title(self) -> str: ...
    @property
    def description(self) -> str: ...


class PagePreviews(Protocol):
    """Looks at a web page for its preview, from the server and safely: the address may be anybody's."""

    async def __call__(self, address: str, /) -> PagePreview:
        """The preview of a page; a `LeafError` where there is none."""
        ...


@dataclass(kw_only=True)
class ToolProgress(CustomEvent):
    """A preliminary output of the tool call that emits it (`ctx.emit`).

    The next preliminary output or the result replaces it. The model never sees it.
    """

    output: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(slots=True)
class Deps:
    """One run's surroundings. Everything in it acts with the asker's own permissions."""

    user_id: UUID
    """The asker, or the guest."""
    run_id: UUID
    drive: DriveAccess
    documents: DocumentCache
    files: FilesAccess
    mode: Mode = Mode.QUICK
    audience: Audience = audiences.MEMBER
    """The asker's audience (`leaf.agent.audience`)."""
    client_tools: Sequence[ClientTool] = ()
    """Tools that run at the caller (`leaf.agent.tools.client`)."""
    withheld: frozenset[str] = frozenset()
    """Those of them that the model is not told of in this run (`leaf.agent.planner`)."""
    journal: Journal | None = None
    preview: PagePreviews | None = None
    """For cards of web pages about which the model says little; None: a card has the model's words alone."""
    context: Window | None = None
    """What of the chat the run can see; all of it where none is given."""
    resource_keys: dict[str, str] = field(default_factory=dict[str, str])
    """Keys of files that were shared by link, by file id, met during this run: Google asks for them again and again."""
    web: WebSession = field(default_factory=WebSession)
    """What this run has seen of the web."""
    approvals: bool = True
    """Whether the user is asked before something could leave (`leaf.agent.approval`)."""
    earlier_tools: frozenset[str] = frozenset()
    """Tools of the chat's earlier turns whose messages the run does not have: a summary stands for them."""
    instructions: str = ""
    """What the asker wants to be told with every question, in their own words (`leaf.agent.agents`)."""
    clicked: frozenset[str] = frozenset()
    """Messages of the chat that the user sent by a click: a model wrote them, so they authorise nothing."""
    visit: Visit | None = None
    """Where a visitor of a tenant's site asks: the agent that answers, and the page (`leaf.agent.public`)."""
