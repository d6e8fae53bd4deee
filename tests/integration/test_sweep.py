"""The cross-user sweep: ben tries every route, event and service function with ada's ids, and gets nothing.

Everything that can be called is enumerated, so a new route, event handler or service function makes this fail until it
has a case here. (CVE-2026-45349, -45671, -45402 and -31950 were each one forgotten path.)  # 000-40
"""

import asyncio
import importlib
import inspect
import json
import pkgutil
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast
from uuid import UUID, uuid4

import httpx
import pytest
import reflex as rx
from reflex.istate.data import RouterData
from starlette.routing import BaseRoute, Mount, Route

import leaf.services
import leaf.state
from leaf import api, errors, parts, streams
from leaf import redis as leaf_redis
from leaf.agent import provider_log
from leaf.callers import tokens
from leaf.config.catalog import Kind, Mode
from leaf.db import Actor, Transaction, models, transaction
from leaf.db.actor import Guest
from leaf.db.models import MessageStatus
from leaf.documents import Document, Segment
from leaf.documents.chunks import chunks_of
from leaf.google import drive as drive_client
from leaf.google import oauth
from leaf.google.access import DriveCredentials
from leaf.google.diagnosis import Cause, Diagnosis
from leaf.google.files import DriveFile
from leaf.google.links import DriveLink
from leaf.parts.summaries import Summary
from leaf.services import (
    account_deletion,
    accounts,
    api_keys,
    cells,
    charts,
    chat_reads,
    chats,
    comparisons,
    computations,
    conversations,
    doctor,
    documents,
    drive,
    exports,
    feedback,
    files,
    forks,
    guests,
    imports,
    integrations,
    knowledge,
    mentions,
    participants,
    passages,
    preferences,
    projects,
    readers,
    runs,
    security,
    shares,
    sites,
    suggestions,
    summaries,
    usage,
    watches,
)
from leaf.services import models as model_service
from leaf.services.chats import lists
from leaf.services.conversations import dispatch, drafts, queue, steps
from leaf.services.conversations.drafts import DatabaseDraft
from leaf.services.conversations.store import Draft
from leaf.services.files import uploads
from leaf.services.files.store import prune
from leaf.services.knowledge import AgentKnowledge
from leaf.services.library import (
    choices,
    file_texts,
    folders,
    lookup,
    pictures,
    progress,
    quotes,
    search,
    sight,
    standings,
    vectors,
)
from leaf.services.library.scope import EVERYTHING, NO_SCOPE, Scope
from leaf.services.runs import call_claims
from leaf.services.sites import settings as site_settings
from leaf.services.sites import visitors
from leaf.services.sites.visitors import VisitorCaller
from leaf.services.usage import limits
from leaf.services.watches import digests, questions
from leaf.sites import Source
from leaf.state import delivery, run_feed
from leaf.state.share import Link
from tests.integration.people import end
from tests.integration.redis_fixtures import until
from tests.integration.rls_world import Rows, Tables
from tests.integration.web_fixtures import Browser, World
from tests.integration.widget_pages import Site
from tests.run_reader import first

SECRET = "ada-only-orchard"
"""Stands in everything of ada's that ben might get to see."""


@dataclass
class Scene:
    """Ada's rows, and Ben's browser; both are signed in and have connected their own Drives."""

    world: World
    ada: Browser
    ben: Browser
    victim: accounts.Session
    intruder: accounts.Session
    chat_id: UUID
    """Ada's chat: one finished answer, and one that is being written."""
    message_id: UUID
    """An answer of ada's that failed, in a chat of its own."""
    failed_run_id: UUID
    run_id: UUID
    """Ada's run that is going."""
    file_id: str
    """A file of ada's Drive that ben may not see."""
    text_id: UUID
    """The text of that file in the index."""
    project_id: UUID
    """Ada's project, in which that chat lies."""
    watch_id: UUID
    """Ada's watched question in it."""
    share_id: UUID
    """Ada's link to a chat of hers."""
    queued_id: UUID
    """A message of ada's that waits for that run."""
    invitation_id: UUID
    """An invitation of ada's, for somebody else."""
    import_id: UUID
    """A file of ada's that becomes chats."""
    key_id: UUID
    """A key of ada's."""
    site: Site
    """A site of ada's, with an agent."""
    visited: UUID
    """A visitor's chat with that agent."""
    answered: UUID
    """The answer in it."""
    visited_run: UUID
    """The run that wrote it."""
    source_id: UUID
    """A file that the agent answers from."""
    log_id: UUID
    """A request to the model of it, which is kept."""
    visitor: VisitorCaller
    """Another visitor of the same agent: ben, as it were."""
    callback: str
    """Where Google sent ada's browser back to, not yet used."""
    tables: Tables

    @property
    def actor(self) -> Actor:
        return self.intruder.actor

    async def belongings(self, *, again: bool = False) -> tuple[Rows, list[bytes]]:
        """Everything that is ada's, in the database and in Redis (`again`: `Tables.rows`)."""
        rows = self.tables.rows(again=again)
        hers = {str(self.victim.user_id), str(self.victim.workspace_id), str(self.chat_id), str(self.visited)}
        hers |= {str(self.site.site_id), str(self.site.agent_id), str(self.text_id), str(self.project_id)}
        mine = {
            table: [row for row in found if hers & {str(value) for value in row.values()}]
            for table, found in rows.items()
        }
        keys = sorted([key async for key in leaf_redis.client().scan_iter(f"leaf:run:{self.run_id}:*")])
        return mine, keys


@pytest.fixture
async def scene(world: World) -> AsyncIterator[Scene]:
    async with Browser(headers={"user-agent": SECRET}) as ada, Browser() as ben:
        victim, intruder = await ada.sign_in("ada"), await ben.sign_in("ben")
        await ada.connect("ada")
        await ben.connect("ben")
        world.sql("UPDATE integrations SET provider_account_email = %s WHERE user_id = %s", SECRET, victim.user_id)
        (finance,) = [entry for entry in (await drive.folder(victim.actor, "root")).files if entry.name == "Finance"]
        document = Document(
            file_id=finance.id, revision="1", name=SECRET, mime_type="text/plain", kind="text", segments=()
        )
        await documents.UserDocuments(victim.actor).put(document)
        text_id = await _indexed(victim.actor, finance.id)
        failed = await conversations.ask(victim.actor, await chats.new(victim.actor), SECRET)
        quoted = {"n": 1, "kind": "drive", "verified": True, "file_id": finance.id, "quote": SECRET, "at": []}
        cited = {"type": "data-citations", "id": "citations", "data": [quoted]}
        await end(failed.assistant.run_id, MessageStatus.ERROR, error_text=SECRET, parts=[cited])
        chat_id = await chats.new(victim.actor)
        done = await conversations.ask(victim.actor, chat_id, SECRET)
        await end(done.assistant.run_id, parts=[{"type": "text", "text": SECRET}])
        going = await conversations.ask(victim.actor, chat_id, SECRET)
        assert going.assistant.run_id
        assert failed.assistant.run_id
        # It has to last for the whole sweep.
        lease = await streams.acquire(going.assistant.run_id, "worker", seconds=600)
        assert lease is not None
        chunks = [
            {"type": "start"},
            {"type": "text-start", "id": "1"},
            {"type": "text-delta", "id": "1", "delta": SECRET},
        ]
        await streams.Writer(going.assistant.run_id, lease.token).append(chunks)
        await files.ChatFiles(victim.actor, chat_id).write("plan.md", SECRET)
        queued = await conversations.ask(victim.actor, chat_id, SECRET, queue=True)
        assert isinstance(queued, conversations.Queued)
        project = await projects.create(victim.actor, SECRET, instructions=SECRET)
        await chats.move(victim.actor, [chat_id], project.id)
        watch = await watches.begin(victim.actor, done.assistant.id)
        share = await shares.share(victim.actor, chat_id)
        await participants.invite(victim.actor, chat_id, "carol@example.org")
        ((invitation,),) = (await participants.listed(victim.actor, chat_id))[1:]
        import_id = await imports.begin(victim.actor, SECRET, json.dumps([{"title": SECRET}]).encode())
        hers, _ = await api_keys.create(victim.actor, SECRET, ["read"], lasts_days=30)
        site, visited, answered, visited_run, log_id, visitor = await _visited(victim.actor)
        source_id = await sites.add_file(victim.actor, site.agent_id, f"{SECRET}.txt", SECRET.encode())
        callback = await ada.consent(await ada.get("/auth/google/start"), "ada")
        yield Scene(
            world, ada, ben, victim, intruder, chat_id, failed.assistant.id, failed.assistant.run_id,
            going.assistant.run_id, finance.id, text_id, project.id, watch.id, share.id, queued.id, invitation.id,
            import_id, hers.id, site, visited, answered, visited_run, source_id, log_id, visitor, callback,
            Tables(str(world.settings.database_url)),
        )  # fmt: skip


async def _indexed(member: Actor, file_id: str) -> UUID:
    """Has the index of a member hold a file with a text."""
    file = DriveFile.of(
        {"id": file_id, "name": SECRET, "mimeType": "text/plain", "headRevisionId": "1", "webViewLink": "https://x.example"}
    )  # fmt: skip
    async with transaction(member) as tx:
        await sight.store(tx, [file])
    taken = await file_texts.claim_file(
        member, file_texts.Waiting(DriveLink(file_id), "1", SECRET, "text/plain", "text")
    )
    assert taken is not None
    document = Document(file_id, "1", SECRET, "text/plain", "text", [Segment("all", None, SECRET)])
    await file_texts.keep(member, taken, document, chunks_of(document))
    return taken.id


async def _visited(member: Actor) -> tuple[Site, UUID, UUID, UUID, UUID, VisitorCaller]:
    site = await Site.make(member, SECRET, system_prompt=SECRET, welcome=SECRET, provider_logs=True)
    keyed = await visitors.agent_of(site.key)
    asker = await visitors.identify(keyed, visitors.Claims(session_id="a" * 22), begins=True)
    chat_id = await visitors.begin(asker, {"pageUrl": SECRET})
    turn = await conversations.ask(asker.required(), chat_id, SECRET, terms=visitors.terms(asker, {}, ""))
    await end(turn.assistant.run_id, parts=[{"type": "text", "text": SECRET}])
    other = await visitors.identify(keyed, visitors.Claims(session_id="b" * 22), begins=True)
    assert turn.assistant.run_id
    chunks = [{"type": "text-start", "id": "1"}, {"type": "text-delta", "id": "1", "delta": SECRET}]
    await streams.Writer(turn.assistant.run_id, "worker").append(chunks)
    exchange = provider_log.Exchange(SECRET, SECRET.encode(), 1)
    await sites.keep_logs(asker.required(), keyed.agent, chat_id, turn.assistant.id, turn.assistant.run_id, [exchange])
    (log,) = await sites.list_logs(member, chat_id)
    return site, chat_id, turn.assistant.id, turn.assistant.run_id, log.id, other


async def nothing_happened(
    scene: Scene, before: tuple[Rows, list[bytes]], name: str, shown: object, *, again: bool = False
) -> None:
    """Ben was shown nothing of ada's, and everything of hers is as it was."""
    assert SECRET not in repr(shown), f"{name} showed ben something of ada's"
    after = await scene.belongings(again=again)
    assert after == before, f"{name} changed something of ada's"


def without_a_case(found: set[str], cases: set[str], where: str) -> None:
    missing, stale = sorted(found - cases), sorted(cases - found)
    assert not missing, f"Add a case to {where} in {__file__}, in which ben tries ada's ids, for: {', '.join(missing)}"
    assert not stale, f"Remove from {where} in {__file__} what no longer exists: {', '.join(stale)}"


# Routes.

RouteCase = Callable[[Scene, httpx.AsyncClient], Awaitable[httpx.Response]]
CALM = {303}
REFUSED = {401, 403, 404, 409}


def _get(path: Callable[[Scene], str]) -> RouteCase:
    return lambda scene, http: http.get(path(scene))


def _post(path: Callable[[Scene], str], body: Callable[[Scene], dict[str, Any]] = lambda _: {}) -> RouteCase:
    return lambda scene, http: http.post(path(scene), json=body(scene))


def _hook(scene: Scene) -> str:
    """A token as ada's own tab would get it."""
    claims = {"run": str(scene.run_id), "message": str(scene.message_id), "call": "call", "exp": time.time() + 60}
    further = {"user": str(scene.victim.user_id), "document": None, "nonce": "n"}
    return tokens.sign({**claims, **further}, key=scene.world.settings.signing_secret, purpose="client-call")


