"""Failures of requests to the outside, with messages that may be shown.

    OutboundError              a page could not be read
    ├── NotPermitted      400  Leaf's own rule: the address is malformed, private, or of an unsupported kind
    ├── Unreachable       502  no such name, no server, a broken connection or an invalid certificate
    ├── TooSlow           504  the response exceeded its time limit
    ├── TooLarge          502  the response exceeded its size limit
    ├── WrongType         415  the response has an unsupported type
    ├── TooManyRedirects  502  the redirects do not end
    └── AnsweredWithError 502  the server refused; `answered` is its HTTP status

No message names an internal address.
"""

from leaf import errors, texts


class OutboundError(errors.LeafError):
    """A page could not be read."""

    status, code = 502, "outbound_error"


class NotPermitted(OutboundError):
    """The address may not be requested."""

    status, code = 400, "address_not_permitted"


class Unreachable(OutboundError):
    """No server answers at the address."""

    code = "address_unreachable"


class TooSlow(OutboundError):
    """The response was not complete in time."""

    status, code = 504, "address_too_slow"

    def __init__(self, host: str, seconds: float) -> None:
        super().__init__(texts.english("refusals.page_slow", name=host, seconds=f"{seconds:g}"))


class TooLarge(OutboundError):
    """The response exceeds its size limit, before or after unpacking."""

    code = "answer_too_large"

    def __init__(self, host: str, limit_bytes: int) -> None:
        super().__init__(texts.english("refusals.page_large", name=host, most=f"{limit_bytes / 1e6:g}"))


class WrongType(OutboundError):
    """The response is not readable text."""

    status, code = 415, "answer_of_wrong_type"


class TooManyRedirects(OutboundError):
    """The response redirects once more than is followed."""

    code = "too_many_redirects"

    def __init__(self, host: str, limit: int) -> None:
        super().__init__(texts.english("refusals.page_redirects", name=host, most=limit))


class AnsweredWithError(OutboundError):
    """The server answered with an error; `answered` is its status."""

    code = "answered_with_error"

    def __init__(self, host: str, answered: int) -> None:
        meaning = texts.english(_MEANINGS.get(answered, "refusals.page_other"))
        super().__init__(texts.english("refusals.page_error", name=host, meaning=meaning, status=answered))
        self.answered = answered


_MEANINGS = {
    401: "refusals.page_401",
    402: "refusals.page_402",
    403: "refusals.page_403",
    404: "refusals.page_404",
    410: "refusals.page_410",
    429: "refusals.page_429",
    451: "refusals.page_451",
    500: "refusals.page_500",
    503: "refusals.page_503",
}
