"""The hosts to which links lead, and a check whether a link's text looks like an address. Pure.

`assets/client/links.js` has the same rules for pages and the widget; a test holds both to the same cases.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from ipaddress import IPv4Address
from typing import Any
from urllib.parse import unquote

import idna

from leaf import parts, texts

_SCHEME = re.compile(r"(https?|mailto):", re.IGNORECASE)
_TAB_OR_NEWLINE = re.compile(r"[\t\r\n]")
_STRIPPED = "".join(map(chr, range(33)))
_SEEN_BLANK = re.compile("[ \n]")
_DOTS = (
    ".\u00b7\u0660\u06f0\u0701\u0702\u1390\u1427\u16eb\u2022\u2024\u2027\u2219\u22c5\u2cf9\u2e31\u2e33\u3002\u30fb\ua4f8\ua60e"
    "\ua78f\uff0e\uff61\U00010101\U00010a50\U0001d16d"
)
"""Characters that look like the dot of a host."""
_SLASHES = "/\u1735\u2041\u2044\u2215\u2571\u27cb\u29f8\u2cc6\u3033\u31d3\U0001d23a"
_FILES = r"(?:pdf|docx?|xlsx?|pptx?|od[pst]|rtf|txt|csv|tsv|html?|xml|json|eml|msg|jpe?g|png|gif|webp)(?!\.?\w)"
"""File extensions that are not top-level domains, so that names of files are not taken for addresses."""
_LOOKS = re.compile(
    rf"[:{_SLASHES}][{_SLASHES}]|@|\bwww[{_DOTS}]"
    rf"|\w[{_DOTS}](?!(?<=\.){_FILES})[^\W\d_]{{2}}|\d[{_DOTS}]\d{{1,3}}[{_DOTS}]\d{{1,3}}[{_DOTS}]\d",
    re.IGNORECASE,
)
_NOT_SEEN = frozenset({"Cc", "Cf", "Mn", "Me"})
"""Unicode categories of characters that are invisible or are drawn on another character."""
_EAST_ASIAN = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO")
_ADDRESS_FIELDS: Mapping[str, tuple[str, ...]] = {
    "search": ("results",),
    "fetch": ("url",),
    "search_files": ("files",),
    "search_drive": ("files",),
    "list_drive_folder": ("files", "folder"),
    "read_drive_file": ("file",),
    "compute": ("files",),
    "compare_files": ("files",),
}
"""The fields of results whose addresses count as found. The texts of documents and pages do not count, because they can
contain any address."""
_PORT = re.compile("[0-9]{0,5}")
_NUMBER = re.compile("0x[0-9a-f]{0,20}|[0-9]{1,20}")
_NAMED = re.compile(r"(?:https?://|(?<![\w@./-]))((?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24})(?![\w-])", re.IGNORECASE)


def looks_like_address(text: str) -> bool:
    """Whether a reader could take a link's text for an address, even if it is written with unusual characters."""
    if texts.BIDI_CONTROLS.search(text):
        return True
    words = parts.normalized("NFKC", " ".join(map(parts.without_unseen, _SEEN_BLANK.split(text))))
    return _LOOKS.search("".join(sign for sign in words if unicodedata.category(sign) not in _NOT_SEEN)) is not None


def host_of(address: str) -> str:
    """The host of an address as a browser reads it, in ASCII and with its port; the recipient of a `mailto:` address.

    Empty for an address that no browser opens.
    """
    plain = _TAB_OR_NEWLINE.sub("", address.strip(_STRIPPED))
    scheme = _SCHEME.match(plain)
    if scheme is None:
        return ""
    rest = plain[scheme.end() :]
    if scheme[1].lower() == "mailto":
        return unquote(re.split(r"[?#]", rest, maxsplit=1)[0])
    authority = re.split(r"[/?#]", rest.replace("\\", "/").lstrip("/"), maxsplit=1)[0].rpartition("@")[2]
    name, colon, port = authority.rpartition(":")
    if not colon or authority.endswith("]"):
        name, port = authority, ""
    host, digits = _ascii(unquote(name)), port.lstrip("0")
    if not host or not _PORT.fullmatch(digits) or int(digits or "0") > 65535:
        return ""
    default = {"http": "80", "https": "443"}[scheme[1].lower()]
    return f"{host}:{digits or '0'}" if port and digits != default else host


