"""Reflex's configuration, read from Leaf's settings."""

import logging
import os

import reflex as rx
from reflex.plugins import SitemapPlugin
from reflex.utils.exec import is_prod_mode
from reflex_base.environment import environment

from leaf import config as settings_module
from leaf import errors
from leaf.components.page_files import CompiledPages


def _configuration() -> rx.Config:
    settings = settings_module.load()
    if environment.REFLEX_BACKEND_ONLY.get():
        # The pages are there from an earlier start, and served with the routes.
        ports = {"backend_port": settings.port}
    else:
        ports = {"frontend_port": settings.port}
        ports |= {"backend_port": settings.backend_port} if settings.backend_port else {}
    public = {"api_url": settings.url, "deploy_url": settings.url} if settings.public_url else {}
    made = rx.Config(
        app_name="leaf",
        backend_host=settings.listens_on,
        telemetry_enabled=False,
        show_built_with_reflex=False,
        plugins=[CompiledPages()],
        disable_plugins=[SitemapPlugin],
        frontend_packages=["@fontsource-variable/inter@5.2.8"],
        # A tab's state lives in the process that holds its socket, and a tab that comes back to another process is
        # rebuilt from the database and the run streams. So finished chats open without Redis, and a repaint costs no
        # round trip. Which tab is where `leaf.state.sockets` keeps in Redis: Reflex's `redis_url` knows no Sentinel.
        state_manager_mode="memory",
        **(ports | public),
    )
    # Reflex would start twice as many as there are cores and one more, and warn of it.
    os.environ.setdefault("GRANIAN_WORKERS", str(settings.processes))
    if settings.processes == 1 and is_prod_mode():
        # Forked processes share what they have loaded with the one that starts them, which pays from the second on.
        os.environ.setdefault("REFLEX_BACKEND_START_METHOD", "spawn")
    # A page whose web process is cut off, and not ended, notices after both of these, and goes to another one. It
    # connects again at once. After each failed attempt it waits 0.2 s longer than before the last one, at most 2 s
    # (`retryConnect` in Reflex's `state.js`; socket.io's own reconnection is off).
    os.environ.setdefault("REFLEX_SOCKET_INTERVAL", "10s")
    os.environ.setdefault("REFLEX_SOCKET_TIMEOUT", "15s")
    made.cors_allowed_origins = _origins(settings, made)
    return made


def _origins(settings: settings_module.Settings, made: rx.Config) -> list[str]:
    """The origins of Leaf's pages: its public address, and outside production the loopback names on its ports."""
    own = [settings.url]
    if settings.env == "development":
        ports = {port for port in (settings.port, made.frontend_port, made.backend_port) if port}
        own += [f"http://{host}:{port}" for port in sorted(ports) for host in ("localhost", "127.0.0.1", "[::1]")]
    return list(dict.fromkeys(own))


# Reflex names a command of its own as the next step, in the middle of a start of Leaf.
logging.getLogger("reflex.reflex").addFilter(lambda record: "uv run reflex run" not in record.getMessage())

try:
    config = _configuration()
except errors.ConfigurationError as error:
    raise SystemExit(error.message) from None
