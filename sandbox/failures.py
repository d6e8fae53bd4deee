"""The failures of a Drive, by name (failures.toml). `POST /sandbox/failures/{name}` begins a failure, `DELETE` ends it.

The names are those of `leaf.google.diagnosis.Cause`. A failure lasts until it is ended. `?file=ID` limits a failure
that refuses files to a single file.

If several failures affect a request, a failure of the network answers it, or else the first one of the table that
answers requests. Failures that only change the real response take effect if no other one answers. `testing_expired` and
`other_account` affect only a Drive that is connected after they have begun. `revoked_for_many` shows once three members
have lost their access.
"""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sandbox.faults import Fault, Faults

_ALWAYS = 10**9
PROJECT = "https://console.developers.google.com/apis/api/drive.googleapis.com/overview?project=123456789012"


@cache
def known() -> dict[str, dict[str, Any]]:
    """The failures by name."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def routes() -> list[Route]:
    """The routes for tests."""
    return [
        Route("/sandbox/failures", _end_all, methods=["DELETE"]),
        Route("/sandbox/testing", _test, methods=["POST", "DELETE"]),
        Route("/sandbox/failures/{name}", _begin, methods=["POST"]),
        Route("/sandbox/failures/{name}", _end, methods=["DELETE"]),
    ]


def _faults(request: Request) -> Faults:
    return request.app.state.sandbox.faults


def _test(request: Request) -> Response:
    """Sets the status of the app: Testing (POST), in which grants end after seven days, or published (DELETE)."""
    _faults(request).testing = request.method == "POST"
    return Response(status_code=204)


def _begin(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in known():
        return JSONResponse({"error": f"no such failure: {name}"}, 404)
    _set(_faults(request), begun={name: request.query_params.get("file", "")})
    return Response(status_code=204)


def _end(request: Request) -> Response:
    _set(_faults(request), ended={request.path_params["name"]})
    return Response(status_code=204)


def _end_all(request: Request) -> Response:
    _set(_faults(request), ended=set(known()))
    return Response(status_code=204)


def _set(faults: Faults, *, begun: dict[str, str] | None = None, ended: set[str] | None = None) -> None:
    with faults.lock:
        named = {**faults.named, **(begun or {})}
        faults.named = {name: named[name] for name in known() if name in named.keys() - (ended or set())}
        chosen = [(known()[name], file) for name, file in faults.named.items()]
        # Failures of the network come first, because then no request reaches Google.
        chosen.sort(key=lambda one: not {"hang_up", "body"} & one[0].get("fault", {}).keys())
        faults.lasting = [Fault(times=_ALWAYS, file=file, **one["fault"]) for one, file in chosen if "fault" in one]
        faults.settings, faults.ended_account = {}, None
        for failure, _ in reversed(chosen):
            faults.settings |= failure.get("settings", {})
