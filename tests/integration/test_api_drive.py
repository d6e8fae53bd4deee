"""Drive over HTTP: with the caller's own token, in JSON, and with words where something is refused."""

import json
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Route

from leaf import config
from leaf.api import http
from leaf.google.links import ROOT
from leaf.google.transport import Patience
from leaf.services import drive
from leaf.telemetry import logs
from tests.integration.web_fixtures import Browser, World


def error_of(answer: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """The refusal in an answer: JSON, whatever it is about."""
    assert answer.headers["content-type"] == "application/json"
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (status, code), answer.text
    assert error["message"].endswith((".", ")"))
    assert "Traceback" not in answer.text
    return error


async def entry(browser: Browser, *names: str) -> dict[str, Any]:
    """A file by the names on the way to it."""
    found: dict[str, Any] = {"id": ROOT}
    for name in names:
        listing = (await browser.get("/api/drive/folders", params={"url": found["id"]})).json()
        (found,) = [file for file in listing["files"] if file["name"] == name]
    return found


async def test_a_folder_is_listed_and_a_file_is_read(world: World) -> None:
    """Both are found by id and by the address that Drive shows. # 000-51"""
    async with world.browser("ada") as browser:
        await browser.connect("ada")
        root = (await browser.get("/api/drive/folders?url=root")).json()
        assert root["partial"] is False
        assert {"id", "name", "kind", "mime_type", "modified", "url", "size_bytes"} == root["files"][0].keys()
        letter = await entry(browser, "Finance", "Budget 2026", "Budget letter 2026")
        for link in (letter["id"], letter["url"]):
            answer = await browser.get(f"/api/drive/files/{quote(link, safe='')}")
            if link == letter["id"]:
                assert answer.status_code == 200
                body = answer.json()
                assert body["file"] == letter
                assert "2026" in body["text"]
                assert body["reason"] is None
        folder = await entry(browser, "Finance")
        by_url = await browser.get("/api/drive/folders", params={"url": folder["url"]})
        assert by_url.json()["folder"]["id"] == folder["id"]


async def test_a_file_that_cannot_be_read_says_why(world: World) -> None:
    """# 000-51"""
    async with world.browser("ada") as browser:
        await browser.connect("ada")
        folder = await entry(browser, "Finance")
        body = (await browser.get(f"/api/drive/files/{folder['id']}")).json()
        assert body["text"] is None
        assert "folder" in body["reason"].lower()


async def test_everybody_has_the_files_of_their_own_account_alone(world: World) -> None:
    """No request with Ben's token opens Finance; Google does not say whether it exists. # 000-40, 000-51, 000-61"""
    async with world.browser("ada") as ada, world.browser("ben") as ben:
        await ada.connect("ada")
        await ben.connect("ben")
        folder = await entry(ada, "Finance")
        letter = await entry(ada, "Finance", "Budget 2026", "Budget letter 2026")
        await ada.get(f"/api/drive/files/{letter['id']}")
        for path in (f"/api/drive/files/{letter['id']}", f"/api/drive/folders?url={folder['id']}"):
            error = error_of(await ben.get(path), 404, "drive_refused")
            assert "it is not shared with ben@" in error["message"]
        missing = error_of(await ben.get("/api/drive/files/1AbCdEfGhIjKlMnOpQrStUvWx"), 404, "drive_refused")
        assert missing["message"] == error["message"]


@pytest.mark.parametrize("path", ["/api/drive/folders?url=root", "/api/drive/files/1AbCdEfGhIjKlMnOpQrStUvWx"])
async def test_without_a_session_or_a_drive_it_says_so(world: World, path: str) -> None:
    """# 000-05, 000-47"""
    async with world.browser() as nobody, world.browser("ada") as ada:
        error_of(await nobody.get(path), 401, "unauthenticated")
        error = error_of(await ada.get(path), 409, "drive_not_connected")
        assert "/settings/integrations" in error["message"]


@pytest.mark.parametrize(
    "link",
    [
        "x", "../../etc/passwd", "a b", "'; drop table", "https://evil.example/", "javascript:alert(1)", "\0", "ä" * 30,
        "x" * 5000, "https://drive.google.com/drive/search?q=x", "\ud800",
    ],
)  # fmt: skip
async def test_what_is_no_link_is_refused(world: World, link: str) -> None:
    """# 000-51"""
    encoded = quote(link.encode("utf-8", "surrogatepass"), safe="")
    async with world.browser("ada") as browser:
        await browser.connect("ada")
        world.forget_requests()
        for path in (f"/api/drive/folders?url={encoded}", f"/api/drive/files/{encoded}"):
            answer = await browser.get(path)
            assert answer.status_code in {400, 404}, answer.text
            # Some of them are no path of this route.
            error_of(answer, *((400, "invalid") if answer.status_code == 400 else (404, "not_found")))
        assert world.asked("/drive/") == [], "Google is not asked about it"


@pytest.mark.parametrize("key", ["0-a\r\nx-evil: 1", "日本", "\u202eabc", "a,b/c", "a b"])
async def test_what_is_no_key_of_a_link_is_refused_before_google_is_asked(world: World, key: str) -> None:
    """It would stand in a header, and the answer would blame Google."""
    async with world.browser("ada") as ada:
        await ada.connect("ada")
        answer = await ada.get(f"/api/drive/files/{'1' * 20}", params={"resource_key": key})
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "resource_key")


