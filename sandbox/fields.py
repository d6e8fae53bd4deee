"""Partial responses: the `fields` parameter.

The grammar is https://developers.google.com/workspace/drive/api/guides/fields-parameter: names separated by commas,
`a/b` and `a(b,c)` for members, `*` for all of them.
"""

import re
from typing import Any, TypeAlias

from starlette.requests import Request

from sandbox import refusals

Mask: TypeAlias = "dict[str, Mask | None]"
"""The names of the selected members, each with the mask of its own members, or None for the whole member."""
Schema: TypeAlias = "dict[str, Schema | None]"
"""The names of the members that a resource may have, each with its own schema.

None stands for a plain value, or for a value whose members are not checked.
"""

_TOKEN = re.compile(r"\s*([A-Za-z0-9_\-]+|[*(),/])")


def _plain(names: str) -> Schema:
    return dict.fromkeys(names.split())


_USER: Schema = _plain("kind displayName photoLink me permissionId emailAddress")
FILE: Schema = {
    **_plain(
        "id kind name mimeType description starred trashed explicitlyTrashed trashedTime parents properties "
        "appProperties spaces version webContentLink webViewLink iconLink hasThumbnail thumbnailLink thumbnailVersion "
        "viewedByMe viewedByMeTime createdTime modifiedTime modifiedByMeTime modifiedByMe sharedWithMeTime "
        "teamDriveId driveId ownedByMe permissions permissionIds hasAugmentedPermissions folderColorRgb "
        "originalFilename fullFileExtension fileExtension md5Checksum sha1Checksum sha256Checksum size quotaBytesUsed "
        "headRevisionId contentHints imageMediaMetadata videoMediaMetadata isAppAuthorized exportLinks shared "
        "viewersCanCopyContent copyRequiresWriterPermission writersCanShare contentRestrictions linkShareMetadata "
        "labelInfo resourceKey clientEncryptionDetails inheritedPermissionsDisabled downloadRestrictions capabilities"
    ),
    "owners": _USER,
    "lastModifyingUser": _USER,
    "sharingUser": _USER,
    "trashingUser": _USER,
    "shortcutDetails": _plain("targetId targetMimeType targetResourceKey"),
}
FILE_LIST: Schema = {**_plain("kind nextPageToken incompleteSearch"), "files": FILE}
REVISION: Schema = {
    **_plain(
        "id kind mimeType modifiedTime keepForever published publishedLink publishAuto publishedOutsideDomain "
        "originalFilename md5Checksum size exportLinks"
    ),
    "lastModifyingUser": _USER,
}
REVISION_LIST: Schema = {**_plain("kind nextPageToken"), "revisions": REVISION}
DRIVE: Schema = _plain(
    "id kind name createdTime hidden orgUnitId capabilities restrictions themeId colorRgb backgroundImageFile "
    "backgroundImageLink"
)
DRIVE_LIST: Schema = {**_plain("kind nextPageToken"), "drives": DRIVE}
ABOUT: Schema = {
    **_plain(
        "kind storageQuota importFormats exportFormats maxImportSizes maxUploadSize appInstalled folderColorPalette "
        "driveThemes teamDriveThemes canCreateDrives canCreateTeamDrives"
    ),
    "user": _USER,
}


def asked(request: Request, schema: Schema, default: str) -> Mask:
    """The mask of a request's `fields` parameter, or else of the method's default. Raises as `validated` does."""
    return validated(request.query_params.get("fields") or default, schema)


def validated(fields: str, schema: Schema) -> Mask:
    """The mask of a `fields` parameter.

    Args:
        fields: The parameter.
        schema: The fields that the resource may have.

    Raises:
        refusals.DriveRefusal: A name is unknown, or the parameter is malformed.
    """
    tokens = _TOKEN.findall(fields)[::-1]
    if _TOKEN.sub("", fields).strip():
        raise _invalid(fields)
    mask = _members(tokens, fields)
    if tokens:
        raise _invalid(fields)
    _check(mask, schema)
    return mask


def below(mask: "Mask | None", name: str) -> "Mask | None":
    """The mask of one member; None for the whole member."""
    if mask is None or "*" in mask:
        return None
    return mask.get(name, {})


def project(value: Any, mask: "Mask | None") -> Any:
    """The part of a resource, or of each resource in a list, that a mask selects."""
    if mask is None or "*" in mask:
        return value
    if isinstance(value, list):
        return [project(element, mask) for element in value]
    if not isinstance(value, dict):
        return value
    return {name: project(inner, mask[name]) for name, inner in value.items() if name in mask}


def _invalid(selection: str) -> refusals.DriveRefusal:
    return refusals.DriveRefusal(400, "invalidParameter", f"Invalid field selection {selection}", location="fields")


def _members(tokens: list[str], fields: str) -> Mask:
    mask: Mask = {}
    while True:
        name, below = _member(tokens, fields)
        present = mask.get(name, {})
        mask[name] = None if below is None or present is None else {**present, **below}
        if not tokens or tokens[-1] != ",":
            return mask
        tokens.pop()


def _member(tokens: list[str], fields: str) -> "tuple[str, Mask | None]":
    if not tokens or tokens[-1] in "(),/":
        raise _invalid(fields)
    name = tokens.pop()
    if tokens and tokens[-1] == "/":
        tokens.pop()
        inner, below = _member(tokens, fields)
        return name, {inner: below}
    if tokens and tokens[-1] == "(":
        tokens.pop()
        below = _members(tokens, fields)
        if not tokens or tokens.pop() != ")":
            raise _invalid(fields)
        return name, below
    return name, None


def _check(mask: Mask, schema: Schema) -> None:
    for name, below in mask.items():
        if name == "*":
            continue
        if name not in schema:
            raise _invalid(name)
        inner = schema[name]
        if below is not None and inner is not None:
            _check(below, inner)
