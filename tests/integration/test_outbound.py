"""The outbound client against real servers on loopback, friendly and hostile ones.

Every address of 127.0.0.0/8 is this machine. The tests count 127.0.0.2 as the internet and 127.0.0.1 as the private
network: the rule is the client's own argument, and the sockets are real.
"""

import asyncio
import gzip
import socket
import ssl
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from leaf import config, outbound
from leaf.outbound import Client, Limits, Rules
from leaf.outbound.client import Resolver

INTERNET, PRIVATE = "127.0.0.2", "127.0.0.1"
Handler = Callable[["Request", asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Request:
    """The requests to a server."""

    path: str
    headers: dict[str, str]
    server_name: str | None = None


@dataclass
class Server:
    """A server that answers byte by byte as it is told; it keeps what it was asked."""

    port: int
    handlers: dict[str, Handler]
    asked: list[Request] = field(default_factory=list[Request])
    names: list[str | None] = field(default_factory=list[str | None])
    left: asyncio.Event = field(default_factory=asyncio.Event)
    """Whether a caller has hung up."""
    met: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when a request has arrived."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().splitlines()
            headers = {line.partition(":")[0].lower(): line.partition(":")[2].strip() for line in head[1:] if line}
            request = Request(head[0].split()[1], headers)
            self.asked.append(request)
            self.met.set()
            await self.handlers[request.path.partition("?")[0]](request, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            self.left.set()
        finally:
            writer.close()


def answer(body: bytes = b"", status: str = "200 OK", **headers: str) -> Handler:
    """An ordinary answer."""
    named = {"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(body)), "Connection": "close"}
    named |= {name.replace("_", "-"): value for name, value in headers.items()}

    async def handle(_request: Request, writer: asyncio.StreamWriter) -> None:
        lines = "".join(f"{name}: {value}\r\n" for name, value in named.items() if value)
        writer.write(f"HTTP/1.1 {status}\r\n{lines}\r\n".encode() + body)
        await writer.drain()

    return handle


def leading_to(location: str, status: str = "302 Found") -> Handler:
    return answer(status=status, Location=location)


@asynccontextmanager
async def serving(
    handlers: dict[str, Handler], address: str = INTERNET, port: int = 0, tls: ssl.SSLContext | None = None
) -> AsyncIterator[Server]:
    server = Server(0, handlers)
    if tls is not None:
        tls.sni_callback = lambda _socket, name, _context: server.names.append(name)
    listening = await asyncio.start_server(server.serve, address, port, ssl=tls)
    server.port = listening.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listening.close()
        await listening.wait_closed()


def resolving(*answers: Sequence[str]) -> tuple[Resolver, list[str]]:
    """A resolver that gives one answer after the other, the last one for ever, and the names that it was asked for."""
    asked: list[str] = []

    async def resolve(name: str, _port: int) -> list[str]:
        asked.append(name)
        return list(answers[min(len(asked), len(answers)) - 1])

    return resolve, asked


def client(*ports: int, resolver: Resolver | None = None, tls: ssl.SSLContext | None = None) -> Client:
    rules = Rules(ports=frozenset(ports), is_public=lambda address: str(address) == INTERNET)
    return Client(rules, resolver=resolver or resolving([INTERNET])[0], tls=tls)


async def test_a_page_is_read_with_its_name_and_nothing_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """# 002-15, 002-22"""
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    async with serving({"/a": answer(b"<p>hello</p>")}) as server:
        page = await client(server.port).get(f"http://pages.example.com:{server.port}/a?q=1#top")
    assert (page.body, page.content_type, page.charset) == (b"<p>hello</p>", "text/html", "utf-8")
    assert page.url == f"http://pages.example.com:{server.port}/a?q=1"
    assert page.host == "pages.example.com"
    assert server.asked[0].path == "/a?q=1"
    assert server.asked[0].headers["host"] == f"pages.example.com:{server.port}"
    assert not {"cookie", "authorization", "referer"} & server.asked[0].headers.keys()


@pytest.mark.parametrize("found", [[PRIVATE], [INTERNET, PRIVATE], [PRIVATE, INTERNET], ["::1"], ["169.254.169.254"]])
async def test_a_name_with_one_private_address_is_not_asked_at_all(found: list[str]) -> None:
    """# 002-22"""
    async with serving({"/": answer(b"secret")}, PRIVATE) as server:
        asking = client(server.port, resolver=resolving(found)[0])
        with pytest.raises(outbound.NotPermitted, match="private network"):
            await asking.get(f"http://rebind.example.com:{server.port}/")
        with pytest.raises(outbound.NotPermitted, match="private network"):
            await asking.check(f"http://rebind.example.com:{server.port}/")
        assert server.asked == []


async def test_a_name_that_changes_its_address_is_resolved_once_and_asked_where_it_was_checked() -> None:
    """DNS rebinding. # 002-22"""
    async with (
        serving({"/": answer(b"secret")}, PRIVATE) as inner,
        serving({"/": answer(b"public")}, port=inner.port) as server,
    ):
        resolver, asked = resolving([INTERNET], [PRIVATE])
        page = await client(server.port, resolver=resolver).get(f"http://rebind.example.com:{server.port}/")
        assert page.body == b"public"
        assert asked == ["rebind.example.com"]
        assert inner.asked == []


async def test_a_redirect_to_a_name_that_has_changed_is_refused() -> None:
    """# 002-22"""
    async with serving({"/": leading_to("/again")}) as server:
        resolver, asked = resolving([INTERNET], [PRIVATE])
        with pytest.raises(outbound.NotPermitted):
            await client(server.port, resolver=resolver).get(f"http://rebind.example.com:{server.port}/")
        assert len(asked) == 2
        assert len(server.asked) == 1


@pytest.mark.parametrize("location", [
    "http://127.0.0.1:{port}/", "//127.0.0.1:{port}/", "http://localhost:{port}/", "http://2130706433:{port}/",
    "http://[::ffff:127.0.0.1]:{port}/", "http://0x7f.1:{port}/", "http://169.254.169.254/latest/meta-data/",
    "file:///etc/passwd", "gopher://127.0.0.1:6379/_FLUSHALL", "http://user:pw@pages.example.com:{port}/",
    "http://pages.example.com:6379/", "javascript:alert(1)", "http://[::1%25lo]:{port}/",
])  # fmt: skip
@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"])
async def test_a_redirect_is_checked_like_the_first_address(location: str, status: str) -> None:
    """# 002-22"""
    handlers: dict[str, Handler] = {}
    # The private address first: only there somebody else may have a port already.
    async with serving({"/": answer(b"secret")}, PRIVATE) as inner, serving(handlers, port=inner.port) as server:
        handlers["/"] = leading_to(location.format(port=server.port), status)
        with pytest.raises(outbound.NotPermitted):
            await client(server.port).get(f"http://pages.example.com:{server.port}/")
        assert inner.asked == []


async def test_a_redirect_leads_on_and_five_of_them_are_followed() -> None:
    handlers = {f"/{number}": leading_to(f"/{number + 1}") for number in range(7)}
    handlers["/0"] = answer(status="302 Found", Location="/1", Set_Cookie="session=1; Path=/")
    handlers["/5"] = answer(b"there")
    async with serving(handlers) as server:
        page = await client(server.port).get(f"http://pages.example.com:{server.port}/0")
        assert (page.body, page.url) == (b"there", f"http://pages.example.com:{server.port}/5")
        assert all("cookie" not in request.headers for request in server.asked)
        handlers["/5"] = leading_to("/6")
        with pytest.raises(outbound.TooManyRedirects):
            await client(server.port).get(f"http://pages.example.com:{server.port}/0")
        assert server.asked[-1].path == "/5"


async def test_a_redirect_in_a_circle_ends() -> None:
    async with serving({"/": leading_to("/")}) as server:
        with pytest.raises(outbound.TooManyRedirects):
            await client(server.port).get(f"http://pages.example.com:{server.port}/")
        assert len(server.asked) == 6


def packed(size: int) -> bytes:
    """Zeros, packed: a thousandth of their size."""
    packer = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    return packer.compress(bytes(size)) + packer.flush()


@pytest.mark.parametrize(
    "body", [packed(50_000_000), gzip.compress(bytes(900_000), mtime=0) * 40], ids=["one member", "many members"]
)
async def test_a_body_that_unpacks_into_too_much_is_given_up(body: bytes) -> None:
    """A gzip bomb, of one member and of many. # 002-22"""
    assert len(body) < 1_000_000
    async with serving({"/": answer(body, Content_Encoding="gzip")}) as server:
        with pytest.raises(outbound.TooLarge, match="1 MB"):
            await client(server.port).get(f"http://pages.example.com:{server.port}/", Limits(bytes=1_000_000))


@pytest.mark.parametrize("coding", ["br", "deflate", "zstd", "gzip, gzip", "nonsense"])
async def test_a_packing_that_was_not_asked_for_is_refused(coding: str) -> None:
    async with serving({"/": answer(b"x" * 100, Content_Encoding=coding)}) as server:
        with pytest.raises(outbound.Unreachable, match="cannot be decompressed"):
            await client(server.port).get(f"http://pages.example.com:{server.port}/")
    assert server.asked[0].headers["accept-encoding"] == "gzip, identity"


@pytest.mark.parametrize(
    "body", [b"no gzip at all", gzip.compress(b"cut off" * 100, mtime=0)[:-12]], ids=["none", "cut off"]
)
async def test_a_damaged_packing_is_told(body: bytes) -> None:
    async with serving({"/": answer(body, Content_Encoding="gzip")}) as server:
        with pytest.raises(outbound.Unreachable, match="cannot be decompressed"):
            await client(server.port).get(f"http://pages.example.com:{server.port}/")


async def test_a_packed_body_of_several_members_is_read_whole() -> None:
    body = gzip.compress(b"one ") + gzip.compress(b"two") + b"\0\0"
    async with serving({"/": answer(body, Content_Encoding="gzip")}) as server:
        page = await client(server.port).get(f"http://pages.example.com:{server.port}/")
    assert page.body == b"one two"


async def test_a_body_without_end_is_given_up() -> None:
    """# 002-22"""

    async def endless(_request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            writer.write(b"10000\r\n" + b"x" * 65_536 + b"\r\n")
            await writer.drain()

    async with serving({"/": endless}) as server:
        with pytest.raises(outbound.TooLarge):
            await client(server.port).get(f"http://pages.example.com:{server.port}/", Limits(bytes=300_000))
        beginning = Limits(bytes=300_000, beginning=True)
        page = await client(server.port).get(f"http://pages.example.com:{server.port}/", beginning)
        assert len(page.body) == 300_000
        async with asyncio.timeout(10):
            await server.left.wait()


async def test_an_announced_size_that_is_too_much_is_not_read() -> None:
    async with serving({"/": answer(b"", Content_Length="99999999999")}) as server:
        with pytest.raises(outbound.TooLarge):
            await client(server.port).get(f"http://pages.example.com:{server.port}/")


def dripping(head: bytes) -> Handler:
    """Sends a byte whenever a caller might begin to think that nothing comes any more."""

    async def handle(_request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        while True:
            writer.write(b"a")
            await writer.drain()
            await asyncio.sleep(0.02)

    return handle


@pytest.mark.parametrize("head", [
    b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n", b"HTTP/1.1 200 OK\r\nX: ", b"",
])  # fmt: skip
async def test_bytes_that_drip_do_not_prolong_the_time(head: bytes) -> None:
    """# 002-15, 002-22"""
    loop = asyncio.get_running_loop()
    async with serving({"/": dripping(head)}) as server:
        began = loop.time()
        with pytest.raises(outbound.TooSlow, match=r"within 0\.5 seconds"):
            await client(server.port).get(f"http://pages.example.com:{server.port}/", Limits(seconds=0.5))
        assert loop.time() - began < 5
        async with asyncio.timeout(10):
            await server.left.wait()


async def test_the_time_counts_over_all_redirects_and_the_resolving() -> None:
    async def slow(_name: str, _port: int) -> list[str]:
        await asyncio.sleep(0.2)
        return [INTERNET]

    async with serving({"/": leading_to("/")}) as server:
        with pytest.raises(outbound.TooSlow):
            await client(server.port, resolver=slow).get(
                f"http://pages.example.com:{server.port}/", Limits(seconds=0.5, redirects=100)
            )
        assert 1 <= len(server.asked) <= 3


async def test_a_cancelled_request_is_cancelled_and_not_slow() -> None:
    async with serving({"/": dripping(b"HTTP/1.1 200 OK\r\n\r\n")}) as server:
        asking = asyncio.create_task(client(server.port).get(f"http://pages.example.com:{server.port}/"))
        async with asyncio.timeout(10):
            await server.met.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking


@pytest.mark.parametrize(
    "kind", ["image/png", "application/octet-stream", "video/mp4", "application/zip", "font/woff2"]
)
async def test_what_is_no_text_is_not_read(kind: str) -> None:
    """# 002-22"""
    async with serving({"/": answer(b"\x89PNG", Content_Type=kind)}) as server:
        with pytest.raises(outbound.WrongType, match=kind):
            await client(server.port).get(f"http://pages.example.com:{server.port}/")


@pytest.mark.parametrize(
    ("body", "kind"), [(b"%PDF-1.7 ...", "application/pdf"), (b"<p>hi", "text/html"), (b"\0\1", "")]
)
async def test_an_answer_that_does_not_say_what_it_is_is_looked_at(body: bytes, kind: str) -> None:
    async with serving({"/": answer(body, Content_Type="")}) as server:
        asking = client(server.port).get(f"http://pages.example.com:{server.port}/")
        if kind:
            assert (await asking).content_type == kind
        else:
            with pytest.raises(outbound.WrongType):
                await asking


@pytest.mark.parametrize(("status", "words"), [
    ("404 Not Found", "not found"), ("403 Forbidden", "forbidden"), ("500 Oops", "an internal error"),
    ("418 Teapot", "HTTP 418"), ("304 Not Modified", "HTTP 304"), ("429 Slow down", "too many requests"),
])  # fmt: skip
async def test_an_answer_that_says_no_is_told_with_its_status(status: str, words: str) -> None:
    async with serving({"/": answer(b"<p>no</p>", status)}) as server:
        with pytest.raises(outbound.AnsweredWithError, match=words):
            await client(server.port).get(f"http://pages.example.com:{server.port}/")


@pytest.mark.parametrize("bytes_", [b"\x16\x03\x01 no http\r\n\r\n", b"+PONG\r\n", b"HTTP/1.1 999999 x\r\n\r\n", b""])
async def test_what_is_no_http_is_told(bytes_: bytes) -> None:
    async def handle(_request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(bytes_)
        await writer.drain()

    async with serving({"/": handle}) as server:
        with pytest.raises(outbound.Unreachable):
            await client(server.port).get(f"http://pages.example.com:{server.port}/")


async def test_a_host_that_does_not_exist_or_listen_is_told() -> None:
    async def nowhere(_name: str, _port: int) -> list[str]:
        raise socket.gaierror(socket.EAI_NONAME, "no such name")

    with pytest.raises(outbound.Unreachable, match=r"There is no host nowhere\.example\.com"):
        await client(80, resolver=nowhere).get("http://nowhere.example.com/")
    with pytest.raises(outbound.Unreachable, match="no host"):
        await client(80, resolver=resolving([])[0]).get("http://nowhere.example.com/")
    async with serving({}) as server:
        closed = server.port
    with pytest.raises(outbound.Unreachable, match="cannot be reached"):
        await client(closed).get(f"http://pages.example.com:{closed}/")


async def test_the_next_address_is_asked_where_the_first_does_not_listen() -> None:
    """Every one of them was checked."""
    rules_of_both = lambda address: str(address) in {INTERNET, "127.0.0.3"}  # noqa: E731 - one line, one meaning
    async with serving({"/": answer(b"here")}) as server:
        rules = Rules(ports=frozenset({server.port}), is_public=rules_of_both)
        asking = Client(rules, resolver=resolving(["127.0.0.3", INTERNET])[0])
        assert (await asking.get(f"http://pages.example.com:{server.port}/")).body == b"here"


@dataclass
class Authority:
    """A certificate authority of the tests' own."""

    folder: Path

    def certificate(self, name: str) -> tuple[ssl.SSLContext, ssl.SSLContext]:
        """The certificate of a server of this name, and the authority that a client trusts."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        now = datetime.now(UTC)
        made = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(subject)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=1))
            .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .sign(key, hashes.SHA256())
        )
        pem = self.folder / f"{name}.pem"
        secret = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        pem.write_bytes(secret + made.public_bytes(serialization.Encoding.PEM))
        server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        server.load_cert_chain(pem)
        return server, ssl.create_default_context(cadata=made.public_bytes(serialization.Encoding.PEM).decode())


async def test_the_certificate_must_be_the_names_own_although_the_address_is_connected_to(tmp_path: Path) -> None:
    """# 002-22"""
    shown, believed = Authority(tmp_path).certificate("pages.example.com")
    async with serving({"/": answer(b"safe")}, tls=shown) as server:
        asking = client(server.port, tls=believed)
        page = await asking.get(f"https://pages.example.com:{server.port}/")
        assert page.body == b"safe"
        assert server.names == ["pages.example.com"]
        with pytest.raises(outbound.Unreachable, match="certificate of other"):
            await asking.get(f"https://other.example.com:{server.port}/")
        with pytest.raises(outbound.Unreachable, match="certificate"):
            await client(server.port).get(f"https://pages.example.com:{server.port}/")


async def test_only_the_sandbox_is_excepted_and_only_in_development(
    no_environment: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """# 002-22"""
    handlers = {"/": answer(b"the sandbox")}
    async with serving(handlers, PRIVATE) as sandbox, serving({"/": answer(b"secret")}, PRIVATE) as other:
        settings = config.Settings(_env_file=None, sandbox_url=f"http://127.0.0.1:{sandbox.port}")
        monkeypatch.setattr(config, "_current", settings)
        assert (await outbound.current().get(f"http://127.0.0.1:{sandbox.port}/")).body == b"the sandbox"
        handlers["/"] = leading_to(f"http://127.0.0.1:{other.port}/")
        for address in (f"http://127.0.0.1:{sandbox.port}/", f"http://127.0.0.1:{other.port}/"):
            with pytest.raises(outbound.NotPermitted):
                await outbound.current().get(address)
        monkeypatch.setattr(config, "_current", settings.model_copy(update={"env": "production"}))
        with pytest.raises(outbound.NotPermitted):
            await outbound.current().get(f"http://127.0.0.1:{sandbox.port}/")
        assert other.asked == []


HEAD = (
    """<!doctype html><html><head><title>Plain &amp; simple</title>
<meta property="og:title" content="Pears  in\nautumn"><meta name=description content="All about &lt;pears&gt;.">
<meta property="og:site_name" content="The Almanac"><meta property="og:image" content="http://127.0.0.1/x.png"></head>
<body><title>Not this</title><meta name="author" content="nobody">"""
    + "<p>text</p>" * 100_000
)


async def test_a_preview_names_title_description_and_site() -> None:
    """# 002-22"""
    handlers = {
        "/": leading_to("/pears"), "/pears": answer(HEAD.encode()), "/bare/some%20notes.txt":
        answer(b"hi", Content_Type="text/plain"), "/long": answer(f"<title>{'x' * 999}</title>".encode()),
    }  # fmt: skip
    async with serving(handlers) as server, serving({"/x.png": answer(b"")}, PRIVATE) as inner:
        base = f"http://pages.example.com:{server.port}"
        asking = client(server.port)
        found = await outbound.preview(f"{base}/", asking)
        expected = (f"{base}/pears", "Pears in autumn", "All about <pears>.", "The Almanac")
        assert (found.url, found.title, found.description, found.site) == expected
        bare = await outbound.preview(f"{base}/bare/some%20notes.txt", asking)
        assert (bare.title, bare.description, bare.site) == ("some notes.txt", "", "pages.example.com")
        assert len((await outbound.preview(f"{base}/long", asking)).title) == 300
        with pytest.raises(outbound.NotPermitted):
            await outbound.preview("http://127.0.0.1/", asking)
        assert inner.asked == []
