"""Links that hide their host: the rules of pages and the widget (JavaScript), and those of public pages (Python)."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from leaf.api.shared import markdown
from leaf.citations import hosts

ROOT = Path(__file__).parents[2]
NODE = Path(sys.executable).parent / "node"
BLANKS = (
    "\u2800\u3164\u115f\u1160\uffa0\u180e\u17b4\u2065\ufff0\ufffc\u3000"
    "\U000e0001\U000e0100\U000e0fff\U0001d159\U00013441\ufe0f"
)
"""Signs that are not seen, or are drawn as a blank."""
LIKE_ADDRESSES = [
    "https://accounts.google.com/signin", "accounts.google.com", "www.google.com", "//google.com", "google.com/login",
    "ACCOUNTS.GOOGLE.COM", "goo\u200bgle.c\u2060om", "google\u2024com", "google\uff0ecom", "google\u3002com",
    "ｇｏｏｇｌｅ．ｃｏｍ", "gооgle.com", "\u202emoc.elgoog", "go\u00adogle\u200b.\u200bcom", "google\u200a.\u200acom",
    "https:\u2215\u2215google.com", "192.168.0.1", "support@bank.example", "google.c\u0301om", "münchen.de",
    "пример.рф", "Sign in at google.com now", "https\u202f://google.com", "g\u034foogle.com",
    "report.pdf.evil.com", "a.pdfs", "notes.zip", "report.pdf evil.com",
    "google\u0660com", "google\u1390com", "google\U0001d16dcom", "go\U000e0067ogle.com", "goo\ufe0fgle.com",
    *(f"google{blank}.com" for blank in BLANKS), "google\ua78fcom", "google\u2e33com", "google\u16ebcom",
    "https:\u2cc6\u2cc6google", "https:\U0001d23a\U0001d23agoogle", "www.\u2800google", "see\ngoogle\u3164.com",
    "ⓖⓞⓞⓖⓛⓔ.com", "𝗀𝗈𝗈𝗀𝗅𝖾.𝖼𝗈𝗆", "https:\u29f8\u29f8google.com", "google.com\u202c",
]  # fmt: skip
WORDS = [
    "Sign in",
    "See a.\nOn it goes",
    "The report of 2024",
    "Version 3.5",
    "5.000,20 €",
    "Q3, Q4. And so on",
    "",
    "…",
    "10.5.2024 -",
    "Budget 2024.pdf",
    "Plan.DOCX (page 3)",
    "See it in a.pdf.",
]
HOSTS: list[tuple[str, str]] = [
    ("https://evil.example/login", "evil.example"),
    ("https://accounts.google.com@evil.example/", "evil.example"),
    ("https://accounts.google.com:443@evil.example:8443/x", "evil.example:8443"),
    ("https://accounts.google.com\\@evil.example/", "accounts.google.com"),
    ("https://evil.example\\@accounts.google.com/", "evil.example"),
    ("HTTPS://EVIL.example:443/a", "evil.example"),
    ("https:evil.example/a", "evil.example"),
    ("https:///evil.example/a", "evil.example"),
    ("https://evil.exa\tmple/", "evil.example"),
    ("https://%65vil.example/", "evil.example"),
    ("https://xn--ggle-55da.com/", "xn--ggle-55da.com"),
    ("https://gооgle.com/", "xn--ggle-55da.com"),
    ("https://münchen.de/", "xn--mnchen-3ya.de"),
    ("https://ｅｖｉｌ.example/", "evil.example"),
    ("mailto:eve@evil.example?body=x", "eve@evil.example"),
    ("javascript:alert(1)", ""),
    ("https://0x7f.1/", "127.0.0.1"),
    ("https://2130706433/", "127.0.0.1"),
    ("https://0177.0.0.1/", "127.0.0.1"),
    ("https://256.0.0.1/", ""),
    ("https://1.2.3.4.5/", ""),
    ("https://a.1/", ""),
    ("https://09/", ""),
    ("https://☃.net/", "xn--n3h.net"),
    ("https://😀.example/", "xn--e28h.example"),
    ("https://faß.de/", "xn--fa-hia.de"),
    ("https://evil.example#@google.com", "evil.example"),
    ("https://a.com%40evil.example/", ""),
    ("https://google.com\u2215@evil.example/", "evil.example"),
    ("https://evil\u200b.example/", "evil.example"),
    ("https://[::1]/", "[::1]"),
    ("https:\\\\evil.example\\x", "evil.example"),
    ("https://[::1]:08080/", "[::1]:8080"),
    ("https://evil.example:/", "evil.example"),
    ("https://evil.example:0/", "evil.example:0"),
    ("https://evil.example:65536/", ""),
    ("https://evil.example:\u00b2/", ""),
    ("https://evil.example:\u0661/", ""),
    ("https://evil.example:" + "1" * 5000, ""),
    ("https://evil.example:" + "0" * 5000 + "81", "evil.example:81"),
    ("https://google.com\uff1aevil.example/", ""),
    ("https://evil\x7f.example/", ""),
]
PROGRAM = """
import { readFileSync } from "node:fs";
const { hostOf, looksLikeAddress } = await import(process.argv[1]);
const { texts, addresses } = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify({ texts: texts.map(looksLikeAddress), addresses: addresses.map(hostOf) }));
"""


def test_pages_and_the_widget_have_the_same_rules() -> None:
    """The module in JavaScript, which both have, by the cases below. # 002-36"""
    asked = {"texts": [*LIKE_ADDRESSES, *WORDS], "addresses": [address for address, _ in HOSTS]}
    script = (ROOT / "assets" / "client" / "links.js").as_uri()
    ran = subprocess.run(
        [str(NODE), "--input-type=module", "-e", PROGRAM, script],
        input=json.dumps(asked), capture_output=True, text=True, check=True, encoding="utf-8",
    )  # fmt: skip
    found = json.loads(ran.stdout)
    assert dict(zip(asked["texts"], found["texts"], strict=True)) == {
        text: text in LIKE_ADDRESSES for text in asked["texts"]
    }
    assert [*zip(asked["addresses"], found["addresses"], strict=True)] == HOSTS


