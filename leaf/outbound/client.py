"""The client: resolves a host once, checks all its addresses, connects to one of them, and limits the response."""

import asyncio
import codecs
import socket
import ssl
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import cache
from ipaddress import ip_address

import httpx2

from leaf import config, texts
from leaf.outbound import bodies, urls
from leaf.outbound.addresses import Address
from leaf.outbound.refusals import (
    AnsweredWithError,
    NotPermitted,
    TooLarge,
    TooManyRedirects,
    TooSlow,
    Unreachable,
    WrongType,
)
from leaf.outbound.urls import Rules

Resolver = Callable[[str, int], Awaitable[Sequence[str]]]
"""Resolves a host and a port to IP addresses, the best first; raises an OSError if there are none."""

USER_AGENT = "Leaf/0.1 (+reads pages that its users ask about)"
TYPES = (
    "text/", "application/xhtml+xml", "application/xml", "application/rss+xml", "application/atom+xml",
    "application/json", "application/ld+json", "application/pdf",
)  # fmt: skip
"""Accepted content types, by prefix."""
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_CONNECT_SECONDS = 4.0
_ADDRESSES = 4
"""Maximum number of addresses of one host that are tried."""


_CHARSETS = frozenset(
    {
        "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "ascii", "cp866", "cp874", "cp932", "cp949", "big5",
        "big5hkscs", "euc_jp", "euc_kr", "gb18030", "gb2312", "gbk", "iso2022_jp", "koi8-r", "koi8-u", "mac-cyrillic",
        "mac-roman", "shift_jis", "tis-620",
        *(f"iso8859-{part}" for part in range(1, 17)), *(f"cp125{page}" for page in range(9)),
    }
)  # fmt: skip
"""Charsets of web pages by their names in Python: those of the Encoding Standard (encoding.spec.whatwg.org), and a few
more. Other codecs are not used, because a server may name any of them. `idna` raises errors even if it should ignore
them, and `punycode` may take hours."""


@dataclass(frozen=True)
class Limits:
    """Limits of one response, including redirects."""

    seconds: float = 10.0
    """Maximum time from the resolution of the host to the last byte."""
    bytes: int = 10_000_000
    """Maximum size of the body, both packed and unpacked."""
    redirects: int = 5
    types: tuple[str, ...] = TYPES
    beginning: bool = False
    """Whether the beginning of a larger body is enough."""


@dataclass(frozen=True)
class Page:
    """A response."""

    url: str
    """The final address after all redirects."""
    content_type: str
    """The content type, such as `text/html`; empty if the server named none."""
    charset: str
    """The charset that the server named; empty if there is none, or if web pages do not use it (`known_charset`)."""
    body: bytes

    @property
    def host(self) -> str:
        """The host that answered."""
        return urls.host_of(self.url)