async def test_a_folder_route_needs_a_folder(world: World) -> None:
    """# 000-51"""
    async with world.browser("ada") as browser:
        await browser.connect("ada")
        assert error_of(await browser.get("/api/drive/folders"), 400, "invalid")["field"] == "url"
        letter = await entry(browser, "Finance", "Budget 2026", "Budget letter 2026")
        error = error_of(await browser.get(f"/api/drive/folders?url={letter['id']}"), 400, "invalid")
        assert "not a folder" in error["message"]


async def test_a_google_that_is_unwell_is_told(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """# 000-51"""
    monkeypatch.setattr(drive.drive, "Patience", lambda: Patience(attempts=1))
    async with world.browser("ada") as browser:
        await browser.connect("ada")
        world.fault(path="^/drive/v3", status=503, times=1)
        error_of(await browser.get("/api/drive/folders?url=root"), 503, "drive_unavailable")
        world.fault(path="^/drive/v3", status=200, body="<html>", times=1)
        error_of(await browser.get("/api/drive/folders?url=root"), 502, "drive_error")
        assert (await browser.get("/api/drive/folders?url=root")).status_code == 200


async def test_a_google_that_answers_garbage_is_no_bug_of_leafs(world: World) -> None:
    """# 000-51"""
    garbage = {"id": "abcdefghijk", "name": None, "capabilities": 5, "shortcutDetails": 3, "size": {}}
    async with world.browser("ada") as browser:
        await browser.connect("ada")
        world.fault(path="^/drive/v3/files/abcdefghijk$", status=200, body=json.dumps(garbage), times=1)
        answer = await browser.get("/api/drive/files/abcdefghijk")
        assert (answer.status_code, answer.json()["file"]["name"]) == (200, "Untitled")
        world.fault(path="^/drive/v3/files$", status=200, body=json.dumps({"files": [garbage, 7]}), times=1)
        listing = (await browser.get("/api/drive/folders?url=root")).json()
        assert [file["name"] for file in listing["files"]] == ["Untitled"]
        assert listing["partial"]
        assert "1 entry was skipped" in listing["notes"][0]


async def test_answers_and_logs_carry_no_token(world: World, caplog: pytest.LogCaptureFixture) -> None:
    """Whatever goes wrong: sign-in, connection, listing, disconnection."""
    caplog.set_level("DEBUG")
    caplog.handler.setFormatter(logs.Redacting("%(name)s %(message)s"))
    said: list[str] = []
    async with world.browser("ada") as browser:
        await browser.connect("ada")
        sealer = config.current().sealer
        ((access, refresh),) = world.sql("SELECT access_token, refresh_token FROM integrations")
        secrets = [access, refresh, sealer.open(access), sealer.open(refresh), *browser.cookies.values()]
        for fault in ({"status": 401}, {"status": 403}, {"status": 500}):
            world.fault(path="^/drive/v3", times=9, **fault)
            said.append((await browser.get("/api/drive/files/1AbCdEfGhIjKlMnOpQrStUvWx")).text)
            world.forget_faults()
        world.fault(path="^/revoke", status=500)
        said.append((await browser.delete("/api/integrations/google_drive")).text)
        said.append((await browser.get("/auth/callback?state=s&code=c")).text)
    for name in ("leaf", "jobs"):
        said += [caplog.handler.format(record) for record in caplog.records if record.name.startswith(name)]
    long = [secret for secret in secrets if len(secret) > 8]
    assert len(long) >= 5
    assert not [secret for secret in long for text in said if secret in text]


async def test_an_error_that_nobody_expected_is_told_without_details(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    """A program gets JSON, a person a page; the log gets the traceback."""

    async def broken(_request: object) -> Any:
        raise RuntimeError("the details")

    routes = [Route("/json", http.endpoint(broken)), Route("/page", http.endpoint(broken, page="/"))]
    app = Starlette(routes=routes)
    app.state.pages_port = None
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://localhost") as client:
        answer = await client.get("/json")
        told = await client.get("/page")
    error_of(answer, 500, "internal_error")
    assert "details" not in answer.text + told.text
    assert told.headers["location"] == "/?problem=failed"
    assert caplog.text.count("in broken\n") == caplog.text.count("\nRuntimeError") == 2


async def test_health_is_for_everybody(world: World) -> None:
    async with world.browser() as nobody:
        assert (await nobody.get("/api/health")).json() == {"status": "ok"}
        for path in ("/api/unknown", "/api/drive/files/", "/auth/"):
            assert (await nobody.get(path)).status_code == 404
        assert (await nobody.post("/api/drive/folders")).status_code == 405
