"""`python -m sandbox --port N --state DIR [--drive FOLDER] [--token-seconds N] [--host 127.0.0.1]`."""

import argparse
from pathlib import Path

import uvicorn

from sandbox import app
from sandbox.context import Options


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="sandbox", description="Stands in for Google and for a model.")
    parser.add_argument("--port", type=int, required=True, help="port to listen on")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
    parser.add_argument("--state", type=Path, required=True, help="directory for grants, tokens and keys")
    parser.add_argument("--drive", type=Path, help="serve this local folder in place of the sample Drive")
    parser.add_argument("--token-seconds", type=int, default=3600, help="lifetime of access tokens")
    parser.add_argument("--base-url", help="where the sandbox is reached, where that is not http://127.0.0.1:PORT")
    arguments = parser.parse_args()
    if arguments.drive is not None and not arguments.drive.is_dir():
        parser.error(f"--drive: {arguments.drive} is not a folder")
    return arguments


def main() -> None:
    """Runs the sandbox until a signal ends it."""
    arguments = _arguments()
    options = Options(
        state_dir=arguments.state,
        base_url=(arguments.base_url or f"http://127.0.0.1:{arguments.port}").rstrip("/"),
        drive=arguments.drive,
        token_seconds=arguments.token_seconds,
    )
    local = arguments.host in {"127.0.0.1", "localhost", "::1"}
    uvicorn.run(
        app.create(options, any_host=not local),
        host=arguments.host,
        port=arguments.port,
        log_level="warning",
        access_log=False,
        # `FaultMiddleware` sends the Date header, which may be wrong on purpose.
        date_header=False,
        timeout_graceful_shutdown=2,
    )


if __name__ == "__main__":
    main()
