"""Google Drive with the permissions of one user.

Every call passes supportsAllDrives and every list includeItemsFromAllDrives. If one of them is missing, a search finds
a file of a Shared Drive, but reading it returns 404 (mcp-gdrive#2). All pages are fetched, and a listing says what it
omits.
"""

import asyncio
import hashlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from leaf import errors, texts
from leaf.google import diagnosis, refusals, responses, transport
from leaf.google.access import DriveAccess, recorded
from leaf.google.diagnosis import Cause, Diagnosis, Reach
from leaf.google.files import FIELDS, Changes, DriveFile, Listing, Page
from leaf.google.links import DriveLink
from leaf.google.transport import TIMEOUT_SECONDS, HttpFailure, Patience, Transport, UnexpectedResponse, in_thread
from leaf.parts.objects import object_of

PAGE_SIZE = 1000
READ_UNITS, PAGE_UNITS, DOWNLOAD_UNITS = 5, 100, 200
"""The cost of a call in units of Google's quota: metadata, a page of a list or of changes, the content of a file."""
MAX_FILES = 5000
"""Maximum number of files in one listing."""
MAX_DRIVES = 10_000
MAX_QUERY_CHARACTERS = 200
MAX_FOLDERS = 300
"""Maximum number of folders that a search covers."""
PARENTS_PER_QUERY = 15
"""Keeps the address of the request under 2,048 characters. The client library turns a longer one into a POST."""
_FOLDERS = (
    "(mimeType = 'application/vnd.google-apps.folder' or mimeType = 'application/vnd.google-apps.shortcut')"
    " and trashed = false"
)


def escape_query(value: str) -> str:
    """Escapes a value for a quoted string in Drive's query language: backslashes first, then apostrophes."""
    return value.replace("\\", "\\\\").replace("'", "\\'")


