"""Routes for operators: whether it lives, whether it can serve, what it counts."""

import asyncio
import socket
from typing import Any

import httpx
import pytest
from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.parser import text_string_to_metric_families
from redis import exceptions
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp

from leaf import api, callers, config, queue, redis, streams
from leaf.api.pages import believed
from leaf.services import readiness
from leaf.telemetry import metrics
from leaf.telemetry.metrics import exposition, sums
from tests.integration.redis_fixtures import RedisServer, until
from tests.integration.web_fixtures import LEAF, World

TOKEN = "a-token-of-the-tests-0123456789"


def client(*, peer: str = "203.0.113.9", app: ASGIApp | None = None) -> httpx.AsyncClient:
    """Somebody who is no person: a probe, or Prometheus."""
    made = app or api.application(pages_port=None)
    return httpx.AsyncClient(base_url=LEAF, transport=httpx.ASGITransport(made, client=(peer, 4711)))


def values(page: str) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """The samples of a page, read by Prometheus' own parser."""
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(page)
        for sample in family.samples
    }


@pytest.fixture
def worker() -> metrics.Publisher:
    """A worker that says that it lives."""
    return metrics.Publisher("worker", {"writing": lambda: 3, "followers": lambda: 0})


@pytest.fixture
def instruments(monkeypatch: pytest.MonkeyPatch) -> tuple[Counter, Histogram]:
    """Instruments of the test's own, in the place of those that other tests of this process count with."""
    registry = CollectorRegistry()
    for module in (sums, exposition):
        monkeypatch.setattr(module, "REGISTRY", registry)
    return (
        Counter("apples", "Apples.", ["kind"], registry=registry),
        Histogram("weight_grams", "How much.", buckets=(5, 10, 100), registry=registry),
    )


