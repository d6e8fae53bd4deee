"""The receipt of an answer (`leaf.citations.coverage_of`) in exports and imports, limited to known fields."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from leaf.parts.portable.format import Count, Short

_Texts = Annotated[list[Short], Field(max_length=2000)]


class _Model(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")


class _Listing(_Model):
    files: Count = 0
    subfolders: Count = 0
    shown: Count = 0
    at_least: bool = False
    partial: bool = False


class _Search(_Listing):
    query: Short = ""
    in_folder: Short | None = None


class _Named(_Model):
    id: Short | None = None
    name: Short | None = None
    url: Short | None = None


class _Folder(_Named, _Listing):
    pass


class _Read(_Named):
    parts: _Texts = []
    complete: bool = False
    missed: _Texts = []
    gaps: _Texts = []


class _Looked(_Named):
    words: _Texts = []


class _Skipped(_Named):
    kind: Short = "file"
    reason: Short = ""
    cause: Short | None = None


class _Failed(_Model):
    tool: Short = ""
    about: Short = ""
    reason: Short = ""


class _WebSearch(_Model):
    query: Short = ""
    pages: Count = 0


class _Page(_Model):
    url: Short = ""
    title: Short = ""
    complete: bool = False


class _Web(_Model):
    searches: Annotated[list[_WebSearch], Field(max_length=2000)] = []
    pages: Annotated[list[_Page], Field(max_length=2000)] = []


class _ChatFile(_Model):
    path: Short = ""
    complete: bool = False
    gaps: _Texts = []


class _ChatListing(_Listing):
    pattern: Short = ""


class _ChatSearch(_Model):
    pattern: Short = ""
    lines: Count = 0
    files: Count | None = None
    partial: bool = False


class Receipt(_Model):
    """The receipt of an answer."""

    searches: Annotated[list[_Search], Field(max_length=2000)] = []
    folders: Annotated[list[_Folder], Field(max_length=2000)] = []
    found: Count = 0
    more: bool = False
    read: Annotated[list[_Read], Field(max_length=2000)] = []
    looked_into: Annotated[list[_Looked], Field(max_length=2000)] = []
    skipped: Annotated[list[_Skipped], Field(max_length=2000)] = []
    failed: Annotated[list[_Failed], Field(max_length=2000)] = []
    partial: Count = 0
    web: _Web = _Web()
    chat_files: Annotated[list[_ChatFile], Field(max_length=2000)] = []
    chat_listings: Annotated[list[_ChatListing], Field(max_length=2000)] = []
    chat_searches: Annotated[list[_ChatSearch], Field(max_length=2000)] = []


def receipt(data: Any) -> dict[str, Any] | None:
    """A receipt reduced to its known fields; None for anything else."""
    try:
        return Receipt.model_validate(data).model_dump() if isinstance(data, dict) else None
    except ValidationError:
        return None
