"""Origins: websites whose pages may use a key."""

from urllib.parse import urlsplit

from leaf import errors

_PORTS = {"http": 80, "https": 443}
_LONGEST = 300


def origin_of(written: str) -> str:
    """An origin as browsers send it, such as `https://shop.example`: lower case, without the default port.

    Args:
        written: An origin as a person typed it, with or without a final slash.

    Raises:
        errors.Invalid: It has another scheme than http or https, a path, a user, or a wildcard.
    """
    text = written.strip().removesuffix("/")
    wrong = errors.Invalid(f"{text[:80]!r} is no origin such as https://shop.example.", field="origins")
    if len(text) > _LONGEST or not text.isascii() or any(letter in text for letter in "*\\ \t\r\n@?#"):
        raise wrong
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise wrong from None
    if parts.scheme.lower() not in _PORTS or not parts.hostname or parts.path or parts.query:
        raise wrong
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    usual = port is None or port == _PORTS[parts.scheme.lower()]
    return f"{parts.scheme.lower()}://{host}" + ("" if usual else f":{port}")
