"""The widget API: what a page of a site can do with a public key, and what it cannot."""

import asyncio
import csv
import io
import json
import re
from typing import Any
from uuid import UUID, uuid4

import jwt
import pytest

from leaf import streams, texts
from leaf.db import Actor
from leaf.db.models import MessageStatus
from leaf.parts import Chunk
from leaf.parts.summaries import Summary
from leaf.services import chats, sites, summaries
from leaf.services.sites import visitors
from tests.integration.people import end, person
from tests.integration.redis_fixtures import until
from tests.integration.web_fixtures import World
from tests.integration.widget_pages import (
    SHOP,
    Site,
    answering,
    asked,
    begun,
    chunks_of,
    frames_of,
    refusal,
    said,
)

pytestmark = pytest.mark.usefixtures("world")


@pytest.fixture
async def site() -> Site:
    return await Site.make(await person("ada"))


async def test_a_chat_is_begun_asked_in_and_read_again(site: Site) -> None:
    """The text that was streamed is the text that is stored. # 003-14, 003-15, 003-16, 003-43"""
    async with site.page() as page, answering("It **left** on Monday."):
        made = await page.post("/api/chats", json={"context": {"pageUrl": "https://shop.example/orders/7"}})
        assert made.status_code == 201
        chat = made.json()["id"]
        assert UUID(chat).version == 4  # 003-13
        frames = await asked(page, chat, "Where is my parcel?")
        read = (await page.get(f"/api/chats/{chat}")).json()
    assert [frame["type"] for frame in frames] == ["start", "text", "text", "done"]
    assert (frames[0]["chatId"], frames[-1]["status"]) == (chat, "completed")
    assert [(event["seq"], event["eventType"], event["role"], event["content"]) for event in read["events"]] == [
        (1, "message", "user", "Where is my parcel?"),
        (2, "message", "assistant", "It **left** on Monday."),
    ]
    assert "".join(frame["delta"] for frame in frames if frame["type"] == "text") == read["events"][1]["content"]
    assert read["answer"] is None
    assert read["events"][1]["messageId"] == frames[0]["messageId"] == frames[-1]["messageId"]


async def test_a_program_keeps_a_title_and_metadata_with_a_chat_and_its_messages(site: Site, world: World) -> None:
    """The title stays; metadata is returned, changed and exported, and has at most 16 kB. # 003-45, 003-46"""
    async with site.page() as page, answering("On its way."):
        chat = await begun(page, title="Order 7", metadata={"order": {"id": 7}})
        sent = {"content": "Where is my parcel?", "metadata": {"source": "button"}}
        assert (await page.post(f"/api/chats/{chat}/messages", json=sent)).status_code == 200
        read = (await page.get(f"/api/chats/{chat}")).json()
        assert (read["title"], read["metadata"]) == ("Order 7", {"order": {"id": 7}})
        assert read["events"][0]["metadata"] == {"source": "button"}
        [(visitor,)] = world.sql("SELECT created_by FROM chat_sessions")
        worker = Actor.worker_for(visitor)
        assert not await chats.set_generated_title(worker, UUID(chat), "A parcel"), "as a worker writes titles"
        largest = {"text": "x" * (16 * 1024 - len('{"text":""}'))}
        assert (await page.patch(f"/api/chats/{chat}", json={"metadata": largest})).status_code == 204
        assert (await page.get(f"/api/chats/{chat}")).json()["metadata"] == largest
        deep: dict[str, Any] = {}
        for _ in range(40):
            deep = {"deeper": deep}
        for refused in ({"text": largest["text"] + "x"}, deep, [1], "text", {"nul": "a\0b"}):
            for path, method, body in (
                ("/api/chats", "POST", {}), (f"/api/chats/{chat}", "PATCH", {}),
                (f"/api/chats/{chat}/messages", "POST", {"content": "And now?"}),
            ):  # fmt: skip
                answer = await page.request(method, path, json=body | {"metadata": refused})
                assert refusal(answer) == (400, "invalid"), (refused, path)
        assert (await page.post("/api/chats", json={"title": "x" * 121})).status_code == 400
    exported = b"".join([piece async for piece in sites.exported(site.member, site.agent_id, "json")])
    [conversation] = json.loads(exported)["conversations"]
    assert conversation["metadata"] == largest
    assert conversation["events"][0]["metadata"] == {"source": "button"}
    assert world.count("chat_sessions") == 1