class Drive:
    """The Drive of one user.

    Args:
        access: The source of tokens.
        resource_keys: Resource keys of files that were shared by link, by file id. New keys are added to it.
        patience: The retry policy for failing calls.
        timeout_seconds: How long Google may send nothing.

    Every method raises DriveNotConnected or DriveRevoked without a grant, DriveRefused if Google refuses the file, and
    DriveError if Google does not answer or sends an unusable response.
    """

    def __init__(
        self,
        access: DriveAccess,
        *,
        resource_keys: dict[str, str] | None = None,
        patience: Patience | None = None,
        timeout_seconds: float = TIMEOUT_SECONDS,
    ) -> None:
        self.access = access
        self._keys = {} if resource_keys is None else resource_keys
        self._patience = patience or Patience()
        self._timeout_seconds = timeout_seconds

    async def get_file(self, link: DriveLink, *, about: refusals.Named | None = None) -> DriveFile:
        """The file that a link points to. Shortcuts are followed.

        Args:
            link: The link.
            about: The file, if it is known, for the message of a refusal.

        Raises:
            errors.DriveRefused: The file is missing or not shared with this account, or a shortcut has no target.
        """
        file = await self._metadata(link, about)
        if not file.is_shortcut:
            return file
        if not file.target_id:
            raise errors.DriveRefused(texts.english("refusals.shortcut_nowhere", name=file.name))
        try:
            return await self._metadata(DriveLink(file.target_id, file.target_resource_key))
        except errors.DriveRefused as refused:
            found = refused.cause
            if isinstance(found, Diagnosis) and found.cause is Cause.NOT_FOUND:
                broken = Diagnosis(Cause.SHORTCUT_TARGET, found.particulars)
                broken = broken.with_particulars(name=refusals.on_one_line(file.name))
                raise refusals.error_of(broken, status=refused.status) from refused
            reason = texts.english("refusals.shortcut_target", name=file.name, reason=refused.reason)
            raise errors.DriveRefused(reason, status=refused.status) from refused

    async def list_folder(self, link: DriveLink, *, max_files: int = MAX_FILES) -> Listing:
        """The direct contents of a folder, folders first. A shortcut to a folder is followed.

        Raises:
            errors.Invalid: The target is a file.
        """
        folder = await self.get_file(link)
        if not folder.is_folder:
            raise errors.Invalid(texts.english("refusals.list_a_file", name=folder.name), field="folder")
        query = f"'{escape_query(folder.id)}' in parents and trashed = false"
        scope = {"corpora": "drive", "driveId": folder.drive_id} if folder.drive_id else {}
        listing = await self._list(query, max_files, ids=[folder.id], orderBy="folder,name", **scope)
        if folder.trashed:
            listing.notes.append("This folder is in the bin.")
        return Listing(listing.files, listing.partial, listing.notes, folder)

    async def search(self, text: str, in_folder: DriveLink | None = None, *, max_files: int = 200) -> Listing:
        """Files whose name or content contains a text, in every drive that the user can see.

        Args:
            text: Search text, 1-200 characters.
            in_folder: Restricts the search to this folder and the folders below it.
            max_files: Maximum number of files; the listing is partial if there are more.

        Raises:
            errors.Invalid: The text is empty or too long, or `in_folder` is a file.
        """
        text = " ".join(text.split())
        if not 1 <= len(text) <= MAX_QUERY_CHARACTERS:
            raise errors.Invalid(texts.english("refusals.query_length", most=MAX_QUERY_CHARACTERS), field="query")
        value = escape_query(text)
        query = f"(name contains '{value}' or fullText contains '{value}') and trashed = false"
        if in_folder is None:
            return await self._list(query, max_files, corpora="allDrives")
        folder = await self.get_file(in_folder)
        if not folder.is_folder:
            raise errors.Invalid(texts.english("refusals.search_a_file", name=folder.name), field="in_folder")
        return await _search_below(self, folder, query, max_files)

    async def find(self, query: str, max_files: int, *, parents: Sequence[str] = (), **options: str) -> Listing:
        """Files that match a query in Drive's own language. `parents` restricts the result to the direct children of
        these folders (at most about 20). `options` are further parameters of Drive's method `files.list`.
        """
        if parents:
            within = " or ".join(f"'{escape_query(parent)}' in parents" for parent in parents)
            query = f"{query} and ({within})"
        return await self._list(query, max_files, ids=parents, corpora="allDrives", **options)

    async def download(self, file: DriveFile) -> bytes:
        """The content of a file that is not in one of Google's own formats.

        Raises:
            refusals.Changing: The bytes do not match the metadata.
        """
        self.learn(file.id, file.resource_key)
        content = await self.call(
            lambda api: api.files().get_media(fileId=file.id, supportsAllDrives=True),
            ids=[file.id], about=file.named, units=DOWNLOAD_UNITS,
        )  # fmt: skip
        data = responses.content(content)
        if file.md5 and await asyncio.to_thread(_md5, data) != file.md5:
            raise refusals.Changing
        return data

    async def export(self, file: DriveFile, mime_type: str) -> bytes:
        """A Google Doc, Sheet or presentation in another format.

        Google does not export more than 10 MB. It refuses a larger export or answers 500 (google-api-ruby-client#664).
        A server error is therefore retried only a few times, and then the export link is used.
        """
        self.learn(file.id, file.resource_key)
        try:
            content = await self.call(
                lambda api: api.files().export_media(fileId=file.id, mimeType=mime_type),
                ids=[file.id], about=file.named, attempts=3, units=DOWNLOAD_UNITS,
            )  # fmt: skip
        except (refusals.TooLargeToExport, refusals.ServerFailed) as refused:
            try:
                return await self.export_through_link(file, mime_type)
            except (errors.DriveNotConnected, errors.DriveRevoked):
                raise
            except errors.DriveError as failed:
                raise refused from failed
        return responses.content(content)

    async def export_through_link(self, file: DriveFile, mime_type: str) -> bytes:
        """Exports a file through its `exportLinks`, which have no size cap (google-api-python-client#1837).

        Raises:
            errors.DriveRefused: The file has no link for this format.
        """
        response = await self.call(
            lambda api: api.files().get(fileId=file.id, fields="exportLinks", supportsAllDrives=True),
            ids=[file.id], about=file.named,
        )  # fmt: skip
        address = object_of(responses.mapping(response).get("exportLinks")).get(mime_type)
        if not isinstance(address, str) or not transport.may_see_token(address):
            raise errors.DriveRefused(texts.english("refusals.no_export", name=file.name), status=403)

        return await self.fetch(file, address)

    async def fetch(self, file: DriveFile, address: str) -> bytes:
        """The export of a file, or of a revision of it, at its export link. A web page in its place is refused."""

        def request(connection: Transport) -> bytes:
            response, content = connection.request(address)
            if response.get("content-type", "").startswith("text/html"):
                raise UnexpectedResponse
            return content

        return await self.run(request, ids=[file.id], about=file.named, attempts=3, units=DOWNLOAD_UNITS)

    async def about(self) -> str:
        """The e-mail address of the connected Google account."""
        response = await self.call(lambda api: api.about().get(fields="user(emailAddress)"), reach="account")
        return responses.text(object_of(responses.mapping(response).get("user")).get("emailAddress")) or ""

    async def drives(self) -> list[dict[str, str]]:
        """The Shared Drives that the user can see, each with `id` and `name`."""
        found: list[dict[str, str]] = []
        token: str | None = None
        while True:
            page = responses.mapping(await self.call(
                lambda api, token=token: api.drives().list(
                    pageSize=100, pageToken=token, fields="nextPageToken,drives(id,name)"
                ),
                units=PAGE_UNITS,
            ))  # fmt: skip
            found += [
                {"id": drive_id, "name": responses.name(one.get("name")) or "Untitled"}
                for one in map(object_of, responses.items(page.get("drives")))
                if (drive_id := responses.identifier(one.get("id")))
            ]
            before, token = token, responses.page_token(page.get("nextPageToken"))
            if not token:
                return found
            if token == before or len(found) >= MAX_DRIVES:
                raise refusals.unexpected_response()

    async def page(self, token: str | None = None, *, drive_id: str = "", size: int | None = None) -> Page:
        """One page of all files outside the bin: the user's own and those shared with them, or of a Shared Drive.

        Args:
            token: `next_token` of the previous page; None for the first page.
            drive_id: The Shared Drive; empty for the user's files.
            size: Maximum number of files, 1-1000; by default as many as Google allows.
        """
        scope = {"corpora": "drive", "driveId": drive_id} if drive_id else {"corpora": "user"}
        response = responses.mapping(await self.call(
            lambda api: api.files().list(
                q="trashed = false", pageSize=size or PAGE_SIZE, pageToken=token,
                fields=f"nextPageToken,files({FIELDS})",
                supportsAllDrives=True, includeItemsFromAllDrives=True, spaces="drive", **scope,
            ),
            ids=[drive_id] if drive_id else [], reach="drive" if drive_id else None, units=PAGE_UNITS,
        ))  # fmt: skip
        following = responses.page_token(response.get("nextPageToken"))
        if following and following == token:
            raise refusals.unexpected_response()
        return Page(_files_of(responses.items(response.get("files"))), following)

    async def start_token(self, *, drive_id: str = "") -> str:
        """The current end of the Changes feed of the user, or of a Shared Drive."""
        scope = {"driveId": drive_id} if drive_id else {}
        response = responses.mapping(await self.call(
            lambda api: api.changes().getStartPageToken(supportsAllDrives=True, **scope),
            ids=[drive_id] if drive_id else [], reach="drive" if drive_id else None,
        ))  # fmt: skip
        token = responses.page_token(response.get("startPageToken"))
        if token is None:
            raise refusals.unexpected_response()
        return token

    async def changes(self, token: str, *, drive_id: str = "") -> Changes:
        """One page of the changes after a position in the feed of the user, or of a Shared Drive."""
        scope = {"driveId": drive_id} if drive_id else {}
        response = responses.mapping(await self.call(
            lambda api: api.changes().list(
                pageToken=token, pageSize=PAGE_SIZE, includeRemoved=True, includeItemsFromAllDrives=True,
                supportsAllDrives=True, spaces="drive",
                fields=f"nextPageToken,newStartPageToken,changes(changeType,fileId,removed,file({FIELDS}))", **scope,
            ),
            ids=[drive_id] if drive_id else [], reach="drive" if drive_id else None, units=PAGE_UNITS,
        ))  # fmt: skip
        following, end = (responses.page_token(response.get(name)) for name in ("nextPageToken", "newStartPageToken"))
        next_token = following or end
        if next_token is None or following == token:
            raise refusals.unexpected_response()
        # A file may have changed several times; the last entry counts.
        last: dict[str, DriveFile | None] = {}
        for one in map(object_of, responses.items(response.get("changes"))):
            file_id = responses.identifier(one.get("fileId"))
            if one.get("changeType", "file") == "file" and file_id is not None:
                last.pop(file_id, None)
                files = _files_of([one.get("file")]) if one.get("removed") is not True else []
                last[file_id] = files[0] if files else None
        present = [file for file in last.values() if file is not None]
        removed = [file_id for file_id, file in last.items() if file is None]
        return Changes(present, removed, next_token, following is None)

    async def _metadata(self, link: DriveLink, about: refusals.Named | None = None) -> DriveFile:
        self.learn(link.id, link.resource_key)
        response = await self.call(
            lambda api: api.files().get(fileId=link.id, fields=FIELDS, supportsAllDrives=True),
            ids=[link.id], about=about,
        )  # fmt: skip
        file = DriveFile.of(responses.mapping(response))
        if file.id == file.drive_id:
            # The top folder of every Shared Drive has the name "Drive".
            named = await self.call(lambda api: api.drives().get(driveId=file.id, fields="id,name"))
            return replace(file, name=responses.name(responses.mapping(named).get("name")) or file.name)
        self.learn(file.id, file.resource_key)
        return file

    async def _list(self, query: str, max_files: int, *, ids: Iterable[str] = (), **options: Any) -> Listing:
        files: dict[str, DriveFile] = {}
        tokens: list[str | None] = [None]
        skipped, incomplete = 0, False
        while True:
            page = responses.mapping(await self.call(
                lambda api, token=tokens[-1]: api.files().list(
                    q=query, pageSize=min(PAGE_SIZE, max_files), pageToken=token,
                    fields=f"nextPageToken,incompleteSearch,files({FIELDS})", supportsAllDrives=True,
                    includeItemsFromAllDrives=True, spaces="drive", **options,
                ),
                ids=ids, reach="listing", units=PAGE_UNITS,
            ))  # fmt: skip
            for entry in responses.items(page.get("files")):
                try:
                    file = DriveFile.of(responses.mapping(entry))
                except errors.DriveError:
                    skipped += 1
                    continue
                files[file.id] = file
                self.learn(file.id, file.resource_key)
            incomplete = incomplete or page.get("incompleteSearch") is True
            token = responses.page_token(page.get("nextPageToken"))
            if token in tokens[1:]:
                raise refusals.unexpected_response()
            tokens.append(token)
            if not token or len(files) >= max_files:
                break
        if skipped and not files:
            raise refusals.unexpected_response()
        notes = _notes(incomplete=incomplete, skipped=skipped)
        if more := bool(token) or len(files) > max_files:
            notes.append(f"There are more files than the {min(len(files), max_files)} given here.")
        return Listing(list(files.values())[:max_files], incomplete or more or skipped > 0, notes)

    def learn(self, file_id: str, resource_key: str | None) -> None:
        """Remembers the resource key of a file that was shared by link."""
        if resource_key:
            self._keys[file_id] = resource_key

    async def call(
        self, build: Callable[[Any], Any], *, ids: Iterable[str] = (), about: refusals.Named | None = None,
        attempts: int | None = None, reach: Reach | None = None, units: int = READ_UNITS,
    ) -> Any:  # fmt: skip
        """Makes a request of the client library and returns its response. For modules of this package."""
        endpoint = transport.endpoint()

        def execute(connection: Transport) -> Any:
            request = build(transport.client(endpoint))
            try:
                return request.execute(http=connection)
            except (ValueError, RecursionError) as error:
                # Such errors come from bodies that are not text, numbers with thousands of digits, and deep nesting.
                raise UnexpectedResponse from error

        return await self.run(execute, ids=ids, about=about, attempts=attempts, reach=reach, units=units)

    async def run(
        self, execute: Callable[[Transport], Any], *, ids: Iterable[str] = (), about: refusals.Named | None = None,
        attempts: int | None = None, reach: Reach | None = None, units: int = READ_UNITS,
    ) -> Any:  # fmt: skip
        """Makes a request with the user's token over a connection of its own. For modules of this package."""
        ids = tuple(ids)
        reach = reach or ("file" if ids else "listing")
        keys = [f"{one}/{self._keys[one]}" for one in ids if one in self._keys]
        headers = {"x-goog-drive-resource-keys": ",".join(keys)} if keys else {}
        skew: float | None = None

        async def call_with(access_token: str) -> Any:
            connection = Transport(access_token, headers, self._timeout_seconds)

            async def attempt() -> Any:
                nonlocal skew
                await self.access.count(units)
                try:
                    return await in_thread(lambda: execute(connection))
                except HttpFailure as failure:
                    if failure.is_limited:
                        await self.access.report_limited()
                    raise
                finally:
                    skew = connection.skew_seconds

            return await self._patience.retrying(attempts)(attempt)

        credentials = await self.access.credentials()
        try:
            try:
                answer = await call_with(credentials.access_token)
            except HttpFailure as failure:
                if failure.status != 401:
                    raise
                credentials = await self.access.report_rejected(credentials.access_token)
                answer = await call_with(credentials.access_token)
        except refusals.FAILURES as failure:
            file_id = ids[0] if len(ids) == 1 else ""
            subject = refusals.Subject(reach, about, credentials.account, keyed=bool(keys), file_id=file_id)
            error = refusals.explain(failure, subject)
            raise await recorded(self.access, error, subject, skew, troubled=credentials.troubled) from failure
        if credentials.troubled:
            await self.access.report_disproved(diagnosis.disproved(reach, skew))
        return answer


