"""Which addresses are never asked, however they are written. Pure: nothing is resolved and nothing is sent."""

import ipaddress
from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from leaf import outbound
from leaf.agent.approval import addresses as addresses_in_text
from leaf.citations.pages import key_of
from leaf.outbound import addresses, urls
from leaf.outbound.urls import Rules

PRIVATE = """
    0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.254 127.0.0.1 127.1.2.3
    169.254.0.1 169.254.169.254 169.254.170.2 169.254.42.42 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.192 192.0.2.7
    192.88.99.1 192.168.0.1 192.168.255.255 198.18.0.1 198.19.255.255 198.51.100.4 203.0.113.9 224.0.0.1 239.1.1.1
    240.0.0.1 255.255.255.255 168.63.129.16
    :: ::1 ::127.0.0.1 ::10.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:8.8.8.8
    ::ffff:0:127.0.0.1 64:ff9b::127.0.0.1 64:ff9b::10.0.0.1 64:ff9b::169.254.169.254 64:ff9b:1::a00:1 100::1
    2001::1 2001:0:53aa:64c:0:fbff:f5ff:fffe 2001:2::1 2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1::1
    2002:a00:1:: 2002:a9fe:a9fe::1 2002:808:808::1 3fff::1 5f00::1 fc00::1 fd00::1 fd00:ec2::254 fd20:ce::254
    fe80::1 febf::1 fec0::1 ff02::1 ff05::2 2a00:1450:4001::5efe:10.0.0.1 2a00:1450:4001:0:200:5efe:127.0.0.1
""".split()  # noqa: SIM905 - quoted one by one they would fill a page
PUBLIC = """
    1.1.1.1 8.8.8.8 93.184.215.14 100.63.255.255 100.128.0.1 172.15.255.255 172.32.0.1 192.167.255.255 198.17.255.255
    223.255.255.255 168.63.129.17 2606:4700:4700::1111 2a00:1450:4001:82a::200e 2001:4860:4860::8888 2001:200::1
    64:ff9b::8.8.8.8
""".split()  # noqa: SIM905 - quoted one by one they would fill a page


@pytest.mark.parametrize("address", PRIVATE)
def test_what_is_not_public_is_known(address: str) -> None:
    """# 002-22"""
    assert not addresses.is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", PUBLIC)
def test_what_is_public_is_known(address: str) -> None:
    assert addresses.is_public(ipaddress.ip_address(address))


def test_a_zone_makes_an_address_local() -> None:
    assert not addresses.is_public(ipaddress.IPv6Address("2606:4700:4700::1111%eth0"))


