"""A Google of the suite's own: the sandbox over HTTP, its Drive holding one file for each thing that can go wrong."""

import threading
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import httpx
import pytest
import uvicorn

from leaf import config, errors
from leaf.agent.deps import Deps
from leaf.db import Actor
from leaf.documents import Document
from leaf.documents.textfiles.rows import FileText
from leaf.google.access import DriveCredentials
from leaf.google.diagnosis import Cause, Diagnosis
from leaf.google.drive import Drive
from leaf.google.files import DriveFile
from leaf.google.links import DriveLink
from leaf.google.transport import Patience
from leaf.services.files import ChatFiles
from sandbox import app, sample_drive
from sandbox.context import Options

SCOPE = "https://www.googleapis.com/auth/drive.readonly"
REDIRECT = "http://127.0.0.1/callback"
IMPATIENT = Patience(base_seconds=0.01, max_wait_seconds=0.02)
CHAPTER = "The orchard kept careful books. " * 40
MANIFEST = '''
[[folder]]
path = "ada:/Finance"
readers = ["ada"]
[[folder]]
path = "partner:/Shared by link"
resource_key = "0-abcDEF123"
[[folder]]
path = "ada:/Empty"
[[file]]
path = "ada:/Welcome"
kind = "doc"
text = """# Welcome\\n\\nThe cooperative was founded in 1987.\\n\\n## Members\\n\\nThere are 42 members.\\n"""
[[file]]
path = "ada:/Finance/Ada's budget"
kind = "sheet"
text = """=== Budget\\nItem,Cost\\nCrates,1200\\n=== Forecast\\nItem,Cost\\nCrates,1350.5\\n"""
[[file]]
path = "ada:/Finance/Old/Deep notes.txt"
kind = "text"
text = "The cellar key hangs behind the press."
[[file]]
path = "ada:/🍎 Harvest plan.txt"
kind = "text"
text = "Pick the Gravensteins first."
[[file]]
path = "ada:/Pitch"
kind = "slides"
text = """# Apples\\n\\nWe sell apples.\\n\\nNotes: smile\\n\\n---\\n\\n# Pears\\n\\nAlso pears.\\n"""
[[file]]
path = "ada:/Latin.txt"
kind = "text"
encoding = "latin-1"
text = "Größe der Kisten: 3 m². Ärger über Straßenbau."
[[file]]
path = "ada:/Sixteen.txt"
kind = "text"
encoding = "utf-16"
text = "naïve – sixteen bits"
[[file]]
path = "ada:/Report.pdf"
kind = "pdf"
text = """
# One

Alpha
<!-- page -->
# Two

The yield was 317 tonnes.
<!-- page -->
# Three

Omega
"""
[[file]]
path = "ada:/Finance/Costs.pdf"
kind = "pdf"
text = """# Costs

| City | Cost (EUR) |
|---|---|
| Bonn | 1,200.50 |
| Ulm | 99.50 |
| Total | 1,300.00 |
"""
[[file]]
path = "ada:/Scan.pdf"
kind = "scan"
bytes = "scans/delivery-note-4471.pdf"
[[file]]
path = "ada:/Locked.txt"
kind = "text"
can_download = false
text = "secret"
[[file]]
path = "ada:/Survey"
kind = "form"
[[file]]
path = "ada:/To the report"
kind = "shortcut"
target = "ada:/Report.pdf"
[[file]]
path = "ada:/Broken"
kind = "shortcut"
target = "ada:/Nowhere"
[[file]]
path = "ada:/Linked/To the report"
kind = "shortcut"
target = "ada:/Report.pdf"
[[file]]
path = "ada:/Linked/To the finances"
kind = "shortcut"
target = "ada:/Finance"
[[file]]
path = "ada:/Old plan.txt"
kind = "text"
trashed = true
text = "quincequince"
[[file]]
path = "board:/Minutes"
kind = "doc"
text = "# Minutes\\n\\nThe board chose the cider mill.\\n"
[[file]]
path = "partner:/Shared by link/Terms.txt"
kind = "text"
text = "Net thirty days."
[[file]]
path = "ada:/Long.md"
kind = "text"
source = "long.md"
[[file]]
path = "ada:/Sensors"
kind = "doc"
generator = "sensor_log"
'''
HEADER = "number,date,orchard,block,variety,inspector,moths,moisture,brix,remarks\n"
REPORTS = HEADER + "".join(
    f"{n},2025-05-{n % 28 + 1:02d},Hillside,B{n},Topaz,Ida,{n},30,12,Fine\n" for n in range(1, 251)
)