ROUTES: dict[str, tuple[RouteCase, set[int]]] = {
    "GET /api/health": (_get(lambda _: "/api/health"), {200}),
    "GET /healthz": (_get(lambda _: "/healthz"), {200}),
    "GET /widget.js": (_get(lambda _: "/widget.js"), {200}),
    "GET /widget.mjs": (_get(lambda _: "/widget.mjs"), {200}),
    "GET /widget-demo": (_get(lambda scene: f"/widget-demo?key={scene.chat_id}"), {200, 404}),
    "GET /readyz": (_get(lambda _: "/readyz"), {200, 503}),
    "GET /metrics": (_get(lambda _: "/metrics"), {404}),
    "GET /auth/{provider}/start": (_get(lambda _: "/auth/google/start"), CALM),
    "GET /auth/callback": (_get(lambda scene: scene.callback), CALM),
    "GET /auth/integrations/google-drive": (_get(lambda _: "/auth/integrations/google-drive"), CALM),
    "GET /auth/integrations/google-drive/callback": (
        _get(lambda scene: scene.callback.replace("/auth/", "/auth/integrations/google-drive/")), CALM
    ),
    "GET /api/drive/folders": (_get(lambda scene: f"/api/drive/folders?url={scene.file_id}"), REFUSED),
    "GET /api/drive/files/{file_id}": (_get(lambda scene: f"/api/drive/files/{scene.file_id}"), REFUSED),
    "GET /api/drive/files/{file_id}/picture": (
        _get(lambda scene: f"/api/drive/files/{scene.file_id}/picture?place=page+1&quote={SECRET}"), REFUSED
    ),
    "GET /api/drive/names": (_get(lambda _: f"/api/drive/names?begun={SECRET}"), {200, 401}),
    "GET /api/openapi.json": (_get(lambda _: "/api/openapi.json"), {200}),
    # What is another's is unknown here: as for a chat that is yet to be made, nothing is being written.
    "GET /api/chat/{chat}/stream": (_get(lambda scene: f"/api/chat/{scene.chat_id}/stream"), {204, 401}),
    "POST /api/chat/{chat}/stop": (_post(lambda scene: f"/api/chat/{scene.chat_id}/stop"), {401, 404}),
    "POST /api/chat": (
        lambda scene, http: http.post("/api/chat", json={"chatSessionId": str(scene.chat_id), "content": "Hello?"}),
        {401, 404},
    ),
    "GET /api/chats": (_get(lambda _: "/api/chats"), {200, 401}),
    "GET /api/projects": (_get(lambda _: "/api/projects"), {200, 401}),
    "POST /api/projects": (_post(lambda _: "/api/projects", lambda _: {"name": "Mine"}), {201, 401}),
    "GET /api/projects/{project}": (_get(lambda scene: f"/api/projects/{scene.project_id}"), {401, 404}),
    "PATCH /api/projects/{project}": (
        lambda scene, http: http.patch(f"/api/projects/{scene.project_id}", json={"name": "Mine"}), {401, 404}
    ),
    "DELETE /api/projects/{project}": (
        lambda scene, http: http.delete(f"/api/projects/{scene.project_id}"), {401, 404}
    ),
    "GET /api/watches": (_get(lambda _: "/api/watches"), {200, 401}),
    "POST /api/watches": (
        _post(lambda _: "/api/watches", lambda scene: {"message": str(scene.message_id)}), {401, 404}
    ),
    "PATCH /api/watches/{watch}": (
        lambda scene, http: http.patch(f"/api/watches/{scene.watch_id}", json={"every": "week"}), {401, 404}
    ),
    "DELETE /api/watches/{watch}": (lambda scene, http: http.delete(f"/api/watches/{scene.watch_id}"), {401, 404}),
    "GET /api/search": (_get(lambda _: "/api/search?q=orchard"), {200, 401}),
    "POST /api/chats": (_post(lambda _: "/api/chats", lambda _: {}), {201, 401}),
    "GET /api/chats/{chat}": (_get(lambda scene: f"/api/chats/{scene.chat_id}"), {401, 404}),
    "PATCH /api/chats/{chat}": (
        lambda scene, http: http.patch(f"/api/chats/{scene.chat_id}", json={"title": "Mine", "archived": True}),
        {401, 404},
    ),
    "DELETE /api/chats/{chat}": (lambda scene, http: http.delete(f"/api/chats/{scene.chat_id}"), {401, 404}),
    "POST /api/chats/{chat_id}/restore": (_post(lambda scene: f"/api/chats/{scene.chat_id}/restore"), {401, 404}),
    "POST /api/chats/{chat}/fork": (
        _post(lambda scene: f"/api/chats/{scene.chat_id}/fork", lambda scene: {"messageId": str(scene.message_id)}),
        {401, 404},
    ),
    "POST /api/chats/{chat}/share": (_post(lambda scene: f"/api/chats/{scene.chat_id}/share"), {401, 404}),
    "DELETE /api/chats/{chat}/share": (
        lambda scene, http: http.delete(f"/api/chats/{scene.chat_id}/share"), {401, 404}
    ),
    "GET /api/shares": (_get(lambda _: "/api/shares"), {200, 401}),
    "GET /api/chats/{chat}/export.zip": (_get(lambda scene: f"/api/chats/{scene.chat_id}/export.zip"), {401, 404}),
    "PUT /api/messages/{message_id}/feedback": (
        lambda scene, http: http.put(f"/api/messages/{scene.message_id}/feedback", json={"sentiment": "up"}),
        {401, 404},
    ),
    "DELETE /api/messages/{message_id}/feedback": (
        lambda scene, http: http.delete(f"/api/messages/{scene.message_id}/feedback"), {401, 404}
    ),
    "POST /api/messages/{message_id}/answers": (
        _post(
            lambda scene: f"/api/messages/{scene.message_id}/answers",
            lambda _: {"toolCallId": "call", "answer": {"skipped": True}},
        ),
        {401, 404},
    ),
    "POST /api/messages/{message_id}/calls/{call_id}/claim": (
        _post(lambda scene: f"/api/messages/{scene.message_id}/calls/call/claim", lambda _: {"tab": "mine"}),
        {401, 404},
    ),
    "POST /api/hooks/{token}": (
        _post(lambda scene: f"/api/hooks/{_hook(scene)}", lambda _: {"toolCallId": "call", "result": "mine"}),
        {401, 404},
    ),
    "GET /api/agents/{agent}/conversations.json": (
        _get(lambda scene: f"/api/agents/{scene.site.agent_id}/conversations.json"), {401, 404}
    ),
    "GET /api/agents/{agent}/tools": (_get(lambda scene: f"/api/agents/{scene.site.agent_id}/tools"), {401, 404}),
    "POST /api/agents/{agent}/knowledge": (
        lambda scene, http: http.post(
            f"/api/agents/{scene.site.agent_id}/knowledge", files={"file": ("a.txt", b"Mine", "text/plain")}
        ),
        {401, 404},
    ),
    "PUT /api/agents/{agent}/attachments": (
        lambda scene, http: http.put(f"/api/agents/{scene.site.agent_id}/attachments", json={"on": True}), {401, 404}
    ),
    "PUT /api/agents/{agent}/tools": (
        lambda scene, http: http.put(f"/api/agents/{scene.site.agent_id}/tools", json={"tools": []}), {401, 404}
    ),
    "GET /api/agents/{agent}/conversations.csv": (
        _get(lambda scene: f"/api/agents/{scene.site.agent_id}/conversations.csv"), {401, 404}
    ),
    "GET /api/models": (_get(lambda _: "/api/models"), {200, 401}),
    "GET /api/usage": (_get(lambda _: "/api/usage"), {200, 401}),
    "ANY /api/{rest:path}": (_get(lambda scene: f"/api/{scene.chat_id}"), {404}),
    "GET /api/chats/{chat}/files": (_get(lambda scene: f"/api/chats/{scene.chat_id}/files"), {401, 404}),
    "POST /api/chats/{chat}/files": (
        lambda scene, http: http.post(f"/api/chats/{scene.chat_id}/files", files={"file": ("x.md", b"mine")}),
        {401, 404},
    ),
    "GET /api/chats/{chat}/files.zip": (_get(lambda scene: f"/api/chats/{scene.chat_id}/files.zip"), {401, 404}),
    "GET /api/chats/{chat}/files/{path:path}": (
        _get(lambda scene: f"/api/chats/{scene.chat_id}/files/plan.md"), {401, 404}
    ),
    "GET /api/chats/{chat}/pictures/{path:path}": (
        _get(lambda scene: f"/api/chats/{scene.chat_id}/pictures/plan.md?place=page+1"), {401, 404}
    ),
    "GET /api/chats/{chat}/cells": (_get(lambda scene: f"/api/chats/{scene.chat_id}/cells"), {401, 404}),
    "PUT /api/runs/{run_id}/cells/{call_id}": (
        lambda scene, http: http.put(f"/api/runs/{scene.run_id}/cells/call", json={"query": "SELECT 1"}), {401, 404}
    ),
    "DELETE /api/runs/{run_id}/cells/{call_id}": (
        lambda scene, http: http.delete(f"/api/runs/{scene.run_id}/cells/call"), {401, 404}
    ),
    "GET /api/chats/{chat}/cells.zip": (_get(lambda scene: f"/api/chats/{scene.chat_id}/cells.zip"), {401, 404}),
    "GET /api/chats/{chat}/export.json": (_get(lambda scene: f"/api/chats/{scene.chat_id}/export.json"), {401, 404}),
    "GET /api/chats/{chat}/export.md": (_get(lambda scene: f"/api/chats/{scene.chat_id}/export.md"), {401, 404}),
    "POST /api/imports": (
        lambda scene, http: http.post("/api/imports", files={"file": ("x.json", str(scene.chat_id).encode())}),
        {202, 401, 409},
    ),
    "DELETE /api/chats/{chat}/files/{path:path}": (
        lambda scene, http: http.delete(f"/api/chats/{scene.chat_id}/files/plan.md"), {401, 404}
    ),
    "GET /api/runs/{run_id}/charts/{call_id}.svg": (
        _get(lambda scene: f"/api/runs/{scene.run_id}/charts/call.svg"), {401, 404}
    ),
    "GET /api/runs/{run_id}/charts/{call_id}.png": (
        _get(lambda scene: f"/api/runs/{scene.run_id}/charts/call.png"), {401, 404}
    ),
    "POST /api/runs/{run_id}/stop": (_post(lambda scene: f"/api/runs/{scene.run_id}/stop"), {401, 404}),
    "GET /api/chats/{chat_id}/share": (_get(lambda scene: f"/api/chats/{scene.chat_id}/share"), {401, 404}),
    "GET /share/{token}": (_get(lambda scene: f"/share/{scene.chat_id}"), {404}),
    "GET /api/runs/{run_id}": (_get(lambda scene: f"/api/runs/{scene.run_id}"), {401, 404}),
    "GET /api/integrations": (_get(lambda _: "/api/integrations"), {200, 401}),
    "POST /api/integrations/{provider}/check": (
        lambda _, http: http.post("/api/integrations/google_drive/check"), {200, 401, 409}
    ),
    "DELETE /api/integrations/{provider}": (
        lambda _, http: http.delete("/api/integrations/google_drive"), {204, 401, 404}
    ),
    "GET /api/account/export": (_get(lambda _: "/api/account/export"), {200, 401}),
    "POST /api/account/delete": (
        lambda scene, http: http.post("/api/account/delete", data={"email": scene.victim.email}), CALM
    ),
    "GET /auth/guest": (_get(lambda _: "/auth/guest"), {401}),
    "POST /auth/guest/new": (lambda _, http: http.post("/auth/guest/new"), CALM),
    "POST /auth/guest/keep": (lambda _, http: http.post("/auth/guest/keep"), CALM),
    "POST /auth/sign-out": (lambda _, http: http.post("/auth/sign-out"), CALM),
}  # fmt: skip


def routes_of(routes: list[BaseRoute], prefix: str = "") -> set[str]:
    """Every method and path; anything that is neither a route nor a mount must be taught to this function."""
    found: set[str] = set()
    for route in routes:
        if isinstance(route, Mount) and route.name in {"site", "widget"}:
            continue  # Known by public keys: `test_widget_sweep` has these.
        if isinstance(route, Mount):
            found |= routes_of(list(route.routes), prefix + route.path)
        else:
            assert isinstance(route, Route), f"teach the sweep about {route!r}"
            methods = (route.methods or {"ANY"}) - {"HEAD"}
            found |= {f"{method} {prefix}{route.path}" for method in methods}
    return found


def test_every_route_has_a_case() -> None:
    """# 000-40"""
    without_a_case(routes_of(list(api.application(pages_port=None).routes)), set(ROUTES), "ROUTES")