@given(st.ip_addresses())
def test_what_python_knows_to_be_private_never_counts_as_public(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    """The library's own lists are a second opinion."""
    if address.is_private or address.is_multicast or address.is_reserved or address.is_loopback:
        nat64 = address in ipaddress.IPv6Network("64:ff9b::/96")
        assert nat64 or not addresses.is_public(address)


@given(st.ip_addresses(v=4))
def test_an_address_in_the_clothes_of_another_is_judged_by_what_it_carries(address: ipaddress.IPv4Address) -> None:
    """# 002-22"""
    number = int(address)
    nat64 = ipaddress.IPv6Address((0x64FF9B << 96) | number)
    assert addresses.is_public(nat64) == addresses.is_public(address)
    for other in ((0xFFFF << 32) | number, number, (0x2002 << 112) | (number << 80), (0x20010000 << 96) | number):
        assert not addresses.is_public(ipaddress.IPv6Address(other))


REFUSED = (
    # Schemes.
    "file:///etc/passwd", "ftp://example.com/", "gopher://example.com:70/_", "javascript:alert(1)", "data:text/html,x",
    "dict://example.com:2628/", "ldap://example.com", "ws://example.com/", "unix:///run/docker.sock", "example.com",
    "//example.com/", "", " ", "http:", "http://", "https:///path", "http:example.com", "mailto:a@example.com",
    "jar:http://example.com!/", "view-source:http://example.com", "blob:http://example.com/1",
    # Numbers in odd spellings.
    "http://2130706433/", "http://0x7f000001/", "http://0x7f.0.0.1/", "http://0177.0.0.1/", "http://017700000001/",
    "http://127.1/", "http://127.0.1/", "http://0/", "http://0x/", "http://1/", "http://127.0.0.1.1/",
    "http://0177.0.0.1\u3002", "http://[fe80::1%25eth0]1\u0130]/",
    "http://256.256.256.256/", "http://0300.0250.0.1/", "http://0xa9fea9fe/", "http://2852039166/",
    "http://169.254.43518/", "http://127.0.0.0x1/", "http://00000177.0.0.1/", "http://example.0x7f/",
    "http://１２７.0.0.1/", "http://①②⑦.0.0.1/", "http://127.0.0.1%2f@example.com/",
    "http://%31%32%37.0.0.1/", "http://[v1.a]/", "http://[]/",
    "http://[127.0.0.1]/", "http://[::1/", "http://::1/",
    # Names of local networks.
    "http://localhost/", "http://LOCALHOST/", "http://localhost./", "http://a.localhost/", "http://redis/",
    "http://postgres:8080/", "http://intranet/", "http://printer.local/", "http://metadata.google.internal/",
    "http://metadata.google.internal./", "http://router.lan/", "http://nas.home.arpa/", "http://x.onion/",
    "http://kubernetes.default.svc.internal/", "http://wiki.corp/", "http://ip6-localhost/", "http://a.test/",
    # Passwords, ports, characters.
    "http://user@example.com/", "http://user:pass@example.com/", "http://:@example.com/", "http://example.com@127.0.0.1/",
    "http://example.com:22/", "http://example.com:6379/", "http://example.com:25/", "http://example.com:0/",
    "http://example.com:65536/", "http://example.com:-1/", "http://example.com:http/", "http://example.com:2375/",
    "http://exam\tple.com/", "http://example.com\\@127.0.0.1/", "http://127.0.0.1\\@example.com/",
    "http://exa mple.com/", "http://example.com/\r\nHost: x", "http://example.com/\x00", "http://example\u200b.com/",
    "http://-example.com/", "http://example-.com/", "http://exa$mple.com/", "http://example..com/", "http://.example.com/",
    "http://example.com../", f"http://{'a' * 64}.com/", f"http://{'a.' * 130}com/", f"http://example.com/{'a' * 4000}",
    "http://*.example.com/", "http://example.com,127.0.0.1/", "http://(127.0.0.1)/", "http://example.com;127.0.0.1/",
)  # fmt: skip


@pytest.mark.parametrize("address", REFUSED)
def test_an_address_that_is_not_plain_is_refused_before_anything_is_asked(address: str) -> None:
    """# 002-22"""
    with pytest.raises(outbound.NotPermitted):
        urls.parse(address, Rules())


LITERALS = (
    "http://127.0.0.1/", "http://127.0.0.1./", "https://127.0.0.1:8443/", "http://169.254.169.254/latest/meta-data/",
    "http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "http://[0:0:0:0:0:ffff:127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/", "http://[2002:7f00:1::]/", "http://[fd00:ec2::254]/", "http://10.0.0.1:8080/",
    "http://192.168.1.1/", "http://100.100.100.200/", "http://0.0.0.0/", "http://[::]/", "http://[fe80::1]/",
    "http://[::1%25eth0]/", "http://[fe80::1%25lo]/", "http://[2606:4700:4700::1111%25eth0]/", "http://127。0。0。1/",
    "HTTP://127.0.0.1/", "  http://127.0.0.1/  ", "http://127.0.0.1#@example.com/", "http://127.0.0.1?@example.com/",
)  # fmt: skip


@pytest.mark.parametrize("address", LITERALS)
async def test_a_private_address_in_the_address_itself_is_refused(address: str) -> None:
    """# 002-22"""

    async def resolver(_name: str, _port: int) -> list[str]:
        raise AssertionError("an address needs no resolving")

    with pytest.raises(outbound.NotPermitted, match="private network"):
        await outbound.Client(resolver=resolver).check(address)


@pytest.mark.parametrize(("address", "asked"), [
    ("https://example.com", "https://example.com"),
    ("HTTPS://EXAMPLE.com:443/A?b=c#d", "https://example.com/A?b=c"),
    ("http://example.com./a", "http://example.com/a"),
    ("https://münchen.example.de/straße", "https://xn--mnchen-3ya.example.de/stra%C3%9Fe"),
    ("https://example.com:8443/", "https://example.com:8443/"),
    ("https://8.8.8.8/", "https://8.8.8.8/"),
    ("https://[2606:4700:4700::1111]/", "https://[2606:4700:4700::1111]/"),
    ("https://a_b.example.com/", "https://a_b.example.com/"),
])  # fmt: skip
async def test_a_public_address_is_asked_as_it_is_meant(address: str, asked: str) -> None:
    async def resolver(_name: str, _port: int) -> list[str]:
        return ["93.184.215.14", "2606:4700:4700::1111"]

    checked = await outbound.Client(resolver=resolver).check(address)
    # What follows the host may be a bare nothing or a slash: both ask for the root.
    assert checked.rstrip("/") == asked.rstrip("/")


PIECES = st.sampled_from(
    [
        "http://", "https://", "//", "[", "]", "::", "%", "%25", "%2e", "@", ":", "80", "99999999999", "a", "b.c",
        "é", "ß", "\u3002", "\uff0e", "xn--", "xn--a", "..", ".", "/", "?", "#", "&", ";", "=", "-", "_", "0x7f.1",
        "127.0.0.1", "0177.0.0.1", "[::ffff:127.0.0.1]", "[fe80::1%25eth0]", "\u0130", "\u2460", "\ud800",
    ]
)  # fmt: skip


@given(st.lists(PIECES, max_size=6).map(lambda pieces: "http://" + "".join(pieces)))
@example("http://0177.0.0.1\u3002")
@example("http://[fe80::1%25eth0]1\u0130]/")
def test_whatever_stands_in_a_page_is_an_address_or_is_none(text: str) -> None:
    """Any other exception would end the answer that has read it. # 002-22"""
    with suppress(outbound.NotPermitted):
        url = urls.parse(text, Rules())
        assert urls.origin(url) == outbound.origin_of(str(url)) == outbound.origin_of(text)
        assert urls.host(url) == outbound.host_of(text)
    assert isinstance(outbound.target_of(text), str)
    assert addresses_in_text.named_in(f"See {text}.") is not None
    assert isinstance(key_of(text), str)


def test_only_the_very_origin_of_the_exception_is_excepted() -> None:
    rules = Rules(permitted_origins=frozenset({"http://127.0.0.1:9000"}))
    assert urls.parse("http://127.0.0.1:9000/web/a", rules).port == 9000
    others = ("https://127.0.0.1:9000/", "http://127.0.0.1:9001/", "http://localhost:9000/", "http://x@127.0.0.1:9000/")
    for other in others:
        with pytest.raises(outbound.NotPermitted):
            urls.parse(other, rules)
