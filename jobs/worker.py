"""The worker: `arq jobs.worker.WorkerSettings`.

The settings are made on first access and not at import, because a worker without PostgreSQL and Redis first starts the
embedded ones.
"""

import asyncio
import atexit
import logging
import os
import signal
import time
from typing import Any

from jobs import library, metrics, registry, tracing
from leaf import config, errors, redis
from leaf.agent import encoder
from leaf.config import embedded
from leaf.documents import isolation
from leaf.services import models as model_service
from leaf.telemetry import logs, responsiveness

log = logging.getLogger(__name__)

ORPHAN_LOOK_SECONDS = 5.0
ORPHAN_SECONDS = 60.0
"""The time for which a worker survives the web process that started it, because that process may be restarted."""


def __getattr__(name: str) -> Any:
    if name == "WorkerSettings":
        return _settings()
    raise AttributeError(name)


def _settings() -> type:
    """The class `WorkerSettings` for `arq`."""
    services = open_services()
    from jobs import functions, queue

    queue.install()
    attributes = queue.settings(services, functions.functions(), functions.schedule(), (started, stopping))
    return type("WorkerSettings", (), attributes)


def open_services() -> embedded.Services:
    """Finds or starts the services that a worker needs, and configures its logs."""
    from leaf.db import migrate

    try:
        services = embedded.start(config.load(), "worker", migrate=migrate.upgrade)
    except errors.ConfigurationError as error:
        raise SystemExit(error.message) from None
    # arq does not call `on_shutdown` if Redis stops before the worker. Stopping twice does no harm.
    atexit.register(services.stop)
    settings = services.settings
    logs.configure(settings.log_level, settings.log_format)
    logs.hide(settings.secrets)
    return services


async def started(ctx: dict[str, Any]) -> None:
    """Prepares a worker.

    Args:
        ctx: arq's context, which contains the services of the worker.
    """
    from leaf.agent import agents, mcp, models, site_agent

    tracing.start()
    default_model = model_service.current().id
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
    """Ends an idle worker whose web process was killed. Embedded services stop with their last user."""
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


async def stopping(ctx: dict[str, Any]) -> None:
    """Closes what `started` has opened."""
    from leaf.agent import mcp, models
    from leaf.db import session

    # SIGTERM may come before the start is complete.
    running = [ctx[name] for name in ("library", "orphan_watch", "publishing") if name in ctx]
    for one in running:
        one.cancel()
    await asyncio.gather(*running, return_exceptions=True)
    if "publishing" in ctx:
        await ctx["metrics"].leave()
    isolation.close()
    await encoder.close()
    await mcp.close()
    await tracing.close()
    await models.close()
    await session.dispose()
    await redis.close()
    await asyncio.to_thread(ctx["services"].stop)