@pytest.mark.parametrize("text", LIKE_ADDRESSES)
def test_a_text_that_looks_like_an_address_is_taken_for_one(text: str) -> None:
    """Whatever signs it is written in."""
    assert hosts.looks_like_address(text)


@pytest.mark.parametrize("text", WORDS)
def test_words_are_words(text: str) -> None:
    assert not hosts.looks_like_address(text)


@pytest.mark.parametrize(("address", "host"), HOSTS)
def test_the_host_is_the_one_that_a_browser_asks(address: str, host: str) -> None:
    assert hosts.host_of(address) == host


@pytest.mark.parametrize(
    ("host", "shown"),
    [
        ("xn--mnchen-3ya.de", "münchen.de"), ("xn--e1afmkfd.xn--p1ai", "пример.рф"),
        ("xn--ggle-55da.com", "xn--ggle-55da.com"), ("xn--80ak6aa92e.com", "xn--80ak6aa92e.com"),
        ("example.com:8080", "example.com:8080"),
    ],
)  # fmt: skip
def test_a_host_is_shown_in_its_own_script_unless_scripts_mix(host: str, shown: str) -> None:
    assert hosts.shown(host) == shown


def test_hosts_are_found_by_searches_and_not_in_texts_of_documents() -> None:
    """An injected document may name any host."""

    def call(tool: str, **output: object) -> dict[str, object]:
        return {"type": f"tool-{tool}", "toolCallId": "1", "state": "output-available", "input": {}, "output": output}

    message = [
        call("search", results=[{"url": "https://found.example/a", "snippet": "https://not.example/"}, "x"]),
        call("read_drive_file", file={"url": "https://docs.google.com/d/1"}, content="See https://evil.example/"),
        {"type": "text", "text": "https://written.example/"},
    ]
    assert hosts.found(message) == {"found.example": "found.example", "docs.google.com": "docs.google.com"}
    assert hosts.named("Look at example.org and https://intra.example.net/x") == {
        "example.org": "example.org", "intra.example.net": "intra.example.net",
    }  # fmt: skip


def test_a_public_page_shows_where_links_lead() -> None:
    """Beside words like an address, and for hosts of no source; others show it at the pointer. # 002-36"""
    found = frozenset({"https://found.example/", "https://found.example/a"})
    hides = markdown.html("[https://accounts.google.com/signin](https://evil.example/login)", "m1", frozenset(), found)
    assert '<bdi class="link-host" dir="ltr"> (evil.example)</bdi>' in hides
    nested = markdown.html("[accounts.**google**.com](https://found.example/)", "m1", frozenset(), found)
    assert "(found.example)</bdi>" in nested
    quiet = markdown.html("[the report](https://found.example/a)", "m1", frozenset(), found)
    assert 'data-host="found.example"' in quiet
    assert "link-host" not in quiet
    assert "(evil.example)" in markdown.html("[the report](https://evil.example/a)", "m1", frozenset(), found)


def test_a_link_of_a_public_page_asks_unless_its_address_is_that_of_a_source() -> None:
    """The address may hold text of the documents of the person who shared the chat. # 002-36"""
    found, words = frozenset({"https://found.example/a?b=ü"}), ("It may hold text:", "Open anyway")
    given = markdown.html("[a](https://found.example/a?b=ü)", "m1", frozenset(), found, words)
    assert '<a href="https://found.example/a?b=%C3%BC"' in given
    assert "popover" not in given
    for address in ("https://found.example/a?b=ü&c=secret", "https://found.example/a?b=ü#secret", "mailto:a@b.example"):
        made = markdown.html(f"**[a]({address})**", "m1", frozenset(), found, words)
        place, whole = re.search(r'popovertarget="(\S+)"', made), address.replace("ü", "%C3%BC").replace("&", "&amp;")
        assert place is not None
        assert f'<span id="{place[1]}" popover' in made
        assert f'It may hold text:<bdi dir="ltr">{whole}</bdi>' in made
        assert made.count("<a ") == 1, "it opens from the question only"
