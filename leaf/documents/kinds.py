"""Kinds of Drive files by MIME type and name.

A new type of file touches these places:

- Here, `_BY_TYPE` (its MIME types) and `BY_SUFFIX` (a browser offers these for upload).
- For a new kind also `Kind`, `FAMILIES`, `_BINARY` if it is not text, and `_UPLOADED` if it can be uploaded.
- `leaf.documents.parser`: its reader, and `READER_VERSION`, so that files that were refused before are read.
- `leaf.documents.uploads`, if its text is extracted: `SUFFIXES`, and how its content shows the kind (`_binary_kind`).
"""

from pathlib import PurePath
from typing import Final, Literal

from leaf import texts

Kind = Literal[
    "document", "spreadsheet", "presentation", "pdf", "text", "markdown", "csv", "json", "code", "html", "page", "word",
    "excel", "powerpoint", "mail", "folder", "shortcut", "form", "drawing", "image", "video", "audio", "archive",
    "other",
]  # fmt: skip

GOOGLE = "application/vnd.google-apps."
FOLDER = f"{GOOGLE}folder"
SHORTCUT = f"{GOOGLE}shortcut"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
PDF = "application/pdf"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"

Family = Literal["document", "spreadsheet", "presentation", "pdf", "text", "image"]
FAMILIES: dict[Family, frozenset[Kind]] = {
    "document": frozenset({"document", "word"}),
    "spreadsheet": frozenset({"spreadsheet", "excel", "csv"}),
    "presentation": frozenset({"presentation", "powerpoint"}),
    "pdf": frozenset({"pdf"}),
    "text": frozenset({"text", "markdown", "html", "json", "code", "mail"}),
    "image": frozenset({"image", "drawing"}),
}
"""The groups of kinds that people distinguish, each with its kinds."""

_BY_TYPE: dict[str, Kind] = {
    f"{GOOGLE}document": "document", f"{GOOGLE}spreadsheet": "spreadsheet", f"{GOOGLE}presentation": "presentation",
    FOLDER: "folder", SHORTCUT: "shortcut", f"{GOOGLE}form": "form", f"{GOOGLE}drawing": "drawing",
    f"{GOOGLE}photo": "image", f"{GOOGLE}video": "video", f"{GOOGLE}audio": "audio", f"{GOOGLE}vid": "video",
    PDF: "pdf", DOCX: "word", XLSX: "excel", PPTX: "powerpoint",
    "application/vnd.oasis.opendocument.text": "word", "application/vnd.oasis.opendocument.presentation": "powerpoint",
    "message/rfc822": "mail", "application/vnd.ms-excel": "excel",
    "application/vnd.oasis.opendocument.spreadsheet": "excel",
    "application/vnd.ms-word.document.macroenabled.12": "word",
    "application/vnd.ms-excel.sheet.macroenabled.12": "excel",
    "application/vnd.ms-powerpoint.presentation.macroenabled.12": "powerpoint",
    "text/markdown": "markdown", "text/x-markdown": "markdown", "text/csv": "csv", "text/tab-separated-values": "csv",
    "application/csv": "csv", "application/json": "json", "application/ld+json": "json", "application/x-ndjson": "json",
    "text/html": "html", "application/xhtml+xml": "html",
    "application/javascript": "code", "application/x-javascript": "code", "application/typescript": "code",
    "application/xml": "code", "application/x-sh": "code", "application/x-yaml": "code", "application/yaml": "code",
    "application/toml": "code", "application/sql": "code", "application/x-sql": "code", "application/x-python": "code",
    "application/zip": "archive", "application/x-zip-compressed": "archive", "application/x-tar": "archive",
    "application/gzip": "archive", "application/x-7z-compressed": "archive", "application/vnd.rar": "archive",
    "application/msword": "word", "application/rtf": "word", "text/rtf": "word",
    "application/epub+zip": "word", "application/vnd.ms-outlook": "mail",
}  # fmt: skip

