"""Calls services over HTTP and explains their errors.

The text of an error is never the service's own, because that could contain a key.
"""

import asyncio
import email.utils
import ssl
import time
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import httpx2
from pydantic_ai.exceptions import ToolFailed

from leaf import texts
from leaf.agent import responses

SECONDS = 20.0
"""The time limit of a call."""
PATIENCE_SECONDS = 2.0
"""A call is repeated once if the service requests a pause of at most this length."""
_KEY_REFUSED = frozenset({401, 403})
_USED_UP = frozenset({402, 432, 433})
"""HTTP statuses for a used-up quota. Most services answer 402; 432 and 433 are Tavily's."""
_TOO_LATE = frozenset({408, 504})
_NOT_ACCEPTED = frozenset({400, 404, 405, 413, 414, 422})


@dataclass(frozen=True)
class Service:
    label: str
    """The name of the service for people."""
    base_url: str
    headers: dict[str, str] = field(default_factory=dict[str, str], repr=False)
    """The headers of each call, including the key."""
    variable: str = ""
    """The name of the environment variable with the key."""


async def ask(
    service: Service,
    method: str,
    path: str,
    *,
    params: dict[str, str] | None = None,
    json: dict[str, Any] | None = None,
    seconds: float = SECONDS,
) -> dict[str, Any]:
    """Calls a service and returns the JSON object of its answer.

    Args:
        service: The service.
        method: GET or POST.
        path: The path after the base URL.
        params: The query.
        json: The body.
        seconds: Time limit, including a second attempt.

    Raises:
        ToolFailed: The service refuses, fails, is too slow, or returns anything else. The message says which.
    """
    deadline = asyncio.timeout(seconds)
    try:
        hooks = {"response": [responses.limit]}
        http = httpx2.AsyncClient(timeout=None, headers=service.headers, verify=_tls(), event_hooks=hooks)
        async with deadline, http as client:
            url = service.base_url.rstrip("/") + path
            response = await client.request(method, url, params=params, json=json)
            if response.status_code == 429 and 0 <= (pause := _pause(response)) <= PATIENCE_SECONDS:
                await asyncio.sleep(pause)
                response = await client.request(method, url, params=params, json=json)
    except TimeoutError:
        if not deadline.expired():
            raise
        raise ToolFailed(texts.english("refusals.page_slow", name=service.label, seconds=f"{seconds:g}")) from None
    except (httpx2.HTTPError, httpx2.InvalidURL):
        # The exception may contain the address, and the address a key.
        raise ToolFailed(texts.english("refusals.service_unreachable", name=service.label)) from None
    if not response.is_success:
        raise ToolFailed(_refusal(service, response))
    try:
        answer = response.json()
    except (ValueError, RecursionError):
        raise unreadable(service) from None
    if not isinstance(answer, dict):
        raise unreadable(service)
    return answer


@cache
def _tls() -> ssl.SSLContext:
    # The context is made once, because loading the certificates takes longer than a request.
    return httpx2.create_ssl_context()


def unreadable(service: Service) -> ToolFailed:
    """Returns the error for an answer that does not match the service's documentation."""
    return ToolFailed(texts.english("refusals.service_nonsense", name=service.label))


def _refusal(service: Service, response: httpx2.Response) -> texts.Message:
    pause = _pause(response)
    return texts.english(
        _key_of_refusal(service, response, pause), name=service.label, status=str(response.status_code),
        variable=service.variable, seconds=f"{pause:.0f}",
    )  # fmt: skip


def _key_of_refusal(service: Service, response: httpx2.Response, pause: float) -> str:
    status = response.status_code
    if status in _KEY_REFUSED or _code(response) in {"SUBSCRIPTION_TOKEN_INVALID", "INVALID_API_KEY"}:
        return "refusals.service_key" if service.variable else "refusals.service_no_key"
    if status in _USED_UP or (status == 429 and _is_month_used_up(response)):
        return "refusals.service_used_up"
    if status == 429:
        return "refusals.service_pause" if pause > 0 else "refusals.service_often"
    if status in _NOT_ACCEPTED:
        return "refusals.service_not_accepted"
    return "refusals.service_slow" if status in _TOO_LATE else "refusals.service_problem"


def _pause(response: httpx2.Response) -> float:
    """Returns the seconds after which the service accepts another request; -1 if it does not say."""
    pause = response.headers.get("retry-after", "").strip()
    if not pause:
        # Brave's own header has the seconds until each of its rate windows ends, the shortest first.
        pause = response.headers.get("x-ratelimit-reset", "").partition(",")[0].strip()
    if pause.isdecimal():
        return float(pause)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(pause).timestamp() - time.time())
    except (ValueError, TypeError):
        return -1.0


def _is_month_used_up(response: httpx2.Response) -> bool:
    """Returns whether Brave's last rate window, the month, is used up."""
    left = [one.strip() for one in response.headers.get("x-ratelimit-remaining", "").split(",")]
    return _code(response) == "QUOTA_LIMITED" or (len(left) > 1 and left[-1] == "0")


def _code(response: httpx2.Response) -> str:
    """Returns the code in an error response: Brave's `error.code` or Exa's `tag`; empty if there is none."""
    try:
        body = response.json()
    except ValueError:
        return ""
    if not isinstance(body, dict):
        return ""
    error = body.get("error")
    return str(error.get("code") if isinstance(error, dict) else body.get("tag") or "")