def _files_of(entries: Iterable[Any]) -> list[DriveFile]:
    """The files in a response, without entries that have no id."""
    found: list[DriveFile] = []
    for entry in entries:
        with suppress(errors.DriveError):
            found.append(DriveFile.of(responses.mapping(entry)))
    return found


def _notes(*, incomplete: bool, skipped: int) -> list[str]:
    notes: list[str] = []
    if incomplete:
        notes.append(Diagnosis(Cause.INCOMPLETE_SEARCH).message)
    if skipped:
        entries = "1 entry was" if skipped == 1 else f"{skipped} entries were"
        notes.append(f"{entries} skipped: Google describes no file there that Leaf could open.")
    return notes


async def _search_below(drive: Drive, folder: DriveFile, query: str, max_files: int) -> Listing:
    """The files in a folder and in all folders below it that match a query in Drive's own language."""
    folders, shortcuts, notes, partial = await _folders_below(drive, folder)
    found: dict[str, DriveFile] = {}
    for start in range(0, len(folders), PARENTS_PER_QUERY):
        listing = await drive.find(query, max_files, parents=folders[start : start + PARENTS_PER_QUERY])
        found |= {file.id: file for file in listing.files}
        partial = partial or listing.partial
        notes += [note for note in listing.notes if note not in notes]
        if len(found) >= max_files and start + PARENTS_PER_QUERY < len(folders):
            partial = True
            notes.append(f"The search stopped after {max_files} files: there may be more.")
            break
    if shortcuts:
        notes.append(f"{shortcuts} shortcuts in the folder lead to files elsewhere; their content was not searched.")
    return Listing(list(found.values())[:max_files], partial, notes, folder)


