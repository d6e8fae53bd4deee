"""The sweep of the widget API: every route with the ids of another visitor's chat, by everybody whose it is not.

A new route makes this fail until it has a case here. # 003-03, 003-04, 003-07, 003-12
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from uuid import uuid4

import httpx
import pytest
from starlette.routing import Route

from leaf.api.site.mounts import application
from tests.integration.people import person
from tests.integration.rls_world import rows_of
from tests.integration.web_fixtures import Browser, World
from tests.integration.widget_pages import Site, answering, asked, begun

SECRET = "orchard-of-another"


@dataclass(frozen=True)
class Scene:
    """A visitor's chat."""

    world: World
    site: Site
    session: str
    chat: str
    message: str

    def belongings(self) -> list[object]:
        """All that is in the chat, with what the site has set."""
        tables = ["messages", "widget_chats", "feedback", "agents", "agent_keys", "signing_secrets"]
        rows = rows_of(str(self.world.settings.database_url), tables)
        mine = [row for row in rows["messages"] if row["chat_session_id"] == self.chat]
        beside = [row for row in rows["widget_chats"] if row["chat_session_id"] == self.chat]
        places = self.world.sql("SELECT * FROM chat_participants WHERE chat_session_id = %s::uuid", self.chat)
        return [mine, beside, places, rows["feedback"], rows["agents"], rows["agent_keys"], rows["signing_secrets"]]


Case = Callable[[Scene, httpx.AsyncClient], Awaitable[httpx.Response]]
REFUSED = {401, 403, 404}
CASES: dict[str, tuple[Case, set[int]]] = {
    "GET /agent": (lambda _, page: page.get("/api/site/agent"), {200}),
    "GET /chats": (lambda _, page: page.get("/api/site/chats"), {200}),
    "POST /chats": (lambda scene, page: page.post("/api/site/chats", json={"id": scene.chat}), {201}),
    "POST /chats/merge": (lambda _, page: page.post("/api/site/chats/merge"), {200}),
    "GET /chats/{chat}": (lambda scene, page: page.get(f"/api/site/chats/{scene.chat}"), set()),
    "PATCH /chats/{chat}": (
        lambda scene, page: page.patch(f"/api/site/chats/{scene.chat}", json={"archived": True}), set()
    ),
    "DELETE /chats/{chat}": (lambda scene, page: page.delete(f"/api/site/chats/{scene.chat}"), set()),
    "PUT /chats/{chat}/feedback": (
        lambda scene, page: page.put(
            f"/api/site/chats/{scene.chat}/feedback", json={"messageId": scene.message, "sentiment": "down"}
        ),
        set(),
    ),
    "POST /chats/{chat}/messages": (
        lambda scene, page: page.post(f"/api/site/chats/{scene.chat}/messages", json={"content": "Hello?"}), set()
    ),
    "POST /chats/{chat}/files": (
        lambda scene, page: page.post(f"/api/site/chats/{scene.chat}/files", files={"file": ("a.txt", b"mine")}), set()
    ),
    "GET /chats/{chat}/stream": (lambda scene, page: page.get(f"/api/site/chats/{scene.chat}/stream"), set()),
    "POST /chats/{chat}/stop": (lambda scene, page: page.post(f"/api/site/chats/{scene.chat}/stop"), set()),
    "POST /messages/{message_id}/calls/{call_id}/claim": (
        lambda scene, page: page.post(f"/api/site/messages/{scene.message}/calls/c/claim", json={"tab": "mine"}), set()
    ),
    "POST /hooks/{token}": (
        lambda _, page: page.post("/api/site/hooks/x.y.z", json={"toolCallId": "c", "result": "mine"}), set()
    ),
    "GET /openapi.json": (lambda _, page: page.get("/api/site/openapi.json"), {200}),
    "GET /widget/openapi.json": (lambda _, page: page.get("/api/widget/openapi.json"), {200}),
    "OPTIONS /{rest:path}": (
        lambda scene, page: page.options(
            f"/api/site/chats/{scene.chat}", headers={"access-control-request-method": "GET"}
        ),
        {204},
    ),
}  # fmt: skip
"""The routes that answer without revealing anybody's data, with their answers; all others refuse."""


@pytest.fixture
async def scene(world: World) -> Scene:
    site = await Site.make(await person("ada"))
    session = uuid4().hex
    async with site.page(session=session) as page, answering(SECRET):
        chat = await begun(page, context={"pageUrl": f"https://shop.example/{SECRET}"})
        frames = await asked(page, chat, SECRET)
    return Scene(world, site, session, chat, frames[0]["messageId"])


def test_every_route_has_a_case() -> None:
    """# 000-40"""
    routes = [route for route in application().routes if isinstance(route, Route)]
    found = {f"{method} {route.path}" for route in routes for method in (route.methods or set()) - {"HEAD"}}
    assert found == set(CASES)


async def test_no_route_gives_anything_of_another_visitors(scene: Scene) -> None:
    """To another browser, to users of every kind, to another site's visitors and members, and to nobody."""
    other = await Site.make(await person("ben"), "Bakery", "https://bakery.example")
    site, before = scene.site, scene.belongings()
    async with (
        site.page() as browser,
        site.page(user="u-1") as trusted,
        site.page(token=site.token("u-1")) as signed,
        site.page(session="") as nobody,
        site.page(session="'; DROP TABLE visitors; --") as odd,
        other.page(session=scene.session) as elsewhere,
        other.page(session=scene.session, origin=site.origin) as wrong_origin,
        site.page(session=scene.session, origin=other.origin) as stolen_key,
        Browser(headers={"origin": site.origin}) as keyless,
    ):
        pages = (browser, trusted, signed, nobody, odd, elsewhere, wrong_origin, stolen_key, keyless)
        for name, (case, calm) in CASES.items():
            for page in pages:
                answer = await case(scene, page)
                assert answer.status_code in calm | REFUSED | {400}, f"{name}: {answer.status_code} {answer.text[:200]}"
                assert SECRET not in answer.text, name
                assert scene.belongings() == before, name
    async with site.page(session=scene.session) as page:
        assert SECRET in (await page.get(f"/api/site/chats/{scene.chat}")).text


async def test_the_sweep_would_notice_a_hole(scene: Scene) -> None:
    """The visitor's own browser does see and change the chat."""
    before = scene.belongings()
    async with scene.site.page(session=scene.session) as page:
        assert SECRET in (await CASES["GET /chats/{chat}"][0](scene, page)).text
        assert (await CASES["PATCH /chats/{chat}"][0](scene, page)).status_code == 204
    assert scene.belongings() != before
