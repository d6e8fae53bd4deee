"""The knowledge of a site's agent: the files and folders that its team has chosen, and nothing else."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from pydantic_ai import ModelRetry

from leaf import errors
from leaf.agent.tools import knowledge as tools
from leaf.db import Actor
from leaf.services import sites
from leaf.services.knowledge import AgentKnowledge
from leaf.services.sites import visitors
from leaf.sites import Source
from sandbox import corpus
from tests.integration.drive_google import Google, Kept, google, id_of, running_google
from tests.integration.people import person
from tests.integration.sandbox_fixtures import SandboxProcess, running_sandbox
from tests.integration.test_api_chat import program
from tests.integration.test_client_tools import ada, script
from tests.integration.test_drive_tools import context
from tests.integration.test_page_tools import worker
from tests.integration.web_fixtures import Browser, World
from tests.integration.widget_pages import Site, asked, begun

__all__ = ["ada", "google", "running_google"]

RETURNS = b"# Returns\n\nParcels come back within 37 days. QUINCE-1\n"
SALARY = "The salary of the director is PLUM-2.\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("drive")
    for name, text in (
        ("Handbook/Returns at a glance.md", RETURNS.decode()),
        ("Handbook/Shipping/Abroad.md", "Shipping abroad takes 9 days. PEAR-3\n"),
        ("Secret/Salaries.md", SALARY),
    ):
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_text(text)
    return made


@pytest.fixture(scope="module")
def sandbox_process(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxProcess]:
    with running_sandbox(tmp_path_factory.mktemp("sandbox"), "--drive", str(folder)) as sandbox:
        yield sandbox


@pytest.fixture
async def owner(ada: Actor, world: World) -> AsyncIterator[Browser]:
    """A browser of a member who has connected Drive; the models are scripted."""
    assert ada.user_id is not None
    async with world.browser("ada") as browser:
        await browser.connect("ada")
        yield browser


def _id(path: str) -> str:
    return corpus.opaque_id(f"folder {path}")


def _link(path: str) -> str:
    return f"https://drive.google.com/drive/folders/{_id(path)}"


def _calls(name: str, **arguments: Any) -> dict[str, Any]:
    return {"calls": [{"name": name, "arguments": arguments}]}


async def _visited(site: Site, *steps: dict[str, Any]) -> tuple[list[dict[str, Any]], list[dict[str, Any]], str]:
    """Has a visitor ask for a scripted answer; returns the frames and events that they receive, and the chat's id."""
    async with site.page() as page, worker():
        chat = await begun(page)
        frames = await asked(page, chat, script(*steps, {"text": "Done."}))
        events = (await page.get(f"/api/chats/{chat}")).json()["events"]
    return frames, events, chat


async def _results(site: Site, chat: str) -> list[Any]:
    """The results of the tools as the team sees them."""
    found = await sites.transcript(site.member, UUID(chat))
    return [one.get("toolResult", one.get("error")) for one in found.events if one["eventType"] == "tool_result"]


async def test_an_agent_answers_from_a_file_that_its_team_has_uploaded(ada: Actor, world: World) -> None:
    """The team sees the passages in the transcript; the visitor sees the titles that the team has given."""
    site = await Site.make(ada)
    async with program(ada) as http:
        path = f"/api/agents/{site.agent_id}/knowledge"
        made = await http.post(path, files={"file": ("returns 2026 final.md", RETURNS, "text/markdown")})
        again = await http.post(path, files={"file": ("another name.md", RETURNS, "text/markdown")})
        wrong = await http.post(path, files={"file": ("a.exe", b"MZ\x90\0\3\0", "application/octet-stream")})
    assert (made.status_code, again.json(), wrong.status_code) == (201, made.json(), 415)
    await sites.rename_source(ada, "file", UUID(made.json()["id"]), "Our returns")
    frames, events, chat = await _visited(site, _calls("search_knowledge", query="parcels come back"))
    (result,) = await _results(site, chat)
    assert "QUINCE-1" in result["passages"][0]["content"]
    assert result["passages"][0]["source"] == "Our returns"
    assert {"sources": ["Our returns"]} in [one.get("toolResult") for one in events]
    assert {"sources": ["Our returns"]} in [one.get("toolResult") for one in frames]
    for hidden in ("QUINCE-1", "returns 2026"):
        assert hidden not in f"{frames}{events}"
    read = _calls("read_knowledge", document=result["passages"][0]["document"])
    *_, chat = await _visited(site, read)
    assert "within 37 days" in (await _results(site, chat))[0]["content"]
    assert world.count("agent_files") == 1
    await sites.remove_source(ada, "file", UUID(made.json()["id"]))
    *_, chat = await _visited(site, read)
    assert "There is no tool with the name" in str(await _results(site, chat))


