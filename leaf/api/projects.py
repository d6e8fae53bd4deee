"""Projects: a name, a scope and instructions for some of the caller's chats."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import Path
from pydantic import BaseModel
from starlette.responses import Response

from leaf import errors
from leaf.api import http, turns
from leaf.api.callers import Known
from leaf.api.routing import Route
from leaf.api.turns.body import ID_CHARACTERS, Lenient, ScopeBody
from leaf.services import projects
from leaf.services.library.scope import NO_SCOPE

ProjectId = Annotated[str, Path(min_length=1, max_length=ID_CHARACTERS)]


class Project(BaseModel):
    """A project."""

    id: UUID
    name: str
    instructions: str
    """Instructions for answers to the caller's questions in the project's chats. They do not approve anything."""
    scope: dict[str, Any] | None
    """The part of the Drive that new chats of the project are limited to, as in a chat; null for all of it."""
    createdAt: datetime  # noqa: N815 - the wire's own spelling
    updatedAt: datetime  # noqa: N815


class NewProject(Lenient):
    """A project to create."""

    name: str
    """1-80 characters."""
    instructions: str = ""
    """At most 4,000 characters."""
    scope: ScopeBody | None = None
    """The part of the Drive that new chats of the project are limited to; null for all of it."""


class ProjectChange(Lenient):
    """Changes of a project; absent fields stay as they are."""

    name: str | None = None
    instructions: str | None = None
    scope: ScopeBody | None = None
    """The scope of chats that begin after the change; null for all of the Drive."""


async def list_projects(caller: Known) -> list[Project]:
    """Lists the caller's projects by their names."""
    return [_as_json(one) for one in await projects.listed(caller.person.actor)]


async def create_project(caller: Known, body: NewProject) -> Project:
    """Creates a project."""
    scope = await turns.scope_of(caller, body.scope) if body.scope is not None else NO_SCOPE
    return _as_json(await projects.create(caller.person.actor, body.name, instructions=body.instructions, scope=scope))


async def read_project(caller: Known, project: ProjectId) -> Project:
    """Returns a project. `GET /api/chats?project=` lists its chats."""
    return _as_json(await projects.read(caller.person.actor, http.id_of(project, "project")))


async def change_project(caller: Known, project: ProjectId, body: ProjectChange) -> Project:
    """Changes a project. Its instructions hold from the next question on, its scope for chats that begin in it."""
    actor, project_id = caller.person.actor, http.id_of(project, "project")
    scoped = "scope" in body.model_fields_set
    if not scoped and body.name is None and body.instructions is None:
        raise errors.Invalid("Nothing to change: send name, instructions or scope.", field="name")
    await projects.read(actor, project_id)
    scope = NO_SCOPE if scoped else None
    if body.scope is not None:
        scope = await turns.scope_of(caller, body.scope)
    return _as_json(
        await projects.change(actor, project_id, name=body.name, instructions=body.instructions, scope=scope)
    )


async def delete_project(caller: Known, project: ProjectId) -> Response:
    """Deletes a project. Its chats stay, with their scopes."""
    await projects.delete(caller.person.actor, http.id_of(project, "project"))
    return Response(status_code=204)


def _as_json(project: projects.Project) -> Project:
    return Project(
        id=project.id,
        name=project.name,
        instructions=project.instructions,
        scope=project.scope.data(),
        createdAt=project.created_at,
        updatedAt=project.updated_at,
    )


_ONE = "/api/projects/{project}"

routes = [
    Route("/api/projects", list_projects, scope="read", tag="Projects"),
    Route("/api/projects", create_project, method="POST", scope="write", tag="Projects", status_code=201),
    Route(_ONE, read_project, scope="read", tag="Projects"),
    Route(_ONE, change_project, method="PATCH", scope="write", tag="Projects"),
    Route(_ONE, delete_project, method="DELETE", scope="write", tag="Projects", status_code=204),
]