def _conversations_of(exported: str) -> list[dict[str, Any]]:
    """The conversations of a CSV file, read as `leaf.services.sites.exports` describes it."""
    found: list[dict[str, Any]] = []
    for line in csv.DictReader(io.StringIO(exported, newline=""), strict=True):
        if line["conversation"]:
            found.append(json.loads(line["conversation"].removeprefix("'")) | {"events": []})
        if line["event"]:
            found[-1]["events"].append(json.loads(line["event"].removeprefix("'")))
    return found


_WRITTEN = re.compile(r"(?:\A|(?<=[;\t\r\n]))'(?=[ ']*[=+\-@])|\A'")
"""Matches the apostrophes that an export has added."""


async def test_csv_holds_everything_that_json_holds(site: Site) -> None:
    """Also texts that a spreadsheet would take for formulas. # 003-35"""
    for text in ("=1+1", "'quoted", '-5, "x"\nnext line', "@home", "a; =1+1", "'b\n'=1;;-2;' =3; =4;;"):
        async with site.page() as page, answering(f"{text} is the answer"):
            chat = await begun(page, title=text, metadata={"text": text})
            await asked(page, chat, text)
    async with site.page() as page:
        await begun(page)
    files = {
        kind: b"".join([piece async for piece in sites.exported(site.member, site.agent_id, kind)]).decode()
        for kind in ("json", "csv")
    }
    expected = json.loads(files["json"])["conversations"]
    assert len(expected) == 6
    assert _conversations_of(files["csv"]) == expected
    for separator in ",;\t":
        for cells in csv.reader(io.StringIO(files["csv"], newline=""), delimiter=separator):
            assert not any(cell.lstrip(" ").startswith(("=", "+", "-", "@")) for cell in cells)
    contents = [event["content"] for one in expected for event in one["events"]]
    lines = [*csv.DictReader(io.StringIO(files["csv"], newline=""))]
    assert [_WRITTEN.sub("", line["content"]) for line in lines] == contents, "an apostrophe of one's own stays"
    assert {_WRITTEN.sub("", line["title"]) for line in lines} == {one["title"] for one in expected}


async def test_each_event_has_its_own_time_and_the_team_sees_the_providers_ids(site: Site) -> None:
    """The ids of the response, of the call and of its result. # 003-47, 003-48"""
    call = {
        "type": "tool-search", "toolCallId": "c1", "state": "output-available", "input": {}, "output": {},
        "resultProviderMetadata": {"leaf": {"beganMs": 4_102_444_802_000, "endedMs": 4_102_444_804_000}},
    }  # fmt: skip
    text = {"type": "text", "text": "I look.", "state": "done"}
    step = {"type": "step-start"}
    stored = [step, text, call, step, {**text, "text": "It left."}]
    responses = [
        {"id": f"resp_{place}", "at": at} for place, at in enumerate(("2100-01-01T00:00:01Z", "2100-01-01T00:00:05Z"))
    ]

    def made(message_id: UUID) -> tuple[list[Chunk], list[dict[str, Any]]]:
        return chunks_of("I look.", message_id), stored

    async with site.page() as page, answering(made=made, responses=responses):
        chat = await begun(page)
        await asked(page, chat)
        read = (await page.get(f"/api/chats/{chat}")).json()["events"]
    times = [event["createdAt"][14:19] for event in read[1:]]
    assert times == ["00:01", "00:02", "00:04", "00:05"]
    assert "resp_" not in json.dumps(read)
    found = await sites.transcript(site.member, UUID(chat))
    assert [event["createdAt"] for event in found.events] == [event["createdAt"] for event in read]
    ids = [event.get("providerResponseId") for event in found.events]
    assert ids == [None, "resp_0", "resp_0", None, "resp_1"]


