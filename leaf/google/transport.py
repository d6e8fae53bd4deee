"""HTTP calls to Google, with threads, timeouts, retries, and three exceptions for all failures.

google-api-python-client is synchronous, and its httplib2 objects are not thread-safe. So each call runs in a thread
with a connection of its own. Failures are raised before that library reads the body of an error, because an unexpected
body makes it raise arbitrary exceptions.
"""

import asyncio
import contextvars
import http.client
import socket
import ssl
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httplib2
import httplib2.decode
import tenacity

from leaf import config, errors
from leaf.google.diagnosis import Answer, Cause, Silence, of_answer

T = TypeVar("T")

_GOOGLE_HOSTS = (".google.com", ".googleapis.com", ".googleusercontent.com")

TIMEOUT_SECONDS = 30.0
"""The time without a byte from Google that counts as a network failure."""
MAX_ANSWER_BYTES = 200_000_000
"""Maximum size of a compressed response after it is unpacked."""
THREADS = 32
_MAX_CAUSES = 8
"""Maximum number of exceptions in a chain that are examined."""
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


class HttpFailure(Exception):
    """Google answered with an error status.

    Args:
        status: The HTTP status.
        body: The raw body. Only a JSON error is examined.
        retry_after_seconds: The value of Retry-After, at most a minute.
    """

    def __init__(self, status: int, body: bytes = b"", retry_after_seconds: float = 0.0) -> None:
        super().__init__(f"HTTP {status}")
        self.answer = Answer.of(status, body)
        self.retry_after_seconds = min(retry_after_seconds, 60.0)

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self.answer.status

    @property
    def transient(self) -> bool:
        """Whether the same call may succeed a little later."""
        found = of_answer(self.answer)
        return self.status == 408 or (found is not None and found.cause in _TRANSIENT)

    @property
    def is_limited(self) -> bool:
        """Whether Google refused the call because there were too many."""
        found = of_answer(self.answer)
        return found is not None and found.cause is Cause.RATE


_TRANSIENT = frozenset({Cause.RATE, Cause.GOOGLE_FAILED})


class NetworkFailure(Exception):
    """Google did not answer, or the connection broke.

    Args:
        message: The name of the exception, for the log.
        silence: The step that failed.
        host: The host that was called.
    """

    transient = True
    retry_after_seconds = 0.0

    def __init__(self, message: str = "", *, silence: Silence = "answer", host: str = "") -> None:
        super().__init__(message)
        self.silence: Silence = silence
        self.host = host


def silence_of(error: BaseException) -> Silence:
    """The step at which a connection failed, by the exceptions in the chain of its error."""
    found: BaseException | None = error
    for _ in range(_MAX_CAUSES):
        if isinstance(found, ssl.SSLError):
            return "tls"
        if isinstance(found, (socket.gaierror, httplib2.ServerNotFoundError)):
            return "name"
        if isinstance(found, ConnectionError):
            return "connect"
        if found is None:
            break
        found = found.__cause__ or found.__context__
    return "answer"


def host_of(address: str) -> str:
    """The host of one of Google's addresses; empty for the sandbox, which stands in for all of them."""
    host = urlsplit(address).hostname or ""
    return "" if host in LOOPBACK else host


class UnexpectedResponse(Exception):
    """Google answered with status 200 and an unexpected body."""

    transient = False
    retry_after_seconds = 0.0


class Transport:
    """Replaces httplib2.Http in google-api-python-client: each request has a new connection with a token and a timeout.

    Args:
        access_token: Sent as a bearer token. httplib2 drops it on a redirect to another host.
        headers: Further headers.
        timeout_seconds: Timeout for connecting, and between two bytes.
    """

    def __init__(self, access_token: str, headers: Mapping[str, str], timeout_seconds: float = TIMEOUT_SECONDS) -> None:
        self._headers = {**headers, "authorization": f"Bearer {access_token}"}
        self._timeout_seconds = timeout_seconds
        self.skew_seconds: float | None = None
        """The difference between Google's clock and this machine's at the last response; None if unknown."""

    def request(
        self, uri: str, method: str = "GET", body: Any = None, headers: Mapping[str, str] | None = None, **_: Any
    ) -> tuple[httplib2.Response, bytes]:
        """Makes one call.

        Raises:
            HttpFailure: The status is 300 or above.
            NetworkFailure: No complete response arrived.
        """
        # A proxy for the outside world cannot reach this machine's own addresses.
        proxy: Any = None if urlsplit(uri).hostname in LOOPBACK else httplib2.proxy_info_from_environment
        # Tables compress a hundredfold, so only the size is limited, not the ratio.
        limits: Any = {"decode_limit_hard": MAX_ANSWER_BYTES, "decode_limit_ratio": 0}
        connection = httplib2.Http(timeout=self._timeout_seconds, proxy_info=proxy, **limits)
        try:
            response, content = connection.request(uri, method, body, {**(headers or {}), **self._headers})
        except (OSError, http.client.HTTPException, httplib2.HttpLib2Error) as error:
            raise NetworkFailure(type(error).__name__, silence=silence_of(error), host=host_of(uri)) from error
        except httplib2.decode.DecodeLimitError as error:
            raise HttpFailure(413) from error
        finally:
            connection.close()
        self.skew_seconds = skew_seconds(response.get("date", ""))
        if response.status >= 300:
            raise HttpFailure(response.status, content, _seconds(response.get("retry-after", "")))
        return response, content