def id_of(path: str, kind: str = "file") -> str:
    """The id of a path of the manifest."""
    return sample_drive.id_of(path, kind)


@dataclass(eq=False)
class Grant:
    """One account's grant (`DriveAccess`), with what was asked of it."""

    token: str
    fresh: str | None = None
    """The token that replaces a rejected one; None: the grant is gone."""
    rejected: list[str] = field(default_factory=list[str])
    noted: list[Diagnosis] = field(default_factory=list[Diagnosis])
    """Failures of the connection itself."""

    async def credentials(self) -> DriveCredentials:
        return DriveCredentials(self.token)

    async def report_rejected(self, access_token: str) -> DriveCredentials:
        self.rejected.append(access_token)
        if self.fresh is None:
            raise errors.DriveRevoked
        return DriveCredentials(self.fresh)

    async def report(self, found: Diagnosis) -> Diagnosis:
        self.noted.append(found)
        return found

    async def report_disproved(self, over: Collection[Cause]) -> None:
        raise AssertionError

    async def count(self, units: int) -> None:
        """Nobody slows down here."""

    async def report_limited(self) -> None:
        """Nobody slows down here."""


class NoGrant:
    """Somebody who has not connected Drive."""

    async def credentials(self) -> DriveCredentials:
        raise errors.DriveNotConnected

    async def report_rejected(self, access_token: str) -> DriveCredentials:
        raise AssertionError(access_token)

    async def report(self, found: Diagnosis) -> Diagnosis:
        raise AssertionError(found)

    async def report_disproved(self, over: Collection[Cause]) -> None:
        raise AssertionError

    async def count(self, units: int) -> None:
        """Nobody slows down here."""

    async def report_limited(self) -> None:
        """Nobody slows down here."""


@dataclass
class Kept:
    """Documents in memory (`DocumentCache`)."""

    documents: dict[tuple[str, str], Document] = field(default_factory=dict[tuple[str, str], Document])

    async def confirmed(self, file_id: str, revision: str) -> None:
        """Nothing is asked again here."""

    async def get(self, file_id: str, revision: str) -> Document | None:
        return self.documents.get((file_id, revision))

    async def put(self, document: Document) -> None:
        self.documents[document.file_id, document.revision] = document


class NoFiles(ChatFiles):
    """The files of a chat that has none, without a database."""

    async def read(self, path: str, version: int | None = None) -> FileText:
        raise errors.NotFound("file")


@dataclass(frozen=True)
class GooglesSearch:
    """A library without an index (`leaf.agent.deps.LibraryAccess`)."""

    access: Any
    limits = None

    async def covers(self, file: DriveFile, resource_keys: dict[str, str]) -> bool:
        del file, resource_keys
        return True

    async def look_up(
        self, queries: Sequence[str], *, folder: DriveLink | None, resource_keys: dict[str, str], **_: Any
    ) -> dict[str, Any]:
        drive = Drive(self.access, resource_keys=resource_keys, patience=IMPATIENT)
        found = [await drive.search(query, folder, max_files=50) for query in queries]
        return {
            "files": [file.describe() for listing in found for file in listing.files],
            "passages": [],
            "index": {"files": 0, "read": 0, "skipped": 0, "listed": False, "complete": False},
            "asked_google": True, "partial": any(one.partial for one in found), "refused": 0, "unanswered": 0,
        }  # fmt: skip