async def test_a_compaction_is_an_event_of_the_system(site: Site) -> None:
    """In its place in time; the text of the summary stays inside. # 003-49"""
    async with site.page() as page, answering("On its way."):
        chat = await begun(page)
        await asked(page, chat)
        first = (await page.get(f"/api/chats/{chat}")).json()["events"][-1]["messageId"]
        who = await visitors.identify(
            await visitors.agent_of(site.key), visitors.Claims(session_id=page.headers["x-leaf-session"])
        )
        await summaries.keep(who.required(), UUID(chat), Summary(UUID(first), "A secret summary"))
        await asked(page, chat, "And now?")
        read = (await page.get(f"/api/chats/{chat}")).json()["events"]
    assert [event["eventType"] for event in read] == ["message", "message", "system", "message", "message"]
    assert (read[2]["content"], read[2]["messageId"], read[2]["seq"]) == ("compacted", first, 3)
    assert read[1]["createdAt"] <= read[2]["createdAt"] <= read[3]["createdAt"]
    assert "secret" not in json.dumps(read)
    assert (await sites.transcript(site.member, UUID(chat))).events[2] == read[2]


async def test_frames_come_as_lines_where_that_is_asked_for(site: Site) -> None:
    """# 003-16"""
    async with site.page(accept="application/x-ndjson") as page, answering("Yes."):
        chat = await begun(page)
        answer = await page.post(f"/api/chats/{chat}/messages", json={"content": "Open today?"})
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    lines = [json.loads(line) for line in answer.text.splitlines() if line]
    assert [line["type"] for line in lines] == ["start", "text", "text", "done"]


async def test_a_failed_answer_says_why_in_the_visitors_language_and_nothing_of_the_sites_model(site: Site) -> None:
    """Neither its name nor the address of its server, which the site's team reads. # 003-41"""
    names = {"address": "127.0.0.1:11434", "model": "qwen"}
    for reason, german in (
        (texts.english("failures.timeout"), "Das Modell hat nicht rechtzeitig geantwortet"),
        (texts.english("failures.server_stopped", **names), "Der Anbieter des Modells hat eine Störung"),
    ):
        outcome = {"status": MessageStatus.ERROR, "error_code": "model_unavailable", "error_text": str(reason)}
        async with (
            site.page(accept_language="de-AT,en;q=0.5") as page,
            answering(details={"errorMessage": reason.as_data()}, **outcome),
        ):
            chat = await begun(page)
            frames = await asked(page, chat)
            events = (await page.get(f"/api/chats/{chat}")).json()["events"]
        assert frames[-2]["errorMessage"] == events[-1]["errorMessage"]
        assert frames[-2]["errorMessage"].startswith(german)
        assert not [name for name in names.values() if name in f"{frames}{events}"]
        export = await sites.transcript(site.member, UUID(chat))
        assert export.events[-1]["errorMessage"] == str(reason)


async def test_tools_and_errors_are_events_in_their_order(site: Site) -> None:
    """# 003-01, 003-02, 003-39, 003-41"""

    def made(message_id: UUID) -> tuple[list[Chunk], list[dict[str, Any]]]:
        call = {"toolCallId": "c1", "toolName": "search"}
        chunks = [
            *chunks_of("I look.", message_id)[:-1],
            {"type": "tool-input-start", **call},
            {"type": "tool-input-available", **call, "input": {"query": "parcel"}},
            {"type": "tool-output-available", "toolCallId": "c1", "output": {"results": []}},
            {"type": "message-metadata", "messageMetadata": {"costUsd": "0.01"}},
            {"type": "finish-step"},
        ]
        tool = {"type": "tool-search", "toolCallId": "c1", "state": "output-available", "input": {"query": "parcel"},
                "output": {"results": []}}  # fmt: skip
        return chunks, [*said("I look."), tool]

    failed = {"status": MessageStatus.ERROR, "error_code": "model_failed", "error_text": "The model does not answer."}
    async with site.page() as page, answering(made=made, **failed):
        chat = await begun(page)
        frames = await asked(page, chat)
        events = (await page.get(f"/api/chats/{chat}")).json()["events"]
    assert [frame["type"] for frame in frames] == ["start", "text", "text", "tool_call", "tool_result", "error", "done"]
    assert frames[-2]["errorMessage"] == "The model does not answer."
    assert frames[-1]["status"] == "error"
    assert "cost" not in str(frames)
    kinds = [(event["seq"], event["eventType"]) for event in events]
    assert kinds == [(1, "message"), (2, "message"), (3, "tool_call"), (4, "tool_result"), (5, "error")]
    assert events[2]["toolInput"] == {"query": "parcel"}
    assert events[4] == events[4] | {"errorType": "model_failed", "errorMessage": "The model does not answer."}


