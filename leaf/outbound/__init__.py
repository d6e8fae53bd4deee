"""Requests to addresses that a model, a person or a page has named: the one way to them.

Such an address may lead into the network that Leaf runs in. So each host is resolved once, every address that it has
must be a public one, and the connection goes to exactly such an address; each redirect is checked like the first
request; and bytes, time and type of an answer are bounded. Addresses that whoever runs Leaf has configured do not come
here.
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
from leaf.outbound.rules import Rules
from leaf.outbound.urls import host_of, origin_of, target_of

__all__ = [
    "AnsweredWithError",
    "Client",
    "Head",
    "Limits",
    "NotPermitted",
    "OutboundError",
    "Page",
    "Preview",
    "Rules",
    "TooLarge",
    "TooManyRedirects",
    "TooSlow",
    "Unreachable",
    "WrongType",
    "current",
    "decoded",
    "head_of",
    "host_of",
    "origin_of",
    "preview",
    "target_of",
]
