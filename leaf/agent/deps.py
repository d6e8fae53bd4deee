"""Dependencies of an agent's tools: small protocols, which the job that runs the agent implements."""

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
    """The text files of the chat (`leaf.services.files.ChatFiles`). A repeated call with the same id changes
    nothing.
    """

    async def listed(self, glob: str = "**") -> Sequence[FileRow]:
        """Return the files whose path matches a glob."""
        ...

    def texts(self, glob: str = "**") -> AsyncIterator[FileText]:
        """Iterate over the same files with their contents."""
        ...

    async def read(self, path: str, version: int | None = None) -> FileText:
        """Return the current version of a file, or an earlier one."""
        ...

    async def uploaded(self, path: str, upto: int) -> Sequence[FileText]:
        """Return the uploads under a path, up to a version and the newest first."""
        ...

    async def picture(self, path: str, version: int | None, place: str, quote: str) -> bytes:
        """Return the picture of a place in an upload, as JPEG, with the lines of a quote marked."""
        ...

    async def write(self, path: str, content: str, *, call_id: str | None = None) -> Change:
        """Create a file, or replace its content."""
        ...

    async def edit(
        self, path: str, old: str, new: str, *, everywhere: bool = False, call_id: str | None = None
    ) -> Change:
        """Replace a text that occurs in a file exactly once."""
        ...

    async def delete(self, path: str, *, call_id: str | None = None) -> Change:
        """Delete a file."""
        ...


class KnowledgeAccess(Protocol):
    """The knowledge of the site's agent (`leaf.services.knowledge.AgentKnowledge`); rights are checked at each use."""

    async def sources(self) -> Sequence[Source]:
        """Return the files and folders."""
        ...

    async def document(self, source: Source) -> Document | None:
        """Return the text of a file; `None` if it was removed."""
        ...

    def drive(self, source: Source) -> DriveAccess:
        """Return the grant of a folder's owner."""
        ...

    def cache(self, source: Source) -> DocumentCache:
        """Return the cache of texts that were read with this grant."""
        ...


class LibraryAccess(Protocol):
    """The search in the asker's Drive, with the asker's own permissions: `jobs.stores.MemberLibrary`, which asks
    `leaf.services.library.lookup`.
    """

    @property
    def limits(self) -> dict[str, Any] | None:
        """The part of the Drive to which the chat is limited; `None` for all of it.

        `folders` and `files` (each with id and name), `kinds`, and `since`; conditions that are not set are omitted.
        """
        ...

    async def covers(self, file: DriveFile, resource_keys: dict[str, str]) -> bool:
        """Return whether a file or folder may be opened in this chat."""
        ...

    async def look_up(
        self, queries: Sequence[str], *, folder: DriveLink | None, kinds: frozenset[str], since: date | None,
        name: str | None, resource_keys: dict[str, str],
    ) -> dict[str, Any]:  # fmt: skip
        """Return the output of `search_files` without its notes.

        - `files`: id, name, kind, modified and url; path, revision and copies where they are known
        - `passages`: file_id, name, place, text
        - `index`: files, read, skipped, listed, complete; vectors where there are some
        - `asked_google`, `partial`; `drives_missed` where Google has not searched every drive
        - `refused`, `unanswered`: the numbers of files that are left out
        - `within`: the `limits` of a limited chat
        """
        ...


class Journal(Protocol):
    """Stores the progress of a run, so that another worker can continue it."""

    async def checkpoint(self, messages: Sequence[ModelMessage]) -> None:
        """Store the messages; called before each request to the model and before the tool calls of its response."""
        ...

    def result(self, call_id: str) -> bytes | None:
        """Return the stored result of a finished tool call as JSON, or `None`."""
        ...

    async def keep_result(self, call_id: str, result_json: bytes) -> None:
        """Store the result of a tool call."""
        ...


PagePreviews = Callable[[str], Awaitable[outbound.Preview]]
"""Fetches the preview of a web page from the server, with protection against addresses inside its network. Raises a
`LeafError` if there is none."""


@dataclass(kw_only=True)
class ToolProgress(CustomEvent):
    """A preliminary output of the tool call that emits it (`ctx.emit`).

    The next preliminary output or the result replaces it. The model never sees it.
    """

    output: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(slots=True)
class Deps:
    """The surroundings of one run. Everything in them has the asker's own permissions."""

    user_id: UUID
    """The member or guest who asks."""
    run_id: UUID
    drive: DriveAccess
    documents: DocumentCache
    files: FilesAccess
    library: LibraryAccess | None = None
    """The search in the asker's Drive; None for an audience that has none."""
    mode: Mode = Mode.QUICK
    audience: Audience = audiences.MEMBER
    """The asker's audience (`leaf.audiences`)."""
    client_tools: Sequence[ClientTool] = ()
    """Tools that the caller runs (`leaf.agent.tools.client`)."""
    chat_tools: frozenset[str] | None = None
    """The tools to which the chat is limited; None for those of the mode."""
    withheld: frozenset[str] = frozenset()
    """The client tools that are hidden from the model in this run (`leaf.agent.planner`)."""
    journal: Journal | None = None
    preview: PagePreviews | None = None
    """Previews for cards of web pages that the model describes too briefly; if `None`, a card has only the model's
    words."""
    context: Window | None = None
    """The part of the chat that the run can see; if `None`, the run sees all of it."""
    attachments: Attachments | None = None
    """The pictures that came with questions; if `None`, the model is sent none."""
    resource_keys: dict[str, str] = field(default_factory=dict[str, str])
    """Keys of files that were shared by link, by file id, collected in this run; Google requires them with each
    request."""
    names: dict[str, Named] = field(default_factory=dict[str, Named])
    """The Drive files that tools of this run have shown, by id; later error messages name them."""
    cells: Cells = field(default_factory=Cells)
    """Results of computations in this chat that later ones may read."""
    web: WebSession = field(default_factory=WebSession)
    """Web pages that this run has found or read."""
    approvals: bool = True
    """Whether calls that could send something out need an approval (`leaf.agent.approval`)."""
    earlier_tools: frozenset[str] = frozenset()
    """Tools that were used in turns which a summary replaces: the run does not have the messages of these turns."""
    awaits: bool = False
    """Whether this run asks a watched question again, until its answer appears in the asker's files."""
    subquestions: Sequence[str] = ()
    """The parts of the question, if it asks several things for certain (`leaf.citations.subquestions`)."""
    instructions: str = ""
    """The asker's own instructions for all of their questions (`leaf.agent.agents`)."""
    project_instructions: str = ""
    """The asker's own instructions for the chats of one project."""
    cut_calls: Mapping[str, str] = field(default_factory=dict[str, str])
    """Names of tools by the ids of calls that broke off while they were written; the next calls take these ids."""
    clicked: frozenset[str] = frozenset()
    """Messages that the user sent by a click. A model wrote their words, so they authorise nothing."""
    knowledge: KnowledgeAccess | None = None
    """The files and folders from which the site's agent may answer (`leaf.agent.tools.knowledge`)."""
    site: SiteChat = NO_SITE
    """The agent of the site and the page if a site visitor asks (`leaf.agent.site_agent`)."""