async def test_a_page_that_is_loaded_again_in_mid_answer_goes_on(site: Site) -> None:
    """# 003-23"""
    session = uuid4().hex
    async with site.page(session=session) as page:
        chat = await begun(page)
        sending = asyncio.create_task(asked(page, chat))
        async with site.page(session=session) as again:
            await until(lambda: _answer(again, chat))
            read = (await again.get(f"/api/chats/{chat}")).json()
            assert [event["role"] for event in read["events"]] == ["user"]
            assert refusal(await again.post(f"/api/chats/{chat}/messages", json={"content": "And?"}))[0] == 409
            run_id = UUID(read["answer"]["runId"])
            writer = streams.Writer(run_id, "worker")
            await writer.append(chunks_of("Half and half."))
            resuming = asyncio.create_task(again.get(f"/api/chats/{chat}/stream"))
            from_there = asyncio.create_task(again.get(f"/api/chats/{chat}/stream", headers={"last-event-id": "3"}))
            await until(lambda: _followed(run_id))
            await end(run_id, parts=said("Half and half."))
            await writer.finish([{"type": "finish"}])
            told = frames_of((await resuming).text)
            rest = frames_of((await from_there).text)
            assert (await again.get(f"/api/chats/{chat}/stream")).status_code == 204
        assert told == await sending
    assert "".join(frame.get("delta", "") for frame in told) == "Half and half."
    assert rest == [frame for frame in told if frame["id"] > 3]


async def _answer(page: Any, chat: str) -> bool:
    return (await page.get(f"/api/chats/{chat}")).json()["answer"] is not None


async def _followed(run_id: UUID) -> bool:
    return streams.followers() >= 3 and await streams.length(run_id) > 0


async def test_a_message_that_is_sent_again_joins_its_answer(site: Site) -> None:
    """# 003-16"""
    async with site.page(idempotency_key="m1") as page, answering("Once."):
        chat = await begun(page)
        first = await asked(page, chat, "Hello?")
        second = await asked(page, chat, "Hello?")
        other = await page.post(f"/api/chats/{chat}/messages", json={"content": "Something else"})
        events = (await page.get(f"/api/chats/{chat}")).json()["events"]
    assert first[0]["runId"] == second[0]["runId"]
    assert refusal(other) == (409, "key_reused")
    assert len(events) == 2


async def test_text_that_cannot_be_stored_is_refused_so_that_the_page_can_read_it(site: Site) -> None:
    """JSON may hold what UTF-8 has no bytes for, and percent-encoding what the database has no place for. # 002-01"""
    async with site.page() as page, site.page(user="u%00") as named, answering():
        chat = await begun(page)
        sent = {"content": '{"content": "Where \\ud83d?"}', "headers": {"content-type": "application/json"}}
        for answer in (
            await page.post(f"/api/chats/{chat}/messages", **sent),
            await page.get("/api/chats?after=%00"),
            await page.get("/api/chats/%00"),
            await named.post("/api/chats", json={}),
        ):
            assert refusal(answer) == (400, "invalid")
            assert answer.headers["access-control-allow-origin"] == SHOP


