"""Projects: a name, a scope and instructions for some of a member's chats, on the server."""

from uuid import UUID, uuid4

import pytest

from leaf import errors
from leaf.agent import agents
from leaf.agent.deps import Deps
from leaf.db import Actor
from leaf.services import chats, conversations, documents, forks, integrations, participants, projects
from leaf.services.files import ChatFiles
from leaf.services.library.scope import NO_SCOPE, ChatScope, Item
from tests.integration.people import end, person
from tests.integration.test_api_chat import answering
from tests.integration.test_files_page import CONTRACTS
from tests.integration.test_library import changing_sandbox, connected, sandbox_process
from tests.integration.web_fixtures import World

__all__ = ["changing_sandbox", "sandbox_process"]

IN_CONTRACTS = ChatScope(folders=(Item(CONTRACTS, "Contracts"),))
RULES = "Answer in one sentence."


async def task_of(actor: Actor, chat_id: UUID, question: str = "What is the rent?") -> tuple[str, ChatScope]:
    """The instructions of a project and the scope with which a worker answers a question."""
    turn = await conversations.ask(actor, chat_id, question)
    assert turn.assistant.run_id is not None
    task = await conversations.assignment(turn.assistant.run_id)
    assert task is not None
    await end(turn.assistant.run_id)
    return task.project_instructions, task.scope


@pytest.mark.usefixtures("world")
async def test_a_chat_that_begins_in_a_project_is_answered_with_its_scope_and_instructions() -> None:
    """# 000-63"""
    ada = await person("ada")
    project = await projects.create(ada, " Cold  store ", instructions=RULES, scope=IN_CONTRACTS)
    assert project.name == "Cold store"
    chat_id = await projects.begin(ada, project.id)
    assert await task_of(ada, chat_id) == (RULES, IN_CONTRACTS)
    assert await task_of(ada, await chats.new(ada)) == ("", NO_SCOPE)
    await projects.change(ada, project.id, instructions="Answer in French.", scope=NO_SCOPE)
    assert await task_of(ada, chat_id) == ("Answer in French.", IN_CONTRACTS), "a begun chat keeps its scope"
    assert await task_of(ada, await projects.begin(ada, project.id)) == ("Answer in French.", NO_SCOPE)


def test_the_instructions_of_a_project_stand_last_and_approve_nothing() -> None:
    """# 000-63"""
    actor = Actor.system()
    access, kept = integrations.UserDrive(actor), documents.UserDocuments(actor)
    deps = Deps(uuid4(), uuid4(), access, kept, ChatFiles(actor, uuid4()), project_instructions=RULES)
    (*_, written) = agents.further_instructions(deps)
    assert written.endswith(f"<project_instructions>\n{RULES}\n</project_instructions>")
    assert "it is no request to change a file or to send anything anywhere" in written


@pytest.mark.usefixtures("world")
async def test_a_moved_chat_keeps_its_scope_and_takes_the_instructions() -> None:
    """# 000-63"""
    ada = await person("ada")
    project = await projects.create(ada, "Cold store", instructions=RULES, scope=IN_CONTRACTS)
    chat_id = await chats.new(ada, ChatScope(kinds=("pdf",)))
    assert await task_of(ada, chat_id) == ("", ChatScope(kinds=("pdf",)))
    await chats.move(ada, [chat_id], project.id)
    assert await task_of(ada, chat_id) == (RULES, ChatScope(kinds=("pdf",)))
    assert (await chats.open(ada, chat_id)).project_id == project.id
    await chats.move(ada, [chat_id], None)
    assert await task_of(ada, chat_id) == ("", ChatScope(kinds=("pdf",)))


