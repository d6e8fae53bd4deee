"""Charsets of web pages. Pure.

A server may name any codec of Python. Some raise errors even where they should ignore them (`idna`), and some take
hours for possible content (`punycode`).
"""

import codecs

_KNOWN = frozenset(
    {
        "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "ascii", "cp866", "cp874", "cp932", "cp949", "big5",
        "big5hkscs", "euc_jp", "euc_kr", "gb18030", "gb2312", "gbk", "iso2022_jp", "koi8-r", "koi8-u", "mac-cyrillic",
        "mac-roman", "shift_jis", "tis-620",
        *(f"iso8859-{part}" for part in range(1, 17)), *(f"cp125{page}" for page in range(9)),
    }
)  # fmt: skip
"""By Python's own names: those of the Encoding Standard (encoding.spec.whatwg.org), and a few that are near them."""


def known(name: str) -> str:
    """A charset that a server has named; empty where no page is written in it."""
    try:
        return name if codecs.lookup(name).name in _KNOWN else ""
    except (LookupError, ValueError):
        return ""