async def test_no_route_gives_anything_of_somebody_elses(scene: Scene) -> None:
    """To another person, to their program, to nobody, and to a key that is none. # 000-40"""
    before = await scene.belongings()
    _, key = await api_keys.create(scene.actor, "Program", api_keys.SCOPES, lasts_days=30)
    bearers = [{"authorization": f"Bearer {one}"} for one in (key, "leaf_key_none")]
    async with Browser() as nobody, Browser(headers=bearers[0]) as program, Browser(headers=bearers[1]) as forger:
        for name, (case, statuses) in ROUTES.items():
            for browser in (scene.ben, program, nobody, forger):
                answer = await case(scene, browser)
                assert answer.status_code in statuses, f"{name}: {answer.status_code} {answer.text[:200]}"
                await nothing_happened(scene, before, name, (answer.text, answer.headers.raw))
    await nothing_happened(scene, before, "one of them", "", again=True)
    await scene.ada.session()


# Events of the pages.

EventCase = Callable[["Tab", Scene], Awaitable[None]]


class Tab:
    """Ben's tab: Reflex's own state tree with the cookie of his socket, and what its events told the browser."""

    def __init__(self, browser: Browser, path: str) -> None:
        self.root = rx.State(_reflex_internal_init=True)  # pyright: ignore[reportCallIssue]
        headers = {"cookie": browser.cookie_header, "origin": "http://localhost:4555"}
        self.root.router = RouterData.from_router_data(
            {"headers": headers, "asPath": path, "pathname": path, "query": {}}
        )
        self.told: list[object] = []

    def state(self, name: str) -> Any:
        return self.root.get_substate(STATES[name].get_full_name().split("."))

    async def fire(self, event: str, *arguments: object) -> None:
        """Runs an event handler to its end. A refusal is what is wanted; anything else is a bug."""
        state, _, handler = event.partition(".")
        result = STATES[state].event_handlers[handler].fn(self.state(state), *arguments)
        with pytest.MonkeyPatch.context() as patch:
            # What is sent beside the vars (`sending.send`) goes to this tab's socket.
            patch.setattr(delivery, "EventContext", SimpleNamespace(get=lambda: self))
            try:
                if inspect.isasyncgen(result):
                    self.told += [told async for told in result]
                elif inspect.isawaitable(result):
                    self.told.append(await result)
                else:
                    self.told.append(result)
            except errors.LeafError as refused:
                self.told.append(refused.message)

    token = ""

    async def emit_event(self, event: object) -> None:
        self.told.append(event)

    @property
    def shown(self) -> str:
        return json.dumps(self.root.dict(), default=repr) + repr(self.told)


def states() -> dict[str, type[rx.State]]:
    """Every state class of Leaf's."""
    for module in pkgutil.iter_modules(leaf.state.__path__):
        importlib.import_module(f"leaf.state.{module.name}")
    found: dict[str, type[rx.State]] = {}
    waiting: list[type[rx.State]] = [rx.State]
    while waiting:
        for kind in cast("set[type[rx.State]]", waiting.pop().get_substates()):
            waiting.append(kind)
            if kind.__module__.startswith("leaf."):
                found[kind.__name__] = kind
    return found


STATES = states()


def handlers() -> set[str]:
    """Every event of Leaf's that a browser can send: public methods of a state that are not marked as internal."""
    inherited = set(rx.State.event_handlers)
    return {
        f"{name}.{event}" for name, kind in STATES.items() for event in kind.event_handlers if event not in inherited
    }


def _event(event: str, arguments: Callable[[Scene], list[object]] = lambda _: []) -> EventCase:
    return lambda tab, scene: tab.fire(event, *arguments(scene))


async def _in_her_chat(tab: Tab, scene: Scene, event: str, *arguments: object) -> None:
    tab.state("ChatState").enter(str(scene.chat_id))
    await tab.fire(event, *arguments)


async def _follow_imports(tab: Tab, scene: Scene) -> None:
    """It goes on for as long as somebody's page is open: until it has shown theirs."""
    following = asyncio.create_task(tab.fire("ImportState.follow"))
    shown: Any = tab.state("ImportState")
    await until(lambda: following.done() or shown.loaded)
    following.cancel()
    await asyncio.gather(following, return_exceptions=True)


async def _attend(tab: Tab, scene: Scene) -> None:
    """It goes on at a chat that is not there for somebody: until it has said so."""
    attending = asyncio.create_task(tab.fire("PresenceState.attend"))
    shown: Any = tab.state("ChatState")
    await until(lambda: attending.done() or shown.phase == "missing")
    attending.cancel()
    await asyncio.gather(attending, return_exceptions=True)


async def _of_her_chat(tab: Tab, scene: Scene, event: str, *arguments: object) -> None:
    question = (await chats.open(scene.victim.actor, scene.chat_id)).messages[0]
    await tab.fire(event, str(question.id), *arguments)


async def _in_her_files(tab: Tab, scene: Scene, event: str, *arguments: object) -> None:
    state = tab.state("FilesState")
    state.panel, state.chat, state.path = True, str(scene.chat_id), "plan.md"
    await tab.fire(event, *arguments)


async def _comment(tab: Tab, scene: Scene) -> None:
    state = tab.state("FeedbackState")
    state.asking, state.thumbs = str(scene.failed_run_id), {str(scene.failed_run_id): "up"}
    await tab.fire("FeedbackState.comment", {"comment": "Mine"})


async def _in_her_share(tab: Tab, scene: Scene, event: str, *arguments: object) -> None:
    state = tab.state("ShareState")
    state.chat, state.link = str(scene.chat_id), Link(id=str(scene.share_id))
    await tab.fire(event, *arguments)


async def _disconnect(tab: Tab, _: Scene) -> None:
    await tab.fire("SettingsState.ask", "google_drive")
    await tab.fire("SettingsState.disconnect")


async def _on_her_site(tab: Tab, scene: Scene, event: str, *arguments: object) -> None:
    await _at(tab, f"/sites/{scene.site.site_id}", event, *arguments)


async def _on_her_agent(tab: Tab, scene: Scene, event: str, *arguments: object, page: str = "") -> None:
    await _at(tab, f"/agents/{scene.site.agent_id}{page}", event, *arguments)


async def _in_her_folder(tab: Tab, scene: Scene, event: str, *arguments: object) -> None:
    tab.state("LibraryState").place = scene.file_id
    await tab.fire(event, *arguments)


async def _at(tab: Tab, path: str, event: str, *arguments: object) -> None:
    headers = {"cookie": tab.root.router.headers.cookie}
    tab.root.router = RouterData.from_router_data({"headers": headers, "asPath": path, "pathname": path, "query": {}})
    await tab.fire(event, *arguments)


async def _on_her_project(tab: Tab, scene: Scene, event: str, *arguments: object) -> None:
    await _at(tab, f"/projects/{scene.project_id}", event, *arguments)


async def _on_her_cell(tab: Tab, scene: Scene, event: str, argument: object) -> None:
    """As if the panel of her answer were open."""
    details = tab.state("DetailsState")
    details._run, details.editing = str(scene.run_id), "call"
    await tab.fire(f"DetailsState.{event}", argument)


async def _move_her_chat(tab: Tab, scene: Scene) -> None:
    await tab.fire("ProjectsState.ask_move", str(scene.chat_id), "")
    await tab.fire("ProjectsState.move", "")


async def _watch_her_question(tab: Tab, scene: Scene) -> None:
    tab.state("WatchesState").message_id = str(scene.message_id)
    await tab.fire("WatchesState.begin", {"kind": "change", "every": "day"})


async def _write_again(tab: Tab, scene: Scene) -> None:
    """While she looks at her answer."""
    proof = readers.session_proof(scene.victim, scene.ada.cookie_header)
    async with run_feed.joined(readers.member(scene.victim.actor, proof), scene.run_id) as feed:
        async with aclosing(feed.frames()) as frames:
            await anext(frames, None)
        await tab.fire("PresenceState.write_again", feed.id)
        page = f"/conversations/{scene.visited}"
        await _on_her_agent(tab, scene, "PresenceState.write_again", feed.id, page=page)