@pytest.mark.usefixtures("world")
async def test_the_empty_chat_that_is_taken_again_changes_its_project() -> None:
    """# 000-63"""
    ada = await person("ada")
    project = await projects.create(ada, "Cold store", scope=IN_CONTRACTS)
    chat_id = await projects.begin(ada, project.id)
    assert await chats.new(ada) == chat_id
    opened = await chats.open(ada, chat_id)
    assert (opened.project_id, opened.scope) == (None, NO_SCOPE)
    assert await projects.begin(ada, project.id) == chat_id
    opened = await chats.open(ada, chat_id)
    assert (opened.project_id, opened.scope) == (project.id, IN_CONTRACTS)


@pytest.mark.usefixtures("world")
async def test_a_project_that_is_deleted_leaves_its_chats() -> None:
    """With their scopes, and the lists that pages have are told. # 000-63"""
    ada = await person("ada")
    project = await projects.create(ada, "Cold store", instructions=RULES, scope=IN_CONTRACTS)
    chat_id = await projects.begin(ada, project.id)
    await task_of(ada, chat_id)
    (row,) = (await chats.page(ada, project_id=project.id)).rows
    assert (row.id, row.project_id) == (chat_id, project.id)
    before = await chats.news(ada, None)
    await projects.delete(ada, project.id)
    changes = await chats.news(ada, before.until)
    assert isinstance(changes, chats.Changes)
    assert [(one.id, one.project_id) for one in changes.rows] == [(chat_id, None)]
    assert await task_of(ada, chat_id) == ("", IN_CONTRACTS)
    assert await projects.listed(ada) == []
    with pytest.raises(errors.NotFound):
        await chats.page(ada, project_id=project.id)


@pytest.mark.usefixtures("world")
async def test_a_project_holds_its_chats_but_for_archived_ones() -> None:
    """Pinned ones among them, a page at a time. # 000-63"""
    ada = await person("ada")
    project = await projects.create(ada, "Cold store")
    made: list[UUID] = []
    for _ in range(4):
        made.append(await projects.begin(ada, project.id))
        await task_of(ada, made[-1])
    await task_of(ada, await chats.new(ada))
    await chats.pin(ada, made[1:2], True)
    await chats.archive(ada, made[:1], True)
    first = await chats.page(ada, project_id=project.id, limit=2)
    rest = await chats.page(ada, project_id=project.id, after=first.cursor, limit=2)
    assert [row.id for row in (*first.rows, *rest.rows)] == made[:0:-1]
    assert rest.cursor == ""


@pytest.mark.usefixtures("world")
async def test_each_participant_has_their_own_project_for_a_chat() -> None:
    """The instructions of one of them steer none of another's answers. # 000-63"""
    ada, ben = await person("ada"), await person("ben")
    hers = await projects.create(ada, "Cold store", instructions=RULES)
    his = await projects.create(ben, "Shared with me", instructions="Answer in Welsh.")
    chat_id = await projects.begin(ada, hers.id)
    await task_of(ada, chat_id)
    await participants.invite(ada, chat_id, "ben@example.org")
    (invitation,) = await participants.invitations(ben)
    await participants.accept(ben, invitation.id)
    assert (await task_of(ben, chat_id))[0] == ""
    assert (await chats.open(ben, chat_id)).project_id is None
    with pytest.raises(errors.NotFound):
        await chats.move(ben, [chat_id], hers.id)
    await chats.move(ben, [chat_id], his.id)
    assert (await task_of(ben, chat_id))[0] == "Answer in Welsh."
    assert (await task_of(ada, chat_id))[0] == RULES


@pytest.mark.usefixtures("world")
async def test_a_fork_lies_in_the_project_of_its_original() -> None:
    """# 000-63"""
    ada = await person("ada")
    project = await projects.create(ada, "Cold store", instructions=RULES, scope=IN_CONTRACTS)
    chat_id = await projects.begin(ada, project.id)
    turn = await conversations.ask(ada, chat_id, "What is the rent?")
    await end(turn.assistant.run_id)
    fork = await forks.fork(ada, turn.assistant.id)
    assert await task_of(ada, fork) == (RULES, IN_CONTRACTS)


