"""The only client for addresses that a model, a person or a page supplies.

Such an address may point into Leaf's own network. So each host is resolved once, all its addresses must be public, and
the connection uses one of them. Each redirect is checked like the first request. Size, time and type of a response are
limited. Addresses from the settings do not use this client.
"""

from leaf.outbound.client import Client, Limits, Page, current
from leaf.outbound.previews import Head, Preview, decoded, head_of, preview
from leaf.outbound.refusals import (
    AnsweredWithError,
    NotPermitted,
    OutboundError,
    TooLarge,
    TooManyRedirects,
    TooSlow,
    Unreachable,
    WrongType,
)
from leaf.outbound.urls import Rules, host_of, origin_of, target_of
