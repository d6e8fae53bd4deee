"""Failures of requests to the outside, with messages that may be shown.

    OutboundError              a page could not be read
    ├── NotPermitted      400  Leaf's own rule: the address is malformed, private, or of an unsupported kind
    ├── Unreachable       502  no such name, no server, a broken connection or an invalid certificate
    ├── TooSlow           504  the answer exceeded its time limit
    ├── TooLarge          502  the answer exceeded its size limit
    ├── WrongType         415  the answer has an unsupported type
    ├── TooManyRedirects  502  the redirects do not end
    └── AnsweredWithError 502  the server refused; `answered` is its HTTP status

No message names an internal address.
"""

from leaf import errors


class OutboundError(errors.LeafError):
    """Something kept a page from being read."""

    status, code = 502, "outbound_error"


class NotPermitted(OutboundError):
    """An address that is never asked."""

    status, code = 400, "address_not_permitted"


class Unreachable(OutboundError):
    """No server answers at the address."""

    code = "address_unreachable"


class TooSlow(OutboundError):
    """The whole answer was not there in time."""

    status, code = 504, "address_too_slow"

    def __init__(self, host: str, seconds: float) -> None:
        super().__init__(f"{host} did not answer within {seconds:g} seconds.")


class TooLarge(OutboundError):
    """The answer has more bytes than are read, be it before or after unpacking."""

    code = "answer_too_large"

    def __init__(self, host: str, limit_bytes: int) -> None:
        super().__init__(f"What {host} answers is larger than {limit_bytes / 1e6:g} MB, which is more than is read.")


class WrongType(OutboundError):
    """The answer is not readable text."""

    status, code = 415, "answer_of_wrong_type"


class TooManyRedirects(OutboundError):
    """One redirect more than are followed."""

    code = "too_many_redirects"

    def __init__(self, host: str, limit: int) -> None:
        super().__init__(f"{host} leads from one address to the next; after {limit} of them Leaf gives up.")


class AnsweredWithError(OutboundError):
    """The server answered with an error; `answered` is its status."""

    code = "answered_with_error"

    def __init__(self, host: str, answered: int) -> None:
        super().__init__(f"{host} answered with {_MEANINGS.get(answered, 'an error')} (HTTP {answered}).")
        self.answered = answered


_MEANINGS = {
    401: "“sign in first”",
    402: "“payment required”",
    403: "“forbidden”",
    404: "“not found”",
    410: "“gone”",
    429: "“too many requests”",
    451: "“not available for legal reasons”",
    500: "a fault of its own",
    503: "“not available at the moment”",
}