class Client:
    """Requests public addresses by GET, without cookies, credentials or proxies.

    Args:
        rules: The rules for requests.
        resolver: Resolves names to addresses; by default the operating system does.
        tls: The context for checking certificates; by default with the usual authorities.
    """

    def __init__(
        self, rules: Rules | None = None, *, resolver: Resolver | None = None, tls: ssl.SSLContext | None = None
    ) -> None:
        self._rules = rules or Rules()
        self._resolve = resolver or resolve
        self._tls = tls

    async def check(self, address: str) -> str:
        """The address as the client would request it, for a service that requests it on Leaf's behalf.

        Raises:
            NotPermitted: It may not be requested.
            Unreachable: Its host does not exist.
        """
        url = urls.parse(address, self._rules)
        await self._addresses(url)
        return str(url)

    async def get(self, address: str, limits: Limits | None = None) -> Page:
        """Requests an address and follows redirects.

        Raises:
            OutboundError: One of the errors of `leaf.outbound.refusals`.
        """
        limits = limits or Limits()
        url = urls.parse(address, self._rules)
        deadline = asyncio.timeout(limits.seconds)
        try:
            async with deadline:
                for _ in range(limits.redirects + 1):
                    answer = await self._request(url, limits)
                    if isinstance(answer, Page):
                        return answer
                    url = answer
        except TimeoutError:
            if not deadline.expired():
                raise
            raise TooSlow(urls.host(url), limits.seconds) from None
        raise TooManyRedirects(urls.host(url), limits.redirects)

    async def _request(self, url: httpx2.URL, limits: Limits) -> Page | httpx2.URL:
        """Makes one request, and returns the page or the target of a redirect."""
        name = urls.host(url)
        addresses = await self._addresses(url)
        async with AsyncExitStack() as stack:
            client = await stack.enter_async_context(self._http())
            try:
                response = await self._send(client, url, addresses)
                stack.push_async_callback(response.aclose)
                if response.status_code in _REDIRECTS and response.headers.get("location"):
                    return self._redirect_target(url, response.headers["location"])
                if not response.is_success:
                    raise AnsweredWithError(name, response.status_code)
                return await _page(url, response, limits)
            except httpx2.HTTPError as error:
                raise Unreachable(_failure(name, error)) from error
            except httpx2.InvalidURL as error:
                raise Unreachable(texts.english("refusals.page_broke", name=name)) from error

    def _http(self) -> httpx2.AsyncClient:
        # Each request has a client of its own, so that no cookie, connection or credential is reused.
        return httpx2.AsyncClient(
            trust_env=False,
            verify=self._tls or _tls(),
            follow_redirects=False,
            timeout=httpx2.Timeout(None, connect=_CONNECT_SECONDS),
            headers={"User-Agent": USER_AGENT, "Accept-Encoding": bodies.ACCEPT_ENCODING, "Accept": "*/*"},
        )

    def _redirect_target(self, url: httpx2.URL, location: str) -> httpx2.URL:
        try:
            target = str(url.join(location))
        except (httpx2.InvalidURL, ValueError, UnicodeError):
            raise NotPermitted(texts.english("refusals.page_leads_nowhere", name=urls.host(url))) from None
        return urls.parse(target, self._rules)

    async def _send(self, client: httpx2.AsyncClient, url: httpx2.URL, addresses: Sequence[Address]) -> httpx2.Response:
        """Requests the first address that accepts a connection. The host name is used only in Host and TLS."""
        name = urls.host(url)
        for number, address in enumerate(addresses, 1):
            request = client.build_request(
                "GET",
                url.copy_with(host=str(address)),
                headers={"Host": url.netloc.decode("ascii")},
                extensions={"sni_hostname": name} if urls.literal(name) is None else None,
            )
            try:
                return await client.send(request, stream=True)
            except (httpx2.ConnectError, httpx2.ConnectTimeout):
                if number == len(addresses):
                    raise
        raise Unreachable(texts.english("refusals.page_no_address", name=name))

    async def _addresses(self, url: httpx2.URL) -> list[Address]:
        """The addresses of a host, at most `_ADDRESSES`.

        Raises:
            NotPermitted: One of them is not public.
            Unreachable: The host has no address.
        """
        name = urls.host(url)
        literal = urls.literal(name)
        try:
            resolved = await self._resolve(name, urls.port_of(url)) if literal is None else ()
            found = [ip_address(one) for one in resolved] if literal is None else [literal]
        except (OSError, ValueError, UnicodeError):
            found = []
        if not found:
            raise Unreachable(texts.english("refusals.page_no_host", name=name))
        permitted = urls.origin(url) in self._rules.permitted_origins
        # All addresses are checked: a host with one private address may lead the next connection to it.
        if not permitted and not all(self._rules.is_public(one) for one in found):
            raise NotPermitted(texts.english("refusals.page_private", name=name))
        return found[:_ADDRESSES]


async def _page(url: httpx2.URL, response: httpx2.Response, limits: Limits) -> Page:
    name = urls.host(url)
    content_type, _, parameters = response.headers.get("content-type", "").partition(";")
    content_type = content_type.strip().lower()
    if content_type and not content_type.startswith(limits.types):
        raise WrongType(texts.english("refusals.page_type", name=name, type=content_type[:60]))
    length = response.headers.get("content-length", "")
    if length.isdecimal() and int(length) > limits.bytes and not limits.beginning:
        raise TooLarge(name, limits.bytes)
    encoding = response.headers.get("content-encoding", "")
    try:
        body = await bodies.read(response.aiter_raw(), encoding, limits.bytes, beginning=limits.beginning)
    except bodies.Overflow:
        raise TooLarge(name, limits.bytes) from None
    except bodies.Damaged:
        raise Unreachable(texts.english("refusals.page_packed", name=name)) from None
    if not content_type:
        if body.startswith(b"%PDF-"):
            content_type = "application/pdf"
        elif b"\0" not in body[:4096]:
            content_type = "text/html"
        else:
            raise WrongType(texts.english("refusals.page_untyped", name=name))
    return Page(str(url), content_type, _charset(parameters), body)


def _charset(parameters: str) -> str:
    for parameter in parameters.split(";"):
        key, _, value = parameter.partition("=")
        if key.strip().lower() == "charset":
            return known_charset(value.strip().strip("\"'").lower()[:40])
    return ""


def _failure(name: str, error: httpx2.HTTPError) -> texts.Message:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return texts.english("refusals.page_certificate", name=name)
        if isinstance(cause, ssl.SSLError):
            return texts.english("refusals.page_unsafe", name=name)
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
        return texts.english("refusals.page_unreachable", name=name)
    return texts.english("refusals.page_cut", name=name)


async def resolve(name: str, port: int) -> list[str]:
    """The addresses of a host, as the operating system returns them."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(name, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


@cache
def _tls() -> ssl.SSLContext:
    # Created only once, because reading the authorities' certificates takes longer than a request.
    return httpx2.create_ssl_context(trust_env=False)


def current() -> Client:
    """The client for the settings of this process. In development it may also read the sandbox's web pages."""
    settings = config.current()
    if settings.env != "development" or not settings.sandbox_url:
        return Client()
    return Client(Rules(permitted_origins=frozenset({urls.origin_of(settings.sandbox_url)})))


def known_charset(name: str) -> str:
    """A charset that a server named; empty if web pages do not use it."""
    try:
        return name if codecs.lookup(name).name in _CHARSETS else ""
    except (LookupError, ValueError):
        return ""