async def test_another_browser_sees_nothing_of_it(site: Site) -> None:
    """Missing and another's look the same. # 003-07, 003-11, 003-12"""
    async with site.page() as page, site.page() as other, answering():
        chat = await begun(page)
        frames = await asked(page, chat)
        run = {"messageId": frames[0]["messageId"], "sentiment": "up"}
        await begun(other)
        calls = [
            await other.get(f"/api/chats/{chat}"),
            await other.get(f"/api/chats/{chat}/stream"),
            await other.post(f"/api/chats/{chat}/stop"),
            await other.post(f"/api/chats/{chat}/messages", json={"content": "Hello"}),
            await other.patch(f"/api/chats/{chat}", json={"archived": True}),
            await other.put(f"/api/chats/{chat}/feedback", json=run),
            await other.delete(f"/api/chats/{chat}"),
            await other.get(f"/api/chats/{uuid4()}"),
            await other.get("/api/chats/nothing"),
        ]
        assert [refusal(call) for call in calls] == [(404, "not_found")] * len(calls)
        assert (await other.get("/api/chats")).json()["chats"] == []
        (row,) = (await page.get("/api/chats")).json()["chats"]
        assert row["id"] == chat
        assert row["createdAt"] == (await page.get(f"/api/chats/{chat}")).json()["createdAt"]


async def test_an_unknown_key_is_refused_and_a_known_one_leads_to_its_agent_alone(site: Site) -> None:
    """The names of agent and site in a request have no effect. # 003-03, 003-04"""
    ben = await person("ben")
    other = await Site.make(ben, "Bakery", "https://bakery.example")
    async with site.page() as page:
        chat = await begun(page, agentId=str(other.agent_id), tenantId=str(other.site_id))
        for key in ("leaf_pk_none", "leaf_pk_", f"{site.key}x", site.key[:-1]):
            refused = await page.get("/api/chats", headers={"authorization": f"Bearer {key}"})
            assert refusal(refused) == (401, "unknown_key")
        session = page.headers["x-leaf-session"]
    async with other.page(session=session) as elsewhere:
        assert refusal(await elsewhere.get(f"/api/chats/{chat}")) == (404, "not_found")
    assert (await sites.conversations(ben, other.agent_id)).rows == []
    await sites.revoke_key(site.member, site.key_id)
    async with site.page(session=session) as page:
        assert refusal(await page.get(f"/api/chats/{chat}")) == (401, "unknown_key")


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "https://shop.example.evil.example", "http://shop.example", "null",
               "https://SHOP.example", "https://shop.example/", "https://shop.example:444", ""],
)  # fmt: skip
async def test_a_key_is_for_the_agents_origins_alone(site: Site, origin: str) -> None:
    """# 003-04"""
    async with site.page(origin=origin) as page:
        refused = await page.post("/api/chats", json={})
        assert refusal(refused) == (403, "origin_not_allowed")
        assert "access-control-allow-origin" not in refused.headers
        asks = {"access-control-request-method": "POST", "authorization": ""}
        assert (await page.options("/api/chats", headers=asks)).status_code == 403


async def test_a_page_of_the_site_may_read_answers_and_refusals(site: Site) -> None:
    """# 003-04"""
    async with site.page() as page:
        preflight = await page.options("/api/chats", headers={"access-control-request-method": "POST"})
        assert preflight.status_code == 204
        assert "x-leaf-session" in preflight.headers["access-control-allow-headers"]
        answers = [
            await page.post("/api/chats", json={}),
            await page.get("/api/agent"),
            await page.get(f"/api/chats/{uuid4()}"),
            await page.post("/api/chats", content=b"{"),
            await page.get("/api/agent", headers={"authorization": "Bearer leaf_pk_none"}),
            await page.get("/api/chats/nothing/at/all"),
        ]
        assert [answer.status_code for answer in answers] == [201, 200, 404, 400, 401, 404]
        for answer in (preflight, *answers):
            assert answer.headers["access-control-allow-origin"] == SHOP
            assert answer.headers["vary"] == "Origin"
            assert "access-control-allow-credentials" not in answer.headers


async def test_a_trusted_user_can_go_on_and_cannot_list(site: Site) -> None:
    """# 003-08, 003-10"""
    async with site.page(user="u%C3%A9-1") as page, answering():
        chat = await begun(page)
        await asked(page, chat)
        async with site.page(user="u%C3%A9-1") as another_device, site.page(user="u-2") as stranger:
            assert (await another_device.get(f"/api/chats/{chat}")).status_code == 200
            assert refusal(await another_device.get("/api/chats")) == (401, "user_token_required")
            assert refusal(await stranger.get(f"/api/chats/{chat}")) == (404, "not_found")
        async with site.page(session="") as nobody:
            assert refusal(await nobody.get("/api/chats")) == (401, "identity_required")
        async with site.page(token=site.token("ué-1")) as proven:
            assert refusal(await proven.get(f"/api/chats/{chat}")) == (404, "not_found")