async def test_a_process_that_answers_lives_whatever_else_does_not(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = {"database_url": "postgresql://127.0.0.1:9/none", "redis_url": "redis://127.0.0.1:9"}
    monkeypatch.setattr(config, "_current", world.settings.model_copy(update=gone))
    async with client() as probe:
        answer = await probe.get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


async def test_it_is_ready_with_a_database_a_redis_and_a_worker(world: World, worker: metrics.Publisher) -> None:
    async with client() as probe:
        alone = await probe.get("/readyz")
        assert alone.status_code == 503
        parts = {"database": "ok", "redis": "ok", "worker": "none alive"}
        assert alone.json() == {"status": "not ready", "parts": parts}
        await worker.publish()
        await asyncio.sleep(api.operations.KEPT_SECONDS)
        both = await probe.get("/readyz")
        assert (both.status_code, both.json()["status"]) == (200, "ready")
        await worker.leave()
    assert (await readiness.check()).parts["worker"] == "none alive"


async def test_what_does_not_answer_is_named_in_time_and_without_secrets(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that takes connections and says nothing is as good as none."""
    silent = socket.create_server(("127.0.0.1", 0))
    address = f"leaf:hidden-password@127.0.0.1:{silent.getsockname()[1]}"
    gone = {"database_url": f"postgresql://{address}/leaf", "redis_url": f"redis://{address}"}
    monkeypatch.setattr(config, "_current", world.settings.model_copy(update=gone))
    loop = asyncio.get_running_loop()
    began = loop.time()
    async with client() as probe:
        answer = await probe.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["parts"] == {"database": "no answer", "redis": "no answer", "worker": "no answer"}
    assert loop.time() - began < readiness.SECONDS + 1.5
    assert "hidden-password" not in answer.text
    await redis.close()
    silent.close()


async def test_a_worker_that_says_nothing_any_more_is_gone(
    world: World, worker: metrics.Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    await worker.publish()
    assert (await readiness.check()).ready
    monkeypatch.setattr(sums, "ALIVE_SECONDS", 0)
    assert (await readiness.check()).parts["worker"] == "none alive"


async def test_metrics_are_nobodys_business_unless_a_setting_says_so(world: World) -> None:
    """Neither from this machine nor with a token that is not asked for; behind a proxy everybody is from here."""
    bearer = {"authorization": f"Bearer {TOKEN}"}
    async with client(peer="127.0.0.1") as here, client() as there:
        assert [(await one.get("/metrics", headers=bearer)).status_code for one in (here, there)] == [404, 404]
        world.change(metrics_loopback=True)
        assert (await here.get("/metrics")).status_code == 200
        assert (await there.get("/metrics")).status_code == 404
        for name in ("x-forwarded-for", "x-real-ip", "forwarded"):
            assert (await here.get("/metrics", headers={name: "127.0.0.1"})).status_code == 404
        world.change(metrics_token=TOKEN)
        assert (await there.get("/metrics", headers=bearer)).status_code == 200
        for wrong in ({}, {"authorization": TOKEN}, {"authorization": f"Bearer {TOKEN}x"}):
            assert (await there.get("/metrics", headers=wrong)).status_code == 401


async def test_processes_are_added_up_and_outlived_by_their_sums(
    world: World, instruments: tuple[Counter, Histogram]
) -> None:
    """Two processes count the same instruments here, so that each sum is twice what was counted."""
    apples, weight = instruments
    world.change(metrics_token=TOKEN)
    web, worker = (
        metrics.Publisher("web", {"followers": lambda: 2}),
        metrics.Publisher("worker", {"writing": lambda: 3}),
    )
    apples.labels("pippin").inc(2)
    weight.observe(7)
    for process in (web, worker, web):
        await process.publish()
    apples.labels("pippin").inc()
    apples.labels('a "quoted"\nkind').inc()
    await web.publish()
    await worker.leave()
    async with client() as prometheus:
        page = await prometheus.get("/metrics", headers={"authorization": f"Bearer {TOKEN}"})
    assert page.headers["content-type"].startswith("text/plain; version=")
    found = values(page.text)
    assert found["apples_total", (("kind", "pippin"),)] == 2 + 2 + 1 + 1
    assert found["apples_total", (("kind", 'a "quoted"\nkind'),)] == 2
    bounds = ("5.0", "10.0", "100.0", "+Inf")
    assert [found["weight_grams_bucket", (("le", bound),)] for bound in bounds] == [0, 2, 2, 2]
    assert found["weight_grams_sum", ()] == 14
    assert found["leaf_processes", (("role", "web"),)] == 1
    assert found["leaf_processes", (("role", "worker"),)] == 0
    assert found["leaf_followers", (("role", "web"),)] == 2
    assert found["leaf_ready", (("part", "database"),)] == 1


async def test_what_redis_has_taken_without_saying_so_is_added_once(
    world: World, instruments: tuple[Counter, Histogram], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer that gets lost on the way: the same is sent again, and then what has come since."""
    apples, _ = instruments
    publisher = metrics.Publisher("web", {})
    apples.labels("pippin").inc(5)
    taken = sums._ADD

    async def lost(keys: Any, arguments: Any) -> None:
        await taken(keys, arguments)
        raise exceptions.TimeoutError("Timeout reading from socket")

    with monkeypatch.context() as patch:
        patch.setattr(sums, "_ADD", lost)
        await publisher.publish()
    apples.labels("pippin").inc(1)
    await publisher.publish()
    await publisher.publish()
    assert (await metrics.totals())["apples_total", (("kind", "pippin"),)] == 6


async def test_what_was_counted_without_redis_is_told_when_it_is_back(
    durable_redis: RedisServer, instruments: tuple[Counter, Histogram]
) -> None:
    apples, _ = instruments
    publisher = metrics.Publisher("worker", {})
    await publisher.publish()
    durable_redis.kill()
    apples.labels("pippin").inc(4)
    await publisher.publish()
    apples.labels("pippin").inc(3)
    durable_redis.start()
    await publisher.publish()
    await publisher.publish()
    assert (await metrics.totals())["apples_total", (("kind", "pippin"),)] == 7


async def test_answers_wait_until_a_worker_begins_them(redis_url: str) -> None:
    """arq keeps a job in its queue while a worker writes; that one does not wait."""
    for number in range(3):
        await queue.enqueue_respond(f"run-{number}", 1)
    assert (await metrics.jobs_waiting()).count == 3
    await redis.client().set("arq:in-progress:respond:run-1:1", b"1")
    assert (await metrics.jobs_waiting()).count == 2


async def test_operators_are_told_why_answers_wait(
    world: World, worker: metrics.Publisher, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """In /readyz and in the log: because no worker is alive, or because all are busy; and once they do not. # 001-21"""
    monkeypatch.setattr(streams, "UNTAKEN_SECONDS", 0.0)
    monkeypatch.setattr(metrics.queue, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr(api.operations, "KEPT_SECONDS", 0.0)
    await queue.enqueue_respond("run-1", 1)
    caplog.set_level("INFO", "leaf")
    watching = asyncio.create_task(metrics.queue.watch())
    async with client() as probe:
        await until(lambda: "no worker is alive; start one with `make worker`" in caplog.text)
        alone = (await probe.get("/readyz")).json()
        assert (alone["status"], alone["parts"]["worker"]) == ("not ready", "none alive")
        assert alone["waiting"] == {"answers": 1, "seconds": alone["waiting"]["seconds"]}
        await worker.publish()
        busy = await probe.get("/readyz")
        assert (busy.status_code, busy.json()["parts"]["worker"], busy.json()["waiting"]["answers"]) == (200, "busy", 1)
        await redis.client().delete("arq:queue")
        monkeypatch.setattr(streams, "UNTAKEN_SECONDS", 10.0)
        await until(lambda: "no answer waits for a worker any more" in caplog.text)
        free = (await probe.get("/readyz")).json()
        assert (free["parts"]["worker"], "waiting" in free) == ("ok", False)
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)
    assert "all 2 workers are busy; start another one, or raise LEAF_WORKER_JOBS" in metrics.queue.reason(2)


def test_labels_are_bounded_and_nobodys() -> None:
    """A thousand models become fifty labels and one for the rest."""
    labels = {metrics.instruments.model_label(f"provider:model-{number}") for number in range(1000)}
    assert len(labels) <= 51
    assert "other" in labels
    named = {label for family in metrics.samples() for label, _ in family[1]}
    assert named <= {"status", "code", "kind", "model", "feature", "le"}


async def test_a_trusted_proxy_says_who_calls() -> None:
    """And nobody else does. What the pages and the routes see is the same."""

    async def tell(scope: Any, receive: Any, send: Any) -> None:
        request = Request(scope)
        assert request.client is not None
        await JSONResponse(request.client.host)(scope, receive, send)

    app = believed(callers.networks("127.0.0.0/8"))(tell)
    said = {"x-forwarded-for": "6.6.6.6, 198.51.100.7"}
    async with client(peer="127.0.0.1", app=app) as proxy, client(peer="203.0.113.9", app=app) as stranger:
        assert (await proxy.get("/", headers=said)).json() == "198.51.100.7"
        assert (await stranger.get("/", headers=said)).json() == "203.0.113.9"
        real = {"x-real-ip": "198.51.100.8"}
        assert (await proxy.get("/", headers=real)).json() == "198.51.100.8"
        chain = said | {"x-real-ip": "127.0.0.2"}
        assert (await proxy.get("/", headers=chain)).json() == "198.51.100.7", "the chain of proxies says more"
        same = said | {"x-real-ip": "198.51.100.7"}
        assert (await proxy.get("/", headers=same)).json() == "198.51.100.7"
        assert (await stranger.get("/", headers=real)).json() == "203.0.113.9"


async def test_a_header_that_a_proxy_passes_on_as_it_came_is_not_believed() -> None:
    """A proxy sets one of two headers. A caller who sends the other gets no limits of its own by it. # 002-04"""

    async def tell(scope: Any, receive: Any, send: Any) -> None:
        await JSONResponse(scope["client"][0])(scope, receive, send)

    app = believed(callers.networks("127.0.0.0/8"))(tell)
    async with client(peer="127.0.0.1", app=app) as proxy:
        for number in range(1, 4):
            forged = {"x-forwarded-for": f"6.6.6.{number}", "x-real-ip": "198.51.100.8"}
            assert (await proxy.get("/", headers=forged)).json() == "127.0.0.1"
            forged = {"x-forwarded-for": f"6.6.6.{number}, 198.51.100.8", "x-real-ip": f"6.6.6.{number}"}
            assert (await proxy.get("/", headers=forged)).json() == "127.0.0.1"