@dataclass
class Google:
    """The running sandbox, and what tests ask of it."""

    url: str
    http: httpx.Client
    tokens: dict[str, str] = field(default_factory=dict[str, str])

    def sign_in(self, account: str) -> str:
        """An access token, through the real consent."""
        asked = {
            "client_id": config.SANDBOX_CLIENT_ID, "redirect_uri": REDIRECT, "response_type": "code", "scope": SCOPE,
            "access_type": "offline", "decision": "allow", "account": account, "granted": SCOPE,
        }  # fmt: skip
        answer = self.http.post(f"{self.url}/o/oauth2/v2/auth", data=asked)
        code = parse_qs(urlsplit(answer.headers["location"]).query)["code"][0]
        form = {
            "client_id": config.SANDBOX_CLIENT_ID, "client_secret": config.SANDBOX_CLIENT_SECRET, "code": code,
            "redirect_uri": REDIRECT, "grant_type": "authorization_code",
        }  # fmt: skip
        return self.http.post(f"{self.url}/token", data=form).json()["access_token"]

    def grant(self, account: str = "ada") -> Grant:
        if account not in self.tokens:
            self.tokens[account] = self.sign_in(account)
        return Grant(self.tokens[account])

    def drive(self, account: str = "ada") -> Drive:
        return Drive(self.grant(account), patience=IMPATIENT)

    def deps(self, access: Any = None) -> Deps:
        access = access or self.grant()
        files = NoFiles(Actor.system(), uuid4())
        return Deps(uuid4(), uuid4(), access, Kept(), files, library=GooglesSearch(access))

    def fault(self, path: str, status: int | None = None, **more: Any) -> None:
        self.http.post(f"{self.url}/sandbox/faults", json={"path": path, "status": status, **more}).raise_for_status()

    def edit(self, file_id: str, **changes: Any) -> None:
        self.http.post(f"{self.url}/sandbox/files/{file_id}", json=changes).raise_for_status()

    def requests(self, containing: str = "") -> list[dict[str, Any]]:
        log: list[dict[str, Any]] = self.http.get(f"{self.url}/sandbox/requests").json()["requests"]
        return [entry for entry in log if containing in f"{entry['path']}?{entry['query']}"]

    def forget(self) -> None:
        self.http.delete(f"{self.url}/sandbox/requests")
        self.http.delete(f"{self.url}/sandbox/faults")


def link(path: str, kind: str = "file", key: str | None = None) -> DriveLink:
    return DriveLink(id_of(path, kind), key)


@pytest.fixture(scope="session")
def running_google(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Google]:
    sources: Path = tmp_path_factory.mktemp("drive")
    (sources / "manifest.toml").write_text(MANIFEST, "utf-8")
    (sources / "field-reports.csv").write_text(REPORTS, "utf-8")
    long = "".join(f"# Chapter {n}\n\nThe answer of chapter {n} is {n * 7919}.\n\n{CHAPTER}\n\n" for n in range(1, 61))
    (sources / "long.md").write_text(long, "utf-8")
    listener = uvicorn.Config("", port=0).bind_socket()
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sample_drive, "_SOURCES", sources)
        made = app.create(Options(state_dir=tmp_path_factory.mktemp("state"), base_url=url))
    server = uvicorn.Server(uvicorn.Config(made, log_level="error", ws="none", lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        with httpx.Client(trust_env=False, timeout=30) as http:
            deadline = time.monotonic() + 20
            while not server.started:
                assert time.monotonic() < deadline
                time.sleep(0.01)
            yield Google(url, http)
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


@pytest.fixture
def google(running_google: Google, no_environment: None, monkeypatch: pytest.MonkeyPatch) -> Google:
    """The suite's Google, without faults and with an empty log; the settings lead to it."""
    monkeypatch.setattr(config, "_current", config.Settings(_env_file=None, sandbox_url=running_google.url))
    running_google.forget()
    return running_google
