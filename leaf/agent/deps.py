"""The dependencies of an agent's tools: small protocols, implemented by the job that runs the agent."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Protocol
from uuid import UUID

from pydantic_ai import CustomEvent
from pydantic_ai.messages import ModelMessage

from leaf import audiences, outbound
from leaf.agent.attachments import Attachments
from leaf.agent.cells import Cells
from leaf.agent.context import Window
from leaf.agent.web.session import WebSession
from leaf.audiences import Audience
from leaf.config.catalog import Mode
from leaf.documents import Document, DocumentCache
from leaf.documents.textfiles.rows import Change, FileRow, FileText
from leaf.google.access import DriveAccess
from leaf.google.files import DriveFile
from leaf.google.links import DriveLink
from leaf.google.refusals import Named
from leaf.parts.client_tools import ClientTool
from leaf.sites import NO_SITE, SiteChat, Source


class FilesAccess(Protocol):
    """The text files of the chat (`leaf.services.files.ChatFiles`).

    A change that is repeated with the same `call_id` changes nothing.
    """

    async def listed(self, glob: str = "**") -> Sequence[FileRow]:
        """Returns the files whose path matches a glob."""
        ...

    def texts(self, glob: str = "**") -> AsyncIterator[FileText]:
        """Yields the files whose path matches a glob, with their contents."""
        ...

    async def read(self, path: str, version: int | None = None) -> FileText:
        """Returns the current version of a file, or an earlier one."""
        ...

    async def uploaded(self, path: str, upto: int) -> Sequence[FileText]:
        """Returns the uploaded versions of a path, up to a version, the newest first."""
        ...

    async def picture(self, path: str, version: int | None, place: str, quote: str) -> bytes:
        """Returns the picture of a place in an upload as JPEG, in which the lines of a quote are marked."""
        ...

    async def write(self, path: str, content: str, *, call_id: str | None = None) -> Change:
        """Creates a file, or replaces its content."""
        ...

    async def edit(
        self, path: str, old: str, new: str, *, everywhere: bool = False, call_id: str | None = None
    ) -> Change:
        """Replaces a text in a file.

        The text must occur exactly once, unless `everywhere` is set.
        """
        ...

    async def delete(self, path: str, *, call_id: str | None = None) -> Change:
        """Deletes a file."""
        ...


class KnowledgeAccess(Protocol):
    """The knowledge of a site's agent (`leaf.services.knowledge.AgentKnowledge`). Each use checks permissions anew."""

    async def sources(self) -> Sequence[Source]:
        """Returns the files and folders."""
        ...

    async def document(self, source: Source) -> Document | None:
        """Returns the text of a file; None if the file was removed."""
        ...

    def drive(self, source: Source) -> DriveAccess:
        """Returns access to the Drive of a folder's owner."""
        ...

    def cache(self, source: Source) -> DocumentCache:
        """Returns the cache of texts that were read with the access of the folder's owner."""
        ...


class LibraryAccess(Protocol):
    """The search in the asker's Drive with the asker's own permissions (`jobs.stores.MemberLibrary`)."""

    @property
    def limits(self) -> dict[str, Any] | None:
        """The part of the Drive that the chat is limited to; None if there is no limit.

        The keys are `folders` and `files` (lists of id and name), `kinds` and `since`. A condition that is not set is
        omitted.
        """
        ...

    async def covers(self, file: DriveFile, resource_keys: dict[str, str]) -> bool:
        """Returns whether a file or folder may be opened in this chat."""
        ...

    async def look_up(
        self, queries: Sequence[str], *, folder: DriveLink | None, kinds: frozenset[str], since: date | None,
        name: str | None, resource_keys: dict[str, str],
    ) -> dict[str, Any]:  # fmt: skip
        """Returns the output of `search_files` without its notes.

        - `files`: id, name, kind, modified and url; path, revision and copies if they are known
        - `passages`: file_id, name, place, heading, text
        - `index`: files, read, skipped, listed, complete; vectors if there are any
        - `asked_google`, `partial`; `drives_missed` if Google has not searched every drive
        - `refused`, `unanswered`: the numbers of files that are left out
        - `within`: the `limits`, if the chat has any
        """
        ...