async def test_a_signed_user_has_their_chats_on_every_device(site: Site) -> None:
    """# 003-09, 003-10"""
    async with site.page(token=site.token("u-1")) as phone, answering():
        chat = await begun(phone)
        await asked(phone, chat)
        async with site.page(token=site.token("u-1"), session="") as laptop, site.page(user="u-1") as claims:
            assert [row["id"] for row in (await laptop.get("/api/chats")).json()["chats"]] == [chat]
            assert (await laptop.get(f"/api/chats/{chat}")).status_code == 200
            assert refusal(await claims.get(f"/api/chats/{chat}")) == (404, "not_found")
        async with site.page(token=site.token("u-2")) as other:
            assert (await other.get("/api/chats")).json()["chats"] == []


def _tampered(token: str) -> str:
    head, _, rest = token.partition(".")
    return f"{head}.{rest.partition('.')[0]}."


@pytest.mark.filterwarnings("ignore::jwt.warnings.InsecureKeyLengthWarning")
async def test_a_token_that_does_not_hold_is_refused(site: Site) -> None:
    """Expired, forged, without an end, by another algorithm, of another site, for another user. # 003-09"""
    other = await Site.make(await person("ben"), "Bakery", "https://bakery.example")
    good = site.token("u-1")
    key = "-----BEGIN PUBLIC KEY-----"
    bad = [
        site.token("u-1", seconds=-60),
        site.token("u-1", secret="x" * 40),
        site.token("u-1", exp=None),
        other.token("u-1"),
        jwt.encode({"userId": "u-1", "exp": 2**33}, "", "none"),
        jwt.encode({"userId": "u-1", "exp": 2**33}, site.secret, "HS512"),
        site.token("u-1", nbf=2**33),
        site.token(""),
        site.token("u-1", userId=7),
        site.token("u-1", exp="never"),
        f"{good}x",
        _tampered(good),
        "a.b.c",
        key,
        "x" * 5000,
    ]
    for token in bad:
        async with site.page(token=token) as page:
            assert refusal(await page.get("/api/chats")) == (401, "invalid_user_token"), token
    async with site.page(token=good, user="u-2") as page:
        assert refusal(await page.get("/api/chats")) == (401, "invalid_user_token")
    async with site.page(token=good, user="u-1") as page:
        assert (await page.get("/api/chats")).status_code == 200


async def test_a_secret_that_was_replaced_holds_for_its_overlap(site: Site, world: World) -> None:
    """# 003-30"""
    old = site.token("u-1")
    _, new = await sites.rotate_secret(site.member, site.site_id, overlap_hours=24)
    for token in (old, site.token("u-1", secret=new)):
        async with site.page(token=token) as page:
            assert (await page.get("/api/chats")).status_code == 200
    world.sql("UPDATE signing_secrets SET sealed = 'gone:x' WHERE expires_at IS NOT NULL")
    async with site.page(token=site.token("u-1", secret=new)) as page:
        assert (await page.get("/api/chats")).status_code == 200
    world.sql("UPDATE signing_secrets SET expires_at = now() WHERE expires_at IS NOT NULL")
    async with site.page(token=old) as page:
        assert refusal(await page.get("/api/chats")) == (401, "invalid_user_token")
    assert new not in str(world.sql("SELECT sealed FROM signing_secrets"))


