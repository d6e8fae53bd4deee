"""The questions, and the files of the sample that they are about."""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from sandbox import corpus, sample_drive

QUESTIONS = Path(__file__).parent / "questions.toml"
SAMPLE = Path(sample_drive.__file__).parent / "sample"
_LINK = re.compile(r"\{\{([^}]+)\}\}")
_EDITORS = {"doc": "document/d/{}/edit", "sheet": "spreadsheets/d/{}/edit", "slides": "presentation/d/{}/edit"}


class Number(BaseModel):
    """A number that an answer has to name."""

    model_config = ConfigDict(extra="forbid")

    value: float
    tolerance: float = 0

    def fits(self, value: float) -> bool:
        """Whether a value is this number."""
        return abs(value - self.value) <= self.tolerance + 1e-9


class Case(BaseModel):
    """One question, or several in one chat, of which the last answer is judged. See the head of questions.toml."""

    model_config = ConfigDict(extra="forbid")

    id: str
    category: str
    account: str = "ada"
    asks: Annotated[list[str], Field(min_length=1)]
    contains: list[str | list[str]] = []
    lacks: list[str] = []
    inert: list[str] = []
    matches: list[str] = []
    number: Number | None = None
    numbers: list[Number] = []
    unit: str = ""
    """A regular expression for the unit of the numbers: no other number with it may be stated in their place."""
    beside: list[float | list[str]] = []
    """Values that may be named after the right one; a text in any of its spellings."""
    wrong: list[str] = []
    others: list[float] = []
    """Texts and numbers that are no part of a right answer's own sentences."""
    computed: bool = False
    """Whether the program has to have computed the figure."""
    long: bool = False
    """Whether the answer is a list, which may be long."""
    refusal: bool = False
    sources: list[str] = []
    copies: dict[str, list[str]] = {}
    """For each source, the files with the same facts. An answer may name any of them in its place."""
    also: list[str] = []
    wordings: list[str] = []
    """Further wordings that a good searcher would try."""
    since: str | None = None
    """The day from which on files count."""
    language: str = "en"
    format: str = ""
    """The format of the file that holds the answer, in a generated Drive."""


def load(only: str = "") -> list[Case]:
    """The questions whose id or category an expression is found in."""
    raw = tomllib.loads(QUESTIONS.read_text("utf-8"))["question"]
    cases = [Case.model_validate(one) for one in raw]
    return [case for case in cases if re.search(only, f"{case.category}/{case.id}")]


@cache
def kinds() -> dict[str, str]:
    """The kind of each file of the sample, and of each folder above one, by path."""
    manifest = tomllib.loads((SAMPLE / "manifest.toml").read_text("utf-8"))
    found = {path: str(entry["kind"]) for path, entry in _entries().items()}
    for path in [*found, *(entry["path"] for entry in manifest["folder"])]:
        while "/" in (path := path.rpartition("/")[0]) and not path.endswith(":"):
            found.setdefault(path, "folder")
    return found


@cache
def _entries() -> dict[str, dict[str, Any]]:
    manifest = tomllib.loads((SAMPLE / "manifest.toml").read_text("utf-8"))
    return {entry["path"]: entry for entry in [*manifest["file"], *sample_drive.field_reports()]}


def text_of(path: str) -> str:
    """The source of a file of the sample; empty of a folder."""
    entry = _entries().get(path, {})
    if "generator" in entry:
        return sample_drive.sensor_log()[:100_000]
    return str(entry.get("text") or ((SAMPLE / entry["source"]).read_text("utf-8") if "source" in entry else ""))


def id_of(path: str) -> str:
    """The id of a file of a generated Drive in the sandbox."""
    return corpus.opaque_id(f"folder {path}")


@cache
def paths() -> dict[str, str]:
    """The path of each id in the sample."""
    return {sample_drive.id_of(path, kind): path for path, kind in kinds().items()}


def asked(text: str, sandbox_url: str) -> str:
    """A question with links in the place of paths."""

    def address(match: re.Match[str]) -> str:
        path = match[1]
        kind = kinds()[path]
        place = "drive/folders/{}" if kind == "folder" else _EDITORS.get(kind, "file/d/{}/view")
        return f"{sandbox_url}/{place.format(sample_drive.id_of(path, kind))}"

    return _LINK.sub(address, text)