class Journal(Protocol):
    """Stores the progress of a run, so that another worker can continue it."""

    async def checkpoint(self, messages: Sequence[ModelMessage]) -> None:
        """Stores the messages. Called before each request to the model, and before the tool calls of its response."""
        ...

    def result(self, call_id: str) -> bytes | None:
        """Returns the stored result of a finished tool call as JSON; None if the call has not finished."""
        ...

    async def keep_result(self, call_id: str, result_json: bytes) -> None:
        """Stores the result of a tool call."""
        ...


PagePreviews = Callable[[str], Awaitable[outbound.Preview]]
"""Fetches the preview of a web page, with protection against addresses inside the server's own network. Raises a
`LeafError` if there is no preview."""


@dataclass(kw_only=True)
class ToolProgress(CustomEvent):
    """A preliminary output of the tool call that emits it (`ctx.emit`).

    The next preliminary output, or the result, replaces it. It is never sent to the model.
    """

    output: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(slots=True)
class Deps:
    """The dependencies of one run. Each of them has only the asker's own permissions."""

    user_id: UUID
    """The id of the member, guest or site visitor who asks."""
    run_id: UUID
    drive: DriveAccess
    documents: DocumentCache
    files: FilesAccess
    library: LibraryAccess | None = None
    """The search in the asker's Drive; None for an audience without Drive."""
    mode: Mode = Mode.QUICK
    audience: Audience = audiences.MEMBER
    """The asker's audience (`leaf.audiences`)."""
    client_tools: Sequence[ClientTool] = ()
    """Tools that the caller runs (`leaf.agent.tools.client`)."""
    chat_tools: frozenset[str] | None = None
    """The names of the tools that the chat is limited to; None for all tools of the mode."""
    withheld: frozenset[str] = frozenset()
    """The client tools that are hidden from the model in this run (`leaf.agent.planner`)."""
    journal: Journal | None = None
    preview: PagePreviews | None = None
    """Fetches previews for cards of web pages that the model describes too briefly. If it is None, a card has only the
    model's words."""
    context: Window | None = None
    """The part of the chat that the run can see; None for all of it."""
    attachments: Attachments | None = None
    """The pictures that came with questions. If it is None, the model gets no pictures."""
    resource_keys: dict[str, str] = field(default_factory=dict[str, str])
    """The resource keys of files that were shared by link, by file id, collected in this run. Google requires them with
    each request."""
    names: dict[str, Named] = field(default_factory=dict[str, Named])
    """The Drive files that tools of this run have shown, by id; later error messages name them."""
    cells: Cells = field(default_factory=Cells)
    """The results of computations in this chat, which later computations may read."""
    web: WebSession = field(default_factory=WebSession)
    """Web pages that this run has found or read."""
    approvals: bool = True
    """Whether calls that could send something out need an approval (`leaf.agent.approval`)."""
    earlier_tools: frozenset[str] = frozenset()
    """Names of tools that were used in turns that a summary replaces. The run lacks the messages of these turns."""
    awaits: bool = False
    """Whether this run repeats a watched question whose answer the asker expects to appear in their files."""
    subquestions: Sequence[str] = ()
    """The parts of the question, if it clearly asks several things (`leaf.citations.subquestions`)."""
    instructions: str = ""
    """The asker's own instructions for all of their questions (`leaf.agent.agents`)."""
    project_instructions: str = ""
    """The asker's own instructions for the chats of one project."""
    cut_calls: Mapping[str, str] = field(default_factory=dict[str, str])
    """Tool names by the ids of calls that broke off while they were written. The next calls of these tools get these
    ids."""
    suggested: frozenset[str] = frozenset()
    """Messages that the user sent by a click. A model wrote their words, so they do not authorise anything."""
    knowledge: KnowledgeAccess | None = None
    """The files and folders that the site's agent may answer from (`leaf.agent.tools.knowledge`)."""
    site: SiteChat = NO_SITE
    """The site's agent and the page, if a site visitor asks (`leaf.agent.site_agent`)."""
