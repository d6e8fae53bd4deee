"""The Drive v3 endpoints, as in https://developers.google.com/workspace/drive/api/reference/rest/v3."""

from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from sandbox import context, corpus, fields, files, listing, refusals, render
from sandbox.corpus import Item

_EXPORT_CAP_BYTES = 10 * 1024 * 1024
_CONTENT_SCOPES = frozenset({"https://www.googleapis.com/auth/drive.readonly", "https://www.googleapis.com/auth/drive"})
_FILE_DEFAULT = "kind,id,name,mimeType,resourceKey"
_DRIVE_DEFAULT = "kind,id,name"
_REVISION_DEFAULT = "kind,id,mimeType,modifiedTime"


def routes() -> list[Route]:
    """The routes of all endpoints, including those for tests."""
    return [
        Route("/drive/v3/files", _list_files),
        Route("/drive/v3/files/{file_id}", _get_file),
        Route("/drive/v3/files/{file_id}/export", _export),
        Route("/drive/v3/files/{file_id}/revisions", _list_revisions),
        Route("/drive/v3/files/{file_id}/revisions/{revision_id}", _get_revision),
        Route("/drive/v3/drives", _list_drives),
        Route("/drive/v3/drives/{drive_id}", _get_drive),
        Route("/drive/v3/about", _about),
        Route("/feeds/download/documents/export/Export", _export_link),
        Route("/sandbox/files", _add, methods=["POST"]),
        Route("/sandbox/files", _restore, methods=["DELETE"]),
        Route("/sandbox/files/{file_id}", _edit, methods=["POST"]),
        Route("/sandbox/drives/{drive_id}", _share_drive, methods=["POST"]),
    ]


def _list_files(request: Request) -> Response:
    view, params = files.view(request), request.query_params
    mask = fields.asked(request, "FileList", f"kind,incompleteSearch,nextPageToken,files({_FILE_DEFAULT})")
    wanted = listing.parse(params)
    found, following = listing.portion(
        params, listing.matching(view, wanted), wanted.identity, default=100, largest=1000
    )
    if context.of(request).faults.settings.get("empty"):
        found, following = [], {}
    body: dict[str, Any] = {
        "kind": "drive#fileList",
        "incompleteSearch": bool(getattr(request.state, "incomplete_search", False)),
        "files": [view.metadata(item, fields.below(mask, "files")) for item in found],
        **following,
    }
    return JSONResponse(fields.project(body, mask))


def _get_file(request: Request) -> Response:
    view = files.view(request)
    item = view.find(request.path_params["file_id"], all_drives=context.flag(request, "supportsAllDrives"))
    if request.query_params.get("alt") == "media":
        return _media(request, item)
    mask = fields.asked(request, "File", _FILE_DEFAULT)
    return JSONResponse(fields.project(view.metadata(item, mask), mask))


def _require_content_scope(request: Request) -> None:
    found = context.access(request)
    if found is None or _CONTENT_SCOPES.isdisjoint(found[0].scopes):
        raise refusals.missing_scope()


def _media(request: Request, item: Item) -> Response:
    _require_content_scope(request)
    if item.is_google:
        raise refusals.DriveRefusal(
            403,
            "fileNotDownloadable",
            "Only files with binary content can be directly downloaded. Use Export with Docs Editors files.",
            location="alt",
        )
    if not item.can_download:
        raise _cannot_download()
    try:
        path = context.of(request).corpus.blob(item)
    except OSError:
        raise refusals.not_found(item.id) from None
    return FileResponse(path, media_type=item.mime_type, content_disposition_type="attachment")


def _cannot_download() -> refusals.DriveRefusal:
    return refusals.DriveRefusal(403, "cannotDownloadFile", "This file cannot be downloaded by the user.")


def _export(request: Request) -> Response:
    # Google's method has no parameter supportsAllDrives: it reaches every Shared Drive.
    item = files.view(request).find(request.path_params["file_id"])
    mime_type = request.query_params.get("mimeType")
    if not mime_type:
        raise refusals.DriveRefusal(400, "required", "Required parameter: mimeType", location="mimeType")
    return _exported(request, item, mime_type, cap_bytes=_EXPORT_CAP_BYTES)


def _export_link(request: Request) -> Response:
    """Serves the addresses in `exportLinks`, with the same export but without its size limit."""
    view = files.view(request)
    item = view.find(request.query_params.get("id", ""))
    if revision := request.query_params.get("revision"):
        item = view.revision(item, revision)
    extension = request.query_params.get("exportFormat")
    formats = files.EXPORTS.get(item.mime_type, {})
    mime_type = next((mime_type for mime_type, known in formats.items() if known == extension), "")
    return _exported(request, item, mime_type, cap_bytes=None)


def _exported(request: Request, item: Item, mime_type: str, *, cap_bytes: int | None) -> Response:
    _require_content_scope(request)
    if item.mime_type not in files.EXPORTS:
        raise refusals.DriveRefusal(403, "fileNotExportable", "Export only supports Docs Editors files.")
    if not item.can_download:
        raise _cannot_download()
    if mime_type not in files.EXPORTS[item.mime_type]:
        raise refusals.DriveRefusal(
            400, "badRequest", "The requested conversion is not supported.", location="convertTo"
        )
    source = context.of(request).corpus
    size_bytes = source.size(item) or 0
    too_large = refusals.DriveRefusal(403, "exportSizeLimitExceeded", "This file is too large to be exported.")
    if cap_bytes is not None and size_bytes > cap_bytes:
        raise too_large
    if mime_type == corpus.PDF and size_bytes > _EXPORT_CAP_BYTES:
        # Google is known to fail on such exports (google-api-ruby-client#664).
        raise refusals.DriveRefusal(500, "internalError", "Internal Error")
    content = render.export(source, item, mime_type)
    if cap_bytes is not None and len(content) > cap_bytes:
        raise too_large
    return Response(content, media_type=mime_type)


