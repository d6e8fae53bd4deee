"""What the stand-ins sign: thinking that comes back has to be what their maker gave, and of the same maker."""

import base64
import binascii
import hashlib
import hmac

_KEY = b"leaf-sandbox"
"""No secret: it only makes sure that nothing was changed, or made up, on the way."""


def sign(maker: str, text: str) -> str:
    """A maker's signature of a text, in base64."""
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]
    return base64.b64encode(f"{maker}:{digest}:{_mark(maker, digest)}".encode()).decode()


def is_signed(maker: str, signature: object, text: str | None = None) -> bool:
    """Whether a signature is this maker's, and of this text where one is given."""
    if not isinstance(signature, str):
        return False
    try:
        named, digest, mark = base64.b64decode(signature, validate=True).decode().split(":")
    except (binascii.Error, ValueError):
        return False
    if named != maker or not hmac.compare_digest(mark, _mark(maker, digest)):
        return False
    return text is None or sign(maker, text) == signature


def _mark(maker: str, digest: str) -> str:
    return hmac.new(_KEY, f"{maker}:{digest}".encode(), hashlib.sha256).hexdigest()[:16]