EVENTS: dict[str, EventCase] = {
    "SitesState.load": _event("SitesState.load"),
    "SitesState.create": _event("SitesState.create", lambda _: [{"name": "Mine"}]),
    "SiteState.load": lambda tab, scene: _on_her_site(tab, scene, "SiteState.load"),
    "SiteState.create_agent": lambda tab, scene: _on_her_site(tab, scene, "SiteState.create_agent", {"name": "Mine"}),
    "SiteState.invite": lambda tab, scene: _on_her_site(tab, scene, "SiteState.invite"),
    "SitesState.join": _event("SitesState.join", lambda scene: [{"token": f"leaf_tenant_{scene.site.site_id}"}]),
    "SiteState.remove": lambda tab, scene: _on_her_site(tab, scene, "SiteState.remove", str(scene.victim.user_id)),
    "SiteState.delete": lambda tab, scene: _on_her_site(tab, scene, "SiteState.delete"),
    "SiteState.rotate": lambda tab, scene: _on_her_site(tab, scene, "SiteState.rotate", "24"),
    "SiteState.revoke_secret": lambda tab, scene: _on_her_site(
        tab, scene, "SiteState.revoke_secret", str(scene.site.secret_id)
    ),
    "SiteAgentState.load": lambda tab, scene: _on_her_agent(tab, scene, "SiteAgentState.load"),
    "SiteAgentState.save": lambda tab, scene: _on_her_agent(
        tab, scene, "SiteAgentState.save", {"name": "Mine", "identity": "any", "visitor_daily": "1", "agent_daily": "1"}
    ),
    "SiteAgentState.create_key": lambda tab, scene: _on_her_agent(
        tab, scene, "SiteAgentState.create_key", {"name": "Mine"}
    ),
    "SiteAgentState.revoke_key": lambda tab, scene: _on_her_agent(
        tab, scene, "SiteAgentState.revoke_key", str(scene.site.key_id)
    ),
    "KnowledgeState.load": lambda tab, scene: _on_her_agent(tab, scene, "KnowledgeState.load"),
    "KnowledgeState.add_folder": lambda tab, scene: _on_her_agent(
        tab, scene, "KnowledgeState.add_folder", {"folder": "1AbCdEfGhIjKlMnOpQrStUv"}
    ),
    "KnowledgeState.rename": lambda tab, scene: _on_her_agent(
        tab, scene, "KnowledgeState.rename", {"source": str(scene.source_id), "title": "Mine"}
    ),
    "KnowledgeState.remove": lambda tab, scene: _on_her_agent(
        tab, scene, "KnowledgeState.remove", "file", str(scene.source_id)
    ),
    "ConversationsState.load": lambda tab, scene: _on_her_agent(tab, scene, "ConversationsState.load"),
    "ConversationsState.search": lambda tab, scene: _on_her_agent(
        tab, scene, "ConversationsState.search", {"phrase": "orchard"}
    ),
    "ConversationsState.more": lambda tab, scene: _on_her_agent(tab, scene, "ConversationsState.more"),
    "TranscriptState.show_log": lambda tab, scene: _on_her_agent(
        tab, scene, "TranscriptState.show_log", str(scene.log_id), page=f"/conversations/{scene.visited}"
    ),
    "SiteUsageState.load": lambda tab, scene: _on_her_agent(tab, scene, "SiteUsageState.load", page="/conversations"),
    "SiteUsageState.choose": lambda tab, scene: _on_her_agent(
        tab, scene, "SiteUsageState.choose", 90, page="/conversations"
    ),
    "TranscriptState.attend": lambda tab, scene: _on_her_agent(
        tab, scene, "TranscriptState.attend", page=f"/conversations/{scene.visited}"
    ),
    "PlaygroundState.ask": lambda tab, scene: _on_her_agent(tab, scene, "PlaygroundState.ask", {"content": "Hello?"}),
    "SiteAgentState.delete": lambda tab, scene: _on_her_agent(tab, scene, "SiteAgentState.delete"),
    "ChatState.send": _event("ChatState.send", lambda scene: [str(scene.chat_id), "Hello?"]),
    "PresenceState.fill": lambda tab, scene: _in_her_chat(tab, scene, "PresenceState.fill"),
    "ChatState.was_sent": _event("ChatState.was_sent", lambda scene: [str(scene.chat_id), "mine"]),
    "ChatState.search_drive": lambda tab, scene: _in_her_chat(
        tab, scene, "ChatState.search_drive", str(scene.message_id)
    ),
    "ChatState.retry": _event("ChatState.retry", lambda scene: [str(scene.message_id)]),
    "BranchState.edit": lambda tab, scene: _of_her_chat(tab, scene, "BranchState.edit", "Mine?"),
    "BranchState.regenerate": _event("BranchState.regenerate", lambda scene: [str(scene.message_id)]),
    "BranchState.proceed": _event("BranchState.proceed", lambda scene: [str(scene.message_id)]),
    "BranchState.choose": _event("BranchState.choose", lambda scene: [str(scene.message_id)]),
    "BranchState.fork": _event("BranchState.fork", lambda scene: [str(scene.message_id)]),
    "ChatState.answer": lambda tab, scene: _in_her_chat(
        tab, scene, "ChatState.answer", str(scene.message_id), "call", {"skipped": True}
    ),
    "ChatState.ask_first": lambda tab, scene: _in_her_chat(tab, scene, "ChatState.ask_first", False),
    "QueueState.rewrite": _event("QueueState.rewrite", lambda scene: [str(scene.queued_id), "Mine"]),
    "QueueState.withdraw": _event("QueueState.withdraw", lambda scene: [str(scene.queued_id)]),
    "QueueState.release": _event("QueueState.release", lambda scene: [str(scene.queued_id)]),
    "ChatState.stop": _event("ChatState.stop", lambda scene: [str(scene.run_id)]),
    "ChatState.rename": lambda tab, scene: _in_her_chat(tab, scene, "ChatState.rename", {"title": "Mine"}),
    "ChangeDialogState.compare": _event("ChangeDialogState.compare", lambda scene: [str(scene.message_id)]),
    "ChangeDialogState.compare_versions": _event(
        "ChangeDialogState.compare_versions", lambda scene: [str(scene.message_id)]
    ),
    "DetailsState.open_step": _event("DetailsState.open_step", lambda scene: [str(scene.run_id), "1"]),
    "DetailsState.open_chat_sources": _event("DetailsState.open_chat_sources", lambda scene: [str(scene.chat_id)]),
    "DetailsState.open_citation": _event("DetailsState.open_citation", lambda scene: [str(scene.run_id), "1"]),
    "DetailsState.open_sources": _event("DetailsState.open_sources", lambda scene: [str(scene.run_id)]),
    "DetailsState.run_edited": lambda tab, scene: _on_her_cell(tab, scene, "run_edited", {"query": "SELECT 1"}),
    "DetailsState.undo_edit": lambda tab, scene: _on_her_cell(tab, scene, "undo_edit", "call"),
    "DetailsState.toggle_spent": _event("DetailsState.toggle_spent", lambda scene: [str(scene.failed_run_id)]),
    "FilesState.open_panel": _event("FilesState.open_panel", lambda scene: [str(scene.chat_id)]),
    "FilesState.open_file": lambda tab, scene: _in_her_files(tab, scene, "FilesState.open_file", "plan.md", 0),
    "FilesState.restore": lambda tab, scene: _in_her_files(tab, scene, "FilesState.restore", 1),
    "FilesState.undo": _event(
        "FilesState.undo", lambda scene: [str(scene.chat_id), str(scene.failed_run_id), "plan.md"]
    ),
    "GuestState.attend": _event("GuestState.attend"),
    "LandingState.load": _event("LandingState.load"),
    "PresenceState.attend": _attend,
    "PresenceState.write_again": _write_again,
    "SettingsState.load": _event("SettingsState.load"),
    "SuggestionsState.load": _event("SuggestionsState.load"),
    "SettingsState.confirm": _event("SettingsState.confirm", lambda _: ["google_drive"]),
    "SettingsState.disconnect": _disconnect,
    "SettingsState.check": _event("SettingsState.check"),
    "SettingsState.forget_attempt": _event("SettingsState.forget_attempt"),
    "SettingsState.stop_keeping": _event("SettingsState.stop_keeping"),
    "SettingsState.keep_texts": _event("SettingsState.keep_texts"),
    "SettingsState.revoke_others": _event("SettingsState.revoke_others"),
    "AccountState.load": _event("AccountState.load"),
    "AccountState.rename": _event("AccountState.rename", lambda _: [{"name": "Benedict"}]),
    "AccountState.choose": _event("AccountState.choose", lambda _: ["adaptive", "quality"]),
    "AccountState.instruct": _event("AccountState.instruct", lambda _: [{"instructions": "Be brief."}]),
    "ImportState.follow": _follow_imports,
    "ImportState.remove": _event("ImportState.remove", lambda scene: [str(scene.import_id)]),
    "FeedbackState.load": _event("FeedbackState.load"),
    "FeedbackState.choose": _event("FeedbackState.choose", lambda scene: [str(scene.failed_run_id), "up"]),
    "FeedbackState.comment": _comment,
    "FeedbackState.send": _event("FeedbackState.send", lambda _: [{"comment": "Hello"}]),
    "AdministrationState.load": _event("AdministrationState.load"),
    "AdministrationState.choose": _event("AdministrationState.choose", lambda _: ["all"]),
    "AdministrationState.try_model": _event("AdministrationState.try_model", lambda _: ["sandbox:sandbox"]),
    "AdministrationState.look_for_servers": _event("AdministrationState.look_for_servers"),
    "SettingsState.revoke": _event("SettingsState.revoke", lambda scene: [str(scene.victim.id)]),
    "SidebarState.new_chat": _event("SidebarState.new_chat"),
    "FileMentionsState.find": _event("FileMentionsState.find", lambda _: ["orchard"]),
    "SearchState.search": _event("SearchState.search", lambda _: ["orchard"]),
    "SidebarState.look": _event("SidebarState.look"),
    "SidebarState.load": _event("SidebarState.load", lambda _: ["archived", ""]),
    "SidebarState.seen": _event("SidebarState.seen", lambda scene: [str(scene.chat_id)]),
    "SidebarState.rename": _event("SidebarState.rename", lambda scene: [str(scene.chat_id), "Mine"]),
    "SidebarState.do": _event("SidebarState.do", lambda scene: ["archive", [str(scene.chat_id)]]),
    "SidebarState.delete": _event("SidebarState.delete", lambda scene: [[str(scene.chat_id)]]),
    "SidebarState.undo": _event("SidebarState.undo", lambda scene: [str(scene.chat_id)]),
    "ShareState.open_dialog": _event("ShareState.open_dialog", lambda scene: [str(scene.chat_id)]),
    "ShareState.share": lambda tab, scene: _in_her_share(tab, scene, "ShareState.share"),
    "ShareState.choose_end": lambda tab, scene: _in_her_share(tab, scene, "ShareState.choose_end", "7"),
    "ShareState.revoke": lambda tab, scene: _in_her_share(tab, scene, "ShareState.revoke"),
    "ShareState.load_links": _event("ShareState.load_links"),
    "KeysState.load": _event("KeysState.load"),
    "KeysState.create": _event("KeysState.create", lambda _: [{"name": "Mine", "read": "on", "days": "30"}]),
    "KeysState.done": _event("KeysState.done"),
    "KeysState.revoke": _event("KeysState.revoke", lambda scene: [str(scene.key_id)]),
    "ShareState.revoke_listed": _event("ShareState.revoke_listed", lambda scene: [str(scene.share_id)]),
    "ShareState.invite": lambda tab, scene: _in_her_share(tab, scene, "ShareState.invite", {"email": "a@b.c"}),
    "ShareState.withdraw": lambda tab, scene: _in_her_share(
        tab, scene, "ShareState.withdraw", str(scene.invitation_id)
    ),
    "ShareState.remove": lambda tab, scene: _in_her_share(tab, scene, "ShareState.remove", str(scene.victim.user_id)),
    "ShareState.leave": lambda tab, scene: _in_her_share(tab, scene, "ShareState.leave"),
    "ShareState.accept": _event("ShareState.accept", lambda scene: [str(scene.invitation_id)]),
    "ShareState.decline": _event("ShareState.decline", lambda scene: [str(scene.invitation_id)]),
    "UsageState.load": _event("UsageState.load"),
    "SecurityState.load": _event("SecurityState.load"),
    "LibraryState.load": lambda tab, scene: _at(tab, f"/files/{scene.file_id}", "LibraryState.load"),
    "LibraryState.filter": lambda tab, scene: _in_her_folder(
        tab, scene, "LibraryState.filter", {"name": "only", "state": "searchable"}
    ),
    "LibraryState.turn": lambda tab, scene: _in_her_folder(tab, scene, "LibraryState.turn", 1),
    "LibraryState.ask": _event("LibraryState.ask", lambda scene: ["folder", scene.file_id]),
    "ChatState.widen": lambda tab, scene: _in_her_chat(tab, scene, "ChatState.widen", "folder", scene.file_id),
    "ChatState.narrow": lambda tab, scene: _in_her_chat(tab, scene, "ChatState.narrow", {"kind": "pdf"}),
    "WatchesState.ask": _event("WatchesState.ask", lambda scene: [str(scene.message_id), "change"]),
    "WatchesState.begin": _watch_her_question,
    "WatchesState.load": _event("WatchesState.load"),
    "WatchesState.mail": _event("WatchesState.mail", lambda _: [False]),
    "WatchesState.end": _event("WatchesState.end", lambda scene: [str(scene.watch_id)]),
    "ProjectsState.create": _event("ProjectsState.create", lambda _: [{"name": "Mine"}]),
    "ProjectsState.move": _move_her_chat,
    "ProjectState.load": lambda tab, scene: _on_her_project(tab, scene, "ProjectState.load"),
    "ProjectState.save": lambda tab, scene: _on_her_project(
        tab, scene, "ProjectState.save", {"name": "Mine", "instructions": "Mine"}
    ),
    "ProjectState.new_chat": lambda tab, scene: _on_her_project(tab, scene, "ProjectState.new_chat"),
    "ProjectState.delete": lambda tab, scene: _on_her_project(tab, scene, "ProjectState.delete"),
    "ProjectState.widen": lambda tab, scene: _on_her_project(tab, scene, "ProjectState.widen", "since", ""),
    "ProjectState.narrow": lambda tab, scene: _on_her_project(tab, scene, "ProjectState.narrow", {"kind": "pdf"}),
    "LibraryState.search": _event("LibraryState.search", lambda _: [{"query": "ada only orchard"}]),
}
"""Events that ask a service for something."""

ONLY_THE_TAB = {
    "ChatState.ask_approvals", "ChatState.ask_scope", "ChatState.ask_title",
    "DetailsState.close_panel", "DetailsState.begin_edit", "DetailsState.leave_edit",
    "ChangeDialogState.close", "WatchesState.close", "FilesState.back",
    "FilesState.close_panel", "FeedbackState.begin", "FeedbackState.close",
    "FilesState.show_changes", "LanguageState.choose", "NoticeState.show", "PreferencesState.choose_kind",
    "PreferencesState.choose_model", "PreferencesState.choose_density",
    "PreferencesState.choose_mode", "QueueState.edit", "SettingsState.ask", "SettingsState.ask_stop",
    "ProjectsState.ask_new", "ProjectsState.ask_move", "ProjectState.ask_delete", "ProjectState.ask_scope",
    "ShareState.close", "SiteState.done",
    "SiteState.ask_delete", "SiteAgentState.ask_delete", "SiteAgentState.draft",
}  # fmt: skip
"""Events that change the values of their own tab and nothing else; a test below holds them to it."""


def test_every_event_has_a_case() -> None:
    """# 000-40"""
    without_a_case(handlers(), EVENTS.keys() | ONLY_THE_TAB, "EVENTS (or ONLY_THE_TAB)")


@pytest.mark.parametrize("name", sorted(ONLY_THE_TAB))
def test_an_event_of_the_tab_alone_asks_no_service(name: str) -> None:
    """It is plain and synchronous, so it cannot reach the database. # 000-40"""
    state, _, event = name.partition(".")
    function = STATES[state].event_handlers[event].fn
    assert not inspect.iscoroutinefunction(function), f"{name} may wait for something: give it a case in EVENTS"
    assert not inspect.isasyncgenfunction(function), f"{name} may wait for something: give it a case in EVENTS"


async def test_no_event_gives_anything_of_somebody_elses(scene: Scene) -> None:
    """To another person, and to nobody. # 000-40"""
    before = await scene.belongings()
    async with Browser() as nobody:
        for name, case in EVENTS.items():
            for browser in (scene.ben, nobody):
                tab = Tab(browser, f"/chat/{scene.chat_id}")
                await case(tab, scene)
                await nothing_happened(scene, before, name, tab.shown)
    await nothing_happened(scene, before, "one of them", "", again=True)
    await scene.ada.session()


async def test_the_sweep_would_notice_a_hole(scene: Scene) -> None:
    """With ada's own cookie the same events do show and change her things."""
    before = await scene.belongings()
    tab = Tab(scene.ada, f"/chat/{scene.chat_id}")
    await tab.fire("SettingsState.load")
    assert SECRET in tab.shown
    with pytest.raises(AssertionError, match="showed ben"):
        await nothing_happened(scene, before, "x", tab.shown)
    await EVENTS["ChatState.rename"](tab, scene)
    with pytest.raises(AssertionError, match="changed something"):
        await nothing_happened(scene, before, "x", "")
    answer = await scene.ada.get(f"/api/drive/folders?url={scene.file_id}")
    assert answer.status_code == 200