def _list_revisions(request: Request) -> Response:
    # Google's methods for revisions have no parameter supportsAllDrives either.
    view = files.view(request)
    mask = fields.asked(request, "RevisionList", f"kind,nextPageToken,revisions({_REVISION_DEFAULT})")
    kept = view.revisions(view.find(request.path_params["file_id"]))
    found, following = listing.portion(request.query_params, kept, "revisions", default=200, largest=1000)
    body = {"kind": "drive#revisionList", "revisions": [view.revision_resource(one) for one in found], **following}
    return JSONResponse(fields.project(body, mask))


def _get_revision(request: Request) -> Response:
    view = files.view(request)
    version = view.revision(view.find(request.path_params["file_id"]), request.path_params["revision_id"])
    if request.query_params.get("alt") == "media":
        return _media(request, version)
    mask = fields.asked(request, "Revision", _REVISION_DEFAULT)
    return JSONResponse(fields.project(view.revision_resource(version), mask))


def _drive_resource(drive: corpus.SharedDrive) -> dict[str, Any]:
    return {
        "kind": "drive#drive",
        "id": drive.id,
        "name": drive.name,
        "createdTime": files.timestamp(drive.created),
        "hidden": False,
        "capabilities": {"canListChildren": True, "canDownload": True, "canEdit": False},
    }


def _list_drives(request: Request) -> Response:
    view = files.view(request)
    mask = fields.asked(request, "DriveList", f"kind,nextPageToken,drives({_DRIVE_DEFAULT})")
    found, following = listing.portion(request.query_params, view.drives(), "drives", default=10, largest=100)
    body = {"kind": "drive#driveList", "drives": [_drive_resource(drive) for drive in found], **following}
    return JSONResponse(fields.project(body, mask))


def _get_drive(request: Request) -> Response:
    view = files.view(request)
    mask = fields.asked(request, "Drive", _DRIVE_DEFAULT)
    return JSONResponse(fields.project(_drive_resource(view.drive(request.path_params["drive_id"])), mask))


def _about(request: Request) -> Response:
    view = files.view(request)
    wanted = request.query_params.get("fields")
    if not wanted:
        raise refusals.DriveRefusal(
            400, "required", "The 'fields' parameter is required for this method.", location="fields"
        )
    mask = fields.validated(wanted, "About")
    body: dict[str, Any] = {
        "kind": "drive#about",
        "user": view.user(view.account.email),
        "storageQuota": {"limit": "16106127360", "usage": "0", "usageInDrive": "0", "usageInDriveTrash": "0"},
        "exportFormats": {kind: list(formats) for kind, formats in files.EXPORTS.items()},
        "appInstalled": True,
        "canCreateDrives": False,
    }
    return JSONResponse(fields.project(body, mask))


async def _edit(request: Request) -> Response:
    """Changes a file of the sample (`corpus.Changes`), for tests. With `silent`, no feed reports the change."""
    sandbox = context.of(request)
    item = sandbox.corpus.items().get(request.path_params["file_id"])
    if item is None:
        return JSONResponse({"error": "no such file"}, 404)
    given: dict[str, Any] = await request.json()
    silent = given.pop("silent", False)
    readers = given.pop("readers", None)
    changes = corpus.Changes(**given, readers=None if readers is None else frozenset(readers))
    return _changed(sandbox, item.id, lambda: sandbox.corpus.edit(item, changes), silent=silent)


async def _add(request: Request) -> Response:
    """Adds the files that the body describes, for tests. The body is a manifest entry or a list of them."""
    sandbox = context.of(request)
    posted: dict[str, Any] | list[dict[str, Any]] = await request.json()
    entries = posted if isinstance(posted, list) else [posted]
    return _changed(sandbox, "", lambda: sandbox.corpus.add(entries))


async def _restore(request: Request) -> Response:
    """Restores the Drive as it was before all changes, for tests, and removes the items that `without` names."""
    sandbox = context.of(request)
    try:
        sandbox.corpus.restore(request.query_params.getlist("without"))
    except NotImplementedError as error:
        return JSONResponse({"error": str(error)}, 409)
    sandbox.ledger.restart()
    return Response(status_code=204)


async def _share_drive(request: Request) -> Response:
    """Changes the members of a Shared Drive, for tests."""
    sandbox = context.of(request)
    given: dict[str, Any] = await request.json()
    drive_id, readers = request.path_params["drive_id"], frozenset(given["readers"])
    change = lambda: sandbox.corpus.share_drive(drive_id, readers)  # noqa: E731
    return _changed(sandbox, drive_id, change, silent=given.get("silent", False))


def _changed(
    sandbox: context.Sandbox, item_id: str, change: Callable[[], Item | None], *, silent: bool = False
) -> Response:
    """Makes a change that a test requests.

    Args:
        sandbox: The sandbox.
        item_id: The id of the changed item; ignored if `change` returns an item.
        change: Makes the change, and returns an added item or None.
        silent: Whether no feed reports the change.

    Returns:
        The answer, with the item's id, revision and version; 409 if the Drive cannot be changed.
    """
    sandbox.ledger.observe()
    try:
        added = change()
    except NotImplementedError as error:
        return JSONResponse({"error": str(error)}, 409)
    sandbox.ledger.observe(reported=not silent)
    item = sandbox.corpus.items().get(added.id if added is not None else item_id)
    known = {"revision": item.revision, "version": item.version} if item is not None else {}
    return JSONResponse({"id": item.id if item is not None else item_id, **known})
