"""The Changes feed: https://developers.google.com/workspace/drive/api/guides/manage-changes.

A feed derives from what an account sees. Before each answer, the account's present view of the Drive is compared with
its last view. So edits, moves, the bin, removals and revoked access are reported, whatever caused them. A change that a
test makes with `silent` is not reported, because Google's feed need not report changes of groups and inherited access.
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
"""The prefix of a Shared Drive's id among the ids of files."""
_DEFAULT = "kind,nextPageToken,newStartPageToken,changes(kind,changeType,time,removed,fileId,driveId)"


class Ledger:
    """The last view of each account, and the feeds of changes that derive from these views.

    Args:
        store: Stores the views and the feeds.
        corpus: The files.
    """

    def __init__(self, store: Store, corpus: Corpus) -> None:
        self._store, self._corpus = store, corpus
        self._lock = threading.Lock()
        self._last: tuple[Mapping[str, Item], tuple[SharedDrive, ...]] | None = None

    def observe(self, *, reported: bool = True) -> None:
        """Compares the Drive with the accounts' last views, and stores the new views.

        Args:
            reported: Whether the differences are added to the feeds.
        """
        with self._lock:
            now = self._corpus.items(), self._corpus.drives()
            # The sample returns the same object until one of its files is changed.
            if self._last is not None and self._last[0] is now[0] and self._last[1] == now[1]:
                return
            for account in accounts.ACCOUNTS:
                before, after = self._store.seen(account.key), _sightings(account, *now)
                fresh = [one for subject, one in after.items() if before.get(subject) != one]
                gone = [one for subject, one in before.items() if subject not in after]
                # The first view is no change, because no client can have a place in the feed before it.
                self._store.see(account.key, fresh, gone, reported=reported and bool(before))
            self._last = now

    def restart(self) -> None:
        """Has the next `observe` compare the whole Drive, after it was restored."""
        with self._lock:
            self._last = None

    def place(self) -> int:
        """The place at the present end of the feeds."""
        self.observe()
        return self._store.last_change()

    def changes(self, account: Account, after: int) -> list[Change]:
        """The changes of an account's feed after a place.

        Raises:
            refusals.DriveRefusal: The place is too old, or is after the end of the feeds.
        """
        self.observe()
        if not self._store.oldest_place() <= after <= self._store.last_change():
            raise refusals.invalid("pageToken")
        return self._store.changes(account.key, after)


def _sightings(account: Account, items: Mapping[str, Item], drives: tuple[SharedDrive, ...]) -> dict[str, Sighting]:
    """Everything that an account sees without a link, by id."""
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
    """The routes of Google's endpoints, and of one for tests."""
    return [
        Route("/drive/v3/changes/startPageToken", _start),
        Route("/drive/v3/changes", _list),
        Route("/sandbox/changes", _forget, methods=["DELETE"]),
    ]


def _shared_drive(request: Request, view: files.View) -> str | None:
    """The id of the Shared Drive whose feed is requested; None if the request names none.

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
    mask = fields.asked(request, "StartPageToken", "*")
    place = context.of(request).ledger.place()
    return JSONResponse(fields.project({"kind": "drive#startPageToken", "startPageToken": str(place)}, mask))


def _list(request: Request) -> Response:
    sandbox, view = context.of(request), files.view(request)
    drive_id, token = _shared_drive(request, view), request.query_params.get("pageToken", "")
    if not (token.isascii() and token.isdigit() and len(token) < 19):
        raise refusals.invalid("pageToken")
    size = listing.page_size(request.query_params, default=100, largest=1000)
    mask = fields.asked(request, "ChangeList", _DEFAULT)
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
    # The files are read after the feed, so that an entry never shows an older state of its file.
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
            "removed": drive_id not in {drive.id for drive in view.drives()},
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
    """Makes all earlier places in the feeds invalid; for tests."""
    sandbox = context.of(request)
    sandbox.ledger.observe()
    sandbox.store.forget_changes()
    return JSONResponse({"oldest": sandbox.store.oldest_place()})