async def _folders_below(drive: Drive, top: DriveFile) -> tuple[list[str], int, list[str], bool]:
    """The ids of a folder and of the folders below it, level by level; the number of shortcuts to files in them; notes;
    and whether something was left out.
    """
    seen, level = [top.id], [top.id]
    shortcuts, partial = 0, False
    notes: list[str] = []
    while level and len(seen) < MAX_FOLDERS:
        below: list[str] = []
        for start in range(0, len(level), PARENTS_PER_QUERY):
            listing = await drive.find(_FOLDERS, MAX_FOLDERS, parents=level[start : start + PARENTS_PER_QUERY])
            partial = partial or listing.partial
            notes += [note for note in listing.notes if note not in notes]
            for file in listing.files:
                if file.kind != "folder":
                    shortcuts += 1
                    continue
                folder_id = await _target(drive, file) if file.is_shortcut else file.id
                if folder_id is None:
                    notes.append(f"The shortcut “{file.name}” leads to a folder that cannot be opened.")
                elif folder_id not in seen and folder_id not in below:
                    below.append(folder_id)
        seen += below
        level = below
    if len(seen) > MAX_FOLDERS or level:
        partial = True
        notes.append(
            f"There are many folders below this one: the search covered the first {min(len(seen), MAX_FOLDERS)}."
        )
    return seen[:MAX_FOLDERS], shortcuts, notes, partial


async def _target(drive: Drive, shortcut: DriveFile) -> str | None:
    """The id of the folder that a shortcut points to; None if it cannot be opened, because it would fail the query."""
    try:
        return (await drive.get_file(DriveLink(shortcut.id, shortcut.resource_key))).id
    except errors.DriveRefused:
        return None


def _md5(data: bytes) -> str:
    return hashlib.md5(data, usedforsecurity=False).hexdigest()