# Services.

ServiceCase = Callable[[Scene], Awaitable[object]]


async def _find(scene: Scene) -> object:
    async with transaction(scene.actor) as tx:
        return await chats.find(tx, scene.chat_id)


async def _reserve(scene: Scene) -> object:
    async with transaction(scene.actor) as tx:
        return await usage.reserve(tx, scene.actor)


async def _standings(scene: Scene) -> object:
    async with transaction(scene.actor) as tx:
        return await limits.read_standings(tx, scene.actor, models.utc_now())


async def _enter(scene: Scene) -> object:
    async with transaction(scene.actor) as tx:
        entry = usage.Entry(scene.run_id, "related", "m", input_tokens=3)
        return await usage.enter(tx, scene.actor, entry, chat_id=scene.chat_id, message_id=scene.message_id)


def _record(scene: Scene) -> Awaitable[object]:
    entry = usage.Entry(scene.failed_run_id, "title", "m", input_tokens=3)
    return usage.record(scene.actor, entry, chat_id=scene.chat_id, message_id=scene.message_id)


def _files(scene: Scene) -> files.ChatFiles:
    return files.ChatFiles(scene.actor, scene.chat_id, scene.run_id)


async def _prune(scene: Scene) -> object:
    async with transaction(scene.actor) as tx:
        return await prune(tx, scene.chat_id)


async def _read(scene: Scene) -> object:
    async with transaction(scene.actor) as tx:
        return await chats.read(tx, scene.chat_id)


async def _grow(scene: Scene) -> object:
    async with transaction(scene.actor) as tx:
        return (await chats.tree_of(tx, scene.chat_id)).tip(None)


async def _read_for(scene: Scene) -> object:
    async with transaction(scene.actor) as tx:
        return await chats.read_for(tx, scene.chat_id, [scene.victim.user_id])


async def _selected_path(scene: Scene) -> object:
    async with transaction(scene.actor) as tx:
        return await chats.selected_path(tx, scene.chat_id)


async def _end_of_path(scene: Scene) -> object:
    async with transaction(scene.actor) as tx:
        return await chats.end_of_path(tx, scene.chat_id)


async def _look_at(scene: Scene) -> object:
    async with transaction(scene.actor) as tx:
        return await chats.store_branch(tx, scene.chat_id, scene.message_id)


async def _edit(scene: Scene) -> object:
    messages = (await chats.open(scene.victim.actor, scene.chat_id)).messages
    return await conversations.edit(scene.actor, messages[0].id, "Mine?")


async def _is_busy(scene: Scene) -> object:
    async with transaction(scene.actor) as tx:
        return await runs.is_busy(tx, scene.chat_id)


async def _newest_summary(scene: Scene) -> object:
    hers = models.ChatSession(id=scene.chat_id, workspace_id=scene.victim.workspace_id, created_by=scene.victim.user_id)
    async with transaction(scene.actor) as tx:
        return await summaries.newest(tx, hers, [scene.message_id])


_LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


async def _in(scene: Scene, read: Callable[[Transaction], Awaitable[object]]) -> object:
    async with transaction(scene.actor) as tx:
        return await read(tx)


async def _first(iterator: Any) -> object:
    try:
        return await anext(iterator)
    finally:
        await iterator.aclose()


async def _exported(scene: Scene) -> object:
    kinds = [kind for kind in exports.KINDS if kind.of_chat]
    return [row for kind in kinds async for row in exports.rows(scene.actor, kind, scene.chat_id)]


async def _export(scene: Scene) -> object:
    return [piece async for entry in exports.export(scene.actor) async for piece in entry.pieces]


async def _connect(scene: Scene) -> object:
    grant = oauth.Grant("a", "r", models.utc_now(), frozenset({oauth.DRIVE_SCOPE}))
    return await integrations.complete_connect(scene.actor, grant, email="ben")


def _waiting(scene: Scene) -> file_texts.Waiting:
    return file_texts.Waiting(DriveLink(scene.file_id), "1", SECRET, "text/plain", "text")


def _taken(scene: Scene) -> file_texts.Claimed:
    return file_texts.Claimed(scene.text_id, scene.file_id, "1", 1)


def _claimed(scene: Scene) -> vectors.Claimed:
    return vectors.Claimed(scene.text_id, "local")


async def _announce_her_watch(scene: Scene) -> None:
    """Ben's pages look again, and hers at most read their own chat once more."""
    async with transaction(scene.actor) as tx:
        questions.announce(tx, scene.chat_id)


def _watch(scene: Scene) -> watches.Due:
    now = models.utc_now()
    return watches.Due(
        scene.watch_id, scene.chat_id, "change", "day", now, now, now, 0, scene.message_id, [SECRET], EVERYTHING, False
    )  # fmt: skip


def _digest(scene: Scene) -> digests.Digest:
    """An e-mail about ada's watched question, as if a worker had taken it for ben."""
    now = models.utc_now()
    hers = watches.Watch(
        scene.watch_id, scene.chat_id, scene.message_id, "change", "day", "watching", SECRET, SECRET, True, None, now,
        now, now, now,
    )  # fmt: skip
    return digests.Digest("ben@example.org", "en", [hers])


def _quoted(scene: Scene) -> tuple[quotes.Cited, dict[quotes.Quote, Any]]:
    """A quote of ada's answer, as if a worker had taken it for ben."""
    quote = quotes.Quote(scene.chat_id, scene.message_id, 1, SECRET, models.utc_now())
    return quotes.Cited(DriveLink(scene.file_id), "1", [quote]), {quote: "gone"}


async def _followed_rows(tx: Transaction, scene: Scene) -> list[quotes.Followed]:
    """The quotes of Ada's answer, as far as Ben's transaction finds any."""
    rows = await tx.session.exec(quotes.of(models.Citation.message_id == scene.message_id))  # pyright: ignore[reportArgumentType]
    return quotes.of_rows(scene.actor, rows.all())


def _figure(scene: Scene) -> quotes.Figure:
    """A figure of ada's answer, as if a worker had taken it for ben."""
    return quotes.Figure(scene.message_id, 1, DriveLink(scene.file_id), "1", {}, {}, models.utc_now())


def _answer_of(scene: Scene) -> list[dict[str, Any]]:
    """An answer that has read ada's file."""
    file = {"id": scene.file_id, "name": SECRET, "url": "https://x.example"}
    output = {"file": file, "content": SECRET}
    return [{"type": "tool-read_drive_file", "toolCallId": "1", "state": "output-available", "output": output}]


def _sent(scene: Scene) -> list[dict[str, Any]]:
    """The same as a turn that models are sent."""
    return [{"kind": "request", "parts": [{"part_kind": "tool-return", "content": _answer_of(scene)[0]["output"]}]}]


def _document() -> Document:
    return Document(file_id="x", revision="1", name="x", mime_type="text/plain", kind="text", segments=())


def _hers(scene: Scene) -> exports.ChatExport:
    """An export of ada's chat that ben has made for himself."""
    now = datetime.now(UTC)
    return exports.ChatExport(scene.actor, scene.chat_id, "", now, now, (), 0)


async def _pieces(pieces: AsyncIterator[bytes]) -> bytes:
    return b"".join([piece async for piece in pieces])


GUEST = Actor.guest(Guest(UUID(int=7), UUID(int=8), "192.0.2.7"))
"""Somebody without an account, who tries the ids of somebody who has one."""


async def _as_guest(scene: Scene, ask: Callable[[], Awaitable[object]]) -> object:
    scene.world.change(guests=True)
    try:
        return await ask()
    finally:
        scene.world.change(guests=False)


def _guest(ask: Callable[[Scene], Awaitable[object]]) -> ServiceCase:
    return lambda scene: _as_guest(scene, lambda: ask(scene))


async def _require_guest(_: Scene) -> object:
    return guests.require_guest(GUEST)


async def _no_title(draft: Draft) -> str:
    return draft.title("")


async def _insert_turn(scene: Scene) -> object:
    """In the place of a draft, which only the lock of a chat gives."""
    async with transaction(scene.actor) as tx:
        draft = DatabaseDraft(tx, await chats.find(tx, scene.chat_id, lock=True))
        choice = model_service.select(Mode.QUICK, Kind.SPEED)
        asked: list[parts.Part] = [{"type": "text", "text": "Mine?"}]
        return await steps.insert_turn(draft, scene.actor, asked, choice, after=scene.message_id)


async def _keep_logs(scene: Scene) -> object:
    keyed = await visitors.agent_of(scene.site.key)
    exchange = provider_log.Exchange("POST x", b"mine", 4)
    return await sites.keep_logs(scene.actor, keyed.agent, scene.visited, scene.answered, scene.visited_run, [exchange])


async def _send_a_file(scene: Scene) -> object:
    takes_files = replace(scene.visitor.agent, attachments=True)
    who = replace(scene.visitor, agent=takes_files)
    return await visitors.count_file(who, scene.visited, "127.0.0.1")


async def _sources(scene: Scene) -> object:
    async with transaction(scene.actor) as tx:
        return await knowledge.sources(tx, scene.site.agent_id)


async def _grants(scene: Scene, of: Callable[[AgentKnowledge, Source], object]) -> object:
    """The grants of the folders that ben finds: they trust their argument, which comes from `sources`."""
    found = AgentKnowledge(scene.actor, scene.site.agent_id)
    return [of(found, one) for one in await found.sources()]


async def _move(scene: Scene) -> None:
    """Neither her chat into a project of his, nor a chat of his into hers."""
    own, mine = await chats.new(scene.actor), await projects.create(scene.actor, "Mine")
    with pytest.raises(errors.NotFound):
        await chats.move(scene.actor, [own], scene.project_id)
    await chats.move(scene.actor, [scene.chat_id], mine.id)


