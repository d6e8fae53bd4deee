"""`files.list`: the matching files, their order, and their pages."""

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from sandbox import query, refusals
from sandbox.corpus import Item
from sandbox.files import View
from sandbox.query import Query, Subject, fold

T = TypeVar("T")

_CORPORA = frozenset({"user", "drive", "allDrives"})
_ORDERS: dict[str, Callable[[Item], Any]] = {
    "createdTime": lambda item: item.created,
    "folder": lambda item: not item.is_folder,
    "modifiedTime": lambda item: item.modified,
    "name": lambda item: fold(item.name),
    "viewedByMeTime": lambda item: item.modified,
}
"""The supported keys of `orderBy`. Google has more."""


@dataclass(frozen=True)
class Listing:
    """A checked request to `files.list`."""

    query: Query
    order: tuple[tuple[str, bool], ...]
    """The sort keys, each with whether it is descending."""
    identity: str
    """A digest of the parameters, which binds page tokens to the request that they continue."""
    all_drives: bool
    corpora: str
    drive_id: str | None


def page_size(params: Mapping[str, str], *, default: int, largest: int) -> int:
    """The value of the `pageSize` parameter.

    Raises:
        refusals.DriveRefusal: It is not a number from 1 to `largest`.
    """
    value = params.get("pageSize") or str(default)
    if not re.fullmatch(r"\d{1,9}", value) or not 1 <= int(value) <= largest:
        message = f"Invalid value '{value}'. Values must be within the range: [1, {largest}]"
        raise refusals.DriveRefusal(400, "invalidParameter", message, location="pageSize")
    return int(value)


def make_token(start: int, identity: str) -> str:
    """The token of the page that begins at an index."""
    return "~!!~" + base64.urlsafe_b64encode(json.dumps([start, identity]).encode()).decode()


def read_token(token: str | None, identity: str) -> int:
    """The index at which the page of a token begins; 0 without a token.

    Raises:
        refusals.DriveRefusal: The token does not belong to this request.
    """
    if not token:
        return 0
    try:
        start, belongs = json.loads(base64.urlsafe_b64decode(token.removeprefix("~!!~")))
    except (ValueError, TypeError, binascii.Error):
        raise refusals.invalid("pageToken") from None
    if belongs != identity or not isinstance(start, int) or start < 0:
        raise refusals.invalid("pageToken")
    return start


def portion(
    params: Mapping[str, str], found: Sequence[T], identity: str, *, default: int, largest: int
) -> tuple[Sequence[T], dict[str, str]]:
    """The requested page of `found`, and the `nextPageToken` if another page follows.

    Raises:
        refusals.DriveRefusal: `pageSize` or `pageToken` is invalid.
    """
    start = read_token(params.get("pageToken"), identity)
    end = start + page_size(params, default=default, largest=largest)
    return found[start:end], {"nextPageToken": make_token(end, identity)} if end < len(found) else {}


def parse(params: Mapping[str, str]) -> Listing:
    """Checks the parameters of a request to `files.list`.

    Raises:
        refusals.DriveRefusal: A parameter is malformed, or two parameters contradict each other.
    """
    parsed = query.parse(params.get("q", ""))
    order = _order(params.get("orderBy", ""))
    if parsed.uses_full_text and order:
        raise refusals.DriveRefusal(
            403,
            "forbidden",
            "Sorting is not supported for queries with fullText terms. "
            "Results are always in descending relevance order.",
            location="orderBy",
        )
    corpora = params.get("corpora") or "user"
    if corpora not in _CORPORA:
        raise refusals.invalid("corpora", f"Invalid value for corpora: {corpora}")
    drive_id = params.get("driveId") or None
    includes = params.get("includeItemsFromAllDrives", "").lower() == "true"
    supports = params.get("supportsAllDrives", "").lower() == "true"
    if (corpora == "drive") != (drive_id is not None):
        raise refusals.invalid(
            "driveId", "The driveId parameter must be specified if and only if corpora is set to drive."
        )
    if corpora in {"drive", "allDrives"} and not (includes and supports):
        raise refusals.invalid(
            "includeItemsFromAllDrives",
            "The includeItemsFromAllDrives and supportsAllDrives parameters must be set to true for this corpora.",
        )
    if includes and not supports:
        raise refusals.invalid("supportsAllDrives", "includeItemsFromAllDrives requires supportsAllDrives.")
    parameters = [params.get(name, "") for name in ("q", "orderBy", "corpora", "driveId", "includeItemsFromAllDrives")]
    identity = hashlib.sha256(json.dumps(parameters).encode()).hexdigest()[:16]
    return Listing(
        query=parsed,
        order=order,
        identity=identity,
        all_drives=includes,
        corpora=corpora,
        drive_id=drive_id,
    )


def _order(value: str) -> tuple[tuple[str, bool], ...]:
    order: list[tuple[str, bool]] = []
    for part in filter(None, (part.strip() for part in value.split(","))):
        key, _, direction = part.partition(" ")
        if key not in _ORDERS or direction.strip() not in {"", "desc"}:
            raise refusals.invalid("orderBy")
        order.append((key, bool(direction.strip())))
    return tuple(order)


def matching(view: View, listing: Listing) -> list[Item]:
    """The matching files, sorted.

    Raises:
        refusals.DriveRefusal: A parent or the Shared Drive does not exist for this account.
    """
    if listing.drive_id is not None:
        view.find(listing.drive_id)
    aliases = {parent: view.find(parent, all_drives=listing.all_drives).id for parent in listing.query.parents}
    root = aliases.get("root")
    found: list[Item] = []
    for item in view.items.values():
        if not _in_reach(view, item, listing, aliases):
            continue
        parents = view.parents(item)
        names = (*parents, "root") if root is not None and root in parents else parents
        subject = Subject(item, names, view.is_shared_with_me(item), lambda item=item: view.sandbox.corpus.text(item))
        if listing.query.matches(subject):
            found.append(item)
    found.sort(key=lambda item: item.id)
    for key, descending in reversed(listing.order or (("modifiedTime", True),)):
        found.sort(key=_ORDERS[key], reverse=descending)
    return found


def _in_reach(view: View, item: Item, listing: Listing, aliases: Mapping[str, str]) -> bool:
    if item.is_root or not view.may_see(item):
        return False
    if item.drive_id is not None and not listing.all_drives:
        return False
    if listing.drive_id is not None and item.drive_id != listing.drive_id:
        return False
    # An unlisted file is found only if its folder is listed, and not if the file has a resource key of its own.
    return not item.unlisted or (item.parent in aliases.values() and not item.resource_key)
