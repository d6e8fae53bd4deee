"""The application: its pages, its HTTP routes, and the services that it starts."""

import asyncio
import logging
import os
import socket
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import httpx
import reflex as rx
from redis.exceptions import RedisError
from reflex.utils.exec import is_prod_mode
from reflex.utils.prerequisites import get_web_dir
from reflex_base.config import get_config
from reflex_base.environment import environment
from starlette.types import ASGIApp

from leaf import api, config, errors, pages, redis
from leaf.api.edge import guarded
from leaf.api.pages import believed
from leaf.api.pages import served as pages_served
from leaf.api.shutdown import Shutdown
from leaf.api.site import apart
from leaf.config import build, embedded, model_servers
from leaf.config.embedded import processes
from leaf.db import migrate, session
from leaf.documents import isolation
from leaf.state import delivery
from leaf.state.language import ReaderMiddleware
from leaf.state.sockets import Sockets, report
from leaf.telemetry import logs, metrics, responsiveness

log = logging.getLogger(__name__)

_CHECK_SECONDS = 1.0
_shutdown = Shutdown()


@asynccontextmanager
async def services() -> AsyncGenerator[None]:
    """Runs embedded services for which no URL is configured, while this process serves."""
    settings = config.load()
    logs.configure(settings.log_level, settings.log_format)
    try:
        started = await asyncio.to_thread(embedded.start, settings, "web", migrate=migrate.upgrade)
    except errors.ConfigurationError as error:
        sys.stderr.write(f"{error.message}\n")
        raise SystemExit(1) from None
    served = processes.pages_note(Path(get_web_dir()), os.getpid())
    # In a read-only folder, such as in an image, nobody compiles pages again, so the note is not needed.
    with suppress(OSError):
        processes.write_note(served, processes.Identity.own())
    publisher = metrics.Publisher("web", metrics.gauges_of_process(session.connections))
    responsiveness.prepare()
    running = (_announce(settings), _keep_alive(started), publisher.run(), model_servers.watch(), metrics.queue.watch())
    tasks = [asyncio.create_task(one) for one in running]
    _shutdown.at_sigterm()
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        isolation.close()
        await publisher.leave()
        await session.dispose()
        await redis.close()
        with suppress(OSError):
            served.unlink(missing_ok=True)
        await asyncio.to_thread(started.stop)


async def _keep_alive(started: embedded.Services) -> None:
    """Restarts services that have died: at once, then at growing intervals of up to 10 seconds."""
    pause = _CHECK_SECONDS
    while True:
        await asyncio.sleep(pause)
        try:
            revived = await asyncio.to_thread(started.revive)
        except errors.ConfigurationError as error:
            log.warning("%s", error.message)
            revived = True
        pause = min(pause * 2, _CHECK_SECONDS * 10) if revived else _CHECK_SECONDS


async def _announce(settings: config.Settings) -> None:
    """Prints the address of the pages when they are being served."""
    reflex_config = get_config()
    port = reflex_config.frontend_port or settings.port
    address = settings.public_url or f"http://localhost:{port}"
    pause = 0.1
    async with httpx.AsyncClient(trust_env=False, timeout=5) as http:
        while True:
            with suppress(httpx.HTTPError):
                response = await http.get(f"http://localhost:{port}/")
                backend = await http.get(f"http://localhost:{reflex_config.backend_port or port}/api/health")
                if response.is_success and backend.is_success:
                    break
            await asyncio.sleep(pause)
            # A process that serves only routes never has pages, so the checks become less frequent.
            pause = min(pause * 1.05, 5.0)
    # If one start has several web processes, only one of them prints the line.
    with suppress(RedisError):
        if not await redis.client().set(f"leaf:announced:{socket.gethostname()}:{os.getppid()}", "1", nx=True, ex=60):
            return
    sys.stdout.write(f"Leaf is ready at {address}\n")
    sys.stdout.flush()


class _Application(rx.App):
    """Reflex's application, wrapped by the routes for pages of other origins."""

    def _setup_state(self) -> None:
        """Replaces Reflex's sockets with Leaf's own."""
        super()._setup_state()
        if self.sio is not None and self.event_namespace is not None:
            self._event_namespace = Sockets(str(self.event_namespace.namespace), self)
            self.sio.register_namespace(self._event_namespace)

    def __call__(self) -> ASGIApp:
        """The complete ASGI application."""
        settings = config.load()
        if is_prod_mode() and environment.REFLEX_BACKEND_ONLY.get() and build.is_current(settings.pages_dir):
            # An earlier start has compiled the pages. `reflex run` was told not to compile, so it would not serve them.
            environment.REFLEX_MOUNT_FRONTEND_COMPILED_APP.set(True)
        application = apart(super().__call__(), own=get_config().cors_allowed_origins)
        return believed(settings.proxies)(guarded(settings, _shutdown)(application))


def _application() -> rx.App:
    settings, production = config.load(), is_prod_mode()
    compiled = Path(get_web_dir()) / "build" / "client" if production else None
    routes = api.application(pages_port=None if production else get_config().frontend_port, compiled=compiled)
    served = pages_served(compiled, loopback=settings.env == "development")
    made = _Application(api_transformer=[routes, served])
    made.register_lifespan_task(services)
    made.add_middleware(ReaderMiddleware())
    made.frontend_exception_handler = report
    pages.register(made)
    delivery.install(lambda: made.event_namespace)
    return made


app = _application()