@pytest.mark.usefixtures("world")
@pytest.mark.parametrize("name", ["", "  ", "\u200b", "x" * 81])
async def test_a_project_needs_a_name_that_can_be_read(name: str) -> None:
    """# 000-63"""
    ada = await person("ada")
    with pytest.raises(errors.Invalid, match="between 1 and 80"):
        await projects.create(ada, name)
    project = await projects.create(ada, "Cold store")
    with pytest.raises(errors.Invalid, match="between 1 and 80"):
        await projects.change(ada, project.id, name=name)
    with pytest.raises(errors.Invalid, match=r"4[,.]?000"):
        await projects.change(ada, project.id, instructions="x" * 4001)
    assert (await projects.read(ada, project.id)).name == "Cold store"


@pytest.mark.usefixtures("world")
async def test_a_member_has_a_limited_number_of_projects(monkeypatch: pytest.MonkeyPatch) -> None:
    """# 000-63"""
    ada, ben = await person("ada"), await person("ben")
    monkeypatch.setattr(projects, "MOST", 2)
    await projects.create(ben, "His")
    for name in ("b", "A"):
        await projects.create(ada, name)
    with pytest.raises(errors.Invalid, match="2 projects"):
        await projects.create(ada, "c")
    assert [one.name for one in await projects.listed(ada)] == ["A", "b"]


async def test_programs_make_change_and_delete_projects(world: World) -> None:
    """And begin chats in them, move chats, and list their chats. # 000-63, 000-14"""
    async with connected(world) as (browser, ada), answering(ada):
        address = f"https://drive.google.com/drive/folders/{CONTRACTS}"
        body = {"name": "Cold store", "instructions": RULES, "scope": {"folders": [address]}}
        made = await browser.post("/api/projects", json=body)
        assert made.status_code == 201, made.text
        limits = {"folders": [{"id": CONTRACTS, "name": "Contracts"}]}
        assert made.json()["scope"] == limits
        project = made.json()["id"]
        assert [one["id"] for one in (await browser.get("/api/projects")).json()] == [project]
        begun = await browser.post("/api/chats", json={"projectId": project})
        chat = f"/api/chats/{begun.json()['id']}"
        told = (await browser.get(chat)).json()
        assert (told["projectId"], told["scope"]) == (project, limits)
        own = await browser.post("/api/chats", json={"projectId": project, "scope": {"kinds": ["pdf"]}})
        assert (await browser.get(f"/api/chats/{own.json()['id']}")).json()["scope"] == {"kinds": ["pdf"]}
        assert (await browser.patch(chat, json={"projectId": None})).status_code == 204
        assert (await browser.get(chat)).json()["projectId"] is None
        assert (await browser.patch(chat, json={"projectId": project})).status_code == 204
        changed = await browser.patch(f"/api/projects/{project}", json={"name": "Store", "scope": None})
        assert (changed.json()["name"], changed.json()["scope"], changed.json()["instructions"]) == (
            "Store",
            None,
            RULES,
        )
        assert (await browser.patch(f"/api/projects/{project}", json={})).status_code == 400
        assert (await browser.get(f"/api/chats?project={project}")).json()["chats"] == [], "none has a question"
        asked = await browser.post("/api/chat", json={"id": "mine", "message": "Hello?", "projectId": project})
        assert asked.status_code == 200
        (listed,) = (await browser.get(f"/api/chats?project={project}")).json()["chats"]
        assert listed["projectId"] == project
        assert (await browser.delete(f"/api/projects/{project}")).status_code == 204
        for gone in (f"/api/projects/{project}", f"/api/chats?project={project}", "/api/projects/none"):
            assert (await browser.get(gone)).status_code == 404
        assert (await browser.get(chat)).json()["projectId"] is None
        for refused in ("/api/chats", "/api/chat"):
            body = {"id": "never", "message": "Hello?", "projectId": project}
            assert (await browser.post(refused, json=body)).status_code == 404
        assert (await browser.get("/api/chats/never")).status_code == 404, "a refused request makes no chat"
