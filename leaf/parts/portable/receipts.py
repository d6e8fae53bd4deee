"""The receipt of an answer (`leaf.citations.coverage_of`) in exports and imports, limited to known fields."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

_Text = Annotated[str, Field(max_length=4000)]
_Count = Annotated[int, Field(ge=0, le=2**31)]
_Texts = Annotated[list[_Text], Field(max_length=2000)]


class _Model(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")


class _Listing(_Model):
    files: _Count = 0
    subfolders: _Count = 0
    shown: _Count = 0
    at_least: bool = False
    partial: bool = False


class _Search(_Listing):
    query: _Text = ""
    in_folder: _Text | None = None


class _Named(_Model):
    id: _Text | None = None
    name: _Text | None = None
    url: _Text | None = None


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
    kind: _Text = "file"
    reason: _Text = ""
    cause: _Text | None = None


class _Failed(_Model):
    tool: _Text = ""
    about: _Text = ""
    reason: _Text = ""


class _WebSearch(_Model):
    query: _Text = ""
    pages: _Count = 0


class _Page(_Model):
    url: _Text = ""
    title: _Text = ""
    complete: bool = False


class _Web(_Model):
    searches: Annotated[list[_WebSearch], Field(max_length=2000)] = []
    pages: Annotated[list[_Page], Field(max_length=2000)] = []


class _ChatFile(_Model):
    path: _Text = ""
    complete: bool = False
    gaps: _Texts = []


class _ChatListing(_Listing):
    pattern: _Text = ""


class _ChatSearch(_Model):
    pattern: _Text = ""
    lines: _Count = 0
    files: _Count | None = None
    partial: bool = False


class Receipt(_Model):
    """The receipt of an answer."""

    searches: Annotated[list[_Search], Field(max_length=2000)] = []
    folders: Annotated[list[_Folder], Field(max_length=2000)] = []
    found: _Count = 0
    more: bool = False
    read: Annotated[list[_Read], Field(max_length=2000)] = []
    looked_into: Annotated[list[_Looked], Field(max_length=2000)] = []
    skipped: Annotated[list[_Skipped], Field(max_length=2000)] = []
    failed: Annotated[list[_Failed], Field(max_length=2000)] = []
    partial: _Count = 0
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