async def test_anonymous_chats_become_a_users_with_proof_of_both(site: Site) -> None:
    """# 003-31"""
    session = uuid4().hex
    async with site.page(session=session) as page, answering():
        chat = await begun(page)
        frames = await asked(page, chat)
        thumb = {"messageId": frames[0]["messageId"], "sentiment": "up"}
        assert (await page.put(f"/api/chats/{chat}/feedback", json=thumb)).status_code == 204
        assert refusal(await page.post("/api/chats/merge")) == (401, "user_token_required")
    async with site.page(token=site.token("u-1"), session="") as page:
        assert refusal(await page.post("/api/chats/merge")) == (401, "user_token_required")
    async with site.page(session=session, user="u-1") as page:
        assert refusal(await page.post("/api/chats/merge")) == (401, "user_token_required")
    async with site.page(session=uuid4().hex, token=site.token("u-1")) as page:
        assert (await page.post("/api/chats/merge")).json() == {"merged": 0, "left": 0}
    async with site.page(session=session, token=site.token("u-1")) as page, answering("More."):
        assert (await page.post("/api/chats/merge")).json() == {"merged": 1, "left": 0}
        assert (await page.post("/api/chats/merge")).json() == {"merged": 0, "left": 0}
        assert [row["id"] for row in (await page.get("/api/chats")).json()["chats"]] == [chat]
        await asked(page, chat, "And now?")
        events = (await page.get(f"/api/chats/{chat}")).json()["events"]
        assert events[1]["metadata"] == {"feedback": "up"}
        assert len(events) == 4
    async with site.page(session=session) as page:
        assert refusal(await page.get(f"/api/chats/{chat}")) == (404, "not_found")
        assert (await page.get("/api/chats")).json()["chats"] == []


async def test_a_chat_in_which_an_answer_is_written_is_merged_later(site: Site) -> None:
    """# 003-31"""
    session = uuid4().hex
    async with site.page(session=session) as page, site.page(session=session, token=site.token("u-1")) as user:
        chat = await begun(page)
        sending = asyncio.create_task(asked(page, chat))
        await until(lambda: _answer(page, chat))
        assert (await user.post("/api/chats/merge")).json() == {"merged": 0, "left": 1}
        async with answering():
            assert (await sending)[-1]["status"] == "completed"
        assert (await user.post("/api/chats/merge")).json() == {"merged": 1, "left": 0}
        assert len((await user.get(f"/api/chats/{chat}")).json()["events"]) == 2


async def test_chats_are_archived_and_deleted(site: Site) -> None:
    """# 003-19, 003-21"""
    async with site.page() as page, answering():
        chat = await begun(page)
        await asked(page, chat)
        assert (await page.patch(f"/api/chats/{chat}", json={"archived": True})).status_code == 204
        assert (await page.get("/api/chats")).json()["chats"] == []
        assert (await page.get("/api/chats", params={"archived": True})).json()["chats"][0]["status"] == "archived"
        assert (await page.patch(f"/api/chats/{chat}", json={"archived": False})).status_code == 204
        assert len((await page.get("/api/chats")).json()["chats"]) == 1
        assert len((await sites.conversations(site.member, site.agent_id)).rows) == 1
        assert (await page.delete(f"/api/chats/{chat}")).status_code == 204
        assert refusal(await page.get(f"/api/chats/{chat}")) == (404, "not_found")
    assert (await sites.conversations(site.member, site.agent_id)).rows == []


async def test_quotas_are_of_the_visitor_and_of_the_agent(site: Site) -> None:
    """# 003-04"""
    await sites.change_agent(site.member, site.agent_id, {"visitor_daily": 2, "agent_daily": 3})
    async with site.page() as page, site.page() as other, answering():
        chat, others = await begun(page), await begun(other)
        for _ in range(2):
            await asked(page, chat)
        refused = await page.post(f"/api/chats/{chat}/messages", json={"content": "More?"})
        assert refusal(refused) == (429, "quota_reached")
        assert int(refused.headers["retry-after"]) > 3600
        await asked(other, others)
        refused = await other.post(f"/api/chats/{others}/messages", json={"content": "More?"})
        assert refusal(refused) == (429, "quota_reached")
        assert len((await page.get(f"/api/chats/{chat}")).json()["events"]) == 4


async def test_nobody_is_added_for_a_chat_that_is_refused(site: Site, world: World) -> None:
    """A public key and new names do not fill the tables."""
    codes: list[int] = []
    for _ in range(visitors.quotas.CHATS_A_MINUTE + 5):
        async with site.page() as page:
            codes.append((await page.post("/api/chats")).status_code)
    assert (codes.count(201), codes.count(429)) == (visitors.quotas.CHATS_A_MINUTE, 5)
    assert world.count("visitors") == visitors.quotas.CHATS_A_MINUTE
    await sites.change_agent(site.member, site.agent_id, {"paused": True})
    async with site.page() as page:
        assert refusal(await page.post("/api/chats")) == (403, "agent_paused")
    assert world.count("visitors") == visitors.quotas.CHATS_A_MINUTE