BY_SUFFIX: dict[str, Kind] = {
    ".md": "markdown", ".markdown": "markdown", ".csv": "csv", ".tsv": "csv", ".json": "json", ".jsonl": "json",
    ".ndjson": "json", ".ipynb": "json", ".txt": "text", ".text": "text", ".log": "text", ".rst": "text",
    ".srt": "text", ".vtt": "text", ".tex": "text", ".ini": "code", ".cfg": "code", ".conf": "code",
    ".toml": "code", ".yaml": "code",
    ".yml": "code", ".xml": "code", ".sql": "code", ".py": "code", ".js": "code", ".mjs": "code", ".ts": "code",
    ".tsx": "code", ".jsx": "code", ".css": "code", ".sh": "code", ".go": "code", ".rs": "code", ".java": "code",
    ".kt": "code", ".c": "code", ".h": "code", ".cpp": "code", ".cs": "code", ".rb": "code", ".php": "code",
    ".swift": "code", ".r": "code", ".lua": "code", ".html": "html", ".htm": "html", ".pdf": "pdf", ".docx": "word",
    ".docm": "word", ".doc": "word", ".xlsx": "excel", ".xlsm": "excel", ".pptx": "powerpoint", ".pptm": "powerpoint",
    ".odt": "word", ".odp": "powerpoint", ".rtf": "word", ".epub": "word", ".eml": "mail", ".msg": "mail",
    ".xls": "excel", ".ods": "excel", ".png": "image", ".jpg": "image", ".jpeg": "image", ".webp": "image",
}  # fmt: skip

_BINARY: frozenset[Kind] = frozenset({"pdf", "word", "excel", "powerpoint", "image"})
"""The kinds in `BY_SUFFIX` whose files are not text."""

_PICTURES = {"image/png", "image/jpeg", "image/jpg", "image/pjpeg", "image/webp"}
"""The types of pictures that are read by OCR."""

_UNREADABLE: dict[Kind, str] = {
    "folder": "refusals.folder",
    "shortcut": "refusals.shortcut",
    "form": "refusals.form",
    "video": "refusals.video",
    "audio": "refusals.audio",
    "archive": "refusals.archive",
}
"""For each unreadable kind, the key of the text that says why."""

_OLD_FORMATS = {
    "application/vnd.ms-powerpoint": ".ppt",
}


def kind_of(mime_type: str, name: str = "") -> Kind:
    """The kind of a file. The name's extension decides if the MIME type is generic, such as
    `application/octet-stream`.
    """
    bare = mime_type.partition(";")[0].strip().lower()
    if bare in _BY_TYPE:
        return _BY_TYPE[bare]
    major = bare.partition("/")[0]
    if major in ("image", "video", "audio"):
        return major  # pyright: ignore[reportReturnType]
    if bare in _OLD_FORMATS or bare.startswith(GOOGLE):
        return "other"
    found = BY_SUFFIX.get(PurePath(name).suffix.lower())
    says_nothing = bare in ("", "application/octet-stream", "binary/octet-stream")
    # Subtitles and notebooks have MIME types of their own. A text type with a binary extension is still text.
    if found and (says_nothing or found not in _BINARY):
        return found
    if major == "text":
        return "text" if bare == "text/plain" else "code"
    return "other"


_UPLOADED: Final[dict[str, str]] = {
    "pdf": "refusals.kind_pdf", "word": "refusals.kind_word", "excel": "refusals.kind_excel",
    "powerpoint": "refusals.kind_powerpoint", "image": "refusals.kind_image", "mail": "refusals.kind_mail",
    "text": "refusals.kind_text", "markdown": "refusals.kind_markdown", "csv": "refusals.kind_csv",
    "json": "refusals.kind_json", "code": "refusals.kind_code", "html": "refusals.kind_html",
}  # fmt: skip
"""The keys of the texts that name the kinds of uploads."""


def kind_words(kind: str) -> texts.Message:
    """The name of an upload's kind, as a message that can be translated."""
    return texts.english(_UPLOADED.get(kind, "refusals.kind_text"))


def refusal(kind: Kind, mime_type: str, name: str = "") -> texts.Message | None:
    """The reason why a file of this kind cannot be read; None if it can. The name's extension helps to name the
    format.
    """
    bare = mime_type.partition(";")[0].strip().lower()
    if kind in _UNREADABLE:
        return texts.english(_UNREADABLE[kind])
    if kind == "image" and bare not in _PICTURES and bare.startswith(("image/", GOOGLE)):
        return texts.english("refusals.image")
    if kind != "other":
        return None
    if bare in _OLD_FORMATS:
        return texts.english("refusals.old_format", format=_OLD_FORMATS[bare])
    suffix = PurePath(name).suffix.lower()
    if suffix in _OLD_FORMATS.values():
        return texts.english("refusals.old_format", format=suffix)
    return _unknown_type(bare)


def _unknown_type(bare: str) -> texts.Message:
    if bare.startswith(GOOGLE):
        remedy = texts.english("drive.not_exportable_remedy")
        return texts.english("drive.not_exportable", what=texts.english("drive.this"), remedy=remedy)
    return texts.english("refusals.type", type=bare) if bare else texts.english("refusals.type_unknown")
