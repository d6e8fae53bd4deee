"""Addresses in stored data that may become links. Pure."""


def web(url: str) -> str:
    """A web address unchanged; empty for any other address, which must not become a link."""
    return url if url.startswith(("https://", "http://")) else ""