async def test_the_sites_budget_bears_the_cost(site: Site) -> None:
    """The usage of one visitor leaves less for the next, and takes nothing of a person's. # 003-28"""
    await sites.change(site.member, site.site_id, name="Shop", monthly_tokens=100)
    async with site.page() as page, site.page() as other:
        chat, others = await begun(page), await begun(other)
        async with answering(input_tokens=90, output_tokens=20):
            await asked(page, chat)
        refused = await other.post(f"/api/chats/{others}/messages", json={"content": "More?"})
    assert refusal(refused) == (429, "budget_reached")
    (row,) = (await sites.conversations(site.member, site.agent_id)).rows
    assert row.tokens == 110


async def test_context_is_kept_within_bounds_and_shown_to_the_site(site: Site) -> None:
    """# 003-06"""
    async with site.page(user_agent="Firefox/1") as page, answering():
        given = {
            "pageUrl": "https://shop.example/" + "a" * 5000,
            "locale": "de\n-AT",
            "customMetadata": {"plan": "pro"},
        }
        chat = await begun(page, context=given)
        for wrong in ([], {"pageUrl": 7}, {"customMetadata": []}, {"customMetadata": {"a": "x" * 5000}},
                      {"customMetadata": {"a": {"b": {"c": {"d": {"e": {}}}}}}}):  # fmt: skip
            assert refusal(await page.post("/api/chats", json={"context": wrong}))[0] == 400
        message = {"content": "Hello?", "context": {"pageUrl": "https://shop.example/cart"}}
        await page.post(f"/api/chats/{chat}/messages", json=message)
    (row,) = (await sites.conversations(site.member, site.agent_id)).rows
    assert row.context == {
        "pageUrl": "https://shop.example/cart", "locale": "de -AT", "userAgent": "Firefox/1",
        "customMetadata": {"plan": "pro"},
    }  # fmt: skip


async def test_bodies_are_bounded_and_garbage_is_refused(site: Site) -> None:
    async with site.page() as page:
        chat = await begun(page)
        path = f"/api/chats/{chat}/messages"
        assert refusal(await page.post(path, content=b"x" * 70_000)) == (413, "too_large")
        for body in (b"\xff\xfe", b"[" * 20_000, b'{"content": 1e999}', b'{"content": ""}', b"{}",
                     b'{"content": "' + b"a" * 9000 + b'"}'):  # fmt: skip
            answer = await page.post(path, content=body, headers={"content-type": "application/json"})
            assert answer.status_code == 400, body[:40]
        assert (await page.get(f"/api/chats/{chat}")).json()["events"] == []


async def test_an_agent_can_be_paused_and_can_want_tokens(site: Site) -> None:
    await sites.change_agent(site.member, site.agent_id, {"identity": "signed"})
    async with site.page() as page:
        assert (await page.get("/api/agent")).json()["requiresUserToken"] is True
        assert refusal(await page.post("/api/chats", json={})) == (401, "user_token_required")
    await sites.change_agent(site.member, site.agent_id, {"identity": "any", "paused": True})
    async with site.page() as page:
        assert refusal(await page.post("/api/chats", json={})) == (403, "agent_paused")


async def test_a_public_key_opens_nothing_of_peoples_api(site: Site) -> None:
    """# 003-04"""
    async with site.page() as page:
        for method, path in (("GET", "/api/usage"), ("POST", "/api/chat"), ("GET", "/api/models"),
                             ("GET", "/api/search"),
                             ("POST", f"/api/chats/{uuid4()}/fork"), ("GET", "/api/drive/folders")):  # fmt: skip
            assert (await page.request(method, path)).status_code == 404, path
        cookie = await page.get("/api/chats", headers={"authorization": "", "cookie": "leaf_session=x"})
        assert cookie.status_code == 401


def test_the_prefix_tells_the_two_apart() -> None:
    assert visitors.PREFIX == "leaf_pk_"