SERVICES: dict[str, ServiceCase] = {
    "sites.create": lambda scene: sites.create(scene.actor, "Mine"),
    "sites.listed": lambda scene: sites.listed(scene.actor),
    "sites.change": lambda scene: sites.change(scene.actor, scene.site.site_id, name="Mine"),
    "sites.delete": lambda scene: sites.delete(scene.actor, scene.site.site_id),
    "sites.members": lambda scene: sites.members(scene.actor, scene.site.site_id),
    "sites.invite": lambda scene: sites.invite(scene.actor, scene.site.site_id),
    "sites.join": lambda scene: sites.join(scene.actor, f"leaf_tenant_{scene.site.site_id}"),
    "sites.remove": lambda scene: sites.remove(scene.actor, scene.site.site_id, scene.victim.user_id),
    "sites.require": lambda scene: _in(scene, lambda tx: site_settings.require(tx, scene.site.site_id)),
    "sites.create_agent": lambda scene: sites.create_agent(scene.actor, scene.site.site_id, "Mine"),
    "sites.list_agents": lambda scene: sites.list_agents(scene.actor, scene.site.site_id),
    "sites.read": lambda scene: sites.read(scene.actor, scene.site.site_id),
    "sites.list_knowledge": lambda scene: sites.list_knowledge(scene.actor, scene.site.agent_id),
    "sites.add_file": lambda scene: sites.add_file(scene.actor, scene.site.agent_id, "a.txt", b"Mine"),
    "sites.add_folder": lambda scene: sites.add_folder(scene.actor, scene.site.agent_id, "1AbCdEfGhIjKlMnOpQrStUv"),
    "knowledge.AgentKnowledge.sources": lambda scene: AgentKnowledge(scene.actor, scene.site.agent_id).sources(),
    "knowledge.AgentKnowledge.document": lambda scene: AgentKnowledge(scene.actor, scene.site.agent_id).document(
        Source(scene.source_id, "", "file")
    ),
    "knowledge.AgentKnowledge.drive": lambda scene: _grants(scene, AgentKnowledge.drive),
    "knowledge.AgentKnowledge.cache": lambda scene: _grants(scene, AgentKnowledge.cache),
    "knowledge.sources": _sources,
    "sites.state_of": lambda scene: sites.state_of(scene.actor, scene.site.agent_id, scene.source_id),
    "sites.rename_source": lambda scene: sites.rename_source(scene.actor, "file", scene.source_id, "Mine"),
    "sites.remove_source": lambda scene: sites.remove_source(scene.actor, "file", scene.source_id),
    "sites.read_agent": lambda scene: sites.read_agent(scene.actor, scene.site.agent_id),
    "sites.change_agent": lambda scene: sites.change_agent(scene.actor, scene.site.agent_id, {"paused": True}),
    "sites.delete_agent": lambda scene: sites.delete_agent(scene.actor, scene.site.agent_id),
    "sites.create_key": lambda scene: sites.create_key(scene.actor, scene.site.agent_id, "Mine"),
    "sites.list_keys": lambda scene: sites.list_keys(scene.actor, scene.site.agent_id),
    "sites.revoke_key": lambda scene: sites.revoke_key(scene.actor, scene.site.key_id),
    "sites.rotate_secret": lambda scene: sites.rotate_secret(scene.actor, scene.site.site_id, overlap_hours=0),
    "sites.list_secrets": lambda scene: sites.list_secrets(scene.actor, scene.site.site_id),
    "sites.revoke_secret": lambda scene: sites.revoke_secret(scene.actor, scene.site.secret_id),
    "sites.conversations": lambda scene: sites.conversations(scene.actor, scene.site.agent_id),
    "sites.transcript": lambda scene: sites.transcript(scene.actor, scene.visited),
    "sites.watch": lambda scene: _first(sites.watch(scene.actor, scene.visited, every_seconds=0.01)),
    "sites.alerts": lambda scene: sites.alerts(scene.actor, scene.site.agent_id),
    "sites.note_budgets": lambda scene: sites.note_budgets(scene.actor),
    "sites.saw_alerts": lambda scene: sites.saw_alerts(scene.actor, []),
    "sites.keep_logs": _keep_logs,
    "sites.list_logs": lambda scene: sites.list_logs(scene.actor, scene.visited),
    "sites.read_log": lambda scene: sites.read_log(scene.actor, scene.log_id),
    "sites.try_out": lambda scene: sites.try_out(scene.actor, scene.site.agent_id, "Hello?"),
    "sites.exported": lambda scene: _first(sites.exported(scene.actor, scene.site.agent_id, "json")),
    "sites.used": lambda scene: sites.used(scene.actor, scene.site.agent_id, 90),
    "visitors.open_chat": lambda scene: visitors.open_chat(scene.visitor, scene.visited),
    "visitors.rate": lambda scene: visitors.rate(scene.visitor, scene.visited, scene.answered, "up"),
    "visitors.count_file": _send_a_file,
    "readers.member": lambda scene: first(scene.run_id, readers.member(scene.actor)),
    "readers.guest": _guest(lambda scene: first(scene.run_id, readers.guest(GUEST))),
    "readers.of": lambda scene: first(scene.run_id, readers.of(scene.actor)),
    "readers.site_visitor": lambda scene: first(
        scene.visited_run, readers.site_visitor(scene.visitor.required(), scene.site.key, scene.site.agent_id)
    ),
    "readers.site_reader": lambda scene: first(scene.visited_run, readers.site_reader(scene.actor, scene.visited)),
    "guests.require_guest": _guest(_require_guest),
    "guests.keep": lambda scene: guests.keep(scene.actor, Guest(UUID(int=9), scene.chat_id)),
    "guests.kept_by": lambda scene: guests.kept_by(scene.actor, Guest(UUID(int=9), scene.chat_id)),
    "conversations.ask": lambda scene: conversations.ask(scene.actor, scene.chat_id, "Hello?"),
    "conversations.change": lambda scene: dispatch.of(scene.actor).change(scene.actor, _no_title, chat=scene.chat_id),
    "conversations.require": lambda scene: dispatch.of(scene.actor).require(scene.actor, scene.chat_id),
    "conversations.insert_turn": _insert_turn,
    "conversations.chat_of_message": lambda scene: _in(scene, lambda tx: drafts.chat_of_message(tx, scene.message_id)),
    "conversations.sent": lambda scene: conversations.sent(scene.actor, "mine"),
    "conversations.retry": lambda scene: conversations.retry(scene.actor, scene.message_id),
    "conversations.answer": lambda scene: conversations.answer(
        scene.actor, scene.message_id, "call", {"skipped": True}
    ),
    "conversations.stop": lambda scene: conversations.stop(scene.actor, scene.run_id),
    "conversations.stop_chat": lambda scene: conversations.stop_chat(scene.actor, scene.chat_id),
    "conversations.open": lambda scene: conversations.open(scene.actor, scene.chat_id),
    "conversations.result": lambda scene: conversations.result(scene.actor, scene.run_id),
    "accounts.sessions": lambda scene: accounts.sessions(scene.actor, scene.victim.id),
    "accounts.revoke_session": lambda scene: accounts.revoke_session(scene.actor, scene.victim.id),
    "api_keys.create": lambda scene: api_keys.create(scene.actor, "Mine", ["read"], lasts_days=30),
    "api_keys.listed": lambda scene: api_keys.listed(scene.actor),
    "api_keys.revoke": lambda scene: api_keys.revoke(scene.actor, scene.key_id),
    "chats.named": lambda scene: chats.named(scene.actor, str(scene.chat_id)),
    "chats.begin": lambda scene: chats.begin(scene.actor, str(scene.chat_id)),
    "chats.discard": lambda scene: chats.discard(scene.actor, scene.chat_id),
    "exports.chat": lambda scene: _first(exports.chat(scene.actor, scene.chat_id)),
    "conversations.ended": lambda scene: conversations.ended(scene.actor, scene.chat_id, timedelta(minutes=1)),
    "conversations.active": lambda scene: conversations.active(scene.actor, scene.chat_id),
    "runs.run_of": lambda scene: runs.run_of(scene.actor, scene.message_id),
    "chats.page": lambda scene: chats.page(scene.actor),
    "chats.news": lambda scene: chats.news(scene.actor, None),
    "chats.read_page": lambda scene: _in(scene, lambda tx: lists.read_page(tx, chats.Shelf.ARCHIVED)),
    "chats.pin": lambda scene: chats.pin(scene.actor, [scene.chat_id], True),
    "watches.listed": lambda scene: watches.listed(scene.actor),
    "watches.of_message": lambda scene: watches.of_message(scene.actor, scene.message_id),
    "watches.begin": lambda scene: watches.begin(scene.actor, scene.message_id),
    "watches.change": lambda scene: watches.change(scene.actor, scene.watch_id, every="week"),
    "watches.end": lambda scene: watches.end(scene.actor, scene.watch_id),
    "watches.postpone_unchanged": lambda scene: watches.postpone_unchanged(scene.actor),
    "watches.claim_due": lambda scene: watches.claim_due(scene.actor),
    "watches.check": lambda scene: watches.check(scene.actor, _watch(scene)),
    "watches.postpone": lambda scene: watches.postpone(
        scene.actor, _watch(scene), watches.CheckResult(False, models.utc_now())
    ),
    "watches.refuse": lambda scene: watches.refuse(
        scene.actor, _watch(scene), errors.LimitReached("Full.", resets_in_seconds=1)
    ),
    "watches.note_asked": lambda scene: watches.note_asked(scene.actor, _watch(scene)),
    "watches.conclude": lambda scene: watches.conclude(scene.actor),
    "watches.current": lambda scene: _in(scene, lambda tx: questions.current(tx, scene.message_id)),
    "watches.announce": _announce_her_watch,
    "watches.claim": lambda scene: digests.claim(scene.actor),
    "watches.settle": lambda scene: digests.settle(scene.actor, _digest(scene), is_done=True),
    "watches.wanted": lambda scene: digests.wanted(scene.actor, language="en"),
    "watches.choose": lambda scene: digests.choose(scene.actor, wants=False, language="en"),
    "projects.listed": lambda scene: projects.listed(scene.actor),
    "projects.read": lambda scene: projects.read(scene.actor, scene.project_id),
    "projects.create": lambda scene: projects.create(scene.actor, "Mine"),
    "projects.change": lambda scene: projects.change(scene.actor, scene.project_id, name="Mine"),
    "projects.delete": lambda scene: projects.delete(scene.actor, scene.project_id),
    "projects.begin": lambda scene: projects.begin(scene.actor, scene.project_id),
    "chats.move": _move,
    "chats.require_project": lambda scene: _in(scene, lambda tx: lists.require_project(tx, scene.project_id)),
    "chats.archive": lambda scene: chats.archive(scene.actor, [scene.chat_id], True),
    "chats.mark_read": lambda scene: chats.mark_read(scene.actor, scene.chat_id),
    "chats.search": lambda scene: chats.search(scene.actor, "orchard"),
    "chats.restore": lambda scene: chats.restore(scene.actor, [scene.chat_id]),
    "chats.new": lambda scene: chats.new(scene.actor),
    "chats.open": lambda scene: chats.open(scene.actor, scene.chat_id),
    "chats.set_metadata": lambda scene: chats.set_metadata(scene.actor, scene.chat_id, {"mine": True}),
    "chats.set_limits": lambda scene: chats.set_limits(scene.actor, scene.chat_id, chats.Limits(["search"])),
    "chats.rename": lambda scene: chats.rename(scene.actor, scene.chat_id, "Mine"),
    "chats.set_generated_title": lambda scene: chats.set_generated_title(scene.actor, scene.chat_id, "Mine"),
    "chats.set_approvals": lambda scene: chats.set_approvals(scene.actor, scene.chat_id, False),
    "chats.delete": lambda scene: chats.delete(scene.actor, scene.chat_id),
    "chats.find": _find,
    "chats.find_owned": lambda scene: _in(scene, lambda tx: chats.find_owned(tx, scene.chat_id)),
    "chats.read": _read,
    "chats.read_for": _read_for,
    "chats.tree_of": _grow,
    "chats.end_of_path": _end_of_path,
    "chats.selected_path": _selected_path,
    "chats.store_branch": _look_at,
    "chats.choose_branch": lambda scene: chats.choose_branch(scene.actor, scene.message_id),
    "forks.fork": lambda scene: forks.fork(scene.actor, scene.message_id),
    "chat_reads.open": lambda scene: chat_reads.open(scene.actor, scene.chat_id),
    "shares.preview": lambda scene: shares.preview(scene.actor, scene.chat_id),
    "shares.offer": lambda scene: shares.offer(scene.actor, scene.chat_id),
    "shares.share": lambda scene: shares.share(scene.actor, scene.chat_id),
    "shares.set_end": lambda scene: shares.set_end(scene.actor, scene.share_id, lasts_days=7),
    "shares.revoke": lambda scene: shares.revoke(scene.actor, scene.share_id),
    "shares.listed": lambda scene: shares.listed(scene.actor),
    "shares.finished_path": lambda scene: _in(scene, lambda tx: shares.finished_path(tx, scene.chat_id)),
    "participants.read": lambda scene: _in(scene, lambda tx: participants.read(tx, scene.chat_id)),
    "participants.listed": lambda scene: participants.listed(scene.actor, scene.chat_id),
    "participants.invite": lambda scene: participants.invite(scene.actor, scene.chat_id, "eve@example.org"),
    "participants.withdraw": lambda scene: participants.withdraw(scene.actor, scene.invitation_id),
    "participants.invitations": lambda scene: participants.invitations(scene.actor),
    "participants.accept": lambda scene: participants.accept(scene.actor, scene.invitation_id),
    "participants.decline": lambda scene: participants.decline(scene.actor, scene.invitation_id),
    "participants.remove": lambda scene: participants.remove(scene.actor, scene.chat_id, scene.victim.user_id),
    "documents.UserDocuments.get": lambda scene: documents.UserDocuments(scene.actor).get(scene.file_id, "1"),
    "documents.UserDocuments.put": lambda scene: documents.UserDocuments(scene.actor).put(_document()),
    "library.document": lambda scene: file_texts.document(scene.actor, scene.file_id, "1"),
    "library.waiting": lambda scene: file_texts.waiting(scene.actor, 10),
    "library.claim_file": lambda scene: file_texts.claim_file(scene.actor, _waiting(scene)),
    "library.keep": lambda scene: file_texts.keep(scene.actor, _taken(scene), _document(), []),
    "library.skip": lambda scene: file_texts.skip(scene.actor, _taken(scene), "no"),
    "library.retry": lambda scene: file_texts.retry(scene.actor, _taken(scene), "no"),
    "library.renew": lambda scene: file_texts.renew(scene.actor, _taken(scene)),
    "library.release_file": lambda scene: file_texts.release_file(scene.actor, _taken(scene)),
    "library.release_refused": lambda scene: file_texts.release_refused(scene.actor, _taken(scene), gone=True),
    "library.claim": lambda scene: vectors.claim(scene.actor),
    "library.missing": lambda scene: vectors.missing(scene.actor, _claimed(scene), 8),
    "library.store": lambda scene: vectors.store(
        scene.actor, _claimed(scene), [vectors.Waiting(0, SECRET, uuid4())], [[0.1] * 512]
    ),
    "library.finish": lambda scene: vectors.finish(scene.actor, _claimed(scene)),
    "library.release": lambda scene: vectors.release(scene.actor, _claimed(scene), failed=True),
    # These note what Google has shown: of a file of ben's own, for they would open every other one.
    "library.note_shown": lambda scene: sight.note_shown(scene.actor, "x", "1"),
    "documents.UserDocuments.confirmed": lambda scene: documents.UserDocuments(scene.actor).confirmed("x", "1"),
    "passages.withheld": lambda scene: passages.withheld(scene.actor, [scene.file_id]),
    "passages.shown": lambda scene: passages.shown(scene.actor, [_answer_of(scene)]),
    "passages.history": lambda scene: passages.history(scene.actor, [_sent(scene)]),
    "passages.withheld_in_chat": lambda scene: passages.withheld_in_chat(scene.actor, scene.chat_id),
    "passages.shared": lambda scene: passages.shared(scene.actor, []),
    "passages.withheld_in_chunks": lambda scene: passages.withheld_in_chunks(
        scene.actor, [{"type": "tool-output-available", "output": _answer_of(scene)[0]["output"]}]
    ),
    "integrations.stop_keeping": lambda scene: integrations.stop_keeping(scene.actor),
    "integrations.keep_texts": lambda scene: integrations.keep_texts(scene.actor),
    "library.claim_due": lambda scene: quotes.claim_due(scene.actor),
    "library.settle": lambda scene: quotes.settle(scene.actor, *_quoted(scene)),
    "library.followed": lambda scene: quotes.followed(scene.actor, [scene.message_id]),
    "library.of_run": lambda scene: quotes.of_run(scene.actor, scene.run_id),
    "library.of_rows": lambda scene: _in(scene, lambda tx: _followed_rows(tx, scene)),
    "library.of_messages": lambda scene: _in(scene, lambda tx: standings.of_messages(tx, [scene.message_id])),
    "library.present": lambda scene: file_texts.present(scene.actor, scene.file_id),
    "comparisons.with_sources": lambda scene: comparisons.with_sources(scene.actor, [scene.message_id]),
    "comparisons.of_versions": lambda scene: comparisons.of_versions(scene.actor, scene.message_id),
    "library.prioritise": lambda scene: sight.prioritise(scene.actor, [scene.file_id]),
    "library.reopen": lambda scene: sight.reopen(scene.actor, [scene.file_id]),
    "library.confirm": lambda scene: sight.confirm(
        scene.actor, sight.client(integrations.UserDrive(scene.actor)), [scene.file_id]
    ),
    "library.search": lambda scene: search.search(scene.actor, ["secret"]),
    "library.look_up": lambda scene: lookup.look_up(scene.actor, integrations.UserDrive(scene.actor), ["secret"]),
    "library.of": lambda scene: progress.of(scene.actor),
    "charts.find": lambda scene: charts.find(scene.actor, scene.run_id, "call"),
    "comparisons.to_send": lambda scene: comparisons.to_send(scene.actor, scene.message_id),
    "library.claim_due_figures": lambda scene: quotes.claim_due_figures(scene.actor),
    "library.settle_figure": lambda scene: quotes.settle_figure(scene.actor, _figure(scene), "gone"),
    "computations.from_index": lambda scene: computations.from_index(
        scene.actor, {"query": "SELECT 1", "files": [{"id": scene.file_id}]}
    ),
    "computations.sources": lambda scene: computations.sources(scene.actor, [scene.file_id]),
    "cells.of_chat": lambda scene: cells.of_chat(scene.actor, scene.chat_id),
    "cells.edits": lambda scene: cells.edits(scene.actor, [scene.message_id]),
    "cells.edit": lambda scene: cells.edit(scene.actor, scene.run_id, "call", "SELECT 1"),
    "cells.readable": lambda scene: cells.readable(scene.actor, scene.chat_id),
    "cells.exported": lambda scene: cells.exported(scene.actor, scene.chat_id, "en"),
    "computations.repeat": lambda scene: computations.repeat(
        scene.actor, {"query": "SELECT 1", "files": [{"id": scene.file_id}]}
    ),
    "library.picture": lambda scene: pictures.picture(scene.actor, scene.file_id, "page 1", SECRET),
    "library.require": lambda scene: sight.require(scene.actor, integrations.UserDrive(scene.actor), [scene.file_id]),
    "library.resource_key": lambda scene: sight.resource_key(scene.actor, scene.file_id),
    "library.listing": lambda scene: folders.listing(scene.actor, scene.file_id),
    "library.scope_of": lambda scene: choices.scope_of(
        scene.actor, integrations.UserDrive(scene.actor), folders=[scene.file_id]
    ),
    "library.extended": lambda scene: choices.extended(
        scene.actor, integrations.UserDrive(scene.actor), NO_SCOPE, scene.file_id
    ),
    "library.covers": lambda scene: lookup.covers(
        scene.actor,
        drive_client.Drive(integrations.UserDrive(scene.actor)),
        Scope(folders=frozenset({scene.file_id})),
        DriveFile.of({"id": "x" * 20, "name": "x", "mimeType": "text/plain", "parents": ["y" * 20]}),
    ),
    "chats.set_scope": lambda scene: chats.set_scope(scene.actor, scene.chat_id, NO_SCOPE),
    "library.drives": lambda scene: folders.drives(scene.actor),
    "conversations.queued": lambda scene: conversations.queued(scene.actor, scene.chat_id),
    "conversations.rewrite": lambda scene: conversations.rewrite(scene.actor, scene.queued_id, "Mine"),
    "conversations.withdraw": lambda scene: conversations.withdraw(scene.actor, scene.queued_id),
    "conversations.release": lambda scene: conversations.release(scene.actor, scene.queued_id),
    "conversations.writer_of_next": lambda scene: _in(scene, lambda tx: queue.writer_of_next(tx, scene.chat_id)),
    "conversations.follow_up": lambda scene: _in(
        scene, lambda tx: queue.follow_up(tx, models.ChatSession(id=scene.chat_id), None)
    ),
    "usage.lock": lambda scene: _in(scene, lambda tx: usage.lock(tx, scene.actor)),
    "mentions.find": lambda scene: mentions.find(scene.actor, SECRET),
    "suggestions.account": lambda scene: suggestions.account(scene.actor),
    "suggestions.of_drive": lambda scene: suggestions.of_drive(scene.actor, "ada@example.org"),
    "drive.folder": lambda scene: drive.folder(scene.actor, scene.file_id),
    "drive.file": lambda scene: drive.file(scene.actor, scene.file_id),
    "integrations.cards": lambda scene: integrations.cards(scene.actor),
    "doctor.check": lambda scene: _first(doctor.check(scene.actor)),
    "doctor.unconnected": lambda scene: doctor.unconnected(scene.actor),
    "integrations.UserDrive.credentials": lambda scene: integrations.UserDrive(scene.actor).credentials(),
    "integrations.UserDrive.report_rejected": lambda scene: integrations.UserDrive(scene.actor).report_rejected("x"),
    "integrations.UserDrive.report": lambda scene: integrations.UserDrive(scene.actor).report(Diagnosis(Cause.API_OFF)),
    "integrations.UserDrive.report_checked": lambda scene: integrations.UserDrive(scene.actor).report_checked(
        Diagnosis(Cause.API_OFF)
    ),
    "integrations.UserDrive.report_disproved": lambda scene: integrations.UserDrive(scene.actor).report_disproved(
        [Cause.API_OFF]
    ),
    "integrations.UserDrive.report_limited": lambda scene: integrations.UserDrive(scene.actor).report_limited(),
    "integrations.UserDrive.count": lambda scene: integrations.UserDrive(scene.actor).count(5),
    "files.ChatFiles.listed": lambda scene: _files(scene).listed(),
    "files.ChatFiles.texts": lambda scene: _first(_files(scene).texts()),
    "files.ChatFiles.check": lambda scene: _files(scene).check(),
    "files.ChatFiles.uploaded": lambda scene: _files(scene).uploaded("plan.md", 1),
    "files.ChatFiles.picture": lambda scene: _files(scene).picture("plan.md", None, "page 1", SECRET),
    "files.ChatFiles.original": lambda scene: _files(scene).original("plan.md"),
    "files.ChatFiles.difference": lambda scene: _files(scene).difference("plan.md", 1),
    "files.ChatFiles.upload": lambda scene: _files(scene).upload("plan.md", b"mine"),
    "files.ChatFiles.read_upload": lambda scene: _files(scene).read_upload("plan.md", b"mine"),
    "files.keep": lambda scene: uploads.keep(scene.actor, scene.chat_id, "plan.md", b"mine"),
    "files.read": lambda scene: uploads.read(scene.actor, scene.chat_id, "plan.md", b"mine"),
    "files.ChatFiles.read": lambda scene: _files(scene).read("plan.md"),
    "files.ChatFiles.history": lambda scene: _files(scene).history("plan.md"),
    "files.ChatFiles.write": lambda scene: _files(scene).write("plan.md", "mine"),
    "files.ChatFiles.edit": lambda scene: _files(scene).edit("plan.md", "a", "b"),
    "files.ChatFiles.delete": lambda scene: _files(scene).delete("plan.md"),
    "files.ChatFiles.restore": lambda scene: _files(scene).restore("plan.md", 1),
    "summaries.keep": lambda scene: summaries.keep(scene.actor, scene.chat_id, Summary(scene.message_id, "mine")),
    "conversations.edit": _edit,
    "conversations.regenerate": lambda scene: conversations.regenerate(scene.actor, scene.message_id),
    "conversations.answer_with_drive": lambda scene: conversations.answer_with_drive(scene.actor, scene.chat_id),
    "conversations.proceed": lambda scene: conversations.proceed(scene.actor, scene.message_id),
    "runs.is_busy": _is_busy,
    "summaries.newest": _newest_summary,
    "runs.lock_waiting": lambda scene: _in(scene, lambda tx: runs.lock_waiting(tx, scene.message_id)),
    "conversations.carry_on": lambda scene: conversations.carry_on(
        scene.actor, scene.chat_id, scene.message_id, {}, {}
    ),
    "runs.claim": lambda scene: runs.claim(scene.actor, scene.message_id, "call", "mine"),
    "runs.deliver": lambda scene: runs.deliver(scene.actor, _hook(scene), runs.Delivery("call", {"output": "mine"})),
    "runs.throttle": lambda scene: call_claims.throttle(scene.actor),
    "runs.abandon": lambda scene: runs.abandon(scene.actor, scene.chat_id),
    "files.ChatFiles.undo": lambda scene: _files(scene).undo("plan.md", 1, 1),
    "files.prune": _prune,
    "conversations.watch": lambda scene: _first(conversations.watch(scene.actor, scene.chat_id, every_seconds=0.01)),
    "usage.enter": _enter,
    "usage.record": _record,
    "usage.report": lambda scene: usage.report(scene.actor),
    "usage.of_chat": lambda scene: usage.of_chat(scene.actor, scene.chat_id),
    "usage.of_message": lambda scene: usage.of_message(scene.actor, scene.message_id),
    "usage.of_runs": lambda scene: usage.of_runs(scene.actor, [scene.failed_run_id]),
    "usage.reserve": _reserve,
    "usage.allowance": lambda scene: _in(scene, lambda tx: usage.allowance(tx, scene.actor)),
    "usage.standings": lambda scene: usage.standings(scene.actor),
    "usage.read_standings": _standings,
    "usage.throttle": lambda scene: usage.throttle(scene.actor),
    "integrations.complete_connect": _connect,
    "integrations.disconnect": lambda scene: integrations.disconnect(scene.actor, "google_drive"),
    "integrations.begin_attempt": lambda scene: integrations.begin_attempt(scene.actor),
    "integrations.explain_attempt": lambda scene: integrations.explain_attempt(scene.actor, Diagnosis(Cause.DECLINED)),
    "integrations.attempt": lambda scene: integrations.attempt(scene.actor),
    "integrations.other_account": lambda scene: integrations.other_account(scene.actor),
    "integrations.end_attempt": lambda scene: integrations.end_attempt(scene.actor),
    "integrations.revoke_all": lambda scene: integrations.revoke_all(scene.actor),
    "accounts.revoke_others": lambda scene: accounts.revoke_others(scene.actor, scene.victim.id),
    "preferences.profile": lambda scene: preferences.profile(scene.actor),
    "preferences.rename": lambda scene: preferences.rename(scene.actor, "Benedict"),
    "preferences.read": lambda scene: preferences.read(scene.actor),
    "preferences.choose": lambda scene: preferences.choose(scene.actor, mode="quick", kind="speed"),
    "preferences.instruct": lambda scene: preferences.instruct(scene.actor, "Be brief."),
    "feedback.rate": lambda scene: feedback.rate(scene.actor, scene.run_id, "up"),
    "feedback.take_back": lambda scene: feedback.take_back(scene.actor, scene.run_id),
    "feedback.of_chat": lambda scene: feedback.of_chat(scene.actor, scene.chat_id),
    "feedback.send": lambda scene: feedback.send(scene.actor, "Hello", address="127.0.0.1"),
    "exports.of_chat": lambda scene: exports.of_chat(scene.actor, scene.chat_id),
    "exports.ChatExport.as_json": lambda scene: _pieces(_hers(scene).as_json()),
    "exports.ChatExport.as_markdown": lambda scene: _pieces(_hers(scene).as_markdown("en")),
    "imports.begin": lambda scene: imports.begin(scene.actor, "mine.json", b"[]"),
    "imports.listed": lambda scene: imports.listed(scene.actor),
    "imports.remove": lambda scene: imports.remove(scene.actor, scene.import_id),
    "imports.claim": lambda scene: imports.claim(scene.intruder.user_id, scene.import_id),
    "imports.beat": lambda scene: imports.beat(scene.actor, scene.import_id),
    "imports.count": lambda scene: imports.count(scene.actor, scene.import_id, 7),
    "imports.finish": lambda scene: imports.finish(scene.actor, scene.import_id),
    "imports.keep": lambda scene: imports.keep(
        scene.actor, scene.import_id, 0, imports.Refusal("", "damaged"), to_turn=lambda *_: []
    ),
    "security.record": lambda scene: security.record(scene.actor, security.Kind.DATA_EXPORTED),
    "security.limit_reached": lambda scene: security.limit_reached(scene.actor, "limit"),
    "security.mine": lambda scene: security.mine(scene.actor),
    "exports.rows": _exported,
    "exports.export": _export,
    # The last one: ben has no account any more.
    "account_deletion.delete": lambda scene: account_deletion.delete(scene.actor, scene.intruder.email),
}
"""Functions that act for somebody, or take an id."""