async def test_an_agent_answers_from_its_folder_and_from_nothing_else(owner: Browser) -> None:
    """Subfolders are included, other files are never read, and no name or id of a file reaches the visitor."""
    member = await owner.actor()
    site = await Site.make(member)
    folder_id = await sites.add_folder(member, site.agent_id, _link("Handbook"))
    await sites.rename_source(member, "folder", folder_id, "How we work")
    handle = Source(folder_id, "", "folder").handle
    wanted = [
        _calls("search_knowledge", query="shipping abroad"),
        _calls("search_knowledge", query="salary"),
        _calls("read_knowledge", document=_id("Secret/Salaries.md")),
        _calls("read_knowledge", document=handle(_id("Secret/Salaries.md"))),
        _calls("read_knowledge", document=f"https://drive.google.com/file/d/{_id('Secret/Salaries.md')}/view"),
        _calls("read_drive_file", file=_id("Secret/Salaries.md")),
        _calls("read_knowledge", document=handle(_id("Handbook/Returns at a glance.md"))),
    ]
    seen: list[Any] = []
    for one in wanted:
        frames, events, chat = await _visited(site, one)
        assert _id("Handbook") not in f"{frames}{events}"
        for hidden in ("at a glance", "Abroad.md", "PEAR-3", "QUINCE-1", "drive.google"):
            assert hidden not in str([each for each in (*frames, *events) if each.get("toolResult")]), hidden
        seen.append(await _results(site, chat))
    assert "PEAR-3" in str(seen[0])
    assert "within 37 days" in str(seen[-1])
    assert "PLUM-2" not in str(seen)
    assert "Salaries" not in str(seen[1])


async def test_a_folder_is_refused_once_its_owner_cannot_read_it(owner: Browser, folder: Path, world: World) -> None:
    """Three cases: the folder is moved, its owner disconnects Drive, and its owner leaves the team (it is removed)."""
    member, ben = await owner.actor(), await person("ben")
    site = await Site.make(member)
    await sites.join(ben, await sites.invite(member, site.site_id))
    folder_id = await sites.add_folder(member, site.agent_id, _link("Handbook"))
    search = _calls("search_knowledge", query="shipping abroad")
    assert await sites.state_of(ben, site.agent_id, folder_id) == "ready"
    assert world.sql("SELECT about FROM security_events WHERE kind = 'site_folder_added'") == [(str(site.agent_id),)]
    (folder / "Handbook").rename(folder / "Elsewhere")
    try:
        *_, chat = await _visited(site, search)
        assert "can no longer open the folder" in str(await _results(site, chat))
        assert await sites.state_of(ben, site.agent_id, folder_id) == "refused"
    finally:
        (folder / "Elsewhere").rename(folder / "Handbook")
    await owner.delete("/api/integrations/google_drive", headers={"origin": str(owner.base_url).rstrip("/")})
    *_, chat = await _visited(site, search)
    (result,) = await _results(site, chat)
    assert (result["passages"], result["sources_searched"]) == ([], 0)
    assert "not connected any more" in result["unavailable"][0]["reason"]
    assert await sites.state_of(ben, site.agent_id, folder_id) == "not_connected"
    assert member.user_id is not None
    await sites.remove(ben, site.site_id, member.user_id)
    assert (await sites.list_knowledge(ben, site.agent_id), world.count("agent_folders")) == ([], 0)


async def test_the_whole_drive_and_single_files_are_no_folders(owner: Browser) -> None:
    member = await owner.actor()
    site = await Site.make(member)
    for link in ("root", "https://drive.google.com/drive/my-drive"):
        with pytest.raises(errors.Invalid, match="whole Drive"):
            await sites.add_folder(member, site.agent_id, link)
    with pytest.raises(errors.Invalid, match="leads to a file"):
        await sites.add_folder(member, site.agent_id, _id("Secret/Salaries.md"))
    assert await sites.list_knowledge(member, site.agent_id) == []


async def test_a_visitor_reads_the_knowledge_of_the_agent_that_they_ask(ada: Actor) -> None:
    """Row-level security enforces this for every request of a run."""
    site, other = await Site.make(ada), await Site.make(await person("ben"), "Bakery", "https://bakery.example")
    await sites.add_file(ada, site.agent_id, "Returns.md", RETURNS)
    keyed = [await visitors.agent_of(one.key) for one in (site, other)]
    claims = visitors.Claims(session_id="a" * 22)
    mine, others = [(await visitors.identify(one, claims, begins=True)).required() for one in keyed]
    (source,) = await AgentKnowledge(mine, site.agent_id).sources()
    assert await AgentKnowledge(mine, site.agent_id).document(source) is not None
    assert await AgentKnowledge(others, site.agent_id).sources() == []
    assert await AgentKnowledge(others, site.agent_id).document(source) is None
    assert await AgentKnowledge(mine, other.agent_id).document(source) is None


class _Handbook:
    """The knowledge of an agent with one folder, in a Drive that the test suite serves."""

    def __init__(self, google: Google, path: str) -> None:
        self._google = google
        self.source = Source(UUID(int=1), "Handbook", "folder", UUID(int=2), UUID(int=3), id_of(path, "folder"))

    async def sources(self) -> list[Source]:
        return [self.source]

    async def document(self, source: Source) -> None:
        raise AssertionError(source)

    def drive(self, source: Source) -> Any:
        return self._google.grant()

    def cache(self, source: Source) -> Any:
        return Kept()


async def test_shortcuts_in_a_folder_lead_nowhere(google: Google) -> None:
    """Otherwise an editor of a shared folder could give visitors any file that the folder's owner may read."""
    deps = google.deps()
    deps.knowledge = handbook = _Handbook(google, "ada:/Linked")
    found = await tools.search_knowledge(context(deps), "Alpha")
    assert found["passages"] == []
    assert "unavailable" not in found
    for path in ("ada:/Report.pdf", "ada:/Linked/To the report", "ada:/Linked/To the finances"):
        with pytest.raises(ModelRetry):
            await tools.read_knowledge(context(deps), handbook.source.handle(id_of(path, "file")))
    found = await tools.search_knowledge(context(deps), "crates")
    assert found["passages"] == []