def _ascii(name: str) -> str:
    """A host in lower-case ASCII. A number becomes an IPv4 address with four parts. Empty if the host is not valid."""
    folded = name.lower()
    if not folded.isascii():
        try:
            folded = idna.encode(folded, uts46=True).decode("ascii")
        except (idna.IDNAError, UnicodeError):
            folded = _punycode(folded)
    if re.search(r"[\x00-\x20#%/<>?@\\^|\x7f]", folded) or (":" in folded and not folded.startswith("[")):
        return ""
    labels = folded.removesuffix(".").split(".")
    return _ipv4(labels) if _NUMBER.fullmatch(labels[-1]) else folded


def _punycode(name: str) -> str:
    """The ASCII form of a host with characters that browsers accept but IDNA 2008 refuses, such as emoji; empty for
    other errors.
    """
    try:
        labels = idna.uts46_remap(name, std3_rules=False).split(".")
    except (idna.IDNAError, UnicodeError):
        return ""
    return ".".join(one if one.isascii() else f"xn--{one.encode('punycode').decode('ascii')}" for one in labels)


def _ipv4(labels: list[str]) -> str:
    """An IPv4 address as four decimal numbers (WHATWG URL, IPv4 parser); empty if the labels are not one."""
    if len(labels) > 4 or not all(map(_NUMBER.fullmatch, labels)):
        return ""
    try:
        numbers = [_number(one) for one in labels]
        *first, last = numbers
        value = sum(one << (24 - 8 * place) for place, one in enumerate(first)) + last
        is_valid = all(one < 256 for one in first) and last < 256 ** (5 - len(numbers))
        return str(IPv4Address(value)) if is_valid else ""
    except ValueError:
        return ""


def _number(written: str) -> int:
    if written.startswith("0x"):
        return int(written[2:] or "0", 16)
    return int(written, 8 if written.startswith("0") else 10)


def shown(host: str) -> str:
    """A host as people read it: in its own script if all of its letters are of one script, else in ASCII (punycode)."""
    if "xn--" not in host:
        return host
    name, colon, port = host.partition(":")
    try:
        decoded = idna.decode(name)
    except (idna.IDNAError, UnicodeError):
        return host
    scripts = {_script(letter) for letter in decoded if letter.isalpha()}
    return f"{decoded}{colon}{port}" if len(scripts) <= 1 else host


def _script(letter: str) -> str:
    name = unicodedata.name(letter, "UNKNOWN").split()[0]
    return "EAST ASIAN" if name.startswith(_EAST_ASIAN) else name


def is_beside(text: str, address: str, found: Mapping[str, str]) -> bool:
    """Whether the host of a link is shown beside the link's text, and not only on hover.

    Args:
        text: The text of the link.
        address: Its address.
        found: The hosts that tools of the chat have found or that people have named.
    """
    return looks_like_address(text) or host_of(address) not in found


def found(message_parts: Iterable[parts.Part]) -> dict[str, str]:
    """The hosts that the tools of a message have found, each as it is shown."""
    hosts: dict[str, str] = {}
    for part in message_parts:
        output = part.get("output")
        if not parts.is_tool(part) or not isinstance(output, dict):
            continue
        fields: Mapping[str, Any] = output
        for name in _ADDRESS_FIELDS.get(parts.tool_name(part), ()):
            for address in _addresses(fields.get(name)):
                if host := host_of(address):
                    hosts[host] = shown(host)
    return hosts


def named(text: str) -> dict[str, str]:
    """The hosts that a person names in a text, each as it is shown."""
    hosts = {host_of(f"https://{one[1]}") for one in _NAMED.finditer(text)}
    return {host: shown(host) for host in hosts if host}


def _addresses(value: Any) -> Iterator[str]:
    """The addresses in a field of a result: the field itself, or the field `url` of each object in a list."""
    if isinstance(value, str):
        yield value
        return
    for one in value if isinstance(value, list) else [value]:
        url = one.get("url") if isinstance(one, dict) else None
        if isinstance(url, str):
            yield url