def skew_seconds(date: str) -> float | None:
    """The absolute difference between this machine's clock and a Date header of Google; None if it has no date."""
    try:
        return abs((datetime.now(UTC) - parsedate_to_datetime(date)).total_seconds())
    except (ValueError, TypeError):
        return None


def _seconds(value: str) -> float:
    return float(value) if value.isascii() and value.isdigit() else 0.0


@dataclass(frozen=True, slots=True)
class Patience:
    """The retry policy for failing calls, with exponential backoff and full jitter."""

    attempts: int = 5
    total_seconds: float = 20.0
    """No retry starts after this time, except the first one."""
    base_seconds: float = 0.5
    max_wait_seconds: float = 8.0

    def retrying(self, attempts: int | None = None) -> tenacity.AsyncRetrying:
        """A tenacity loop for one call."""
        backoff = tenacity.wait_random_exponential(multiplier=self.base_seconds, max=self.max_wait_seconds)

        def wait(state: tenacity.RetryCallState) -> float:
            error = state.outcome.exception() if state.outcome else None
            return max(backoff(state), min(getattr(error, "retry_after_seconds", 0.0), self.max_wait_seconds))

        return tenacity.AsyncRetrying(
            # A single timeout can use up all the time, and a second attempt is still worth it.
            stop=tenacity.stop_after_attempt(attempts or self.attempts)
            | (tenacity.stop_after_delay(self.total_seconds) & tenacity.stop_after_attempt(2)),
            wait=wait,
            retry=tenacity.retry_if_exception(lambda error: getattr(error, "transient", False)),
            sleep=asyncio.sleep,
            reraise=True,
        )


@cache
def _threads() -> ThreadPoolExecutor:
    # The event loop has its own pool. A few calls that hang would block everything else in it.
    return ThreadPoolExecutor(THREADS, thread_name_prefix="google")


async def in_thread(function: Callable[[], T]) -> T:
    """Runs a blocking call to Google in a thread, in a copy of the current context."""
    context = contextvars.copy_context()
    return await asyncio.get_running_loop().run_in_executor(_threads(), lambda: context.run(function))


def endpoint() -> str | None:
    """The endpoint of the Drive API; None for Google's own endpoint.

    Raises:
        errors.DriveError: The sandbox is needed, but is not running yet.
    """
    settings = config.current()
    if not settings.uses_sandbox_google:
        return None
    if settings.sandbox_url is None:
        raise errors.DriveError("Leaf's own Google Drive stand-in is not running yet. Please try again.", status=503)
    return f"{settings.sandbox_url.rstrip('/')}/drive/v3/"


@cache
def client(endpoint: str | None) -> Any:
    """The client library's object for Drive v3, built from the description that the library contains."""
    from googleapiclient.discovery import build

    options = {"api_endpoint": endpoint} if endpoint else None
    # This connection is never used, because each request is executed with its own.
    return build("drive", "v3", http=httplib2.Http(), static_discovery=True, client_options=options)


def may_see_token(address: str) -> bool:
    """Whether an address in a response belongs to Google or the sandbox. A token must not be sent anywhere else."""
    host = urlsplit(address).hostname or ""
    sandbox = endpoint()
    if sandbox is not None:
        return urlsplit(address).netloc == urlsplit(sandbox).netloc
    return address.startswith("https://") and f".{host}".endswith(_GOOGLE_HOSTS)