AS_GUEST: dict[str, ServiceCase] = {
    "conversations.ask of a guest": _guest(lambda scene: conversations.ask(GUEST, scene.chat_id, "Hello?")),
    "conversations.retry of a guest": _guest(lambda scene: conversations.retry(GUEST, scene.message_id)),
    "conversations.answer of a guest": _guest(
        lambda scene: conversations.answer(GUEST, scene.message_id, "call", {"skipped": True})
    ),
    "conversations.stop of a guest": _guest(lambda scene: conversations.stop(GUEST, scene.run_id)),
    "conversations.stop_chat of a guest": _guest(lambda scene: conversations.stop_chat(GUEST, scene.chat_id)),
    "conversations.open of a guest": _guest(lambda scene: conversations.open(GUEST, scene.chat_id)),
    "conversations.ended of a guest": _guest(
        lambda scene: conversations.ended(GUEST, scene.chat_id, timedelta(minutes=1))
    ),
    "conversations.active of a guest": _guest(lambda scene: conversations.active(GUEST, scene.chat_id)),
    "conversations.result of a guest": _guest(lambda scene: conversations.result(GUEST, scene.run_id)),
    "readers.of a guest": _guest(lambda scene: first(scene.run_id, readers.of(GUEST))),
    "conversations.watch of a guest": _guest(
        lambda scene: _first(conversations.watch(GUEST, scene.chat_id, every_seconds=0.01))
    ),
    "conversations.ask of a visitor": lambda scene: conversations.ask(
        scene.visitor.required(), scene.visited, "Hello?", terms=visitors.terms(scene.visitor, {"locale": "fr"}, "")
    ),
    "conversations.retry of a visitor's": lambda scene: conversations.retry(scene.actor, scene.answered),
}
"""The same functions for actors without an account."""

