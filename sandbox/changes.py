"""The Changes feed: https://developers.google.com/workspace/drive/api/guides/manage-changes.

A feed is made of what an account sees: before each answer, its present view of the Drive is compared with the last one.
Edits, moves, the bin, removals and revoked access are so reported whatever caused them. A change that is made with
`silent` is not, as Google's feed need not report changes of groups and of inherited access.
"""

import threading
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sandbox import accounts, context, fields, files, listing, refusals
from sandbox.accounts import Account
from sandbox.corpus import Corpus, Item, SharedDrive
from sandbox.store import Change, Sighting, Store

_DRIVE = "drive "
"""Precedes the ids of Shared Drives where they stand beside those of files."""
_DEFAULT = "kind,nextPageToken,newStartPageToken,changes(kind,changeType,time,removed,fileId,driveId)"
_CHANGE: fields.Schema = {
    **dict.fromkeys(["kind", "changeType", "time", "removed", "fileId", "type", "teamDriveId", "driveId"]),
    "file": fields.FILE,
    "drive": fields.DRIVE,
}
_LIST: fields.Schema = {**dict.fromkeys(["kind", "nextPageToken", "newStartPageToken"]), "changes": _CHANGE}


class Ledger:
    """The files that each account has seen, and the feeds that follow from them.

    Args:
        store: Keeps both.
        corpus: The files.
    """

    def __init__(self, store: Store, corpus: Corpus) -> None:
        self._store, self._corpus = store, corpus
        self._lock = threading.Lock()
        self._last: tuple[Mapping[str, Item], tuple[SharedDrive, ...]] | None = None

    def observe(self, *, reported: bool = True) -> None:
        """Compares the Drive with what the accounts have last seen.

        Args:
            reported: Whether the differences stand in the feeds.
        """
        with self._lock:
            now = self._corpus.items(), self._corpus.drives()
            # The files of the sample stay the same object until one of them is changed.
            if self._last is not None and self._last[0] is now[0] and self._last[1] == now[1]:
                return
            for account in accounts.ACCOUNTS:
                before, after = self._store.seen(account.key), _sightings(account, *now)
                fresh = [one for subject, one in after.items() if before.get(subject) != one]
                gone = [one for subject, one in before.items() if subject not in after]
                # Nobody can have asked about changes before the first view.
                self._store.see(account.key, fresh, gone, reported=reported and bool(before))
            self._last = now

    def restart(self) -> None:
        """Begins anew with a Drive that was restored."""
        with self._lock:
            self._last = None

    def place(self) -> int:
        """The present end of the feeds."""
        self.observe()
        return self._store.last_change()

    def changes(self, account: Account, after: int) -> list[Change]:
        """The feed of an account behind a place.

        Raises:
            refusals.DriveRefusal: The place is too old, or none that was given out.
        """
        self.observe()
        if not self._store.oldest_place() <= after <= self._store.last_change():
            raise refusals.invalid("pageToken")
        return self._store.changes(account.key, after)


def _sightings(account: Account, items: Mapping[str, Item], drives: tuple[SharedDrive, ...]) -> dict[str, Sighting]:
    """Everything that an account sees without being given a link."""
    found: dict[str, Sighting] = {}
    for item in items.values():
        if account.key in item.readers and not item.is_root and not item.unlisted:
            parent = items.get(item.parent or "")
            shown = item.parent if parent is not None and account.key in parent.readers else None
            mark = [item.version, item.revision, item.name, shown, item.trashed, item.can_download]
            found[item.id] = Sighting(item.id, item.drive_id, repr(mark))
    for drive in drives:
        if account.key in drive.readers:
            found[_DRIVE + drive.id] = Sighting(_DRIVE + drive.id, drive.id, drive.name)
    return found


def routes() -> list[Route]:
    """Google's endpoints, and one for tests."""
    return [
        Route("/drive/v3/changes/startPageToken", _start),
        Route("/drive/v3/changes", _list),
        Route("/sandbox/changes", _forget, methods=["DELETE"]),
    ]


def _shared_drive(request: Request, view: files.View) -> str | None:
    """The Shared Drive whose feed a request is about.

    Raises:
        refusals.DriveRefusal: The account is not a member of it, or a parameter is missing.
    """
    drive_id = request.query_params.get("driveId")
    if not drive_id:
        return None
    if not context.flag(request, "supportsAllDrives"):
        raise refusals.invalid("supportsAllDrives", "driveId requires supportsAllDrives.")
    return view.drive(drive_id).id


def _start(request: Request) -> Response:
    _shared_drive(request, files.view(request))
    mask = fields.asked(request, dict.fromkeys(("kind", "startPageToken")), "*")
    place = context.of(request).ledger.place()
    return JSONResponse(fields.project({"kind": "drive#startPageToken", "startPageToken": str(place)}, mask))


def _list(request: Request) -> Response:
    sandbox, view = context.of(request), files.view(request)
    drive_id, token = _shared_drive(request, view), request.query_params.get("pageToken", "")
    if not (token.isascii() and token.isdigit() and len(token) < 19):
        raise refusals.invalid("pageToken")
    size = listing.page_size(request.query_params, default=100, largest=1000)
    mask = fields.asked(request, _LIST, _DEFAULT)
    all_drives = context.flag(request, "includeItemsFromAllDrives")
    if all_drives and not context.flag(request, "supportsAllDrives"):
        raise refusals.invalid("supportsAllDrives", "includeItemsFromAllDrives requires supportsAllDrives.")
    if drive_id is not None and not all_drives:
        raise refusals.invalid("includeItemsFromAllDrives", "driveId requires includeItemsFromAllDrives.")
    found = [
        change
        for change in sandbox.ledger.changes(view.account, int(token))
        if (drive_id is None or change.drive_id == drive_id) and (all_drives or change.drive_id is None)
    ]
    # After the feed, so that no entry is older than what is shown of its file.
    view, wanted = files.view(request), fields.below(fields.below(mask, "changes"), "file")
    shown = [_shown(view, change, wanted) for change in found[:size]]
    if not context.flag(request, "includeRemoved", default=True):
        shown = [change for change in shown if not change["removed"]]
    body: dict[str, Any] = {"kind": "drive#changeList", "changes": shown}
    if len(found) > size:
        body["nextPageToken"] = str(found[size - 1].id)
    else:
        body["newStartPageToken"] = str(max(sandbox.store.last_change(), int(token)))
    return JSONResponse(fields.project(body, mask))


def _shown(view: files.View, change: Change, wanted: "fields.Mask | None") -> dict[str, Any]:
    when = files.timestamp(files.moment(change.changed_at))
    if change.subject.startswith(_DRIVE):
        drive_id = change.subject.removeprefix(_DRIVE)
        return {
            "kind": "drive#change", "changeType": "drive", "type": "drive", "time": when, "driveId": drive_id,
            "teamDriveId": drive_id, "removed": drive_id not in {drive.id for drive in view.drives()},
        }  # fmt: skip
    item = view.items.get(change.subject)
    shown: dict[str, Any] = {
        "kind": "drive#change", "changeType": "file", "type": "file", "time": when, "fileId": change.subject,
        "removed": item is None or not view.may_see(item),
    }  # fmt: skip
    if item is not None and not shown["removed"]:
        shown["file"] = view.metadata(item, wanted)
    return shown


def _forget(request: Request) -> Response:
    """Refuses every place in a feed that was handed out before; for tests."""
    sandbox = context.of(request)
    sandbox.ledger.observe()
    sandbox.store.forget_changes()
    return JSONResponse({"oldest": sandbox.store.oldest_place()})
