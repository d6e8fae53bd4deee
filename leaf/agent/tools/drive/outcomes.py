"""Who must react to what goes wrong: the model, the user, or nobody.

A call that was made wrongly is a ModelRetry. Drive not being connected, or not answering, is a ToolFailed that the
model tells the user. One file that Google refuses is an ordinary outcome, told by name.
"""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from pydantic_ai import ModelRetry
from pydantic_ai.exceptions import ToolFailed

from leaf import errors, texts
from leaf.agent.deps import Deps
from leaf.google import links
from leaf.google.drive import Drive
from leaf.google.files import DriveFile
from leaf.google.links import DriveLink


@contextmanager
def told() -> Generator[None]:
    """Turns Drive's errors into what pydantic-ai tells the model. A refusal of one file goes through."""
    try:
        yield
    except errors.Invalid as error:
        raise ModelRetry(error.message) from error
    except errors.DriveRefused:
        raise
    except errors.DriveError as error:
        raise ToolFailed(error.message) from error


def drive_of(deps: Deps) -> Drive:
    """Drive for the asker of this run."""
    return Drive(deps.drive, resource_keys=deps.resource_keys)


def link_of(given: str) -> DriveLink:
    """The link in what the model passed.

    Raises:
        ModelRetry: There is none.
    """
    try:
        return links.parse(given)
    except errors.Invalid as error:
        advice = "Pass a Drive URL or an id from a listing; to find a file by name, call search_drive first."
        raise ModelRetry(f"{error.message} {advice}") from error


def skipped(reason: str, *, link: DriveLink | None = None, file: DriveFile | None = None) -> dict[str, Any]:
    """The output for a file or folder that cannot be read."""
    if file is not None:
        named = {"id": file.id, "name": file.name, "url": file.url}
    else:
        named = {"id": link.id if link else None, "name": None, "url": None}
    message = {"message": reason.as_data()} if isinstance(reason, texts.Message) else {}
    return {"skipped": {**named, "reason": reason, **message}}
