"""Commands for operators: `python -m leaf models`, `doctor` and `preflight`. `make run` uses the last one."""

import argparse
import asyncio
import errno
import logging
import socket
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from leaf import config, errors, texts
from leaf.config import build, catalog, local, model_servers, servers
from leaf.config.catalog import Kind, Mode
from leaf.config.embedded import processes


def main() -> int:
    """Runs a command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="leaf", description="Leaf's own commands.")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("models", help="print which models are enabled, and why others are not")
    checks = commands.add_parser("doctor", help="check the connection to Google Drive step by step")
    checks.add_argument("--member", metavar="EMAIL", help="check the connection of this member as well")
    before = commands.add_parser("preflight", help="check settings, port, and servers before a start")
    before.add_argument("--stopped", action="store_true", help="check that nothing uses the data directory")
    before.add_argument(
        "--pages", action="store_true", help="compile the pages as well, if a source of them has changed"
    )
    arguments = parser.parse_args()
    if arguments.command == "preflight":
        preflight(stopped=arguments.stopped)
        return compile_pages() if arguments.pages else 0
    try:
        if arguments.command == "doctor":
            return doctor(arguments.member)
        sys.stdout.write(f"{models()}\n")
    except errors.ConfigurationError as error:
        sys.stderr.write("".join(f"{problem}\n" for problem in error.problems))
        return 1
    return 0


def doctor(member: str | None) -> int:
    """Prints the check of the connection to Drive, and the addresses to enter at Google.

    Args:
        member: The e-mail address of a member whose connection is checked as well; None for no member.

    Returns:
        The exit status: 0 if no probe has failed.

    Raises:
        errors.ConfigurationError: The settings are wrong, or a necessary service cannot be started.
    """
    # Imported here, because other commands do not need the database.
    from leaf.config import embedded
    from leaf.db import Actor, migrate
    from leaf.services import doctor as service

    settings = config.load()
    needs_services = member is not None or settings.uses_sandbox_google
    services = embedded.start(settings, "tool", migrate=migrate.upgrade) if needs_services else None

    async def probed(actor: Actor | None) -> list[service.Result]:
        results: list[service.Result] = []
        async for one in service.check(actor):
            sys.stderr.write(f"{len(results) + 1}/{len(service.PROBES)} {texts.say(service.PROBES[one.probe][0])}\n")
            results.append(one)
        return results

    async def check() -> tuple[list[service.Result], str]:
        actor = await service.member(member) if member is not None else None
        missing = ""
        try:
            results = await probed(actor)
        except errors.DriveNotConnected:
            assert actor is not None  # noqa: S101 - only a member's connection can be missing
            missing = f"{await service.unconnected(actor)}\n"
            results = await probed(None)
        return results, missing + service.report(results, await service.addresses(), to_operator=True)

    try:
        results, written = asyncio.run(check())
    except errors.NotFound as error:
        sys.stderr.write(f"{error.message}\n")
        return 1
    finally:
        if services is not None:
            services.stop()
    sys.stdout.write(f"{written}\n")
    return int(any(one.outcome == "failed" for one in results))


def models() -> str:
    """A text with the model of each mode and kind, one per line, and for each known model whether it is enabled."""
    settings = config.current()
    asyncio.run(model_servers.look())
    lines: list[str] = []
    for mode in Mode:
        for kind in Kind:
            model = catalog.select(settings, mode, kind).model
            lines.append(f"{mode:<9}{kind:<9}{model}")
    lines += [f"{'side':<9}{purpose:<9}{catalog.side_model(settings, purpose)}" for purpose in ("title", "related")]
    lines.append("")
    listed = catalog.table(settings.models_file, cloud=settings.cloud).every
    found = [server.id_of(model) for server in local.found() for model in server.models]
    known = dict.fromkeys((*catalog.offered(settings), *listed, *found))
    width = max(map(len, known))
    for model in known:
        found_model = local.model(model)
        toolless = found_model is not None and found_model.calls_tools is False
        reason = catalog.why_not(settings, model) or ("it cannot call tools" if toolless else "")
        lines.append(f"{model:<{width}}  {f'off: {reason}' if reason else 'on'}")
    if settings.model:
        lines.append(f"\nLEAF_MODEL={settings.model} replaces this table.")
    return "\n".join([*lines, *_providers_without_models(settings, known)])


def _providers_without_models(settings: config.Settings, known: Iterable[str]) -> list[str]:
    """Lines for providers without a listed model, because their variables may be set with no visible effect."""
    listed = {model.partition(":")[0] for model in known}
    names = [name for name in catalog.PROVIDERS if name not in {*listed, catalog.SANDBOX, local.PROVIDER}]
    reasons = [(name, catalog.why_not(settings, f"{name}:")) for name in names]
    lines = [
        f"{name:<19}{f'off: {reason}' if reason else 'configured, but none of its models is listed'}"
        for name, reason in reasons
    ]
    return ["\nProviders of which no model is listed:", *lines] if lines else []


def preflight(*, stopped: bool) -> None:
    """Exits with an error message of one line if Leaf could not start.

    Args:
        stopped: Instead, check that no Leaf uses the data directory, and end services that a killed Leaf left behind.
    """
    try:
        settings = config.load()
    except errors.ConfigurationError as error:
        sys.exit(error.message)
    if stopped:
        data_dir = settings.data_dir.absolute()
        _require_stopped(data_dir)
        _stop_left_services(data_dir)
    else:
        _check_port(settings.port)
        _check_pages(settings.pages_dir, settings.port)
        _check_servers(settings)


def compile_pages() -> int:
    """Compiles the pages, unless an earlier start has compiled them from the same sources.

    This runs in a separate process, whose 100 MB of memory are freed at its end. `reflex run` would keep them.

    Returns:
        The exit status of the compilation.
    """
    if build.is_current(config.load().pages_dir):
        return 0
    command = (sys.executable, "-m", "reflex", "export", "--frontend-only", "--no-zip", "--env", "prod")
    return subprocess.run(command, check=False).returncode


def _check_servers(settings: config.Settings) -> None:
    """Exits if a server or program cannot be used, before pages are compiled. The start of Leaf checks them again."""
    # The start writes the same warnings into the log.
    logging.getLogger("leaf").addHandler(logging.NullHandler())
    try:
        servers.require_node()
        if settings.redis_url is not None:
            servers.require_redis(settings.redis_url)
        if settings.database_url is not None:
            # Importing Alembic and SQLAlchemy takes half a second; a start with embedded services avoids it here.
            from leaf.db import migrate

            migrate.require(settings.database_url)
    except errors.ConfigurationError as error:
        sys.exit(error.message)


def _check_port(port: int) -> None:
    for family, address in ((socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::")):  # noqa: S104 - as Reflex binds
        try:
            with socket.socket(family) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if family == socket.AF_INET6:
                    probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                probe.bind((address, port))
        except PermissionError:
            sys.exit(f"Port {port} needs more rights than this user has. Choose one above 1023: PORT=3001 make run")
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                sys.exit(f"Port {port} is taken by another program. Choose another: PORT={port + 1} make run")


def _check_pages(web: Path, port: int) -> None:
    """Exits if another Leaf serves the compiled pages of this folder. A start would overwrite them."""
    server = next(iter(processes.servers_of(web)), None)
    if server is not None:
        sys.exit(
            f"Leaf already runs from this folder (process {server.pid}). Stop it first, or start the second one from a "
            f"clone of its own, or with its pages elsewhere: REFLEX_WEB_WORKDIR=.web-{port} PORT={port} make run"
        )


def _require_stopped(directory: Path) -> None:
    """Exits if a running Leaf uses the data directory."""
    for note in (directory / "run" / "users").glob("*.json"):
        user = processes.read_note(note)
        if user is not None:
            sys.exit(f"Leaf is still running (process {user.pid}). Stop it first.")


def _stop_left_services(directory: Path) -> None:
    """Ends the workers and embedded services that a killed Leaf has left running in the data directory."""
    workers = sorted((directory / "run").glob("worker-*.json"))
    for note in (*workers, *(directory / "run" / f"{name}.json" for name in ("sandbox", "redis", "postgres"))):
        left_behind = processes.read_note(note)
        if left_behind is not None:
            left_behind.stop(seconds=10)


if __name__ == "__main__":
    sys.exit(main())
