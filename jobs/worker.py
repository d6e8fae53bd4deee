"""The worker: `arq jobs.worker.WorkerSettings`.

The settings are made on first access and not at import: a worker that is started by hand without PostgreSQL and Redis
starts the embedded ones first.
"""

import asyncio
import atexit
import logging
import os
import signal
import time
from typing import Any

from arq import cron, func
from arq.worker import Function

from jobs import library, metrics, registry, tracing
from jobs.library import vectors as library_vectors
from leaf import config, errors, redis
from leaf.agent import encoder
from leaf.config import embedded
from leaf.documents import isolation
from leaf.services import imports as import_service
from leaf.services import models as model_service
from leaf.services import operation
from leaf.services.library import vectors
from leaf.telemetry import logs, responsiveness

log = logging.getLogger(__name__)

JOB_SECONDS = 24 * 3600
"""Practically no limit: a run is limited by its lease, its steps and the timeouts of its model."""
ORPHAN_LOOK_SECONDS = 5.0
ORPHAN_SECONDS = 60.0
"""The time by which a worker outlives the web process that started it, which may be restarted at once."""


def __getattr__(name: str) -> Any:
    if name == "WorkerSettings":
        return _settings()
    raise AttributeError(name)


def _settings() -> type:
    from jobs import digests, imports, queue, reaper, retention
    from leaf.db import migrate

    try:
        services = embedded.start(config.load(), "worker", migrate=migrate.upgrade)
    except errors.ConfigurationError as error:
        raise SystemExit(error.message) from None
    # arq does not call `on_shutdown` where Redis has gone before the worker; stopping twice does no harm.
    atexit.register(services.stop)
    queue.install()
    settings = services.settings
    logs.configure(settings.log_level, settings.log_format)
    logs.hide(settings.secrets)
    every_five_seconds = set(range(0, 60, 5))
    attributes: dict[str, Any] = {
        "functions": _functions(),
        "cron_jobs": [
            cron(reaper.reap, second=every_five_seconds, keep_result=0, max_tries=1),
            cron(reaper.expire, second=every_five_seconds, keep_result=0, max_tries=1),
            cron(reaper.compare, second={2, 17, 32, 47}, run_at_startup=True, keep_result=0, max_tries=1),
            cron(retention.purge_chats, second=40, keep_result=0, max_tries=1),
            cron(retention.delete_unasked_chats, minute=33, second=40, keep_result=0, max_tries=1),
            cron(retention.expire_site_chats, minute={13, 43}, second=30, keep_result=0, max_tries=1),
            cron(retention.expire_site_requests, second=50, keep_result=0, max_tries=1),
            # Without a name of its own this job and `reaper.reap` would both be `cron:reap`.
            cron(
                imports.reap,
                name="cron:reap_imports",
                second={7, 27, 47},
                run_at_startup=True,
                keep_result=0,
                max_tries=1,
            ),
            cron(retention.open_feeds, second=25, run_at_startup=True, keep_result=0, max_tries=1),
            cron(retention.forget_texts, second={5, 20, 35, 50}, keep_result=0, max_tries=1),
            cron(retention.cool_chats, minute=23, second=10, keep_result=0, max_tries=1),
            cron(retention.watch_sizes, minute=3, second=10, keep_result=0, max_tries=1),
            cron(digests.send_due, second=35, keep_result=0, max_tries=1),
            cron(retention.purge_security_events, minute=7, second=20, keep_result=0, max_tries=1),
        ],
        "job_serializer": redis.job_serializer,
        "job_deserializer": redis.job_deserializer,
        "poll_delay": 0,  # the worker itself waits, see jobs.queue
        "max_jobs": settings.worker_jobs,
        "job_timeout": JOB_SECONDS,
        "keep_result": 0,
        "max_tries": 100,
        "allow_abort_jobs": False,
        "health_check_interval": 30,
        "on_startup": _started,
        "on_shutdown": _stopping,
        "ctx": {"services": services},
    }
    return type("WorkerSettings", (), attributes)


def _functions() -> list[Function]:
    from jobs import imports, trials
    from jobs.respond import respond

    return [
        _function(respond),
        _function(imports.import_apart, import_service.JOB),
        func(library_vectors.embed_queries, name=vectors.JOB, keep_result=10, timeout=30, max_tries=1),
        func(trials.try_model, name=operation.TRIAL, keep_result=60, timeout=90, max_tries=1),
    ]


def _function(job: Any, name: str | None = None) -> Function:
    return func(job, name=name, keep_result=0, timeout=JOB_SECONDS, max_tries=100)


async def _started(ctx: dict[str, Any]) -> None:
    from leaf.agent import agents, mcp, models, site_agent

    tracing.start()
    default_model = model_service.current().id
    # arq logs two lines for each cron job.
    logging.getLogger("arq.worker").setLevel(logging.WARNING)
    # Loads the libraries of the model's provider, which would delay the first answer.
    await asyncio.to_thread(models.build, default_model)
    await asyncio.to_thread(agents.build)
    await asyncio.to_thread(site_agent.build)
    ctx["mcp"] = asyncio.create_task(mcp.start())
    responsiveness.prepare()
    ctx["metrics"] = metrics.publisher()
    ctx["publishing"] = asyncio.create_task(ctx["metrics"].run())
    if config.current().index:
        ctx["library"] = asyncio.create_task(library.run())
    ctx["orphan_watch"] = asyncio.create_task(_end_when_orphaned(ctx["services"]))
    log.info("worker ready: %s", default_model)


async def _end_when_orphaned(services: embedded.Services) -> None:
    """Ends an idle worker whose web process was killed; the embedded services stop with their last user."""
    web = services.web_of_worker()
    if web is None:
        return
    idle_since: float | None = None
    while True:
        await asyncio.sleep(ORPHAN_LOOK_SECONDS)
        now = time.monotonic()
        try:
            busy = services.is_used_by(web) or bool(await registry.attempts())
        except errors.RedisUnavailable:
            busy = False
        idle_since = None if busy else idle_since or now
        if idle_since is not None and now - idle_since > ORPHAN_SECONDS:
            log.warning("this worker ends: its web process is gone, and it is idle")
            os.kill(os.getpid(), signal.SIGTERM)
            return


async def _stopping(ctx: dict[str, Any]) -> None:
    from leaf.agent import mcp, models
    from leaf.db import session

    if "library" in ctx:
        ctx["library"].cancel()
        await asyncio.gather(ctx["library"], return_exceptions=True)
    if "orphan_watch" in ctx:  # SIGTERM may come before the start is complete
        ctx["orphan_watch"].cancel()
        ctx["publishing"].cancel()
        await asyncio.gather(ctx["orphan_watch"], ctx["publishing"], return_exceptions=True)
        await ctx["metrics"].leave()
    isolation.close()
    await encoder.close()
    await mcp.close()
    await tracing.close()
    await models.close()
    await session.dispose()
    await redis.close()
    await asyncio.to_thread(ctx["services"].stop)