HIS_OWN = {
    "knowledge.AgentKnowledge.sources", "knowledge.AgentKnowledge.document", "knowledge.sources",
    "knowledge.AgentKnowledge.drive", "knowledge.AgentKnowledge.cache",
    "sites.create", "sites.listed", "sites.members", "sites.list_agents", "sites.list_keys",
    "sites.list_secrets", "sites.conversations", "sites.used", "sites.alerts",
    "sites.note_budgets", "sites.saw_alerts", "sites.list_logs",
    "api_keys.create", "api_keys.listed", "chats.named", "chats.begin", "chats.discard",
    "imports.begin", "imports.listed",
    "exports.export", "exports.rows", "exports.ChatExport.as_json", "exports.ChatExport.as_markdown",
    "feedback.of_chat", "feedback.send", "integrations.revoke_all", "doctor.check",
    "doctor.unconnected", "integrations.other_account",
    "integrations.begin_attempt", "integrations.explain_attempt", "integrations.attempt", "integrations.end_attempt",
    "integrations.UserDrive.report_limited", "integrations.UserDrive.count",
    "guests.require_guest", "guests.keep", "guests.kept_by",
    "account_deletion.delete", "preferences.choose", "preferences.instruct", "preferences.profile", "preferences.read",
    "preferences.rename", "projects.listed", "projects.create",
    "accounts.sessions", "chats.new", "chats.set_generated_title", "chats.tree_of", "chats.store_branch",
    "chats.page", "chats.news", "chats.search", "chats.read_page",
    "documents.UserDocuments.get", "documents.UserDocuments.put", "sites.list_knowledge",
    "library.document", "library.waiting", "library.claim_file", "library.keep", "library.skip", "library.retry",
    "library.renew", "library.release_file", "library.release_refused", "library.note_shown", "library.prioritise",
    "library.reopen",
    "library.claim", "library.missing", "library.store", "library.finish", "library.release",
    "documents.UserDocuments.confirmed", "passages.withheld", "passages.shown",
    "passages.history", "passages.withheld_in_chat", "passages.shared", "passages.withheld_in_chunks",
    "integrations.stop_keeping", "integrations.keep_texts",
    "library.claim_due", "library.settle", "library.claim_due_figures", "library.settle_figure",
    "computations.from_index", "cells.edits",
    "library.followed", "library.of_run", "library.of_rows", "library.of_messages", "library.present",
    "library.confirm", "library.search", "library.look_up", "library.of",
    "library.resource_key", "library.drives", "library.covers",
    "integrations.cards", "integrations.complete_connect", "integrations.disconnect",
    "integrations.UserDrive.credentials", "integrations.UserDrive.report_rejected",
    "integrations.UserDrive.report", "runs.is_busy",
    "integrations.UserDrive.report_checked", "integrations.UserDrive.report_disproved",
    "conversations.chat_of_message", "summaries.newest",
    "files.prune",
    "participants.read", "participants.invitations",
    "security.record", "security.limit_reached", "security.mine",
    "shares.listed",
    "usage.enter", "usage.record", "usage.report", "usage.of_chat", "usage.of_message", "usage.of_runs",
    "watches.listed", "watches.claim_due", "watches.postpone_unchanged", "watches.check", "watches.postpone",
    "watches.refuse", "watches.note_asked",
    "watches.conclude", "watches.current", "watches.announce",
    "watches.claim", "watches.settle", "watches.wanted", "watches.choose",
    "mentions.find", "suggestions.account", "suggestions.of_drive", "runs.throttle", "conversations.queued",
    "conversations.writer_of_next",
    "conversations.follow_up", "conversations.sent", "usage.lock", "usage.reserve", "usage.allowance",
    "usage.standings", "usage.read_standings", "usage.throttle",
}  # fmt: skip
"""Methods that take no id of another person: they answer with ben's own data, or nothing. All others refuse."""

NO_PERSON = {
    "cells.of_answer": "picks of what its caller has read for the actor",
    "charts.png": "draws the chart that its caller has found for the actor",
    "visitors.VisitorCaller.required": "gives what its caller has proven to be",
    "guests.forget_kept": "deletes of Redis what belongs to chats that their person has just deleted",
    "conversations.id_of": "works out an id, of which nothing is known",
    "files.lock_of": "names a lock",
    "visitors.session_subject": "what is kept of a session id: its hash",
    "visitors.visitor": "finds whom a caller has proven to be: pages and routes see `visitors.identify` alone",
    "guests.of_run": "for the worker alone: pages and routes see what `guests` exports, and this is not among it",
    "chats.require_few": "counts ids",
    "conversations.of": "the store of an audience",
    "conversations.message_id": "works out an id, of which nothing is known",
    "conversations.queue_of": "a condition: queries with it show what the policies show",
    "guests.write": "writes a chat that its caller has read for a guest",
    "summaries.times": "reads within the transaction of its caller, whose policies apply",
    "runs.record_reply": "changes the row that its caller has found for the actor",
    "runs.note": "changes the row that its caller has found for the actor",
    "runs.change": "changes the row that its caller has found for the actor",
    "runs.record": "reads the row that its caller has found for the actor",
    "runs.holder": "reads the row that its caller has found for the actor",
    "runs.require_free": "reads the row that its caller has found for the actor",
    "integrations.connect": "takes a grant, and no id",
    "integrations.note_bug": "notes what a call has met that was made with the grant of a member",
    "integrations.forget_bugs": "for who deletes the connection or the account of the actor",
    "library.count": "adds the cost of a call that was made with the grant of a member",
    "accounts.sign_in": "makes a session for an identity that was verified",
    "flows.remember": "seals the asker's own id into a cookie",
    "notices.announce": "says that chats have changed, in the transaction that has changed them",
    "chats.add": "adds a chat in the transaction of its caller, whose policies apply",
    "chats.among": "a condition: whoever uses it sees what the policies show",
    "conversations.named_model": "reads a row of the chat that its caller has opened for the actor",
    "models.chosen": "the id of a model is nobody's",
    "models.may_be_chosen": "the id of a model is nobody's",
    "operation.try_model": "for administrators alone; the id of a model is nobody's",
    "models.info": "the id of a model is nobody's",
    "models.label_of": "the id of a model is nobody's",
    "imports.enqueue": "enqueues an import that the actor's own transaction has stored",
    "imports.owner": "for the worker alone: gives an id, with which nothing can be asked for",
    "conversations.assignment": "for the worker alone: test_what_workers_may_do_is_out_of_reach",
}
"""Functions that take an id and act for nobody, each with the reason why that opens nothing."""
FOR_WORKERS = (
    "conversations.assignment", "conversations.finish", "conversations.announce", "conversations.unfinished",
    "Actor.worker_for", "AgentKnowledge", "runs.expire", "runs.overdue",
)  # fmt: skip


def services() -> set[str]:
    """Every public function and method of a service that acts for somebody or takes an id."""
    found: set[str] = set()
    for info in pkgutil.walk_packages(leaf.services.__path__, "leaf.services."):
        module = importlib.import_module(info.name)
        path = info.name.split(".")[2:]
        service = (path[:-1] or path)[-1]
        for name, value in vars(module).items():
            if name.startswith("_") or getattr(value, "__module__", None) != module.__name__:
                continue
            if inspect.isfunction(value) and _takes_an_id(value):
                found.add(f"{service}.{name}")
            elif inspect.isclass(value) and "actor" in inspect.signature(value).parameters:
                methods = inspect.getmembers(value, inspect.isfunction)
                found |= {f"{service}.{name}.{method}" for method, _ in methods if not method.startswith("_")}
    return found


def _takes_an_id(function: Callable[..., object]) -> bool:
    for name, parameter in inspect.signature(function).parameters.items():
        if "UUID" in str(parameter.annotation) or "Actor" in str(parameter.annotation):
            return True
        if name.endswith(("_id", "link")):
            return True
    return False


def test_every_service_function_has_a_case() -> None:
    """# 000-40"""
    without_a_case(services(), SERVICES.keys() | NO_PERSON.keys(), "SERVICES (or NO_PERSON, with a reason)")


async def _outcome(case: ServiceCase, scene: Scene) -> object:
    """The result of a function, or the refusal that it raises."""
    try:
        return await case(scene)
    except errors.LeafError as refused:
        return refused


async def test_no_service_gives_anything_of_somebody_elses(scene: Scene) -> None:
    """# 000-40, 000-61"""
    before = await scene.belongings()
    for name, case in (AS_GUEST | SERVICES).items():
        given = await _outcome(case, scene)
        if name in HIS_OWN:
            assert not isinstance(given, errors.LeafError), f"{name}: {given!r}"
        else:
            assert isinstance(given, errors.LeafError), f"{name} answered ben instead of refusing"
            assert given.status == 404, f"{name}: {given!r}"
        await nothing_happened(scene, before, name, given)
        if isinstance(given, DriveCredentials):
            bearer = {"authorization": f"Bearer {given.access_token}"}
            answer = scene.world.http.get(f"/drive/v3/files/{scene.file_id}", headers=bearer)
            assert answer.status_code == 404, "an asker's token is their own"
    await nothing_happened(scene, before, "one of them", "", again=True)


@pytest.mark.parametrize("name", FOR_WORKERS)
def test_what_workers_may_do_is_out_of_reach(name: str) -> None:
    """Pages and routes never act as a worker: these functions trust their argument. # 000-40"""
    root = importlib.import_module("leaf").__path__[0]
    for package in ("api", "state", "pages", "components"):
        for info in pkgutil.walk_packages([f"{root}/{package}"], f"leaf.{package}."):
            source = inspect.getsource(importlib.import_module(info.name))
            assert name not in source, f"{info.name} uses {name}"
